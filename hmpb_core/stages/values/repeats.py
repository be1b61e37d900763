"""Whether a column repeats another one in many rows: one small noisy table says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Domain, Numeric
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.repeated import MayRepeat, repeating
from hmpb_core.sources.base import Source
from hmpb_core.stages.values.measuring import VALUES_OF
from hmpb_core.texts import text_of

REPEATS_PART = Fraction(1, 50)
"""Part of an attribute's one-way budget that decides."""
USUAL = 0.1
"""Part of the rows from which on a value says nothing: two columns hold it together by chance."""
UNUSUAL = 0.2
"""Part of the rows that must have another value than those."""
MANY = 0.25
"""Part of these rows that must hold the same value twice: of lists, whose new code takes from others, and of
numbers that are then told by their difference, which loses the round numbers of others."""
SOME = 0.05
"""The same of numbers whose codes stay as they are."""
BEYOND = 3.0
"""Standard deviations of the noise by which their number must exceed none."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a column's values.

    Attributes:
        rows: Rows with a value.
        of: Rows of each value of a list, by its text; of a number, of single values in steps of its grid.
    """

    rows: float
    of: Mapping[str | int, float]

    @property
    def usual(self) -> dict[str | int, float]:
        """The values that very many rows have."""
        return {value: rows for value, rows in self.of.items() if rows > USUAL * self.rows}


@dataclass(frozen=True, slots=True)
class Repeats:
    """Tells which columns repeat others, one after the other.

    Attributes:
        possible: For each attribute the columns before it whose value it may repeat; public.
        accountant: Pays, from the stage of the one-way tables.
        learned: The attributes with learned bins so far.
    """

    possible: MayRepeat
    accountant: Accountant
    learned: dict[int, Attribute] = field(default_factory=dict)

    def told(
        self, source: Source, index: int, loss: Fraction, measured: Mapping[int, NoisyMarginal]
    ) -> tuple[Source, Fraction]:
        """Give a column that repeats another in many rows a code for the other's value.

        Codes tell hardly anything of that: of two lists of 70 districts the table of both would have to be
        measured, and of two salaries the same ones are hardly ever drawn one by one. A number that may count
        from the other one keeps doing so where they are the same in a quarter of the rows; else it has values
        of its own.

        Args:
            source: The private table.
            index: The attribute.
            loss: What its one-way table may cost.
            measured: The one-way tables so far: of all columns that it may repeat.

        Returns:
            The table, with that code or as it was, and what is left of the loss.
        """
        own, others = source.domain.attributes[index], self.possible[index]
        seen = [self._seen(source.domain, other, measured) for other in others]
        paid = loss * REPEATS_PART
        table = self.accountant.measure(
            source.repeat_counts(index, others, [_codes_of(own, one.usual) for one in seen]),
            stage=Stage.ONE_WAY_TABLES,
            loss=paid,
            what=f"{VALUES_OF}{own.name}, if those of another column",
        )
        total = max(1.0, float(table.counts.sum()))
        unusual = np.array([one.rows - sum(one.usual.values()) for one in seen])
        shares = np.where(unusual > UNUSUAL * total, table.counts[:-1] / np.maximum(unusual, 1.0), 0.0)
        most = int(shares.argmax())
        least = MANY if isinstance(own, Categorical) else SOME
        repeated = shares[most] > least and table.counts[most] > BEYOND * table.noise_sd
        name = source.domain.names[others[most]] if repeated else ""
        told: Attribute
        if isinstance(own, Categorical):
            told = repeating(own, name) if name else own
        elif own.since is not None and own.since.column == name and shares[most] > MANY:
            told = own
        else:
            part = min(1.0, float(table.counts[most]) / total) if name else 0.0
            told = replace(own, since=None, repeats=name, repeated=part)
        if told != own:
            entries = list(source.domain.attributes)
            entries[index] = told
            source = source.recoded(Domain(tuple(entries)))
        return source, loss - paid

    def _seen(self, domain: Domain, index: int, measured: Mapping[int, NoisyMarginal]) -> Seen:
        entry, counts = self.learned.get(index, domain.attributes[index]), measured[index].counts
        if isinstance(entry, Numeric):
            return seen_of(entry, counts)
        rows = np.maximum(counts, 0.0)
        of: dict[str | int, float] = {
            text_of(c): float(n) for c, n in zip(entry.categories, rows, strict=False)
        }
        if entry.repeats:
            base = self._seen(domain, domain.index(entry.repeats), measured)
            same = float(rows[entry.size - entry.nullable - 1]) / max(1.0, base.rows)
            of = {value: of.get(value, 0.0) + same * base.of.get(value, 0.0) for value in of | dict(base.of)}
        return Seen(_known(entry, rows), of)


def seen_of(entry: Numeric, counts: NDArray[np.float64]) -> Seen:
    """What learned bins tell of the values of a number; nothing of one that is told by a difference.

    Args:
        entry: The number, with its learned bins.
        counts: Its noisy one-way table.
    """
    rows, pieces = np.maximum(counts, 0.0), entry.pieces
    of: dict[str | int, float] = {}
    if pieces is not None and entry.since is None:
        single = np.flatnonzero(np.diff([*pieces.starts, entry.grid.size]) == 1)
        of = {
            pieces.starts[i] + entry.grid.first: float(rows[pieces.codes[i]] * pieces.shares[i])
            for i in single.tolist()
            if pieces.starts[i] < entry.grid.size
        }
    return Seen(_known(entry, rows), of)


def _known(entry: Attribute, rows: NDArray[np.float64]) -> float:
    """Rows with a value."""
    return float(rows[: entry.size - entry.nullable].sum())


def _codes_of(attribute: Attribute, values: Mapping[str | int, float]) -> NDArray[np.int64]:
    """The codes of some values of a list; of a number, their positions."""
    if isinstance(attribute, Numeric):
        return np.array(
            [value - attribute.grid.first for value in values if isinstance(value, int)], dtype=np.int64
        )
    codes = [code for code, category in enumerate(attribute.categories) if text_of(category) in values]
    return np.array(codes, dtype=np.int64)
