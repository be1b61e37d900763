"""``hmpb app``: the dashboard on this machine."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import remark
from hmpb_core.commands.options import parser_for
from hmpb_core.errors import InputError

EXAMPLE = "hmpb app --port 8501"
PORT = "STREAMLIT_SERVER_PORT"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "app", EXAMPLE)
    parser.add_argument("--port", type=int, metavar="P", help=f"port on 127.0.0.1 ({PORT}, else 8501)")
    parser.add_argument(
        "--tables",
        metavar="FILE.toml",
        help="tables of this machine and its databases to offer by name (docs/engines.md; HMPB_TABLES)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    port = port_from(args.port)
    require_app()
    require_free(port)
    entry = entry_script()
    environment = os.environ | {"HMPB_APP": "1"}
    if args.tables is not None:
        from hmpb_core.sources.named import read_named_tables

        read_named_tables(args.tables)
        environment["HMPB_TABLES"] = str(Path(args.tables).resolve())  # the server runs in another folder
    path = environment.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    remark(f"Dashboard: http://127.0.0.1:{port}{path and f'/{path}/'} (stop with Ctrl+C)")
    command = [sys.executable, "-m", "streamlit", "run", str(entry), "--server.port", str(port)]
    server = subprocess.Popen(command, cwd=entry.parent, env=environment)  # noqa: S603

    def pass_on(number: int, _: object) -> None:
        server.send_signal(number)

    signal.signal(signal.SIGTERM, pass_on)  # whoever ends this process ends the server
    try:
        code = server.wait()
    except KeyboardInterrupt:
        server.wait()
        return 0
    return 0 if code == -signal.SIGTERM else code


def port_from(typed: int | None) -> int:
    """Give the port to listen on: the one that was typed, else the environment's, else 8501.

    Raises:
        InputError: it is none.
    """
    name, text = ("port", str(typed)) if typed is not None else (PORT, os.environ.get(PORT) or "8501")
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:
        raise InputError("{name} is {port}; it must lie between 1 and 65535.", name=name, port=text[:40])
    return int(text)


def require_free(port: int) -> None:
    """Refuse a port on which another program listens: no dashboard would be at the address that is said.

    Raises:
        InputError: it is taken.
    """
    address = os.environ.get("STREAMLIT_SERVER_ADDRESS") or "127.0.0.1"
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that has ended holds no port
        try:
            probe.bind((address, port))
        except OSError:
            raise InputError(
                "Port {port} cannot be used, mostly because another program listens there; name another one "
                "with --port.",
                port=port,
            ) from None


def require_app() -> None:
    """Refuse to start without what the dashboard needs.

    Raises:
        InputError: one of the packages of the extra ``app`` is missing.
    """
    for package in ("streamlit", "plotly", "pyvis", "reportlab", "babel"):
        if importlib.util.find_spec(package) is None:
            raise InputError(
                "The dashboard needs the package {package}, which is not installed; run: "
                "pip install 'hmpb[app]'.",
                package=package,
            )


def entry_script() -> Path:
    """Find the app's entry script: beside the package in a checkout, inside it in a wheel."""
    spec = importlib.util.find_spec("hmpb_core")
    if spec is None or spec.origin is None:
        raise InputError("The package hmpb_core cannot be found; install hmpb again.")
    package = Path(spec.origin).parent
    for folder in (package / "_app", package.parent):
        for name in ("serve.py", "app.py"):
            if (folder / name).exists():
                return folder / name
    raise InputError("The dashboard's files are not installed; install hmpb again.")
