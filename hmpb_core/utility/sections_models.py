"""Sections about predictions, telling apart, groups, clipping, and how the figures were made."""

from __future__ import annotations

from hmpb_core.catalogue import Words
from hmpb_core.domain import MISSING_LABEL
from hmpb_core.metrics.groups import Groups, SizeClass
from hmpb_core.utility.charts import BarPair
from hmpb_core.utility.conclusion import set_text
from hmpb_core.utility.report import FAST, THOROUGH, UtilityReport
from hmpb_core.utility.sections import Chapter, ChapterPart, ReportTable, multiple, number, percent, rows_text

REASONS = {
    "The target is the only attribute; nothing is left to predict it from.": "prediction.alone",
    "The target is missing in every row or has one class; choose another target.": "prediction.one_class",
}
"""The words for why nothing is learned about a target: what ``metrics.learning`` says in English."""


def prediction_section(report: UtilityReport, words: Words) -> Chapter:
    """What models learn from the synthetic rows."""
    title = words("prediction.title")
    head = (words("prediction.score"), words("synthetic"), words("second"), words("prediction.real_rows"))
    parts = []
    for found in report.predictions:
        rows = tuple(
            (
                words(f"prediction.{name}"),
                number(score, words),
                number(found.second[name], words),
                rows_text(found.rows[name], found.least, words),
            )
            for name, score in found.synthetic.items()
        )
        label = words(
            "prediction.lead",
            target=found.target,
            train=f"{found.n_train:,}",
            test=f"{found.n_test:,}",
        )
        parts.append(ChapterPart(table=ReportTable(label=label, head=head, rows=rows)))
    notes = [
        words("prediction.refused", target=target, why=words(REASONS[why]) if why in REASONS else why)
        for target, why in report.not_predicted.items()
    ]
    if not parts and not notes:
        notes = [words("prediction.none")]
    return Chapter(key="prediction", title=title, parts=tuple(parts), notes=tuple(notes))


def apart_section(report: UtilityReport, words: Words) -> Chapter:
    """How well synthetic rows are told from real ones."""
    ours, second = report.telling_apart, report.telling_apart_second
    title = words("apart.title")
    rows = (
        (words("apart.pmse"), f"{ours.pmse:.5f}", f"{second.pmse:.5f}"),
        (words("apart.ratio"), multiple(ours.ratio, words), multiple(second.ratio, words)),
        (words("apart.auc"), number(ours.auc, words), number(second.auc, words)),
    )
    head = (words("apart.figure"), words("synthetic"), words("second"))
    return Chapter(
        key="apart",
        title=title,
        paragraphs=(words("apart.lead"),),
        parts=(ChapterPart(table=ReportTable(label=title, head=head, rows=rows)),),
        notes=(words("apart.note"),),
    )


def groups_section(report: UtilityReport, words: Words) -> Chapter:
    """Error, bias and vanished groups by size."""
    found = report.groups
    title = words("groups.title")
    keys = ("size", "cells", "error", "second", "bias", "lost", "lost_second")
    grid = ReportTable(
        label=title,
        head=tuple(words(f"groups.{key}") for key in keys),
        rows=tuple(_size_row(of, words) for of in found.classes),
    )
    lines = [
        BarPair(
            label=size_text(of, words),
            ours=of.relative_error,
            second=of.second_error or 0.0,
            text=words("with_sign", figure=percent(of.relative_error, words)),
        )
        for of in found.classes
    ]
    return Chapter(
        key="groups",
        title=title,
        paragraphs=(words("groups.lead"),),
        parts=(
            ChapterPart.of_bars("groups", lines, words("groups.chart")),
            ChapterPart(table=grid),
            *([ChapterPart(table=_vanished(found, words))] if found.vanished else []),
        ),
        notes=(
            words(
                "groups.invented",
                ours=percent(found.invented, words),
                second=percent(found.second_invented, words),
            ),
            *(() if found.n_vanished else (words("groups.no_vanished"),)),
        ),
    )


def _size_row(of: SizeClass, words: Words) -> tuple[str, ...]:
    return (
        size_text(of, words),
        f"{of.cells:,}",
        percent(of.relative_error, words),
        percent(of.second_error, words),
        f"{100 * of.bias:+.1f}",
        percent(of.lost, words),
        percent(of.second_lost, words),
    )


def size_text(of: SizeClass, words: Words) -> str:
    """How a range of sizes is written."""
    if of.high is None:
        return words("groups.from", low=f"{of.low:,}")
    return words("groups.range", low=f"{of.low:,}", high=f"{of.high:,}")


def _vanished(found: Groups, words: Words) -> ReportTable:
    return ReportTable(
        label=words("groups.vanished", count=f"{found.n_vanished:,}"),
        head=tuple(words(f"groups.{key}") for key in ("attributes", "values", "people")),
        rows=tuple(
            (
                set_text(gone.names),
                set_text(
                    tuple(words("columns.missing_value") if v == MISSING_LABEL else v for v in gone.values)
                ),
                f"{gone.count:,}",
            )
            for gone in found.vanished
        ),
        words=2,
    )


def clipping_section(report: UtilityReport, words: Words) -> Chapter:
    """What the declared ranges cut off."""
    title = words("clipping.title")
    cut = [c for c in report.clipping if c.below or c.above]
    keys = ("column", "below", "above", "mean", "sd")
    parts: tuple[ChapterPart, ...] = ()
    if cut:
        rows = tuple(
            (
                c.name,
                percent(c.below, words),
                percent(c.above, words),
                f"{c.mean_shift_sd:+.3f}",
                number(c.sd_ratio, words),
            )
            for c in cut
        )
        grid = ReportTable(label=title, head=tuple(words(f"clipping.{key}") for key in keys), rows=rows)
        parts = (ChapterPart(table=grid),)
    missing = "none" if report.clipping else "no_numbers"
    return Chapter(
        key="clipping",
        title=title,
        paragraphs=(words("clipping.lead"),),
        parts=parts,
        notes=() if cut else (words(f"clipping.{missing}"),),
    )


def method_section(report: UtilityReport, words: Words) -> Chapter:
    """How the figures were made, and on how many rows."""
    effort = FAST if report.fast else THOROUGH
    sampled = [words(f"method.sampled_{part}", rows=f"{rows:,}") for part, rows in report.sampled.items()]
    return Chapter(
        key="method",
        title=words("method.title"),
        paragraphs=(
            words("method.whole"),
            *sampled,
            words("method.second", splits=effort.splits),
            words("method.subsample"),
            words("method.generator"),
        ),
    )
