"""Numbers that a column of words beside them tells to be codes."""

import pandas as pd
import pytest

from hmpb_core.sources.drafting import draft_from_rows

CODES = [str(100 + i + 7 * (i // 3)) for i in range(60)]
WORDS = [f"unit {chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(60)]


def drafted(name, codes, words):
    return draft_from_rows(pd.DataFrame({name: codes, "what": words}))["fields"][0]


@pytest.mark.parametrize("name", ["SYMBOLCODE", "unit_assigned_no", "CO_RG_INTE", "Kennziffer_Nr_neu"])
def test_numbers_that_each_stand_beside_one_word_are_codes_under_a_name_of_such(name):
    entry = drafted(name, CODES * 8, WORDS * 8)
    assert (entry["type"], entry["categories"]) == ("string", CODES)


def test_two_places_may_be_called_the_same_and_a_code_may_have_no_word():
    words = [*WORDS[:57], *WORDS[:2], ""]
    assert drafted("unit_assigned_no", CODES * 8, words * 8)["categories"] == CODES


def test_a_code_may_have_two_words_where_each_word_has_one_code():
    words = [*WORDS * 7, *WORDS[:58], "new a", "new b"]  # two countries changed their names
    assert drafted("ccode", CODES * 8, words)["categories"] == CODES


@pytest.mark.parametrize("name", ["AE_CODE", "itemid"])
def test_numbers_of_many_rows_each_are_codes_under_a_name_that_ends_in_such_a_word(name):
    alone = [*CODES * 8, *CODES[:9]]  # as many rows of each would be numbers of people
    assert draft_from_rows(pd.DataFrame({name: alone}))["fields"][0]["categories"] == CODES
    assert "bins" in draft_from_rows(pd.DataFrame({name: alone[-200:]}))["fields"][0]
    years = [str(1903 + i) for i in range(60)] * 8
    assert "bins" in draft_from_rows(pd.DataFrame({"yearID": [*years, "1903"]}))["fields"][0]


@pytest.mark.parametrize(
    ("name", "codes", "words"),
    [
        ("amount", CODES * 8, WORDS * 8),
        ("number_of_beds", CODES * 8, WORDS * 8),
        ("unit_assigned_no", CODES * 8, [*WORDS * 7, *WORDS[::-1]]),
        ("unit_assigned_no", CODES * 8, WORDS[:30] * 16),
        ("unit_assigned_no", CODES * 3, WORDS * 3),
    ],
    ids=["another name", "a count", "another word once", "half the words", "few rows"],
)
def test_other_numbers_beside_words_stay_numbers(name, codes, words):
    assert "bins" in drafted(name, codes, words)
