"""Reading a file in every broken way: one clear sentence, and never a value of the table."""

import gzip
import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.sources.files import ENDINGS, NO_NAMES, FileReading, read_file, read_header, read_table
from hmpb_core.sources.locations import open_table
from tests.sources.test_formats import workbook

SENTINEL = "sentinel-9731"


def parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def read(content, name="t.csv"):
    return read_table(content, name=name)


def rows(frame):
    return frame.to_numpy().tolist()


# What can be read


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,x\n2,y\n",
        b"a,b\r\n1,x\r\n2,y\r\n",
        b"a,b\n1,x\n2,y",
        b"\xef\xbb\xbfa,b\n1,x\n2,y\n",
        b'"a","b"\n"1","x"\n"2","y"\n',
        b"a;b\n1;x\n2;y\n",
        b"a\tb\n1\tx\n2\ty\n",
        b"a|b\n1|x\n2|y\n",
        b" a , b \n1,x\n2,y\n",
        b"a,b\n1,x\n2,y\n\n",
        b"a,b\n\n1,x\n2,y\n",
    ],
    ids=[
        "plain",
        "CRLF",
        "no last newline",
        "byte order mark",
        "quoted",
        "semicolons",
        "tabs",
        "bars",
        "blanks in the header",
        "blank last line",
        "blank line inside",
    ],
)
def test_one_table_in_many_dialects_reads_the_same(content):
    frame = read(content)
    assert list(frame.columns) == ["a", "b"]
    assert rows(frame) == [["1", "x"], ["2", "y"]]


def test_a_gzipped_csv_reads_the_same():
    assert rows(read(gzip.compress(b"a,b\n1,x\n"), "t.csv.gz")) == [["1", "x"]]


def test_quotes_keep_separators_line_breaks_and_quotes():
    frame = read(b'a,b\n"1,5","line\nbreak"\n"say ""so""",\n')
    assert rows(frame) == [["1,5", "line\nbreak"], ['say "so"', ""]]


def test_csv_values_stay_text_so_that_the_codebook_decides():
    assert rows(read(b"a,b,c\n007,NA,1.0\n")) == [["007", "NA", "1.0"]]


def test_an_empty_field_is_empty_text():
    assert rows(read(b"a,b\n,x\n")) == [["", "x"]]


def test_one_column_needs_no_separator():
    assert rows(read(b"a\n1\n2\n")) == [["1"], ["2"]]


def test_a_huge_field_is_read():
    frame = read(b'a,b\n"' + b"x" * 3_000_000 + b'",y\n')
    assert len(frame.iloc[0, 0]) == 3_000_000


def test_names_and_values_outside_ascii_are_kept():
    frame = read("größe,城市\nß,北京\n".encode())
    assert list(frame.columns) == ["größe", "城市"]
    assert rows(frame) == [["ß", "北京"]]


def test_hostile_names_are_only_names():
    frame = read(b"=1+1,<b>x</b>,../../etc,'; DROP TABLE t\n1,2,3,4\n")
    assert list(frame.columns) == ["=1+1", "<b>x</b>", "../../etc", "'; DROP TABLE t"]


def test_a_table_of_many_blocks_is_read_whole_and_progress_never_falls():
    line = ",".join(["value"] * 20)
    header = ",".join(f"c{i}" for i in range(20))
    seen = []
    content = "\n".join([header, *[line] * 150_000]).encode()
    frame = read_table(content, name="t.csv", progress=seen.append)
    assert frame.shape == (150_000, 20)
    assert seen == sorted(seen)
    assert len(seen) > 1
    assert seen[0] >= 0
    assert seen[-1] < 1


def test_parquet_keeps_its_types():
    table = pa.table({"a": [1, 2], "b": ["x", None]})
    frame = read(parquet(table), "t.parquet")
    assert str(frame["a"].dtype) == "Int64"  # nullable whether or not a value is missing
    assert frame["b"].isna().tolist() == [False, True]


def test_a_path_is_read_like_its_content(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,x\n")
    assert rows(read_table(path)) == rows(read_table(str(path))) == [["1", "x"]]


def test_the_header_is_read_without_the_rows(tmp_path):
    assert read_header(b'a,"b,c"\n1,' + b"\xff", name="t.csv").names == ("a", "b,c")
    assert read_header(parquet(pa.table({"x": [1], "y": [2]})), name="t.pq").names == ("x", "y")


# What cannot be read

S = SENTINEL.encode()
BROKEN = {
    "empty": ("t.csv", b"", "is empty; its first line must name the columns"),
    "blank": ("t.csv", b" \n \n", "is empty; its first line must name the columns"),
    "a mark and nothing else": ("t.csv", b"\xef\xbb\xbf", "is empty; its first line must name the columns"),
    "header only": ("t.csv", b"a,b\n", "has a header but no rows"),
    "header without newline": ("t.csv", b"a,b", "has a header but no rows"),
    "line too short": ("t.csv", b"a,b\n1,x\n" + S + b"\n", "2 columns in its header but not in line 3"),
    "line too long": ("t.csv", b"a,b\n1,x\n2,y," + S + b"\n", "2 columns in its header but not in line 3"),
    "unquoted comma": ("t.csv", b"a,b\n" + S + b",1,5\n", "with values that hold the separator in quotes"),
    "quote never closed": ("t.csv", b'a,b\n1,"' + S + b"\n2,y\n", "opens a quote that it never closes"),
    "binary": ("t.csv", bytes(range(256)) * 4, "holds binary data, not text"),
    "a workbook": ("t.csv", b"PK\x03\x04\x14\x00\x06\x00" + b"\x00" * 50, "holds binary data, not text"),
    "gzip that is none": ("t.csv.gz", b"a,b\n1," + S + b"\n", "t.csv.gz"),
    "gzip cut short": ("t.csv.gz", gzip.compress(b"a,b\n" + b"1,x\n" * 9000)[:-30], "t.csv.gz"),
    "gzip under another name": ("t.csv", gzip.compress(b"a,b\n1,x\n"), "t.csv"),
    "Parquet that is none": ("t.parquet", b"a,b\n1," + S + b"\n", "is not a Parquet file"),
    "empty Parquet": ("t.parquet", b"", "is not a Parquet file"),
    "Parquet cut short": (
        "t.parquet",
        parquet(pa.table({"a": [SENTINEL] * 99}))[:-20],
        "is not a Parquet file",
    ),
    "Parquet without columns": ("t.parquet", parquet(pa.table({})), "has no columns"),
    "Parquet without rows": ("t.parquet", parquet(pa.table({"a": pa.array([], pa.string())})), "but no rows"),
    "another ending": ("t.pdf", b"a,b\n1,x\n", "is no table by its ending"),
    "an archive": ("bundle.zip", b"PK", "is an archive: unpack it"),
    "a workbook that is none": ("t.xlsx", b"a,b\n1,x\n", "is no workbook inside"),
    "an Arrow file that is none": ("t.feather", b"a,b\n1," + S, "is not an Arrow file"),
    "an SPSS file that is none": ("t.sav", b"a,b\n1," + S, "cannot be read as a file of SPSS"),
    "a Stata file that is none": ("t.dta", b"a,b\n1," + S, "cannot be read as a file of Stata"),
    "a SAS file that is none": ("t.sas7bdat", b"a,b\n1," + S, "cannot be read as a file of SAS"),
    "no ending": ("table", b"a,b\n1,x\n", "is no table by its ending"),
}


@pytest.mark.parametrize(("name", "content", "text"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_gets_one_sentence_without_a_value_of_it(name, content, text):
    with pytest.raises(SourceError) as refused:
        read_table(content, name=name)
    message = str(refused.value)
    assert text in message
    assert SENTINEL not in message
    assert "\n" not in message
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None or refused.value.__suppress_context__


@pytest.mark.parametrize("name", ["none.csv", ".", "none.parquet"])
def test_a_path_that_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(SourceError, match=r"is not a (plain )?file.*; give the path of a table"):
        read_table(tmp_path / name)


def test_two_parquet_columns_of_one_name_get_names_of_their_own():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert list(read(parquet(table), "t.parquet").columns) == ["a", "a (2)"]


def test_the_header_of_a_broken_file_is_refused_too():
    with pytest.raises(SourceError, match="is empty"):
        read_header(b"", name="t.csv")
    with pytest.raises(SourceError, match="is not a Parquet file"):
        read_header(b"PAR1", name="t.parquet")


@given(st.binary(max_size=200), st.sampled_from([f"t{ending}" for ending in ENDINGS]))
def test_whatever_bytes_are_handed_in_nothing_but_our_own_errors_come_out(content, name):
    try:
        frame = read_table(content, name=name)
    except HmpbError:
        return
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) > 0


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)


@given(st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=8))
def test_whatever_a_csv_writer_writes_is_read_back(table):
    written = pd.DataFrame(table, columns=["a", "b"])
    content = written.to_csv(index=False, quoting=1).encode()
    assert rows(read(content)) == table


@pytest.mark.parametrize(
    ("text", "a_row"),
    [
        ("Caucasian,[0-10),1,0\rCaucasian,[10-20),3,30\rAsian,[0-10),1,0\r", True),
        ("Anna;F;Bern\nBen;M;Bern\nEva;F;Basel\n", True),
        ("name;sex;town\nBen;M;Bern\nname;sex;town\nEva;F;Basel\n", False),
        ("paper,radio,age,town,sex\npaper,,31,Bern,f\n,radio,40,Bern,m\n", False),
        ('sex,"a, b"\nm,"a ""x\n', False),
    ],
)
def test_a_first_line_that_occurs_again_below_is_somebody_s_row(text, a_row):
    assert read_header(text.encode(), name="t.csv").reading.headless is a_row


def test_a_first_row_of_answers_in_a_workbook_is_somebody_s_too():
    """Of 484 visitors the names of the columns were one's answers, a remark among them."""
    rows = [
        ["2021-06-15 08:34:52", 3, "Bern", 1, "a good thing"],
        ["2021-06-15 09:11:02", 2, "Basel", 4, "fine"],
    ]
    assert read_file(workbook({"a": rows}), name="t.xlsx").reading.headless
    named = workbook({"a": [["time", "score", "town", "2019", "remark"], *rows]})
    assert not read_file(named, name="t.xlsx").reading.headless
    told = FileReading(header=NO_NAMES)
    assert not read_file(workbook({"a": rows}), name="t.xlsx", reading=told).reading.headless


@pytest.mark.parametrize("first", ["", "\ufeff", "\n", "sep=;\n"])
def test_without_a_line_of_names_the_first_line_is_a_row(first):
    content = f"{first}Anna;31;Bern\nBen;40;Basel\n".encode()
    told = FileReading(header=NO_NAMES, delimiter=";")
    table = read_file(content, name="t.csv", reading=told)
    assert table.frame.values.tolist() == [["Anna", "31", "Bern"], ["Ben", "40", "Basel"]]
    assert list(table.frame) == ["column 1", "column 2", "column 3"]
    assert not table.reading.headless
    assert "no line of names" in table.reading.words
    assert FileReading.from_dict(table.reading.to_dict()).header == NO_NAMES


def test_engines_read_a_file_without_names_alike(tmp_path):
    (tmp_path / "t.csv").write_text("a,1\nb,2\n", encoding="utf-8")
    told = FileReading(header=NO_NAMES)
    table = open_table(str(tmp_path / "t.csv"), engine="duckdb", reading=told).table
    assert (tuple(table.columns), table.n_rows) == (("column 1", "column 2"), 2)


def test_a_first_line_of_values_is_said_to_be_one():
    said = "the first line looks like somebody's values"
    assert said in read_header(b"6,148,72,35\n1,85,66,29\n", name="t.csv").reading.words
    assert said not in read_header(b"country,1960,1961\nA,1,2\n", name="t.csv").reading.words
