"""Values to codes, by the public codebook alone; ``decoding`` is the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_list_like

from hmpb_core.categories import codes_of
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Categorical, Codes, Domain, Numeric
from hmpb_core.errors import Sentence, SourceError
from hmpb_core.moments import read_values
from hmpb_core.several_answers import apart
from hmpb_core.texts import are_codes, text_of

_FIRST_ROWS = 99
"""Rows among which the names of the columns may be: as many lines of a file may stand above its names."""


def encode(frame: pd.DataFrame, codebook: Codebook) -> Codes:
    """Turn a table into codes, one column an attribute of the codebook.

    Columns are found by name; columns that the codebook does not declare are left out.
    Numbers outside the declared range are clipped to it. A missing value gets the last
    code where the attribute is not required; an empty cell is one, whatever marks the codebook
    names: synthetic tables are written that way.

    Args:
        frame: The table; values may be texts or typed.
        codebook: The public codebook.

    Returns:
        Integer codes of shape (rows, attributes).

    Raises:
        SourceError: a column is absent, or holds values the codebook does not allow.
    """
    return _encoded(frame, codebook, fine=False).codes


def require_columns(
    names: Iterable[str], codebook: Codebook, first_rows: Iterable[Sequence[object]] = ()
) -> None:
    """Refuse a table that lacks a declared column.

    Args:
        names: The table's columns.
        codebook: The codebook.
        first_rows: Rows among which the names may be, where titles stand above them.

    Raises:
        SourceError: it does.
    """
    absent = absent_columns(names, codebook)
    wanted = {attribute.name for attribute in codebook.columns}
    if absent and any({str(cell).strip() for cell in row} >= wanted for row in first_rows):
        raise SourceError(
            "The table lacks {names}, which the codebook declares, but a later line of the file has them "
            "all; say which line names the columns (--header, or 'header' in the codebook's 'reading').",
            names=_list(absent),
        )
    if absent:
        raise SourceError(
            "The table lacks {names}, which the codebook declares; add the column or remove it from the "
            "codebook.",
            names=_list(absent),
        )


def absent_columns(names: Iterable[str], codebook: Codebook) -> list[str]:
    """The columns of a codebook that a table lacks; one of several answers may have a column for each."""
    known = set(names)
    known |= {one.column for name, one in codebook.answers.items() if name in known}
    return [attribute.name for attribute in codebook.columns if attribute.name not in known]


def named_by_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Give a table with its columns named by texts, as a codebook names them."""
    names = [str(name) for name in frame.columns]
    return frame if names == list(frame.columns) else frame.set_axis(names, axis=1)


def require_single_values(frame: pd.DataFrame) -> None:
    """Refuse a column whose cells hold lists or groups, as those of Parquet or JSON do.

    Raises:
        SourceError: there is one.
    """
    for name, column in frame.items():
        unsure = column.dtype.kind == "O" and infer_dtype(column).startswith(("mixed", "unknown"))
        if unsure and any(map(is_list_like, column)):
            raise SourceError(
                "The column {column!r} holds lists or groups of values; a table has one value a cell. Join "
                "each to one text, spread them over columns, or leave the column out.",
                column=str(name),
            )


def encode_values(values: NDArray[np.object_], attribute: Attribute, missing: frozenset[str]) -> Codes:
    """Give the code of each of some values, none of which is null; -1 where the codebook refuses it.

    Args:
        values: Texts, or numbers and truth values as Python has them.
        attribute: The attribute.
        missing: Texts that mean a missing value.
    """
    if isinstance(attribute, Categorical):
        return codes_of(values, attribute, missing)
    return _numeric_codes(*read_numbers(values, attribute, missing), attribute)


def missing_texts(codebook: Codebook, attribute: Attribute) -> frozenset[str]:
    """The texts that mean a missing value of an attribute; an empty cell is one where it may be missing."""
    return codebook.missing_of(attribute.name) | ({""} if attribute.nullable else frozenset())


def positions_of_values(
    values: NDArray[np.object_], attribute: Numeric, missing: frozenset[str]
) -> NDArray[np.int64]:
    """Give the position of each value on the attribute's grid; the grid's size for a missing one."""
    return _positions(*read_numbers(values, attribute, missing), attribute)


def told_apart(column: pd.Series) -> pd.Series:
    """Give a column of mixed values by their texts; one of a single type as it is.

    True, 1 and 1.0 are one key to pandas, and which of them stands for all would depend on the other rows.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if column.dtype == object:
        absent = column.isna().to_numpy()
        texts = [None if null else text_of(v) for v, null in zip(column.to_numpy(), absent, strict=True)]
        column = pd.Series(np.array(texts, dtype=object), dtype=object)
    return column


def _encode_column(
    column: pd.Series, attribute: Attribute, missing: frozenset[str], *, fine: bool
) -> tuple[NDArray[np.int32], FineColumn | None]:
    """A column's codes, and where wanted its positions; each of its values is read once for both."""
    inverse, uniques = pd.factorize(told_apart(column), use_na_sentinel=True)
    values = np.asarray(uniques, dtype=object)
    places = None
    if isinstance(attribute, Categorical):
        table = codes_of(values, attribute, missing)
    else:
        numbers, is_missing = read_numbers(values, attribute, missing)
        table = _numeric_codes(numbers, is_missing, attribute)
        places = _positions(numbers, is_missing, attribute) if fine else None
    null_code = attribute.size - 1 if attribute.nullable else -1
    table = np.append(table, null_code)  # factorize marks missing values with -1
    if (table == -1).any() and (bad := table[inverse] == -1).any():
        refused = np.unique(inverse[bad])
        raise refusal(attribute, missing_only=mean_missing(values[refused[refused >= 0]], missing))
    if places is None or not isinstance(attribute, Numeric):
        return table[inverse].astype(np.int32), None
    unique, index = np.unique(np.append(places, attribute.grid.size), return_inverse=True)
    rows = index.astype(np.int32)[inverse]
    return table[inverse].astype(np.int32), FineColumn(positions=unique, rows=rows)


def read_numbers(
    values: NDArray[np.object_], attribute: Numeric, missing: frozenset[str]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Give the numbers of written values (dates and times too), and which values mean missing.

    Args:
        values: Texts, or numbers and truth values as Python has them.
        attribute: The attribute, which says how its values are written.
        missing: Texts that mean a missing value.

    Returns:
        The numbers, not a number where a value is not written so, and whether each value means missing.
    """
    texts = [text_of(value) for value in values]
    if attribute.kind in ("number", "year"):
        numbers = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(dtype=float)
    else:
        numbers = read_values(texts, attribute.kind, attribute.format)
    return numbers, are_codes(texts, missing)


def _positions(
    numbers: NDArray[np.float64], is_missing: NDArray[np.bool_], attribute: Numeric
) -> NDArray[np.int64]:
    places = np.full(len(numbers), attribute.grid.size, dtype=np.int64)
    valid = ~is_missing & ~np.isnan(numbers)
    places[valid] = attribute.grid.positions(np.clip(numbers[valid], attribute.minimum, attribute.maximum))
    return places


def _numeric_codes(numbers: NDArray[np.float64], is_missing: NDArray[np.bool_], attribute: Numeric) -> Codes:
    codes = np.full(len(numbers), -1, dtype=np.int32)
    valid = ~np.isnan(numbers) & ~is_missing
    clipped = np.clip(numbers[valid], attribute.minimum, attribute.maximum)
    if attribute.pieces is not None:
        codes[valid] = attribute.pieces.codes_of(attribute.grid.positions(clipped))
    elif attribute.edges:
        codes[valid] = np.searchsorted(attribute.edges[1:-1], clipped, side="right")
    else:
        codes[valid] = attribute.equal_bins(clipped)
    if attribute.nullable:
        null = is_missing if attribute.unknown is None else ~valid
        codes[null] = attribute.size - 1
    return codes


@dataclass(frozen=True, slots=True, kw_only=True)
class FineColumn:
    """One column by the positions of its values on the attribute's grid. Private: its repr shows none.

    Attributes:
        positions: The positions that occur, ascending; the grid's size stands for a missing value.
        rows: For each row, the index of its position among them.
    """

    positions: NDArray[np.int64] = field(repr=False)
    rows: NDArray[np.int32] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedTable:
    """A table's codes, and the fine positions of the columns whose bins are to be learned. Private.

    Attributes:
        codes: Codes of shape (rows, attributes), equal-width where bins are to be learned.
        fine: The fine columns, by attribute.
    """

    codes: Codes = field(repr=False)
    fine: Mapping[int, FineColumn] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.codes)


def encode_table(frame: pd.DataFrame, codebook: Codebook) -> EncodedTable:
    """Turn a table into codes, and keep the fine positions where bins are to be learned.

    Raises:
        SourceError: a column is absent, or holds values the codebook does not allow.
    """
    return _encoded(frame, codebook, fine=True)


def _encoded(frame: pd.DataFrame, codebook: Codebook, *, fine: bool) -> EncodedTable:
    require_columns(frame.columns, codebook, frame.head(_FIRST_ROWS).itertuples(index=False, name=None))
    if frame.columns.duplicated().any():
        raise SourceError("The table has two columns of one name; names must differ.")
    used = {attribute.name for attribute in (*codebook.columns, *codebook.domain.attributes)}
    require_single_values(frame.loc[:, frame.columns.isin(list(used))])
    frame = apart(frame, codebook.answers)
    codes = np.empty((len(frame), len(codebook.domain)), dtype=np.int32)
    found: dict[int, FineColumn] = {}
    refused: dict[str, SourceError] = {}
    for i, attribute in enumerate(codebook.domain.attributes):
        wanted = fine and isinstance(attribute, Numeric) and attribute.learned
        missing = missing_texts(codebook, attribute)
        try:
            codes[:, i], column = _encode_column(frame[attribute.name], attribute, missing, fine=wanted)
        except SourceError as error:
            refused[attribute.name] = error
            continue
        if column is not None:
            found[i] = column
    if refused:
        raise refusal_of_all(refused)
    return EncodedTable(codes=codes, fine=found)


def times_since(column: FineColumn, start: FineColumn, attribute: Numeric, *, missing: int) -> FineColumn:
    """Give the places of an attribute that is modelled by the time since another date.

    A row that has the declared maximum has the longest time; where the other date is missing the time is
    unknown, the last place; a time below zero is zero.

    Args:
        column: Positions on the attribute's own grid.
        start: Positions of the other date.
        attribute: The attribute, which says since when.
        missing: The position that stands for a missing value of the other date.
    """
    assert attribute.since is not None
    own, size = attribute.grid, attribute.places.size
    ends = column.positions + (own.first - attribute.since.first)
    places = np.maximum(ends[column.rows] - start.positions[start.rows], 0)
    places[(start.positions == missing)[start.rows]] = size - 1
    places[(column.positions == own.size - 1)[column.rows]] = size - 1 - attribute.since.nullable
    places[(column.positions == own.size)[column.rows]] = size
    unique, rows = np.unique(places, return_inverse=True)
    return FineColumn(positions=unique, rows=rows.astype(np.int32))


def same_places(column: FineColumn, other: FineColumn, own: Numeric, base: Numeric) -> NDArray[np.bool_]:
    """The rows in which a number has a value, and another number of the same step the same."""
    missing = np.int64(-(2**62))
    steps = np.where(column.positions == own.grid.size, missing, column.positions + own.grid.first)
    others = np.where(other.positions == base.grid.size, -missing, other.positions + base.grid.first)
    return np.asarray(steps[column.rows] == others[other.rows])


def scattered(codes: Codes, domain: Domain, rng: np.random.Generator) -> EncodedTable:
    """Give codes of a public stand-in fine positions: anywhere in their equal-width bins.

    Args:
        codes: Codes of shape (rows, attributes).
        domain: The codebook's domain.
        rng: Draws the positions.
    """
    fine = {}
    for i, attribute in enumerate(domain.attributes):
        if isinstance(attribute, Numeric) and attribute.learned:
            inside = attribute.minimum + (codes[:, i] + rng.random(len(codes))) * attribute.width
            positions = attribute.grid.positions(inside)
            if attribute.nullable:
                positions[codes[:, i] == attribute.size - 1] = attribute.grid.size
            unique, rows = np.unique(positions, return_inverse=True)
            fine[i] = FineColumn(positions=unique, rows=rows.astype(np.int32))
    return EncodedTable(codes=codes, fine=fine)


def mean_missing(values: Iterable[object], missing: frozenset[str]) -> bool:
    """Whether values that were refused all mean a missing one; so do none."""
    return bool(are_codes([text_of(value) for value in values], missing).all())


def refusal(attribute: Attribute, *, missing_only: bool) -> SourceError:
    """Give the refusal of a column that does not fit its entry in the codebook.

    Args:
        attribute: The entry.
        missing_only: Whether missing values are all that is wrong.
    """
    name = attribute.name
    if missing_only:
        return SourceError(
            "{name!r} has missing values, but the codebook says it is required; drop 'required' from the "
            "codebook, or remove those rows.",
            name=name,
        )
    if isinstance(attribute, Numeric) and attribute.kind not in ("number", "year"):
        return SourceError(
            "{name!r} has values that are no {kind} written as {format}; give the 'format' that the table "
            "uses, list their text under 'missingValues' of the codebook, or have all of them count as "
            "missing with 'unknown': ''.",
            name=name,
            kind=attribute.kind,
            format=attribute.format or "ISO 8601",
        )
    if isinstance(attribute, Numeric):
        return SourceError(
            "{name!r} has values that are not numbers; correct them, list their text under 'missingValues' "
            "of the codebook, have all of them count as missing with 'unknown': '', or declare categories "
            "instead, in order where they are bands such as 0-4.",
            name=name,
        )
    return SourceError(
        "{name!r} has values that are not among its {categories} declared categories (or missing where it "
        "is required); add them to the codebook from public knowledge, or set its 'unknown' to the category "
        "that should take them.",
        name=name,
        categories=len(attribute.categories),
    )


def refusal_of_all(refused: Mapping[str, SourceError]) -> SourceError:
    """Give the refusal of the first column, and name the others: one at a time would be a run for each.

    Args:
        refused: The refusal of each column that does not fit its entry, by the columns' names.
    """
    first, *others = refused
    if not others:
        return refused[first]
    return SourceError(
        "{refusal} These columns do not fit their entries either: {names}.",
        refusal=refused[first].sentence,
        names=tuple(map(repr, others)),
    )


def _list(names: list[str]) -> tuple[str, ...] | Sentence:
    shown = tuple(repr(name) for name in names[:5])
    if len(names) <= 5:
        return shown
    return Sentence("{names} and {more} more", {"names": shown, "more": len(names) - 5})
