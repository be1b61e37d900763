"""Make docs/screenshots/: every page of the app on the demo, light and dark.

    python benchmarks/screenshots.py [--out FOLDER] [--width 1280] [--language en] [--method NAME]

Starts the app on a free port, rehearses on the demo and photographs every page with Debian's Chromium: what
the page's main button makes, and the page Explain once for each reader. The ledger's entries are invented.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
TALLEST = 2600
PATIENCE = 600_000
MOUSE = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
)
"""A window with a mouse, as most readers have: without one the figures' tools are always in sight."""
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "screenshots")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--language", choices=["en", "zh"], default="en")
    parser.add_argument("--themes", nargs="+", default=["light", "dark"])
    parser.add_argument("--pages", nargs="*")
    parser.add_argument("--method", default="hmprivbayes")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", MOUSE],
        )
        for theme in args.themes:
            context = browser.new_context(
                color_scheme=theme, viewport={"width": args.width, "height": 1000}, reduced_motion="reduce"
            )
            page = context.new_page()
            tour(page, address, args, theme)
            context.close()


def tour(page: Page, address: str, args: argparse.Namespace, theme: str) -> None:
    """Rehearse, then photograph every page."""
    page.goto(f"{address}/plan")
    ready(page)
    if args.language != "en":
        open_sidebar(page)
        choose(page, "Language", "中文")
    if args.method == "as-published":
        page.get_by_text("As published", exact=False).first.click()
        ready(page)
    elif args.method != "hmprivbayes":
        choose_method(page, args.method)
    go(page, "run")
    page.locator(".st-key-rehearse button").click()
    expect(page.locator(".st-key-download_bundle button")).to_be_visible(timeout=PATIENCE)
    for name in args.pages or existing_pages():
        go(page, name)
        for suffix in prepared(page, name):
            photograph(page, args.out / f"{name}{suffix}-{theme}.webp")
        print(name, theme, flush=True)


def prepared(page: Page, name: str) -> Iterator[str]:
    """Press what fills a page; give the ending of each picture's name when the page is ready for it."""
    if name == "explain":
        for place, edition in enumerate(("person", "decider", "analyst")):
            page.locator(".st-key-explain_edition label").filter(has=page.get_by_role("radio")).nth(
                place
            ).click()
            ready(page)
            if edition == "analyst":
                page.get_by_text("Diamonds: an attack measured on").wait_for(timeout=PATIENCE)
                ready(page)
            yield f"-{edition}"
        return
    if name in ("utility", "compare"):
        press(page, f"{name}_go")
        page.get_by_test_id("stPlotlyChart").first.wait_for(timeout=PATIENCE)
        ready(page)
    if name == "anonymize":
        press(page, "anonymize_go")
        page.get_by_test_id("stMetric").first.wait_for(timeout=PATIENCE)
        ready(page)
    yield ""


def press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key} button:visible").click()
    page.wait_for_timeout(500)
    ready(page)


def existing_pages() -> list[str]:
    from pages.shared.page_list import PAGES

    names = [name for entries in PAGES.values() for name, _ in entries]
    return [name for name in names if (ROOT / "pages" / name / "page.py").is_file()]


def choose_method(page: Page, method: str) -> None:
    words = {"privbayes": "PrivBayes: one network for all", "independent": "Independent columns"}
    page.locator(".st-key-w_method input").click()
    page.get_by_role("option", name=words[method]).click()
    ready(page)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_label(re.compile(label)).first.click()
    page.get_by_role("option", name=option).click()
    ready(page)


def open_sidebar(page: Page) -> None:
    button = page.get_by_test_id("stExpandSidebarButton")
    if button.count() and button.is_visible():
        button.click()


def go(page: Page, name: str) -> None:
    """Open a page by its link, which keeps the session."""
    from pages.shared.page_list import PAGES

    open_sidebar(page)
    for section, entries in PAGES.items():
        names = [entry for entry, _ in entries]
        if name in names:
            page.locator(f".st-key-nav_{section} a").nth(names.index(name)).click()
    page.wait_for_timeout(300)
    if page.viewport_size["width"] < 800:
        page.get_by_test_id("stSidebarCollapseButton").locator("button").click()
    ready(page)


def ready(page: Page) -> None:
    page.wait_for_selector(IDLE, timeout=PATIENCE)
    page.wait_for_timeout(400)
    page.wait_for_selector(IDLE, timeout=PATIENCE)


def photograph(page: Page, path: Path) -> None:
    """Make the window as tall as the page, and take it."""
    width = page.viewport_size["width"]
    if page.locator("iframe").count():
        with contextlib.suppress(Exception):
            page.frame_locator("iframe").first.locator("body[data-settled]").wait_for(timeout=15_000)
    page.wait_for_timeout(900)
    page.mouse.move(2, 2)
    main = page.get_by_test_id("stMain")
    main.evaluate("element => element.scrollTo(0, 0)")
    height = main.evaluate("element => element.scrollHeight")
    page.set_viewport_size({"width": width, "height": min(TALLEST, max(700, height + 10))})
    page.wait_for_timeout(700)
    # Without loss: a palette small enough to save space tints the figures, whose colours carry meaning.
    Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(path, lossless=True, quality=100, method=6)
    page.set_viewport_size({"width": width, "height": 1000})


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """The app on a free port, with a ledger of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        fill_ledger(folder)
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "serve.py", "--server.port", str(port)],
            cwd=ROOT,
            env=os.environ | {"HMPB_WORKSPACE": folder},
            stdout=subprocess.DEVNULL,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(960):  # a busy machine takes its time
                with contextlib.suppress(OSError):
                    if urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).status == 200:
                        break
                time.sleep(0.25)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def fill_ledger(folder: str) -> None:
    """Put a data set with three charges into a ledger, one of them of a run that failed."""
    from hmpb_core.privacy.guarantee import Guarantee
    from hmpb_core.privacy.unit import Unit
    from hmpb_core.publishing.workspace import Workspace
    from tests.tables import people

    workspace = Workspace(folder, create=True)
    unit = Unit.parse("row")
    dataset = workspace.register(
        people(500), name="health survey", unit=unit, cap_epsilon=3.0, cap_delta=1e-9
    )
    charge = workspace.charge(dataset, Guarantee(epsilon=0.5), who="ada", why="pilot for the report")
    workspace.fail(charge, reason="SourceError")
    workspace.charge(dataset, Guarantee(epsilon=1.0), who="ada", why="yearly table")


if __name__ == "__main__":
    main()
