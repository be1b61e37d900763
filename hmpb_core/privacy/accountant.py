"""The one door between exact counts and everything after them.

Every act that looks at the data is a method of the accountant: it takes the loss it may
cost from the stage's budget, adds the noise, and writes an entry. No spend without an
entry, no entry without a spend.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import BudgetExceededError, PlanError
from hmpb_core.marginal import Marginal, NoisyMarginal
from hmpb_core.privacy import noise as noise_room
from hmpb_core.privacy.allowances import Allowances, stage_events
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.calibration import (
    discovery_threshold,
    float_below,
    noise_sd,
    table_scale,
    vector_scale,
)
from hmpb_core.privacy.events import Event
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.noise import NoiseSource, NoNoise, SeededNoise, SystemNoise
from hmpb_core.privacy.sensitivity import (
    attribute_factors,
    count_l1_sensitivity,
    count_l2_sensitivity,
)
from hmpb_core.privacy.shares import NoiseShares, gaussian_share_scale

Protection = Literal["system", "seeded", "none"]

_GRID = 2**20
"""Steps per unit of sensitivity when a real value is rounded to an integer grid."""


class Accountant:
    """Spends a budget, act by act, and remembers every act.

    Args:
        budget: The guarantee and what each stage may spend. None of it can be overspent.
        rows_per_person: Largest number of rows one person may have; multiplies every sensitivity.
        protection: ``system`` draws real noise, ``seeded`` repeatable noise that does not
            protect, ``none`` no noise at all.
        seed: The seed of ``seeded`` noise.
        events: What may be spent on what; without them each stage may spend its share as it likes.
        delta: What thresholds may spend; see ``discover``.
        shares: Who adds the noise, where parties add it in shares: tables then come in the parties' parts,
            each of which gets its share before they are summed.

    Example:
        >>> from hmpb_core.privacy.budget import Shares
        >>> shares = Shares.parse("one-way tables=1/2, conditional tables=1/2, similarity=0, structure=0")
        >>> account = Accountant(Budget(guarantee=Guarantee(epsilon=1.0), shares=shares))
        >>> table = Marginal(attributes=(0,), counts=np.array([70, 30]))
        >>> half = account.left(Stage.ONE_WAY_TABLES) / 2
        >>> noisy = account.measure(table, stage=Stage.ONE_WAY_TABLES, loss=half, what="table of smokes")
        >>> noisy.noise, account.left(Stage.ONE_WAY_TABLES) == half, len(account.entries)
        ('gaussian', True, 1)
        >>> account.measure(table, stage=Stage.ONE_WAY_TABLES, loss=3 * half, what="table of smokes")
        Traceback (most recent call last):
        hmpb_core.errors.BudgetExceededError: one-way tables asks for ...
    """

    def __init__(
        self,
        budget: Budget,
        *,
        rows_per_person: int = 1,
        protection: Protection = "system",
        seed: int | None = None,
        events: Sequence[Event] | None = None,
        delta: float = 0.0,
        shares: NoiseShares | None = None,
    ) -> None:
        if rows_per_person < 1:
            raise PlanError(
                "rows_per_person is {rows_per_person}; it must be at least 1.",
                rows_per_person=rows_per_person,
            )
        self._budget = budget
        self._rows = rows_per_person
        self._shares = shares
        self._delta_left = Fraction(delta)
        self._allowances = Allowances(events if events is not None else stage_events(budget))
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
    def entries(self) -> tuple[Event, ...]:
        """All acts so far, in the order in which they were done."""
        return self._allowances.entries

    @property
    def events(self) -> tuple[Event, ...]:
        """What was planned, with the acts so far under it."""
        return self._allowances.events

    def spent(self, stage: Stage | None = None) -> Fraction:
        """What a stage, or all of them, has spent."""
        return self._allowances.spent(stage)

    def left(self, stage: Stage) -> Fraction:
        """What a stage may still spend."""
        return self._allowances.left(stage)

    def table_scale(self, loss: Fraction | float) -> float:
        """Noise scale, in counts, of a table measured at this loss: b or sigma. Looks at nothing."""
        scale = table_scale(loss, self.guarantee, rows_per_person=self._rows)
        return scale if self._shares is None else scale * self._shares.excess

    def table_noise_sd(self, loss: Fraction | float) -> float:
        """Standard deviation of the noise on one count of a table measured at this loss; 0 where none is."""
        return 0.0 if self.noiseless else noise_sd(self.table_scale(loss), self.guarantee)

    def pairs_noise_sd(self, count: int, *, sensitivity: float, loss: Fraction) -> float:
        """Give the standard deviation of ``measure_pairs``'s noise before anything is paid."""
        step, l1, l2 = self._grid(count, sensitivity)
        return self._pairs_sd(self._calibrate(loss, l1, l2), step)

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
        noisy, scale = self._noisy_counts(
            marginal.counts, marginal.attributes, parts=marginal.parts, stage=stage, loss=loss, what=what
        )
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
        parts: Sequence[NDArray[np.float64]] = (),
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
            scale_per_value: Fixes the noise scale for one row a person instead of deriving it from the loss:
                the published accounting draws too little noise, and ``loss`` is then its true cost.
            parts: Where parties add noise in shares, what each adds to the values; they sum to these.

        Returns:
            The noisy values and the noise's standard deviation, in the values' unit.
        """
        count = values.size
        step, l1, l2 = self._grid(count, sensitivity)
        event = self._allowances.paying(stage, loss, range(n_attributes))
        share = 0.0
        if scale_per_value is not None:
            scale = self._rows * scale_per_value / step
        else:
            scale, share = self._scales(loss, l1, l2, cells=count, parts=len(parts))
        _, in_variations = attribute_factors(self.guarantee)
        part = in_variations * loss * Fraction(2, n_attributes)  # (d-1) of the d(d-1)/2 values
        self._allowances.charge(
            event,
            Event(
                stage=stage,
                act="measure",
                what=what,
                loss=loss,
                sensitivity=self._rows * sensitivity * (count if self._pure else math.sqrt(count)),
                scale=scale * step,
                attribute_loss=tuple((j, part) for j in range(n_attributes)),
            ),
        )
        exact, *grids = [np.rint(value / step).astype(np.int64) for value in (values, *parts)]
        noisy = self._add_noise(exact, scale, parts=grids, share=share)
        return noisy.astype(np.float64) * step, self._pairs_sd(scale, step)

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
        if self._shares is not None:
            raise _not_a_sum()
        touched = sorted(set(attributes))
        event = self._allowances.paying(stage, loss, touched)
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
        self._allowances.charge(
            event,
            Event(
                stage=stage,
                act="select",
                what=what,
                loss=loss,
                sensitivity=self._rows * sensitivity,
                scale=scale * step,
                attribute_loss=tuple((attribute, in_variations * loss) for attribute in touched),
            ),
        )
        grid = np.rint(np.asarray(scores, dtype=float) / step).astype(np.int64)
        return self._noise.noisy_max(grid, scale, permute_and_flip=permute)

    def pay_for_rows(
        self,
        *,
        n_rows: int,
        sensitivity: float,
        stage: Stage,
        loss: Fraction,
        what: str,
        attributes: Iterable[int],
    ) -> None:
        """Pay for choices that are made when rows are drawn: one a row, each at its part of the loss.

        Only a method that follows its paper to the letter pays in this way; it is never releasable.

        Args:
            n_rows: Rows that will be drawn.
            sensitivity: What the paper takes for the sensitivity of a score.
            stage: The stage that pays.
            loss: What all rows together cost.
            what: What is chosen.
            attributes: All attributes that a choice looks at.
        """
        touched = sorted(set(attributes))
        event = self._allowances.paying(stage, loss, touched)
        self._allowances.charge(
            event,
            Event(
                stage=stage,
                act="select",
                what=what,
                loss=loss,
                sensitivity=sensitivity,
                scale=2 * sensitivity * n_rows / float(loss),
                attribute_loss=tuple((attribute, loss) for attribute in touched),
            ),
        )

    def discover(
        self,
        counts: NDArray[np.int64],
        *,
        listed: int,
        delta: float,
        stage: Stage,
        loss: Fraction,
        what: str,
        attribute: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Add noise to a histogram of which only some cells are public; the others show above a threshold.

        Every row lies in one cell. The first ``listed`` cells exist whatever the table holds; the rest are
        values that were met in it, whose names must not leave unless many people have them. Each count
        gets the noise of a table of counts; an unlisted cell is given out if its noisy count reaches
        the threshold T of ``calibration.discovery_threshold``, which a value that one person alone has
        passes with probability at most delta. The act is (epsilon, delta)-differentially private in the
        currency ``pure`` and delta-approximate rho-zCDP in ``zcdp``: docs/privacy.md has the proof.

        Source: stability-based histograms [Korolova2009, Theorem 1]; approximate zCDP [BS2016, section 8].

        Args:
            counts: The exact counts.
            listed: Number of public cells, at the beginning.
            delta: What the threshold may cost; 0 gives public cells alone.
            stage: The stage that pays.
            loss: epsilon or rho of the act.
            what: What is measured.
            attribute: The column.

        Returns:
            The noisy counts, and the places of the cells that may be told, ascending. Other noisy counts
            are 0.

        Raises:
            PlanError: delta is not far below the loss.
            BudgetExceededError: the stage, or the delta, has less left.
        """
        most = -math.expm1(-float(loss) / (2 * self._rows)) / 2 if self._pure else 0.01
        if not 0 <= delta <= most:
            raise PlanError("The delta of a survey must be far below its epsilon; lower it.")
        if Fraction(delta) > self._delta_left:
            raise BudgetExceededError("The survey asks for more delta than was charged for it.")
        noisy, scale = self._noisy_counts(counts, (attribute,), stage=stage, loss=loss, what=what)
        self._delta_left -= Fraction(delta)
        open_to_all = np.arange(len(counts)) < listed
        told = open_to_all
        if delta > 0:
            threshold = discovery_threshold(scale, delta, self.guarantee, rows_per_person=self._rows)
            told = open_to_all | (noisy >= threshold)
        return np.where(told, noisy, 0), np.flatnonzero(told)

    def _noisy_counts(
        self,
        counts: NDArray[np.int64],
        attributes: tuple[int, ...],
        *,
        stage: Stage,
        loss: Fraction,
        what: str,
        parts: Sequence[NDArray[np.int64]] = (),
    ) -> tuple[NDArray[np.int64], float]:
        """Counts that a row moves as it moves a table's, with their noise; and its scale. Charged."""
        l1 = self._rows * count_l1_sensitivity(self.guarantee.neighbors)
        l2 = self._rows * count_l2_sensitivity(self.guarantee.neighbors)
        event = self._allowances.paying(stage, loss, attributes)
        scale, share = self._scales(loss, l1, l2, cells=counts.size, parts=len(parts))
        in_tables, _ = attribute_factors(self.guarantee)
        self._allowances.charge(
            event,
            Event(
                stage=stage,
                act="measure",
                what=what,
                loss=loss,
                sensitivity=l1 if self._pure else l2,
                scale=scale,
                attribute_loss=tuple((attribute, in_tables * loss) for attribute in attributes),
            ),
        )
        return self._add_noise(counts, scale, parts=parts, share=share), scale

    @property
    def _pure(self) -> bool:
        return self.guarantee.currency is Currency.PURE

    def _calibrate(self, loss: Fraction, l1: int, l2: float) -> float:
        scale = vector_scale(loss, self.guarantee, l1=l1, l2=l2)
        if self._pure:
            return _within(lambda b: noise_room.laplace_loss(b, l1), scale, loss)
        return _within(lambda sigma: noise_room.gaussian_loss(sigma, l2), scale, loss)

    def _grid(self, count: int, sensitivity: float) -> tuple[float, int, float]:
        """The grid's step for values of pairs, and how far a person moves them all on it: in L1 and L2."""
        moved = self._rows * (_GRID + 1)  # rounding to the grid can add one step to a move
        return sensitivity / _GRID, count * moved, math.sqrt(count) * moved

    def _pairs_sd(self, scale: float, step: float) -> float:
        return 0.0 if self.noiseless else scale * step * (math.sqrt(2) if self._pure else 1.0)

    def _scales(self, loss: Fraction, l1: int, l2: float, *, cells: int, parts: int) -> tuple[float, float]:
        """The scale of the whole noise, and of a party's share where there are any."""
        if self._shares is None:
            return self._calibrate(loss, l1, l2), 0.0
        if parts != self._shares.parties:
            raise _not_a_sum()
        if self._pure:
            share = self._calibrate(loss, l1, l2)
            if share > noise_room.MOST_POLYA_SCALE:
                raise PlanError(
                    "Shares of Laplace noise this large cannot be drawn exactly; raise epsilon, choose the "
                    "method 'independent', or the guarantee 'zcdp'."
                )
            return share * self._shares.excess, share
        share = gaussian_share_scale(float_below(loss), self._shares, l1=l1, l2=l2, cells=cells)
        return share * math.sqrt(self._shares.parties), share

    def _add_noise(
        self, values: NDArray[np.int64], scale: float, *, parts: Sequence[NDArray[np.int64]], share: float
    ) -> NDArray[np.int64]:
        """The values with noise; or each party's part with its share of it, summed."""
        if self._shares is None:
            return self._noise.laplace(values, scale) if self._pure else self._noise.gaussian(values, scale)
        total = np.zeros_like(values)
        for part in parts:
            if self._pure:
                total += self._noise.laplace_share(part, share, self._shares.honest)
            else:
                total += self._noise.gaussian(part, share)
        return total


def _not_a_sum() -> PlanError:
    return PlanError(
        "Noise in shares needs every party's own part of what is measured, and only sums over rows have such "
        "parts. Use the learner 'additive' or the method 'independent'."
    )


def _within(cost: Callable[[float], float], scale: float, loss: Fraction) -> float:
    """Enlarge a scale by rounding errors until its proven cost is within the loss."""
    nudge = 1e-15
    while Fraction(cost(scale)) > loss:
        scale *= 1 + nudge
        nudge *= 2
    return scale
