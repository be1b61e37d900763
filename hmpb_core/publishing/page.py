"""Pages for readers: one self-contained HTML file each, without a script or a request."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from hmpb_core.catalogue import Words
from hmpb_core.errors import filled
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.report.html import templates_in, visible

_TEMPLATES = Path(__file__).parent / "templates"


def page_of(template: str, record: ReleaseRecord, **values: Any) -> str:
    """Fill the template of a page about a release. Every value is escaped.

    Args:
        template: Name of the file in ``templates/``.
        record: What is to be said; a rehearsal's pages carry its watermark.
        values: What else the template names.
    """
    words = record.words
    return (
        templates_in(_TEMPLATES)
        .get_template(template)
        .render(
            record=record,
            language=words.language,
            text=partial(_text, words),
            watermark=record.watermark,
            **values,
        )
    )


def _text(words: Words, key: str, **values: Any) -> Markup:
    """A text of the catalogue, markup and all; what fills its holes is escaped."""
    safe = {
        name: escape(visible(value)) if isinstance(value, str) else value for name, value in values.items()
    }
    return Markup(filled(words.texts[key], safe))  # noqa: S704 - the catalogue's own; what fills it is escaped
