"""Lists of weekdays or months by their words, whatever the column is called: each is a number, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hmpb_core.sources.drafting.month_words import MONTH_NAMES
from hmpb_core.sources.drafting.vocabularies import VOCABULARIES

FEWEST = {"weekday": 5, "month": 8}
"""How many words of each must occur; Sat, Mar and Sun are other things, too."""
_WEEKDAYS = """
poniedziałek, wtorek, środa, czwartek, piątek, sobota, niedziela
pondělí, úterý, středa, čtvrtek, pátek, sobota, neděle
pondelok, utorok, streda, štvrtok, piatok, sobota, nedeľa
hétfő, kedd, szerda, csütörtök, péntek, szombat, vasárnap
Pazartesi, Salı, Çarşamba, Perşembe, Cuma, Cumartesi, Pazar
luni, marți, miercuri, joi, vineri, sâmbătă, duminică
måndag, tisdag, onsdag, torsdag, fredag, lördag, söndag
пн, вт, ср, чт, пт, сб, вс
понеділок, вівторок, середа, четвер, п'ятниця, субота, неділя
Δευτέρα, Τρίτη, Τετάρτη, Πέμπτη, Παρασκευή, Σάββατο, Κυριακή
שני, שלישי, רביעי, חמישי, שישי, שבת, ראשון
الاثنين, الثلاثاء, الأربعاء, الخميس, الجمعة, السبت, الأحد
सोमवार, मंगलवार, बुधवार, गुरुवार, शुक्रवार, शनिवार, रविवार
จันทร์, อังคาร, พุธ, พฤหัสบดี, ศุกร์, เสาร์, อาทิตย์
Thứ hai, Thứ ba, Thứ tư, Thứ năm, Thứ sáu, Thứ bảy, Chủ nhật
Senin, Selasa, Rabu, Kamis, Jumat, Sabtu, Minggu
"""
_FURTHER = {
    "weekday": tuple(tuple(line.split(", ")) for line in _WEEKDAYS.strip().split("\n")),
    "month": MONTH_NAMES,
}
"""Words of further languages, beside those of the vocabularies."""
_CASES: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower, str.title)


def calendar_list(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Give all weekdays, or all months, in their order, each with its number as a spelling.

    None where the texts are no such words, of one language and one way to write them.

    Example:
        >>> days = calendar_list(["MON", "TUE", "WED", "THU", "FRI"])
        >>> days[0], days[6], len(days)
        ({'value': 'MON', 'spellings': ['1']}, {'value': 'SUN', 'spellings': ['7']}, 7)
        >>> calendar_list(["Mon", "Tue", "Wed"]), calendar_list(["1", "2", "3", "4", "5"])
        ([], [])
    """
    found = set(texts)
    for vocabulary in VOCABULARIES:
        if len(found) < FEWEST.get(vocabulary.key, len(found) + 1):
            continue
        spelled = [entry.get("spellings", ()) for entry in vocabulary.field["categories"]]
        ways = [writing.words for writing in vocabulary.writings]
        ways += list(zip(*(words for words in spelled), strict=False))
        ways += _FURTHER[vocabulary.key]
        for words in ways:
            for change in _CASES:
                written = [change(word) for word in words]
                if found <= set(written) and not any(map(str.isdecimal, written)):
                    numbers = (str(entry["value"]) for entry in vocabulary.field["categories"])
                    return [
                        {"value": word, "spellings": [number]}
                        for word, number in zip(written, numbers, strict=True)
                    ]
    return []
