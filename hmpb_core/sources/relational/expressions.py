"""From a column to its codes, as an expression: what ``encoding.encode`` does, pushed down into an engine.

A value's code is a small integer. ``UNREAD`` marks a value that the expression cannot read itself (a number
with blanks around it, a date in a format of its own): its text goes through ``encoding`` once, and comes
back as one more entry of a lookup. So every value gets the code that ``encoding`` gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hmpb_core.domain import EDGE, Attribute, Categorical, Domain, Numeric
from hmpb_core.encoding import encode_values, positions_of_values
from hmpb_core.grid import ListedGrid
from hmpb_core.several_answers import GIVEN, NOT_GIVEN, AnswerTo
from hmpb_core.sources.relational.columns import Column, Kind
from hmpb_core.sources.relational.dialect import Dialect
from hmpb_core.sources.relational.engine import Engine
from hmpb_core.texts import text_of

REFUSED, UNREAD = -1, -2
_POINTED = r"[+-]?([0-9]{1,18}(\.[0-9]{0,30})?|\.[0-9]{1,30})"
_PLAIN = _POINTED + r"([eE][+-]?[0-9]{1,2})?"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_ISO = ("", "default", "any")
_LARGEST = 2**63


def code_name(attribute: int) -> str:
    """Name of the column of an attribute's codes."""
    return f"c{attribute}"


def position_name(attribute: int) -> str:
    """Name of the column of an attribute's positions on its grid."""
    return f"p{attribute}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """What an engine computes of a column.

    Attributes:
        column: The column, in the form that is read.
        attribute: What it is by the codebook.
        missing: Texts that mean a missing value.
        code: Expression of the code; ``REFUSED`` or ``UNREAD`` where there is none.
        position: Expression of the position on the attribute's grid where bins are to be learned; else empty.
    """

    column: Column
    attribute: Attribute
    missing: frozenset[str]
    code: str
    position: str = ""

    @property
    def null_code(self) -> int:
        """The code of a null."""
        return _null_code(self.attribute)


def encoded(column: Column, attribute: Attribute, missing: frozenset[str], sql: Dialect) -> Encoded:
    """Give the expressions of a column.

    Raises:
        SourceError: the column holds lists, bytes or the like.
    """
    column = _as_read(column.required(), attribute)
    if isinstance(attribute, Categorical):
        code, position = _category(column, attribute, missing, sql), ""
    else:
        code, position = _number(column, attribute, missing, sql)
    return Encoded(column=column, attribute=attribute, missing=missing, code=code, position=position)


def answered(one: AnswerTo, others: Iterable[AnswerTo], engine: Engine) -> Column:
    """Give a column for one of the answers that the cells of another column hold.

    Args:
        one: The answer.
        others: All answers; where a cell holds none of its column's they are missing.
        engine: Where the table is.

    Raises:
        SourceError: the cells hold lists, bytes or the like.
    """
    cells, sql, sign = engine.column(one.column), engine.sql, one.sign
    assert cells is not None
    cells = cells.required()
    numbers = cells.kind in (Kind.WHOLE, Kind.FLOAT, Kind.TRUTH)
    x = sql.strip(sql.to_text(cells.sql) if numbers else cells.texts().sql)
    if sign != " ":
        for blank in (f"{sign} ", f" {sign}"):
            x = f"REPLACE({x}, {sql.text(blank)}, {sql.text(sign)})"
    cell = f"{sql.text(sign)} || {x} || {sql.text(sign)}"

    def holds(answer: AnswerTo) -> str:
        return f"POSITION({sql.text(answer.mark)} IN {cell}) > 0"

    any_other = " OR ".join(holds(other) for other in others if other.column == one.column)
    given, not_given = sql.text(GIVEN), sql.text(NOT_GIVEN)
    told = f"CASE WHEN {holds(one)} THEN {given} WHEN {any_other} THEN {not_given} END"
    return Column(name=one.column, kind=Kind.TEXT, sql=told, as_text=told)


def branches(x: str, thresholds: Sequence[str], results: Sequence[int | str]) -> str:
    """Give the result by how many of some ascending thresholds x has reached: a search by halves.

    Example:
        >>> branches("x", ["5"], [0, 1])
        'CASE WHEN x < 5 THEN 0 ELSE 1 END'
    """
    if not thresholds:
        return str(results[0])
    middle = len(thresholds) // 2
    low = branches(x, thresholds[:middle], results[: middle + 1])
    high = branches(x, thresholds[middle + 1 :], results[middle + 1 :])
    return f"CASE WHEN {x} < {thresholds[middle]} THEN {low} ELSE {high} END"


def literal(value: object, sql: Dialect) -> str:
    """Write a value of a column as SQL."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    return sql.number(value) if isinstance(value, float) else sql.text(str(value))


def _null_code(attribute: Attribute) -> int:
    return attribute.size - 1 if attribute.nullable else REFUSED


def _as_read(column: Column, attribute: Attribute) -> Column:
    """The column in the form in which the attribute is read from it: texts unless that loses its type."""
    plain = (Kind.WHOLE, Kind.FLOAT, Kind.TRUTH, Kind.TEXT)
    if column.kind in plain or not isinstance(attribute, Numeric) or attribute.format not in _ISO:
        return column if column.kind in plain else column.texts()
    reads = {
        "date": (Kind.DATE, Kind.MOMENT),
        "datetime": (Kind.DATE, Kind.MOMENT),
        "yearmonth": (Kind.DATE,),
    }
    return column if column.kind in reads.get(attribute.kind, ()) else column.texts()


# Categories


def _category(column: Column, attribute: Categorical, missing: frozenset[str], sql: Dialect) -> str:
    known = [text_of(c) for c in attribute.categories] + [text for text, _ in attribute.spellings]
    keys = _values_of([*known, *sorted(missing)], column.kind)
    if column.kind is Kind.FLOAT:  # of 32 bits 1.1 is another number
        keys += [value for key in _values_of(known, Kind.FLOAT) if (value := _single(key)) not in keys]
    codes = encode_values(np.array(keys, dtype=object), attribute, missing).tolist() if keys else []
    x, other = column.sql, str(UNREAD)
    whole = column.kind is Kind.TEXT and any(isinstance(c, str) for c in attribute.categories)
    if whole:  # nothing but blanks at the ends stands between a text and its category
        x = sql.strip(x)
        other = _unlisted(x, attribute, sql)
    found = sql.lookup(x, [literal(key, sql) for key in keys], codes) if keys else "NULL"
    is_null = f"{column.sql} IS NULL" + (f" OR {sql.is_nan(column.sql)}" if column.kind is Kind.FLOAT else "")
    return f"CASE WHEN {is_null} THEN {_null_code(attribute)} ELSE COALESCE({found}, {other}) END"


def _unlisted(x: str, attribute: Categorical, sql: Dialect) -> str:
    """The code of a text that is not listed: that of its beginning, or of the unknown."""
    code_of = {text_of(category): code for code, category in enumerate(attribute.categories)}
    fallback = REFUSED
    if attribute.unknown is not None:
        fallback = attribute.size - 1 if attribute.unknown == "" else code_of[text_of(attribute.unknown)]
    prefixes = sorted(attribute.prefixes, key=lambda pair: -len(pair[0]))
    # An empty category is none to a prefix: see ``encoding``.
    cases = [
        f"WHEN {sql.starts_with(x, p)} THEN {code_of[text_of(c)] if c else fallback}" for p, c in prefixes
    ]
    return f"CASE {' '.join(cases)} ELSE {fallback} END" if cases else str(fallback)


def _values_of(texts: Sequence[str], kind: Kind) -> list[object]:
    """The values of a column whose text is one of these."""
    found: dict[object, None] = {}
    for text in texts:
        value = _value_of(text, kind)
        if value is not None:
            found.setdefault(value)
    return list(found)


def _value_of(text: str, kind: Kind) -> object | None:
    if kind is Kind.TEXT:
        return text if text == text.strip() and "\x00" not in text and _is_unicode(text) else None
    if kind is Kind.TRUTH:
        return {"True": True, "False": False}.get(text)
    try:
        value = int(text) if kind is Kind.WHOLE else float(text)
    except ValueError:
        return None
    if value != value or text_of(value) != text or abs(value) >= _LARGEST:  # noqa: PLR0124 - not a number
        return None
    return value


def _single(value: Any) -> float:
    """A number as 32 bits hold it."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= mark <= "\udfff" for mark in text)


# Numbers, dates and times


def _number(column: Column, attribute: Numeric, missing: frozenset[str], sql: Dialect) -> tuple[str, str]:
    null = f"{column.sql} IS NULL"
    if column.kind is Kind.FLOAT:
        null += f" OR {sql.is_nan(column.sql)}"
    cases = [(null, str(_null_code(attribute)), str(attribute.grid.size if attribute.learned else 0))]
    if column.kind in (Kind.WHOLE, Kind.FLOAT, Kind.TEXT):
        size = str(attribute.grid.size if attribute.learned else 0)
        cases += [
            (condition, str(_null_code(attribute)), size)
            for condition in _missing_conditions(column, attribute, missing, sql)
        ]
    condition, number = _reading(column, attribute, sql)
    if condition:
        clipped = (
            f"LEAST(GREATEST({number}, {sql.number(attribute.minimum)}), {sql.number(attribute.maximum)})"
        )
        place = position_sql(clipped, attribute, sql)
        cases.append((condition, code_sql(clipped, place, attribute, sql), place))
    code = " ".join(f"WHEN {when} THEN {then}" for when, then, _ in cases)
    position = ""
    if attribute.learned:
        # Not -1 where nothing was read, but 0: the code tells, and positions are never negative.
        position = " ".join(f"WHEN {when} THEN {then}" for when, _, then in cases)
        position = f"CASE {position} ELSE 0 END"
    return f"CASE {code} ELSE {UNREAD} END", position


def _missing_conditions(
    column: Column, attribute: Numeric, missing: frozenset[str], sql: Dialect
) -> list[str]:
    """When a value means missing: by its text, and a number however its code is written."""
    found = []
    if marks := [literal(v, sql) for v in _values_of(sorted(missing), column.kind)]:
        found.append(f"{column.sql} IN ({', '.join(marks)})")
    if column.kind is Kind.TEXT and attribute.kind in ("number", "year"):
        numbers = [v for v in _values_of(sorted(missing), Kind.FLOAT) if isinstance(v, float)]
        if numbers:
            codes = ", ".join(sql.number(v) for v in numbers)
            # Not one condition: an engine may work out both sides of an AND.
            found.append(
                f"CASE WHEN {sql.matches(column.sql, _POINTED)} "
                f"THEN {sql.parsed_number(column.sql)} IN ({codes}) ELSE FALSE END"
            )
    return found


def _reading(column: Column, attribute: Numeric, sql: Dialect) -> tuple[str, str]:
    """When a value can be read by an expression, and the number that it gives; empty where never."""
    x = column.sql
    if attribute.kind in ("number", "year"):
        if column.kind is Kind.WHOLE:
            return "TRUE", sql.to_double(x)
        if column.kind is Kind.FLOAT:
            return "TRUE", x
        if column.kind is Kind.TEXT:
            return sql.matches(x, _PLAIN), sql.parsed_number(x)
        return "", ""
    if column.kind is Kind.TEXT and attribute.format in _ISO and attribute.kind in ("date", "datetime"):
        day = sql.parsed_date(x)
        if day is None:
            return "", ""
        when, number = _of_day(day, attribute, sql)
        return f"{sql.matches(x, _DAY)} AND {day} IS NOT NULL AND {when}", number
    if column.kind is Kind.DATE:
        return _of_day(x, attribute, sql)
    if column.kind is Kind.MOMENT:
        micros = sql.microseconds(x)
        rest = f"((({micros} % 1000000) + 1000000) % 1000000)"
        seconds = sql.to_double(sql.quotient(f"({micros} - {rest})", 1_000_000))
        if attribute.kind == "date":
            return _in_calendar(f"CAST({x} AS DATE)"), f"FLOOR({seconds} / {sql.number(86_400)})"
        return _in_calendar(f"CAST({x} AS DATE)"), (
            f"({seconds} + {sql.to_double(rest)} / {sql.number(1_000_000)})"
        )
    return "", ""


def _of_day(day: str, attribute: Numeric, sql: Dialect) -> tuple[str, str]:
    if attribute.kind == "yearmonth":
        number = f"EXTRACT(YEAR FROM {day}) * 12 + EXTRACT(MONTH FROM {day}) - 1"
    elif attribute.kind == "datetime":
        number = f"{sql.to_double(sql.days(day))} * {sql.number(86_400)}"
    else:
        number = sql.days(day)
    return _in_calendar(day), sql.to_double(f"({number})")


def _in_calendar(day: str) -> str:
    """Whether a date is one that a text can hold."""
    return f"{day} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"


def position_sql(x: str, attribute: Numeric, sql: Dialect) -> str:
    """The position of a clipped number on the attribute's grid; see ``Grid.positions``."""
    if not (attribute.learned or attribute.pieces):
        return "0"
    grid = attribute.grid
    if isinstance(grid, ListedGrid):
        return branches(x, [sql.number(middle) for middle in grid.middles.tolist()], range(grid.size))
    steps = f"({sql.rint(f'({x} / {sql.number(float(grid.step))})')} - {sql.number(grid.first)})"
    within = f"LEAST(GREATEST({steps}, {sql.number(0)}), {sql.number(grid.size - 1)})"
    return sql.to_long(within)


def code_sql(x: str, place: str, attribute: Numeric, sql: Dialect) -> str:
    """The code of a clipped number."""
    if attribute.pieces is not None:
        return code_of_position(place, attribute)
    if attribute.edges:
        return branches(x, [sql.number(edge) for edge in attribute.edges[1:-1]], range(attribute.n_bins))
    bins = f"({x} - {sql.number(attribute.minimum)}) / {sql.number(attribute.width)}"
    bins = f"FLOOR({bins} + {sql.number(EDGE)})"
    return f"LEAST({sql.to_integer(bins)}, {attribute.n_bins - 1})"


def code_of_position(place: str, attribute: Numeric) -> str:
    """The learned code of a position that is no missing value's."""
    assert attribute.pieces is not None
    bounds = attribute.pieces.bounds[1:-1].tolist()
    return branches(place, [str(bound) for bound in bounds], range(attribute.n_bins))


def place_sql(index: int, domain: Domain) -> str:
    """Where a row lies among an attribute's places: its position, or a time; see ``encoding.times_since``.

    Args:
        index: The attribute.
        domain: The domain.
    """
    entry, own = domain.attributes[index], position_name(index)
    assert isinstance(entry, Numeric)
    if entry.since is None:
        return own
    other = domain.index(entry.since.column)
    base, start = domain.attributes[other], position_name(other)
    assert isinstance(base, Numeric)
    grid, size = entry.grid, entry.places.size
    longest = size - 1 - entry.since.nullable
    return (
        f"CASE WHEN {own} = {grid.size} THEN {size} WHEN {own} = {grid.size - 1} THEN {longest} "
        f"WHEN {start} = {base.grid.size} THEN {size - 1} "
        f"ELSE GREATEST({own} + {grid.first - entry.since.first} - {start}, 0) END"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What ``encoding`` says of values that an engine could not read.

    Attributes:
        values: The values.
        codes: The code of each; ``REFUSED`` where the codebook refuses it.
        positions: The position of each on the grid where bins are to be learned; else zeros.
    """

    values: tuple[object, ...]
    codes: tuple[int, ...]
    positions: tuple[int, ...]

    @classmethod
    def of(cls, values: Sequence[object], encoded: Encoded) -> Told:
        """Ask ``encoding``."""
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
        codes = encode_values(array, encoded.attribute, encoded.missing)
        places = np.zeros(len(values), dtype=np.int64)
        if encoded.position and isinstance(encoded.attribute, Numeric):
            places = positions_of_values(array, encoded.attribute, encoded.missing)
        return cls(values=tuple(values), codes=tuple(codes.tolist()), positions=tuple(places.tolist()))
