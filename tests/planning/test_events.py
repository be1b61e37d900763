"""What a plan says it will spend is what its run spends and what the ledger is charged: as fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.planning.events import events_of
from hmpb_core.planning.methods import Accounting, methods_under
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan
from tests.tables import people, people_codebook
from tests.thorough import sample

TABLE = people(300)
BOOK = people_codebook()
CASES = [
    pytest.param(
        spec, currency, neighbors, id=f"{spec.name}-{spec.accounting}-{currency.value}-{neighbors.value}"
    )
    for accounting in Accounting
    for spec in methods_under(accounting)
    for currency in spec.currencies
    for neighbors in spec.neighbors
]
EPSILON = 0.7


def guarantee_of(currency, neighbors):
    delta = 0.0 if currency is Currency.PURE else 1e-9
    return Guarantee(epsilon=EPSILON, delta=delta, currency=currency, neighbors=neighbors)


def plan_of(spec, currency, neighbors, **options):
    return make_plan(
        guarantee_of(currency, neighbors),
        BOOK.domain,
        n_rows=len(TABLE),
        method=spec.name,
        accounting=spec.accounting,
        clusters=2 if spec.clusters and spec.learner != "independent" else None,
        **options,
    )


def rows_of(neighbors):
    """The number of rows, where it is public."""
    return len(TABLE) if neighbors is Neighbors.REPLACE_ONE else None


@pytest.mark.parametrize(("spec", "currency", "neighbors"), CASES)
def test_a_run_spends_exactly_the_events_of_its_plan(spec, currency, neighbors):
    plan = plan_of(spec, currency, neighbors)
    planned = events_of(plan, BOOK.domain, n_rows=rows_of(neighbors))
    model = fit_source(open_source(TABLE, BOOK), plan, seed=5)
    assert tuple(replace(event, acts=()) for event in model.events) == planned
    for event in model.events:
        assert event.acts, f"nothing was done under {event.what}"
        assert event.spent == event.loss, event.what
        assert all(act.stage is event.stage and event.covers(act.attributes) for act in event.acts)
    by_plan, by_run = bill_of_plan(plan, domain=BOOK.domain), model.bill
    assert by_run.losses == by_plan.losses
    assert by_run.loss == sum((event.loss for event in planned), Fraction(0))
    assert by_run.unpaid == by_plan.unpaid
    for name, bound in by_plan.attribute_losses.items():
        assert by_run.attribute_losses[name] <= bound, name


@pytest.mark.parametrize("sizes", [(3,), (2, 3)], ids=["one-attribute", "clusters-of-one"])
@pytest.mark.parametrize(("spec", "currency", "neighbors"), CASES)
def test_where_nothing_is_left_to_choose_a_run_spends_less_than_its_events_and_never_more(
    spec, currency, neighbors, sizes
):
    domain = Domain.of_sizes(sizes)
    rng = np.random.default_rng(2)
    source = MemorySource(np.stack([rng.integers(0, size, 200) for size in sizes], axis=1), domain)
    plan = make_plan(
        guarantee_of(currency, neighbors),
        domain,
        n_rows=200,
        method=spec.name,
        accounting=spec.accounting,
        clusters=len(sizes) if spec.clusters else None,
    )
    model = fit_source(source, plan, seed=5)
    planned = bill_of_plan(plan, domain=domain)
    assert all(event.spent <= event.loss for event in model.events)
    assert all(model.bill.losses[stage] <= planned.losses[stage] for stage in Stage)
    if spec.accounting is Accounting.SOUND:
        assert planned.loss <= plan.guarantee.total


@pytest.mark.parametrize(("spec", "currency", "neighbors"), CASES)
def test_an_act_that_was_planned_by_itself_is_done_as_it_was_foreseen(spec, currency, neighbors):
    plan = plan_of(spec, currency, neighbors)
    planned = events_of(plan, BOOK.domain, n_rows=rows_of(neighbors))
    model = fit_source(open_source(TABLE, BOOK), plan, seed=5)
    for foreseen, event in zip(planned, model.events, strict=True):
        if foreseen.act == "adaptive":
            continue
        (act,) = event.acts
        assert (act.what, act.loss, act.attribute_loss) == (
            foreseen.what,
            foreseen.loss,
            foreseen.attribute_loss,
        )
        if foreseen.scale is not None:
            assert act.sensitivity == foreseen.sensitivity
            # The accountant enlarges a scale by rounding errors, until OpenDP proves the loss.
            assert foreseen.scale <= act.scale <= foreseen.scale * (1 + 1e-9)


@pytest.mark.parametrize(("spec", "currency", "neighbors"), CASES)
def test_a_sound_plan_sums_to_its_guarantee_and_its_stages_to_their_shares(spec, currency, neighbors):
    plan = plan_of(spec, currency, neighbors)
    bill = bill_of_plan(plan, domain=BOOK.domain)
    if spec.accounting is Accounting.SOUND:
        assert bill.loss == plan.guarantee.total
        assert bill.losses == {stage: plan.guarantee.total * plan.shares.of(stage) for stage in Stage}
    else:
        assert bill.loss >= plan.guarantee.total  # PrivBayes, one network for all, costs what it says


@pytest.mark.parametrize(
    ("spec", "currency", "neighbors"), sample((case for case in CASES if case.values[0].releasable), 2)
)
def test_the_ledger_is_charged_what_the_run_spends(spec, currency, neighbors, tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        TABLE,
        name="people",
        unit=Unit.parse("row"),
        neighbors=neighbors,
        cap_epsilon=10.0,
        cap_delta=1e-9,
    )
    plan = plan_of(spec, currency, neighbors, rows=50)
    done = carry_out(prepare(TABLE, BOOK, PlanFile.of(plan, BOOK), workspace), workspace, who="ada")
    cost = done.charge.cost
    charged = cost.epsilon if currency is Currency.PURE else cost.rho
    other = cost.rho if currency is Currency.PURE else cost.epsilon
    assert (charged, other) == (done.model.bill.loss, 0)
    assert done.model.bill.loss == bill_of_plan(plan, domain=BOOK.domain).loss == plan.guarantee.total
