"""The command line: what it writes, what it refuses, how it ends."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import COMMANDS, main, parser_of_all
from hmpb_core.rules.declared import without_source
from tests.tables import SCHEMA, people

MODULES = [import_module(f"hmpb_core.commands.{name}") for name in COMMANDS]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    people().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return tmp_path


def synthesize(table: Path, *options: str, data: str = "people.csv", out: str = "out") -> int:
    return main([*_command(table, data), "--out", str(table / out), *options])


def _command(table: Path, data: str = "people.csv") -> list[str]:
    return ["synthesize", str(table / data), "--codebook", str(table / "cb.json"), "--epsilon", "1"]


def run_json(table: Path, out: str = "out") -> dict[str, object]:
    account: dict[str, object] = json.loads((table / out / "run.json").read_text(encoding="utf-8"))
    return account


def test_synthesize_writes_one_file_where_out_names_one(table: Path) -> None:
    assert synthesize(table, out="made/rows.csv") == 0
    made = table / "made"
    assert sorted(path.name for path in made.iterdir()) == ["rows.csv", "rows.run.json"]
    assert len(pd.read_csv(made / "rows.csv")) == len(pd.read_csv(table / "people.csv"))


@pytest.mark.parametrize("out", ["made/rows.parquet", "made/rows/", "made/rows.parquet/"])
def test_synthesize_writes_parquet_to_a_file_or_to_a_folder_of_parts(table: Path, out: str) -> None:
    assert main([*_command(table), "--rows", "300", "--out", f"{table}/{out}"]) == 0
    name = out.removeprefix("made/").rstrip("/")
    made = table / "made"
    assert sorted(path.name for path in made.iterdir()) == sorted([name, "rows.run.json"])
    assert (made / name).is_dir() == out.endswith("/")
    assert len(pd.read_parquet(made / name)) == 300


def test_synthesize_refuses_a_folder_of_other_files_before_it_reads_the_table(table: Path, capsys) -> None:
    (table / "notes").mkdir()
    (table / "notes" / "mine.txt").write_text("mine")
    assert main([*_command(table, data="nowhere.csv"), "--out", f"{table}/notes/"]) == 2
    assert "'notes' holds other files than Parquet parts" in capsys.readouterr().err


def test_synthesize_writes_the_same_columns_and_an_account(table: Path) -> None:
    assert synthesize(table) == 0
    sampled = pd.read_csv(table / "out" / "data.csv", keep_default_na=False, dtype=str)
    real = people().astype(str)
    assert list(sampled.columns) == list(real.columns)
    assert len(sampled) == len(real)
    for name in ("smokes", "coughs", "town", "income"):
        assert set(sampled[name]) <= set(real[name])
    assert sampled.age.astype(int).between(0, 79).all()
    account = run_json(table)
    assert set(account) >= {
        "method",
        "accounting",
        "guarantee",
        "shares",
        "bill",
        "similarity",
        "clusters",
        "networks",
        "weights",
        "releasable",
    }
    assert account["releasable"] is False  # nothing was charged to a ledger
    assert "seconds" not in account
    assert set(account["guarantee"]) == {"currency", "epsilon", "delta", "neighbors"}
    assert set(account["bill"]) >= {"nominal", "total", "stages", "attributes", "unpaid"}
    assert account["bill"]["total"] == pytest.approx(1.0)
    assert {"measure", "names", "matrix", "noise_sd"} == set(account["similarity"])
    said = {"risk_entropy", "weight", "share", "noise_sd", "uniform_noise_sd", "spent"}
    assert all(set(w) == said for w in account["weights"].values())
    assert account["learner"] == "adaptive"
    drawn = [w for w in account["weights"].values() if w["noise_sd"] is not None]
    assert drawn  # an attribute of which no table was drawn as the child has none
    assert all(w["noise_sd"] > 0 for w in drawn)
    assert sum(account["shares"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "privbayes"],
        ["--method", "noprivacy"],
        ["--method", "independent"],
        ["--accounting", "as-published"],
        ["--guarantee", "pure"],
        ["--neighbors", "add-remove"],
        ["--similarity", "mic", "--clusters", "2"],
        ["--gamma", "0", "--parents", "1"],
        ["--shares", "one-way tables=0.2,similarity=0.2,structure=0.2,conditional tables=0.4"],
    ],
)
def test_every_setting_of_the_pipeline_runs(table: Path, options: list[str]) -> None:
    assert synthesize(table, *options, "--rows", "100") == 0
    assert len(pd.read_csv(table / "out" / "data.csv")) == 100


def test_a_seed_repeats_the_run_and_makes_it_unreleasable(table: Path) -> None:
    for out in ("a", "b"):
        assert synthesize(table, "--seed", "4", out=out) == 0
    assert (table / "a" / "data.csv").read_bytes() == (table / "b" / "data.csv").read_bytes()
    assert run_json(table, "a")["releasable"] is False


def test_parquet_goes_in(table: Path) -> None:
    people().to_parquet(table / "people.parquet")
    assert synthesize(table, data="people.parquet") == 0


def test_a_guessed_codebook_is_never_releasable(table: Path) -> None:
    assert main(["codebook", str(table / "people.csv"), "-o", str(table / "cb.json"), "--guess"]) == 0
    schema = json.loads((table / "cb.json").read_text(encoding="utf-8"))
    guesses = [field for field in schema["fields"] if field["source"]["kind"] == "guess"]
    assert guesses
    assert all(field["declared"] is False for field in guesses)
    for field in guesses:  # the mark alone does not make a guess public
        del field["declared"]
    (table / "cb.json").write_text(json.dumps(schema), encoding="utf-8")
    assert synthesize(table) == 0
    assert run_json(table)["releasable"] is False


def test_rules_that_every_row_keeps_are_written_as_guesses_and_the_rows_keep_them(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(8)
    town = rng.choice(["A", "B", "C", "D"], 900)
    born = rng.integers(1930, 2005, 900)
    frame = pd.DataFrame({"town": town, "land": np.isin(town, ["A", "B"]).astype(int), "born": born})
    frame.assign(age=2021 - born, again=born, noise=rng.integers(0, 9, 900)).to_csv(
        table / "people.csv", index=False
    )
    draft = ["codebook", str(table / "people.csv"), "-o", str(table / "cb.json"), "--rules"]
    assert main(draft) == 2
    assert "give --guess as well" in capsys.readouterr().err
    assert main([*draft, "--guess"]) == 0
    assert "age = 2021 - born. " in (said := capsys.readouterr().err)
    assert "They stand in the codebook's 'rules' as guesses" in said
    assert "say the same as another column" not in said
    schema = json.loads((table / "cb.json").read_text(encoding="utf-8"))
    assert all(rule["source"] == {"kind": "guess"} and rule["declared"] is False for rule in schema["rules"])
    written = {rule["column"]: without_source(rule) for rule in schema["rules"]}
    assert written == {
        "age": {"kind": "computed", "column": "age", "formula": "2021 - born"},
        "again": {"kind": "equal", "column": "again", "to": "born"},
        "land": {
            "kind": "follows",
            "column": "land",
            "from": "town",
            "values": {"A": 1, "B": 1, "C": 0, "D": 0},
        },
    }
    for field in schema["fields"]:
        field["source"] = {"kind": "typed"}
        field.pop("declared", None)
        field.setdefault("constraints", {})["required"] = True  # a rule says nothing of what is empty
    (table / "cb.json").write_text(json.dumps(schema), encoding="utf-8")
    capsys.readouterr()
    assert synthesize(table) == 0
    assert "Not releasable: the codebook's rule" in capsys.readouterr().err
    rows = pd.read_csv(table / "out" / "data.csv")
    assert (rows["age"] == 2021 - rows["born"]).all()
    assert (rows["again"] == rows["born"]).all()
    assert (rows["land"] == rows["town"].isin(["A", "B"])).all()


def test_a_codebook_from_the_header_alone_holds_no_value_of_the_rows(table: Path) -> None:
    assert main(["codebook", str(table / "people.csv"), "-o", str(table / "draft.json")]) == 0
    text = (table / "draft.json").read_text(encoding="utf-8")
    assert [field["name"] for field in json.loads(text)["fields"]] == list(people().columns)
    assert "north" not in text


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--epsilon", "0"], 2, "epsilon is 0"),
        (["--epsilon", "nan"], 2, "epsilon is nan"),
        (["--delta", "0.5"], 2, "delta is 0.5"),
        (["--guarantee", "pure", "--delta", "1e-9"], 2, "delta"),
        (["--clusters", "0"], 2, "clusters is 0"),
        (["--shares", "one-way tables=0.9,similarity=0.9,structure=0,conditional tables=0"], 2, "sum"),
        (["--shares", "one-way tables=x"], 2, "not a share"),
        (["--neighbors", "add-remove", "--similarity", "mic"], 2, "mic"),
        (["--method", "privbayes", "--neighbors", "add-remove"], 2, "method 'privbayes' scores by"),
        (["--accounting", "as-published", "--guarantee", "zcdp"], 2, "pure"),
        (
            ["--shares", "one-way tables=0,similarity=0.5,structure=0.2,conditional tables=0.3"],
            2,
            "one-way tables",
        ),
    ],
)
def test_an_impossible_plan_gets_one_sentence_and_exit_code_2(
    table: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, words: str
) -> None:
    assert synthesize(table, *options) == code
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error
    assert not (table / "out" / "data.csv").exists()


def test_a_value_outside_the_codebook_is_refused_without_naming_it(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = people()
    frame.loc[5, "town"] = "atlantis-sentinel"
    frame.to_csv(table / "people.csv", index=False)
    assert synthesize(table) == 2
    error = capsys.readouterr().err
    assert "town" in error
    assert "atlantis" not in error


HUGE = "1" + 400 * "0"


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("gamma", "21", "between -20 and 20"),
        ("gamma", "nan", "between -20 and 20"),
        ("sigma", "0", "between 0.001 and 1000"),
        ("eta", "-1", "between 0 and 1"),
        ("clusters", HUGE, "at most 10"),
        ("clusters", f"-{HUGE}", "at least 1"),
        ("parents", "1001", "between 1 and 1000"),
        ("parents", HUGE, "between 1 and 1000"),
        ("rows", HUGE, "at most 1,000,000,000,000"),
        ("delta", "2", "between 1e-30 and 0.001"),
        ("epsilon", "1e400", "between 0.001 and 100"),
    ],
    ids=lambda value: value[:8],
)
def test_a_bill_is_refused_with_what_is_allowed(
    capsys: pytest.CaptureFixture[str], option: str, value: str, allowed: str
) -> None:
    words = {"rows": "100", "attributes": "10", "epsilon": "1"} | {option: value}
    assert main(["bill", *(f"--{name}={given}" for name, given in words.items())]) == 2
    said = capsys.readouterr().err
    assert allowed in said
    assert said.count("\n") == 1


def test_the_help_says_which_strengths_of_the_weights_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bill", "--help"])
    assert "strength of the risk weights, -20 to 20; 0 for" in " ".join(capsys.readouterr().out.split())


def test_the_bill_as_json_has_the_agreed_names(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        [
            *("bill", "--rows", "45222", "--attributes", "52", "--epsilon", "1", "--clusters", "3"),
            *("--accounting", "as-published", "--json"),
        ]
    )
    assert code == 0
    bill = json.loads(capsys.readouterr().out)
    assert bill["nominal"] == 1
    assert bill["total"] == pytest.approx(12.75, abs=0.005)
    assert sum(bill["stages"].values()) == pytest.approx(bill["total"])
    assert len(bill["attributes"]) == 52
    assert any("risk weights" in item for item in bill["unpaid"])


def test_a_plans_file_is_billed_as_it_is_without_a_number_of_rows(table: Path, capsys) -> None:
    plan, book = str(table / "p.toml"), ("--codebook", str(table / "cb.json"))
    shares = "one-way tables=1/4,similarity=1/4,structure=1/4,conditional tables=1/4"
    made = ("--epsilon", "0.8", "--guarantee", "pure", "--shares", shares, "-o", plan)
    assert main(["plan", *book, *made]) == 0
    capsys.readouterr()
    assert main(["bill", *book, "--plan", plan, "--json"]) == 0
    bill = json.loads(capsys.readouterr().out)
    assert bill["total"] == pytest.approx(0.8)
    assert list(bill["stages"].values()) == pytest.approx([0.2] * 4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--plan", "p.toml", "--codebook", "cb.json", "--gamma", "0"), "leave --gamma out"),
        (("--plan", "p.toml", "--codebook", "cb.json", "--rows", "9"), "leave --rows out"),
        (("--plan", "p.toml", "--codebook", "other.json"), "made for another codebook"),
        (("--plan", "p.toml", "--attributes", "9"), "give --codebook"),
        (("--codebook", "cb.json", "--epsilon", "1"), "give --plan, or --rows and --epsilon"),
        (("--codebook", "cb.json", "--rows", "9"), "give --plan, or --rows and --epsilon"),
    ],
)
def test_a_bill_of_half_a_plan_or_of_two_is_refused(
    table: Path, capsys, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(table)
    assert main(["plan", "--codebook", "cb.json", "--epsilon", "1", "-o", "p.toml"]) == 0
    Path("other.json").write_text(json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:2]}), encoding="utf-8")
    assert main(["bill", *options]) == 2
    assert said in capsys.readouterr().err


def test_every_command_explains_itself_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for module in MODULES:
        name = module.__name__.rsplit(".", 1)[1]
        with pytest.raises(SystemExit) as end:
            main([name, "--help"])
        assert end.value.code == 0
        out = capsys.readouterr().out
        assert "example:" in out
        assert f"hmpb {name}" in out


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rsplit(".", 1)[1])
def test_the_example_in_the_help_of_a_command_is_one_that_it_understands(module: ModuleType) -> None:
    program, *words = shlex.split(module.EXAMPLE)
    assert program == "hmpb"
    assert parser_of_all().parse_args(words).run is module.run


def test_every_option_of_every_command_says_what_it_is() -> None:
    (commands,) = (a for a in parser_of_all()._actions if isinstance(a, argparse._SubParsersAction))
    silent = [
        f"{name} {action.option_strings or action.dest}"
        for name, command in commands.choices.items()
        for action in command._actions
        if not action.help
    ]
    assert silent == []


def test_the_help_names_every_command_with_the_line_that_the_command_has_itself() -> None:
    (commands,) = (a for a in parser_of_all()._actions if isinstance(a, argparse._SubParsersAction))
    assert {choice.dest: choice.help for choice in commands._choices_actions} == COMMANDS
    assert {name: commands.choices[name].description for name in COMMANDS} == COMMANDS
    known = Path(import_module("hmpb_core.commands").__file__ or "").parent.glob("*.py")
    assert set(COMMANDS) == {path.stem for path in known if "def add(commands" in path.read_text("utf-8")}


def test_an_unknown_command_is_refused_with_a_list_of_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["bil"])
    assert end.value.code == 2
    assert "invalid choice: 'bil' (choose from 'codebook', 'bill', " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            ["bill", "--rows", "9", "--attributes", "5", "--epsilon", "1,5"],
            "--epsilon: invalid float value: '1,5'",
        ),
        (["synthesize", "people.csv"], "required: --codebook, --epsilon, -o/--out"),
        (["ledger", "--workspace", "w", "--verfy"], "unrecognized arguments: --verfy"),
    ],
)
def test_a_word_that_no_command_takes_is_refused_in_one_sentence_that_names_the_help(
    typed: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(typed)
    said = capsys.readouterr().err
    assert end.value.code == 2
    assert told in said
    assert said.endswith(" --help' explains what it takes.\n")
    assert said.count("\n") == 1


def test_ctrl_c_while_a_command_loads_stops_it_in_one_word() -> None:
    code = (
        "import sys\n"
        "class CtrlC:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pandas':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, CtrlC())\n"
        "from hmpb_core.cli import main\n"
        "sys.exit(main(['codebook', 'people.csv', '-o', 'people.json']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Stopped.\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["--help", "bill --help", "--version", "ledger --workspace none", "bill"])
def test_where_nobody_reads_the_words_or_no_word_can_be_written_there_is_no_trace(
    words: str, unbuffered: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``hmpb bill --help | true`` ended in a BrokenPipeError, and a full disk in an OSError."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    script = "import sys; from hmpb_core.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", script, *words.split()]
    right = 0 if words.startswith(("--", "bill --")) else 2
    ways = {"nobody reads": right, "closed": right, "full": 2}
    read, written = os.pipe()
    os.close(read)
    for way, code in ways.items():
        with Path("/dev/full" if way == "full" else os.devnull).open("wb") as file:
            taken = written if way == "nobody reads" else file
            before = ["sh", "-c", 'exec "$@" >&-', "sh"] if way == "closed" else []
            done = subprocess.run([*before, *command], stdout=taken, stderr=subprocess.PIPE, check=False)
        if not (unbuffered and way == "full"):  # argparse passes over a word that cannot be written
            assert (way, done.returncode) == (way, code)
        assert b"Error" not in done.stderr
        assert b"fault" not in done.stderr
    os.close(written)


def test_more_clusters_than_attributes_are_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ("bill", "--rows", "100", "--epsilon", "1", "--clusters")
    assert main([*options, "99", "--attributes", "2"]) == 2
    assert "clusters is 99, but there are only 2 attributes" in capsys.readouterr().err
    assert main([*options, "2", "--attributes", "2"]) == 0
