"""Cells with several answers: which are known, and what is not taken for them."""

import itertools
from collections import Counter

import pytest

from hmpb_core.sources.drafting.several_answers import sign_between_answers

GOODS = ("radio", "table", "solar panel", "bicycle", "cow_cart")
SETS = [goods for size in (1, 2, 3) for goods in itertools.combinations(GOODS, size)]


@pytest.mark.parametrize("sign", ["|", ";", ",", ", ", " ; "])
def test_cells_with_several_answers_are_known_by_the_sign_between_them(sign):
    assert sign_between_answers(Counter({sign.join(goods): 3 for goods in SETS})) == sign.strip()


def test_codes_apart_by_blanks_are_answers():
    texts = {" ".join(goods).replace("solar panel", "solar") for goods in SETS}
    assert sign_between_answers(Counter(dict.fromkeys(texts, 3))) == " "


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
    assert sign_between_answers(Counter(dict.fromkeys(texts, 5))) is None
