"""The one door between exact counts and everything after them.

Every act that looks at the data is a method of the accountant: it takes the loss it may
cost from the stage's budget, adds the noise, and writes an entry. No spend without an
entry, no entry without a spend.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import BudgetExceededError, PlanError
from hmpb_core.marginal import Marginal, NoisyMarginal
from hmpb_core.privacy import noise as noise_room
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.noise import NoiseSource, NoNoise, SeededNoise, SystemNoise
from hmpb_core.privacy.sensitivity import (
    attribute_factors,
    count_l1_sensitivity,
    count_l2_sensitivity,
)

Protection = Literal["system", "seeded", "none"]

_GRID = 2**20
"""Steps per unit of sensitivity when a real value is rounded to an integer grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """One act that looked at the data.

    Attributes:
        stage: The stage that paid.
        act: ``measure`` or ``select``.
        what: What was measured or selected, in words that hold no data.
        loss: Its cost in the currency (epsilon or rho).
        attribute_loss: For each attribute that the act touches, the cost towards somebody
            who hides only that attribute: per-attribute partial DP [Ghazi2022].
        scale: Scale of the noise in the measured unit.
    """

    stage: Stage
    act: Literal["measure", "select"]
    what: str
    loss: Fraction
    attribute_loss: tuple[tuple[int, Fraction], ...]
    scale: float


class Accountant:
    """Spends a budget, act by act, and remembers every act.

    Args:
        budget: The guarantee and what each stage may spend. None of it can be overspent.
        rows_per_person: Largest number of rows one person may have; multiplies every sensitivity.
        protection: ``system`` draws real noise, ``seeded`` repeatable noise that does not
            protect, ``none`` no noise at all.
        seed: The seed of ``seeded`` noise.
        limits: What each stage may spend where that is not its share: the published
            accounting charges a stage less than it costs.
    """

    def __init__(
        self,
        budget: Budget,
        *,
        rows_per_person: int = 1,
        protection: Protection = "system",
        seed: int | None = None,
        limits: dict[Stage, Fraction] | None = None,
    ) -> None:
        if rows_per_person < 1:
            raise PlanError(
                "rows_per_person is {rows_per_person}; it must be at least 1.",
                rows_per_person=rows_per_person,
            )
        self._budget = budget
        self._limits = limits or {}
        self._rows = rows_per_person
        self._entries: list[Spend] = []
        self._spent: dict[Stage, Fraction] = dict.fromkeys(Stage, Fraction(0))
        self._noise: NoiseSource
        if protection == "none":
            self._noise = NoNoise()
        elif protection == "seeded":
            if seed is None:
                raise PlanError("Seeded noise needs a seed.")
            self._noise = SeededNoise(seed)
        else:
            self._noise = SystemNoise()

    @property
    def budget(self) -> Budget:
        """The budget being spent."""
        return self._budget

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee being kept."""
        return self._budget.guarantee

    @property
    def private(self) -> bool:
        """Whether the noise protects."""
        return self._noise.private

    @property
    def noiseless(self) -> bool:
        """Whether no noise is drawn at all."""
        return isinstance(self._noise, NoNoise)

    @property
    def entries(self) -> tuple[Spend, ...]:
        """All acts so far."""
        return tuple(self._entries)

    def spent(self, stage: Stage | None = None) -> Fraction:
        """What a stage, or all of them, has spent."""
        return self._spent[stage] if stage else sum(self._spent.values(), Fraction(0))

    def left(self, stage: Stage) -> Fraction:
        """What a stage may still spend."""
        return self._limits.get(stage, self._budget.loss(stage)) - self._spent[stage]

    def table_scale(self, loss: Fraction | float) -> float:
        """Noise scale, in counts, of a table measured at this loss: b or sigma. Looks at nothing."""
        l1 = self._rows * count_l1_sensitivity(self.guarantee.neighbors)
        l2 = self._rows * count_l2_sensitivity(self.guarantee.neighbors)
        return l1 / float(loss) if self._pure else l2 / math.sqrt(2 * float(loss))

    def table_noise_sd(self, loss: Fraction | float) -> float:
        """Standard deviation of the noise on one count of a table measured at this loss."""
        return self.table_scale(loss) * (math.sqrt(2) if self._pure else 1.0)

    def measure(self, marginal: Marginal, *, stage: Stage, loss: Fraction, what: str) -> NoisyMarginal:
        """Add noise to a table of counts.

        Args:
            marginal: The exact table.
            stage: The stage that pays.
            loss: What the act may cost: epsilon or rho.
            what: What is measured, in words that hold no data.

        Raises:
            BudgetExceededError: the stage has less than ``loss`` left.
        """
        l1 = self._rows * count_l1_sensitivity(self.guarantee.neighbors)
        l2 = self._rows * count_l2_sensitivity(self.guarantee.neighbors)
        self._check(stage, loss)
        scale = self._calibrate(loss, l1, l2)
        in_tables, _ = attribute_factors(self.guarantee)
        touched = tuple((attribute, in_tables * loss) for attribute in marginal.attributes)
        self._charge(
            Spend(stage=stage, act="measure", what=what, loss=loss, attribute_loss=touched, scale=scale)
        )
        noisy = self._add_noise(marginal.counts, scale)
        return NoisyMarginal(
            attributes=marginal.attributes,
            counts=noisy.astype(float),
            noise="none" if self.noiseless else ("laplace" if self._pure else "gaussian"),
            scale=0.0 if self.noiseless else scale,
        )

    def measure_pairs(
        self,
        values: NDArray[np.float64],
        *,
        n_attributes: int,
        sensitivity: float,
        stage: Stage,
        loss: Fraction,
        what: str,
        scale_per_value: float | None = None,
    ) -> tuple[NDArray[np.float64], float]:
        """Add noise to one real value for each pair of attributes.

        One person is in every pair, so all d(d-1)/2 values may move at once, each by
        ``sensitivity``. A person who hides only attribute j moves the d - 1 values of j.

        Args:
            values: The exact values, one an unordered pair.
            n_attributes: d.
            sensitivity: How far one row moves one value.
            stage: The stage that pays.
            loss: What the act may cost.
            what: What is measured.
            scale_per_value: Fixes the noise scale instead of deriving it from the loss: the
                published accounting draws too little noise, and ``loss`` is then its true cost.

        Returns:
            The noisy values and the noise's standard deviation, in the values' unit.
        """
        count = values.size
        step = sensitivity / _GRID
        moved = self._rows * (_GRID + 1)  # rounding to the grid can add one step to a move
        self._check(stage, loss)
        if scale_per_value is not None:
            scale = scale_per_value / step
        else:
            scale = self._calibrate(loss, count * moved, math.sqrt(count) * moved)
        _, in_variations = attribute_factors(self.guarantee)
        part = in_variations * loss * Fraction(2, n_attributes)  # (d-1) of the d(d-1)/2 values
        self._charge(
            Spend(
                stage=stage,
                act="measure",
                what=what,
                loss=loss,
                attribute_loss=tuple((j, part) for j in range(n_attributes)),
                scale=scale * step,
            )
        )
        grid = np.rint(values / step).astype(np.int64)
        noisy = self._add_noise(grid, scale).astype(np.float64) * step
        sd = 0.0 if self.noiseless else scale * step * (math.sqrt(2) if self._pure else 1.0)
        return noisy, sd

    def select(
        self,
        scores: Sequence[float] | NDArray[np.float64],
        *,
        sensitivity: float,
        stage: Stage,
        loss: Fraction,
        what: str,
        attributes: Iterable[int],
        exponential: bool = False,
    ) -> int:
        """Choose a candidate with a high score.

        Args:
            scores: One score a candidate; higher is better.
            sensitivity: How far one row moves any one score.
            stage: The stage that pays.
            loss: What the act may cost.
            what: What is selected.
            attributes: All attributes that any candidate's score looks at.
            exponential: Use the exponential mechanism itself in the currency ``pure``
                (eq. 8, 10 of [Zhang2022]) instead of permute-and-flip.

        Returns:
            The index of the chosen candidate.
        """
        if len(scores) == 0:
            raise PlanError("There is nothing to select from.")
        self._check(stage, loss)
        permute = self._pure and not exponential
        step = sensitivity / _GRID
        moved = self._rows * (_GRID + 1)
        epsilon = float(loss) if self._pure else math.sqrt(8 * float(loss))

        def cost(scale: float) -> float:
            if self._pure and exponential:
                return 2 * moved / scale
            return noise_room.noisy_max_loss(scale, moved, permute_and_flip=permute)

        scale = _within(cost, 2 * moved / epsilon, loss)
        _, in_variations = attribute_factors(self.guarantee)
        touched = tuple((attribute, in_variations * loss) for attribute in sorted(set(attributes)))
        self._charge(
            Spend(stage=stage, act="select", what=what, loss=loss, attribute_loss=touched, scale=scale * step)
        )
        grid = np.rint(np.asarray(scores, dtype=float) / step).astype(np.int64)
        return self._noise.noisy_max(grid, scale, permute_and_flip=permute)

    @property
    def _pure(self) -> bool:
        return self.guarantee.currency is Currency.PURE

    def _calibrate(self, loss: Fraction, l1: int, l2: float) -> float:
        if self._pure:
            return _within(lambda scale: noise_room.laplace_loss(scale, l1), l1 / float(loss), loss)
        sigma = l2 / math.sqrt(2 * float(loss))
        return _within(lambda scale: noise_room.gaussian_loss(scale, l2), sigma, loss)

    def _add_noise(self, values: NDArray[np.int64], scale: float) -> NDArray[np.int64]:
        return self._noise.laplace(values, scale) if self._pure else self._noise.gaussian(values, scale)

    def _check(self, stage: Stage, loss: Fraction) -> None:
        if loss <= 0:
            raise PlanError(
                "{stage} has nothing to spend, yet the method needs it; raise its share above 0.", stage=stage
            )
        if loss > self.left(stage):
            total = self._limits.get(stage, self._budget.loss(stage))
            raise BudgetExceededError(
                "{stage} asks for {loss:.6g}, but {left:.6g} of {total:.6g} is left. Lower what it does or "
                "raise its share.",
                stage=stage,
                loss=float(loss),
                left=float(self.left(stage)),
                total=float(total),
            )

    def _charge(self, spend: Spend) -> None:
        self._spent[spend.stage] += spend.loss
        self._entries.append(spend)


def _within(cost: Callable[[float], float], scale: float, loss: Fraction) -> float:
    """Enlarge a scale by rounding errors until its proven cost is within the loss."""
    nudge = 1e-15
    while Fraction(cost(scale)) > loss:
        scale *= 1 + nudge
        nudge *= 2
    return scale
