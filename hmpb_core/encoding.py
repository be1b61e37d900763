"""Values to codes and back, by the public domain alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.categories import codes_of
from hmpb_core.codebook import Codebook
from hmpb_core.dates import read_value, write_value
from hmpb_core.domain import Attribute, Categorical, Codes, Domain, Numeric, is_code, text_of
from hmpb_core.errors import Sentence, SourceError
from hmpb_core.inside_codes import levels


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
    require_columns(frame.columns, codebook)
    if frame.columns.duplicated().any():
        raise SourceError("The table has two columns of one name; names must differ.")
    codes = np.empty((len(frame), len(codebook.domain)), dtype=np.int32)
    for i, attribute in enumerate(codebook.domain.attributes):
        codes[:, i] = _encode_column(frame[attribute.name], attribute, missing_texts(codebook, attribute))
    return codes


def require_columns(names: Iterable[str], codebook: Codebook) -> None:
    """Refuse a table that lacks a declared column.

    Raises:
        SourceError: it does.
    """
    known = set(names)
    absent = [name for name in codebook.domain.names if name not in known]
    if absent:
        raise SourceError(
            "The table lacks {names}, which the codebook declares; add the column or remove it from the "
            "codebook.",
            names=_list(absent),
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
    return _numeric_codes(values, attribute, missing)


def missing_texts(codebook: Codebook, attribute: Attribute) -> frozenset[str]:
    """The texts that mean a missing value of an attribute; an empty cell is one where it may be missing."""
    return codebook.missing_of(attribute.name) | ({""} if attribute.nullable else frozenset())


def positions_of_values(
    values: NDArray[np.object_], attribute: Numeric, missing: frozenset[str]
) -> NDArray[np.int64]:
    """Give the position of each value on the attribute's grid; the grid's size for a missing one."""
    numbers, is_missing = read_numbers(values, attribute, missing)
    places = np.full(len(numbers), attribute.grid.size, dtype=np.int64)
    valid = ~is_missing & ~np.isnan(numbers)
    places[valid] = attribute.grid.positions(np.clip(numbers[valid], attribute.minimum, attribute.maximum))
    return places


def _encode_column(column: pd.Series, attribute: Attribute, missing: frozenset[str]) -> NDArray[np.int32]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if column.dtype == object:
        # Value by value: True, 1 and 1.0 are one key to pandas, and which of them stands for all would
        # depend on the other rows.
        absent = column.isna().to_numpy()
        texts = [None if null else text_of(v) for v, null in zip(column.to_numpy(), absent, strict=True)]
        column = pd.Series(np.array(texts, dtype=object), dtype=object)
    inverse, uniques = pd.factorize(column, use_na_sentinel=True)
    values = np.asarray(uniques, dtype=object)
    table = encode_values(values, attribute, missing)
    null_code = attribute.size - 1 if attribute.nullable else -1
    table = np.append(table, null_code)  # factorize marks missing values with -1
    if (table == -1).any() and (bad := table[inverse] == -1).any():
        raise refusal(attribute, missing_only=bool((inverse[bad] == -1).all()))
    return table[inverse].astype(np.int32)


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
        read = [read_value(text, attribute.kind, attribute.format) for text in texts]
        numbers = np.array([math.nan if number is None else number for number in read], dtype=float)
    return numbers, np.array([is_code(text, missing) for text in texts], dtype=bool)


def _numeric_codes(values: NDArray[np.object_], attribute: Numeric, missing: frozenset[str]) -> Codes:
    numbers, is_missing = read_numbers(values, attribute, missing)
    codes = np.full(len(numbers), -1, dtype=np.int32)
    valid = ~np.isnan(numbers) & ~is_missing
    clipped = np.clip(numbers[valid], attribute.minimum, attribute.maximum)
    if attribute.pieces is not None:
        codes[valid] = attribute.pieces.codes_of(attribute.grid.positions(clipped))
    elif attribute.edges:
        codes[valid] = np.searchsorted(attribute.edges[1:-1], clipped, side="right")
    else:
        codes[valid] = np.minimum(
            ((clipped - attribute.minimum) / attribute.width).astype(np.int32), attribute.n_bins - 1
        )
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
    codes = encode(frame, codebook)
    fine = {}
    for i, attribute in enumerate(codebook.domain.attributes):
        if isinstance(attribute, Numeric) and attribute.learned:
            fine[i] = _fine_column(frame[attribute.name], attribute, missing_texts(codebook, attribute))
    return EncodedTable(codes=codes, fine=fine)


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


def _fine_column(column: pd.Series, attribute: Numeric, missing: frozenset[str]) -> FineColumn:
    """Positions of a column that ``encode`` has accepted."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    inverse, uniques = pd.factorize(column, use_na_sentinel=True)
    places = positions_of_values(np.asarray(uniques, dtype=object), attribute, missing)
    places = np.append(places, attribute.grid.size)  # factorize marks missing values with -1
    unique, index = np.unique(places, return_inverse=True)
    return FineColumn(positions=unique, rows=index.astype(np.int32)[inverse])


def decode(codes: Codes, domain: Domain, rng: np.random.Generator) -> pd.DataFrame:
    """Turn codes into values: a category, or a value drawn inside its bin; see ``inside_codes.levels``.

    Args:
        codes: Integer codes of shape (rows, attributes).
        domain: The public domain.
        rng: Draws the value inside a bin. Post-processing: free of charge.
    """
    columns: dict[str, pd.Series] = {}
    drawn: dict[str, _Steps] = {}
    places = levels(codes, domain, rng)
    for i in _in_order(domain):
        attribute = domain.attributes[i]
        if isinstance(attribute, Numeric) and attribute.pieces is not None:
            steps = drawn[attribute.name] = _draw_steps(codes[:, i], attribute, places[i], drawn, rng)
            values = attribute.grid.values(steps.values - attribute.grid.first)
            columns[attribute.name] = _written(values, steps.null, attribute)
        else:
            columns[attribute.name] = _decode_column(codes[:, i], attribute, places.get(i))
    return pd.DataFrame({name: columns[name] for name in domain.names})


@dataclass(frozen=True, slots=True)
class _Steps:
    """Drawn values in steps of their grid, the first one where a value is missing."""

    values: NDArray[np.int64]
    null: NDArray[np.bool_]


def _in_order(domain: Domain) -> list[int]:
    """The attributes, those last whose values are drawn by the time since another date, after that one."""
    since = {a.name: a.since.column for a in domain.attributes if isinstance(a, Numeric) and a.since}

    def depth(name: str) -> int:
        count = 0
        while name in since and count <= len(since):
            name, count = since[name], count + 1
        return count

    return sorted(range(len(domain)), key=lambda i: depth(domain.names[i]))


def _null(codes: NDArray[np.int32], attribute: Attribute) -> NDArray[np.bool_]:
    """Which codes mean a missing value."""
    return codes == attribute.size - 1 if attribute.nullable else np.zeros(len(codes), dtype=bool)


def _draw_steps(
    codes: NDArray[np.int32],
    attribute: Numeric,
    places: NDArray[np.float64],
    drawn: Mapping[str, _Steps],
    rng: np.random.Generator,
) -> _Steps:
    """Draw values inside learned bins, in steps of the attribute's grid.

    Where the other date of a time is missing, one of another row stands in; an unknown time is one of
    another row's.
    """
    assert attribute.pieces is not None
    grid, null = attribute.grid, _null(codes, attribute)
    positions = np.zeros(len(codes), dtype=np.int64)
    positions[~null] = attribute.pieces.positions(codes[~null], places[~null])
    if attribute.since is None:
        return _Steps(positions + grid.first, null)
    starts, absent = drawn[attribute.since.column].values, drawn[attribute.since.column].null
    longest = attribute.places.size - 1 - attribute.since.nullable
    unknown = (positions > longest) & ~null
    known = ~unknown & ~null
    if known.any():
        positions[unknown] = rng.choice(positions[known], int(unknown.sum()))
    if absent.any() and not absent.all():
        starts = starts.copy()
        starts[absent] = rng.choice(starts[~absent], int(absent.sum()))
    last = grid.first + grid.size - 1
    steps: NDArray[np.int64] = np.clip(starts + positions, grid.first, last)
    steps[positions >= longest] = last
    steps[null] = grid.first
    return _Steps(steps, null)


def _decode_column(
    codes: NDArray[np.int32], attribute: Attribute, places: NDArray[np.float64] | None
) -> pd.Series:
    null = _null(codes, attribute)
    if isinstance(attribute, Categorical) and attribute.boolean:
        return pd.Series(pd.arrays.BooleanArray(codes == 1, null))
    if isinstance(attribute, Categorical):
        listed = np.where(null, 0, codes)
        if all(isinstance(category, int) for category in attribute.categories):
            whole = np.array(attribute.categories, dtype=np.int64)
            return pd.Series(pd.arrays.IntegerArray(whole[listed], null))
        if all(isinstance(category, int | float) for category in attribute.categories):
            real = np.array(attribute.categories, dtype=np.float64)
            return pd.Series(pd.arrays.FloatingArray(real[listed], null))
        return _texts([str(category) for category in attribute.categories], codes, null)
    assert places is not None
    return _decode_numbers(codes, null, attribute, places)


def _decode_numbers(
    codes: NDArray[np.int32], null: NDArray[np.bool_], attribute: Numeric, places: NDArray[np.float64]
) -> pd.Series:
    if attribute.edges or attribute.resolution is not None or attribute.kind != "number":
        return _written(_inside_bins(codes, null, attribute, places), null, attribute)
    position = codes + places
    numbers = attribute.minimum + position * attribute.width
    if attribute.integer:
        low = np.ceil(attribute.minimum + codes * attribute.width - 1e-9)
        low = np.maximum(low, math.ceil(attribute.minimum))
        high = np.ceil(attribute.minimum + (codes + 1) * attribute.width - 1e-9) - 1
        high = np.where(codes == attribute.n_bins - 1, math.floor(attribute.maximum), np.maximum(high, low))
        numbers = low + np.floor(places * (high - low + 1))
        # Where a whole number lies on an edge, encoding decides by a division which bin it is in.
        again = np.minimum(
            ((numbers - attribute.minimum) / attribute.width).astype(np.int32), attribute.n_bins - 1
        )
        numbers += np.where(null, 0, np.sign(codes - again))
        numbers = np.clip(numbers, math.ceil(attribute.minimum), math.floor(attribute.maximum))
        return pd.Series(pd.arrays.IntegerArray(np.where(null, 0, numbers).astype(np.int64), null))
    return pd.Series(pd.arrays.FloatingArray(attribute.stored(np.minimum(numbers, attribute.maximum)), null))


def _inside_bins(
    codes: NDArray[np.int32], null: NDArray[np.bool_], attribute: Numeric, places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of the grid drawn evenly inside their bins; anywhere in a bin that holds none."""
    grid, edges = attribute.grid, np.array(attribute.bin_edges)
    step = float(grid.step)
    first = np.ceil(edges / step - 1e-9).astype(np.int64) - grid.first  # the first position at or above
    first[-1] = grid.size
    code = np.where(null, 0, codes)
    low, high = first[code], first[code + 1]
    drawn = low + np.floor(places * (high - low)).astype(np.int64)
    values = grid.values(np.clip(drawn, 0, grid.size - 1))
    nowhere = high <= low
    if nowhere.any():
        bins = code[nowhere]
        values[nowhere] = edges[bins] + places[nowhere] * (edges[bins + 1] - edges[bins])
    return values


def _written(values: NDArray[np.float64], null: NDArray[np.bool_], attribute: Numeric) -> pd.Series:
    """Values as the column's type: whole numbers, numbers, or dates and times in their format."""
    if attribute.kind not in ("number", "year"):
        unique, rows = np.unique(values, return_inverse=True)
        texts = [write_value(value, attribute.kind, attribute.format) for value in unique.tolist()]
        return _texts(texts, rows, null)
    if attribute.integer:
        return pd.Series(pd.arrays.IntegerArray(np.rint(values).astype(np.int64), null))
    return pd.Series(pd.arrays.FloatingArray(attribute.stored(values), null))


def _texts(texts: Sequence[str], codes: NDArray[np.integer], null: NDArray[np.bool_]) -> pd.Series:
    """A column of texts: Arrow copies each from its place, where pandas would make an object a row."""
    import pyarrow as pa

    words = pa.array(texts, pa.large_string()).take(pa.array(codes, mask=null))
    dtype: Any = pd.StringDtype(na_value=np.nan)
    return pd.Series(dtype.__from_arrow__(words))


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


def _list(names: list[str]) -> str | Sentence:
    shown = ", ".join(repr(name) for name in names[:5])
    if len(names) <= 5:
        return shown
    return Sentence("{names} and {more} more", {"names": shown, "more": len(names) - 5})
