"""One call that compares two tables."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core import HMPrivBayes
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.metrics import evaluate
from hmpb_core.metrics.small_groups import small_group_errors

BOOK = Codebook(
    domain=Domain(
        (
            Categorical(name="a", categories=("x", "y", "z")),
            Categorical(name="b", categories=("x", "y")),
            Numeric(name="c", minimum=0, maximum=8, bins=4),
        )
    )
)
REAL = pd.DataFrame({"a": ["x", "y", "z", "z"] * 25, "b": ["x", "x", "y", "y"] * 25, "c": [1, 3, 5, 7] * 25})


def test_a_table_compared_with_itself_has_no_error():
    figures = evaluate(REAL, REAL, BOOK, "b", rng=np.random.default_rng(0)).to_dict()
    assert {figures[name] for name in ("avd2", "avd3", "svm_error", "svm_error_paper")} == {0.0}


def test_columns_that_numbers_name_are_compared_as_they_are_fitted():
    real = REAL.set_axis([0, 1, 2], axis=1)
    book = {"fields": [{"name": "0", "categories": ["x", "y", "z"]}, {"name": "1", "categories": ["x", "y"]}]}
    model = HMPrivBayes(epsilon=100, delta=1e-9, n_clusters=1).fit(real, book)
    assert evaluate(real, model.sample(200), model.codebook_, "1").avd2 < 0.1
    assert list(real) == [0, 1, 2]


def test_values_of_several_types_in_one_column_are_compared_by_their_texts():
    """True and 1 are one key to pandas: whichever came first stood for both."""
    book = Codebook(domain=Domain((Categorical(name="a", categories=("1", "True")),)))
    mixed = pd.DataFrame({"a": pd.Series([1, True, 1.0, "True"] * 10, dtype=object)})
    told = pd.DataFrame({"a": ["1", "True"] * 20})
    assert evaluate(mixed, told, book).values.columns["a"].ks == 0


def test_without_a_target_nothing_is_predicted():
    figures = evaluate(REAL, REAL, BOOK).to_dict()
    assert figures["svm_error"] is None
    assert figures["svm_error_paper"] is None


def test_the_worst_pairs_are_named():
    other = REAL.assign(a="x")
    # a is now always x: the pairs with a lose 3/4 of their rows, b and c keep theirs.
    evaluation = evaluate(REAL, other, BOOK)
    assert evaluation.worst_pairs(3) == [("a", "b", 0.75), ("a", "c", 0.75), ("b", "c", 0.0)]
    assert evaluation.avd2 == pytest.approx(0.5)
    assert evaluation.avd3 == pytest.approx(0.75)


def test_on_bits_each_bit_is_an_attribute():
    other = REAL.assign(a="x")
    evaluation = evaluate(REAL, other, BOOK, bits=True)
    assert evaluation.domain.names == ("a:0", "a:1", "b", "c:0", "c:1")
    # By hand: a = x, y, z, z is 00, 01, 10, 10; always x is 00. Bit a:0 differs in half of the rows,
    # a:1 in a quarter; pairs with a:0 lose 1/2, with a:1 1/4, both together 3/4, the other three nothing.
    expected = (0.75 + 3 * 0.5 + 3 * 0.25) / 10
    assert evaluation.avd2 == pytest.approx(expected)


def test_tables_of_different_length_are_compared_by_shares():
    assert evaluate(REAL, pd.concat([REAL, REAL]), BOOK).avd3 == 0


def test_a_table_that_does_not_fit_the_codebook_is_refused():
    with pytest.raises(SourceError, match="lacks 'c'"):
        evaluate(REAL, REAL.drop(columns="c"), BOOK)


def test_the_error_of_small_groups_is_told_apart_from_that_of_large_ones():
    domain = Domain.of_sizes([2, 2])
    real = np.array([[0, 0]] * 90 + [[1, 1]] * 10, dtype=np.int32)
    synthetic = np.array([[0, 0]] * 100, dtype=np.int32)
    small, middle = small_group_errors(real, synthetic, domain)[:2]
    # The ten rows of (1, 1) are gone; the ninety of (0, 0) became a hundred.
    assert (small.low, small.high, small.cells, small.relative_error, small.lost) == (1, 10, 1, 1.0, 1.0)
    assert (middle.low, middle.high, middle.cells, middle.lost) == (11, 100, 1, 0.0)
    assert middle.relative_error == pytest.approx(1 / 9)


def test_synthetic_counts_are_scaled_to_the_real_number_of_rows():
    domain = Domain.of_sizes([2, 2])
    real = np.array([[0, 0]] * 6 + [[1, 1]] * 2, dtype=np.int32)
    synthetic = np.tile(real, (5, 1))
    groups = small_group_errors(real, synthetic, domain)
    assert groups[0].cells == 2
    assert groups[0].relative_error == 0
    assert groups[1].relative_error is None
