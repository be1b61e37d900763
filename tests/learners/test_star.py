"""Naive Bayes synthesis: the star by hand, and the published labels against their distribution."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError, PlanError
from hmpb_core.facade import guarantee_of
from hmpb_core.learners.star import class_probabilities, star
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.planning.methods import Accounting
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.stages.labels import labelled_codes
from hmpb_core.synthesis import fit_source, make_plan

DOMAIN = Domain.of_sizes([2, 3, 2])
CODES = np.array([[0, 0, 0], [0, 1, 0], [1, 2, 1], [1, 2, 0]] * 250, dtype=np.int32)


def plan_of(accounting="sound", epsilon=1.0, **options):
    return make_plan(
        guarantee_of("pure", epsilon, None, "replace-one"),
        DOMAIN,
        n_rows=len(CODES),
        method="naive-bayes",
        accounting=Accounting(accounting),
        **options,
    )


def test_a_star_draws_the_class_first_and_everything_else_from_it():
    assert star(3, 1) == (Family(child=1), Family(child=0, parents=(1,)), Family(child=2, parents=(1,)))


def test_the_class_is_the_target_or_the_last_attribute():
    assert plan_of().target_of(DOMAIN) == 2
    assert plan_of(target="x0").target_of(DOMAIN) == 0


def test_a_class_that_is_not_in_the_codebook_is_refused():
    with pytest.raises(DomainError, match="salary"):
        plan_of(target="salary")


def test_only_replaced_rows_are_protected():
    with pytest.raises(PlanError, match="works under 'replace-one' neighbours only"):
        make_plan(guarantee_of("pure", 1.0, None, "add-remove"), DOMAIN, n_rows=9, method="naive-bayes")


def test_a_large_budget_gives_the_tables_of_naive_bayes():
    model = fit_source(MemorySource(CODES, DOMAIN), plan_of(epsilon=100.0), seed=1)
    classes, first, second = model.tables
    assert classes.family == Family(child=2)
    assert classes.probabilities == pytest.approx([0.75, 0.25], abs=0.01)
    assert first.probabilities == pytest.approx(np.array([[2 / 3, 1 / 3], [0, 1]]), abs=0.02)
    assert second.probabilities == pytest.approx(np.array([[1, 1, 1], [0, 0, 3]]) / 3, abs=0.02)


def test_the_class_is_known_from_its_own_table_and_from_all_sums_by_their_precision():
    own = NoisyMarginal(attributes=(0,), counts=np.array([60.0, 40.0]), noise="gaussian", scale=1.0)
    pair = NoisyMarginal(
        attributes=(0, 1), counts=np.array([[30.0, 10.0], [30.0, 30.0]]), noise="gaussian", scale=1.0
    )
    # Sums of two cells have twice the variance: weights 2/3 and 1/3 on 60 and 40.
    assert class_probabilities([own, pair], 100.0) == pytest.approx([160 / 300, 140 / 300])


def test_as_published_every_row_costs_epsilon_and_the_class_model_is_not_paid():
    plan = plan_of("as-published", epsilon=0.5)
    assert plan.rows == len(CODES)
    bill = bill_of_plan(plan, domain=DOMAIN)
    assert bill.loss == Fraction(1, 2) * len(CODES)
    assert any("class model" in item for item in bill.unpaid)
    model = fit_source(MemorySource(CODES, DOMAIN), plan)
    assert model.bill.loss == bill.loss
    assert not model.releasable
    with pytest.raises(PlanError, match="rows were paid for"):
        model.sample_codes(len(CODES) + 1, rng=np.random.default_rng(0))


def test_as_published_a_label_is_drawn_with_the_sensitivity_that_the_paper_gives():
    model = fit_source(MemorySource(CODES, DOMAIN), plan_of("as-published", epsilon=0.5))
    (entry,) = model.entries
    assert len(CODES) == 1000
    assert entry.sensitivity == 11  # ceil(log2(2000))
    assert entry.scale == pytest.approx(2 * 11 / 0.5, rel=1e-12)  # exp(eps q / (2 Dq)), row by row


def test_as_published_rows_that_break_a_rule_are_put_right_and_none_is_drawn_unpaid():
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 100, "required": True}}
    book = Codebook.from_dict(
        {
            "fields": [{"name": "low", **number}, {"name": "high", **number}],
            "rules": [{"kind": "ascending", "columns": ["low", "high"]}],
        }
    )
    low = np.random.default_rng(0).integers(0, 50, 200)
    source = open_source(pd.DataFrame({"low": low, "high": low + 7}), book)
    plan = make_plan(
        guarantee_of("pure", 1.0, None, "replace-one"),
        book.domain,
        n_rows=200,
        method="naive-bayes",
        accounting=Accounting.AS_PUBLISHED,
    )
    rows = fit_source(source, plan, seed=1).sample(rng=np.random.default_rng(1))
    assert len(rows) == 200
    assert (rows["low"] <= rows["high"]).all()


def test_as_published_the_parameters_are_the_smoothed_frequencies():
    model = fit_source(MemorySource(CODES, DOMAIN), plan_of("as-published"), seed=1)
    classes, first, _ = model.tables
    assert classes.probabilities == pytest.approx([751 / 1002, 251 / 1002])
    assert first.probabilities == pytest.approx(np.array([[501 / 752, 251 / 752], [1 / 252, 251 / 252]]))


@pytest.mark.parametrize("epsilon", [0.001, 20.0])
def test_a_published_label_follows_the_exponential_mechanism(epsilon):
    prior, given = np.array([0.8, 0.2]), np.array([[0.9, 0.1], [0.3, 0.7]])
    tables = [
        ConditionalTable(family=Family(child=1), probabilities=prior, noise_sd=0.0),
        ConditionalTable(family=Family(child=0, parents=(1,)), probabilities=given, noise_sd=0.0),
    ]
    n = 40_000
    codes = labelled_codes(
        tables, Domain.of_sizes([2, 2]), n, np.random.default_rng(4), epsilon=epsilon, table_rows=500
    )
    assert codes[:, 0].mean() == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(n))
    sensitivity = 10  # ceil(log2(1000))
    for x in (0, 1):
        weights = np.exp(epsilon * np.log2(prior * given[:, x]) / (2 * sensitivity))
        expected = weights[1] / weights.sum()
        group = codes[codes[:, 0] == x, 1]
        assert group.mean() == pytest.approx(expected, abs=4 * 0.5 / math.sqrt(len(group)))
