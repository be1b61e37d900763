"""Csv files of which a line, or each, stands in quotes as a whole, as spreadsheets write it."""

import pytest

from hmpb_core.errors import SourceError
from hmpb_core.sources.files import read_file, read_header


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


def test_a_line_of_another_number_of_values_is_refused_as_before(tmp_path):
    for line in ("Ann", '"Ann,Bern"', '"Ann,Bern,4,5"', "Ann,Bern"):
        with pytest.raises(SourceError, match="3 columns in its header but not in line 3"):
            read_file(saved(tmp_path, "name,town,age", "Bo,Basel,5", line))


def test_a_single_column_of_sentences_in_quotes_stays_one(tmp_path):
    path = saved(tmp_path, '"said"', '"well, yes, no"', '"no, not, me"')
    assert read_file(path).frame.values.tolist() == [["well, yes, no"], ["no, not, me"]]
    assert read_file(saved(tmp_path, '"a","b","c"', '"1","2","3"')).frame.values.tolist() == [["1", "2", "3"]]


def test_lines_are_found_wherever_the_blocks_end_that_a_file_is_read_in(tmp_path, monkeypatch):
    monkeypatch.setattr("hmpb_core.sources.files.streams._BLOCK", 7)
    path = saved(tmp_path, "name,town,age", *['"Bo,""Basel, BS"",5"', "Ann,Bern,4"] * 20)
    rows = read_file(path).frame.values.tolist()
    assert rows == [["Bo", "Basel, BS", "5"], ["Ann", "Bern", "4"]] * 20
