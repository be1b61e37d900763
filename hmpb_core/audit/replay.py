"""Replay: a run's noisy answers forced on its neighbour, and what each answer weighs, exactly.

A run on a table is recorded. Its neighbour, one person different, is run with the recorded answers forced.
Everything after an answer is then the same, so the neighbour must ask the very same questions; and since
the distribution of every answer is known, so is how much more likely the whole run was on one table than on
the other. That sum over all acts is the attacker's best evidence: the log likelihood ratio of all that leaves
the accountant, of which every published row is a function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core import pipeline
from hmpb_core.marginal import Marginal, NoisyMarginal
from hmpb_core.planning.events import events_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.sources.base import TableSource

ROUNDING = 1 + 1e-6
"""What a sum of losses may lie above its claim by: exact values stand on a grid of 2^20 steps."""
_GRID = 2**20
_ORDERS = np.array([1.01, 1.5, 2.0, 4.0, 16.0, 64.0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One look at the data.

    Attributes:
        question: What was asked, and all that is public about it.
        exact: The exact values, as integers of the grid on which noise is drawn.
        answer: What left: noisy values, or the place of the chosen candidate.
        noisy: The noisy values on the grid; None of a choice.
        scale: Scale of the noise, on the grid.
        loss: What it was charged.
        kind: Which mechanism answered.
    """

    question: tuple[Any, ...]
    exact: NDArray[np.float64]
    answer: Any
    noisy: NDArray[np.float64] | None
    scale: float
    loss: float
    kind: str


class Recorder(Accountant):
    """Charges and answers as ever, or with the answers of an earlier run, and keeps all of it."""

    def __init__(self, *arguments: Any, forced: Sequence[Act] | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._forced = forced
        self.acts: list[Act] = []

    def measure(self, marginal: Marginal, **options: Any) -> NoisyMarginal:
        """Measure a table, and keep what happened."""
        real = super().measure(marginal, **options)
        counts = self._keep(
            ("measure", options["stage"], options["what"], marginal.attributes, marginal.counts.shape),
            exact=marginal.counts,
            answer=real.counts,
            step=1.0,
            scale=real.scale,
            loss=options["loss"],
            kind=real.noise,
        )
        return NoisyMarginal(attributes=real.attributes, counts=counts, noise=real.noise, scale=real.scale)

    def measure_pairs(self, values: NDArray[np.float64], **options: Any) -> tuple[NDArray[np.float64], float]:
        """Measure values of pairs, and keep what happened."""
        noisy, sd = super().measure_pairs(values, **options)
        step = options["sensitivity"] / _GRID
        kept = self._keep(
            ("pairs", options["stage"], options["what"], values.shape, options["sensitivity"]),
            exact=np.rint(values / step),
            answer=noisy,
            step=step,
            scale=(self.entries[-1].scale or 0.0) / step,
            loss=options["loss"],
            kind="laplace" if self._pure else "gaussian",
        )
        return kept, sd

    def select(self, scores: Sequence[float] | NDArray[np.float64], **options: Any) -> int:
        """Choose a candidate, and keep what happened."""
        chosen = super().select(scores, **options)
        step = options["sensitivity"] / _GRID
        permute = self._pure and not options.get("exponential", False)
        kept: int = self._keep(
            ("select", options["stage"], options["what"], len(scores), options["sensitivity"]),
            exact=np.rint(np.asarray(scores, dtype=float) / step),
            answer=chosen,
            step=None,
            scale=(self.entries[-1].scale or 0.0) / step,
            loss=options["loss"],
            kind="permute-and-flip" if permute else "exponential",
        )
        return kept

    def _keep(
        self,
        question: tuple[Any, ...],
        *,
        exact: NDArray[Any],
        answer: Any,
        step: float | None,
        scale: float,
        loss: Any,
        kind: str,
    ) -> Any:
        number = len(self.acts)
        if self._forced is not None and number < len(self._forced):
            answer = self._forced[number].answer
        self.acts.append(
            Act(
                question=(*question, scale, loss),
                exact=np.asarray(exact, dtype=float),
                answer=answer,
                noisy=None if step is None else np.asarray(answer, dtype=float) / step,
                scale=scale,
                loss=float(loss),
                kind=kind,
            )
        )
        return answer


Door = Callable[..., Recorder]
"""What opens the account of a run: a recorder, or a faulty one that an audit has to convict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What one run and its replay on the neighbour show.

    Attributes:
        evidence: How much more likely the run was on the neighbour: a log likelihood ratio.
        loss: The exact loss of all acts together, in the currency: the most that any answers could weigh
            (epsilon), or the largest divergence (rho).
        excess: Largest part of its charge that one act costs; above 1 an act costs more than it was charged.
        same: Whether the neighbour asked the same questions.
        gaussian: Whether every act was a measurement with Gaussian noise.
    """

    evidence: float
    loss: float
    excess: float
    same: bool
    gaussian: bool


def replayed(
    plan: Plan, source: TableSource, neighbour: TableSource, *, seed: int, door: Door = Recorder
) -> Replayed:
    """Run a plan on a table, and again on its neighbour with the same answers.

    The noise of the first run is that of a release, from the operating system.

    Args:
        plan: The plan.
        source: The table.
        neighbour: The same with one person different, over the same domain.
        seed: Of what is no privacy noise: equal in both runs.
        door: What opens the accounts.
    """
    recorded = _acts(plan, source, None, seed, door)
    again = _acts(plan, neighbour, recorded, seed, door)
    same = [act.question for act in recorded] == [act.question for act in again]
    both = [
        (act, other) for act, other in zip(recorded, again, strict=False) if act.question == other.question
    ]
    currency = plan.guarantee.currency
    losses = [(exact_loss(act, other, currency), act.loss) for act, other in both]
    return Replayed(
        evidence=round(sum(evidence_of(act, other) for act, other in both), 9),
        loss=sum(loss for loss, _ in losses),
        excess=max((loss / charged for loss, charged in losses), default=0.0),
        same=same,
        gaussian=all(act.kind == "gaussian" for act in recorded),
    )


def _acts(
    plan: Plan, source: TableSource, forced: Sequence[Act] | None, seed: int, door: Door
) -> Sequence[Act]:
    account = door(
        Budget(guarantee=plan.guarantee, shares=plan.shares),
        rows_per_person=plan.rows_per_person,
        events=events_of(plan, source.domain),
        forced=forced,
    )
    pipeline.fit(source, plan, accountant=account, rng=np.random.default_rng(seed))
    return account.acts


def evidence_of(act: Act, other: Act) -> float:
    """Log likelihood ratio of an act's answer: under the other's exact values to under its own."""
    if act.noisy is not None:
        own, theirs = np.abs(act.noisy - act.exact), np.abs(act.noisy - other.exact)
        if act.kind == "laplace":
            return float((own - theirs).sum() / act.scale)
        return float((own**2 - theirs**2).sum() / (2 * act.scale**2))
    ours, others = chances(act), chances(other)
    return float(np.log(others[act.answer]) - np.log(ours[act.answer]))


def exact_loss(act: Act, other: Act, currency: Currency) -> float:
    """The exact privacy loss of an act between two tables, over all answers: epsilon, or rho.

    Source: the mechanisms' own distributions; [MS2020, Theorem 1]; [BS2016, Definition 1.1].
    """
    change = act.exact - other.exact
    if act.kind == "laplace":
        return float(np.abs(change).sum() / act.scale)
    if act.kind == "gaussian":
        return float((change**2).sum() / (2 * act.scale**2))
    logs = [np.log(np.maximum(chances(one), 1e-300)) for one in (act, other)]
    if currency is Currency.PURE:
        return float(np.abs(logs[0] - logs[1]).max())
    found = 0.0
    for first, second in (logs, logs[::-1]):
        for order in _ORDERS:
            divergence = np.logaddexp.reduce(order * first - (order - 1) * second) / (order - 1)
            found = max(found, float(divergence) / float(order))
    return found


def chances(act: Act) -> NDArray[np.float64]:
    """The probability of every candidate of a choice.

        exponential mechanism   p_i proportional to q_i = exp(s_i / scale)          [McSherry2007]
        permute-and-flip        p_i = q_i int_0^1 prod_{j != i} (1 - t q_j) dt, max q = 1     [MS2020]

    The integral is that of a polynomial: the quadrature of Gauss and Legendre has it exactly.
    """
    q = np.exp((act.exact - act.exact.max()) / act.scale)
    if act.kind == "exponential":
        shares: NDArray[np.float64] = q / q.sum()
        return shares
    nodes, weights = np.polynomial.legendre.leggauss((len(q) + 1) // 2 + 1)
    t, weights = (nodes + 1) / 2, weights / 2
    left = np.log1p(-np.outer(t, np.minimum(q, 1 - 1e-16)))  # log(1 - t q_j)
    others = np.exp(left.sum(axis=1, keepdims=True) - left)
    flips: NDArray[np.float64] = q * (weights[:, None] * others).sum(axis=0)
    return flips
