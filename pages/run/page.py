import pandas as pd
import streamlit as st

from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Neighbors
from pages.run import rehearsal, release
from pages.session import jobs
from pages.session.login import who
from pages.session.state import Basis, Result, state
from pages.shared.downloads import download
from pages.shared.errors import guard
from pages.shared.layout import (
    Zone,
    describe_basis,
    header,
    need_codebook,
    need_plan,
    need_table,
    next_step,
    zone_badge,
)
from pages.words.catalogue import number, plain, t
from pages.words.errors import sentence
from pages.words.guarantee import guarantee_line, total_words

known = state()


def rehearse():
    """Try the plan on a stand-in, as often as one likes."""
    st.markdown(t("run.rehearse.what"))
    choices = ["demo", "stand-in"] if table.basis is Basis.DEMO else ["stand-in"]
    kind = st.radio(
        t("run.rehearse.on"),
        choices,
        format_func=lambda c: plain(f"run.rehearse.{c}"),
        key="rehearse_on",
        persist_state="session",
    )
    strength, rows = 0.6, min(known.public_rows, rehearsal.MOST_REHEARSAL_ROWS)
    if kind == "stand-in":
        left, right = st.columns(2)
        strength = left.slider(
            t("run.rehearse.strength"),
            0.0,
            1.0,
            strength,
            0.1,
            key="strength",
            help=t("run.rehearse.strength_help"),
            persist_state="session",
        )
        if "rows" not in st.session_state:
            st.session_state["rows"] = rows
        rows = right.number_input(
            t("run.rehearse.rows"), 10, rehearsal.MOST_REHEARSAL_ROWS, key="rows", persist_state="session"
        )
        if plan.guarantee.neighbors is Neighbors.REPLACE_ONE:
            right.caption(t("run.rehearse.rows_public"))
    if st.button(
        t("run.rehearse.go"), type="primary", key="rehearse", disabled=busy, icon=":material/science:"
    ):
        work = rehearsal.rehearsal_work(
            plan, codebook, table if kind == "demo" else None, n_rows=int(rows), strength=strength
        )
        known.job = jobs.start("run", work)
        st.rerun()


def spend_budget():
    """Run the plan once on the private table, and pay for it."""
    if table.basis is not Basis.PRIVATE:
        st.info(t("run.release.not_private"), icon=":material/info:")
        release.earlier()
        return
    zone_badge(Zone.STEWARD_ONLY)
    if codebook.undeclared:
        st.warning(t("run.release.undeclared"), icon=":material/help:")
        return
    found = known.view("dataset", lambda: release.dataset_of(table))
    if found is None:
        if release.registration(table, codebook) is not None:
            known.views.pop("dataset", None)
            st.rerun()
        return
    workspace, dataset = found
    st.markdown(
        t(
            "run.release.registered",
            name=dataset.name,
            unit=sentence(dataset.unit.words),
            cap=number(float(dataset.cap_epsilon)),
            spent=number(float(dataset.spent), 4),
        )
    )
    left, right = st.columns(2)
    title = left.text_input(t("run.release.title"), value=dataset.name, key="release_title")
    replicates = right.number_input(
        t("run.release.replicates"), 1, 20, 1, key="replicates", help=t("run.release.replicates_help")
    )
    why = st.text_input(t("run.release.why"), key="release_why")
    if st.button(t("run.release.check"), key="release_check", disabled=busy, icon=":material/fact_check:"):
        known.views["commit"] = (
            plan,
            release.checked(table, codebook, plan, workspace, title=title, replicates=int(replicates)),
        )
    checked_plan, commit = known.views.get("commit", (None, None))
    if commit is not None and checked_plan == plan:
        spend(commit, workspace, why)
    release.earlier()


def spend(commit, workspace, why):
    """The commit page, and the spending."""
    if not release.commit_page(commit):
        return
    del known.views["commit"]
    work = rehearsal.release_work(commit, workspace, table=table.name, who=who(), why=why)
    known.job = jobs.start("run", work)
    st.rerun()


def take(result: Result):
    """Take a finished run; what stands above it was drawn before."""
    known.use_result(result)
    known.job = None
    st.rerun()


def outcome(result: Result):
    """What the last run made."""
    st.subheader(t("run.result.title"), anchor=False)
    describe_basis(result)
    model = result.model
    st.markdown(guarantee_line(model.plan.guarantee))
    if result.rehearsal:
        st.markdown(t("run.result.would_cost", words=total_words(model.bill)))
    else:
        st.markdown(total_words(model.bill))
    seconds = {stage: model.seconds[stage] for stage in Stage if model.seconds.get(stage, 0.0) > 0}
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
        st.caption(t("run.result.rows", rows=number(len(result.rows)), columns=result.rows.shape[1]))
        st.dataframe(result.rows.head(5), hide_index=True, key="synthetic", alt=plain("run.result.alt"))
    downloads(result)


def downloads(result: Result):
    """The files, made when they are asked for."""
    prefix = "rehearsal-" if result.rehearsal else ""
    files = {
        "bundle": (lambda: result.bundle, f"{prefix}release.zip", "application/zip"),
        "data": (lambda: rehearsal.csv_of_result(result), f"{prefix}data.csv", "text/csv"),
        "account": (lambda: rehearsal.account_of_result(result), f"{prefix}run.json", "application/json"),
    }
    zone_badge(Zone.DECLARED if result.rehearsal else Zone.DP)
    with st.container(horizontal=True):
        for name, (make, file_name, mime) in files.items():
            download(
                t(f"run.result.{name}"),
                lambda make=make: result.labelled(make()),
                file_name,
                mime,
                key=f"download_{name}",
            )
    if result.rehearsal:
        st.caption(t("run.result.watermark"))


header("run", zones=[Zone.DECLARED, Zone.DP])
table, codebook, plan = need_table(), need_codebook(), need_plan()
st.markdown(guarantee_line(plan.guarantee))
busy = known.job is not None and known.job.active
trial, real = st.tabs([t("run.tab.rehearse"), t("run.tab.release")], key="run_tab", on_change="rerun")
if trial.open:
    with trial, guard():
        rehearse()
else:
    with real, guard():
        spend_budget()
if known.job is not None:
    jobs.panel(known.job, take)
if known.result is not None:
    outcome(known.result)
    next_step("run", "similarity" if known.result.model.similarity is not None else "networks")
