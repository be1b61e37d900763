"""IBayes paid in full: spends its stages exactly, keeps to its clusters, gives noise by the rule."""

from __future__ import annotations

import numpy as np
import pytest

import hmpb_core.learners.adaptive.paid_ibayes as room
from hmpb_core.domain import Domain
from hmpb_core.learners.adaptive.paid_ibayes import PaidIBayes
from hmpb_core.learners.adaptive.pair_prior import PairPrior
from hmpb_core.learners.base import Learned
from hmpb_core.marginal import project_to_simplex
from hmpb_core.merging import compress
from hmpb_core.network import Family
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.progress import StageClock
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.merged import MergedSource
from hmpb_core.stages.similarity import SimilarityMatrix, measure_similarity

SIZES = [3, 3, 2, 5, 2, 4]
CLUSTERS = [(0, 1, 2), (3, 4, 5)]
WEIGHTS = [1.0, 0.5, 0.7, 0.9, 0.4, 0.6]


def learned(neighbors: str = "replace-one", epsilon: float = 5.0) -> tuple[Learned, Accountant]:
    rng = np.random.default_rng(3)
    codes = np.zeros((5000, 6), dtype=np.int64)
    for a, size in enumerate(SIZES):
        free = rng.integers(0, size, 5000)
        codes[:, a] = np.where(rng.random(5000) < 0.75, codes[:, a - 1] % size, free) if a else free
    source, total = MemorySource(codes, Domain.of_sizes(SIZES)), 5000.0
    guarantee = Guarantee(epsilon=epsilon, delta=1e-9, currency=Currency.ZCDP, neighbors=Neighbors(neighbors))
    shares = Shares.parse("one-way=0.3,similarity=0.1,structure=0.2,conditional=0.4")
    accountant = Accountant(Budget(guarantee=guarantee, shares=shares), protection="seeded", seed=5)
    loss = accountant.left(Stage.ONE_WAY_TABLES) / 6
    profile = [
        accountant.measure(source.marginal((a,)), stage=Stage.ONE_WAY_TABLES, loss=loss, what="x")
        for a in range(6)
    ]
    similarity = measure_similarity(
        source,
        [project_to_simplex(table.counts, total) / total for table in profile],
        measure="tvd",
        accountant=accountant,
        loss=accountant.left(Stage.SIMILARITY),
        total=total,
    )
    result = PaidIBayes(max_parents=2).learn(
        source,
        profile,
        total=total,
        similarity=similarity,
        clusters=CLUSTERS,
        weights=WEIGHTS,
        accountant=accountant,
        clock=StageClock(),
    )
    return result, accountant


@pytest.mark.parametrize("neighbors", ["replace-one", "add-remove"])
@pytest.mark.parametrize("epsilon", [0.05, 5.0])
def test_both_stages_are_spent_to_the_last_digit(neighbors: str, epsilon: float) -> None:
    _, accountant = learned(neighbors, epsilon)
    assert accountant.left(Stage.STRUCTURE) == 0
    assert accountant.left(Stage.CONDITIONAL_TABLES) == 0


def test_networks_stay_in_their_clusters_and_find_the_chain() -> None:
    result, _ = learned()
    assert [sorted(n.children) for n in result.networks] == [[0, 1, 2], [3, 4, 5]]
    assert not any(n.bridges for n in result.networks)
    pairs = {frozenset(pair) for pair in result.measured}
    assert any(pair >= {0, 1} for pair in pairs)
    assert any(pair >= {3, 4} for pair in pairs)


def test_noise_goes_by_the_rule_exactly() -> None:
    """A table's loss is w_j / sum w: Gaussian noise is even noise by the root of w_j over the mean."""
    result, _ = learned()
    mean = sum(WEIGHTS) / len(WEIGHTS)
    for attribute, noise in result.child_noise.items():
        assert noise.uniform_noise_sd / noise.noise_sd == pytest.approx((WEIGHTS[attribute] / mean) ** 0.5)
    assert len(result.child_noise) == 6


@pytest.mark.parametrize(("neighbors", "bound"), [("replace-one", 2.0), ("add-remove", 1.0)])
def test_a_score_moves_by_no_more_than_its_sensitivity(neighbors: str, bound: float) -> None:
    class Prior:
        one_way = (np.array([2.0, 4.0]), np.array([5.0, 1.0]))
        total = 6.0

    def score(rows: np.ndarray) -> float:
        source = MemorySource(rows, Domain.of_sizes([2, 2]))
        search = room._Search(PaidIBayes(), source, source, Prior(), [0.7, 0.7])  # type: ignore[arg-type]
        return search._score(Family(child=1, parents=(0,)))

    cells = [np.array([[i, j]]) for i in range(2) for j in range(2)]
    codes = np.random.default_rng(1).integers(0, 2, (6, 2))
    if neighbors == "add-remove":
        others = [np.concatenate([codes, cell]) for cell in cells]
    else:
        others = [np.concatenate([np.delete(codes, r, axis=0), cell]) for r in range(6) for cell in cells]
    assert max(abs(score(codes) - score(other)) for other in others) <= bound + 1e-12


def parents_asked_for(owners: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Parent sets that bit 1 asks for where its similarity with bit 0 is drowned, with bits 2 to 7 strong."""
    one_way = [np.full(2, 500.0)] * 8
    values = np.zeros((8, 8))
    values[1, 2:] = values[2:, 1] = 0.4
    similarity = SimilarityMatrix(measure="tvd", names=tuple("abcdefgh"), values=values, noise_sd=0.01)
    prior = PairPrior.of(one_way, 1000.0, similarity, [tuple(range(8))], eta=0.0)
    source = MemorySource(np.zeros((10, 8), dtype=np.int64), Domain.of_sizes([2] * 8))
    merged = MergedSource(source, [compress(counts, 1.0) for counts in one_way])
    search = room._Search(PaidIBayes(max_parents=2, owners=owners), source, merged, prior, [50.0] * 8)
    found = [Family(child=0), *(Family(child=a, parents=(a - 1,)) for a in range(3, 8))]
    return {family.parents for family in search._promising(1, found)}


def test_bits_of_one_attribute_are_candidates_for_each_other_whatever_the_similarity_says() -> None:
    assert (0,) not in parents_asked_for(())
    assert parents_asked_for((0, 0, 1, 2, 3, 4, 5, 6)) == parents_asked_for(()) | {(0,)}
