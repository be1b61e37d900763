"""Which encoding a text is in: of Unicode by its first bytes, else one from before it.

Nothing in a file says which of the latter. Two bytes a letter: Chinese, Japanese or Korean, whichever decodes
all of it into common letters that stand by themselves, where letters with accents stand in words of ASCII.
Cyrillic: its letters stand together, and by themselves. Else a text of western or central Europe, of Windows
or of a Mac: a mark that stands inside a word under one of them is a letter under another. That is the usual
answer, unless the letters are surely those of a language in another encoding (``languages.py``).
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable

from hmpb_core.sources.files.languages import are_of_a_language, fits, words_of

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER_FORMATS = (
    b"PK\x03\x04",
    b"PAR1",
    b"ARROW1",
    b"\x1f\x8b",
    b"$FL2",
    b"$FL3",
    b"\xd0\xcf\x11\xe0",
    b"%PDF",
)
COMMON = 0.8
"""Part of a text's letters beyond ASCII that are common in an encoding that it is in; names hold others."""
IN_WORDS, CYRILLIC_IN_WORDS = 0.5, 0.2
"""Part of the runs of such letters beside one of ASCII above which they are not of Asia, or not Cyrillic."""
LEAST_BYTES = 3
"""Bytes beyond ASCII that may tell a language: two are marks of the West sooner than a letter of Asia."""
SURELY_KOREAN, FEW_LETTERS = 0.97, 8
"""Korean syllables have the codes of common Chinese letters, which seldom keep to these: part of the letters,
and different ones from which on this says anything."""
TOGETHER = 2.0
"""Letters beyond ASCII that stand side by side, on average, in a text in Cyrillic."""
EUC_JAPANESE = 0.4
"""Part of the letters that are kana, or stand in every table, from which on a text is Japanese in EUC: the
others are Chinese or Korean too, and theirs are hardly ever these."""
SURELY = 7.0
"""How much likelier another encoding than the usual one of a script must be: what one letter says that the
language of the text does not have."""
DIFFERENT = 3
"""Different letters beyond ASCII from which on how often each occurs tells a language: of Spanish in capitals
there is Ñ alone, which is as rare as the Ð of another encoding is common."""
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


def _is_common_japanese(letter: str) -> bool:
    return "\u3041" <= letter <= "\u30fe" or letter in _IN_EVERY_TABLE


def _is_korean(letter: str) -> bool:
    code = letter.encode("euc_kr", errors="ignore")
    return len(code) == 2 and (code[0] in (0xA1, 0xA3) or 0xB0 <= code[0] <= 0xC8)


_IN_EVERY_TABLE = frozenset(
    "男女性別年月日時名前氏住所都道府県市区町村東京大阪田山川本中小高学校会社員職業有無未婚歳代人数番号回答合計金額"
)


_OF_TWO_BYTES: dict[str, Callable[[str], bool]] = {
    "gb18030": _is_common_gb,
    "big5": _is_common_big5,
    "cp932": _is_japanese,
    "cp949": _is_korean,
}
_WESTERN = ("cp1252", "cp1250", "mac-roman")


def encoding_of(content: bytes) -> str | None:
    """Tell the encoding of a text by its first bytes: UTF-8 until a byte says otherwise.

    Args:
        content: The beginning of a file.

    Returns:
        Python's name of the encoding; None where the bytes are no text.

    Example:
        >>> encoding_of(b"a,b"), encoding_of("a,b".encode("utf-16")), encoding_of(b"PAR1")
        ('utf-8', 'utf-16', None)
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    head = content[:4096]
    zeros = head.count(b"\x00")
    if zeros and len(head) >= 8:
        even, odd = head[0::2].count(b"\x00"), head[1::2].count(b"\x00")
        if max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) < 0.1 * len(head) / 2:
            return "utf-16-le" if odd > even else "utf-16-be"
    return None if zeros or head.startswith(_OTHER_FORMATS) else "utf-8"


_WITH_EURO = re.compile(rb"\d[ \xa0]?\xa4|\xa4[ \xa0]?\d|[a-z\xdf-\xff]\xbd[a-z\xdf-\xff]")
"""Euros beside a number and œ within a word in ISO 8859-15, which are ¤ and ½ in Windows-1252."""
_ONLY_WINDOWS = re.compile(rb"[\x80-\x9f]")


def encoding_before_unicode(content: bytes) -> str:
    """Tell the encoding of a text that is not in UTF-8.

    Args:
        content: The beginning of a file; its last letter may be cut.

    Returns:
        Python's name of the encoding; ``cp1252`` where nothing speaks for another.

    Example:
        >>> encoding_before_unicode("prix,5 €".encode("iso8859-15"))
        'iso8859-15'
        >>> encoding_before_unicode("姓名".encode("gbk")), encoding_before_unicode("Größe".encode("cp1252"))
        ('gb18030', 'cp1252')
    """
    found = _before_unicode(content)
    with_euro = found == "cp1252" and _WITH_EURO.search(content) and not _ONLY_WINDOWS.search(content)
    return "iso8859-15" if with_euro else found


def _before_unicode(content: bytes) -> str:
    if sum(byte > 0x7F for byte in content) < LEAST_BYTES:
        return _western(content)
    if _common_part(content, "euc_jp", _is_common_japanese) >= EUC_JAPANESE:
        return "euc_jp"
    shares = {name: _common_part(content, name, common) for name, common in _OF_TWO_BYTES.items()}
    best = max(shares, key=lambda name: shares[name])
    korean = set("".join(_runs(content, "cp949", IN_WORDS)))
    if shares["cp949"] >= SURELY_KOREAN and len(korean) >= FEW_LETTERS:
        return "cp949"
    if shares[best] >= COMMON:
        return best
    usual = "cp1251" if _is_cyrillic(content) else _western(content)
    words = words_of(content)
    if len(set(re.findall(rb"[\x80-\xff]", content))) < DIFFERENT and are_of_a_language(words, usual):
        return usual
    likely = fits(words)
    likeliest = max(likely, key=lambda name: likely[name])
    return likeliest if likely[likeliest] - likely[usual] > SURELY else usual


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
