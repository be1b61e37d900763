"""HTML from templates: the form stands in files, and whatever is filled in is text, never markup."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def visible(value: Any) -> Any:
    r"""Show control characters and the marks that turn the direction of writing, instead of obeying them.

    A name that holds such a mark could turn around the words after it on the page; one that holds a
    control character could make an SVG file unreadable. Right-to-left letters and the marks inside
    words (U+200E, U+200F) stay as they are.

    Example:
        >>> visible("a\u202eb")
        'a[U+202E]b'
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return _HIDDEN.sub(lambda mark: f"[U+{ord(mark[0]):04X}]", value)


@cache
def templates_in(folder: Path) -> Environment:
    """Give the templates of a folder: every value escaped, a missing value an error.

    Args:
        folder: Where the ``.j2`` files are.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
