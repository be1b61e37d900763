"""Run: rehearse free of charge, then release."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from hmpb_core.acceptance.marks import Marks
from hmpb_core.codebook import Codebook
from hmpb_core.model import Model
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.release import Commit
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import Zone
from hmpb_core.several_answers import together
from pages.run import rehearsal, release
from pages.run.answers import answers_form
from pages.run.marks import marks_form, verdicts
from pages.session import jobs
from pages.session.login import who
from pages.session.state import AppState, Basis, Result, Table, state
from pages.session.widgets import choosing, showing
from pages.shared.downloads import download_of
from pages.shared.errors import guard
from pages.shared.job_panel import job_panel
from pages.shared.layout import (
    EMPTY_CELL,
    describe_basis,
    go_to,
    header,
    need_codebook,
    need_plan,
    need_table,
    next_step,
    zone_badge,
)
from pages.shared.registration import registered, registration, show_cap
from pages.words.catalogue import escape, language, number, plain, t
from pages.words.errors import sentence
from pages.words.guarantee import guarantee_line, total_words, unit_of

STRENGTH = 0.6
MOST_TABLES = 20
LEAST_SECONDS = 0.005
"""What is not shown as 0.00."""


def page(session: AppState) -> None:
    """Two tabs, one that costs nothing and one that spends; below them what the last run made."""
    header("run", zones=[Zone.DECLARED, Zone.DP])
    if not session.ready:  # what was paid for can be fetched while another table is being described
        under_way(session)
        with guard():
            release.earlier(session.dataset)
    table, codebook, plan = need_table(session), need_codebook(session), need_plan(session)
    st.markdown(guarantee_line(plan.guarantee, unit_of(plan), plan.spec.protection))
    marks, ready = marks_form(session, codebook, plan)
    names = [t("run.tab.rehearse"), t("run.tab.release")]
    releasing = session.job is not None and session.job.active and session.job.charges
    # After a reload in the middle of a release the page opens on it, and it stays where it is when that ends.
    # Not as their default: tabs whose default changes are new ones, and the next click on the other is lost.
    if st.session_state.get("run_tab") not in names:
        st.session_state["run_tab"] = names[releasing or session.on_release]
    trial, real = st.tabs(names, key="run_tab", on_change="rerun")
    session.on_release = bool(real.open)
    if trial.open:
        with trial, guard():
            rehearse(session, table, codebook, plan, marks=marks, ready=ready)
        under_way(session)
    else:
        with real:
            with guard():
                spend_budget(session, table, codebook, plan, marks=marks, ready=ready)
            under_way(session)  # below its button, above what may be a long way down
            with guard():
                release.earlier(session.dataset)
    if session.result is not None:
        outcome(session, session.result)
        next_step("run", "similarity" if session.result.model.similarity is not None else "networks")


def under_way(session: AppState) -> None:
    """What is being run or checked: a release of a table that was put away since, too."""
    job = session.job
    if job is None:
        return
    if job.active and job.charges:
        st.markdown(t("run.release.running" if job.kept else "run.release.running_before"))
    elif job.active and job.kind == "check":
        st.markdown(t("run.release.checking"))
    elif job.state is jobs.JobState.DONE and not job.kept:
        st.markdown(t("run.release.made_before"))
    job_panel(job, partial(take, session))


def rehearse(
    session: AppState, table: Table, codebook: Codebook, plan: Plan, *, marks: Marks | None, ready: bool
) -> None:
    """Try the plan on a stand-in, as often as one likes."""
    st.markdown(t("run.rehearse.what"))
    kind = "stand-in"
    if table.basis is Basis.DEMO:
        kind = choosing(
            st.radio,
            t("run.rehearse.on"),
            ["demo", "stand-in"],
            format_func=lambda c: plain(f"run.rehearse.{c}"),
            key="rehearse_on",
            persist_state="session",
        )
    else:
        st.markdown(t("run.rehearse.only_stand_in"))
    strength, rows = simulation(session) if kind == "stand-in" else (STRENGTH, table.n_rows)
    if st.button(
        t("run.rehearse.go"),
        type="primary",
        key="rehearse",
        disabled=busy(session) or not ready,
        icon=":material/science:",
    ):
        work = rehearsal.rehearsal_work(
            plan,
            codebook,
            table if kind == "demo" else None,
            n_rows=rows,
            strength=strength,
            language=language(),
            unit=session.unit,
            marks=marks,
        )
        session.job = jobs.start("run", work)
        st.rerun()


def simulation(session: AppState) -> tuple[float, int]:
    """How strongly the simulated attributes hang together, and how many rows there are."""
    left, right = st.columns(2)
    strength = left.slider(
        t("run.rehearse.strength"),
        0.0,
        1.0,
        STRENGTH,
        0.1,
        key="strength",
        help=t("run.rehearse.strength_help"),
        persist_state="session",
    )
    start = max(rehearsal.FEWEST_ROWS, min(session.public_rows, rehearsal.MOST_REHEARSAL_ROWS))
    key = f"rows_{start}"  # another number of rows that is publicly known starts anew
    rows = showing(
        right.number_input,
        t("run.rehearse.rows"),
        st.session_state.get(key, start),
        key=key,
        min_value=rehearsal.FEWEST_ROWS,
        max_value=rehearsal.MOST_REHEARSAL_ROWS,
        help=t("run.rehearse.rows_help"),
        persist_state="session",
    )
    return strength, int(rows)


def busy(session: AppState) -> bool:
    """Whether a run is under way."""
    return session.job is not None and session.job.active


def spend_budget(
    session: AppState, table: Table, codebook: Codebook, plan: Plan, *, marks: Marks | None, ready: bool
) -> None:
    """Run the plan once on the private table, and pay for it."""
    if table.basis is not Basis.PRIVATE:
        st.info(t("run.release.not_private"), icon=":material/info:")
        return
    zone_badge(Zone.STEWARD_ONLY)
    if not codebook.public:
        st.warning(t("run.release.undeclared"), icon=":material/help:")
        go_to("data")
        return
    found = registered(session, table)
    if found is None:
        registration(session, table, codebook)
        return
    workspace, dataset = found
    if session.job is None or not (session.job.active and session.job.charges):  # it changes both figures
        st.markdown(
            t(
                "run.release.registered",
                name=dataset.name,
                unit=sentence(dataset.unit.words),
                cap=number(float(dataset.cap_epsilon)),
                spent=number(float(dataset.spent), 4),
                left=number(max(0.0, float(dataset.left)), 4),
            )
        )
        show_cap(session, dataset, plan)
    if session.known_rows is None and session.settings.shares is None:
        st.caption(t("run.release.assumed", rows=number(session.public_rows)))
    left, right = st.columns(2)
    with left:
        title = kept(st.text_input, "title", dataset, dataset.name)
    with right:
        replicates = int(kept(st.number_input, "replicates", dataset, 1, min_value=1, max_value=MOST_TABLES))
    why = kept(st.text_input, "why", dataset, "")
    answers = answers_form(session)
    if st.button(
        t("run.release.check"),
        key="release_check",
        disabled=busy(session) or not ready,
        icon=":material/fact_check:",
    ):
        work = release.check_work(
            table,
            codebook,
            plan,
            workspace,
            title=title,
            replicates=replicates,
            answers=answers,
            marks=marks,
            language=language(),
        )
        session.job = jobs.start("check", work)
        st.rerun()
    checked_plan, commit = session.views.get("commit", (None, None))
    if commit is None:
        return
    asked = (plan, title.strip() or dataset.name, replicates, answers, marks, language())
    spent_since = commit.before.totals != dataset.totals  # in another window, or by somebody else
    if (checked_plan, *release.told(commit)) == asked and not spent_since:
        spend(session, commit, workspace, table=table, why=why)
    else:
        st.info(t("run.release.changed"), icon=":material/sync_problem:")


def kept(
    widget: Callable[..., Any], name: str, dataset: RegisteredDataset, start: Any, **options: Any
) -> Any:
    """Ask something of a release of this data set; what was typed is there when the page is come back to."""
    key = f"release_{name}_{dataset.id}"
    help_text = t("run.release.replicates_help") if name == "replicates" else None
    return showing(
        widget,
        t(f"run.release.{name}"),
        st.session_state.get(key, start),
        key=key,
        help=help_text,
        persist_state="session",
        **options,
    )


def spend(session: AppState, commit: Commit, workspace: Workspace, *, table: Table, why: str) -> None:
    """The commit page, and the spending."""
    if not release.commit_page(commit):
        return
    del session.views["commit"]
    work = rehearsal.release_work(commit, workspace, table=table, who=who(), why=why)
    session.job = jobs.start("run", work, charges=True)
    st.rerun()


def take(session: AppState, result: Result | tuple[Plan, Commit]) -> None:
    """Take a finished run, or a release that passed its checks; what stands above it was drawn before."""
    if isinstance(result, Result):
        session.use_result(result)
    else:
        session.views["commit"] = result
    session.job = None
    st.rerun()


def outcome(session: AppState, result: Result) -> None:
    """What the last run made."""
    st.header(t("run.result.title"), anchor=False)
    describe_basis(session, result)
    model = result.model
    # the bill's, not the plan's: one that passed a search for pass marks has a try's part of the limit
    st.markdown(guarantee_line(model.bill.guarantee, unit_of(model.plan), model.plan.spec.protection))
    if result.rehearsal:
        st.markdown(t("run.result.would_cost", words=total_words(model.bill, unit_of(model.plan))))
        if model.bill.total is not None:  # else nothing is paid, as the line above says
            for item in model.bill.unpaid:
                st.warning(t("plan.bill.unpaid", item=escape(sentence(item))), icon=":material/money_off:")
    else:
        st.markdown(total_words(model.bill, unit_of(model.plan)))
        st.markdown(t("run.result.receipt"))
        st.code(result.receipt, language=None, wrap_lines=True)
    if result.attempt is not None:
        verdicts(result.attempt)
    seconds = stages_told(model)
    table_of_seconds = pd.DataFrame(
        {
            plain("run.result.stage"): [plain(f"jobs.stage.{name}") for name in seconds],
            plain("run.result.seconds"): [f"{value:.2f}" for value in seconds.values()],
        }
    )
    left, right = st.columns([2, 3])
    with left:
        st.table(table_of_seconds, border="horizontal", alt=plain("run.result.seconds"))
    with right:
        rows = together(result.rows.head(5), result.codebook.answers)
        st.caption(t("run.result.rows", rows=number(len(result.rows)), columns=rows.shape[1]))
        st.dataframe(
            rows,
            hide_index=True,
            key="synthetic",
            alt=plain("run.result.alt"),
            placeholder=EMPTY_CELL,
        )
    downloads(result)


def stages_told(model: Model) -> dict[Stage, float]:
    """Seconds of the stages that the method used: paid for, or long enough to be seen."""
    return {
        stage: seconds
        for stage in Stage
        if (seconds := model.seconds.get(stage, 0.0)) >= LEAST_SECONDS or model.plan.shares.of(stage) > 0
    }


def downloads(result: Result) -> None:
    """The files, made when they are asked for."""
    prefix = "rehearsal-" if result.rehearsal else ""
    zone_badge(result.zone)
    with st.container(horizontal=True):
        for name, make, file_name, mime in (
            ("bundle", _bundle, "release.zip", "application/zip"),
            ("data", rehearsal.csv_of_result, "data.csv", "text/csv"),
            ("account", rehearsal.account_of_result, "run.json", "application/json"),
        ):
            download_of(
                result,
                t(f"run.result.{name}"),
                partial(make, result),
                f"{prefix}{file_name}",
                mime,
                key=f"download_{name}",
            )
    if result.zone is Zone.STEWARD_ONLY:
        st.caption(t("common.guessed"))
    elif result.rehearsal:
        st.caption(t("run.result.watermark"))


def _bundle(result: Result) -> bytes:
    return result.bundle


page(state())
