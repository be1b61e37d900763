"""What the server adds: headers, closed endpoints, memory, quiet logs; Streamlit's private calls exist."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from starlette.formparsers import MultiPartParser
from starlette.responses import HTMLResponse, PlainTextResponse

from pages.server import served_page, server
from pages.shared.errors import record


def answer(path, inside=None):
    """Status and headers of a request through the policy."""
    return exchange(path, inside)[:2]


def exchange(path, inside=None):
    """Status, headers and body of a request through the policy."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    scope = {"type": "http", "path": path, "method": "GET", "headers": []}
    with ThreadPoolExecutor(1) as apart:  # browser tests leave an event loop running in this thread
        app = server.Policy(inside or PlainTextResponse("hello"))
        apart.submit(asyncio.run, app(scope, receive, send)).result()
    start, *rest = sent
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


def test_endpoints_for_strangers_are_closed_and_carry_the_policy_as_well():
    for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json", "/base/_stcore/metrics"):
        status, headers = answer(path)
        assert status == 404
        assert "content-security-policy" in headers


def test_pages_are_told_first_where_the_server_is():
    page = HTMLResponse("<html><head><title>x</title></head></html>")
    for path in ("/", "/plan", "/base/ledger"):
        _, headers, body = exchange(path, page)
        assert body.startswith(b"<html><head><script>")
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
