"""Text files whose values stand apart by blanks, and headers of one name less than the rows have values."""

import io
import re

import numpy as np
import pytest

from hmpb_core.dialect import CsvDialect
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import FileReading, blanks, read_file, read_header

PEOPLE = [["41", "f", "Bern"], ["7", "m", "St. Gallen"], ["90", "f", "Zürich"]]
UNDER_EACH_OTHER = """
 age  sex  town

  41  f    Bern
   7  m    "St. Gallen"
  90  f    Zürich
"""
BY_R = '"age" "sex" "town"\n"1" 41 "f" "Bern"\n"2" 7 "m" "St. Gallen"\n"3" 90 "f" "Zürich"\n'


def rows(table):
    return table.frame.to_numpy().tolist()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_under_each_other_are_read(encoding, end):
    table = read_file(UNDER_EACH_OTHER.replace("\n", end).encode(encoding), name="people.dat")
    assert list(table.frame) == ["age", "sex", "town"]
    assert rows(table) == PEOPLE
    assert (table.reading.delimiter, table.reading.lines) == (" ", end)
    assert "blanks" in table.reading.words
    assert read_header(UNDER_EACH_OTHER.encode(), name="people.txt").names == ("age", "sex", "town")


def test_what_r_writes_has_a_column_of_row_numbers():
    for content in (BY_R, BY_R.replace(" ", "\t").replace("St.\t", "St. ")):
        table = read_file(content.encode(), name="t.txt")
        assert list(table.frame) == ["column 1", "age", "sex", "town"]
        assert rows(table) == [[str(i), *row] for i, row in enumerate(PEOPLE, start=1)]
        assert table.reading.quotes == "texts"


@pytest.mark.parametrize("content", [b"a,b\n1,x,\n2,y,\n", b"a,b\nx,1,5\ny,2,5\n"])
def test_a_comma_too_many_in_every_line_is_no_column_of_row_numbers(content):
    with pytest.raises(SourceError, match="2 columns in its header but not in line 2"):
        read_file(content, name="t.csv")


def test_a_table_without_names_is_told():
    lines = "".join(f"A1{i % 4} {20 + i} A3{i % 5} \n" for i in range(60)).encode()
    table = read_file(lines, name="credit.data", reading=FileReading.told(header="none"))
    assert list(table.frame) == ["column 1", "column 2", "column 3"]
    assert rows(table)[0] == ["A10", "20", "A30"]
    assert read_file(lines, name="credit.data").reading.headless


@pytest.mark.parametrize(
    "text",
    [
        "Full name\nAnna Meier\nBen Ott\n",
        "remark on it\nall went well\nnothing to say here\n",
        "a b c\n1 2 3\n4 5\n",
        "town, canton of it\nBern, so be it\n",
    ],
    ids=["two words", "sentences", "ragged", "commas"],
)
def test_other_texts_with_blanks_are_no_table_by_blanks(text):
    assert read_file(text.encode(), name="t.txt").reading.delimiter == ","


def test_it_can_be_told_and_not_told():
    told = FileReading.told(delimiter="blank")
    assert read_file(b"a b\n1 2\n3  4\n", name="t.txt", reading=told).frame.to_numpy().tolist()[1] == [
        "3",
        "4",
    ]
    assert read_file(
        b"a b c\n1 2 3\n", name="t.txt", reading=FileReading.told(delimiter=",")
    ).frame.shape == (1, 1)
    assert FileReading.from_dict(told.to_dict()) == told


def test_such_a_table_leaves_with_commas():
    schema = {"fields": [], "reading": {"delimiter": " ", "decimal": ",", "encoding": "cp1252"}}
    found = CsvDialect.of_schema(schema)
    assert (found.delimiter, found.decimal, found.encoding) == (",", ",", "cp1252")


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_a_stream_gives_what_its_whole_text_gives_however_it_is_cut(size, monkeypatch):
    rng = np.random.default_rng(5)
    pieces = ["a", " ", "  ", "\t", "\n", "\r\n", '"x  y"', '" "', '"p\nq"', '""', "ä"]
    for _ in range(200):
        text = "".join(rng.choice(pieces, 40))
        if text.count('"') % 2:
            continue
        monkeypatch.setattr(blanks, "_BLOCK", size)
        stream = blanks.CollapsedStream(io.BytesIO(text.encode()))
        assert io.BufferedReader(stream, 9).read().decode() == blanks.collapsed(text)


def test_collapsing_keeps_quotes_and_ends_of_lines():
    text = ' a \t b  "c  d " \r\n\n "e""  f"  g'
    assert blanks.collapsed(text) == 'a b "c  d "\r\n\n"e""  f" g'
    plain = " a \t b  \n\t c d"
    assert blanks.collapsed(plain) == re.sub(r"(?m)^ | $", "", re.sub(r"[ \t]+", " ", plain)) == "a b\nc d"


def test_an_open_quote_takes_no_more_time_than_its_bytes():
    # Looked for line by line, the quote's end would take hours.
    text = 'a b "c\n' + "1 2 3\n" * 400_000
    stream = blanks.CollapsedStream(io.BytesIO(text.encode()))
    assert io.BufferedReader(stream).read().decode() == text


def fixed(rows: int) -> str:
    return "".join(f"{k:05d}M{'0 1'[k % 3]}{k % 7}{k * 1.5:9.2f}  06\r\n" for k in range(rows))


def test_a_file_of_fixed_widths_is_sent_back_for_its_layout():
    with pytest.raises(SourceError, match="lines of 21 characters each") as refused:
        read_file(fixed(40).encode(), name="micro.dat.txt")
    assert "00000M" not in str(refused.value)  # its first line is somebody's row
    told = read_file(fixed(40).encode(), name="micro.txt", reading=FileReading.told(delimiter=","))
    assert told.frame.shape == (39, 1)


@pytest.mark.parametrize("text", [fixed(9), "code\n" + fixed(40), fixed(20) + "the end\r\n"])
def test_few_lines_or_one_of_another_length_are_a_column(text):
    assert read_file(text.encode(), name="codes.txt").frame.shape[1] == 1
