"""What counts as a network, and in which order it is sampled."""

import pytest

from hmpb_core.errors import PlanError
from hmpb_core.network import BayesianNetwork, Family, sampling_order


def family(child, *parents):
    return Family(child=child, parents=parents)


def test_a_family_lists_its_parents_first():
    assert family(4, 2, 7).attributes == (2, 7, 4)


def test_an_attribute_listed_twice_is_refused():
    with pytest.raises(PlanError, match="lists an attribute twice"):
        BayesianNetwork((family(0), family(0, 1)))


def test_a_parent_after_its_child_is_refused():
    with pytest.raises(PlanError):
        BayesianNetwork((family(1, 0), family(0)))


def test_bridges_come_from_other_networks():
    network = BayesianNetwork((family(3, 0), family(4, 3, 1)))
    assert network.children == (3, 4)
    assert network.bridges == ((0, 3), (1, 4))


def test_networks_are_sampled_parents_first_whatever_their_order():
    late = BayesianNetwork((family(3, 0), family(4, 3)))
    early = BayesianNetwork((family(0), family(1, 0)))
    order = sampling_order([late, early])
    placed = []
    for f in order:
        assert set(f.parents) <= set(placed)
        placed.append(f.child)
    assert sorted(placed) == [0, 1, 3, 4]


def test_networks_that_wait_for_each_other_are_refused():
    with pytest.raises(PlanError, match="arrows run in a circle"):
        sampling_order([BayesianNetwork((family(0, 1),)), BayesianNetwork((family(1, 0),))])
