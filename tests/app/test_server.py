"""What the server adds: headers, closed endpoints, memory, quiet logs; Streamlit's private calls exist."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse

from pages.components import server
from pages.components.messages import record


def answer(path):
    """Status and headers of a request through the policy."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    scope = {"type": "http", "path": path, "method": "GET", "headers": []}
    with ThreadPoolExecutor(1) as apart:  # browser tests leave an event loop running in this thread
        apart.submit(asyncio.run, server.Policy(PlainTextResponse("hello"))(scope, receive, send)).result()
    start = sent[0]
    return start["status"], {k.decode(): v.decode() for k, v in start["headers"]}


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
