"""Dependence, telling apart, groups and clipping, against SciPy, scikit-learn and figures by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.metrics.agreement import CountedPair, agreement
from hmpb_core.metrics.clipping import clipping
from hmpb_core.metrics.columns import summary
from hmpb_core.metrics.dependence import (
    DependenceMeasure,
    DependencePairs,
    correlation_ratio,
    cramers_v,
    dependences,
    ranks_of,
    spearman,
)
from hmpb_core.metrics.groups import groups
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.propensity import main_effects, pmse_of, propensity
from hmpb_core.metrics.values import column_error

RNG = np.random.default_rng(5)
X = RNG.integers(0, 8, 400).astype(float)
Y = X + RNG.normal(0, 2, 400)
GROUP = (X > 3).astype(float) + RNG.integers(0, 2, 400)


def test_ranks_share_ties_as_scipy_does():
    assert ranks_of(X).tolist() == stats.rankdata(X).tolist()


def test_spearman_is_scipy_s_also_where_values_are_missing():
    assert spearman(X, Y) == pytest.approx(stats.spearmanr(X, Y).statistic, abs=1e-12)
    holes = np.where(RNG.random(400) < 0.2, np.nan, X)
    expected = stats.spearmanr(holes, Y, nan_policy="omit").statistic
    assert spearman(holes, Y) == pytest.approx(expected, abs=1e-12)


def test_cramers_v_is_scipy_s():
    table = pd.crosstab(GROUP, X).to_numpy()
    codes = GROUP.astype(int), X.astype(int)
    expected = stats.contingency.association(table, method="cramer")
    assert cramers_v(*codes, (5, 9)) == pytest.approx(
        expected, abs=1e-12
    )  # codes that no row has do not count


def test_the_correlation_ratio_is_that_of_the_analysis_of_variance():
    parts = [Y[g == GROUP] for g in (0, 1, 2)]
    f = stats.f_oneway(*parts).statistic
    between, within = 2, 400 - 3
    assert correlation_ratio(GROUP, Y) ** 2 == pytest.approx(f * between / (f * between + within), abs=1e-12)


def test_column_distances_are_scipy_s():
    other = RNG.normal(4, 3, 300)
    found = column_error(Y, other, numeric=True)
    assert found.ks == pytest.approx(stats.ks_2samp(Y, other).statistic, abs=1e-12)
    assert found.wasserstein_sd == pytest.approx(stats.wasserstein_distance(Y, other) / Y.std(), abs=1e-12)


def test_every_pair_gets_the_measure_that_fits_it():
    domain = Domain(
        (
            Numeric(name="x", minimum=0, maximum=9),
            Categorical(name="town", categories=("a", "b")),
            Categorical(name="size", categories=("s", "m", "l"), ordered=True),
        )
    )
    pairs = DependencePairs.of(domain)
    assert dict(zip(pairs.pairs, pairs.measures, strict=True)) == {
        (1, 0): DependenceMeasure.CORRELATION_RATIO,
        (0, 2): DependenceMeasure.SPEARMAN,
        (1, 2): DependenceMeasure.CRAMERS_V,
    }
    numbers = np.column_stack([Y, GROUP > 0, GROUP])
    codes = np.column_stack([X, GROUP > 0, GROUP]).astype(np.int32)
    found = dependences(numbers, codes, domain, pairs)
    by_pair = dict(zip(pairs.pairs, found, strict=True))
    assert by_pair[0, 2] == pytest.approx(stats.spearmanr(Y, GROUP).statistic)


def test_pmse_is_that_of_scikit_learn_without_penalty():
    domain = Domain.of_sizes([3, 4])
    codes = np.column_stack([RNG.integers(0, 3, 900), RNG.integers(0, 4, 900)])
    label = (RNG.random(900) < 0.2 + 0.2 * codes[:, 0]).astype(int)
    design = main_effects(codes, domain)
    model = LogisticRegression(C=1e10, max_iter=5000, tol=1e-10).fit(design.toarray(), label)
    scores = model.predict_proba(design.toarray())[:, 1]
    c = label.mean()
    pmse, ratio = pmse_of(design, label)
    assert pmse == pytest.approx(((scores - c) ** 2).mean(), rel=1e-5)
    # Two of three and three of four codes have a parameter: k - 1 = 5 [Snoke2018].
    assert ratio == pytest.approx(pmse / (5 * (1 - c) ** 2 * c / 900))


def test_of_a_saturated_model_pmse_is_worked_out_by_hand():
    # Code 0: 30 real, 10 synthetic; code 1: 10 real, 30 synthetic. Scores 1/4 and 3/4, so pMSE = 1/16.
    codes = np.repeat([0, 1, 0, 1], [30, 10, 10, 30])[:, None]
    label = np.repeat([0, 1], 40)
    assert pmse_of(main_effects(codes, Domain.of_sizes([2])), label)[0] == pytest.approx(1 / 16, rel=1e-5)


def test_there_are_five_rows_for_each_parameter_however_many_codes_the_attributes_have():
    """With 600 parameters of 400 rows any two tables would be told apart, in minutes."""
    domain = Domain.of_sizes([31] * 20)
    codes = np.random.default_rng(1).integers(0, 31, (400, 20))
    assert main_effects(codes, domain).shape == (400, 20 * 4)
    assert main_effects(codes[:50], domain).shape == (50, 20)
    assert main_effects(codes[:, :1], Domain.of_sizes([31])).shape == (400, 30)


def test_rows_of_one_kind_cannot_be_told_apart_and_others_can():
    domain = Domain.of_sizes([4, 3])
    rng = np.random.default_rng(0)
    one, two = (rng.integers(0, 3, (1500, 2)) for _ in range(2))
    same = propensity((one, one.astype(float)), (two, two.astype(float)), domain, rng=rng)
    assert same.ratio == pytest.approx(2, abs=2.5)  # real against real: twice what the right model has
    assert same.auc == pytest.approx(0.5, abs=0.05)
    moved = two + np.array([1, 0])
    other = propensity((one, one.astype(float)), (moved, moved.astype(float)), domain, rng=rng)
    assert other.ratio > 50
    assert other.auc > 0.75


def test_agreement_has_the_errors_of_the_marginals_and_tells_drawing_from_noise():
    rng = np.random.default_rng(3)
    domain = Domain.of_sizes([3, 4, 2])
    real = np.column_stack([rng.integers(0, size, 4000) for size in domain.sizes])
    real[:, 1] = np.where(rng.random(4000) < 0.7, real[:, 0], real[:, 1])
    again = real[rng.integers(0, 4000, 4000)]  # drawn from the real table itself
    broken = np.column_stack([again[:, 0], rng.permutation(again[:, 1]), again[:, 2]])
    for size in (1, 2, 3):
        found = agreement(CountedPair(real, broken, domain), size)
        assert found.mean == pytest.approx(marginal_error(real, broken, domain, size).mean)
    drawn = agreement(CountedPair(real, again, domain), 2)
    assert drawn.from_drawing > 0.6
    assert drawn.mean == pytest.approx(drawn.drawing, rel=0.5)
    off = agreement(CountedPair(real, broken, domain), 2)
    assert off.from_drawing < 0.05
    assert off.sets[0].names == ("x0", "x1")
    assert off.k_marginal == pytest.approx(1000 * (1 - off.mean))
    assert agreement(CountedPair(real[:, :1], real[:, :1], Domain.of_sizes([3])), 2) is None


def test_tables_too_large_to_be_dense_are_counted_by_the_cells_that_occur():
    rng = np.random.default_rng(4)
    domain = Domain.of_sizes([2000, 2000])
    real, synthetic = (rng.integers(0, 2000, (500, 2)) for _ in range(2))
    found = agreement(CountedPair(real, synthetic, domain), 2)
    assert found.mean == pytest.approx(marginal_error(real, synthetic, domain, 2).mean)


def test_groups_that_vanish_are_named_largest_first():
    domain = Domain(
        (Categorical(name="a", categories=("x", "y")), Categorical(name="b", categories=("u", "v")))
    )
    real = np.array([[0, 0]] * 80 + [[0, 1]] * 15 + [[1, 1]] * 5)
    synthetic = np.array([[0, 0]] * 90 + [[1, 0]] * 10)
    found = groups(CountedPair(real, synthetic, domain), (real, real))
    assert [(gone.values, gone.count) for gone in found.vanished] == [(("x", "v"), 15), (("y", "v"), 5)]
    assert found.n_vanished == 2
    assert found.invented == pytest.approx(0.1)  # the ten in y and u, where nobody is
    by_size = {of.low: of for of in found.classes}
    assert by_size[1].lost == 1.0
    assert by_size[11].bias == pytest.approx((10 / 80 - 1) / 2)  # 80 become 90, 15 become none


def test_clipping_is_measured_before_any_noise():
    book = Codebook.from_dict(
        {
            "fields": [
                {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 10}, "bins": 5},
                {"name": "c", "categories": ["a"]},
            ]
        }
    )
    (cut,) = clipping(pd.DataFrame({"x": [-2, 0, 10, 20], "c": ["a"] * 4}), book)
    before, after = np.array([-2, 0, 10, 20]), np.array([0, 0, 10, 10])
    assert (cut.below, cut.above) == (0.25, 0.25)
    assert cut.mean_shift_sd == pytest.approx((after.mean() - before.mean()) / before.std())
    assert cut.sd_ratio == pytest.approx(after.std() / before.std())


@pytest.mark.parametrize("value", [0.1, 1234.56])
def test_a_column_of_one_value_has_no_deviation_whatever_a_computer_rounds(value):
    """100 times 0.1 have a deviation of 3e-17: errors were 10^15 of it, and groups explained all of it."""
    same, other = np.full(100, value), np.full(100, 2 * value)
    assert same.std() > 0
    assert correlation_ratio(np.arange(100) % 3 * 1.0, same) == 0
    error = column_error(same, other, numeric=True)
    assert (error.mean_sd, error.sd_ratio, error.wasserstein_sd) == (None, None, None)
    assert column_error(np.append(other, 0.0), same, numeric=True).sd_ratio == 0
    rate = Numeric(name="x", minimum=0, maximum=2000)
    assert summary(same, rate, same[:1]).sd == 0
    (cut,) = clipping(pd.DataFrame({"x": same}), Codebook(domain=Domain((rate,))))
    assert (cut.mean_shift_sd, cut.sd_ratio) == (0, None)
    domain = Domain((rate, Numeric(name="y", minimum=0, maximum=1)))
    rows = np.column_stack([same, np.linspace(0, 1, 100)])
    with pytest.raises(SourceError, match="one class"):
        learned_scores(rows, rows, domain, 0)


def test_clipping_of_infinite_numbers_is_their_share_and_says_nothing_of_a_mean():
    fields = [{"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 1}}]
    with np.errstate(invalid="raise"):  # nothing is printed beside the report
        (cut,) = clipping(
            pd.DataFrame({"x": ["0.5", "inf", "-inf", "1"]}), Codebook.from_dict({"fields": fields})
        )
    assert (cut.below, cut.above, cut.mean_shift_sd, cut.sd_ratio) == (0.25, 0.25, 0.0, None)
