"""How numbers are written in texts: decimal commas, marks between thousands, signs of money."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from hmpb_core.amounts import MONEY, SPACED, NumberForm
from hmpb_core.sources.files.reading import FileReading

_SAMPLED = 2000
_FEWEST = 2
"""Values with a mark that a column needs before it may tell how numbers are written."""
_POWER = r"(?:[eE][-+]?\d{1,3})?"
"""What programs write behind the decimals of very small and very large numbers: 1,12e-05."""
_WITH_COMMA = re.compile(rf"[-+]?(?:\d+|\d{{1,3}}(?:([.{SPACED}])\d{{3}})(?:\1\d{{3}})*)(,)\d+{_POWER}")
_WITH_POINT = re.compile(rf"[-+]?(?:\d+|\d{{1,3}}(?:([,{SPACED}])\d{{3}})(?:\1\d{{3}})*)(\.)\d+{_POWER}")
_GROUPED = re.compile(
    rf"[-+]?\d{{1,3}}(?:([.,{SPACED}])\d{{3}})(?:\1\d{{3}})+|[-+]?\d{{1,3}}(?:([{SPACED}])\d{{3}})"
)
_DOUBTFUL = re.compile(r"[-+]?[1-9]\d{0,2}([.,])\d{3}")
"""A decimal number to one people, a thousand to the other."""
_WHOLE = re.compile(r"[-+]?\d+")
_AMOUNT = re.compile(
    rf"([-+]?)(?:([{MONEY}])[{SPACED}]?)?([-+]?\d(?:[\d.,{SPACED}]*\d)?)(?:[{SPACED}]?([{MONEY}]))?"
)
"""A sign, a sign of money, a number, a sign of money."""


def marks_of(text: str, reading: FileReading) -> FileReading:
    """Detect how numbers are written: by the columns whose values are numbers in one way only.

    Signs of money are looked for only where nothing is told of numbers: a codebook that was made for the
    file may list amounts as categories.
    """
    delimiter = reading.delimiter or ","
    untold = reading.decimal is None and reading.thousands is None
    columns = list(_columns(text, delimiter))
    judged = [_vote(column) for column in columns]
    votes = [vote for vote in judged if vote is not None]
    money = reading.money
    if money is None:
        money = "".join(sign for sign in MONEY if any(sign in vote.money for vote in votes)) if untold else ""
        if any(
            value.endswith("%") and _AMOUNT.fullmatch(value)
            for column, vote in zip(columns, judged, strict=True)
            if vote is None
            for value in column
        ):
            money = money.replace("%", "")  # 5% of a drug beside its names would come back as 5
    sure = [vote.decimal for vote in votes if vote.decimal]
    doubtful = sum("," in vote.doubtful for vote in votes)
    decimal = reading.decimal
    if decimal is None:
        decimal = "," if sure.count(",") > sure.count(".") else "."
        if not sure and doubtful and delimiter != ",":
            decimal = ","
    groups = Counter(g for vote in votes for g in vote.groups + vote.doubtful if g and g != decimal)
    thousands = reading.thousands
    if thousands is None:
        thousands = groups.most_common(1)[0][0] if groups else ""
    thousands = thousands if thousands != decimal else ""
    return replace(reading, decimal=decimal, thousands=thousands, money=money)


def _columns(text: str, delimiter: str) -> Iterator[list[str]]:
    lines = []
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for line in itertools.islice(reader, 1, _SAMPLED):
            lines.append(line)  # noqa: PERF402 - what was read before an error is kept
    except csv.Error:
        pass
    for i in range(max(map(len, lines), default=0)):
        yield [line[i].strip() for line in lines if i < len(line)]


@dataclass(frozen=True, slots=True)
class _Vote:
    """How a column writes numbers: decimal mark, thousands mark, what may be either, signs of money."""

    decimal: str
    groups: str
    doubtful: str
    money: str


def _vote(values: list[str]) -> _Vote | None:
    """Judge a column; None where fewer than half of its values are numbers, or all are plain."""
    filled = [value for value in values if value]
    decimals: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    doubtful: Counter[str] = Counter()
    money: Counter[str] = Counter()
    numbers = 0
    for text in filled:
        value = text
        if amount := _AMOUNT.fullmatch(text):
            value = amount[1] + amount[3]
            money.update(sign for sign in (amount[2], amount[4]) if sign)
        if _WHOLE.fullmatch(value):
            numbers += 1
        elif match := _DOUBTFUL.fullmatch(value):
            doubtful[match[1]] += 1
        elif match := _GROUPED.fullmatch(value):
            groups[match[1] or match[2]] += 1
        elif match := _WITH_COMMA.fullmatch(value) or _WITH_POINT.fullmatch(value):
            decimals[match[2]] += 1
            if match[1]:
                groups[match[1]] += 1
    marked = decimals.total() + groups.total() + doubtful.total()
    signs = "".join(sign for sign, count in money.items() if count >= _FEWEST)
    if (marked < _FEWEST and not signs) or numbers + marked <= len(filled) / 2:
        return None
    decimal = decimals.most_common(1)[0][0] if decimals else ""
    group = groups.most_common(1)[0][0] if groups else ""
    doubt = doubtful.most_common(1)[0][0] if doubtful and not decimal and not group else ""
    return _Vote(decimal, group, doubt, signs)


def amounts_of(text: str, names: Sequence[str], reading: FileReading) -> tuple[tuple[str, str], ...]:
    """Find the columns most of whose numbers have a sign of money or marks between thousands.

    Args:
        text: The beginning of a file, its header first.
        names: The columns' names.
        reading: How its numbers are read.

    Returns:
        Each such column with the way in which it would write 1234.5: nothing of a value.
    """
    found = []
    for name, values in zip(names, _columns(text, reading.delimiter or ","), strict=False):
        forms = Counter(form for value in values if value and (form := _form_of(value, reading)))
        if not forms or 2 * forms.total() <= sum(value != "" for value in values):
            continue
        signs = Counter((form.before, form.after) for form in forms.elements())
        (before, after), _ = signs.most_common(1)[0]
        groups = Counter(
            form.group
            for value in values
            if (form := _form_of(value, reading)) and _has_thousands(value, reading)
        )
        decimals = {form.decimals for form in forms}
        form = NumberForm(
            before=before,
            after=after,
            group=groups.most_common(1)[0][0] if groups else "",
            point=reading.decimal or ".",
            decimals=decimals.pop() if len(decimals) == 1 else None,
        )
        if form.sign or form.group:
            found.append((name, form.example))
    return tuple(found)


def _form_of(text: str, reading: FileReading) -> NumberForm | None:
    """How one value is written, as far as it tells; None for what is no number."""
    amount = _AMOUNT.fullmatch(text)
    if amount is None:
        return None
    point = reading.decimal or "."
    whole, _, part = amount[3].partition(point)
    group = reading.thousands if reading.thousands and reading.thousands in whole else ""
    if not whole.replace(group or " ", "").lstrip("+-").isdecimal() or not (part + "0").isdecimal():
        return None
    before, after = text[: amount.start(3)].lstrip("+-"), text[amount.end(3) :]
    return NumberForm(before=before, after=after, group=group or "", decimals=len(part) or None)


def _has_thousands(text: str, reading: FileReading) -> bool:
    """Whether a number is large enough for its thousands to be marked."""
    return sum(map(str.isdecimal, text.partition(reading.decimal or ".")[0])) > 3


def in_plain_numbers(table: pa.Table, reading: FileReading) -> pa.Table:
    """Write every value that is a number in this way as a plain one; each by itself, whatever its column."""
    decimal, thousands, money = reading.decimal or ".", reading.thousands or "", reading.money or ""
    group = re.escape(thousands)
    before = rf"(?:[{money}][{SPACED}]?)?[-+]?" if money else ""
    after = rf"(?:[{SPACED}]?[{money}])?" if money else ""
    whole = rf"(?:\d+|\d{{1,3}}(?:{group}\d{{3}})+)" if thousands else r"\d+"
    pattern = rf"^\s*[-+]?{before}{whole}(?:{re.escape(decimal)}\d+{_POWER})?{after}\s*$"
    columns = []
    for column in table.columns:
        numbers = pc.match_substring_regex(column, pattern)
        plain = (
            pc.replace_substring_regex(column, rf"[{SPACED}]?[{money}][{SPACED}]?", "") if money else column
        )
        plain = pc.replace_substring(plain, thousands, "") if thousands else plain
        plain = pc.replace_substring(plain, decimal, ".") if decimal != "." else plain
        columns.append(pc.if_else(numbers, plain, column))
    return pa.table(columns, names=table.column_names)
