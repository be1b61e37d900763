"""Rules that the rows suggest, as a draft holds them: marked, with their pairs, and such as can all hold."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.kept.suggested import guessed_rules, rule_of_copy
from hmpb_core.publishing.rule_breaks import rule_breaks
from hmpb_core.publishing.zones import Zone

RNG = np.random.default_rng(3)
N = 800
TOWNS = {"Bonn": "W", "Köln": "W", "Ulm": "S", "Kiel": "N", "Jena": "E", "Husum": "N", "Suhl": "E"}
TOWN = RNG.choice(list(TOWNS), N, p=[0.3, 0.3, 0.2, 0.1, 0.06, 0.02, 0.02])
BORN = RNG.integers(1930, 2005, N)
FRAME = pd.DataFrame(
    {
        "town": TOWN,
        "land": [TOWNS[town] for town in TOWN],
        "born": BORN,
        "born again": BORN,
        "age": 2021 - BORN,
        "noise": RNG.integers(0, 50, N),
    }
)


def number(name):
    return {
        "name": name,
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 2100},
        "bins": "learned",
    }


LISTED = ["Bonn", "Jena", "Kiel", "Köln", "Ulm", "(other)"]
FIELDS = [
    {"name": "town", "categories": LISTED, "unknown": "(other)"},
    {"name": "land", "categories": ["E", "N", "S", "W"]},
    *map(number, ("born", "born again", "age", "noise")),
]


def found(fields=FIELDS, rules=(), frame=FRAME):
    rules = list(rules)
    guessed = guessed_rules(frame, {"fields": fields, "rules": rules})
    assert guessed.zone is Zone.STEWARD_ONLY
    book = Codebook.from_dict({"fields": fields, "rules": [*rules, *guessed.value]})
    assert not book.public or not guessed.value
    assert [count for _, count in rule_breaks(frame, book).value] == [0] * len(book.rules.items)
    return {rule["column"]: rule for rule in guessed.value}


def test_what_takes_unlisted_values_decides_nothing_and_each_listed_one_its_own():
    land = found()["land"]
    assert land["values"] == {"Bonn": "W", "Köln": "W", "Ulm": "S", "Kiel": "N", "Jena": "E"}
    assert land["source"] == {"kind": "guess"}


def test_copies_are_rules_and_not_worked_out_once_more():
    rules = found()
    assert rules["born again"]["kind"] == "equal"
    assert rules["age"]["formula"] == "2021 - born"
    assert set(rules) == {"land", "born again", "age"}


def test_what_a_rule_says_is_not_guessed_again():
    said = {"kind": "computed", "column": "age", "formula": "2021 - born"}
    assert set(found(rules=[said])) == {"land", "born again"}


def test_a_column_of_numbers_that_goes_one_to_one_with_a_list_follows_by_its_numbers():
    codes = {"E": 4, "N": 12, "S": 9, "W": 30}
    frame = FRAME.assign(noise=FRAME["land"].map(codes))
    rules = found(frame=frame)
    assert rules["noise"]["from"] == "land"
    assert rules["noise"]["values"] == codes


def test_rules_that_cannot_all_hold_are_taken_as_far_as_they_can():
    at_most = {
        "kind": "implies",
        "if": {"land": "W"},
        "then": {"town": ["Bonn", "Ulm"]},
    }  # half of it is wrong
    schema = {"fields": FIELDS, "rules": [at_most]}
    kept = guessed_rules(FRAME, schema).value
    Codebook.from_dict({**schema, "rules": [at_most, *kept]})
    assert {rule["column"] for rule in kept} >= {"born again", "age"}


def test_of_a_codebook_that_is_still_open_nothing_is_guessed():
    assert guessed_rules(FRAME, {"fields": [{"name": "town"}]}).value == ()


@pytest.mark.parametrize(("name", "other", "kind"), [("born again", "born", "equal"), ("age", "noise", None)])
def test_a_copy_is_offered_where_a_codebook_may_have_it(name, other, kind):
    rule = rule_of_copy(FRAME, {"fields": FIELDS}, name, other)
    assert (rule and rule["kind"]) == kind


def test_of_a_codebook_that_is_still_open_no_copy_is_offered():
    assert rule_of_copy(FRAME, {"fields": [{"name": "town"}]}, "born again", "born") is None


def test_columns_of_which_each_has_its_value_where_the_other_has_none_are_no_copies():
    """Who was called at home and who on a mobile: a rule would give everybody the one value of the second."""
    home = RNG.random(N) < 0.5
    frame = pd.DataFrame({"home": np.where(home, "1", ""), "mobile": np.where(home, "", "1")})
    fields = [{"name": name, "type": "integer", "categories": [1]} for name in frame]
    assert guessed_rules(frame, {"fields": fields}).value == ()
    assert rule_of_copy(frame, {"fields": fields}, "mobile", "home") is None
