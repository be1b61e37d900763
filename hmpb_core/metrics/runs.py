"""How near the synthetic tables of several runs came."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes
from hmpb_core.encoding import encode
from hmpb_core.errors import CancelledError, HmpbError, Sentence
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.progress import Progress, part_of

T = TypeVar("T")
NO_MEMORY = Sentence("There is not enough memory for it on this machine. Take fewer columns or rows.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The same table made several times, compared with the real one.

    Attributes:
        pairs: AVD of two-way tables, one value a run.
        triples: AVD of three-way tables, one value a run.
        seconds: Mean time of a run.
    """

    pairs: tuple[float, ...]
    triples: tuple[float, ...]
    seconds: float

    @property
    def error(self) -> float:
        """Mean AVD of two-way tables."""
        return float(np.mean(self.pairs))

    @property
    def spread(self) -> float:
        """Half the range of the runs' AVD."""
        return (max(self.pairs) - min(self.pairs)) / 2


def measured(
    draw: Callable[[int, Progress], pd.DataFrame],
    codes: Codes,
    codebook: Codebook,
    *,
    repeats: int,
    progress: Progress,
) -> Runs:
    """Make a table a few times and compare each with the real one.

    Args:
        draw: Makes the table of a turn, 0, 1, ..., which is its seed, and tells its progress.
        codes: Codes of the real table.
        codebook: Its codebook.
        repeats: Number of turns.
        progress: Told the part of the time that is over; may raise ``CancelledError``.
    """
    pairs, triples, seconds = [], [], []
    for turn in range(repeats):
        told = part_of(progress, turn / repeats, (turn + 1) / repeats)
        started = time.perf_counter()
        table = draw(turn, part_of(told, 0.0, 0.85))
        seconds.append(time.perf_counter() - started)
        told(0.9, "comparing")
        drawn = encode(table, codebook)
        pairs.append(float(marginal_error(codes, drawn, codebook.domain, 2).mean or 0.0))
        triples.append(float(marginal_error(codes, drawn, codebook.domain, 3).mean or 0.0))
    return Runs(pairs=tuple(pairs), triples=tuple(triples), seconds=float(np.mean(seconds)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A candidate that could not be run.

    Attributes:
        label: What the caller calls it.
        reason: What it failed of.
    """

    label: str
    reason: Sentence


def attempted(label: str, run: Callable[[], T]) -> T | Failed:
    """Run a candidate; one that cannot be run does not lose what the others gave.

    Raises:
        CancelledError: the steward asked to stop.
    """
    try:
        return run()
    except CancelledError:
        raise
    except HmpbError as error:
        return Failed(label=label, reason=error.sentence)
    except MemoryError:
        return Failed(label=label, reason=NO_MEMORY)


def naming(label: str, progress: Progress) -> Progress:
    """Tell which candidate is at work instead of what it does."""

    def told(fraction: float, message: str) -> None:
        del message
        progress(fraction, label)

    return told
