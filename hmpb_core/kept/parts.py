"""Columns that every row of the private table has as a part of a date: for the steward's eyes only."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Domain, Numeric
from hmpb_core.kept.telling import PART, ROWS, START, fits
from hmpb_core.rules.parts import PARTS, PartOf, part_of
from hmpb_core.rules.reading import View


def kept_parts(view: View, domain: Domain, taken: Collection[str | None]) -> list[PartOf]:
    """Find the year, month, day, weekday, hour or date of a date or moment, each beside the first such date.

    Args:
        view: The private table.
        domain: The published columns.
        taken: Columns that a rule decides already.
    """
    first = view.beginning(START)
    dates = [a for a in domain.attributes if isinstance(a, Numeric) and a.kind in PARTS["year"]]
    due = {
        (date.name, part): part_of(first.numbers(date.name), part, months=date.kind == "yearmonth")
        for date in dates
        for part, kinds in PARTS.items()
        if date.kind in kinds
    }
    found: list[PartOf] = []
    for attribute in (a for a in domain.attributes if a.name not in taken and _may_be_a_part(a)):
        name, values, present = attribute.name, first.counted(attribute.name), first.present(attribute.name)
        near = (
            PartOf(column=name, source=date, part=part)
            for (date, part), expected in due.items()
            if date != name
            and (part == "date") == _is_day(attribute)
            and not (present & ~np.isnan(expected) & (values != expected)).any()
        )
        kept = (rule for rule in near if not rule.broken(view).any())
        told = next((rule for rule in kept if _tells(rule, view) and fits(rule, view)), None)
        found += [told] if told is not None else []
    return found


def _is_day(attribute: Attribute) -> bool:
    return isinstance(attribute, Numeric) and attribute.kind == "date"


def _may_be_a_part(attribute: Attribute) -> bool:
    if isinstance(attribute, Categorical):
        return not attribute.boolean
    return _is_day(attribute) or (attribute.kind in ("number", "year") and attribute.integer)


def _tells(rule: PartOf, view: View) -> bool:
    """Whether rows enough have another part than most, so that by chance many would break the rule."""
    both: NDArray[np.bool_] = view.present(rule.source) & view.present(rule.column)
    values = view.counted(rule.column)[both]
    values = values[~np.isnan(values)]
    if not len(values):
        return False
    most = int(np.unique(values, return_counts=True)[1].max())
    return bool(len(values) - most >= max(ROWS, PART * len(values)))
