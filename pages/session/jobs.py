"""Long work in the background: how far it is, cancel. The work itself never calls ``st.*``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import Any

import streamlit as st

from hmpb_core.errors import CancelledError
from hmpb_core.progress import Progress

WORKERS = 2


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job:
    """Work in a thread. Written by its thread, read by its session; holds its result until it is taken.

    Args:
        kind: What it is, so that a page knows its own job.
        work: Called with a progress function, which stops it by ``CancelledError``.
        charges: Whether it spends budget, which stays spent if it is cancelled.
        even: Whether it tells parts that take as long as each other, so that its pace says how much is left.
        keeps: Whether the work, when it is stopped, gives back what it has so far instead of raising.

    Attributes:
        kept: Whether its session waits for its result still.
    """

    def __init__(
        self,
        kind: str,
        work: Callable[[Progress], Any],
        *,
        charges: bool = False,
        even: bool = True,
        keeps: bool = False,
    ) -> None:
        self.kind, self.charges, self._even, self._keeps = kind, charges, even, keeps
        self.state = JobState.QUEUED
        self.fraction = 0.0
        self.message = ""
        self.result: Any = None
        self.error: BaseException | None = None
        self.kept = True
        self.started: float | None = None
        self._due: float | None = None
        self._work = work
        self._stop = threading.Event()

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (JobState.QUEUED, JobState.RUNNING)

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return 0.0 if self.started is None else time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take, by its pace when it last reported; None before there is a pace."""
        left = 0.0 if self._due is None else self._due - time.monotonic()
        return left if left > 0 else None

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask it to stop; it does when it next reports. What is paid for and ends before that is kept."""
        self._stop.set()

    def let_go(self) -> None:
        """Keep nothing of it but how it ends: the table that it works on was dropped by its session."""
        self.kept = False
        self._empty()

    def _empty(self) -> None:
        self.result = None
        if self.error is not None:
            self.error = self.error.with_traceback(None)  # whose frames hold the table

    def run(self) -> None:
        """Do the work; called by the runner's thread."""
        if self._stop.is_set():
            self.state = JobState.CANCELLED
            return
        self.started, self.state = time.monotonic(), JobState.RUNNING
        try:
            self.result = self._work(self.report)
        except CancelledError as error:
            self.error, self.state = error, JobState.CANCELLED
        except Exception as error:  # noqa: BLE001 - kept for the session, which shows it
            self.error, self.state = error, JobState.FAILED
        else:
            # Too late to stop it, and nobody paid for it.
            dropped = self.stopping and not self.charges and not self._keeps
            if dropped or not self.kept:
                self.result = None
            self.fraction, self.state = 1.0, JobState.CANCELLED if dropped else JobState.DONE
        finally:
            self._work = _nothing  # the work holds the private table
            if not self.kept:
                self._empty()

    def report(self, fraction: float, message: str) -> None:
        """Take note of where the work is; raises ``CancelledError`` where it is to stop."""
        if self._stop.is_set():
            raise CancelledError
        self.fraction, self.message = max(self.fraction, min(fraction, 1.0)), message
        untold = fraction < 0.05 or not self._even
        self._due = None if untold else time.monotonic() + self.seconds * (1 / fraction - 1)


def start(
    kind: str,
    work: Callable[[Progress], Any],
    *,
    charges: bool = False,
    even: bool = True,
    keeps: bool = False,
) -> Job:
    """Start work in the background; it queues where others are at work."""
    job = Job(kind, work, charges=charges, even=even, keeps=keeps)
    _runner().submit(job.run)
    return job


@st.cache_resource
def _runner() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=WORKERS, thread_name_prefix="hmpb-job")


def _nothing(progress: Progress) -> None:
    del progress
