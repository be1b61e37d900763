"""How the file was read: shown, and corrected by reading it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from hmpb_core.amounts import BRACKETS, TYPOGRAPHIC
from hmpb_core.dialect import PLAIN, CsvDialect
from hmpb_core.errors import HmpbError
from hmpb_core.sources.files import FORMATS, NO_NAMES, SHOWN_SHEETS, WRITING, FileReading, header_lines
from pages.data import loading
from pages.data.drafts import apply_draft
from pages.session.choices import Upload
from pages.session.state import AppState
from pages.session.widgets import showing
from pages.shared.errors import record
from pages.shared.layout import fold
from pages.words.catalogue import NAMED, Markdown, escape, listed, names_listed, plain, t

ENCODINGS = (
    "utf-8",
    "cp1252",
    "iso8859-1",
    "iso8859-15",
    "cp1250",
    "cp1251",
    "gb18030",
    "big5",
    "cp932",
    "cp949",
    "euc_jp",
    "iso8859-2",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "koi8-r",
    "cp850",
    "cp866",
    "utf-16",
    "mac-roman",
)
SETTINGS: dict[str, tuple[str, ...]] = {
    "encoding": ENCODINGS,
    "delimiter": (",", ";", "\t", "|", " "),
    "decimal": (".", ","),
    "thousands": ("", ",", ".", " ", "\u00a0", "\u202f", "'", "’"),
    "money": ("", "€", "$", "£", "¥", "%"),
    "minus": ("", TYPOGRAPHIC, BRACKETS),
    "header": ("names", "none", "2", "3", "4", "5", "1-2", "1-3", "2-3"),
    "footer": ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
}
_NAMES = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "bar",
    ".": "point",
    "": "none",
    " ": "space",
    "\u00a0": "hard_space",
    "\u202f": "narrow_space",
    "'": "apostrophe",
    "’": "typographic_apostrophe",
    "\r\n": "windows_lines",
    "\r": "old_lines",
    "texts": "texts",
    "names": "names",
    "none": "no_names",
}


def draw_reading(session: AppState) -> None:
    """Say how the file was read, and offer to correct it."""
    upload = session.data.upload
    if upload is None:
        return
    st.caption(t("data.read.title", name=upload.name, words=_words(upload.reading)))
    trimmed = upload.reading.trimmed
    called = [new for _, new in upload.reading.renamed if new not in trimmed]
    zoned = upload.reading.zoned
    for key, names in (
        ("data.read.renamed", called),
        ("data.read.trimmed", trimmed),
        ("data.read.zoned", zoned),
    ):
        if names:
            st.caption(t(key, n=len(names), names=names_listed(names, NAMED)))
    if upload.reading.wrapped:
        st.caption(t("data.read.wrapped"))
    if upload.reading.headless:
        st.warning(t("data.read.headless"))
        st.button(
            t("data.read.is_row"),
            key="first_line_is_row",
            icon=":material/table_rows:",
            on_click=_read_as,
            args=(session, {"header": NO_NAMES}),
        )
    _same_way(session, upload)
    if upload.reading.format != "csv" and not _settings(upload.reading):
        return
    box = fold(
        t("data.read.change"), key="reading", icon=":material/description:"
    )  # another label, another box
    if not box.open:
        return
    with box:
        if upload.file is None:
            st.info(t("data.read.gone"))
            return
        st.markdown(t("data.read.what"))
        with st.container(horizontal=True):
            for name, options in _settings(upload.reading).items():
                _setting(session, upload, name, options)


def _same_way(session: AppState, upload: Upload) -> None:
    """Ask whether the csv files that leave are written as this one; not where it is plain."""
    if CsvDialect.of_schema({"reading": upload.reading.to_dict()}) == PLAIN:
        return
    key = f"same_way_{session.uploads}"
    showing(
        st.checkbox,
        t("data.read.same"),
        "dialect" not in session.draft,
        key=key,
        help=t("data.read.same_help"),
        on_change=_write_so,
        args=(session, key),
    )


def _write_so(session: AppState, key: str) -> None:
    draft = {name: value for name, value in session.draft.items() if name != "dialect"}
    apply_draft(session, draft if st.session_state[key] else {**draft, "dialect": PLAIN.to_dict()})


def _settings(reading: FileReading) -> dict[str, tuple[str, ...]]:
    if reading.format != "csv":
        sheets = {"sheet": reading.sheets} if len(reading.sheets) > 1 else {}
        lines = {name: SETTINGS[name] for name in ("header", "footer")}
        return {**sheets, **lines} if reading.sheets else {}
    return SETTINGS


def _setting(session: AppState, upload: Upload, name: str, options: tuple[str, ...]) -> None:
    now = getattr(upload.reading, name)
    key = f"read_{name}_{session.uploads}"
    values = list(dict.fromkeys([*([now] if now is not None else []), *options]))
    shown = now if now is not None else values[0]
    showing(
        st.selectbox,
        t(f"data.read.{name}"),
        shown,
        options=values,
        format_func=_label(name),
        key=key,
        on_change=_read_again,
        args=(session, name, key, shown),
        width=220,
    )


def _read_again(session: AppState, name: str, key: str, shown: str) -> None:
    if st.session_state[key] != shown:  # a page that comes back reports all its widgets as changed
        _read_as(session, {name: st.session_state[key]})


def _read_as(session: AppState, told: dict[str, Any]) -> None:
    session.upload_error = ""
    try:
        loading.read_again(session, **told)
    except HmpbError as error:
        session.upload_error = error.sentence
    except Exception as error:  # noqa: BLE001 - a reader's error may quote a value: only its number is shown
        session.upload_error = plain("common.unexpected", id=record(error))


def _words(reading: FileReading) -> Markdown:
    parts: list[str] = [escape(FORMATS.get(reading.format, reading.format))]
    for name in WRITING:
        value = getattr(reading, name)
        if value and value not in ("\n", "names", "0"):
            parts.append(t("data.read.part", what=t(f"data.read.{name}"), value=_label(name)(value)))
    if len(reading.sheets) > 1:
        names = listed(reading.sheets, SHOWN_SHEETS)
        parts.append(t("data.read.sheets", n=len(reading.sheets), names=names))
    return Markdown(listed(parts))


def _label(name: str) -> Callable[[str], str]:
    def label(value: str) -> str:
        if name in ("encoding", "sheet", "footer") or (name == "money" and value):
            return _encoding(value) if name == "encoding" else value
        lines = header_lines(value) if name == "header" else None
        if lines is not None:
            several = "lines" if len(lines) > 1 else "line"
            return plain(f"data.mark.{several}", first=lines.start + 1, last=lines.stop)
        return plain(f"data.mark.{_NAMES[value]}") if value in _NAMES else repr(value)

    return label


def _encoding(name: str) -> str:
    names = {
        "utf-8": "UTF-8",
        "utf-8-sig": "UTF-8 (BOM)",
        "cp1252": "Windows-1252",
        "iso8859-1": "Latin-1",
        "cp1250": "Windows-1250",
        "cp1251": "Windows-1251",
        "gb18030": "GB 18030",
        "big5": "Big5",
        "cp932": "Shift JIS",
        "cp949": "EUC-KR",
        "euc_jp": "EUC-JP",
        **{f"cp{page}": f"Windows-{page}" for page in (1253, 1254, 1255, 1256, 1257)},
    }
    return names.get(name, name.upper())
