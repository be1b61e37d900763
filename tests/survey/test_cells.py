"""Kinds and cells of values: public, and a row that changes moves two counts by one."""

import itertools

import numpy as np
import pandas as pd
import pytest

from hmpb_core.survey.cells import (
    N_CELLS,
    NUMBER_CELLS,
    OTHER_CELL,
    YEAR_CELLS,
    Counted,
    Kind,
    cell_of,
    count,
    number_range,
)
from hmpb_core.survey.words import WORDS
from tests.survey.cases import ONE, ZERO, by_name
from tests.thorough import sample


@pytest.mark.parametrize(
    ("text", "kind", "cell"),
    [
        ("", Kind.MISSING, OTHER_CELL),
        ("Haus 4", Kind.PHRASE, OTHER_CELL),
        ("01067", Kind.WORD, OTHER_CELL),
        ("1e5", Kind.WORD, OTHER_CELL),
        ("31.02.2020", Kind.WORD, OTHER_CELL),
        ("0", Kind.THOUSANDS, NUMBER_CELLS[ZERO]),
        ("1", Kind.WHOLE, NUMBER_CELLS[ONE]),
        ("-3.50", Kind.TENTH_TWO, NUMBER_CELLS[ZERO - 42]),
        ("3.14159", Kind.DECIMALS, NUMBER_CELLS[ONE + 1]),
        ("1996-13-27", Kind.WORD, OTHER_CELL),
        ("1987", Kind.WHOLE, YEAR_CELLS[87]),
        ("2100", Kind.HUNDREDS, NUMBER_CELLS[ONE + 11]),
        ("1987.5", Kind.ONE_DECIMAL, NUMBER_CELLS[ONE + 10]),
        (".5", Kind.ONE_DECIMAL, NUMBER_CELLS[ONE - 1]),
        ("-.250", Kind.TWO_DECIMALS, NUMBER_CELLS[ZERO - 39]),
        (".", Kind.WORD, OTHER_CELL),
        ("-6.5e-04", Kind.DECIMALS, NUMBER_CELLS[ZERO - 30]),
        ("1.2e-38", Kind.DECIMALS, NUMBER_CELLS[ZERO + 1]),
        ("4e+00", Kind.WHOLE, NUMBER_CELLS[ONE + 2]),
        ("2.1E3", Kind.HUNDREDS, NUMBER_CELLS[ONE + 11]),
        ("24:00", Kind.WORD, OTHER_CELL),
        ("1:60 PM", Kind.PHRASE, OTHER_CELL),
        pytest.param("9" * 5000, Kind.WHOLE, NUMBER_CELLS[-1], id="a number longer than Python reads"),
        pytest.param("-" + "3" * 4998 + "00", Kind.HUNDREDS, NUMBER_CELLS[0], id="and one below zero"),
    ],
)
def test_every_value_has_one_kind_and_one_public_cell(text, kind, cell):
    assert cell_of(text) == (kind, cell)


def test_codes_share_the_cell_of_their_first_three_characters_and_words_have_their_own():
    assert cell_of("I10") == cell_of("I10.90")
    assert cell_of("I10") != cell_of("I11")
    cells = {cell_of(word)[1] for word in WORDS}
    assert len(cells) == len(WORDS)
    assert OTHER_CELL not in cells


def test_a_cells_numbers_lie_in_its_range():
    for number in (0, 1, 2, 3, 4, 1023, 1024, -1, -2, -1000, 0.25):
        place = int(np.flatnonzero(cell_of(str(number))[1] == NUMBER_CELLS)[0])
        low, high = number_range(place)
        assert low <= number <= high


def test_every_row_is_counted_once_by_kinds_and_once_by_cells():
    column = pd.Series(["Kran", "Kran", "Bahn", "7", None, "-9", "01.05.1999", "I10", "weiblich"])
    counted = count(column, frozenset({"-9"}), with_texts=True)
    assert counted.kinds.sum() == counted.cells.sum() == 9
    assert counted.kinds[Kind.MISSING] == 2
    assert dict(zip(counted.texts, counted.cells[N_CELLS:].tolist(), strict=True)) == {"Kran": 2, "Bahn": 1}
    assert counted.distinct == 4, "texts: Kran, Bahn, I10, weiblich"
    assert count(column, frozenset({"-9"}), with_texts=False).cells[OTHER_CELL] == 3 + 2
    assert repr(counted) == "Counted()"


@pytest.mark.parametrize("changed", ["Kran", "", "8", "neu", "27.08.1996", "I10", "40.6978", "0.125"])
def test_a_row_that_changes_moves_two_counts_by_one_and_the_different_values_by_one_at_most(changed):
    values = ["Kran", "Kran", "Bahn", "7", "", "01.05.1999", "I10", "weiblich", "2.12345"]
    before = count(pd.Series(values), frozenset(), with_texts=True)
    for row in range(len(values)):
        after = count(pd.Series([*values[:row], changed, *values[row + 1 :]]), frozenset(), with_texts=True)
        assert np.abs(before.kinds - after.kinds).sum() <= 2
        assert abs(before.distinct - after.distinct) <= 1
        assert np.abs(before.decimals - after.decimals).sum() <= 2
        cells = by_name(before)
        cells.subtract(by_name(after))
        assert sum(map(abs, cells.values())) <= 2


VIEWS = {
    "as they are": lambda counted: counted,
    "small numbers as words": Counted.as_words,
    "numbers as dates": Counted.as_dates,
    "texts as lengths": Counted.as_lengths,
}


@pytest.mark.parametrize("view", sample(VIEWS.values(), 2), ids=VIEWS)
def test_however_a_column_is_looked_at_a_row_that_changes_moves_two_cells_by_one(view):
    missing = frozenset({"", "9", "99", "00:00"})
    values = ["yes", "9", "9", "7", "99", "", "19860412", "1:30:00", "2 h", "I10", "5 or more", "00:00", "3"]
    before = view(count(pd.Series(values), missing, with_texts=True))
    assert before.cells.sum() == len(values)
    assert (before.cells >= 0).all()
    for row, changed in itertools.product(range(len(values)), [*values, "neu", "4", "198604", "0:15"]):
        after = view(count(pd.Series([*values[:row], changed, *values[row + 1 :]]), missing, with_texts=True))
        cells = by_name(before)
        cells.subtract(by_name(after))
        assert sum(map(abs, cells.values())) <= 2


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_the_order_of_rows_decides_nothing(view):
    values = ["Kran", "Bahn", "11", "7", "0:30", "1:00", "Kran"]
    names = {
        view(count(pd.Series(order), frozenset(), with_texts=True)).texts
        for order in itertools.islice(itertools.permutations(values), 0, None, 7)
    }
    assert len(names) == 1
