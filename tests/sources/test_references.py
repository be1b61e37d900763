"""Columns that name other rows by their identifier are left out; numbers that lie among them are not."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.sources.drafting import draft_from_rows

RNG = np.random.default_rng(7)
N = 600
AGES = RNG.integers(18, 90, N)


def left_out(ids, **columns):
    frame = pd.DataFrame({"id": ids, "age": AGES, **columns})
    fields = draft_from_rows(frame)["fields"]
    return [field["name"] for field in fields if field.get("publish") is False and field["name"] != "id"]


@pytest.mark.parametrize(
    "ids",
    [
        np.array([f"P{number}" for number in range(100, 100 + N)]),
        RNG.permutation(np.arange(10_001, 10_001 + N)),
        RNG.choice(10**6, N, replace=False) + 1,
        np.arange(1, N + 1),
    ],
    ids=["texts", "numbers of five digits", "scattered numbers", "counted from 1"],
)
def test_a_column_that_names_other_rows_is_left_out_and_marked_as_a_guess(ids):
    by = pd.Series(RNG.choice(ids, N)).astype(object).where(RNG.random(N) < 0.6, None)
    frame = pd.DataFrame({"id": ids, "age": AGES, "infected_by": by})
    *_, field = draft_from_rows(frame)["fields"]
    assert (field["publish"], field["role"], field["source"]) == (False, "identifier", {"kind": "guess"})
    assert left_out(ids, infected_by=by.where(by.notna(), "index")) == ["infected_by"]


def test_few_people_who_are_named_often_are_no_list():
    ids = [f"K{number:04d}" for number in range(N)]
    assert left_out(ids, team_of=RNG.choice(ids[:6], N)) == ["team_of"]


def test_numbers_that_lie_among_identifiers_counted_from_one_are_numbers():
    ids = np.arange(N)
    others = {"weight": RNG.integers(40, 120, N), "distance": RNG.integers(0, N, N)}
    assert left_out(ids, **others, source=RNG.integers(1, 9, N), parents=RNG.integers(0, 3, N)) == []
    assert left_out(RNG.choice(10**6, N, replace=False), paid=RNG.integers(0, 10**6, N)) == []


def test_codebook_says_why_and_of_what_and_tells_no_value(tmp_path, capsys):
    ids = [f"P{number}" for number in range(100, 100 + N)]
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"id": ids, "age": AGES, "seen_with": RNG.choice(ids, N)})
    frame.to_csv(path, index=False)
    assert main(["codebook", str(path), "--guess", "-o", str(tmp_path / "cb.json")]) == 0
    told = capsys.readouterr().err
    assert "values are those of an identifier, so that each names another row: 'seen_with' (of 'id')" in told
    assert "P1" not in told
