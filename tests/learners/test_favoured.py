"""A plan's target: its pairs get twice the budget, and what others gain counts half."""

from __future__ import annotations

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError, PlanError
from hmpb_core.learners.adaptive.budget import LearnerBudget
from hmpb_core.learners.adaptive.run import FAVOUR
from hmpb_core.learners.adaptive.scores import ExactTables
from hmpb_core.pipeline import _favoured, fit
from hmpb_core.planning.account import accountant_for
from hmpb_core.planning.options import guarantee_of
from hmpb_core.planning.plan import Plan
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import make_plan

DOMAIN = Domain.of_sizes([4, 4, 4, 4, 4])


def plan_of(**choices: object) -> Plan:
    guarantee = guarantee_of("zcdp", 1.0, 1e-9, "replace-one")
    return make_plan(guarantee, DOMAIN, n_rows=4000, gamma=0.0, **choices)  # type: ignore[arg-type]


def table(n_rows: int = 4000) -> np.ndarray:
    """Five attributes that all hang on a hidden one."""
    rng = np.random.default_rng(1)
    hidden = rng.integers(0, 4, n_rows)
    free = rng.integers(0, 4, (n_rows, len(DOMAIN)))
    return np.where(rng.random((n_rows, len(DOMAIN))) < 0.5, hidden[:, None], free)


def losses(seed: int = 0, **choices: object) -> list[tuple[str, float]]:
    plan = plan_of(**choices)
    account = accountant_for(plan, DOMAIN, seed=seed)
    fit(MemorySource(table(), DOMAIN), plan, accountant=account, rng=np.random.default_rng(seed))
    acts = [act for event in account.events for act in event.acts if event.act == "adaptive"]
    return [(act.what, float(act.loss)) for act in acts if " and " in act.what]


def test_a_table_of_the_target_costs_twice_what_another_does():
    costs = losses(target="x2")
    own, other = (next(loss for what, loss in costs if ("x2" in what) is mine) for mine in (True, False))
    assert own == pytest.approx(FAVOUR * other)


def test_what_pairs_without_the_target_gain_counts_half(monkeypatch):
    asked = []
    monkeypatch.setattr(ExactTables, "gains", lambda _self, candidates, *_: [8.0] * len(candidates))
    monkeypatch.setattr(LearnerBudget, "select", lambda _self, scores: asked.append(sorted(scores)) or 0)
    losses(target="x2")
    assert asked[0] == [8 / FAVOUR] * 6 + [8.0] * 4  # of ten pairs four are the target's
    asked.clear()
    losses()
    assert asked[0] == [8.0] * 10


def test_pairs_of_the_target_come_out_nearer():
    codes = table()

    def error(seed, **choices):
        plan = plan_of(**choices)
        account = accountant_for(plan, DOMAIN, seed=seed)
        model = fit(MemorySource(codes, DOMAIN), plan, accountant=account, rng=np.random.default_rng(seed))
        drawn = model.sample(20_000, rng=np.random.default_rng(seed))
        rows = np.column_stack([drawn[name].astype(int) for name in DOMAIN.names])
        return np.mean(
            [
                np.abs(share(codes[:, [2, other]]) - share(rows[:, [2, other]])).sum() / 2
                for other in (0, 1, 3, 4)
            ]
        )

    seeds = range(8)
    assert np.mean([error(s, target="x2") for s in seeds]) < 0.95 * np.mean([error(s) for s in seeds])


def share(pair):
    return np.bincount(pair[:, 0] * 4 + pair[:, 1], minlength=16) / len(pair)


def test_all_bits_of_the_target_are_favoured():
    plan = plan_of(target="x2", encoding="bits")
    assert _favoured(plan, DOMAIN, plan.spec.owners(DOMAIN)) == {4, 5}


def test_a_target_that_is_not_in_the_codebook_is_refused():
    with pytest.raises(DomainError, match="salary"):
        plan_of(target="salary")


@pytest.mark.parametrize("choices", [{"learner": "ibayes"}, {"method": "jtree"}])
def test_a_target_that_nothing_would_be_done_with_is_refused(choices):
    with pytest.raises(PlanError, match="makes no use"):
        plan_of(target="x2", **choices)
