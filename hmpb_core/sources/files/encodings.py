"""Which of the encodings before Unicode a text is in, where it is not in UTF-8.

Nothing in a file says it. Two bytes a letter: Chinese, Japanese or Korean, whichever decodes all of it into
common letters that stand by themselves, where letters with accents stand in words of ASCII. Cyrillic: its
letters stand together, and by themselves. Else a text of western or central Europe, of Windows or of a Mac: a
mark that stands inside a word under one of them is a letter under another.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable

COMMON = 0.8
"""Part of a text's letters beyond ASCII that are common in an encoding that it is in; names hold others."""
IN_WORDS, CYRILLIC_IN_WORDS = 0.5, 0.2
"""Part of the runs of such letters beside one of ASCII above which they are not of Asia, or not Cyrillic."""
SURELY_KOREAN, FEW_LETTERS = 0.97, 8
"""Korean syllables have the codes of common Chinese letters, which seldom keep to these: part of the letters,
and different ones from which on this says anything."""
TOGETHER = 2.0
"""Letters beyond ASCII that stand side by side, on average, in a text in Cyrillic."""
_RUN = re.compile(r"([A-Za-z]?)([^\x00-\x7f]+)([A-Za-z]?)")
_AFTER_A_LETTER = re.compile(rb"(?<=[a-z])[\x80-\xff]")
_INSIDE_WORDS = "\u00a0‘’“”–—…°²³™®©"
"""Marks that stand behind a letter."""


def _is_common_gb(letter: str) -> bool:
    code = letter.encode("gb2312", errors="ignore")
    return len(code) == 2 and (code[0] <= 0xA3 or 0xB0 <= code[0] <= 0xD7)


def _is_common_big5(letter: str) -> bool:
    code = letter.encode("big5", errors="ignore")
    return len(code) == 2 and (0xA1 <= code[0] <= 0xC6)


def _is_japanese(letter: str) -> bool:
    code = letter.encode("cp932", errors="ignore")
    return len(code) == 2 and (code[0] in (0x81, 0x82, 0x83) or 0x88 <= code[0] <= 0x97)


def _is_korean(letter: str) -> bool:
    code = letter.encode("euc_kr", errors="ignore")
    return len(code) == 2 and (code[0] in (0xA1, 0xA3) or 0xB0 <= code[0] <= 0xC8)


_OF_TWO_BYTES: dict[str, Callable[[str], bool]] = {
    "gb18030": _is_common_gb,
    "big5": _is_common_big5,
    "cp932": _is_japanese,
    "cp949": _is_korean,
}
_WESTERN = ("cp1252", "cp1250", "mac-roman")


def encoding_before_unicode(content: bytes) -> str:
    """Tell the encoding of a text that is not in UTF-8.

    Args:
        content: The beginning of a file; its last letter may be cut.

    Returns:
        Python's name of the encoding; ``cp1252`` where nothing speaks for another.

    Example:
        >>> encoding_before_unicode("姓名".encode("gbk")), encoding_before_unicode("Größe".encode("cp1252"))
        ('gb18030', 'cp1252')
    """
    shares = {name: _common_part(content, name, common) for name, common in _OF_TWO_BYTES.items()}
    best = max(shares, key=lambda name: shares[name])
    korean = set("".join(_runs(content, "cp949", IN_WORDS)))
    if shares["cp949"] >= SURELY_KOREAN and len(korean) >= FEW_LETTERS:
        return "cp949"
    if shares[best] >= COMMON:
        return best
    if _is_cyrillic(content):
        return "cp1251"
    return _western(content)


def _common_part(content: bytes, name: str, is_common: Callable[[str], bool]) -> float:
    """The part of the letters beyond ASCII that are common; 0 where a text is not in this encoding."""
    runs = _runs(content, name, IN_WORDS)
    letters = Counter("".join(runs))
    return sum(n for letter, n in letters.items() if is_common(letter)) / max(1, letters.total())


def _is_cyrillic(content: bytes) -> bool:
    runs = _runs(content, "cp1251", CYRILLIC_IN_WORDS)
    letters = "".join(runs)
    cyrillic = sum("Ѐ" <= letter <= "ӿ" for letter in letters)
    return bool(runs) and len(letters) >= TOGETHER * len(runs) and cyrillic >= COMMON * len(letters)


def _runs(content: bytes, name: str, most: float) -> list[str]:
    """Letters beyond ASCII that stand side by side; none if that is no such text, or they stand in words."""
    try:
        found = _RUN.findall(codecs.getincrementaldecoder(name)().decode(content))
    except UnicodeDecodeError:
        return []
    in_words = sum(bool(before or after) for before, _, after in found)
    return [run for _, run, _ in found] if in_words <= most * len(found) else []


def _western(content: bytes) -> str:
    """Tell them by what stands behind a small letter: another one, or a mark; no capital."""
    found = b"".join(_AFTER_A_LETTER.findall(content))

    def fitting(name: str) -> int:
        return sum(
            letter.islower() or letter in _INSIDE_WORDS for letter in found.decode(name, errors="replace")
        )

    return max(_WESTERN, key=fitting)
