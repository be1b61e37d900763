"""The noise on a bundle's tables: intervals that hold what they say, of one look and of several."""

import math

import numpy as np
import pytest

from hmpb_core.publishing.known_noise import KnownNoise


def look(*names, sd):
    return {"kind": "table", "attributes": list(names), "noise_sd": sd}


def test_several_looks_add_up_by_their_precision_and_sums_by_their_cells():
    known = KnownNoise([look("a", sd=3.0), look("a", "b", sd=2.0)], {"a": 2, "b": 4}, laplace=False)
    assert known.sd(("a",)) == pytest.approx(1 / math.sqrt(1 / 9 + 1 / 16))
    assert known.half(("a",)) == pytest.approx(1.96 * known.sd(("a",)))
    assert known.alone_sd("a") == known.first_look("a") == 3.0
    assert known.sd(("b",)) == pytest.approx(2 * math.sqrt(2))
    assert known.alone_half("b") is None is known.sd(("c",))


@pytest.mark.parametrize(("laplace", "summed"), [(True, 1), (True, 20), (False, 1), (False, 20)])
def test_an_interval_holds_95_in_100_draws_of_either_noise(laplace, summed):
    rng = np.random.default_rng(1)
    shape = (40_000, summed)
    noise = rng.laplace(scale=1 / math.sqrt(2), size=shape) if laplace else rng.normal(size=shape)
    held, sizes = (("a", "b"), {"a": 2, "b": summed}) if summed > 1 else (("a",), {"a": 2})
    half = KnownNoise([look(*held, sd=1.0)], sizes, laplace=laplace).half(("a",))
    assert (np.abs(noise.sum(axis=1)) <= half).mean() == pytest.approx(0.95, abs=0.005)
