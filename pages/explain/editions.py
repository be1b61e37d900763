"""The page Explain: its controls, its three editions and its downloads."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from hmpb_core.privacy.guarantee import Currency
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.zones import declared
from hmpb_core.report.handout import to_html
from pages.explain.edition_analyst import analyst
from pages.explain.edition_decider import decider
from pages.explain.figures import icons
from pages.explain.handouts import handout
from pages.explain.subject import PEOPLE, Promise, full_promise, icon_counts, icons_sentence, person_sentences
from pages.session.choices import Edition
from pages.session.ledger import open_workspace, own_datasets
from pages.session.plan_settings import EPSILONS
from pages.session.state import AppState
from pages.session.widgets import bound
from pages.shared.downloads import download
from pages.shared.layout import show_chart
from pages.words.catalogue import escape, number, plain, sentences, t

PDF_MIME = "application/pdf"


def controls(session: AppState) -> RegisteredDataset | None:
    """Ask for whom the page speaks, and about what; give the data set, where one was chosen."""
    choices = session.explain
    with st.container(border=True):
        bound(
            st.radio,
            t("explain.edition"),
            choices,
            "edition",
            options=list(Edition),
            format_func=lambda edition: plain(f"explain.editions.{edition}"),
            horizontal=True,
            key="explain_edition",
            persist_state="session",
        )
        left, right = st.columns(2)
        with left:
            bound(
                st.radio,
                t("explain.follow"),
                choices,
                "follow",
                options=[True, False],
                format_func=lambda follow: plain("explain.follow_plan" if follow else "explain.follow_own"),
                horizontal=True,
                key="explain_follow",
                persist_state="session",
            )
        with right:
            bound(
                st.select_slider,
                t("explain.people"),
                choices,
                "people",
                options=PEOPLE,
                help=t("explain.people_help"),
                key="explain_people",
                persist_state="session",
            )
        if not choices.follow:
            _own_numbers(session)
        return _dataset(session)


def _dataset(session: AppState) -> RegisteredDataset | None:
    """Let the reader choose a data set of the ledger, where there is one."""
    workspace = open_workspace()
    datasets = own_datasets(workspace) if workspace else []
    if not datasets:
        return None
    by_id = {dataset.id: dataset for dataset in datasets}
    if session.explain.dataset not in ("", *by_id):
        session.explain.dataset = ""
    chosen = bound(
        st.selectbox,
        t("explain.dataset"),
        session.explain,
        "dataset",
        options=["", *by_id],
        format_func=lambda key: by_id[key].name if key else plain("explain.no_dataset"),
        key="explain_dataset",
        persist_state="session",
    )
    return by_id.get(chosen)


def _own_numbers(session: AppState) -> None:
    choices = session.explain
    left, middle, right = st.columns([2, 1, 1])
    with left:
        bound(
            st.select_slider,
            t("explain.epsilon"),
            choices,
            "epsilon",
            options=EPSILONS,
            help=t("explain.epsilon_help"),
            key="explain_epsilon",
            persist_state="session",
        )
        st.caption(t("explain.epsilon_ends"))
    with middle:
        bound(
            st.radio,
            t("explain.currency"),
            choices,
            "currency",
            options=list(Currency),
            format_func=lambda currency: plain(f"explain.currencies.{currency}"),
            key="explain_currency",
            persist_state="session",
        )
    with right:
        bound(
            st.slider,
            t("explain.delta"),
            choices,
            "delta_digits",
            min_value=3,
            max_value=15,
            disabled=choices.currency is Currency.PURE,
            help=t("explain.delta_help"),
            key="explain_delta",
            persist_state="session",
        )


def unprotected() -> None:
    """Say that there is nothing to explain: no noise, no limit."""
    st.warning(t("explain.no_protection"), icon=":material/lock_open:")


def show_edition(session: AppState, promise: Promise, dataset: RegisteredDataset | None) -> None:
    """Show the chosen edition."""
    if promise.unpaid:
        st.warning(t("explain.unpaid", item=escape(promise.unpaid)), icon=":material/warning:")
    shown = {Edition.PERSON: _person, Edition.DECIDER: decider, Edition.ANALYST: analyst}
    shown[session.explain.edition](session, promise, dataset)
    st.caption(escape(full_promise(promise)))


def _person(session: AppState, promise: Promise, dataset: RegisteredDataset | None) -> None:
    del dataset
    choices = session.explain
    first, limits = person_sentences(promise)
    st.markdown(f"**{escape(first)}**")
    st.markdown(escape(limits))
    st.header(t("explain.person.icons"), anchor=False)
    bound(
        st.radio,
        t("explain.person.baseline"),
        choices,
        "baseline",
        options=[50, 1],
        format_func=lambda share: plain(f"explain.person.baseline_{share}"),
        horizontal=True,
        key="explain_baseline",
        persist_state="session",
    )
    without, with_person, of = icon_counts(promise, choices.baseline)
    titles = (
        plain("explain.person.without", n=number(without), of=number(of)),
        plain("explain.person.with", n=number(with_person), of=number(of)),
    )
    names = [plain(f"explain.person.legend.{name}") for name in ("anyway", "because", "not")]
    table = pd.DataFrame(
        {
            plain("explain.person.column.release"): names,
            titles[0]: [without, 0, of - without],
            titles[1]: [without, with_person - without, of - with_person],
        }
    )
    show_chart(
        icons(
            without=without,
            with_person=with_person,
            of=of,
            titles=(
                plain("explain.person.without_title", n=number(without), of=number(of)),
                plain("explain.person.with_title", n=number(with_person), of=number(of)),
            ),
            names=names,
        ),
        table,
        caption=sentences(
            icons_sentence(without, with_person, of),
            plain("explain.person.icons_caption" + ("" if promise.loss.rho is None else "_rho")),
        ),
        key="explain_icons",
    )


def downloads(session: AppState, promise: Promise, dataset: RegisteredDataset | None) -> None:
    """Offer the handout of this edition."""
    st.markdown(t("explain.handout.offer"))
    made = handout(promise, session.explain, dataset)
    name = f"privacy-{session.explain.edition}"

    def pdf() -> bytes:
        from hmpb_core.report.handout_pdf import to_pdf

        return to_pdf(made)

    with st.container(horizontal=True):
        download(
            t("explain.handout.html"),
            lambda: declared(to_html(made)),
            f"{name}.html",
            "text/html",
            key="explain_html",
        )
        download(
            t("explain.handout.pdf"),
            lambda: declared(pdf()),
            f"{name}.pdf",
            PDF_MIME,
            icon=":material/picture_as_pdf:",
            key="explain_pdf",
        )
