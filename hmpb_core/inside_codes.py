"""Where inside their codes the rows of a table lie. Free: nothing but codes and public values is looked at.

A code of a number holds many values. If each column's values were drawn by themselves, numbers that go
together would part inside their codes: two prices would correlate as prices rounded to a few amounts do,
and the fewer codes the budget allows, the less. So the rows of each of a number's codes are put into the
order that its other numbers tell. Which values a code has, and how many rows have each, stays as it is: no
column's distribution changes, and no table over codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from hmpb_core.domain import Domain, Numeric

LEAST_ROWS = 200
"""Rows below which every column is drawn by itself."""
MOST_NUMBERS = 200
"""Numbers above which every column is drawn by itself: the work grows with their square."""
LEARN_FROM = 20_000
"""Rows, at most, that tell how numbers go together."""
LEARNING, PLACING = 6, 2
"""Sweeps over all numbers: of the rows that tell how they go together, and then of all rows."""
LEAST_EXPLAINED = 0.04
"""Part of a number's variance that the others explain, below which it is drawn by itself."""
INDEPENDENT = 0.01
"""Part of independence in the correlations: keeps columns apart that say the same."""
STEP, STEPS = 0.5, 7
"""Width, in standard deviations, of the groups of rows in which a number's mean follows a line, and how many
there are to either side of the middle one."""
BELIEVED = 5
"""Rows for which the variance that correlations leave counts among a group's own."""
LEAST_LEFT = 0.005
"""Least variance of a number in a group, in parts of what correlations leave."""
_FAR = 30.0
"""Standard deviations at which a normal distribution is cut off."""
_ORDERED = 2**16
"""Places inside a code that are told apart when rows are put in order: whole numbers of 16 bits sort fast."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


def levels(codes: Codes, domain: Domain, rng: np.random.Generator) -> dict[int, Floats]:
    """Give every row its place inside its code, 0 to 1, for each number of a domain.

    The rows are taken for draws of which only the codes are seen: of normal numbers, cut where the shares of
    the codes say [Hoff2007]. These are drawn by Gibbs sampling inside the rows' codes, each given the others,
    see ``_sweep``, and what they have to do with each other is learned from them in turn: first from some of
    the rows, then all rows are placed. Only their order inside a code is used: the rows of a code are
    spread over 0 to 1 evenly.

    Args:
        codes: Codes of shape (rows, attributes).
        domain: The domain.
        rng: Draws the places.

    Returns:
        For the index of each number the level of each row; that of a missing value says nothing.
    """
    numbers = {i: a for i, a in enumerate(domain.attributes) if isinstance(a, Numeric)}
    if not 2 <= len(numbers) <= MOST_NUMBERS or len(codes) < LEAST_ROWS:
        return {i: spread_evenly(codes[:, i], rng.random(len(codes)), rng) for i in numbers}
    shuffled = rng.permutation(len(codes))
    columns = [_Column.of(codes[shuffled, i], attribute) for i, attribute in numbers.items()]
    told = [column.first(LEARN_FROM) for column in columns]
    known = np.stack([column.drawn(np.zeros(len(column.codes)), 1.0, rng) for column in told])
    for _ in range(LEARNING):
        _sweep(known, told, rng)
    rest = [column.drawn(np.zeros(len(column.codes)), 1.0, rng) for column in columns]
    drawn = np.concatenate([known, np.stack(rest)[:, known.shape[1] :]], axis=1)
    for _ in range(PLACING):
        _sweep(drawn, columns, rng)
    places = {}
    for index, column, values in zip(numbers, columns, drawn, strict=True):
        places[index] = np.empty(len(codes))
        places[index][shuffled] = spread_evenly(column.codes, column.inside(values), rng)
    return places


def spread_evenly(codes: Codes, order: Floats, rng: np.random.Generator) -> Floats:
    """Spread the rows of each code evenly over 0 to 1, in an order.

    Shifted at random: a row's level is drawn from all of 0 to 1, and the whole code's vary less than if each
    were drawn by itself.

    Args:
        codes: The code of each row.
        order: Numbers from 0 to 1: the rows of a code come in their order.
        rng: Draws the shift of each code.
    """
    rows = np.argsort(np.minimum(order * _ORDERED, _ORDERED - 1).astype(np.uint16), kind="stable")
    counts = np.bincount(codes)
    rows = rows[np.argsort(codes[rows].astype(np.min_scalar_type(len(counts))), kind="stable")]
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    of = codes[rows]
    places = np.empty(len(codes))
    places[rows] = np.minimum((rank + rng.random(len(counts))[of]) / counts[of], 1 - 1e-12)
    return places


@dataclass(frozen=True, slots=True)
class _Column:
    """A number's codes, and the normal numbers between which each code lies: shapes (rows,) and (m,)."""

    codes: Codes
    low: Floats
    high: Floats

    @classmethod
    def of(cls, codes: Codes, attribute: Numeric) -> _Column:
        """The missing value lies anywhere."""
        known = attribute.size - attribute.nullable
        counts = np.bincount(codes, minlength=attribute.size)[:known]
        shares = np.concatenate([[0.0], np.cumsum(counts)]) / max(1, int(counts.sum()))
        ends = np.clip(ndtri(np.minimum(shares, 1.0)), -_FAR, _FAR)
        anywhere = [_FAR] if attribute.nullable else []
        return cls(codes, np.append(ends[:-1], np.negative(anywhere)), np.append(ends[1:], anywhere))

    def first(self, rows: int) -> _Column:
        return _Column(self.codes[:rows], self.low, self.high)

    def drawn(self, mean: Floats, deviation: Floats | float, rng: np.random.Generator) -> Floats:
        """Normal numbers inside the codes."""
        low, high = self.low[self.codes], self.high[self.codes]
        values = mean + deviation * _normal_between((low - mean) / deviation, (high - mean) / deviation, rng)
        inside: Floats = np.clip(values, low, high)
        return inside

    def inside(self, values: Floats) -> Floats:
        """What part of their codes' rows lie below values, 0 to 1."""
        below, above = ndtr(self.low)[self.codes], ndtr(self.high)[self.codes]
        parts: Floats = np.clip((ndtr(values) - below) / np.maximum(above - below, 1e-300), 0.0, 1.0)
        return parts


def _sweep(drawn: Floats, columns: list[_Column], rng: np.random.Generator) -> None:
    """Draw each number again, given the others and its codes.

    By the correlations of all, the others tell x of a number, its best linear prediction. How far it follows
    x is read off in groups of rows of like x, since long tails go together otherwise than correlations say:

        around  m_g + s_g (x - x_g)

    with x_g and m_g the means of both in the group g and s_g the slope of m through g and the groups beside
    it, and with the variance that this line leaves in g.

    Args:
        drawn: The normal numbers, shape (numbers, rows); changed in place. The first rows tell.
        columns: The numbers' codes.
        rng: Draws them.
    """
    together = _correlations(drawn[:, :LEARN_FROM])
    precision = np.linalg.inv(together)
    for own, column in enumerate(columns):
        unexplained = 1 / precision[own, own]
        if 1 - unexplained < LEAST_EXPLAINED:
            continue
        weights = -precision[own] * unexplained
        weights[own] = 0.0
        x = weights @ drawn
        around, variance = _followed(x, drawn[own, :LEARN_FROM], unexplained)
        drawn[own] = column.drawn(around, np.sqrt(variance), rng)


def _followed(x: Floats, told: Floats, unexplained: float) -> tuple[Floats, Floats]:
    """Mean and variance of a number beside its linear prediction, as the first rows' numbers tell."""
    steps = np.rint(x / (STEP * max(float(x[: len(told)].std()), 1e-12)))
    group = (np.clip(steps, -STEPS, STEPS) + STEPS).astype(np.int64)
    of = group[: len(told)]
    rows = np.bincount(of, minlength=2 * STEPS + 1)

    def mean(values: Floats) -> Floats:
        means: Floats = np.bincount(of, values, minlength=len(rows)) / np.maximum(rows, 1)
        return means

    x_mean, middle = mean(x[: len(told)]), mean(told)
    slope = _slopes(x_mean, middle, rows)
    around = np.where(rows[group] > 0, middle[group] + slope[group] * (x - x_mean[group]), x)
    left = mean((told - around[: len(told)]) ** 2)
    variance = (rows * left + BELIEVED * unexplained) / (rows + BELIEVED)
    return around, np.maximum(variance, LEAST_LEFT * unexplained)[group]


def _slopes(x: Floats, y: Floats, rows: NDArray[np.integer]) -> Floats:
    """Slope of the line through each point and its neighbours that have rows, by least squares."""
    slopes = np.zeros(len(x))
    held = np.flatnonzero(rows)
    for place, group in enumerate(held):
        near = held[max(0, place - 1) : place + 2]
        weights = np.minimum(rows[near], rows[group])  # a large neighbour says no more than the group itself
        across = x[near] - np.average(x[near], weights=weights)
        spread = float((weights * across**2).sum())
        if spread > 0:
            slopes[group] = float((weights * across * y[near]).sum()) / spread
    return slopes


def _correlations(drawn: Floats) -> Floats:
    """Correlations of the numbers, a little towards none; a constant one has none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.nan_to_num(np.atleast_2d(np.corrcoef(drawn)), nan=0.0)
    together: Floats = (1 - INDEPENDENT) * found
    np.fill_diagonal(together, 1.0)
    return together


def _normal_between(low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    """Standard normal values between two ends each, drawn on the side where the tail is exact."""
    turned = low + high > 0
    first, last = np.where(turned, -high, low), np.where(turned, -low, high)
    first, last = np.clip(first, -_FAR, _FAR), np.clip(last, -_FAR, _FAR)
    below = ndtr(first)
    drawn = ndtri(np.maximum(below + rng.random(len(low)) * (ndtr(last) - below), 1e-300))
    values: Floats = np.where(turned, -drawn, drawn)
    return values
