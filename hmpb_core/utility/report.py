"""One call that works the utility report out. Exact: for the steward's eyes only."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes, Domain
from hmpb_core.encoding import encode
from hmpb_core.errors import SourceError
from hmpb_core.metrics.agreement import Agreement, CountedPair, agreement, times
from hmpb_core.metrics.clipping import Clipping, clipping
from hmpb_core.metrics.dependence import DependenceMeasure, DependencePairs, dependences
from hmpb_core.metrics.groups import Groups, groups
from hmpb_core.metrics.learning import side_by_side
from hmpb_core.metrics.propensity import Propensity, propensity
from hmpb_core.metrics.second_sample import regular_subsample, size_factor, sizes_alike
from hmpb_core.metrics.values import numbers_of
from hmpb_core.progress import Progress, silent
from hmpb_core.utility.columns import ColumnReport, column_reports
from hmpb_core.utility.prediction import Prediction, default_target, predict

Floats = NDArray[np.float64]

MIN_ROWS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How many rows the figures look at that need not see them all.

    Attributes:
        learn: Rows that a model learns from, and rows it is tested on.
        tell_apart: Rows of each table that a model tells apart.
        depend: Rows of each table that pairs' dependence is worked out on.
        half: Rows of each of two samples of the real table, for what a second sample would score.
        splits: Number of such pairs of samples.
        curve: Whether models are trained on fewer real rows as well.
    """

    learn: int
    tell_apart: int
    depend: int
    half: int
    splits: int
    curve: bool


THOROUGH = Effort(learn=20_000, tell_apart=10_000, depend=100_000, half=25_000, splits=3, curve=True)
FAST = Effort(learn=5_000, tell_apart=4_000, depend=20_000, half=10_000, splits=2, curve=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceError:
    """How strongly a pair hangs together, in the real and in the synthetic rows.

    Attributes:
        names: The two attributes.
        measure: What it is measured by.
        real: Its value in the real rows.
        synthetic: Its value in the synthetic rows.
        second: How far, without sign, a second sample's would be from the real one.
    """

    names: tuple[str, str]
    measure: DependenceMeasure
    real: float
    synthetic: float
    second: float

    @property
    def difference(self) -> float:
        """Synthetic less real."""
        return self.synthetic - self.real

    @property
    def times(self) -> float | None:
        """The difference as a multiple of the second sample's."""
        return times(abs(self.difference), self.second)


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityReport:
    """Exact figures of a synthetic table beside those of a second sample of real rows. Steward-only.

    Attributes:
        domain: The codebook's domain.
        n_real: Rows of the real table.
        n_synthetic: Rows of the synthetic table.
        fast: Whether little effort was asked for.
        agreement: Tables over one, two and three attributes.
        columns: The columns' values, furthest off first.
        dependence: All pairs' dependence, largest difference first.
        telling_apart: How well a model tells synthetic from real rows.
        telling_apart_second: How well it tells real rows from real rows.
        predictions: What models learn from the synthetic rows, for each target.
        not_predicted: Targets that had nothing to learn, with the reason.
        groups: Groups of people by their size.
        clipping: What the declared ranges cut off.
        sampled: For each part that looked at a random sample of the rows, how many of each table.
        seconds: How long it took.
    """

    domain: Domain = field(repr=False)
    n_real: int
    n_synthetic: int
    fast: bool
    agreement: tuple[Agreement, ...]
    columns: tuple[ColumnReport, ...]
    dependence: tuple[DependenceError, ...]
    telling_apart: Propensity
    telling_apart_second: Propensity
    predictions: tuple[Prediction, ...]
    not_predicted: Mapping[str, str]
    groups: Groups
    clipping: tuple[Clipping, ...]
    sampled: Mapping[str, int]
    seconds: float

    def dependence_of(self, measure: DependenceMeasure) -> tuple[float, float] | None:
        """Mean difference of the pairs that one measure is used for, and the second sample's."""
        own = [pair for pair in self.dependence if pair.measure is measure]
        if not own:
            return None
        return float(np.mean([abs(p.difference) for p in own])), float(np.mean([p.second for p in own]))

    def subsample_of(self, ratio: float | None) -> float | None:
        """The share of the real rows that would be as inaccurate, where errors fall with the square root."""
        return regular_subsample(ratio, self.n_real, self.n_synthetic)


def utility_report(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    codebook: Codebook,
    *,
    targets: Sequence[str] = (),
    fast: bool = False,
    drawn: bool = False,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> UtilityReport:
    """Work the report out.

    Args:
        real: The private table.
        synthetic: The synthetic table.
        codebook: Their public codebook.
        targets: What models have to predict: names, or ``NAME<VALUE`` for numbers; none for a default one.
        fast: Look at fewer rows where a figure allows it, and leave the learning curve out.
        drawn: Whether the real rows were drawn at random from a larger table; the report then says so.
        rng: Draws samples of rows.
        progress: Told where the work is.

    Raises:
        SourceError: a table does not fit the codebook, or is too small.
        PlanError: a target cannot be predicted.
    """
    begin = time.perf_counter()
    effort = FAST if fast else THOROUGH
    domain = codebook.domain
    progress(0.01, "encoding")
    ours = _Rows(encode(real, codebook), numbers_of(real, codebook))
    progress(0.06, "encoding")
    theirs = _Rows(encode(synthetic, codebook), numbers_of(synthetic, codebook))
    if min(len(ours), len(theirs)) < MIN_ROWS:
        raise SourceError(
            "There are too few rows to compare: both tables need at least {rows}.", rows=MIN_ROWS
        )
    tables = CountedPair(ours.codes, theirs.codes, domain)
    bounds = (0.1, 0.11, 0.15, 0.45)
    agreements = [
        agreement(tables, size, progress=_within(progress, low, high))
        for size, (low, high) in enumerate(pairwise(bounds), start=1)
    ]
    halves = [ours.halves(effort.half, rng) for _ in range(effort.splits)]
    progress(0.45, "groups")
    half = ours.halves(len(ours), rng)
    found_groups = groups(tables, (half[0].codes, half[1].codes))
    progress(0.5, "values")
    columns = column_reports(
        ours.numbers, theirs.numbers, domain, [(a.numbers, b.numbers) for a, b in halves]
    )
    progress(0.6, "dependence")
    pairs = _dependence(ours.some(effort.depend, rng), theirs.some(effort.depend, rng), domain, halves)
    progress(0.7, "telling_apart")
    apart, apart_second = _telling_apart(ours, theirs, domain, effort, rng)
    progress(0.8, "learning")
    wanted = list(dict.fromkeys(targets)) or [t for t in [default_target(domain)] if t]
    learning = _training(ours, theirs, effort.learn, rng)
    predictions, refused = _predictions(learning, domain, wanted, curve=effort.curve)
    progress(0.98, "clipping")
    cut = clipping(real, codebook)
    sampled = {
        "real": (len(ours), len(ours) + drawn),
        "dependence": (effort.depend, max(len(ours), len(theirs))),
        "second_sample": (effort.half, len(ours) // 2),
        "telling_apart": (apart.n_rows, max(len(ours), len(theirs))),
        "learning": (max((p.n_train for p in predictions), default=0), len(theirs)),
    }
    return UtilityReport(
        domain=domain,
        n_real=len(ours),
        n_synthetic=len(theirs),
        fast=fast,
        agreement=tuple(found for found in agreements if found is not None),
        columns=columns,
        dependence=pairs,
        telling_apart=apart,
        telling_apart_second=apart_second,
        predictions=tuple(predictions),
        not_predicted=refused,
        groups=found_groups,
        clipping=cut,
        sampled={part: rows for part, (rows, all_rows) in sampled.items() if 0 < rows < all_rows},
        seconds=time.perf_counter() - begin,
    )


def predict_target(
    real: pd.DataFrame, synthetic: pd.DataFrame, codebook: Codebook, target: str, *, rng: np.random.Generator
) -> Prediction:
    """Predict one more target, as the report does but without the learning curve.

    Args:
        real: The private table.
        synthetic: The synthetic table.
        codebook: Their public codebook.
        target: What has to be predicted.
        rng: Draws samples of rows.

    Raises:
        SourceError: a table does not fit the codebook, or there is nothing to learn.
        PlanError: there is no such target.
    """
    tables = [_Rows(encode(table, codebook), numbers_of(table, codebook)) for table in (real, synthetic)]
    drawn, train, test = _training(tables[0], tables[1], THOROUGH.learn, rng)
    return predict((drawn, train), test, codebook.domain, target, curve=False)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A table as codes and as numbers, row for row."""

    codes: Codes
    numbers: Floats

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, rows: NDArray[np.int64]) -> _Rows:
        return _Rows(self.codes[rows], self.numbers[rows])

    def some(self, most: int, rng: np.random.Generator) -> _Rows:
        """At most so many rows, by chance."""
        return self if len(self) <= most else self.at(rng.choice(len(self), most, replace=False))

    def halves(self, most: int, rng: np.random.Generator) -> tuple[_Rows, _Rows]:
        """Two disjoint samples of one size: halves of the rows, of at most so many each."""
        size = min(len(self) // 2, most)
        order = rng.permutation(len(self))
        return self.at(order[:size]), self.at(order[size : 2 * size])


def _within(progress: Progress, low: float, high: float) -> Progress:
    def tell(fraction: float, message: str) -> None:
        progress(low + (high - low) * fraction, message)

    return tell


def _dependence(
    ours: _Rows,
    theirs: _Rows,
    domain: Domain,
    halves: Sequence[tuple[_Rows, _Rows]],
) -> tuple[DependenceError, ...]:
    chosen = DependencePairs.of(domain)

    def of(rows: _Rows) -> Floats:
        return dependences(rows.numbers, rows.codes, domain, chosen)

    real, synthetic = of(ours), of(theirs)
    second = np.mean(
        [
            np.abs(of(one) - of(other)) * size_factor(len(one), len(other), len(ours), len(theirs))
            for one, other in (_alike(half, len(ours), len(theirs)) for half in halves)
        ],
        axis=0,
    )
    found = [
        DependenceError(
            names=(domain.names[i], domain.names[j]),
            measure=measure,
            real=float(real[place]),
            synthetic=float(synthetic[place]),
            second=float(second[place]),
        )
        for place, ((i, j), measure) in enumerate(zip(chosen.pairs, chosen.measures, strict=True))
    ]
    return tuple(sorted(found, key=lambda pair: -abs(pair.difference)))


def _alike(halves: tuple[_Rows, _Rows], real: int, synthetic: int) -> tuple[_Rows, _Rows]:
    """Two disjoint samples whose sizes are to each other as those of the tables."""
    one, other = sizes_alike(len(halves[0]), real, synthetic)
    return halves[0].at(np.arange(one)), halves[1].at(np.arange(other))


def _telling_apart(
    ours: _Rows, theirs: _Rows, domain: Domain, effort: Effort, rng: np.random.Generator
) -> tuple[Propensity, Propensity]:
    """Synthetic from real rows, and real from real ones: as many of each."""
    one, other = ours.halves(min(effort.tell_apart, len(theirs)), rng)
    drawn = theirs.some(len(one), rng)
    found = side_by_side(
        partial(propensity, (one.codes, one.numbers), (rows.codes, rows.numbers), domain, rng=own)
        for rows, own in zip((drawn, other), rng.spawn(2), strict=True)
    )
    return found[0], found[1]


def _training(
    ours: _Rows, theirs: _Rows, most: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """As many synthetic as real rows to learn from, and other real rows to be asked about."""
    test, train = ours.halves(most, rng)
    size = min(len(train), len(theirs))
    drawn = theirs.at(rng.permutation(len(theirs))[:size])
    return drawn.numbers, train.numbers[:size], test.numbers


def _predictions(
    rows: tuple[Floats, Floats, Floats], domain: Domain, targets: Sequence[str], *, curve: bool
) -> tuple[list[Prediction], dict[str, str]]:
    """What is learned about each target, and why nothing is learned about the others."""
    found, refused = [], {}
    for target in targets:
        try:
            found.append(predict(rows[:2], rows[2], domain, target, curve=curve))
        except SourceError as error:
            refused[target] = str(error)
    return found, refused
