"""The stage sliders always sum to the total, whatever is moved, locked or loaded."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.share_rules import published_shares
from hmpb_core.privacy.guarantee import Currency, Neighbors
from pages.session.plan_settings import PlanSettings
from pages.session.shares import TOTAL, apportion, rebalance, to_shares, to_thousandths

quarters = st.lists(st.integers(0, 1000), min_size=4, max_size=4).map(
    lambda weights: apportion([Fraction(w) for w in weights], TOTAL)
)
DOMAIN = Domain.of_sizes([2, 5, 9])
locks = st.sets(st.integers(0, 3))


@settings(deadline=None)
@given(current=quarters, moved=st.integers(0, 3), value=st.integers(-50, 1100), locked=locks)
def test_a_moved_slider_keeps_the_sum(current, moved, value, locked):
    after = rebalance(current, moved=moved, value=value, locked=locked)
    assert sum(after) == TOTAL
    assert min(after) >= 0
    assert all(after[i] == current[i] for i in locked if i != moved)


@settings(deadline=None)
@given(current=quarters, moves=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1000)), max_size=8))
def test_many_moves_keep_the_sum_and_make_exact_shares(current, moves):
    for moved, value in moves:
        current = rebalance(current, moved=moved, value=value, locked=())
    assert sum(share for _, share in to_shares(current).items()) == 1
    assert to_thousandths(to_shares(current)) == tuple(current)


def test_the_moved_slider_goes_where_it_was_put_and_the_others_keep_their_proportion():
    assert rebalance((150, 100, 150, 600), moved=3, value=200, locked=()) == (300, 200, 300, 200)


def test_locked_shares_bound_the_others():
    assert rebalance((100, 300, 100, 500), moved=0, value=900, locked={1, 3}) == (200, 300, 0, 500)
    assert rebalance((100, 300, 100, 500), moved=0, value=900, locked={1, 2, 3}) == (100, 300, 100, 500)


def test_the_papers_split_is_kept_exactly_and_shown_to_the_thousandth():
    chosen = PlanSettings(accounting=Accounting.AS_PUBLISHED, clusters=3)
    chosen.take_papers_split(Domain.of_sizes([2] * 52), Fraction(0))
    assert chosen.shares == published_shares(52, 3)
    assert to_thousandths(chosen.shares) == (0, 424, 288, 288)


def test_the_papers_split_leaves_the_one_way_tables_what_sound_accounting_needs():
    chosen = PlanSettings(clusters=3)
    chosen.take_papers_split(Domain.of_sizes([2] * 52), Fraction(1, 5))
    assert chosen.shares.one_way_tables == Fraction(1, 5)
    assert chosen.shares.similarity / chosen.shares.structure == Fraction(51, 1) / Fraction(104, 3)
    assert chosen.plan(DOMAIN, 1000).shares == chosen.shares


def test_another_methods_shares_are_not_carried_over():
    chosen = PlanSettings()
    chosen.shares = published_shares(52, 3)
    chosen.choose("method", "privbayes")
    plan = chosen.plan(DOMAIN, 1000)
    assert plan.shares.one_way_tables == plan.shares.similarity == 0


def test_settings_and_plans_say_the_same():
    chosen = PlanSettings(epsilon=0.5, clusters=4, eta=0.2, gamma=-1.0, weights={"a": 2.0})
    plan = chosen.plan(DOMAIN, 1000)
    assert PlanSettings.of(plan).plan(None, None) == plan, "a plan brings its own shares and number of rows"


def test_the_published_profile_fixes_what_it_is_defined_for():
    chosen = PlanSettings(
        accounting=Accounting.AS_PUBLISHED,
        currency=Currency.ZCDP,
        neighbors=Neighbors.ADD_REMOVE,
        similarity="tvd",
    )
    guarantee = chosen.plan(DOMAIN, None).guarantee
    assert (guarantee.currency, guarantee.delta, guarantee.neighbors) == (
        Currency.PURE, 0.0, Neighbors.REPLACE_ONE,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["privbayes", "privscbn", "jtree"])
def test_privbayes_is_never_planned_under_add_remove(method):
    chosen = PlanSettings(method=method, neighbors=Neighbors.ADD_REMOVE)
    assert chosen.plan(DOMAIN, None).guarantee.neighbors is Neighbors.REPLACE_ONE


def test_a_contradiction_is_refused_by_the_core():
    with pytest.raises(PlanError, match="mic"):
        PlanSettings(similarity="mic", neighbors=Neighbors.ADD_REMOVE).plan(DOMAIN, None)
