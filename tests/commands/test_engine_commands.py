"""Tables that stay in an engine, as a steward types them: the same rows, the same ledger, charged once."""

import json
import socket
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.commands import report
from hmpb_core.errors import SourceError
from hmpb_core.privacy.noise import SeededNoise
from hmpb_core.sources.relational.embedded import DuckDBEngine
from tests.tables import SCHEMA, people


@pytest.fixture
def steward(tmp_path, monkeypatch):
    """A folder with one table as csv, as Parquet and in parts, and a way to type commands in it."""
    monkeypatch.chdir(tmp_path)
    table = people(800)
    table["person"] = range(800)
    table.to_csv("people.csv", index=False)
    table.iloc[::-1].to_parquet("people.parquet", index=False)
    (tmp_path / "parts").mkdir()
    table.iloc[:300].to_csv("parts/1.csv", index=False)
    table.iloc[300:].to_csv("parts/2.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")

    def type_in(words):
        return main(words.split())

    return type_in


def ledger(steward, capsys):
    capsys.readouterr()
    assert steward("ledger --workspace w --json --verify") == 0
    return json.loads(capsys.readouterr().out)["datasets"]


def test_a_codebook_is_drafted_from_the_names_of_a_table_wherever_synthesize_takes_it(
    steward, tmp_path, capsys
):
    with duckdb.connect(str(tmp_path / "p.duckdb")) as base:
        base.execute("CREATE TABLE people AS SELECT * FROM 'people.parquet'")
        base.execute("CREATE TABLE more AS SELECT 1 AS x")
    assert steward("codebook people.csv -o file.json") == 0
    drafted = json.loads((tmp_path / "file.json").read_text(encoding="utf-8"))["fields"]
    places = ("parts", "parts/*.csv", "people.parquet", "duckdb:///p.duckdb --table people")
    for number, place in enumerate(places):
        assert steward(f"codebook {place} -o {number}.json") == 0
        draft = json.loads((tmp_path / f"{number}.json").read_text(encoding="utf-8"))
        assert draft["fields"] == drafted, place
    assert "Read as ." not in capsys.readouterr().err


def test_a_codebook_is_not_drafted_where_it_could_not_be_of_one_table(steward, tmp_path, capsys):
    (tmp_path / "parts" / "3.csv").write_text("age,shoe\n1,2\n", encoding="utf-8")
    assert steward("codebook parts -o cb2.json") == 2
    assert "'3.csv' has other columns than '1.csv'" in capsys.readouterr().err
    for place in ("parts", "parts/[12].csv", "duckdb:///p.duckdb"):
        assert steward(f"codebook {place} --guess -o cb2.json") == 2
        assert "--guess reads the rows of one file; name one, or leave --guess out" in capsys.readouterr().err
    assert steward("codebook people.csv --table people -o cb2.json") == 2
    assert "--table names a table of a database" in capsys.readouterr().err
    assert not (tmp_path / "cb2.json").exists()


def test_an_engine_draws_the_rows_that_memory_draws_and_tells_what_it_took(steward, tmp_path):
    common = "--codebook cb.json --epsilon 1 --method independent --seed 3 --rows 70"
    assert steward(f"synthesize people.csv {common} --out memory") == 0
    assert steward(f"synthesize parts {common} --engine duckdb --out parts-out") == 0
    assert steward(f"synthesize parts/*.csv {common} --engine duckdb --out glob-out") == 0
    rows = (tmp_path / "memory" / "data.csv").read_bytes()
    assert rows.count(b"\n") == 71
    for out in ("parts-out", "glob-out"):
        assert (tmp_path / out / "data.csv").read_bytes() == rows
    accounts = [json.loads((tmp_path / out / "run.json").read_text()) for out in ("memory", "parts-out")]
    assert [(account["engine"], account["scans"]) for account in accounts] == [("memory", 1), ("duckdb", 1)]
    assert all(account["peak_bytes"] > 10**7 for account in accounts)


@pytest.mark.parametrize(
    ("first", "second"),
    [("people.csv", "people.parquet --engine duckdb"), ("parts --engine duckdb", "people.parquet")],
)
def test_a_table_registered_by_one_engine_is_released_and_refused_by_another(steward, capsys, first, second):
    cap = "--codebook cb.json --workspace w --cap 2 --unit person:1"
    assert steward(f"register {first} {cap}") == 0
    for name in ("again", first.split()[0].split(".")[0]):
        assert steward(f"register {second} {cap} --name {name}") == 2
        assert "registered already" in capsys.readouterr().err  # and not another table of that name
    assert steward("plan --codebook cb.json --epsilon 1 --method independent -o p.toml") == 0
    for data, epsilon in ((second, 1.0), (first, 2.0)):
        out = f"{epsilon:g}.zip"
        words = f"release {data} --codebook cb.json --plan p.toml --workspace w --out {out} --yes"
        found = steward(words)
        if epsilon == 1.0:
            assert found == 0, capsys.readouterr().err
    (dataset,) = ledger(steward, capsys)
    assert "digest" not in dataset["entries"][0]["details"]
    assert [entry["kind"] for entry in dataset["entries"]].count("charge") == 2


def test_a_changed_table_is_another_one(steward, capsys):
    steward("register people.csv --codebook cb.json --workspace w --cap 2 --unit row --engine duckdb")
    steward("plan --codebook cb.json --epsilon 1 --method independent -o p.toml")
    pd.read_csv("people.csv", keep_default_na=False).iloc[1:].to_csv("fewer.csv", index=False)
    for engine in ("memory", "duckdb"):
        capsys.readouterr()
        words = "--codebook cb.json --plan p.toml --workspace w --out b.zip --yes"
        assert steward(f"release fewer.csv {words} --engine {engine}") == 3
        assert "not registered" in capsys.readouterr().err


def test_a_survey_looks_at_the_rows_where_they_are(steward, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("hmpb_core.privacy.accountant.SystemNoise", lambda: SeededNoise(4))  # chance, else
    draft = {"fields": [{"name": "age", "type": "integer", "declared": False}, *SCHEMA["fields"][1:]]}
    (tmp_path / "draft.json").write_text(json.dumps(draft), encoding="utf-8")
    assert steward("register parts --workspace w --cap 20 --unit person:1 --engine duckdb") == 0
    words = "--codebook draft.json --workspace w --epsilon 10 -o found.json --yes --engine duckdb"
    assert steward(f"survey people.parquet {words}") == 0
    (age, *_) = json.loads((tmp_path / "found.json").read_text())["fields"]
    assert age["source"]["kind"] == "survey"
    assert age["constraints"]["minimum"] <= 1
    assert 79 <= age["constraints"]["maximum"] <= 255  # to 127, or one power of two more
    (dataset,) = ledger(steward, capsys)
    assert [entry["kind"] for entry in dataset["entries"]] == ["register", "charge", "complete"]


def test_evaluate_compares_the_marginals_of_a_table_that_stays_out(steward, tmp_path, capsys):
    people(600, seed=9).to_csv("drawn.csv", index=False)
    figures = []
    for engine in ("memory", "duckdb"):
        capsys.readouterr()
        assert steward(f"evaluate people.csv drawn.csv --codebook cb.json --json --engine {engine}") == 0
        figures.append(json.loads(capsys.readouterr().out))
    assert figures[1].pop("zone") == figures[0]["zone"]
    assert figures[1] == pytest.approx({name: figures[0][name] for name in ("avd2", "avd3")})
    assert steward("evaluate people.csv drawn.csv --codebook cb.json --engine duckdb --target income") == 2
    assert "stay in DuckDB" in capsys.readouterr().err


def test_evaluate_keeps_its_columns_below_each_other_under_long_questions(steward, capsys):
    question = "Do you consider yourself to be a fan of the film franchise, whichever film you saw first?"
    rows = people(300, seed=9)[["age"]].assign(**{question: ["yes", "no", "no"] * 100})
    rows.to_csv("asked.csv", index=False)
    book = {"fields": [{"name": question, "categories": ["yes", "no"]}, {"name": "age", "type": "integer"}]}
    book["fields"][1] |= {"constraints": {"minimum": 0, "maximum": 120}, "bins": 8}
    Path("asked.json").write_text(json.dumps(book), encoding="utf-8")
    capsys.readouterr()
    assert steward("evaluate asked.csv asked.csv --codebook asked.json") == 0
    head, *lines = capsys.readouterr().out.splitlines()[-3:]
    assert head.startswith("column")
    assert len({len(line) for line in (head, *lines)}) == 1


def test_a_report_compares_with_rows_drawn_at_random_where_the_table_stays_out_and_says_so(
    steward, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(report, "MOST_ROWS", 500)
    people(300, seed=9).to_csv("drawn.csv", index=False)
    with duckdb.connect("t.duckdb") as made:
        made.execute("CREATE TABLE people AS SELECT * FROM 'people.parquet'")
    seen = {}

    def noted(real, *_, drawn, **__):
        seen.update(rows=len(real), drawn=drawn, known=set(real["person"]) <= set(range(800)))
        raise SourceError("Enough.")

    monkeypatch.setattr("hmpb_core.utility.utility_report", noted)
    words = "--table people drawn.csv --codebook cb.json -o r.html"
    assert steward(f"report duckdb:///t.duckdb {words}") == 2
    assert "compares with 500 of its rows, drawn at random" in capsys.readouterr().err
    assert seen == {"rows": 500, "drawn": True, "known": True}
    monkeypatch.setattr(report, "MOST_ROWS", 5000)
    assert steward(f"report duckdb:///t.duckdb {words}") == 2
    assert seen == {"rows": 800, "drawn": False, "known": True}


@pytest.fixture
def lose_connection(monkeypatch):
    """Let every statement after the first few fail as a lost connection does."""

    def lose_after(statements):
        left = [statements]

        def fetch(self, query):
            left[0] -= 1
            with self.working():
                if left[0] < 0:
                    raise ConnectionError("value 4711 of a row")
                return genuine(self, query)

        monkeypatch.setattr(DuckDBEngine, "fetch", fetch)

    genuine = DuckDBEngine.fetch
    return lose_after


def test_a_lost_connection_ends_in_one_sentence_and_charges_once_or_not_at_all(
    steward, tmp_path, capsys, lose_connection
):
    steward("register people.csv --codebook cb.json --workspace w --cap 2 --unit row --engine duckdb")
    steward("plan --codebook cb.json --epsilon 1 --method independent -o p.toml")
    words = (
        "release people.csv --codebook cb.json --plan p.toml --workspace w --out b.zip --yes --engine duckdb"
    )
    kinds = []
    for statements in range(40):
        lose_connection(statements)
        capsys.readouterr()
        ended = steward(words)
        told = capsys.readouterr().err
        assert "4711" not in told
        kinds = [entry["kind"] for entry in ledger(steward, capsys)[0]["entries"]]
        if ended == 0 or "charge" in kinds:
            break
        assert kinds == ["register"]
        assert "stopped while it was counting" in told
        assert not (tmp_path / "b.zip").exists()
    assert kinds == ["register", "charge", "fail"]
    assert "The release was charged (entry 2 of the ledger), the charge stays" in told
    assert not (tmp_path / "b.zip").exists()
    assert not list((tmp_path / "w" / "releases").glob("*"))


def test_a_lost_connection_leaves_nothing_half_written(steward, tmp_path, capsys, lose_connection):
    lose_connection(4)
    words = "synthesize people.csv --codebook cb.json --epsilon 1 --engine duckdb --out out"
    assert steward(words) == 2
    assert "stopped while it was counting" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_error_of_a_backend_is_no_cause_that_could_be_shown():
    engine = DuckDBEngine()
    with pytest.raises(SourceError) as error:
        engine.fetch("SELECT 'secret' FROM nowhere")
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    assert "secret" not in str(error.value)


def test_a_spark_cluster_that_does_not_answer_ends_in_one_sentence_and_nothing_is_charged(
    steward, tmp_path, capsys
):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"spark://127.0.0.1:{closed.getsockname()[1]}"
    options = "--table people --codebook cb.json"
    assert steward("register people.csv --codebook cb.json --workspace w --cap 2 --unit person:1") == 0
    assert steward("plan --codebook cb.json --epsilon 1 -o plan.toml") == 0
    before = sorted(tmp_path.rglob("*")), ledger(steward, capsys)
    for command in (
        f"synthesize {url} {options} --epsilon 1 --out out",
        f"release {url} {options} --plan plan.toml --workspace w --out out.zip --yes",
        f"register {url} {options} --workspace w --cap 2 --unit row --name again",
        f"survey {url} --table people --codebook cb.json --workspace w --epsilon 0.1 --out s.json --yes",
    ):
        assert steward(command) == 2
        said = capsys.readouterr().err.strip().splitlines()
        assert len(said) == 1
        assert f"does not answer at {url.partition('//')[2]}" in said[0]
    assert (sorted(tmp_path.rglob("*")), ledger(steward, capsys)) == before


@pytest.mark.parametrize(
    "url", ["spark://", "spark://host", "spark://host:0", "spark://h:1,", "spark://u:p@h:1"]
)
def test_what_is_no_url_of_a_cluster_is_refused(steward, capsys, url):
    assert steward(f"synthesize {url} --table t --codebook cb.json --epsilon 1 --out out") == 2
    assert "This is no URL of a Spark cluster" in capsys.readouterr().err
