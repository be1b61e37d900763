"""The pages: their names, their order, and where each one's script lies."""

from __future__ import annotations

PAGES = {
    "prepare": [
        ("tour", ":material/tour:"),
        ("data", ":material/table_view:"),
        ("plan", ":material/tune:"),
        ("explain", ":material/balance:"),
    ],
    "make": [("run", ":material/play_circle:")],
    "look": [
        ("similarity", ":material/grid_on:"),
        ("networks", ":material/hub:"),
        ("weights", ":material/weight:"),
        ("utility", ":material/monitoring:"),
        ("compare", ":material/compare_arrows:"),
        ("experiments", ":material/science:"),
    ],
    "keep": [("ledger", ":material/receipt_long:")],
    "beside": [("anonymize", ":material/groups:")],
}
"""The pages by section: name of the folder and its symbol."""

DEFAULT_PAGE = "data"


def page_names() -> tuple[str, ...]:
    """The names of all pages, in order."""
    return tuple(name for entries in PAGES.values() for name, _ in entries)


def page_file(name: str) -> str:
    """A page's script, from the entry script's folder."""
    return f"pages/{name}/page.py"
