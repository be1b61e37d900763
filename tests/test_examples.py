"""The examples run as they stand, and show what they promise."""

import runpy
import sqlite3
from pathlib import Path

import pytest

from hmpb_core.planning.methods import Accounting, methods_under
from tests.sources.conformance import SourceConformance

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SqliteSource = runpy.run_path(str(EXAMPLES / "custom_source.py"))["SqliteSource"]


def run(name, monkeypatch, capsys, *arguments):
    """Run a script as the command line does, and give what it prints."""
    monkeypatch.setattr("sys.argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_every_example_is_listed_and_run_here():
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    here = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert f"]({path.name})" in listed
        assert f'"{path.name}"' in here


def test_a_steward_pays_once_and_draws_more_rows_for_free(monkeypatch, capsys):
    said = run("steward.py", monkeypatch, capsys)
    assert "in total           epsilon 1.000" in said
    assert "hidden costs: none" in said
    assert "released 2000 rows" in said


@pytest.mark.slow
def test_a_researcher_sees_noise_shrink_and_the_dependences_that_a_method_keeps(monkeypatch, capsys):
    said = run("compare_methods.py", monkeypatch, capsys, "1").splitlines()
    errors = {name: [float(e) for e in figures] for name, *figures in map(str.split, said[1:])}
    assert set(errors) == {spec.name for spec in methods_under(Accounting.SOUND)}
    assert errors["hmprivbayes"][0] > 2 * errors["hmprivbayes"][2]
    assert errors["hmprivbayes"][2] < errors["independent"][2] / 2


def test_a_database_is_counted_where_it_lies(monkeypatch, capsys):
    said = run("custom_source.py", monkeypatch, capsys)
    assert said.startswith("epsilon 1.000; 2000 rows drawn")


class TestSqliteSource(SourceConformance):
    @pytest.fixture
    def make(self):
        connections = []

        def make(codes, domain):
            connection = sqlite3.connect(":memory:")
            connections.append(connection)
            columns = ", ".join(domain.names)
            connection.execute(f"CREATE TABLE rows ({columns})")
            places = ", ".join("?" * len(domain))
            connection.executemany(f"INSERT INTO rows VALUES ({places})", codes.tolist())
            return SqliteSource(connection, "rows", domain)

        yield make
        for connection in connections:
            connection.close()
