import streamlit as st

from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError
from pages.data import codebook_editor, loading
from pages.server.server import forget_upload
from pages.session.demo import load_demo
from pages.session.state import Basis, state
from pages.shared.downloads import download
from pages.shared.errors import guard, record
from pages.shared.layout import Zone, header, next_step, zone_badge
from pages.words.catalogue import escape, plain, t
from pages.words.errors import sentence

known = state()
PREVIEW_ROWS = 5


def take(load, *arguments):
    """Load a table with progress; what goes wrong is kept for the next run to say."""
    bar = st.progress(0.0, text=t("data.reading"))
    try:
        load(known, *arguments, lambda part: bar.progress(part, text=t("data.reading")))
    except HmpbError as error:
        known.trouble = str(error)
    except Exception as error:  # noqa: BLE001 - a reader's error may quote a value: only its number is shown
        known.trouble = plain("common.unexpected", id=record(error))
    known.uploads += 1
    st.rerun()


def choose():
    """Where the table comes from."""
    demo, upload, path = st.tabs([t("data.source.demo"), t("data.source.upload"), t("data.source.path")])
    with demo:
        st.markdown(t("data.demo.what"))
        if st.button(t("data.demo.load"), icon=":material/science:", key="load_demo"):
            load_demo(known)
            st.rerun()
    with upload:
        zone_badge(Zone.STEWARD_ONLY)
        given = st.file_uploader(
            t("data.upload.label"),
            type=loading.ENDINGS,
            key=f"upload_{known.uploads}",
            help=t("data.upload.help"),
        )
        if given is not None:
            content, name = given.getvalue(), given.name
            forget_upload(given.file_id)
            take(loading.load_bytes, content, name)
    with path:
        if not loading.may_read_paths():
            st.info(t("data.path.closed"))
            return
        with st.form("path_form", border=False):
            text = st.text_input(t("data.path.label"), key="path", help=t("data.path.help"))
            if st.form_submit_button(t("data.path.load"), icon=":material/folder_open:"):
                take(loading.load_path, text)


def problems():
    """What stands in the way, and what to do about it."""
    lacking = loading.draft_problems(known.draft)
    for name, fault in {**lacking, **known.misfits}.items():
        st.warning(t("data.problem", name=name, sentence=escape(sentence(fault))), icon=":material/build:")
    if known.codebook is None:
        if not lacking:
            with guard():
                Codebook.from_dict(loading.published(known.draft))
        return
    guessed = sorted(known.codebook.undeclared)
    if guessed:
        names = ", ".join(guessed[:8]) + (" …" if len(guessed) > 8 else "")
        st.warning(t("data.guessed", n=len(guessed), names=names), icon=":material/help:")
    if not known.misfits:
        n = len(known.codebook.domain)
        st.info(t("data.fits", n=n, cells=sum(known.codebook.domain.sizes)), icon=":material/task_alt:")


def codebook():
    """The codebook: what everybody may know about the columns."""
    st.subheader(t("data.codebook.title"), anchor=False)
    zone_badge(Zone.DECLARED)
    st.markdown(t("data.codebook.what"))
    with st.container(horizontal=True):
        if known.table.basis is Basis.PRIVATE:
            st.button(
                t("data.codebook.guess"),
                on_click=loading.guess,
                args=(known,),
                help=t("data.codebook.guess_help"),
                icon=":material/auto_fix_high:",
                key="guess",
            )
        st.button(t("data.codebook.confirm"), key="confirm", on_click=confirm, help=t("data.help.confirm"))
        download(
            t("data.codebook.download"),
            lambda: loading.labelled_codebook(known.draft),
            "codebook.json",
            "application/json",
            key="codebook_download",
            disabled=loading.has_guesses(known.draft),
            help_text=t("data.help.download"),
        )
    with st.expander(t("data.codebook.upload"), icon=":material/upload_file:"):
        given = st.file_uploader(
            t("data.codebook.upload_label"), type=["json"], key=f"schema_{known.uploads}", max_upload_size=10
        )
        if given is not None:
            with guard():
                text = given.getvalue().decode("utf-8-sig", errors="replace")
                loading.apply_draft(known, Codebook.from_json(text).to_dict())
                forget_upload(given.file_id)
                known.uploads += 1
                st.rerun()
    changed = codebook_editor.edit(known.draft, key=f"codebook_{known.uploads}")
    if changed is not None:
        loading.apply_draft(known, changed)
        st.rerun()


def confirm():
    """Declare every field: the steward vouches that it is public knowledge."""
    fields = [loading.declare(entry) for entry in known.draft["fields"]]
    loading.apply_draft(known, {**known.draft, "fields": fields})


def first_look():
    """A few rows, and only on demand."""
    st.subheader(t("data.look.title"), anchor=False)
    zone_badge(Zone.DECLARED if known.table.basis is Basis.DEMO else Zone.STEWARD_ONLY)
    if not st.toggle(t("data.look.show", n=PREVIEW_ROWS), key="look", help=t("data.look.help")):
        return
    rows = known.table.frame.head(PREVIEW_ROWS)
    hidden = known.codebook.sensitive if known.codebook else frozenset()
    rows = rows.astype(object).assign(**{name: "•••" for name in hidden if name in rows.columns})
    st.dataframe(rows, hide_index=True, alt=plain("data.look.alt"))
    if hidden:
        st.caption(t("data.look.hidden", names=", ".join(sorted(hidden))))


def forget():
    """Drop the table from memory."""
    known.forget()


header("data", zones=[Zone.DECLARED, Zone.STEWARD_ONLY])
with st.container():  # always there: a message above the tabs would close the open one
    if known.trouble:
        st.error(escape(sentence(known.trouble)), icon=":material/error:")
choose()
if known.table is None:
    st.stop()
codebook()
problems()
first_look()
st.subheader(t("data.forget.title"), anchor=False)
st.markdown(t("data.forget.what"))
st.button(t("data.forget.button"), key="forget", on_click=forget, icon=":material/delete:")
if known.ready:
    next_step("data", "plan")
