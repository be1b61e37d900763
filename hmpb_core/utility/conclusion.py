"""What to take away from a report, in one sentence: how far off it is, and what not to use."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.catalogue import Words
from hmpb_core.metrics.agreement import Agreement, SetError
from hmpb_core.utility.charts import short
from hmpb_core.utility.report import UtilityReport

AVOID_ERROR = 0.1
"""A pair is not to be used where more than this share of the rows would have to move to another cell ..."""
AVOID_TIMES = 2.0
"""... and this is more than twice what a second sample would score."""
ALIKE_TIMES = 1.05
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What to take away.

    Attributes:
        main: The tables that the sentence is about: two-way ones, or one-way of a single column.
        columns: Columns that are not to be used at all, worst first: their own one-way table is off.
        avoid: The other tables that are not to be used, worst first.
        values: Columns whose values are not to be used, worst first: their Kolmogorov-Smirnov distance is
            beyond the same bounds.
    """

    main: Agreement
    columns: tuple[str, ...]
    avoid: tuple[SetError, ...]
    values: tuple[str, ...]

    def headline(self, words: Words) -> str:
        """The sentence.

        Example: Two-way tables are 1.3 times as far off as a second sample of real rows would be; do not use
        native-country x occupation.
        """
        tables = words(f"order.{self.main.size}_tables")
        ratio = self.main.times
        if ratio is None:
            first = words("headline.alone", tables=tables, error=f"{100 * self.main.mean:.1f}")
        elif ratio < ALIKE_TIMES:
            first = words("headline.alike", tables=tables)
        else:
            first = words("headline.times", tables=tables, times=times_text(ratio))
        return words.capital(first + self._second(words))

    def _second(self, words: Words) -> str:
        things = []
        if self.columns:
            things.append(_some(self.columns, words))
        if self.avoid:
            things.append(words.list([_named(worst) for worst in self.avoid[:MOST_NAMED]]))
        if len(self.avoid) > MOST_NAMED:
            things.append(words("headline.more", more=len(self.avoid) - MOST_NAMED))
        if self.values:
            things.append(words("headline.values", columns=_some(self.values, words)))
        if things:
            return words("headline.avoid", things=words("headline.nor").join(things))
        worst = self.main.sets[0]
        error, second = (f"{100 * share:.2g}" for share in (worst.error, worst.second))
        return words("headline.worst", set=_named(worst), error=error, second=second)


def _some(columns: tuple[str, ...], words: Words) -> str:
    """The first columns by name, and how many more there are."""
    more = len(columns) - MOST_NAMED
    rest = [words("headline.more_columns", more=more)] if more > 0 else []
    return words.list([*map(short, columns[:MOST_NAMED]), *rest])


def _named(found: SetError) -> str:
    """A set of attributes within a sentence, which a survey's whole questions would make unreadable."""
    return set_text(tuple(map(short, found.names)))


def is_unusable(error: float, second: float) -> bool:
    """Whether a figure is so far off that it is not to be used: by itself, and beside a second sample."""
    return error > AVOID_ERROR and error > AVOID_TIMES * second


def conclude(report: UtilityReport) -> Conclusion:
    """Draw the conclusion of a report."""
    main = next((found for found in report.agreement if found.size == 2), report.agreement[0])
    columns = [s.names[0] for s in report.agreement[0].sets if is_unusable(s.error, s.second)]
    avoid = [s for s in main.sets if is_unusable(s.error, s.second) and not set(s.names) & set(columns)]
    values = [c.name for c in report.columns if is_unusable(c.error.ks, c.second.ks)]
    return Conclusion(
        main=main,
        columns=tuple(columns),
        avoid=tuple(avoid),
        values=tuple(name for name in values if name not in columns),
    )


def set_text(names: tuple[str, ...]) -> str:
    """How a set of attributes is written."""
    return " x ".join(names)


def times_text(ratio: float) -> str:
    """How a multiple is written: two digits up to 10, whole numbers beyond."""
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:,.0f}"
