"""Rows into classes of at least k rows and p sensitive values: MAASAE, MAA-MINIL, GPKC.

Source: [Yang2014, algorithm 1]. The greedy choice is exact: a row's added loss is looked up and not
worked out again (``Pool``), and a finished class is left out of the comparison only where a lower bound
of its loss shows that it cannot win (``Shelves``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hmpb_core.anonymize.groups import Group
from hmpb_core.anonymize.measure import Floats, Integers, Measure
from hmpb_core.anonymize.pool import Pool
from hmpb_core.anonymize.shelves import SLACK, Shelves
from hmpb_core.anonymize.together import Together
from hmpb_core.errors import PlanError
from hmpb_core.progress import Progress, silent

NOTHING = 1e-12
"""A loss at or below this is none: what rounding leaves of equal rows."""

LARGE = 1e300
EVERY_ROW = (0, math.inf, 0.0)
"""Better than every row that does not raise the entropy."""

Score = tuple[int, float, float]
"""How good a choice is: by its kind, then its value, then its tie-break. Greater is better."""


class Method(StrEnum):
    """Which choice is the greedy one."""

    MAASAE = "maasae"
    MAA_MINIL = "maa-minil"
    GPKC = "gpkc"


def protection(entropy_gain: float, added_loss: float) -> float:
    """Anonymous protection factor of a step, APF = EA / ILA (bits per unit of loss).

    Infinite where entropy grows at no loss, 0 where neither changes.

    Source: [Yang2014, eq. 16].

    Example:
        >>> protection(0.5, 2.0)
        0.25
    """
    if added_loss > NOTHING:
        return entropy_gain / added_loss
    return math.copysign(math.inf, entropy_gain) if abs(entropy_gain) > NOTHING else 0.0


def score(method: Method, entropy_gain: float, added_loss: float) -> Score:
    """Rank a choice: by protection (MAASAE), or by the least added loss (MAA-MINIL, GPKC).

    Among choices that cost nothing the greatest gain of entropy wins.

    Departs from [Yang2014, eq. 16]: where entropy falls, EA / ILA would prefer the choice that loses
    most. Such choices come after all others and are ranked by EA * ILA, and those that leave the entropy
    as it is by ILA.
    """
    added_loss = max(added_loss, 0.0)
    if method is not Method.MAASAE:
        return (0, -added_loss, entropy_gain)
    if entropy_gain > NOTHING:
        return (2, entropy_gain, 0.0) if added_loss <= NOTHING else (1, entropy_gain / added_loss, 0.0)
    if entropy_gain >= -NOTHING:
        return (0, -added_loss, 0.0)
    return (-1, entropy_gain * added_loss, entropy_gain)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rows:
    """A table as the search sees it.

    Attributes:
        codes: Codes of the quasi-identifiers; shape (rows, attributes).
        sensitive: Codes of the sensitive attribute; shape (rows,).
        measures: How each quasi-identifier counts.
    """

    codes: Integers
    sensitive: Integers
    measures: tuple[Measure, ...]


def check_possible(sensitive: Integers, *, k: int, p: int) -> None:
    """Refuse k and p that no table, or not this one, can have.

    Raises:
        PlanError: 2 <= p <= k does not hold, or the table has fewer rows than k or fewer values than p.
    """
    if p < 2 or k < p:
        raise PlanError(
            "k is {k} and p is {p}; p must be at least 2 and k at least p. Raise k, or lower p.", k=k, p=p
        )
    if len(sensitive) < k:
        raise PlanError("k is {k}, but the table has fewer rows; lower k.", k=k)
    if len(np.unique(sensitive)) < p:
        raise PlanError(
            "p is {p}, but the sensitive attribute has fewer different values in this table; lower p, "
            "or name another sensitive attribute.",
            p=p,
        )


def even_share(sensitive: Integers, *, k: int) -> int:
    """How often a value occurs in k evenly spread rows where k is more than the values are; else 0.

    Example:
        >>> even_share(np.array([0, 1, 2]), k=3), even_share(np.array([0, 1, 2]), k=7)
        (0, 3)
    """
    n_found = len(np.unique(sensitive))
    return math.ceil(k / n_found) if k > n_found else 0


def partition(
    table: Rows,
    *,
    k: int,
    p: int,
    method: Method = Method.MAASAE,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> list[list[int]]:
    """Put every row into a class of at least k rows and p different sensitive values.

    A class starts from a random row. While it has fewer than p rows it takes, of the rows whose
    sensitive value it lacks, the best (``score``), and then, up to k rows, the best of all; or it joins
    the finished class that does better or as well (not GPKC). When fewer than k rows or p values are
    left, each remaining row joins a finished class.

    Args:
        table: The rows.
        k: Smallest number of rows of a class.
        p: Smallest number of different sensitive values of a class.
        method: Which choice is the best.
        rng: Draws the first row of each class, and the order of the remaining rows.
        progress: Called with the part of the rows done; may raise ``CancelledError``.

    Returns:
        The row numbers of each class.

    Raises:
        PlanError: k and p are impossible for this table.
    """
    check_possible(table.sensitive, k=k, p=p)
    return _Search(table, k=k, p=p, method=method).run(rng, progress)


class _Search:
    def __init__(self, table: Rows, *, k: int, p: int, method: Method) -> None:
        self._table, self._k, self._p, self._method = table, k, p, method
        self._n_values = int(table.sensitive.max()) + 1
        self._even = even_share(table.sensitive, k=k) if method is Method.MAASAE else 0
        capacity = len(table.sensitive) // k + 1
        self._together = Together.of(table.measures, capacity=capacity)
        self._shelves = Shelves(table.codes, self._together, n_values=self._n_values, capacity=capacity)

    def run(self, rng: np.random.Generator, progress: Progress) -> list[list[int]]:
        table = self._table
        pool = Pool(table.codes, table.sensitive, self._together)
        free = np.ones(len(table.sensitive), dtype=bool)
        for seed in rng.permutation(len(free)).tolist():
            if len(pool) < self._k or np.count_nonzero(pool.counts) < self._p:
                break
            if not free[seed]:
                continue
            progress(1 - len(pool) / len(free), "grouping rows")
            group = Group(table.codes, table.sensitive, self._n_values, self._together)
            joins = self._method is not Method.GPKC
            pool.begin()
            if joins:
                self._shelves.begin()
            self._take(seed, pool, group, free)
            rows, counts = group.rows, group.counts
            while len(rows) < self._k:
                choice = self._choice(pool, group)
                merged = self._best_class(group, EVERY_ROW) if joins and choice.falls else None
                if merged is None:
                    best, value = self._best_row(pool, group, choice)
                    if joins and self._may_join(group, best, value):
                        merged = self._best_class(group, best)
                if merged is None:
                    self._take(pool.first_of(value), pool, group, free)
                else:
                    rows = [*group.rows, *self._shelves.remove(merged)]
                    counts = counts + self._shelves.counts[merged]
            self._shelves.put(rows, counts)
        left = rng.permutation(np.flatnonzero(free)).tolist()
        for done, row in enumerate(left):
            progress(1 - (len(left) - done) / len(free), "placing the last rows")
            self._join(row)
        return [members for members in self._shelves.members if members]

    def _take(self, row: int, pool: Pool, group: Group, free: np.ndarray) -> None:
        group.add(row)
        pool.take(row)
        free[row] = False
        if self._method is not Method.GPKC:
            self._shelves.follow(group)

    def _choice(self, pool: Pool, group: Group) -> _Choice:
        """Which sensitive values the next row may have."""
        gains, counts = group.gains(), group.counts.tolist()
        values = [value for value, n in enumerate(pool.counts.tolist()) if n]
        filled = True
        if len(group.rows) < self._p:
            values = [value for value in values if not counts[value]]
        short = [value for value in values if counts[value] < self._even]
        if short:
            values, filled = short, False
        rising = [value for value in values if gains[value] > NOTHING]
        if self._method is Method.MAASAE and rising:
            values = rising
        eligible = np.zeros(len(gains), dtype=bool)
        eligible[values] = True
        return _Choice(
            gains={value: gains[value] for value in values},
            eligible=eligible,
            falls=self._method is Method.MAASAE and filled and not rising,
        )

    def _best_row(self, pool: Pool, group: Group, choice: _Choice) -> tuple[Score, int]:
        """The best score of a row, and its sensitive value."""
        best = self._best_value(pool.look(group, choice.eligible), choice.gains, group.loss)
        limit = math.inf if best is None else group.loss + self._limit(best[0], max(choice.gains.values()))
        best = self._best_value(pool.within(limit), choice.gains, group.loss)
        if best is None:
            raise AssertionError("a row with a new sensitive value is left while a class grows")
        return best[0], -best[1]

    def _may_join(self, group: Group, best: Score, value: int) -> bool:
        """Whether finished classes are compared with the best row.

        Departs from [Yang2014, algorithm 1], which is tried there with no more rows in a class than there
        are sensitive values: beyond that every further row lowers the entropy, and each class would join
        the most even finished one, until one is left. A row that keeps the class as even as its size
        allows is taken instead.
        """
        return best[0] > 0 or group.counts[value] >= self._even

    def _best_value(self, least: Floats, gains: dict[int, float], loss: float) -> tuple[Score, int] | None:
        """The best score of the values' least losses, and the value; the first of equals."""
        best: tuple[Score, int] | None = None
        totals = least.tolist()
        for value, gain in gains.items():
            if totals[value] < math.inf:
                found = (score(self._method, gain, totals[value] - loss), -value)
                if best is None or found > best:
                    best = found
        return best

    def _limit(self, to_beat: Score, most: float) -> float:
        """The most that a row may add to the loss and still score as well, by the greatest gain."""
        kind, value, _ = to_beat
        if self._method is not Method.MAASAE:
            return SLACK - value
        if kind == 2:
            return NOTHING + SLACK
        if kind == 1:
            return most / value + SLACK
        return value / most + SLACK if most < -NOTHING else math.inf

    def _best_class(self, group: Group, to_beat: Score) -> int | None:
        """The finished class whose union scores best, if it scores no less than the best row."""
        loss, before = group.loss, group.entropy
        aim = _Joining(method=self._method, entropy=before, loss=loss, bar=to_beat)
        best: tuple[Score, int] | None = None
        for place, bits, total in zip(*self._shelves.joined(group, aim), strict=True):
            found = score(self._method, float(bits) - before, float(total) - loss)
            if found >= to_beat and (best is None or (found, -int(place)) > best):
                best = (found, -int(place))
        return None if best is None else -best[1]

    def _join(self, row: int) -> None:
        """Put a remaining row into a class.

        MAASAE takes the class that maximises APF({t}, {t} + G) = Ent(G + t) / IL(G + t), as the paper
        prints it (a row alone has neither entropy nor loss); the others the class that loses least more.
        """
        table, shelves = self._table, self._shelves
        alone = Group(table.codes, table.sensitive, self._n_values, self._together)
        alone.add(row)
        shelves.begin()
        shelves.follow(alone)
        if self._method is Method.MAASAE:
            places, bits, losses = shelves.joined(alone, _Placing())
            scores = [
                score(self._method, b, il) for b, il in zip(bits.tolist(), losses.tolist(), strict=True)
            ]
        else:
            before = shelves.losses()
            places, _, losses = shelves.joined(alone, _LosingLeast(before=before))
            scores = [score(self._method, 0.0, il) for il in (losses - before[places]).tolist()]
        _, negative = max((found, -place) for found, place in zip(scores, places.tolist(), strict=True))
        shelves.put([*shelves.members[-negative], row], shelves.counts[-negative] + alone.counts, -negative)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Choice:
    """What the next row of a class may be.

    Attributes:
        gains: The gain of entropy by each sensitive value that the best row may have.
        eligible: Which values these are.
        falls: Whether no row raises the entropy, so that any finished class that does is better.
    """

    gains: dict[int, float]
    eligible: NDArray[np.bool_]
    falls: bool


@dataclass(slots=True, kw_only=True)
class _Joining:
    """A class is worth joining a growing one to if the step scores no less than the bar."""

    method: Method
    entropy: float
    loss: float
    bar: Score

    def reach(self, bits: float) -> float:
        kind, value, _tie = self.bar
        if self.method is not Method.MAASAE:
            return self.loss + SLACK - value
        if kind == 2:
            return self.loss + NOTHING + SLACK
        return self.loss + (max(bits - self.entropy, 0.0) + SLACK) / value if kind == 1 else LARGE

    def worth(self, _: Integers, bits: Floats, losses: Floats) -> NDArray[np.bool_]:
        gains, added = bits - self.entropy, losses - self.loss
        kind, value, _tie = self.bar
        if self.method is not Method.MAASAE:
            return added <= SLACK - value
        if kind == 2:
            return added <= NOTHING + SLACK
        if kind == 1:
            return gains + SLACK >= value * added
        if kind == 0:
            return (gains >= -NOTHING) & ((gains > NOTHING) | (added <= SLACK - value))
        return (gains + SLACK >= 0) & (added < math.inf) | (gains * np.clip(added, 0, LARGE) >= value - SLACK)

    def rank(self, _: Integers, bits: Floats, losses: Floats) -> Floats:
        if self.method is not Method.MAASAE:
            return -losses
        likely: Floats = (bits - self.entropy) / np.maximum(losses - self.loss, SLACK)
        return likely

    def met(self, _: Integers, bits: Floats, losses: Floats) -> None:
        for b, il in zip(bits.tolist(), losses.tolist(), strict=True):
            self.bar = max(self.bar, score(self.method, b - self.entropy, il - self.loss))


@dataclass(slots=True)
class _Placing:
    """A class is worth taking a remaining row in by the greatest Ent(G) / IL(G)."""

    least: float = math.ulp(0.0)
    """Above 0, so that a place without a class, of infinite loss, is worth nothing."""

    def reach(self, bits: float) -> float:
        return bits / self.least if self.least > NOTHING else LARGE

    def worth(self, _: Integers, bits: Floats, losses: Floats) -> NDArray[np.bool_]:
        return bits + SLACK >= self.least * losses

    def rank(self, _: Integers, bits: Floats, losses: Floats) -> Floats:
        likely: Floats = bits / np.maximum(losses, SLACK)
        return likely

    def met(self, _: Integers, bits: Floats, losses: Floats) -> None:
        for b, il in zip(bits.tolist(), losses.tolist(), strict=True):
            self.least = max(self.least, b / il if il > NOTHING else 0.0)


@dataclass(slots=True, kw_only=True)
class _LosingLeast:
    """A class is worth taking a remaining row in by the least loss that it adds."""

    before: Floats
    most: float = math.inf

    def reach(self, _: float) -> float:
        return LARGE

    def worth(self, places: Integers, _: Floats, losses: Floats) -> NDArray[np.bool_]:
        return losses - self.before[places] <= self.most + SLACK

    def rank(self, places: Integers, _: Floats, losses: Floats) -> Floats:
        return self.before[places] - losses

    def met(self, places: Integers, _: Floats, losses: Floats) -> None:
        self.most = min(self.most, float((losses - self.before[places]).min()))
