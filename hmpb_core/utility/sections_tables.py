"""Sections about tables, values and dependence."""

from __future__ import annotations

from hmpb_core.catalogue import Words
from hmpb_core.domain import Attribute
from hmpb_core.metrics.agreement import Agreement
from hmpb_core.metrics.columns import ColumnSummary, level_text, spread_text
from hmpb_core.metrics.values import QUANTILES
from hmpb_core.utility.charts import MOST_MAPPED, BarPair, pair_map
from hmpb_core.utility.columns import ColumnReport
from hmpb_core.utility.conclusion import AVOID_ERROR, AVOID_TIMES, is_unusable, set_text
from hmpb_core.utility.report import UtilityReport
from hmpb_core.utility.sections import (
    Chapter,
    ChapterPart,
    ReportTable,
    multiple,
    number,
    percent,
    share,
)

DRAWN = 12
LISTED = 25


def agreement_section(found: Agreement, words: Words) -> Chapter:
    """Tables over one number of attributes, worst first."""
    title = words(f"agreement.title_{found.size}")
    paragraphs = [words("agreement.lead")]
    marked = [is_unusable(worst.error, worst.second) for worst in found.sets]
    if any(marked):
        paragraphs.append(
            words("agreement.lead_marked", error=f"{100 * AVOID_ERROR:.0f}", times=f"{AVOID_TIMES:g}")
        )
    lines = [
        BarPair(label=set_text(s.names), ours=s.error, second=s.second, text=percent(s.error, words))
        for s in found.sets[:DRAWN]
    ]
    # The headline says how many more are marked: all of them are listed.
    listed = max([LISTED, *(place for place, marks in enumerate(marked, 1) if marks)])
    rows = tuple(
        (
            set_text(worst.names),
            percent(worst.error, words),
            percent(worst.second, words),
            multiple(worst.times, words),
            share(worst.subsample, words),
            words("agreement.mark") if marks else "",
        )
        for worst, marks in zip(found.sets[:listed], marked, strict=False)
    )
    head = tuple(
        words(key)
        for key in (
            "agreement.set",
            "agreement.error",
            "agreement.second",
            "times",
            "subsample",
            "agreement.avoid",
        )
    )
    notes = []
    if found.size > 1:
        notes.append(
            words(
                "agreement.k_marginal",
                k=found.size,
                ours=f"{found.k_marginal:.0f}",
                second=f"{found.k_marginal_second:.0f}",
            )
        )
    if found.n_sets > listed:
        notes.append(words("agreement.lead_sets", shown=listed, all=f"{found.n_sets:,}"))
    return Chapter(
        key=f"tables-{found.size}",
        title=title,
        paragraphs=tuple(paragraphs),
        parts=(
            ChapterPart.of_bars(f"tables-{found.size}", lines, words("agreement.chart")),
            ChapterPart(table=ReportTable(label=title, head=head, rows=rows)),
        ),
        notes=tuple(notes),
    )


def noise_section(report: UtilityReport, words: Words) -> Chapter:
    """Chance and noise, told apart."""
    rows = tuple(
        (
            words(f"order.{found.size}"),
            percent(found.mean, words),
            percent(found.drawing, words),
            percent(found.noise, words),
            percent(found.second, words),
            share(found.from_drawing, words),
        )
        for found in report.agreement
    )
    head = tuple(words(f"noise.{key}") for key in ("tables", "error", "drawing", "noise", "second", "share"))
    return Chapter(
        key="noise",
        title=words("noise.title"),
        paragraphs=(words("noise.lead"),),
        parts=(ChapterPart(table=ReportTable(label=words("noise.title"), head=head, rows=rows)),),
        notes=(words("noise.more"),),
    )


def columns_section(report: UtilityReport, words: Words) -> Chapter:
    """Values of every column: distances, then each column's own figures."""
    lines = [
        BarPair(label=c.name, ours=c.error.ks, second=c.second.ks, text=number(c.error.ks, words))
        for c in report.columns[:DRAWN]
    ]
    keys = ("column", "ks", "wasserstein", "mean", "sd", "common", "missing", "subsample")
    grid = ReportTable(
        label=words("columns.title"),
        head=tuple(words(f"columns.{key}") for key in keys),
        rows=tuple(_distances(column, words) for column in report.columns),
    )
    return Chapter(
        key="columns",
        title=words("columns.title"),
        paragraphs=(words("columns.lead"), words("columns.reading")),
        parts=(
            ChapterPart.of_bars("columns", lines, words("columns.chart")),
            ChapterPart(table=grid),
            *([ChapterPart(table=_numbers(report, words))] if _numeric(report) else []),
            *(
                ChapterPart(heading=column.name, table=_shares(column, words))
                for column in report.columns
                if column.shown
            ),
        ),
    )


def _distances(column: ColumnReport, words: Words) -> tuple[str, ...]:
    ours, second = column.error, column.second
    ratio = None if second.sd_ratio is None else 1 + second.sd_ratio
    pairs = (
        (ours.ks, second.ks),
        (ours.wasserstein_sd, second.wasserstein_sd),
        (ours.mean_sd, second.mean_sd),
        (ours.sd_ratio, ratio),
        (ours.commonest, second.commonest),
        (ours.missing, second.missing),
    )
    cells = [
        words("columns.pair", ours=number(a, words), second=number(b, words))
        if a is not None
        else words("none")
        for a, b in pairs
    ]
    return (column.name, *cells, share(column.subsample, words))


def _numeric(report: UtilityReport) -> list[ColumnReport]:
    return [c for c in report.columns if c.real.mean is not None and c.synthetic.mean is not None]


def _numbers(report: UtilityReport, words: Words) -> ReportTable:
    """Mean, sd and quantiles of the numeric columns, real | synthetic."""
    columns = _numeric(report)
    head = (
        words("columns.column"),
        words("columns.mean_name"),
        words("columns.sd_name"),
        *(words("columns.quantile", percent=f"{100 * q:g}") for q in QUANTILES),
    )
    rows = []
    for column in columns:
        ours, theirs = (_levels(column.attribute, of, words) for of in (column.real, column.synthetic))
        written = [f"{a} | {b}" for a, b in zip(ours, theirs, strict=True)]
        rows.append((column.name, *written))
    label = f"{words('columns.numbers')} ({words('real')} | {words('synthetic')})"
    return ReportTable(label=label, head=head, rows=tuple(rows))


def _levels(attribute: Attribute, of: ColumnSummary, words: Words) -> list[str]:
    mean, *quantiles = (level_text(attribute, value) for value in (of.mean or 0.0, *(of.quantiles or ())))
    return [mean, spread_text(attribute, of.sd or 0.0, lambda sign: words(f"unit.{sign}")), *quantiles]


def _shares(column: ColumnReport, words: Words) -> ReportTable:
    rows = [
        (value, percent(ours, words), percent(theirs, words))
        for value, ours, theirs in zip(column.shown, column.real.shares, column.synthetic.shares, strict=True)
    ]
    if column.real.missing or column.synthetic.missing:
        rows.append(
            (
                words("columns.missing_value"),
                percent(column.real.missing, words),
                percent(column.synthetic.missing, words),
            )
        )
    head = tuple(words(f"columns.{key}") for key in ("value", "real_share", "synthetic_share"))
    return ReportTable(label=words("columns.shares", name=column.name), head=head, rows=tuple(rows))


def dependence_section(report: UtilityReport, words: Words) -> Chapter:
    """How pairs hang together."""
    parts = []
    if report.dependence and len(report.domain) <= MOST_MAPPED:
        largest = abs(report.dependence[0].difference)
        told = words("dependence.map", largest=f"{largest:.3f}")
        differences = [(*pair.names, pair.difference) for pair in report.dependence]
        parts.append(ChapterPart(picture=pair_map(report.domain.names, differences, told), caption=told))
    rows = tuple(
        (
            set_text(pair.names),
            words(f"dependence.{pair.measure.value}"),
            number(pair.real, words),
            number(pair.synthetic, words),
            f"{pair.difference:+.3f}",
            number(pair.second, words),
            multiple(pair.times, words),
            share(report.subsample_of(pair.times), words),
        )
        for pair in report.dependence[:LISTED]
    )
    head = (
        *(
            words(f"dependence.{key}")
            for key in ("pair", "measure", "real", "synthetic", "difference", "second")
        ),
        words("times"),
        words("subsample"),
    )
    if rows:
        parts.append(
            ChapterPart(table=ReportTable(label=words("dependence.title"), head=head, rows=rows, words=2))
        )
    return Chapter(
        key="dependence",
        title=words("dependence.title"),
        paragraphs=(words("dependence.lead"),),
        parts=tuple(parts),
    )
