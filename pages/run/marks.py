"""Pass marks: a small form, what it costs to check them, and what a rehearsal reaches of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hmpb_core.acceptance.marks import MARKS, Marks
from hmpb_core.acceptance.selection import Attempt, Trial, trial_of
from hmpb_core.acceptance.slack import Reached
from hmpb_core.codebook import Codebook
from hmpb_core.errors import InputError
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import Currency, Neighbors
from hmpb_core.publishing.zones import declared
from pages.session.state import AppState
from pages.session.widgets import bound
from pages.shared.downloads import download
from pages.shared.page_list import page_file
from pages.words.catalogue import listed, number, percent, plain, t
from pages.words.errors import sentence


def marks_form(session: AppState, codebook: Codebook, plan: Plan) -> tuple[Marks | None, bool]:
    """Ask what a release must reach.

    Returns:
        The marks, None where none are used; and whether a run can begin: not with marks that cannot be kept.
    """
    choices = session.marks
    with st.container(border=True):
        bound(
            st.toggle,
            t("run.marks.used"),
            choices,
            "used",
            help=t("run.marks.used_help"),
            key="marks_used",
            persist_state="session",
        )
        if not choices.used:
            return None, True
        if plan.guarantee.currency is not Currency.PURE:
            st.warning(t("run.marks.pure"), icon=":material/rule:")
            st.page_link(page_file("plan"), label=t("run.marks.to_plan"), icon=":material/arrow_forward:")
            return None, False
        if plan.guarantee.neighbors is not Neighbors.REPLACE_ONE:
            st.warning(t("run.marks.neighbors"), icon=":material/rule:")
            st.page_link(page_file("plan"), label=t("run.marks.change"), icon=":material/arrow_forward:")
            return None, False
        _fields(session, codebook)
        some = choices.two_way_error or choices.group or choices.auc
        if not (some and choices.agreed_by.strip() and choices.agreed_on.strip()):
            st.info(t("run.marks.open"), icon=":material/rule:")
            return None, False
        try:
            marks = choices.marks
            trial = trial_of(plan, marks, codebook.domain, n_rows=session.public_rows)
        except InputError as error:
            st.info(sentence(error), icon=":material/rule:")
            return None, False
        _price(trial)
        download(
            t("run.marks.download"),
            lambda: declared(marks.to_toml()),
            "marks.toml",
            "application/toml",
            key="marks_download",
        )
    return marks, True


def _fields(session: AppState, codebook: Codebook) -> None:
    choices, domain = session.marks, codebook.domain
    st.markdown(t("run.marks.what"))
    left, right = st.columns(2)
    with left:
        bound(
            st.number_input,
            t("run.marks.two_way_error"),
            choices,
            "two_way_error",
            min_value=0.0,
            max_value=0.99,
            step=0.01,
            format="%.3f",
            help=t("run.marks.two_way_error_help"),
            key="marks_two_way_error",
            persist_state="session",
        )
    with right:
        bound(
            st.number_input,
            t("run.marks.group"),
            choices,
            "group",
            min_value=0,
            max_value=10**9,
            step=10,
            help=t("run.marks.group_help"),
            key="marks_group",
            persist_state="session",
        )
    two = [name for name, size in zip(domain.names, domain.sizes, strict=True) if size == 2]
    if two:
        left, right = st.columns(2)
        with left:
            bound(
                st.number_input,
                t("run.marks.auc"),
                choices,
                "auc",
                min_value=0.0,
                max_value=0.999,
                step=0.01,
                format="%.3f",
                help=t("run.marks.auc_help"),
                key="marks_auc",
                persist_state="session",
            )
        with right:
            bound(
                st.selectbox,
                t("run.marks.target"),
                choices,
                "target",
                options=["", *two],
                format_func=lambda name: name or plain("run.marks.no_target"),
                key="marks_target",
                persist_state="session",
            )
    left, right = st.columns(2)
    with left:
        bound(
            st.text_input,
            t("run.marks.agreed_by"),
            choices,
            "agreed_by",
            max_chars=500,
            key="marks_agreed_by",
            persist_state="session",
        )
    with right:
        bound(
            st.text_input,
            t("run.marks.agreed_on"),
            choices,
            "agreed_on",
            max_chars=10,
            placeholder=t("run.marks.day"),
            key="marks_agreed_on",
            persist_state="session",
        )


def agreed(trial: Trial) -> None:
    """Say which marks a release is tried against, and who agreed them."""
    marks = trial.marks
    asked = listed(
        f"{plain(f'run.marks.name.{name}')} {_value(name, getattr(marks, name))}"
        for name in MARKS
        if getattr(marks, name) is not None
    )
    st.markdown(t("run.marks.agreed", asked=asked, who=marks.agreed_by, day=marks.agreed_on))
    _price(trial)


def _price(trial: Trial) -> None:
    st.caption(
        t(
            "run.marks.price",
            part=number(float(trial.plans[0].guarantee.epsilon)),
            check=number(float(trial.check)),
            tries=number(round(1 / trial.stop)),
            spare=number(round(trial.threshold)),
        )
    )


def verdicts(attempt: Attempt) -> None:
    """Show what a rehearsal reached of every mark, and how likely a search like it would pass."""
    columns = [plain(f"run.marks.column.{name}") for name in ("mark", "asked", "reached", "spare", "met")]
    rows = [
        (
            plain(f"run.marks.name.{of.mark}"),
            _value(of.mark, of.asked),
            _value(of.mark, of.value),
            number(round(of.slack)),
            plain(f"run.marks.verdict.{_verdict(of)}"),
        )
        for of in attempt.reached
    ]
    st.markdown(t("run.marks.rehearsed"))
    st.table(pd.DataFrame(rows, columns=columns).set_index(columns[0]))
    st.markdown(t("run.marks.chance", chance=percent(round(attempt.chance, 2))))


def _verdict(of: Reached) -> str:
    return "met" if of.met else "missed"


def _value(mark: str, value: float) -> str:
    return number(round(value)) if mark == "group" else f"{value:.3f}"
