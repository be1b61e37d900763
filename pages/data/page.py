"""Data: the table, and the codebook that says what everybody may know about it."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from hmpb_core.errors import HmpbError
from hmpb_core.publishing.zones import Zone
from pages.data import drafts, loading
from pages.data.board import draw_board
from pages.data.reading_panel import draw_reading
from pages.data.ruling import draw_rules
from pages.data.surveying import draw_put_away, draw_survey
from pages.server.server import forget_upload
from pages.session.demo import load_demo
from pages.session.outside import MOST_ROWS
from pages.session.state import AppState, Basis, Table, state
from pages.shared.downloads import download
from pages.shared.errors import guard, record
from pages.shared.focus import then_focus
from pages.shared.layout import EMPTY_CELL, header, next_step, zone_badge
from pages.words.catalogue import escape, names_listed, number, plain, t
from pages.words.errors import sentence

PREVIEW_ROWS = 5


def page(session: AppState) -> None:
    """Load a table, describe it, look at it, forget it."""
    header("data", zones=[Zone.DECLARED, Zone.STEWARD_ONLY])
    with st.container():  # always there: a message above the tabs would close the open one
        if session.upload_error:
            st.error(escape(sentence(session.upload_error)), icon=":material/error:")
            if session.table is not None:  # nothing of the old table pretends to be the new one
                st.info(t("data.upload.kept", name=session.table.name), icon=":material/info:")
    choose(session)
    draw_put_away(session)
    if session.table is None:
        st.stop()
    draw_reading(session)
    if session.table.outside is not None:
        words = t("data.outside.what", engine=session.table.outside, n=number(MOST_ROWS))
        st.info(words, icon=":material/database:")
    codebook(session, session.table)
    first_look(session, session.table)
    st.header(t("data.forget.title"), anchor=False)
    st.markdown(t("data.forget.what"))
    st.button(t("data.forget.button"), key="forget", on_click=session.forget, icon=":material/delete:")
    if session.ready:
        next_step("data", "plan")


def take(session: AppState, load: Callable[..., None], *arguments: Any) -> None:
    """Load a table with progress; what goes wrong is kept for the next run to say."""
    bar = st.progress(0.0, text=t("data.reading"))
    try:
        load(session, *arguments, lambda part: bar.progress(part, text=t("data.reading")))
    except HmpbError as error:
        session.upload_error = error.sentence
    except Exception as error:  # noqa: BLE001 - a reader's error may quote a value: only its number is shown
        session.upload_error = plain("common.unexpected", id=record(error))
    session.uploads += 1  # so that there is another uploader, and the focus is lost with the old one
    uploader = f"upload_{session.uploads}"
    then_focus(*([uploader] if session.upload_error else ["fold_reading", "guess", uploader]))
    st.rerun()


def choose(session: AppState) -> None:
    """Where the table comes from."""
    names = ["demo", "upload", *(["named"] if loading.has_named_tables() else []), "path"]
    labels = {name: t(f"data.source.{name}") for name in names}
    tabs = dict(
        zip(names, st.tabs(list(labels.values()), default=labels[loading.opened_from(session)]), strict=True)
    )
    demo, upload, path = tabs["demo"], tabs["upload"], tabs["path"]
    with demo:
        st.markdown(t("data.demo.what"))
        if session.table is not None and session.table.basis is Basis.PRIVATE:
            st.caption(t("data.demo.replaces", name=session.table.name))
        if st.button(t("data.demo.load"), icon=":material/science:", key="load_demo"):
            load_demo(session)
            st.rerun()
    with upload:
        zone_badge(Zone.STEWARD_ONLY)
        given = st.file_uploader(
            t("data.upload.label"),
            type=loading.ENDINGS,
            key=f"upload_{session.uploads}",
            help=t("data.upload.help"),
        )
        if given is not None:
            content, name = given.getvalue(), given.name
            forget_upload(given.file_id)
            take(session, loading.load_bytes, content, name)
    if "named" in tabs:
        with tabs["named"], guard():
            choose_named(session)
    with path:
        if not loading.may_read_paths():
            st.info(t("data.path.closed"))
            return
        with st.form("path_form", border=False):
            text = st.text_input(t("data.path.label"), key="path", help=t("data.path.help"))
            if st.form_submit_button(t("data.path.load"), icon=":material/folder_open:"):
                take(session, loading.load_path, text)


def choose_named(session: AppState) -> None:
    """The tables that this server offers by name."""
    zone_badge(Zone.STEWARD_ONLY)
    st.markdown(t("data.named.what"))
    offered = [table.name for table in loading.offered_tables()]
    if not offered:
        st.info(t("data.named.none"), icon=":material/info:")
        return
    with st.form("named_form", border=False):
        name = st.selectbox(t("data.named.label"), offered, key="named")
        if st.form_submit_button(t("data.named.open"), icon=":material/database:"):
            take(session, loading.load_named, name)


def codebook(session: AppState, table: Table) -> None:
    """The codebook: what everybody may know about the columns."""
    st.header(t("data.codebook.title"), anchor=False)
    zone_badge(Zone.STEWARD_ONLY if drafts.has_guesses(session.draft) else Zone.DECLARED)
    st.markdown(t("data.codebook.what"))
    with st.container(horizontal=True):
        if table.basis is Basis.PRIVATE:
            st.button(
                t("data.codebook.guess"),
                on_click=loading.guess,
                args=(session,),
                help=t("data.codebook.guess_help"),
                icon=":material/auto_fix_high:",
                key="guess",
            )
        download(
            t("data.codebook.download"),
            lambda: drafts.labelled_codebook(session.draft),
            "codebook.json",
            "application/json",
            key="codebook_download",
            disabled=drafts.has_guesses(session.draft),
            help_text=t("data.help.download"),
        )
    with st.expander(t("data.codebook.upload"), icon=":material/upload_file:"):
        given = st.file_uploader(
            t("data.codebook.upload_label"),
            type=loading.CODEBOOK_ENDINGS,
            key=f"schema_{session.uploads}",
            max_upload_size=10,
        )
        if given is not None:
            with guard():
                loading.use_codebook_file(session, given.getvalue(), given.name)
                forget_upload(given.file_id)
                session.uploads += 1
                st.rerun()
    for remark in session.data.remarks:
        st.info(escape(sentence(remark)), icon=":material/info:")
    draw_survey(session, table)
    draw_board(session)
    draw_rules(session, table)


def first_look(session: AppState, table: Table) -> None:
    """A few rows, and only on demand."""
    st.header(t("data.look.title"), anchor=False)
    zone_badge(Zone.DECLARED if table.basis is Basis.DEMO else Zone.STEWARD_ONLY)
    if not st.toggle(t("data.look.show", n=PREVIEW_ROWS), key="look", help=t("data.look.help")):
        return
    if table.outside is not None:
        st.caption(t("data.look.drawn"))
    rows = table.frame[list(table.columns)].head(PREVIEW_ROWS)
    hidden = {str(e["name"]) for e in session.draft.get("fields", []) if e.get("sensitive") is True}
    rows = rows.astype(object).assign(**{name: "•••" for name in hidden if name in rows.columns})
    st.dataframe(rows, hide_index=True, alt=plain("data.look.alt"), placeholder=EMPTY_CELL)
    if hidden:
        st.caption(t("data.look.hidden", names=names_listed(sorted(hidden))))


page(state())
