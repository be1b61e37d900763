"""The cookie that tells a browser from all others, so that it finds its work again after a reload."""

from __future__ import annotations

import hmac
import os
from http.cookies import CookieError, SimpleCookie

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.session.registry import cookie_name
from pages.shared.page_list import page_names

TOKEN_BYTES = 32
_KEY = os.urandom(32)
"""Known to this process alone, like all that its tokens stand for."""
_PAGES = {"", *page_names()}


class Visitors:
    """Gives each browser a token of its own when it opens a page, and takes it away when somebody logs out.

    The cookie ends with the browser's session. No script can read it (``HttpOnly``), no other site can have
    it sent (``SameSite=Strict``), and behind TLS it goes over TLS alone (``Secure``). A token that this
    server did not give is replaced: nobody can plant one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = str(scope.get("path", ""))
        leaving = path.endswith("/auth/logout")
        if scope["type"] != "http" or (path.rpartition("/")[2] not in _PAGES and not leaving):
            await self._app(scope, receive, send)
            return
        if is_ours(_token(scope)) and not leaving:
            await self._app(scope, receive, send)
            return
        cookie = _cookie(scope, leaving=leaving)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"set-cookie", cookie)]
            await send(message)

        await self._app(scope, receive, send_with_cookie)


def new_token() -> str:
    """Draw a token and sign it, so that no other can be planted."""
    drawn = os.urandom(TOKEN_BYTES).hex()
    return f"{drawn}.{_signature(drawn)}"


def is_ours(token: str | None) -> bool:
    """Whether this process gave a token."""
    drawn, _, signature = (token or "").partition(".")
    return hmac.compare_digest(_signature(drawn).encode(), signature.encode())


def _signature(drawn: str) -> str:
    return hmac.digest(_KEY, drawn.encode(), "sha256").hex()


def _cookie(scope: Scope, *, leaving: bool) -> bytes:
    token = "" if leaving else new_token()
    parts = [f"{cookie_name()}={token}", "Path=/", "HttpOnly", "SameSite=Strict"]
    if leaving:
        parts.append("Max-Age=0")
    if scope.get("scheme") == "https" or _header(scope, b"x-forwarded-proto") == "https":
        parts.append("Secure")
    return "; ".join(parts).encode()


def _token(scope: Scope) -> str | None:
    try:
        found = SimpleCookie(_header(scope, b"cookie")).get(cookie_name())
    except CookieError:
        return None
    return found.value if found else None


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
