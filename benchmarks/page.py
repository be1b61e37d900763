"""docs/results.md: every benchmark rewrites its own section and leaves the others alone.

The summary at the top, and the days in it, are written by hand: look at them after a section was rewritten.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
CACHE = ROOT / "runs"


def write_section(name: str, text: str) -> None:
    """Replace a section of the page, or add it at the end."""
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Results\n"
    section = f"{start}\n{text.strip()}\n{end}\n"
    if start in page and end in page:
        page = page[: page.index(start)] + section + page[page.index(end) + len(end) + 1 :]
    else:
        page = page.rstrip() + "\n\n" + section
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page, encoding="utf-8")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] * len(header)) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(value: float | None, digits: int = 3) -> str:
    """0.0349 as .035: short enough for six budgets beside each other."""
    if value is None:
        return "-"
    return f"{value:.{digits}f}".removeprefix("0") if abs(value) < 1 else f"{value:.{digits}f}"


def mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def read_rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def add_row(path: Path, row: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")
