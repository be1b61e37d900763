"""From what was found of a column to its field of the codebook: post-processing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hmpb_core.codebook_fields import LEARNED, SHORTEST
from hmpb_core.declared import LARGEST_NUMBER
from hmpb_core.grid import default_step
from hmpb_core.sources.drafting.numerals import USUAL_DECIMALS
from hmpb_core.sources.drafting.ordering import in_order, is_range
from hmpb_core.sources.drafting.place_codes import is_of_postcodes
from hmpb_core.survey.cells import FIRST_DATED, FIRST_YEAR, NUMBER_CELLS, NUMBERS, Kind, number_range
from hmpb_core.survey.findings import Look, are_short
from hmpb_core.survey.scales import EARLIER, ONE, holds_zeros, stretched, whole_range, widened_years
from hmpb_core.survey.sketches import POINTED, Sketch
from hmpb_core.survey.words import CODES, code_groups, code_of
from hmpb_core.texts import text_of

OTHER = "(other)"
"""The category of texts that too few people share."""
MOSTLY_EXPLAINED = 0.9
"""Codes that stand out make up at least this part of the rows where the others need no groups."""
SLACK = 2
"""Decimals that numbers of three or more get beyond those that cut their range in 10^5 to 10^6, four in all
at most: bounds that reach a hundred times too far would leave few values of theirs, of 40.684321 up to 1024
those of two decimals."""
LARGEST_EXACT = 10.0**15
"""How many steps from 0 a number of 64 bits tells apart, each of them."""
KEPT = ("name", "title", "description", "missingValues", "labels", "sensitive")
"""What a field keeps, whatever a survey finds in its column."""

_ZERO = len(NUMBER_CELLS) // 2
"""The place of 0 among the cells of numbers."""


def field_of(draft: Mapping[str, Any], look: Look) -> dict[str, Any] | None:
    """Give a column's field, without its source; None where noise hides what it would say.

    Args:
        draft: The field as it stands.
        look: What is known of the column.
    """
    sketch = look.sketch
    if sketch is None:
        return None
    kept = {key: draft[key] for key in KEPT if key in draft}
    if look.is_list:
        if sketch.distinct:
            role = "text" if sketch.kind is Kind.PHRASE else "identifier"
            return kept | {"type": "string", "role": role, "publish": False}
        listed = _listed(str(draft.get("name", "")), look)
        absent = look.absent(look.listed.words if look.listed else ())
        return kept | listed | missing_codes(draft, absent, sketch) if listed else None
    kept |= missing_codes(draft, look.named, sketch)  # NA is a word of a public list as well: Namibia
    kept["unknown"] = ""  # nobody looked: a word among numbers would stop every run
    if sketch.dated and not sketch.dated.has_years:
        return kept | sketch.dated.field(FIRST_YEAR, FIRST_YEAR)
    if sketch.dated:
        if look.ends is None:
            return None
        years = widened_years(*look.ends, 1 - look.explained)
        first, last = (FIRST_DATED + year for year in years)
        return kept | sketch.dated.field(first, last, look.century)
    if look.ends is None and look.years is None:
        return None
    if sketch.lasting and look.ends:
        ends = _reach(look, sketch, *look.ends)
        return kept | sketch.lasting.field(number_range(ends[0])[0], number_range(ends[1])[1])
    bounds, sketch = [], replace(_of_years(look, sketch), step=look.step)
    if look.ends is not None:
        if max(abs(bound) for end in look.ends for bound in number_range(end)) <= sketch.step:
            sketch = replace(sketch, step=1)  # 0 alone is a multiple of everything
        of_years = bool(look.years) and sketch.kind is Kind.WHOLE
        ends = (EARLIER, EARLIER) if of_years and _earlier(look) else _reach(look, sketch, *look.ends)
        within = whole_range if of_years else number_range
        bounds += [within(ends[0])[0], within(ends[1])[1]]
    if look.years is not None:
        bounds += [float(FIRST_YEAR + look.years[0]), float(FIRST_YEAR + look.years[1] + 1)]
    assert look.cells is not None
    return kept | number_field(
        min(bounds), max(bounds), sketch, zeros=holds_zeros(look.cells.of(NUMBER_CELLS))
    )


def _of_years(look: Look, sketch: Sketch) -> Sketch:
    """A column of which years alone were found has no decimals: whole numbers alone lie in their cells."""
    if look.ends is not None or sketch.kind is Kind.WHOLE:
        return sketch
    return replace(sketch, kind=Kind.WHOLE, written=None if sketch.written == SHORTEST else sketch.written)


def _earlier(look: Look) -> bool:
    """Whether the numbers beside years are those of 1024 to 1899, as far as noise lets others be seen."""
    assert look.cells is not None
    assert look.ends is not None
    first, last = look.ends
    noisy = look.cells.of(NUMBER_CELLS)
    others = noisy.counts[first : last + 1].sum() - noisy.counts[EARLIER]
    return first <= EARLIER <= last and bool(others <= noisy.clear(1, max(1, last - first)))


def _reach(look: Look, sketch: Sketch, first: int, last: int) -> tuple[int, int]:
    """The cells that bound a column's numbers: those found, and those beside them."""
    assert look.cells is not None
    noisy = look.cells.of(NUMBER_CELLS)
    least = _ZERO if sketch.kind is not Kind.WHOLE or holds_zeros(noisy) else ONE
    low, high = stretched(first, last, noisy, smallest=sketch.smallest)
    low = min(max(low, least), high) if low == _ZERO else low
    if low == high == ONE and sketch.kind is Kind.WHOLE and noisy.counts[_ZERO] > noisy.counts[ONE + 1]:
        low = _ZERO  # 1 alone was found: of the numbers beside it the likelier one, however loud the noise
    return low, high


def missing_codes(draft: Mapping[str, Any], found: Mapping[str, float], sketch: Sketch) -> dict[str, Any]:
    """The missing codes of a field with those that were found, the commonest first; nothing without any.

    A text that reads as a range of numbers is none, nor is a code such as V57: it counts as missing only
    where it cannot be read, and the steward is told so.

    Args:
        draft: The field as it stands.
        found: Texts that mean a missing value, with about how many rows hold each.
        sketch: What the column seems to be.
    """
    known = draft.get("missingValues", [""])
    codes = [text_of(m["value"] if isinstance(m, dict) else m) for m in known]
    told = {text for text in found if text.isdecimal() or is_range(text) or code_of(text)}
    others = found.keys() - told - set(codes)
    more = sorted(others, key=lambda text: (-found[text], text))
    commoner = any(found[text] > sketch.missing for text in more)  # than all that was known
    return {"missingValues": [*more, *known] if commoner else [*known, *more]} if more else {}


def _listed(name: str, look: Look) -> dict[str, Any] | None:
    """Categories: a public list, or what stands out; rare codes fold into their groups, the rest into one."""
    words = look.listed
    absent = look.absent(words.words if words else ())
    named = [text for text in look.named if text != OTHER and text not in absent]
    named += [number for number in look.between if number not in named]
    texts = sorted(named, key=lambda text: (0, int(text), text) if text.isdecimal() else (1, 0, text))
    items: list[Any]
    ordered = words is not None and words.ordered
    if words is not None:
        kept = look.held(words)
        told = len(kept) == len(words.words) or not are_short(words.words)  # N, S, W: states of Austria?
        items = [i if told else w for i, w in zip(words.categories(), words.words, strict=True) if w in kept]
        items += [text for text in texts if text not in words.words]
    elif is_of_postcodes(name):
        groups = code_groups(name) if look.explained < MOSTLY_EXPLAINED else []
        items = [*texts, *(group for group in groups if group["value"] not in texts)]
    elif look.sketch is not None and look.sketch.kind is Kind.CODE:
        codes = [text for text in texts if text in CODES]
        groups = code_groups(name) if look.explained < MOSTLY_EXPLAINED else []
        items = [*({"value": code, "prefixes": [code]} for code in codes), *groups]
        items += [text for text in texts if text not in CODES]
    elif any(text.isdecimal() for text in texts):
        items = texts
    else:
        items, ordered = in_order(texts)
    if not items:
        return None
    return {
        "type": "string",
        "categories": [*items, OTHER],
        "categoriesOrdered": ordered,
        "unknown": OTHER,
    }


def number_field(low: float, high: float, sketch: Sketch, *, zeros: bool = True) -> dict[str, Any]:
    """A field of numbers between bounds, with decimals, steps and writing as they were seen.

    Args:
        low: The lower bound.
        high: The upper bound.
        sketch: What the column seems to be.
        zeros: Whether bounds that reach down to small numbers hold 0: where it was seen, it has a cell of its
            own.
    """
    kind, step = sketch.kind, sketch.step
    written = {} if sketch.written in (None, POINTED) else {"written": sketch.written}
    if 0 < low <= high / 4:
        # Few small values are stray ones; so wide a range loses nothing by holding them.
        low = 0.0 if zeros or kind is not Kind.WHOLE else min(low, step)
    low, high = max(low, -float(LARGEST_NUMBER)), min(high, float(LARGEST_NUMBER))
    if low == high:
        high = low + 1
    if max(-low, high) <= step:
        step = 1  # 0 alone is a multiple of everything
    if kind is Kind.WHOLE:
        high -= 1 if high > max(low + 1, 1) else 0
        first, most = math.floor(low / step) * step, math.ceil(high)
        bounds = {"minimum": first, "maximum": max(first + step, most // step * step)}
        of = {"multipleOf": step} if step > 1 else {}
        if sketch.written is not None:  # 3.0
            return {"type": "number", "constraints": bounds, "bins": LEARNED, "multipleOf": 1, **written}
        return {"type": "integer", "constraints": bounds, "bins": LEARNED, **of}
    resolution = {"decimals": sketch.decimals or NUMBERS.index(kind)}
    if kind is Kind.DECIMALS and (
        sketch.decimals is None or max(-low, high) * 10.0**sketch.decimals > LARGEST_EXACT
    ):
        usual = -round(math.log10(default_step(low, high)))
        decimals = min(USUAL_DECIMALS, usual + SLACK)
        resolution = {"decimals": decimals} if decimals > max(usual, 0) else {}
    least = 10.0 ** -resolution["decimals"] if resolution else float(default_step(low, high))
    low = 0.0 if -least < low < 0 < high else low  # noise alone showed in a number that would be written as 0
    return {
        "type": "number",
        "constraints": {"minimum": low, "maximum": high},
        "bins": LEARNED,
        **resolution,
        **written,
    }
