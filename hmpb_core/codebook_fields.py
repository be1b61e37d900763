"""One field of a codebook as it is written, and the attribute that it declares."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Mapping
from typing import Any

from hmpb_core.amounts import NumberForm
from hmpb_core.categories import (
    boolean,
    boolean_field,
    categories_of,
    like_categories,
    texts_of,
    texts_of_categories,
)
from hmpb_core.dates import DAY, KINDS, NumericKind, is_format, read_value, write_value
from hmpb_core.domain import Attribute, Categorical, Numeric
from hmpb_core.errors import DomainError

LEARNED = "learned"
"""What ``bins`` says, or leaves unsaid, of values that are to come back as they were."""
UNUSED = 16
"""Number of bins of values whose edges are declared: the edges tell."""
LEARNED_CODES = 32
"""Largest number of learned codes; noise mostly leaves fewer."""
MOST_DECIMALS = 12
PRECISIONS = {"single": 17, "single, 15 digits": 15}
"""How numbers of 32 bits are written where 64 bits hold them, and with how many digits."""
SHORTEST = "shortest"
"""Numbers written without needless decimals: 7.5 and 3, not 7.50 and 3.0."""
BARE: Mapping[str, str | int] = {
    ".5": SHORTEST,
    **{".5" + "0" * more: more + 1 for more in range(1, MOST_DECIMALS)},
}
"""Numbers written without the zero before the point, as Stata and SAS do; and how they are written else."""


def name_of(entry: dict[str, Any]) -> str:
    """Give the name of a field.

    Raises:
        DomainError: it has none.
    """
    name = entry.get("name")
    if not isinstance(name, str):
        raise DomainError("A field of the codebook has no name; every field needs one.")
    return name


def attribute_of(entry: dict[str, Any]) -> Attribute:
    """Read the attribute that a field declares.

    Raises:
        DomainError: it declares none that can be used.
    """
    name = name_of(entry)
    constraints = entry.get("constraints") or {}
    if not isinstance(constraints, dict):
        raise DomainError("'constraints' of {name!r} must be an object.", name=name)
    nullable = constraints.get("required") is not True
    categories = entry.get("categories", constraints.get("enum"))
    if categories == [] and entry.get("type", "string") != "string":
        categories = None  # a draft's empty list, left beside the type and the bounds that were filled in
    if categories is not None:
        if not isinstance(categories, list):
            raise DomainError("'categories' of {name!r} must be a list.", name=name)
        values = tuple(c["value"] if isinstance(c, dict) and "value" in c else c for c in categories)
        if not all(isinstance(value, str) or _is_number(value) for value in values):
            raise DomainError("'categories' of {name!r} must be texts or numbers.", name=name)
        apart: tuple[str | int | float, ...] = ()
        if entry.get("missingApart") is True:
            apart = tuple(like_categories(text, values) for text in missing_codes_of(entry))
            values += apart
        return Categorical(
            name=name,
            categories=values,
            ordered=entry.get("categoriesOrdered") is True,
            nullable=nullable,
            unknown=entry.get("unknown"),
            spellings=texts_of_categories(name, categories, "spellings"),
            prefixes=texts_of_categories(name, categories, "prefixes"),
            apart=apart,
        )
    if entry.get("missingApart") is True:
        raise DomainError(
            "{name!r} tells its missing codes apart but lists no categories; list them, or fold the codes.",
            name=name,
        )
    if entry.get("type") == "boolean":
        return boolean(entry, nullable=nullable)
    kind = entry.get("type", "string")
    if kind in ("integer", "number", *KINDS):
        return _numeric(entry, name, kind, constraints, nullable=nullable)
    raise DomainError(
        "{name!r} has the type {kind!r} and no categories; list its categories, or declare it as 'integer' "
        "or 'number' with a minimum and a maximum.",
        name=name,
        kind=kind,
    )


def missing_codes_of(entry: dict[str, Any]) -> tuple[str, ...]:
    """The missing codes of a field's own; where they are told apart, the empty cell is the one that is left.

    Raises:
        DomainError: they are no list.
    """
    codes = texts_of(entry.get("missingValues", []))
    return tuple(code for code in codes if code) if entry.get("missingApart") is True else codes


def _numeric(
    entry: dict[str, Any], name: str, kind: str, constraints: dict[str, Any], *, nullable: bool
) -> Numeric:
    """A number, date or time, with its bounds, bins and resolution."""
    of: NumericKind = kind if kind in KINDS else "number"
    pattern = str(entry.get("format", "")) if of != "number" else ""
    if not is_format(pattern, of):
        raise DomainError(
            "'format' of {name!r} is {pattern!r}, in which no two of its values can be told apart and read "
            "again; write it as {example}, or leave it out where the column has {standard}.",
            name=name,
            pattern=pattern,
            example=_FORMATS[of],
            standard=write_value(_EXAMPLE[of], of),
        )

    def number(value: Any) -> float | None:
        if _is_number(value) and abs(value) <= sys.float_info.max:  # whole numbers of any length are compared
            return float(value) if isinstance(value, float) else int(value)
        return None if of == "number" else read_value(str(value), of, pattern)

    bins = entry.get("bins", LEARNED)
    edges: tuple[float, ...] = ()
    if isinstance(bins, list):
        found = [number(edge) for edge in bins]
        edges = tuple(edge for edge in found if edge is not None)
        if len(edges) < max(2, len(found)):
            raise DomainError(
                "'bins' of {name!r} lists edges that are not two or more of its values; correct them.",
                name=name,
            )
    elif bins != LEARNED and (not isinstance(bins, int) or isinstance(bins, bool)):
        raise DomainError(
            "'bins' of {name!r} must be a whole number, a list of edges or 'learned'.", name=name
        )
    if any(bound in constraints and number(constraints[bound]) is None for bound in ("minimum", "maximum")):
        raise _unreadable(name, of, pattern)
    low = number(constraints.get("minimum", edges[0] if edges else None))
    high = number(constraints.get("maximum", edges[-1] if edges else None))
    if low is None or high is None:
        raise DomainError(
            "{name!r} has values without a declared minimum and maximum; declare both from public "
            "knowledge, or list its categories.",
            name=name,
        )
    if of == "datetime" and not pattern and _is_day(constraints.get("maximum")):
        high += DAY - 1  # the last day is meant as a whole, and not its first moment
    if edges:  # the range is covered whole: its ends are edges
        edges = (*((low,) if low < edges[0] else ()), *edges, *((high,) if high > edges[-1] else ()))
    most = entry.get("codes", LEARNED_CODES)
    if not isinstance(most, int) or isinstance(most, bool):
        raise DomainError("'codes' of {name!r} must be a whole number.", name=name)
    return Numeric(
        name=name,
        minimum=low,
        maximum=high,
        bins=most if bins == LEARNED else UNUSED if edges else bins,
        integer=kind == "integer" or of != "number",
        nullable=nullable,
        edges=edges,
        learned=bins == LEARNED,
        resolution=_resolution(entry, name),
        listed=_listed(entry, name),
        digits=_digits(entry, name),
        kind=of,
        format=pattern,
        unknown=entry.get("unknown"),
    )


def _is_day(bound: object) -> bool:
    """Whether a bound is a day alone, as ISO 8601 writes it."""
    try:
        return isinstance(bound, str) and bool(dt.date.fromisoformat(bound.strip()))
    except ValueError:
        return False


def _unreadable(name: str, kind: NumericKind, pattern: str) -> DomainError:
    """Say how a bound that was declared and cannot be read should be written."""
    if kind == "number":
        return DomainError(
            "The minimum or maximum of {name!r} is not a number that can be used; write it in digits, such "
            "as 1250.5.",
            name=name,
        )
    return DomainError(
        "The minimum or maximum of {name!r} is not written as its values are; write it like {example}, or "
        "correct how the column is written ('format').",
        name=name,
        example=write_value(_EXAMPLE[kind], kind, pattern),
    )


_FORMATS: dict[NumericKind, str] = {
    "date": "%d.%m.%Y",
    "datetime": "%d.%m.%Y %H:%M",
    "time": "%H:%M",
    "yearmonth": "%m/%Y",
    "duration": "clock, days or 1h 30m",
}
"""A format of each kind that has some."""
_EXAMPLE: dict[NumericKind, float] = {
    "date": 9735,
    "datetime": 9735 * DAY + 30_600,
    "time": 30_600,
    "year": 1996,
    "yearmonth": 1996 * 12 + 7,
    "duration": 5400,
}
"""A value of each kind that is no plain number, to show how it is written: 27 August 1996, half past 8."""


def _resolution(entry: dict[str, Any], name: str) -> float | None:
    """What values are multiples of: declared as ``multipleOf`` or ``decimals``."""
    if "multipleOf" in entry:
        step = entry["multipleOf"]
        if not _is_number(step):
            raise DomainError("'multipleOf' of {name!r} must be a number.", name=name)
        return float(step) if isinstance(step, float) else int(step)
    digits = entry.get("decimals")
    if digits is None:
        return None
    if not isinstance(digits, int) or isinstance(digits, bool) or not 0 <= digits <= MOST_DECIMALS:
        raise DomainError(
            "'decimals' of {name!r} must be a whole number from 0 to {most}.", name=name, most=MOST_DECIMALS
        )
    return float(f"1e-{digits}") if digits else 1


def _listed(entry: dict[str, Any], name: str) -> tuple[float, ...]:
    """The values that a number may have, in order."""
    values = entry.get("values", [])
    if not isinstance(values, list) or not all(map(_is_number, values)):
        raise DomainError("'values' of {name!r} must be a list of numbers.", name=name)
    return tuple(sorted(values))


def _digits(entry: dict[str, Any], name: str) -> int:
    """How numbers of single precision are written."""
    if (precision := entry.get("precision")) is None:
        return 0
    if not isinstance(precision, str) or precision not in PRECISIONS:
        raise DomainError(
            "'precision' of {name!r} must be one of {known}; leave it out for numbers of double precision.",
            name=name,
            known=tuple(map(repr, PRECISIONS)),
        )
    return PRECISIONS[precision]


def field_of(attribute: Attribute) -> dict[str, Any]:
    """Write an attribute as a field."""
    required = {} if attribute.nullable else {"required": True}
    if isinstance(attribute, Numeric):
        return _numeric_field(attribute, required)
    if attribute.boolean:
        return boolean_field(attribute, required)
    integers = all(isinstance(c, int) for c in attribute.categories)
    numbers = all(isinstance(c, int | float) for c in attribute.categories)
    entry: dict[str, Any] = {
        "name": attribute.name,
        "type": "integer" if integers else "number" if numbers else "string",
        "categories": categories_of(attribute),
        "categoriesOrdered": attribute.ordered,
    }
    if required:
        entry["constraints"] = required
    if attribute.unknown is not None:
        entry["unknown"] = attribute.unknown
    return entry


def written_of(entry: dict[str, Any]) -> str | int:
    """Read how csv files write a field's numbers.

    Raises:
        DomainError: no csv file writes them so.
    """
    form = entry["written"]
    if isinstance(form, str) and (form == SHORTEST or form in BARE or NumberForm.of(form) is not None):
        return form
    if _is_number(form) and isinstance(form, int) and 0 <= form <= MOST_DECIMALS:
        return form
    raise DomainError(
        "'written' of {name!r} must be 'shortest', a number of decimals from 0 to {most}, the number 1234.5 "
        "as the file writes it, such as $1,234.50, or .5 where no zero stands before the point.",
        name=entry["name"],
        most=MOST_DECIMALS,
    )


def _numeric_field(attribute: Numeric, required: dict[str, Any]) -> dict[str, Any]:
    plain = attribute.kind == "number"

    def text(value: float) -> Any:
        return value if plain or attribute.kind == "year" else attribute.text(value)

    entry: dict[str, Any] = {
        "name": attribute.name,
        "type": ("integer" if attribute.integer else "number") if plain else attribute.kind,
        "constraints": {"minimum": text(attribute.minimum), "maximum": text(attribute.maximum), **required},
    }
    if attribute.format:
        entry["format"] = attribute.format
    if attribute.learned:
        entry |= {"bins": LEARNED, "codes": attribute.bins}
    else:
        entry["bins"] = [text(edge) for edge in attribute.edges] if attribute.edges else attribute.bins
    if attribute.resolution is not None:
        entry["multipleOf"] = attribute.resolution
    if attribute.listed:
        entry["values"] = list(attribute.listed)
    if attribute.digits:
        entry["precision"] = next(name for name, digits in PRECISIONS.items() if digits == attribute.digits)
    if attribute.unknown is not None:
        entry["unknown"] = attribute.unknown
    return entry


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
