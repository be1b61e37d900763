"""What the server adds to Streamlit: who may speak, headers, silence, memory. Its private calls live here."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import logging
import os
import pkgutil
import threading
from collections.abc import AsyncIterator
from typing import Any
from weakref import WeakValueDictionary

from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.addresses import ORIGINS, admits, host_names
from pages.server.served_page import script, with_script
from pages.session import registry
from pages.shared.page_list import DEFAULT_PAGE, page_names

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; worker-src 'self' blob:; frame-src 'self' data: blob:; manifest-src 'self'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
REFUSAL = f"This is not an address of this app. Behind a proxy its public address belongs in {ORIGINS}.\n"
CLOSED_PATHS = ("/_stcore/metrics", "/_stcore/agent")
SPOOL_BYTES = 1 << 30
REAP_SECONDS = 10.0
PAGE_NAMES = {"", *page_names()}
# one for each session, as long as a run of it is remembered
_NOTES: WeakValueDictionary[int, Any] = WeakValueDictionary()


class Policy:
    """Refuses what other sites send, adds the headers to every answer, hides what only strangers ask for.

    It stands before Streamlit: what it refuses, Streamlit never sees.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._script = app, script()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "websocket" and not admits(scope):
            await send({"type": "websocket.close", "code": 1008, "reason": ""})  # 403, for it is not yet open
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [(k, v) for k, v in message["headers"] if k.decode().lower() not in HEADERS]
                message["headers"] = kept + [(k.encode(), v.encode()) for k, v in HEADERS.items()]
            await send(message)

        page = scope["path"].rpartition("/")[2]
        if not admits(scope):
            await PlainTextResponse(REFUSAL, status_code=403)(scope, receive, send_with_headers)
        elif any(part in scope["path"] for part in CLOSED_PATHS):
            await PlainTextResponse("Not Found", status_code=404)(scope, receive, send_with_headers)
        elif page == DEFAULT_PAGE:
            await RedirectResponse("./")(scope, receive, send_with_headers)
        elif page in PAGE_NAMES:
            plain = [(k, v) for k, v in scope["headers"] if k != b"accept-encoding"]
            await self._app(
                {**scope, "headers": plain}, receive, with_script(send_with_headers, self._script)
            )
        else:
            await self._app(scope, receive, send_with_headers)


def answer_to_own_names() -> None:
    """Tell Streamlit the names that the policy lets through; its own rule knows no ports."""
    from streamlit import config

    names = host_names()
    os.environ["STREAMLIT_SERVER_ALLOWED_HOSTS"] = " ".join(names)  # settings are read again when they change
    config.set_option("server.allowedHosts", names)


def look_no_address_up() -> None:
    """Keep Streamlit from asking other machines for this one's address.

    It would for a WebSocket whose origin is not its host. (For the address that it prints at the start it
    would as well, but before this module is loaded: ``browser.serverAddress`` says which one to print.)
    """
    from streamlit import net_util

    net_util.get_external_ip = net_util.get_internal_ip = _no_address


def _no_address() -> None:
    return None


def raise_spool_limit() -> None:
    """Keep uploads in memory while they arrive; beyond 1 MB Starlette would write them to a file."""
    MultiPartParser.spool_max_size = SPOOL_BYTES


@contextlib.asynccontextmanager
async def keep_house(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Load what the pages need, and forget closed sessions every few seconds.

    Loading comes first: two sessions that import one module at the same time can see half of it.
    """
    del app
    await asyncio.to_thread(load_pages)
    gc.freeze()  # Streamlit collects after every run: a sixth of a second if it went through all modules
    reaper = asyncio.create_task(_reap())
    try:
        yield {}
    finally:
        reaper.cancel()


def expire_sessions() -> None:
    """Drop the closed sessions whose time is over, with their uploads.

    Streamlit itself looks only when another session closes; an idle server would keep them.
    """
    from streamlit.runtime import exists, get_instance

    if exists():
        get_instance()._session_mgr._session_storage._cache.expire()  # type: ignore[attr-defined]  # noqa: SLF001


def forget_upload(file_id: str) -> None:
    """Release an uploaded file's bytes now, instead of when the session ends."""
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)


def show_script_error(error: Exception) -> bool:
    """Show an error that no page caught (a widget's callback) as the pages show theirs."""
    from pages.shared.errors import show_error

    show_error(error)
    return True


def run_every_page_through_the_entry_script() -> None:
    """Turn off Streamlit's own discovery of ``pages/``.

    Until the entry script has run once, a first visitor's address would start a page's script directly,
    past the login gate.
    """
    from streamlit.runtime.pages_manager import PagesManager

    PagesManager.uses_pages_directory = False


def keep_what_was_typed() -> None:
    """Give a run what its forerunner was told, if it takes its place before that was taken note of.

    A browser sends what was typed when its box is left, and then the page that was clicked, which knows no
    boxes of the page before. Streamlit stops a run when the next one is asked for: before the run had come to
    the callbacks, or while one of them read the box, what was typed was lost. A run that has begun to take
    note therefore comes to the end of it, and the next one waits. Presses are left out of what is passed on:
    their callbacks may run at this moment.
    """
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.state.safe_session_state import SafeSessionState

    ask, take = AppSession.request_rerun, SafeSessionState.on_script_will_rerun
    if ask.__module__ == __name__:
        return

    def on_script_will_rerun(run_state: Any, told: Any, **options: Any) -> None:
        stop_if_asked = run_state._yield_callback  # noqa: SLF001
        note = vars(run_state)["note"] = _NOTES.setdefault(id(run_state._state), threading.RLock())  # noqa: SLF001
        with note:
            stop_if_asked()
            vars(run_state)["_yield_callback"] = lambda: None
            try:
                take(run_state, told, **options)
            finally:
                vars(run_state)["_yield_callback"] = stop_if_asked
            vars(run_state)["taken"] = told

    def request_rerun(session: Any, client_state: Any) -> None:
        runner = session._scriptrunner  # noqa: SLF001
        if runner is not None and client_state and not client_state.fragment_id:
            told = runner._requests._rerun_data.widget_states  # noqa: SLF001
            if told is not None and told is not vars(runner._session_state).get("taken"):  # noqa: SLF001
                _add_values(client_state.widget_states.widgets, told.widgets)
        ask(session, client_state)

    AppSession.request_rerun = request_rerun  # type: ignore[method-assign, assignment]
    SafeSessionState.on_script_will_rerun = on_script_will_rerun  # type: ignore[method-assign, assignment]


def _add_values(states: Any, told: Any) -> None:
    known = {state.id for state in states}
    states.extend(
        state
        for state in told
        if state.id not in known and "trigger" not in (state.WhichOneof("value") or "trigger")
    )


def silence_error_texts() -> None:
    """Keep the text of errors out of Streamlit's own log: it may quote a value of the table."""
    logger = logging.getLogger("streamlit.error_util")
    if not any(isinstance(known, _WithoutText) for known in logger.filters):
        logger.addFilter(_WithoutText())


class _WithoutText(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        kind = record.exc_info[0] if record.exc_info else None
        if kind is not None:
            record.msg, record.args = f"Uncaught {kind.__name__}; its text is not logged.", ()
            record.exc_info = record.exc_text = record.stack_info = None
        return True


async def _reap() -> None:
    while True:
        await asyncio.sleep(REAP_SECONDS)
        with contextlib.suppress(AttributeError):
            expire_sessions()
        registry.expire()


def load_pages() -> None:
    """Import everything that pages import, before the first visitor comes."""
    import pages

    for module in pkgutil.walk_packages(pages.__path__, "pages."):
        if not module.name.endswith(".page"):  # a page's script draws when it is imported
            importlib.import_module(module.name)
    for name in ("plotly.graph_objects", "pyvis.network", "sklearn.cluster"):
        importlib.import_module(name)
