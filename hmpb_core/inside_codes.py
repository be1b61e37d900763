"""Where inside their codes the rows of a table lie. Free: nothing but codes and public values is looked at.

A code of a number holds many values. If each column's values were drawn by themselves, numbers that go
together would part inside their codes: two prices would correlate as prices rounded to a few amounts do,
and the fewer codes the budget allows, the less. So the rows of each of a number's codes are put into the
order that the values of the number it goes with most tell. Which values a code has, and how many rows have
each, stays as it is: no column's distribution changes, and no table over codes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from hmpb_core.domain import Domain, Numeric
from hmpb_core.grid import Pieces

LEAST_RANK_CORRELATION = 0.2
"""Spearman correlation of two numbers' codes from which on one tells the order of the other."""
LEAST_ROWS = 200
"""Rows below which every column is drawn by itself."""
ROWS_LOOKED_AT = 50_000
"""Rows that tell which numbers go together."""
TURNS = 3
"""How often every number's rows are placed by what those of another say; later turns move little."""
LEAST_LEFT = 0.005
"""Least part of a number's variance beside the other's code that the line inside the code leaves over."""
_FAR = 30.0
"""Standard deviations at which a normal distribution is cut off."""
_NARROW = 1e-6
"""Least standard deviation of a value, in parts of its code's width."""
_STEPS = 2**16
"""Places inside a code that are told apart when rows are put in order: whole numbers of 16 bits sort fast."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Between which ends the values of a number's m codes lie, shape (m + 1,); the missing one has none."""

    ends: Floats
    pieces: Pieces | None

    @classmethod
    def of(cls, attribute: Numeric) -> _Scale:
        if attribute.pieces is None:
            return cls(np.array(attribute.bin_edges, dtype=np.float64), None)
        return cls((attribute.pieces.bounds - 0.5).astype(np.float64), attribute.pieces)

    @property
    def size(self) -> int:
        return len(self.ends) - 1

    def values(self, codes: Codes, places: Floats) -> Floats:
        """Values of all rows; where they are missing, any."""
        codes = np.minimum(codes, self.size - 1)
        if self.pieces is not None:
            return self.pieces.positions(codes, places).astype(np.float64)
        values: Floats = self.ends[codes] + places * np.diff(self.ends)[codes]
        return values


def levels(codes: Codes, domain: Domain, rng: np.random.Generator) -> dict[int, Floats]:
    """Give every row its place inside its code, 0 to 1, for each number of a domain.

    The rows of a code are spread over 0 to 1 evenly, at first in any order. Then, in turns, those of each
    number are put into the order that the values of another one tell, see ``_beside``: of the one
    whose codes have the strongest rank correlation with its own. Each is drawn beside the other's last
    values, so that after some turns both are drawn together (Gibbs sampling [Geman1984]).

    Args:
        codes: Codes of shape (rows, attributes).
        domain: The domain.
        rng: Draws the places.

    Returns:
        For the index of each number the level of each row; that of a missing value says nothing.
    """
    scales = {i: _Scale.of(a) for i, a in enumerate(domain.attributes) if isinstance(a, Numeric)}
    places = {i: spread_evenly(codes[:, i], rng.random(len(codes)), rng) for i in scales}
    partners = _partners(codes, list(scales), domain)
    values = {i: scales[i].values(codes[:, i], places[i]) for i in {*partners, *partners.values()}}
    for _ in range(TURNS if partners else 0):
        for number, other in partners.items():
            own, theirs, scale = codes[:, number], codes[:, other], scales[number]
            rows = np.flatnonzero((own < scale.size) & (theirs < scales[other].size))
            inside = _beside(
                theirs[rows],
                values[other][rows],
                values[number][rows],
                low=scale.ends[own[rows]],
                high=scale.ends[own[rows] + 1],
                rng=rng,
            )
            if len(rows) < len(codes):  # the other rows of a code come anywhere among these
                given = spread_evenly(own[rows], inside, rng)
                inside = rng.random(len(codes))
                inside[rows] = given
            places[number] = spread_evenly(own, inside, rng)
            values[number] = scale.values(own, places[number])
    return places


def spread_evenly(codes: Codes, order: Floats, rng: np.random.Generator) -> Floats:
    """Spread the rows of each code evenly over 0 to 1, in an order.

    Shifted at random: a row's level is drawn from all of 0 to 1, and the whole code's vary less than if each
    were drawn by itself.

    Args:
        codes: The code of each row.
        order: Numbers from 0 to below 1: the rows of a code come in their order.
        rng: Draws the shift of each code.
    """
    rows = np.argsort(np.minimum(order * _STEPS, _STEPS - 1).astype(np.uint16), kind="stable")
    rows = rows[np.argsort(codes[rows].astype(np.uint16), kind="stable")]
    counts = np.bincount(codes)
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    of = codes[rows]
    places = np.empty(len(codes))
    places[rows] = np.minimum((rank + rng.random(len(counts))[of]) / counts[of], 1 - 1e-12)
    return places


def _partners(codes: Codes, numbers: Sequence[int], domain: Domain) -> dict[int, int]:
    """For each number the one whose codes have the strongest rank correlation with its own, if any has."""
    if len(codes) < LEAST_ROWS or len(numbers) < 2:
        return {}
    some = codes[:: math.ceil(len(codes) / ROWS_LOOKED_AT)][:, numbers]
    attributes = [domain.attributes[number] for number in numbers]
    ranks = np.column_stack(
        [_ranks(column, a.size - a.nullable, a.size) for column, a in zip(some.T, attributes, strict=True)]
    )
    strength = np.abs(ranks.T @ ranks) / len(ranks)
    np.fill_diagonal(strength, 0.0)
    best = strength.argmax(axis=1)
    return {
        number: numbers[best[place]]
        for place, number in enumerate(numbers)
        if strength[place, best[place]] >= LEAST_RANK_CORRELATION
    }


def _ranks(column: Codes, given: int, size: int) -> Floats:
    """Middle ranks of a column's codes, of mean 0 and variance 1; 0 for a missing value."""
    counts = np.bincount(column, minlength=size).astype(np.float64)
    counts[given:] = 0.0
    middle = np.cumsum(counts) - counts / 2 - counts.sum() / 2
    middle[given:] = 0.0
    spread = math.sqrt(float((counts * middle**2).sum()) / max(len(column), 1))
    ranks: Floats = (middle / spread if spread > 0 else 0.0 * middle)[column]
    return ranks


def _beside(a: Codes, x: Floats, y: Floats, *, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    """Draw where between their ends a number's values lie, given another's.

    Where that has the code a and the value x, a value lies around

        m_a + s_a (x - x_a)

    with x_a and m_a the means of both beside the code a, and s_a the slope of m through a and the codes
    beside it: a normal value, of the variance that this line leaves beside the code a, cut off at the ends.

    Args:
        a: The other number's codes.
        x: Its values.
        y: The number's values so far: they tell means and variances.
        low: Lower end of each row's value.
        high: Its upper end.
        rng: Draws the values.

    Returns:
        Parts of the way from the lower to the upper end, 0 to 1.
    """
    rows = np.bincount(a)

    def mean(of: Floats) -> Floats:
        means: Floats = np.bincount(a, of) / np.maximum(rows, 1)
        return means

    x_mean, middle = mean(x), mean(y)
    around = middle[a] + _slopes(x_mean, middle, rows)[a] * (x - x_mean[a])
    left = np.maximum(mean((y - around) ** 2), LEAST_LEFT * mean((y - middle[a]) ** 2))
    deviation = np.maximum(np.sqrt(left)[a], _NARROW * (high - low))
    drawn = around + deviation * _normal_between((low - around) / deviation, (high - around) / deviation, rng)
    inside: Floats = np.clip((drawn - low) / (high - low), 0.0, 1.0)
    return inside


def _slopes(x: Floats, y: Floats, rows: NDArray[np.integer]) -> Floats:
    """Slope of the line through each point and its neighbours that have rows, by least squares."""
    slopes = np.zeros(len(x))
    held = np.flatnonzero(rows)
    for place, code in enumerate(held):
        near = held[max(0, place - 1) : place + 2]
        weights = np.minimum(rows[near], rows[code])  # a large neighbour says no more than the code itself
        across = x[near] - np.average(x[near], weights=weights)
        spread = float((weights * across**2).sum())
        if spread > 0:
            slopes[code] = float((weights * across * y[near]).sum()) / spread
    return slopes


def _normal_between(low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    """Standard normal values between two ends each, drawn on the side where the tail is exact."""
    turned = low + high > 0
    first, last = np.where(turned, -high, low), np.where(turned, -low, high)
    first, last = np.clip(first, -_FAR, _FAR), np.clip(last, -_FAR, _FAR)
    below = ndtr(first)
    drawn = ndtri(np.maximum(below + rng.random(len(low)) * (ndtr(last) - below), 1e-300))
    values: Floats = np.where(turned, -drawn, drawn)
    return values
