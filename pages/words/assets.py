"""Where the app's files are: beside the entry script, in a checkout and in a wheel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hmpb_core.report.html import templates_in

if TYPE_CHECKING:
    from jinja2 import Template

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
TEXT = ASSETS / "text"
DEMO = ASSETS / "demo"
TEMPLATES = ASSETS / "templates"


def favicon() -> str:
    """The icon of the browser's tab: a file, because a symbol's name would be fetched from outside."""
    return str(ASSETS / "favicon.png")


def template(name: str) -> Template:
    """Give a template of the app: every value put into it is escaped."""
    return templates_in(TEMPLATES).get_template(name)
