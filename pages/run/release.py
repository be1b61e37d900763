"""From a registered table to a release: commit to one charge, fetch what was made."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from hmpb_core.acceptance.marks import Marks
from hmpb_core.audit.attack import require_unbroken
from hmpb_core.codebook import Codebook
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.ledger import Entry, Kind
from hmpb_core.progress import Progress
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.own_form import own_ending
from hmpb_core.publishing.release import Commit, prepare
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import paid
from pages.run.marks import agreed
from pages.session.ledger import open_workspace, own_datasets
from pages.session.state import Table
from pages.session.widgets import showing
from pages.shared.downloads import download
from pages.shared.parted_bar import PART_DIGITS
from pages.words.catalogue import left_of_cap, names_listed, number, plain, t
from pages.words.errors import sentence

WORD = "release"
_FORMATS = {
    None: "run.commit.formats",
    ".sav": "run.commit.formats_spss",
    ".dta": "run.commit.formats_stata",
    ".xlsx": "run.commit.formats_excel",
}


def check_work(
    table: Table,
    codebook: Codebook,
    plan: Plan,
    workspace: Workspace,
    *,
    title: str,
    replicates: int,
    answers: Answers,
    marks: Marks | None,
    language: str,
) -> Callable[[Progress], tuple[Plan, Commit]]:
    """Give the work of checking a release, the trial on a simulated table with it; charges nothing."""

    def work(progress: Progress) -> tuple[Plan, Commit]:
        require_unbroken(plan)
        plan_file = PlanFile.of(plan, codebook)
        return plan, prepare(
            table.private,
            codebook,
            plan_file,
            workspace,
            title=title.strip() or None,
            replicates=replicates,
            answers=answers,
            marks=marks,
            language=language,
            progress=progress,
        )

    return work


def _rows_to_come(plan: Plan) -> str:
    """How many rows there will be: a number that was asked for, or how near to the table's own it is."""
    if plan.rows:
        return number(plan.rows)
    near = "same" if plan.guarantee.neighbors is Neighbors.REPLACE_ONE else "noisy"
    if plan.person is None:
        return t(f"run.commit.{near}_rows")
    return t(f"run.commit.{near}_used_rows", most=plan.rows_per_person)


def commit_page(commit: Commit) -> bool:
    """Say everything that one press will spend and make; give whether it was confirmed and pressed."""
    plan = commit.plan_file.plan
    st.header(t("run.commit.title", name=commit.before.name), anchor=False)
    unit = sentence(commit.before.unit.words)
    st.markdown(t("run.commit.reads", unit=unit, names=names_listed(commit.codebook.domain.names)))
    if commit.elsewhere:
        st.warning(
            t("run.commit.elsewhere", names=names_listed(commit.elsewhere)), icon=":material/receipt_long:"
        )
    stages = [(plain(f"plan.stage.{stage}"), epsilon) for stage, epsilon in commit.bill.stages.items()]
    charged = plan.guarantee.epsilon
    lines = [
        *stages,
        (plain("run.commit.else"), max(0.0, round(charged - sum(epsilon for _, epsilon in stages), 9))),
        (plain("run.commit.total"), charged),
    ]
    left = [  # rounded as the line above this page has them
        (
            plain("run.commit.left_now"),
            left_of_cap(commit.before.left_for(plan.guarantee)),
        ),
        (
            plain("run.commit.left_after"),
            left_of_cap(commit.after.left_for(plan.guarantee)),
        ),
    ]
    table = pd.DataFrame(
        {
            plain("run.commit.what"): [name for name, _ in (*lines, *left)],
            plain("run.commit.epsilon"): [
                *(number(value, PART_DIGITS) for _, value in lines),
                *(value for _, value in left),
            ],
        }
    )
    st.dataframe(table, hide_index=True, height="content", alt=plain("run.commit.alt"), key="commit")
    if plan.guarantee.delta > 0:
        st.caption(t("run.commit.left_rho"))
    st.markdown(
        t(
            "run.commit.outputs",
            tables=commit.replicates,
            rows=_rows_to_come(plan),
            formats=t(_FORMATS[own_ending(commit.codebook)]),
        )
    )
    if commit.trial is not None:
        agreed(commit.trial)
        st.markdown(t("run.marks.if_none"))
    if commit.answers.missing:
        st.caption(t("run.commit.unanswered", missing=len(commit.answers.missing)))
    st.warning(t("run.commit.undone"), icon=":material/gavel:")
    word = st.text_input(t("run.commit.word", word=WORD), key="commit_word")
    if not st.button(t("run.commit.go"), type="primary", key="commit_go", icon=":material/lock_open_right:"):
        return False
    if word.strip().lower() == WORD:
        return True
    st.error(t("run.commit.no_word", word=WORD), icon=":material/error:")
    return False


def told(commit: Commit) -> tuple[str, int, Answers, Marks | None, str]:
    """What was asked when a release was checked: title, number of tables, answers, pass marks, language."""
    marks = commit.trial.marks if commit.trial else None
    return commit.title, commit.replicates, commit.answers, marks, commit.language


def earlier(own: str) -> None:
    """What was released before: here also after the browser was closed in the middle of it.

    Args:
        own: Identifier of the loaded table's data set; empty where it has none, as in a browser opened anew.
    """
    workspace = open_workspace()
    if workspace is None:
        return
    names = {dataset.id: dataset.name for dataset in own_datasets(workspace)}
    charges = {e.release: e for e in workspace.entries() if e.kind is Kind.CHARGE and e.dataset in names}
    done = [charge for charge in charges.values() if workspace.release_path(charge).is_file()]
    st.header(t("run.earlier.title"), anchor=False)
    if not done:
        st.caption(t("run.earlier.none"))
        return
    done.sort(key=lambda charge: (charge.dataset == own, charge.number), reverse=True)
    newest = done[0] if own in ("", done[0].dataset) else None
    chosen = showing(
        st.selectbox,
        t("run.earlier.choose"),
        _kept_choice(done, newest),
        options=done,
        format_func=lambda charge: _line(charge, names[charge.dataset], own),
        placeholder=plain("run.earlier.of_others"),
        key="earlier",
    )
    if chosen is None:
        return
    download(
        t("run.earlier.download"),
        lambda: paid(workspace.release_path(chosen).read_bytes(), chosen.digest),
        f"release-{chosen.release[:8]}.zip",
        "application/zip",
        key="earlier_download",
    )


def _kept_choice(done: Sequence[Entry], newest: Entry | None) -> Entry | None:
    """What was chosen before; the table's newest release once there is another one, or none."""
    first = newest.release if newest else ""
    if st.session_state.get("earlier_newest") != first:  # else the box stays at the last but one
        st.session_state["earlier_newest"] = first
        return newest
    kept: Entry | None = st.session_state.get("earlier", newest)
    return kept if kept in done else newest


def _line(charge: Entry, name: str, own: str) -> str:
    """What tells a release from all others, in one line."""
    epsilon = charge.details.get("guarantee", {}).get("epsilon", float(charge.cost.epsilon))
    line = plain(
        "run.earlier.line",
        title=charge.details.get("title", name),
        epsilon=number(epsilon, 4),
        at=charge.at[:16].replace("T", " "),
        id=charge.release[:8],
    )
    return line if own in ("", charge.dataset) else plain("run.earlier.other", name=name, line=line)
