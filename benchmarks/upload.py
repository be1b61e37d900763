"""Seconds and memory of a large csv through the browser: `uv run python -m benchmarks.upload`.

    uv run python -m benchmarks.upload [--megabytes 199] [--dry]

Makes a table of random numbers and categories, uploads it on the page Data, then the same file with a line
that has a field too many. Writes its section of docs/results.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect, sync_playwright

from benchmarks.page import write_section
from benchmarks.screenshots import CHROMIUM, ready, serving

PATIENCE = 300_000
NUMBERS, CATEGORIES = 12, 8
LINES = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=199)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder) / "whole.csv", Path(folder) / "broken.csv"
        rows = make(whole, args.megabytes * 10**6)
        broken.write_bytes(whole.read_bytes()[:-10_000] + b"\nno,such,line\n")
        with serving() as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            page.goto(address)
            ready(page)
            page.get_by_role("tab").nth(1).click()
            refused, sentence = upload(page, broken, page.get_by_test_id("stAlertContentError"))
            taken, _ = upload(page, whole, page.get_by_text("lists no categories").first)
            browser.close()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 / 1024
    text = (
        f"## A large file through the browser\n\n`uv run python -m benchmarks.upload`: a csv of "
        f"{args.megabytes} MB, {rows:,} rows and {NUMBERS + CATEGORIES} columns, is loaded {taken:.1f} s "
        f"after it was chosen; the app's peak memory is {peak:.1f} GiB. The same file with a broken "
        f"last line is refused after {refused:.1f} s: “{sentence}” {os.cpu_count()} cores, "
        f"Python {platform.python_version()}.\n"
    )
    print(text)
    if not args.dry:
        write_section("upload", text)


def make(path: Path, size: int) -> int:
    """Write a csv of about that many bytes; give its rows."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 100_000, (LINES, NUMBERS)).astype(str)
    categories = np.array(["never", "seldom", "often", "always"])[rng.integers(0, 4, (LINES, CATEGORIES))]
    block = "\n".join(map(",".join, np.hstack([numbers, categories]).tolist())) + "\n"
    times = size // len(block)
    header = [*(f"number{i}" for i in range(NUMBERS)), *(f"category{i}" for i in range(CATEGORIES))]
    with path.open("w", encoding="ascii") as file:
        file.write(",".join(header) + "\n")
        for _ in range(times):
            file.write(block)
    return times * LINES


def upload(page: Page, path: Path, sign: Locator) -> tuple[float, str]:
    """Seconds until a sign of its end is seen, and the sign's words."""
    start = time.perf_counter()
    page.locator('[class*="st-key-upload_"] input[type=file]').set_input_files(path)
    expect(sign).to_be_visible(timeout=PATIENCE)
    seconds = time.perf_counter() - start
    ready(page)
    return seconds, " ".join(sign.inner_text().split()[1:])  # the first is the symbol


if __name__ == "__main__":
    main()
