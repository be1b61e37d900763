"""The looks of a survey, and how they share what was charged for it.

First every column's kinds are counted, and its different texts, its numbers beyond the bounds of a
vocabulary, or those of three decimals, four and so on: a tenth of the loss. Then every column
that has a scale or texts is counted by cells, a quarter; and once more with the rest, most of it for the
columns of which most is still unexplained: two words are found at once, sixteen are not. Where most of a
scale is unexplained its neighbouring cells are put together: what is spread thin stands out of the noise of
few cells. Which look comes next, and with how much of the loss, depends on noisy results alone; the sum is
fixed (adaptive composition, [BS2016, Theorem 8] for zCDP).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hmpb_core.marginal import Marginal
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.progress import Progress, silent
from hmpb_core.survey.cells import DATED_CELLS, N_CELLS, SCALE_CELLS, TEXTS, Counted, Kind
from hmpb_core.survey.findings import Look
from hmpb_core.survey.noisy import Floats, Noisy
from hmpb_core.survey.scales import Bounds, coarse_cells
from hmpb_core.survey.sketches import Sketch, decimals_of, sketch_of

STAGE = Stage.ONE_WAY_TABLES
BEYOND = 0.05
"""Part of a column's numbers beyond the bounds of a vocabulary from which on these give way."""
MOSTLY_DISTINCT = 0.5
"""A text column with more different values than this part of its rows holds identifiers or free text."""
KINDS_PART, DOUBT_PART, FIRST_PART = Fraction(8, 100), Fraction(2, 100), Fraction(25, 100)
"""Parts of the loss for the kinds, for the number of different texts, of numbers beyond a vocabulary's bounds
or of those of three decimals, four and so on, and for the first count of cells."""
LAST_PART = 1 - KINDS_PART - DOUBT_PART - FIRST_PART
FOUND = {len(SCALE_CELLS): 0.5, len(DATED_CELLS): 0.9}
"""Part of a column's rows inside its bounds below which the second look counts coarse cells of its scale:
powers of two are coarse already."""
LEAST_WEIGHT, LEAST_FOR_BOUNDS = 0.1, 0.2
"""The part of a column that counts as unexplained at least: what noise says of it may be mistaken."""
_LOOKS = 2


def look_at(
    counted: Mapping[str, Counted],
    accountant: Accountant,
    *,
    delta: float,
    bounded: Mapping[str, Bounds] = MappingProxyType({}),
    progress: Progress = silent,
) -> dict[str, Look]:
    """Look at columns; spends at most what the accountant's stage has left, and this delta.

    Args:
        counted: The columns' exact counts.
        accountant: Holds what was charged.
        delta: What thresholds may cost; 0 finds no texts.
        bounded: Bounds that columns have by their names: the cells of one whose numbers are of their kinds,
            and not clearly beyond them, are not counted.
        progress: Called with the part done so far.
    """
    progress(0.0, "finding")
    whole = accountant.left(STAGE)
    each = whole / len(counted)
    places = {name: place for place, name in enumerate(counted)}
    looks = {}
    for name, one in counted.items():
        sketch = _sketch(one, accountant, each, name=name, place=places[name], bounds=bounded.get(name))
        looks[name] = Look(sketch=sketch, texts={}, columns=len(counted))
    asked = [name for name, look in looks.items() if look.asked and not _fits(look.sketch, bounded.get(name))]
    if not asked:
        return looks
    part = float(np.nextafter(delta / (_LOOKS * len(asked)) * (1 - 1e-12), 0))
    for again, loss in enumerate((whole * FIRST_PART, None)):
        weights = [1.0 if loss else _weight(looks[name]) for name in asked]
        rest = accountant.left(STAGE) if loss is None else loss
        for done, (name, share) in enumerate(zip(asked, _shares(weights), strict=True)):
            progress((again + done / len(asked)) / _LOOKS, "finding")
            one, look = counted[name], looks[name]
            look.mixed = look.cells is not None and look.has_answers
            if look.is_list or look.mixed:
                one = one.as_words()
            if look.sketch and look.sketch.dated and look.sketch.dated.as_numbers:
                one = one.as_dates()
            if look.sketch and look.sketch.lasting:
                one = one.as_lengths()
            scale = np.empty(0, dtype=np.int64) if look.mixed else _unexplained(look)
            noisy, told = accountant.discover(
                coarser(one.cells, scale),
                listed=N_CELLS,
                delta=part,
                stage=STAGE,
                loss=rest * share,
                what=f"survey of {name}: values",
                attribute=places[name],
            )
            cells = _noisy(noisy[:N_CELLS], accountant, rest * share)
            if len(scale):
                look.coarse = cells.of(scale[: coarse_cells(len(scale))[-1] + 1])
            elif not look.mixed:  # whose numbers have left their cells: the first look tells what was there
                look.cells = cells if look.cells is None else look.cells.joined(cells)
            look.texts |= {one.texts[cell - N_CELLS]: float(noisy[cell]) for cell in told[N_CELLS:]}
    return looks


def _unexplained(look: Look) -> NDArray[np.int64]:
    """The scale of a column most of which a first look at its cells has not explained; else none."""
    scale = np.empty(0, dtype=np.int64) if look.sketch is None else look.sketch.scale
    known = look.cells is None or look.explained >= FOUND.get(len(scale), 0.0)
    return scale[:0] if known else scale


def coarser(cells: NDArray[np.int64], scale: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same rows with a scale's cells put together, in the scale's first places: a partition as before."""
    if not len(scale):
        return cells
    of = coarse_cells(len(scale))
    together = cells.copy()
    together[scale] = 0
    together[scale[: of[-1] + 1]] = np.bincount(of, weights=cells[scale]).astype(np.int64)
    return together


def _weight(look: Look) -> float:
    """How much of the rest a column gets: the part of it that is unexplained, and at least a little."""
    least = LEAST_WEIGHT if look.sketch is None or not len(look.sketch.scale) else LEAST_FOR_BOUNDS
    return max(1 - look.explained, least)


def _sketch(
    one: Counted, accountant: Accountant, each: Fraction, *, name: str, place: int, bounds: Bounds | None
) -> Sketch | None:
    def measured(counts: NDArray[np.int64], part: Fraction, what: str) -> Noisy:
        table = Marginal(attributes=(place,), counts=counts)
        noisy = accountant.measure(table, stage=STAGE, loss=each * part, what=f"survey of {name}: {what}")
        return _noisy(noisy.counts, accountant, each * part)

    kinds = measured(one.kinds, KINDS_PART, "kinds of values")
    sketch = sketch_of(kinds)
    in_doubt = bounds is not None and _fits(sketch, bounds)
    if sketch is not None and sketch.kind is Kind.DECIMALS and not in_doubt:
        return replace(sketch, decimals=decimals_of(measured(one.decimals, DOUBT_PART, "decimals")))
    if bounds is not None and in_doubt:
        rows, what = int(one.cells[bounds.beyond].sum()), "values beyond its bounds"
    else:
        rows, what = one.distinct, "number of values"
    noisy = measured(np.array([rows], dtype=np.int64), DOUBT_PART, what)
    if sketch is None:
        return None
    least, telling = float(noisy.counts[0]) - noisy.clear(1), sketch.rows - sketch.marks
    return replace(
        sketch,
        beyond=in_doubt and least > BEYOND * sketch.rows,
        distinct=sketch.kind in TEXTS and least > MOSTLY_DISTINCT * telling > 0,
    )


def _fits(sketch: Sketch | None, bounds: Bounds | None) -> bool:
    """Whether bounds are of the column's kind, and hold its numbers as far as is known."""
    return sketch is not None and bounds is not None and sketch.kind in bounds.kinds and not sketch.beyond


def _noisy(counts: Floats | NDArray[np.int64], accountant: Accountant, loss: Fraction) -> Noisy:
    return Noisy(
        counts=np.asarray(counts, dtype=np.float64),
        sd=accountant.table_noise_sd(loss),
        laplace=accountant.guarantee.currency is Currency.PURE,
    )


def _shares(weights: list[float]) -> list[Fraction]:
    """Weights as exact shares of a whole."""
    exact = [Fraction(weight).limit_denominator(1000) for weight in weights]
    return [weight / sum(exact) for weight in exact]
