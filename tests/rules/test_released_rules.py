"""Public rules from the codebook to the bundle: written, released, drawn again."""

import json

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.rules.declared import Rules
from hmpb_core.synthesis import make_plan
from tests.rules.cases import ALL, DOMAIN, rows_of
from tests.tables import people, people_codebook


def test_rules_survive_the_codebook():
    schema = {
        "fields": [
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
            {"name": "marital", "categories": ["never married", "married"]},
        ],
        "rules": [ALL[3]],
    }
    book = Codebook.from_dict(schema)
    assert book.to_dict()["rules"] == schema["rules"]
    assert Codebook.from_json(book.to_json()) == book
    assert json.loads(Codebook.from_dict({"fields": schema["fields"]}).to_json()).keys() == {
        "fields",
        "missingValues",
    }


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry["kind"])
def test_every_kind_is_written_as_it_was_read_and_said_without_brackets(entry):
    assert not set("{}[]") & set(str(Rules.read([entry], DOMAIN).items[0].words))
    assert Rules.read([entry], DOMAIN).to_list() == [entry]


def test_resampling_a_bundle_obeys_the_rules(tmp_path):
    schema = people_codebook().to_dict() | {
        "rules": [{"kind": "implies", "if": {"age": {"below": 33}}, "then": {"smokes": "no"}}]
    }
    book = Codebook.from_dict(schema)
    table = people(800)
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(table, name="p", unit=Unit.parse("row"), cap_epsilon=5, cap_delta=1e-9)
    guarantee = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
    plan = PlanFile.of(make_plan(guarantee, book.domain, n_rows=None, method="independent"), book)
    done = carry_out(prepare(table, book, plan, workspace), workspace)
    assert book.rules.broken_rows(done.rows[0]) == (0,)
    again = model_of_bundle(read_bundle(done.bundle)).sample(3000, rng=np.random.default_rng(1))
    assert book.rules.broken_rows(again) == (0,)
    assert book.rules.broken_rows(table)[0] > 50  # it was not the table that kept the rule


@pytest.mark.parametrize("form", ["", "%d.%m.%Y"])
def test_declared_dates_keep_their_order_in_any_format(form):
    def day(text):
        year, month, day = text.split("-")
        return f"{day}.{month}.{year}" if form else text

    fields = [
        {
            "name": name,
            "type": "date",
            "constraints": {"minimum": day("1996-01-01"), "maximum": day("1996-12-31")},
            "bins": 4,
            **({"format": form} if form else {}),
        }
        for name in ("admitted", "discharged")
    ]
    entries = [
        {"kind": "ascending", "columns": ["admitted", "discharged"]},
        {
            "kind": "implies",
            "if": {"admitted": {"atLeast": day("1996-12-01")}},
            "then": {"discharged": {"missing": True}},
        },
    ]
    book = Codebook.from_dict({"fields": fields, "rules": entries})
    frame = rows_of(book.rules, 2000, book.domain)
    assert book.rules.broken_rows(frame) == (0, 0)
    pattern = form or "%Y-%m-%d"
    first, last = (pd.to_datetime(frame[name], format=pattern) for name in ("admitted", "discharged"))
    assert not (first > last).any()
    assert last[first >= "1996-12-01"].isna().all()
    assert (first >= "1996-12-01").sum() > 20
    assert (first.dt.month == last.dt.month).sum() > 50


def test_rules_hold_on_learned_values_and_in_what_is_resampled(tmp_path):
    rng = np.random.default_rng(2)
    low = np.where(rng.random(4000) < 0.4, 0, rng.integers(0, 900, 4000))
    table = pd.DataFrame({"low": low, "high": low + rng.integers(0, 100, 4000)})
    fields = [
        {
            "name": n,
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 1000, "required": True},
            "bins": "learned",
        }
        for n in table.columns
    ]
    book = Codebook.from_dict(
        {"fields": fields, "rules": [{"kind": "ascending", "columns": ["low", "high"]}]}
    )
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(table, name="p", unit=Unit.parse("row"), cap_epsilon=5, cap_delta=1e-9)
    plan = PlanFile.of(make_plan(Guarantee(epsilon=1.0, delta=1e-9), book.domain, n_rows=4000), book)
    done = carry_out(prepare(table, book, plan, workspace), workspace)
    again = model_of_bundle(read_bundle(done.bundle)).sample(20_000, rng=np.random.default_rng(1))
    for rows in (done.rows[0], again):
        assert book.rules.broken_rows(rows) == (0,)
        assert (rows["low"] <= rows["high"]).all()
