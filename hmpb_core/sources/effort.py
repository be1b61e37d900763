"""What reading a private table took: for the steward, never for a bundle."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hmpb_core.sources.locations import Opened
from hmpb_core.sources.relational.table import EngineTable


def effort_of(opened: Opened | None) -> dict[str, Any]:
    """Give the engine, its passes over the private table, and the largest memory of this process so far.

    Args:
        opened: The private table; None for those of several parties, which are read into memory.
    """
    table = opened.table if opened else None
    return {
        "engine": opened.engine if opened else "memory",
        "scans": table.engine.scans if isinstance(table, EngineTable) else 1,
        "peak_bytes": peak_bytes(),
    }


def peak_bytes() -> int | None:
    """The largest memory that this process has held; None where the system keeps no such account.

    Linux hands the account that ``getrusage`` keeps to a program's successor: a small process started by
    a large one would say the large one's peak. The kernel's mark of the memory in use now is its own.
    """
    try:
        lines = _STATUS.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):  # not Linux
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most) * (1 if sys.platform == "darwin" else 1024)


_STATUS = Path("/proc/self/status")
