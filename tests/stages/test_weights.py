"""Risk entropy and the weights it sets, by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.errors import PlanError
from hmpb_core.stages.weights import entropy, risk_entropy, risk_weights, split_loss

HALF, SKEWED, SURE = np.array([0.5, 0.5]), np.array([0.75, 0.25]), np.array([1.0, 0.0])
SKEWED_BITS = -0.75 * math.log2(0.75) - 0.25 * math.log2(0.25)


@pytest.mark.parametrize(
    ("probabilities", "bits"),
    [
        ([0.5, 0.5], 1),
        ([1, 0], 0),
        ([0.25] * 4, 2),
        ([0.5, 0.25, 0.25], 1.5),
        ([1.0], 0),
        ([0.75, 0.25], SKEWED_BITS),
    ],
)
def test_entropy_has_the_value_worked_out_by_hand(probabilities, bits):
    assert entropy(np.array(probabilities)) == pytest.approx(bits)


def test_risk_entropy_is_entropy_over_its_largest_value():
    assert risk_entropy(HALF) == 1
    assert risk_entropy(SURE) == 0
    assert risk_entropy(np.array([0.5, 0.5, 0, 0])) == pytest.approx(0.5)
    assert risk_entropy(SKEWED) == pytest.approx(SKEWED_BITS)


def test_an_attribute_of_one_value_has_no_risk_entropy():
    assert risk_entropy(np.array([1.0])) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30).filter(lambda p: sum(p) > 1e-6))
def test_risk_entropy_lies_between_zero_and_one(weights):
    assert 0 <= risk_entropy(np.array(weights) / sum(weights)) <= 1


def test_weights_follow_the_papers_rule():
    weights = risk_weights([HALF, SKEWED, SURE], ["a", "b", "c"], gamma=1.0)
    expected = [math.exp(-1), math.exp(-SKEWED_BITS), 1.0]
    assert [w.weight for w in weights] == pytest.approx(expected)
    assert [w.share for w in weights] == pytest.approx([e / sum(expected) for e in expected])
    assert [w.risk_entropy for w in weights] == pytest.approx([1, SKEWED_BITS, 0])


def test_more_risk_gets_less_budget_under_the_papers_rule_and_more_under_a_negative_gamma():
    def shares(gamma):
        return [w.share for w in risk_weights([HALF, SURE], ["a", "b"], gamma=gamma)]

    assert shares(1.0)[0] < shares(1.0)[1]
    assert shares(0.0) == [0.5, 0.5]
    assert shares(-1.0)[0] > shares(-1.0)[1]


def test_a_weight_set_by_hand_replaces_the_rule():
    weights = risk_weights([HALF, SURE], ["a", "b"], gamma=1.0, manual={"a": 3.0})
    assert [w.weight for w in weights] == [3.0, 1.0]
    assert [w.share for w in weights] == [0.75, 0.25]


@pytest.mark.parametrize("weight", [0, -1, math.inf, math.nan])
def test_a_weight_that_is_not_positive_is_refused(weight):
    with pytest.raises(PlanError, match=r"The weight of 'a' is .*; weights must be above 0"):
        risk_weights([HALF], ["a"], gamma=1.0, manual={"a": weight})


def test_a_weight_for_nobody_is_refused():
    with pytest.raises(PlanError, match="set for 'z', which is not in the codebook"):
        risk_weights([HALF], ["a"], gamma=1.0, manual={"z": 1.0})


@given(
    st.fractions(min_value=Fraction(1, 10**9), max_value=100),
    st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=60),
)
def test_a_split_loss_sums_to_the_loss_to_the_last_digit(loss, weights):
    parts = split_loss(loss, weights)
    assert sum(parts) == loss
    assert all(part > 0 for part in parts)


def test_a_loss_is_split_in_proportion():
    assert split_loss(Fraction(1), [1.0, 2.0, 5.0]) == [Fraction(1, 8), Fraction(1, 4), Fraction(5, 8)]
