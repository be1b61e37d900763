"""How far the synthetic table's marginals are from the real one's, beside a second sample's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Codes, Domain
from hmpb_core.metrics.marginals import subsets
from hmpb_core.metrics.second_sample import Profile
from hmpb_core.progress import Progress, silent

Counts = NDArray[np.int64]
TwoCounts = tuple[Counts, Counts]

DENSE_CELLS = 1 << 20
"""Largest table that is counted cell by cell; larger ones are counted by the cells that occur."""
MOST_SETS = 200
"""Sets that are told one by one."""
_NOTHING = 1e-9
"""What rounding may leave of a figure that is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetError:
    """One set of attributes.

    Attributes:
        names: The attributes.
        error: Half the L1 distance of the two tables' marginals over them.
        second: What a second sample of real rows would score.
        subsample: The share of the real rows that would be as far from all of them.
    """

    names: tuple[str, ...]
    error: float
    second: float
    subsample: float

    @property
    def times(self) -> float | None:
        """The error as a multiple of the second sample's."""
        return times(self.error, self.second)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """All marginals over one number of attributes.

    Attributes:
        size: Number of attributes in a set.
        sets: The worst sets, worst first.
        n_sets: Number of sets compared.
        mean: Mean error of the sets.
        second: The mean that a second sample of real rows would have.
        subsample: The share of the real rows whose mean error would be as large.
        drawing: Mean error of rows drawn from the real table itself: chance without noise.
        from_drawing: Part of the squared distance that drawing the synthetic rows makes, 0 to 1; None
            where the tables do not differ.
    """

    size: int
    sets: tuple[SetError, ...] = field(repr=False)
    n_sets: int
    mean: float
    second: float
    subsample: float
    drawing: float
    from_drawing: float | None

    @property
    def times(self) -> float | None:
        """The mean error as a multiple of the second sample's."""
        return times(self.mean, self.second)

    @property
    def noise(self) -> float:
        """What noise and model leave of the mean error when chance is taken off, in squares."""
        return math.sqrt(max(self.mean**2 - self.drawing**2, 0.0))

    @property
    def k_marginal(self) -> float:
        """The k-marginal score of NIST's challenges: 1000 (1 - mean error); 1000 is alike.

        Source: [McKenna2021, section 5]; SDNist computes it for two attributes.
        """
        return 1000 * (1 - self.mean)

    @property
    def k_marginal_second(self) -> float:
        """The k-marginal score of a second sample."""
        return 1000 * (1 - self.second)


def times(value: float | None, second: float | None) -> float | None:
    """A figure as a multiple of the second sample's; None where that is 0, but for rounding.

    Example:
        >>> times(0.2, 0.1), times(0.2, 3e-16)
        (2.0, None)
    """
    return None if value is None or second is None or second <= _NOTHING else value / second


class CountedPair:
    """Counts of two tables over the same attributes.

    Args:
        real: Codes of shape (rows, attributes).
        synthetic: The same of the synthetic table; the number of rows may differ.
        domain: Their domain.
    """

    def __init__(self, real: Codes, synthetic: Codes, domain: Domain) -> None:
        self.domain = domain
        self.n_rows = (len(real), len(synthetic))
        self._columns = [
            [np.ascontiguousarray(codes[:, a], dtype=np.int64) for a in range(len(domain))]
            for codes in (real, synthetic)
        ]
        self._kept: tuple[tuple[int, ...], list[Counts]] = ((), [])

    def counts(self, attributes: tuple[int, ...]) -> TwoCounts:
        """Give both tables' counts of the same cells, in one order."""
        keys = self._keys(attributes)
        cells = self.domain.cells(attributes)
        if cells > DENSE_CELLS:
            joint, _ = pd.factorize(np.concatenate(keys))
            keys = [joint[: self.n_rows[0]], joint[self.n_rows[0] :]]
            cells = int(joint.max()) + 1
        real, synthetic = (np.bincount(key, minlength=cells) for key in keys)
        return real, synthetic

    def _keys(self, attributes: tuple[int, ...]) -> list[Counts]:
        """A number a row that names its cell; those of all but the last attribute are kept."""
        if len(attributes) == 1:
            return [table[attributes[0]] for table in self._columns]
        first, last = attributes[:-1], attributes[-1]
        if self._kept[0] != first:
            self._kept = (first, self._keys(first))
        size = self.domain.attributes[last].size
        return [key * size + table[last] for key, table in zip(self._kept[1], self._columns, strict=True)]


def agreement(tables: CountedPair, size: int, *, progress: Progress = silent) -> Agreement | None:
    """Compare all marginals over ``size`` attributes, beside a second sample of real rows.

    The error of a set is 1/2 * sum |P - Q| (total variation), as in ``marginals.marginal_error``.

    Args:
        tables: The two tables.
        size: Number of attributes in a set.
        progress: Told where the work is.

    Returns:
        The figures; None where there is no set of this size.
    """
    chosen = subsets(len(tables.domain), size)
    if not chosen:
        return None
    n_real, n_synthetic = tables.n_rows
    errors, profiles = np.empty(len(chosen)), []
    squared = drawn = 0.0
    for place, (_, real, synthetic) in enumerate(_counted(tables, chosen)):
        if place % 16 == 0:
            progress(place / len(chosen), "comparing")
        p, q = real / n_real, synthetic / n_synthetic
        difference = p - q
        errors[place] = np.abs(difference).sum() / 2
        squared += float(difference @ difference)
        drawn += (1 - float(q @ q)) / max(n_synthetic - 1, 1)
        profiles.append(Profile.of(real, n_real))
    second = np.array([profile.second_sample(n_synthetic) for profile in profiles])
    whole = Profile.together(profiles)
    names = tables.domain.names
    order = np.argsort(-errors, kind="stable")
    mean = float(errors.mean())
    return Agreement(
        size=size,
        sets=tuple(
            SetError(
                names=tuple(names[a] for a in chosen[i]),
                error=float(errors[i]),
                second=float(second[i]),
                subsample=profiles[i].subsample_of(float(errors[i])),
            )
            for i in order[:MOST_SETS]
        ),
        n_sets=len(chosen),
        mean=mean,
        second=float(second.mean()),
        subsample=whole.subsample_of(mean),
        drawing=whole.drawing_error(n_synthetic),
        from_drawing=min(drawn / squared, 1.0) if squared > 0 else None,
    )


def _counted(
    tables: CountedPair, chosen: tuple[tuple[int, ...], ...]
) -> Iterator[tuple[tuple[int, ...], Counts, Counts]]:
    for attributes in chosen:
        real, synthetic = tables.counts(attributes)
        yield attributes, real, synthetic
