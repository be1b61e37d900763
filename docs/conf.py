"""The documentation: the texts of this folder, and an API reference read off the docstrings.

uv run sphinx-build -W --keep-going docs docs/_build
"""

from __future__ import annotations

from typing import Any

from hmpb_core import __version__

project = "hmpb"
author = "the authors of hmpb"
project_copyright = "the authors of hmpb, Apache-2.0"
release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]
nitpicky = False  # NumPy's and pandas' own inventories would have to be fetched
html_theme = "furo"
html_title = f"hmpb {release}"
html_show_sourcelink = False

myst_heading_anchors = 3
suppress_warnings = [
    "myst.xref_missing"
]  # links out of this folder; tests/test_documentation.py follows them

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_numpy_docstring = False
napoleon_use_ivar = True


def plain_text(
    _app: object, _what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Read docstrings as people do: an indented paragraph is an equation, bars are absolute values."""
    found: list[str] = []
    within = outer = 0
    equation = False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip():
            after_blank = bool(found) and not found[-1].strip()
            if equation and indent <= outer:
                equation = False
            elif not equation and after_blank and indent > within:
                equation, outer = True, within
                found += [" " * outer + "::", ""]
            within = outer if equation else indent
        code = equation or line.lstrip().startswith((">>>", "..."))
        found.append(line if code else _without_bars(line))
    lines[:] = found


def _without_bars(line: str) -> str:
    return "``".join(part if i % 2 else part.replace("|", r"\|") for i, part in enumerate(line.split("``")))


def setup(app: Any) -> None:
    """Read docstrings before napoleon does."""
    app.connect("autodoc-process-docstring", plain_text, priority=400)
