"""Pages for readers: one self-contained HTML file each, without a script or a request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hmpb_core.publishing.record import WATERMARK, ReleaseRecord
from hmpb_core.report.html import templates_in

_TEMPLATES = Path(__file__).parent / "templates"


def page_of(template: str, record: ReleaseRecord, **values: Any) -> str:
    """Fill the template of a page about a release. Every value is escaped.

    Args:
        template: Name of the file in ``templates/``.
        record: What is to be said; a rehearsal's pages carry its watermark.
        values: What else the template names.
    """
    watermark = WATERMARK if record.rehearsal else ""
    return (
        templates_in(_TEMPLATES).get_template(template).render(record=record, watermark=watermark, **values)
    )
