"""What a machine does: seconds, peak memory and bandwidth, each measured in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from hmpb_core.sources.effort import peak_bytes

Measured = dict[str, Any]

PROBE_BYTES = 1 << 28
"""Bytes read to measure bandwidth: more than the caches hold."""


def apart(function: Callable[..., Measured], *args: object) -> Measured:
    """Call a function in a fresh process, and add that process's peak memory in MiB where it does not say it.

    Args:
        function: A function of a module; what it gives is added to.
        args: Its arguments.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_with_peak, function, args).result()


def _with_peak(function: Callable[..., Measured], args: tuple[object, ...]) -> Measured:
    found = function(*args)
    return {"peak_mib": peak_mib(), **found}


def peak_mib() -> float:
    """This process's peak memory so far, in MiB; not a number where the system does not say."""
    peak = peak_bytes()
    return float("nan") if peak is None else peak / (1 << 20)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of a piece of work."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def memory_bandwidth() -> float:
    """Bytes a second that one core adds up: what counting could reach if it read each code once."""
    words = np.ones(PROBE_BYTES // 8, dtype=np.int64)
    return PROBE_BYTES / min(timed(words.sum)[0] for _ in range(3))


def read_bandwidth() -> float:
    """Bytes a second read from a file that was just written: the page cache's, not the disk's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probe"
        path.write_bytes(bytes(PROBE_BYTES // 4))
        return PROBE_BYTES / 4 / min(timed(path.read_bytes)[0] for _ in range(3))


def load() -> Mapping[str, float]:
    """Cores, and how busy they are: above one a core, wall times are mostly waiting."""
    average = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return {"cores": float(os.cpu_count() or 1), "load": average}
