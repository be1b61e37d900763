"""Every format a table comes in: read rightly, and what was detected is said and can be overruled."""

import datetime as dt
import decimal
import gzip
import io
import os
import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pafeather
import pyarrow.parquet as papq
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.encoding import encode, encode_table
from hmpb_core.errors import SourceError
from hmpb_core.sources.files import FileReading, opening, read_file, read_header, read_table, workbook_size
from hmpb_core.sources.files.headers import unique_names
from hmpb_core.sources.people import _people

GERMAN = (
    "Größe;Gewicht;geboren;Stadt\n"
    "1,82;1.234,5;27.08.1996;Köln\n"
    "1,60;65,25;01.02.1980;Zürich\n"
    "1,75;2.070,0;15.11.1971;Graz\n"
)


def read(content, name="t.csv", **told):
    return read_file(content, name=name, reading=FileReading.told(**told))


def rows(table):
    return table.frame.to_numpy().tolist()


# csv


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"]
)
def test_one_text_in_any_usual_encoding_reads_the_same(encoding):
    table = read(GERMAN.encode(encoding))
    assert list(table.frame.columns) == ["Größe", "Gewicht", "geboren", "Stadt"]
    assert rows(table)[0] == ["1.82", "1234.5", "27.08.1996", "Köln"]
    assert rows(table)[1] == ["1.60", "65.25", "01.02.1980", "Zürich"]
    assert (table.reading.delimiter, table.reading.decimal, table.reading.thousands) == (";", ",", ".")


@pytest.mark.parametrize(
    "text",
    [
        "knowledge\u00a0of,x\nBär,don’t\n",
        "ville,école\nOrléans,à côté\nNîmes,forêt\n",
        "Stadt,Straße\nKöln,Bäckergäßchen\nZürich,Löwenstraße\n",
        "a,b\nabc – def,5 °C\nword—word,café\n",
    ],
)
@pytest.mark.parametrize("encoding", ["mac-roman", "cp1252"])
def test_what_excel_saves_on_a_mac_is_told_from_windows(text, encoding):
    table = read(text.encode(encoding))
    assert table.reading.encoding == encoding
    assert [list(table.frame), *rows(table)] == [line.split(",") for line in text.splitlines()]


def test_latin_1_far_down_a_file_is_found_too():
    content = b"a,b\n" + b"1,x\n" * 400_000 + "2,für\n".encode("latin-1")
    table = read(content)
    assert table.reading.encoding == "cp1252"
    assert rows(table)[-1] == ["2", "für"]


def test_bytes_without_a_windows_character_are_latin_1():
    assert read(b"a,b\n\xe9,\x81\n").reading.encoding == "iso8859-1"


def test_an_encoding_that_is_told_is_used():
    assert rows(read("a,b\nЖ,x\n".encode("cp1251"), encoding="cp1251")) == [["Ж", "x"]]
    with pytest.raises(SourceError, match="holds bytes that are no text in utf-8; name its encoding"):
        read("a,b\nЖ,x\n".encode("cp1251"), encoding="utf-8")


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ({"encoding": "none-such"}, "is not known; name one such as utf-8"),
        ({"encoding": "base64"}, "is not one of texts"),
        ({"delimiter": "ab"}, "cannot separate values"),
        ({"delimiter": '"'}, "cannot separate values"),
        ({"decimal": "x"}, "must be a point or a comma"),
        ({"thousands": "x"}, "thousands mark 'x' is not known"),
        ({"decimal": ",", "thousands": ","}, "cannot mark both"),
        ({"money": "shells"}, "sign beside amounts 'shells' is not known"),
        ({"minus": "~"}, "way '~' of telling numbers below zero is not known"),
        ({"thousands": "."}, "cannot mark both"),
    ],
)
def test_an_impossible_setting_is_refused(told, text):
    with pytest.raises(SourceError, match=text):
        FileReading.told(**told)


def test_settings_are_told_by_name_or_as_they_are():
    told = FileReading.told(delimiter="tab", decimal="comma", thousands="point")
    assert (told.delimiter, told.decimal, told.thousands) == ("\t", ",", ".")
    assert FileReading.from_dict(told.to_dict()) == told
    assert FileReading.from_dict({"delimiter": 3, "other": "x"}) == FileReading()


@pytest.mark.parametrize(
    ("lines", "decimal", "thousands"),
    [
        (["a;b", "1,5;x", "2,25;y"], ",", ""),
        (["a;b", "1.5;x", "2.25;y"], ".", ""),
        (["a;b", "1.234;1,5", "9.999;2,5"], ",", "."),
        (["a;b", "1,12451786296625e-05;x", "3,69E+4;y"], ",", ""),
        (["a;b", "1 234,5;x", "10,5;y"], ",", " "),
        (["a;b", "1'234.5;x", "10.5;y"], ".", "'"),
        (["a,b", '"1,234.5",x', '"2,000.5",y'], ".", ","),
        (["a,b", '"1,234,567",x', '"2,000,001",y'], ".", ","),
        (["a;b", "27.08.1996;x", "01.02.1980;y"], ".", ""),
        (["a;b", "10.0.0.1;x", "10.0.0.2;y"], ".", ""),
        (["a,b", "1,2", "3,4"], ".", ""),
    ],
)
def test_how_numbers_are_written_is_detected(lines, decimal, thousands):
    reading = read("\n".join(lines).encode()).reading
    assert (reading.decimal, reading.thousands) == (decimal, thousands)


@pytest.mark.parametrize(
    ("lines", "money", "values"),
    [
        ('fee\n$7.00\n"-$1,250.50"\n$-3\n', "$", ["7.00", "-1250.50", "-3"]),
        ("a;fee\nx;1.500,00 €\ny;7,50\u00a0€\nz;-2,00€\n", "€", ["1500.00", "7.50", "-2.00"]),
        ("fee,cost\n£5,$6\n£7,$8\nfree,12\n", "$£", ["5", "7", "free"]),
        ("note\n$5 was paid\n$6 was not\nall well\n", "", ["$5 was paid", "$6 was not", "all well"]),
        ("fee\n$\n$$5\n5$5\n", "", ["$", "$$5", "5$5"]),
        ("rate\n12.5%\n7 %\n-3%\n", "%", ["12.5", "7", "-3"]),
        ("rate;drug\n12%;5%\n7%;cream\n3%;gel\n8%;10%\n2%;pill\n", "", ["5%", "cream", "gel", "10%", "pill"]),
    ],
)
def test_numbers_with_a_sign_of_money_or_percent_are_numbers(lines, money, values):
    table = read(lines.encode())
    assert table.reading.money == money
    assert [row[-1 if ";" in lines else 0] for row in rows(table)] == values


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n" * 9, mtime=0)[:-9]])
def test_a_file_that_is_not_packed_as_its_name_says_is_no_question_of_rights(content):
    with pytest.raises(SourceError, match="no whole gzip file inside"):
        read(content, name="t.csv.gz")


MINUS = "\u2212"
MANY = [f"{i / 10:.1f}" for i in range(50)]


@pytest.mark.parametrize(
    ("values", "money", "minus", "second"),
    [
        ([f"{x} kg" for x in MANY], "kg", "", "0.1"),
        ([f"{x}mmHg" for x in MANY] + ["n.a."] * 20, "mmHg", "", "0.1"),
        ([f"CHF {x}" for x in MANY], "CHF", "", "0.1"),
        ([f"{x}0 CHF" for x in MANY], "CHF", "", "0.10"),
        (["0.5 mg", "1 mg", "2 mg"] * 30, "", "", "1 mg"),  # a list as it stands
        ([f"{x} k" for x in MANY], "k", "", "0.1"),
        ([f"{x} q" for x in MANY], "", "", "0.1 q"),
        ([f"${x} B" for x in MANY], "$ B", "", "0.1"),
        ([f"{x} M" for x in MANY[:25]] + [f"{x} B" for x in MANY[25:]], "", "", "0.1 M"),
        ([f"{x} M Ft" for x in MANY], "M Ft", "", "0.1"),
        ([f"{x} тыс. руб." for x in MANY], "тыс. руб.", "", "0.1"),
        ([f"{x} TL/m²" for x in MANY], "TL/m²", "", "0.1"),
        ([f"{x}  m²" for x in MANY], "m²", "", "0.1"),
        (
            [f"{x} tỷ" for x in MANY] + [f"{i}00 triệu" for i in range(5)] * 5,
            "",
            "",
            "0.1 tỷ",
        ),  # of two sizes
        ([f"{x} cc" for x in MANY] + [f"{i} - {i + 1} cc" for i in range(5)] * 2, "", "", "0.1 cc"),  # a list
        ([f"{x} min" for x in MANY], "min", "", "0.1"),
        ([f"{x} min" for x in MANY] + ["1 h 5 min"], "", "", "0.1 min"),  # a length of time
        ([f"{MINUS}{x}" for x in MANY[1:]] + MANY, "", MINUS, "-0.2"),
        ([f"{MINUS}1", "0", "1"] * 30, "", "", "0"),
        ([f"({x})" for x in MANY[1:]] + MANY, "", "()", "-0.2"),
        ([f"(${x})" for x in MANY[1:]] + [f"${x}" for x in MANY], "$", "()", "-0.2"),
        ([f"({x})" for x in MANY], "", "", "(0.1)"),  # a footnote's number, perhaps
        ([f"case ({x})" for x in MANY], "", "", "case (0.1)"),
    ],
)
def test_units_and_other_minus_signs_of_columns_of_many_numbers(values, money, minus, second):
    table = read(("a;b\n" + "".join(f"{value};x\n" for value in values)).encode())
    assert (table.reading.money, table.reading.minus) == (money, minus)
    assert rows(table)[1] == [second, "x"]
    kept = FileReading.from_dict(table.reading.to_dict())
    assert rows(read_file(f"a\n{values[1]}\n".encode(), name="t.csv", reading=kept)) == [[second]]


@pytest.mark.parametrize(("below", "minus"), [(2, "()"), (1, "")])
def test_two_amounts_in_brackets_far_down_a_long_table_are_below_zero(below, minus):
    """A payroll of 23,312 people had seven such in three columns: none was among the rows looked at."""
    pay = [f"{1_000 + row:,}.50" for row in range(12_000)]
    for row in (7_000, 7_002)[:below]:  # of every five rows there one is looked at
        pay[row] = f"({pay[row]})"
    pay[9_000] = " -   "
    extra = [f"{row / 4:.2f}" for row in range(12_000)]
    extra[7_003] = "(5.00)"
    lines = "".join(f'"{amount}";{more}\n' for amount, more in zip(pay, extra, strict=True))
    table = read(f"pay;extra\n{lines}".encode())
    assert table.reading.minus == minus
    found = table.frame.loc[[7_000, 7_003]].astype(str).to_numpy().tolist()
    told = ["-8000.50", "-5.00"] if minus else ["(8,000.50)", "(5.00)"]
    assert found == [[told[0], "1750.00"], ["8003.50", told[1]]]
    ways = {"pay": "(1,234.50)", "extra": "(1234.50)"} if minus else {"pay": "1,234.50"}
    assert dict(table.reading.amounts) == ways


def test_a_unit_that_stands_beside_other_columns_numbers_is_none():
    doses = "".join(f"{x} mg;{('5 mg', 'cream')[i % 2]};7\n" for i, x in enumerate(MANY))
    assert read(f"dose;drug;n\n{doses}".encode()).reading.money == ""
    slipped = "".join(f"{x} KM;{('40 KM' if i == 7 else 'petrol')}\n" for i, x in enumerate(MANY * 2))
    assert read(f"power;fuel\n{slipped}".encode()).reading.money == "KM"
    marks = "".join(f"{MINUS * (i % 2)}{x};{('(5)', 'cream')[i % 2]}\n" for i, x in enumerate(MANY))
    assert read(f"t;note\n{marks}".encode()).reading.minus == MINUS


def test_a_unit_of_many_numbers_is_also_that_of_a_column_with_few_different_ones():
    """Of 2,500 cars the consumption had 72 values and the tank 40, both in lt: neither was a number."""
    cars = "".join(f"{x.replace('.', ',')} lt;{40 + i % 20} lt\n" for i, x in enumerate(MANY))
    table = read(f"use;tank\n{cars}".encode(), delimiter=";")
    assert (table.reading.money, table.reading.decimal) == ("lt", ",")
    assert rows(table)[1] == ["0.1", "41"]
    assert dict(table.reading.amounts) == {"use": "1234,5 lt", "tank": "1234 lt"}


def test_a_codebook_that_lists_amounts_as_categories_keeps_them():
    lines = b"fee\n$5\n$6\n"
    assert rows(read(lines, decimal=".", thousands="none")) == [["$5"], ["$6"]]
    assert rows(read(lines, money="none")) == [["$5"], ["$6"]]
    assert rows(read(lines, decimal=".", thousands="none", money="$")) == [["5"], ["6"]]


def test_only_what_is_a_number_is_written_anew():
    table = read(b"a;b\n1,5;x, y\n1.000,5;1,5,7\n2,5;12.34.56\n", decimal=",", thousands=".")
    assert rows(table) == [["1.5", "x, y"], ["1000.5", "1,5,7"], ["2.5", "12.34.56"]]
    small = read(b"a;b\n1,12e-05;x\n-3,69E4;4,2e\n", decimal=",")
    assert rows(small) == [["1.12e-05", "x"], ["-3.69E4", "4,2e"]]


def test_the_decimal_mark_that_is_told_wins():
    assert rows(read(b"a;b\n1,5;x\n2,5;y\n", decimal=".", thousands="none"))[0] == ["1,5", "x"]


def test_excels_line_about_the_separator_is_read():
    table = read(b"sep=|\na|b\n1;2|x\n")
    assert table.reading.delimiter == "|"
    assert rows(table) == [["1;2", "x"]]


def test_columns_without_a_name_of_their_own_are_named_and_said():
    table = read(b"age,,age, ,age (2)\n1,2,3,4,5\n")
    assert list(table.frame.columns) == ["age", "column 2", "age (3)", "column 4", "age (2)"]
    assert table.reading.renamed == (("", "column 2"), ("age", "age (3)"), ("", "column 4"))
    assert "are called column 2, age (3), column 4" in table.reading.words


@pytest.mark.parametrize("header", [["a", "a", "a"], ["column 2", ""], ["", "column 1"], ["a", "a (2)", "a"]])
def test_given_names_never_collide(header):
    names, renamed = unique_names(header)
    assert len(set(names)) == len(names) == len(header)
    assert all(old == "" or old in names for old, _ in renamed)


def test_a_name_in_quotes_may_hold_the_separator_and_a_line_break():
    assert list(read(b'"a,1","b\nc"\n1,2\n').frame.columns) == ["a,1", "b\nc"]


# Workbooks


def workbook(sheets_, **options):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, lines in sheets_.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
        if name in options.get("hidden", ()):
            sheet.sheet_state = "hidden"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def ods(lines, *, attributes=""):
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string" {attributes}>'
            f"<text:p>{cell}</text:p></table:table-cell>"
            for cell in line
        )
        + '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
        for line in lines
    )
    content = (
        '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="People">{cells}'
        '<table:table-row table:number-rows-repeated="1048000">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    return container(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": '<?xml version="1.0"?><manifest:manifest '
            'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
            "content.xml": content,
        }
    )


def container(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("sheets", "chosen"),
    [
        ({"Cover": [["Remarks"], ["by the office"]], "Data": [["a", "b"], [1, 2]]}, "Data"),
        ({"Empty": [], "Cover": [["Remarks"]], "Data": [["a", "b"], [1, 2]], "More": [["c", "d"]]}, "Data"),
        ({"Set": [["key", "value"], *[["x", 1]] * 9], "Data": [["a", "b"], *[[1, 2]] * 99]}, "Data"),
        ({"Data": [["a", "b"], *[[1, 2]] * 60], "Log": [["c", "d"], *[[1, 2]] * 900]}, "Data"),
        ({"Data": [["a", "b"], *[[1, 2]] * 9], "More": [["c", "d"], *[[1, 2]] * 60]}, "Data"),
        ({"Empty": [], "Ages": [["age"], [7]], "Sizes": [["size"], [9]]}, "Ages"),
    ],
)
def test_one_column_in_front_of_a_table_is_no_table_unless_no_sheet_has_more(sheets, chosen):
    """A cover of remarks was read as the table, of which nothing could be published, or its settings."""
    content = workbook(sheets)
    assert read(content, "t.xlsx").reading.sheet == chosen
    first = next(name for name, lines in sheets.items() if len(lines) > 1)
    assert read(content, "t.xlsx", sheet=first).reading.sheet == first


def test_cells_of_a_workbook_become_the_texts_of_a_csv_file():
    day = dt.date(1996, 8, 27)
    content = workbook(
        {"T": [["n", "x", "d", "b", "s"], [3, 0.1, day, True, "ü"], [None, 2.0, None, False, ""]]}
    )
    table = read(content, "t.xlsx")
    assert rows(table) == [["3", "0.1", "1996-08-27", "true", "ü"], ["", "2", "", "false", ""]]
    assert table.reading == FileReading(format="xlsx", sheet="T", sheets=("T",))


def sheet_of(rows):
    """A workbook whose sheet is this XML."""
    kept = io.BytesIO(workbook({"T": [["a", "b"], [1, 2]]}))
    made = io.BytesIO()
    with zipfile.ZipFile(kept) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith("xl/worksheets/"):
                head = content[: content.index(b"<sheetData>")]
                content = head + b"<sheetData>" + rows.encode() + b"</sheetData></worksheet>"
            new.writestr(name, content)
    return made.getvalue()


NAMES_AND_ROW = (
    '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>'
    '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>'
)


def test_formats_far_below_a_sheet_s_table_count_for_nothing():
    far = '<row r="1000000"><c r="A1000000" s="0"/><c r="ZZ1000000" s="0"/></row>'
    assert rows(read(sheet_of(NAMES_AND_ROW + far), "t.xlsx")) == [["1", "2"]]


@pytest.mark.parametrize(
    "far",
    [
        '<row r="1000000"><c r="A1000000" s="0"/><c r="ZZ1000000"><v>1</v></c></row>',
        '<row r="1000000"><c r="ZY1000000" s="0"/><c><v>1</v></c></row>',
        '<row r="999999"/><row><c r="ZY1000000"/><c><v>1</v></c></row>',
    ],
)
def test_a_value_far_below_a_sheet_s_table_is_one_of_too_many_cells(far):
    with pytest.raises(SourceError, match="has a sheet of more than 50000000 cells"):
        read(sheet_of(NAMES_AND_ROW + far), "t.xlsx")


def test_of_many_sheets_the_first_five_are_named_beside_the_one_that_was_read():
    reading = read(workbook({f"S{i}": [["a"], [i]] for i in range(7)}), "t.xlsx").reading
    assert reading.words == "xlsx, sheet 'S0' (of 7: 'S0', 'S1', 'S2', 'S3', 'S4', ...)"


def test_the_first_visible_sheet_that_holds_something_is_read_unless_one_is_told():
    content = workbook(
        {"Secret": [["x"], [0]], "Empty": [], "One": [["a"], [1]], "Two": [["b"], [2]]}, hidden=("Secret",)
    )
    table = read(content, "t.xlsx")
    assert (table.reading.sheet, table.reading.sheets) == ("One", ("Secret", "Empty", "One", "Two"))
    assert "sheet 'One' (of 4: 'Secret', 'Empty', 'One', 'Two')" in table.reading.words
    assert rows(read(content, "t.xlsx", sheet="Two")) == [["2"]]
    with pytest.raises(
        SourceError, match="has no sheet 'Three'; choose one of 'Secret', 'Empty', 'One', 'Two'"
    ):
        read(content, "t.xlsx", sheet="Three")


def test_an_ods_file_is_read_though_its_sheet_repeats_empty_cells_to_the_end():
    table = read(ods([["a", "b"], ["1", "x"]]), "t.ods")
    assert list(table.frame.columns) == ["a", "b"]
    assert rows(table) == [["1", "x"]]
    assert (table.reading.format, table.reading.sheet) == ("ods", "People")


def test_the_header_of_a_workbook_is_read_with_its_unnamed_columns():
    assert read_header(workbook({"T": [["a", None, "c"], [1, 2, 3]]}), name="t.xlsx").names == (
        "a",
        "column 2",
        "c",
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (workbook({"T": []}), "has an empty sheet"),
        (workbook({"T": [["a"]]}), "has a header but no rows"),
        (workbook({"T": [["a"], [1]]})[:-40], "is not a whole workbook"),
        (container({"a.txt": "x"}), "is not a whole workbook"),
        (container({"content.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}), "is not a whole workbook"),
        (container({"content.xml": "<a>"}), "is not a whole workbook"),
    ],
    ids=["empty", "header only", "cut short", "another zip file", "entities", "broken XML"],
)
@pytest.mark.parametrize("name", ["t.xlsx", "t.ods"])
def test_a_broken_workbook_gets_one_sentence(content, text, name):
    with pytest.raises(SourceError, match=text):
        read(content, name)


def with_cells_at(*references):
    sheet = workbook({"T": [["a"], [1]]})
    members = {}
    with zipfile.ZipFile(io.BytesIO(sheet)) as source:
        for name in source.namelist():
            members[name] = source.read(name)
    cells = "".join(f'<row r="{r}"><c r="{c}{r}"><v>1</v></c></row>' for c, r in references)
    path = "xl/worksheets/sheet1.xml"
    members[path] = members[path].replace(b"</sheetData>", cells.encode() + b"</sheetData>")
    return container(members)


def test_a_sheet_with_a_cell_in_its_last_corner_is_refused_before_it_takes_memory():
    with pytest.raises(SourceError, match="has a sheet of more than 50000000 cells"):
        read(with_cells_at(("XFD", 1048576)), "t.xlsx")


def test_an_ods_cell_that_is_repeated_without_end_is_refused():
    with pytest.raises(SourceError, match="has a sheet of more than"):
        read(ods([["a"]], attributes='table:number-columns-repeated="99999999"'), "t.ods")


def test_a_workbook_that_unpacks_to_too_much_is_refused_whatever_its_header_claims(monkeypatch):
    monkeypatch.setattr(opening, "MAX_UNPACKED_BYTES", 1 << 20)
    honest = container({"xl/worksheets/sheet1.xml": b" " * (3 << 20)})
    lying = honest.replace((3 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    for content in (honest, lying):
        with pytest.raises(SourceError, match="unpacks to more than"):
            read(content, "t.xlsx")


# Parquet and Arrow


def parquet(table):
    sink = io.BytesIO()
    papq.write_table(table, sink)
    return sink.getvalue()


def feather(table):
    sink = io.BytesIO()
    pafeather.write_feather(table, sink)
    return sink.getvalue()


WRITERS = {"t.parquet": parquet, "t.feather": feather}
BIG = 2**53 + 1
TYPED = {
    "int64": pa.array([BIG, BIG - 1, None]),
    "uint64": pa.array([2**64 - 1, 2**64 - 2, None], pa.uint64()),
    "int8": pa.array([1, -2, None], pa.int8()),
    "bool": pa.array([True, False, None]),
    "float32": pa.array([0.5, 3.0, None], pa.float32()),
    "double": pa.array([0.1, 3.0, None]),
    "string": pa.array(["a", "ü", None]),
    "large": pa.array(["a", "b", None], pa.large_string()),
    "dictionary": pa.array(["a", "b", None]).dictionary_encode(),
    "numbers dictionary": pa.array([BIG, BIG - 1, None]).dictionary_encode(),
    "decimal": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-2.00"), None]),
    "date": pa.array([dt.date(1996, 8, 27), dt.date(2000, 1, 1), None]),
    "timestamp": pa.array([841107723_000_000, 946684800_005_000, None], pa.timestamp("us")),
    "time": pa.array([dt.time(1, 2), dt.time(3, 4, 5), None]),
    "null": pa.nulls(3),
}
TEXTS = {
    "timestamp": ["1996-08-27 01:02:03", "2000-01-01 00:00:00.005"],
    "decimal": ["1.50", "-2.00"],
    "date": ["1996-08-27", "2000-01-01"],
    "time": ["01:02:00", "03:04:05"],
}


@pytest.mark.parametrize("name", WRITERS)
def test_typed_columns_keep_every_value(name):
    frame = read_table(WRITERS[name](pa.table(TYPED)), name=name)
    for column, values in TYPED.items():
        assert frame[column].isna().tolist()[2], column
        if column != "null":
            expected = TEXTS.get(column, values.to_pylist()[:2])
            assert frame[column].tolist()[:2] == expected, column


@pytest.mark.parametrize("name", WRITERS)
def test_moments_of_a_time_zone_have_no_parts_of_a_second_that_are_zero(name):
    ticks = [946_684_800_000_000, 946_684_800_500_000]
    for zone, ends in (("Europe/Berlin", "+0100"), ("UTC", "Z"), ("+05:30", "+0530")):
        table = pa.table({"m": pa.array(ticks, pa.timestamp("us", zone))})
        texts = read_table(WRITERS[name](table), name=name)["m"].tolist()
        assert [text[19:] for text in texts] == [ends, f".5{ends}"], zone


@pytest.mark.parametrize("name", [*WRITERS, "t.csv"])
@pytest.mark.parametrize("kind", [kind for kind in TYPED if kind != "null"])
@pytest.mark.parametrize("other", ["null", "same", "odd"])
def test_one_rows_value_moves_one_rows_codes_only(name, kind, other):
    values = TYPED[kind].to_pylist()[:2] * 3
    changed = [{"null": None, "same": values[1], "odd": values[0]}[other], *values[1:]]
    if name == "t.csv":
        tables = [pd.DataFrame({"x": [str(v) for v in column]}) for column in (values, changed)]
        frames = [read_table(table.to_csv(index=False).encode(), name=name) for table in tables]
        categories = [str(v) for v in dict.fromkeys(values)]
    else:
        typed = [pa.table({"x": pa.array(column, TYPED[kind].type)}) for column in (values, changed)]
        frames = [read_table(WRITERS[name](table), name=name) for table in typed]
        categories = TEXTS.get(kind) or values[:2]
        categories = [str(c) if isinstance(c, bool) else c for c in categories]
    book = Codebook(
        domain=Domain((Categorical(name="x", categories=tuple(categories), nullable=True),)),
        missing_values=("", "None"),
    )
    before, after = (encode(frame, book)[:, 0].tolist() for frame in frames)
    assert before[1:] == after[1:] == [1, 0, 1, 0, 1]


def test_a_column_of_mixed_values_is_coded_value_by_value():
    # True == 1 == 1.0 in Python: what another row holds must not decide how this one is read.
    book = Codebook(domain=Domain((Categorical(name="x", categories=("True", "1", "2"), nullable=True),)))
    for first in (1, True, 2, None, "1"):
        codes = encode(pd.DataFrame({"x": pd.Series([first, True, 1, 1.0, "2"], dtype=object)}), book)
        assert codes[1:, 0].tolist() == [0, 1, 1, 2]


def test_mixed_numbers_lie_on_their_grid_and_mixed_ids_name_people_value_by_value():
    number = Numeric(
        name="x", minimum=0, maximum=9, bins=4, integer=True, learned=True, nullable=True, unknown=""
    )
    book = Codebook(domain=Domain((number,)))
    for first in (1, True, 2, None, "1"):
        column = pd.Series([first, True, 1, 1.0, "2"], dtype=object)
        fine = encode_table(pd.DataFrame({"x": column}), book).fine[0]
        assert fine.positions[fine.rows][1:].tolist() == [10, 1, 1, 2]
        people = _people(pd.Series([first or 5, True, 1, 1.0, "1"], dtype=object))
        assert people[1] != people[2] == people[3] == people[4]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    ("values", "text"),
    [
        (pa.array([[1.5], [2.0]]), "holds lists or groups of values in the column 'x'"),
        (pa.array([{"a": 1}]), "holds lists or groups of values in the column 'x'"),
        (pa.array([b"\xff\x00"]), "holds bytes or intervals in the column 'x'"),
        (pa.array([10**8], pa.date32()), "dates in the column 'x' that no calendar has"),
        (pa.array([2**62], pa.timestamp("us")), "dates in the column 'x' that no calendar has"),
    ],
    ids=["list", "struct", "binary", "date", "timestamp"],
)
def test_a_column_without_single_values_is_refused_by_name(name, values, text):
    with pytest.raises(SourceError, match=text):
        read_table(WRITERS[name](pa.table({"x": values})), name=name)


@pytest.mark.parametrize(
    ("zone", "said"),
    [("Europe/Berlin", True), ("UTC", False), ("Etc/GMT-2", False), ("+02:00", False), (None, False)],
)
def test_that_moments_in_the_hours_of_a_place_leave_as_those_of_greenwich_is_said(zone, said):
    table = pa.table({"when": pa.array([1720000000], pa.timestamp("s", zone))})
    for write in (parquet, feather):
        name = "t.parquet" if write is parquet else "t.feather"
        assert (read_file(write(table), name=name).reading.zoned == ("when",)) is said


def test_a_parquet_file_that_claims_too_many_cells_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(opening, "MAX_CELLS", 1000)
    with pytest.raises(SourceError, match="claims a table too large to be read"):
        read_table(parquet(pa.table({"x": [0] * 1001})), name="t.parquet")


def test_lengths_of_time_in_a_workbook_are_written_by_the_clock(tmp_path):
    book = openpyxl.Workbook()
    for row in (["stay"], [dt.timedelta(hours=20, minutes=14)], [dt.timedelta(days=2, seconds=5)]):
        book.active.append(row)
    for cell in book.active["A"][1:]:
        cell.number_format = "[h]:mm:ss"
    book.save(tmp_path / "t.xlsx")
    assert read_table(tmp_path / "t.xlsx")["stay"].tolist() == ["20:14:00", "48:00:05"]


# What is no plain file


def test_a_pipe_a_device_and_a_folder_are_refused_before_they_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "folder.csv", "device.csv"):
        with pytest.raises(SourceError, match="is not a plain file but a folder, a pipe or a device"):
            read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["a\0b.csv", "x" * 5000 + ".csv", "\udcff.csv"])
def test_an_impossible_path_is_refused(name):
    with pytest.raises(SourceError, match="is not a file here") as refused:
        read_table(name)
    str(refused.value).encode()


def test_a_file_that_is_too_large_is_refused_before_it_is_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "MAX_FILE_BYTES", 3)
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(SourceError, match="is larger than"):
        read_table(path)


def test_a_gzip_bomb_is_refused_as_it_grows(monkeypatch):
    monkeypatch.setattr(opening, "MAX_UNPACKED_BYTES", 20 << 20)
    bomb = gzip.compress(b"a,b\n" + b"0,0\n" * (30 << 20))
    with pytest.raises(SourceError, match="unpacks to more than"):
        read_table(bomb, name="t.csv.gz")


def test_a_header_of_too_many_columns_is_refused():
    with pytest.raises(SourceError, match="claims a table too large to be read"):
        read_table(b"a," * 200_000 + b"\n1\n", name="t.csv")


def test_the_limit_of_a_sheet_is_the_one_it_says():
    assert workbook_size.MAX_SHEET_CELLS == 50_000_000
