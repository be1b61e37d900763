"""``hmpb app``: the dashboard on this machine."""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from hmpb_core.commands.console import remark
from hmpb_core.commands.options import parser_for
from hmpb_core.errors import InputError

EXAMPLE = "hmpb app --port 8501"


def add(commands: Any) -> None:
    """Add the command."""
    parser = parser_for(commands, "app", EXAMPLE)
    parser.add_argument("--port", type=int, default=8501, metavar="P", help="port on 127.0.0.1 (8501)")
    parser.add_argument(
        "--tables",
        metavar="FILE.toml",
        help="tables of this machine and its databases to offer by name (docs/engines.md; HMPB_TABLES)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out."""
    if not 1 <= args.port <= 65535:
        raise InputError("port is {port}; it must lie between 1 and 65535.", port=args.port)
    require_app()
    entry = entry_script()
    environment = os.environ | {"HMPB_APP": "1"}
    if args.tables is not None:
        from hmpb_core.sources.named import read_named_tables

        read_named_tables(args.tables)
        environment["HMPB_TABLES"] = str(Path(args.tables).resolve())  # the server runs in another folder
    remark(f"Dashboard: http://127.0.0.1:{args.port} (stop with Ctrl+C)")
    command = [sys.executable, "-m", "streamlit", "run", str(entry), "--server.port", str(args.port)]
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
