"""Old Excel files (xls), and workbooks that are not what their name says."""

import datetime as dt
import struct
import zipfile
from io import BytesIO

import pytest

from hmpb_core.errors import SourceError
from hmpb_core.sources.files import FileReading, read_file, read_header
from tests.sources.old_workbooks import cell_record, container, old_workbook, record, records
from tests.sources.test_formats import workbook

PEOPLE = [
    ["Name", "geboren", "Größe", "da"],
    ["Zoë", dt.date(1996, 8, 27), 1.82, True],
    ["Łukasz", dt.date(2001, 1, 1), 64.0, False],
]
BEGIN = records({})[:20]


def rows(content, **told):
    return read_file(content, name="t.xls", reading=FileReading.told(**told)).frame.to_numpy().tolist()


def test_an_old_workbook_reads_like_a_new_one():
    old = read_file(old_workbook({"Personen": PEOPLE, "leer": []}), name="t.xls")
    new = read_file(workbook({"Personen": PEOPLE, "leer": []}), name="t.xlsx")
    assert old.frame.equals(new.frame)
    assert old.frame.to_numpy().tolist()[0] == ["Zoë", "1996-08-27", "1.82", "true"]
    assert old.reading.words == "xls, sheet 'Personen' (of 2: 'Personen', 'leer')"


def test_its_sheet_and_its_line_of_names_can_be_told():
    content = old_workbook({"first": [["a"], [1]], "second": [["Table 3"], ["b", "c"], [2, "x"]]})
    assert rows(content, sheet="second", header="2") == [["2", "x"]]
    told = FileReading.told(sheet="second", header="2")
    assert read_header(content, name="t.xls", reading=told).names == ("b", "c")


def test_a_workbook_is_read_by_its_content_whatever_its_name_says():
    assert read_file(old_workbook({"T": [["a"], [1]]}), name="t.xlsx").reading.format == "xls"
    assert read_file(workbook({"T": [["a"], [1]]}), name="t.xls").reading.format == "xlsx"


def test_numbers_have_the_digits_that_excel_shows():
    # An xls file keeps .3 as 30 hundredths, which come as .30000000000000004.
    content = old_workbook({"T": [["a"], [0.1 + 0.2], [1.1 * 1.1], [1 / 3]]})
    assert rows(content) == [["0.3"], ["1.21"], ["0.333333333333333"]]


@pytest.mark.parametrize(
    "last",
    [
        cell_record(65535, 2000, 1.0),
        record(0xBD, struct.pack("<HH", 65535, 0) + bytes(12) + struct.pack("<H", 2000)),
        record(0xBE, struct.pack("<HH", 65535, 0) + bytes(4) + struct.pack("<H", 2000)),
    ],
    ids=["a number", "several numbers", "several blanks"],
)
def test_a_cell_beyond_the_256_columns_of_such_a_file_is_damage(last):
    stream = records({"T": [["a"], [1]]})
    content = container({"Workbook": stream[: -len(record(0x0A))] + last + record(0x0A)})
    with pytest.raises(SourceError, match="is not a whole workbook"):
        read_file(content, name="t.xls")


def encrypted_ods():
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("content.xml", b"\x07 not to be read")
        made.writestr("META-INF/manifest.xml", "<manifest:encryption-data manifest:checksum='x'/>")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (container({"EncryptionInfo": b"x", "EncryptedPackage": b"x"}), "t.xlsx"),
        (container({"Workbook": BEGIN + record(0x2F, b"\x01" + bytes(53)) + record(0x0A)}), "t.xls"),
        (encrypted_ods(), "t.ods"),
    ],
    ids=["xlsx", "xls", "ods"],
)
def test_a_locked_workbook_is_said_to_be_locked(content, name):
    for read in (read_file, read_header):
        with pytest.raises(SourceError, match="is locked with a password; save it without one"):
            read(content, name=name)


@pytest.mark.parametrize("content", [b"<html><table><tr><td>1</table>", b"a\tb\n1\t2\n", b""])
@pytest.mark.parametrize("name", ["t.xls", "t.xlsx"])
def test_a_web_page_or_a_text_by_the_name_of_a_workbook_is_told(content, name):
    with pytest.raises(SourceError, match="is no workbook inside, but perhaps a web page or a text"):
        read_file(content, name=name)


def test_a_whole_file_without_a_workbook_and_a_cut_one_are_refused():
    for content in (container({"WordDocument": b"x"}), old_workbook({"T": [["a"], [1]]})[:900]):
        with pytest.raises(SourceError, match="is not a whole workbook"):
            read_file(content, name="t.xls")


def test_texts_of_two_bytes_that_a_writer_marked_as_one_are_refused():
    with pytest.raises(SourceError, match="is not a whole workbook"):
        read_file(old_workbook({"T": [["n\0a\0m\0e\0"], ["x"]]}), name="t.xls")
