"""What among a column's values means a missing one: the limits of each sign, by hand."""

from collections import Counter

import pytest

from hmpb_core.sources.drafting.missing_codes import (
    codes_among_numbers,
    words_among_dates,
    words_among_numbers,
)


def numbers(first, last, rows=9, **codes):
    """Each whole number from first to last on as many rows, and codes, called ``code_`` or ``below_``."""
    counts = Counter({str(number): rows for number in range(first, last + 1)})
    return counts + Counter(codes)


def test_a_word_among_numbers_is_a_missing_code_but_none_that_may_be_a_number():
    ages = numbers(1, 30)
    assert words_among_numbers(ages + Counter({"k.A.": 1, "?": 2})) == ["?", "k.A."]
    assert words_among_numbers(ages + Counter({"k.A.": 1, "1,400": 2})) == ["k.A."]
    for other in ("½", "36½", "三", "V57"):
        assert words_among_numbers(ages + Counter({"k.A.": 1, other: 2})) == []
    assert words_among_numbers(ages + Counter({"10.1-1": 1, "11.6.1": 9, "17.1.2.1": 9})) == []  # of a law
    assert words_among_numbers(ages + Counter("abc")) == ["a", "b", "c"]
    assert words_among_numbers(ages + Counter("abcd")) == []
    assert words_among_numbers(numbers(1, 21) + Counter("a")) == ["a"]
    assert words_among_numbers(numbers(1, 20) + Counter("a")) == []


@pytest.mark.parametrize("word", ["056943O", "(86.44)", "12:60"])
def test_what_has_digits_is_named_from_five_rows_on(word):
    """A misprint, and nobody's number, stands in no codebook as a missing code; -99x of many rows does."""
    amounts = numbers(1, 30)
    assert words_among_numbers(amounts + Counter({word: 4})) == []
    assert words_among_numbers(amounts + Counter({word: 4, "-": 1})) == ["-"]
    assert words_among_numbers(amounts + Counter({word: 5})) == [word]


def test_a_word_among_dates_is_a_missing_code_where_five_rows_have_it():
    days = Counter({f"{day:02d}.03.2019": 2 for day in range(1, 22)})
    assert words_among_dates(days + Counter({"inconnue": 5})) == ["inconnue"]
    assert words_among_dates(days + Counter({"inconnue": 4})) == []
    del days["21.03.2019"]
    assert words_among_dates(days + Counter({"inconnue": 5})) == []
    assert words_among_dates(days + Counter({"21.03.2019": 2, "a": 5, "b": 5, "c": 5})) == ["a", "b", "c"]
    rare = days + Counter({"21.03.2019": 2, "調査中": 20, "不明": 5, "なし": 1, "初旬": 2})
    assert words_among_dates(rare) == ["不明", "調査中"], "not those of few rows"
    texts = Counter({f"flat {number}": 2 for number in range(1, 23)})
    assert words_among_dates(texts + Counter({"inconnue": 5})) == []


@pytest.mark.parametrize(
    ("first", "last", "code", "found"),
    [
        (0, 30, "-1", False),  # the next whole number
        (1, 30, "-1", True),
        (0, 30, "-2", True),
        (-1, 30, "-9", False),  # there are negative numbers
        (0, 30, "-10", False),
        (0, 30, "-99", True),
        (0, 49, "99", True),
        (0, 50, "100", False),
        (0, 38, "77", True),
        (0, 39, "77", False),
        (0, 60, "66", False),
    ],
)
def test_a_usual_code_below_or_at_twice_all_numbers_is_missing(first, last, code, found):
    counts = numbers(first, last, rows=20)
    assert codes_among_numbers(counts + Counter({code: 5})) == [code] * found
    assert codes_among_numbers(counts + Counter({code: 4})) == []


def test_minus_1_lies_apart_from_parts_of_1_as_far_as_they_span():
    parts = Counter({f"{number / 100:.2f}": 9 for number in range(101)})
    assert codes_among_numbers(parts + Counter({"-1": 9})) == ["-1"]
    assert codes_among_numbers(parts + Counter({"1.50": 9, "-1": 9})) == []


@pytest.mark.parametrize(
    ("most", "code", "found"),
    [(4999, "9999", True), (5000, "9999", False), (199_999, "999999", True), (200_000, "999999", False)],
)
def test_a_long_code_must_be_five_times_as_large_and_a_shorter_one_twice(most, code, found):
    counts = Counter({str(most - 10 * number): 30 for number in range(30)})
    assert codes_among_numbers(counts + Counter({code: 5})) == [code] * found


def test_three_codes_at_most_lie_among_more_than_twenty_numbers():
    codes = {"-7": 5, "-8": 5, "99": 5}
    assert codes_among_numbers(numbers(1, 21, **codes)) == ["-7", "-8", "99"]
    assert codes_among_numbers(numbers(1, 20, **codes)) == []
    assert codes_among_numbers(numbers(1, 40, **codes, **{"-9": 5})) == []
    assert codes_among_numbers(numbers(1, 40, **codes, none=5)) == []
    assert codes_among_numbers(Counter({"99": 9, "999": 9})) == []


def test_among_codes_of_a_list_none_is_told_by_how_large_it_is():
    steps = [100 + 3 * step + step % 3 for step in range(30)]
    listed = Counter({str(code): 10 + 7 * place % 15 for place, code in enumerate(steps)})
    assert codes_among_numbers(listed + Counter({"999": 9})) == []
    scores = Counter({str(score): 10 + min(place, 29 - place) for place, score in enumerate(steps)})
    assert codes_among_numbers(scores + Counter({"999": 9})) == ["999"]


@pytest.mark.parametrize(
    ("top", "rows", "close", "others", "found"),
    [
        ("99", 30, 3, 1500, True),
        ("99", 29, 3, 1500, False),  # ten times as many as the three of 90
        ("99", 20, 0, 1980, True),
        ("99", 19, 0, 1980, False),  # 1 of 100 rows
        ("100", 900, 0, 900, False),  # the most that there is
        ("88", 900, 0, 900, False),
        ("990", 900, 0, 900, False),  # an amount
        ("99.0", 900, 0, 900, True),
        ("99.90", 900, 0, 900, True),
    ],
)
def test_nines_that_many_rows_have_are_missing_though_no_gap_is_below_them(top, rows, close, others, found):
    counts = Counter({str(number): others // 30 for number in range(50, 80)})
    counts += Counter({"89": 9, "90": close, top: rows})
    counts["50"] += others - others // 30 * 30 - 9 * (close == 0)
    assert codes_among_numbers(counts) == [top] * found


def test_prices_that_end_in_nines_are_amounts():
    prices = Counter({f"{number}.99": 9 for number in range(20, 80)})
    assert codes_among_numbers(prices + Counter({"99.99": 60})) == []
    plain = Counter({f"{number}.50": 9 for number in range(20, 80)})
    assert codes_among_numbers(plain + Counter({"99.99": 60})) == ["99.99"]
