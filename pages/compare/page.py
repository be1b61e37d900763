import streamlit as st

from pages.compare import runs
from pages.session import jobs
from pages.session.state import Basis, bound, state
from pages.shared.errors import guard
from pages.shared.layout import Zone, header, need_codebook, need_plan, next_step
from pages.words.catalogue import plain, t

header("compare", zones=[Zone.DECLARED])
known = state()
codebook = need_codebook()
need_plan()
choices = known.compare
demo = known.table if known.table is not None and known.table.basis is Basis.DEMO else None
busy = choices.job is not None and choices.job.active


def keep(found):
    """Keep what the comparison gave."""
    choices.outcome, choices.job = found, None
    st.rerun()


with guard():
    with st.container(border=True):
        bound(
            st.radio,
            t("compare.kind"),
            choices,
            "kind",
            options=list(runs.KINDS),
            format_func=lambda kind: plain(f"compare.kinds.{kind}"),
            key="compare_kind",
            persist_state="session",
        )
        left, right = st.columns(2)
        with left:
            most = min(runs.MOST_ROWS, demo.n_rows) if demo else runs.MOST_ROWS
            bound(
                st.number_input,
                t("compare.rows"),
                choices,
                "rows",
                min_value=100,
                max_value=most,
                step=1000,
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
                max_value=5,
                help=t("compare.repeats_help"),
                key="compare_repeats",
                persist_state="session",
            )
        if st.button(
            t("compare.go"), type="primary", disabled=busy, key="compare_go", icon=":material/science:"
        ):
            work = runs.sweep_work(
                choices.kind,
                known.settings,
                codebook,
                demo,
                n_rows=int(choices.rows),
                repeats=choices.repeats,
            )
            choices.outcome, choices.job = None, jobs.start("compare", work)
            st.rerun()
    if choices.job is not None:
        jobs.panel(choices.job, keep)
    if choices.outcome is not None:
        runs.show(choices.outcome, known.settings)
next_step("compare", "ledger")
