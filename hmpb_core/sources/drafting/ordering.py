"""Lists that have an order of their own: bands of numbers, quarters and weeks, words of a scale."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence

from hmpb_core.amounts import CURRENCIES, MONEY
from hmpb_core.sources.drafting.band_words import (
    ABOVE,
    AND_LESS,
    AND_MORE,
    BELOW,
    BETWEEN,
    FROM,
    ONE_OF_A_UNIT,
    without_marks,
)
from hmpb_core.sources.drafting.scales import DEGREES, SCALES
from hmpb_core.sources.drafting.vocabularies import VOCABULARIES

FEWEST = 3
"""Categories from which on their order says something."""
_NUMBER = r"(\d+(?:\.\d+)?)((?:[km](?![a-z])|[万千億亿만천])?)"
"""A number and its size, which in 3km is none."""
_UNIT = r"(?: ?[^\W\d_]+\.?)?"
_UNITS = rf"{_UNIT}(?: [^\W\d_]+)?"
"""A unit, of two words where it is one of age: years old."""
_BANDS = (
    (re.compile(f"{BELOW} ?{_NUMBER}{_UNITS}"), -1),
    (re.compile(f"{ABOVE} ?{_NUMBER}{_UNITS}"), 1),
    (re.compile(f"{FROM}{_NUMBER}{_UNITS} ?{AND_MORE}{_UNITS}"), 1),
    (re.compile(f"{_NUMBER}{_UNITS} ?{AND_LESS}{_UNITS}"), -1),
    (re.compile(f"{_NUMBER}{_UNITS} ?(?:[<>]=?|[≤≥])"), -1),
    (re.compile(f"{FROM}{_NUMBER}{_UNITS}{BETWEEN}{_NUMBER}{_UNITS}(?: ?{AND_LESS})?"), 0),
    (re.compile(f"{_NUMBER}{_UNIT}"), 0),
)
"""How bands are written, and where one lies beside others that begin with the same number; last one number
alone. A sign behind the number, 55<=, is written for either side: it is the lowest band or the highest."""
_MILLIONS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")
"""Points between thousands, where a number has two of them."""
_ROUND_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}\.000(?![\d.,])")
_POINTED = re.compile(r"(?<=\d)\.(?=\d{3}(?!\d))")
"""Where one text of a list is 1.000, all points before three digits stand between thousands."""
_NAMED = "|".join(sorted((re.escape(name.casefold()) for name in CURRENCIES), key=len, reverse=True))
_NO_PART = re.compile(rf"(?<=\d)[,'’ ](?=\d{{3}}(?!\d))|[{MONEY}%()\[\]]|(?<![^\W\d_])(?:{_NAMED}) ?(?=\d)")
"""What stands beside the digits of a number, or between its thousands."""
_SIZES = {"k": 1e3, "m": 1e6, "千": 1e3, "万": 1e4, "億": 1e8, "亿": 1e8, "천": 1e3, "만": 1e4}
_MONTHS = re.compile(r"\b(?:months?|monate?n?|mois|mes(?:es)?|mesi|месяц\w*)\b|个月|か月|ヶ月|カ月|개월")
"""Twelve of these are one of the others in a list: below 6 months, 1 year, 2 years."""
_PERIODS = (
    re.compile(r"(?P<year>\d{4})[-/ ]?[qhtsw](?P<part>\d{1,2})"),
    re.compile(r"[qhtsw](?P<part>\d{1,2})[-/ ]?(?P<year>\d{4})"),
)
"""Quarters, halves, terms and weeks of years."""


def in_order(texts: Collection[str]) -> tuple[list[str], bool]:
    """Put the categories of a list into the order that they have by themselves.

    Returns:
        The categories, and whether all of them are in an order that means something. Where some have no place
        in it (``Unknown``) they stand last, and it does not.

    Example:
        >>> in_order(["5-9", "10-14", "0-4", "85+"])
        (['0-4', '5-9', '10-14', '85+'], True)
        >>> in_order(["often", "Never", "sometimes"]), in_order(["Bern", "Basel"])
        ((['Never', 'sometimes', 'often'], True), (['Basel', 'Bern'], False))
    """
    alphabet = sorted(texts)
    thousands = any(map(_ROUND_THOUSANDS.search, alphabet))
    for place in (_period, _roman, _height, _band, _band_in_brackets):
        bare = {text: _POINTED.sub("", text) if thousands else text for text in alphabet}
        places = {text: found for text in alphabet if (found := place(bare[text])) is not None}
        rest = [text for text in alphabet if text not in places]
        few = len(rest) <= max(2, len(places) // FEWEST)
        if place is _band and len(none := [text for text in rest if _is_none(text)]) == 1:  # below 1 or less
            places[none[0]] = _NOTHING
            rest.remove(none[0])
        spoilt = {text: begins for text in rest if (begins := _spoilt(text))}
        if place is _band and few and len(spoilt) == len(rest) and len(places) >= FEWEST:
            places |= spoilt
            rest = []
        if len(places) >= FEWEST and few and len(set(places.values())) == len(places):
            return [*sorted(places, key=lambda text: places[text]), *rest], not rest
    words = [(text, word) for text in alphabet for word in _as_words(text)]
    partly: list[str] = []
    for scale in _ORDERED:
        found_words = {text: scale[word] for text, word in words if word in scale}
        rest = [text for text in alphabet if text not in found_words]
        if len(set(found_words.values())) == len(found_words) >= FEWEST * max(1, len(rest)):
            partly = [*sorted(found_words, key=lambda text: found_words[text]), *rest]
            if not rest:
                return partly, True
    by_degree = _by_degree(alphabet)
    return by_degree or partly or alphabet, bool(by_degree)


def is_range(text: str) -> bool:
    """Whether a text reads as an open or a closed range of numbers: an answer, and no missing code.

    Example:
        >>> [is_range(text) for text in ("4 or more", "5+", "<1", "2-10", "Over 100", "3 bis 5")]
        [True, True, True, True, True, True]
        >>> [is_range(text) for text in ("-9", "4", "4 rooms", "10-2", "n.a.", "unknown", "")]
        [False, False, False, False, False, False, False]
    """
    return _band(text, _BANDS[:-1]) is not None


def _period(text: str) -> tuple[float, float] | None:
    found = next((match for way in _PERIODS if (match := way.fullmatch(text.strip().casefold()))), None)
    return (float(found["year"]), float(found["part"])) if found else None


def _band(text: str, ways: Sequence[tuple[re.Pattern[str], int]] = _BANDS) -> tuple[float, float] | None:
    """Where a band of numbers begins; and, of two that begin alike, which is the lower."""
    bare = _MILLIONS.sub(lambda found: found[0].replace(".", ""), text.casefold())
    bare = " ".join(_NO_PART.sub("", bare).split())
    bare = ONE_OF_A_UNIT.sub(r"\1 1 ", without_marks(bare))
    for way, beside in ways:
        if found := way.fullmatch(bare):
            first, last = float(found[1]), float(found[way.groups - 1])
            sizes = [_SIZES.get(found[i], 1) for i in (2, way.groups)]
            if not found[2] and first < last:  # 5-10k is 5k to 10k, 500-1k is 500 to 1000
                sizes[0] = sizes[1]
            first, last = first * sizes[0], last * sizes[1]
            months = 12 if _MONTHS.search(bare) else 1
            return (first / months, float(beside)) if first <= last else None
    return None


def _spoilt(text: str) -> tuple[float, float] | None:
    """Where a band begins that a spreadsheet took for a date: 20-Oct, which was 10-20."""
    found = _DAY_AND_MONTH.fullmatch(text.casefold())
    if not found or bool(found[1]) == bool(found[3]):
        return None
    return float(min(int((found[1] or found[3]).strip("-")), _SHORT_MONTHS.index(found[2]) + 1)), 0.0


def _is_none(text: str) -> bool:
    """Whether a text says that there is none of what the others are bands of: No land."""
    return _NONE.match(text.casefold()) is not None


def _in_words(text: str) -> str:
    """A code of a form in the words that it stands for: strongly_agree, StronglyAgree."""
    return " ".join(_WORD_ENDS.sub(" ", text).split()).casefold()


def _as_words(text: str) -> tuple[str, ...]:
    """The words of a scale that a text may be, the likeliest last."""
    folded = text.casefold()
    return _BRACKETED.sub("", folded), _OR_BEYOND.sub("", folded), _in_words(text), folded.replace(",", "")


def _roman(text: str) -> tuple[float, str] | None:
    """The number of a stage, a class or a year of study, and the letter behind it: Stage IIa."""
    found = _ROMAN.fullmatch(text.strip())
    return (_ROMANS.index(found[1]), found[2].casefold()) if found and found[1] in _ROMANS else None


def _height(text: str) -> tuple[float, int] | None:
    """How many inches feet and inches are, and whether more or less than these are meant."""
    found = _FEET.fullmatch(text.strip().casefold())
    if not found:
        return None
    return 12 * float(found[2]) + float(found[3] or 0), bool(found[4]) - bool(found[1])


def _band_in_brackets(text: str) -> tuple[float, float] | None:
    """Where the band of numbers begins that stands behind a word for it: Light (1-5)."""
    found = _IN_BRACKETS.fullmatch(text.strip())
    return _band(found[1], _BANDS[:-1]) if found else None


def _by_degree(texts: Sequence[str]) -> list[str]:
    """The answers in the order of the words for a degree that each begins with; none where one has no such.

    What is asked is the same in all but the lowest one (unimportant, not important at all). In Korean it may
    differ, since the verb says no itself.
    """
    for degrees in _DEGREES:
        found = [degree for text in texts if (degree := _degree(text, degrees))]
        if not len({place for place, _ in found}) == len(found) == len(texts) >= FEWEST:
            continue
        asked = {rest for place, rest in found if place}
        if len(asked) == 1 or _HANGUL.search(texts[0]):
            return [text for _, text in sorted(zip(found, texts, strict=True))]
    return []


def _degree(text: str, degrees: Mapping[str, int]) -> tuple[int, str] | None:
    """The place of the word for a degree with which a text begins, and what is behind it."""
    words = _in_words(text).split()
    for n in range(min(_LONGEST, len(words)), 0, -1):
        if (place := degrees.get(" ".join(words[:n]))) is not None:
            return place, " ".join(words[n:])
    return None


_SHORT_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_AND_MONTH = re.compile(rf"(\d{{1,2}}-)?({'|'.join(_SHORT_MONTHS)})(-\d{{1,2}})?")
_NOTHING = (-1.0, 0.0)
_NO_ANSWER = (
    r"(?:answer|response|reply|opinion|data|info|idea|preference|record|report|longer|sabe|lo|s[eé]|resp|contest|aplica|"
    r"angabe|antwort|réponse|avis|datos|\w+[ai]d[oa]s?\b|回答|数据)"
)
_NONE = re.compile(
    r"(?:no|none|never|nothing|nobody|zero|keine?r?|niemand|nie|aucune?|ning[uú]n[oa]?|nunca|sin|nenhuma?|nessun[oa]?)"
    rf"(?!\w| {_NO_ANSWER})|没有|无(?!{_NO_ANSWER})"
)
_OR_BEYOND = re.compile(rf" ?(?:{AND_LESS}|{AND_MORE})$")
"""All below or above: high school or less, 硕士及以上."""
_BRACKETED = re.compile(r"(?<=\S) ?\([^()]*\)$")
"""A remark behind an answer: Secondary (11 years)."""
_WORD_ENDS = re.compile(r"_+|(?<=[a-z])(?=[A-Z])")
_LONGEST = 3
"""Words of the longest degree: not at all."""
_HANGUL = re.compile(r"[가-힣]")
_ROMANS = ("", *["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"])
_ROMAN = re.compile(rf"(?:[^\W\d_]+\.? )?([IVX]+)([A-Da-d]?)(?: {AND_MORE})?")
_FEET = re.compile(
    rf"({BELOW} ?)?(\d)\s*(?:ft\.?|feet|foot|['’′])\s*"
    rf"(?:(\d{{1,2}})\s*(?:in\.?|inch(?:es)?|[\"”″]|'')?)?( ?{AND_MORE})?"
)
_IN_BRACKETS = re.compile(r"[^()]*[^\W\d_][^()]*\(([^()]+)\)")


def _places(scale: str) -> dict[str, int]:
    """The words of a scale, each with its place, also without the accents that capitals leave away: ΠΟΛΥ."""
    # Of these also ß and the last sigma become what ``casefold`` makes of them.
    places = {
        word.casefold(): place for place, words in enumerate(scale.split("|")) for word in words.split(",")
    }
    return {_unaccented(word): place for word, place in places.items()} | places


def _unaccented(word: str) -> str:
    return without_marks(unicodedata.normalize("NFD", word))


def _ordered() -> tuple[dict[str, int], ...]:
    """The words of every scale, each with its place."""
    scales = list(map(_places, SCALES))
    for vocabulary in VOCABULARIES:
        if vocabulary.field.get("categoriesOrdered"):
            categories = vocabulary.field["categories"]
            scales += [
                {word.casefold(): place for place, word in enumerate(writing.words)}
                for writing in vocabulary.writings
            ]
            scales.append(
                {
                    str(word).casefold(): place
                    for place, category in enumerate(categories)
                    for word in (category.get("label", ""), *category.get("spellings", ()))
                }
            )
    return tuple(scales)


_ORDERED = _ordered()
_DEGREES = tuple(map(_places, DEGREES))
