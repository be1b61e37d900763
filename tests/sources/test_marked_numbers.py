"""Marks between thousands: of later rows alone, a single one among plain numbers, and those of workbooks."""

import re

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from hmpb_core.sources.drafting import draft_from_rows
from hmpb_core.sources.files import FileReading, read_file
from tests.sources.drafts import written_again
from tests.sources.test_formats import workbook


def sorted_amounts(n=6000):
    return "amount,id\n" + "".join(f'"{0.25 * i:,.2f}",{i}\n' for i in range(n))


def test_marks_between_thousands_are_found_though_a_sorted_file_begins_without_any():
    table = read_file(sorted_amounts().encode(), name="t.csv")
    assert table.reading.thousands == ","
    assert table.frame["amount"].iloc[-1] == "1499.75"
    assert dict(table.reading.amounts) == {"amount": "1,234.50"}
    field = draft_from_rows(table.frame, amounts=dict(table.reading.amounts))["fields"][0]
    assert (field["type"], field["written"]) == ("number", "1,234.50")


def test_a_number_with_a_mark_among_plain_ones_is_no_missing_code():
    values = map(str, np.random.default_rng(0).integers(1000, size=400))
    table = read_file(("n\n" + "\n".join([*values, '"1,400"']) + "\n").encode(), name="t.csv")
    field = draft_from_rows(table.frame)["fields"][0]
    assert (field["type"], field["unknown"]) == ("integer", "")
    assert "missingValues" not in field


def test_marks_are_read_in_the_texts_of_a_workbook_and_a_number_stays_what_it_is():
    lines = [["amount", "size", "note"], *([990.125 + i, 12.5, "a,b"] for i in range(60))]
    content = workbook({"s": [*lines, ["1,400.00", "1,250.5", "c"], ["2,300.50", 13, "d"]]})
    table = read_file(content, name="t.xlsx")
    assert table.frame["amount"].iloc[[0, -2, -1]].tolist() == ["990.125", "1400.00", "2300.50"]
    assert table.frame["size"].iloc[[-2, -1]].tolist() == ["1250.5", "13"]
    assert table.frame["note"].iloc[0] == "a,b"
    assert table.reading.thousands == ","
    assert table.reading.amounts == ()  # most cells are numbers, which have no marks


def test_points_between_the_thousands_of_a_workbook_s_texts_leave_its_numbers_alone():
    content = workbook({"s": [["a"], *([990.125] for _ in range(5)), ["1.400,00"], ["2.300,50"]]})
    table = read_file(content, name="t.xlsx")
    assert table.frame["a"].tolist() == ["990.125"] * 5 + ["1400.00", "2300.50"]


def test_a_workbook_of_a_codebook_that_tells_no_marks_keeps_its_texts():
    content = workbook({"s": [["a"], ["1,400.00"], ["2,300.50"]]})
    table = read_file(content, name="t.xlsx", reading=FileReading(settled=True))
    assert table.frame["a"].tolist() == ["1,400.00", "2,300.50"]
    told = FileReading.told(thousands="comma")
    assert read_file(content, name="t.xlsx", reading=told).frame["a"].tolist() == ["1400.00", "2300.50"]


def test_a_comma_alone_in_the_texts_of_a_workbook_may_part_two_answers():
    content = workbook({"s": [["sources"], *[[text] for text in ["1", "2", "1,2", "1,3", "2,3"] * 20]]})
    assert set(read_file(content, name="t.xlsx").frame["sources"]) == {"1", "2", "1,2", "1,3", "2,3"}
    told = FileReading.told(decimal="comma")
    assert read_file(content, name="t.xlsx", reading=told).frame["sources"].iloc[2] == "1.2"


def test_needless_zeros_count_though_some_numbers_have_none():
    """Programs that quote only what holds a mark write 95,184.60 and 440 in one column."""
    amounts = [100 + 47.3 * i for i in range(200)]
    told = [f'"{x:,.2f}"' if x >= 1000 else f"{x:g}" for x in amounts]
    short = [f'"{x:,}"' for x in (1000 + 2.25 * i for i in range(200))]
    lines = (f"{one},{other}" for one, other in zip(told, short, strict=True))
    table = read_file(("padded,short\n" + "\n".join(lines) + "\n").encode(), name="t.csv")
    assert dict(table.reading.amounts) == {"padded": "1,234.50", "short": "1,234"}


def test_shares_that_most_rows_lack_are_numbers_and_leave_every_other_columns_signs_alone():
    won, runoff = [f"{n % 60 + 7}%" for n in range(300)], ["N/A"] * 260 + [f"{n + 31}%" for n in range(40)]
    lines = [f"{mine},{other}" for mine, other in zip(won, runoff, strict=True)]
    table = read_file("\n".join(["won,runoff", *lines]).encode(), name="t.csv")
    assert table.reading.money == "%"
    assert dict(table.reading.amounts) == {"won": "1234%", "runoff": "1234%"}
    first, second = draft_from_rows(table.frame, amounts=dict(table.reading.amounts))["fields"]
    assert [field["type"] for field in (first, second)] == ["integer", "integer"]
    assert second["missingValues"] == ["N/A", ""]
    few = read_file(
        "\n".join(["won,dose", *(f"{n},none" for n in won), "8%,5%", "9%,5%"]).encode(), name="t.csv"
    )
    assert few.frame["dose"].iloc[-1] == "5%"  # a category beside its word


def test_amounts_with_marks_as_in_india_are_read_and_leave_so():
    amounts = [*(f"{1000 * i:,}" for i in range(90)), *(f"{i},{i + 10},500" for i in range(1, 80))] * 5
    table = read_file(("n\n" + "\n".join(f'"{text}"' for text in amounts) + "\n").encode(), name="t.csv")
    assert table.reading.thousands == ","
    assert table.frame["n"].tolist() == [text.replace(",", "") for text in amounts]
    assert dict(table.reading.amounts) == {"n": "12,34,567"}
    entry = draft_from_rows(table.frame, amounts=dict(table.reading.amounts))["fields"][0]
    marked = {text.strip('"') for text in written_again(entry, table.frame)}
    assert all(re.fullmatch(r"\d{1,2},\d\d,\d{3}|\d{1,2},\d{3}|\d{1,3}", text) for text in marked)
    assert any(text.count(",") == 2 for text in marked)


def column_of(texts):
    """How a file of one such column is read, and what is guessed of it."""
    rows = "\n".join(f'"{text}",{n % 2}' for n, text in enumerate(texts))
    table = read_file(f"x,half\n{rows}\n".encode(), name="t.csv")
    return table, draft_from_rows(table.frame, amounts=dict(table.reading.amounts))["fields"][0]


@pytest.mark.parametrize(
    ("before", "mark", "point", "written"),
    [
        ("R$ ", ".", ",", "R$ 1.234,50"),
        ("US$ ", ",", ".", "US$ 1,234.50"),
        ("HK$", ",", ".", "HK$1,234.50"),
        ("CHF ", "'", ".", "CHF 1'234.50"),
        ("S/ ", ",", ".", "S/ 1,234.50"),
        ("Rs. ", ",", ".", "Rs. 1,234.50"),
        ("₺", ",", ".", "₺1,234.50"),
    ],
)
def test_names_of_money_before_the_numbers_of_a_column_are_read_and_written(before, mark, point, written):
    marks = str.maketrans({",": mark, ".": point})
    texts = [before + f"{37.25 * i:,.2f}".translate(marks) for i in range(1, 120)]
    table, entry = column_of(texts)
    assert (entry["type"], entry["written"]) == ("number", written)
    assert table.frame["x"].iloc[[0, -1]].tolist() == ["37.25", "4432.75"]
    assert all(text.strip('"').startswith(before) for text in written_again(entry, table.frame[["x"]]))


def test_points_between_thousands_are_none_of_decimals_where_a_number_has_two():
    texts = [f"Rp {5000 * (i % 300):,}".replace(",", ".") for i in range(1, 600)]
    table, entry = column_of(texts)
    assert (entry["type"], entry["written"]) == ("integer", "Rp 1.234")
    assert table.frame["x"].iloc[-1] == "1495000"


@pytest.mark.parametrize(
    ("values", "thousands"),
    [
        ("1.200 2.500 950 80", "."),
        ("1.200 2.500 950 1080", ""),  # a thousand without its mark
        ("1.250 2.505 950 80", ""),  # one needless zero may be a slip
        ("1.200 2.500 0.800 80", ""),
        ("1.200 2.500 3.100", ""),  # all of one length: decimals as likely
    ],
)
def test_numbers_with_needless_zeros_beside_whole_ones_are_thousands(values, thousands):
    rows = "".join(f"{value},a\n" for value in values.split())
    assert (read_file(f"n,g\n{rows}".encode(), name="t.csv").reading.thousands or "") == thousands


def test_letters_before_whole_numbers_are_a_code_and_no_money():
    for texts in ([f"RM{100 + i}" for i in range(120)], [f"CHF {i:04}.50" for i in range(120)]):
        table, _ = column_of(texts)
        assert table.frame["x"].tolist() == texts


@pytest.mark.parametrize(
    ("many", "one"), [("days", "day"), ("лет", "год"), ("anos", "ano"), ("秒", "秒"), ("min", "min")]
)
def test_a_time_in_one_unit_is_a_number_with_it_whatever_stands_behind_1(many, one):
    table, entry = column_of([f"{i % 90} {one if i % 90 == 1 else many}" for i in range(270)])
    assert (entry["type"], entry["written"]) == ("integer", f"1234 {many}")
    assert set(table.frame["x"]) == {str(i) for i in range(90)}


def test_minutes_beside_hours_stay_a_length_of_time():
    texts = [f"{i} min" if i < 60 else f"{i // 60} hr {i % 60} min" for i in range(5, 64)]
    _, entry = column_of([*texts, "1 hr 30 min"])
    assert (entry["type"], entry["format"]) == ("duration", "1 hr 30 min")


def test_numbers_in_the_texts_of_a_statistics_package_are_read_as_those_of_a_workbook(tmp_path):
    """Questionnaires on the web say how long an answer took in words: 125秒."""
    took = [f"{60 + i % 90}秒" for i in range(180)]
    rows = pd.DataFrame({"took": took, "dose": ["5 mg", "10 mg", "none"] * 60})
    pyreadstat.write_sav(rows, tmp_path / "t.sav")
    table = read_file(tmp_path / "t.sav")
    entry = draft_from_rows(table.frame, amounts=dict(table.reading.amounts))["fields"][0]
    assert (entry["type"], entry["written"]) == ("integer", "1234秒")
    assert table.frame["dose"].tolist() == rows["dose"].tolist()
    again = read_file(tmp_path / "t.sav", reading=FileReading.from_dict(table.reading.to_dict()))
    assert again.frame.equals(table.frame)
    before = read_file(tmp_path / "t.sav", reading=FileReading(settled=True))  # of an earlier codebook
    assert before.frame["took"].iloc[0] == "60秒"


def test_a_decimal_comma_without_a_zero_before_it_is_no_word_for_a_missing_value():
    rows = [f"{i % 90},{i % 7}5" for i in range(400)] + [",5", ",05"] * 3
    table = read_file(("x;half\n" + "\n".join(f"{text};1" for text in rows)).encode(), name="t.csv")
    entry = draft_from_rows(table.frame)["fields"][0]
    assert (entry["type"], "missingValues" in entry) == ("number", False)
    assert table.frame["x"].iloc[[-2, -1]].tolist() == [".5", ".05"]
