"""A private table's entry in the ledger: found, or made once with its unit of protection and cap."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError, PrivacyError
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.unit import ROW, Unit
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.repeats import shared_ids
from hmpb_core.publishing.survey import SURVEY_PART
from hmpb_core.publishing.workspace import Workspace, require_cap
from hmpb_core.sources.open import require_fitting
from hmpb_core.sources.people import require_unpublished
from pages.session.ledger import open_workspace, workspace_folder
from pages.session.login import who
from pages.session.state import AppState, Table
from pages.session.widgets import bound
from pages.shared.focus import then_focus
from pages.words.catalogue import NAMED, escape, left_of_cap, names_listed, plain, t
from pages.words.errors import sentence

RELATIONS = tuple(Neighbors)


def registered(session: AppState, table: Table) -> tuple[Workspace, RegisteredDataset] | None:
    """The loaded table's data set, recognised once a result, with what the ledger says it has spent by now.

    The plan is for whom the data set names.
    """
    found: tuple[Workspace, RegisteredDataset] | None = session.view("dataset", lambda: dataset_of(table))
    session.use_dataset(found[1] if found else None)
    if found is None:
        return None
    workspace, known = found
    return workspace, next((now for now in workspace.datasets() if now.id == known.id), known)


def dataset_of(table: Table) -> tuple[Workspace, RegisteredDataset] | None:
    """The table's data set in the ledger; None where it is not registered."""
    workspace = open_workspace()
    if workspace is None:
        return None
    try:
        with _reading():
            return workspace, workspace.find(table.private)
    except PrivacyError:
        return None


def near_copies(table: Table) -> list[RegisteredDataset]:
    """The data sets whose tables are nearly this one."""
    workspace = open_workspace()
    with _reading():
        return workspace.near_copies(table.private) if workspace else []


def _reading() -> AbstractContextManager[None]:
    """Say that all rows are read, where that takes longer than a moment."""
    return st.spinner(t("run.register.recognising"))


def registration(session: AppState, table: Table, codebook: Codebook | None) -> None:
    """Register a table, and run the page anew where that was done; the sidebar says the unit at once.

    Args:
        session: The session's state.
        table: The private table.
        codebook: Its codebook; None where a survey is to help make one.
    """
    if made := _form(session, table, codebook):
        session.views.pop("dataset", None)
        session.use_dataset(made)
        then_focus(f"release_title_{made.id}", "fold_survey")  # the form is gone
        st.rerun()


def _words(label: str, choice: str) -> str:
    return plain(f"run.register.{label}_{choice}")


def _form(session: AppState, table: Table, codebook: Codebook | None) -> RegisteredDataset | None:
    """The form that gives a table its unit of protection and its lifetime cap; nothing is filled in.

    What was answered is kept when the page is left, and when its language changes.

    Args:
        session: The session's state.
        table: The private table.
        codebook: Its codebook; None where a survey is to help make one: then a part of the cap's delta is
            kept for surveys.
    """
    st.markdown(t("run.register.what"))
    for near in near_copies(table):
        st.warning(t("run.register.near", name=near.name), icon=":material/content_copy:")
    if isinstance(table.private, pd.DataFrame) and (names := shared_ids(table.private).value):
        st.warning(t("run.register.shared", names=names_listed(names, NAMED)), icon=":material/lock:")
    asked = session.register
    published = codebook.domain.names if codebook else ()
    columns = [c for c in table.columns if c not in published]
    asked.name = asked.name or table.name.split(".")[0]
    asked.column = asked.column if asked.column in columns else None

    def ask(widget: Callable[..., Any], name: str, label: str, **options: Any) -> None:
        bound(widget, t(f"run.register.{label}"), asked, name, key=f"register_{label}", **options)

    with st.container(border=True):
        ask(st.text_input, "name", "name")
        ask(st.radio, "kind", "unit", options=["row", "person"], format_func=partial(_words, "unit"))
        left, right = st.columns(2)
        of_people, of_cap, of_delta = (t(f"run.register.{name}_help") for name in ("column", "cap", "delta"))
        empty = plain("data.chosen.alike_which")
        ask(left.selectbox, "column", "column", options=columns, help=of_people, placeholder=empty)
        ask(right.number_input, "rows", "rows", min_value=1, max_value=10_000)
        ask(left.number_input, "cap", "cap", min_value=0.001, max_value=100.0, help=of_cap)
        ask(right.number_input, "digits", "delta", min_value=3, max_value=30, help=of_delta)
        ask(st.radio, "neighbors", "neighbors", options=RELATIONS, format_func=partial(_words, "neighbors"))
        ask(st.text_input, "why", "why")
        if not st.button(t("run.register.save"), key="register_save", icon=":material/app_registration:"):
            return None
    if asked.kind is None or asked.cap is None or (asked.kind == "person" and asked.column is None):
        st.error(t("run.register.incomplete"), icon=":material/error:")
        return None
    unit = ROW if asked.kind == "row" else Unit(column=asked.column, rows=asked.rows)
    if codebook is not None:
        require_unpublished(unit, codebook.domain)
        with _reading():
            require_fitting(table.private, codebook, unit)
    delta = 10.0**-asked.digits
    require_cap(asked.cap, delta)  # before a workspace is made: what is refused leaves nothing
    with _reading():
        return Workspace(workspace_folder(), create=True).register(
            table.private,
            name=asked.name.strip() or table.name,
            unit=unit,
            cap_epsilon=asked.cap,
            cap_delta=delta,
            survey_delta=0.0 if codebook else delta * SURVEY_PART,
            neighbors=asked.neighbors,
            who=who(),
            why=asked.why,
        )


def show_cap(session: AppState, dataset: RegisteredDataset | None, plan: Plan) -> None:
    """Say what the registered table's cap leaves for this plan, or why it could not be released.

    Of a plan that was just released it says that first: it is not too dear, its price is what was paid.
    """
    if dataset is None or not plan.spec.releasable:
        return
    try:
        after = dataset.after(plan.guarantee)
    except HmpbError as error:
        if session.just_released:
            left = left_of_cap(dataset.left_for(plan.guarantee))
            st.info(t("plan.bill.released", name=dataset.name, left=left), icon=":material/task_alt:")
        else:
            st.warning(escape(sentence(error)), icon=":material/money_off:")
        return
    lefts = (standing.left_for(plan.guarantee) for standing in (dataset, after))
    left, rest = (left_of_cap(left) for left in lefts)
    why = t("run.commit.left_rho") if plan.guarantee.delta > 0 else None  # it falls by less than the charge
    st.caption(t("plan.bill.cap", name=dataset.name, left=left, after=rest), help=why)
