"""The noise itself, two-sided: the right scale passes, 0.7 and 1.3 times it fail."""

import itertools
import math
from decimal import Context, Decimal, localcontext

import numpy as np
import pytest
from scipy import stats

from hmpb_core.privacy import noise as noise_room
from hmpb_core.privacy.noise import (
    NoNoise,
    SeededNoise,
    SystemNoise,
    gaussian_loss,
    laplace_loss,
    noisy_max_loss,
    polya,
)

DRAWS = 6000
P_RIGHT = 1e-6
"""A right sampler falls below this once in a million runs of a test."""
P_WRONG = 1e-9
"""A scale that is off by 30 % must fall below this; with 6,000 draws it is below 1e-30."""

SOURCES = {"OpenDP": SystemNoise, "seeded": lambda: SeededNoise(20_261_121)}
source_of = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())


def laplace_pmf(z, scale):
    return np.tanh(1 / (2 * scale)) * np.exp(-np.abs(z) / scale)


def gaussian_pmf(z, scale):
    support = np.arange(-math.ceil(40 * scale), math.ceil(40 * scale) + 1)
    return np.exp(-(z**2) / (2 * scale**2)) / np.exp(-(support**2) / (2 * scale**2)).sum()


def p_value(draws, pmf, scale):
    """Chi-square of integer draws against a symmetric distribution, in bins of at least 20 expected draws."""
    reach = math.ceil(60 * scale) + 1
    support = np.arange(-reach, reach + 1)
    expected = pmf(support, scale) * len(draws)
    observed = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=len(support))
    edges, filled = [0], 0.0
    for i, e in enumerate(expected):
        filled += e
        if filled >= 20 and expected[i + 1 :].sum() >= 20:
            edges.append(i + 1)
            filled = 0.0
    observed, expected = np.add.reduceat(observed, edges), np.add.reduceat(expected, edges)
    return stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


KINDS = {"laplace": laplace_pmf, "gaussian": gaussian_pmf}


@source_of
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.8, 3.0, 25.0])
def test_noise_has_the_distribution_and_the_scale_it_says(source, kind, scale):
    draws = getattr(source(), kind)(np.zeros(DRAWS, dtype=np.int64), scale)
    assert p_value(draws, KINDS[kind], scale) > P_RIGHT
    assert p_value(draws, KINDS[kind], 0.7 * scale) < P_WRONG
    assert p_value(draws, KINDS[kind], 1.3 * scale) < P_WRONG


def test_laplace_and_gaussian_noise_of_one_scale_are_told_apart():
    draws = SystemNoise().laplace(np.zeros(DRAWS, dtype=np.int64), 5.0)
    assert p_value(draws, gaussian_pmf, 5.0 * math.sqrt(2)) < P_WRONG


@source_of
@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_added_to_the_values_cell_by_cell(source, kind):
    values = np.array([[0, 10**12], [-(10**12), 5]], dtype=np.int64)
    noisy = getattr(source(), kind)(values, 2.0)
    assert noisy.shape == (2, 2)
    assert noisy.dtype == np.int64
    assert (abs(noisy - values) < 200).all()
    assert len(set((noisy - values).ravel().tolist())) > 1 or kind == "gaussian"


@source_of
def test_cells_of_one_table_get_independent_noise(source):
    noise = source().gaussian(np.zeros((4000, 2), dtype=np.int64), 10.0)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 5 / math.sqrt(4000)


@pytest.mark.parametrize("kind", KINDS)
def test_seeded_noise_on_a_fine_grid_has_the_right_spread(kind):
    """Real values are noised on a grid of 2^20 steps a unit of sensitivity."""
    scale = 3.0 * 2**20
    noise = getattr(SeededNoise(3), kind)(np.zeros(DRAWS, dtype=np.int64), scale) / scale
    reference = stats.laplace() if kind == "laplace" else stats.norm()
    assert stats.kstest(noise, reference.cdf).pvalue > P_RIGHT
    assert stats.kstest(noise / 0.7, reference.cdf).pvalue < P_WRONG
    assert stats.kstest(noise / 1.3, reference.cdf).pvalue < P_WRONG


# Choices

SCORES = np.array([0, 6, 12], dtype=np.int64)
CHOICES = 5000
P_OTHER = 1e-4
"""At 0.7 and 1.3 times the scale the p-value stays above this less than once in 10^13 runs."""


def exponential_mechanism(scale):
    weights = np.exp((SCORES - SCORES.max()) / scale)
    return weights / weights.sum()


def permute_and_flip(scale):
    """[MS2020, Algorithm 1], summed over all orders: the first heads wins."""
    heads = np.exp((SCORES - SCORES.max()) / scale)
    chosen = np.zeros(len(SCORES))
    for order in itertools.permutations(range(len(SCORES))):
        still = 1.0
        for i in order:
            chosen[i] += still * heads[i]
            still *= 1 - heads[i]
    return chosen / math.factorial(len(SCORES))


def choice_p_value(observed, probabilities):
    return stats.chisquare(observed, probabilities * observed.sum()).pvalue


@source_of
@pytest.mark.parametrize("permute", [False, True], ids=["exponential mechanism", "permute and flip"])
def test_a_choice_has_the_probabilities_of_its_mechanism(source, permute):
    noise = source()
    scale = 4.0
    law = permute_and_flip if permute else exponential_mechanism
    picks = [noise.noisy_max(SCORES, scale, permute_and_flip=permute) for _ in range(CHOICES)]
    observed = np.bincount(picks, minlength=len(SCORES))
    assert choice_p_value(observed, law(scale)) > P_RIGHT
    assert choice_p_value(observed, law(0.7 * scale)) < P_OTHER
    assert choice_p_value(observed, law(1.3 * scale)) < P_OTHER


def test_permute_and_flip_never_does_worse_than_the_exponential_mechanism():
    """The reference itself, against the paper's theorem: no worse on average."""
    for scale in (1.0, 4.0, 20.0):
        assert permute_and_flip(scale).sum() == pytest.approx(1)
        assert permute_and_flip(scale) @ SCORES >= exponential_mechanism(scale) @ SCORES


# What OpenDP proves


def test_the_proven_losses_are_those_of_the_theory():
    assert laplace_loss(4.0, 2) == pytest.approx(2 / 4, rel=1e-12)
    assert gaussian_loss(3.0, math.sqrt(2)) == pytest.approx(2 / (2 * 3**2), rel=1e-12)
    assert noisy_max_loss(4.0, 1, permute_and_flip=True) == pytest.approx(2 * 1 / 4, rel=1e-12)
    # Bounded range 2 s / scale: rho = (2 s / scale)^2 / 8 [CesarRogers2021].
    assert noisy_max_loss(4.0, 1, permute_and_flip=False) == pytest.approx((2 / 4) ** 2 / 8, rel=1e-12)


# Shares of Laplace noise


def polya_ends(scale, shares, count):
    """P(X <= j) 2^128 by P(X = j) = (r (r + 1) ... (r + j - 1) / j!) (1 - p)^r p^j, to 100 digits."""
    with localcontext(Context(prec=100)):
        p, r = (-1 / Decimal(scale)).exp(), 1 / Decimal(shares)
        mass, below, ends = (1 - p) ** r, Decimal(0), []
        for j in range(count):
            below += mass
            ends.append(int(below * 2**128))
            mass *= p * (r + j) / (j + 1)
    return ends


@pytest.mark.parametrize("shares", [1, 2, 7])
@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
def test_the_table_of_a_share_is_the_distribution_to_the_last_bits(scale, shares):
    """Within 2^-110, and cut where no more than 2^-110 is left."""
    ends = noise_room._polya_ends(scale, shares)
    due = polya_ends(scale, shares, len(ends))
    assert max(abs(end - exact) for end, exact in zip(ends[:-1], due, strict=False)) < 2**18
    assert ends == sorted(ends)
    assert ends[-1] == 2**128 - 1
    assert 0 <= 2**128 - due[-1] < 2**18


def test_a_draw_is_where_all_its_bits_fall_though_the_upper_half_alone_does_not_say(monkeypatch):
    """The first four draws share their upper half with the end of 0, the last one with no end."""
    end = noise_room._polya_ends(2.0, 1)[0]
    high, low = divmod(end, 2**64)
    lower = iter([0, low - 1, low, 2**64 - 1])

    def urandom(count):
        words = [high] * 4 + [high + 1] if count == 40 else [next(lower)]
        return b"".join(word.to_bytes(8, "little") for word in words)

    monkeypatch.setattr(noise_room.os, "urandom", urandom)
    assert polya(5, 2.0, 1).tolist() == [0, 0, 1, 1, 1]
    assert list(lower) == []


# Who protects


def test_only_the_systems_noise_says_that_it_protects():
    assert SystemNoise.private
    assert not SeededNoise(1).private
    assert not NoNoise.private


def test_seeded_noise_repeats_and_another_seed_gives_other_noise():
    values = np.zeros(50, dtype=np.int64)
    first, again, other = (SeededNoise(seed).laplace(values, 9.0).tolist() for seed in (4, 4, 5))
    assert first == again
    assert first != other


def test_system_noise_never_repeats():
    values = np.zeros(50, dtype=np.int64)
    assert SystemNoise().laplace(values, 9.0).tolist() != SystemNoise().laplace(values, 9.0).tolist()


def test_no_noise_gives_the_values_themselves_in_a_new_array():
    values = np.array([3, 1, 7], dtype=np.int64)
    for noisy in (NoNoise().laplace(values, 2.0), NoNoise().gaussian(values, 2.0)):
        assert noisy.tolist() == [3, 1, 7]
        assert noisy is not values
    assert NoNoise().noisy_max(values, 2.0, permute_and_flip=True) == 2
