"""The commands at the edges of the ledger: what they say, refuse and leave behind."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hmpb_core.cli import main
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.calibration import table_scale
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.sources.simulated import simulated_source
from hmpb_core.synthesis import make_plan
from tests.commands.test_ledger_commands import plan, register, release, steward
from tests.tables import people, people_codebook

__all__ = ["steward"]


@pytest.fixture(autouse=True)
def no_workspace(monkeypatch):
    monkeypatch.delenv("HMPB_WORKSPACE", raising=False)


def synthesize(steward, *more):
    words = ("synthesize", "people.csv", "--codebook", "cb.json", "--epsilon", "1", "--method", "independent")
    return steward(*words, "--out", "out", *more)


@pytest.mark.parametrize("how", ["option", "environment", "nothing"])
def test_synthesize_is_never_releasable_and_says_if_the_table_is_registered(
    steward, tmp_path, capsys, monkeypatch, how
):
    register(steward)
    if how == "environment":
        monkeypatch.setenv("HMPB_WORKSPACE", "w")
    capsys.readouterr()
    assert synthesize(steward, *(("--workspace", "w") if how == "option" else ())) == 0
    account = json.loads((tmp_path / "out" / "run.json").read_text())
    assert account["releasable"] is False
    assert account["registered_as"] == (None if how == "nothing" else "people")
    assert ("registered as 'people'" in capsys.readouterr().err) is (how != "nothing")
    assert "seconds" not in account


def test_a_rehearsal_that_protects_nothing_needs_proof_that_its_table_is_public(steward, tmp_path, capsys):
    register(steward)
    plan(steward, method="noprivacy")
    people(300, seed=8).to_csv(tmp_path / "public.csv", index=False)
    base = ("rehearse", "--codebook", "cb.json", "--plan", "p.toml", "--public", "public.csv", "--out")
    assert steward(*base, "r.zip") == 3
    assert "nothing shows that they are public" in capsys.readouterr().err
    assert not (tmp_path / "r.zip").exists()
    assert steward(*base, "r.zip", "--workspace", "w") == 0


def test_a_rehearsal_draws_the_noise_of_its_unit():
    """pid:8 multiplies the noise by 8; it was rehearsed as if everybody had one row."""
    book = people_codebook()
    guarantee = Guarantee(epsilon=1.0)
    made = make_plan(guarantee, book.domain, n_rows=None, method="independent")
    source = simulated_source(book.domain, 200, 0.5, np.random.default_rng(1))
    scales = {}
    for unit in (None, Unit.parse("pid:8")):
        model, bundle = rehearse(source, book, PlanFile.of(made, book, unit), stand_in="a test")
        scales[unit] = [act.scale for act in model.entries]
        assert b"rehearsal" in bundle.files["README.html"].value.lower()
    eight, one = scales[Unit.parse("pid:8")], scales[None]
    assert np.allclose(np.array(eight) / np.array(one), 8)
    first = model.entries[0]
    assert first.scale == pytest.approx(table_scale(first.loss, guarantee, rows_per_person=8))


def test_a_rehearsal_with_guesses_says_that_it_stays_inside(steward, tmp_path, capsys):
    assert steward("codebook", "people.csv", "--guess", "-o", "g.json") == 0
    assert steward("plan", "--codebook", "g.json", "--epsilon", "1", "-o", "g.toml") == 0
    words = ("rehearse", "--codebook", "g.json", "--plan", "g.toml", "--simulate", "0.5", "--rows", "100")
    capsys.readouterr()
    assert steward(*words, "--out", "g.zip") == 0
    assert "so it stays with you" in capsys.readouterr().err
    plan(steward)
    words = ("rehearse", "--codebook", "cb.json", "--plan", "p.toml", "--simulate", "0.5", "--rows", "100")
    assert steward(*words, "--out", "r.zip") == 0
    assert "it says nothing about the private table" in capsys.readouterr().err
    assert steward("resample", "r.zip", "--rows", "10", "--out", "r.csv") == 0
    assert "stays with you" not in capsys.readouterr().err
    assert steward("resample", "g.zip", "--rows", "10", "--out", "g.csv") == 0
    assert "stays with you" in capsys.readouterr().err
    words = ("rehearse", "--codebook", "cb.json", "--plan", "p.toml", "--bundle")
    assert steward(*words, "r.zip", "--out", "r2.zip") == 0
    assert steward(*words, "g.zip", "--out", "r3.zip") == 3, "guesses would come back as nobody's"
    assert "its rows tell of the private table" in capsys.readouterr().err
    assert not (tmp_path / "r3.zip").exists()


def test_a_rehearsal_takes_its_unit_from_the_command_line(steward, tmp_path):
    plan(steward)
    words = ("rehearse", "--codebook", "cb.json", "--plan", "p.toml", "--simulate", "0.5", "--rows", "100")
    assert steward(*words, "--unit", "pid:8", "--out", "r.zip") == 0
    assert steward(*words, "--unit", "age:8", "--out", "r2.zip") == 2


def test_rehearsals_and_releases_have_pages_in_the_language_of_the_command_line(steward, tmp_path, capsys):
    plan(steward)
    register(steward)
    words = ("rehearse", "--codebook", "cb.json", "--plan", "p.toml", "--simulate", "0.5", "--rows", "100")
    assert steward(*words, "--language", "zh", "--out", "r.zip") == 0
    assert "written from a table simulated from the codebook" in capsys.readouterr().out
    assert release(steward, "--yes", "--language", "zh", out="r2.zip") == 0
    assert steward(*words, "--out", "r3.zip") == 0
    found = {}
    for name in ("r.zip", "r2.zip", "r3.zip"):
        files = read_bundle((tmp_path / name).read_bytes())
        found[name] = {path: content.decode() for path, content in files.items() if path.endswith(".html")}
    assert all('<html lang="zh">' in page for name in ("r.zip", "r2.zip") for page in found[name].values())
    assert all('<html lang="en">' in page for page in found["r3.zip"].values())
    assert "在由码本模拟的表（关联强度 0.5）上的预演" in found["r.zip"]["privacy-statement.html"]
    assert "<h1>预演</h1>" in found["r.zip"]["README.html"]
    assert "没有一行是真人" in found["r2.zip"]["README.html"]


@pytest.mark.parametrize(
    "wrong",
    [("--cap", "0"), ("--cap", "1000"), ("--cap-delta", "1"), ("--unit", "id:0"), ("--unit", "nobody:2")],
)
def test_a_refused_registration_leaves_nothing(steward, tmp_path, wrong):
    words = ["--codebook", "cb.json", "--workspace", "w", "--cap", "2", "--unit", "row", *wrong]
    assert steward("register", "people.csv", *words) == 2
    assert not (tmp_path / "w").exists()


def test_registering_a_near_copy_warns(steward, tmp_path, capsys):
    register(steward)
    people(800).assign(new=1).to_csv(tmp_path / "people.csv", index=False)
    capsys.readouterr()
    assert register(steward, "--name", "again") == 0
    assert "nearly the one that is registered as 'people'" in capsys.readouterr().err


def test_registering_rows_as_people_warns_of_an_identifier_that_several_rows_share(steward, tmp_path, capsys):
    table = people(800)
    table.assign(patient_id=[i // 2 for i in range(800)]).to_csv(tmp_path / "people.csv", index=False)
    assert register(steward) == 0
    assert "several rows have the same 'patient_id'" in capsys.readouterr().err


@pytest.mark.parametrize("attributes", ["100000000", "1000000000000"])
def test_a_bill_for_more_attributes_than_any_codebook_has_is_refused_at_once(capsys, attributes):
    start = time.perf_counter()
    assert main(["bill", "--rows", "100", "--attributes", attributes, "--epsilon", "1"]) == 2
    assert time.perf_counter() - start < 5
    assert capsys.readouterr().err.count("\n") == 1


def test_epsilon_true_in_a_plan_is_refused(steward, tmp_path, capsys):
    register(steward)
    plan(steward)
    path = tmp_path / "p.toml"
    path.write_text(path.read_text().replace("epsilon = 1.0", "epsilon = true"))
    capsys.readouterr()
    assert release(steward, "--yes") == 2
    assert "epsilon is True; it must be a number" in capsys.readouterr().err


def test_a_release_prints_a_receipt_that_finds_a_ledger_put_back(steward, tmp_path, capsys):
    register(steward)
    plan(steward, epsilon="0.5")
    steward("ledger", "--workspace", "w", "--export", "chain.json")
    capsys.readouterr()
    release(steward, "--yes")
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Receipt")]
    receipt = line.split()[-1]
    assert steward("ledger", "--workspace", "w", "--verify", "--against", receipt) == 0
    assert steward("ledger", "--workspace", "w", "--verify", "--against", "chain.json") == 0
    number = int(receipt.split(":")[0]) + 1
    assert steward("ledger", "--workspace", "w", "--verify", "--against", f"{number}:{'0' * 64}") == 3
    assert steward("ledger", "--workspace", "w", "--against", receipt) == 2


def test_the_ledger_says_charged_and_calls_the_cap_the_guarantee(steward, capsys):
    register(steward)
    plan(steward)
    release(steward, "--yes")
    capsys.readouterr()
    steward("ledger", "--workspace", "w")
    said = capsys.readouterr().out
    assert "guaranteed is the cap, epsilon 2" in said
    assert "charged epsilon 1" in said
    assert "spent" not in said


@pytest.mark.parametrize("words", [("--who", "\ud800"), ("--why", "a\udcff")])
def test_a_name_that_is_no_text_is_refused_and_the_ledger_can_be_exported(steward, tmp_path, words):
    assert register(steward, *words) == 2
    assert register(steward) == 0
    assert steward("ledger", "--workspace", "w", "--export", "chain.json") == 0


def test_ending_the_app_ends_its_server(tmp_path):
    """SIGTERM to ``hmpb app`` left the server running."""
    server = tmp_path / "streamlit.py"  # stands in for the package
    server.write_text(
        "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(60)\n"
    )
    (tmp_path / "serve.py").write_text("")
    code = (
        "import pathlib\nfrom hmpb_core.commands import app\n"
        "app.require_app = lambda: None\n"
        f"app.entry_script = lambda: pathlib.Path({str(tmp_path / 'serve.py')!r})\n"
        "from hmpb_core.cli import main\nraise SystemExit(main(['app']))\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    waited = time.monotonic() + 60
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < waited
        time.sleep(0.05)
    server_id = int((tmp_path / "pid").read_text())
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(server_id, 0)


@pytest.mark.parametrize(
    "words",
    [
        ("codebook", "people.csv", "-o", "people.csv"),
        ("synthesize", "people.csv", "--codebook", "cb.json", "--epsilon", "1", "--out", "people.csv"),
        ("plan", "--codebook", "cb.json", "--epsilon", "1", "-o", "cb.json"),
        ("report", "people.csv", "people.csv", "--codebook", "cb.json", "--fast", "-o", "./people.csv"),
        ("evaluate", "out/data.csv", "people.csv", "--codebook", "cb.json"),
        ("attack", "people.csv", "--codebook", "cb.json", "--epsilon", "1", "--json", "people.csv"),
    ],
)
def test_no_command_writes_onto_what_it_reads(steward, tmp_path, capsys, words):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    code = steward(*words)
    assert code == 2
    refused = "is what the command reads; it would be overwritten. Name another file to write."
    assert (refused in capsys.readouterr().err) is (words[0] != "evaluate")  # that one lacks its file
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_synthetic_table_is_not_written_over_its_own_source(steward, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    table = (tmp_path / "people.csv").read_bytes()
    (tmp_path / "out" / "data.csv").write_bytes(table)
    words = ("out/data.csv", "--codebook", "cb.json", "--epsilon", "1", "--out", "out")
    assert steward("synthesize", *words) == 2
    assert "'data.csv' is what the command reads" in capsys.readouterr().err
    assert (tmp_path / "out" / "data.csv").read_bytes() == table


def test_a_draft_keeps_what_stood_in_its_place(steward, tmp_path, capsys):
    (tmp_path / "mine.json").write_text("an afternoon's work", encoding="utf-8")
    assert steward("codebook", "people.csv", "-o", "mine.json") == 0
    assert "mine.json was there already: it is kept as mine.json.1." in capsys.readouterr().err
    assert steward("codebook", "people.csv", "-o", "mine.json") == 0  # the same draft again
    assert steward("codebook", "people.csv", "--guess", "-o", "mine.json") == 0
    assert (tmp_path / "mine.json.1").read_text(encoding="utf-8") == "an afternoon's work"
    assert "guess" not in (tmp_path / "mine.json.2").read_text(encoding="utf-8")
    assert not (tmp_path / "mine.json.3").exists()


def test_a_draft_names_what_it_leaves_unpublished(steward, tmp_path, capsys):
    people(300, seed=8).assign(passport=[f"P{n:06d}" for n in range(300)]).to_csv(
        tmp_path / "t.csv", index=False
    )
    assert steward("codebook", "t.csv", "--guess", "-o", "t.json") == 0
    assert "Not published, as identifiers or free text: 'passport'. Where" in capsys.readouterr().err


def test_a_draft_names_empty_columns_and_ones_that_it_cannot_read_apart_from_identifiers(
    steward, tmp_path, capsys
):
    days = [f"2013-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(270)] + [
        "2013-08",
        "2013",
        "2014-1",
    ] * 10
    seen = [day if n % 9 else str(2000 + n) for n, day in enumerate(days)]
    people(300, seed=8).assign(patient_id=range(300), onset=seen, extra_2=None).to_csv("t.csv", index=False)
    assert steward("codebook", "t.csv", "--guess", "-o", "t.json") == 0
    said = capsys.readouterr().err
    assert "as identifiers or free text: 'patient_id'. Where" in said
    assert "in more than one way: 'onset'. Where" in said
    assert "since no cell holds a value: 'extra_2'. If" in said


def test_a_draft_says_why_a_column_of_one_common_value_is_left_out_and_which_days_lose_their_times(
    steward, tmp_path, capsys
):
    lands = ["United States"] * 288 + [f"Republic of {letter}" for letter in "ABCDEFGHIJKL"]
    days = [f"2013-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(297)]
    forms = [("{y}-{m:02}-{d:02}", "{d}.{m}.{y}", "{m}/{d}/{y}")[n % 3] for n in range(300)]
    born = [form.format(y=1950 + n % 50, m=n % 12 + 1, d=n % 28 + 1) for n, form in enumerate(forms)]
    timed = [*days, "2013-05-01 14:30", "2013-05-02 00:00", "2013-05-03 07:15:00"]
    works = ["Developer", "Tester", "Data Analyst"] * 90 + [f"Head of {n}" for n in range(30)]
    table = people(300, seed=8).assign(land=lands, seen=timed, left=[*days, *days[:3]], born=born, work=works)
    table.to_csv("t.csv", index=False)
    assert steward("codebook", "t.csv", "--guess", "-o", "t.json") == 0
    said = capsys.readouterr().err
    assert "most rows share common values and many others are rare: 'land', 'work'. To" in said
    assert "a few have a time of day in the file: 'seen'. The times are left away" in said
    assert "in more than one way: 'born'. Where" in said
    assert "write them in one in the file, or declare a date with its 'format'" in said


def test_a_draft_names_dates_that_can_be_read_either_way_and_row_numbers_once(steward, capsys):
    table = people(300, seed=8).assign(seen=[f"{n % 9 + 1}/{n % 7 + 3}/20{n % 10 + 10}" for n in range(300)])
    table.to_csv("t.csv")
    assert steward("codebook", "t.csv", "--guess", "-o", "t.json") == 0
    said = capsys.readouterr().err
    assert "with the day or the month first: 'seen' (%-d/%-m/%Y). Where" in said
    assert said.count("'column 1'") == 1


def test_a_guess_names_lists_of_dates_that_no_one_way_of_writing_reads(steward, tmp_path, capsys):
    days = [f"{m:02}-{d:02}-2017" if d < 13 else f"{m}/{d}/2017" for m in range(1, 13) for d in range(1, 29)]
    rows = "".join(f"{day},{n % 50:02}x\n" for n, day in enumerate(days * 12))
    (tmp_path / "t.csv").write_text(f"came,ward\n{rows}")
    assert steward("codebook", str(tmp_path / "t.csv"), "--guess", "-o", "t.json") == 0
    assert "no one way of writing them reads all: 'came'. Of a list" in capsys.readouterr().err


def test_days_that_come_again_are_not_said_to_be_written_in_several_ways(steward, tmp_path, capsys):
    rows = "".join(f"{1901 + 2 * (n % 50)}-03-04,{n % 60}\n" for n in range(1000))
    (tmp_path / "t.csv").write_text(f"start,age\n{rows}")
    assert steward("codebook", str(tmp_path / "t.csv"), "--guess", "-o", "t.json") == 0
    said = capsys.readouterr().err
    assert "come again and again: 'start'. Of a list no rule" in said
    assert "no one way" not in said


def test_rows_leave_as_the_files_alone_that_can_be_written(steward, tmp_path, capsys):
    register(steward)
    plan(steward)
    assert release(steward, "--yes") == 0
    [bundle] = [path.name for path in tmp_path.glob("*.zip")]
    for name in ("more.ods", "more.zip", "more.json"):
        assert steward("resample", bundle, "--rows", "5", "-o", name) == 2
        assert "is no csv, Parquet, Excel, SPSS or Stata file by its ending" in capsys.readouterr().err
        assert not (tmp_path / name).exists()
    assert steward("resample", bundle, "--rows", "5", "-o", "more.tsv") == 0
    assert steward("resample", bundle, "--rows", "5", "-o", bundle) == 2
    assert steward("resample", "absent.zip", "--rows", "5") == 2
    assert "give the path of a release's bundle (zip)" in capsys.readouterr().err


def test_an_attack_on_a_plan_takes_no_other_limit(steward, capsys):
    plan(steward)
    words = ("attack", "people.csv", "--codebook", "cb.json", "--plan", "p.toml", "--epsilon", "5")
    assert steward(*words) == 2
    assert "leave --epsilon out" in capsys.readouterr().err


def test_one_open_field_is_one(steward, tmp_path, capsys):
    book = json.loads((tmp_path / "cb.json").read_text(encoding="utf-8"))
    book["fields"][0] = {"name": book["fields"][0]["name"], "declared": False}
    (tmp_path / "open.json").write_text(json.dumps(book), encoding="utf-8")
    assert steward("bill", "--rows", "100", "--codebook", "open.json", "--epsilon", "1") == 2
    assert "The codebook has an open field: " in capsys.readouterr().err


def test_rows_that_a_bundles_dictionary_does_not_fit_ask_for_the_codebook_of_the_release(
    steward, tmp_path, capsys
):
    people(60, seed=8).assign(town="elsewhere").to_csv(tmp_path / "own.csv", index=False)
    (tmp_path / "datapackage.json").write_bytes((tmp_path / "cb.json").read_bytes())
    for command in (["evaluate"], ["report", "-o", "r.html"]):
        for book, asked in (("cb.json", False), ("datapackage.json", True)):
            assert steward(*command, "own.csv", "people.csv", "--codebook", book) == 2
            said = capsys.readouterr().err
            assert "'town' has values that are not among its" in said
            assert ("give the codebook that the release was made with" in said) is asked
    assert "elsewhere" not in said


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_exact_figures_for_programs_say_that_they_stay_inside(steward, capsys, engine):
    words = ("evaluate", "people.csv", "people.csv", "--codebook", "cb.json", "--engine", engine)
    assert steward(*words, "--json") == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["zone"] == "steward-only"
    assert "keep them inside" in said.err


@pytest.mark.parametrize("which", ["real", "synthetic"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_evaluate_says_which_of_the_two_tables_lacks_a_column(steward, tmp_path, capsys, which, engine):
    people(60, seed=8).drop(columns="town").to_csv(tmp_path / "less.csv", index=False)
    tables = ("less.csv", "people.csv") if which == "real" else ("people.csv", "less.csv")
    assert steward("evaluate", *tables, "--codebook", "cb.json", "--engine", engine) == 2
    assert f"The {which} table lacks 'town', which the codebook declares" in capsys.readouterr().err
