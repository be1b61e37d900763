"""The benchmarks run on any table, and rewrite nothing but their own section."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import page, values
from benchmarks.datasets import Table
from benchmarks.peers import compare
from benchmarks.peers.rivals import ENVIRONMENTS, RIVALS
from benchmarks.results import SETTINGS, measure
from hmpb_core.encoding import encode
from hmpb_core.metrics.values import numbers_of
from tests.tables import people, people_codebook


@pytest.fixture
def table():
    frame, codebook = people(600), people_codebook()
    return Table(
        name="people", frame=frame, codes=encode(frame, codebook), codebook=codebook, target="coughs"
    )


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_can_be_measured(table, setting):
    row = measure(table, setting, 1.0, 0)
    assert 0 <= row["avd2"] <= row["avd3"] <= 1
    assert 0 <= row["svm_error"] <= 1
    assert json.loads(json.dumps(row)) == row
    if setting.name == "noprivacy":
        assert row["total"] is None
    elif setting.name != "published":
        assert row["total"] == pytest.approx(1.0)


def test_the_rows_an_svm_is_tested_on_are_never_learnt_from(table):
    kept, held = table.split(3)
    assert sorted([*kept, *held]) == list(range(600))
    assert len(held) == 120
    assert not np.array_equal(held, table.split(4)[1])


def test_a_section_replaces_itself_and_leaves_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "docs" / "results.md")
    page.write_section("one", "## One\n\nfirst")
    page.write_section("two", "## Two")
    page.write_section("one", "## One\n\nsecond")
    text = page.PAGE.read_text()
    assert text.startswith("# Results")
    assert "first" not in text
    assert text.index("second") < text.index("## Two")
    page.write_section("one", "## One\n\nsecond")
    assert page.PAGE.read_text() == text


def test_numbers_are_short():
    assert [page.number(v) for v in (0.0349, 1.25, None)] == [".035", "1.250", "-"]
    assert page.mean([0.5, None, 1.0]) == 0.75
    assert page.mean([None]) is None


def test_a_column_of_one_value_has_no_distance_in_standard_deviations_and_the_page_is_written():
    row = values.measure(
        "battery", *values.battery(400), None, setting="learned", python=None, epsilon=1.0, seed=0
    )
    assert row["columns"]["constant"]["mean_sd"] is None
    written = values.page([row])
    assert "| largest error of a mean / sd |" in written
    assert "| constant |" in written


def test_every_rival_has_an_environment_and_a_worker():
    names = {environment.name for environment in ENVIRONMENTS}
    for rival in RIVALS:
        assert rival.environment in names
        assert (compare.WORKERS / rival.worker).is_file()


def test_a_rival_is_run_in_its_own_process_on_the_same_codes(table, tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "WORK", tmp_path)
    rival = next(rival for rival in RIVALS if rival.name == "independent")
    runner = compare.Runner(python=sys.executable, limit=120, checkout="")
    row = compare.measure(rival, runner, table, 1.0, 0)
    assert 0 < row["avd2"] < row["avd3"] < 1
    assert row["peak_mib"] > 10


def test_a_rival_that_fails_says_so_and_stops_nothing(table, tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "WORK", tmp_path)
    rival = next(rival for rival in RIVALS if rival.name == "smartnoise-mst")
    runner = compare.Runner(python=sys.executable, limit=120, checkout="")
    assert "snsynth" in compare.measure(rival, runner, table, 1.0, 0)["failed"]


def test_dates_that_a_package_drew_are_written_as_the_table_has_them(monkeypatch):
    frame, learned = values.battery(200)
    codebook = values.equal_width(learned)
    drawn = numbers_of(frame, codebook) + 0.25  # packages know numbers only, and no days
    drawn[:, 0] -= 0.25
    monkeypatch.setattr(values, "call", lambda *_: (drawn, {"cpu_seconds": 1.0}))
    rival = next(iter(values.PEERS.values()))
    _, table, _ = values.theirs(frame, codebook, rival=rival, python=Path(), epsilon=1.0, seed=0)
    assert table["entry"].tolist() == frame["entry"].tolist()
    assert encode(table, codebook).shape == encode(frame, codebook).shape
