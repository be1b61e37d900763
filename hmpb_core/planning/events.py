"""What a plan will spend, act by act where that is known before, with a bound where it is not."""

from __future__ import annotations

from fractions import Fraction

from hmpb_core.domain import Domain, Numeric
from hmpb_core.planning.advice import one_way_counts, one_way_parts
from hmpb_core.planning.measures import choose_measure
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.calibration import table_scale
from hmpb_core.privacy.events import Event
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.privacy.sensitivity import attribute_factors, count_l1_sensitivity, count_l2_sensitivity
from hmpb_core.stages.similarity import PAIRS


def events_of(plan: Plan, domain: Domain, *, n_rows: int | None = None) -> tuple[Event, ...]:
    """List what a plan will spend. Looks at nothing.

    Under sound accounting the losses of a stage sum to its share. Under the published accounting they are
    what its noise truly costs:

    - similarity: the noise is set for floor(d/2) pairs to share one charge, but one person is in
      every pair: floor(d/2) * eps1;
    - structure and conditional tables: each cluster is charged as if the clusters were split by rows;
      they are split by columns and everybody is in all of them: k * (eps2 + eps3);
    - a method that pays by row: its share for every row that it draws.

    Args:
        plan: The plan.
        domain: The codebook's domain.
        n_rows: Number of rows where it is public; the similarity's noise depends on it.

    Returns:
        Events over the encoded domain's attributes, in the order of the stages.
    """
    encoded = plan.spec.encoded_domain(domain)
    found: list[Event] = []
    if plan.shares.of(Stage.ONE_WAY_TABLES):
        found += _one_way(plan, encoded)
    if plan.shares.of(Stage.SIMILARITY) and len(encoded) > 1:
        found.append(_similarity(plan, encoded, n_rows))
    found += [
        _adaptive(plan, len(encoded), stage)
        for stage in (Stage.STRUCTURE, Stage.CONDITIONAL_TABLES)
        if plan.shares.of(stage)
    ]
    return tuple(found)


def _one_way(plan: Plan, domain: Domain) -> list[Event]:
    budget = _budget(plan).loss(Stage.ONE_WAY_TABLES)
    neighbors, pure = plan.guarantee.neighbors, plan.guarantee.currency is Currency.PURE
    norm = count_l1_sensitivity(neighbors) if pure else count_l2_sensitivity(neighbors)
    in_tables, _ = attribute_factors(plan.guarantee)
    parts = one_way_parts(one_way_counts(domain, plan.guarantee, plan.declared_rows))
    found = []
    for a, (attribute, part) in enumerate(zip(domain.attributes, parts, strict=True)):
        loss = budget * part
        learned = isinstance(attribute, Numeric) and attribute.learned
        scale = table_scale(loss, plan.guarantee, rows_per_person=plan.rows_per_person)
        found.append(
            Event(
                stage=Stage.ONE_WAY_TABLES,
                act="adaptive" if learned else "measure",
                what=f"values of {attribute.name}" if learned else f"one-way table of {attribute.name}",
                loss=loss,
                sensitivity=plan.rows_per_person * norm,
                scale=None if learned else scale,
                attribute_loss=((a, in_tables * loss),),
            )
        )
    return found


def _similarity(plan: Plan, domain: Domain, n_rows: int | None) -> Event:
    d = len(domain)
    loss = _budget(plan).loss(Stage.SIMILARITY)
    if plan.accounting is Accounting.AS_PUBLISHED:
        loss *= d // 2
    measure = choose_measure(
        plan.measure or "auto", n_rows=n_rows, domain=domain, neighbors=plan.guarantee.neighbors
    )
    _, in_variations = attribute_factors(plan.guarantee)
    part = in_variations * loss * Fraction(2, d)  # one attribute is in d - 1 of the d(d-1)/2 pairs
    return Event(
        stage=Stage.SIMILARITY,
        act="measure",
        what=PAIRS.format(measure=measure),
        loss=loss,
        sensitivity=None,
        scale=None,
        attribute_loss=tuple((a, part) for a in range(d)),
    )


def _adaptive(plan: Plan, d: int, stage: Stage) -> Event:
    loss = _budget(plan).loss(stage)
    own = Fraction(1)  # the part of the loss that acts on one attribute's own network may cost
    if plan.accounting is Accounting.AS_PUBLISHED:
        k = plan.clusters_of(d)
        loss, own = loss * k, Fraction(1, k)
    if plan.spec.pays_by_row:
        loss *= plan.rows or 1
    in_tables, in_variations = attribute_factors(plan.guarantee)
    factor = in_variations if stage is Stage.STRUCTURE else in_tables
    return Event(
        stage=stage,
        act="adaptive",
        what=stage.value,
        loss=loss,
        sensitivity=None,
        scale=None,
        attribute_loss=tuple((a, factor * loss * own) for a in range(d)),
    )


def _budget(plan: Plan) -> Budget:
    return Budget(guarantee=plan.guarantee, shares=plan.shares)
