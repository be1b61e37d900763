"""Signs by which a column is told: where each begins and ends, by hand."""

from collections import Counter

import pandas as pd
import pytest

from hmpb_core.sources.drafting.signs import (
    are_codes,
    are_long_codes,
    are_terms,
    have_gaps,
    have_leading_zeros,
    have_padded_points,
    is_listed,
    is_neither_after_all,
    name_people,
    name_somebody,
    number_groups,
    numbers_rows,
)


def column(values, rows):
    return pd.Series([value for value in values for _ in range(rows)])


def texts(number, letters):
    return [f"{place:02d}".rjust(letters, "x") for place in range(number)]


@pytest.mark.parametrize(
    ("role", "values", "rows", "grades", "something_else"),
    [
        ("identifier", texts(20, 30), 5, False, True),
        ("identifier", texts(21, 30), 5, False, False),
        ("identifier", texts(20, 30), 4, False, False),
        ("identifier", texts(10, 30), 5, False, True),  # of 50 rows
        ("identifier", texts(7, 30), 7, False, False),  # of 49
        ("text", texts(5, 30), 10, False, True),
        ("text", texts(6, 30), 10, False, False),
        ("text", texts(20, 16), 5, True, True),  # grades in words
        ("text", texts(20, 17), 5, True, False),
        ("text", texts(20, 16), 5, False, False),
        ("text", [str(n) for n in range(1001, 1021)], 5, False, True),
        ("text", [str(n) for n in range(10001, 10021)], 5, False, False),
        ("text", [f"{n / 10:.1f}" for n in range(10, 30)], 3, True, True),  # grades, however rare
        ("text", [f"{n / 10:.1f}" for n in range(10, 130)], 1, False, True),  # measured
        ("identifier", [f"{n / 10:.1f}" for n in range(10, 130)], 1, False, False),
        ("text", ["1"] * 49 + ["6"], 1, True, True),
        ("text", ["1"] * 49 + ["6"], 1, False, False),
        ("text", [f"Mr. {n}" for n in range(120)], 1, False, False),
        ("text", [str(n) for n in range(60)], 5, False, True),  # years from 0 on, at an address
        ("text", [str(n) for n in range(1, 61)], 5, False, False),
        ("text", [str(n) for n in range(60)], 4, False, False),
        ("text", [str(n) for n in range(0, 600, 10)], 5, False, False),
        ("text", [f"{n}.5" for n in range(60)] + [str(n) for n in range(60)], 1, False, False),
    ],
)
def test_a_column_with_the_name_of_an_identifier_or_a_text_may_hold_something_else(
    role, values, rows, grades, something_else
):
    told = column(values, rows)
    assert is_neither_after_all(told, role, [], grades=grades) is something_else
    codes = pd.concat([told, pd.Series(["unknown to us as yet"])])
    assert is_neither_after_all(codes, role, ["unknown to us as yet"], grades=grades) is something_else


@pytest.mark.parametrize(
    ("numbers", "named", "counted"),
    [
        ([*range(2, 51), 1], False, True),
        ([*range(2, 50), 1], False, False),  # 49 rows
        ([*range(2, 11), 1], True, True),
        ([*range(2, 10), 1], True, False),
        ([*range(10, 500, 9), 9999], False, True),  # they rise from row to row
        ([*range(10, 58), 70, 71], False, True),
        ([9999, *range(10, 500, 9)], False, False),
        ([*range(1, 51), 50], False, False),
        ([*range(1500, 1550)], False, False),  # years
        ([*range(1499, 1550)], False, True),
        ([*range(2150, 2201)], False, False),
        ([*range(2150, 2202)], False, True),
        ([-1, *range(60)], False, False),
        ([*range(60), "9" * 400], False, False),  # larger than any number of a computer
    ],
)
def test_numbers_of_rows_are_all_there_or_rise(numbers, named, counted):
    told = pd.Series(numbers).astype(str)
    assert numbers_rows(told, Counter(told), named=named) is counted


def test_numbers_of_groups_have_as_many_rows_each_or_stand_together():
    def groups(numbers):
        told = pd.Series(numbers).astype(str)
        return number_groups(told, Counter(told))

    apart = [*range(41), *range(41)]
    assert groups(apart)
    assert not groups([*range(40), *range(40)])
    assert not groups(range(82))
    assert not groups([*apart, 0])
    assert groups(sorted([*apart, 0]))
    assert not groups([*sorted(apart), 0])
    assert not groups([f"a{number}" for number in apart])


@pytest.mark.parametrize(
    ("digits", "rows", "twice", "names"),
    [(9, 50, 0, True), (8, 50, 0, False), (9, 49, 0, False), (9, 100, 2, True), (9, 100, 3, False)],
)
def test_numbers_of_nine_digits_name_somebody_where_nearly_all_differ(digits, rows, twice, names):
    step = 8 * 10 ** (digits - 1) // rows
    counts = Counter(str(10 ** (digits - 1) + step * number) for number in range(rows - twice))
    counts[min(counts)] += twice
    assert name_somebody(counts) is names


def test_hashes_name_somebody_in_small_letters_and_in_capitals():
    hashes = [f"{number:032x}" for number in (255, 2**127 + 10)]
    assert name_somebody(Counter(hashes))
    assert name_somebody(Counter(text.upper() for text in hashes))
    assert not name_somebody(Counter(text[:31] for text in hashes))
    assert not name_somebody(Counter(hashes[:1]))
    assert not name_somebody(Counter([*hashes, "none"]))


def test_more_than_a_thousand_of_letters_and_five_digits_name_somebody():
    cases = [f"A{number:05d}" for number in range(1001)]
    assert name_somebody(Counter(cases))
    assert not name_somebody(Counter(cases[1:]))
    assert not name_somebody(Counter([*cases, "none"]))


@pytest.mark.parametrize(
    ("digits", "numbers", "other", "rows", "names"),
    [
        (10, 41, "8333333333", 4, True),
        (10, 41, "8333333333", 5, False),  # 82 rows of 87 are 94 %
        (10, 40, "8333333333", 0, False),
        (9, 41, "833333333", 0, False),
        (10, 41, "none", 1, False),
    ],
)
def test_long_numbers_that_nearly_all_begin_alike_name_somebody(digits, numbers, other, rows, names):
    step = 10 ** (digits - 1) // 50
    counts = Counter({str(7 * 10 ** (digits - 1) + step * number): 2 for number in range(numbers)})
    assert name_somebody(counts + Counter({other: rows})) is names


@pytest.mark.parametrize(("width", "given_out"), [(147, True), (148, False)])
def test_numbers_were_given_out_where_chance_would_make_twelve_pairs_alike(width, given_out):
    """60 numbers among 147: 60 * 59 / (2 * 147) = 12.04; among 148 11.96."""
    numbers = [*range(10_001, 10_060), 10_000 + width]
    assert name_somebody(Counter(map(str, numbers))) is given_out
    assert name_somebody(Counter(str(number - 9_900) for number in numbers)) is given_out
    assert not name_somebody(Counter({str(1900 + number % 100): 1 for number in numbers}))


@pytest.mark.parametrize(("width", "given_out"), [(88, True), (89, False)])
def test_a_tenth_of_the_pairs_of_chance_may_be_alike(width, given_out):
    """58 numbers on 60 rows, two pairs: 58 * 57 / (2 * 88) * (60/58)^2 = 20.1; among 89 19.9."""
    counts = Counter(map(str, [*range(10_001, 10_058), 10_000 + width, 10_001, 10_002]))
    assert name_somebody(counts) is given_out


@pytest.mark.parametrize(("others", "names"), [(1, True), (2, False)])
def test_names_of_people_have_a_comma_each_but_for_a_few(others, names):
    people = [f"Do{chr(97 + n // 26)}{chr(97 + n % 26)}, Jane" for n in range(50 - others)]
    first = [name.replace("Jane", f"J{name[2:4]}") for name in people]
    assert name_people([*first, *(f"Unknown {n}" for n in range(others))]) is names
    assert not name_people(people)  # all have the same first name
    assert not name_people(first[:40])


@pytest.mark.parametrize(("towns", "names"), [(15, True), (14, False)])
def test_of_names_of_people_three_tenths_differ_on_either_side_of_the_comma(towns, names):
    letters = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(50)]
    told = [(f"Do{letter}", f"J{letters[n % towns]}") for n, letter in enumerate(letters)]
    assert name_people([f"{first}, {last}" for first, last in told]) is names
    assert name_people([f"{last}, {first}" for first, last in told]) is names


@pytest.mark.parametrize(
    ("digits", "slips", "longer", "codes"),
    [
        (10, 0, 2, True),
        (9, 0, 2, False),
        (10, 2, 2, True),
        (10, 3, 2, False),
        (10, 2, 1, False),
        (11, 2, -1, False),
        (14, 2, -2, True),
    ],
)
def test_long_codes_have_ten_digits_but_for_two_rows_of_a_hundred(digits, slips, longer, codes):
    counts = Counter({f"{7 * 10 ** (digits - 1) + number}": 1 for number in range(100 - slips)})
    counts += Counter({f"{10 ** (digits + longer - 1) + number}": 1 for number in range(slips)})
    assert are_long_codes(counts) is codes


def test_seconds_since_1970_are_no_long_codes():
    assert not are_long_codes(Counter({str(1_600_000_000 + number): 1 for number in range(100)}))
    assert not are_long_codes(Counter())


def test_a_few_leading_zeros_among_numbers_are_slips():
    months = Counter({str(month): 9 for month in range(13)})  # 117 rows
    assert not have_leading_zeros(months)
    assert not have_leading_zeros(months + Counter({"05": 2}))
    assert have_leading_zeros(months + Counter({"05": 3}))
    assert not have_leading_zeros(months + Counter({"00": 1}))
    assert have_leading_zeros(months + Counter({"013": 1}))  # no month without the zero
    assert not have_leading_zeros(Counter({str(day): 9 for day in range(1, 31)}) + Counter({"031": 1}))
    assert have_leading_zeros(Counter({"05": 1, "12": 99, "11": 99}))  # all have two digits
    assert have_leading_zeros(Counter({str(day): 9 for day in range(1, 10)}) + Counter({"05": 1}))
    assert have_leading_zeros(Counter({str(weight): 9 for weight in range(90, 121)}) + Counter({"05": 1}))
    assert not have_leading_zeros(Counter({"05.5": 9, "12.5": 9}))


def test_numbers_with_points_are_codes_where_zeros_make_them_as_long():
    assert have_padded_points(Counter(["01.1", "12.34"]))
    for others in (["01.1", "123.4"], ["11.1", "12.3"], ["01.1", "12-3"], ["1.1", "2.3"], []):
        assert not have_padded_points(Counter(others))


@pytest.mark.parametrize(
    ("values", "rows", "gaps"),
    [
        ((0, 1, 3), 10, True),
        ((0, 1, 3), 9, False),
        ((1, 2, 3, 5), 10, False),  # one leap of three steps
        ((1, 3), 10, False),
        ((0, 2, 6), 10, True),
        ((0, 5, 15), 10, False),  # people round
        ((0.5, 1.5, 3.5), 10, False),
        ((10**15, 10**15 - 2, 10**15 - 3), 10, True),
        (("1e+19", "2e+19", "4e+19"), 10, False),  # larger than any amount
        ((0, 1, "9" * 400), 10, False),
        ([3 * n + n % 3 for n in range(40)], 10, True),
        ([3 * n + n % 3 for n in range(41)], 10, False),
    ],
)
def test_codes_have_gaps_everywhere(values, rows, gaps):
    counts = Counter({str(value): rows for value in values})
    assert have_gaps(counts) is are_codes(counts) is gaps


@pytest.mark.parametrize(("values", "codes"), [(20, True), (21, False)])
def test_more_than_twenty_numbers_with_gaps_that_rise_and_fall_are_no_codes(values, codes):
    rows = [10 + min(place, values - 1 - place) for place in range(values)]
    counts = Counter({str(3 * place + place % 3): number for place, number in enumerate(rows)})
    assert have_gaps(counts)
    assert are_codes(counts) is codes


def test_terms_of_years_are_of_two_terms_and_of_five_rows_each():
    assert are_terms(Counter({"2018.1": 5, "2018.2": 5}))
    assert not are_terms(Counter({"2018.1": 5, "2018.2": 4}))
    assert not are_terms(Counter({"2018.1": 9, "2019.1": 9}))
    assert not are_terms(Counter({"2018.1": 9, "2018.2": 9, "2018.25": 9}))


@pytest.mark.parametrize(
    ("values", "rows", "table_rows", "listed"),
    [
        (texts(9, 5), 1, 9, True),
        (texts(10, 5), 1, 10, False),
        (texts(24, 5), 2, 49, True),
        (texts(41, 5), 1, 49, False),
        (texts(40, 5), 1, 50, False),
        (texts(25, 4), 1, 50, True),  # grades
        (texts(26, 4), 1, 50, False),
        (texts(26, 5), 2, 52, True),
        (texts(2, 60), 4, 50, True),
        (texts(2, 61), 4, 50, False),
        (texts(2, 61), 5, 50, True),
        (texts(99, 5), 5, 495, True),
        (texts(99, 5), 4, 396, False),
        ([], 1, 50, False),
    ],
)
def test_values_may_be_listed_where_they_are_few_or_often(values, rows, table_rows, listed):
    assert is_listed(Counter(dict.fromkeys(values, rows)), table_rows) is listed


def test_long_texts_of_a_long_list_may_be_of_three_rows_each():
    names = Counter(dict.fromkeys(texts(9, 30), 30))
    assert is_listed(names + Counter({"x" * 61: 3}), 300)
    assert not is_listed(names + Counter({"x" * 61: 2}), 300)


def test_half_of_the_values_of_a_list_may_be_of_one_row():
    often = Counter(dict.fromkeys(texts(4, 5), 90))
    assert is_listed(often + Counter(["alone", "alike", "aside", "apart"]), 400)
    assert not is_listed(often + Counter(["alone", "alike", "aside", "apart", "above"]), 400)
