"""Public lists, words and codes that a survey finds, and those that noise hardly ever makes up."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.sources.drafting import draft_from_header
from hmpb_core.survey.cells import (
    N_CELLS,
    NUMBER_CELLS,
    Kind,
    cell_of,
)
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.findings import list_cells
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.wording import worded
from hmpb_core.survey.words import LISTS, WORDS
from tests.survey.cases import ONE, ZERO, look, noise_alone


def test_a_public_list_is_recognised_whole_in_the_words_of_the_file():
    states = next(words for words in LISTS if "Bremen" in words.words)
    found = look([(cell, 60.0) for cell in list_cells(states)[:15]])  # nobody of the last state
    field = field_of({"name": "region"}, found)
    values = [c["value"] if isinstance(c, dict) else c for c in field["categories"]]
    assert values == [*states.words, "(other)"]
    sexes = look([(cell_of("weiblich")[1], 520.0), (cell_of("männlich")[1], 470.0)])
    assert field_of({"name": "x"}, sexes)["categories"][0] == {"value": "weiblich", "label": "female"}
    assert found.explained == pytest.approx(0.9)


def test_of_a_public_list_only_what_is_seen_is_kept_where_the_rest_is_noise_and_no_name_tells():
    """F and M of a column of felonies and misdemeanours are no sexes: nobody is X or U."""
    degrees = look([(cell_of("F")[1], 640.0), (cell_of("M")[1], 350.0)])
    values = field_of({"name": "charge_degree"}, degrees)["categories"]
    assert [c["value"] if isinstance(c, dict) else c for c in values] == ["F", "M", "(other)"]
    outcome = look([(cell_of("unknown")[1], 800.0), (cell_of("other")[1], 60.0)], texts={"failure": 120.0})
    values = field_of({"name": "poutcome"}, outcome)["categories"]
    words = [c["value"] if isinstance(c, dict) else c for c in values]
    assert set(words) == {"unknown", "other", "failure", "(other)"}
    codes = next(listed for listed in LISTS if {"US", "CA", "DE"} <= set(listed.words))
    rare = [(cell, 4.0 if place else 9000.0) for place, cell in enumerate(list_cells(codes))]
    assert len(field_of({"name": "x"}, look(rare, rows=1e4))["categories"]) == len(codes.words) + 1


def test_a_few_short_codes_of_a_public_list_do_not_mean_what_the_list_says():
    """North, south and west were said to be Niederösterreich, Salzburg and Wien."""
    seen = look([(cell_of(word)[1], 330.0) for word in "NSW"])
    assert field_of({"name": "region"}, seen)["categories"] == ["N", "S", "W", "(other)"]


def test_a_lone_word_of_a_public_list_needs_more_than_one_beside_others_of_its_list():
    faint = 1.03 * Noisy(counts=np.zeros(N_CELLS), sd=1.0).clear(len(WORDS))
    truths = {"True": 540.0, "False": 350.0}
    for rows, named in ((faint, set()), (2 * faint, {"september"})):
        assert set(look([(cell_of("september")[1], rows)], texts=truths).named) == {*truths, *named}
    both = look([(cell_of(word)[1], faint) for word in ("september", "maart")])
    assert set(both.named) == {"september", "maart"}
    assert not look([(cell_of("Y97")[1], faint)]).named


def test_a_code_among_numbers_needs_more_the_more_columns_there_are():
    faint = 1.03 * Noisy(counts=np.zeros(N_CELLS), sd=1.0).clear(2600, chance=1e-4)
    codes = [(cell_of(code)[1], faint) for code in ("V24", "S92")]
    assert set(look(codes).named) == {"V24", "S92"}, "a column of codes"
    assert set(look(codes, kind=Kind.WHOLE).named) == {"V24", "S92"}
    assert not replace(look(codes, kind=Kind.WHOLE), columns=57).named
    usual = [(cell, 0.9 * faint) for cell, _ in codes]
    assert set(look(usual).named) == {"V24", "S92"}
    assert not look(usual, kind=Kind.WHOLE).named


def test_a_code_among_numbers_is_no_word_for_a_missing_value():
    codes = [(NUMBER_CELLS[ONE + place], 120.0) for place in range(9)]
    diagnoses = look([*codes, (cell_of("V57")[1], 90.0)], kind=Kind.WHOLE, texts={"?": 60.0})
    assert field_of({"name": "diagnosis"}, diagnoses)["missingValues"] == ["?", ""]


def test_noise_alone_hardly_ever_names_a_word():
    rng = np.random.default_rng(7)
    named = [bool(noise_alone(rng).named) for _ in range(400)]
    assert np.mean(named) <= 0.01


def test_noise_alone_hardly_ever_is_a_public_list():
    """Answers of a questionnaire were months where noise was larger than the table: once in 900 columns."""
    rng = np.random.default_rng(11)
    for sd, most in ((50, 0.02), (100, 0.02), (400, 0.0)):  # 1 % is allowed: 4 of 400, and 2 by chance
        noise = [noise_alone(rng, sd).listed for _ in range(400)]
        assert np.mean([one is not None for one in noise]) <= most
    weekdays = next(listed for listed in LISTS if "Montag" in listed.words)
    assert look([(cell, 140.0) for cell in list_cells(weekdays)], sd=70).listed == weekdays


def test_noise_beside_missing_codes_alone_is_no_public_list():
    """Numbers of children were Swiss cantons: three quarters of the rows held NA, and noise hid the rest."""
    rng = np.random.default_rng(12)
    lists = [noise_alone(rng, 120, rows=3830.0, marks=3830.0).listed for _ in range(600)]
    assert sum(one is not None for one in lists) <= 1
    answers = look([(cell_of("Yes")[1], 600.0), (cell_of("No")[1], 570.0)], sd=120)
    listed = replace(answers, sketch=replace(answers.sketch, rows=3830.0, marks=3830.0)).listed
    assert listed is not None
    assert {"Yes", "No"} <= set(listed.words)


def test_rare_codes_fold_into_their_chapters_and_known_ones_stay():
    codes = [(cell_of(code)[1], 300.0) for code in ("I10", "E11")]
    folded = field_of({"name": "icd_haupt"}, look(codes, kind=Kind.CODE))
    book = Codebook.from_dict({"fields": [folded | {"source": {"kind": "survey", "entry": 2}}]})
    table = pd.DataFrame({"icd_haupt": ["I10.90", "I11.0", "E11", "seltsam"]})
    shown = [book.domain.attributes[0].labels[code] for code in encode(table, book)[:, 0]]
    assert shown == ["I10", "I00-I99", "E11", "(other)"]
    letters = field_of({"name": "platz"}, look(codes, kind=Kind.CODE))
    assert {"value": "I00-I99", "prefixes": ["I"]} in letters["categories"]


def test_a_vocabularys_column_takes_the_words_of_the_file_where_they_stand_out():
    sex, month, married, smoker = draft_from_header(["sex", "monat", "marital_status", "is_smoker"])["fields"]

    def seen(*words, **more):
        return look([(cell_of(word)[1], 480.0) for word in words], **more)

    values = [c["value"] if isinstance(c, dict) else c for c in worded(sex, seen("w", "m"))["categories"]]
    assert values == ["w", "m", "d", "u", "(other)"]
    assert worded(sex, seen("female", "male")) is None, "it has these words already"
    assert worded(sex, look(texts={"A": 400.0, "B": 400.0}))["categories"] == ["A", "B", "(other)"]
    assert worded(sex, look()) is None
    numbers = look([(NUMBER_CELLS[ONE], 500.0)], kind=Kind.WHOLE)
    assert [c["value"] for c in worded(sex, numbers)["categories"]] == ["2", "1", "9", "0"]
    two = look([(NUMBER_CELLS[ZERO], 480.0), (NUMBER_CELLS[ONE], 520.0)], kind=Kind.WHOLE)
    assert worded(sex, two)["categories"] == [0, 1]
    assert worded(month, numbers) is None
    assert worded(smoker, numbers)["categories"] == [0, 1]
    assert [
        c["value"] for c in worded(month, look(texts={f"0{i}": 80.0 for i in range(1, 9)}))["categories"]
    ][:2] == ["01", "02"]
    more = worded(
        married,
        look([(cell_of("Married")[1], 450.0), (cell_of("Single")[1], 400.0)], texts={"Together": 90.0}),
    )
    assert [c if isinstance(c, str) else c["value"] for c in more["categories"]][-2:] == [
        "Together",
        "(other)",
    ]
    assert Codebook.from_dict({"fields": [more]}).domain.attributes[0].unknown == "(other)"


def test_where_false_is_seen_true_is_no_stranger_but_beside_a_lone_n_or_steady_nobody_says_yes():
    seen = look([(cell_of("FALSE")[1], 960.0), (cell_of("TRUE")[1], 2.0)])
    assert set(field_of({"name": "died"}, seen)["categories"]) == {"TRUE", "FALSE", "(other)"}
    doses = look([(cell_of("No")[1], 900.0), (cell_of("Yes")[1], 1.0)], texts={"Steady": 90.0})
    assert field_of({"name": "insulin"}, doses)["categories"] == ["No", "Steady", "(other)"]
    north = look([(cell_of("N")[1], 960.0)])
    assert field_of({"name": "side"}, north)["categories"] == ["N", "(other)"]
