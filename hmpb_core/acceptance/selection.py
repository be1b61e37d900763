"""Private selection: candidate plans are tried until one passes its marks, all inside one guarantee.

One try draws a candidate at random, runs its plan, and measures by how much its rows pass, with Laplace
noise: epsilon_0-differentially private together. Tries are repeated until a noisy score reaches a threshold;
after each that does not, the search stops with a fixed probability. Whatever comes out, the model that passed
or that none did, is 2 epsilon_0-differentially private, however many tries there were [LT2019, Theorem 3.1];
OpenDP's combinator carries it out and states the loss. So each try gets half of the plan's epsilon:

    plan's epsilon = 2 (try's plan + check)          check = a tenth of a try
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from hmpb_core.acceptance.marks import Marks
from hmpb_core.acceptance.slack import SENSITIVITY, Reached, reached, slack_of
from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError, counted
from hmpb_core.model import Model
from hmpb_core.planning.bill import Bill
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import MIN_EPSILON, Currency, Guarantee, Neighbors
from hmpb_core.privacy.private_candidate import private_candidate
from hmpb_core.progress import Progress, silent
from hmpb_core.repeated import own_domain
from hmpb_core.sources.base import TableSource
from hmpb_core.synthesis import fit_source, make_plan

CHECK_PART = Fraction(1, 10)
"""Part of a try that its check costs."""
TRIES = 3
"""Tries a candidate that the search makes on average, if none passes."""
FALSE_PASS = 0.05
"""Chance, at most, that rows which miss a mark pass through the check's noise."""
_ONE_STAGE = Shares.from_weights(one_way_tables=0, similarity=0, structure=1, conditional_tables=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How candidates are tried: all public, fixed before the table is looked at.

    Attributes:
        marks: What is to be reached.
        plans: The candidates' plans, each at a try's part of the guarantee.
        guarantee: The whole guarantee: what is charged.
        check: What a check costs, an exact epsilon.
        stop: Probability of stopping after a try that did not pass.
        threshold: Slack, in rows, that the noisy score must reach.
    """

    marks: Marks
    plans: tuple[Plan, ...] = field(repr=False)
    guarantee: Guarantee
    check: Fraction
    stop: float
    threshold: float

    @property
    def scale(self) -> float:
        """Scale of a check's noise, in rows."""
        return SENSITIVITY * self.plans[0].rows_per_person / float(self.check)

    @property
    def lines(self) -> list[str]:
        """What is said before anything is paid."""
        marks = self.marks
        asked = [
            *([f"mean two-way error at most {marks.two_way_error:g}"] if marks.two_way_error else []),
            *(
                [f"worst two-way error at most {marks.worst_two_way_error:g}"]
                if marks.worst_two_way_error
                else []
            ),
            *([f"no group of {marks.group:,} lost"] if marks.group else []),
            *([f"AUC of {marks.target} at least {marks.auc:g}"] if marks.auc else []),
        ]
        return [
            f"Marks        {'; '.join(asked)}",
            f"             agreed by {marks.agreed_by} on {marks.agreed_on}",
            f"Candidates   {len(self.plans)}, tried at epsilon "
            f"{float(self.plans[0].guarantee.epsilon):.4g} and checked at {float(self.check):.4g} each; "
            f"about {counted(round(1 / self.stop), 'try', 'tries')} if none passes",
            f"Passed       with {counted(round(self.threshold), 'row', 'rows')} to spare: noise lets a miss "
            f"pass in at most {FALSE_PASS:.0%} of searches",
            "If none passes nothing is released, and the charge stays.",
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try on a stand-in, whose figures may be seen.

    Attributes:
        model: The model, with the bill of the whole search.
        reached: Every mark, with what the try's rows reach.
        chance: Probability that a search passes if all its tries were as good as this one.
    """

    model: Model
    reached: tuple[Reached, ...]
    chance: float

    def to_dict(self, trial: Trial) -> dict[str, Any]:
        """Say what was reached, as plain values: of a stand-in, so public."""
        return {
            "rehearsal": True,
            "reached": [
                {"mark": of.mark, "asked": of.asked, "value": of.value, "slack_rows": round(of.slack, 1)}
                for of in self.reached
            ],
            "threshold_rows": round(trial.threshold, 1),
            "stop_probability": trial.stop,
            "chance_to_pass": self.chance,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The model that passed.

    Attributes:
        candidate: Its number among the candidates, from 0.
        model: The model, with the bill of the whole search.
        score: Its noisy slack, in rows: public, paid for.
    """

    candidate: int
    model: Model
    score: float

    def to_dict(self, trial: Trial) -> dict[str, Any]:
        """Say how it was found, as plain values."""
        return {
            "candidate": self.candidate + 1,
            "candidates": len(trial.plans),
            "changes": dict(trial.marks.candidates[self.candidate]),
            "noisy_slack_rows": round(self.score, 1),
            "threshold_rows": round(trial.threshold, 1),
            "stop_probability": trial.stop,
            "epsilon": {
                "charged": float(trial.guarantee.epsilon),
                "of_a_try_plan": float(self.model.plan.guarantee.epsilon),
                "of_a_try_check": float(trial.check),
            },
            "source": "LT2019, Algorithm 1",
        }


def trial_of(plan: Plan, marks: Marks, domain: Domain, *, n_rows: int | None) -> Trial:
    """Prepare the search: candidates' plans and the threshold. Looks at nothing.

    Args:
        plan: The plan; its guarantee is what the whole search costs.
        marks: What is to be reached, and what the candidates change.
        domain: The codebook's domain.
        n_rows: Number of rows, where it is public.

    Raises:
        PlanError: the guarantee is not ``pure`` under ``replace-one`` neighbours, too small, or a candidate
            is impossible.
    """
    guarantee = plan.guarantee
    if guarantee.currency is not Currency.PURE:
        raise PlanError(
            "Private selection is proven for the guarantee 'pure'; make the plan with it, or release without "
            "marks."
        )
    if guarantee.neighbors is not Neighbors.REPLACE_ONE or n_rows is None:
        raise PlanError(
            "Marks are measured in rows, whose number must be public; choose 'replace-one' neighbours."
        )
    marks.require_domain(domain)
    one_try = guarantee.total / 2
    run = float(one_try * (1 - CHECK_PART))
    while Fraction(repr(run)) > one_try * (1 - CHECK_PART):
        run = math.nextafter(run, 0.0)
    if run < MIN_EPSILON:
        raise PlanError(
            "epsilon is too small to be shared among tries; raise it above {least:g}.", least=0.01
        )
    check = one_try - Fraction(repr(run))
    inner = replace(guarantee, epsilon=run)
    plans = tuple(_candidate(plan, inner, dict(change), domain, n_rows) for change in marks.candidates)
    stop = min(0.5, 1 / (TRIES * len(plans)))
    scale = SENSITIVITY * plan.rows_per_person / float(check)
    return Trial(
        marks=marks,
        plans=plans,
        guarantee=guarantee,
        check=check,
        stop=stop,
        threshold=scale * math.log(1 / (2 * FALSE_PASS * stop)),
    )


def choose(source: TableSource, trial: Trial, *, progress: Progress = silent) -> Chosen | None:
    """Search. Costs the whole guarantee, whatever comes out.

    Args:
        source: The private table.
        trial: What was prepared.
        progress: Told where the work is; may raise ``CancelledError``.

    Returns:
        The candidate that passed; None where the search stopped before one did.
    """
    rng = np.random.default_rng()

    def attempt() -> tuple[float, tuple[int, Model]]:
        number = int(rng.integers(len(trial.plans)))
        model = fit_source(source, trial.plans[number], progress=progress)
        rows = model.sample_codes(rng=rng)
        seen = source.recoded(own_domain(model.domain)) if source.fine else source
        return _checked(slack_of(seen, rows, trial.marks), trial), (number, model)

    per_try = trial.plans[0].guarantee.total + trial.check
    found = private_candidate(
        attempt,
        loss=per_try,
        total=trial.guarantee.total,
        threshold=trial.threshold,
        stop_probability=trial.stop,
    )
    if found is None:
        return None
    score, (number, model) = found
    return Chosen(candidate=number, model=replace(model, bill=_whole(model.bill, trial)), score=score)


def try_on(source: TableSource, trial: Trial, *, progress: Progress = silent) -> Attempt:
    """Make one try of the first candidate on a stand-in: what a search would see, without its noise.

    A try passes with the probability p that Laplace noise lifts its slack over the threshold, a search with
    p / (p + s (1 - p)), s the probability of stopping.

    Args:
        source: A public or simulated table. Never a private one: the figures are exact.
        trial: What was prepared.
        progress: Told where the work is; may raise ``CancelledError``.
    """
    model = fit_source(source, trial.plans[0], progress=progress)
    seen = source.recoded(own_domain(model.domain)) if source.fine else source
    found = reached(seen, model.sample_codes(rng=np.random.default_rng()), trial.marks)
    missing = (trial.threshold - min(mark.slack for mark in found)) / trial.scale
    passes = 0.5 * math.exp(-missing) if missing > 0 else 1 - 0.5 * math.exp(missing)
    return Attempt(
        model=replace(model, bill=_whole(model.bill, trial)),
        reached=found,
        chance=passes / (passes + trial.stop * (1 - passes)),
    )


def _checked(slack: float, trial: Trial) -> float:
    """The slack with noise, paid from the check's part."""
    guarantee = replace(trial.guarantee, epsilon=max(MIN_EPSILON, _above(trial.check)))
    accountant = Accountant(
        Budget(guarantee=guarantee, shares=_ONE_STAGE), rows_per_person=trial.plans[0].rows_per_person
    )
    noisy, _ = accountant.measure_pairs(
        np.array([slack]),
        n_attributes=2,
        sensitivity=SENSITIVITY,
        stage=Stage.STRUCTURE,
        loss=trial.check,
        what="by how much the marks are met",
    )
    return float(noisy[0])


def _above(exact: Fraction) -> float:
    value = float(exact)
    while Fraction(repr(value)) < exact:
        value = math.nextafter(value, math.inf)
    return value


def _whole(bill: Bill, trial: Trial) -> Bill:
    """The bill of the whole search: twice a try's, its check counted with the selections."""
    losses = {stage: 2 * loss for stage, loss in bill.losses.items()}
    losses[Stage.STRUCTURE] = losses.get(Stage.STRUCTURE, Fraction(0)) + 2 * trial.check
    attributes = {name: 2 * (loss + trial.check) for name, loss in bill.attribute_losses.items()}
    return replace(bill, guarantee=trial.guarantee, losses=losses, attribute_losses=attributes)


def _candidate(plan: Plan, inner: Guarantee, change: dict[str, Any], domain: Domain, n_rows: int) -> Plan:
    """A candidate's plan: the plan with its changes, at a try's guarantee.

    The shares follow the public rule unless the steward set them.
    """
    if plan.declared_rows is None and not change:
        return replace(plan, guarantee=inner)
    kept = {
        name: getattr(plan, name)
        for name in ("encoding", "similarity", "max_parents", "sigma", "n_vectors", "gamma", "target", "rows")
    }
    if plan.method == change.get("method", plan.method):
        kept["learner"] = plan.learner
    values: dict[str, Any] = {**kept, **change}
    shares = plan.shares if plan.declared_rows is None and not {"method", "learner"} & set(change) else None
    try:
        made = make_plan(
            inner,
            domain,
            n_rows=n_rows,
            method=values.pop("method", plan.method),
            clusters=values.pop("clusters", plan.clusters),
            shares=shares,
            **values,
        )
    except TypeError:
        raise PlanError(
            "A candidate of the marks has a value of the wrong kind; compare it with the plan."
        ) from None
    return replace(made, weights=plan.weights, person=plan.person, rows_per_person=plan.rows_per_person)
