"""Lines below a table: its source, remarks, what a database says when it is done."""

import gzip
import io
import json

import openpyxl
import pytest

from hmpb_core.cli import main
from hmpb_core.commands.options import reading_of_codebook
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import FileReading, read_file, read_header
from hmpb_core.sources.files.footers import footer_lines, footer_setting
from hmpb_core.sources.files.streams import CutStream, last_lines
from hmpb_core.sources.locations import open_table
from tests.thorough import sample

NAMES = ["age", "sex", "town", "ward"]
ROWS = [["41", "f", "Bern", "A"], ["38", "m", "Basel", "B"]] * 3
TABLE = "\n".join(",".join(row) for row in [NAMES, *ROWS]) + "\n"


def read(content, name="t.csv", **told):
    data = content if isinstance(content, bytes) else content.encode()
    return read_file(data, name=name, reading=FileReading.told(**told))


def rows(table):
    return table.frame.to_numpy().tolist()


def workbook(lines):
    book = openpyxl.Workbook()
    for line in lines:
        book.active.append(line)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("below", "lines"),
    [
        ("\nSource: the office\n", "1"),
        ("Source: the office\n", "1"),
        ("Source: the office", "1"),
        ('"Source: the office, ""of"" statistics"\n', "1"),
        ("\n\nData from database: Health\nLast Updated: 03/12/2021\n\n", "2"),
        ("Source: the office, Bern\nNote: f, m, x, y, z\n", "2"),
        ("(6 rows affected)\n", "1"),
        ("\n(6 rows affected)\n\nCompletion time: 2024-01-02T10:00:00\n", "2"),
        (",,,\nSource: the office,,,\n* estimated,,,\n", "2"),
        ("注：按年龄\n", "1"),
        ("Bron: CBS,,,\nNotes,,,\nQuellen: Ämter,,,\n", "3"),
        ("\nBern\n", "1"),
        ("Total,6,,\n", "1"),
        ("Summe:,6,3,3\n\nQuelle: das Amt\n", "2"),
        (",Grand Total,6,3\n", "1"),
        (",Összesen,6,3\n", "1"),
        ("Toplam,,6,3\n", "1"),
    ],
)
def test_lines_below_a_table_are_no_rows(below, lines):
    table = read(TABLE + below)
    assert rows(table) == ROWS
    assert table.reading.footer == lines
    assert "below the table left away" in table.reading.words


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252", "utf-8-sig"])
def test_lines_below_a_table_are_found_in_any_encoding_and_in_packed_files(encoding):
    text = TABLE.replace("Bern", "Genève") + "\nQuelle: Bundesamt für Statistik, Neuchâtel\n"
    wanted = [[cell.replace("Bern", "Genève") for cell in row] for row in ROWS]
    assert rows(read(text.encode(encoding))) == wanted
    assert rows(read(gzip.compress(text.encode(encoding)), "t.csv.gz")) == wanted


@pytest.mark.parametrize("encoding", sample(["utf-8", "utf-16", "gb18030"], 2))
def test_lines_below_a_long_table_are_found_at_its_end(encoding, tmp_path):
    many = [["41", "女", f"城{i % 997}", "A"] for i in range(90_000)]
    text = "\n".join(",".join(row) for row in [NAMES, *many]) + "\n\n来源：国家统计局\n第二行\n"
    file = tmp_path / "long.csv"
    file.write_bytes(text.encode(encoding))
    assert len(text.encode(encoding)) > 1 << 20
    table = read_file(file)
    assert table.reading.footer == "2"
    assert rows(table) == many
    assert read_header(file).reading.footer == "2"
    assert rows(read_file(file, reading=FileReading.told(footer="2", encoding=encoding))) == many


@pytest.mark.parametrize(
    "last",
    [
        "41,,,\n",  # a row of which little is known
        "Bern,,,\n",
        "Bronx,,,\n",  # begins as the Dutch word for a source does
        "Legendre,,,\n",
        "Notary,,,\n",
        "42,f,Bern,A\n",
        '41,f,"a town\nof two lines",A\n',
        '41,f,Bern,"a ward\nSource: of two lines"\n',
        ",,,\n",
        "Total,f,Bern,A\n",  # an answer
        "\n,f,,\n",  # nobody says at its beginning what it is
    ],
)
def test_a_last_row_stays_a_row(last):
    table = read(TABLE + last)
    assert len(table.frame) == len(ROWS) + 1
    assert table.reading.footer is None


def test_a_row_called_total_among_others_of_that_name_stays_a_row():
    groups = "group,rows\nmen,3\nwomen,4\nTotal,7\nboys,1\ngirls,2\nTotal,3\n"
    assert len(read(groups).frame) == 6


def test_a_row_with_a_sentence_among_rows_with_sentences_stays_a_row():
    remarks = "remark,a,b\nall went very well,1,2\nnothing more to say,3,4\nas it was before,,\n"
    assert len(read(remarks).frame) == 3


def test_a_line_that_was_cut_off_is_still_refused():
    with pytest.raises(SourceError, match="4 columns in its header but not in line 8"):
        read(TABLE + "Bern")


def test_what_is_told_of_lines_below_is_taken():
    text = TABLE + "Source: the office,,,\nLegend: f and m,,,\n"
    assert rows(read(text, footer="1")) == [*ROWS, ["Source: the office", "", "", ""]]
    assert len(read(text, footer="0").frame) == len(ROWS) + 2
    assert rows(read(text, footer="3")) == ROWS[:-1]
    for wrong in ("all", "-1", "100", ""):
        with pytest.raises(SourceError, match="number from 0 to 99"):
            FileReading.told(footer=wrong)


def test_lines_below_the_table_of_a_sheet_are_no_rows():
    notes = [[], ["Source: the office"], ["f female, m male"]]
    content = workbook([["Table 3"], [], NAMES, *ROWS, *notes])
    table = read(content, "t.xlsx")
    assert rows(table) == ROWS
    assert (table.reading.header, table.reading.footer) == ("3", "2")
    assert read_header(content, name="t.xlsx").reading.footer == "2"
    assert len(read(content, "t.xlsx", footer="0").frame) == len(ROWS) + 2
    assert rows(read(workbook([NAMES, *ROWS, ["* estimated"]]), "t.xlsx")) == ROWS


def test_a_sheet_of_two_columns_keeps_its_last_row():
    lines = [["town", "ward"], ["Bern", "A"], ["Basel", "B"], [], ["Chur", None]]
    assert len(read(workbook(lines), "t.xlsx").frame) == 3


def test_lines_below_fill_a_quarter_of_the_columns_at_most_and_are_fifty():
    row, names = [str(n) for n in range(8)], [f"c{n}" for n in range(8)]
    for filled, below in ((2, 1), (3, 0)):
        note = ["Bern"] * filled + [""] * (8 - filled)
        assert footer_lines([row, row, [], note], 8, None) == below
    for lines in (49, 50, 51):
        assert footer_lines([names, row, *[["Source: the office"]] * lines], 8, None) == min(lines, 50)


def test_a_sentence_has_three_words_and_quotes_that_stay_open_are_rows():
    assert footer_lines([["41", "f", "Bern"], ["in two words"]], 3, None) == 1
    assert footer_lines([["41", "f", "Bern"], ["two words"]], 3, None) == 0
    assert footer_lines([["41", "f", '"a town'], [], ['of two lines"']], 3, None) == 0


def test_what_is_told_is_kept_and_none_are_not_said():
    assert [footer_setting(told, n) for told, n in (("0", 0), ("3", 3), (None, 2), (None, 0))] == [
        "0",
        "3",
        "2",
        None,
    ]


def test_lines_below_are_not_looked_for_where_nothing_but_such_lines_is_seen():
    assert footer_lines([["a b c"], [], ["d e f"]], 3, None) == 0


def test_a_codebook_keeps_how_many_lines_stand_below_and_nothing_else_decides(tmp_path, capsys):
    """Neighbouring files differ in one row: whether others are rows must not hang on it."""
    file, out = tmp_path / "t.csv", tmp_path / "c.json"
    file.write_text(TABLE + "\nSource: the office\n")
    for more in ([], ["--guess"]):
        assert main(["codebook", str(file), *more, "-o", str(out)]) == 0
        assert json.loads(out.read_text())["reading"]["footer"] == "1"
    assert "1 line below the table left away" in capsys.readouterr().err
    plain = tmp_path / "plain.csv"
    plain.write_text(TABLE)
    assert main(["codebook", str(plain), "--guess", "-o", str(out)]) == 0
    assert "footer" not in json.loads(out.read_text())["reading"]
    plain.write_text(TABLE.rstrip("\n") + "\nSource: somebody's value,,,\n")
    assert len(read_file(plain, reading=reading_of_codebook(str(out))).frame) == len(ROWS) + 1


def test_every_engine_reads_the_same_rows(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text(TABLE + "\nSource: the office\n")
    second.write_text(TABLE)
    both = open_table(f"{first}", engine="duckdb").table
    assert both.n_rows == len(ROWS)
    both = open_table(str(tmp_path / "*.csv"), engine="duckdb").table
    assert both.n_rows == 2 * len(ROWS)


def test_a_packed_file_that_goes_on_and_on_is_not_unpacked_to_its_end(monkeypatch):
    content = gzip.compress((TABLE + "\nSource: the office\n").encode())
    wanted = {"label": "t.csv.gz", "beginning": b"", "encoding": "utf-8"}
    assert last_lines(content, **wanted, far=False).endswith("office\n")
    monkeypatch.setattr("hmpb_core.sources.files.opening.MAX_UNPACKED_BYTES", 10)
    assert last_lines(content, **wanted, far=False) == ""
    assert last_lines(content, **wanted, far=True).endswith("office\n")


@pytest.mark.parametrize("size", [0, 1, 7, 300])
@pytest.mark.parametrize("step", [1, 5, 1000])
def test_a_cut_stream_gives_all_but_the_last_bytes(size, step):
    content = bytes(range(256)) * 2
    stream = CutStream(io.BytesIO(content), size)
    found = b""
    while block := stream.read(step):
        found += block
    assert found == content[: len(content) - size]
