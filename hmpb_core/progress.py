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
