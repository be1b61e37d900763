"""Experiments: what the papers report, measured anew at a small size, in the background."""

from functools import partial

import pandas as pd
import streamlit as st

from hmpb_core.experiments.base import Experiment
from hmpb_core.experiments.intake import AT_THE_SOURCE, take_file
from hmpb_core.experiments.registry import EXPERIMENTS
from hmpb_core.publishing.zones import Zone
from pages.experiments import results, work
from pages.experiments.said import place_of, said, title
from pages.server.server import forget_upload
from pages.session import jobs
from pages.session.choices import ExperimentChoices
from pages.session.jobs import JobState
from pages.session.state import AppState, Basis, state
from pages.session.widgets import bound
from pages.shared.errors import guard
from pages.shared.job_panel import duration, job_panel
from pages.shared.layout import fold, header, next_step
from pages.words.catalogue import listed, number, plain, sentences, t


def page(session: AppState) -> None:
    """Choose an experiment, measure a piece of it, and see it beside what the paper reports."""
    header("experiments", zones=[Zone.DECLARED])
    choices = session.experiments
    with guard():
        overview()
        experiment = choose(choices)
        with st.container(border=True):
            given = where(session, experiment)
            ready = given is not None or not files(choices, experiment)
            bench = ask(choices, experiment, given)
            start(choices, bench, given, ready=ready)
        if choices.job is not None:
            job_panel(choices.job, partial(keep, choices))
            if choices.job.state is JobState.CANCELLED:
                st.caption(t("experiments.kept"))
        results.show(bench, given)
    next_step("experiments", "compare")


def overview() -> None:
    """All experiments in a list, folded."""
    box = fold(t("experiments.all"), key="experiments_all", icon=":material/list:")
    if box.open:
        with box:
            st.table(  # breaks sentences into lines
                pd.DataFrame(
                    {
                        plain("experiments.column.experiment"): name,
                        plain("experiments.column.answers"): plain(f"experiments.answers.{name}"),
                        plain("experiments.column.place"): place_of(experiment),
                        plain("experiments.column.files"): listed(work.files_of(experiment)) or "–",
                    }
                    for name, experiment in EXPERIMENTS.items()
                ),
                hide_index=True,
                alt=plain("experiments.all"),
            )


def choose(choices: ExperimentChoices) -> Experiment:
    """Which experiment; what it answers, and what the paper reports."""
    bound(
        st.selectbox,
        t("experiments.which"),
        choices,
        "name",
        options=list(EXPERIMENTS),
        format_func=lambda name: f"{name}: {title(EXPERIMENTS[name])}",
        key="experiments_name",
    )
    experiment = EXPERIMENTS[choices.name]
    st.markdown(t("experiments.answer", answer=t(f"experiments.answers.{experiment.name}")))
    if experiment.reported:
        st.markdown(t("experiments.paper", place=place_of(experiment), reported=said(experiment.reported)))
    return experiment


def where(session: AppState, experiment: Experiment) -> work.Given | None:
    """On which table: the paper's, or the loaded one where that is public and means something."""
    choices = session.experiments
    if experiment.of_machine:
        st.caption(t("experiments.on.machine"))
        return None
    if session.table is not None and session.table.basis is Basis.PRIVATE:
        st.caption(t("experiments.on.private"))
        return None
    if session.table is None or session.codebook is None:
        return None
    if not (experiment.other_tables and work.usable(session.table, session.codebook)):
        return None
    if work.lacking(experiment) and not st.session_state.get("experiments_on"):
        choices.on = work.LOADED  # what can be measured at once
    bound(
        st.radio,
        t("experiments.on.label"),
        choices,
        "on",
        options=[work.PAPERS, work.LOADED],
        format_func=lambda on: plain(f"experiments.on.{on}", table=session.table.name),
        horizontal=True,
        key="experiments_on",
    )
    if choices.on != work.LOADED:
        return None
    options = work.targets(session.codebook.domain)
    if choices.target not in options:
        choices.target = options[-1]
    if experiment.name != "fig6":
        bound(
            st.selectbox,
            t("experiments.target"),
            choices,
            "target",
            options=options,
            help=t("experiments.target_help"),
            key="experiments_target",
        )
    table, codebook, target = session.table, session.codebook, choices.target
    found: work.Given = session.view(f"experiments {target}", lambda: work.Given.of(table, codebook, target))
    return found


def files(choices: ExperimentChoices, experiment: Experiment) -> tuple[str, ...]:
    """Say which files are missing and where they are to be had, and take them; give their names."""
    missing = work.lacking(experiment)
    if not missing:
        return ()
    st.warning(t("experiments.files.missing", names=listed(missing)), icon=":material/draft:")
    st.markdown(t("experiments.files.where", names=listed(AT_THE_SOURCE)))
    if not work.may_upload():
        st.caption(t("experiments.files.named", variable=work.FOLDER_VARIABLE))
        return missing
    st.caption(t("experiments.files.kept", variable=work.FOLDER_VARIABLE))
    given = st.file_uploader(
        t("experiments.files.upload"),
        accept_multiple_files=True,
        max_upload_size=20,
        key=f"experiments_files_{choices.uploads}",
    )
    if given:
        with guard():
            for file in given:
                content = file.getvalue()
                forget_upload(file.file_id)
                take_file(work.papers_folder(), file.name, content)
            choices.uploads += 1
            st.rerun()
    return missing


def ask(choices: ExperimentChoices, experiment: Experiment, given: work.Given | None) -> work.Bench:
    """How many rows, and how many settings now."""
    most = work.most_rows(experiment, given.table if given else None)
    choices.rows = max(work.FEWEST_ROWS, min(int(choices.rows), most))
    left, right = st.columns(2)
    with left:
        bound(
            st.number_input,
            t("experiments.rows"),
            choices,
            "rows",
            min_value=work.FEWEST_ROWS,
            max_value=most,
            step=200,
            help=t(f"experiments.rows_help.{'along' if experiment.along_rows else 'sample'}"),
            disabled=experiment.name == "table1",
            key="experiments_rows",
        )
    bench = work.bench_of(choices, given)
    n = max(1, len(bench.cells))
    choices.most = max(1, min(int(choices.most), n))
    with right:
        bound(
            st.number_input,
            t("experiments.most"),
            choices,
            "most",
            min_value=1,
            max_value=n,
            step=1,
            help=t("experiments.most_help"),
            key="experiments_most",
        )
    return bench


def start(choices: ExperimentChoices, bench: work.Bench, given: work.Given | None, *, ready: bool) -> None:
    """Say how much is measured and how long the next piece may take; start it on request."""
    n, done = len(bench.cells), len(bench.frame())
    if not n:
        st.info(t("experiments.none_possible"), icon=":material/info:")
        return
    each = bench.seconds_each()
    now = min(choices.most, n - done)
    said = [t("experiments.state", done=number(done), n=number(n))]
    said += [t("experiments.pace", left=duration(each * now))] if each and now else []
    st.caption(sentences(*said))
    busy = choices.job is not None and choices.job.active
    if st.button(
        t("experiments.go") if done < n else t("experiments.done"),
        type="primary",
        disabled=busy or not ready or done >= n,
        key="experiments_go",
        icon=":material/science:",
    ):
        choices.job = jobs.start("experiments", work.measure_work(bench, choices.most, given))
        st.rerun()


def keep(choices: ExperimentChoices, _measured: int) -> None:
    """The results are on the disk: look at them anew."""
    choices.job = None
    st.rerun()


page(state())
