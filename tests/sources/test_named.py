"""Tables that a server offers by name: what its list may say, and that no password stands in it."""

import duckdb
import pytest

from hmpb_core.cli import main
from hmpb_core.errors import SourceError
from hmpb_core.sources import named
from hmpb_core.sources.locations import open_outside
from hmpb_core.sources.named import read_named_tables
from hmpb_core.sources.relational.table import EngineTable


def listed(tmp_path, text):
    path = tmp_path / "tables.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no table"),
        ("[a", "is not TOML"),
        ("a = 1", "outside of a table"),
        ("[a]\ntable = 'x'", "needs 'where'"),
        ("[a]\nwhere = 7", "needs 'where'"),
        ("[a]\nwhere = 'x.csv'\nwho = 'me'", "needs 'who'"),
        ("[a]\nwhere = 'x.csv'\npassword = 'x'", "says 'password'"),
        ("[a]\nwhere = 'x.csv'\nengine = 'polars'", "has the engine 'polars'"),
        ("[a]\nwhere = 'x.csv'\ndelimiter = 'abc'", "delimiter"),
        ("[a]\nwhere = 'postgresql://me:hidden@host/db'", "has its password"),
        ("[a]\nwhere = 'postgresql://me:x${PART}@host/db'", "has its password"),
        ("[a]\nwhere = 'postgresql://me@host/db?password=hidden'", "has its password"),
    ],
)
def test_what_a_list_may_not_say_is_refused_in_one_sentence_without_the_password(tmp_path, text, words):
    with pytest.raises(SourceError, match=words) as refused:
        read_named_tables(listed(tmp_path, text))
    assert "hidden" not in str(refused.value)


def test_passwords_come_from_the_environment_whatever_they_hold(tmp_path, monkeypatch):
    (table,) = read_named_tables(
        listed(tmp_path, "[visits]\nwhere = 'postgresql://me:${SECRET}@${HOST}/db'\ntable = 'visits'")
    )
    assert "SECRET" not in repr(table)
    where = table.place({"SECRET": "a/b@c:d e", "HOST": "db.example.org:5433"})
    assert where == "postgresql://me:a%2Fb%40c%3Ad%20e@db.example.org:5433/db"
    from hmpb_core.sources.relational.postgres import _settings

    told = _settings(where)
    assert (told["password"], told["host"], told["port"]) == ("a/b@c:d e", "db.example.org", 5433)
    monkeypatch.delenv("SECRET", raising=False)
    with pytest.raises(SourceError, match="environment variable SECRET, which is not set"):
        table.open()


def test_paths_begin_at_the_lists_folder_and_large_files_stay_on_disk(tmp_path):
    duckdb.sql("SELECT range AS x FROM range(3000)").write_parquet(str(tmp_path / "t.parquet"))
    (table,) = read_named_tables(listed(tmp_path, "[t]\nwhere = '*.parquet'"))
    assert len(table.open().table) == 3000
    outside = table.open(most_bytes=1000).table
    assert isinstance(outside, EngineTable)
    assert outside.n_rows == 3000


def test_a_table_is_offered_to_those_it_names(tmp_path):
    everybody, few = read_named_tables(
        listed(tmp_path, "[a]\nwhere = 'a.csv'\n[b]\nwhere = 'b.csv'\nwho = ['ada@x']")
    )
    assert [everybody.is_offered_to(login) for login in (None, "ada@x", "bob@x")] == [True, True, True]
    assert [few.is_offered_to(login) for login in (None, "ada@x", "bob@x")] == [False, True, False]


def test_the_app_does_not_start_with_a_list_that_cannot_be_used(tmp_path, capsys):
    assert main(["app", "--tables", str(listed(tmp_path, "[a]\nwhere = 3"))]) == 2
    assert "needs 'where'" in capsys.readouterr().err
    assert main(["app", "--tables", str(tmp_path / "none.toml")]) == 2
    assert named.ENTRIES[0] == "where"


def test_drawn_rows_are_a_random_sample_of_the_table(tmp_path):
    import numpy as np

    path = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT range AS x, CASE WHEN range % 2 = 0 THEN 'a' END AS word, [1.5] AS list, "
        "DATE '2000-01-01' AS day, range / 2 AS half FROM range(20000)"
    ).write_parquet(str(path))
    table = open_outside(str(path))
    rng = np.random.default_rng(1)
    rows = table.drawn(1000, rng)
    assert rows["x"].is_unique
    assert len(rows) == 1000
    # the mean of 1000 of 0..19999 has a standard deviation of 178
    assert abs(float(rows["x"].mean()) - 9999.5) < 900
    assert rows["word"].isna().tolist() == (rows["x"] % 2 == 1).tolist()
    assert set(rows["day"]) == {"2000-01-01"}
    assert rows["list"].isna().all()
    assert float((rows["half"] * 2 - rows["x"]).abs().max()) == 0
    assert not table.drawn(1000, rng)["x"].equals(rows["x"])
    assert len(table.drawn(30_000, rng)) == 20_000
    with pytest.raises(SourceError, match="lists, bytes"):
        table.require_values(["x", "list"])
