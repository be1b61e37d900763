"""The way from page to page: navigation, language, and what is loaded, always in sight."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from hmpb_core.errors import HmpbError
from hmpb_core.privacy.unit import ROW
from hmpb_core.publishing.zones import Zone
from hmpb_core.sources.locations import columns_of
from pages.session import registry
from pages.session.login import has_login
from pages.session.state import AppState, Basis
from pages.shared.layout import fold, zone_badge
from pages.shared.page_list import DEFAULT_PAGE, PAGES, page_file
from pages.shared.registration import registered
from pages.words.catalogue import LANGUAGE_KEY, LANGUAGES, escape, language, locale_tag, number, plain, t
from pages.words.guarantee import guarantee_line

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_SAY = "export default ({ data }) => { document.documentElement.lang = data }"


def navigate(session: AppState) -> StreamlitPage:
    """Draw the sidebar and give the page to run.

    Streamlit has called the widgets' callbacks before, so that what was just chosen is what is shown.
    The links are drawn here: Streamlit's own list with sections breaks the rules for lists, so that
    screen readers count it wrong.
    """
    if LANGUAGE_KEY not in st.session_state:
        st.session_state[LANGUAGE_KEY] = session.language or language()
    pages = {
        section: [
            st.Page(
                page_file(name),
                title=plain(f"nav.{name}"),
                icon=icon,
                url_path=name,
                default=name == DEFAULT_PAGE,
            )
            for name, icon in entries
        ]
        for section, entries in PAGES.items()
    }
    chosen = st.navigation([page for entries in pages.values() for page in entries], position="hidden")
    with st.sidebar:
        for section, entries in pages.items():
            st.caption(t(f"nav.section.{section}"))
            with st.container(key=f"nav_{section}", gap="xxsmall"):
                for page in entries:
                    st.page_link(page)
        st.divider()
        _language(session)
        _loaded(session)
        _zones()
        if has_login():
            st.button(t("common.login.out"), on_click=_log_out)
        _say_language()
    return chosen


def _log_out() -> None:
    """Forget what this browser had, then let Streamlit end the login."""
    registry.leave()
    st.logout()


def _language(session: AppState) -> None:
    session.language = st.selectbox(
        "Language / 语言",
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key=LANGUAGE_KEY,
        persist_state="session",
    )


def _say_language() -> None:
    """Write the language into the page, where Streamlit says English of every page.

    By it a screen reader chooses its voice, and the browser the shapes of Chinese signs: without it those
    that are used in Japan, with colons and question marks in the middle of the line.
    """
    say = st.components.v2.component("language", html="<i></i>", js=_SAY)
    say(key="said_language", height=0, data=locale_tag())


def _zones() -> None:
    box = fold(t("common.zones"), key="zones", icon=":material/layers:")
    if box.open:
        with box:
            for zone in Zone:
                zone_badge(zone)
                st.caption(t(f"common.zone_help.{zone.name.lower()}"))


def _loaded(session: AppState) -> None:
    """Say what is loaded and what the plan promises."""
    if session.table is None:
        st.caption(t("common.loaded.none"))
        return
    table = session.table
    said = {"table": escape(table.name), "columns": len(columns_of(table.private))}
    if table.outside is not None:
        st.caption(t("common.loaded.outside", engine=table.outside, **said))
    else:
        st.caption(t(f"common.loaded.{table.basis}", rows=number(table.n_rows), **said))
    with suppress(HmpbError):  # the pages that need the plan or the ledger say what is wrong with them
        if session.unit is None and table.basis is Basis.PRIVATE and table.outside is None:
            registered(session, table)  # the plan's promise and its noise are for whom the ledger names
    settings = session.settings
    with suppress(HmpbError):
        st.caption(guarantee_line(settings.guarantee, session.unit or ROW, settings.spec.protection))
