"""From a private table to a release: register it once, commit to one charge, fetch what was made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from hmpb_core.audit.attack import require_unbroken
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import PrivacyError
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.ledger import Entry, Kind
from hmpb_core.privacy.unit import Unit
from hmpb_core.progress import Progress
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.release import Commit, prepare
from hmpb_core.publishing.workspace import Workspace, require_cap
from hmpb_core.publishing.zones import paid
from hmpb_core.sources.people import limit_rows, require_unpublished
from pages.session.ledger import open_workspace, own_datasets, workspace_folder
from pages.session.login import who
from pages.session.state import Table
from pages.shared.downloads import download
from pages.words.catalogue import number, plain, t
from pages.words.errors import sentence

WORD = "release"
RELATIONS = tuple(Neighbors)


def dataset_of(table: Table) -> tuple[Workspace, RegisteredDataset] | None:
    """The table's data set in the ledger; None where it is not registered."""
    workspace = open_workspace()
    if workspace is None:
        return None
    try:
        return workspace, workspace.find(table.frame)
    except PrivacyError:
        return None


def near_copies(table: Table) -> list[RegisteredDataset]:
    """The data sets whose tables are nearly this one."""
    workspace = open_workspace()
    return workspace.near_copies(table.frame) if workspace else []


def registration(table: Table, codebook: Codebook) -> RegisteredDataset | None:
    """The form that gives a table its unit of protection and its lifetime cap; nothing is filled in."""
    st.markdown(t("run.register.what"))
    for near in near_copies(table):
        st.warning(t("run.register.near", name=near.name), icon=":material/content_copy:")
    with st.form("register"):
        name = st.text_input(t("run.register.name"), value=table.name.split(".")[0], key="register_name")
        kind = st.radio(
            t("run.register.unit"),
            ["row", "person"],
            index=None,
            format_func=lambda k: plain(f"run.register.unit_{k}"),
            key="register_unit",
        )
        left, right = st.columns(2)
        columns = [c for c in map(str, table.frame.columns) if c not in codebook.domain.names]
        column = left.selectbox(
            t("run.register.column"),
            columns,
            index=None,
            help=t("run.register.column_help"),
            key="register_column",
        )
        most = right.number_input(t("run.register.rows"), 1, 10_000, 1, key="register_rows")
        cap = left.number_input(
            t("run.register.cap"), 0.001, 100.0, None, help=t("run.register.cap_help"), key="register_cap"
        )
        digits = right.number_input(t("run.register.delta"), 3, 30, 9, help=t("run.register.delta_help"))
        neighbors = st.radio(
            t("run.register.neighbors"),
            RELATIONS,
            format_func=lambda n: plain(f"plan.neighbors.{n}"),
            key="register_neighbors",
        )
        why = st.text_input(t("run.register.why"), key="register_why")
        if not st.form_submit_button(t("run.register.save"), icon=":material/app_registration:"):
            return None
    if kind is None or cap is None or (kind == "person" and column is None):
        st.error(t("run.register.incomplete"), icon=":material/error:")
        return None
    unit = Unit(column=None, rows=1) if kind == "row" else Unit(column=column, rows=int(most))
    require_unpublished(unit, codebook.domain)
    encode(limit_rows(table.frame, unit, np.random.default_rng()), codebook)
    delta = 10.0 ** -int(digits)
    require_cap(float(cap), delta)  # before a workspace is made: what is refused leaves nothing
    return Workspace(workspace_folder(), create=True).register(
        table.frame,
        name=name.strip() or table.name,
        unit=unit,
        cap_epsilon=float(cap),
        cap_delta=delta,
        neighbors=neighbors,
        who=who(),
        why=why,
    )


def check_work(
    table: Table,
    codebook: Codebook,
    plan: Plan,
    workspace: Workspace,
    *,
    title: str,
    replicates: int,
    answers: Answers,
) -> Callable[[Progress], tuple[Plan, Commit]]:
    """Give the work of checking a release, the trial on a simulated table with it; charges nothing."""

    def work(progress: Progress) -> tuple[Plan, Commit]:
        require_unbroken(plan)
        plan_file = PlanFile.of(plan, codebook)
        return plan, prepare(
            table.frame,
            codebook,
            plan_file,
            workspace,
            title=title or None,
            replicates=replicates,
            answers=answers,
            progress=progress,
        )

    return work


def commit_page(commit: Commit) -> bool:
    """Say everything that one press will spend and make; give whether it was confirmed and pressed."""
    plan = commit.plan_file.plan
    st.subheader(t("run.commit.title", name=commit.before.name), anchor=False)
    unit = sentence(commit.before.unit.words)
    st.markdown(t("run.commit.reads", unit=unit, names=", ".join(commit.codebook.domain.names)))
    stages = [(plain(f"plan.stage.{stage}"), epsilon) for stage, epsilon in commit.bill.stages.items()]
    charged = plan.guarantee.epsilon
    lines = [
        *stages,
        (plain("run.commit.else"), max(0.0, round(charged - sum(epsilon for _, epsilon in stages), 9))),
        (plain("run.commit.total"), charged),
        (plain("run.commit.left_now"), _left(commit.before, plan)),
        (plain("run.commit.left_after"), _left(commit.after, plan)),
    ]
    table = pd.DataFrame(
        {
            plain("run.commit.what"): [name for name, _ in lines],
            plain("run.commit.epsilon"): [number(value, 4) for _, value in lines],
        }
    )
    st.dataframe(table, hide_index=True, height="content", alt=plain("run.commit.alt"), key="commit")
    st.markdown(
        t(
            "run.commit.outputs",
            tables=commit.replicates,
            rows=number(plan.rows) if plan.rows else t("run.commit.same_rows"),
        )
    )
    if commit.answers.missing:
        st.caption(t("run.commit.unanswered", missing=len(commit.answers.missing)))
    st.warning(t("run.commit.undone"), icon=":material/gavel:")
    word = st.text_input(t("run.commit.word", word=WORD), key="commit_word")
    return (
        st.button(t("run.commit.go"), type="primary", key="commit_go", icon=":material/lock_open_right:")
        and word.strip().lower() == WORD
    )


def _left(dataset: RegisteredDataset, plan: Plan) -> float:
    left = dataset.left_zcdp if plan.guarantee.delta > 0 else float(dataset.left_pure)
    return max(0.0, left)


def earlier() -> None:
    """What was released before: here also after the browser was closed in the middle of it."""
    workspace = open_workspace()
    if workspace is None:
        return
    names = {dataset.id: dataset.name for dataset in own_datasets(workspace)}
    charges = {e.release: e for e in workspace.entries() if e.kind is Kind.CHARGE and e.dataset in names}
    done = [charge for charge in charges.values() if workspace.release_path(charge).is_file()]
    st.subheader(t("run.earlier.title"), anchor=False)
    if not done:
        st.caption(t("run.earlier.none"))
        return

    def label(charge: Entry) -> str:
        title = charge.details.get("title", names[charge.dataset])
        return plain(
            "run.earlier.line", title=title, at=charge.at[:16].replace("T", " "), id=charge.release[:8]
        )

    chosen = st.selectbox(t("run.earlier.choose"), done[::-1], format_func=label, key="earlier")
    download(
        t("run.earlier.download"),
        lambda: paid(workspace.release_path(chosen).read_bytes(), chosen.digest),
        f"release-{chosen.release[:8]}.zip",
        "application/zip",
        key="earlier_download",
    )
