"""Behind a proxy: a path prefix, a public name, and nobody else's."""

import base64
import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.browser.conftest import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = "data.example.org"


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """The app as docs/deployment.md starts it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        chosen = probe.getsockname()[1]
    settings = {
        "HMPB_WORKSPACE": str(tmp_path_factory.mktemp("ledger")),
        "STREAMLIT_SERVER_BASE_URL_PATH": "hmpb",
        "HMPB_ORIGINS": f"https://{PUBLIC} https://{PUBLIC}:8443",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "serve.py", "--server.port", str(chosen)],
        cwd=ROOT,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(240):
        with contextlib.suppress(OSError):
            if status(chosen, "hmpb/_stcore/health") == 200:
                break
        time.sleep(0.25)
    yield chosen
    process.terminate()
    process.wait(20)


def status(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def handshake(port, host, origin):
    """The status with which the app answers a browser's WebSocket."""
    key = base64.b64encode(bytes(16)).decode()
    lines = [
        "GET /hmpb/_stcore/stream HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {key}",
        f"Origin: {origin}",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(200).split()[1])


def test_app_lives_below_its_prefix_alone(port):
    assert status(port, "hmpb/explain") == 200
    assert status(port, "_stcore/health") == 404


def test_closed_endpoints_stay_closed_below_a_prefix(port):
    assert status(port, "hmpb/_stcore/metrics") == 404
    assert status(port, "hmpb/_stcore/agent/openapi.json") == 404


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        (PUBLIC, f"https://{PUBLIC}", 101),
        (f"{PUBLIC}:8443", f"https://{PUBLIC}:8443", 101),
        (f"{PUBLIC}:9443", f"https://{PUBLIC}:9443", 403),
        (PUBLIC, f"http://{PUBLIC}", 403),
        ("elsewhere.example", "https://elsewhere.example", 403),
        (PUBLIC, "https://elsewhere.example", 403),
    ],
)
def test_only_the_public_addresses_may_connect(port, host, origin, expected):
    assert handshake(port, host, origin) == expected


def test_pages_work_below_the_prefix(chromium, port):
    context = chromium.new_context()
    page = context.new_page()
    faults = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: faults.append(str(e)))
    root = f"http://127.0.0.1:{port}/hmpb"
    for address in (f"{root}/", f"{root}/ledger", f"{root}/data"):
        page.goto(address)
        page.get_by_test_id("stSidebar").get_by_role("link", name="Explain", exact=True).click()
        page.get_by_role("heading", name="Explain").wait_for(timeout=PATIENCE)
        assert page.url == f"{root}/explain"
    context.close()
    assert faults == []
