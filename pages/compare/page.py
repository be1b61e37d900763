"""Compare: several methods at the same total budget."""

from functools import partial

import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.planning.plan import Plan
from pages.compare import board, runs
from pages.session import jobs, roles
from pages.session.choices import CompareChoices
from pages.session.state import AppState, Basis, Table, state
from pages.session.widgets import bound
from pages.shared.errors import guard
from pages.shared.job_panel import job_panel
from pages.shared.layout import codebook_zone, header, need_codebook, need_plan, next_step
from pages.words.catalogue import number, plain, t

FEWEST_ROWS = 100


def page(session: AppState) -> None:
    """Run many plans on one public table, and show what each gives."""
    header("compare", zones=[codebook_zone(session)])
    codebook = need_codebook(session)
    plan = need_plan(session)
    choices = session.compare
    demo = session.table if session.table is not None and session.table.basis is Basis.DEMO else None
    with guard():
        with st.container(border=True):
            ask(choices, demo, session.settings.stated_rows, runs.kinds_of(session.settings))
            start(session, plan, codebook, demo)
        if choices.job is not None:
            job_panel(choices.job, partial(keep, choices), doing=runs.doing)
        if choices.outcome is not None and not (choices.job is not None and choices.job.active):
            if choices.outcome.plan != plan:
                st.caption(t("compare.plan_changed"))
            board.show(choices.outcome, session.settings)
    next_step("compare", "ledger")


def ask(choices: CompareChoices, demo: Table | None, stated: int | None, kinds: tuple[str, ...]) -> None:
    """What is varied, on how many rows, how often."""
    if choices.kind not in kinds:
        choices.kind = kinds[0]
    bound(
        st.radio,
        t("compare.kind"),
        choices,
        "kind",
        options=list(kinds),
        format_func=lambda kind: plain(f"compare.kinds.{kind}"),
        key="compare_kind",
        persist_state="session",
    )
    most = max(FEWEST_ROWS, min(runs.MOST_ROWS, demo.n_rows) if demo else runs.MOST_ROWS)
    if demo is None and stated and not choices.rows_chosen:
        choices.rows = max(FEWEST_ROWS, stated)
    choices.rows = min(choices.rows, most)
    left, right = st.columns(2)
    with left:
        bound(
            st.number_input,
            t("compare.rows"),
            choices,
            "rows",
            min_value=FEWEST_ROWS,
            max_value=most,
            step=1000,
            choose=partial(_choose_rows, choices),
            help=t("compare.rows_help"),
            key="compare_rows",
            persist_state="session",
        )
    with right:
        bound(
            st.slider,
            t("compare.repeats"),
            choices,
            "repeats",
            min_value=1,
            max_value=board.MOST_RUNS,
            help=t("compare.repeats_help"),
            key="compare_repeats",
            persist_state="session",
        )


def _choose_rows(choices: CompareChoices, name: str, value: int) -> None:
    del name
    choices.rows, choices.rows_chosen = value, True


def grouping(session: AppState, codebook: Codebook) -> runs.Grouping | None:
    """Whether micro-aggregation is put beside the methods, with the page Anonymize's k and p."""
    choices = session.compare
    if choices.kind != "methods":
        return None
    asked = session.anonymize
    roles.fit(asked, codebook)  # else k would be another as soon as that page is opened
    bound(
        st.checkbox,
        t("compare.with_groups", k=asked.k, p=asked.p),
        choices,
        "with_groups",
        help=t("compare.with_groups_help", rows=number(runs.MOST_GROUPED)),
        key="compare_with_groups",
        persist_state="session",
    )
    return runs.Grouping(k=asked.k, p=asked.p, sensitive=asked.sensitive) if choices.with_groups else None


def start(session: AppState, plan: Plan, codebook: Codebook, demo: Table | None) -> None:
    """Start the comparison on request."""
    choices, grouped = session.compare, grouping(session, codebook)
    busy = choices.job is not None and choices.job.active
    if st.button(t("compare.go"), type="primary", disabled=busy, key="compare_go", icon=":material/science:"):
        work = runs.sweep_work(
            choices.kind,
            session.settings,
            plan,
            codebook,
            demo,
            n_rows=int(choices.rows),
            repeats=choices.repeats,
            grouping=grouped,
        )
        choices.job = jobs.start("compare", work, keeps=True)
        st.rerun()


def keep(choices: CompareChoices, found: runs.Sweep) -> None:
    """Keep what the comparison gave; one that was cancelled takes the place of no whole one of the same."""
    last = choices.outcome
    alike = last is not None and (last.kind, last.plan, last.n_rows) == (found.kind, found.plan, found.n_rows)
    if not (found.stopped and alike and last and not last.stopped):
        choices.outcome = found
    choices.job = None
    st.rerun()


page(state())
