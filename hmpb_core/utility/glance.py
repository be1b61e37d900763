"""The report at a glance: its main figures, each beside a second sample's and a subsample's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hmpb_core.catalogue import Words
from hmpb_core.metrics.agreement import times
from hmpb_core.metrics.dependence import DependenceMeasure
from hmpb_core.utility.report import UtilityReport
from hmpb_core.utility.sections import Chapter, ChapterPart, ReportTable, multiple, rows_text, share

_ORDERS = {1: "one_way", 2: "two_way", 3: "three_way"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MainFigure:
    """One main figure.

    Attributes:
        key: Its name: that of its words, and in JSON.
        synthetic: The synthetic table's.
        second: A second sample's.
        subsample: The share of the real rows that would be as inaccurate; None where there is none.
        rows: The number of real rows that teach as much, for a prediction.
        least: The smallest such number that was tried.
        error: Whether 0 is best, so that the multiple means something.
        values: What fills the holes of its words.
    """

    key: str
    synthetic: float
    second: float | None
    subsample: float | None = None
    rows: int | None = None
    least: int = 0
    error: bool = True
    values: tuple[tuple[str, str], ...] = ()

    @property
    def times(self) -> float | None:
        """The figure as a multiple of the second sample's, where 0 is best."""
        return times(self.synthetic, self.second) if self.error else None


def glance(report: UtilityReport) -> list[MainFigure]:
    """Give the main figures of a report."""
    return [*_tables(report), *_values(report), *_models(report)]


def _tables(report: UtilityReport) -> Iterator[MainFigure]:
    for found in report.agreement:
        yield MainFigure(
            key=_ORDERS[found.size], synthetic=found.mean, second=found.second, subsample=found.subsample
        )
    for found in report.agreement[1:]:
        yield MainFigure(
            key="k_marginal",
            synthetic=found.k_marginal,
            second=found.k_marginal_second,
            subsample=found.subsample,
            error=False,
            values=(("k", str(found.size)),),
        )


def _values(report: UtilityReport) -> Iterator[MainFigure]:
    pairs = [("ks", [(c.error.ks, c.second.ks) for c in report.columns])]
    moved = [
        (c.error.wasserstein_sd, c.second.wasserstein_sd or 0.0)
        for c in report.columns
        if c.error.wasserstein_sd is not None
    ]
    if moved:
        pairs.append(("wasserstein", moved))
    for key, figures in pairs:
        ours, second = (float(np.mean(side)) for side in zip(*figures, strict=True))
        yield MainFigure(
            key=key, synthetic=ours, second=second, subsample=report.subsample_of(times(ours, second))
        )
    for measure in DependenceMeasure:
        found = report.dependence_of(measure)
        if found is not None:
            yield MainFigure(
                key=measure.value,
                synthetic=found[0],
                second=found[1],
                subsample=report.subsample_of(times(*found)),
            )


def _models(report: UtilityReport) -> Iterator[MainFigure]:
    ours, second = report.telling_apart, report.telling_apart_second
    yield MainFigure(key="pmse", synthetic=ours.ratio, second=second.ratio)
    yield MainFigure(key="auc", synthetic=ours.auc, second=second.auc, error=False)
    for found in report.predictions:
        for name, score in found.synthetic.items():
            yield MainFigure(
                key="score",
                synthetic=score,
                second=found.second[name],
                rows=found.rows[name],
                least=found.least,
                error=False,
                values=(("target", found.target), ("score", name)),
            )


def glance_section(report: UtilityReport, words: Words) -> Chapter:
    """Give the section of the main figures."""
    rows = []
    for figure in glance(report):
        values = dict(figure.values)
        if "score" in values:
            values["score"] = words(f"prediction.{values['score']}")
        as_percent = figure.key in _ORDERS.values()
        rows.append(
            (
                words(f"glance.{figure.key}", **values),
                _text(figure.synthetic, as_percent=as_percent),
                words("none") if figure.second is None else _text(figure.second, as_percent=as_percent),
                multiple(figure.times, words),
                share(figure.subsample, words)
                if figure.rows is None
                else rows_text(figure.rows, figure.least, words),
            )
        )
    head = tuple(words(key) for key in ("figure", "synthetic", "second", "times", "subsample"))
    grid = ReportTable(label=words("glance.title"), head=head, rows=tuple(rows))
    return Chapter(
        key="glance",
        title=words("glance.title"),
        paragraphs=(words("glance.lead"),),
        parts=(ChapterPart(table=grid),),
    )


def _text(value: float, *, as_percent: bool) -> str:
    if as_percent:
        return f"{100 * value:.2f}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.0f}"
