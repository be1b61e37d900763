"""How long work tells where it is, and is told to stop."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called now and then by long work; may raise ``CancelledError`` to stop it."""

    def __call__(self, fraction: float, message: str) -> None:
        """Take note of the part done so far (0 to 1) and of what is being done."""


def silent(fraction: float, message: str) -> None:
    """Take no note."""
    del fraction, message
