import math

import pytest

from hmpb_core.privacy.guarantee import epsilon_of_rho, rho_of

DELTAS = [1e-3, 1e-6, 1e-9, 1e-30]
RHOS = [1e-6, 1e-4, 0.01, 0.5, 5.0, 1000.0]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS)
def test_conversion_agrees_with_opendp_and_never_promises_more(rho, delta):
    import opendp.prelude as dp  # noqa: TID251 - the reference

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    profile = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=1.0)).map(math.sqrt(2 * rho))
    proven = profile.epsilon(delta)
    assert proven <= epsilon_of_rho(rho, delta) <= proven * (1 + 1e-11)


def test_conversion_is_below_the_simple_bound():
    """rho + 2 sqrt(rho log(1/delta)) is the textbook bound of zCDP."""
    for delta in DELTAS:
        for rho in RHOS:
            assert epsilon_of_rho(rho, delta) < rho + 2 * math.sqrt(rho * math.log(1 / delta))


@pytest.mark.parametrize("epsilon", [0.001, 0.05, 1.0, 10.0, 100.0])
def test_rho_of_an_epsilon_costs_at_most_that_epsilon(epsilon):
    rho = rho_of(epsilon, 1e-9)
    assert epsilon * (1 - 1e-9) <= epsilon_of_rho(rho, 1e-9) <= epsilon
