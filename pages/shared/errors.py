"""How errors reach the screen: a known one by its sentence, any other by an identifier."""

from __future__ import annotations

import logging
import traceback
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from hmpb_core.errors import CancelledError, HmpbError
from pages.words.catalogue import escape, t
from pages.words.errors import sentence

log = logging.getLogger("hmpb.app")


@contextmanager
def guard() -> Iterator[None]:
    """Show an error instead of breaking the page; the block ends where it happened."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the screen is the last to hear of it
        show_error(error)


def show_error(error: BaseException) -> None:
    """Show an error."""
    if isinstance(error, CancelledError):
        st.info(t("common.cancelled"), icon=":material/block:")
    elif isinstance(error, HmpbError):
        st.error(t("common.error", message=escape(sentence(error))), icon=":material/error:")
    else:
        st.error(t("common.unexpected", id=record(error)), icon=":material/error:")


def record(error: BaseException) -> str:
    """Log an error's kind and place, and give the identifier under which it is logged.

    The text is left out: the messages of pandas and pyarrow quote values.
    """
    identifier = uuid.uuid4().hex[:8]
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"
    log.error("error %s: %s at %s", identifier, type(error).__name__, place)
    return identifier
