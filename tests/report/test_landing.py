"""Noise on a count by hand, and against the scales that OpenDP proves."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.report.landing import CountNoise, count_noise
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan
from tests.thorough import sample

SHARES = Shares.from_weights(one_way_tables=1, similarity=1, structure=1, conditional_tables=1)
PURE = Guarantee(epsilon=2.0, delta=0.0, currency=Currency.PURE)
DOMAIN = Domain.of_sizes([2, 3, 4, 5, 6])


def plan(guarantee, **options):
    return Plan(guarantee=guarantee, shares=options.pop("shares", SHARES), **options)


def test_laplace_noise_by_hand():
    """As if 7.5 tables shared epsilon 0.5: 1/15 each; replacing one moves two cells by one, so b = 2 * 15."""
    assert count_noise(plan(PURE), DOMAIN).scale == pytest.approx(30)
    adding = Guarantee(epsilon=2.0, delta=0.0, currency=Currency.PURE, neighbors=Neighbors.ADD_REMOVE)
    assert count_noise(plan(adding), DOMAIN).scale == pytest.approx(15)
    assert count_noise(plan(PURE, rows_per_person=3, person="id"), DOMAIN).scale == pytest.approx(90)


def test_gaussian_noise_by_hand():
    """sigma^2 = 2 / (2 rho / 30): a quarter of rho over 7.5 tables is rho / 30."""
    guarantee = Guarantee(epsilon=1.0)
    rho = float(guarantee.total)
    noise = count_noise(plan(guarantee), DOMAIN)
    assert noise.scale**2 == pytest.approx(30 / rho)
    assert noise.sd == noise.scale


def test_noise_is_foreseen_at_the_scale_that_opendp_proves():
    from hmpb_core.privacy.noise import gaussian_loss, laplace_loss

    assert laplace_loss(count_noise(plan(PURE), DOMAIN).scale, 2) == pytest.approx(1 / 15, rel=1e-6)
    guarantee = Guarantee(epsilon=1.0)
    per_table = float(guarantee.total) / 30
    noise = count_noise(plan(guarantee), DOMAIN)
    assert gaussian_loss(noise.scale, math.sqrt(2)) == pytest.approx(per_table, rel=1e-6)


def test_two_attributes_have_one_pair_and_never_more_noise_than_two_tables():
    two = Domain.of_sizes([2, 3])
    assert count_noise(plan(PURE), two, 10**6).scale == pytest.approx(2 * 2 / 0.5)


@pytest.mark.parametrize("epsilon", sample([1.0, 10.0], 2))
def test_nine_of_ten_counts_of_measured_pairs_land_inside(epsilon):
    """The learner measures more pairs than there are attributes where noise is little."""
    rng = np.random.default_rng(2)
    hidden = rng.integers(0, 4, 4000)
    codes = np.column_stack([(hidden + rng.integers(0, 2, 4000)) % 4 for _ in range(8)]).astype(np.int32)
    domain = Domain.of_sizes([4] * 8)
    made = make_plan(Guarantee(epsilon=epsilon), domain, n_rows=4000)
    noise = count_noise(made, domain, 4000)
    half = noise.interval(0)[1]
    inside = []
    for seed in range(3):
        looks = {}
        for act in fit_source(MemorySource(codes, domain), made, seed=seed).entries:
            if act.act == "measure" and len(act.attribute_loss) == 2 and act.scale:
                looks.setdefault(tuple(a for a, _ in act.attribute_loss), []).append(act.scale)
        sds = [1 / math.sqrt(sum(1 / sd**2 for sd in own)) for own in looks.values()]
        inside += [math.erf(half / sd / math.sqrt(2)) for sd in sds]
    assert 0.84 < np.mean(inside) < 0.97


def test_published_accounting_draws_less_noise_than_it_should():
    shares = Shares.from_weights(one_way_tables=0, similarity=1, structure=2, conditional_tables=1)
    published = plan(PURE, accounting=Accounting.AS_PUBLISHED, clusters=2, shares=shares)
    bits = len(published.spec.encoded_domain(DOMAIN))
    assert bits == 1 + 2 + 2 + 3 + 3
    assert count_noise(published, DOMAIN).scale == pytest.approx(2 * math.ceil(11 / 2) / 0.5)


def test_no_protection_has_no_noise():
    noise = count_noise(plan(PURE, method="noprivacy"), DOMAIN)
    assert noise.interval(20) == (20, 20)


def test_a_plan_without_tables_is_refused():
    bare = Shares(
        one_way_tables=Fraction(1),
        similarity=Fraction(0),
        structure=Fraction(0),
        conditional_tables=Fraction(0),
    )
    with pytest.raises(PlanError, match="the method needs it"):
        count_noise(plan(PURE, shares=bare), DOMAIN)


def test_intervals_by_hand():
    """90 % of Laplace noise lies within b ln 10; 90 % of Gaussian noise within 1.6449 sigma."""
    low, high = CountNoise(scale=10, currency=Currency.PURE).interval(200)
    assert (low, high) == pytest.approx((200 - 10 * math.log(10), 200 + 10 * math.log(10)))
    low, high = CountNoise(scale=10, currency=Currency.ZCDP).interval(200)
    assert (low, high) == pytest.approx((200 - 16.449, 200 + 16.449), abs=1e-2)


@pytest.mark.parametrize("currency", Currency)
def test_places_are_evenly_likely_and_centred(currency):
    places = CountNoise(scale=10, currency=currency).places(20)
    assert len(places) == 20
    assert places == sorted(places)
    assert sum(places) / 20 == pytest.approx(20)
    low, high = CountNoise(scale=10, currency=currency).interval(20)
    assert sum(low <= place <= high for place in places) == 18
