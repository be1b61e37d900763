"""register, plan, rehearse, release, ledger, resample: as a steward types them."""

import io
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.planning.bill import Bill
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.publishing.release import hidden_costs
from hmpb_core.publishing.workspace import Workspace
from tests.tables import SCHEMA, people

SEED_WORD = re.compile(r"\bseed\b")


@pytest.fixture
def steward(tmp_path, monkeypatch):
    """A folder with a table and its codebook, and a way to type commands in it."""
    monkeypatch.chdir(tmp_path)
    people(800).to_csv("people.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")

    def type_in(*words):
        return main(list(words))

    return type_in


def register(steward, *more, unit="row", cap="2"):
    return steward(
        "register",
        "people.csv",
        "--codebook",
        "cb.json",
        "--workspace",
        "w",
        "--cap",
        cap,
        "--unit",
        unit,
        *more,
    )


def plan(steward, *more, epsilon="1", method="independent"):
    return steward(
        "plan", "--codebook", "cb.json", "--epsilon", epsilon, "--method", method, "-o", "p.toml", *more
    )


def release(steward, *more, data="people.csv", out="b.zip", codebook="cb.json"):
    return steward(
        "release", data, "--codebook", codebook, "--plan", "p.toml", "--workspace", "w", "--out", out, *more
    )


def ledger(steward, capsys, *more):
    capsys.readouterr()
    assert steward("ledger", "--workspace", "w", "--json", *more) == 0
    return json.loads(capsys.readouterr().out)


def test_from_a_table_to_a_bundle_and_more_rows(steward, tmp_path, capsys):
    assert register(steward) == 0
    assert plan(steward) == 0
    assert release(steward, "--yes", "--why", "for the report") == 0
    assert steward("resample", "b.zip", "--rows", "50", "-o", "more.csv") == 0
    assert steward("resample", "b.zip", "--rows", "60", "-o", "more.parquet") == 0
    told = ledger(steward, capsys, "--verify", "--export", "chain.json")
    (dataset,) = told["datasets"]
    assert told["verified"] is True
    assert (dataset["name"], dataset["cap"]) == ("people", 2.0)
    assert dataset["spent"] == pytest.approx(1.0, abs=1e-9)
    assert dataset["left"] == pytest.approx(1.0, abs=1e-9)
    assert [entry["kind"] for entry in dataset["entries"]] == ["register", "charge", "complete"]
    assert len(pd.read_csv(tmp_path / "more.csv")) == 50
    assert len(pd.read_parquet(tmp_path / "more.parquet")) == 60
    assert len(json.loads((tmp_path / "chain.json").read_text())["chain"]) == 3


def test_the_commit_page_tells_cost_left_and_files(steward, capsys):
    register(steward)
    plan(steward, "--guarantee", "pure")
    capsys.readouterr()
    release(steward, "--yes")
    said = capsys.readouterr().out
    for words in (
        "hidden costs: none",
        "epsilon 1",
        "Left of cap",
        "Next release",
        "cannot be undone",
        "5 columns: age",
        "of 2",
    ):
        assert words in said


def test_the_commit_page_names_what_nobody_paid_for():
    bill = Bill(guarantee=Guarantee(epsilon=1.0), losses={}, attribute_losses={})
    assert hidden_costs(bill) == ["  hidden costs: none"]
    assert hidden_costs(replace(bill, unpaid=("risk weights", "bins"))) == [
        "  not paid for: risk weights",
        "  not paid for: bins",
    ]


def test_a_release_asks_and_refuses_where_nobody_can_answer(steward, capsys, monkeypatch):
    register(steward)
    plan(steward)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert release(steward) == 2
    assert "--yes" in capsys.readouterr().err
    assert ledger(steward, capsys)["datasets"][0]["spent"] == 0


@pytest.mark.parametrize(
    ("answer", "code", "charged"), [("release", 0, 1.0), ("no", 130, 0.0), ("", 130, 0.0)]
)
def test_the_stewards_word_decides(steward, capsys, monkeypatch, answer, code, charged):  # noqa: PLR0917
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    register(steward)
    plan(steward, "--guarantee", "pure")
    monkeypatch.setattr("sys.stdin", Terminal(answer + "\n"))
    assert release(steward) == code
    assert ledger(steward, capsys)["datasets"][0]["spent"] == charged


def test_the_unit_is_asked_and_never_assumed(steward, capsys):
    with pytest.raises(SystemExit) as refusal:
        steward("register", "people.csv", "--codebook", "cb.json", "--workspace", "w", "--cap", "1")
    assert refusal.value.code == 2
    assert "--unit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda s: plan(s, "--accounting", "as-published", method="hmprivbayes"),
            "to the letter",
        ),
        (lambda s: plan(s, method="noprivacy"), "draws no noise"),
        (lambda s: plan(s, epsilon="2.5"), "may cost 2."),
    ],
)
def test_what_cannot_be_released_ends_with_code_three(steward, capsys, spoil, words):
    register(steward)
    spoil(steward)
    capsys.readouterr()
    assert release(steward, "--yes") == 3
    assert words in capsys.readouterr().err


def test_a_seed_is_refused(steward, capsys):
    register(steward)
    plan(steward)
    assert release(steward, "--yes", "--seed", "1") == 3
    assert "subtract the noise" in capsys.readouterr().err


def test_a_plan_with_a_seed_is_refused(steward, tmp_path, capsys):
    register(steward)
    plan(steward)
    path = tmp_path / "p.toml"
    path.write_text(path.read_text().replace('method = "', 'seed = 1\nmethod = "', 1))
    assert release(steward, "--yes") == 2
    assert "Remove the line" in capsys.readouterr().err


def test_an_unregistered_table_is_refused(steward, tmp_path, capsys):
    register(steward)
    plan(steward)
    people(801).to_csv(tmp_path / "other.csv", index=False)
    assert release(steward, "--yes", data="other.csv") == 3
    assert "hmpb register" in capsys.readouterr().err


def test_a_guessed_codebook_is_refused(steward, tmp_path, capsys):
    register(steward)
    guessed = {**SCHEMA, "fields": [{**SCHEMA["fields"][0], "declared": False}, *SCHEMA["fields"][1:]]}
    (tmp_path / "guess.json").write_text(json.dumps(guessed), encoding="utf-8")
    plan(steward)
    assert release(steward, "--yes", codebook="guess.json") == 3
    assert "read from the data" in capsys.readouterr().err


def test_no_workspace_is_made_in_passing(steward, tmp_path, capsys):
    plan(steward)
    assert release(steward, "--yes") == 2
    assert not (tmp_path / "w").exists()
    assert steward("ledger", "--workspace", "w") == 2


def test_the_ledger_says_of_each_charge_what_it_was_for(steward, capsys):
    register(steward, cap="5")
    plan(steward)
    release(steward, "--yes", "--why", "for the report")
    table = ("people.csv", "--workspace", "w", "--epsilon", "0.1", "--yes")
    steward("fit", "b.zip", *table, "-o", "fit.json")
    steward("charge", *table, "--why", "with B")
    assert capsys.readouterr().out.count("epsilon 0.1, delta 1e-9") == 2  # as it is typed, not 1e-09
    steward("ledger", "--workspace", "w")
    charges = [line for line in capsys.readouterr().out.splitlines() if "  charge  " in line]
    ends = ["  people; for the report", "  fit", "  joint run; with B"]
    assert [line.endswith(end) for line, end in zip(charges, ends, strict=True)] == [True] * 3


def test_the_ledger_tells_a_run_that_was_cancelled_from_one_that_failed(steward, capsys):
    register(steward, cap="5")
    workspace = Workspace("w")
    tiny = Guarantee(epsilon=0.1, delta=0.0, currency=Currency.PURE)
    for reason in ("CancelledError", "KeyboardInterrupt", "ValueError"):
        workspace.fail(workspace.charge(workspace.datasets()[0], tiny), reason=reason)
    capsys.readouterr()
    steward("ledger", "--workspace", "w")
    ends = [line.split("  ")[-1] for line in capsys.readouterr().out.splitlines() if "  fail  " in line]
    assert ends == [*["cancelled; stays charged"] * 2, "failed (ValueError); stays charged"]


@pytest.mark.parametrize("neighbors", ["replace-one", "add-remove"])
def test_a_plan_has_the_shares_that_the_bill_of_as_many_rows_prints(steward, tmp_path, capsys, neighbors):
    """Without a way to say the number of rows every plan had the shares for 50,000."""
    asked = ("--codebook", "cb.json", "--epsilon", "1", "--neighbors", neighbors)
    shares = {}
    for rows in ("300", "50000"):
        assert steward("plan", *asked, "--declared-rows", rows, "-o", f"{rows}.toml") == 0
        held = tomllib.loads((tmp_path / f"{rows}.toml").read_text(encoding="utf-8"))
        assert held["declared_rows"] == int(rows)
        shares[rows] = held["shares"]
    assert "declared-rows" not in capsys.readouterr().err
    assert steward("plan", *asked, "-o", "nobody.toml") == 0
    assert "50,000 rows: nobody said how many" in capsys.readouterr().err
    nobody = tomllib.loads((tmp_path / "nobody.toml").read_text(encoding="utf-8"))
    assert nobody["shares"] == shares["50000"] != shares["300"]
    assert steward("plan", *asked, "--declared-rows", "1", "-o", "one.toml") == 2
    if neighbors == "replace-one":
        steward("bill", *asked, "--rows", "300", "--json")
        stages = json.loads(capsys.readouterr().out)["stages"]
        assert stages["one-way tables"] == pytest.approx(float(Fraction(shares["300"]["one-way tables"])))


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_release_whose_words_nobody_reads_is_made_all_the_same(steward, tmp_path, monkeypatch, unbuffered):
    """``| head -1`` ended it before the charge, with the exit code of one that was made."""
    register(steward)
    plan(steward)
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    script = "import sys; from hmpb_core.cli import main; sys.exit(main())"
    words = ["release", "people.csv", "--codebook", "cb.json", "--plan", "p.toml"]
    words += ["--workspace", "w", "--out", "b.zip", "--yes"]
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", script, *words]
    done = subprocess.run(command, stdout=written, stderr=subprocess.PIPE, check=False)
    os.close(written)
    assert (done.returncode, (tmp_path / "b.zip").exists()) == (0, True)
    assert b"Error" not in done.stderr


def test_a_broken_ledger_ends_with_code_three(steward, tmp_path, capsys):
    register(steward, "--why", "a purpose to be found")
    path = tmp_path / "w" / "ledger.sqlite"
    content = bytearray(path.read_bytes())
    content[content.index(b"a purpose to be found")] ^= 1
    path.write_bytes(content)
    assert steward("ledger", "--workspace", "w", "--verify") == 3
    assert "broken" in capsys.readouterr().out
    assert steward("ledger", "--workspace", "w", "--verify", "--json") == 3
    assert json.loads(capsys.readouterr().out)["verified"] is False


def test_a_rehearsal_needs_no_table_and_charges_nothing(steward, tmp_path, capsys):
    register(steward)
    plan(steward)
    assert (
        steward(
            "rehearse",
            "--codebook",
            "cb.json",
            "--plan",
            "p.toml",
            "--simulate",
            "0.5",
            "--rows",
            "300",
            "--out",
            "r.zip",
        )
        == 0
    )
    assert "rehearsal-data.csv" in zipfile.ZipFile(tmp_path / "r.zip").namelist()
    assert ledger(steward, capsys)["datasets"][0]["spent"] == 0


def test_a_rehearsal_runs_on_a_public_table_and_on_an_earlier_release(steward, tmp_path):
    register(steward)
    plan(steward)
    release(steward, "--yes")
    people(500, seed=8).to_csv(tmp_path / "public.csv", index=False)
    base = ("rehearse", "--codebook", "cb.json", "--plan", "p.toml")
    assert steward(*base, "--public", "public.csv", "--workspace", "w", "--out", "r1.zip") == 0
    assert steward(*base, "--bundle", "b.zip", "--out", "r2.zip") == 0


def test_a_rehearsal_on_the_private_table_is_refused(steward, capsys):
    register(steward)
    plan(steward)
    code = steward(
        "rehearse",
        "--codebook",
        "cb.json",
        "--plan",
        "p.toml",
        "--public",
        "people.csv",
        "--workspace",
        "w",
        "--out",
        "r.zip",
    )
    assert code == 3
    assert "private data set 'people'" in capsys.readouterr().err


@pytest.fixture
def reproduce(steward, tmp_path, monkeypatch):
    """Run a bundle's script, which calls hmpb by name: its calls are carried out in this process."""

    def run(*reading, own=None):
        with zipfile.ZipFile(tmp_path / "b.zip") as archive:
            archive.extractall(tmp_path / "bundle")
        script = (tmp_path / "bundle" / "reproduce.py").read_text()
        assert not SEED_WORD.search(script.split('"""')[2])

        def typed(words):
            code = steward(*words[1:], *["--yes"] * ("release" in words))
            return subprocess.CompletedProcess(words, code)

        monkeypatch.setattr(subprocess, "run", typed)
        if own is None:
            people(300, seed=9).to_csv("own.csv", index=False)
        else:
            (tmp_path / "own.csv").write_bytes(own)
        place = tmp_path / "bundle" / "reproduce.py"
        monkeypatch.setattr("sys.argv", ["reproduce.py", "own.csv"])
        with pytest.raises(SystemExit, match="TABLE WORKSPACE CAP UNIT"):
            exec(compile(script, "reproduce.py", "exec"), {"__file__": str(place), "__name__": "x"})
        monkeypatch.setattr("sys.argv", ["reproduce.py", "own.csv", "w2", "3", "row", *reading])
        with pytest.raises(SystemExit) as end:
            exec(compile(script, "reproduce.py", "exec"), {"__file__": str(place), "__name__": "x"})
        assert end.value.code == 0, "its end is that of the release, and no traceback"
        with zipfile.ZipFile("reproduced.zip") as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    return run


def test_the_reproduce_script_runs_the_procedure_again(steward, reproduce):
    register(steward)
    plan(steward, "--guarantee", "pure")
    release(steward, "--yes")
    assert "data.csv" in reproduce()


def test_the_reproduce_script_registers_with_the_plan_s_neighbours_and_delta_and_runs_twice(
    steward, reproduce, tmp_path, capsys
):
    register(steward, "--neighbors", "add-remove", "--cap-delta", "1e-6")
    plan(steward, "--neighbors", "add-remove", "--delta", "1e-6")
    release(steward, "--yes")
    statements = [reproduce()["privacy-statement.yaml"].decode()]
    (tmp_path / "reproduced.zip").unlink()
    statements.append(reproduce()["privacy-statement.yaml"].decode())
    capsys.readouterr()
    assert steward("ledger", "--workspace", "w2", "--json") == 0
    (dataset,) = json.loads(capsys.readouterr().out)["datasets"]
    assert (dataset["neighbors"], dataset["delta"]) == ("add-remove", 1e-6)
    assert "epsilon 1 at delta" in statements[0]
    assert dataset["spent"] < 2


def test_the_reproduce_script_is_told_how_a_table_is_written_that_no_bundle_says(steward, reproduce):
    """Commands refuse to read it off the rows, and how the private file is written is in no bundle."""
    register(steward)
    plan(steward, "--guarantee", "pure")
    release(steward, "--yes")
    own = people(300, seed=9).assign(note="Müller").to_csv(index=False).encode("cp1252")
    assert "data.csv" in reproduce("--encoding", "cp1252", own=own)


def test_the_reproduce_script_searches_for_the_agreed_marks_again(steward, reproduce, tmp_path):
    marks = 'format = "hmpb-marks/1"\nagreed_by = "A"\nagreed_on = 2026-01-31\n[marks]\ntwo_way_error = 0.9\n'
    (tmp_path / "marks.toml").write_text(marks, encoding="utf-8")
    register(steward)
    plan(steward, "--guarantee", "pure")
    assert release(steward, "--yes", "--marks", "marks.toml") == 0
    assert "selection.json" in reproduce()


@pytest.mark.parametrize("rows", ["0", "-5", "1000000000"])
def test_an_impossible_number_of_rows_is_refused(steward, rows):
    register(steward)
    plan(steward)
    release(steward, "--yes")
    assert steward("resample", "b.zip", "--rows", rows) == 2


def test_replicates_are_drawn_from_a_bundle_into_a_new_folder(steward, tmp_path, capsys):
    assert register(steward) == 0
    assert plan(steward) == 0
    assert release(steward, "--yes") == 0
    before = ledger(steward, capsys)
    again = ("resample", "b.zip", "--replicates", "3", "-o", "again")
    assert steward(*again, "--rows", "40", "--seed", "1") == 0
    tables = [pd.read_csv(path) for path in sorted((tmp_path / "again").iterdir())]
    assert [len(table) for table in tables] == [40, 40, 40]
    assert ledger(steward, capsys) == before
    assert steward(*again) == 2
    assert "holds files already" in capsys.readouterr().err
    assert steward("resample", "b.zip") == 2
    assert steward("resample", "b.zip", "--replicates", "0") == 2
    assert steward("resample", "b.zip", "--replicates", "3", "--columns", "no such column") == 2
    assert steward("resample", "b.zip", "--rows", "40", "--columns", "age") == 2
    assert not (tmp_path / "replicates").exists()
