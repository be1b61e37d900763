"""Lines below a table that are no rows of it: its source, remarks, what a database says when it is done."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

MOST_LINES = 50
"""Lines below a table that are looked for at most."""
_BETWEEN = 2
"""Blanks between words from which on a text reads as a sentence."""
_MARKED = re.compile(
    r"\*|†|‡|\(\*|\[?\(?\d{1,2}[\])]\s|©|\(c\)|(notes?|sources?|remarks?|legende?|last updated|data from|"
    r"data sources?|copyright|\(?\d+ rows?|quellen?|quellenangaben?|anmerkung(en)?|hinweise?|stand|fuentes?|"
    r"notas?|font[ei]|remarques?|bron(nen)?)(?!\w)|注|资料来源|数据来源|來源|来源|出典|備考|출처|자료",
    re.IGNORECASE,
)
"""How a line below a table begins."""
TOTAL = re.compile(
    r"((grand|over ?all|column) )?totals?|total (general|général|geral)|(gesamt)?summe|(ins)?gesamt|totale|"
    r"totaal|suma|razem|ogółem|somme|итого|всего|celkem|spolu|összesen|(genel )?toplam|σύνολο|разом|усього|"
    r"(tổng|tổng cộng)|jumlah|yhteensä|summa|ukupno|(المجموع|الإجمالي|الاجمالي)|סה[\"״]כ|कुल|योग|รวม|รวมทั้งสิ้น|"
    r"合计|总计|總計|合計|総計|총계|합계",
    re.IGNORECASE,
)
"""What a line with sums of others is called."""


def footer_lines(rows: Sequence[Sequence[str]], width: int, told: str | None) -> int:
    """Count the lines below a table, its last lines given; lines without a text do not count.

    What is told is taken. Else they are the last lines with text in a quarter of the columns at most, the
    first among them, or with another number of values than the table has columns, or that are called total,
    if an empty line parts them from the rows, or if each reads as a remark does, or as a total, where the
    rows do not, or have another number of values.

    Args:
        rows: The last lines, each as its cells, an empty line as none; the first may be cut.
        width: Number of columns.
        told: How many there are, as digits; None where that is to be found.

    Example:
        >>> footer_lines([["41", "f", "Bern"], [], ["Source: the office"], ["41 is an age"]], 3, None)
        2
        >>> footer_lines([["41", "f", "Bern"], ["38", "m", "Basel"]], 3, "1")
        1
    """
    if told is not None:
        return int(told)
    found: list[Sequence[str]] = []
    parted = False
    for row in reversed(rows):
        if not any(cell.strip() for cell in row):
            parted = bool(found)
        elif (_may_be_below(row, width) or _is_total(row, width)) and len(found) < MOST_LINES:
            found.append(row)
            parted = False
        else:
            break
    else:  # no row is in sight: what stands below it cannot be told from it
        return 0
    if not found or sum(cell.count('"') for row in found for cell in row) % 2:
        return 0
    above = [row for row in rows if not any(row is one for one in found)]
    if parted or all(_reads_as_remark(row, width, above) for row in found):
        return len(found)
    return 0


def footer_of_text(text: str, delimiter: str, width: int, told: str | None) -> tuple[int, str]:
    r"""Count the lines below a table in the last lines of a text file, and cut them out.

    Returns:
        How many there are, and the text from the first of them on, or an empty line above it.

    Example:
        >>> footer_of_text("41,f,Bern" + chr(10) + "Source: the office" + chr(10), ",", 3, None)
        (1, 'Source: the office\n')
    """
    lines = io.StringIO(text, newline="").readlines()
    rows = [_cells(line, delimiter) for line in lines]
    left = count = footer_lines(rows, width, told)
    place = len(lines)
    while count and place and (left or not any(cell.strip() for cell in rows[place - 1])):
        place -= 1
        left -= any(cell.strip() for cell in rows[place])
    return count, "".join(lines[place:])


def footer_setting(told: str | None, count: int) -> str | None:
    """Write the setting for so many lines: what was told, and None for the usual, no line."""
    return told if told is not None or not count else str(count)


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line by itself; quotes that it leaves open stay in sight."""
    text = line.strip("\r\n")
    if text.count('"') % 2:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return text.split(delimiter)


def _may_be_below(row: Sequence[str], width: int) -> bool:
    filled = sum(1 for cell in row if cell.strip())
    if not row[0].strip() or width < 2:
        return False
    if len(row) != width and (filled == 1 or _MARKED.match(row[0].strip())):
        return True  # "Source: the office, Bern" has two values
    return width > 2 and filled <= max(1, width // 4)


def _is_total(row: Sequence[str], width: int) -> bool:
    """Whether a line holds the sums of columns: numbers behind a text by which it is called total."""
    texts = [cell.strip() for cell in row if cell.strip()]
    numbers = len(texts) > 1 and all(re.search(r"\d", text) for text in texts[1:])
    return width > 1 and numbers and bool(TOTAL.fullmatch(texts[0].rstrip(" :.")))


def _reads_as_remark(row: Sequence[str], width: int, above: Sequence[Sequence[str]]) -> bool:
    if _is_total(row, width):
        return not any(_is_total(one, width) for one in above)
    text = row[0].strip()
    if not (_MARKED.match(text) or _is_sentence(text)):
        return False
    others = [one[0].strip() for one in above if len(one) == width]
    return len(row) != width or not any(_MARKED.match(one) or _is_sentence(one) for one in others)


def _is_sentence(text: str) -> bool:
    return text.count(" ") >= _BETWEEN
