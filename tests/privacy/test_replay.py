"""The replay audit: what one person can change, act by act, against what each act was charged.

A run on a table is recorded with its noisy answers. Its neighbour is run with these answers forced. Then
the neighbour must ask the very same questions and end with the very same public result; and the exact
privacy loss of each answer, worked out from the two tables' exact values and the noise that was drawn,
must be at most what the act was charged. Every sensitivity of every method is checked where it is used.
"""

import json
import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from hmpb_core import pipeline
from hmpb_core.domain import Categorical, Domain
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.planning import account as account_room
from hmpb_core.planning.methods import METHODS, Accounting, learners_of, methods_under
from hmpb_core.privacy import accountant as accountant_room
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import make_plan
from tests.thorough import sample

WAYS = [
    (spec.name, spec.learner, currency, neighbors)
    for first in methods_under(Accounting.SOUND)
    for spec in METHODS[first.name, Accounting.SOUND]
    if spec.releasable
    for currency in spec.currencies
    for neighbors in spec.neighbors
]
PAIRS = 4000 if os.environ.get("HMPB_SLOW") == "1" else 200
EACH = math.ceil(PAIRS / len(WAYS))
ROUNDING = 1 + 1e-9
STEPS = accountant_room._GRID  # the grid on which scores and similarities get their noise


@dataclass
class Act:
    """One look: what was asked, the exact values, the answer."""

    question: tuple[Any, ...]
    exact: np.ndarray
    answer: Any
    scale: float
    loss: float
    exponential: bool = False


class Recorder(Accountant):
    """Charges and answers as ever, or with the answers of an earlier run, and keeps all of it."""

    forced: list[Act] | None = None

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.acts = []

    def _kept(self, question, exact, answer, *, scale, loss, exponential=False):
        number = len(self.acts)
        if self.forced is not None:
            assert number < len(self.forced), "the neighbour asks more"
            answer = self.forced[number].answer
        act = Act(question, np.asarray(exact), answer, scale, float(loss), exponential)
        self.acts.append(act)
        return answer

    def measure(self, marginal, *, stage, loss, what):
        real = super().measure(marginal, stage=stage, loss=loss, what=what)
        question = ("measure", stage, what, marginal.attributes, marginal.counts.shape, real.scale, loss)
        counts = self._kept(question, marginal.counts, real.counts, scale=real.scale, loss=loss)
        return NoisyMarginal(attributes=real.attributes, counts=counts, noise=real.noise, scale=real.scale)

    def measure_pairs(self, values, **options):
        noisy, sd = super().measure_pairs(values, **options)
        step = options["sensitivity"] / STEPS
        scale = self.entries[-1].scale / step
        question = ("pairs", options["stage"], options["what"], values.shape, sd, options["loss"])
        answer = self._kept(question, np.rint(values / step), noisy, scale=scale, loss=options["loss"])
        return answer, sd

    def select(self, scores, **options):
        chosen = super().select(scores, **options)
        step = options["sensitivity"] / STEPS
        scale = self.entries[-1].scale / step
        question = ("select", options["stage"], options["what"], len(scores), scale, options["loss"])
        return self._kept(
            question,
            np.rint(np.asarray(scores, dtype=float) / step),
            chosen,
            scale=scale,
            loss=options["loss"],
            exponential=options.get("exponential", False),
        )


def table(domain, rng, n_rows):
    columns = [rng.choice(size, n_rows, p=rng.dirichlet(np.full(size, 0.5))) for size in domain.sizes]
    for _ in range(3):
        i, j = rng.choice(len(columns), 2, replace=False)
        follows = rng.random(n_rows) < 0.7
        columns[i] = np.where(follows, columns[j] % domain.sizes[i], columns[i])
    return np.stack(columns, axis=1).astype(np.int32)


def neighbour(codes, domain, neighbors, rows, rng):
    """Another person in their place, or one person less: m rows, and the worst are tried often."""
    order = rng.permutation(len(codes))
    gone, rest = order[:rows], np.sort(order[rows:])
    if neighbors is Neighbors.ADD_REMOVE:
        return codes[rest]
    other = codes.copy()
    if rng.random() < 0.5:
        other[gone] = [[rng.integers(size) for size in domain.sizes] for _ in gone]
    else:  # every attribute changes
        other[gone] = (codes[gone] + 1) % np.array(domain.sizes)
    return other


def run(codes, domain, plan, forced, seed):
    account = account_room.accountant_for(plan, domain)
    account.forced = forced
    model = pipeline.fit(
        MemorySource(codes, domain), plan, accountant=account, rng=np.random.default_rng(seed)
    )
    return account.acts, model


def exact_loss(act, other, currency):
    """The privacy loss of an answer that the act could have given: epsilon, or rho."""
    change = act.exact.astype(float) - other.exact.astype(float)
    if act.question[0] != "select":
        if currency is Currency.PURE:
            return np.abs(change).sum() / act.scale
        return (change**2).sum() / (2 * act.scale**2)
    if currency is Currency.PURE and not act.exponential:
        return 2 * np.abs(change).max() / act.scale  # permute-and-flip [MS2020, Theorem 1]
    logs = [a.exact / act.scale - np.logaddexp.reduce(a.exact / act.scale) for a in (act, other)]
    ratio = logs[0] - logs[1]
    if currency is Currency.PURE:
        return np.abs(ratio).max()
    # The exact Renyi divergences of the two distributions over all candidates: rho bounds D_alpha / alpha.
    orders = np.array([1.01, 1.5, 2.0, 4.0, 16.0, 64.0])
    found = 0.0
    for first, second in (logs, logs[::-1]):
        for order in orders:
            divergence = np.logaddexp.reduce(order * first - (order - 1) * second) / (order - 1)
            found = max(found, divergence / order)
    return found


@pytest.mark.parametrize(("method", "learner", "currency", "neighbors"), sample(WAYS, 2))
def test_no_person_changes_what_is_asked_or_costs_more_than_was_charged(
    monkeypatch, method, learner, currency, neighbors
):
    monkeypatch.setattr(account_room, "Accountant", Recorder)
    rng = np.random.default_rng([WAYS.index((method, learner, currency, neighbors)), 11])
    for pair in range(EACH):
        rows = int(rng.choice([1, 1, 3]))
        sizes = rng.choice([2, 2, 3, 4, 7], int(rng.integers(2, 6)))
        domain = Domain(
            tuple(
                Categorical(name=f"x{i}", categories=tuple(range(int(s))), ordered=bool(i % 2))
                for i, s in enumerate(sizes)
            )
        )
        guarantee = Guarantee(
            epsilon=float(rng.choice([0.2, 1.0, 5.0, 30.0])),
            delta=0.0 if currency is Currency.PURE else 1e-9,
            currency=currency,
            neighbors=neighbors,
        )
        n_rows = int(rng.choice([12, 60, 300]))
        plan = make_plan(
            guarantee,
            domain,
            n_rows=n_rows,
            method=method,
            clusters=int(rng.integers(1, 3)),
            rows_per_person=rows,
            learner=learner if learner in learners_of(method, Accounting.SOUND)[1:] else None,
            encoding="bits" if learner == "ibayes" and pair % 2 else None,
            gamma=float(rng.choice([0.0, 1.0, 4.0])),
        )
        codes = table(domain, rng, n_rows)
        recorded, model = run(codes, domain, plan, None, pair)
        replayed, other = run(neighbour(codes, domain, neighbors, rows, rng), domain, plan, recorded, pair)
        assert [act.question for act in recorded] == [act.question for act in replayed]
        assert json.dumps(model.to_dict()) == json.dumps(other.to_dict())
        assert model.n_rows == other.n_rows
        for ours, theirs in zip(model.tables, other.tables, strict=True):
            assert ours.family == theirs.family
            assert (ours.probabilities == theirs.probabilities).all()
        for act, theirs in zip(recorded, replayed, strict=True):
            assert exact_loss(act, theirs, currency) <= act.loss * ROUNDING, act.question
        assert sum(act.loss for act in recorded) <= float(guarantee.total) * ROUNDING


def test_the_audit_finds_a_sensitivity_that_is_too_small(monkeypatch):
    """A door that takes every row for half a row draws half the noise: the audit must see it."""
    monkeypatch.setattr(account_room, "Accountant", Recorder)
    monkeypatch.setattr(accountant_room, "count_l2_sensitivity", lambda _: math.sqrt(2) / 2)
    domain = Domain.of_sizes([3, 3, 2])
    plan = make_plan(Guarantee(epsilon=1.0), domain, n_rows=60, method="independent")
    rng = np.random.default_rng(1)
    codes = table(domain, rng, 60)
    recorded, _ = run(codes, domain, plan, None, 0)
    one = codes.copy()
    one[0] = (codes[0] + 1) % [3, 3, 2]
    replayed, _ = run(one, domain, plan, recorded, 0)
    assert any(
        exact_loss(act, theirs, Currency.ZCDP) > act.loss
        for act, theirs in zip(recorded, replayed, strict=True)
    )
