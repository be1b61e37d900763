"""What is foreseen from formulas, against hand figures and the accountant's own scales."""

import itertools
import math
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import PlanError
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.pipeline import accountant_for
from hmpb_core.planning.feasibility import (
    RELATED,
    Verdict,
    epsilon_for_two_way,
    feasibility,
    least_two_way_error,
)
from hmpb_core.planning.forecast import DEPENDENCE, SAMPLED, tables_sharing
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.report.landing import count_noise
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

DOMAIN = Domain.of_sizes([2, 3, 4, 5, 6, 7, 8, 9])
PURE = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
GUARANTEES = [
    Guarantee(epsilon=epsilon, delta=delta, currency=currency, neighbors=neighbors)
    for (currency, delta), neighbors, epsilon in itertools.product(
        [(Currency.PURE, 0.0), (Currency.ZCDP, 1e-9)], Neighbors, [0.1, 1.0]
    )
]


SHARES = Shares.from_weights(one_way_tables=0.15, similarity=0.1, structure=0.15, conditional_tables=0.6)


def plan_of(guarantee=PURE, domain=DOMAIN, *, method="hmprivbayes", **options):
    shares = SHARES if method == "hmprivbayes" else None
    return make_plan(guarantee, domain, n_rows=None, method=method, shares=shares, **options)


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
@pytest.mark.parametrize("rows_per_person", [1, 3])
def test_table_noise_is_the_accountants(guarantee, rows_per_person):
    plan = plan_of(
        guarantee, rows_per_person=rows_per_person, **({"person": "id"} if rows_per_person > 1 else {})
    )
    accountant = accountant_for(plan, DOMAIN)
    told = {stage.stage: stage for stage in feasibility(plan, DOMAIN, 1000).stages}
    tables = {Stage.ONE_WAY_TABLES: len(DOMAIN), Stage.CONDITIONAL_TABLES: tables_sharing(plan, DOMAIN, 1000)}
    for stage, sharing in tables.items():
        due = accountant.table_noise_sd(accountant.budget.loss(stage) / Fraction(sharing)) / 1000
        assert told[stage].noise == pytest.approx(due, rel=1e-9)


def test_plan_and_explain_foresee_one_noise_on_a_count():
    plan = plan_of(GUARANTEES[0], method="hmprivbayes")
    told = {stage.stage: stage for stage in feasibility(plan, DOMAIN, 1000).stages}
    assert told[Stage.CONDITIONAL_TABLES].noise * 1000 == pytest.approx(count_noise(plan, DOMAIN, 1000).sd)


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_similarity_noise_is_what_a_run_reports(guarantee):
    from hmpb_core.sources.memory import MemorySource
    from hmpb_core.stages.similarity import measure_similarity

    plan = plan_of(guarantee, similarity="tvd")
    codes = np.random.default_rng(1).integers(0, 2, (1000, len(DOMAIN)))
    accountant = accountant_for(plan, DOMAIN, seed=1)
    matrix = measure_similarity(
        MemorySource(codes, DOMAIN),
        [np.full(size, 1 / size) for size in DOMAIN.sizes],
        measure="tvd",
        accountant=accountant,
        loss=accountant.left(Stage.SIMILARITY),
        total=1000.0,
    )
    told = {stage.stage: stage for stage in feasibility(plan, DOMAIN, 1000).stages}
    assert told[Stage.SIMILARITY].noise == pytest.approx(matrix.noise_sd, rel=1e-4)


def test_the_error_of_a_table_with_little_noise_is_half_the_noise_of_all_its_cells():
    """2 x 2 cells, Laplace of scale b on each: 1/2 * 4 * b / n."""
    domain = Domain.of_sizes([2, 2])
    plan = plan_of(PURE, domain)
    scale = 2 / (float(plan.shares.conditional_tables) / 2)
    figure = feasibility(plan, domain, 100_000).attributes[0].figure
    assert figure == pytest.approx(0.5 * 4 * scale / 100_000)


def test_the_noise_error_is_what_noise_does_to_a_table():
    rng = np.random.default_rng(5)
    domain = Domain.of_sizes([4, 4])
    n = 20_000
    plan = plan_of(PURE, domain)
    scale = 2 / (float(plan.shares.conditional_tables) / 2)
    z = (1 / np.arange(1, 5)) / (1 / np.arange(1, 5)).sum()
    table = n * np.outer(z, z)
    errors = [0.5 * np.abs(rng.laplace(0, scale, table.shape)).sum() / n for _ in range(400)]
    assert feasibility(plan, domain, n).attributes[0].figure == pytest.approx(np.mean(errors), rel=0.05)


def test_noise_alone_never_costs_more_than_half_of_everything():
    told = feasibility(plan_of(replace(PURE, epsilon=0.001)), DOMAIN, 2)
    assert all(outlook.figure <= 0.5 + 1e-9 for outlook in told.attributes)
    assert told.two_way_error <= 1


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 1.0, 5.0])
@pytest.mark.parametrize("currency", Currency)
def test_at_the_named_epsilon_the_verdict_turns_better(epsilon, currency):
    delta = 0.0 if currency is Currency.PURE else 1e-9
    order = [Verdict.DROWNED, Verdict.WEAK, Verdict.USABLE]

    def verdicts(at):
        plan = plan_of(Guarantee(epsilon=at, delta=delta, currency=currency), clusters=2)
        told = feasibility(plan, DOMAIN, 5000)
        return {o.name: o for o in (*told.attributes, told.clusters)}

    for name, outlook in verdicts(epsilon).items():
        if outlook.better_at is None:
            assert outlook.verdict is Verdict.USABLE
        elif math.isfinite(outlook.better_at):
            assert outlook.better_at > epsilon
            after = verdicts(min(100.0, outlook.better_at * (1 + 1e-6)))[name].verdict
            before = verdicts(outlook.better_at * (1 - 1e-6))[name].verdict
            assert order.index(after) == order.index(before) + 1 == order.index(outlook.verdict) + 1


@pytest.mark.parametrize("points", [1.5, 3, 8])
@pytest.mark.parametrize("currency", Currency)
def test_solving_for_an_error_and_foreseeing_it_agree(points, currency):
    delta = 0.0 if currency is Currency.PURE else 1e-9
    guarantee = Guarantee(epsilon=1.0, delta=delta, currency=currency)
    epsilon = epsilon_for_two_way(plan_of(guarantee), DOMAIN, 20_000, points / 100)
    told = feasibility(plan_of(replace(guarantee, epsilon=epsilon)), DOMAIN, 20_000)
    assert told.two_way_error == pytest.approx(points / 100, rel=1e-3)


def test_the_answer_does_not_depend_on_the_epsilon_one_starts_from():
    answers = {
        round(epsilon_for_two_way(plan_of(replace(PURE, epsilon=e)), DOMAIN, 9000, 0.02), 2)
        for e in (0.01, 1, 50)
    }
    assert len(answers) == 1


def test_what_no_epsilon_reaches_is_told_as_infinite():
    assert epsilon_for_two_way(plan_of(), DOMAIN, 10, 1e-6) == math.inf


@pytest.mark.parametrize("error", [0, -1, math.nan])
def test_an_impossible_error_is_refused(error):
    with pytest.raises(PlanError, match="above 0"):
        epsilon_for_two_way(plan_of(), DOMAIN, 100, error)


def test_too_few_rows_are_refused():
    with pytest.raises(PlanError, match="at least 2 rows"):
        feasibility(plan_of(), DOMAIN, 1)


def test_one_cluster_needs_no_verdict():
    assert feasibility(plan_of(clusters=1), DOMAIN, 100).clusters is None


def test_stages_without_a_share_are_left_out():
    told = feasibility(plan_of(method="independent"), DOMAIN, 1000)
    assert [stage.stage for stage in told.stages] == [Stage.ONE_WAY_TABLES]


def test_groups_are_drowned_exactly_where_their_spectrum_is():
    """A planted matrix: below the bound its top eigenvector says nothing about the groups."""
    rng = np.random.default_rng(2)
    d, k = 120, 3
    labels = np.arange(d) % k
    truth = RELATED * (labels[:, None] == labels[None, :])

    def found(ratio):
        sd = RELATED * d / k / (ratio * math.sqrt(d))
        noise = np.triu(rng.normal(0, sd, (d, d)), 1)
        _, vectors = np.linalg.eigh(truth + noise + noise.T)
        space = np.linalg.norm(vectors[:, -k:].T @ (np.eye(k)[labels] / math.sqrt(d / k)), 2)
        return space**2

    assert np.mean([found(3.0) for _ in range(5)]) > 0.8
    assert np.mean([found(0.3) for _ in range(5)]) < 0.5


def test_fifty_seven_attributes_are_foreseen_within_a_tenth_of_a_second():
    domain = Domain.of_sizes([14, 16, 3, 4, 4, 6, 160, *[6] * 50])
    plans = [plan_of(Guarantee(epsilon=e), domain, clusters=6) for e in (0.3, 0.5, 0.7, 0.9)]
    feasibility(plans[0], domain, 19_719)
    times = []
    for plan in plans[1:]:
        start = time.perf_counter()
        feasibility(plan, domain, 19_719)
        epsilon_for_two_way(plan, domain, 19_719, 0.03)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.1


def error_of(guarantee=None, **options):
    guarantee = guarantee or Guarantee(epsilon=1.0)
    plan = make_plan(guarantee, DOMAIN, n_rows=20_000, **options)
    return feasibility(plan, DOMAIN, 20_000).two_way_error


@pytest.mark.parametrize("currency", Currency)
def test_more_epsilon_never_foresees_a_larger_error(currency):
    delta = 0.0 if currency is Currency.PURE else 1e-9
    epsilons = (0.02, 0.1, 0.3, 1.0, 3.0, 10.0)
    for options in (
        {},
        {"learner": "ibayes"},
        {"clusters": 3},
        {"method": "jtree"},
        {"method": "independent"},
    ):
        told = [error_of(Guarantee(epsilon=e, delta=delta, currency=currency), **options) for e in epsilons]
        assert told == sorted(told, reverse=True)


def test_the_forecast_answers_to_every_choice_as_runs_do():
    usual = error_of(clusters=1)
    assert error_of(clusters=1, learner="ibayes") > usual  # one table an attribute, no second look
    assert usual <= error_of(clusters=4) < 1.2 * usual  # bridges keep the price of clusters small
    assert error_of(clusters=4, learner="ibayes") > error_of(clusters=1, learner="ibayes")  # it has none
    assert error_of(clusters=1, gamma=0.0) < usual < error_of(clusters=1, gamma=3.0)
    assert error_of(clusters=1, eta=0.6) > usual  # pruned pairs are lost
    assert error_of(clusters=1, shares=SHARES) != usual
    assert error_of(method="independent") > error_of(method="privbayes") > usual


def test_a_second_sample_of_few_rows_is_farther():
    plan = make_plan(Guarantee(epsilon=100.0), DOMAIN, n_rows=20_000)
    told = feasibility(plan, DOMAIN, 20_000)
    few = feasibility(plan, DOMAIN, 2_000)
    assert few.second_sample > told.second_sample > 0


def test_the_error_of_a_second_sample_is_that_of_a_reference_table_drawn_twice():
    rng = np.random.default_rng(6)
    shares = (1 / np.arange(1, 6)) / (1 / np.arange(1, 6)).sum()
    table = np.outer(shares, shares).ravel()
    samples = rng.multinomial(10_000, table, (300, 2)) / 10_000
    due = 0.5 * np.abs(samples[:, 0] - samples[:, 1]).sum(axis=1).mean()
    domain = Domain.of_sizes([5, 5])
    plan = make_plan(Guarantee(epsilon=1.0), domain, n_rows=10_000)
    assert feasibility(plan, domain, 10_000).second_sample == pytest.approx(SAMPLED * due, rel=0.05)


@pytest.mark.parametrize(("sizes", "n_rows"), [([12] * 6, 2_000), ([4] * 8, 500)])
def test_of_few_rows_the_forecast_knows_that_what_is_drawn_varies_though_there_is_no_noise(sizes, n_rows):
    domain = Domain.of_sizes(sizes)
    rng = np.random.default_rng(1)
    shared = rng.random((n_rows, 1)) < 0.3
    codes = (np.where(shared, rng.random((n_rows, 1)), rng.random((n_rows, len(sizes)))) * sizes).astype(int)
    plan = make_plan(Guarantee(epsilon=100.0), domain, n_rows=n_rows)
    drawn = fit_source(MemorySource(codes, domain), plan, seed=0).sample_codes(rng=np.random.default_rng(0))
    measured = marginal_error(codes, drawn, domain, 2).mean
    foreseen = feasibility(plan, domain, n_rows).two_way_error
    assert measured / 1.5 < foreseen < 1.5 * measured, (measured, foreseen)


def test_of_many_rows_no_cell_is_foreseen_to_be_off_by_more_than_a_few_since_rows_are_spread_evenly():
    two = Domain.of_sizes([2, 2])
    plan = make_plan(Guarantee(epsilon=100.0), two, n_rows=10_000, method="independent")
    sample = SAMPLED / 2 * sum(math.sqrt(2 * p / math.pi / 10_000) for p in (4 / 9, 2 / 9, 2 / 9, 1 / 9))
    least = least_two_way_error(plan, two, 10_000)
    assert least == pytest.approx(DEPENDENCE, rel=1e-4)
    assert math.hypot(DEPENDENCE, sample) > (1 + 1e-3) * least


def test_learned_bins_count_as_the_few_codes_that_noise_leaves_of_them():
    ages = replace(Numeric(name="age", minimum=0, maximum=99, integer=True, bins=32), learned=True)
    eight = Categorical(name="age", categories=tuple("abcdefgh"))
    other = Categorical(name="other", categories=tuple("abcdefgh"))
    learned, listed = (
        feasibility(plan_of(domain=domain), domain, 5000).attributes[0].figure
        for domain in (
            Domain((replace(ages, nullable=False), other)),
            Domain((replace(eight, nullable=False), other)),
        )
    )
    assert learned == listed


def test_a_method_on_bits_is_told_by_the_columns_of_the_codebook():
    letters = Categorical(name="a", categories=tuple("abcdefgh"))
    domain = Domain((letters, Categorical(name="b", categories=("x", "y"))))
    told = feasibility(plan_of(domain=domain, method="privscbn", encoding="bits"), domain, 5000)
    assert [outlook.name for outlook in told.attributes] == ["a", "b"]
