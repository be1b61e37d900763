"""Milliseconds from an input to the finished update, in Chromium: `uv run python -m benchmarks.latency`.

    uv run python -m benchmarks.latency [TABLE CODEBOOK] [--moves 12] [--rounds 4] [--dry]

Loads the table (the demo without one), looks at the plan, rehearses it, then moves sliders by their keys and
goes from page to page by the links. The clock runs in the browser: from the input event until the script has
ended and the page has changed for the last time. Writes its section of docs/results.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

from benchmarks.page import markdown_table, write_section
from benchmarks.screenshots import CHROMIUM, serving
from pages.shared.page_list import PAGES

PATIENCE = 120_000
SLIDERS = {
    "plan": ["w_epsilon", "share_similarity", "w_gamma"],
    "explain": ["explain_epsilon"],
    "similarity": ["s_sigma_"],
    "weights": ["gamma_"],
}
"""By page, how the keys of its sliders begin."""
LOOKS = [name for entries in PAGES.values() for name, _ in entries]
CLOCK = """
window.updates = { start: 0, changed: 0, sent: 0, heard: 0 };
for (const kind of ["keydown", "click"])
  window.addEventListener(kind, event => {
    if (event.isTrusted && !updates.start) updates.start = event.timeStamp;
  }, true);
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", () => { updates.heard = performance.now(); });
  }
  send(message) {
    updates.sent = performance.now();
    super.send(message);
  }
};
const outside = "[data-testid=stHeader], [data-testid=stStatusWidget], [data-testid=stSidebar], canvas";
new MutationObserver(changes => {
  if (changes.some(({ target }) =>
      !(target.nodeType === 1 ? target : target.parentElement)?.closest(outside)))
    updates.changed = performance.now();
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
"""
"""Notes the input, the messages to and from the app, and the last change beside the frame of the page.

What a table's canvas holds for screen readers is put there some 300 ms after its cells, and is left out.
"""
FINISHED = """
([quiet, ready]) => {
  const { start, changed, sent, heard } = window.updates;
  const state = document.querySelector("[data-testid=stApp]").dataset.testScriptState;
  return start && sent > start && heard > sent && state === "notRunning"
    && performance.now() - Math.max(changed, heard) > quiet
    && (!ready || document.querySelector(ready)) && changed - start;
}
"""
QUIET = 400


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", nargs="?", type=Path)
    parser.add_argument("codebook", nargs="?", type=Path)
    parser.add_argument("--moves", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    args = parser.parse_args()
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.add_init_script(CLOCK)
        page.goto(address)
        page.locator("[data-testid=stMain] h1").wait_for(timeout=PATIENCE)
        if args.table:
            load(page, args.table, args.codebook)
        rehearse(page)
        lines = measure(page, args.moves, args.rounds)
        browser.close()
    if not args.dry:
        write(args.table.stem if args.table else "the demo", lines)


def load(page: Page, table: Path, codebook: Path) -> None:
    """Load a table by its path, and its codebook."""
    page.get_by_role("tab").nth(2).click()
    page.locator(".st-key-path input").fill(str(table.resolve()))
    begin(page)
    page.keyboard.press("Enter")
    finished(page, quiet=2000)
    page.locator("[data-testid=stExpander]", has=page.locator('[class*="st-key-schema_"]')).click()
    page.locator('[class*="st-key-schema_"] input[type=file]').set_input_files(codebook)
    expect(page.locator("[data-testid=stMain] a[href$=plan]")).to_be_visible(timeout=PATIENCE)


def rehearse(page: Page) -> None:
    """Go the way that the pages suggest."""
    visit(page, "plan")
    visit(page, "run")
    page.locator(".st-key-rehearse button").click()
    expect(page.locator(".st-key-download_bundle button")).to_be_visible(timeout=PATIENCE)


def measure(page: Page, moves: int, rounds: int) -> list[list[str]]:
    """First looks, sliders, page changes."""
    lines = []

    def note(what: str, took: list[float]) -> None:
        load = f"{os.getloadavg()[0]:.1f}"
        lines.append(
            [
                what,
                f"{statistics.median(took):.0f}",
                f"{min(took):.0f}",
                f"{max(took):.0f}",
                str(len(took)),
                load,
            ]
        )
        print(*lines[-1], sep="  ", flush=True)

    note("first look at the heatmap", [visit(page, "similarity", ".js-plotly-plot .heatmaplayer image")])
    note("first look at the network", [visit(page, "networks", settled=True)])
    for name, keys in SLIDERS.items():
        visit(page, name)
        if name == "explain":
            page.get_by_text("Other numbers", exact=True).click()
        for key in keys:
            slider = page.locator(f'[class*="st-key-{key}"]').get_by_role("slider").first
            found = [moved(page, slider, "ArrowRight" if i % 4 < 2 else "ArrowLeft") for i in range(moves)]
            note(f"slider {key.strip('_')} of {name}", found)
    changes: dict[str, list[float]] = {name: [] for name in LOOKS}
    for _ in range(rounds):
        for name in LOOKS:
            changes[name].append(visit(page, name, settled=name == "networks"))
    for name, found in changes.items():
        note(f"change to {name}", found)
    note("change to any page", [took for found in changes.values() for took in found])
    return lines


def visit(page: Page, name: str, ready: str = "", *, settled: bool = False) -> float:
    """Go to a page by its link; a network's page is there once its frame says so."""
    section, place = next(
        (section, [n for n, _ in entries].index(name))
        for section, entries in PAGES.items()
        if name in dict(entries)
    )
    begin(page)
    page.locator(f".st-key-nav_{section} a").nth(place).click()
    if settled:
        body = page.frame_locator("[data-testid=stMain] iframe").locator("body[data-settled]")
        at = float(body.get_attribute("data-settled", timeout=PATIENCE) or "nan")
        start = float(page.evaluate("performance.timeOrigin + window.updates.start"))
        return max(at - start, finished(page, ready))
    return finished(page, ready)


def moved(page: Page, slider: Locator, key: str) -> float:
    slider.focus()
    page.wait_for_timeout(QUIET)
    begin(page)
    page.keyboard.press(key)
    return finished(page)


def begin(page: Page) -> None:
    page.evaluate("Object.assign(window.updates, { start: 0, changed: 0, sent: 0, heard: 0 })")


def finished(page: Page, ready: str = "", *, quiet: int = QUIET) -> float:
    """Milliseconds from the input to the last change of the page."""
    return float(page.wait_for_function(FINISHED, arg=[quiet, ready], timeout=PATIENCE).json_value())


def write(name: str, lines: list[list[str]]) -> None:
    text = (
        "## How fast the app answers\n\n`uv run python -m benchmarks.latency`, "
        f"on {name}, in Chromium on the same machine as the app: milliseconds from an input event to the "
        "last change of the page, the copies of tables for screen readers left out. First looks are at "
        "pages not opened before, after data, plan and run. "
        f"{os.cpu_count()} cores, Python {platform.python_version()}. The browser, the app and whatever else "
        "ran share the cores: above a load average of their number the times are mostly waiting.\n\n"
    )
    write_section(
        "latency",
        text + markdown_table(["", "median, ms", "fastest", "slowest", "times", "load average"], lines),
    )


if __name__ == "__main__":
    main()
