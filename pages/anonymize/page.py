"""Anonymize: rows made alike in groups; what that protects, and what it does not."""

from functools import partial

import streamlit as st

from hmpb_core.anonymize.anonymizer import Anonymized, Request, check_request
from hmpb_core.anonymize.partition import Method
from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError
from hmpb_core.publishing.zones import Zone
from pages.anonymize import results, work
from pages.session import jobs, roles
from pages.session.choices import AnonymizeChoices
from pages.session.state import AppState, Table, state
from pages.session.widgets import bound
from pages.shared.errors import guard, show_error
from pages.shared.job_panel import job_panel
from pages.shared.layout import header, need_codebook, need_rows, next_step
from pages.words.catalogue import plain, t

MOST_K = 50


def page(session: AppState) -> None:
    """Choose what may be known of a person, k and p; look at the classes; hand the table over."""
    header("anonymize", zones=[Zone.STEWARD_ONLY, Zone.K_ANONYMOUS])
    promise()
    codebook, table = need_codebook(session), need_rows(session)
    choices = session.anonymize
    roles.fit(choices, codebook)
    with guard():
        with st.container(border=True):
            ask(choices, codebook)
            caution(choices, codebook)
            start(choices, codebook, table)
        if choices.job is not None:
            job_panel(choices.job, partial(keep, choices))
        if choices.outcome is not None and not (choices.job is not None and choices.job.active):
            results.show(choices, codebook, table)
    next_step("anonymize", "plan")


def promise() -> None:
    """What it protects and what not, beside differential privacy."""
    st.warning(t("anonymize.not_dp"), icon=":material/warning:")
    here, there = st.columns(2)
    with here:
        st.header(t("anonymize.promise.here"), anchor=False)
        st.markdown(t("anonymize.promise.protects"))
        st.markdown(t("anonymize.promise.protects_not"))
    with there:
        st.header(t("anonymize.promise.there"), anchor=False)
        st.markdown(t("anonymize.promise.dp"))
        st.markdown(t("anonymize.promise.choose"))


def ask(choices: AnonymizeChoices, codebook: Codebook) -> None:
    """The attributes' roles, k, p and the method."""
    names = list(codebook.domain.names)
    left, right = st.columns(2)
    with left:
        bound(
            st.selectbox,
            t("anonymize.sensitive"),
            choices,
            "sensitive",
            options=names,
            help=t("anonymize.sensitive_help"),
            key="anonymize_sensitive",
        )
    with right:
        bound(
            st.multiselect,
            t("anonymize.quasi"),
            choices,
            "quasi",
            options=[name for name in names if name != choices.sensitive],
            help=t("anonymize.quasi_help"),
            key="anonymize_quasi",
            placeholder=plain("data.rules.some_columns"),  # Streamlit's own is English
        )
    left, right = st.columns(2)
    with left:
        bound(
            st.slider,
            t("anonymize.k"),
            choices,
            "k",
            min_value=2,
            max_value=MOST_K,
            help=t("anonymize.k_help"),
            key="anonymize_k",
        )
    with right:
        bound(
            st.slider,
            t("anonymize.p"),
            choices,
            "p",
            min_value=2,
            max_value=MOST_K,
            help=t("anonymize.p_help"),
            key="anonymize_p",
        )
    bound(
        st.radio,
        t("anonymize.method"),
        choices,
        "method",
        options=[method.value for method in Method],
        format_func=lambda name: plain(f"anonymize.methods.{name}"),
        key="anonymize_method",
    )


def caution(choices: AnonymizeChoices, codebook: Codebook) -> None:
    """Say before the work where it will lose nearly everything."""
    values = roles.values_of(codebook.domain, choices.sensitive)
    if choices.method == Method.MAASAE.value and choices.k > values:
        st.warning(
            t("anonymize.too_few_values", name=choices.sensitive, n=values), icon=":material/compress:"
        )


def start(choices: AnonymizeChoices, codebook: Codebook, table: Table) -> None:
    """Start the work on request; what is impossible is refused before."""
    busy = choices.job is not None and choices.job.active
    if not st.button(
        t("anonymize.go"), type="primary", disabled=busy, key="anonymize_go", icon=":material/groups:"
    ):
        return
    try:
        request = Request(
            method=Method(choices.method),
            k=choices.k,
            p=choices.p,
            quasi=tuple(choices.quasi),
            sensitive=choices.sensitive,
        )
        check_request(table.frame, codebook, request)
    except HmpbError as error:
        show_error(error)
        return
    made = work.anonymize_work(table.frame, codebook, request)
    choices.job = jobs.start("anonymize", made, even=False)  # a row is placed among ever more classes
    st.rerun()


def keep(choices: AnonymizeChoices, found: tuple[Request, Anonymized]) -> None:
    """Keep what the work gave; until then, what the last one gave stays."""
    choices.outcome, choices.job = found, None
    choices.agreed, choices.number = False, 1
    st.rerun()


page(state())
