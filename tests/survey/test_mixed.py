"""Numbers among texts and texts among numbers: answers of a questionnaire are found one by one."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.survey.cells import NUMBER_CELLS, Kind, count
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.looks import look_at
from hmpb_core.survey.sketches import Sketch
from tests.survey.cases import ONE, look

ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)


def surveyed(shares, *, epsilon=1.0, seed=0):
    rng = np.random.default_rng(seed)
    column = pd.Series(
        rng.choice(list(shares), 10_000, p=np.array(list(shares.values())) / sum(shares.values()))
    )
    table = {"x": column} | {f"y{i}": pd.Series(rng.integers(0, 50, len(column))) for i in range(3)}
    counted = {name: count(values, frozenset({""}), with_texts=True) for name, values in table.items()}
    budget = Budget(guarantee=Guarantee(epsilon=epsilon), shares=ONE_STAGE)
    account = Accountant(budget, protection="seeded", seed=seed, delta=1e-10)
    return field_of({"name": "x"}, look_at(counted, account, delta=1e-10)["x"]), column


@pytest.mark.parametrize("seed", range(3))
def test_texts_beside_few_small_numbers_are_answers_and_stay_beside_them(seed):
    shares = {"2": 27, "3": 21, "1": 12, "4": 8, "<1": 16, "5 or more": 12, "no television": 4}
    field, column = surveyed(shares, seed=seed)
    assert field["categories"] == ["1", "2", "3", "4", "5 or more", "<1", "no television", "(other)"]
    book = Codebook.from_dict({"fields": [field | {"source": {"kind": "survey", "entry": 2}}]})
    codes = encode(column.to_frame("x"), book)[:, 0]
    assert np.bincount(codes, minlength=8)[7] == 0


@pytest.mark.parametrize("seed", range(3))
def test_small_numbers_beside_many_texts_are_found_by_their_names(seed):
    field, _ = surveyed({"0": 30, "30": 8, "10": 9, "did not drive": 40, "1 or 2 days": 13}, seed=seed)
    assert field["categories"] == ["0", "10", "30", "1 or 2 days", "did not drive", "(other)"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", ["4 or more", "2-10", "3-5", "Over 100", "5+", "5 oder mehr"])
def test_one_text_that_reads_as_a_range_is_an_answer_beside_small_numbers(text, seed):
    field, column = surveyed({"1": 30, "2": 40, "3": 20, text: 10}, seed=seed)
    assert field["categories"] == ["1", "2", "3", text, "(other)"]
    assert text not in field.get("missingValues", [])
    book = Codebook.from_dict({"fields": [field | {"source": {"kind": "survey", "entry": 2}}]})
    codes = encode(column.to_frame("x"), book)[:, 0]
    assert np.bincount(codes, minlength=5)[4] == 0


def test_a_range_that_few_rows_hold_is_an_answer_beside_counts_and_no_missing_code_beside_hours():
    counts, _ = surveyed({"0": 50, "1": 47, "2 or more": 3})
    assert counts["categories"] == ["0", "1", "2 or more", "(other)"]
    hours, _ = surveyed({str(hour): 1 for hour in range(1, 98)} | {"99+": 3})
    assert hours["type"] == "integer"
    assert "missingValues" not in hours
    wide, _ = surveyed({str(number): 1 for number in range(100, 300)} | {"300+": 40})
    assert wide["type"] == "integer"
    assert "missingValues" not in wide


@pytest.mark.parametrize("text", ["<5", "10+"])
def test_beside_a_range_that_the_last_look_finds_all_whole_numbers_between_the_ends_are_answers(text):
    """Hours of sleep, "<5", 5 to 9 and "10+": what noise let through only then was missing."""
    cells = [(NUMBER_CELLS[ONE + 2], 760.0), (NUMBER_CELLS[ONE + 3], 350.0)]  # 4 to 16
    hours = replace(look(cells), texts={text: 97.0})
    numbers = [str(hour) for hour in range(4, 16)]
    field = field_of({"name": "sleep"}, replace(hours, sketch=Sketch(kind=Kind.WHOLE, rows=1110.0)))
    assert field["categories"] == [*numbers, text, "(other)"]
    assert "missingValues" not in field
    for sketch in (
        Sketch(kind=Kind.ONE_DECIMAL, rows=1110.0),
        Sketch(kind=Kind.WHOLE, rows=1110.0, written="pointed"),
    ):
        assert field_of({"name": "sleep"}, replace(hours, sketch=sketch))["type"] == "number"
    ages = replace(look([(NUMBER_CELLS[ONE + 5], 1110.0)]), texts={text: 97.0})  # 32 to 64
    ages = replace(ages, sketch=Sketch(kind=Kind.WHOLE, rows=1110.0))
    assert field_of({"name": "age"}, ages)["type"] == "integer"


@pytest.mark.parametrize("seed", range(3))
def test_ranges_of_which_some_are_rare_stay_in_one_list(seed):
    field, _ = surveyed({"0": 50, "1": 29.4, "2-10": 20, "11-100": 0.5, "Over 100": 0.1}, seed=seed)
    assert {"0", "1", "2-10"} <= set(field["categories"])
    assert "missingValues" not in field


@pytest.mark.parametrize("code", ["n.a.", "unknown", "k. A."])
def test_a_missing_code_alone_or_beside_a_range_stays_one(code):
    field, _ = surveyed({"1": 30, "2": 40, "3": 20, code: 10})
    assert (field["type"], field["missingValues"]) == ("integer", [code, ""])
    both, _ = surveyed({"1": 30, "2": 40, "4 or more": 20, "n.a.": 10})
    assert (both["categories"], both["missingValues"]) == (["1", "2", "4 or more", "(other)"], ["n.a.", ""])


@pytest.mark.parametrize("shares", [{"k. A.": 12}, {"NA": 10, "unknown": 8}, {"a": 1, "b": 1}])
def test_one_text_or_missing_codes_or_rare_texts_leave_a_column_of_numbers(shares):
    numbers = {str(i): 5 for i in range(18)}
    field, _ = surveyed(numbers | shares)
    assert field["type"] == "integer"
    assert (
        not {text for text in field["missingValues"] if text.isdecimal()}
        if "missingValues" in field
        else True
    )


def test_numbers_counted_as_words_are_the_same_rows():
    counted = count(
        pd.Series(["5", "05", "5.0", "99", "100", "-5", "x", "5"]), frozenset({""}), with_texts=True
    )
    words = counted.as_words()
    assert dict(counted.small) == {"5": 2, "99": 1}
    assert words.cells.sum() == counted.cells.sum() == 8
    assert (words.cells >= 0).all()
    assert dict(zip(words.texts, words.cells[-len(words.texts) :].tolist(), strict=True))["5"] == 2
    hidden = count(pd.Series(["5", "x"]), frozenset({""}), with_texts=False)
    assert (hidden.small, hidden.as_words().texts) == ({}, ())


@pytest.mark.parametrize(
    ("texts", "highest", "answers"),
    [
        ({"a": 60.0, "b": 30.0}, 4, False),
        ({"a": 70.0, "b": 40.0}, 4, True),
        ({"a": 200.0}, 4, False),
        ({"5 or more": 30.0}, 4, True),
        ({"17 or more": 30.0}, 16, True),
        ({"33 or more": 30.0}, 32, False),
        ({"33 or more": 110.0}, 32, True),
        ({"a": 110.0, "b": 110.0}, 128, True),
        ({"a": 110.0, "b": 110.0}, 256, False),
    ],
)
def test_texts_beside_small_numbers_are_answers_where_they_are_a_tenth_or_end_few_numbers(
    texts, highest, answers
):
    """Of 1,000 rows; two texts at least, or one that reads as a range."""
    last = ONE + highest.bit_length() - 2  # cells double: 1, 2 to 4, 4 to 8, ...
    numbers = [(NUMBER_CELLS[ONE], 700), (NUMBER_CELLS[last], 300)]
    assert look(numbers, kind=Kind.WHOLE, texts=texts).has_answers is answers
