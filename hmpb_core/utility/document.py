"""The report as one page of HTML: no script, nothing fetched, every text escaped, prints on A4."""

from __future__ import annotations

from markupsafe import Markup

import hmpb_core
from hmpb_core.catalogue import Words
from hmpb_core.report.html import templates_in
from hmpb_core.utility.charts import TEMPLATES
from hmpb_core.utility.conclusion import conclude
from hmpb_core.utility.glance import glance_section
from hmpb_core.utility.report import UtilityReport
from hmpb_core.utility.sections import Chapter
from hmpb_core.utility.sections_models import (
    apart_section,
    clipping_section,
    groups_section,
    method_section,
    prediction_section,
)
from hmpb_core.utility.sections_tables import (
    agreement_section,
    columns_section,
    dependence_section,
    noise_section,
)
from hmpb_core.utility.words.catalogue import words_of


def to_html(report: UtilityReport, language: str = "en") -> str:
    """Give the report as one HTML file.

    Args:
        report: The report.
        language: Code of its language; English where it has no words for it.
    """
    words = words_of(language)
    return (
        templates_in(TEMPLATES)
        .get_template("report.html.j2")
        .render(
            language=words.language,
            title=words("title"),
            zone=words("zone"),
            contents=words("contents"),
            table_word=words("table"),
            headline=conclude(report).headline(words),
            facts=_facts(report, words),
            sections=[_drawn(section) for section in sections_of(report, words)],
        )
    )


def sections_of(report: UtilityReport, words: Words) -> list[Chapter]:
    """Give the parts of the report, in their order."""
    return [
        glance_section(report, words),
        *(agreement_section(found, words) for found in report.agreement),
        noise_section(report, words),
        columns_section(report, words),
        dependence_section(report, words),
        prediction_section(report, words),
        apart_section(report, words),
        groups_section(report, words),
        clipping_section(report, words),
        method_section(report, words),
    ]


def _facts(report: UtilityReport, words: Words) -> str:
    return words(
        "facts",
        real=f"{report.n_real:,}",
        synthetic=f"{report.n_synthetic:,}",
        attributes=len(report.domain),
        seconds=f"{report.seconds:.1f}",
        version=hmpb_core.__version__,
        fast=words("fast") if report.fast else "",
    )


def _drawn(section: Chapter) -> dict[str, object]:
    """A section whose pictures, made by this room's own templates, are taken as they are."""
    return {
        "key": section.key,
        "title": section.title,
        "paragraphs": section.paragraphs,
        "notes": section.notes,
        "parts": [
            {
                "heading": part.heading,
                "picture": Markup(part.picture),  # noqa: S704 - templates that escape every text
                "caption": part.caption,
                "table": part.table,
            }
            for part in section.parts
        ],
    }
