"""Structural zeros: cells that the rules forbid get no probability. Public knowledge, so free."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.network import ConditionalTable
from hmpb_core.rules.kinds import Ascending, Rule

RAKES = 50
"""Rounds in which a child's distribution is fitted beside its parents'."""

Floats = NDArray[np.float64]


def with_structural_zeros(
    tables: Sequence[ConditionalTable], domain: Domain, rules: Sequence[Rule]
) -> tuple[ConditionalTable, ...]:
    """Take the probability of impossible cells away and share it out among the possible ones.

    P'(child | parents) is P(child | parents) given that no rule over the family is broken, times a factor for
    each value of the child: the parents' own distribution stays, and the child's as far as it can, on both of
    which noise was spent. There is no factor where no earlier family has all the parents. A rule that spans
    several families is not seen here; nor are parents that no child fits: such rows are repaired after they
    are drawn (``obeying.py``).

    Args:
        tables: Conditional tables over the domain's codes.
        domain: The domain.
        rules: The public rules.
    """
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    index = {name: i for i, name in enumerate(domain.names)}
    pieces = [piece for rule in rules for piece in _pieces(rule)]
    found: list[ConditionalTable] = []
    joints: dict[tuple[int, ...], Floats | None] = {}
    for table in tables:
        family = table.family.attributes
        forbidden = np.zeros(table.probabilities.shape, dtype=bool)
        for rule in pieces:
            axes = [index[name] for name in rule.columns]
            if set(axes) <= set(family) and table.family.child in axes:
                cells = rule.impossible(attributes)
                if cells is not None:
                    forbidden |= _in_family(cells, axes, family)
        kept = _without(table, forbidden)
        if forbidden.any() and (parents := _joint_of(table.family.parents, found, joints)) is not None:
            kept = _raked(kept, table, parents)
        found.append(kept)
    return tuple(found)


def without_codes(
    tables: Sequence[ConditionalTable], codes: Mapping[int, Sequence[int]]
) -> tuple[ConditionalTable, ...]:
    """Take the probability of some codes of some attributes away, and share it out among the others.

    Args:
        tables: Conditional tables.
        codes: The codes of each such attribute.
    """
    found = []
    for table in tables:
        forbidden = np.zeros(table.probabilities.shape, dtype=bool)
        forbidden[..., list(codes.get(table.family.child, ()))] = True
        found.append(_without(table, forbidden))
    return tuple(found)


def _joint_of(
    names: tuple[int, ...],
    tables: Sequence[ConditionalTable],
    known: dict[tuple[int, ...], Floats | None],
) -> Floats | None:
    """The distribution of some attributes, where one family has them all and its parents are so known too."""
    if not names:
        return np.array(1.0)
    place = next((i for i, t in enumerate(tables) if set(names) <= set(t.family.attributes)), None)
    if place is None:
        return None
    table, family = tables[place], tables[place].family.attributes
    if family not in known:
        parents = _joint_of(table.family.parents, tables[:place], known)
        known[family] = None if parents is None else parents[..., np.newaxis] * table.probabilities
    joint = known[family]
    if joint is None:
        return None
    summed = joint.sum(axis=tuple(i for i, a in enumerate(family) if a not in names))
    left = [a for a in family if a in names]
    return np.transpose(summed, [left.index(name) for name in names])


def _raked(kept: ConditionalTable, table: ConditionalTable, parents: Floats) -> ConditionalTable:
    """Share out among possible cells so that the child keeps its own distribution as well as its parents'."""
    axes = tuple(range(parents.ndim))
    weights = parents[..., np.newaxis]
    wanted = (weights * table.probabilities).sum(axis=axes)
    probabilities = kept.probabilities
    for _ in range(RAKES):
        now = (weights * probabilities).sum(axis=axes)
        scaled = probabilities * np.where(now > 0, wanted / np.where(now > 0, now, 1.0), 1.0)
        sums = scaled.sum(axis=-1, keepdims=True)
        probabilities = np.where(sums > 0, scaled / np.where(sums > 0, sums, 1.0), probabilities)
    return replace(kept, probabilities=probabilities)


def _pieces(rule: Rule) -> list[Rule]:
    """A chain of columns forbids what any pair of it forbids."""
    if isinstance(rule, Ascending):
        return [Ascending(columns=pair) for pair in itertools.combinations(rule.columns, 2)]
    return [rule]


def _in_family(cells: NDArray[np.bool_], axes: Sequence[int], family: tuple[int, ...]) -> NDArray[np.bool_]:
    """Line a rule's cells up with a family's table."""
    order = sorted(range(len(axes)), key=lambda axis: family.index(axes[axis]))
    shape = [cells.shape[axes.index(a)] if a in axes else 1 for a in family]
    return np.transpose(cells, order).reshape(shape)


def _without(table: ConditionalTable, forbidden: NDArray[np.bool_]) -> ConditionalTable:
    if not forbidden.any():
        return table
    kept = np.where(forbidden, 0.0, table.probabilities)
    sums = kept.sum(axis=-1, keepdims=True)
    open_cells = ~forbidden
    count = open_cells.sum(axis=-1, keepdims=True)
    even = np.where(count > 0, open_cells / np.maximum(count, 1), table.probabilities)
    probabilities = np.where(sums > 0, kept / np.where(sums > 0, sums, 1.0), even)
    return replace(table, probabilities=probabilities)
