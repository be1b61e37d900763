"""The accuracy sheet: what readers may count on, worked out from a bundle's own files and nothing else.

Whoever changes the private table under a fixed release gets the same sheet, because the sheet never sees
the table: the noise on every paid table, the noisy one-way shares and the codebook are all it knows.
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.planning.feasibility import USABLE, WEAK, Verdict
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.privacy.ledger import digest_of
from hmpb_core.publishing.dictionary import dictionary_of
from hmpb_core.publishing.mean_accuracy import INTERVAL, mean_interval
from hmpb_core.publishing.model_files import MEASUREMENTS, PaidModel, model_of_bundle
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord

FORMAT = "hmpb-accuracy/1"
SHOWN_PAIRS = 40
DRAWN = 50_000
"""Rows drawn from the model to see how the values of two columns go together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAccuracy:
    """How well a column alone is known.

    Attributes:
        name: Its name.
        values: Number of its codes.
        noise: Half the width of the 95 % noise interval of a value's share, in shares of the rows; None where
            no paid table holds the whole column.
        mean_noise: The same for the column's mean, in its own unit; None where it is no number, or where its
            mean is not known.
        is_number: Whether it has a mean.
    """

    name: str
    values: int
    noise: float | None
    mean_noise: float | None
    is_number: bool = False

    @property
    def mean_words(self) -> str:
        """The mean's interval as the page says it."""
        if self.mean_noise is None:
            return "not known" if self.is_number else ""
        return f"{self.mean_noise:.3g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAccuracy:
    """How well two columns together are known.

    Attributes:
        names: Their names.
        cells: Cells of their table.
        noise: Half the width of the 95 % noise interval of a cell's share, in shares of the rows.
        error: Expected total variation distance that noise causes, in shares of the rows.
        verdict: What that error leaves of a relation of ordinary strength.
    """

    names: tuple[str, str]
    cells: int
    noise: float
    error: float
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """What readers may count on.

    Attributes:
        rows: Rows of the synthetic table.
        drawing: Half the width of the 95 % interval that drawing the rows adds to a share, at most.
        columns: Each column alone.
        pairs: The pairs that were paid for together, the least accurate first.
        indirect: Number of pairs that no paid table holds together.
        lonely: Columns of which no pair was paid for.
        smallest: Smallest group in a paid pair of which the size is known to within one half; None without
            pairs.
    """

    rows: int
    drawing: float
    columns: tuple[ColumnAccuracy, ...]
    pairs: tuple[PairAccuracy, ...]
    indirect: int
    lonely: tuple[str, ...]
    smallest: int | None

    @property
    def headline(self) -> str:
        """The sheet in two sentences."""
        known = [column.noise for column in self.columns if column.noise is not None]
        first = f"Drawing {self.rows:,} rows adds at most {_points(self.drawing)} to any share."
        if not known:
            return first
        text = (
            f"Noise moves the share of a value of one column by less than {_points(max(known))} "
            f"(95 % of the time, in the least accurate column). {first}"
        )
        if self.pairs:
            weak = sum(pair.verdict is not Verdict.USABLE for pair in self.pairs)
            text += f" Of {len(self.pairs)} pairs of columns that were measured together {weak} are weak."
        return text

    @property
    def avoid(self) -> list[str]:
        """What the rows should not be used for."""
        found = []
        if self.smallest is not None:
            found.append(
                f"Groups of fewer than {self.smallest:,} people in a table of two columns: their size may be "
                "off by more than half."
            )
        found += [
            f"The relation of {pair.names[0]} and {pair.names[1]}: noise hides it."
            for pair in self.pairs
            if pair.verdict is Verdict.DROWNED
        ]
        found += [
            f"Any relation of {name} to another column: none was measured, so the rows show it as unrelated."
            for name in self.lonely
        ]
        if self.indirect:
            found.append(
                f"The relation of two columns that were not measured together ({self.indirect} pairs): the "
                "rows show only what follows from the pairs that were."
            )
        found.append("Relations among three or more columns that no single table of the model holds.")
        found.append("Single rows: none is a person.")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Give the sheet as plain values."""
        return {
            "format": FORMAT,
            "headline": self.headline,
            "rows": self.rows,
            "drawing_interval": self.drawing,
            "columns": {
                column.name: {
                    "values": column.values,
                    "noise_interval": column.noise,
                    "mean_noise_interval": column.mean_noise,
                }
                for column in self.columns
            },
            "pairs": [
                {
                    "columns": list(pair.names),
                    "cells": pair.cells,
                    "noise_interval": pair.noise,
                    "expected_error": pair.error,
                    "verdict": pair.verdict.value,
                }
                for pair in self.pairs
            ],
            "pairs_not_measured": self.indirect,
            "do_not_use": self.avoid,
        }


def accuracy_of(files: Mapping[str, bytes], *, rows: int) -> Accuracy:
    """Work the sheet out from a bundle's files.

        noise on a cell of a smaller table, summed from a larger one: sd sqrt(cells of one / cells of other)
        several tables over the same columns: 1 / sd^2 adds up
        expected error of a pair: 1/2 sum_cells min(mean size of the noise, share in the model)

    The tables that the rows are drawn from were made to agree with each other, which lowers the noise
    further: the intervals are upper ones, as far as noise goes.

    Args:
        files: The bundle's files by path: the plan, the codebook and the paid model.
        rows: Rows of the synthetic table.

    Raises:
        SourceError: the bundle holds no list of measurements.
    """
    try:
        tables = json.loads(files["model/tables.json"])
        acts = json.loads(files[MEASUREMENTS])["acts"]
    except KeyError:
        raise SourceError(
            "The bundle does not list its measurements; it was made by an older version, so no accuracy "
            "sheet can be made of it."
        ) from None
    model = model_of_bundle(files)
    domain, people = model.domain, model.n_rows
    laplace = model.plan.guarantee.currency is Currency.PURE
    known = _Known(acts, {name: len(shares) for name, shares in tables["one_way"].items()})
    shares = {name: np.array(tables["one_way"].get(name, [1.0])) for name in domain.names}
    together = _pair_shares(model, _seed_of(files))
    pairs = []
    for first, second in itertools.combinations(domain.names, 2):
        sd = known.sd((first, second))
        if sd is not None:
            level = sd / people * (1 / math.sqrt(2) if laplace else math.sqrt(2 / math.pi))
            error = 0.5 * float(np.minimum(together(first, second), level).sum())
            pairs.append(
                PairAccuracy(
                    names=(first, second),
                    cells=len(shares[first]) * len(shares[second]),
                    noise=INTERVAL * sd / people,
                    error=error,
                    verdict=_verdict(error),
                )
            )
    d = len(domain)
    related = {name for pair in pairs for name in pair.names}
    typical = statistics.median(pair.noise for pair in pairs) if pairs else None
    return Accuracy(
        rows=rows,
        drawing=INTERVAL * math.sqrt(0.25 / rows),
        columns=tuple(
            _column(attribute, known, shares[attribute.name], people) for attribute in domain.attributes
        ),
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.error, pair.names))),
        indirect=d * (d - 1) // 2 - len(pairs),
        lonely=tuple(name for name in domain.names if name not in related) if d > 1 else (),
        smallest=None if typical is None else math.ceil(2 * typical * people),
    )


def accuracy_files(record: ReleaseRecord, files: Mapping[str, bytes]) -> dict[str, str]:
    """Give the sheet for people and for programs, by path in the bundle."""
    sheet = accuracy_of(files, rows=record.rows)
    return {
        "accuracy.html": accuracy_page(record, sheet),
        "accuracy.json": json.dumps(sheet.to_dict(), ensure_ascii=False, indent=1) + "\n",
    }


def accuracy_page(record: ReleaseRecord, sheet: Accuracy) -> str:
    """Give the sheet for people."""
    return page_of(
        "accuracy.html.j2",
        record,
        sheet=sheet,
        columns=[
            (column.name, column.values, _points(column.noise), column.mean_words) for column in sheet.columns
        ],
        pairs=[
            (
                " x ".join(pair.names),
                f"{pair.cells:,}",
                _points(pair.noise),
                _points(pair.error),
                pair.verdict,
            )
            for pair in sheet.pairs[:SHOWN_PAIRS]
        ],
        more=max(0, len(sheet.pairs) - SHOWN_PAIRS),
        dictionary=dictionary_of(record.codebook),
    )


class _Known:
    """The noise on the tables that were paid for, by the columns they are over."""

    def __init__(self, acts: Sequence[Mapping[str, Any]], sizes: Mapping[str, int]) -> None:
        self._sizes = sizes
        self._tables = [
            (frozenset(act["attributes"]), float(act["noise_sd"])) for act in acts if act["kind"] == "table"
        ]

    def sd(self, names: tuple[str, ...]) -> float | None:
        """Standard deviation of the noise on a count over these columns; None where no table holds them."""
        wanted = frozenset(names)
        if not wanted <= self._sizes.keys():  # a column that was learned in parts, such as bits
            return None
        variances = [
            sd**2 * math.prod(self._sizes[name] for name in held - wanted)
            for held, sd in self._tables
            if wanted <= held
        ]
        if not variances:
            return None
        return 0.0 if 0 in variances else 1 / math.sqrt(sum(1 / v for v in variances))

    def first_look(self, name: str) -> float | None:
        """Standard deviation of the noise on a count of a column's own table, when it was first looked at."""
        return next((sd for held, sd in self._tables if held == {name}), None)


def _seed_of(files: Mapping[str, bytes]) -> int:
    """A number that the released model alone decides, so that the same bundle has the same sheet."""
    return int(digest_of(files["model/tables.json"])[:15], 16)


def _pair_shares(model: PaidModel, seed: int) -> Callable[[str, str], NDArray[np.float64]]:
    """Give a function from two columns to their shares among rows drawn from the model, always the same."""
    codes = model.sample_codes(DRAWN, rng=np.random.default_rng(seed))
    domain = model.domain

    def shares(first: str, second: str) -> NDArray[np.float64]:
        a, b = domain.index(first), domain.index(second)
        columns = domain.sizes[b]
        cells = np.bincount(codes[:, a] * columns + codes[:, b], minlength=domain.sizes[a] * columns)
        return cells / len(codes)

    return shares


def _column(attribute: Attribute, known: _Known, shares: NDArray[np.float64], people: int) -> ColumnAccuracy:
    sd = known.sd((attribute.name,))
    is_number = isinstance(attribute, Numeric) and attribute.kind == "number"
    mean = None
    if sd is not None and isinstance(attribute, Numeric) and is_number:
        cell_sd = known.first_look(attribute.name)
        mean = mean_interval(
            attribute, shares, code_sd=sd, cell_sd=sd if cell_sd is None else cell_sd, people=people
        )
    return ColumnAccuracy(
        name=attribute.name,
        values=attribute.size,
        noise=None if sd is None else INTERVAL * sd / people,
        mean_noise=mean,
        is_number=is_number,
    )


def _verdict(error: float) -> Verdict:
    if error <= USABLE:
        return Verdict.USABLE
    return Verdict.WEAK if error <= WEAK else Verdict.DROWNED


def _points(share: float | None) -> str:
    return "not measured alone" if share is None else f"{100 * share:.2g} points"
