"""What to take away from a report, in one sentence: how far off it is, and what not to use."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.metrics.agreement import Agreement, SetError
from hmpb_core.utility.report import UtilityReport
from hmpb_core.utility.words.catalogue import Words

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
        avoid: The tables that are not to be used, worst first.
    """

    main: Agreement
    avoid: tuple[SetError, ...]

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
        if not self.avoid:
            worst = self.main.sets[0]
            return words("headline.worst", set=set_text(worst.names), error=f"{100 * worst.error:.2g}")
        named = words.list([set_text(worst.names) for worst in self.avoid[:MOST_NAMED]])
        more = len(self.avoid) - MOST_NAMED
        return (
            words("headline.avoid_more", sets=named, more=more)
            if more > 0
            else words("headline.avoid", sets=named)
        )


def conclude(report: UtilityReport) -> Conclusion:
    """Draw the conclusion of a report."""
    main = next((found for found in report.agreement if found.size == 2), report.agreement[0])
    return Conclusion(
        main=main,
        avoid=tuple(
            worst
            for worst in main.sets
            if worst.error > AVOID_ERROR and (worst.times is None or worst.times > AVOID_TIMES)
        ),
    )


def set_text(names: tuple[str, ...]) -> str:
    """How a set of attributes is written."""
    return " x ".join(names)


def times_text(ratio: float) -> str:
    """How a multiple is written: two digits up to 10, whole numbers beyond."""
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:,.0f}"
