"""What commands write: nothing of the user's is lost, and no folder is named like a file."""

import errno
import json

import pandas as pd
import pytest

from hmpb_core.commands.outputs import keeping, write_keeping, write_paid
from hmpb_core.errors import SourceError
from tests.commands.test_ledger_commands import plan, register, release, steward
from tests.tables import SCHEMA
from tests.thorough import sample

__all__ = ["steward"]
MINE = "an afternoon's work"
SYNTHESIZE = ("synthesize", "people.csv", "--codebook", "cb.json", "--epsilon", "1", "--method")
ANONYMIZE = "anonymize people.csv --codebook cb.json --k 3 --p 2 --sensitive smokes --quasi age,town --out"
SURVEY = "survey people.csv --codebook open.json --workspace w --epsilon 0.1 --yes"


@pytest.fixture(autouse=True)
def no_workspace(monkeypatch):
    monkeypatch.delenv("HMPB_WORKSPACE", raising=False)


def synthesize(steward, out, *more):
    return steward(*SYNTHESIZE, "independent", "--out", out, *more)


@pytest.mark.parametrize(
    ("command", "places"),
    sample(
        [
            (
                "synthesize people.csv --codebook cb.json --epsilon 1 --method independent --out out",
                ["out/data.csv"],
            ),
            (
                "synthesize people.csv --codebook cb.json --epsilon 1 --method independent --out o.csv",
                ["o.csv"],
            ),
            (f"{ANONYMIZE} out", ["out/data.csv", "out/run.json"]),
            ("codebook people.csv -o o.json", ["o.json"]),
            ("plan --codebook cb.json --epsilon 1 -o o.toml", ["o.toml"]),
            ("rehearse --codebook cb.json --plan p.toml --simulate 0.5 --rows 200 --out o.zip", ["o.zip"]),
            (
                "report people.csv people.csv --codebook cb.json --fast --json o.json -o o.html",
                ["o.json", "o.html"],
            ),
            (f"{SURVEY} -o o.json", ["o.json"]),
            ("ledger --workspace w --export o.json", ["o.json"]),
            ("resample b.zip --rows 20 -o o.csv", ["o.csv"]),
            ("accuracy b.zip -o o.html", ["o.html"]),
            (
                "attack people.csv --codebook cb.json --epsilon 1 --method independent --runs 20 "
                "--json o.json",
                ["o.json"],
            ),
        ],
        2,
    ),
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_what_stood_where_a_command_writes_is_kept_beside_it(steward, tmp_path, capsys, command, places):
    """The audit, which measures for minutes, writes by the same function."""
    (tmp_path / "out").mkdir()
    open_fields = [
        field | ({"declared": False} if field["name"] == "age" else {}) for field in SCHEMA["fields"]
    ]
    (tmp_path / "open.json").write_text(json.dumps({"fields": open_fields}), encoding="utf-8")
    assert register(steward) == 0
    assert plan(steward) == 0
    if " b.zip" in command:
        assert release(steward, "--yes") == 0
    for place in places:
        (tmp_path / place).write_text(MINE, encoding="utf-8")
    capsys.readouterr()
    assert steward(*command.split()) == 0
    said = capsys.readouterr().err
    for place in places:
        name = (tmp_path / place).name
        assert f"{name} was there already: it is kept as {name}.1." in said
        assert (tmp_path / f"{place}.1").read_text(encoding="utf-8") == MINE
        assert MINE.encode() not in (tmp_path / place).read_bytes()


def test_a_table_and_its_account_are_kept_under_one_number(steward, tmp_path):
    assert synthesize(steward, "out") == 0
    first = (tmp_path / "out" / "data.csv").read_bytes()
    (tmp_path / "out" / "run.json.1").write_text(MINE, encoding="utf-8")
    assert synthesize(steward, "out") == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("data.csv", "data.csv.2", "run.json", "run.json.1", "run.json.2")
    ]
    assert (tmp_path / "out" / "data.csv.2").read_bytes() == first
    assert json.loads((tmp_path / "out" / "run.json.2").read_bytes())["releasable"] is False


def test_the_same_run_again_keeps_nothing(steward, tmp_path, capsys, monkeypatch):
    for peak in (1, 2):  # another process takes more or less memory for the same rows
        monkeypatch.setattr("hmpb_core.sources.effort.peak_bytes", lambda peak=peak: peak)
        assert synthesize(steward, "out", "--seed", "3") == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["data.csv", "run.json"]
    assert "kept" not in capsys.readouterr().err


def test_a_folder_of_parts_is_kept_whole(steward, tmp_path):
    for _ in range(2):
        assert synthesize(steward, "parts/") == 0
    assert len(pd.read_parquet(tmp_path / "parts")) == len(pd.read_parquet(tmp_path / "parts.1")) == 800
    assert (tmp_path / "parts.run.json.1").is_file()


def test_what_was_there_is_put_back_where_the_writing_fails(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / name).write_text(MINE, encoding="utf-8")
    with pytest.raises(SourceError), keeping(tmp_path / "a", tmp_path / "b"):
        raise SourceError("The disk is full.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert not capsys.readouterr().err


def test_where_nothing_can_be_kept_nothing_is_written(tmp_path, monkeypatch):
    place = tmp_path / "a"
    place.write_text(MINE, encoding="utf-8")

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.rename", refuse)
    with pytest.raises(SourceError, match=r"'a' is there already and cannot be kept as 'a.1'; name another"):
        write_keeping(place, b"new")
    assert place.read_text(encoding="utf-8") == MINE


@pytest.mark.parametrize("name", ["o.ods", "o.TSV", "o.csv.gz", "o.zip", "o.xpt"])
def test_synthesize_makes_no_folder_that_is_named_like_a_file(steward, tmp_path, capsys, name):
    assert synthesize(steward, name) == 2
    assert (
        f"hmpb: {name!r} ends as a file does that this command does not write; name a .csv, .parquet, "
        ".xlsx, .sav or .dta file, or a folder.\n"
    ) in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_a_folder_with_a_point_in_its_name_is_made_and_one_that_is_there_is_taken(steward, tmp_path):
    (tmp_path / "old.zip").mkdir()
    for name in ("epsilon0.5", "old.zip"):
        assert synthesize(steward, name) == 0
        assert (tmp_path / name / "data.csv").is_file()


def test_anonymize_makes_no_folder_that_is_named_like_a_file(steward, tmp_path, capsys):
    assert steward(*ANONYMIZE.split(), "o.csv") == 2
    assert "name a folder for data.csv and run.json." in capsys.readouterr().err
    assert not (tmp_path / "o.csv").exists()


def test_a_survey_into_a_folder_is_refused_before_it_is_charged(steward, tmp_path, capsys):
    """It was charged, could not write, and said neither that nor where its findings were."""
    register(steward)
    (tmp_path / "open.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    (tmp_path / "there").mkdir()
    assert steward(*SURVEY.split(), "-o", "there") == 2
    assert "'there' is not a file; choose another name." in capsys.readouterr().err
    steward("ledger", "--workspace", "w")
    assert "charge  " not in capsys.readouterr().out


def test_what_was_paid_for_and_cannot_be_written_is_printed(tmp_path, capsys, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr("hmpb_core.publishing.files.os.fsync", full)
    with pytest.raises(SourceError, match=r"disk is full.*charged \(entry 7 of the ledger\)"):
        write_paid(tmp_path / "fit.json", '{"mean": 0.02}', entry=7)
    assert capsys.readouterr().out == '{"mean": 0.02}\n'
    assert list(tmp_path.iterdir()) == []
