"""What the page that Streamlit serves tells the browser before anything else."""

from __future__ import annotations

from pathlib import Path

import streamlit
from starlette.types import Message, Send

from pages.words.assets import template
from pages.words.catalogue import LANGUAGES, catalogue

HEAD = b"<head>"
CHARTS = "static/js/PlotlyChart.*.js"
SOON = 1500


def script() -> bytes:
    """Where the server is, and what to load while the reader reads.

    Opened at a page's address, Streamlit's browser side would look for its server below the page first,
    in vain. And plotly would be loaded with the first chart, which takes longer than to draw it. Streamlit
    has no other language for the button that takes a file, so a style sheet writes over it. It also outlines
    the link that the keyboard is on, which Streamlit shows by a shade that hardly anybody sees, and keeps the
    keyboard out of the sidebar while that is closed: its links lie beside the window, in nobody's sight.
    """
    folder = Path(streamlit.__file__).parent / "static"
    charts = [path.relative_to(folder).as_posix() for path in sorted(folder.glob(CHARTS))]
    uploads = {code: catalogue(code)["common.upload"] for code in LANGUAGES if code != "en"}
    return template("head.html.j2").render(charts=charts, soon=SOON, uploads=uploads).encode()


def with_script(send: Send, text: bytes) -> Send:
    """Put a script at the beginning of the page that is sent."""
    start: Message = {}
    body = bytearray()

    async def send_changed(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
            return
        body.extend(message.get("body", b""))
        if message.get("more_body"):
            return
        changed = bytes(body).replace(HEAD, HEAD + text, 1)
        size = (b"content-length", str(len(changed)).encode())
        start["headers"] = [
            size if name == size[0] and body else (name, value) for name, value in start["headers"]
        ]
        await send(start)
        await send({"type": "http.response.body", "body": changed})

    return send_changed
