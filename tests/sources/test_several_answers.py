"""Cells with several answers: which are known, what is none, and a draft that tells them apart."""

import itertools
from collections import Counter

import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.sources.drafting import draft_from_rows
from hmpb_core.sources.drafting.several_answers import MOST_FIELDS, answers_of, with_answers_apart

GOODS = ("radio", "table", "solar panel", "bicycle", "cow_cart")
SETS = [goods for size in (1, 2, 3) for goods in itertools.combinations(GOODS, size)]


@pytest.mark.parametrize("sign", ["|", ";", ",", ", ", " ; "])
def test_cells_with_several_answers_are_known_by_what_stands_between_them(sign):
    found = answers_of(Counter({sign.join(goods): 3 for goods in SETS}))
    assert found is not None
    assert found.between == sign
    assert found.answers == GOODS  # each stands before those that it is listed before


def test_codes_apart_by_blanks_are_answers():
    texts = {" ".join(goods).replace("solar panel", "solar") for goods in SETS}
    found = answers_of(Counter(dict.fromkeys(texts, 3)))
    assert found is not None
    assert found.between == " "


def test_a_decimal_comma_before_a_unit_parts_no_answers():
    counts = Counter({f"{i // 4 + 3},{i % 4 + 1} sok": 3 for i in range(40)} | {"4 sok": 5, "5 sok": 4})
    assert answers_of(counts) is None


def test_what_two_people_typed_themselves_is_no_answer_of_the_list():
    counts = Counter({";".join(goods): 3 for goods in SETS}) + Counter({"radio;my own boat": 2, "a mule": 1})
    found = answers_of(counts)
    assert found is not None
    assert found.answers == GOODS


def test_a_sign_in_brackets_parts_no_answers():
    counts = Counter(
        {"meals, trips (train, bus)": 5, "meals": 4, "trips (train, bus), phone": 3, "meals, phone": 3}
    )
    found = answers_of(counts)
    assert found is not None
    assert found.answers == ("meals", "trips (train, bus)", "phone")


def test_answers_of_which_one_holds_another_are_not_told_apart():
    trips = "trips (train, bus, bike)"
    counts = Counter({f"bus, {trips}": 5, "bus": 4, f"{trips}, phone": 3, "bus, phone": 3})
    assert answers_of(counts) is None


def test_parts_that_never_come_without_each_other_are_one_answer():
    snacks = "snacks, sweets, drinks"
    counts = Counter({f"meals, {snacks}": 5, "meals": 4, f"{snacks}, phone": 3, "meals, phone": 3})
    found = answers_of(counts)
    assert found is not None
    assert found.answers == ("meals", snacks, "phone")


@pytest.mark.parametrize(
    "texts",
    [
        GOODS,
        (),
        ("Yes, always", "Yes, sometimes", "No, never", "No"),
        ("26-100", "More than 1000", "1-5"),
        ("2017-03-23 09:49", "2017-03-24 09:50", "2017-04-02 17:29"),
        ("Anna Schmidt", "Peter Meier", "Anna Meier", "Jan de Boer"),
        ("I would not say it", "it would not be so", "nobody would say so of me"),
        ("New York", "New Jersey", "York"),
        [f"{how}{what}" for how in ("", "mostly ", "strictly ") for what in ("anything", "vegan", "halal")],
    ],
)
def test_one_thing_in_several_words_is_no_list_of_answers(texts):
    assert answers_of(Counter(dict.fromkeys(texts, 5))) is None


def _table(columns: int = 1) -> pd.DataFrame:
    cells = ["; ".join(goods) for goods in SETS] * 8
    return pd.DataFrame({f"goods {i}": cells for i in range(columns)} | {"rooms": [*range(1, 9)] * len(SETS)})


def test_a_draft_tells_answers_apart_by_fields_that_are_marked_as_guessed_and_fit_the_table():
    table = _table()
    schema = with_answers_apart(draft_from_rows(table), table)
    names = [f"goods 0/{goods}" for goods in GOODS]
    assert [field["name"] for field in schema["fields"]] == [*names, "rooms"]
    assert all(field["declared"] is False for field in schema["fields"][:5])
    codes = encode(table, Codebook.from_dict(schema))
    held = {goods: 8 * sum(goods in given for given in SETS) for goods in GOODS}
    assert (codes[:, :5] == 1).sum(axis=0).tolist() == list(held.values())


def test_a_column_of_which_somebody_has_spoken_stays_whole():
    table = _table()
    listed = sorted(set(table["goods 0"]))
    said = {"type": "string", "categories": listed, "source": {"kind": "file", "name": "labels"}}
    given = {"goods 0": {"name": "goods 0", **said}}
    schema = with_answers_apart(draft_from_rows(table, given), table)
    assert [field["name"] for field in schema["fields"]] == ["goods 0", "rooms"]


def test_columns_stay_whole_that_would_give_a_draft_too_many_fields():
    table = _table(60)
    schema = with_answers_apart(draft_from_rows(table), table)
    names = [field["name"] for field in schema["fields"]]
    whole = [name for name in names if name.startswith("goods") and "/" not in name]
    assert len(whole) == 60 - (MOST_FIELDS - 61) // 4  # five fields in place of one
    assert len(names) <= MOST_FIELDS


def test_answers_of_cells_that_were_lists_say_so_in_place_of_a_sign():
    table = _table()
    schema = with_answers_apart(draft_from_rows(table), table, ["goods 0"])
    told = [field["answerTo"] for field in schema["fields"][:5]]
    assert told == [{"column": "goods 0", "answer": goods, "lists": True} for goods in GOODS]
