"""Rows as a workbook: typed cells, nothing that runs, and the same meaning under the same codebook."""

import datetime as dt
import io

import numpy as np
import openpyxl
import pandas as pd
import pytest

from hmpb_core import Codebook, SourceError, read_table
from hmpb_core.cli import main
from hmpb_core.encoding import encode
from hmpb_core.publishing import workbooks
from hmpb_core.publishing.own_form import MOST_CELLS, fits_a_bundle
from hmpb_core.publishing.workbooks import workbook_of
from tests.publishing.test_labelled_files import CODEBOOK, ROWS


def sheet_of(rows, codebook):
    return openpyxl.load_workbook(io.BytesIO(workbook_of(rows, codebook))).active


def book(*fields, **more):
    return Codebook.from_dict({"fields": list(fields), **more})


def test_what_is_written_means_the_same_under_the_same_codebook(tmp_path):
    (tmp_path / "rows.xlsx").write_bytes(workbook_of(ROWS, CODEBOOK))
    assert np.array_equal(encode(read_table(tmp_path / "rows.xlsx"), CODEBOOK), encode(ROWS, CODEBOOK))


def test_cells_are_numbers_days_moments_times_truths_and_codes():
    sheet = sheet_of(ROWS, CODEBOOK)
    names = [cell.value for cell in sheet[1]]
    assert names == list(ROWS)
    first = dict(zip(names, sheet[2], strict=True))
    assert first["born"].value == pd.Timestamp("1996-08-27")
    assert first["seen"].value == pd.Timestamp("2020-02-03 10:11")
    assert first["at"].value == dt.time(10, 5)
    assert [first[name].number_format for name in ("born", "seen", "at")] == [
        "mm-dd-yy",
        "m/d/yy h:mm",
        "h:mm:ss",
    ]
    assert (first["stay"].value, first["stay"].number_format) == (dt.timedelta(days=1), "[h]:mm:ss")
    assert first["smokes"].value is True
    assert first["weight"].value == 70.5
    assert first["code"].value == "01067"
    second = dict(zip(names, sheet[3], strict=True))
    assert (second["sex"].value, second["weight"].value) == (-9, -4)  # as in the csv file
    assert [second[name].value for name in ("born", "at", "seen", "smokes", "score")] == [
        None,
        None,
        None,
        None,
        3,
    ]


def test_no_text_is_run_or_becomes_a_link_or_a_number():
    texts = ["=1+1", "+1", "@a", "https://a.example", "007"]
    sheet = sheet_of(pd.DataFrame({"=x": texts}), book({"name": "=x", "categories": texts}))
    cells = [row[0] for row in sheet.iter_rows()]
    assert [(cell.value, cell.data_type) for cell in cells] == [(text, "s") for text in ["=x", *texts]]
    assert all(cell.hyperlink is None for cell in cells)


def test_codes_of_more_digits_than_a_number_has_are_texts_and_large_numbers_numbers():
    codes = [12345678901234567, 12345678901234568]  # as numbers one and the same
    fields = [{"name": "k", "type": "integer", "categories": codes, "missingValues": [""]}]
    fields += [{"name": "x", "type": "number", "categories": [1e19, 2.5]}]
    rows = pd.DataFrame({"k": pd.array([codes[0], None, codes[1]], dtype="Int64"), "x": [1e19, 2.5, 1e19]})
    sheet = sheet_of(rows, book(*fields))
    assert [cell.value for cell in sheet["A"][1:]] == ["12345678901234567", None, "12345678901234568"]
    assert [cell.value for cell in sheet["B"][1:]] == [1e19, 2.5, 1e19]
    assert sheet_of(rows[::2][["x"]], book(fields[1]))["A2"].value == 1e19


def test_days_that_excel_does_not_know_are_texts():
    field = {"name": "d", "type": "date", "constraints": {"minimum": "1800-01-01", "maximum": "1950-12-31"}}
    sheet = sheet_of(pd.DataFrame({"d": ["1899-12-31", "1900-03-01"]}), book(field))
    assert [sheet["A2"].value, sheet["A3"].value] == ["1899-12-31", pd.Timestamp("1900-03-01")]


def test_moments_of_the_first_day_that_excel_knows_keep_their_day():
    bounds = {"minimum": "1890-01-01T00:00:00", "maximum": "1950-12-31T00:00:00"}
    field = {"name": "d", "type": "datetime", "constraints": bounds}
    days = ["1899-12-31T10:00:00", "1900-01-01T00:00:00", "1900-01-01T10:00:00", "1900-01-02T00:00:00"]
    codebook = book(field)
    sheet = sheet_of(pd.DataFrame({"d": days}), codebook)
    cells = [row[0].value for row in sheet.iter_rows(min_row=2)]
    assert cells == [*(day.replace("T", " ") for day in days[:3]), pd.Timestamp("1900-01-02")]
    read = pd.DataFrame({"d": [str(cell) for cell in cells]})
    assert np.array_equal(encode(read, codebook), encode(pd.DataFrame({"d": days}), codebook))
    field = {"name": "d", "type": "date", "constraints": {"minimum": "1900-01-01", "maximum": "1950-12-31"}}
    days = sheet_of(pd.DataFrame({"d": ["1900-01-01"]}), book(field))
    assert days["A2"].value == pd.Timestamp("1900-01-01")


@pytest.mark.parametrize(
    ("false", "true", "value"),
    [("false", "true", True), ("FALSE", "TRUE", True), ("no", "yes", "yes"), ("0", "1", 1)],
)
def test_truths_are_excels_own_where_the_table_has_such_words(false, true, value):
    field = {"name": "t", "type": "boolean", "trueValues": [true], "falseValues": [false]}
    sheet = sheet_of(pd.DataFrame({"t": pd.array([True, False], dtype="boolean")}), book(field))
    assert sheet["A2"].value == value
    assert type(sheet["A2"].value) is type(value)


@pytest.mark.parametrize("words", [{}, {"falseValues": ["FALSE"], "trueValues": ["TRUE"]}])
def test_a_missing_code_beside_truths_or_lengths_of_time_is_neither(words):
    truth = {"name": "t", "type": "boolean", "missingValues": ["-9"], **words}
    bounds = {"minimum": "PT0S", "maximum": "P7D"}
    length = {"name": "d", "type": "duration", "constraints": bounds, "missingValues": ["999"]}
    truths = pd.array([True, None, False], dtype="boolean")
    sheet = sheet_of(pd.DataFrame({"t": truths, "d": ["PT1H", None, "PT0S"]}), book(truth, length))
    code = "-9" if words else -9
    assert [(type(cell.value), cell.value) for cell in sheet["A"][1:]] == [
        (bool, True),
        (type(code), code),
        (bool, False),
    ]
    assert [cell.value for cell in sheet["B"][1:]] == [dt.timedelta(hours=1), "999", dt.timedelta(0)]


@pytest.mark.parametrize(
    ("name", "sheet"),
    [
        ("Personen", "Personen"),
        ("a/b", "data"),
        ("x" * 31, "x" * 31),
        ("x" * 32, "data"),
        ("History", "data"),
    ],
)
def test_the_sheet_keeps_its_name_where_excel_takes_it(name, sheet):
    codebook = book({"name": "a", "categories": ["x"]}, reading={"sheet": name})
    assert sheet_of(pd.DataFrame({"a": ["x"]}), codebook).title == sheet


def test_more_rows_than_a_worksheet_holds_are_refused(monkeypatch):
    monkeypatch.setattr(workbooks, "MOST_ROWS", 2)
    codebook = book({"name": "a", "categories": ["x"]})
    assert sheet_of(pd.DataFrame({"a": ["x"] * 2}), codebook).max_row == 3
    with pytest.raises(SourceError, match="A worksheet holds 2 rows; ask for as many at most"):
        workbook_of(pd.DataFrame({"a": ["x"] * 3}), codebook)


def test_a_text_or_a_name_of_more_than_32767_characters_is_refused_and_not_cut():
    """Excel's library wrote the first 32,767."""
    longest, longer = "a" * 32_767, "b" * 32_768
    listed = {"name": "x", "type": "string", "constraints": {"enum": [longest, longer], "required": True}}
    sheet = sheet_of(pd.DataFrame({"x": [longest]}), book(listed))
    assert [row[0].value for row in sheet] == ["x", longest]
    words = "A cell of a worksheet holds 32,767 characters, and a text has more; write a .csv"
    with pytest.raises(SourceError, match=words):
        workbook_of(pd.DataFrame({"x": [longest, longer]}), book(listed))
    with pytest.raises(SourceError, match=words):
        workbook_of(pd.DataFrame({longer: ["a"]}), book({**listed, "name": longer}))


def test_a_bundle_holds_workbooks_up_to_a_number_of_cells():
    frame = pd.DataFrame(np.zeros((MOST_CELLS // 10, 10), dtype=np.int8))
    assert fits_a_bundle(".xlsx", frame)
    assert not fits_a_bundle(".xlsx", pd.concat([frame, frame.head(1)]))
    assert fits_a_bundle(".sav", pd.concat([frame, frame]))


def test_from_a_workbook_to_a_workbook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"n": rng.integers(0, 90, 300), "c": rng.choice(["x", "y"], 300)})
    table.to_excel("t.xlsx", sheet_name="Leute", index=False)
    assert main(["codebook", "t.xlsx", "--guess", "-o", "cb.json"]) == 0
    assert (
        main(["synthesize", "t.xlsx", "--codebook", "cb.json", "--epsilon", "1", "--out", "rows.xlsx"]) == 0
    )
    assert openpyxl.load_workbook("rows.xlsx").sheetnames == ["Leute"]
    assert main(["evaluate", "t.xlsx", "rows.xlsx", "--codebook", "cb.json"]) == 0
