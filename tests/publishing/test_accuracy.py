"""The accuracy sheet: made of released files alone, and its figures by hand."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.publishing.accuracy import accuracy_files, accuracy_of
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import make_plan

BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "a", "categories": ["x", "y"], "constraints": {"required": True}},
            {"name": "b", "categories": ["x", "y"], "constraints": {"required": True}},
            {
                "name": "age",
                "type": "integer",
                "bins": 2,
                "constraints": {"minimum": 0, "maximum": 19, "required": True},
            },
        ]
    }
)


def table(seed, n=4000):
    rng = np.random.default_rng(seed)
    a = rng.integers(2, size=n)
    return pd.DataFrame(
        {
            "a": np.array(["x", "y"])[a],
            "b": np.array(["x", "y"])[a ^ (rng.random(n) < 0.1)],
            "age": rng.integers(20, size=n),
        }
    )


def bundle(method="hmprivbayes", seed=0, epsilon=1.0):
    plan = make_plan(Guarantee(epsilon=epsilon), BOOK.domain, n_rows=4000, method=method)
    source = open_source(table(seed), BOOK)
    _, made = rehearse(source, BOOK, PlanFile.of(plan, BOOK), stand_in="a test", seed=1)
    return {path: item.value for path, item in made.files.items()}


def test_independent_columns_have_the_noise_of_their_own_tables_by_hand():
    files = bundle("independent")
    sheet = accuracy_of(files, rows=4000)
    acts = {act["what"]: act for act in json.loads(files["model/measurements.json"])["acts"]}
    n = json.loads(files["model/tables.json"])["n_rows"]
    sd = acts["one-way table of age"]["noise_sd"]
    shares = json.loads(files["model/tables.json"])["one_way"]["age"]
    column = next(column for column in sheet.columns if column.name == "age")
    assert column.noise == pytest.approx(1.96 * sd / n)
    mean = 4.5 * shares[0] + 14.5 * shares[1]  # equal bins 0-9 and 10-19 have the middles 4.75 and 14.25
    away = [4.75 - (4.75 * shares[0] + 14.25 * shares[1]), 14.25 - (4.75 * shares[0] + 14.25 * shares[1])]
    assert mean > 0
    assert column.mean_noise == pytest.approx(1.96 * sd / n * math.hypot(*away))
    assert sheet.pairs == ()
    assert sheet.indirect == 3
    assert set(sheet.lonely) == {"a", "b", "age"}
    assert "the rows show it as unrelated" in " ".join(sheet.avoid)


def test_the_drawing_interval_is_that_of_a_share_of_one_half():
    sheet = accuracy_of(bundle("independent"), rows=400)
    assert sheet.drawing == pytest.approx(1.96 * 0.5 / 20)


def test_the_sheet_knows_the_released_files_alone():
    """Another private table under the same release would be another bundle; the sheet has no other input."""
    files = bundle()
    kept = {path: files[path] for path in ("plan.toml", "model/codebook.json", "model/tables.json")}
    kept["model/measurements.json"] = files["model/measurements.json"]
    assert accuracy_of(kept, rows=4000) == accuracy_of(files, rows=4000)
    again = accuracy_of(dict(files), rows=4000).to_dict()
    assert again == accuracy_of(files, rows=4000).to_dict()
    assert json.loads(files["accuracy.json"])["columns"] == again["columns"]


def test_the_expected_error_of_a_pair_is_near_its_mean_error_over_runs():
    truth = pd.crosstab(table(0)["a"], table(0)["b"]).to_numpy().ravel() / 4000
    errors, expected = [], []
    plan = make_plan(Guarantee(epsilon=0.2), BOOK.domain, n_rows=4000)
    for seed in range(30):
        source = open_source(table(0), BOOK)
        model, made = rehearse(source, BOOK, PlanFile.of(plan, BOOK), stand_in="a test", seed=seed)
        codes = model.sample_codes(4000, rng=np.random.default_rng(seed))
        drawn = np.bincount(codes[:, 0] * 2 + codes[:, 1], minlength=4) / 4000
        errors.append(0.5 * np.abs(drawn - truth).sum())
        sheet = accuracy_of({path: item.value for path, item in made.files.items()}, rows=4000)
        expected += [pair.error for pair in sheet.pairs if pair.names == ("a", "b")]
    assert len(expected) == 30
    assert 0.4 < np.mean(errors) / np.mean(expected) < 1.6


def test_a_method_without_noise_is_told_to_have_none():
    sheet = accuracy_of(bundle("noprivacy"), rows=4000)
    assert all(column.noise == 0 for column in sheet.columns)


def test_an_older_bundle_without_measurements_is_refused():
    files = bundle("independent")
    del files["model/measurements.json"]
    with pytest.raises(SourceError, match="older version"):
        accuracy_of(files, rows=10)


def test_a_longer_table_of_rows_changes_the_drawing_interval_alone():
    files = bundle()
    few, many = accuracy_of(files, rows=100), accuracy_of(files, rows=10_000)
    assert few.pairs == many.pairs
    assert few.drawing == pytest.approx(10 * many.drawing)


def test_every_page_of_the_sheet_says_that_it_knows_no_private_table():
    assert "No figure was computed from the private table" in bundle()["accuracy.html"].decode()
    assert accuracy_files.__doc__
