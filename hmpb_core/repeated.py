"""Columns that repeat another one in many rows.

A list has one more code, which stands for the other's value. A number keeps its codes, and rows in which the
other's value lies in the code that was drawn are given it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Codes, Domain, Numeric
from hmpb_core.texts import text_of

MayRepeat = Mapping[int, tuple[int, ...]]
"""For each attribute that may repeat others, these."""

REACH = 0.1
"""Part of a code's rows over which a value may move when it is made the other's."""

TIMES = 2
"""Rows that are put into the other's order, over those that are to be the same: the others stay as drawn."""


def codes_in(own: Categorical, other: Categorical) -> NDArray[np.int64]:
    """For each code of another list the code that its value has in an own list; -1 where it has none.

    Texts that stand for a missing value are no values.

    Example:
        >>> born = Categorical(name="born", categories=("north", "south"), nullable=True)
        >>> codes_in(Categorical(name="lives", categories=("south", "west")), born).tolist()
        [-1, 0, -1]
    """
    places = {text_of(c): code for code, c in enumerate(own.categories) if c not in own.apart}
    found = [places.get(text_of(category), -1) for category in other.categories]
    return np.array(found + [-1] * (other.size - len(found)), dtype=np.int64)


def repeating(attribute: Categorical, other: str) -> Categorical:
    """Give a list one more code, for the value of another column; it has no place in an order."""
    return replace(attribute, repeats=other, ordered=False)


def own_domain(domain: Domain) -> Domain:
    """Give a domain in which every list has its own values alone."""
    return Domain(tuple(_own(attribute) for attribute in domain.attributes))


def own_codes(codes: Codes, domain: Domain, rng: np.random.Generator) -> Codes:
    """Give each list that repeats another the other's value where its code stands for that.

    Where the other one's value is missing or not in the list, the value of another row stands in.

    Args:
        codes: Integer codes of shape (rows, attributes).
        domain: Their domain.
        rng: Draws the rows that stand in.

    Returns:
        Codes over ``own_domain(domain)``.
    """
    repeating = {i: a for i, a in enumerate(domain.attributes) if isinstance(a, Categorical) and a.repeats}
    if not repeating:
        return codes
    codes = codes.copy()
    for index, attribute in repeating.items():  # what they repeat comes before them
        other = domain.index(attribute.repeats)
        base = _own(domain.attributes[other])
        assert isinstance(base, Categorical)
        column, same = codes[:, index], len(attribute.categories)
        given = np.where(column == same, codes_in(attribute, base)[codes[:, other]], column)
        lost, known = given == -1, column < same
        given[lost] = rng.choice(column[known], int(lost.sum())) if known.any() else 0
        codes[:, index] = np.where(column > same, same, given)
    return codes


def _own(attribute: Attribute) -> Attribute:
    if isinstance(attribute, Categorical) and attribute.repeats:
        return replace(attribute, repeats="")
    return attribute


def with_same_values(
    values: NDArray[np.int64],
    codes: Codes,
    attribute: Numeric,
    other: NDArray[np.int64],
    known: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Give a number that repeats another the other's value in as many rows as were seen, if codes allow it.

    Only rows are changed in which the other's value lies in the code that was drawn: so no table over codes
    changes. Those come first in which both are nearest. Codes of one value say by themselves what is equal.

    Args:
        values: What was drawn, in steps of the grid.
        codes: The code of each.
        attribute: The number, with learned bins; it says in what part of the rows.
        other: The other number of each row, in the same steps.
        known: Whether both have a value.
    """
    pieces, grid = attribute.pieces, attribute.grid
    assert pieces is not None
    places = other - grid.first
    wide = np.diff(pieces.bounds) > 1
    inside = known & (places >= 0) & (places < grid.size)
    inside[inside] = pieces.codes_of(places[inside]) == codes[inside]
    inside[inside] = wide[codes[inside]]
    wanted, rows = round(attribute.repeated * len(values)), np.flatnonzero(inside)
    rows = rows[np.argsort(np.abs(values - other)[rows], kind="stable")][: TIMES * wanted]
    values, nearby = values.copy(), []
    rows = rows[np.lexsort((other[rows], codes[rows]))]
    for of_code in np.split(rows, np.flatnonzero(np.diff(codes[rows])) + 1):
        own = np.sort(values[of_code])
        place, reach = np.arange(len(own)), math.ceil(REACH * len(own))
        near = (other[of_code] >= own[np.maximum(place - reach, 0)]) & (
            other[of_code] <= own[np.minimum(place + reach, len(own) - 1)]
        )
        values[of_code] = own
        nearby.append(of_code[near])
    fitting = np.concatenate(nearby)
    nearest = fitting[np.argsort(np.abs(values - other)[fitting], kind="stable")]
    given = nearest[:wanted]
    values[given] = other[given]
    return values
