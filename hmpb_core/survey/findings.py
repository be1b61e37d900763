"""From a noisy histogram to a field of the codebook. Looks at paid counts alone: post-processing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.codebook import LEARNED
from hmpb_core.survey.cells import DECIMALS, FIRST_YEAR, FORMATS, date_cells, number_cells, number_range

OTHER = "(other)"
"""The category of texts that too few people share."""


def field_of(
    draft: Mapping[str, Any], counts: NDArray[np.int64], texts: Sequence[str], *, clear: float
) -> dict[str, Any] | None:
    """Give a column's field: what most of its rows are, within the bounds that noise lets through.

    Args:
        draft: The field as it stands.
        counts: Noisy counts: of the public cells, then of the texts that were found.
        texts: These texts.
        clear: A noisy count above it is more than noise.

    Returns:
        The field, without its source; None where noise hides everything.
    """
    kept = {
        key: draft[key]
        for key in ("name", "title", "description", "missingValues", "sensitive")
        if key in draft
    }
    found = np.where(counts > clear, counts, 0)
    numbers = [found[number_cells(decimals)] for decimals in DECIMALS]
    dates = [found[date_cells(way)] for way in range(len(FORMATS))]
    of_texts = counts[len(counts) - len(texts) :].sum() if texts else 0
    masses = [np.sum(numbers), *(np.sum(cells) for cells in dates), of_texts]
    kind = int(np.argmax(masses))
    if masses[kind] == 0:
        return None
    if kind == 0:
        return kept | _number(numbers)
    if kind == len(masses) - 1:
        return kept | {
            "type": "string",
            "categories": [*sorted(texts), OTHER],
            "categoriesOrdered": False,
            "unknown": OTHER,
        }
    return kept | _date(dates[kind - 1], FORMATS[kind - 1])


def _number(numbers: Sequence[NDArray[np.int64]]) -> dict[str, Any]:
    places = np.flatnonzero(np.sum(numbers, axis=0))
    decimals = max(digits for digits in DECIMALS if numbers[digits].any())
    low, high = number_range(int(places[0]))[0], number_range(int(places[-1]))[1]
    if 0 < low <= high / 4:
        low = 0.0  # few small values are stray ones; so wide a range loses nothing by holding them
    if low == high:
        high = low + 1
    if decimals == 0:
        high -= 1 if high > max(low + 1, 1) else 0
        bounds = {"minimum": int(low), "maximum": int(high)}
        return {"type": "integer", "constraints": bounds, "bins": LEARNED}
    resolution = {"decimals": decimals} if decimals < DECIMALS[-1] else {}
    limits = {"minimum": low, "maximum": high}
    return {"type": "number", "constraints": limits, "bins": LEARNED, **resolution}


def _date(years: NDArray[np.int64], form: str) -> dict[str, Any]:
    places = np.flatnonzero(years)
    first, last = FIRST_YEAR + int(places[0]), FIRST_YEAR + int(places[-1])
    ends = {
        "": (f"{first}-01-01", f"{last}-12-31"),
        FORMATS[1]: (f"01.01.{first}", f"31.12.{last}"),
        FORMATS[2]: (f"01/01/{first}", f"12/31/{last}"),
    }[form]
    written = {"format": form} if form else {}
    bounds = {"minimum": ends[0], "maximum": ends[1]}
    return {"type": "date", "constraints": bounds, "bins": LEARNED, **written}
