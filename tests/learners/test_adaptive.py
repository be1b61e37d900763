"""The adaptive learner: spends exactly its stages, finds dependence, keeps to its clusters and limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.domain import Domain, Numeric
from hmpb_core.learners.adaptive import run as run_module
from hmpb_core.learners.adaptive.budget import LearnerBudget
from hmpb_core.learners.adaptive.denoising import drawn_to_bounds
from hmpb_core.learners.adaptive.learner import AdaptiveLearner
from hmpb_core.learners.adaptive.pair_prior import PairPrior, narrowed, pairs_worth_asking
from hmpb_core.learners.adaptive.run import LearnerRun
from hmpb_core.learners.adaptive.scores import ExactTables, expected_error
from hmpb_core.learners.base import Learned
from hmpb_core.likely_counts import one_way_estimate
from hmpb_core.marginal import NoisyMarginal, project_to_simplex
from hmpb_core.merging import compress, expand_table, merge_counts
from hmpb_core.network import sampling_order
from hmpb_core.planning.advice import (
    codes_that_count,
    one_way_counts,
    one_way_parts,
    shares_for,
)
from hmpb_core.privacy.accountant import Accountant, Protection
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.progress import StageClock
from hmpb_core.sources.memory import MemorySource
from hmpb_core.stages.sampling import sample_codes
from hmpb_core.stages.similarity import SimilarityMatrix, measure_similarity

SIZES = [3, 3, 2, 5, 2, 4]


def chain(n_rows: int = 5000, seed: int = 3) -> np.ndarray:
    """Six attributes, each following the one before it three times out of four."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, len(SIZES)), dtype=np.int64)
    for a, size in enumerate(SIZES):
        free = rng.integers(0, size, n_rows)
        codes[:, a] = np.where(rng.random(n_rows) < 0.75, codes[:, a - 1] % size, free) if a else free
    return codes


def guarantee_of(epsilon: float = 1.0, currency: str = "zcdp", neighbors: str = "replace-one") -> Guarantee:
    return Guarantee(
        epsilon=epsilon,
        delta=1e-9 if currency == "zcdp" else 0.0,
        currency=Currency(currency),
        neighbors=Neighbors(neighbors),
    )


def learned(
    codes: np.ndarray,
    sizes: Sequence[int],
    guarantee: Guarantee,
    *,
    clusters: Sequence[Sequence[int]] | None = None,
    weights: Sequence[float] | None = None,
    max_parents: int | None = None,
    protection: Protection = "seeded",
    with_similarity: bool = True,
) -> tuple[Learned, Accountant]:
    source = MemorySource(codes, Domain.of_sizes(sizes))
    d, total = len(sizes), float(len(codes))
    shares = shares_for(Domain.of_sizes(sizes), guarantee, len(codes))
    accountant = Accountant(Budget(guarantee=guarantee, shares=shares), protection=protection, seed=5)
    budget = accountant.left(Stage.ONE_WAY_TABLES)
    profile = [
        accountant.measure(
            source.marginal((a,)), stage=Stage.ONE_WAY_TABLES, loss=budget / d, what="one-way table"
        )
        for a in range(d)
    ]
    similarity: SimilarityMatrix | None = None
    if with_similarity and d > 1:
        similarity = measure_similarity(
            source,
            [project_to_simplex(table.counts, total) / total for table in profile],
            measure="tvd",
            accountant=accountant,
            loss=accountant.left(Stage.SIMILARITY),
            total=total,
        )
    result = AdaptiveLearner(max_parents=max_parents).learn(
        source,
        profile,
        total=total,
        similarity=similarity,
        clusters=clusters or [tuple(range(d))],
        weights=weights or [1.0] * d,
        accountant=accountant,
        clock=StageClock(),
    )
    return result, accountant


def distance(codes: np.ndarray, result: Learned, sizes: Sequence[int]) -> float:
    """Mean total variation over all pairs between the table and rows drawn from the model."""
    rows = sample_codes(result.tables, Domain.of_sizes(sizes), len(codes), np.random.default_rng(0))
    found = []
    for i in range(len(sizes)):
        for j in range(i):
            cells = sizes[i] * sizes[j]
            real = np.bincount(codes[:, i] * sizes[j] + codes[:, j], minlength=cells)
            drawn = np.bincount(rows[:, i] * sizes[j] + rows[:, j], minlength=cells)
            found.append(0.5 * np.abs(real - drawn).sum() / len(codes))
    return float(np.mean(found))


def run_of_tables(*one_way: NoisyMarginal, total: float = 1000.0) -> LearnerRun:
    """A run before its first measurement, on a table of zeros."""
    sizes = [table.counts.size for table in one_way]
    return LearnerRun(
        MemorySource(np.zeros((10, len(sizes)), dtype=np.int64), Domain.of_sizes(sizes)),
        one_way,
        max_parents=None,
        eta=0.0,
        total=total,
        similarity=None,
        clusters=[tuple(range(len(sizes)))],
    )


def run_of(*one_way: list[float]) -> LearnerRun:
    return run_of_tables(
        *(
            NoisyMarginal(attributes=(a,), counts=np.array(counts), noise="gaussian", scale=5.0)
            for a, counts in enumerate(one_way)
        )
    )


def test_a_numbers_covariance_is_merged_as_its_values_are() -> None:
    """Rows 3 and 4 of five codes are too few to tell from none: one group."""
    errors = np.diag([90.0, 110.0, 100.0, 80.0, 120.0])
    number = NoisyMarginal(
        attributes=(0,),
        counts=np.array([400.0, 350.0, 3.0, 2.0, 245.0]),
        noise="gaussian",
        scale=10.0,
        covariance=errors,
    )
    flag = NoisyMarginal(attributes=(1,), counts=np.array([600.0, 400.0]), noise="gaussian", scale=10.0)
    run = run_of_tables(number, flag)
    assert run.sizes == (4, 2)
    covariance = run.known.evidence[0,].covariance
    assert covariance is not None
    assert np.diag(covariance).tolist() == [90.0, 110.0, 120.0, 180.0]
    assert run.known.evidence[1,].covariance is None
    # hardly any noise: nothing of it hangs together
    still = run_of_tables(replace(number, scale=0.1, covariance=errors / 1e4), flag)
    assert still.known.evidence[0,].covariance is None


def test_at_the_end_the_model_says_of_every_attribute_what_all_looks_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However far the fit itself came: here a single sweep over pairs that contradict each other."""
    monkeypatch.setattr(run_module, "LAST_SWEEPS", 1)
    run = run_of([600.0, 400.0], [500.0, 300.0, 200.0], [250.0] * 4, [700.0, 200.0, 100.0])
    rng = np.random.default_rng(4)
    for pair in ((0, 1), (1, 2), (0, 2), (2, 3)):
        table = rng.uniform(0, 300, [run.sizes[a] for a in pair])
        run.known.take_in(pair, table * 1000 / table.sum(), 200.0, ridge=2.0)
    guarantee = guarantee_of()
    shares = shares_for(Domain.of_sizes(run.sizes), guarantee, 1000)
    budget = LearnerBudget(Accountant(Budget(guarantee=guarantee, shares=shares)), "abcd", [1.0] * 4)
    run.model = run.fitted(None, sweeps=1)
    domain = Domain.of_sizes(run.sizes)
    tables = run.finish([(0, 1, 2, 3)], budget).tables
    rows = sample_codes(tables, domain, 100_000, np.random.default_rng(0))
    for (attribute,), item in run.known.one_way().items():
        shares_of = np.bincount(rows[:, attribute], minlength=run.sizes[attribute]) / 100_000
        assert shares_of == pytest.approx(item.counts / 1000, abs=1e-3)


def test_a_measurement_is_expected_to_cost_what_noise_its_margins_leave() -> None:
    """A table of 2 and 5 values has 4 numbers that its margins do not say: 4/10 of the noise's variance."""
    run = run_of([600.0, 400.0], [200.0] * 5, [1000.0])
    guarantee = guarantee_of()
    shares = shares_for(Domain.of_sizes([2, 5, 1]), guarantee, 1000)
    budget = LearnerBudget(Accountant(Budget(guarantee=guarantee, shares=shares)), "abc", [1.0, 1.0, 1.0])
    noise_sd = budget.noise_sd(budget.unit)
    assert run._noise_after((0, 1), budget) == pytest.approx(math.sqrt(0.4) * noise_sd)
    run.known.take_in((0, 1), np.full((2, 5), 100.0), noise_sd**2 / 3, ridge=0.1)
    assert run._noise_after((0, 1), budget) == pytest.approx(math.sqrt(0.4) * noise_sd / 2)
    assert run._noise_after((1, 2), budget) == pytest.approx(noise_sd)  # nothing but a margin
    assert run._noise_after((1,), budget) == pytest.approx(1 / math.hypot(1 / 5, 1 / noise_sd))


@pytest.mark.parametrize("currency", ["zcdp", "pure"])
@pytest.mark.parametrize("neighbors", ["replace-one", "add-remove"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
def test_structure_and_conditionals_are_spent_to_the_last_digit(
    currency: str, neighbors: str, epsilon: float
) -> None:
    _, accountant = learned(chain(), SIZES, guarantee_of(epsilon, currency, neighbors))
    assert accountant.left(Stage.STRUCTURE) == 0
    assert accountant.left(Stage.CONDITIONAL_TABLES) == 0


@pytest.mark.parametrize("sizes", [[4], [2, 2], [1, 3, 2], [60, 2, 700]])
def test_odd_tables_are_spent_and_sampled_too(sizes: list[int]) -> None:
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, size, 400) for size in sizes], axis=1)
    result, accountant = learned(codes, sizes, guarantee_of())
    assert accountant.left(Stage.CONDITIONAL_TABLES) == 0
    assert accountant.left(Stage.STRUCTURE) == 0
    rows = sample_codes(result.tables, Domain.of_sizes(sizes), 100, rng)
    assert (rows.max(axis=0) < sizes).all()


def test_clusters_of_one_attribute_measure_their_one_way_tables_again() -> None:
    result, accountant = learned(
        chain(), SIZES, guarantee_of(), clusters=[(a,) for a in range(6)], with_similarity=False
    )
    assert result.measured == ()
    assert accountant.left(Stage.CONDITIONAL_TABLES) == 0


def test_a_large_budget_finds_the_dependence() -> None:
    codes = chain()
    result, _ = learned(codes, SIZES, guarantee_of(20.0))
    shuffled = np.stack([np.random.default_rng(a).permutation(codes[:, a]) for a in range(6)], axis=1)
    independent, _ = learned(shuffled, SIZES, guarantee_of(20.0))
    assert distance(codes, result, SIZES) < 0.02
    assert distance(codes, independent, SIZES) > 0.1


def test_without_noise_the_learner_ends_and_is_nearly_exact() -> None:
    codes = chain()
    result, _ = learned(codes, SIZES, guarantee_of(1.0), protection="none")
    assert distance(codes, result, SIZES) < 0.015


def test_the_learner_works_without_a_similarity() -> None:
    codes = chain()
    result, _ = learned(codes, SIZES, guarantee_of(5.0), with_similarity=False)
    assert distance(codes, result, SIZES) < 0.05


@pytest.mark.parametrize("max_parents", [1, 2, 3])
def test_no_family_has_more_parents_than_allowed(max_parents: int) -> None:
    result, _ = learned(chain(), SIZES, guarantee_of(20.0), max_parents=max_parents)
    assert max(len(table.family.parents) for table in result.tables) <= max_parents


def test_a_strong_chain_crosses_clusters_by_measured_bridges() -> None:
    clusters = [(0, 1, 2), (3, 4), (5,)]
    result, _ = learned(chain(), SIZES, guarantee_of(20.0), clusters=clusters)
    assert [sorted(network.children) for network in result.networks] == [[0, 1, 2], [3, 4], [5]]
    crossed = {frozenset(bridge) for bridge in result.bridges}
    assert {frozenset((2, 3)), frozenset((4, 5))} <= crossed  # the chain's own links across clusters
    drawn = {bridge for network in result.networks for bridge in network.bridges}
    assert set(result.bridges) <= drawn
    assert crossed <= {frozenset(pair) for pair in result.measured}


@pytest.mark.parametrize(("scale", "noise_sd", "asked"), [(0.3, 1e4, 7), (1.0, 1e4, 9), (1.0, 5.0, 15)])
def test_several_clusters_ask_for_half_of_all_pairs_or_for_all_that_are_worth_it(
    scale: float, noise_sd: float, asked: int
) -> None:
    """Noise of 5 costs a pair 6.8 rows, boundless noise 425; the pairs promise 170, 240, ... 730 rows."""
    d = 6
    values = scale * (np.arange(36.0).reshape(d, d) * 20 + 100)
    prior = PairPrior(
        one_way=(np.full(2, 500.0),) * d,
        total=1000.0,
        strength=values,
        noise_sd=1.0,
        cluster_of=(0, 0, 0, 1, 1, 1),
        kept=np.ones((d, d), dtype=bool),
        likely=(values + values.T) / 2,
        likely_sd=1.0,
        clear=np.ones((d, d), dtype=bool),
    )
    pairs = pairs_worth_asking(prior)
    assert len(pairs) == 15
    kept = narrowed(prior, pairs, {(0, 1)}, noise_sd)
    assert len(kept) == asked
    assert (0, 1) in kept  # measured pairs stay, though this one is the weakest
    assert (4, 5) in kept


def test_several_clusters_ask_for_the_half_that_promises_most_of_their_pairs_and_clear_bridges() -> None:
    values = np.zeros((4, 4))
    values[0, 1], values[0, 2], values[1, 3], values[2, 3] = 0.05, 0.3, 0.4, 0.02
    one_way = [np.full(2, 500.0)] * 4

    def prior_at(noise_sd: float) -> PairPrior:
        similarity = SimilarityMatrix(
            measure="tvd", names=tuple("abcd"), values=values + values.T, noise_sd=noise_sd
        )
        return PairPrior.of(one_way, 1000.0, similarity, [(0, 1), (2, 3)], eta=0.0)

    prior = prior_at(0.001)
    pairs = pairs_worth_asking(prior)
    assert pairs == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert narrowed(prior, pairs, (), 1e4) == [(0, 1), (0, 2), (1, 3)]  # the two bridges before (2, 3)
    assert narrowed(prior, pairs, (), 1.0) == pairs  # each promises more than it costs
    assert len(pairs_worth_asking(prior_at(0.5))) == 6  # clusters of noise say nothing of where to look


def test_a_lopsided_attribute_promises_little_however_noisy_its_similarity() -> None:
    # Binary attributes, 500 : 500 and 990 : 10. The most they can be off from independence is
    # 1 - 0.5^2 - 0.5^2 = 0.5 for two even ones and 1 - 0.99^2 - 0.01^2 = 0.0198 with a lopsided one.
    one_way = [np.array([500.0, 500.0])] * 2 + [np.array([990.0, 10.0])]
    values = np.array([[0, 0.3, 0.4], [0.3, 0, 0.1], [0.4, 0.1, 0]])
    drawn, kept = drawn_to_bounds(values, 0.0, one_way)
    assert kept == 1
    assert drawn == pytest.approx(np.array([[0, 0.3, 0.0198], [0.3, 0, 0.0198], [0.0198, 0.0198, 0]]))
    # All noise: along the line through 0 with slope (0.5 * 0.3 + 0.0198 * 0.5) / (0.5^2 + 2 * 0.0198^2).
    slope = (0.5 * 0.3 + 0.0198 * 0.5) / (0.5**2 + 2 * 0.0198**2)
    drawn, kept = drawn_to_bounds(values, 10.0, one_way)
    assert kept == 0
    assert drawn[0, 1] == pytest.approx(slope * 0.5)
    assert drawn[0, 2] == drawn[1, 2] == pytest.approx(slope * 0.0198)


@pytest.mark.parametrize(
    ("values", "noise_sd", "drawn"),
    [
        # The slope is 0.5 * 0.6 / 0.75 = 0.4; around 0.4 * 0.5 = 0.2 the mean square is 0.02 / 3.
        ((0.1, 0.2, 0.3), math.sqrt(0.005 / 3), (0.125, 0.2, 0.275)),
        # Slopes of 1.8 and -0.2 are none: all lie 0.4 above 0.5, and 0.1 below 0.
        ((0.9, 0.9, 0.9), 0.2, (0.5, 0.5, 0.5)),
        ((-0.1, -0.1, -0.1), 0.05, (0.0, 0.0, 0.0)),
    ],
)
def test_similarities_keep_the_part_of_their_distance_from_the_line_that_is_no_noise(values, noise_sd, drawn):
    noisy = np.zeros((3, 3))
    noisy[np.triu_indices(3, 1)] = values
    found, kept = drawn_to_bounds(noisy + noisy.T, noise_sd, [np.array([50.0, 50.0])] * 3)
    assert kept == pytest.approx(0.75)
    assert found[np.triu_indices(3, 1)] == pytest.approx(drawn)
    assert not np.diag(found).any()


def test_no_table_is_further_from_independence_than_its_one_way_tables_allow() -> None:
    rng = np.random.default_rng(5)
    for sharpness in (0.05, 0.3, 1.0):
        table = 1000 * rng.dirichlet(np.full(12, sharpness)).reshape(3, 4)
        one_way = [table.sum(axis=1), table.sum(axis=0)]
        off = 0.5 * np.abs(table - np.multiply.outer(*one_way) / 1000).sum() / 1000
        assert drawn_to_bounds(np.array([[0, 1.0], [1.0, 0]]), 0.0, one_way)[0][0, 1] >= off
    # A copy of an attribute is as far as that.
    assert drawn_to_bounds(np.ones((2, 2)), 0.0, [np.array([3.0, 1.0])] * 2)[0][0, 1] == pytest.approx(0.375)


def test_weights_shift_the_noise_of_a_childs_tables_by_the_stated_rule() -> None:
    weights = [1.0, 2.0, 3.0, 1.5, 2.5, 0.8]
    result, _ = learned(chain(), SIZES, guarantee_of(), weights=weights)
    assert sorted(result.child_noise) == list(range(6))  # every attribute is the child of a table
    shift = [noise.uniform_noise_sd / noise.noise_sd for _, noise in sorted(result.child_noise.items())]
    # Gaussian noise goes with the root of a table's part of the budget.
    relative = np.array(shift) / np.sqrt(weights)
    assert relative == pytest.approx(np.full(6, relative[0]), rel=1e-6)


def test_tables_come_in_sampling_order_and_are_distributions() -> None:
    result, _ = learned(chain(), SIZES, guarantee_of(), clusters=[(0, 2, 4), (1, 3, 5)])
    assert [t.family for t in result.tables] == [t.family for t in result.tables if t.family.child >= 0]
    placed: set[int] = set()
    for table in result.tables:
        assert placed.issuperset(table.family.parents)
        placed.add(table.family.child)
        assert table.probabilities.shape == tuple(SIZES[a] for a in table.family.attributes)
        assert table.probabilities.sum(axis=-1) == pytest.approx(1.0)
        assert (table.probabilities >= 0).all()
    assert len(sampling_order(result.networks)) == len(SIZES)


def test_a_heavier_attribute_gets_less_noise_and_the_total_stays() -> None:
    heavy = [8.0, 8.0, 1.0, 1.0, 1.0, 1.0]
    _, plain = learned(chain(), SIZES, guarantee_of())
    _, weighted = learned(chain(), SIZES, guarantee_of(), weights=heavy)
    assert plain.spent(Stage.CONDITIONAL_TABLES) == weighted.spent(Stage.CONDITIONAL_TABLES)

    def first_scales(accountant: Accountant) -> dict[str, float]:
        entries = [e for e in accountant.entries if e.stage is Stage.CONDITIONAL_TABLES]
        return {e.what: e.scale for e in reversed(entries)}

    assert first_scales(weighted)["table of x0 and x1"] < first_scales(plain)["table of x0 and x1"]


def test_a_strong_pair_is_shrunk_less_than_a_weak_one() -> None:
    strength = np.array([[0.0, 800.0, 200.0], [800.0, 0.0, -5.0], [200.0, -5.0, 0.0]])
    prior = PairPrior(
        one_way=(np.full(2, 500.0),) * 3,
        total=1000.0,
        strength=strength,
        noise_sd=10.0,
        cluster_of=(0, 0, 0),
        kept=np.ones((3, 3), dtype=bool),
        likely=strength,
        likely_sd=10.0,
    )
    assert prior.ridge_factor((0, 1)) == pytest.approx(0.25)
    assert prior.ridge_factor((0, 2)) == pytest.approx(1.0)
    assert prior.ridge_factor((1, 2)) == pytest.approx(4.0)


@pytest.mark.parametrize(("neighbors", "bound"), [("replace-one", 1.0), ("add-remove", 0.5)])
def test_a_score_moves_by_no_more_than_its_sensitivity(neighbors: str, bound: float) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (6, 2))
    model = {(0, 1): rng.random((2, 2)) * 3}
    noise = {(0, 1): 0.7}

    def score(rows: np.ndarray) -> float:
        return ExactTables(MemorySource(rows, Domain.of_sizes([2, 2]))).gains([(0, 1)], model, noise)[0]

    cells = [np.array([[i, j]]) for i in range(2) for j in range(2)]
    if neighbors == "add-remove":
        others = [np.concatenate([codes, cell]) for cell in cells]
    else:
        others = [np.concatenate([np.delete(codes, r, axis=0), cell]) for r in range(6) for cell in cells]
    assert max(abs(score(codes) - score(other)) for other in others) <= bound + 1e-12


def test_the_expected_error_of_an_empty_cell_is_what_it_holds() -> None:
    assert expected_error(np.array([0.0, 2.0]), 1000.0) == pytest.approx(1.0)
    assert expected_error(np.array([1e6, 1e6]), 10.0) == pytest.approx(10 * np.sqrt(2 / np.pi))


def test_values_near_zero_are_merged_and_split_again_in_proportion() -> None:
    merge = compress(np.array([100.0, 3.0, 0.0, 80.0, 1.0]), 4.0)
    assert merge.groups.tolist() == [0, 2, 2, 1, 2]
    assert merge.proportions.tolist() == [1.0, 0.75, 0.0, 1.0, 0.25]
    counts = np.arange(10.0).reshape(2, 5)
    pair = [compress(np.array([50.0, 60.0]), 1.0), merge]
    merged = merge_counts(counts, pair)
    assert merged.tolist() == [[0.0, 3.0, 7.0], [5.0, 8.0, 22.0]]
    assert expand_table(merged, pair)[0].tolist() == [0.0, 5.25, 0.0, 3.0, 1.75]


def test_one_rare_value_alone_is_not_merged() -> None:
    assert compress(np.array([100.0, 1.0, 80.0]), 4.0).size == 3


def test_the_advice_gives_the_profile_more_where_one_way_tables_are_harder() -> None:
    shares = [
        shares_for(Domain.of_sizes([16] * 15), guarantee_of(epsilon), 45_222).one_way_tables
        for epsilon in (1.0, 0.2, 0.05)
    ]
    assert shares[0] < shares[1] < shares[2] <= Fraction(9, 10)
    small = shares_for(Domain.of_sizes([16] * 15), guarantee_of(), 1_000).one_way_tables
    assert small > shares[0]
    assert shares_for(Domain.of_sizes([2] * 15), guarantee_of(), 45_222).one_way_tables < shares[0]


@pytest.mark.parametrize(("currency", "most"), [("zcdp", 0.42), ("pure", 0.5)])
def test_values_ask_for_more_of_the_budget_than_codes_up_to_a_limit_and_never_in_leaps(
    currency: str, most: float
) -> None:
    lists = Domain.of_sizes([16] * 10).attributes
    numbers = [Numeric(name=f"n{place}", minimum=0, maximum=1000, learned=True) for place in range(5)]
    domain = Domain((*lists, *numbers))
    found = [
        float(shares_for(domain, guarantee_of(epsilon, currency), 32_000).one_way_tables)
        for epsilon in np.geomspace(0.02, 20, 100)
    ]
    assert all(later <= sooner < 1.1 * later for sooner, later in itertools.pairwise(found))
    assert found.count(most) > 10
    assert found[0] > 1.5 * most  # little budget: one-way tables of codes need that much
    assert found[-1] < most / 1.5


def test_a_register_of_thousands_of_codes_takes_no_more_than_a_few_columns_would() -> None:
    wide = Domain.of_sizes([16] * 15 + [4096])
    for currency in ("zcdp", "pure"):
        guarantee = guarantee_of(0.2, currency)
        ordinary = shares_for(Domain.of_sizes([16] * 16), guarantee, 45_222)
        shares = shares_for(wide, guarantee, 45_222)
        assert shares.one_way_tables < 1.1 * ordinary.one_way_tables
        parts = one_way_parts(one_way_counts(wide, guarantee, 45_222))
        assert parts[-1] < 2 * parts[0]
    # Frequencies fall as 1, 1/2, ...: with noise s, those of n / (k sum 1/k) > 2 s can be seen.
    much = guarantee_of(4.0)
    assert 100 < codes_that_count(4096, d=16, guarantee=much, n_rows=45_222) < 300
    assert [codes_that_count(m, d=16, guarantee=much, n_rows=1) for m in (2, 256, 4096)] == [2, 256, 20]


def test_a_large_one_way_table_keeps_what_stands_out_and_loses_nothing_to_noise() -> None:
    rng = np.random.default_rng(3)
    truth = np.concatenate([[9000.0, 6000.0, 4000.0], np.full(3997, 4.0)])
    for noise, drawn in (("gaussian", rng.normal(0, 100, 4000)), ("laplace", rng.laplace(0, 100, 4000))):
        table = NoisyMarginal(attributes=(0,), counts=truth + drawn, noise=noise, scale=100.0)
        found = one_way_estimate(table, truth.sum())
        assert found.sum() == pytest.approx(truth.sum())
        assert found.min() >= 0
        assert found[:3] == pytest.approx(truth[:3] + drawn[:3], abs=20)  # a fifth of the noise
        nearest = project_to_simplex(table.counts, truth.sum())
        assert np.abs(found - truth).sum() < 0.1 * np.abs(nearest - truth).sum()


def test_small_tables_are_projected_as_ever() -> None:
    table = NoisyMarginal(attributes=(0,), counts=np.linspace(-50, 90, 15), noise="gaussian", scale=20.0)
    assert one_way_estimate(table, 5000.0).tolist() == project_to_simplex(table.counts, 5000.0).tolist()


def test_the_advice_does_without_a_number_of_rows() -> None:
    unknown = shares_for(Domain.of_sizes([16] * 15), guarantee_of(neighbors="add-remove"), None)
    assert unknown == shares_for(Domain.of_sizes([16] * 15), guarantee_of(neighbors="add-remove"), 50_000)


def test_the_profile_is_split_to_the_last_digit() -> None:
    parts = one_way_parts([2, 41, 16])
    assert sum(parts) == 1
    assert parts[1] > parts[2] > parts[0]


def test_the_model_is_fitted_after_every_choice_where_few_tables_are_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second choice by the same model would ask again for what the first has just told."""
    acts: list[str] = []
    select, fitted = LearnerBudget.select, LearnerRun.fitted
    monkeypatch.setattr(LearnerBudget, "select", lambda self, s: acts.append("select") or select(self, s))
    monkeypatch.setattr(
        LearnerRun, "fitted", lambda self, e, *, sweeps: acts.append("fit") or fitted(self, e, sweeps=sweeps)
    )
    learned(chain(), SIZES, guarantee_of(4.0))
    assert acts.count("select") > 2
    assert ("select", "select") not in itertools.pairwise(acts)


@pytest.mark.parametrize(("epsilon", "related", "dearer"), [(0.1, False, True), (50.0, True, False)])
def test_the_price_of_a_look_rises_where_looks_teach_nothing(
    epsilon: float, related: bool, dearer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    units: list[tuple[int, int]] = []
    looked = LearnerRun.round

    def noted(self: LearnerRun, budget: LearnerBudget, clock: StageClock) -> None:
        before = budget.unit
        looked(self, budget, clock)
        units.append((before, budget.unit))

    monkeypatch.setattr(LearnerRun, "round", noted)
    codes = chain() if related else np.random.default_rng(1).integers(0, SIZES, (500, len(SIZES)))
    learned(codes, SIZES, guarantee_of(epsilon), with_similarity=False)
    first_before, first_after = units[0]
    assert first_after == first_before * (2 if dearer else 1)
