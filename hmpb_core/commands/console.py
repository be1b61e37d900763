"""How commands talk: results to standard output, progress and remarks to standard error."""

from __future__ import annotations

import json
import re
import sys
import time
from contextlib import suppress
from typing import Any

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_NO_LINE = "\r\x1b[K"


def say(text: str) -> None:
    """Write a line of the result; where nobody reads on (``| head``), do what was asked for without."""
    with suppress(BrokenPipeError):
        sys.stdout.write(_harmless(text) + "\n")


def say_json(value: Any) -> None:
    """Write the result as JSON."""
    say(json.dumps(value, ensure_ascii=False, indent=1))


def remark(text: str) -> None:
    """Write a line beside the result, in the place of a progress line that stands there."""
    with suppress(BrokenPipeError):
        sys.stderr.write((_NO_LINE if sys.stderr.isatty() else "") + _harmless(text) + "\n")


def _harmless(text: str) -> str:
    """Escape, as JSON does, what would steer a terminal: a name or a purpose may hold it."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class TerminalProgress:
    """A progress line that redraws itself; silent where there is no terminal.

    Time counts from the last report that nothing is done yet: what was read before is no part of the work.
    """

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._start = time.monotonic()
        self._last = 0.0

    def __call__(self, fraction: float, message: str) -> None:
        """Draw the line."""
        now = time.monotonic()
        if fraction == 0:
            self._start = now
        if not self._shown or (now - self._last < 0.1 and fraction < 1):
            return
        self._last = now
        elapsed = now - self._start
        left = f", about {elapsed / fraction - elapsed:.0f} s left" if 0.05 < fraction < 1 else ""
        bar = "#" * round(24 * fraction)
        sys.stderr.write(f"\r[{bar:<24}] {message}{left}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write(_NO_LINE)
            sys.stderr.flush()
