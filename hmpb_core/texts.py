"""The one text by which a value is compared: with categories, and with the codes of a missing value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


def text_of(value: object) -> str:
    """Give the one text by which a value is compared with a category.

    Blanks at the ends do not count and a whole float is written as an integer,
    so ``1``, ``1.0`` and ``" 1 "`` are the same category.
    """
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def plain_number(text: str) -> str:
    """Write a number as ``text_of`` does: 3.0, 3.00 and +3 are 3; other texts stay as they are.

    Example:
        >>> plain_number("3.00"), plain_number("-.50"), plain_number("n.a.")
        ('3', '-0.5', 'n.a.')
    """
    if text.isdecimal() and text.isascii() and not text.startswith("0"):
        return text  # as most are
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text.removeprefix("+"))
    whole, point, part = digits.partition(".")
    whole = whole or "0" * bool(part)  # .5 as Stata and SAS write it
    if not (whole.isascii() and whole.isdecimal() and (not point or (part + "0").isdecimal())):
        return text
    part = part.rstrip("0")
    number = (whole.lstrip("0") or "0") + (f".{part}" if part else "")
    return number if number == "0" else sign + number


def single_text(value: float) -> str:
    """Give the text of a number: the shortest that 32 bits hold as it, where 32 bits hold it.

    Example:
        >>> single_text(1.100000023841858), single_text(1.1), single_text(3.0)
        ('1.1', '1.1', '3')
    """
    with np.errstate(over="ignore"):
        narrow = np.float32(value)
    return text_of(float(str(narrow))) if float(narrow) == value else text_of(value)


def plain_codes(codes: Iterable[str]) -> frozenset[str]:
    """Give codes of a column of numbers as they stand and as plain numbers.

    Example:
        >>> sorted(plain_codes(["-9.00", "n.a."]))
        ['-9', '-9.00', 'n.a.']
    """
    return frozenset(text for code in codes for text in (code, plain_number(code)))


def is_code(text: str, codes: Collection[str]) -> bool:
    """Whether the text of a number is one of some plain codes: 999.0 is the code 999.

    Example:
        >>> is_code("999.0", {"999"}), is_code("-9", plain_codes(["-9.00"])), is_code("99", {"999"})
        (True, True, False)
    """
    return text in codes or plain_number(text) in codes


def are_codes(texts: Sequence[str], codes: Collection[str]) -> NDArray[np.bool_]:
    """Tell of many texts whether each is a code, as ``is_code`` does; of words alone in a third of the time.

    Example:
        >>> are_codes(["999.0", "3"], {"999"}).tolist(), are_codes(["n.a.", "3.0"], {"n.a.", ""}).tolist()
        ([True, False], [True, False])
    """
    if are_words(codes):
        return np.array([text in codes for text in texts], dtype=bool)
    return np.array([is_code(text, codes) for text in texts], dtype=bool)


def are_words(codes: Iterable[str]) -> bool:
    """Whether codes are words alone: a text is one of them only if it is written so, as no number is.

    Example:
        >>> are_words({"n.a.", ""}), are_words({"n.a.", "999"})
        (True, False)
    """
    return not any(map(str.isdecimal, "".join(codes)))
