"""Columns that may hold the same value in many rows: their lists, or what they count, are alike."""

from __future__ import annotations

from hmpb_core.domain import Attribute, Categorical, Domain, Numeric
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.kinds import AskedIf
from hmpb_core.texts import text_of

LONG_LIST = 12
"""Categories from which on: the table of two short lists says by itself what is the same."""
LONG_GRID = 100
"""Values from which on, of numbers and dates."""
IN_COMMON = 0.5
"""Part of the shorter list, or range, that both must have."""
MOST_OTHERS = 16
"""Columns, at most, that one is compared with: the nearest before it."""


def possible_repeats(domain: Domain, rules: Rules) -> dict[int, tuple[int, ...]]:
    """Say for each attribute which columns before it may hold the same value. Public: the codebook's alone.

    None for a list of which rules speak, nor for a date that counts from another, and none whose value rules
    decide. A number keeps its codes, and so what is known of them and its rules; one that may count from
    another may repeat that one alone, wherever it stands, and is repeated by none.

    Args:
        domain: The codebook's domain.
        rules: Its rules.
    """
    bound = {name for rule in rules.items for name in rule.columns}
    decided = {rule.target for rule in rules.items if not isinstance(rule, AskedIf)}
    found = {}
    for index, entry in enumerate(domain.attributes):
        if entry.name not in (decided if isinstance(entry, Numeric) else bound):
            others = [i for i in _comparable(domain, index) if domain.names[i] not in decided]
            if others:
                found[index] = tuple(others[-MOST_OTHERS:])
    return found


def _comparable(domain: Domain, index: int) -> list[int]:
    """What a column may repeat by its own entry and theirs."""
    entry = domain.attributes[index]
    if start := _start(entry):
        return [] if isinstance(entry, Numeric) and entry.is_dated else [domain.index(start)]
    earlier = domain.attributes[:index]
    return [i for i, other in enumerate(earlier) if not _start(other) and _alike(entry, other)]


def _start(entry: Attribute) -> str:
    """The column that a number or date counts from; none where it is told by itself."""
    return entry.since.column if isinstance(entry, Numeric) and entry.since is not None else ""


def _alike(one: Attribute, other: Attribute) -> bool:
    if isinstance(one, Categorical) and isinstance(other, Categorical):
        lists = [{text_of(category) for category in entry.categories} for entry in (one, other)]
        shorter = min(map(len, lists))
        return shorter >= LONG_LIST and len(lists[0] & lists[1]) >= IN_COMMON * shorter
    if not (isinstance(one, Numeric) and isinstance(other, Numeric)):
        return False
    if not (one.learned and other.learned) or one.listed or other.listed or one.kind != other.kind:
        return False
    ends = [(entry.grid.first, entry.grid.first + entry.grid.size) for entry in (one, other)]
    shorter = min(one.grid.size, other.grid.size)
    shared = min(ends[0][1], ends[1][1]) - max(ends[0][0], ends[1][0])
    return one.grid.step == other.grid.step and shorter >= LONG_GRID and shared >= IN_COMMON * shorter
