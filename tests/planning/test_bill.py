"""The bill: the published figures of the true cost, and sums that add up."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hmpb_core.cli import main
from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.planning.bill import bill_of_plan, bill_of_run
from hmpb_core.planning.methods import METHOD_NAMES, Accounting
from hmpb_core.planning.share_rules import published_shares
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.events import Event
from hmpb_core.synthesis import make_plan


def published(d: int, n: int, *, epsilon: float = 1.0, clusters: int = 3):
    domain = Domain.of_sizes([2] * d)
    plan = make_plan(
        guarantee_of("pure", epsilon, None, "replace-one"),
        domain,
        n_rows=n,
        accounting=Accounting.AS_PUBLISHED,
        clusters=clusters,
    )
    return bill_of_plan(plan, domain=domain)


@pytest.mark.parametrize(("n", "d", "cost"), [(45_222, 52, 12.75), (19_719, 175, 38.88)])
def test_the_published_accounting_costs_what_shared_evidence_says(n: int, d: int, cost: float) -> None:
    assert published(d, n).total == pytest.approx(cost, abs=0.005)
    assert published(d, n, epsilon=0.2).total == pytest.approx(0.2 * cost, abs=0.005)


def test_the_published_shares_of_adult_are_the_papers() -> None:
    shares = published_shares(52, 3)
    assert [round(float(s), 4) for _, s in shares.items()] == [0.0, 0.4238, 0.2881, 0.2881]
    assert sum(s for _, s in shares.items()) == 1


def test_the_published_bill_names_the_risk_weights_as_unpaid() -> None:
    assert any("risk weights" in item for item in published(52, 45_222).unpaid)


@pytest.mark.parametrize("currency", ["pure", "zcdp"])
def test_a_sound_bill_is_the_epsilon_asked_for_and_its_stages_sum_to_it(currency: str) -> None:
    domain = Domain.of_sizes([2, 3, 4])
    plan = make_plan(guarantee_of(currency, 0.7, None, "replace-one"), domain, n_rows=1000)
    bill = bill_of_plan(plan, domain=domain)
    assert bill.total == pytest.approx(0.7, rel=1e-9)
    assert sum(bill.stages.values()) == pytest.approx(bill.total, rel=1e-12)
    assert bill.unpaid == ()
    assert all(0 < value <= bill.total * (1 + 1e-9) for value in bill.attributes.values())


@pytest.mark.parametrize(
    ("method", "learner"),
    [
        *((method, None) for method in METHOD_NAMES if method != "noprivacy"),
        ("hmprivbayes", "ibayes"),
        ("hmprivbayes", "additive"),
    ],
)
def test_of_one_attribute_alone_the_whole_epsilon_is_spent_and_none_on_similarities(method, learner) -> None:
    domain = Domain.of_sizes([5])
    plan = make_plan(
        guarantee_of("zcdp", 1.5, None, "replace-one"), domain, n_rows=1000, method=method, learner=learner
    )
    assert plan.shares.similarity == 0
    assert bill_of_plan(plan, domain=domain).total == pytest.approx(1.5, rel=1e-9)


def test_hiding_an_attribute_is_a_replacement_whatever_the_neighbours() -> None:
    domain = Domain.of_sizes([2, 2])
    weights = {"one_way_tables": 0.25, "similarity": 0.25, "structure": 0.25, "conditional_tables": 0.25}
    losses = {}
    for neighbors in ("replace-one", "add-remove"):
        plan = make_plan(
            guarantee_of("pure", 1.0, None, neighbors),
            domain,
            n_rows=1000,
            shares=Shares.from_weights(**weights),
        )
        losses[neighbors] = bill_of_plan(plan, domain=domain).attributes["x0"]
    # one of two one-way tables (1/8), the one pair, all selections, all tables (1/4 each)
    assert losses == {"replace-one": pytest.approx(0.875), "add-remove": pytest.approx(1.75)}


def test_an_unprotected_plan_has_no_finite_cost() -> None:
    domain = Domain.of_sizes([2, 2])
    plan = make_plan(guarantee_of("zcdp", 1.0, None, "replace-one"), domain, n_rows=10, method="noprivacy")
    bill = bill_of_plan(plan, domain=domain)
    assert bill.total is None
    assert bill.to_dict()["total"] is None
    assert bill.unpaid


def act(stage: Stage, what: str, loss: Fraction, *attributes: int) -> Event:
    return Event(
        stage=stage,
        act="measure",
        what=what,
        loss=loss,
        sensitivity=2.0,
        scale=1.0,
        attribute_loss=tuple((a, loss) for a in attributes),
    )


def under(stage: Stage, *acts: Event) -> Event:
    whole = sum((a.loss for a in acts), Fraction(0))
    return Event(
        stage=stage,
        act="adaptive",
        what=stage.value,
        loss=whole,
        sensitivity=None,
        scale=None,
        attribute_loss=(),
        acts=acts,
    )


def test_an_attribute_pays_for_what_touches_it_and_never_twice_for_one_act() -> None:
    domain = Domain.of_sizes([2, 2])
    plan = make_plan(guarantee_of("pure", 1.0, None, "replace-one"), domain, n_rows=10)
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    one_way = under(Stage.ONE_WAY_TABLES, act(Stage.ONE_WAY_TABLES, "a", quarter, 0))
    both = under(Stage.CONDITIONAL_TABLES, act(Stage.CONDITIONAL_TABLES, "a and b", half, 0, 1))
    assert bill_of_run(plan, domain, [one_way, both]).attributes == {"x0": 0.75, "x1": 0.5}
    four_values = Domain.of_sizes([4])  # two bits of one attribute
    published = make_plan(
        guarantee_of("pure", 1.0, None, "replace-one"),
        four_values,
        n_rows=10,
        accounting=Accounting.AS_PUBLISHED,
    )
    assert bill_of_run(published, four_values, [both]).attributes == {"x0": 0.5}


def test_a_printed_bill_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--rows", "45222", "--attributes", "52", "--epsilon", "1", "--clusters", "3")
    assert main(["bill", *words, "--guarantee", "pure", "--accounting", "as-published"]) == 0
    printed = capsys.readouterr().out
    assert printed == f"{published(52, 45_222)}\n"
    first, second, *rest = printed.splitlines()
    assert first == "asked for   epsilon 1, neighbours replace-one"
    assert second == "true cost   epsilon 12.75 (12.75 times what was asked)"
    assert [line.split("  ")[1] for line in rest[:4]] == [stage.value for stage in Stage]
    assert rest[-1].startswith("unpaid      ")


def test_an_option_that_changes_nothing_is_said_to(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bill", "--rows", "100", "--attributes", "5", "--epsilon", "1", "--method", "privbayes")
    assert main([*words, "--gamma", "3", "--parents", "2"]) == 0
    said = capsys.readouterr().err
    assert "--gamma changes nothing: the method 'privbayes' has no use for it." in said
    assert "--parents" not in said
    assert main([*words]) == 0
    assert "changes nothing" not in capsys.readouterr().err
