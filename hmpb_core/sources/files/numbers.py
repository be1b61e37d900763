"""How numbers are written in texts: decimal commas, marks between thousands, minus; beside units, too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from hmpb_core.amounts import (
    BLANKS,
    BRACKETS,
    CURRENCY_OF,
    MONEY,
    SPACED,
    TYPOGRAPHIC,
    NumberForm,
    signs_of,
)
from hmpb_core.sources.files.reading import FileReading
from hmpb_core.sources.files.units import (
    AMOUNT,
    FEW_WORDS,
    MANY,
    NEARLY_ALL,
    POWER,
    amount_pattern,
    is_amount,
    units_of,
)

_SAMPLED = 2000
"""Rows that are looked at from the beginning, and as many spread over the table: sorted files begin with
small numbers. Of very wide tables fewer, with as many values."""
_CELLS = 400_000
_FEWEST = 2
"""Values with a mark that a column needs before it may tell how numbers are written."""
_WITH_COMMA = re.compile(rf"[-+]?(?:\d+|\d{{1,3}}(?:([.{SPACED}])\d{{3}})(?:\1\d{{3}})*)(,)\d+{POWER}")
_LAKHS = r"\d{1,2}(?:,\d{2})+,\d{3}"
"""Marks as in India: 12,34,567."""
_WITH_POINT = re.compile(
    rf"[-+]?(?:\d+|\d{{1,3}}(?:([,{SPACED}])\d{{3}})(?:\1\d{{3}})*|{_LAKHS})(\.)\d+{POWER}"
)
_GROUPED = re.compile(
    rf"[-+]?\d{{1,3}}(?:([.,{SPACED}])\d{{3}})(?:\1\d{{3}})+|[-+]?\d{{1,3}}(?:([{SPACED}])\d{{3}})"
    rf"|[-+]?\d{{1,2}}(?:(,)\d{{2}})+,\d{{3}}"
)
_DOUBTFUL = re.compile(r"[-+]?[1-9]\d{0,2}([.,])\d{3}")
"""A decimal number to one people, a thousand to the other."""
_SEVERAL = 20
"""Different numbers beyond which a few words beside them may stand for missing values."""
_GROUP = 3
"""Digits between two marks."""
_WHOLE = re.compile(r"[-+]?\d+")
_NO_DIGITS = re.compile(r"^\D+")
_BELOW_ZERO = re.compile(rf"({TYPOGRAPHIC})([^-+]+)|(\()([^-+()]+)\)")


def _hyphened(text: str, minus: str) -> str:
    """Write a number below zero with a hyphen: what else may tell it is in ``minus``."""
    found = _BELOW_ZERO.fullmatch(text) if minus else None
    if found is None or (found[1] or found[3]) not in minus:
        return text
    return f"-{found[2] or found[4]}"


def marks_of(table: pa.Table, reading: FileReading) -> FileReading:
    """Detect how numbers are written: by the columns whose values are numbers in one way only.

    Signs of money are looked for only where nothing is told of numbers: a codebook that was made for the
    file may list amounts as categories.

    Args:
        table: The texts of a file, or of its first part; a cell that holds none is null.
        reading: What is told.
    """
    delimiter = reading.delimiter or ","
    untold = reading.decimal is None and reading.thousands is None
    columns = _columns(table)
    told = signs_of(reading.money or "")
    if reading.minus is None and untold:
        further = map(_bracketed, table.columns, columns)
        minus = _minus_of([values + more for values, more in zip(columns, further, strict=True)])
    else:
        minus = reading.minus or ""
    columns = [[_hyphened(value, minus) for value in column] for column in columns]
    units = told if reading.money is not None or not untold else units_of(columns)
    signs = tuple(dict.fromkeys((*MONEY, *units)))
    columns = [_beside_words(column, amount_pattern(signs)) for column in columns]
    judged = [_vote(column, amount_pattern(signs)) for column in columns]
    votes = [vote for vote in judged if vote is not None]
    money = reading.money
    if money is None:
        money = "".join(sign for sign in MONEY if any(sign in vote.money for vote in votes)) if untold else ""
        money = " ".join([*([money] if money else []), *units])
        if any(
            value.endswith("%") and AMOUNT.fullmatch(value)
            for column, vote in zip(columns, judged, strict=True)
            if vote is None
            for value in column
        ):
            money = money.replace("%", "").strip()  # 5% of a drug beside its names would come back as 5
    sure = [vote.decimal for vote in votes if vote.decimal]
    doubtful = sum("," in vote.doubtful for vote in votes)
    decimal = reading.decimal
    if decimal is None:
        decimal = "," if sure.count(",") > sure.count(".") else "."
        of_thousands = any("." in vote.groups for vote in votes)  # 1.234.567
        if not sure and ((doubtful and delimiter != ",") or of_thousands):
            decimal = ","
    groups = Counter(g for vote in votes for g in vote.groups + vote.doubtful if g and g != decimal)
    thousands = reading.thousands
    if thousands is None:
        thousands = groups.most_common(1)[0][0] if groups else ""
    thousands = thousands if thousands != decimal else ""
    return replace(reading, decimal=decimal, thousands=thousands, money=money, minus=minus)


def _beside_words(values: list[str], with_sign: re.Pattern[str]) -> list[str]:
    """The numbers of a column that has many different ones beside a few words (N/A, of most rows); else all.

    Of few numbers beside words, ``none`` and ``5%``, each may be a category.
    """
    numbers = [value for value in values if with_sign.fullmatch(value)]
    words = set(values).difference(numbers)
    return numbers if len(words) <= FEW_WORDS and len(set(numbers)) > _SEVERAL else values


def _minus_of(columns: Sequence[Collection[str]]) -> str:
    """Give what else than a hyphen tells numbers below zero: in columns of many numbers, and in no other.

    One number alone may be a misprint: it tells nothing.
    """
    found: dict[str, None] = {}
    elsewhere: set[str] = set()
    for column in columns:
        values = set(column) - {""}
        told = Counter(
            match[1] or match[3]
            for value in values
            if (match := _BELOW_ZERO.fullmatch(value)) and is_amount(match[2] or match[4])
        )
        if not told:
            continue
        numbers = told.total() + sum(is_amount(value) for value in values if value[0] not in told)
        if numbers > MANY and NEARLY_ALL * len(values) <= numbers > told.total():
            found |= dict.fromkeys(mark for mark in told if max(told.values()) > 1)
        else:
            elsewhere |= set(told)
    both = {TYPOGRAPHIC: TYPOGRAPHIC, "(": BRACKETS}
    return "".join(both[mark] for mark in both if mark in found and mark not in elsewhere)


def _bracketed(column: pa.ChunkedArray, seen: Collection[str]) -> list[str]:
    """Texts in brackets anywhere in a column of numbers, for few of 20,000 amounts are below zero.

    Args:
        column: The column.
        seen: Values of some of its rows.
    """
    if len(column) <= len(seen) or 2 * sum(map(is_amount, set(seen))) <= len(set(seen)):
        return []
    texts = pc.utf8_trim_whitespace(column)
    found: list[str] = texts.filter(pc.starts_with(texts, "(")).slice(0, _SAMPLED).to_pylist()
    return found


def _is_below_zero(text: str) -> bool:
    match = _BELOW_ZERO.fullmatch(text)
    return bool(match and is_amount(match[2] or match[4]))


def _columns(table: pa.Table) -> list[list[str]]:
    """The texts of some rows of each column: the first, and others spread over the table."""
    most = max(1, min(_SAMPLED, _CELLS // max(1, table.num_columns)))
    return [_filled(column.slice(0, most)) + _filled(_spread(column, most)) for column in table.columns]


def _spread(column: pa.ChunkedArray, most: int) -> pa.ChunkedArray:
    """Some rows below the first, as far from each other as they can be; nothing of a short table."""
    step = max(1, -((most - len(column)) // most))
    return column.take(pa.array(range(len(column) - 1, most - 1, -step), pa.int64()))


def _filled(column: pa.ChunkedArray | pa.Array, most: int | None = None) -> list[str]:
    texts = pc.utf8_trim_whitespace(column)
    found: list[str] = texts.filter(pc.not_equal(texts, "")).slice(0, most).to_pylist()
    return found


@dataclass(frozen=True, slots=True)
class _Vote:
    """How a column writes numbers: decimal mark, thousands mark, what may be either, signs of money."""

    decimal: str
    groups: str
    doubtful: str
    money: tuple[str, ...]


def _vote(filled: list[str], with_sign: re.Pattern[str]) -> _Vote | None:
    """Judge a column; None where fewer than half of its values are numbers, or all are plain."""
    decimals: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    doubtful: Counter[str] = Counter()
    money: Counter[str] = Counter()
    numbers = 0
    for text in filled:
        value = text
        if amount := with_sign.fullmatch(text):
            value = amount[1] + amount[3]
            money.update(sign for sign in amount.group(2, 4, 5) if sign)
        if _WHOLE.fullmatch(value):
            numbers += 1
        elif match := _DOUBTFUL.fullmatch(value):
            doubtful[match[1]] += 1
        elif match := _GROUPED.fullmatch(value):
            groups[match[1] or match[2] or match[3]] += 1
        elif match := _WITH_COMMA.fullmatch(value) or _WITH_POINT.fullmatch(value):
            decimals[match[2]] += 1
            if match[1]:
                groups[match[1]] += 1
    marked = decimals.total() + groups.total() + doubtful.total()
    signs = tuple(sign for sign, count in money.items() if count >= _FEWEST)
    if (marked < _FEWEST and not signs) or numbers + marked <= len(filled) / 2:
        return None
    decimal = decimals.most_common(1)[0][0] if decimals else ""
    group = groups.most_common(1)[0][0] if groups else ""
    if doubtful and not decimal and not group and _are_thousands(filled):
        group = doubtful.most_common(1)[0][0]
    doubt = doubtful.most_common(1)[0][0] if doubtful and not decimal and not group else ""
    return _Vote(decimal, group, doubt, signs)


def _are_thousands(values: Collection[str]) -> bool:
    """Whether 1.200 beside 950 is a thousand: what writes whole decimals drops 200's zeros, too."""
    whole = [value for value in values if _WHOLE.fullmatch(value)]
    round_ones = sum(value.endswith("0") for value in values if _DOUBTFUL.fullmatch(value))
    return min(len(whole), round_ones) >= _FEWEST and all(len(w.lstrip("+-")) <= _GROUP for w in whole)


def mixed_marks(table: pa.Table, reading: FileReading) -> tuple[tuple[str, ...], tuple[str, ...]] | tuple[()]:
    """Find out whether some columns have a decimal comma and others a decimal point, and some is misread.

    Read with a decimal comma, and no point between thousands, both are numbers. Commas between commas are no
    decimals but answers, such as 1,2.

    Args:
        table: The texts of a file, or of its first part.
        reading: How its numbers are read.

    Returns:
        The columns with a decimal comma and those with a point; nothing where all are read alike.
    """
    delimiter = reading.delimiter or ","
    if delimiter == "," or (reading.decimal == "," and reading.thousands != "."):
        return ()
    votes = [
        (name, _vote(values, AMOUNT))
        for name, values in zip(table.column_names, _columns(table), strict=True)
    ]
    commas, points = (
        tuple(name for name, vote in votes if vote is not None and vote.decimal == mark) for mark in ",."
    )
    return (commas, points) if commas and points else ()


def amounts_of(table: pa.Table, reading: FileReading) -> tuple[tuple[str, str], ...]:
    """Find the columns most of whose numbers have a sign, a unit, marks between thousands or their own minus.

    Args:
        table: The texts of a file; of each column the first that are there, and some spread over the table,
            are looked at.
        reading: How its numbers are read.

    Returns:
        Each such column with the way in which it would write 1234.5: nothing of a value.
    """
    found = []
    with_sign = amount_pattern(tuple(dict.fromkeys((*MONEY, *signs_of(reading.money or "")))))
    for name, column in zip(table.column_names, table.columns, strict=True):
        filled = _first_filled(column)
        values = _beside_words(filled, with_sign)
        form_of = {value: form for value in set(values) if (form := _form_of(value, reading, with_sign))}
        numbers = [value for value in values if value in form_of]
        forms = Counter(map(form_of.__getitem__, numbers))
        if not forms or 2 * forms.total() <= len(values):
            continue
        signs = Counter((form.before, form.after) for form in forms.elements())
        (before, after), _ = signs.most_common(1)[0]
        groups = Counter(form_of[value].group for value in numbers if _has_thousands(value, reading))
        minus = Counter(form.minus for form in forms.elements() if form.minus != "-")
        if not minus and BRACKETS in (reading.minus or ""):
            minus.update(BRACKETS for text in _bracketed(column, filled) if _is_below_zero(text))
        lakhs = sum(bool(_OF_LAKHS.search(value)) for value in values)
        form = NumberForm(
            before=before,
            after=after,
            group=groups.most_common(1)[0][0] if groups else "",
            point=reading.decimal or ".",
            decimals=_decimals_of(numbers, forms, reading),
            minus=minus.most_common(1)[0][0] if minus else "-",
            lakhs=lakhs > sum(bool(_OF_MILLIONS.search(value)) for value in values),
        )
        if form.sign or form.group or minus:
            found.append((name, form.example))
    return tuple(found)


def of_several_currencies(table: pa.Table, reading: FileReading) -> tuple[str, ...]:
    """Find the columns in which amounts are in several currencies: they are read as if they were in one.

    Args:
        table: The texts of a file; of each column the first that are there, and some spread over the table,
            are looked at.
        reading: How its numbers are read.
    """
    signs = signs_of(reading.money or "")
    if len({CURRENCY_OF[sign] for sign in signs if sign in CURRENCY_OF}) <= 1:
        return ()
    with_sign = amount_pattern(signs)
    found = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        amounts = (match for text in _first_filled(column) if (match := with_sign.fullmatch(text)))
        money = Counter(CURRENCY_OF[s] for m in amounts for s in m.group(2, 4, 5) if s in CURRENCY_OF)
        if sum(rows >= _FEWEST for rows in money.values()) > 1:
            found.append(name)
    return tuple(found)


def _decimals_of(values: list[str], forms: Counter[NumberForm], reading: FileReading) -> int | None:
    """How many decimals all numbers get; None for no needless ones, where fewer are written otherwise.

    A file may write 95,184.60 and 440 in one column, as programs do that quote only what holds a mark.
    """
    decimals = Counter(form.decimals for form in forms.elements())
    usual, rows = decimals.most_common(1)[0]
    parts = (value.partition(reading.decimal or ".")[2] for value in values)
    needless = sum(re.sub(r"\D", "", part).endswith("0") for part in parts)
    return usual if len(decimals) == 1 or needless > decimals.total() - rows else None


def _first_filled(column: pa.ChunkedArray) -> list[str]:
    """Values of a column: the first, which may begin far below the file's beginning, and spread ones."""
    found: list[str] = []
    for chunk in column.chunks:
        found += _filled(chunk, _SAMPLED - len(found))
        if len(found) == _SAMPLED:
            break
    return found + _filled(_spread(column, _SAMPLED))


def _form_of(text: str, reading: FileReading, with_sign: re.Pattern[str]) -> NumberForm | None:
    """How one value is written, as far as it tells; None for what is no number."""
    told = text
    text = _hyphened(text, reading.minus or "")
    amount = with_sign.fullmatch(text)
    if amount is None:
        return None
    minus = "-" if text == told else BRACKETS if told[0] == "(" else TYPOGRAPHIC
    point = reading.decimal or "."
    whole, _, part = amount[3].partition(point)
    group = reading.thousands or ""
    if group and group in BLANKS:  # as the value has it
        group = next((blank for blank in BLANKS if blank in whole), group)
    group = group if group in whole else ""
    if not whole.replace(group or " ", "").lstrip("+-").isdecimal() or not (part + "0").isdecimal():
        return None
    before, after = text[: amount.start(3)].lstrip("+-"), text[amount.end(3) :]
    return NumberForm(before=before, after=after, group=group or "", decimals=len(part) or None, minus=minus)


_OF_LAKHS, _OF_MILLIONS = re.compile(rf"(?<![\d,]){_LAKHS}(?![\d,])"), re.compile(r"\d{3},\d{3}|\d,\d{3},")


def _has_thousands(text: str, reading: FileReading) -> bool:
    """Whether a number is large enough for its thousands to be marked."""
    digits = _NO_DIGITS.sub("", text, count=1)  # Rs. 1,332
    return sum(map(str.isdecimal, digits.partition(reading.decimal or ".")[0])) > 3


def texts_in_plain_numbers(
    texts: pa.Table, reading: FileReading, *, kept: Collection[str] = ()
) -> tuple[pa.Table, FileReading]:
    """Read the numbers that stand as texts in a file whose other numbers are numbers: 1,400.00, 125 s.

    How they are written is told, or detected where no codebook was made for the file; but a decimal comma is
    only told where nothing else speaks for it: 1,2 as a text in a workbook may be two answers.

    Args:
        texts: The texts of the file's columns; a cell that holds none is null.
        reading: What is told.
        kept: Columns whose numbers leave as plain ones.
    """
    found = reading if reading.settled else marks_of(texts, reading)
    answers = reading.decimal is None and found.decimal == "," and not (found.thousands or found.money)
    if found.plain or answers:
        return texts, reading
    amounts = tuple((name, form) for name, form in amounts_of(texts, found) if name not in kept)
    several = of_several_currencies(texts, found)
    return in_plain_numbers(texts, found), replace(found, amounts=amounts, currencies=several)


def in_plain_numbers(table: pa.Table, reading: FileReading) -> pa.Table:
    """Write every value that is a number in this way as a plain one; each by itself, whatever its column."""
    decimal, thousands, minus = reading.decimal or ".", reading.thousands or "", reading.minus or ""
    signs = sorted(signs_of(reading.money or ""), key=len, reverse=True)
    sign = f"(?:{'|'.join(map(re.escape, signs))})"
    group = f"[{BLANKS}]" if thousands and thousands in BLANKS else re.escape(thousands)
    hyphen = "[-+\u2212]" if TYPOGRAPHIC in minus else "[-+]"
    before = rf"(?:{sign}[{SPACED}]?)?{hyphen}?" if signs else ""
    after = rf"(?:[{SPACED}]{{0,2}}{sign}(?:[{SPACED}]{sign})?)?" if signs else ""
    lakhs = rf"|{_LAKHS}" if thousands == "," else ""
    whole = rf"(?:\d+|\d{{1,3}}(?:{group}\d{{3}})+{lakhs})" if thousands else r"\d+"
    part = rf"{re.escape(decimal)}\d+{POWER}"
    size = rf"(?:{whole}(?:{part})?{f'|{part}' if decimal == ',' else ''}){after}"  # ,05 is no word
    bracketed = rf"|\({before}{size}\)" if BRACKETS in minus else ""
    pattern = rf"^\s*(?:{hyphen}?{before}{size}{bracketed})\s*$"
    columns = []
    for column in table.columns:
        numbers = pc.match_substring_regex(column, pattern)
        plain = (
            pc.replace_substring_regex(column, rf"[{SPACED}]{{0,2}}{sign}[{SPACED}]?", "")
            if signs
            else column
        )
        if minus:
            plain = pc.replace_substring_regex(plain, rf"\(([^()]*)\)|{TYPOGRAPHIC}", r"-\1")
        plain = pc.replace_substring_regex(plain, group, "") if thousands else plain
        plain = pc.replace_substring(plain, decimal, ".") if decimal != "." else plain
        columns.append(pc.if_else(numbers, plain, column))
    return pa.table(columns, names=table.column_names)
