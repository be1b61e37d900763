"""Guarantees and costs in words: never epsilon alone, always delta, per whom and which neighbours."""

from __future__ import annotations

import math

from hmpb_core.planning.bill import Bill
from hmpb_core.planning.methods import Protection
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.guarantee import Guarantee, Neighbors
from hmpb_core.privacy.unit import Unit
from pages.words.catalogue import Markdown, many, number, one_in, plain, sentences, t


def unit_of(plan: Plan) -> Unit:
    """Whom a plan protects."""
    return Unit(column=plan.person, rows=plan.rows_per_person)


def unit_words(unit: Unit) -> str:
    """Who counts as one."""
    if unit.column is None:
        return plain("common.unit.row")
    return plain("common.unit.person", column=unit.column, rows=unit.rows)


def neighbors_words(neighbors: Neighbors, unit: Unit) -> str:
    """In what two tables differ that nobody may tell apart."""
    return plain(f"common.neighbors{_whose(unit)}.{neighbors}")


def guarantee_line(guarantee: Guarantee, unit: Unit, protection: Protection) -> Markdown:
    """The guarantee in one line; where it is not kept, that it is not."""
    if protection == "none":
        return t("common.guarantee.no_limit")
    line = t(
        "common.guarantee.line",
        epsilon=number(guarantee.epsilon),
        delta=delta_words(guarantee),
        unit=unit_words(unit),
        neighbors=neighbors_words(guarantee.neighbors, unit),
    )
    if protection == "published":
        return Markdown(sentences(line, t("common.guarantee.for_study")))
    return line


def delta_words(guarantee: Guarantee) -> Markdown:
    """Delta in words."""
    if guarantee.delta == 0:
        return t("common.guarantee.no_delta")
    return t("common.guarantee.delta", delta=one_in(guarantee.delta))


def guarantee_words(guarantee: Guarantee, unit: Unit) -> Markdown:
    """What the guarantee means for a person, in words before numbers."""
    ratio = ratio_words(math.exp(guarantee.epsilon))
    said = [t(f"common.guarantee.means{_whose(unit)}.{guarantee.neighbors}", ratio=ratio)]
    if guarantee.delta > 0:
        said.append(t("common.guarantee.beyond", cases=many(1 / guarantee.delta)))
    limit = t(
        "common.guarantee.limit",
        delta=delta_words(guarantee),
        epsilon=number(guarantee.epsilon),
        unit=unit_words(unit),
        neighbors=neighbors_words(guarantee.neighbors, unit),
    )
    return Markdown(sentences(*said, limit, t(f"common.guarantee.band.{band(guarantee.epsilon)}")))


def _whose(unit: Unit) -> str:
    return "" if unit.column is None else "_person"


def ratio_words(ratio: float) -> str:
    """A ratio of likelihoods; a large one rounded up to two digits: it is a ceiling."""
    if ratio < 1e4 or math.isinf(ratio):
        return number(ratio)
    step = 10.0 ** (math.floor(math.log10(ratio)) - 1)
    return number(math.ceil(ratio / step) * step)


def band(epsilon: float) -> str:
    """NIST SP 800-226's bands, by the limit on the privacy loss."""
    return "low" if epsilon <= 1 else "middle" if epsilon <= 20 else "high"


def total_words(bill: Bill, unit: Unit) -> Markdown:
    """What a bill comes to, in words."""
    if bill.total is None:
        return t("common.bill.none")
    factor = bill.total / bill.nominal
    key = "more" if factor > 1.001 else "exact"
    return t(
        f"common.bill.{key}",
        total=number(bill.total, 4),
        nominal=number(bill.nominal),
        factor=number(factor, 4),
        delta=delta_words(bill.guarantee),
        unit=unit_words(unit),
        neighbors=neighbors_words(bill.guarantee.neighbors, unit),
    )
