"""Guesses from the rows: they fit their table, keep how it writes, and are marked."""

import datetime as dt
import math

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.provenance import Origin
from hmpb_core.sources.drafting import (
    draft_from_header,
    draft_from_rows,
    fields_of_labels,
)
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.drafting.guesses import guess
from hmpb_core.sources.files import read_file, read_header, read_table
from tests.datasets import data_file
from tests.sources.drafts import fits, guessed, origin, written_again


@pytest.mark.parametrize(
    ("unit", "digits", "step"), [(0.5, 1, 0.5), (0.25, 2, 0.25), (0.05, 2, 0.05), (0.1, 1, None)]
)
def test_numbers_that_are_all_halves_or_quarters_stay_so(unit, digits, step):
    values = [f"{i * unit:.{digits}f}" for i in range(3, 60)]
    entry, frame = guessed(*values)
    assert entry.get("multipleOf") == step
    assert entry.get("decimals") == (None if step else digits)
    for text in written_again(entry, frame):
        assert float(text) / unit == pytest.approx(round(float(text) / unit))


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (["1.0", "1.3", "1.7", "2.0", "2.3", "5.0"] * 20 + ["4.7"], True),
        (["sehr gut", "gut", "befriedigend", "ausreichend", "mangelhaft", "ungenügend"] * 10, True),
        (["gut"] * 99 + ["Tante Erna anrufen"], False),
        (["sehr gut"] * 99 + ["Erna"], False),
    ],
)
def test_a_column_named_note_with_a_few_short_values_holds_grades(values, listed):
    (entry,) = draft_from_rows(pd.DataFrame({"Note": values}))["fields"]
    assert (entry.get("publish") is not False) == listed
    assert not listed or len(entry["categories"]) == len(set(values))


@pytest.mark.parametrize(
    "texts",
    [
        ("1.0", "2.0", "3.0"),
        ("2.00", "3.00", "15.00"),
        ("1", "2", "3"),
        ("0.5", "1.5"),
        ("Ja", "Nein"),
        ("TRUE!", "FALSE!"),
        ("TRUE", "FALSE"),
        ("3", "7.5", "10"),
        ("0.50", "1.00"),
        (".5", "-.25", "3"),
        (".50", "1.00", "-.25"),
        ("01067", "80331"),
    ],
    ids=str,
)
def test_few_values_come_out_as_the_file_writes_them(texts):
    entry, frame = guessed(*texts)
    assert written_again(entry, frame) == set(texts)


def test_many_numbers_without_a_zero_before_the_point_come_out_so():
    entry, frame = guessed(*(f"{i / 100:.2f}".removeprefix("0") for i in range(1, 200)), times=1)
    assert (entry["decimals"], entry["written"]) == (2, ".50")
    assert {"nan", ""}.isdisjoint(written_again(entry, frame))
    assert any(text.startswith(".") for text in written_again(entry, frame))


def test_many_whole_amounts_with_two_decimals_come_out_so():
    entry, frame = guessed(*(f"{i * 7}.00" for i in range(1, 99)), times=1)
    assert (entry["multipleOf"], entry["written"]) == (1, 2)
    assert all(text.endswith(".00") for text in written_again(entry, frame))


def test_amounts_in_millions_keep_the_decimals_that_the_file_writes():
    entry, frame = guessed(*(f"{4_460_000 + i * 7}.{i % 4 * 250:03}" for i in range(1, 99)), times=1)
    assert (entry["multipleOf"], entry["written"]) == (0.25, 3)
    assert all(text[-4] == "." for text in written_again(entry, frame))


def test_a_vocabulary_in_the_files_own_words_writes_a_missing_value_as_its_column_does():
    rows = {"gender": ["F", "M", "NA", "F"] * 20, "amount": ["", "1", "2", ""] * 20}
    gender, amount = draft_from_rows(pd.DataFrame(rows))["fields"]
    assert origin(gender) is Origin.GUESS
    assert gender["missingValues"][0] == "NA"
    assert "missingValues" not in amount


def test_a_few_huge_amounts_do_not_make_the_grid_of_all_others_coarse():
    entry, _ = guessed("1000000000", *(f"{i * 1.0123456789:.8f}" for i in range(1, 99)), times=1)
    assert entry["constraints"]["maximum"] == 10**9
    assert entry["decimals"] == 1  # the median is about 50: three digits of it


@pytest.mark.parametrize("words", [("Ja", "Nein"), ("J", "N"), ("oui", "non")], ids=str)
def test_a_vocabulary_of_yes_and_no_is_guessed_in_the_words_of_the_file(words):
    entry, frame = guessed(*words, name="is_smoker")
    assert entry["categories"] == list(words)
    assert origin(entry) is Origin.GUESS
    assert written_again(entry, frame) == set(words)
    assert guessed("true", "false", name="is_smoker")[0]["type"] == "boolean"


def test_many_numbers_keep_their_decimals_and_what_divides_them():
    prices = [f"{i / 100:.2f}" for i in range(1, 300, 7)]
    entry, frame = guessed(*prices)
    assert (entry["type"], entry["decimals"]) == ("number", 2)
    assert all(len(text.partition(".")[2]) <= 2 for text in written_again(entry, frame))
    whole, _ = guessed(*(f"{i}.0" for i in range(50)))
    assert (whole["type"], whole["multipleOf"]) == ("number", 1)
    hundreds, _ = guessed(*(str(100 * i) for i in range(50)))
    assert (hundreds["type"], hundreds["multipleOf"]) == ("integer", 100)
    computed, _ = guessed(*(repr(i / 7) for i in range(1, 50)))
    assert "decimals" not in computed
    huge, _ = guessed(*(f"{i}00000000000.123456" for i in range(1, 50)))
    assert "decimals" not in huge


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([repr(i * 1.15078) for i in range(1, 60)], {"multipleOf": 2e-05}),  # 6.904679999999999 among them
        ([repr(float(np.float32(i / 100))) for i in range(1, 90)], {"decimals": 2}),  # as Stata keeps it
        ([f"{np.float32(i / 10):.15g}" for i in range(1, 90)], {"decimals": 1}),  # and R writes it
    ],
)
def test_the_last_digits_that_a_computer_made_are_no_decimals(values, says):
    entry, _ = guessed(*values, times=10)
    assert {key: entry.get(key) for key in says} == says


@pytest.mark.parametrize("noise", ["1e-7", "float32", "logarithm"])
def test_computed_numbers_that_come_again_and_again_are_listed_as_they_are(noise):
    prices = [i / 10 for i in range(21, 62)]
    made = {
        "1e-7": [repr(price + 1e-7 * (i % 3 - 1)) for i, price in enumerate(prices)],
        "float32": [repr(float(np.float32(price) * np.float32(1.1))) for price in prices],
        "logarithm": [repr(math.log(price)) for price in prices],
    }[noise]
    entry, frame = guessed(*made, times=20)
    assert entry["values"] == pytest.approx(sorted(map(float, made)), rel=1e-6)
    assert written_again(entry, frame) == set(made)
    rare, _ = guessed(*made, times=15)
    assert "values" not in rare
    plain, _ = guessed(*map(str, prices), times=20)
    assert plain["decimals"] == 1


def test_a_guessed_list_rises_inside_its_bounds_whatever_rounding_does():
    narrow = [repr(float(np.float32(i / 12))) for i in range(60)]
    almost = [*narrow, repr(float(narrow[30]) + 1e-12)]  # no number of 32 bits, but one beside it is
    entry, _ = guessed(*almost, times=30)
    assert entry["precision"] == "single"
    assert len(set(entry["values"])) == len(entry["values"]) == 60
    assert Codebook.from_dict({"fields": [entry]}).domain.attributes[0].listed == tuple(entry["values"])


def test_numbers_that_few_rows_have_are_in_no_list_and_a_list_of_them_is_none():
    rates = [str(i**2 / 100) for i in range(1, 61)]
    often = [rate for rate in rates for _ in range(25)]
    entry, frame = guessed(*often, "31.07", "29.5", times=1)
    assert entry["values"] == sorted(map(float, rates))
    quarters = [str(i / 4) for i in range(40) for _ in range(30)]
    longer, _ = guessed(*quarters, "9.97", "13.76", times=1)  # a tail is not cut off
    assert longer["values"] == [i / 4 for i in range(56)]
    assert {"31.07", "29.5"}.isdisjoint(written_again(entry, frame))
    twelfths, _ = guessed(*(repr(i / 12) for i in range(60) for _ in range(30)), "5.5", times=1)
    assert twelfths["values"] == pytest.approx([i / 12 for i in range(67)], rel=1e-12)
    means = [i / n for n in (4, 5, 6) for i in range(n, 6 * n) for _ in range(30)]
    unlike, _ = guessed(*map(repr, means), "6.2", times=1)  # whose steps are of no size
    assert unlike["values"] == sorted(set(means))
    mostly_zero, _ = guessed(*["0"] * 5000, *(str(i**2) for i in range(1, 90)), times=1)
    assert "values" not in mostly_zero
    whole, _ = guessed(*(str(i**3) for i in range(60)), times=25)
    assert (whole["type"], whole["values"][:4]) == ("integer", [0, 1, 8, 27])


def test_very_small_numbers_with_a_power_of_ten_are_no_missing_codes():
    values = [f"{i}.25" for i in range(1, 60)]
    entry, _ = guessed(*values, "-6.84697e-4", "1e-05", times=5)
    assert "missingValues" not in entry
    assert (entry["type"], entry["decimals"]) == ("number", 2)
    flats, _ = guessed(*(f"{i}.25" for i in range(1, 60)), "6e4x")
    assert "6e4x" in flats["missingValues"]
    people, _ = guessed(*(f"{i}1907.0" for i in range(1, 60)), "3.3736494e7", times=5)  # as Java writes it
    assert (people["type"], people["multipleOf"]) == ("number", 1)
    tiny, _ = guessed(*(f"{i}.5E-05" for i in range(10, 60)), times=10)
    assert tiny["constraints"]["maximum"] == pytest.approx(0.0006)


def test_a_missing_code_without_decimals_says_nothing_of_how_numbers_are_written():
    tenths = [f"{i / 10:.1f}" for i in range(300)]
    entry, frame = guessed(*tenths, "-200")
    assert "written" not in entry
    assert "12.0" in written_again(entry, frame)
    assert guessed(*(repr(i / 10).removesuffix(".0") for i in range(300)))[0]["written"] == "shortest"


def test_a_column_named_percent_that_holds_parts_of_1_is_bounded_by_1():
    frame = pd.DataFrame(
        {"win_pct": [repr(i / 90) for i in range(91)], "tax_pct": [i / 2 for i in range(91)]}
    )
    parts, percent = draft_from_rows(frame)["fields"]
    assert parts["constraints"]["maximum"] == 1
    assert percent["constraints"]["maximum"] == 100


@pytest.mark.parametrize(("size", "part"), [(-18, 1e-4), (-40, 1e-4), (-300, 1e-4)])
def test_tiny_numbers_come_back_and_not_as_zeros(size, part):
    numbers = np.random.default_rng(0).lognormal(size, 1, 3000)
    column = pd.Series([f"{number:.3e}" for number in numbers])
    schema = draft_from_rows(pd.DataFrame({"p": column}))
    assert schema["fields"][0]["bins"] == "learned"
    domain = Codebook.from_dict(schema).domain
    grid = domain.attributes[0].grid
    read = grid.values(grid.positions(numbers))
    assert np.abs(read - numbers).max() <= part * numbers.max()
    assert (np.diff(grid.values(np.arange(100))) > 0).all()


def test_a_negative_zero_is_no_category_of_its_own():
    values = ["-0.0", "0.0", "1.5", "-1.5"] * 30
    schema = draft_from_rows(pd.DataFrame({"z": values}))
    assert schema["fields"][0]["categories"] == [-1.5, 0.0, 1.5]
    versions = draft_from_rows(pd.DataFrame({"v": ["1.1", "1.10", "2.0"] * 30}))
    assert versions["fields"][0]["categories"] == ["1.1", "1.10", "2.0"]


def test_amounts_of_all_sizes_keep_the_small_ones_apart():
    products = [8.8e6 * 1.26**i + 0.55556 for i in range(70)]  # to 10^14, as those of countries
    entry, _ = guessed(*(f"{product:.5f}" for product in products), times=10)
    assert entry["multipleOf"] == 100_000
    shares, _ = guessed(*(repr(1 / 3**i) for i in range(1, 40)), times=10)
    assert shares["decimals"] == 6


@pytest.mark.parametrize("seed", range(200))
def test_a_guess_fits_the_table_it_came_from(seed):
    rng = np.random.default_rng(seed)
    frame = random_table(rng)
    if seed % 3 == 0:
        frame = read_table(frame.to_csv(index=False).encode(), name="t.csv")
    assert fits(frame, draft_from_rows(frame))


def random_table(rng):
    n = int(rng.choice([1, 2, 7, 60, 400]))
    columns = {}
    for i in range(int(rng.integers(1, 8))):
        name = (
            f"c{i}"
            if rng.random() < 0.7
            else str(rng.choice(["age", "sex", "id", "month", "name", "icd"])) + str(i)
        )
        columns[name] = random_column(rng, n)
    return pd.DataFrame(columns)


def random_column(rng, n):
    kind = int(rng.integers(16))
    values = {
        0: lambda: rng.integers(-5, 5, n),
        1: lambda: rng.integers(-(10**18), 10**18, n),
        2: lambda: rng.normal(0, 10.0 ** int(rng.integers(-8, 20)), n),
        3: lambda: rng.choice([0.0, 1.5, np.inf, np.nan, -0.0], n),
        4: lambda: rng.choice(["a", " a", "b ", "", "NA", "?", "n.a."], n),
        5: lambda: [f"text number {i} {'x' * int(rng.integers(80))}" for i in range(n)],
        6: lambda: rng.choice(["True", "False", "true"], n),
        7: lambda: pd.array(rng.choice([True, False, None], n), dtype="boolean"),
        8: lambda: [str(dt.date(1950, 1, 1) + dt.timedelta(days=int(d))) for d in rng.integers(0, 30000, n)],
        9: lambda: [f"{d:02d}.{m:02d}.1996" for d, m in rng.integers(1, 13, (n, 2))],
        10: lambda: [None] * n,
        11: lambda: rng.choice(["1", "1.0", "01", "+1", "1e0", "2", "٣"], n),
        12: lambda: pd.array(rng.choice([2**53 + 1, 2**53, None], n), dtype="Int64"),
        13: lambda: pd.Series(
            [(True, 1, 1.0, "1", None, "x", -9)[int(i)] for i in rng.integers(0, 7, n)], dtype=object
        ),
        14: lambda: [chr(int(c)) * int(k) for c, k in rng.integers(33, 5000, (n, 2)) % [3000, 4] + [33, 1]],
        15: lambda: rng.integers(0, 10**6, n),
    }
    return values[kind]()


REALISTIC = {  # each made with a generator; some need none
    "survey": lambda r: {
        "age": r.integers(18, 90, 500),
        "sex": r.choice(["m", "f"], 500),
        "q1": r.integers(1, 6, 500),
    },
    "missing codes": lambda r: {"x": r.choice([1, 2, -9, -8], 500), "y": r.choice(["a", "n.a.", ""], 500)},
    "wages": lambda r: {"wage": np.round(r.lognormal(8, 1, 500), 2), "hours": r.choice([40, 38.5, 20], 500)},
    "spikes": lambda r: {"gain": r.choice([0, 0, 0, 99999, 7688], 500)},
    "patients": lambda r: {"icd": r.choice(["I21.9", "E11"], 500), "los": r.poisson(5, 500)},
    "unusual codes under a usual name": lambda r: {
        "icd": r.choice(["xx", "yy"], 500),
        "sex": r.choice(["A", "B"], 500),
    },
    "panel": lambda _: {"pid": np.repeat(np.arange(100), 5), "wave": np.tile(np.arange(5), 100)},
    "dates": lambda r: {"born": [f"{y}-01-31" for y in r.integers(1920, 2010, 500)], "at": ["12:30"] * 500},
    "zip codes": lambda r: {"plz": [f"{p:05d}" for p in r.integers(0, 300, 500)]},
    "wide floats": lambda r: {"x": r.normal(0, 1e-9, 500), "y": r.normal(1e12, 1, 500)},
    "constant": lambda _: {"one": [1] * 500, "text": ["same"] * 500, "half": [0.5] * 500},
    "letters": lambda r: {
        "comment": [f"Dear {i}, thank you" for i in range(500)],
        "stars": r.integers(1, 6, 500),
    },
}


@pytest.mark.parametrize("name", REALISTIC)
@pytest.mark.parametrize("through_csv", [False, True])
def test_a_guess_fits_a_realistic_table(name, through_csv):
    frame = pd.DataFrame(REALISTIC[name](np.random.default_rng(3)))
    if through_csv:
        frame = read_table(frame.to_csv(index=False).encode(), name="t.csv")
    schema = draft_from_rows(frame)
    assert fits(frame, schema)
    assert all(e.get("publish") is False for e in schema["fields"] if e["name"] in ("pid", "comment"))


@pytest.mark.parametrize("name", ["adult_train", "big5"])
def test_a_guess_fits_the_tables_of_the_papers(name):
    frame = read_table(data_file(f"{name}.csv"))
    assert fits(frame, draft_from_rows(frame))


def test_what_a_vocabulary_does_not_hold_is_guessed_and_marked():
    frame = pd.DataFrame({"sex": ["A", "B"] * 50})
    assert origin(draft_from_rows(frame)["fields"][0]) is Origin.GUESS


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["MALE", "FEMALE"], ["FEMALE", "MALE"]),
        (["male", "female"], ["female", "male"]),
        (["1", "2"], ["2", "1"]),
    ],
    ids=str,
)
def test_a_vocabulary_is_written_in_the_letters_of_the_file(texts, kept):
    entry, _ = guessed(*texts, name="sex")
    assert [category["value"] for category in entry["categories"]][:2] == kept


@pytest.mark.parametrize(
    "texts",
    [
        ("may", "jul", "aug"),
        ("MAY", "JUL"),
        ("May", "Jul"),
        ("july", "august"),
        ("juillet", "mai"),
        ("5", "7"),
    ],
    ids=str,
)
def test_months_leave_in_the_words_and_letters_of_the_file(texts):
    entry, frame = guessed(*texts, name="month")
    assert written_again(entry, frame) == set(texts)
    assert len(entry["categories"]) == 12


def test_countries_keep_the_code_of_the_file():
    entry, frame = guessed("USA", "PRT", name="country")
    assert written_again(entry, frame) == {"USA", "PRT"}
    assert "FRA" in [category["value"] for category in entry["categories"]]


@pytest.mark.parametrize(
    "ages",
    [[str(i) for i in range(150, 450)], [f"{i / 100}" for i in range(20, 90)]],
    ids=["months", "decimals"],
)
def test_an_age_that_is_no_whole_number_of_years_is_neither_clipped_nor_rounded(ages):
    entry, frame = guessed(*ages, name="age")
    low, high = entry["constraints"]["minimum"], entry["constraints"]["maximum"]
    assert low <= min(map(float, ages)) < max(map(float, ages)) <= high
    assert ("decimals" in entry) == ("." in ages[0])
    assert len(written_again(entry, frame)) > 50


def test_a_few_finer_numbers_do_not_make_all_others_fine():
    years = [f"{i}.0" for i in range(1, 90)] * 10
    entry, frame = guessed(*years, "0.42", "0.75", name="age", times=1)
    assert (entry["type"], entry["multipleOf"], entry["constraints"]["maximum"]) == ("number", 1, 120)
    assert all(text.endswith(".0") for text in written_again(entry, frame))
    length, _ = guessed(*(f"{i}.5" for i in range(90)), "1.2345", name="length", times=1)
    assert length["decimals"] == 1


def test_a_percentage_that_is_always_the_same_stays_so():
    entry, frame = guessed("4.761904762", name="margin_percentage")
    assert written_again(entry, frame) == {"4.761904762"}


def test_yes_and_no_written_as_numbers_come_out_as_numbers():
    entry, frame = guessed("0", "1", name="is_smoker")
    assert written_again(entry, frame) == {"0", "1"}


@pytest.mark.parametrize("name", ["is_smoker", "smoker", "x"])
def test_truths_leave_in_the_letters_of_the_file(name):
    for texts in ({"TRUE", "FALSE"}, {"True", "False"}, {"true", "false"}):
        entry, frame = guessed(*texts, name=name)
        assert written_again(entry, frame) == texts


def test_two_sexes_in_words_that_no_list_has_together_leave_in_them():
    for texts in ({"woman", "man"}, {"Frau", "Male"}):
        entry, frame = guessed(*texts, name="sex")
        assert written_again(entry, frame) == texts
        assert len(entry["categories"]) == 2


def test_two_sexes_written_0_and_1_are_no_codes_of_iso_5218():
    entry, _ = guessed("0", "1", name="sex")
    assert entry["categories"] == [0, 1]
    labels = {c["value"]: c.get("label") for c in guessed("0", "1", "2", name="sex")[0]["categories"]}
    assert (labels["1"], labels["0"]) == ("male", "not known")


@pytest.mark.parametrize("name", ["sex", "性别"])
@pytest.mark.parametrize(("rows", "iso"), [((5, 50, 45), True), ((50, 45, 5), False), ((45, 0, 50), False)])
def test_codes_of_which_0_is_commoner_than_a_sex_are_none_of_iso_5218(name, rows, iso):
    """Half of all people would leave with the label that nobody knows their sex."""
    texts = [text for text, n in zip("012", rows, strict=True) for _ in range(n)]
    (entry,) = draft_from_rows(pd.DataFrame({name: texts}))["fields"]
    labels = {str(c["value"]): c["label"] for c in entry["categories"] if isinstance(c, dict)}
    assert labels == ({"2": "female", "1": "male", "0": "not known"} if iso else {})
    assert iso or entry["categories"] == [code for code, n in enumerate(rows) if n]


def test_nine_is_no_other_sex_in_iso_5218():
    """A receiver would count whom nobody asked as diverse."""
    entry, _ = guessed("1", "2", "9", name="sex")
    labels = {c["value"]: c.get("label") for c in entry["categories"]}
    assert (labels["9"], labels["2"]) == ("not applicable", "female")


def test_none_is_an_answer_where_the_table_writes_na():
    """Of 8,993 customers of a shopping mall 64 % have no children: the list said that nobody knows."""
    kids, speech = ["None", "None", "One", "Two"] * 20, ["English", "NA", "Spanish", "None"] * 20
    table = pd.DataFrame({"kids": kids, "speech": speech, "n": [*"1234"] * 19 + ["None"] * 4})
    fields = draft_from_rows(table)["fields"]
    said = [(entry["categories"], entry.get("missingValues")) for entry in fields]
    assert said == [
        (["None", "One", "Two"], ["NA", ""]),
        (["English", "None", "Spanish"], ["NA", ""]),
        ([1, 2, 3, 4], ["None", ""]),
    ]
    alone = draft_from_rows(pd.DataFrame({"kids": kids}))["fields"][0]
    assert "None" not in alone["categories"]


def test_none_is_an_answer_where_the_table_leaves_more_cells_empty():
    """Half of all visits had no side effect, and the list said that nobody had asked."""
    effects = ["None", "None", "Mild", "Moderate", "Severe"] * 20
    table = pd.DataFrame({"effects": effects, "weight": [*["61.5", "70", "", "", ""] * 20]})
    entry = draft_from_rows(table)["fields"][0]
    assert (entry["categories"], entry["categoriesOrdered"]) == (["None", "Mild", "Moderate", "Severe"], True)
    table["n"] = [*map(str, range(80)), *["None"] * 20]
    assert "None" in draft_from_rows(table)["fields"][2]["missingValues"]


@pytest.mark.parametrize("code", ["n/a", "#N/A", "NA"])
def test_none_is_an_answer_where_the_table_writes_another_code_for_what_is_missing(code):
    school = ["None", "Primary", "High School"] * 20
    table = pd.DataFrame({"school": school, "visit": [code, "yes", "no"] * 20})
    assert draft_from_rows(table)["fields"][0]["categories"] == ["High School", "None", "Primary"]


def test_plus_and_minus_are_the_results_of_a_test_and_leave_as_they_came():
    entry, frame = guessed("+", "-", "-", "?", name="hbsag")
    assert (entry["categories"], entry["missingValues"]) == (["+", "-"], ["?", ""])
    assert written_again(entry, frame) == {"+", "-", "?"}
    assert guessed("++", "+", "-", name="protein")[0]["categories"] == ["+", "++", "-"]
    assert guessed("A+", "B+", "-", name="grade_")[0]["categories"] == ["A+", "B+"]


def test_none_beside_empty_cells_is_an_answer_and_by_itself_a_missing_value():
    entry, _ = guessed("None", "", "Landed", "Stopped", name="effect")
    assert (entry["categories"], entry["missingValues"]) == (["Landed", "None", "Stopped"], [""])
    assert "None" not in guessed("None", "Landed", "Stopped", name="effect")[0]["categories"]
    alone, frame = guessed("None", "", "", name="desserts: none of these")
    assert (alone["categories"], alone["missingValues"]) == (["None"], [""])
    assert written_again(alone, frame) == {"None", '""'}
    assert guessed("NA", "", "", name="n")[0]["publish"] is False
    numbers, _ = guessed("NA", "", *map(str, range(50)), name="n")
    assert numbers["type"] == "integer"


def test_numbers_of_which_most_rows_have_one_of_their_own_are_measured_in_small_tables_too():
    """Of three patients the values of 20 tests of their blood were lists."""
    for measured in (["3.46", "23", "87"], ["160", "200", "332"], ["61.5", "70", "58.5", "58.5"]):
        entry, _ = guessed(*measured, "", times=1)
        assert "bins" in entry, measured
    for codes in (
        ["1", "2", "3"],
        ["1", "2", "3", "5", "4", "1"],
        ["9", "12", "97"],
        ["0.5", "1.5"],
        ["160", "200", "332"] * 2,
    ):
        assert "categories" in guessed(*codes, "", times=1)[0], codes


def test_texts_of_which_every_row_has_its_own_are_no_list_in_small_tables_either():
    """Of 21 answers to a form the moments at which they came were a list of 21."""
    words = [f"{letter}{letter} said so" for letter in "abcdefghij"]
    assert guessed(*words, times=1)[0]["publish"] is False
    assert "categories" in guessed(*words[:9], times=1)[0]
    assert "categories" in guessed(*words, words[0], times=1)[0]


def test_na_beside_empty_cells_is_no_answer_where_the_whole_table_says_so():
    """Of deaths in custody 0.2 % were of the race NA; the other columns wrote that where nobody knows."""
    race, name = ["Black", "White", "White", "NA", ""] * 20, ["NA", "NA", "NA", "x", "y"] * 20
    fields = draft_from_rows(pd.DataFrame({"race": race, "name": name}))["fields"]
    assert fields[0]["categories"] == ["Black", "White"]
    few = draft_from_rows(pd.DataFrame({"race": race, "name": ["", "", "", "x", "y"] * 20}))["fields"]
    assert few[0]["categories"] == ["Black", "NA", "White"]  # what one column writes may be an answer


def test_what_survey_solutions_exports_for_no_answer_is_none_however_rare():
    """Amounts had bounds from -1000000000 on, and lists the answer -999999999."""
    amounts, _ = guessed("", *map(str, [*range(100, 900, 7)] * 9), "-999999999", name="cost", times=1)
    assert amounts["constraints"]["minimum"] >= 0
    words, _ = guessed("", "Daily", "Weekly", "-999999999", "##N/A##", name="water")
    assert words["categories"] == ["Daily", "Weekly"]
    assert set(words["missingValues"]) == {"", "-999999999", "##N/A##"}


def test_computed_numbers_are_whole_where_the_file_writes_them_so():
    computed = [repr(i / 7) for i in range(60) if i % 7]
    assert guessed("0", *computed)[0]["written"] == "shortest"
    assert "written" not in guessed("0.0", *computed)[0]


def test_a_vocabulary_in_the_files_own_words_has_no_missing_value_where_the_column_has_none():
    assert guessed("F", "M", name="sex")[0]["constraints"] == {"required": True}
    assert "constraints" not in guessed("F", "M", "", name="sex")[0]


def test_a_word_among_many_numbers_is_a_missing_code():
    entry, _ = guessed(*map(str, range(16, 80)), "Unknown")
    assert (entry["type"], entry["missingValues"]) == ("integer", ["Unknown", ""])
    assert guessed(*map(str, range(16)), "other")[0]["type"] == "string"


def test_bounds_are_written_without_the_noise_of_binary_fractions():
    entry, _ = guessed(*(f"{13.1 + i / 10:.1f}" for i in range(80)))
    assert entry["constraints"]["minimum"] == 13.1


@pytest.mark.parametrize(
    ("values", "is_number"),
    [
        ([*range(13), 16, 17, 44], True),
        ([*range(1, 10)], True),
        ([*range(7), 8, 9, 10, 20], True),
        ([*range(7), 8, 9], False),
        ([*range(7), 88, 98], False),
        ([*range(8)], False),
        ([*range(11), 77, 88, 99], False),
        ([*range(11), 14, 999], False),
        ([11, 12, 13, 21, 22, 31, 32, 41, 42, 51], False),
    ],
    ids=[
        "counts with a tail",
        "nine in a row",
        "a tail over gaps",
        "8 and 9 at the end",
        "98 at the end",
        "eight",
        "codes behind a gap",
        "a code far away",
        "codes",
    ],
)
def test_what_counts_something_is_a_number_and_codes_are_a_list(values, is_number):
    entry, _ = guessed(*(str(value) for value in values * 20))
    if is_number:
        assert entry["bins"] == "learned"
        assert (entry["constraints"]["minimum"], entry["constraints"]["maximum"]) == (values[0], values[-1])
    else:
        assert entry["categories"] == values


@pytest.mark.parametrize(
    ("values", "strays", "kind"),
    [
        ([f"{i % 24:02d}:{i % 60:02d}" for i in range(600)], ["12:60", "09:60"], "time"),
        ([f"2014-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(600)], ["2014-02-30", "14/2"], "date"),
        (
            [f"{i * 7 % 311}.5" for i in range(600)],
            ["12 kg", "ca. 80", "80-90", "??"],
            "number",
        ),
        ([f"{i % 61}:{i % 60:02d}:00" for i in range(600)], ["22:07", "8:15", "11:30", "?:?"], "duration"),
        ([f"PT{i % 61}H{i % 60}M" for i in range(600)], ["22:07", "PT", "11:30", "PT1W"], "duration"),
    ],
    ids=["minutes", "days", "remarks", "lengths by the clock", "lengths in ISO 8601"],
)
@pytest.mark.parametrize("times", [1, 20])
def test_a_few_values_that_cannot_be_read_are_missing_and_the_column_is_published(
    values, strays, kind, times
):
    entry, _ = guessed(*values, *strays, times=times)
    assert (entry["type"], entry["unknown"], entry["bins"]) == (kind, "", "learned")
    assert "required" not in entry["constraints"]


def test_terms_of_years_are_a_list_in_order_and_other_numbers_with_one_decimal_are_none():
    terms = [f"{year}.{term}" for year in range(1998, 2024) for term in (1, 2)]
    entry, frame = guessed(*terms, times=6)
    assert (entry["type"], entry["categoriesOrdered"]) == ("number", True)
    assert entry["categories"] == [float(term) for term in terms], "and never 2016.3"
    assert set(written_again(entry, frame)) == set(terms)
    halves = [f"{year}.{part}" for year in range(1998, 2024) for part in (0, 5)]
    assert "bins" in guessed(*halves, times=6)[0]
    assert "bins" in guessed(*terms, times=2)[0], "too few rows each for a list"


def test_a_zero_without_a_point_that_most_rows_hold_is_written_as_it_stands():
    amounts = [f"{i}.{i % 9 + 1}0" for i in range(2, 90)] + ["12.00", "25.00", "40.00"]
    entry, frame = guessed(*amounts, *["0"] * 60, times=1)
    assert entry["written"] == "shortest"
    assert "0.0" not in written_again(entry, frame)
    assert "written" not in guessed(*amounts, "0", times=1)[0]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([*range(26), -9], ["-9"]),
        ([*range(26), -9, -8, 98, 99], []),
        ([*range(21), 97, 98, 99], ["97", "98", "99"]),
        ([*range(26), -1], []),
        ([*range(-5, 26), -9], []),
        ([*range(18, 92), 99], []),
        ([*range(0, 40_000, 211), 99_999], []),
        ([*range(2, 40), -1], ["-1"]),
        ([*(i / 40 for i in range(1, 40)), -1], ["-1"]),
        ([*(i / 20 for i in range(40)), -1], []),
    ],
    ids=[
        "-9",
        "four of them",
        "97 to 99",
        "next to 0",
        "beside negatives",
        "an age",
        "an amount",
        "-1 below 2",
        "-1 below parts of 1",
        "-1 below amounts up to 2",
    ],
)
def test_usual_codes_apart_from_many_numbers_are_missing_values(values, codes):
    entry, _ = guessed(*map(str, values))
    assert [code for code in entry.get("missingValues", []) if code] == codes
    assert entry["bins"] == "learned"
    assert (entry["constraints"]["minimum"] < 0) == (min(values) < 0 and not codes)


def test_a_code_that_few_rows_have_is_not_written_where_most_missing_cells_are_empty():
    numbers = [float(i % 26) for i in range(300)]
    column = pd.Series([*numbers, *[88.0] * 6, *[math.nan] * 900])
    entry = guess("times", column, [""])
    assert entry["missingValues"] == ["", "88"]
    assert guess("times", column[:320], [""])["missingValues"] == ["", "88"]
    assert guess("times", column[:308], [""])["missingValues"] == ["88", ""]


def test_a_code_that_the_file_declares_is_written_where_rows_have_it_more_often_than_nothing():
    declared = {"missingValues": [{"value": 999, "label": "refused"}, ""]}
    column = pd.Series([float(i % 4) for i in range(300)] + [math.nan] * 20)
    assert guess("times", column, [""], declared)["missingValues"] == ["", declared["missingValues"][0]]
    with_codes = pd.concat([column, pd.Series([999.0] * 30)])
    assert guess("times", with_codes, [""], declared)["missingValues"] == declared["missingValues"]


def test_a_few_leading_zeros_among_numbers_of_unlike_lengths_make_no_codes():
    hours = [*map(str, range(1, 60))] * 9
    assert guessed(*hours, "05", "00", times=1)[0]["type"] == "integer"
    assert guessed(*hours, *["05", "07"] * 9, times=1)[0]["type"] == "string"
    towns = [f"{i:05d}" for i in range(70_000, 70_059)] * 9
    assert guessed(*towns, "01002", times=1)[0]["type"] == "string"


def test_a_guess_of_two_sexes_has_no_third_and_a_vocabulary_as_it_stands_keeps_all():
    assert [sex["value"] for sex in guessed("F", "M", name="sex")[0]["categories"]] == ["F", "M"]
    assert [sex["value"] for sex in guessed("F", "M", "X", name="sex")[0]["categories"]] == ["F", "M", "X"]
    assert len(guessed("female", "male", name="sex")[0]["categories"]) == 4
    assert len(guessed("sehr oft", "oft", "nie", name="frequency")[0]["categories"]) >= 3


def test_decimals_of_mostly_zeros_are_those_of_the_others():
    entry, _ = guessed(*["0"] * 2000, *(f"{i / 10:g}" for i in range(1, 60)), times=1)
    assert (entry["decimals"], entry["written"]) == (1, "shortest")
    assert guessed(*map(str, range(50)), "0.5", times=20)[0]["decimals"] == 0


def test_a_common_value_of_more_decimals_than_the_others_keeps_them():
    column = [*(str(number) for number in range(50) for _ in range(20)), *["24.7"] * 80]
    entry, _ = guessed(*column)  # a mean in the place of what was missing
    assert entry["values"] == [*range(25), 24.7, *range(25, 50)]
    entry, _ = guessed(*(str(number) for number in range(50) for _ in range(15)), *["24.7"] * 80, times=1)
    assert entry["decimals"] == 1


def test_numbers_of_32_bits_are_listed_as_everybody_writes_them(tmp_path):
    frame = pd.DataFrame({"n": np.array([1.1, 2.7, 3.0, np.nan] * 50, dtype=np.float32)})
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    (entry,) = draft_from_rows(table)["fields"]
    assert entry["categories"] == [1.1, 2.7, 3.0]
    assert fits(table, {"fields": [entry]})
    wide = {**entry, "categories": [float(np.float32(value)) for value in (1.1, 2.7, 3.0)]}
    assert fits(table, {"fields": [wide]}), "as drafts had them before"


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_an_ordered_column_keeps_its_order_in_a_guess_and_only_there(tmp_path, ending):
    texts = ["mid", "low", "high", "Z"] * 25
    frame = pd.DataFrame(
        {
            "x": pd.Categorical(texts, categories=["low", "mid", "high", "Z", "never"], ordered=True),
            "y": pd.Categorical(texts, categories=["Z", "mid", "low", "high"]),
        }
    )
    path = tmp_path / f"t.{ending}"
    frame.to_parquet(path, row_group_size=7) if ending == "parquet" else frame.to_feather(path)
    table = read_file(path)
    x, y = draft_from_rows(table.frame, fields_of_labels(table.labels, path.name))["fields"]
    assert (x["categories"], x["categoriesOrdered"]) == (["low", "mid", "high", "Z"], True)
    assert (y["categories"], y["categoriesOrdered"]) == (["Z", "high", "low", "mid"], False)
    assert "levels" not in x
    assert read_header(path).labels == (), "its values are of its rows"
    known = draft_from_header(["x"], fields_of_labels(table.labels, path.name))["fields"]
    assert "low" not in str(known)


def test_what_a_typed_file_says_of_its_columns_is_in_a_draft_without_a_look(tmp_path):
    frame = pd.DataFrame(
        {
            "ok": [True, False, None] * 9,
            "born": [dt.date(1999, 2, 3), None, dt.date(2001, 1, 1)] * 9,
            "seen": pd.to_datetime(["2020-01-02 08:30", None, "2021-02-03 00:00"] * 9),
            "rung": [dt.time(8, 30), None, dt.time(23, 0, 5)] * 9,
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    header, table = read_header(tmp_path / "t.parquet"), read_file(tmp_path / "t.parquet")
    given = fields_of_labels(header.labels, "t.parquet")
    drafted = draft_from_header(header.names, given)["fields"]
    assert [entry["type"] for entry in drafted] == ["boolean", "date", "datetime", "time"]
    assert [is_open(entry) for entry in drafted] == [False, True, True, False]
    guessed_too = draft_from_rows(table.frame, given)
    assert fits(table.frame, guessed_too)
    assert [entry["type"] for entry in guessed_too["fields"]] == ["boolean", "date", "datetime", "time"]
    assert [origin(entry) for entry in guessed_too["fields"]][::3] == [Origin.FILE] * 2


def test_a_few_small_numbers_below_0_do_not_open_a_range_as_wide_as_that_of_large_amounts():
    """Corrections of 762.11 at most opened it to -10,000: of 20 synthetic amounts one was below -5,000."""
    amounts = pd.DataFrame({"paid": [-762.11, 230532.15, *(10.25 * i for i in range(900))]})
    assert draft_from_rows(amounts)["fields"][0]["constraints"] == {
        "minimum": -770.0,
        "maximum": 240000.0,
        "required": True,
    }
    counts = pd.DataFrame({"change": [-7, 1234, *(i % 700 for i in range(900))]})
    constraints = draft_from_rows(counts)["fields"][0]["constraints"]
    assert (constraints["minimum"], constraints["maximum"]) == (-7, 1300)


def test_a_difference_that_a_computer_spelt_in_two_ways_is_one_number():
    """0.3 and 0.299999999999999 are two values of a list; cells of a spreadsheet hold such differences."""
    texts = ["0", "0.1", "0.100000000000001", "0.2", "0.3", "0.299999999999999", "-0.1"] * 30
    entry = draft_from_rows(pd.DataFrame({"delta": texts}))["fields"][0]
    assert (entry["type"], entry["decimals"], entry["bins"]) == ("number", 1, "learned")
    logs = ["5.01063529409626", "6.10924758276437", "0"] * 30
    assert len(draft_from_rows(pd.DataFrame({"log": logs}))["fields"][0]["categories"]) == 3


def test_counts_under_the_name_of_a_vocabulary_have_none_of_its_labels():
    """How often a profile says "sex": 2 is no woman, and labels are told with a release."""
    texts = [str(i % 23) for i in range(600)]
    entry = draft_from_rows(pd.DataFrame({"sex": texts}))["fields"][0]
    assert "labels" not in entry
    assert entry["constraints"]["maximum"] >= 22


def test_years_at_an_address_are_numbers_also_where_the_file_has_a_title_for_them():
    years = pd.DataFrame({"address": [float(i % 31) for i in range(700)]})
    for given in ({}, {"address": {"name": "address", "title": "Years at current address"}}):
        entry = draft_from_rows(years, given)["fields"][0]
        assert (entry["type"], entry.get("publish", True)) == ("integer", True)
    houses = pd.DataFrame({"address": [1.0 + i % 31 for i in range(700)]})
    assert draft_from_rows(houses)["fields"][0]["publish"] is False
    hidden = {"address": {"name": "address", "publish": False}}
    assert draft_from_rows(years, hidden)["fields"][0]["publish"] is False


def column_like(values, name="x"):
    """What is guessed of a column of these texts."""
    return draft_from_rows(pd.DataFrame({name: list(values)}))["fields"][0]


def test_99_among_ages_is_a_missing_code_where_many_have_it_and_hardly_anybody_is_nearly_as_old():
    ages = [str(20 + i % 65) for i in range(900)] + ["91", "93"]
    assert column_like([*ages, *["99"] * 60])["missingValues"] == ["99", ""]
    for others in (["99"] * 4, ["99"] * 60 + ["98"] * 40):  # few; or the oldest of many old ones
        assert "missingValues" not in column_like([*ages, *others])
    heights = [f"{50 + i % 90 / 4:g}" for i in range(900)]
    assert column_like([*heights, *["99.99"] * 60])["missingValues"] == ["99.99", ""]
    prices = [f"{9 + i % 70}.99" for i in range(900)]
    assert "missingValues" not in column_like([*prices, *["99.99"] * 60])


def test_surnames_before_given_names_are_no_list_though_each_occurs_often():
    abc = [chr(65 + i) for i in range(26)]
    people = [f"{a}{'aeiou'[i % 5]}son, {abc[i // 3]}i {'JKL'[i % 3]}." for i, a in enumerate(abc * 2)]
    entry = column_like(people * 9)
    assert (entry["publish"], entry["role"]) == (False, "text")
    towns = [f"{chr(65 + i)}ville {'abcd'[i % 4]}, {state}" for i in range(26) for state in ("OH", "NY")] * 9
    assert len(column_like(towns)["categories"]) == 52


def test_moments_written_in_digits_alone_or_without_a_blank_are_moments():
    hours = [f"2016{1 + i % 12:02}{1 + i % 28:02}{i % 24:02}" for i in range(600)]
    for texts, form in (
        (hours, "%Y%m%d%H"),
        ([f"{hour}{i % 60:02}" for i, hour in enumerate(hours)], "%Y%m%d%H%M"),
        ([f"{hour}{i % 60:02}{i % 59:02}" for i, hour in enumerate(hours)], "%Y%m%d%H%M%S"),
        ([f"{h[6:8]}/{h[4:6]}/2016{h[8:]}:30:00" for h in hours], "%d/%m/%Y%H:%M:%S"),
        ([f"2016-{h[4:6]}-{h[6:8]}-{h[8:]}-07" for h in hours], "%Y-%m-%d-%H-%M"),
        ([f"{h[:8]}_{h[8:]}0759" for h in hours], "%Y%m%d_%H%M%S"),
    ):
        entry = column_like(texts)
        assert (entry["type"], entry["format"]) == ("datetime", form)
        assert written_again(entry, pd.DataFrame({"x": texts[:9]}))
    assert column_like([str(1_000_000_000 + 7 * i) for i in range(300)])["type"] != "datetime"


def test_what_tse_writes_for_a_missing_value_is_missing():
    entry = column_like(["AC", "BR", "PE", "#NULO#"] * 30, "uf_doador")
    assert entry["missingValues"] == ["#NULO#", ""]
    assert entry["categories"] == ["AC", "BR", "PE"]


def test_numbers_of_candidates_and_codes_of_cities():
    assert column_like([str(10_000_000_001 + i % 90) for i in range(900)], "SQ_CANDIDATO")["publish"] is False
    codes = [str((0, 3000, 5000, 70, 831)[i % 5]) for i in range(900)]
    assert len(column_like(codes, "city_code")["categories"]) == 5


def test_numbers_of_mobile_telephones_are_no_amounts_though_some_have_a_digit_more():
    numbers = [str(3_200_000_000 + 7_919_317 * i % 900_000_000) for i in range(70)] * 6
    entry = column_like([*numbers, "34512345678", "345123456"], "contatto")
    assert (entry["publish"], entry["role"]) == (False, "identifier")
    amounts = [str(1_000_000 * (1 + 37 * i % 9_000)) for i in range(400)]
    assert column_like(amounts)["type"] == "integer"


def test_a_long_name_of_a_list_may_be_rarer_than_an_answer():
    organs = [f"disorders of the {organ}" for organ in ("eye", "ear", "heart", "lung", "skin", "liver")] * 60
    long = "neoplasms benign, malignant and unspecified (including cysts and polyps)"
    assert long in guessed(*organs, *[long] * 3, times=1)[0]["categories"]
    rare, frame = guessed(*organs, *[long] * 2, "unknown", times=1)  # perhaps somebody's own words
    assert (rare["categories"][6:], rare["unknown"]) == (["(other)"], "(other)")
    assert set(written_again(rare, frame)) == {*organs, "(other)"}
    often = guessed(*organs[:30], *[long] * 2, times=1)[0]
    assert often["publish"] is False, "of more than 2 % of the rows"


def test_dates_of_which_a_tenth_has_no_day_or_month_are_dates():
    days = [f"2013-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(92)]
    entry, _ = guessed(*days, *[f"2013-{i:02d}" for i in range(1, 6)], *["2012"] * 2, times=1)
    assert (entry["type"], entry["unknown"]) == ("date", "")
    assert guessed(*days[:50], *[f"2013-{i:02d}" for i in range(1, 12)], times=1)[0]["publish"] is False


@pytest.mark.parametrize("mark", ["–", "—", "…", "н/д", "ー"])
def test_marks_of_other_typewriters_mean_a_missing_value(mark):
    """Of 137 polls one party had no figure in 47, and 23 figures were a list of words with a dash."""
    shares = [f"{i / 10:.1f}" for i in range(2, 30)]
    frame = pd.DataFrame({"share": [*shares * 5, *[mark] * 40]})
    field = draft_from_rows(frame)["fields"][0]
    assert (field["type"], field["missingValues"][0]) == ("number", mark)


def test_what_a_program_writes_beside_empty_cells_is_no_answer():
    """Of 759 firms some had no country, and NaN was one of 46."""
    frame = pd.DataFrame({"land": [*["США", "Japan", "Peru"] * 30, *["NaN"] * 9, *[None] * 3]})
    field = draft_from_rows(frame)["fields"][0]
    assert "NaN" not in field["categories"]
