"""Which addresses are this app's own, and whether a request was meant for one of them."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

ORIGINS = "HMPB_ORIGINS"
"""Names the environment variable with the addresses that browsers see where a proxy or a container stands
between, separated by blanks: ``https://data.example.org http://127.0.0.1:9000``."""
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
STANDARD_PORTS = {"http": 80, "https": 443}

_ORIGIN = re.compile(r"(https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?", re.ASCII)
log = logging.getLogger(__name__)


class Origin(NamedTuple):
    """An origin as browsers compare them: scheme, host and port."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> Origin | None:
        """Read an origin; None where the text is anything else, such as ``null`` or an address with a path.

        Example:
            >>> Origin.of("https://data.example.org")
            Origin(scheme='https', host='data.example.org', port=443)
        """
        found = _ORIGIN.fullmatch(text.lower())
        if found is None:
            return None
        scheme, name, port = found.groups()
        return cls(scheme, name.strip("[]"), int(port) if port else STANDARD_PORTS[scheme])


def admits(scope: Any) -> bool:
    """Whether a request was sent to this app, by this app.

    Its ``Host`` must be one of our own addresses, port included: otherwise another site's name was made to
    point here (DNS rebinding). Its ``Origin``, which browsers add to whatever a page of theirs could do
    harm with, must be that same address. A WebSocket without one comes from no browser, and is refused.

    Args:
        scope: The request, as ASGI describes it.
    """
    hosts, origins = _header(scope, b"host"), _header(scope, b"origin")
    if len(hosts) != 1 or len(origins) > 1:
        return False
    own = own_origins(_listening_port(scope), os.environ.get(ORIGINS, ""))
    meant = {origin for origin in own if Origin.of(f"{origin.scheme}://{hosts[0]}") == origin}
    if not origins:
        return bool(meant) and scope["type"] == "http"
    return Origin.of(origins[0]) in meant


@lru_cache(maxsize=8)
def own_origins(port: int | None, public: str) -> frozenset[Origin]:
    """This app's own origins: this machine's names with the port it listens on, and the public addresses.

    Args:
        port: The port; None where it listens on no port.
        public: What ``HMPB_ORIGINS`` says.
    """
    local = (Origin(scheme, name, port) for scheme in STANDARD_PORTS for name in LOCAL_NAMES if port)
    return frozenset((*local, *_public(public)))


def host_names() -> list[str]:
    """The names of our own addresses, for Streamlit's rule about the ``Host``."""
    public = {origin.host for origin in _public(os.environ.get(ORIGINS, ""))}
    return [*LOCAL_NAMES, *sorted(public - set(LOCAL_NAMES))]


def _public(text: str) -> Iterable[Origin]:
    for part in text.split():
        origin = Origin.of(part.removesuffix("/"))
        if origin is None:
            log.warning("%s says %r, which is no address; write https://data.example.org", ORIGINS, part)
        else:
            yield origin


def _listening_port(scope: Any) -> int | None:
    server = scope.get("server")
    return server[1] if server else None


def _header(scope: Any, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
