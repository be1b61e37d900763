"""The csv that leaves looks like the csv that came: line ends, marks and the shape of every cell."""

import codecs
import functools
import json
import re

import frictionless
import numpy as np
import pytest

from hmpb_core.amounts import NumberForm
from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.encoding import encode
from hmpb_core.planning.plan_file import codebook_digest
from hmpb_core.publishing.package import datapackage_of
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.sources.drafting import draft_from_rows
from hmpb_core.sources.files import FileReading, read_file, read_header

COLUMNS = {
    # name: what a cell holds, the shape of every cell that leaves
    "whole": ("{n}", r"\d{1,3}"),
    "stored as 3.0": ("{n}.0", r"\d{1,3}MARK0"),
    "plz": ("0{d}0{d}", r"0\d0\d"),
    "year of birth": ("19{dd}", r"\d{4}"),
    "price": ("{n}.{dd}", r"\d{1,3}MARK\d\d"),
    "day": ("{dd2}.0{m}.19{dd}", r"\d\d\.\d\d\.\d{4}"),
    "since": ("19{dd}-0{m}-{dd2}", r"\d{4}-\d\d-\d\d"),
    "clock": ("1{d}:{dd2}", r"\d\d:\d\d"),
    "us day": ("{m}/{dd2}/19{dd}", r"\d{1,2}/\d{1,2}/\d{4}"),
    "said": ("{yes}", r"Ja|Nein"),
    "flag": ("{flag}", r"TRUE|FALSE"),
    "town": ("{town}", r"Köln|Bonn"),
    "score": ("{score}", r"NA|\d{1,3}"),
    "job": ("{job}", r"\?|clerk|nurse"),
    "refused": ("{refused}", r"-9|\d{1,3}"),
    "empty": ("{empty}", r"|\dMARK\d"),
}
TEXTS = ("plz", "day", "since", "clock", "us day", "said", "town", "job")
ROWS = 150
DIALECTS = {
    "as Excel in German saves it": (";", ",", "cp1252", "\r\n", False),
    "as Excel saves UTF-8": (",", ".", "utf-8-sig", "\r\n", False),
    "as R writes it": (",", ".", "utf-8", "\n", True),
    "plain": (",", ".", "utf-8", "\n", False),
    "tabs in UTF-16": ("\t", ",", "utf-16", "\r\n", False),
}


def cells(rng):
    """One row of the table that comes, as texts with a decimal point."""
    number = int(rng.integers(0, 200))
    told = {
        "n": number,
        "d": rng.integers(1, 10),
        "m": rng.integers(1, 10),
        "dd": f"{rng.integers(10, 99)}",
        "dd2": f"{rng.integers(13, 29)}",
        "yes": rng.choice(["Ja", "Nein"]),
        "flag": rng.choice(["TRUE", "FALSE"]),
        "town": rng.choice(["Köln", "Bonn"]),
        "score": rng.choice(["NA", number]),
        "job": rng.choice(["?", "clerk", "nurse"]),
        "refused": rng.choice(["-9", number], p=[0.3, 0.7]),
        "empty": rng.choice(["", number % 100 / 10], p=[0.3, 0.7]),
    }
    return [text.format(**told) for text, _ in COLUMNS.values()]


def table(delimiter, decimal, encoding, lines, quotes):
    """The file that comes."""
    rng = np.random.default_rng(3)

    def line(texts, names):
        shown = []
        for text in texts:
            number = re.fullmatch(r"-?\d+(\.\d+)?|NA|TRUE|FALSE|", text) and not names
            marked = text.replace(".", decimal) if re.fullmatch(r"\d+\.\d+", text) else text
            shown.append(f'"{marked}"' if quotes and not number else marked)
        return delimiter.join(shown) + lines

    body = "".join(line(cells(rng), names=False) for _ in range(ROWS))
    return (line(COLUMNS, names=True) + body).encode(encoding)


def codebook_of(content):
    """The draft with guesses, with the code for a refusal declared as a steward would."""
    came = read_file(content, name="t.csv")
    schema = draft_from_rows(came.frame) | {"reading": came.reading.to_dict()}
    return came.frame, schema


@functools.cache
def left(content):
    """What leaves of a table's own rows, through codes and back."""
    frame, schema = codebook_of(content)
    codes = {"missingValues": ["-9", ""], "type": "integer", "constraints": {"minimum": 0, "maximum": 200}}
    fields = [{"name": f["name"], **codes} if f["name"] == "refused" else f for f in schema["fields"]]
    book = Codebook.from_dict({**schema, "fields": fields})
    rows = decode(encode(frame, book), book.domain, np.random.default_rng(0))
    return csv_of(rows, CsvForm.of(book)), book


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_cell_has_the_shape_it_came_with(dialect):
    delimiter, decimal, encoding, lines, quotes = dialect
    content, _ = left(table(*dialect))
    assert content.startswith(codecs.BOM_UTF8) == (encoding == "utf-8-sig")
    text = content.decode(encoding)
    rows = text.split(lines)
    assert rows[0] == table(*dialect).decode(encoding).split(lines)[0]
    assert (len(rows), rows[-1]) == (ROWS + 2, "")
    assert not re.search("[\r\n]", "".join(rows))
    columns = zip(*(row.split(delimiter) for row in rows[1:-1]), strict=True)
    for (name, (_, told)), column in zip(COLUMNS.items(), columns, strict=True):
        bare = told.replace("MARK", re.escape(decimal))
        shape = f'"(?:{bare})"' if quotes and name in TEXTS else bare
        assert {cell for cell in column if not re.fullmatch(shape, cell)} == set(), name
    assert text.count("NA") > 0
    assert ("?" in text, "-9" in text) == (True, True)


def test_the_header_alone_tells_ends_marks_and_quotes():
    for delimiter, _, encoding, lines, quotes in DIALECTS.values():
        header = delimiter.join(f'"{name}"' if quotes else name for name in COLUMNS) + lines + "1" + lines
        reading = read_header(header.encode(encoding), name="t.csv").reading
        assert (reading.lines, reading.quotes) == (lines, "texts" if quotes else "")
        assert reading.encoding in (encoding, "utf-8")
    broken_inside = read_header(b'"a\nb",c\r\n1,2\r\n', name="t.csv").reading
    assert broken_inside.lines == "\r\n"


def test_the_data_dictionary_says_what_a_missing_value_is_and_how_lines_end():
    content, book = left(table(";", ",", "cp1252", "\r\n", quotes=False))
    told = datapackage_of(book, {"d.csv": content}, name="n", title="t", description="d", created="c")
    resource = json.loads(told)["resources"][0]
    assert resource["dialect"]["lineTerminator"] == "\r\n"
    codes = {field["name"]: field.get("missingValues") for field in resource["schema"]["fields"]}
    assert (codes["score"], codes["job"], codes["refused"]) == (["NA"], ["?"], ["-9"])
    assert (codes["empty"], codes["whole"]) == (None, None)


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"missingValues": ["NA", ""]}, "NA"),
        ({"missingValues": ["", "NA"]}, ""),
        ({}, "."),
        ({"missingValues": ["-"]}, "-"),
        ({"missingValues": ["=1+1"]}, ""),
        ({"missingValues": ["b"]}, ""),
        ({"missingValues": ["b2"], "categories": ["a", {"value": "b", "prefixes": ["b"]}]}, ""),
        ({"missingValues": ["-9"], "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}, "-9"),
    ],
    ids=str,
)
def test_a_missing_value_is_written_as_the_first_code_that_can_mean_nothing_else(entry, code):
    listed = {} if "constraints" in entry else {"categories": ["a", "b"]}
    book = Codebook.from_dict({"fields": [{"name": "x", **listed, **entry}], "missingValues": ["."]})
    size = book.domain.sizes[0]
    rows = decode(np.array([[0], [size - 1]], dtype=np.int32), book.domain, np.random.default_rng(0))
    content = csv_of(rows, CsvForm.of(book)).decode()
    assert content.split("\n")[2] == (code or '""')
    again = encode(read_file(content.encode(), name="t.csv").frame, book)
    assert again[1, 0] == size - 1


AMOUNTS = {
    "$1,234.50": ["$20,800.00", "$7.10", "-$1,500,000.25"],
    "1.234,50 €": ["20.800,00 €", "7,10 €", "-1.500.000,25 €"],
    "£1234.50": ["£20800.00", "£7.10", "-£1500000.25"],
    "1234.5%": ["20800.0%", "7.1%", "-1500000.2%"],
    "1 234,5": ["20 800,0", "7,1", "-1 500 000,2"],
    "1,234": ["20,800", "7.1", "-1,500,000.25"],
    "¥1234": ["¥20800", "¥7.1", "-¥1500000.25"],
    "1234.5  m²": ["20800.0  m²", "7.1  m²", "-1500000.2  m²"],
    "1234 M Ft": ["20800 M Ft", "7.1 M Ft", "-1500000.25 M Ft"],
    "1234.50 kg": ["20800.00 kg", "7.10 kg", "-1500000.25 kg"],
    "CHF 1’234.50": ["CHF 20’800.00", "CHF 7.10", "-CHF 1’500’000.25"],
    "\u22121234.5": ["20800.0", "7.1", "\u22121500000.2"],
    "(1,234.50)": ["20,800.00", "7.10", "(1,500,000.25)"],
    "($1,234)": ["$20,800", "$7.1", "($1,500,000.25)"],
}


@pytest.mark.parametrize("example", AMOUNTS)
def test_amounts_are_written_by_the_example_of_1234_5(example):
    form = NumberForm.of(example)
    assert [form.text(value) for value in (20800.0, 7.1, -1500000.25)] == AMOUNTS[example]
    assert form.example == example


@pytest.mark.parametrize("example", ["", "1234", "1234.5", "1.234.5", "$1,234.50 €x", "12,34", "1,234.05"])
def test_what_is_no_example_of_1234_5_is_none_or_plain(example):
    form = NumberForm.of(example)
    assert form is None or not (form.sign or form.group)


@pytest.mark.parametrize("dialect", ["as Excel in German saves it", "as R writes it", "tabs in UTF-16"])
def test_the_data_dictionary_reads_the_file_back(dialect, tmp_path):
    content, book = left(table(*DIALECTS[dialect]))
    assert faults(content, book, tmp_path) == []


def test_numbers_with_a_unit_that_shows_no_decimals_have_the_files_decimal_mark(tmp_path):
    limits = {"type": "number", "constraints": {"minimum": 3, "maximum": 9}, "written": "1234 lt"}
    dialect = {"delimiter": ";", "decimal": ","}
    book = Codebook.from_dict({"fields": [{"name": "a", "decimals": 1, **limits}], "dialect": dialect})
    codes = np.arange(16, dtype=np.int32)[:, None]
    content = csv_of(decode(codes, book.domain, np.random.default_rng(0)), CsvForm.of(book))
    values = content.decode().split("\n")[1:-1]
    assert all(re.fullmatch(r"\d(,\d)? lt", value) for value in values)
    assert any("," in value for value in values)
    assert faults(content, book, tmp_path) == []


@pytest.mark.parametrize("example", ["$1,234.50", "1.234,50 €", "1 234.5", "1234 kg", "(1,234.50)"])
def test_the_data_dictionary_reads_amounts_back(example, tmp_path):
    low = 0 if example.startswith("$") else -99999  # the checker reads no minus before a sign of money
    limits = {"type": "number", "constraints": {"minimum": low, "maximum": 99999}, "written": example}
    whole = {**limits, "type": "integer", "written": example.removesuffix(".5")}
    fields = [{"name": "a", "decimals": 2, "missingValues": ["NA"], **limits}, {"name": "n", **whole}]
    book = Codebook.from_dict({"fields": fields})
    codes = np.column_stack([np.arange(16)] * 2).astype(np.int32)
    content = csv_of(decode(codes, book.domain, np.random.default_rng(0)), CsvForm.of(book))
    assert faults(content, book, tmp_path) == []


def faults(content, book, folder):
    """What the standard's own checker says of a file by its data dictionary."""
    (folder / "d.csv").write_bytes(content)
    made = {"name": "n", "title": "t", "description": "d", "created": "2026-01-01T00:00:00Z"}
    (folder / "datapackage.json").write_text(
        datapackage_of(book, {"d.csv": content}, **made), encoding="utf-8"
    )
    report = frictionless.Package(str(folder / "datapackage.json")).validate()
    return report.flatten(["fieldName", "type", "note"])[:3]


MINUS = "\u2212"


def test_units_and_other_minus_signs_are_read_and_leave_as_they_came():
    rows = "".join(
        f"{i / 10:.1f} kg;{MINUS if i % 3 else ''}{i / 10:.1f};{f'({i}.50)' if i % 4 else f'{i},000.00'}\n"
        for i in range(100, 300)
    )
    read = read_file(f"weight;temp;balance\n{rows}".encode(), name="t.csv")
    assert (read.reading.money, read.reading.minus) == ("kg", "\u2212()")
    assert read.frame.iloc[1].tolist() == ["10.1", "-10.1", "-101.50"]
    schema = draft_from_rows(read.frame, amounts=dict(read.reading.amounts))
    assert [field["written"] for field in schema["fields"]] == ["1234.5 kg", "\u22121234.5", "(1,234.50)"]
    book = Codebook.from_dict(schema | {"reading": read.reading.to_dict()})
    values = decode(encode(read.frame, book), book.domain, np.random.default_rng(0))
    content = csv_of(values, CsvForm.of(book))
    lines = content.decode().split("\n")[1:-1]
    form = re.compile(r"\d\d\.\d kg;\u2212?\d\d?\.\d;(\([\d,]+\.\d\d\)|[\d,]+\.\d\d)")
    assert all(form.fullmatch(line) for line in lines), lines[:3]
    again = read_file(content, name="t.csv", reading=FileReading.from_dict(schema_reading(book)))
    assert (again.frame["balance"].astype(float) < 0).any()
    told = json.loads(datapackage_of(book, {"d.csv": b""}, name="n", title="t", description="d", created="c"))
    weight, temp, balance = told["resources"][0]["schema"]["fields"]
    assert (weight["type"], weight["bareNumber"]) == ("number", False)
    assert balance["description"] == "Numbers; -1234.5 is written (1,234.50)."
    assert (temp["type"], "constraints" in temp) == ("string", False)


def schema_reading(book):
    """How a codebook says that its file is written."""
    return json.loads(book.to_json()).get("reading")


def test_amounts_leave_with_their_columns_own_sign_and_marks():
    rows = "".join(f"$5.{i},20;1.{i},50 €;{100 + i % 70};{'' if i % 5 else 'x'}\n" for i in range(100, 300))
    frame = read_file(f"pay;fee;n;rest\n{rows}".encode(), name="t.csv")
    assert dict(frame.reading.amounts) == {"pay": "$1.234,50", "fee": "1.234,50 €"}
    schema = draft_from_rows(frame.frame, amounts=dict(frame.reading.amounts))
    schema |= {"reading": frame.reading.to_dict()}
    book = Codebook.from_dict(schema)
    assert Codebook.from_json(book.to_json()).written == book.written
    values = decode(encode(frame.frame, book), book.domain, np.random.default_rng(0))
    lines = csv_of(values, CsvForm.of(book)).decode().split("\n")[1:-1]
    assert all(re.fullmatch(r"\$5\.\d{3},\d\d;1\.\d{3},\d\d €;\d{3};x?", line) for line in lines), lines[:3]
    plain = csv_of(values, CsvForm.of(book.in_plain_csv())).decode().split("\n")[1:-1]
    assert all(re.fullmatch(r"\d{4}\.\d\d,\d{4}\.\d\d,\d{3},x?", line) for line in plain), plain[:3]
    told = json.loads(datapackage_of(book, {"d.csv": b""}, name="n", title="t", description="d", created="c"))
    fields = told["resources"][0]["schema"]["fields"]
    assert fields[0] | {"decimalChar": ",", "groupChar": ".", "bareNumber": False} == fields[0]
    assert "bareNumber" not in fields[2]
    assert codebook_digest(book) == codebook_digest(book.in_plain_csv())


@pytest.mark.parametrize(("marked", "written"), [(30, {}), (70, {"pay": "1,234"})])
def test_thousands_are_marked_where_most_of_a_column_marks_them(marked, written):
    rows = [
        f'"{n // 1000},{n % 1000:03d}",x' if i < marked else f"{n},x" for i, n in enumerate(range(1100, 1200))
    ]
    small = [f"{n},x" for n in range(100, 300)]
    frame = read_file("\n".join(["pay,rest", *rows, *small]).encode(), name="t.csv")
    assert dict(frame.reading.amounts) == written
    assert frame.frame["pay"].tolist() == [*map(str, range(1100, 1200)), *map(str, range(100, 300))]


def test_a_column_that_begins_after_thousands_of_empty_rows_keeps_its_marks_as_well():
    early = [f'"{10 + i % 80},{100 + i % 900}.00",' for i in range(3000)]
    late = [f'"{10 + i % 80},{100 + i % 900}.00","{1 + i % 9},{100 + i}.50"' for i in range(300)]
    read = read_file(("pay,fee\n" + "\n".join(early + late) + "\n").encode(), name="a.csv")
    assert dict(read.reading.amounts) == {"pay": "1,234.50", "fee": "1,234.50"}


def test_a_column_of_which_half_are_words_is_not_written_as_amounts():
    """Half of the values that are there, the empty ones aside."""
    rows = "".join(f"{pay}\n" for pay in ["€5,none"] * 9 + ["€5,€2"] * 9 + ["€5,"] * 9)
    assert read_file(f"fee,pay\n{rows}".encode(), name="t.csv").reading.amounts == (("fee", "€1234"),)
    more = read_file(f"fee,pay\n{rows}€5,€3\n".encode(), name="t.csv").reading
    assert dict(more.amounts) == {"fee": "€1234", "pay": "€1234"}


def test_the_commands_keep_line_ends_marks_and_codes_in_every_file(tmp_path, capsys):
    came, book = tmp_path / "t.csv", tmp_path / "cb.json"
    rows = "".join(f"{age},{'?' if age % 7 == 0 else 'clerk'}\r\n" for age in range(20, 80)) * 5
    came.write_bytes(codecs.BOM_UTF8 + f"age,job\r\n{rows}".encode())
    assert main(["codebook", str(came), "--guess", "-o", str(book)]) == 0
    run = ["synthesize", str(came), "--codebook", str(book), "--epsilon", "5", "--method", "independent"]
    assert main([*run, "--out", str(tmp_path / "a.csv"), "--seed", "1"]) == 0
    content = (tmp_path / "a.csv").read_bytes()
    assert re.fullmatch(codecs.BOM_UTF8 + rb"age,job\r\n((\d{1,3}|\?),(\?|clerk)\r\n){300}", content)
    assert main(["evaluate", str(came), str(tmp_path / "a.csv"), "--codebook", str(book)]) == 0
    capsys.readouterr()
