"""A table too large for memory in the app, in Chromium: `uv run python -m benchmarks.outside`.

    uv run python -m benchmarks.outside [--rows 50000000] [--moves 8] [--file FILE] [--dry]

Makes a Parquet file of six columns by DuckDB, or takes the one named, offers it by name and goes the way of
a steward: open, codebook, plan (beside the demo's), register, check, release, look. Seconds of each step
and the largest memory of the app until then. Writes its section of docs/results.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.latency import CLOCK, moved, visit
from benchmarks.page import markdown_table, write_section
from benchmarks.screenshots import CHROMIUM, IDLE, ready, serving

PATIENCE = 600_000
REGIONS = [f"region {letter}" for letter in "ABCDEFGHIJKLMNOP"]
KINDS = ["inpatient", "outpatient", "emergency", "day case"]
RELEASED = 100_000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--moves", type=int, default=8)
    parser.add_argument("--file", type=Path, help="made where it is not there yet, and kept")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = args.file or Path(folder) / "stays.parquet"
        if not file.exists():
            make(file, args.rows)
        tables = Path(folder) / "tables.toml"
        place = json.dumps(str(file.resolve()))
        tables.write_text(f'[stays]\nengine = "duckdb"\nwhere = {place}\n', encoding="utf-8")
        codebook = Path(folder) / "codebook.json"
        codebook.write_text(json.dumps(schema()), encoding="utf-8")
        os.environ["HMPB_TABLES"] = str(tables)
        with serving() as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.set_default_timeout(PATIENCE)
            page.add_init_script(CLOCK)
            page.goto(address)
            ready(page)
            lines = go(page, Steps(int(address.rpartition(":")[2])), codebook, args.moves)
            browser.close()
        size = file.stat().st_size
    if not args.dry:
        write(args.rows, size, lines)


class Steps:
    """Notes each step: seconds, processor seconds of the app and its largest memory so far."""

    def __init__(self, port: int) -> None:
        self._process = app_process(port)
        self.lines: list[list[str]] = []

    def note(self, what: str, work: Callable[[], Any]) -> None:
        """Carry a step out."""
        start, busy = time.perf_counter(), processor_seconds(self._process)
        found = work()
        seconds = found if isinstance(found, float) else time.perf_counter() - start
        used = processor_seconds(self._process) - busy
        line = [what, f"{seconds:.2f}", f"{used:.1f}", f"{peak(self._process) / 2**20:.2f}"]
        self.lines.append(line)
        print(*line, sep="  ", flush=True)


def go(page: Page, steps: Steps, codebook: Path, moves: int) -> list[list[str]]:
    """The steward's way."""

    def plan() -> float:
        slider = page.locator('[class*="st-key-w_epsilon"]').get_by_role("slider").first
        return statistics.median(
            moved(page, slider, "ArrowRight" if i % 4 < 2 else "ArrowLeft") / 1000 for i in range(moves)
        )

    steps.note("the demo: first look at Plan", lambda: visit(page, "plan") / 1000)
    steps.note("the demo: a move of epsilon on Plan (median)", plan)
    visit(page, "data")
    page.get_by_role("tab", name="Tables of this server").click()

    def opened() -> None:
        page.get_by_role("button", name="Open the table").click()
        page.get_by_text("The rows stay in DuckDB").wait_for()
        page.wait_for_selector(IDLE)

    steps.note("open the table by its name", opened)

    ready(page)

    def described() -> None:
        page.locator('[class*="st-key-schema_"] input[type=file]').set_input_files(codebook)
        expect(page.locator("[data-testid=stMain] a[href$=plan]")).to_be_visible(timeout=PATIENCE)

    page.locator("[data-testid=stExpander]", has=page.locator('[class*="st-key-schema_"]')).click()
    steps.note("take the codebook; rows are drawn and each column is checked", described)
    steps.note("first look at Plan", lambda: visit(page, "plan") / 1000)
    steps.note("a move of epsilon on Plan (median)", plan)
    page.get_by_text("Further choices").click()
    pay(page, steps)
    for name in ("similarity", "networks", "ledger"):
        steps.note(f"first look at {name.capitalize()}", lambda name=name: visit(page, name) / 1000)
    visit(page, "utility")

    def compared() -> None:
        page.locator(".st-key-utility_go button").click()
        page.locator(".st-key-utility_values").wait_for()

    steps.note("Utility: drawn rows beside the released ones", compared)
    return steps.lines


def pay(page: Page, steps: Steps) -> None:
    """From the plan to a release, for which the table is registered."""
    rows = page.locator('[class*="st-key-w_rows"] input')
    rows.fill(str(RELEASED))
    rows.press("Enter")
    ready(page)
    visit(page, "run")

    def release_tab() -> None:
        page.get_by_role("tab").nth(1).click()
        page.get_by_text("One row is one person").wait_for()
        ready(page)

    steps.note("ask to release: the table is looked for in the ledger", release_tab)

    def registered() -> None:
        page.get_by_text("One row is one person").click()
        cap = page.locator('[class*="st-key-register_cap"] input')
        cap.fill("5")
        cap.press("Tab")
        page.get_by_role("button", name="Register").click()
        page.locator(".st-key-release_check button").wait_for()

    steps.note("register it; all rows are checked", registered)

    def checked() -> None:
        page.locator(".st-key-release_check button").click()
        page.locator(".st-key-commit_word input").wait_for()

    steps.note("check the release; all rows are encoded", checked)

    def released() -> None:
        page.locator(".st-key-commit_word input").fill("release")
        page.locator(".st-key-commit_word input").press("Enter")
        ready(page)
        page.locator(".st-key-commit_go button").click()
        page.locator(".st-key-download_bundle button").wait_for()

    steps.note(f"release {RELEASED:,} rows", released)


def make(path: Path, n_rows: int) -> None:
    """Write the table in one go."""
    import duckdb

    columns = [
        "CAST(90 * pow(random(), 0.7) AS INTEGER) AS age",
        "CASE WHEN random() < 0.52 THEN 'female' ELSE 'male' END AS sex",
        f"{REGIONS}[1 + CAST(floor(16 * random()) AS INTEGER)] AS region",
        f"{KINDS}[1 + CAST(floor(4 * random() * random()) AS INTEGER)] AS kind",
        "round(20000 * random() * random(), 2) AS cost",
        "DATE '2015-01-01' + CAST(floor(3650 * random()) AS INTEGER) AS admitted",
    ]
    with duckdb.connect() as made:
        made.execute("SET memory_limit = '2GB'; SET preserve_insertion_order = false")
        made.execute(f"COPY (SELECT {', '.join(columns)} FROM range({n_rows})) TO '{path}' (FORMAT parquet)")


def schema() -> dict[str, Any]:
    """The codebook of the table."""

    def number(name: str, kind: str, low: Any, high: Any) -> dict[str, Any]:
        return {"name": name, "type": kind, "constraints": {"minimum": low, "maximum": high}, "bins": 16}

    return {
        "fields": [
            number("age", "integer", 0, 90),
            {"name": "sex", "type": "string", "categories": ["female", "male"]},
            {"name": "region", "type": "string", "categories": REGIONS},
            {"name": "kind", "type": "string", "categories": KINDS},
            number("cost", "number", 0, 20000),
            number("admitted", "date", "2015-01-01", "2024-12-31"),
        ]
    }


def app_process(port: int) -> int:
    """The app's process: the one that serves this port."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            if "serve.py" in words and str(port) in words:
                return int(entry.name)
    raise SystemExit("The app's process cannot be found.")


def peak(process: int) -> float:
    """The largest memory of a process so far, in KiB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def processor_seconds(process: int) -> float:
    """Processor seconds of all threads of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def write(rows: int, size: int, lines: list[list[str]]) -> None:
    text = (
        "## A table that memory does not hold, in the app\n\n`uv run python -m benchmarks.outside`: "
        f"a Parquet file of {rows:,} rows and 6 columns ({size / 2**30:.2f} GiB), offered by name. The "
        "clock of the looks and of the moves runs in the browser, as in `benchmarks.latency`. "
        f"{os.cpu_count()} cores, which other work shared; Python {platform.python_version()}.\n\n"
    )
    header = ["", "seconds", "the app's processor seconds", "its largest memory so far, GiB"]
    write_section("outside", text + markdown_table(header, lines))


if __name__ == "__main__":
    main()
