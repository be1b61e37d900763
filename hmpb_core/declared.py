"""What the declaration of a column may not say; each refusal says what to write instead."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence

from hmpb_core.dates import CALENDAR, NumericKind, write_value
from hmpb_core.errors import DomainError
from hmpb_core.texts import text_of

MAX_ATTRIBUTE_SIZE = 4096
LARGEST_NUMBER = 10**15
"""Largest bound of a numeric attribute: whole numbers up to here are exact as floats."""


def require_name(name: str) -> None:
    """Refuse a column without a name."""
    if not name.strip():
        raise DomainError("An attribute has an empty name; every column needs a name.")


def require_size(name: str, size: int) -> None:
    """Refuse more codes than a table may have."""
    if size > MAX_ATTRIBUTE_SIZE:
        raise DomainError(
            "{name!r} has {codes} codes; at most {most} are allowed. "
            "Declare coarser categories or fewer bins.",
            name=name,
            codes=size,
            most=MAX_ATTRIBUTE_SIZE,
        )


def require_categories(name: str, categories: Sequence[str]) -> None:
    """Refuse a list of no categories, or of one category twice."""
    if not categories:
        raise DomainError(
            "{name!r} lists no categories; list at least one, or give it a type that has a minimum and a "
            "maximum, such as integer or date.",
            name=name,
        )
    if len(set(categories)) < len(categories):
        raise DomainError("{name!r} lists a category twice; list each one once.", name=name)


def require_unknown(name: str, unknown: object, *, nullable: bool) -> None:
    """Refuse unknown values folded into a missing value that is not allowed."""
    if unknown == "" and not nullable:
        raise DomainError(
            "{name!r} folds unknown values into the missing value but is required; drop 'required' or "
            "'unknown'.",
            name=name,
        )


def require_meanings(name: str, pairs: Sequence[tuple[str, str]], categories: Collection[str]) -> None:
    """Refuse spellings, or prefixes, of no listed category, or of two.

    Args:
        name: The column's name.
        pairs: Each spelling with its category.
        categories: The categories that are listed.
    """
    meant: dict[str, str] = {}
    for text, category in pairs:
        if not text or category not in categories:
            raise DomainError(
                "{name!r} has a spelling or a prefix that is empty or of no listed category; correct it.",
                name=name,
            )
        if meant.setdefault(text, category) != category:
            raise DomainError(
                "{name!r} gives one spelling or prefix to two categories, {one!r} and {other!r}; "
                "give it to one of them.",
                name=name,
                one=meant[text],
                other=category,
            )


def require_bounds(name: str, minimum: float, maximum: float, *, kind: NumericKind, integer: bool) -> None:
    """Refuse bounds that are not finite, not in order, beyond the calendar, or hold no whole number."""
    if not all(-LARGEST_NUMBER <= bound <= LARGEST_NUMBER for bound in (minimum, maximum)):
        raise DomainError(
            "{name!r} has a bound that is not finite or beyond {largest:g}; its minimum must be a finite "
            "number below its maximum.",
            name=name,
            largest=LARGEST_NUMBER,
        )
    first, last = CALENDAR.get(kind, (-math.inf, math.inf))
    if not all(first <= bound <= last for bound in (minimum, maximum)):
        raise DomainError(
            "{name!r} has a bound outside the years 1 to 9999, where no {kind} can be written; bring "
            "both inside.",
            name=name,
            kind=kind,
        )
    if minimum >= maximum:
        raise DomainError(
            "{name!r} has the range {minimum} to {maximum}; its minimum must be a finite number "
            "below its maximum.",
            name=name,
            minimum=text_of(minimum) if kind == "number" else write_value(minimum, kind),
            maximum=text_of(maximum) if kind == "number" else write_value(maximum, kind),
        )
    if integer and math.floor(maximum) < math.ceil(minimum):
        raise DomainError(
            "{name!r} has the range {minimum:g} to {maximum:g}, which holds no whole number; widen it, "
            "or declare the type 'number'.",
            name=name,
            minimum=minimum,
            maximum=maximum,
        )


def require_edges(
    name: str, edges: Sequence[float], minimum: float, maximum: float, *, learned: bool
) -> None:
    """Refuse edges of bins that do not rise from the minimum to the maximum, or beside learned bins."""
    if not edges:
        return
    if learned:
        raise DomainError("{name!r} declares edges and asks for learned bins; choose one.", name=name)
    rising = all(low < high for low, high in itertools.pairwise(edges))
    if not rising or edges[0] != minimum or edges[-1] != maximum:
        raise DomainError(
            "{name!r} has bins whose edges do not rise from its minimum to its maximum; list them in "
            "order, inside its range.",
            name=name,
        )


def require_listed(
    name: str,
    listed: Sequence[float],
    minimum: float,
    maximum: float,
    *,
    kind: NumericKind,
    integer: bool,
    resolution: float | None,
) -> None:
    """Refuse listed numbers that are none of their type, not in order, or beside a resolution."""
    if not listed:
        return
    if kind != "number" or resolution is not None:
        raise DomainError(
            "{name!r} lists its values, but holds dates or times, or declares a resolution; leave out "
            "the list, or that.",
            name=name,
        )
    rising = all(low < high for low, high in itertools.pairwise(listed))
    whole = not integer or all(value % 1 == 0 for value in listed)
    inside = minimum <= listed[0] and listed[-1] <= maximum
    if len(listed) < 2 or not rising or not whole or not inside:
        raise DomainError(
            "{name!r} lists values that are not two or more different numbers of its type, in order and "
            "from its minimum to its maximum; correct them.",
            name=name,
        )
    require_size(name, len(listed))
