"""Tables that stay in an engine: where they are found, which engine reads them, and what leaves it."""

import datetime as dt
import itertools
import os
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as papq
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources import locations
from hmpb_core.sources.drafting import draft_from_header
from hmpb_core.sources.files import FileReading, read_table
from hmpb_core.sources.fingerprint import HashedTable
from hmpb_core.sources.identity import sum_of
from hmpb_core.sources.locations import files_of, fits_memory, open_table
from hmpb_core.sources.open import ROW, open_source
from hmpb_core.sources.relational import folders
from hmpb_core.sources.relational.cover import joint_groups, rounds
from hmpb_core.sources.relational.dialect import BLANKS
from hmpb_core.sources.relational.embedded import DuckDBEngine
from hmpb_core.sources.relational.identity import digest_of
from hmpb_core.sources.relational.table import EngineTable
from hmpb_core.survey import engine_cells
from hmpb_core.survey.cells import count
from hmpb_core.survey.engine_cells import engine_counts
from tests.sources.conformance import hostile_codebook, hostile_table, in_memory
from tests.thorough import sample

KEY = b"secret of a workspace"


@pytest.fixture
def hostile_files(tmp_path):
    """The hostile table as one Parquet file and as one csv file."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    frame = in_memory(hostile_table(), folder)
    frame.to_csv(folder / "memory.csv", index=False)
    return folder / "memory.parquet", folder / "memory.csv"


def every_count(source):
    return [table.counts.tolist() for table in source.marginals([(a,) for a in range(len(source.domain))])]


def test_a_csv_file_means_the_same_in_duckdb_as_in_memory(hostile_files):
    _, text = hostile_files
    codebook = hostile_codebook()
    inside = open_table(str(text), engine="duckdb")
    assert inside.engine == "duckdb"
    assert every_count(open_source(inside.table, codebook)) == every_count(
        open_source(open_table(str(text), engine="memory").table, codebook)
    )


def test_a_csv_file_with_semicolons_and_decimal_commas_is_read_as_in_memory(tmp_path):
    rows = [f"{i % 90},{i % 10};{['ä', 'b'][i % 2]};1.0{i % 9}0,5" for i in range(500)]
    path = tmp_path / "t.csv"
    path.write_text("x;y;z\n" + "\n".join(rows) + "\n", encoding="utf-8")
    numbers = {"type": "number", "constraints": {"minimum": 0, "maximum": 90}}
    codebook = Codebook.from_dict(
        {
            "fields": [
                {"name": "x", **numbers},
                {"name": "y", "categories": ["ä", "b"]},
                {"name": "z", "type": "number", "constraints": {"minimum": 1000, "maximum": 1100}, "bins": 9},
            ]
        }
    )
    found = [open_source(open_table(str(path), engine=e).table, codebook) for e in ("memory", "duckdb")]
    assert every_count(found[0]) == every_count(found[1])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x\na\nb,c\n", "line 3"),
        (b'x\na\n"b\nc\n', "never closes"),
        (b"x\na\n\xff\xfe\xfa" + b"a" * 10 + b"\n", "no text in utf-8"),
    ],
)
def test_a_broken_csv_file_ends_in_the_sentence_that_memory_gives(tmp_path, content, words):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=words):
        open_source(
            open_table(str(path), engine="duckdb").table,
            Codebook.from_dict({"fields": [{"name": "x", "categories": ["a"], "unknown": "a"}]}),
        )


@pytest.fixture
def parts(tmp_path):
    """A folder of Parquet parts, one with its columns in another order, beside what is no part."""
    folder = tmp_path / "parts"
    (folder / "year=2020").mkdir(parents=True)
    papq.write_table(pa.table({"a": ["x", "y"], "B": [1, 2]}), folder / "0.parquet")
    papq.write_table(pa.table({"B": [1, 1], "a": ["x", "z"]}), folder / "year=2020" / "1.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "note.md").write_text("no part")
    return folder


AB = Codebook.from_dict(
    {
        "fields": [
            {"name": "a", "categories": ["x", "y", "z"]},
            {"name": "B", "type": "integer", "categories": [1, 2]},
        ]
    }
)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_folder_and_a_glob_are_one_table(parts, engine):
    for where in (str(parts), str(parts / "**" / "*.parquet")):
        source = open_source(open_table(where, engine=engine).table, AB)
        assert source.marginal((0, 1)).counts[:3, :2].tolist() == [[2, 0], [0, 1], [1, 0]]


MIXED = {
    "whole": pa.array([3, 7, None]),
    "broken": pa.array([3.5, 3.0, None]),
    "empty": pa.nulls(3),
    "text": pa.array(["3", "7", None]),
    "listed": pa.array(["3", "7", None]).dictionary_encode(),
    "date": pa.array([dt.date(2020, 1, 5), None, None]),
    "moment": pa.array([dt.datetime(2020, 1, 5), None, None], pa.timestamp("ns")),  # noqa: DTZ001 - has none
    "decimal": pa.array([Decimal("3.00"), Decimal("7.50"), None], pa.decimal128(9, 2)),
    "truth": pa.array([True, False, None]),
}


@pytest.mark.parametrize(("one", "other"), sample(itertools.permutations(MIXED, 2), 5))
def test_files_of_which_a_column_has_two_types_are_read_as_in_memory_or_refused(tmp_path, one, other):
    for name in (one, other):
        papq.write_table(pa.table({"a": MIXED[name]}), tmp_path / f"{name}.parquet")
    fields = [
        {"type": "string", "categories": ["3", "7", "3.5", "2020-01-05"]},
        {"type": "number", "constraints": {"minimum": 0, "maximum": 9}, "bins": 9},
        {"type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-01-09"}, "bins": 9},
    ]
    if {one, other} == {"date", "moment"}:  # to a list a day is another text than its midnight
        fields = fields[1:]
    memory = open_table(str(tmp_path), engine="memory").table
    try:
        duckdb_table = open_table(str(tmp_path), engine="duckdb").table
    except SourceError as refused:
        assert "is of another type in" in str(refused)  # noqa: PT017 - some are refused, none is read otherwise
        assert {one, other} & {"date", "moment", "decimal", "truth", "broken"}
        return
    for entry in fields:
        codebook = Codebook.from_dict({"fields": [{"name": "a", "unknown": "", **entry}]})
        counts = [open_source(t, codebook).marginal([0]).counts.tolist() for t in (memory, duckdb_table)]
        assert counts[0] == counts[1]


def test_decimals_that_duckdb_cannot_hold_are_refused_by_it(tmp_path):
    wide = pa.array([Decimal("0.5"), Decimal("3.0")], pa.decimal256(50, 1))
    papq.write_table(pa.table({"a": wide}), tmp_path / "wide.parquet")
    with pytest.raises(SourceError, match="decimals of more than 38 digits"):
        open_table(str(tmp_path / "wide.parquet"), engine="duckdb")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_files_that_make_no_one_table_are_refused(parts, engine):
    papq.write_table(pa.table({"a": ["x"], "C": [1]}), parts / "2.parquet")
    with pytest.raises(SourceError, match=r"'2.parquet' has other columns than '0.parquet'"):
        open_table(str(parts), engine=engine)
    (parts / "more.csv").write_text("a,B\nx,1\n")
    with pytest.raises(SourceError, match="csv files and Parquet files"):
        files_of(str(parts))
    with pytest.raises(SourceError, match="holds no csv or Parquet file"):
        files_of(str(parts / "*.feather"))


def test_a_table_of_a_duckdb_file_is_counted_there(tmp_path):
    file = tmp_path / "a 'b'.duckdb"
    with duckdb.connect(str(file)) as made:
        made.execute(
            'CREATE TABLE "the ""table""" AS SELECT * FROM (VALUES (\'x\', 1), (\'z\', 2)) AS t(a, "B")'
        )
        made.execute("CREATE TABLE other (c INTEGER)")
    url = f"duckdb://{file}"
    with pytest.raises(SourceError, match=r"several tables or none; name one with --table"):
        open_table(url)
    with pytest.raises(SourceError, match="has no table 'absent'"):
        open_table(url, table="absent")
    source = open_source(open_table(url, table='the "table"').table, AB)
    assert source.marginal((0, 1)).counts[:3, :2].tolist() == [[1, 0], [0, 0], [0, 1]]
    with pytest.raises(SourceError, match="not a file here"):
        open_table("duckdb:///nowhere.duckdb")
    (tmp_path / "text.duckdb").write_text("no database")
    with pytest.raises(SourceError, match="is not a DuckDB database"):
        open_table(f"duckdb://{tmp_path / 'text.duckdb'}")


def test_what_a_url_or_an_option_cannot_mean_is_said(tmp_path, hostile_files):
    with pytest.raises(SourceError, match="mysql:// is not known"):
        open_table("mysql://host/db")
    with pytest.raises(SourceError, match="names its engine itself"):
        open_table("duckdb:///x.duckdb", engine="memory")
    with pytest.raises(SourceError, match="--table names a table of a database"):
        open_table(str(hostile_files[0]), table="people")
    pd.DataFrame({"a": [1]}).to_excel(tmp_path / "t.xlsx", index=False)
    with pytest.raises(SourceError, match="is read by --engine memory alone"):
        open_table(str(tmp_path / "t.xlsx"), engine="duckdb")
    (tmp_path / "t.parquet").write_text("nothing")
    with pytest.raises(SourceError, match="is not a Parquet file"):
        open_table(str(tmp_path / "t.parquet"), engine="duckdb")


def test_a_column_of_lists_is_refused_only_where_the_codebook_declares_it(tmp_path):
    papq.write_table(pa.table({"a": ["x"], "B": [1], "l": [[1.5, 2]]}), tmp_path / "t.parquet")
    opened = open_table(str(tmp_path / "t.parquet"), engine="duckdb").table
    assert open_source(opened, AB).n_rows == 1
    lists = Codebook.from_dict({"fields": [{"name": "l", "categories": ["x"]}]})
    with pytest.raises(SourceError, match="lists, bytes or intervals in the column 'l'"):
        open_source(opened, lists)


def test_a_table_that_memory_does_not_hold_goes_to_duckdb_and_that_is_said(hostile_files, monkeypatch):
    for file in hostile_files:
        assert fits_memory([str(file)])
        assert open_table(str(file)).words == ""
        monkeypatch.setattr(locations, "_free_memory", lambda: 1000.0)
        assert not fits_memory([str(file)])
        opened = open_table(str(file))
        assert isinstance(opened.table, EngineTable)
        assert "too large for memory here" in opened.words
        monkeypatch.undo()


def test_numbers_are_one_identity_in_csv_parquet_and_memory(hostile_files):
    parquet, text = (open_table(str(file), engine="duckdb").table for file in hostile_files)
    own = [HashedTable(read_table(file), KEY) for file in hostile_files]
    names = {parquet.digest(KEY), text.digest(KEY), *(sum_of(table, KEY) for table in own)}
    assert len(names) == 1
    assert len({table.fingerprint() for table in own}) == 1
    assert parquet.digest(b"another key") not in names


def test_the_identity_knows_no_order_and_notices_a_cell_a_name_and_a_row(tmp_path):
    rows = pd.DataFrame({"a": ["x", "y", "y"], "b": [1.0, 2.0, 2.0], "c": ["p", "q", None]})

    def named(frame):
        papq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "t.parquet")
        return open_table(str(tmp_path / "t.parquet"), engine="duckdb").table.digest(KEY)

    same = named(rows)
    assert named(rows.iloc[[2, 0, 1], [2, 0, 1]]) == same
    assert named(rows.assign(b=[1, 2, 2])) == same
    assert named(rows.assign(b=["1.0", "2", "2e0"])) == same
    others = [
        rows.assign(b=[1.0, 2.0, 2.5]),
        rows.rename(columns={"a": "d"}),
        pd.concat([rows, rows.iloc[[2]]]),
        rows.iloc[:2],
        rows.assign(a=rows["c"], c=rows["a"]),
    ]
    assert len({same, *map(named, others)}) == len(others) + 1


@pytest.mark.parametrize("with_texts", [True, False])
def test_the_histograms_of_a_survey_are_those_of_memory(hostile_files, with_texts):
    missing = {column: frozenset({"", "n.a.", "-9"}) for column in hostile_table().column_names}
    frame = read_table(hostile_files[0])
    for file in hostile_files if with_texts else hostile_files[:1]:
        table = open_table(str(file), engine="duckdb").table
        found = engine_counts(table, missing, ROW, with_texts=with_texts)
        own = read_table(file)
        for name in frame.columns:
            expected = count(own[name], missing[name], with_texts=with_texts)
            here = found[name]
            assert dict(
                zip(here.texts, here.cells[-len(here.texts) :], strict=True) if here.texts else ()
            ) == dict(
                zip(expected.texts, expected.cells[-len(expected.texts) :], strict=True)
                if expected.texts
                else ()
            ), name
            size = len(expected.cells) - len(expected.texts)
            assert np.array_equal(here.cells[:size], expected.cells[:size]), name
            assert np.array_equal(here.kinds, expected.kinds), name
            assert np.array_equal(here.decimals, expected.decimals), name
            assert here.distinct == expected.distinct, name
            assert dict(here.small) == dict(expected.small), name


def test_an_engine_and_memory_count_numbers_that_may_be_dates_alike():
    days = [19860412, 19860231, 16770101, 20991231, 198604, 198613, 1986, 21000101, 12041986, 31021986]
    columns = {"whole": days, "float": [float(day) for day in days], "text": [f"{day}" for day in days]}
    table = EngineTable(engine=DuckDBEngine().over_table(pa.table(columns)))
    found = engine_counts(table, dict.fromkeys(columns, frozenset({""})), ROW, with_texts=True)
    for name in columns:
        own = count(pd.Series(columns["text"]), frozenset({""}), with_texts=True)
        assert len(own.dated) == 5
        assert np.array_equal(found[name].kinds, own.kinds)
        assert np.array_equal(found[name].as_dates().cells, own.as_dates().cells)


def test_an_engine_and_memory_count_decimals_alike():
    numbers = [0.125, 40.6978, -73.80814, 2.0000005, 1.23456789, 0.1234567891, 0.1 + 0.2, 2.5, 7.0, 1e-7]
    columns = {"float": numbers, "text": [*map(str, numbers[:-1]), "-3.1250"]}
    table = EngineTable(engine=DuckDBEngine().over_table(pa.table(columns)))
    found = engine_counts(table, dict.fromkeys(columns, frozenset({""})), ROW, with_texts=False)
    for name, values in columns.items():
        own = count(pd.Series(values, dtype=object), frozenset({""}), with_texts=False)
        assert np.array_equal(found[name].decimals, own.decimals), name
        assert own.decimals.tolist()[:-1] == [1 + (name == "text"), 1, 1, 0, 1, 1]


def test_an_engine_and_memory_count_postcodes_as_codes():
    codes = ["01067", "59369", "SW1A", "", "59369"]
    table = EngineTable(engine=DuckDBEngine().over_table(pa.table({"plz": codes})))
    found = engine_counts(table, {"plz": frozenset({""})}, ROW, with_texts=True)["plz"]
    own = count(pd.Series(codes), frozenset({""}), with_texts=True, code_digits=3)
    assert sorted(found.texts) == sorted(own.texts) == ["01067", "59369", "SW1A"]
    assert np.array_equal(found.kinds, own.kinds)


def test_a_survey_of_csv_files_in_an_engine_reads_them_once(hostile_files):
    _, text = hostile_files
    table = open_table(str(text), engine="duckdb").table
    engine_counts(table, dict.fromkeys(table.columns, frozenset({""})), ROW, with_texts=True)
    assert table.engine.scans == 1


def test_a_survey_refuses_too_many_different_texts_before_anything_is_charged(tmp_path, monkeypatch):
    monkeypatch.setattr(engine_cells, "MOST_TEXTS", 50)
    file = tmp_path / "t.csv"
    pd.DataFrame({"n": range(3000, 3060), "branch": [f"branch {i}" for i in range(60)]}).to_csv(
        file, index=False
    )
    table = open_table(str(file), engine="duckdb").table
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(table, name="t", unit=ROW, cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10)
    commit = prepare_survey(table, draft_from_header(["n", "branch"]), workspace, epsilon=1)
    with pytest.raises(SourceError, match="'branch' has more than 50 different texts"):
        carry_out_survey(commit, workspace)
    assert [entry.kind.value for entry in workspace.entries()] == ["register"]
    carry_out_survey(
        prepare_survey(table, draft_from_header(["n", "branch"]), workspace, epsilon=1, only=["n"]), workspace
    )
    assert [entry.kind.value for entry in workspace.entries()] == ["register", "charge", "complete"]


def test_a_survey_counts_no_more_rows_of_a_person_than_the_unit_allows(hostile_files):
    table = open_table(str(hostile_files[0]), engine="duckdb").table
    found = engine_counts(
        table, {"constant": frozenset({""})}, Unit(column="person", rows=1), with_texts=True
    )
    people = len(set(hostile_table().column("person").to_pylist()))
    assert found["constant"].cells.sum() == people
    assert found["constant"].cells.max() == people


def test_pairs_are_taken_from_few_joint_tables_that_hold_them_all():
    sizes = [16] * 15
    pairs = [(a, b) for a in range(15) for b in range(a)]
    groups = joint_groups(pairs, sizes)
    assert len(groups) < len(pairs) / 3
    assert all(any(set(pair) <= set(group) for group in groups) for pair in pairs)
    assert all(np.prod([sizes[a] for a in group]) <= 1 << 16 for group in groups)
    assert joint_groups([(0, 1)], [1000, 1000]) == [(0, 1)]
    assert [len(batch) for batch in rounds([(0,)] * 600, [2])] == [256, 256, 88]


def test_what_an_engine_keeps_for_itself_goes_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    engine = DuckDBEngine().over_table(pa.table({"a": ["x"], "B": [1]}))
    EngineTable(engine=engine).source(AB, ROW)
    (folder,) = tmp_path.glob("hmpb-*")
    assert folder.stat().st_mode & 0o077 == 0
    engine.close()
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_in_use_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "hmpb-killed"
    left.mkdir()
    (left / "in-use").touch()
    (left / "codes.duckdb").write_text("codes")
    first = DuckDBEngine()
    second = DuckDBEngine()
    assert not left.exists()
    assert len(list(tmp_path.glob("hmpb-*"))) == 2
    first.close()
    second.close()


def test_a_folder_that_another_process_takes_for_a_left_one_is_made_anew(tmp_path, monkeypatch):
    """The other looks between the making of the folder and the taking of its lock."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    locks, looks = folders._locks, []

    def after_another(held):
        if not looks:
            looks.append(1)
            folders._remove_if_left(next(tmp_path.iterdir()))
        return locks(held)

    monkeypatch.setattr(folders, "_locks", after_another)
    folder, held = folders.new_folder()
    assert looks
    assert [str(path) for path in tmp_path.iterdir()] == [folder]
    folders._remove_if_left(Path(folder))
    assert Path(folder).exists()
    os.close(held)


def test_a_digest_is_worked_out_again_only_when_the_files_change(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": range(100)}).to_parquet(path)
    table = open_table(str(path), engine="duckdb").table
    first = table.digest(KEY)
    scans = table.engine.scans
    assert table.digest(KEY) == first
    assert table.engine.scans == scans
    assert table.digest(b"another key") != first
    pd.DataFrame({"x": range(1, 101)}).to_parquet(path)
    assert table.digest(KEY) != first


def test_the_codes_of_a_source_that_is_gone_are_dropped_by_the_next_one(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"x": ["a", "b"] * 50}).to_parquet(path)
    table = open_table(str(path), engine="duckdb").table
    codebook = Codebook.from_dict({"fields": [{"name": "x", "categories": ["a", "b"]}]})
    wrong = Codebook.from_dict({"fields": [{"name": "x", "categories": ["a"]}]})

    def kept():
        return len(table.engine._connection.execute("SHOW TABLES").fetchall())

    bits = table.source(codebook, ROW).as_bits()  # counts its parent's codes
    for _ in range(3):
        with pytest.raises(SourceError, match="'x'"):
            table.source(wrong, ROW)
        assert table.source(codebook, ROW).marginal((0,)).counts.tolist() == [50, 50, 0]
    assert kept() <= 2
    assert bits.marginal((1,)).counts.tolist() == [50, 50]


def test_blanks_at_the_ends_of_a_text_are_those_that_python_takes_away():
    letters = [*BLANKS, *"a\u00e9\u200b\x00\u4e2d\\1"]
    rng = np.random.default_rng(1)
    texts = ["".join(rng.choice(letters, rng.integers(0, 6))) for _ in range(3000)]
    found = DuckDBEngine().over_table(pa.table({"x": texts}))
    (stripped,) = found.fetch(f"SELECT {found.sql.strip('t.x0')} AS x FROM {found.table()}")
    assert stripped.tolist() == [text.strip() for text in texts]


def test_a_table_of_very_many_columns_has_an_identity():
    """DuckDB made a join of each column's missing words, and memory ended at a hundred columns."""
    table = pa.table({f"q{i}": ["1", "", "ja", "2020-01-02 10:00"] * 100 for i in range(150)})
    other = table.take(list(range(399, -1, -1)))
    assert digest_of(DuckDBEngine().over_table(table), b"k" * 32) == digest_of(
        DuckDBEngine().over_table(other), b"k" * 32
    )


@pytest.mark.parametrize("told", [{"decimal": "comma"}, {"thousands": "comma"}, {"money": "%"}])
def test_spark_refuses_a_file_whose_numbers_are_said_to_be_no_plain_ones(tmp_path, told):
    """It read them as they stood: 1.234 of a file with points between thousands as a little more than 1."""
    path = tmp_path / "t.csv"
    path.write_text("age;level\n41;1.234\n", encoding="utf-8")
    with pytest.raises(SourceError, match="Spark reads plain numbers alone"):
        open_table(str(path), engine="spark", reading=FileReading.told(**told))
