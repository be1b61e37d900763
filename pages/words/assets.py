"""Where the app's files are: beside the entry script, in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
TEXT = ASSETS / "text"
DEMO = ASSETS / "demo"


def favicon() -> str:
    """The icon of the browser's tab: a file, because a symbol's name would be fetched from outside."""
    return str(ASSETS / "favicon.png")
