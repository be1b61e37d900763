"""Where a file names its columns: titles above the names, names in several lines, and what is told."""

import io
import json

import openpyxl
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import FileReading, read_file, read_header
from hmpb_core.sources.files.headers import found_lines, names_in
from hmpb_core.sources.locations import open_table

ROWS = [["41", "f", "Bern"], ["38", "m", "Basel"]]
QUALTRICS = (
    "StartDate,Q1,Q2_1\n"
    'Start Date,"How old\nare you?",Which town?\n'
    '"{""ImportId"":""startDate"",""timeZone"":""America/Denver""}","{""ImportId"":""QID1""}",'
    '"{""ImportId"":""QID2_1""}"\n'
    "2024-01-02,41,Bern\n2024-01-03,38,Basel\n"
)
SURVEY_MONKEY = (
    "Respondent ID,Seen any?,Which parts?,,,Town\n"
    ",Response,Part 1,Part 2,,Open-Ended Response\n"
    "1,Yes,x,,,Bern\n2,No,,x,,Basel\n"
)


def read(content, name="t.csv", **told):
    data = content if isinstance(content, bytes) else content.encode()
    return read_file(data, name=name, reading=FileReading.told(**told))


def rows(table):
    return table.frame.to_numpy().tolist()


def workbook(lines, *, start=0):
    book = openpyxl.Workbook()
    for i, line in enumerate(lines, start=start + 1):
        for j, cell in enumerate(line, start=1):
            book.active.cell(i, j, cell)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("titles", "mark", "lines"),
    [
        ("Table 3: people\n", ",", "2"),
        ("Table 3\nSource: the office\n\n", ",", "4"),
        ("Table 3: people, 2024\n", "\t", "2"),
        ("Table 3,,\n,,\n", ",", "3"),
        ('"A title, with a comma";;\n', ";", "2"),
        ("sep=;\nTabelle 3: Personen\n", ";", "3"),
    ],
)
def test_titles_above_the_names_are_no_rows(titles, mark, lines):
    text = titles + "\n".join(mark.join(row) for row in [["age", "sex", "town"], *ROWS]) + "\n"
    table = read(text)
    assert (list(table.frame), rows(table)) == (["age", "sex", "town"], ROWS)
    assert table.reading.header == lines
    assert f"names in line {lines}" in table.reading.words
    assert read_header(text.encode(), name="t.csv").reading.header == lines


def test_a_decimal_comma_makes_no_title_of_the_names():
    table = read("Name;x;y;z\n1,5;2,5;3,5;4,1\n2,5;3,5;4,5;5,1\n")
    assert (list(table.frame), table.reading.header) == (["Name", "x", "y", "z"], None)


@pytest.mark.parametrize(
    "text",
    [
        ",,,x\n1,a,b,c\n2,d,e,f\n",
        "id,,\n1,2,3\n2,3,4\n",
        "a,b,c\n1,2,3\n",
        "a,,c\n1,2,3\n",
        "name\nAnna\nBen\n",
    ],
)
def test_a_first_line_that_may_name_columns_is_no_title(text):
    assert read(text).reading.header is None


def test_titles_above_a_ragged_table_are_refused_as_before():
    with pytest.raises(SourceError, match="has 1 columns in its header but not in line 2"):
        read("Table 3\na,b,c\n1,2\n3,4,5\n")


def test_columns_without_anything_in_them_make_no_row_of_the_names_below_titles():
    lines = [["People", *[""] * 9], ["age", "sex", "town", *[""] * 7], ["41", "f", "Bern", *[""] * 7]]
    assert found_lines(lines) == range(1, 2)


def test_a_sheet_has_its_names_under_titles_counted_as_the_program_counts():
    lines = [["Table 3"], [], ["age", "sex", "town"], [41, "f", "Bern"], [38, "m", "Basel"]]
    content = workbook(lines, start=1)
    table = read(content, "t.xlsx")
    assert (list(table.frame), rows(table)) == (["age", "sex", "town"], ROWS)
    assert table.reading.header == "4"
    assert read_header(content, name="t.xlsx").names == ("age", "sex", "town")
    assert list(read(content, "t.xlsx", header="names").frame) == ["Table 3", "column 2", "column 3"]


def test_an_export_of_qualtrics_is_named_by_its_first_line_and_has_no_rows_of_names():
    table = read(QUALTRICS)
    assert list(table.frame) == ["StartDate", "Q1", "Q2_1"]
    assert rows(table) == [["2024-01-02", "41", "Bern"], ["2024-01-03", "38", "Basel"]]
    assert "names in lines 1 to 3" in table.reading.words


def test_an_export_of_surveymonkey_is_named_by_questions_and_their_parts():
    table = read(SURVEY_MONKEY)
    assert list(table.frame) == [
        "Respondent ID",
        "Seen any?",
        "Which parts?: Part 1",
        "Which parts?: Part 2",
        "column 5",
        "Town",
    ]
    assert len(table.frame) == 2
    assert table.reading.header == "1-2"


def test_names_of_three_lines_are_the_texts_above_each_other():
    lines = [["", "2023", "", "2024"], ["", "men", "", "men"], ["region", "young", "old", "young"]]
    assert names_in(lines) == ["region", "2023: men: young", "2023: men: old", "2024: men: young"]


def test_a_new_upper_text_ends_the_ones_under_the_last():
    lines = [["a", "", "b", ""], ["x", "", "", "y"], ["1", "2", "3", "4"]]
    assert names_in(lines) == ["a: x: 1", "a: x: 2", "b: 3", "b: y: 4"]


@pytest.mark.parametrize("told", ["2", "1-2"])
def test_lines_that_are_told_are_taken_whatever_is_found(told):
    table = read("a;b\nc;d\n1;2\n", header=told)
    assert rows(table) == [["1", "2"]]
    assert table.reading.header == told


def test_the_delimiter_is_that_of_the_line_that_is_told():
    assert list(read("Table 3, a\nage;sex;town\n41;f;Bern\n", header="2").frame) == ["age", "sex", "town"]


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_a_line_that_holds_no_names_is_refused(name):
    content = b"a,b\n1,2\n" if name == "t.csv" else workbook([["a", "b"], [1, 2]])
    with pytest.raises(SourceError, match="has no names in line 9"):
        read(content, name, header="9")


@pytest.mark.parametrize("header", ["0", "3-2", "100", "1-", "first", "-1", "1-100"])
def test_a_setting_that_names_no_line_is_refused(header):
    with pytest.raises(SourceError, match="The lines that name the columns"):
        FileReading.told(header=header)


def test_a_codebook_keeps_that_the_first_line_names_the_columns():
    told = FileReading.told(header="names")
    assert FileReading.from_dict(told.to_dict()).header == "names"


def test_engines_read_under_titles_alike(tmp_path):
    (tmp_path / "t.csv").write_text("Table 3\n\nage,sex,town\n41,f,Bern\n38,m,Basel\n", encoding="utf-8")
    table = open_table(str(tmp_path / "t.csv"), engine="duckdb").table
    assert (tuple(table.columns), table.n_rows) == (("age", "sex", "town"), 2)


def test_a_line_of_answers_is_no_line_of_names():
    lines = [["id", "question", ""], ["1", "Response", "x"], ["2", "Response", "y"]]
    assert found_lines(lines) == range(1)


@pytest.mark.parametrize(
    "lines",
    [
        ["Id,Smoke?,Drink?,Town", ",Response,Response,Open-Ended Response", "1,Yes,No,Bern"],
        ["Faith?,,Smoke?,Drink?", "Response,None of these,Response,Response", "None,Druid,No,Yes"],
        ["Respondent ID,Start Date,Age,Sex", ",,Response,Response", "1,2024-01-02,31,F"],
        ["Age", "Open-Ended Response", "31"],
        ["StartDate,Q1", "Start Date,How old?", "2024-01-02,31"],
    ],
)
def test_a_line_that_says_response_below_the_questions_is_no_row(lines):
    table = read("\n".join(lines) + "\n")
    assert rows(table) == [lines[2].split(",")]
    assert not [name for name in table.frame.columns if "Response" in name]


def test_which_lines_name_the_columns_is_kept_by_a_draft_without_a_look(tmp_path):
    (tmp_path / "t.csv").write_text("Age,Sex\nOpen-Ended Response,Response\n31,F\n", encoding="utf-8")
    assert main(["codebook", str(tmp_path / "t.csv"), "-o", str(tmp_path / "cb.json")]) == 0
    assert json.loads((tmp_path / "cb.json").read_text())["reading"]["header"] == "1-2"


def test_where_a_codebook_names_no_line_of_names_the_rows_do_not_decide_which_it_is(tmp_path, capsys):
    """Whether lines are titles is told by the rows below them, so one row could decide which are rows."""
    data, book = tmp_path / "t.csv", tmp_path / "cb.json"
    data.write_text("Table 3,,\n,,\nage,sex,town\n" + "41,f,Bern\n38,m,Basel\n" * 50, encoding="utf-8")
    fields = [{"name": "sex", "type": "string", "categories": ["f", "m"]}]
    fields += [{"name": name, "type": "string", "publish": False} for name in ("age", "town")]
    make = [
        "synthesize",
        str(data),
        "--codebook",
        str(book),
        "--epsilon",
        "1",
        "--out",
        str(tmp_path / "out"),
    ]
    book.write_text(json.dumps({"fields": fields}), encoding="utf-8")
    assert main(make) == 2
    refusal = capsys.readouterr().err
    assert "lacks 'sex'" in refusal
    assert "--header" in refusal
    assert "Bern" not in refusal
    assert main([*make, "--header", "3"]) == 0
    book.write_text(json.dumps({"fields": fields, "reading": {"header": "3"}}), encoding="utf-8")
    assert main(make) == 0


def test_a_table_that_lacks_a_column_wherever_it_is_looked_for_is_told_of_no_line_of_names():
    domain = {"fields": [{"name": n, "type": "string", "categories": ["a", "b"]} for n in ("x", "y")]}
    book = Codebook.from_dict(domain)
    with pytest.raises(SourceError, match=r"--header"):
        encode(pd.DataFrame({"Table 3": ["", "x", "a"], "column 2": ["", "y", "b"]}), book)
    with pytest.raises(SourceError, match=r"add the column or remove it"):
        encode(pd.DataFrame({"x": ["a", "x", "b"], "z": ["b", "a", "a"]}), book)


@pytest.mark.parametrize("below", ["Response,Response\n", ",Response\n", "\n", "2024-01-02,x\n"])
def test_what_may_be_somebodys_answer_is_no_line_of_names(below):
    assert found_lines([["first", "second"], *[line.split(",") for line in below.split("\n")]]) == range(1)
    assert found_lines([["StartDate", "x"], [], ["2024-01-02", "1"]]) == range(1)


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_blanks_around_names_are_left_away_and_said(tmp_path, kind):
    frame = pd.DataFrame({"id": [1, 2], " age": [31, 40], "sex ": ["f", "m"], " ": ["x", "y"], "age": [1, 2]})
    file = tmp_path / f"t.{kind}"
    if kind == "xlsx":
        frame.to_excel(file, index=False)
    else:
        (frame.to_csv if kind == "csv" else frame.to_parquet)(file, index=False)
    for reading in (read_file(str(file)).reading, read_header(str(file)).reading):
        assert reading.trimmed == ("age", "sex")
        assert reading.unnamed == ("column 4",)
        assert "blanks around names are left away: age, sex" in reading.words
        assert "without a name of their own are called column 4, age (2)" in reading.words


def test_a_row_of_patients_with_a_response_is_a_row():
    table = read("week_4,week_8,week_12,site\nResponse,Response,Response,Bern\n,Response,,Basel\n")
    assert len(rows(table)) == 2


@pytest.mark.parametrize(
    ("line", "is_row"),
    [
        ("SEM VITIMA;2017-01-01;02:55;CABANGA;AV SUL;;;1;;;;;;;0", True),
        ("Ana;2017-08-16;06:55;norte", True),
        ("Ana;3.5.1971;1.2.2020;8.2.2020", True),
        ("Ana;.5;.25;.3;norte", True),
        ("100022  31659123     121222113121432 22;", True),
        ("country;1/22/20;1/23/20;1/24/20;1/25/20", False),
        ("Land;30.1.20;31.1.20;1.2.20;2.2.20", False),
        ("stop;06:30;07:00;07:30;08:00", False),
        ("1960;1961;1962", False),
        ("born 2001-02-03;seen at 12:30;town", False),
    ],
)
def test_a_first_line_with_dates_and_times_that_are_no_series_is_said_to_be_a_row(line, is_row):
    rows = "".join("abc"[i % 3] + ";" * line.count(";") + "\n" for i in range(3))
    reading = read_header(
        f"{line}\n{rows}".encode(), name="t.csv", reading=FileReading(delimiter=";")
    ).reading
    assert reading.headless is is_row


def test_a_block_of_what_a_report_is_about_above_an_empty_line_is_none_of_its_rows():
    """Report servers write what was asked for in a small table of its own first."""
    about = "box9,box11,box34\nNationality: All,Religion: All,Data before 2002 are left out\n\n"
    rows = "".join(f"From 2005,To 2015,Place {i % 7},CY {2005 + i % 9},{i},x,{i % 5},7\n" for i in range(60))
    text = about + "from,to,nation,year,cases,faith,last,all\n" + rows
    table = read_file(text.encode(), name="t.csv")
    assert list(table.frame.columns)[2:5] == ["nation", "year", "cases"]
    assert len(table.frame) == 60
    unparted = "a,b,c\n1,2,3\n" + text[len(about) :]
    with pytest.raises(SourceError):
        read_file(unparted.encode(), name="t.csv")


def test_a_line_of_groups_as_of_merged_cells_stands_above_the_names():
    groups = ["", "", "men", "", "women", ""]
    names = ["age", "town", "n", "mean", "n", "mean"]
    people = [["0-4", "Bern", "3", "1.5", "4", "2.5"], ["5-9", "Basel", "8", "0.5", "9", "1.5"]]
    assert found_lines([groups, names, *people]) == range(2)
    assert names_in([groups, names])[2:4] == ["men: n", "men: mean"]
    asked = [["", "By?", "", "To?", ""], ["Id", "tram", "bus", "work", "school"]]
    ticked = [["1", "tram", "", "work", ""], ["2", "", "bus", "", "school"]]
    assert found_lines([*asked, *ticked]) == range(2)
    whole = [["a", "b", "men", "", "women", ""], *people]
    assert found_lines(whole) == range(1), "the second is a row like the others"
    words = [[cell if i < 2 else "x" for i, cell in enumerate(row)] for row in people]
    assert found_lines([groups, names, *words]) == range(1), "nothing says that the second is no row"
