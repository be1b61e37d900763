"""How long work tells where it is, and is told to stop."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Called now and then by long work; may raise ``CancelledError`` to stop it."""

    def __call__(self, fraction: float, message: str) -> None:
        """Take note of the part done so far (0 to 1) and of what is being done."""


def silent(fraction: float, message: str) -> None:
    """Take no note."""
    del fraction, message


class ByTime:
    """Progress of learning a model and writing its rows, as the part of the time that is over.

    Nobody can tell beforehand how many tables the noise lets a learner measure: before it has a pace hardly a
    part is told. Writing takes as long as it took on a machine of 2 cores.

    Args:
        progress: Told the part of the time.
        columns: Number of attributes.
        rows: Rows to be written, all tables together; None while nobody may know.
        redrawn: Whether rows are drawn again where they break a public rule.
    """

    def __init__(self, progress: Progress, *, columns: int, rows: int | None, redrawn: bool = False) -> None:
        self._progress = progress
        self._columns, self._redrawn = columns, redrawn
        self._writing = None if rows is None else self._seconds_of_writing(rows)
        self._begin = time.perf_counter()
        self._since: tuple[float, float] | None = None  # when the learner first told how far it was
        self._wrote: float | None = None

    def __call__(self, fraction: float, message: str) -> None:
        """Take note of the part that a fit, or the writing of its rows, has done."""
        now = time.perf_counter() - self._begin
        if self._wrote is not None and fraction > WRITING:
            ahead = (now - self._wrote) * ((1 - WRITING) / (fraction - WRITING) - 1)
            self._progress(now / (now + ahead), message)
            return
        if fraction > BEFORE_LEARNING and self._since is None:
            self._since = (now, fraction)
        begin, before = self._since or (now, fraction)
        if self._writing is None or now - begin < LEAST_PACE or fraction <= before:
            self._progress(NO_PACE * fraction, message)
            return
        part = min(1.0, (fraction - before) / max(AFTER_LEARNING - before, 1e-9))
        ahead = (now - begin) * (1 / part - 1) * (1 + SLOWING * (1 - part))
        finishing = FINISHING * (now - begin + ahead)
        self._progress(now / (now + ahead + finishing + self._writing), message)

    def write(self, rows: int) -> None:
        """Take note that the model is learned, its last fit with it, and so many rows are to be written."""
        now = time.perf_counter() - self._begin
        self._wrote = now
        self._progress(now / (now + self._seconds_of_writing(rows)), "rows")

    def _seconds_of_writing(self, rows: int) -> float:
        """How long a bundle's writing takes."""
        drawn = rows * REDRAWN if self._redrawn else rows
        return 0.5 + 0.02 * self._columns + SECONDS_A_CELL * self._columns * drawn


BEFORE_LEARNING, AFTER_LEARNING = 0.3, 0.95
"""Parts of a fit between which its learner works."""
WRITING = 0.97
"""Part of a run at which its rows begin to be written."""
LEAST_PACE = 0.5
"""Seconds before there is a pace."""
NO_PACE = 0.04
"""Largest part told before."""
SLOWING = 0.4
"""How much slower than at first a learner becomes: its model grows."""
FINISHING = 0.3
"""Seconds between a second of learning and the writing: the last fit."""

SECONDS_A_CELL = 1.3e-6
"""Of drawing and writing a value: a code takes 1.2 us, values of which some are dates, times or money 1.8."""
REDRAWN = 2
"""Times as long that takes: 1.3 where a rule forbids 4 % of the rows, 2.3 where rules forbid many."""


def part_of(progress: Progress, start: float, end: float) -> Progress:
    """Tell work that is a part of other work, from one fraction of it to another."""

    def told(fraction: float, message: str) -> None:
        progress(start + fraction * (end - start), message)

    return told


class StageClock:
    """Times stages and passes progress on. A stage inside another stops the other's time.

    Args:
        progress: Told where the work is.

    Attributes:
        seconds: Time each stage took, by its name.
    """

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress
        self._open: list[str] = []
        self._since = 0.0
        self._part = (0.0, 1.0)
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, start: float | None = None, end: float | None = None) -> Iterator[None]:
        """Run a stage.

        Args:
            name: Its name.
            start: The part of the whole work done when it begins; None leaves the bounds in force.
            end: The part done when it ends.
        """
        if start is not None and end is not None:
            self._part = (start, end)
            self._progress(start, name)
        self._stop()
        self._open.append(name)
        try:
            yield
        finally:
            self._stop()
            self._open.pop()

    def tell(self, fraction: float, message: str) -> None:
        """Report the part of the present bounds that is done."""
        start, end = self._part
        self._progress(start + fraction * (end - start), message)

    def _stop(self) -> None:
        now = time.perf_counter()
        if self._open:
            name = self._open[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now
