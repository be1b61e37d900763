"""Dates with names of months in other languages than English: 15 août 1996, 3-ene-2019, 3. Januar 2019."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hmpb_core.dates import ENGLISH_MONTHS

_NAMES = """
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.
janv févr mars avr mai juin juil août sept oct nov déc
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago sep oct nov dic
ene feb mar abr may jun jul ago sept oct nov dic
ene. feb. mar. abr. may. jun. jul. ago. sep. oct. nov. dic.
ene. feb. mar. abr. may. jun. jul. ago. sept. oct. nov. dic.
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.
Januar Februar März April Mai Juni Juli August September Oktober November Dezember
Jänner Februar März April Mai Juni Juli August September Oktober November Dezember
Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez
Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez
Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
januari februari maart april mei juni juli augustus september oktober november december
jan feb mrt apr mei jun jul aug sep okt nov dec
jan. feb. mrt. apr. mei jun. jul. aug. sep. okt. nov. dec.
januari februari mars april maj juni juli augusti september oktober november december
jan feb mar apr maj jun jul aug sep okt nov dec
januar februar mars april mai juni juli august september oktober november desember
januar februar marts april maj juni juli august september oktober november december
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
sty lut mar kwi maj cze lip sie wrz paź lis gru
ledna února března dubna května června července srpna září října listopadu prosince
leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
янв фев мар апр май июн июл авг сен окт ноя дек
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık
Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember
Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень
Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου \
Δεκεμβρίου
Ιανουάριος Φεβρουάριος Μάρτιος Απρίλιος Μάιος Ιούνιος Ιούλιος Αύγουστος Σεπτέμβριος Οκτώβριος Νοέμβριος \
Δεκέμβριος
január február március április május június július augusztus szeptember október november december
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
يناير فبراير مارس إبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्टूबर नवम्बर दिसम्बर
มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
"""
MONTH_NAMES = tuple(tuple(line.split()) for line in _NAMES.split("\n") if line)
"""Names and their usual short forms; of two lists that have all words the earlier is taken."""
_DATED = re.compile(
    r"(?P<before>\d{1,2}\.? |\d{1,2} de |\d{1,2}[-/]?|)(?P<word>[^\W\d_]{3,12}\.?)"
    r"(?P<after>[-/]?| | de | del )(?P<rest>\d{2}(?:\d{2})?(?:[, ].*)?)",
)
_ENGLISH = frozenset(month[:end].casefold() for month in ENGLISH_MONTHS for end in (3, None))


@dataclass(frozen=True, slots=True)
class MonthWords:
    """Dates with names of months of their own.

    Attributes:
        usual: The dates as English writes them, with names of three letters.
        own: How a format writes the file's names, in place of ``%b``.
        before: What stands between the day and the month, where English has a blank.
        after: The same between the month and the year.
    """

    usual: list[str]
    own: str
    before: str
    after: str

    def format_of(self, usual: str) -> str:
        """Give the file's format for one that reads the usual names; the same where it has none."""
        return _MONTH_FORM.sub(
            lambda found: (found[1] + self.before if found[1] else "") + self.own + self.after + found[2],
            usual,
            count=1,
        )


_MONTH_FORM = re.compile(r"(?:(%-?d) )?%b[- ](%[yY])")


def month_words_of(texts: Sequence[str]) -> MonthWords | None:
    """Read the names of months; None where not all texts have them, or all are English.

    Example:
        >>> found = month_words_of(["3 de enero de 2019", "15 de agosto de 2020"])
        >>> found.usual, found.format_of("%-d %b %Y")[:31]
        (['3 Jan 2019', '15 Aug 2020'], '%-d de %B{enero|febrero|marzo|a')
    """
    found = []
    for text in texts:
        if (date := _DATED.fullmatch(text)) is None:
            return None
        found.append(date)
    words = {date["word"] for date in found}
    ways = {(date["before"].lstrip("0123456789"), date["after"]) for date in found}
    if not found or len(ways) > 1 or {word.casefold() for word in words} <= _ENGLISH:
        return None
    plain = {word.casefold() for word in words}
    names = next((some for some in MONTH_NAMES if plain <= {name.casefold() for name in some}), None)
    if names is None:
        return None
    place = {name.casefold(): ENGLISH_MONTHS[i][:3] for i, name in enumerate(names)}
    before, after = ways.pop()
    if not before and after == " " and any(len(date["rest"]) < len("2019") for date in found):
        return None  # a day as likely as a year
    usual = []
    for date in found:
        month, day = place[date["word"].casefold()], date["before"].removesuffix(before)
        usual.append(f"{day} {month} {date['rest']}" if day else f"{month}-{date['rest']}")
    return MonthWords(usual, "%B{" + "|".join(_in_letters_of(names, words)) + "}", before, after)


def _in_letters_of(names: Sequence[str], words: set[str]) -> list[str]:
    """The names in small letters, in capitals or with a first one, as the words are."""
    for written in (str.lower, str.upper, str.capitalize):
        if all(word == written(word) for word in words):
            return [written(name) for name in names]
    return [name.capitalize() for name in names]
