"""What to spend on: the one-way tables once more, and how many pairs.

Made from noisy tables and noisy similarities alone, so free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hmpb_core.graphical.graph import Pair
from hmpb_core.learners.adaptive.pair_prior import PairPrior
from hmpb_core.learners.adaptive.scores import expected_error
from hmpb_core.marginal import NoisyMarginal

AGAIN = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)
"""Parts of the budget that measuring the one-way tables again may get, where pairs are worth the rest."""
WORTH = 0.995
"""Pairs are asked for where that promises less than this part of the error without them."""
TABLES = (1, 2, 3, 4, 6, 8, 10, 12, 14, *range(16, 48, 2), *range(48, 96, 4), *range(96, 301, 12))
"""Numbers of pairs that may be planned."""
REACH, ATTRIBUTES_PER_REACH = 3.0, 19
"""What a measured pair mends in all pairs, over what it mends in its own: others hang on it, more of them the
more attributes there are (``benchmarks.worth``)."""
LOST = 0.5
"""Noise on a similarity, which lies between 0 and 1, that leaves nothing of it."""
STEPS = 16
"""Noise is told apart to a 16th of a natural logarithm."""

Floats = NDArray[np.float64]


class BudgetPlan:
    """What measuring promises, by public knowledge.

    Args:
        prior: Public knowledge; its similarities must be in rows.
        pairs: Pairs that may be measured.
        noise_of: Noise of a count of a table measured with this part of the budget.
    """

    def __init__(self, prior: PairPrior, pairs: Sequence[Pair], noise_of: Callable[[float], float]) -> None:
        assert prior.strength is not None
        self._prior = prior
        self._pairs = pairs
        self._asked = tuple(np.array(pairs, dtype=np.intp).reshape(-1, 2).T)
        self._noise_of = noise_of
        self._strength = prior.strength
        self._errors: dict[int, Floats] = {}
        tables = [prior.independent(pair).ravel() for pair in pairs]
        self._cells = np.concatenate([np.zeros(0), *tables])
        self._starts = np.cumsum([0, *(table.size for table in tables)])[:-1].astype(np.intp)

    def pairs_planned(self) -> int:
        """The number of pairs that promises most by the noisy similarity.

        With K tables each gets a K-th of the budget; the best K pairs then promise the sum of
        their positive net gains.
        """
        seen = self._strength[self._asked]
        promises: dict[int, float] = {
            tables: _largest(seen - self._pair_errors(1 / tables), tables)
            for tables in TABLES
            if tables <= max(1, len(self._pairs))
        }
        best, _ = max(promises.items(), key=lambda item: (item[1], -item[0]))
        return best

    def promises_nothing(self) -> bool:
        """Whether no pair is believed to be worth its measurement, or the similarity is all noise."""
        noise_sd = self._prior.noise_sd if self._prior.likely is None else self._prior.likely_sd
        if noise_sd > LOST * self._prior.total:
            return True
        return all(
            _largest(believed[self._asked] - self._pair_errors(1 / tables), tables) <= 0
            for believed in self._readings()
            for tables in TABLES
            if tables <= max(1, len(self._pairs))
        )

    def part_of_one_way(self, profile: Sequence[NoisyMarginal], parts: Sequence[float]) -> float:
        """The part of the budget with which the one-way tables are best measured again.

        A pair of the model is off because its dependence is unknown, or measured with noise, and
        because both its one-way tables are noisy. Independent errors add up as squares do: with
        D the total variation from independence, e of a one-way table's noise and m of a
        measured pair's,

            sqrt(D^2 + e_a^2 + e_b^2)  unmeasured,    sqrt(m^2 + e_a^2 + e_b^2)  measured.

        Sum the first over all pairs, take off what the best K measured pairs mend, times
        what hangs on them, and choose the part for which the least of it over K is least.

        It is 1 where that is hardly less than the first alone, with everything spent on one-way tables: at
        the edge of what noise allows the pairs that are looked for are not the best ones. But patterns that
        many pairs share stand out of noise in which each pair is lost: where the similarity shows any, it
        must be so by what they leave of it, too.

        Args:
            profile: The noisy one-way tables.
            parts: Each attribute's part of what the one-way tables get; they sum to 1.
        """
        part = 1.0
        for believed in self._readings():
            if part == 1:
                part = self._part_of_one_way(profile, parts, believed)
        return part

    def _part_of_one_way(
        self, profile: Sequence[NoisyMarginal], parts: Sequence[float], believed: Floats
    ) -> float:
        first, second = np.triu_indices(len(profile), 1)
        dependence = believed**2

        def expected(again: float) -> float:
            errors = [
                expected_error(table, self._noise_after(measured.noise_sd, again * part)) ** 2
                for table, measured, part in zip(self._prior.one_way, profile, parts, strict=True)
            ]
            both = np.add.outer(errors, errors)
            unmeasured = np.sqrt(dependence + both)
            without = float(unmeasured[first, second].sum())
            if again == 1:
                return without
            mended = max(
                _largest(
                    unmeasured[self._asked]
                    - np.hypot(self._pair_errors((1 - again) / tables), np.sqrt(both[self._asked])),
                    tables,
                )
                for tables in TABLES
                if tables <= len(self._pairs)
            )
            return without - _reach(len(profile)) * mended

        least, again = min((expected(again), again) for again in AGAIN)
        return again if least < WORTH * expected(1.0) else 1.0

    def _noise_after(self, noise_sd: float, part: float) -> float:
        return noise_sd if part == 0 else 1 / math.hypot(1 / max(noise_sd, 1e-9), 1 / self._noise_of(part))

    def _pair_errors(self, part: float) -> Floats:
        """Expected error of every pair measured with this part of the budget, in rows."""
        step = round(math.log(self._noise_of(part)) * STEPS)
        if step not in self._errors:
            noise_sd = math.exp(step / STEPS)
            most = math.sqrt(2 / math.pi) * noise_sd  # as in ``expected_error``, all pairs at once
            self._errors[step] = 0.5 * np.add.reduceat(np.minimum(most, self._cells), self._starts)
        return self._errors[step]

    def _readings(self) -> Iterator[Floats]:
        """What is believed of the similarities: as measured, and without most of their noise."""
        yield _drawn_to_mean(self._strength, self._prior.noise_sd)
        if self._prior.likely is not None and self._prior.likely_sd < self._prior.noise_sd:
            yield np.maximum(self._prior.likely, 0.0)  # drawn already, to what all distances say


def _drawn_to_mean(values: Floats, noise_sd: float) -> Floats:
    """Draw noisy values of all pairs towards their mean as far as they are noise.

    The largest of many noisy values is large by luck. With v the variance over all pairs and s the noise's
    standard deviation, max(0, 1 - s^2 / v) of a value's distance from the mean is kept.

    Source: [Efron1973], empirical Bayes.
    """
    upper = values[np.triu_indices(len(values), 1)]
    mean, variance = float(upper.mean()), float(upper.var())
    kept = max(0.0, 1 - noise_sd**2 / variance) if variance > 0 else 0.0
    drawn: Floats = np.maximum(mean + kept * (values - mean), 0.0)
    return drawn


def _reach(n_attributes: int) -> float:
    """What a measured pair mends in all pairs, over what it mends in its own."""
    return min(REACH, max(1.0, n_attributes / ATTRIBUTES_PER_REACH))


def _largest(gains: Floats, count: int) -> float:
    """Sum of the largest ``count`` positive gains."""
    return float(np.sort(np.maximum(gains, 0.0))[-count:].sum())
