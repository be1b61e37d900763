"""Which language a text before Unicode is in: its letters beyond ASCII, and how common each of them is there.

A word in an encoding is as likely as its letters are in a language that is written with it. Under a
wrong one the letters are others: ø in Danish is ř in Czech, and α in Greek б in Russian, which is rarer
there. Every word counts once, so that one that stands in all rows says no more than any other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

_WESTERN, _DOS = ("cp1252", "mac-roman"), "cp850"
_CENTRAL = ("cp1250", "iso8859-2", "cp852", "mac-latin2")
_CYRILLIC = ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic")
_GERMAN = "üäöß"
_LATIN: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        (*_WESTERN, _DOS),
        (
            _GERMAN,
            "éèêàçôâîûïùëœ" + _GERMAN,  # French
            "óíáéñúü",
            "ãçáéíóõêúâàô",  # Portuguese
            "àèòùìé",
            "äåöéü",  # Swedish, Finnish
            "øåæéöäü",  # Danish, Norwegian
            "íáðóéúþýöæ",
            "ëéïöèü",
            "àéóèíçòúïü",  # Catalan
            "äõüö",
            "éüöäáóíñçèãøåàêßúôâîëïæòùõûìýðþšž",  # names of all of them
        ),
    ),
    (
        _CENTRAL,
        (
            "íáěéřčýžšůúťňďó" + _GERMAN,
            "áíéýčúšžľťôňóďĺŕ" + _GERMAN,  # Slovak
            "łąęóżśćńź" + _GERMAN,
            "áéóöőíüúű",
            "ăşţîâ" + _GERMAN,
            "čšžćđ" + _GERMAN,  # Slovene, Croatian
        ),
    ),
    (("cp1254", "iso8859-9"), ("ıişğüçöâîİ",)),
    (("cp1257", "iso8859-13"), ("ėšųžįąčūę", "āīēšņūļžķģč", "äõüöšž")),
)
_OTHERS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("cp1253", "iso8859-7"), ("αοιετσνηυρπκμλςωάίόέδθήγχύώφβξζψϊϋΐΰ",)),
    (
        _CYRILLIC,
        (
            "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
            "аоеинтрсвлкдпмязъугбчщжшцхфйюь",  # Bulgarian
        ),
    ),
    (("cp1251", "koi8-u"), ("оанивтеірслкудмпьзягбчйхцжїшюєщґф",)),
    (("cp1255",), ("יוהלארבתשמנדקעחגפסטםןזצכךףץ",)),
    (("cp1256",), ("اليمنرتوبةعدسفهكقحجأشصىخإطزءآضغذثئظؤ",)),
    (("cp874",), ("านรกอ่เง้มิีัยลวดทสุตะปบคหแูจื์พชข็ใไำโผถศซธฟณภษญ",)),
)
_WORD = re.compile(rb"[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
MOST_WORDS = 1000
"""More of them say no more."""
_MARKS = "\u00a0‘’“”–—…°²³™®©€§«»„·"
_MISFIT, _MARK, _SIDE_BY_SIDE = math.log(0.001), math.log(0.02), math.log(0.05)
"""A letter that a language has not; a mark; an accent beside another in words of ASCII."""


def words_of(content: bytes) -> list[bytes]:
    """Give the first words with letters beyond ASCII, each once."""
    found: dict[bytes, None] = {}
    for word in _WORD.finditer(content):
        found[word[0]] = None
        if len(found) == MOST_WORDS:
            break
    return list(found)


def fits(words: Iterable[bytes]) -> dict[str, float]:
    """Say how likely these words are in each encoding, in the language that makes them likeliest.

    Args:
        words: ``words_of`` a text.

    Returns:
        Logarithms, by Python's names of the encodings.

    Example:
        >>> found = fits(words_of("žena,muž,základní,vzdělání".encode("cp1250")))
        >>> max(found, key=found.get)
        'cp1250'
    """
    words = list(words)
    found: dict[str, float] = {}
    for groups, latin in ((_LATIN, True), (_OTHERS, False)):
        for encodings, languages in groups:
            for encoding in encodings:
                texts = [word.decode(encoding, errors="replace") for word in words]
                best = max(_fit(texts, _common(letters), latin=latin) for letters in languages)
                found[encoding] = max(best, found.get(encoding, -math.inf))
    return found


def are_of_a_language(words: Iterable[bytes], encoding: str) -> bool:
    """Whether all letters beyond ASCII in these words are those of one language that is written so.

    Not of Icelandic, whose texts have many of them: ý alone is the ı of Turkish.

    Example:
        >>> [are_of_a_language(["MUÑOZ".encode("cp1252")], name) for name in ("cp1252", "cp850")]
        [True, False]
    """
    text = b"".join(words).decode(encoding, errors="replace")
    found = {letter for letter in text.lower() if not letter.isascii()}
    return any(
        found <= set(letters)
        for encodings, languages in (*_LATIN, *_OTHERS)
        for letters in languages
        if encoding in encodings and "ð" not in letters
    )


def _common(letters: str) -> dict[str, float]:
    """How likely each letter is, the commonest first, as a logarithm."""
    weights = [1 / (rank + 4) for rank in range(len(letters))]
    likely = {
        letter: math.log(weight / sum(weights)) for letter, weight in zip(letters, weights, strict=True)
    }
    return likely | {letter.upper(): p for letter, p in likely.items() if len(letter.upper()) == 1}


def _fit(texts: list[str], likely: dict[str, float], *, latin: bool) -> float:
    total = 0.0
    for text in texts:
        before = ""
        for letter in text:
            if not letter.isascii():
                total += likely.get(letter, _MARK if letter in _MARKS else _MISFIT)
                if before.islower() and letter.isupper():
                    total += _MISFIT
            beside = before.isalpha() and letter.isalpha()
            if beside and latin and not before.isascii() and not letter.isascii():
                total += _SIDE_BY_SIDE
            if beside and not latin and before.isascii() != letter.isascii():
                total += _MISFIT
            before = letter
    return total
