"""The door: what it charges, what it writes down, and how much noise it draws for it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hmpb_core.errors import BudgetExceededError, PlanError
from hmpb_core.marginal import Marginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.calibration import float_below
from hmpb_core.privacy.events import Event
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.shares import NoiseShares

F = Fraction
PURE, ZCDP = Currency.PURE, Currency.ZCDP
REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE
GRID = 2.0**-20
"""Real values are rounded to this part of a sensitivity; the scale is larger by as much."""


def accountant(currency=PURE, neighbors=REPLACE, *, epsilon=1.0, shares="one-way tables=0.25", **options):
    delta = 0.0 if currency is PURE else 1e-9
    guarantee = Guarantee(epsilon=epsilon, delta=delta, currency=currency, neighbors=neighbors)
    return Accountant(Budget(guarantee=guarantee, shares=Shares.parse(shares)), **options)


def table(*attributes, cells=4):
    counts = np.zeros((cells,) if len(attributes) < 2 else (cells, cells), dtype=np.int64)
    return Marginal(attributes=tuple(attributes), counts=counts)


def measure(door, loss, marginal=None, stage=Stage.ONE_WAY_TABLES):
    return door.measure(marginal or table(0), stage=stage, loss=loss, what="a table")


def pairs(door, loss, values, **options):
    d = round((1 + math.sqrt(1 + 8 * len(values))) / 2)
    return door.measure_pairs(
        np.asarray(values, dtype=float),
        n_attributes=d,
        sensitivity=0.5,
        stage=Stage.SIMILARITY,
        loss=loss,
        what="pairs",
        **options,
    )


def select(door, loss, scores, **options):
    settings = {"sensitivity": 0.5, "stage": Stage.STRUCTURE, "what": "a choice", "attributes": [2, 0, 2]}
    return door.select(scores, loss=loss, **{**settings, **options})


def discover(door, loss, attribute=1):
    return door.discover(
        np.zeros(4, dtype=np.int64),
        listed=4,
        delta=0.0,
        stage=Stage.ONE_WAY_TABLES,
        loss=loss,
        what="a survey",
        attribute=attribute,
    )


# Scales equal the theory


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(
    ("currency", "neighbors", "scale"),
    [
        (PURE, REPLACE, 2 / 0.125),
        (PURE, ADD, 1 / 0.125),
        (ZCDP, REPLACE, math.sqrt(2) / math.sqrt(2 * 0.125)),
        (ZCDP, ADD, 1 / math.sqrt(2 * 0.125)),
    ],
    ids=["pure, replace", "pure, add", "zcdp, replace", "zcdp, add"],
)
def test_a_table_gets_noise_of_its_sensitivity_over_its_loss(currency, neighbors, scale, rows):
    door = accountant(currency, neighbors, epsilon=20.0, rows_per_person=rows)
    noisy = measure(door, F(1, 8))
    assert noisy.scale == pytest.approx(rows * scale, rel=1e-9)
    assert noisy.noise == ("laplace" if currency is PURE else "gaussian")
    assert noisy.noise_sd == pytest.approx(rows * scale * (math.sqrt(2) if currency is PURE else 1), rel=1e-9)
    assert door.table_scale(F(1, 8)) == pytest.approx(noisy.scale, rel=1e-9)
    assert door.table_noise_sd(F(1, 8)) == pytest.approx(noisy.noise_sd, rel=1e-9)
    assert door.entries[0].scale == noisy.scale


@pytest.mark.parametrize(
    ("currency", "scale"), [(PURE, 15 * 0.5 / 0.125), (ZCDP, math.sqrt(15) * 0.5 / math.sqrt(2 * 0.125))]
)
def test_all_pairs_together_get_noise_for_every_one_of_them(currency, scale):
    """Six attributes, fifteen pairs, each moving by 0.5: L1 15 * 0.5, L2 sqrt(15) * 0.5."""
    door = accountant(currency, epsilon=20.0)
    noisy, sd = pairs(door, F(1, 8), np.linspace(0, 1, 15))
    assert noisy.shape == (15,)
    assert door.entries[0].scale == pytest.approx(scale, rel=3 * GRID)
    assert sd == pytest.approx(scale * (math.sqrt(2) if currency is PURE else 1), rel=3 * GRID)


@pytest.mark.parametrize("currency", [PURE, ZCDP])
def test_people_with_more_rows_get_that_much_more_noise_everywhere(currency):
    """A person with three rows moves every value three times as far."""
    scales = []
    for rows in (1, 3):
        door = accountant(currency, epsilon=20.0, rows_per_person=rows)
        measure(door, F(1, 8))
        pairs(door, F(1, 8), np.zeros(6))
        select(door, F(1, 8), [0.0, 1.0])
        scales.append([entry.scale for entry in door.entries])
    assert scales[1] == pytest.approx([3 * scale for scale in scales[0]], rel=1e-9)


@pytest.mark.parametrize("exponential", [False, True])
@pytest.mark.parametrize(
    ("currency", "scale"), [(PURE, 2 * 0.5 / 0.125), (ZCDP, 2 * 0.5 / math.sqrt(8 * 0.125))]
)
def test_a_choice_has_the_temperature_of_the_exponential_mechanism(currency, scale, exponential):
    """P proportional to exp(epsilon u / 2 Du), epsilon = sqrt(8 rho) in zCDP."""
    door = accountant(currency, epsilon=20.0)
    select(door, F(1, 8), [0.0, 1.0], exponential=exponential)
    assert door.entries[0].scale == pytest.approx(scale, rel=3 * GRID)


def test_the_published_noise_costs_half_the_attributes_times_what_it_claims():
    """Lap(Dm d(d-1) / (eps1 2 floor(d/2))) on d(d-1)/2 values that all move by Dm: floor(d/2) eps1."""
    d, claimed = 7, 0.1
    published = 0.5 * d * (d - 1) / (claimed * 2 * (d // 2))
    assert (d * (d - 1) / 2) * 0.5 / published == pytest.approx((d // 2) * claimed)
    door = accountant(epsilon=5.0, events=[allowance(Stage.SIMILARITY, F(10))])
    pairs(door, F(3, 10), np.zeros(21), scale_per_value=published)
    assert door.entries[0].scale == pytest.approx(published)


@pytest.mark.parametrize(("currency", "sd"), [(PURE, math.sqrt(2) * 0.75), (ZCDP, 0.75)])
def test_noise_of_a_scale_that_a_paper_fixes_follows_it_and_not_the_loss(currency, sd):
    """A scale of 0.25 for one row a person is 0.75 for three, whatever is charged."""
    door = accountant(currency, epsilon=20.0, rows_per_person=3)
    _, drawn = pairs(door, F(1, 8), np.zeros(6), scale_per_value=0.25)
    assert door.entries[0].scale == pytest.approx(0.75)
    assert drawn == pytest.approx(sd)


# The noise that is drawn, two-sided


def scale_p_value(noise, scale, currency):
    """Two-sided, exact: sum |z| / b is Gamma(n) for Laplace noise, sum (z / sigma)^2 chi-square."""
    law = stats.gamma(len(noise)) if currency is PURE else stats.chi2(len(noise))
    total = (np.abs(noise) / scale).sum() if currency is PURE else ((noise / scale) ** 2).sum()
    return 2 * min(law.cdf(total), law.sf(total))


def assert_scale(noise, scale, currency):
    shape = stats.laplace if currency is PURE else stats.norm
    assert stats.kstest(noise / scale, shape.cdf).pvalue > 1e-6
    assert scale_p_value(noise, scale, currency) > 1e-6
    assert scale_p_value(noise, 0.7 * scale, currency) < 1e-9
    assert scale_p_value(noise, 1.3 * scale, currency) < 1e-9


@pytest.mark.parametrize(
    ("currency", "neighbors"), [(PURE, REPLACE), (PURE, ADD), (ZCDP, REPLACE), (ZCDP, ADD)]
)
def test_the_noise_on_a_table_has_the_scale_that_its_entry_says(currency, neighbors):
    door = accountant(currency, neighbors, epsilon=5.0)
    loss = F(1, 200)
    counts = np.full(5000, 1000, dtype=np.int64)
    noise = measure(door, loss, Marginal(attributes=(0,), counts=counts)).counts - 1000
    noise = noise + np.random.default_rng(0).uniform(-0.5, 0.5, noise.size)  # whole numbers have steps
    moved = 2 if neighbors is REPLACE else 1
    scale = moved / float(loss) if currency is PURE else math.sqrt(moved) / math.sqrt(2 * float(loss))
    assert_scale(noise, scale, currency)


@pytest.mark.parametrize("currency", [PURE, ZCDP])
def test_the_noise_on_the_pairs_has_the_scale_of_the_theory(currency):
    d = 80
    count = d * (d - 1) // 2
    door = accountant(currency, epsilon=50.0)
    noisy, _ = pairs(door, F(1, 10), np.full(count, 0.25))
    scale = count * 0.5 / 0.1 if currency is PURE else math.sqrt(count) * 0.5 / math.sqrt(2 * 0.1)
    assert_scale(noisy - 0.25, scale, currency)


@pytest.mark.parametrize("currency", [PURE, ZCDP])
def test_choices_have_the_probabilities_of_the_theory(currency):
    door = accountant(currency, epsilon=50.0, shares="structure=0.9")
    loss = F(1, 1000)
    epsilon = float(loss) if currency is PURE else math.sqrt(8 * float(loss))
    odds = 1.4  # log odds of the better candidate: epsilon * gap / 2
    scores = [0.0, 0.5 * 2 * odds / epsilon]
    picks = [select(door, loss, scores, exponential=True) for _ in range(4000)]

    def p_value(factor):
        better = 1 / (1 + math.exp(-odds * factor))
        return stats.binomtest(sum(picks), len(picks), better).pvalue

    assert p_value(1) > 1e-6
    assert p_value(0.7) < 1e-3
    assert p_value(1.3) < 1e-3


# Never overspends


losses = st.fractions(min_value=F(1, 1000), max_value=F(1, 3), max_denominator=1000)
acts = st.lists(st.tuples(st.sampled_from(["measure", "pairs", "select"]), losses), max_size=12)


@given(acts)
def test_no_sequence_of_acts_overspends_and_every_spend_has_its_entry(sequence):
    door = accountant(protection="seeded", seed=1, shares="one-way tables=0.3,similarity=0.3,structure=0.3")
    act_of = {
        "measure": (Stage.ONE_WAY_TABLES, lambda loss: measure(door, loss)),
        "pairs": (Stage.SIMILARITY, lambda loss: pairs(door, loss, [0.1, 0.2, 0.3])),
        "select": (Stage.STRUCTURE, lambda loss: select(door, loss, [1.0, 2.0])),
    }
    for kind, loss in sequence:
        stage, act = act_of[kind]
        before, left = door.entries, door.left(stage)
        if loss > left:
            with pytest.raises(BudgetExceededError):
                act(loss)
            assert door.entries == before
            assert door.left(stage) == left
        else:
            act(loss)
            assert len(door.entries) == len(before) + 1
            assert door.left(stage) == left - loss
    assert door.spent() == sum((entry.loss for entry in door.entries), F(0))
    assert door.spent() <= door.guarantee.total
    for stage in Stage:
        assert door.spent(stage) == sum((e.loss for e in door.entries if e.stage is stage), F(0))
        assert door.spent(stage) <= door.budget.loss(stage)


@pytest.mark.parametrize("currency", [PURE, ZCDP])
@given(loss=st.fractions(min_value=F(1, 10**6), max_value=F(1, 4)), cells=st.integers(1, 30))
def test_what_opendp_proves_is_never_above_what_is_charged(currency, loss, cells):
    """Rounding may only enlarge the noise, exactly: of most losses the theory's scale is a bit too small."""
    from hmpb_core.privacy.noise import gaussian_loss, laplace_loss, noisy_max_loss

    door = accountant(currency, protection="none", epsilon=30.0)
    measure(door, loss, table(0, cells=cells))
    pairs(door, loss, [0.5] * 3)
    select(door, loss, [0.0, 1.0])
    step = 0.5 * GRID
    by_table, by_pairs, by_choice = (entry.scale for entry in door.entries)
    moved = 2**20 + 1
    permute = currency is PURE
    if currency is PURE:
        proven = laplace_loss(by_table, 2), laplace_loss(by_pairs / step, 3 * moved)
    else:
        proven = gaussian_loss(by_table, math.sqrt(2)), gaussian_loss(by_pairs / step, math.sqrt(3) * moved)
    choice = noisy_max_loss(by_choice / step, moved, permute_and_flip=permute)
    assert max(map(F, (*proven, choice))) <= loss


@pytest.mark.parametrize("exact", [F(1, 3), F(2, 3), F(1, 10), F(1, 2), F(0)])
def test_a_loss_as_a_float_is_the_nearest_one_that_is_not_above_it(exact):
    below = float_below(exact)
    assert F(below) <= exact < F(math.nextafter(below, 1))


def test_asking_for_more_than_is_left_says_what_is_left():
    door = accountant(epsilon=1.0)
    measure(door, F(1, 5))
    with pytest.raises(
        BudgetExceededError,
        match=r"one-way tables asks for 0\.1, but 0\.05 of 0\.25 is left. Lower what it does or raise its",
    ):
        measure(door, F(1, 10))


def test_a_stage_without_a_share_cannot_act():
    door = accountant(shares="one-way tables=1")
    with pytest.raises(PlanError, match=r"conditional tables has nothing to spend.*raise its share above 0"):
        measure(door, door.left(Stage.CONDITIONAL_TABLES), stage=Stage.CONDITIONAL_TABLES)


def allowance(stage, loss, *attributes):
    touched = tuple((attribute, loss) for attribute in attributes)
    words = {"what": "anything", "sensitivity": None, "scale": None}
    return Event(stage=stage, act="adaptive", loss=loss, attribute_loss=touched, **words)


def test_planned_events_replace_the_stages_shares():
    door = accountant(events=[allowance(Stage.ONE_WAY_TABLES, F(2))])
    measure(door, F(3, 2))
    assert door.left(Stage.ONE_WAY_TABLES) == F(1, 2)
    assert door.left(Stage.STRUCTURE) == 0


def test_an_act_is_paid_by_the_narrowest_event_that_covers_it():
    stage = Stage.ONE_WAY_TABLES
    door = accountant(events=[allowance(stage, F(1)), allowance(stage, F(1), 0), allowance(stage, F(1), 1)])
    measure(door, F(1, 4), table(0))
    assert [len(event.acts) for event in door.events] == [0, 1, 0]
    assert [event.spent for event in door.events] == [0, F(1, 4), 0]


def test_what_is_left_of_other_events_does_not_pay_for_an_act():
    stage = Stage.ONE_WAY_TABLES
    door = accountant(events=[allowance(stage, F(1, 10), 0), allowance(stage, F(1), 1)])
    with pytest.raises(BudgetExceededError, match=r"asks for 0\.2, but 0\.1 of 0\.1 is left"):
        measure(door, F(1, 5), table(0))
    assert door.entries == ()


@pytest.mark.parametrize(
    ("attributes", "left"),
    [((0,), r"0\.3 of 0\.4"), ((0, 1), r"0\.3 of 0\.3"), ((2,), "0 of 0")],
    ids=["two events cover it", "one covers it", "none covers it"],
)
def test_who_asks_for_too_much_hears_of_the_events_that_may_pay_for_it(attributes, left):
    stage = Stage.ONE_WAY_TABLES
    door = accountant(events=[allowance(stage, F(2, 5), 0), allowance(stage, F(3, 10), 0, 1)])
    measure(door, F(1, 5), table(0))  # 0.2 of the narrower one's 0.4 is left
    with pytest.raises(BudgetExceededError, match=f"asks for 0.5, but {left} is left"):
        measure(door, F(1, 2), table(*attributes))


def test_a_charge_stands_though_the_noise_fails(monkeypatch):
    door = accountant()

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(door._noise, "laplace", fail, raising=False)
    with pytest.raises(MemoryError):
        measure(door, F(1, 5))
    assert door.spent() == F(1, 5)
    assert len(door.entries) == 1


# Per-attribute loss by hand


def test_each_attribute_is_charged_for_what_touches_it():
    door = accountant(shares="one-way tables=0.25,similarity=0.25,structure=0.25,conditional tables=0.25")
    measure(door, F(1, 10), table(1))
    pairs(door, F(1, 4), [0.1] * 6)  # four attributes: each is in 3 of the 6 pairs
    select(door, F(1, 8), [0.0, 1.0])  # looks at attributes 0 and 2
    measure(door, F(1, 20), table(3, 1), stage=Stage.CONDITIONAL_TABLES)
    losses_of = [dict(entry.attribute_loss) for entry in door.entries]
    assert losses_of == [
        {1: F(1, 10)},
        dict.fromkeys(range(4), F(1, 8)),
        {0: F(1, 8), 2: F(1, 8)},
        {3: F(1, 20), 1: F(1, 20)},
    ]


def test_hiding_one_attribute_among_pairs_moves_its_pairs_alone():
    """d - 1 of d (d - 1) / 2 values: the part 2 / d of their L1, and of their squared L2."""
    for d in (2, 3, 10):
        door = accountant(shares="similarity=1")
        pairs(door, F(1, 2), [0.0] * (d * (d - 1) // 2))
        assert dict(door.entries[0].attribute_loss) == dict.fromkeys(range(d), F(1, 2) * F(2, d))


@pytest.mark.parametrize(("currency", "of_tables", "of_variations"), [(PURE, 2, 2), (ZCDP, 2, 4)])
def test_hiding_an_attribute_costs_a_change_of_a_row_though_noise_is_for_one_that_comes_or_goes(
    currency, of_tables, of_variations
):
    """Two cells move instead of one, and a total variation by 1 instead of 1/2: epsilon x 2, rho x 2 or 4."""
    door = accountant(currency, ADD, epsilon=20.0)
    measure(door, F(1, 8), table(1))
    discover(door, F(1, 8))
    pairs(door, F(1, 8), [0.1] * 6)
    select(door, F(1, 8), [0.0, 1.0])
    assert [dict(entry.attribute_loss) for entry in door.entries] == [
        {1: of_tables * F(1, 8)},
        {1: of_tables * F(1, 8)},
        dict.fromkeys(range(4), of_variations * F(1, 16)),
        {0: of_variations * F(1, 8), 2: of_variations * F(1, 8)},
    ]


@pytest.mark.parametrize(
    ("currency", "moved"),
    [(PURE, [2, 2, 6 * 0.5, 0.5]), (ZCDP, [2**0.5, 2**0.5, 6**0.5 * 0.5, 0.5])],
)
def test_entries_say_how_far_a_person_moves_what_was_looked_at(currency, moved):
    """Two cells of a table move by 1, six pairs each by 0.5, any score by 0.5: thrice that for three rows."""
    door = accountant(currency, epsilon=20.0, rows_per_person=3)
    measure(door, F(1, 8))
    discover(door, F(1, 8))
    pairs(door, F(1, 8), np.zeros(6))
    select(door, F(1, 8), [0.0, 1.0])
    assert [entry.sensitivity for entry in door.entries] == pytest.approx([3 * one for one in moved])


def test_what_is_no_sum_over_rows_gets_no_noise_in_shares():
    door = accountant(shares="one-way tables=0.5,structure=0.5")
    shared = Accountant(door.budget, shares=NoiseShares(parties=2))
    for act in (lambda: select(shared, F(1, 8), [0.0, 1.0]), lambda: discover(shared, F(1, 8))):
        with pytest.raises(PlanError, match="Noise in shares needs every party's own part"):
            act()
    assert shared.spent() == 0


def test_shares_of_laplace_noise_that_is_too_large_to_be_drawn_exactly_are_refused_before_anything_is_paid():
    shared = Accountant(accountant().budget, shares=NoiseShares(parties=2))
    halves = Marginal(
        attributes=(0,), counts=np.zeros(4, dtype=np.int64), parts=(np.zeros(4, dtype=np.int64),) * 2
    )
    with pytest.raises(PlanError, match="cannot be drawn exactly; raise epsilon"):
        measure(shared, F(1, 10_001), halves)  # a scale of 2 x 10,001; 20,000 can be drawn
    assert shared.spent() == 0


@pytest.mark.parametrize(
    ("currency", "scale"), [(PURE, 2 / 0.125), (ZCDP, math.sqrt(2) / math.sqrt(2 * 0.125))]
)
def test_the_noise_of_all_parties_shares_is_foreseen_as_it_will_be(currency, scale):
    """Two of four shares are enough, so that four have sqrt(2) times the noise that is needed."""
    shared = Accountant(accountant(currency).budget, shares=NoiseShares(parties=4, withheld=2))
    assert shared.table_scale(F(1, 8)) == pytest.approx(math.sqrt(2) * scale)


def test_without_protection_no_noise_is_foreseen():
    assert accountant(protection="none").table_noise_sd(F(1, 8)) == 0


def test_entries_say_which_stage_did_what():
    door = accountant()
    measure(door, F(1, 10))
    entry = door.entries[0]
    assert (entry.stage, entry.act, entry.what, entry.loss) == (
        Stage.ONE_WAY_TABLES,
        "measure",
        "a table",
        F(1, 10),
    )


# Protection


def test_real_noise_is_the_default_and_the_only_one_that_protects():
    assert accountant().private
    assert not accountant(protection="seeded", seed=3).private
    assert not accountant(protection="none").private
    assert accountant(protection="none").noiseless


def test_without_protection_the_exact_values_come_out_and_say_so():
    door = accountant(protection="none")
    exact = Marginal(attributes=(0,), counts=np.array([7, 0, 3]))
    noisy = measure(door, F(1, 10), exact)
    assert noisy.counts.tolist() == [7, 0, 3]
    assert (noisy.noise, noisy.scale, noisy.noise_sd) == ("none", 0.0, 0.0)
    values, sd = pairs(door, F(1, 10), [0.25, 0.5, 1.0])
    assert values == pytest.approx([0.25, 0.5, 1.0], abs=GRID)
    assert sd == 0
    assert select(door, F(1, 10), [0.0, 3.0, 2.0]) == 1


def test_seeded_noise_without_a_seed_is_refused():
    with pytest.raises(PlanError, match="Seeded noise needs a seed"):
        accountant(protection="seeded")


@pytest.mark.parametrize("rows", [0, -1])
def test_fewer_than_one_row_a_person_is_refused(rows):
    with pytest.raises(PlanError, match=f"rows_per_person is {rows}; it must be at least 1"):
        accountant(rows_per_person=rows)


def test_a_choice_among_nothing_is_refused():
    with pytest.raises(PlanError, match="nothing to select from"):
        select(accountant(), F(1, 10), [])
