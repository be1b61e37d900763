"""Cells that hold several answers: read apart by every source, and written into one cell again."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.encoding import encode
from hmpb_core.errors import DomainError, SourceError
from hmpb_core.publishing.dictionary import dictionary_of
from hmpb_core.publishing.own_form import rows_as
from hmpb_core.publishing.package import schema_of
from hmpb_core.publishing.parquet import parquet_of
from hmpb_core.publishing.tables import CsvForm, as_meant, csv_of
from hmpb_core.several_answers import apart, in_whole_cells, together
from hmpb_core.sources.files import FileReading, read_file, read_table
from hmpb_core.sources.open import open_source
from hmpb_core.sources.relational.embedded import of_parquet
from hmpb_core.sources.relational.spark import of_files
from hmpb_core.sources.relational.table import EngineTable

CELLS = ["tea; coffee", "tea", None, "milk;tea", "coffee ; milk; rum", "", "teapot", " milk "]
TEA, COFFEE, MILK = [1, 1, 2, 1, 0, 2, 2, 0], [1, 0, 2, 0, 1, 2, 2, 0], [0, 0, 2, 1, 1, 2, 2, 1]
"""2 is missing: nobody can tell who ticked nothing from who was not asked."""


def _field(answer, column="drinks", between="; ", **more):
    told = {"column": column, "answer": answer, "between": between}
    return {"name": f"{column}/{answer}", "type": "boolean", "answerTo": told} | more


AGE = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": True}}
SCHEMA = {
    "fields": [_field("tea"), _field("coffee"), AGE, _field("milk")],
    "missingValues": ["NA", ""],
}
BOOK = Codebook.from_dict(SCHEMA)
TABLE = pd.DataFrame({"id": range(8), "drinks": CELLS, "age": range(8)})


def _rows():
    return decode(encode(TABLE, BOOK), BOOK.domain, np.random.default_rng(0))


def test_each_answer_is_a_column_of_yes_and_no_and_what_is_not_listed_is_left_out():
    codes = encode(TABLE, BOOK)
    assert codes[:, [0, 1, 3]].T.tolist() == [TEA, COFFEE, MILK]


def test_an_answer_may_hold_what_stands_between_two():
    book = Codebook.from_dict(
        {"fields": [_field("trips (train, bus)", between=", "), _field("meals", between=", ")]}
    )
    table = pd.DataFrame({"drinks": ["meals, trips (train, bus)", "meals", "bus"]})
    assert encode(table, book).tolist() == [[1, 1], [0, 1], [2, 2]]
    rows = decode(encode(table, book), book.domain, np.random.default_rng(0))
    assert together(rows, book.answers)["drinks"].tolist()[:2] == ["trips (train, bus), meals", "meals"]


def test_rows_that_leave_hold_one_cell_where_the_first_answer_stood_in_the_order_of_the_list():
    lines = csv_of(_rows(), CsvForm.of(BOOK)).decode().splitlines()
    assert lines[0] == "drinks,age"
    cells = [line.rpartition(",")[0] for line in lines[1:]]
    assert cells == ["tea; coffee", "tea", "NA", "tea; milk", "coffee; milk", "NA", "NA", "milk"]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx", ".sav", ".dta"])
def test_a_file_that_leaves_reads_back_as_the_same_answers(ending):
    rows = _rows()
    content = {".csv": lambda: csv_of(rows, CsvForm.of(BOOK)), ".parquet": lambda: parquet_of(rows, BOOK)}
    written = content.get(ending, lambda: rows_as(ending, rows, BOOK))()
    back = read_table(written, name=f"rows{ending}")
    assert list(back.columns) == ["drinks", "age"]
    assert (encode(as_meant(back, BOOK), BOOK) == encode(TABLE, BOOK)).all()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_cells_of_parquet_that_are_lists_are_answers_in_every_engine_and_leave_as_lists(tmp_path):
    cells = [["tea", "coffee"], ["tea"], None, ["milk", "tea"], ["coffee", "milk", "rum"], [], ["teapot"]]
    cells.append(["milk", None])
    table = pa.table({"drinks": pa.array(cells), "n": pa.array([[1, 2]] * 8), "age": range(8)})
    path = str(tmp_path / "t.parquet")
    pq.write_table(table, path)
    read = read_file(path)
    assert read.reading.lists == ("drinks", "n")
    assert read.frame["n"].tolist() == ["1; 2"] * 8
    listed = [{**field, "answerTo": {**field["answerTo"]}} for field in (_field("tea"), _field("milk"))]
    for field in listed:
        del field["answerTo"]["between"]
        field["answerTo"]["lists"] = True
    book = Codebook.from_dict({"fields": [*listed, AGE]})
    assert Codebook.from_dict(book.to_dict()) == book
    codes = encode(read.frame, book)
    assert codes[:, :2].T.tolist() == [[1, 1, 2, 1, 0, 2, 2, 0], [0, 0, 2, 1, 1, 2, 2, 1]]
    known = open_source(read.frame, book).marginal([0, 1]).counts
    for engine in (of_parquet([path]), of_files([path], FileReading())):
        assert (open_source(EngineTable(engine=engine), book).marginal([0, 1]).counts == known).all()
    rows = decode(codes, book.domain, np.random.default_rng(0))
    left = pq.read_table(io.BytesIO(parquet_of(rows, book)))["drinks"]
    assert left.to_pylist() == [["tea"], ["tea"], None, ["tea", "milk"], ["milk"], None, None, ["milk"]]
    assert csv_of(rows, CsvForm.of(book)).decode().splitlines()[4] == "tea; milk,3"


def test_other_lists_and_groups_of_parquet_are_refused(tmp_path):
    for cells in ([[0.5, 2.0]], [{"a": 1}], [[["tea"]]]):
        pq.write_table(pa.table({"x": cells, "age": [1]}), tmp_path / "t.parquet")
        with pytest.raises(SourceError, match="lists or groups of values in the column 'x'"):
            read_file(tmp_path / "t.parquet")


def test_the_codebook_reads_back_as_it_is_written():
    assert Codebook.from_dict(BOOK.to_dict()) == BOOK


def test_the_dictionary_and_the_schema_tell_of_the_column_and_not_of_its_answers():
    line = dictionary_of(BOOK)[0]
    assert line[0] == "drinks"
    assert line[2] == "several answers"
    assert "tea, coffee, milk" in line[3]
    field, age = schema_of(BOOK)["fields"]
    assert (field["name"], field["type"], field["missingValues"]) == ("drinks", "string", ["NA"])
    assert "with '; ' between two: tea; coffee; milk" in field["description"]
    assert age["name"] == "age"


def test_a_cell_that_a_spreadsheet_would_run_leaves_and_comes_back_harmless():
    book = Codebook.from_dict({"fields": [_field("=a"), _field("b")]})
    table = pd.DataFrame({"drinks": ["=a; b", "b", "=a"]})
    rows = decode(encode(table, book), book.domain, np.random.default_rng(0))
    written = csv_of(rows, CsvForm.of(book)).decode()
    assert written.splitlines()[1:] == ["'=a; b", "b", "'=a"]
    back = as_meant(pd.read_csv(io.StringIO(written), dtype=str), book)
    assert (encode(back, book) == encode(table, book)).all()


def test_a_table_that_has_a_column_for_each_answer_is_read_by_these():
    split = apart(TABLE, BOOK.answers).drop(columns="drinks")
    assert split["drinks/tea"].isna().tolist() == [code == 2 for code in TEA]
    assert (encode(split, BOOK) == encode(TABLE, BOOK)).all()


def test_a_table_without_the_column_is_refused_by_its_own_name():
    with pytest.raises(SourceError, match="lacks 'drinks', which the codebook declares"):
        encode(TABLE.drop(columns="drinks"), BOOK)


def test_rows_whose_answers_are_mostly_missing_have_none_and_the_others_one_at_least():
    codes = np.array([[2, 2, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0], [0, 2, 0, 1], [2, 2, 0, 2]])
    drawn = in_whole_cells(codes[:, [0, 1, 2, 3]], BOOK.domain, np.random.default_rng(0))
    own = drawn[:, [0, 1, 3]]
    assert own[[0, 4]].tolist() == [[2, 2, 2], [2, 2, 2]]
    assert (own[[1, 2, 3]] < 2).all()
    assert (own[[1, 2, 3]] == 1).any(axis=1).all()
    assert drawn[:, 2].tolist() == codes[:, 2].tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.booleans())
def test_answers_that_change_rows_are_given_as_often_as_they_were_drawn(seed, answers, may_be_missing):
    rng = np.random.default_rng(seed)
    required = {} if may_be_missing else {"constraints": {"required": True}}
    book = Codebook.from_dict({"fields": [_field(f"a{i}") | required for i in range(answers)]})
    codes = (rng.random((200, answers)) < rng.random(answers) * 0.8).astype(np.int32)
    if may_be_missing:
        codes[rng.random(200) < 0.3] = 2
    cells = in_whole_cells(codes, book.domain, rng)
    assert ((cells == 1).sum(axis=0) == (codes == 1).sum(axis=0)).all()
    full = (codes != 2).all(axis=1)
    enough = (codes[full] == 1).sum() >= full.sum()
    assert (cells[full] == 1).any(axis=1).all() == enough


def test_rows_without_answers_stay_as_they_are():
    assert together(TABLE, {}) is TABLE
    assert apart(TABLE, {}) is TABLE


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ([_field("tea", answerTo={"column": "drinks"})], "must name its 'column', the 'answer' and what"),
        ([_field("tea", answerTo="drinks")], "must name its 'column', the 'answer' and what"),
        ([_field("tea", type="string", categories=["no", "yes"])], "declare it as 'boolean'"),
        ([_field("tea"), _field("milk", between=",")], "need one sign between them"),
        ([_field("tea"), AGE | {"name": "drinks"}], "no field that is published"),
        ([_field("tea"), _field("tea", name="other")], "so that no cell tells which was given"),
        ([_field("yes, daily", between=","), _field("yes", between=",")], "holds the answer 'drinks/yes'"),
    ],
)
def test_answers_that_cannot_be_told_apart_are_refused(fields, sentence):
    with pytest.raises(DomainError, match=sentence):
        Codebook.from_dict({"fields": fields})
