"""The counts of a survey where the rows stay in an engine: numbers as expressions, texts by their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from hmpb_core.errors import SourceError
from hmpb_core.privacy.unit import Unit
from hmpb_core.sources.drafting.place_codes import code_digits
from hmpb_core.sources.relational.columns import Column, Kind
from hmpb_core.sources.relational.dialect import Dialect
from hmpb_core.sources.relational.expressions import branches
from hmpb_core.sources.relational.people import PERSON, limited, person_sql
from hmpb_core.sources.relational.table import EngineTable
from hmpb_core.survey.cells import (
    FEWEST_DECIMALS,
    FIRST_YEAR,
    LARGEST,
    LAST_YEAR,
    MOST_DECIMALS,
    N_CELLS,
    NUMBER_CELLS,
    NUMBERS,
    OTHER_CELL,
    SCALE_CELLS,
    SMALLEST,
    WRITTEN_NUMBERS,
    Counted,
    code_cell_of,
    tally,
)
from hmpb_core.survey.cells import Kind as Written
from hmpb_core.texts import text_of

MOST_TEXTS = 1_000_000
"""Different texts of a column that are counted one by one."""
_NUMBER = r"[+-]?(0|[1-9][0-9]{0,17})(\.[0-9]{1,30})?"
_SMALL = r"[1-9]?[0-9]"
_DATED = (
    "((1[6-9]|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])|(19|20)[0-9]{2}(0[1-9]|1[0-2])"
    "|[0-3][0-9][0-3][0-9](1[6-9]|20)[0-9]{2})"
)
"""Numbers that may be dates: ``cell_of`` tells which are."""
_WHOLE_FLOAT = 10**15


def engine_counts(
    table: EngineTable, missing: Mapping[str, frozenset[str]], unit: Unit, *, with_texts: bool
) -> dict[str, Counted]:
    """Count columns' rows, at most so many of a person: what ``cells.count`` does in memory.

    Args:
        table: The private table.
        missing: For each column the texts that mean a missing value.
        unit: The unit of protection.
        with_texts: Give each text that is not public a cell of its own; else they share one.

    Raises:
        SourceError: a column has too many different texts, some row has no id, or the engine stopped.
    """
    found = {}
    with _keys(table, missing, unit) as keys:
        for name, source in keys.items():
            written, counts = table.engine.fetch(
                f"SELECT k, COUNT(*) AS n FROM {source()} GROUP BY k LIMIT {MOST_TEXTS + N_CELLS}"
            )
            if len(written) > MOST_TEXTS:
                raise _too_many(name)
            column, digits = _column(table, name), code_digits(name)
            values = [_told(key, column, code_digits=digits) for key in written.tolist()]
            found[name] = tally(zip(values, counts.tolist(), strict=True), with_texts=with_texts)
    return found


def require_few_texts(table: EngineTable, missing: Mapping[str, frozenset[str]], unit: Unit) -> None:
    """Refuse columns that ``engine_counts`` would refuse, before anything is paid; short tables are not read.

    Raises:
        SourceError: a column has too many different texts.
    """
    if table.n_rows <= MOST_TEXTS:
        return
    of_texts = {
        name: marks
        for name, marks in missing.items()
        if _column(table, name).kind not in (Kind.WHOLE, Kind.TRUTH)
    }
    with _keys(table, of_texts, unit) as keys:
        for name, source in keys.items():
            (different,) = table.engine.fetch(
                f"SELECT COUNT(*) AS n FROM (SELECT DISTINCT k FROM {source()} LIMIT {MOST_TEXTS + 1}) AS d"
            )
            if int(different[0]) > MOST_TEXTS:
                raise _too_many(name)


def _too_many(name: str) -> SourceError:
    return SourceError(
        "{column!r} has more than {most:,} different texts; declare it by hand, or leave it out with "
        "'publish': false.",
        column=name,
        most=MOST_TEXTS,
    )


@contextmanager
def _keys(
    table: EngineTable, missing: Mapping[str, frozenset[str]], unit: Unit
) -> Iterator[dict[str, Callable[[], str]]]:
    """For each column what gives what stands after FROM for its keys, as the column ``k``.

    The texts come from a query of their own: a key names its text hundreds of times, and what takes a
    database longest is to plan it. Of files that are read anew for each query they are kept.
    """
    engine = table.engine
    texts, keys = [], []
    for place, (name, marks) in enumerate(missing.items()):
        texts.append(f"{_text_sql(_column(table, name), engine.sql)} AS v{place}")
        keys.append(_key_sql(f"v{place}", marks, engine.sql, of_codes=code_digits(name) > 0))
    person, kept = person_sql(engine, unit), None
    if person is not None:
        names = [f"k{place}" for place in range(len(keys))]
        inner = f"SELECT {', '.join([*texts, f'{person} AS {PERSON}'])} FROM {engine.private()}"
        told = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
        everybody = engine.keep(f"SELECT {told}, {PERSON} FROM ({inner}) AS t")
        kept = engine.keep(limited(engine, everybody, ", ".join(names), unit))
        engine.drop(everybody)
        texts, keys = names, names
    elif engine.reads_anew and texts:
        kept = engine.keep(f"SELECT {', '.join(texts)} FROM {engine.private()}")
        texts = [f"v{place}" for place in range(len(texts))]

    def source(text: str, key: str) -> str:
        return f"(SELECT {key} AS k FROM (SELECT {text} FROM {kept or engine.private()}) AS t) AS s"

    try:
        yield {name: partial(source, *of) for name, *of in zip(missing, texts, keys, strict=True)}
    finally:
        if kept:
            engine.drop(kept)


def _column(table: EngineTable, name: str) -> Column:
    column = table.engine.column(name)
    assert column is not None
    return column.required()


def _told(key: str | None, column: Column, *, code_digits: int) -> tuple[int, int, str]:
    """Kind, public cell and text of a value by its key."""
    if key is None:
        return Written.MISSING, OTHER_CELL, ""
    if key.startswith("n"):
        written, place = divmod(int(key[1:]), len(SCALE_CELLS))
        if written < len(WRITTEN_NUMBERS):
            return WRITTEN_NUMBERS[written], int(SCALE_CELLS[place]), ""
        decimals = FEWEST_DECIMALS + written - len(WRITTEN_NUMBERS)
        return Written.DECIMALS, int(SCALE_CELLS[place]), "0." + "1" * decimals
    # Engines write small and large floats otherwise than Python.
    text = text_of(float(key[1:])) if column.kind is Kind.FLOAT else key[1:]
    return (*code_cell_of(text, code_digits), text)


def _key_sql(text: str, missing: frozenset[str], sql: Dialect, *, of_codes: bool) -> str:
    """A text for each text: ``n``, writing and cell of a number, or ``t`` and itself; null: missing."""
    nothing = ", ".join(sql.text(mark) for mark in sorted(missing | {""}) if "\x00" not in mark)
    if of_codes:
        return f"CASE WHEN {text} IS NULL OR {text} IN ({nothing}) THEN NULL ELSE 't' || {text} END"
    number = sql.parsed_number(text)
    plain = sql.matches(text, _NUMBER)
    decimals = " ".join(
        f"WHEN {sql.matches(text, pattern)} THEN {places}"
        for places, pattern in (
            (8, r"[+-]?[0-9]+\.0"),
            (9, r"[+-]?[0-9]+\.00"),
            (10, r"[+-]?[0-9]+\.[1-9]0"),
            (7, r"[+-]?(0|[0-9]+000)(\.0*)?"),
            (6, r"[+-]?[0-9]+00(\.0*)?"),
            (5, r"[+-]?[0-9]+0(\.0*)?"),
            (4, r"[+-]?[0-9]*5(\.0*)?"),
            (0, r"[+-]?[0-9]+(\.0*)?"),
            (1, r"[+-]?[0-9]+\.[0-9]0*"),
            (2, r"[+-]?[0-9]+\.[0-9]{2}0*"),
            *(
                (len(WRITTEN_NUMBERS) + more - FEWEST_DECIMALS, rf"[+-]?[0-9]+\.[0-9]{{{more}}}0*")
                for more in range(FEWEST_DECIMALS, MOST_DECIMALS + 1)
            ),
        )
    )
    powers = [sql.number(2.0**power) for power in range(SMALLEST + 1, LARGEST + 1)]
    size = branches(f"ABS({number})", powers, range(1, len(powers) + 2))
    place = f"CASE WHEN {number} = 0 THEN 0 ELSE (CASE WHEN {number} < 0 THEN -1 ELSE 1 END) * {size} END"
    within = f"{number} BETWEEN {sql.number(FIRST_YEAR)} AND {sql.number(LAST_YEAR)}"
    year = sql.to_long(f"({number} - {sql.number(FIRST_YEAR - len(NUMBER_CELLS))})")
    place = (
        f"CASE WHEN {within} AND {number} = FLOOR({number}) THEN {year} "
        f"ELSE {len(NUMBER_CELLS) // 2} + {place} END"
    )
    cell = f"({len(SCALE_CELLS)} * CASE {decimals} ELSE {len(NUMBERS) - 1} END + {place})"
    return (
        f"CASE WHEN {text} IS NULL OR {text} IN ({nothing}) THEN NULL "
        f"WHEN {sql.matches(text, _SMALL)} OR {sql.matches(text, _DATED)} THEN 't' || {text} "
        f"WHEN {plain} THEN 'n' || {sql.to_text(cell)} ELSE 't' || {text} END"
    )


def _text_sql(column: Column, sql: Dialect) -> str:
    """The text of a value as ``text_of`` writes it, large and small floats apart."""
    x = column.sql
    if column.kind is Kind.WHOLE:
        return sql.to_text(x)
    if column.kind is Kind.TRUTH:
        return f"CASE WHEN {x} THEN 'True' WHEN NOT {x} THEN 'False' END"
    if column.kind is Kind.FLOAT:
        whole = f"{x} = FLOOR({x}) AND ABS({x}) < {sql.number(_WHOLE_FLOAT)}"
        return (
            f"CASE WHEN {sql.is_nan(x)} THEN NULL WHEN {whole} THEN {sql.to_text(sql.to_long(x))} "
            f"ELSE {sql.to_text(x)} END"
        )
    return sql.strip(column.as_text)
