"""Rows as csv: whichever way they leave, no spreadsheet runs a cell or a heading of them."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.encoding import encode
from hmpb_core.moments import read_values
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.publishing.tables import CsvForm, as_meant, csv_of
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.simulated import simulated
from hmpb_core.synthesis import make_plan
from pages.run.rehearsal import csv_of_result
from pages.session.state import Basis, Result, Table

SCHEMA = {
    "fields": [
        {"name": "=cmd|' /C calc'!A0", "categories": ["=1+1", "+2", "-3", "@x", "plain"]},
        {"name": "number", "categories": [-1, 0, 1], "constraints": {"required": True}},
        {"name": "+size", "type": "number", "constraints": {"minimum": -1, "maximum": 1}},
    ]
}
BOOK = Codebook.from_dict(SCHEMA)
RUNS = ("=", "+", "-", "@", "\t", "\r", "\n")


@pytest.fixture
def codes():
    return simulated(BOOK.domain, 300, 0.5, np.random.default_rng(1))


@pytest.fixture
def rehearsed(codes):
    plan = make_plan(Guarantee(epsilon=1.0), BOOK.domain, n_rows=300, method="independent")
    source = MemorySource(codes, BOOK.domain)
    return rehearse(source, BOOK, PlanFile.of(plan, BOOK), stand_in="a simulated table", seed=1)


@pytest.fixture
def by_bundle(rehearsed):
    return read_bundle(rehearsed[1].zipped())["rehearsal-data.csv"]


@pytest.fixture
def by_dashboard(rehearsed):
    rows = rehearsed[0].sample(300, rng=np.random.default_rng(1))
    source = Table(content=rows, name="", basis=Basis.STAND_IN)
    result = Result(model=rehearsed[0], rows=rows, codebook=BOOK, source=source)
    return csv_of_result(result)


@pytest.fixture
def workplace(tmp_path, monkeypatch, rehearsed):
    monkeypatch.chdir(tmp_path)
    Path("cb.json").write_text(json.dumps(SCHEMA))
    rows = rehearsed[0].sample(300, rng=np.random.default_rng(2))
    rows.to_csv("people.csv", index=False)
    options = ("--codebook", "cb.json", "--epsilon", "1", "--method", "independent", "--out", "out.csv")
    assert main(["synthesize", "people.csv", *options]) == 0


@pytest.fixture
def by_command_line(workplace):
    return Path("out.csv").read_bytes()


@pytest.mark.parametrize("way", ["by_bundle", "by_dashboard", "by_command_line"])
def test_no_way_out_writes_a_cell_or_a_heading_that_runs(way, request):
    header, *rows = csv.reader(io.StringIO(request.getfixturevalue(way).decode()))
    assert header[:3] == ["'=cmd|' /C calc'!A0", "number", "'+size"]
    texts = {row[0] for row in rows}
    assert texts & {"'=1+1", "'+2", "'-3", "'@x"}
    assert not [text for text in texts if text.startswith(RUNS)]
    assert {row[1] for row in rows} <= {"-1", "0", "1"}, "numbers stay numbers"
    assert any(float(row[2]) < 0 for row in rows if row[2])


def test_a_synthetic_table_is_compared_as_it_was_meant(workplace, capsys):
    assert main(["evaluate", "people.csv", "out.csv", "--codebook", "cb.json", "--json"]) == 0
    capsys.readouterr()


def test_what_was_written_reads_back_the_same(rehearsed):
    rows = rehearsed[0].sample(300, rng=np.random.default_rng(1))
    back = pd.read_csv(io.BytesIO(csv_of(rows)), dtype=str, keep_default_na=False)
    meant = as_meant(back, BOOK)
    assert np.array_equal(encode(meant, BOOK), encode(rows, BOOK))


def test_a_category_with_an_apostrophe_of_its_own_is_left_alone():
    book = Codebook.from_dict({"fields": [{"name": "x", "categories": ["=a", "'=a"]}]})
    frame = pd.DataFrame({"x": ["=a", "'=a"]})
    assert as_meant(frame, book)["x"].tolist() == ["=a", "'=a"]


@pytest.mark.parametrize(
    ("form", "least", "texts"),
    [
        ("clock", "-1:00:00", {"-0:00:01.25", "-0:00:07"}),
        ("days", "-1 days +23:00:00", {"-1 days +23:59:58.75", "-1 days +23:59:53"}),
        ("", "-PT1H", {"-PT1.25S", "-PT7S"}),
    ],
)
def test_lengths_below_zero_leave_with_their_parts_of_a_second_and_without_an_apostrophe(form, least, texts):
    entry = {"name": "lag", "type": "duration", "format": form, "decimals": 2, "bins": 5}
    book = Codebook.from_dict({"fields": [entry | {"constraints": {"minimum": least, "maximum": "PT1H"}}]})
    (lag,) = book.domain.attributes
    assert {lag.text(-1.25), lag.text(-7)} == texts
    rows = csv_of(pd.DataFrame({"lag": sorted(texts)}), CsvForm.of(book)).decode()
    assert rows.splitlines() == ["lag", *sorted(texts)]
    drawn = decode(np.zeros((200, 1), dtype=np.int32), book.domain, np.random.default_rng(1))["lag"]
    seconds = read_values(drawn.tolist(), "duration", form)
    assert (seconds % 1 > 0).any()
    assert np.round(seconds, 2) == pytest.approx(seconds, abs=1e-9)


def test_two_columns_of_one_name_are_both_written():
    frame = pd.DataFrame([["=1", "=2"]], columns=["a", "a"])
    assert csv_of(frame) == b"a,a\n'=1,'=2\n"
