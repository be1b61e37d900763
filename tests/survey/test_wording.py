"""What a survey makes of a vocabulary that only a column's name suggested."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.sources.drafting import draft_from_header
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.drafting.place_codes import code_digits
from hmpb_core.survey.cells import N_CELLS, NUMBER_CELLS, Kind, cell_of, count
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.findings import Look
from hmpb_core.survey.looks import look_at
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.sketches import Sketch
from hmpb_core.survey.wording import bounds_of, is_by_name, lenient, like_others, reopened, worded
from hmpb_core.survey.words import LISTS

ONE = len(NUMBER_CELLS) // 2 + 41
"""The place of the numbers from 1 to 2."""
ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)


def repeatable():
    """Pays with the same noise in every run: in one of 60 it hides some of the bounds below."""
    budget = Budget(guarantee=Guarantee(epsilon=1.0), shares=ONE_STAGE)
    return Accountant(budget, delta=1e-10, protection="seeded", seed=5)


def look(counts=(), *, kind=Kind.WORD, texts=None):
    cells = np.zeros(N_CELLS)
    for cell, number in counts:
        cells[cell] = number
    return Look(sketch=Sketch(kind=kind, rows=1000.0), cells=Noisy(counts=cells, sd=1.0), texts=texts or {})


def test_a_list_by_the_columns_name_stays_only_where_the_column_holds_it():
    land, talk, isced, icd = draft_from_header(["country", "language", "isced", "icd"])["fields"]
    own = worded(land, look([(cell_of(code)[1], 450.0) for code in ("DE", "FR")], texts={"Prussia": 60.0}))
    book = Codebook.from_dict({"fields": [own | {"source": {"kind": "survey", "entry": 2}}]})
    told = encode(pd.DataFrame({"country": ["DE", "Prussia", "Atlantis", "Germany"]}), book)[:, 0]
    shown = [book.domain.attributes[0].labels[code] for code in told]
    assert shown == ["DE", "Prussia", "(other)", "DE"]
    other = worded(land, look(texts={"north": 700.0, "south": 200.0}))
    assert other["categories"] == ["north", "south", "(other)"]
    names = worded(land, look([(cell_of(name)[1], 450.0) for name in ("Germany", "South Korea")]))
    assert names["categories"][0] == {"value": "Andorra", "spellings": ["AND", "AD"]}
    assert names["unknown"] == "(other)"
    places = [name for name in next(w for w in LISTS if "South Korea" in w.words).words if len(name) < 9]
    regions = look([(cell_of(name)[1], 600.0 / len(places)) for name in places], texts={"World": 30.0})
    values = worded(land, regions)["categories"]
    assert values[-2:] == ["World", "(other)"], "six rows of ten hold countries"
    assert values[0]["value"] == "Andorra"
    assert worded(land, look()) is None, "noise hid its words"
    levels = look([(NUMBER_CELLS[ONE], 500.0), (NUMBER_CELLS[ONE + 2], 400.0)], kind=Kind.WHOLE)
    assert worded(isced, levels) is None
    years = look([(NUMBER_CELLS[ONE], 500.0), (NUMBER_CELLS[ONE + 4], 500.0)], kind=Kind.WHOLE)
    assert worded(isced, years)["constraints"] == {"minimum": 1, "maximum": 31}
    codes = look([(cell_of(code)[1], 450.0) for code in ("I10", "E11")], kind=Kind.CODE)
    assert "I00-I99" in [c["value"] for c in worded(icd, codes)["categories"] if isinstance(c, dict)]
    assert worded(talk, look([(NUMBER_CELLS[ONE], 500.0)], kind=Kind.WHOLE))["type"] == "integer"


def test_bands_of_ages_become_a_list_in_order():
    (age,) = draft_from_header(["age"])["fields"]
    for bands in (["0-4", "5-9", "10-14", "85+"], ["18 to 24", "25 to 34", "65 and over"]):
        found = worded(age, look(texts=dict.fromkeys(sorted(bands), 200.0)))
        assert (found["categories"], found["categoriesOrdered"]) == ([*bands, "(other)"], True)
        assert "constraints" not in found
    towns = field_of({"name": "town"}, look(texts={"Bern": 500.0, "Basel": 400.0, "Chur": 90.0}))
    assert (towns["categories"], towns["categoriesOrdered"]) == (["Basel", "Bern", "Chur", "(other)"], False)


def test_texts_that_noise_hides_are_not_left_as_the_numbers_that_the_name_suggests():
    (age,) = draft_from_header(["age"])["fields"]
    hidden = look()
    assert worded(age, hidden) is None
    field = reopened({**age, "title": "Age group"}, hidden)
    assert is_open(field)
    assert (field["name"], field["title"], is_by_name(field)) == ("age", "Age group", False)
    assert reopened(age, look(kind=Kind.WHOLE)) is None
    (sex,) = draft_from_header(["sex"])["fields"]
    assert reopened(sex, hidden) is None, "a list by name stays: what it does not hold is missing"


def test_numbers_that_a_list_by_the_columns_name_does_not_hold_are_numbers():
    day, smoker = draft_from_header(["weekday", "is_smoker"])["fields"]
    from_one = look([(NUMBER_CELLS[ONE], 150.0), (NUMBER_CELLS[ONE + 2], 500.0)], kind=Kind.WHOLE)
    assert worded(day, from_one) is None
    from_zero = look([(NUMBER_CELLS[ONE - 41], 150.0), (NUMBER_CELLS[ONE + 2], 500.0)], kind=Kind.WHOLE)
    assert worded(day, from_zero)["constraints"] == {"minimum": 0, "maximum": 7}
    truth = look([(NUMBER_CELLS[ONE - 41], 150.0), (NUMBER_CELLS[ONE], 500.0)], kind=Kind.WHOLE)
    assert worded(smoker, truth)["categories"] == [0, 1]
    unknown = look([(NUMBER_CELLS[ONE - 82], 100.0), (NUMBER_CELLS[ONE], 500.0)], kind=Kind.WHOLE)
    assert worded(smoker, unknown)["constraints"]["minimum"] == -2
    of_two = look([(NUMBER_CELLS[ONE], 300.0), (NUMBER_CELLS[ONE + 1], 500.0)], kind=Kind.WHOLE)
    assert worded(smoker, of_two)["constraints"] == {"minimum": 1, "maximum": 3}


def test_official_codes_without_their_leading_zeros_are_the_same_categories():
    (land,) = draft_from_header(["bundesland"])["fields"]

    def told(codes):
        counted = {"bundesland": count(pd.Series(codes * 400), frozenset({""}), with_texts=True)}
        field = worded(land, look_at(counted, repeatable(), delta=1e-10)["bundesland"])
        book = Codebook.from_dict({"fields": [lenient(field | {"source": {"kind": "survey", "entry": 2}})]})
        both = pd.DataFrame({"bundesland": ["8", "08", "16", "9", "DE-HH"]})
        (attribute,) = book.domain.attributes
        return field["type"], [attribute.labels[code] for code in encode(both, book)[:, 0]]

    numbers = list(range(1, 17))
    assert told([str(number) for number in numbers]) == ("integer", ["8", "8", "16", "9", "2"])
    assert told([f"{number:02d}" for number in numbers]) == ("string", ["08", "08", "16", "09", "02"])


def test_a_value_that_a_surveyed_list_does_not_hold_stops_no_run():
    for name in ("sex", "is_smoker", "weekday"):
        (field,) = draft_from_header([name])["fields"]
        book = Codebook.from_dict({"fields": [lenient(field)]})
        codes = encode(pd.DataFrame({name: ["??", "", "1"]}), book)[:, 0]
        assert codes[0] == codes[1] == book.domain.sizes[0] - 1 > codes[2]
        assert Codebook.from_dict(book.to_dict()).domain == book.domain
    assert lenient({"name": "x", "categories": ["a"], "unknown": "a"})["unknown"] == "a"
    assert "unknown" not in lenient({"name": "x", "categories": ["a"], "constraints": {"required": True}})


def test_bounds_by_the_columns_name_stay_where_it_holds_numbers_and_cost_one_look():
    (age,) = draft_from_header(["age"])["fields"]
    told = worded(age, look(kind=Kind.WHOLE))
    assert (told["constraints"], told["unknown"]) == ({"minimum": 0, "maximum": 120}, "")
    tens = look([(NUMBER_CELLS[ONE], 900.0)], kind=Kind.ONE_DECIMAL)
    assert worded(age, tens)["decimals"] == 1, "an age in decades"
    assert worded(age, tens)["constraints"] == {"minimum": 0, "maximum": 120}, "an age of 0.7 is one, too"
    groups = worded(age, look(texts={"18-64": 600.0, "65+": 300.0}))
    assert groups["categories"] == ["18-64", "65+", "(other)"]
    ages = count(pd.Series(range(1000)) % 90, frozenset({""}), with_texts=True)
    incomes = count(pd.Series(range(1000)), frozenset({""}), with_texts=True)
    for bounded, looks in (({}, 4), ({"age": bounds_of(age)}, 2)):
        account = repeatable()
        look_at({"age": ages, "income": incomes}, account, delta=1e-10, bounded=bounded)
        assert sum("of age:" in entry.what for entry in account.entries) == looks
        assert account.left(Stage.ONE_WAY_TABLES) == 0


@pytest.mark.parametrize(
    ("early", "minima"),
    [(0.0, {1900}), (0.01, {1900}), (0.25, {0, 512, 1024})],  # 1801 lies from 1024 on; beside it is noise
)
def test_bounds_by_the_columns_name_give_way_where_a_fair_part_lies_beyond_them(early, minima):
    (born,) = draft_from_header(["birthYear"])["fields"]
    years = pd.Series(np.arange(4000) % 100 + 1901)
    years[: int(early * 4000)] -= 100
    counted = {"birthYear": count(years, frozenset({""}), with_texts=True)}
    account = repeatable()
    looks = look_at(counted, account, delta=1e-10, bounded={"birthYear": bounds_of(born)})
    assert worded(born, looks["birthYear"])["constraints"]["minimum"] in minima


def test_shares_by_postcode_are_numbers_whatever_their_columns_are_called():
    shares = pd.Series([f"0.{n:04d}" for n in range(1, 2000, 2)] + ["0"] * 100)
    counted = count(shares, frozenset({""}), with_texts=True, code_digits=3)
    looks = look_at({"share_zip": counted}, repeatable(), delta=1e-10)
    field = field_of({"name": "share_zip"}, looks["share_zip"])
    assert (field["type"], field["constraints"]["minimum"]) == ("number", 0)


@pytest.mark.parametrize(
    ("mark", "values", "kind"),
    [
        ("NA", ["-1", "1"], "integer"),
        ("NULL", ["12500", "30100", "7001"], "integer"),
        (".", ["0.25", "1.5", "3.75"], "number"),
        ("NA", ["2001-05-03", "2011-06-30"], "date"),
    ],
)
def test_a_column_that_is_mostly_missing_holds_what_the_others_hold(mark, values, kind):
    cells = pd.Series([mark] * 6000 + values * (3000 // len(values)))
    looks = look_at({"x": count(cells, frozenset({""}), with_texts=True)}, repeatable(), delta=1e-10)
    field = field_of({"name": "x"}, looks["x"])
    assert (field["type"], field["missingValues"][0]) == (kind, mark)


def test_rows_that_are_missing_make_no_list_of_countries():
    cells = pd.Series(["NA"] * 9000 + ["smoker", "sober"] * 500)
    looks = look_at({"x": count(cells, frozenset({""}), with_texts=True)}, repeatable(), delta=1e-10)
    field = field_of({"name": "x"}, looks["x"])
    assert field["categories"] == ["smoker", "sober", "(other)"]
    assert field["missingValues"] == ["NA", ""]


def test_a_few_numbers_that_a_computer_made_take_no_decimals_from_the_others():
    amounts = [f"{n / 100 + 7:.2f}" for n in range(1, 9000, 2)] + ["4.1000000000000005"] * 100
    looks = look_at(
        {"x": count(pd.Series(amounts), frozenset({""}), with_texts=True)}, repeatable(), delta=1e-10
    )
    assert field_of({"name": "x"}, looks["x"])["decimals"] == 2


@pytest.mark.parametrize(
    ("cells", "seen"),
    [
        (["100", "92.9", "84.5"], {"type": "number", "decimals": 1, "written": "shortest"}),
        (["100", "93", "84"], {"type": "integer"}),
    ],
)
def test_percentages_keep_the_decimals_that_a_survey_saw(cells, seen):
    (draft,) = draft_from_header(["share_percent"])["fields"]
    counted = {"share_percent": count(pd.Series(cells * 2000), frozenset({""}), with_texts=True)}
    looks = look_at(counted, repeatable(), delta=1e-10, bounded={"share_percent": bounds_of(draft)})
    field = worded(draft, looks["share_percent"])
    assert {key: field.get(key) for key in ("type", "decimals", "written")} == {
        key: seen.get(key) for key in ("type", "decimals", "written")
    }
    assert field["constraints"] == draft["constraints"]


def test_postcodes_are_no_numbers_and_rare_ones_fold_into_their_first_digit():
    codes = pd.Series([f"{1067 + 37 * (i % 2000):05d}" for i in range(10_000)] + ["59369"] * 3000)
    frame = {name: count(codes, frozenset({""}), with_texts=True, code_digits=3) for name in ("plz",)}
    assert frame["plz"].kinds[Kind.WORD] == len(codes)
    account = repeatable()
    field = field_of({"name": "plz"}, look_at(frame, account, delta=1e-10)["plz"])
    book = Codebook.from_dict({"fields": [field | {"source": {"kind": "survey", "entry": 2}}]})
    told = encode(pd.DataFrame({"plz": ["59369", "01067", "59370", "D-59370"]}), book)[:, 0]
    assert [book.domain.attributes[0].labels[code] for code in told] == ["59369", "0", "5", "(other)"]


def test_codes_of_sites_are_a_list_and_what_is_rare_is_another():
    codes = pd.Series([text for text in ("101", "102", "205", "12") for _ in range(3000)] + ["307", "9"])
    frame = {"SITEID": count(codes, frozenset({""}), with_texts=True, code_digits=code_digits("SITEID"))}
    field = field_of({"name": "SITEID"}, look_at(frame, repeatable(), delta=1e-10)["SITEID"])
    assert field["categories"] == ["12", "101", "102", "205", "(other)"]
    assert field["unknown"] == "(other)"
    shares = pd.Series([f"{n / 7:.2f}" for n in range(1, 2000)])
    frame = {"ward": count(shares, frozenset({""}), with_texts=True, code_digits=code_digits("ward"))}
    assert field_of({"name": "ward"}, look_at(frame, repeatable(), delta=1e-10)["ward"])["type"] == "number"


def test_words_that_a_file_writes_among_those_of_another_writing_leave_as_they_are():
    (land,) = draft_from_header(["birthCountry"])["fields"]
    seen = [(cell_of(word)[1], rows) for word, rows in (("USA", 800.0), ("Cuba", 60.0), ("CAN", 90.0))]
    field = worded(land, look(seen))
    book = Codebook.from_dict({"fields": [field | {"source": {"kind": "survey", "entry": 2}}]})
    told = encode(pd.DataFrame({"birthCountry": ["USA", "Cuba", "CUB", "CAN", "Mexico"]}), book)[:, 0]
    labels = [book.domain.attributes[0].labels[code] for code in told]
    assert labels == ["USA", "Cuba", "Cuba", "CAN", "MEX"]


def test_what_a_list_of_countries_leaves_unexplained_is_another_and_not_missing():
    (land,) = draft_from_header(["birthCountry"])["fields"]
    mostly = worded(land, look([(cell_of("USA")[1], 700.0)]))
    assert (mostly["unknown"], mostly["categories"][-1]) == ("(other)", "(other)")


def test_months_counted_and_months_of_one_year_are_no_months_of_the_calendar():
    (seen,) = draft_from_header(["deathMonth"])["fields"]
    within = [(NUMBER_CELLS[ONE + power], 250.0) for power in range(4)]
    assert worded(seen, look(within, kind=Kind.WHOLE)) is None, "the list of its name stays"
    more = look([*within, (NUMBER_CELLS[ONE + 4], 200.0)], kind=Kind.WHOLE)
    assert worded(seen, more)["constraints"] == {"minimum": 1, "maximum": 31}
    texts = pd.Series([f"20{10 + i % 9}-0{1 + i % 9}" for i in range(4000)])
    looks = look_at({"m": count(texts, frozenset(), with_texts=True)}, repeatable(), delta=1e-10)
    assert worded(seen, looks["m"])["type"] == "yearmonth"


def test_a_usual_word_for_a_missing_value_is_no_category_of_a_list():
    race, sex, land = draft_from_header(["race", "sex", "country"])["fields"]
    both = {"White": 500.0, "NA": 300.0}
    own = field_of(race, look(texts=both))
    assert own["categories"] == ["White", "(other)"]
    assert own["missingValues"] == ["NA", ""]
    beside = look(texts=both)
    beside.sketch = replace(beside.sketch, missing=100.0)
    assert "NA" in field_of(race, beside)["categories"], "beside empty cells it is an answer"
    letters = [(cell_of(code)[1], rows) for code, rows in (("F", 450.0), ("M", 300.0))]
    named = worded(sex, look(letters, texts={"n/a": 200.0}))
    assert named["missingValues"] == ["n/a", ""]
    assert [c["value"] for c in named["categories"] if isinstance(c, dict)][:2] == ["F", "M"]
    assert "n/a" not in named["categories"]
    codes = worded(land, look([(cell_of(code)[1], 300.0) for code in ("DE", "NA", "FR")]))
    assert "missingValues" not in (codes or {}), "Namibia"


def test_numbers_take_the_missing_codes_of_the_columns_beside_them():
    age, income = ({"name": name, "bins": "learned"} for name in ("age", "income"))
    race = {"name": "race", "categories": ["a"], "missingValues": ["NA", ""]}
    numbers = look(kind=Kind.WHOLE)
    texts = replace(numbers.sketch, texts=40.0)
    looks = {"age": Look(sketch=texts, texts={}), "income": numbers}
    found = like_others([age, income, race], looks)
    assert found == [{**age, "missingValues": ["NA", ""]}, income, race]
    assert like_others([age], looks) == [age]


def test_labels_that_a_file_gives_some_numbers_outlast_a_survey():
    labels = [{"value": 0, "label": "not at all"}, {"value": 10, "label": "fully"}]
    given = {"x": {"name": "x", "type": "integer", "labels": labels}}
    field = field_of(
        draft_from_header(["x"], given)["fields"][0], look([(NUMBER_CELLS[ONE], 900.0)], kind=Kind.WHOLE)
    )
    assert field["labels"] == labels
    assert Codebook.from_dict({"fields": [field]}).domain.names == ("x",)


def test_a_word_among_numbers_stops_no_run_of_a_surveyed_table():
    field = field_of({"name": "x"}, look([(NUMBER_CELLS[ONE], 900.0)], kind=Kind.WHOLE))
    book = Codebook.from_dict({"fields": [field | {"source": {"kind": "survey", "entry": 2}}]})
    codes = encode(pd.DataFrame({"x": ["1", "5;5", "T", ""]}), book)[:, 0]
    assert codes.tolist() == [0, *[book.domain.sizes[0] - 1] * 3]


def test_the_largest_numbers_that_are_counted_get_bounds_that_a_codebook_takes():
    ends = [(NUMBER_CELLS[-1], 500.0), (NUMBER_CELLS[0], 400.0)]
    field = field_of({"name": "x"}, look(ends, kind=Kind.WHOLE))
    book = Codebook.from_dict({"fields": [field | {"source": {"kind": "survey", "entry": 2}}]})
    attribute = book.domain.attributes[0]
    assert (attribute.minimum, attribute.maximum) == (-(10**15), 10**15 - 1)
