"""Numbers among texts and texts among numbers: answers of a questionnaire are found one by one."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.survey.cells import count
from hmpb_core.survey.findings import field_of
from hmpb_core.survey.looks import look_at

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
