"""Nothing goes out: every connection of the running server is watched while strangers knock."""

import base64
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = "data.example.org"
# Python tells its audit hooks of each connection and each name that is looked up, before they happen.
WATCH = """
import os, sys

def note(event, details):
    named = ("socket.getaddrinfo", "socket.gethostbyname")
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg", *named):
        where = details[0] if event.startswith("socket.get") else details[1]
        with open(os.environ["WATCHED"], "a") as file:
            file.write(f"{event} {where[0] if isinstance(where, tuple) else where}\\n")

open(os.environ["WATCHED"], "a").close()
sys.addaudithook(note)
"""
INSIDE = {"127.0.0.1", "::1", "localhost", "0.0.0.0", "None"}
PATHS = (
    "",
    "data",
    "_stcore/health",
    "_stcore/host-config",
    "_stcore/metrics",
    "_stcore/upload_file/a/b",
    "_stcore/agent/openapi.json",
    "media/a.csv",
    "component/x/y",
    "oauth2callback",
    "auth/login",
    "~/+/x",
)

pytestmark = pytest.mark.slow


def outside(log):
    """Where a watched process connected to, or whose address it looked up, beside this machine."""
    seen = [line.split(" ", 1) for line in log.read_text().splitlines()]
    return sorted({where for _, where in seen if where not in INSIDE})


class Served:
    """The running app and the record of where it connected to."""

    def __init__(self, folder, **settings):
        (folder / "sitecustomize.py").write_text(WATCH)
        self.log = folder / "watched.txt"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        own = {
            "PYTHONPATH": str(folder),
            "WATCHED": str(self.log),
            "HMPB_WORKSPACE": str(folder / "ledger"),
            "HOME": str(folder),
        }
        # a proxy of the machine's would hide where a request goes
        plain = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "serve.py", "--server.port", str(self.port)],
            cwd=ROOT,
            env=plain | own | settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(480):
            with contextlib.suppress(OSError):
                if self.status("GET", "_stcore/health") == 200:
                    return
            time.sleep(0.25)
        self.stop()
        pytest.fail("The app did not start.")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

    def status(self, method, path, **headers):
        return self.answer(method, path, **headers)[0]

    def answer(self, method, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, f"/{path}", headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def handshake(self, host=None, origin=None):
        """The status with which the server answers a WebSocket."""
        lines = [
            "GET /_stcore/stream HTTP/1.1",
            f"Host: {host or f'127.0.0.1:{self.port}'}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}",
            *([] if origin is None else [f"Origin: {origin}"]),
        ]
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            return int(connection.recv(200).split()[1])

    def outside(self):
        """Where the server connected to, or whose address it looked up, beside this machine."""
        return outside(self.log)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The app as a container starts it: on all addresses, where Streamlit would look up its public one."""
    app = Served(
        tmp_path_factory.mktemp("silence"),
        STREAMLIT_SERVER_ADDRESS="0.0.0.0",
        HMPB_ORIGINS=f"https://{PUBLIC}",
    )
    yield app
    app.stop()


def test_the_watch_sees_a_connection_and_a_name_that_is_looked_up(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    knock = """
import contextlib, socket, urllib.request
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
with contextlib.suppress(OSError):
    urllib.request.urlopen("http://nowhere.invalid", timeout=1)
"""
    settings = {"PYTHONPATH": str(tmp_path), "WATCHED": str(tmp_path / "log")}
    plain = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    subprocess.run([sys.executable, "-W", "ignore", "-c", knock], env=plain | settings, check=True)
    assert outside(tmp_path / "log") == ["192.0.2.1", "nowhere.invalid"]


def test_the_start_itself_looks_nothing_up(served):
    assert served.outside() == []


def test_foreign_websockets_are_refused_and_make_the_server_look_nothing_up(served):
    own = f"http://127.0.0.1:{served.port}"
    foreign = [
        "https://evil.example",
        "http://127.0.0.1:1",
        "http://localhost",
        "null",
        "file://",
        f"{own}.evil",
    ]
    assert {served.handshake(origin=origin) for origin in (*foreign, None)} == {403}
    assert served.handshake(host="evil.example", origin="http://evil.example") == 403
    assert served.handshake(host=PUBLIC, origin=f"http://{PUBLIC}") == 403
    assert served.handshake(origin=own) == 101
    assert served.handshake(host=PUBLIC, origin=f"https://{PUBLIC}") == 101
    assert served.outside() == []


def test_requests_of_other_sites_are_refused_and_make_the_server_look_nothing_up(served):
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
        for path in PATHS:
            assert served.status(method, path, Origin="https://evil.example") == 403
            assert served.status(method, path, Host="evil.example") == 403
    assert served.outside() == []


def test_own_requests_are_answered_and_make_the_server_look_nothing_up(served):
    answers = {path: served.status("GET", path) for path in PATHS}
    assert answers["data"] in (200, 307)
    assert answers["_stcore/metrics"] == 404
    assert 500 not in answers.values()
    assert served.outside() == []


def test_no_other_window_may_send_the_app_messages(served):
    status, body = served.answer("GET", "_stcore/host-config")
    assert status == 200
    assert json.loads(body)["allowedOrigins"] == []
    assert "streamlit" not in body.decode()


def test_a_session_that_runs_the_first_page_makes_the_server_look_nothing_up(served):
    connect = pytest.importorskip("websockets.sync.client").connect
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    address = f"127.0.0.1:{served.port}"
    start, shown = BackMsg(), []
    start.rerun_script.query_string = ""
    with connect(
        f"ws://{address}/_stcore/stream",
        origin=f"http://{address}",
        subprotocols=["streamlit"],
        max_size=None,
        proxy=None,
    ) as session:
        session.send(start.SerializeToString())
        while not shown or shown[-1] != "script_finished":
            message = ForwardMsg()
            message.ParseFromString(session.recv(timeout=120))
            shown.append(message.WhichOneof("type"))
    assert "delta" in shown
    assert served.outside() == []
