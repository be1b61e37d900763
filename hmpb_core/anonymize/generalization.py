"""Loss by generalisation, which GPKC grows its classes by: ranges of numbers, suppressed categories."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from hmpb_core.anonymize.measure import Ahead, Floats, Integers, Shelf, Tally


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Range:
    """Numbers or ranks generalised to the class's range: every row loses its width.

    A class that holds the missing value beside others loses everything (width 1).

    Source: [Campan2007, information loss of numerical attributes].

    Attributes:
        positions: Place of each value between 0 and 1; shape (u,) without the missing value.
        missing: Whether a missing value follows as the last code.
    """

    positions: Floats
    missing: bool = False

    @property
    def n_values(self) -> int:
        """Number of values, the missing one included."""
        return len(self.positions) + self.missing

    def start(self) -> Tally:
        """The tally of an empty class."""
        return _RangeTally(self)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        return _RangeShelf(self, capacity)

    def distances(self, code: int) -> Floats:
        """Width of the range of two values."""
        losses = np.ones(self.n_values)
        if self.missing and code == self.n_values - 1:
            losses[-1] = 0.0
        else:
            losses[: len(self.positions)] = np.abs(self.positions - self.positions[code])
        return losses

    def loss(self, codes: Integers) -> float:
        """Width of the class's range, once a row."""
        present = codes[codes < len(self.positions)]
        if not len(present):
            return 0.0
        if len(present) < len(codes):
            return float(len(codes))
        x = self.positions[present]
        return float(len(codes) * (x.max() - x.min()))

    def loss_floor(self, codes: Integers) -> float:
        """The loss itself: a wider class loses more in every row."""
        return self.loss(codes)

    def centroid(self, codes: Integers) -> float:
        """Code in the middle of the range."""
        return float((codes.min() + codes.max()) // 2)


class _RangeTally:
    def __init__(self, measure: Range) -> None:
        self._measure = measure
        self._codes = np.empty(0, dtype=np.int64)
        self.loss = 0.0

    @property
    def floor(self) -> float:
        return self.loss

    def add(self, code: int) -> None:
        self._codes = np.append(self._codes, code)
        self.loss = self._measure.loss(self._codes)

    def losses(self) -> Floats:
        positions, n_rows = self._measure.positions, len(self._codes) + 1
        present = self._codes[self._codes < len(positions)]
        losses = np.full(self._measure.n_values, float(n_rows))
        if len(present) == n_rows - 1 and len(present):
            x = positions[present]
            losses[: len(positions)] = n_rows * (
                np.maximum(x.max(), positions) - np.minimum(x.min(), positions)
            )
        if not len(present):
            losses[len(positions) :] = 0.0
            if n_rows == 1:
                losses[:] = 0.0
        return losses

    def ahead(self) -> Ahead:
        return Ahead.of_all(self.losses())


class _UnionShelf(ABC):
    """A shelf whose unions' losses follow from a few numbers a class: they are their own bounds."""

    def together(self, growing: Tally, codes: Integers, places: Integers) -> Floats:
        return self._losses(codes, places)

    def losses_with(self, codes: Integers, places: Integers) -> Floats:
        return self._losses(codes, places)

    @abstractmethod
    def _losses(self, codes: Integers, places: Integers) -> Floats: ...


class _RangeShelf(_UnionShelf):
    """Ends of the classes' ranges: a union's are found at once."""

    def __init__(self, measure: Range, capacity: int) -> None:
        self._measure, self._positions = measure, measure.positions
        self._low, self._high = np.full(capacity, np.inf), np.full(capacity, -np.inf)
        self._n_rows, self._absent = np.zeros(capacity), np.zeros(capacity, dtype=bool)

    def put(self, place: int, codes: Integers) -> float:
        self._low[place], self._high[place], self._absent[place] = self._ends(codes)
        self._n_rows[place] = len(codes)
        return self._measure.loss_floor(codes)

    def _ends(self, codes: Integers) -> tuple[float, float, bool]:
        x = self._positions[codes[codes < len(self._positions)]]
        return float(x.min(initial=np.inf)), float(x.max(initial=-np.inf)), len(x) < len(codes)

    def _losses(self, codes: Integers, places: Integers) -> Floats:
        low, high, absent = self._ends(codes)
        low_of_both = np.minimum(self._low[places], low)
        width = np.maximum(self._high[places], high) - low_of_both
        width = np.where(self._absent[places] | absent, 1.0, width)
        # Nothing but missing values lose nothing.
        losses: Floats = (self._n_rows[places] + len(codes)) * np.where(low_of_both < np.inf, width, 0.0)
        return losses


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Suppression:
    """Categories without a hierarchy: kept where a class has one of them, else suppressed in every row.

    Source: [Campan2007, information loss of categorical attributes, a hierarchy of one level].

    Attributes:
        n_values: Number of values.
    """

    n_values: int

    def start(self) -> Tally:
        """The tally of an empty class."""
        return _SuppressionTally(self.n_values)

    def shelf(self, capacity: int) -> Shelf:
        """An empty shelf for this many classes."""
        return _SuppressionShelf(capacity)

    def distances(self, code: int) -> Floats:
        """1 from every other value."""
        out = np.ones(self.n_values)
        out[code] = 0.0
        return out

    def loss(self, codes: Integers) -> float:
        """Number of rows, unless they are all of one value."""
        return float(len(codes)) if len(codes) and (codes != codes[0]).any() else 0.0

    def loss_floor(self, codes: Integers) -> float:
        """The loss itself."""
        return self.loss(codes)

    def centroid(self, codes: Integers) -> float:
        """Code of the most frequent value; the first of equals."""
        return float(np.bincount(codes).argmax())


class _SuppressionTally:
    def __init__(self, n_values: int) -> None:
        self._n_values = n_values
        self._n_rows = 0
        self._only = -1
        self.loss = 0.0

    @property
    def floor(self) -> float:
        return self.loss

    def add(self, code: int) -> None:
        self._only = code if not self._n_rows or self._only == code else -1
        self._n_rows += 1
        self.loss = 0.0 if self._only >= 0 else float(self._n_rows)

    def losses(self) -> Floats:
        if not self._n_rows:
            return np.zeros(self._n_values)
        losses = np.full(self._n_values, self._n_rows + 1.0)
        if self._only >= 0:
            losses[self._only] = 0.0
        return losses

    def ahead(self) -> Ahead:
        # Of many values all but one are suppressed, so that no table of them is needed.
        if not self._n_rows:
            return Ahead.of_all(self.losses())
        only, rest = self._only, self._n_rows + 1.0
        ranges = [(only, only + 1)] if only >= 0 else []
        return Ahead(
            rest=rest,
            least=0.0 if ranges else rest,
            ranges=ranges,
            losses=lambda codes: np.where(codes == only, 0.0, rest),
        )


class _SuppressionShelf(_UnionShelf):
    """The only value of each class, if it has only one."""

    def __init__(self, capacity: int) -> None:
        self._only, self._n_rows = np.full(capacity, -1), np.zeros(capacity)

    def put(self, place: int, codes: Integers) -> float:
        self._only[place] = codes[0] if (codes == codes[0]).all() else -1
        self._n_rows[place] = len(codes)
        return 0.0 if self._only[place] >= 0 else float(len(codes))

    def _losses(self, codes: Integers, places: Integers) -> Floats:
        only = codes[0] if (codes == codes[0]).all() else -2
        return np.where(self._only[places] == only, 0.0, self._n_rows[places] + len(codes))
