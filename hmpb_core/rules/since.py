"""Dates and numbers that never fall: the later of two may be modelled by what lies between them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

from hmpb_core.domain import Domain, Numeric, Since
from hmpb_core.rules.between import TimeBetween
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.kinds import Ascending, Attributes, Rule


def with_times_since(domain: Domain, rules: Rules) -> Domain:
    """Mark what a rule puts after another one: it may be modelled by the time, or the difference, since then.

    Public: from the codebook alone. Both must be of one kind and resolution, with learned bins. In a chain
    each follows the one before; what two rules name follows the first one's; a circle is left open.

    Args:
        domain: The codebook's domain.
        rules: Its rules.
    """
    entries = {attribute.name: attribute for attribute in domain.attributes}
    since: dict[str, str] = {}
    for rule in rules.items:
        for earlier, later in _in_order(rule, entries):
            fits = later not in since and _comparable(entries[earlier], entries[later])
            if fits and not _follows(earlier, later, since):
                since[later] = earlier
    for later, earlier in since.items():
        start, entry = entries[earlier], entries[later]
        assert isinstance(start, Numeric)
        assert isinstance(entry, Numeric)
        entries[later] = replace(entry, since=since_of(start))
    return Domain(tuple(entries.values())) if since else domain


def _in_order(rule: Rule, attributes: Attributes) -> Iterable[tuple[str, str]]:
    """Pairs of which a rule says that the first is never after the second."""
    if isinstance(rule, Ascending):
        return itertools.pairwise(rule.columns)
    if isinstance(rule, TimeBetween) and not rule.places_end and rule.never_falls(attributes):
        return [(rule.start, rule.end)]
    return ()


def since_of(start: Numeric) -> Since:
    """What counts from a date or number."""
    return Since(column=start.name, first=start.grid.first, nullable=start.nullable)


def _comparable(earlier: object, later: object) -> bool:
    if not (isinstance(earlier, Numeric) and isinstance(later, Numeric)):
        return False
    alike = earlier.kind == later.kind and earlier.grid.step == later.grid.step
    after = later.grid.first + later.grid.size > earlier.grid.first
    even = not (earlier.listed or later.listed)  # places in a list say nothing of differences
    return alike and after and even and earlier.learned and later.learned


def _follows(name: str, other: str, since: dict[str, str]) -> bool:
    """Whether a column already follows another, at any distance."""
    while name in since:
        name = since[name]
        if name == other:
            return True
    return name == other
