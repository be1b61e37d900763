"""Pairs that were never measured: what they may hide has the paid strength, and nothing else is touched."""

import itertools

import numpy as np
import pandas as pd
import pytest

from hmpb_core import (
    Codebook,
    DomainError,
    Guarantee,
    InputError,
    PlanError,
    SourceError,
    combine,
    make_plan,
    open_source,
)
from hmpb_core.domain import Categorical, Domain
from hmpb_core.encoding import encode
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.publishing.model_files import PaidModel, model_files
from hmpb_core.replication import apart
from hmpb_core.stages.similarity import SimilarityMatrix
from hmpb_core.synthesis import fit_source
from hmpb_core.unmeasured import dependent, possible_tables, scores, weights_of


def distance(table):
    return 0.5 * np.abs(table - np.outer(table.sum(axis=1), table.sum(axis=0))).sum()


def of_pair(codes, weights, sizes, pair):
    flat = codes[:, pair[0]] * sizes[pair[1]] + codes[:, pair[1]]
    table = np.bincount(flat, weights=weights, minlength=sizes[pair[0]] * sizes[pair[1]])
    return table.reshape(sizes[pair[0]], sizes[pair[1]])


def test_a_dependence_of_a_given_strength_by_hand():
    """Even margins, scores -1/4, 1/4: the table bends by 1/64 a cell; 0.1 asks for 0.05 in every cell."""
    even = np.array([0.5, 0.5])
    u = np.array([-0.25, 0.25])
    assert dependent(even, even, u, u, 0.1) == pytest.approx(np.array([[0.3, 0.2], [0.2, 0.3]]))
    assert dependent(even, even, u, -u, 0.1) == pytest.approx(np.array([[0.2, 0.3], [0.3, 0.2]]))


def test_margins_hold_where_the_strength_is_more_than_the_scores_can_bend():
    rng = np.random.default_rng(1)
    first, second = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3))
    ordered = [Categorical(name="a", categories=tuple("abcd"), ordered=True)]
    ordered += [Categorical(name="b", categories=tuple("abc"), ordered=True)]
    u, v = (scores(a, shares, rng) for a, shares in zip(ordered, (first, second), strict=True))
    assert (np.diff(u) > 0).all()
    table = dependent(first, second, u, v, 0.9)
    assert table.sum(axis=0) == pytest.approx(second)
    assert table.sum(axis=1) == pytest.approx(first, abs=0.02)
    assert 0.1 < distance(table) < 0.9


def test_hidden_pairs_get_their_strength_and_the_others_keep_theirs():
    rng = np.random.default_rng(2)
    a = rng.integers(0, 3, 20_000)
    codes = np.column_stack([a, (a + rng.integers(0, 2, 20_000)) % 3, rng.integers(0, 2, 20_000)])
    domain = Domain.of_sizes([3, 3, 2])
    strength = np.zeros((3, 3))
    strength[0, 2] = strength[2, 0] = 0.15
    similarity = SimilarityMatrix(measure="tvd", names=domain.names, values=strength, noise_sd=0.0)
    weights = weights_of(codes, domain, {(0, 2)}, similarity, rng)
    uniform = np.full(len(codes), 1 / len(codes))
    assert distance(of_pair(codes, weights, domain.sizes, (0, 2))) == pytest.approx(0.15, abs=0.005)
    for pair in ((0, 1), (1, 2)):
        after, before = (of_pair(codes, w, domain.sizes, pair) for w in (weights, uniform))
        assert after == pytest.approx(before, abs=0.01)


SIZES = {"x": 2, "y": 3, "z": 3, "w": 2}
CODEBOOK = Codebook.from_dict(
    {
        "fields": [
            {
                "name": name,
                "categories": [str(i) for i in range(size)],
                "categoriesOrdered": True,
                "constraints": {"required": True},
            }
            for name, size in SIZES.items()
        ]
    }
)


def people(n, rng):
    """x and y, z and w hang together strongly, y and z a little: clusters part the little."""
    x = rng.integers(0, 2, n)
    y = np.where(rng.random(n) < 0.8, x * 2, rng.integers(0, 3, n))
    z = np.where(rng.random(n) < 0.2, y, rng.integers(0, 3, n))
    w = np.where(rng.random(n) < 0.8, (z > 0).astype(int), rng.integers(0, 2, n))
    return pd.DataFrame({"x": x, "y": y, "z": z, "w": w}).astype(str)


def slope(frame):
    y, z = frame["y"].to_numpy().astype(float), frame["z"].to_numpy().astype(float)
    return np.polyfit(y, z, 1)[0]


def table_of(frame, child, parents=()):
    """A conditional table as the rows have it."""
    names = [*parents, child]
    shape = tuple(SIZES[name] for name in names)
    counts = np.zeros(shape)
    np.add.at(counts, tuple(frame[name].astype(int).to_numpy() for name in names), 1.0)
    family = Family(child=list(SIZES).index(child), parents=tuple(list(SIZES).index(p) for p in parents))
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return ConditionalTable(family=family, probabilities=shares, noise_sd=1.0)


@pytest.fixture(scope="module")
def fitted():
    """A model without noise that has x with y, and z with w, and nothing between the two."""
    frame = people(8000, np.random.default_rng(5))
    domain = CODEBOOK.domain
    pairs = itertools.combinations(range(4), 2)
    codes, sizes = encode(frame, CODEBOOK), domain.sizes
    values = np.zeros((4, 4))
    for i, j in pairs:
        values[i, j] = values[j, i] = distance(of_pair(codes, np.full(8000, 1 / 8000), sizes, (i, j)))
    return PaidModel(
        plan=make_plan(Guarantee(epsilon=3.0), domain, n_rows=8000),
        codebook=CODEBOOK,
        domain=domain,
        tables=(
            table_of(frame, "x"),
            table_of(frame, "y", ["x"]),
            table_of(frame, "z"),
            table_of(frame, "w", ["z"]),
        ),
        n_rows=8000,
        similarity=SimilarityMatrix(measure="tvd", names=domain.names, values=values, noise_sd=0.002),
    )


def test_an_interval_holds_what_a_pair_hides_that_was_never_measured(fitted):
    rng = np.random.default_rng(6)
    assert apart(fitted) == [("x", "z"), ("x", "w"), ("y", "z"), ("y", "w")]
    released = slope(fitted.sample(None, rng=rng))
    truth = slope(people(400_000, rng))
    ends = [slope(table) for table in possible_tables(fitted, CODEBOOK, 6, rows=20_000, rng=rng)]
    mere = [released + 0.001 * i for i in range(-3, 3)]
    alone, found = combine(released, mere), combine(released, mere, possible=ends)
    assert not alone.low <= truth <= alone.high
    assert found.low <= truth <= found.high
    assert found.hidden_share > 0.9
    assert float(found.standard_error) < 2 * abs(truth - released), "wide, but of the size of what is missing"


def test_the_bundles_model_knows_its_similarities():
    plan = make_plan(Guarantee(epsilon=3.0), CODEBOOK.domain, n_rows=500)
    model = fit_source(open_source(people(500, np.random.default_rng(1)), CODEBOOK), plan, seed=1)
    files = model_files(model, CODEBOOK)
    texts = [files[f"model/{name}.json"] for name in ("codebook", "tables")]
    paid = PaidModel.of_files(plan, *texts, similarity=files["model/similarity.json"])
    assert paid.similarity.noise_sd == model.similarity.noise_sd
    assert paid.similarity.values == pytest.approx(model.similarity.values)
    with pytest.raises(SourceError):
        PaidModel.of_files(plan, *texts, similarity='{"measure": "tvd", "names": ["x"], "matrix": [[0]]}')


def test_without_measured_strengths_nothing_is_called_possible():
    plan = make_plan(Guarantee(epsilon=3.0), CODEBOOK.domain, n_rows=500, method="independent")
    model = fit_source(open_source(people(500, np.random.default_rng(1)), CODEBOOK), plan, seed=1)
    with pytest.raises(PlanError, match="no total variation"):
        possible_tables(model, CODEBOOK, 5, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="possible tables"):
        combine(1.0, [1.0] * 5, possible=[1.0, 2.0])


def test_strengths_that_cannot_all_hold_leave_rows_and_the_one_way_tables():
    """Twelve flags, every pair bent as far as it goes, signs by chance: no table has all of that."""
    rng = np.random.default_rng(3)
    codes = (rng.random((3000, 12)) < 0.3).astype(np.int64)
    domain = Domain.of_sizes([2] * 12)
    similarity = SimilarityMatrix(measure="tvd", names=domain.names, values=np.ones((12, 12)), noise_sd=1.0)
    hidden = set(itertools.combinations(range(12), 2))
    weights = weights_of(codes, domain, hidden, similarity, rng)
    assert 1 / (weights**2).sum() > 30, "a table of a handful of rows"
    assert weights @ codes == pytest.approx(codes.mean(axis=0), abs=0.01)


def test_an_analysis_is_told_of_its_own_columns_alone(fitted):
    def moved(names):
        rng = np.random.default_rng(4)
        tables = possible_tables(fitted, CODEBOOK, 3, rows=20_000, names=names, rng=rng)
        return max(abs(slope(table) - slope(fitted.sample(20_000, rng=rng))) for table in tables)

    assert moved(["x", "y"]) < 0.03 < moved(["y", "z"])
    with pytest.raises(DomainError):
        possible_tables(fitted, CODEBOOK, 3, names=["age"], rng=np.random.default_rng(4))
