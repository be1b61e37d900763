"""Codes to values, by the domain alone: a category, or a value drawn inside its bin."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Codes, Domain, Numeric
from hmpb_core.inside_codes import levels
from hmpb_core.moments import write_values
from hmpb_core.repeated import own_codes, own_domain, with_same_values
from hmpb_core.rules.consistency import decided, drawn_parts
from hmpb_core.rules.kinds import Rule
from hmpb_core.rules.placing import Wanted, placed, wanted_parts
from hmpb_core.rules.reading import View
from hmpb_core.several_answers import in_whole_cells

if TYPE_CHECKING:
    import pyarrow as pa


def decode(
    codes: Codes, domain: Domain, rng: np.random.Generator, rules: Sequence[Rule] = ()
) -> pd.DataFrame:
    """Turn codes into values: a category, or a value drawn inside its bin; see ``inside_codes.levels``.

    Where a value is drawn by the time since another one, which a rule decides, it counts from what the rule
    gives: else the two would break the rule that puts one after the other, in most rows.

    Args:
        codes: Integer codes of shape (rows, attributes).
        domain: The public domain.
        rng: Draws the value inside a bin. Post-processing: free of charge.
        rules: The public rules: dates are placed by their parts that are drawn, see ``rules/placing.py``.
    """
    codes, domain = own_codes(codes, domain, rng), own_domain(domain)
    codes = in_whole_cells(codes, domain, rng)
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    parts = drawn_parts(rules, attributes)
    starts = _decided_starts(domain, rules)
    columns: dict[str, pd.Series] = {}
    drawn: dict[str, _Steps] = {}
    places = levels(codes, domain, rng)
    for i in _in_order(domain, {rule.column for rule in parts}, starts):
        attribute = domain.attributes[i]
        if isinstance(attribute, Numeric) and attribute.pieces is not None:
            steps = _draw_steps(codes[:, i], attribute, places[i], drawn, rng)
            if own := [rule for rule in parts if rule.source == attribute.name]:
                steps = _placed(steps, codes[:, i], attribute, wanted_parts(own, columns, attributes))
            columns[attribute.name] = _written_steps(steps, attribute)
            if attribute.name in starts:
                steps = _decided(starts[attribute.name], columns, attributes)
                columns[attribute.name] = _written_steps(steps, attribute)
            drawn[attribute.name] = steps
        else:
            columns[attribute.name] = _decode_column(codes[:, i], attribute, places.get(i))
    return pd.DataFrame({name: columns[name] for name in domain.names})


@dataclass(frozen=True, slots=True)
class _Steps:
    """Drawn values in steps of their grid, the first one where a value is missing."""

    values: NDArray[np.int64]
    null: NDArray[np.bool_]


def _placed(steps: _Steps, codes: NDArray[np.int32], attribute: Numeric, wanted: Wanted) -> _Steps:
    """The dates that are there, placed by the parts that were drawn of them."""
    known = ~steps.null
    here = {part: values[known] for part, values in wanted.items()}
    values = steps.values.copy()
    values[known] = placed(values[known], codes[known], attribute, here)
    return _Steps(values, steps.null)


def _since(domain: Domain) -> dict[str, str]:
    """The other date of each attribute whose values are drawn by the time since."""
    return {a.name: a.since.column for a in domain.attributes if isinstance(a, Numeric) and a.since}


def _decided_starts(domain: Domain, rules: Sequence[Rule]) -> dict[str, Rule]:
    """Attributes from which others count and that a rule decides, by what does not count from them."""
    since = _since(domain)
    if not set(since.values()) & {rule.target for rule in rules}:
        return {}
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    found = {rule.target: rule for rule in decided(rules, attributes) if rule.target in since.values()}
    return {
        name: rule
        for name, rule in found.items()
        if name is not None
        and name not in since
        and not any(column in since or column in found for column in rule.columns if column != name)
    }


def _decided(rule: Rule, columns: Mapping[str, pd.Series], attributes: Mapping[str, Attribute]) -> _Steps:
    """What a rule gives a column, in steps of its grid."""
    name = rule.target
    assert name is not None
    attribute = attributes[name]
    assert isinstance(attribute, Numeric)
    view = View(pd.DataFrame({column: columns[column] for column in rule.columns}), attributes)
    given = rule.assigned(view)
    if given is not None:
        view.put(name, given)
    numbers = view.numbers(name)
    null = np.isnan(numbers)
    known = np.clip(np.where(null, attribute.minimum, numbers), attribute.minimum, attribute.maximum)
    return _Steps(attribute.grid.positions(known) + attribute.grid.first, null)


def _written_steps(steps: _Steps, attribute: Numeric) -> pd.Series:
    return _written(attribute.grid.values(steps.values - attribute.grid.first), steps.null, attribute)


def _in_order(domain: Domain, first: Collection[str], starts: Collection[str]) -> list[int]:
    """The attributes: some first, what rules decide, each that counts from another or repeats it later."""
    since = _since(domain)
    since |= {a.name: a.repeats for a in domain.attributes if isinstance(a, Numeric) and a.repeats}

    def depth(name: str) -> int:
        if name in first:
            return -1
        count = int(name in starts)
        while name in since and count <= len(since) + 1:
            name, count = since[name], count + 1 + (since[name] in starts)
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
    another row's, and so is one that ends after the latest date, or before the earliest: cut off, such rows
    would all end on one day.
    """
    assert attribute.pieces is not None
    grid, null = attribute.grid, _null(codes, attribute)
    positions = np.zeros(len(codes), dtype=np.int64)
    positions[~null] = attribute.pieces.positions(codes[~null], places[~null])
    if attribute.repeats:
        other = drawn[attribute.repeats]
        both = ~null & ~other.null
        return _Steps(with_same_values(positions + grid.first, codes, attribute, other.values, both), null)
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
    short = ~null & (positions < longest)
    beyond = short & ((positions > last - starts) | (positions < grid.first - starts))
    positions[beyond] = _that_fit(
        positions[short], (grid.first - starts)[beyond], (last - starts)[beyond], rng
    )
    steps: NDArray[np.int64] = np.clip(starts + positions, grid.first, last)
    steps[positions >= longest] = last
    steps[null] = grid.first
    return _Steps(steps, null)


def _that_fit(
    times: NDArray[np.int64], least: NDArray[np.int64], most: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """For each room one of the times that lie in it, at random; where none does, its end next to them."""
    ordered = np.sort(times)
    first = np.searchsorted(ordered, least, side="left")
    fitting = np.searchsorted(ordered, most, side="right") - first
    if not len(ordered) or not len(least):
        return least
    chosen = first + (rng.random(len(least)) * np.maximum(fitting, 0)).astype(np.int64)
    nearest = np.where(first < len(ordered), most, least)
    return np.where(fitting > 0, ordered[np.minimum(chosen, len(ordered) - 1)], nearest)


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
    if attribute.edges or attribute.resolution is not None or attribute.listed or attribute.kind != "number":
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
        numbers += np.where(null, 0, np.sign(codes - attribute.equal_bins(numbers)))
        numbers = np.clip(numbers, math.ceil(attribute.minimum), math.floor(attribute.maximum))
        return pd.Series(pd.arrays.IntegerArray(np.where(null, 0, numbers).astype(np.int64), null))
    return pd.Series(pd.arrays.FloatingArray(attribute.stored(np.minimum(numbers, attribute.maximum)), null))


def _inside_bins(
    codes: NDArray[np.int32], null: NDArray[np.bool_], attribute: Numeric, places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values of the grid drawn evenly inside their bins; anywhere in a bin that holds none."""
    grid, edges = attribute.grid, np.array(attribute.bin_edges)
    first = grid.first_from(edges)
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
        words = write_values(values, attribute.kind, attribute.format, decimals=attribute.grid.decimals)
        return _of_words(words, null)
    if attribute.integer:
        return pd.Series(pd.arrays.IntegerArray(np.rint(values).astype(np.int64), null))
    return pd.Series(pd.arrays.FloatingArray(attribute.stored(values), null))


def _texts(texts: Sequence[str], codes: NDArray[np.integer], null: NDArray[np.bool_]) -> pd.Series:
    """A column of texts: Arrow copies each from its place, where pandas would make an object a row."""
    import pyarrow as pa

    return _of_words(pa.array(texts, pa.large_string()).take(pa.array(np.where(null, 0, codes))), null)


def _of_words(words: pa.Array, null: NDArray[np.bool_]) -> pd.Series:
    """A column of texts, missing where said."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if null.any():
        words = pc.if_else(pa.array(null), None, words)
    dtype: Any = pd.StringDtype(na_value=np.nan)
    return pd.Series(dtype.__from_arrow__(words))
