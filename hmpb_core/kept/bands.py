"""Lists that every row of the private table has as bands of a number: for the steward's eyes only."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.kept.telling import PART, ROWS, START
from hmpb_core.publishing.repeats import repeated_columns
from hmpb_core.rules.bands import BandOf
from hmpb_core.rules.reading import View
from hmpb_core.texts import text_of

MOST_BANDS = 40
"""Categories of the longest list that is looked at."""
NUMBERS = 2
"""Numbers a band at least that there must be: of fewer, the list is another name of the number."""

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def kept_bands(
    view: View, domain: Domain, numbers: Sequence[str], taken: Collection[str | None]
) -> list[BandOf]:
    """Find the lists whose categories part the values of a number, each beside the first such number.

    A list that goes one to one with an earlier one repeats it, which is told elsewhere.

    Args:
        view: The private table.
        domain: The published columns.
        numbers: Names of the numbers that a list may be a band of.
        taken: Columns that a rule decides already.
    """
    lists = [
        a
        for a in domain.attributes
        if isinstance(a, Categorical) and a.name not in taken and 2 <= len(a.categories) <= MOST_BANDS
    ]
    again = {name for name, _ in repeated_columns(view.frame, [a.name for a in lists]).value}
    found = []
    for attribute in (a for a in lists if a.name not in again):
        place, texts = view.parts(attribute.name)
        places = np.where(view.present(attribute.name), place, -1)
        for name in numbers:
            starts = _starts(view.numbers(name), places)
            source = view.attributes[name]
            if starts is not None and isinstance(source, Numeric):
                first, *others = starts.items()
                bands = {text_of(s): str(texts[code]) for s, code in ((source.minimum, first[1]), *others)}
                found.append(BandOf(column=attribute.name, source=name, values=bands))
                break
    return found


def _starts(numbers: Floats, places: Places) -> dict[float, int] | None:
    """Where the numbers of each category begin; None where they overlap, or might by chance not."""
    known = ~np.isnan(numbers) & (places >= 0)
    for rows in (slice(START), slice(None)):
        values, codes = numbers[rows][known[rows]], places[rows][known[rows]]
        order = np.lexsort((codes, values))
        values, codes = values[order], codes[order]
        begins = np.flatnonzero(np.diff(codes, prepend=-1))
        if len(begins) != len(np.unique(codes)):
            return None
        if (values[begins[1:]] == values[begins[1:] - 1]).any():
            return None
    differ = len(codes) - int(np.bincount(codes).max()) if len(codes) else 0
    distinct = np.count_nonzero(np.diff(values)) + 1
    if differ < max(ROWS, PART * len(codes)) or distinct < NUMBERS * len(begins):
        return None
    edges = [-math.inf, *map(roundest, values[begins[1:] - 1], values[begins[1:]])]
    return dict(zip(edges, codes[begins].tolist(), strict=True))


def roundest(low: float, high: float) -> float:
    """Give the number above the one and up to the other that is written with the fewest digits.

    Example:
        >>> roundest(17, 18), roundest(24.9, 25.0), roundest(18.4, 18.5), roundest(41_800, 52_300)
        (18.0, 25.0, 18.5, 50000.0)
    """
    below, above = Fraction(str(low)), Fraction(str(high))
    for digits in range(math.ceil(math.log10(max(abs(low), abs(high), 1))) + 1, -16, -1):
        step = Fraction(10) ** digits
        for part in (step, step / 2):
            number = math.floor(above / part) * part
            if number > below:
                return float(number)
    return float(high)
