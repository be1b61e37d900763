"""Csv files of which a line, or each, stands in quotes as a whole, as spreadsheets write it."""

import numpy as np
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import FileReading, read_file, read_header
from hmpb_core.sources.files.text import text_batches
from hmpb_core.sources.open import open_source
from hmpb_core.sources.relational import spark
from hmpb_core.sources.relational.table import EngineTable
from hmpb_core.sources.relational.texts import of_text


def saved(tmp_path, *lines, end="\n"):
    path = tmp_path / "t.csv"
    path.write_bytes("".join(line + end for line in lines).encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_in_quotes_as_a_whole_is_read_as_the_others(tmp_path, end):
    path = saved(tmp_path, "name,town,age", "Ann,Bern,4", '"Bo,""Basel, BS"",5"', 'Cy,"Chur, GR",6', end=end)
    found = read_file(path)
    assert found.frame.values.tolist() == [
        ["Ann", "Bern", "4"],
        ["Bo", "Basel, BS", "5"],
        ["Cy", "Chur, GR", "6"],
    ]
    assert "lines in quotes as a whole" in found.reading.words


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_of_lines_in_quotes_has_the_columns_that_they_hold(tmp_path, end):
    path = saved(tmp_path, '"name;town;age"', '"Ann;Bern;4"', '"Bo;""Basel; BS"";5"', end=end)
    found = read_file(path)
    assert list(read_header(path).names) == ["name", "town", "age"]
    assert found.frame.values.tolist() == [["Ann", "Bern", "4"], ["Bo", "Basel; BS", "5"]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("block", [64, 1 << 23])
def test_an_engine_reads_a_line_in_quotes_as_memory_does(tmp_path, monkeypatch, end, block):
    """DuckDB refused the line as one of a single value."""
    monkeypatch.setattr("hmpb_core.sources.files.text._BLOCK", block)
    lines = [*["Ann,Bern,4"] * 30, '"Bo,""Basel, BS"",5"', *['Cy,"Chur, GR",6'] * 30]
    path = saved(tmp_path, "name,town,age", *lines, end=end)
    field = {"type": "string", "constraints": {"required": True}}
    lists = {"name": ["Ann", "Bo", "Cy"], "town": ["Bern", "Basel, BS", "Chur, GR"], "age": ["4", "5", "6"]}
    book = Codebook.from_dict({"fields": [{**field, "name": n, "categories": c} for n, c in lists.items()]})
    source = open_source(EngineTable(engine=of_text([str(path)], FileReading())), book)
    counts = source.marginal([0, 1, 2]).counts
    assert {place: int(n) for place, n in np.ndenumerate(counts) if n} == {
        (0, 0, 0): 30,
        (1, 1, 1): 1,
        (2, 2, 2): 30,
    }


def test_spark_says_that_it_reads_no_lines_in_quotes(tmp_path):
    path = saved(tmp_path, '"name,town,age"', '"Ann,Bern,4"', '"Bo,Basel,5"')
    with pytest.raises(SourceError, match="no lines that stand in quotes as a whole"):
        spark.of_files([str(path)], FileReading())


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("line", ['"Bo,Basel,5"', '"Bo,""Basel\nBS"",5"', "Bo,Basel", "Bo,Basel,5,6"])
def test_spark_says_that_a_line_among_others_is_none_and_not_that_it_stopped(tmp_path, line):
    path = saved(tmp_path, "name,town,age", *["Ann,Bern,4"] * 30, line)
    book = Codebook.from_dict({"fields": [{"name": "name", "type": "string", "categories": ["Ann", "Bo"]}]})
    with pytest.raises(SourceError, match="Spark met a line of the csv file") as error:
        open_source(EngineTable(engine=spark.of_files([str(path)], FileReading())), book).marginal([0])
    assert "Bo" not in str(error.value)
    assert error.value.__cause__ is None


def test_a_line_of_another_number_of_values_is_refused_as_before(tmp_path):
    for line in ("Ann", '"Ann,Bern"', '"Ann,Bern,4,5"', "Ann,Bern"):
        with pytest.raises(SourceError, match="3 columns in its header but not in line 3"):
            read_file(saved(tmp_path, "name,town,age", "Bo,Basel,5", line))
        with pytest.raises(SourceError, match="3 columns in its header but not in line 3"):
            list(text_batches(tmp_path / "t.csv", "t.csv", FileReading()))


def test_a_single_column_of_sentences_in_quotes_stays_one(tmp_path):
    path = saved(tmp_path, '"said"', '"well, yes, no"', '"no, not, me"')
    assert read_file(path).frame.values.tolist() == [["well, yes, no"], ["no, not, me"]]
    assert read_file(saved(tmp_path, '"a","b","c"', '"1","2","3"')).frame.values.tolist() == [["1", "2", "3"]]


def test_lines_are_found_wherever_the_blocks_end_that_a_file_is_read_in(tmp_path, monkeypatch):
    monkeypatch.setattr("hmpb_core.sources.files.streams._BLOCK", 7)
    path = saved(tmp_path, "name,town,age", *['"Bo,""Basel, BS"",5"', "Ann,Bern,4"] * 20)
    rows = read_file(path).frame.values.tolist()
    assert rows == [["Bo", "Basel, BS", "5"], ["Ann", "Bern", "4"]] * 20
