"""Numbers as people write them: marks between thousands, a sign of money or a unit, a minus of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

MONEY = "€$£¥￥₩₽₹₺₴₪₫₱₦฿₡₸₲₵₾₼₭₮៛৳%"
"""Signs that stand beside a number: of money, and of a percentage."""
BLANKS = " \u00a0\u202f"
"""A blank, a hard and a narrow one: one mark between thousands, since nobody sees which it is."""
SPACED = f"{BLANKS}'’"
"""Marks between thousands that no other part of a number is."""
_CURRENCIES = """
EUR USD GBP CHF JPY CNY RMB INR AUD CAD NZD SEK NOK DKK ISK PLN CZK HUF RON BGN RSD ALL MDL TRY UAH
RUB BYN KZT UZS GEL AMD AZN ILS EGP MAD DZD TND XOF XAF NGN GHS KES TZS UGX ETB RWF ZMW BWP MUR ZAR
PKR BDT LKR NPR IDR MYR SGD THB VND PHP KRW TWD HKD MNT AED SAR QAR KWD BHD OMR JOD IQD IRR LBP BRL
MXN ARS CLP COP PEN UYU BOB PYG CRC GTQ HNL DOP R$ US$ A$ AU$ C$ CA$ NZ$ HK$ NT$ S$ MX$ RD$ Rp Rp.
Rs Rs. RM KSh Ksh KSh. TSh USh S/ S/. Bs Bs. Fr. SFr. kr kr. Kč zł VNĐ
"""
_UNITS = """
g/km l/100km L/100km km/l km/L kmpl mpg bhp hp HP PS KM LE cc ccm rpm Nm
kg g mg µg ng lb lbs oz m km cm mm µm ft mi yd m² km² cm² ha m³ cm³ m2 km2 cm2 m3 cm3 l L lt dl dL cl ml mL µl
°C °F ° K ‰
km/h m/s mph kWh MWh kW MW W kV V mA A kJ kcal cal Hz kHz MHz GHz kB KB MB GB TB bpm mmHg kPa hPa Pa
mg/dl mg/dL g/dl g/dL g/l g/L mmol/l mmol/L µmol/l µmol/L mol/l IU/l U/l
k M B bn Bn million billion Mio. Mrd. mln mld mil. tis. tys. millió LPA lakh Lakh Lacs crore Crore Cr pts
k€ M€ FCFA Ft TL lei лв лв. грн грн. đ đồng nghìn triệu tỷ tỉ บาท ล้าน ล้านบาท ريال درهم دينار جنيه ليرة تومان
元 万元 亿元 万 亿 元/月 元/年 元/天 元/小时 元/平 元/平米 元/平方米 元/㎡ 元/m² 平 平米 平方米 ㎡ 米 厘米
毫米 千米 公里
克 千克 公斤 斤 毫克 岁 人 人次 次 分 件 个 年 个月 周 天 小时 分钟 秒 円 千円 万円 億円 歳 才 名 回 点 坪
か月 ヶ月 日 週間 時間
원 천원 만원 억원 세 명 회 점 년 개월 주 일 시간 초 평 руб руб. р. тыс. тыс.руб. млн млрд чел. кг г см м км м²
м2 кв.м л л.с. см3 см³ ευρώ τ.μ. τ.μ χλμ χλμ. متر م² كم سنة מ״ר מ"ר ק"מ ตร.ม. ตร.ว. ไร่ คน กม. กก. ซม. osób fő
tuổi ngày tháng năm giờ phút ปี เดือน วัน ชั่วโมง นาที tahun bulan hari jam menit
yıl ay gün yaş saat dakika
"""
_TIMES = """
s sec secs sec. second seconds | min mins min. minute minutes | h hr hrs hour hours | d day days |
wk wks week weeks | mo mos month months | y yr yrs year years | Sek. Sekunde Sekunden |
Min. Minute Minuten | Std. Stunde Stunden | Tag Tage | Woche Wochen | Monat Monate | Jahr Jahre |
heure heures | jour jours | semaine semaines | mois | an ans | année années | segundo segundos |
minuto minutos | hora horas | día días | dia dias | semana semanas | mes meses | mês | año años |
ano anos | secondi | minuti | ora ore | giorno giorni | settimana settimane | mese mesi | anno anni |
dag dagen dagar dage dager | weken | maand maanden | jaar | uur | vecka veckor | uge uger | uke uker |
månad månader | måned måneder | år | dzień dni | miesiąc miesiące miesięcy | rok lata lat roky let |
den dny dní | měsíc měsíce měsíců | zi zile | lună luni | ani | nap | hét | hónap | év |
день дня дней | месяц месяца месяцев | год года лет | час часа часов | мин мин. | сек сек. |
рік роки років | ημέρα ημέρες | μήνας μήνες | έτος έτη ετών | χρόνια
"""
SAME_UNITS = tuple(tuple(words.split()) for words in _TIMES.split("|"))
"""Units of time, each with what stands behind 1 and what behind other numbers."""
CURRENCIES = tuple(_CURRENCIES.split())
"""Names of money that may stand before the numbers of a whole column, as well as behind them."""
_SAME_MONEY = (
    "€ EUR|$ USD US$|£ GBP|¥ ￥ JPY CNY RMB 円 元|₹ INR Rs Rs.|₽ RUB руб руб. р.|₺ TRY TL|₴ UAH грн грн.|"
    "₪ ILS|₩ KRW 원|₫ VND VNĐ đ đồng|฿ THB บาท|zł PLN|Kč CZK|Ft HUF|lei RON|лв лв. BGN|Rp Rp. IDR|RM MYR|"
    "kr kr. SEK NOK DKK ISK|Fr. SFr. CHF|R$ BRL|A$ AU$ AUD|C$ CA$ CAD|NZ$ NZD|HK$ HKD|NT$ TWD|S$ SGD|"
    "KSh Ksh KSh. KES"
)
CURRENCY_OF = {
    **{name: name for name in (*MONEY.replace("%", ""), *CURRENCIES)},
    **{name: names.split()[0] for names in _SAME_MONEY.split("|") for name in names.split()},
}
"""The currency that a sign or a name of money means, by one of its signs."""
UNITS = tuple(dict.fromkeys([*CURRENCIES, *_UNITS.split(), *_TIMES.replace("|", " ").split()]))
"""Units that may stand beside the numbers of a whole column."""
TYPOGRAPHIC, BRACKETS = "\u2212", "()"
"""A minus as type has it, and as bookkeepers write one: (12.50)."""
_ANY_UNIT = rf"(?:{'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})"
UNIT_WORD = rf"(?:[{MONEY}]|{_ANY_UNIT})(?:/{_ANY_UNIT})?"
"""A unit, a sign of money, or one of them by another unit: TL/m²."""
AMOUNT = re.compile(rf"[-+]?[{MONEY}][{SPACED}]?\d[\d.,]*|[-+]?\d[\d.,]*[{SPACED}]?[{MONEY}]", re.ASCII)
"""A number with a sign beside it."""
_EXAMPLE = re.compile(
    rf"(?P<minus>{TYPOGRAPHIC}|(?P<open>\())?(?P<before>{UNIT_WORD}[ \u00a0\u202f]?)?"
    rf"(?:1(?P<group>[.,{SPACED}]?)234|(?P<lakhs>12,34,567))(?:(?P<point>[.,])(?P<part>50*))?"
    rf"(?P<after>[ \u00a0\u202f]{{0,2}}{UNIT_WORD}(?:[ \u00a0\u202f]{UNIT_WORD})?)?(?(open)\))"
)


def signs_of(money: str) -> tuple[str, ...]:
    """Give the signs and units that a setting names: signs as they stand, units apart by blanks.

    Example:
        >>> signs_of("€%"), signs_of("€ kg"), signs_of("")
        (('€', '%'), ('€', 'kg'), ())
    """
    words = (tuple(word) if set(word) <= set(MONEY) else (word,) for word in money.split())
    return tuple(sign for word in words for sign in word)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberForm:
    """How numbers are written.

    Attributes:
        before: What stands before a number.
        after: What stands behind it.
        group: The mark between thousands; empty for none.
        point: The decimal mark.
        decimals: How many decimals each number has; None for no needless ones.
        minus: How a number below zero is told: ``-``, ``TYPOGRAPHIC`` or ``BRACKETS``.
        lakhs: Whether marks stand as in India, behind every two digits above the thousands: 12,34,567.
    """

    before: str = ""
    after: str = ""
    group: str = ""
    point: str = "."
    decimals: int | None = None
    minus: str = "-"
    lakhs: bool = False

    @classmethod
    def of(cls, example: str) -> NumberForm | None:
        """Read a form off the way in which 1234.5 is written by it; None where it is written otherwise.

        Without decimals in it, numbers have no needless ones. A minus that is no hyphen is told by -1234.5,
        and marks as in India by 1234567.5.

        Example:
            >>> NumberForm.of("$1,234.50").text(-20800), NumberForm.of("1.234 €").text(1500000)
            ('-$20,800.00', '1.500.000 €')
            >>> NumberForm.of("(1,234.50)").text(-7), NumberForm.of("1234.5 kg").text(81.5)
            ('(7.00)', '81.5 kg')
            >>> NumberForm.of("₹12,34,567.50").text(-120800), NumberForm.of("12,34,567").text(800)
            ('-₹1,20,800.00', '800')
        """
        found = _EXAMPLE.fullmatch(example)
        if found is None:
            return None
        group = "," if found["lakhs"] else found["group"]
        if group == (found["point"] or "-"):
            return None
        point = found["point"] or ("," if group == "." else ".")
        return cls(
            before=found["before"] or "",
            after=found["after"] or "",
            group=group,
            point=point,
            decimals=len(found["part"]) if found["part"] else None,
            minus=BRACKETS if found["open"] else found["minus"] or "-",
            lakhs=found["lakhs"] is not None,
        )

    @property
    def example(self) -> str:
        """How 1234.5 is written, or -1234.5 or 1234567.5 where these show more: what ``of`` reads."""
        part = "" if self.decimals is None else self.point + "5".ljust(self.decimals, "0")
        number = "12,34,567" if self.lakhs else f"1{self.group}234"
        text = f"{self.before}{number}{part}{self.after}"
        return text if self.minus == "-" else self._below_zero(text)

    @property
    def sign(self) -> str:
        """The sign of money, or the unit, alone."""
        return (self.before + self.after).strip(SPACED)

    def text(self, value: float) -> str:
        """Write a number."""
        size = abs(value)
        if self.decimals is not None:
            digits = f"{size:.{self.decimals}f}"
        else:
            digits = str(int(size)) if float(size).is_integer() else repr(float(size))
        whole, mark, part = digits.partition(".")
        if self.group and whole.isdecimal():
            above, thousands = whole[:-3], whole[-3:]
            pairs = [above[max(0, i - 2) : i] for i in range(len(above), 0, -2)][::-1]
            parted = ",".join([*pairs, thousands]) if self.lakhs else f"{int(whole):,}"
            whole = parted.replace(",", self.group)
        text = f"{self.before}{whole}{self.point if mark else ''}{part}{self.after}"
        return self._below_zero(text) if value < 0 else text

    def _below_zero(self, text: str) -> str:
        return f"({text})" if self.minus == BRACKETS else self.minus + text
