"""Bundles carry learned values: rows drawn from a bundle have the same kind of values as the run's."""

import json

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.values import numbers_of, value_errors
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.model_files import VALUES, PaidModel, model_files, model_of_bundle
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.sources.drafting.draft import draft_from_rows
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.sources.simulated import simulated_source
from hmpb_core.synthesis import fit_source, make_plan

BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "smokes", "categories": ["no", "yes"], "constraints": {"required": True}},
            {
                "name": "hours",
                "type": "integer",
                "bins": "learned",
                "constraints": {"minimum": 0, "maximum": 99},
            },
            {
                "name": "day",
                "type": "date",
                "format": "%d.%m.%Y",
                "bins": "learned",
                "constraints": {"minimum": "01.01.2000", "maximum": "31.12.2009", "required": True},
            },
            {
                "name": "seen",
                "type": "datetime",
                "bins": "learned",
                "constraints": {"minimum": "2000-01-01T00:00:00", "maximum": "2009-12-31T23:59:59"},
            },
        ]
    }
)


def people(rows, rng):
    hours = pd.Series(np.where(rng.random(rows) < 0.6, 40, rng.integers(0, 100, rows)), dtype="Int64")
    hours[rng.random(rows) < 0.1] = pd.NA
    day = pd.to_datetime("2000-01-01") + pd.to_timedelta(rng.integers(0, 3000, rows), unit="D")
    smokes = np.where(hours.fillna(0) == 40, "yes", "no")
    seen = day + pd.to_timedelta(rng.integers(9 * 3600, 17 * 3600, rows), unit="s")
    written = {"day": day.strftime("%d.%m.%Y"), "seen": seen.strftime("%Y-%m-%dT%H:%M:%S")}
    return pd.DataFrame({"smokes": smokes, "hours": hours} | written)


def plan_of(rows):
    return make_plan(guarantee_of("zcdp", 1.0, 1e-9, "replace-one"), BOOK.domain, n_rows=rows)


def test_a_model_read_from_its_files_draws_the_same_rows():
    rng = np.random.default_rng(0)
    plan = plan_of(5000)
    model = fit_source(open_source(people(5000, rng), BOOK), plan, seed=1)
    files = model_files(model, BOOK)
    paid = PaidModel.of_files(plan, files["model/codebook.json"], files["model/tables.json"], files[VALUES])
    ours = model.sample(2000, rng=np.random.default_rng(2))
    theirs = paid.sample(2000, rng=np.random.default_rng(2))
    pd.testing.assert_frame_equal(ours, theirs)
    assert abs((theirs["hours"] == 40).mean() - 0.604) < 0.03
    assert pd.to_datetime(theirs["seen"].dropna()).dt.hour.between(9, 16).mean() > 0.75
    assert encode(theirs, BOOK).shape == (2000, 4)


def test_a_bundle_without_learned_values_is_read_as_before():
    plan = plan_of(100)
    codes_only = encode(people(100, np.random.default_rng(3)), BOOK)
    files = model_files(fit_source(MemorySource(codes_only, BOOK.domain), plan, seed=1), BOOK)
    assert VALUES not in files
    paid = PaidModel.of_files(plan, files["model/codebook.json"], files["model/tables.json"])
    assert len(paid.sample(10, rng=np.random.default_rng(0))) == 10


def test_a_rehearsal_learns_values_as_the_release_will():
    plan = plan_of(3000)
    plan_file = PlanFile.of(plan, BOOK)
    source = simulated_source(BOOK.domain, 3000, 0.5, np.random.default_rng(4))
    model, bundle = rehearse(source, BOOK, plan_file, stand_in="a simulated table", seed=5)
    files = read_bundle(bundle.zipped())
    assert set(json.loads(files[VALUES])["values"]) == {"hours", "day", "seen"}
    rows = model_of_bundle(files).sample(50, rng=np.random.default_rng(6))
    assert rows["day"].str.fullmatch(r"\d\d\.\d\d\.200\d").all()
    assert model.domain != BOOK.domain


def table_of_single_precision(rows=4_000):
    """Wages in tenths that 32 bits hold, written as 64 bits spell them out, and a sum of two of them."""
    rng = np.random.default_rng(8)
    wages = rng.choice([6.2, 6.2, 7.1, 8.9, 10.3], rows)
    other = np.round(rng.gamma(2, 3, rows), 1).clip(0, 60)
    spelt = {
        "wage": wages.astype(np.float32).astype(float),
        "other": other.astype(np.float32).astype(float),
        "total": (wages + other).round(1).astype(np.float32).astype(float),
    }
    return pd.DataFrame({name: [repr(value) for value in column.tolist()] for name, column in spelt.items()})


def test_numbers_of_single_precision_leave_as_they_came():
    frame = table_of_single_precision()
    draft = draft_from_rows(frame)
    fields = {entry["name"]: entry for entry in draft["fields"]}
    assert fields["other"]["precision"] == fields["total"]["precision"] == "single"
    assert fields["other"]["decimals"] == 1
    book = Codebook.from_dict(
        {
            "fields": [
                {
                    "name": name,
                    "type": "number",
                    "decimals": 1,
                    "precision": "single",
                    "bins": "learned",
                    "constraints": {"minimum": 0, "maximum": most, "required": True},
                }
                for name, most in (("wage", 20), ("other", 60), ("total", 80))
            ],
            "rules": [
                {"kind": "sum", "column": "total", "parts": ["wage", "other"]},
                {"kind": "implies", "if": {"wage": 10.3}, "then": {"wage": {"atMost": 10.3}}},
            ],
        }
    )
    assert book.rules.broken_rows(frame) == (0, 0)  # as they are meant, though 32 bits round each by itself
    plan = make_plan(guarantee_of("zcdp", 4.0, None, "replace-one"), book.domain, n_rows=len(frame))
    rows = fit_source(open_source(frame, book), plan, seed=1).sample(rng=np.random.default_rng(1))
    assert book.rules.broken_rows(rows) == (0, 0)
    real = frame.astype(float)
    for name in frame:
        narrow = rows[name].to_numpy(float)
        assert (narrow.astype(np.float32).astype(float) == narrow).all()  # nothing but what 32 bits hold
        assert set(np.unique(narrow)) >= set(real[name].value_counts().index[:3])
    shares = [(column["wage"] == float(np.float32(6.2))).mean() for column in (real, rows)]
    assert shares[0] > 0.35
    assert abs(shares[0] - shares[1]) < 0.02


def test_a_report_is_not_misled_by_what_32_bits_make_of_a_number():
    frame = table_of_single_precision()
    entry = {"type": "number", "decimals": 1, "constraints": {"minimum": 0, "maximum": 80}}
    book = Codebook.from_dict({"fields": [{"name": name, **entry} for name in frame]})
    short = frame.astype(float).round(1)
    errors = value_errors(numbers_of(frame, book), numbers_of(short, book), book.domain)
    assert [column.ks for column in errors.columns.values()] == [0, 0, 0]
