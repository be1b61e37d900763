"""Shares that sum exactly."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.errors import PlanError
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee

F = Fraction
weights = st.floats(0, 1e6, allow_nan=False)


@given(weights, weights, weights, weights)
def test_shares_made_of_any_weights_sum_to_one_exactly(a, b, c, d):
    if a + b + c + d == 0:
        return
    shares = Shares.from_weights(one_way_tables=a, similarity=b, structure=c, conditional_tables=d)
    assert sum(share for _, share in shares.items()) == 1


@given(weights, weights, st.floats(1e-3, 1e3), st.floats(1e-3, 100), st.sampled_from(Currency))
def test_the_stages_may_spend_the_whole_budget_and_nothing_more(a, b, c, epsilon, currency):
    delta = 0.0 if currency is Currency.PURE else 1e-9
    guarantee = Guarantee(epsilon=epsilon, delta=delta, currency=currency)
    shares = Shares.from_weights(one_way_tables=a, similarity=0, structure=b, conditional_tables=c)
    budget = Budget(guarantee=guarantee, shares=shares)
    assert sum(budget.loss(stage) for stage in Stage) == guarantee.total


def test_decimal_weights_keep_their_decimal_value():
    shares = Shares.from_weights(one_way_tables=0.15, similarity=0.2, structure=0.15, conditional_tables=0.5)
    assert shares == Shares(
        one_way_tables=F(3, 20), similarity=F(1, 5), structure=F(3, 20), conditional_tables=F(1, 2)
    )


def test_shares_are_read_from_text():
    text = " one-way tables=0.15, similarity=1/5 ,structure=0.15,conditional tables=0.5"
    assert Shares.parse(text).of(Stage.SIMILARITY) == F(1, 5)
    assert Shares.parse(text).of(Stage.ONE_WAY_TABLES) == F(3, 20)


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("one-way", Stage.ONE_WAY_TABLES),
        ("profile", Stage.ONE_WAY_TABLES),
        ("conditional", Stage.CONDITIONAL_TABLES),
        ("conditionals", Stage.CONDITIONAL_TABLES),
        ("structure", Stage.STRUCTURE),
    ],
)
def test_a_stage_is_found_by_its_short_or_former_name_with_blanks_around_it(name, stage):
    assert Shares.parse(f" {name} = 1/2 ").of(stage) == F(1, 2)


def test_a_stage_that_no_name_is_given_of_has_no_share():
    shares = Shares.from_dict({"structure": F(1)})
    assert [shares.of(stage) for stage in Stage] == [0, 0, 1, 0]


def test_stages_left_out_share_what_is_left():
    shares = Shares.parse("one-way tables=0.1,conditional tables=0.5")
    assert shares.of(Stage.SIMILARITY) == shares.of(Stage.STRUCTURE) == F(1, 5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "one-way tables=0.5,similarity=0.5,structure=0.5,conditional tables=0.5",
            "sum to 2; they must sum to 1",
        ),
        (
            "one-way tables=0.1,similarity=0.1,structure=0.1,conditional tables=0.1",
            "sum to 0.4; they must sum to 1",
        ),
        ("one-way tables=1.5", "shares lie between 0 and 1"),
        ("one-way tables=-0.5", "shares lie between 0 and 1"),
        ("profil=0.5", "'profil' is not a stage; the stages are one-way tables"),
        ("one-way", "'one-way' is not a share; write STAGE=SHARE"),
        ("one-way tables=a", "write a number such as 0.2 or 1/5"),
        ("one-way tables=1/0", "write a number such as 0.2 or 1/5"),
        ("one-way tables=nan", "write a number such as 0.2 or 1/5"),
        ("one-way tables=inf", "write a number such as 0.2 or 1/5"),
        ("similarity=1e9999", "write a number such as 0.2 or 1/5"),
        ("one-way tables=1e999", "The share of one-way tables is inf; shares lie between 0 and 1"),
    ],
)
def test_text_that_is_no_budget_is_refused_with_its_reason(text, message):
    with pytest.raises(PlanError, match=message):
        Shares.parse(text)


@pytest.mark.parametrize("given_weights", [(0, 0, 0, 0), (-1, 1, 1, 1)])
def test_weights_that_are_negative_or_all_zero_are_refused(given_weights):
    names = ("one_way_tables", "similarity", "structure", "conditional_tables")
    with pytest.raises(PlanError, match="must not be negative, and at least one must be above 0"):
        Shares.from_weights(**dict(zip(names, given_weights, strict=True)))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(bad):
    with pytest.raises(PlanError, match="must not be negative"):
        Shares.from_weights(one_way_tables=bad, similarity=1, structure=1, conditional_tables=1)


def test_shares_are_shown_as_floats():
    assert Shares.parse(
        "one-way tables=1/4,similarity=1/4,structure=1/4,conditional tables=1/4"
    ).to_dict() == {
        "one-way tables": 0.25,
        "similarity": 0.25,
        "structure": 0.25,
        "conditional tables": 0.25,
    }


def test_shares_given_as_floats_are_the_decimals_they_are_written_as():
    shares = Shares(one_way_tables=0.45, similarity=0.04, structure=0.0408, conditional_tables=0.4692)
    assert shares.structure == Fraction(51, 1250)
    assert all(type(share) is Fraction for _, share in shares.items())
