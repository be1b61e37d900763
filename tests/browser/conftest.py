"""Chromium on the app as it is served: every request, console message and page error is watched."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
HERE = Path(__file__).parent
INSIDE = ("data:", "blob:", "about:")
NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""No other machine is found; asking for each request instead would cost the browser its cache."""
PATIENCE = 60_000
"""Milliseconds that a page of a busy machine may take to show what is expected."""


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)
            # Playwright's own loop is left open at the end of the session
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture(scope="session")
def chromium():
    """The browser; without one these tests are skipped."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}")
    api = pytest.importorskip("playwright.sync_api")
    api.expect.set_options(timeout=PATIENCE)
    playwright = api.sync_playwright().start()
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", NOWHERE],
    )
    yield browser
    browser.close()
    playwright.stop()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The app on a free port, as ``hmpb app`` starts it, with a ledger of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("ledger")
    log = (folder / "app.log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "serve.py", "--server.port", str(port)],
        cwd=ROOT,
        env=os.environ | {"HMPB_WORKSPACE": str(folder / "workspace")},
        stdout=log,
        stderr=log,
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(240):
        with contextlib.suppress(OSError):
            if urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).status == 200:
                break
        time.sleep(0.25)
    else:
        pytest.fail(f"The app did not start:\n{(folder / 'app.log').read_text()}")
    yield address
    process.terminate()
    process.wait(20)
    log.close()


@pytest.fixture
def open_page(chromium, server):
    """Open the app in a window; afterwards nothing may have gone wrong, or gone out."""
    contexts, faults, outside = [], [], []

    def opened(at="", *, theme="light", width=1440, height=1000):
        context = chromium.new_context(
            color_scheme=theme, viewport={"width": width, "height": height}, reduced_motion="reduce"
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda m: faults.append(f"console: {m.text}") if m.type == "error" else None)
        page.on("response", lambda r: faults.append(f"{r.status}: {r.url}") if r.status >= 400 else None)
        page.on("pageerror", lambda e: faults.append(f"page: {e}"))
        page.on("websocket", lambda w: None if server[7:] in w.url else outside.append(w.url))

        page.on("request", lambda r: None if r.url.startswith((server, *INSIDE)) else outside.append(r.url))
        page.goto(f"{server}/{at}")
        ready(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert outside == [], "nothing may leave this machine"
    assert not faults, "\n".join(faults)


def ready(page):
    """Wait until the script has run and the page is still."""
    idle = '[data-testid="stApp"][data-test-script-state="notRunning"]'
    page.wait_for_selector(idle)
    page.wait_for_timeout(250)
    page.wait_for_selector(idle)


@pytest.fixture
def settle():
    """Wait until a page is still."""
    return ready


@pytest.fixture
def visit():
    """Go to a page by its link, which keeps the session."""
    sys.path.insert(0, str(ROOT))
    from pages.shared.page_list import PAGES

    def visited(page, name):
        section, place = next(
            (section, [n for n, _ in entries].index(name))
            for section, entries in PAGES.items()
            if name in dict(entries)
        )
        collapsed = page.get_by_test_id("stExpandSidebarButton")
        narrow = page.viewport_size["width"] < 800
        if collapsed.count() and collapsed.is_visible():
            collapsed.click()
            page.wait_for_timeout(300)
        page.locator(f".st-key-nav_{section} a").nth(place).click()
        page.wait_for_timeout(150)
        if narrow:
            close_sidebar(page)
        ready(page)

    return visited


def close_sidebar(page):
    """Close the sidebar, which covers a narrow window."""
    button = page.get_by_test_id("stSidebarCollapseButton").locator("button")
    if button.count() and button.is_visible():
        button.click()
        page.wait_for_timeout(400)


@pytest.fixture
def in_chinese():
    """Switch to Chinese."""
    late = pytest.importorskip("playwright.sync_api").TimeoutError

    def switched(page):
        collapsed = page.get_by_test_id("stExpandSidebarButton")
        if collapsed.count() and collapsed.is_visible():
            collapsed.click()
            page.wait_for_timeout(400)
        chinese = page.get_by_role("option", name="中文")
        for _ in range(5):  # a list that opens while the page moves is closed again
            page.locator(".st-key-language input").click()
            with contextlib.suppress(late):
                chinese.click(timeout=3000)
                break
        ready(page)
        if page.viewport_size["width"] < 800:
            close_sidebar(page)

    return switched
