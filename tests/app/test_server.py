"""What the server adds: headers, closed endpoints, memory, quiet logs; Streamlit's private calls exist."""

import asyncio
import inspect
import logging
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from starlette.formparsers import MultiPartParser
from starlette.responses import HTMLResponse, PlainTextResponse
from streamlit import config, net_util
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.web.server import server_util

from pages.server import addresses, served_page, server
from pages.shared.errors import record

OWN = {"host": "localhost:8501"}
PUBLIC = "https://data.example.org http://127.0.0.1:9000"


def answer(path, inside=None, **changes):
    """Status and headers of a request through the policy."""
    return exchange(path, inside, **changes)[:2]


def exchange(path, inside=None, *, headers=OWN, kind="http"):
    """Status, headers and body of a request through the policy."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    pairs = headers.items() if isinstance(headers, dict) else headers
    scope = {
        "type": kind,
        "path": path,
        "method": "GET",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
        "server": ("127.0.0.1", 8501),
    }
    with ThreadPoolExecutor(1) as apart:  # browser tests leave an event loop running in this thread
        app = server.Policy(inside or PlainTextResponse("hello"))
        apart.submit(asyncio.run, app(scope, receive, send)).result()
    start, *rest = sent
    if kind == "websocket":
        return start["type"], {}, b""
    headers = {k.decode(): v.decode() for k, v in start["headers"]}
    return start["status"], headers, b"".join(message.get("body", b"") for message in rest)


def test_pages_may_load_from_this_server_alone():
    status, headers = answer("/")
    policy = headers["content-security-policy"]
    assert status == 200
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http:" not in policy
    assert "*" not in policy
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"


FOREIGN = [
    {},
    {"host": "localhost"},
    {"host": "localhost:8502"},
    {"host": "evil.example:8501"},
    {"host": "localhost.evil.example:8501"},
    {"host": "user@localhost:8501"},
    {"host": "localhost:8501/x"},
    {"host": "localhost:99999"},
    {"host": "localhost:8501#"},
    {"host": "local\xffhost:8501"},
    [("host", "localhost:8501"), ("host", "localhost:8501")],
    {"host": "localhost:8501", "origin": "https://evil.example"},
    {"host": "localhost:8501", "origin": "http://localhost:8502"},
    {"host": "localhost:8501", "origin": "http://localhost"},
    {"host": "localhost:8501", "origin": "http://127.0.0.1:8501"},
    {"host": "localhost:8501", "origin": "null"},
    {"host": "localhost:8501", "origin": ""},
    {"host": "localhost:8501", "origin": "http://localhost:8501/x"},
    {"host": "localhost:8501", "origin": "http://localhost:8501@evil.example"},
    {"host": "evil.example:8501", "origin": "http://evil.example:8501"},
    {"host": "data.example.org:8501", "origin": "https://data.example.org:8501"},
    {"host": "data.example.org", "origin": "http://data.example.org"},
    {"host": "data.example.org", "origin": "http://127.0.0.1:9000"},
    [("host", "localhost:8501"), ("origin", "http://localhost:8501"), ("origin", "https://evil.example")],
]
FAMILIAR = [
    {"host": "localhost:8501", "origin": "http://localhost:8501"},
    {"host": "127.0.0.1:8501", "origin": "http://127.0.0.1:8501"},
    {"host": "[::1]:8501", "origin": "http://[::1]:8501"},
    {"host": "LOCALHOST:8501", "origin": "http://localhost:8501"},
    {"host": "127.0.0.1:9000", "origin": "http://127.0.0.1:9000"},
    {"host": "data.example.org", "origin": "https://data.example.org"},
    {"host": "data.example.org:443", "origin": "https://data.example.org"},
]


async def reached(scope, receive, send):
    """What stands for Streamlit behind the policy."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await PlainTextResponse("hello")(scope, receive, send)


@pytest.mark.parametrize("headers", FOREIGN)
def test_what_another_site_or_another_name_asks_never_reaches_streamlit(headers, monkeypatch):
    monkeypatch.setenv("HMPB_ORIGINS", PUBLIC)
    assert exchange("/_stcore/stream", reached, headers=headers, kind="websocket")[0] == "websocket.close"
    status, sent, body = exchange("/_stcore/health", reached, headers=headers)
    assert status == 403
    assert b"hello" not in body
    assert "content-security-policy" in sent


@pytest.mark.parametrize("headers", FAMILIAR)
def test_what_the_app_asks_itself_under_one_of_its_addresses_is_answered(headers, monkeypatch):
    monkeypatch.setenv("HMPB_ORIGINS", PUBLIC)
    assert exchange("/_stcore/stream", reached, headers=headers, kind="websocket")[0] == "websocket.accept"
    assert answer("/_stcore/health", reached, headers=headers)[0] == 200


def test_a_websocket_without_an_origin_comes_from_no_browser_and_is_refused():
    assert exchange("/_stcore/stream", reached, kind="websocket")[0] == "websocket.close"
    assert answer("/_stcore/health", reached)[0] == 200


def test_a_public_address_that_is_none_is_told_and_lets_nobody_in(monkeypatch, caplog):
    monkeypatch.setenv("HMPB_ORIGINS", "data.example.org https://data.example.org/hmpb")
    addresses.own_origins.cache_clear()
    headers = {"host": "data.example.org", "origin": "https://data.example.org"}
    assert answer("/_stcore/health", reached, headers=headers)[0] == 403
    assert "'data.example.org', which is no address" in caplog.text


def test_streamlit_knows_the_public_names_and_looks_no_address_up(monkeypatch):
    monkeypatch.setenv("HMPB_ORIGINS", PUBLIC)
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "")
    monkeypatch.setattr(net_util, "get_external_ip", object())
    monkeypatch.setattr(net_util, "get_internal_ip", object())
    before = config.get_option("server.allowedHosts")
    try:
        server.answer_to_own_names()
        server.look_no_address_up()
        assert config.get_option("server.allowedHosts") == [
            "localhost",
            "127.0.0.1",
            "::1",
            "data.example.org",
        ]
        assert net_util.get_external_ip() is None
        assert not server_util.is_url_from_allowed_origins("https://evil.example")
    finally:
        config.set_option("server.allowedHosts", before)


def test_endpoints_for_strangers_are_closed_and_carry_the_policy_as_well():
    for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json", "/base/_stcore/metrics"):
        status, headers = answer(path)
        assert status == 404
        assert "content-security-policy" in headers


def test_pages_are_told_first_where_the_server_is():
    page = HTMLResponse("<html><head><title>x</title></head></html>")
    for path in ("/", "/plan", "/base/ledger"):
        _, headers, body = exchange(path, page)
        head = body[: body.index(b"<title>")]
        assert b"<script>" in head
        assert int(headers["content-length"]) == len(body)
    for path in ("/static/js/index.js", "/nonsense"):
        assert b"<script>" not in exchange(path, page)[2]


def test_streamlit_still_has_the_file_that_is_loaded_early():
    assert served_page.script().count(b"PlotlyChart.") == 1


def test_the_first_page_answers_to_its_name():
    status, headers = answer("/base/data")
    assert (status, headers["location"]) == (307, "./")


def test_uploads_stay_in_memory_while_they_arrive(monkeypatch):
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1024 * 1024)
    server.raise_spool_limit()
    assert MultiPartParser.spool_max_size > 200 * 1024 * 1024


def test_the_private_calls_of_streamlit_are_there():
    from streamlit.runtime.memory_session_storage import MemorySessionStorage
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.pages_manager import PagesManager

    assert callable(MemorySessionStorage()._cache.expire)
    assert callable(MemoryUploadedFileManager.remove_file)
    assert hasattr(PagesManager, "uses_pages_directory")
    server.expire_sessions()  # without a running server it has nothing to do


def test_a_first_visitor_cannot_run_a_page_past_the_entry_script(monkeypatch):
    from streamlit.runtime.pages_manager import PagesManager

    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    server.run_every_page_through_the_entry_script()
    assert PagesManager.uses_pages_directory is False


def test_logs_name_kind_and_place_but_no_text(caplog):
    try:
        int("Jane Doe, 42")
    except ValueError as error:
        with caplog.at_level(logging.ERROR):
            identifier = record(error)
    assert identifier in caplog.text
    assert "ValueError at test_server.py" in caplog.text
    assert "Jane" not in caplog.text


def test_streamlits_own_log_loses_the_text_too(caplog):
    server.silence_error_texts()
    logger = logging.getLogger("streamlit.error_util")
    logger.addHandler(caplog.handler)
    try:
        int("Jane Doe, 42")
    except ValueError as error:
        logger.error("Uncaught app execution", exc_info=error)
    finally:
        logger.removeHandler(caplog.handler)
    assert "ValueError" in caplog.text
    assert "Jane" not in caplog.text


@pytest.fixture
def asked(monkeypatch):
    """What reaches Streamlit of each run that is asked for, once ``keep_what_was_typed`` stands before it."""
    reached = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda _session, state: reached.append(state))
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", lambda *_, **__: None)
    server.keep_what_was_typed()
    return reached


def client_state(**values):
    state = ClientState()
    for name, value in values.items():
        state.widget_states.widgets.add(
            id=name, **{"trigger_value" if value is True else "string_value": value}
        )
    return state


def session_with(waiting):
    """A session whose run was told of some widgets."""
    runner = SimpleNamespace(
        _requests=SimpleNamespace(_rerun_data=SimpleNamespace(widget_states=waiting.widget_states)),
        _session_state=SafeSessionState(SessionState(), lambda: None),
    )
    return SimpleNamespace(_scriptrunner=runner)


def test_what_was_typed_goes_to_the_next_run_if_the_one_that_was_told_had_not_begun(asked):
    session = session_with(client_state(language="English", values="x, y", button=True))
    AppSession.request_rerun(session, client_state(language="Chinese"))
    found = {state.id: state.string_value for state in asked[0].widget_states.widgets}
    assert found == {"language": "Chinese", "values": "x, y"}  # a press is not repeated


def test_what_a_run_has_taken_note_of_is_not_told_to_the_next_one_again(asked):
    told = client_state(language="English", values="x, y")
    session = session_with(told)
    session._scriptrunner._session_state.on_script_will_rerun(told.widget_states)
    AppSession.request_rerun(session, client_state(language="English"))
    assert [state.id for state in asked[0].widget_states.widgets] == ["language"]


class Callbacks:
    """In place of a session's state: what it is told goes to a callback."""

    def __init__(self, callback):
        self.callback = callback

    def on_script_will_rerun(self, told, **_):
        self.callback(told)

    def __getitem__(self, key):
        return f"{key} as typed"


@pytest.fixture
def taking(monkeypatch):
    """``keep_what_was_typed`` around Streamlit's own taking note of what a browser sends."""
    monkeypatch.setattr(AppSession, "request_rerun", lambda *_: None)
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    server.keep_what_was_typed()


def test_a_run_that_is_stopped_while_it_takes_note_comes_to_the_end_of_it(taking):
    asked_to_stop, kept = [], []

    def stop():
        if asked_to_stop:
            raise StopException

    def keep(told):
        asked_to_stop.append(True)  # another page is clicked
        kept.extend(state[box.id] for box in told.widgets)

    state = SafeSessionState(Callbacks(keep), stop)
    state.on_script_will_rerun(client_state(one="x, y", two="y, z").widget_states)
    assert kept == ["one as typed", "two as typed"]
    with pytest.raises(StopException):
        state["one"]  # and then it stops


def test_a_run_that_is_stopped_before_it_takes_note_takes_none(taking):
    def stop():
        raise StopException

    kept = []
    state = SafeSessionState(Callbacks(kept.append), stop)
    with pytest.raises(StopException):
        state.on_script_will_rerun(client_state(one="x, y").widget_states)
    assert kept == []
    assert "taken" not in vars(state)


def test_a_run_waits_until_its_forerunner_of_the_same_session_has_taken_note(taking):
    order, begun, go_on = [], threading.Event(), threading.Event()

    def callback(told):
        if told.widgets[0].id == "slow":
            begun.set()
            go_on.wait(10)
        order.append(told.widgets[0].id)

    shared, other = Callbacks(callback), Callbacks(callback)
    runs = [
        threading.Thread(
            target=SafeSessionState(inner, lambda: None).on_script_will_rerun,
            args=(client_state(**{name: "x"}).widget_states,),
        )
        for inner, name in ((shared, "slow"), (shared, "next"), (other, "other session"))
    ]
    runs[0].start()
    assert begun.wait(10)
    runs[1].start()
    runs[2].start()
    runs[2].join(10)
    runs[1].join(0.2)
    assert order == ["other session"]
    go_on.set()
    for run in runs:
        run.join(10)
    assert order == ["other session", "slow", "next"]


def test_streamlit_still_has_what_keeping_typed_values_calls():
    assert ScriptRequests()._rerun_data.widget_states is None
    assert "_scriptrunner" in inspect.getsource(AppSession.__init__)
    assert {"_requests", "_session_state"} <= set(
        re.findall(r"self\.(\w+) =", inspect.getsource(ScriptRunner.__init__))
    )
    assert {"_state", "_yield_callback"} <= vars(SafeSessionState(SessionState(), lambda: None)).keys()
