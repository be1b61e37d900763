"""Guesses of dates, times and lengths of time, and how the file writes them."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.dates import padded, read_value, write_value
from hmpb_core.decoding import decode
from hmpb_core.encoding import encode
from hmpb_core.provenance import Origin
from hmpb_core.publishing.package import schema_of
from hmpb_core.sources.drafting import (
    draft_from_header,
    draft_from_rows,
    fields_of_labels,
)
from hmpb_core.sources.drafting.date_order import in_either_order
from hmpb_core.sources.files import read_file, read_header
from tests.sources.drafts import fits, guessed, origin, written_again
from tests.sources.test_formats import workbook


@pytest.mark.parametrize(
    ("low", "high", "kind", "form"),
    [
        ("1996-08-27", "1999-01-01", "date", None),
        ("27.08.1996", "01.02.1999", "date", "%d.%m.%Y"),
        ("27.08.96", "01.02.99", "date", "%d.%m.%y"),
        ("08/27/1996", "01/02/1999", "date", "%m/%d/%Y"),
        ("1996-08-27 14:30", "1999-01-01 00:00", "datetime", "%Y-%m-%d %H:%M"),
        ("1996-08-27T14:30", "1999-01-01T00:00", "datetime", "%Y-%m-%dT%H:%M"),
        ("1996-08-27 14:30:05", "1999-01-01 0:04:37", "datetime", "%Y-%m-%d %-H:%M:%S"),
        ("1996-8-27 4:30", "1999-1-1 14:05", "datetime", "%Y-%-m-%-d %-H:%M"),
        ("27.08.1996 14:30", "01.02.1999 08:00", "datetime", "%d.%m.%Y %H:%M"),
        ("1996-08", "1999-01", "yearmonth", None),
        ("08/1996", "01/1999", "yearmonth", "%m/%Y"),
        ("08:30", "23:59", "time", "%H:%M"),
        ("8/27/1996", "1/12/1999", "date", "%-m/%-d/%Y"),
        ("8/27/96", "11/12/99", "date", "%-m/%-d/%y"),
        ("8/27/1996 4:05", "11/12/1999 14:30", "datetime", "%-m/%-d/%Y %-H:%M"),
        ("7/08/1996", "31/12/1999", "date", "%-d/%m/%Y"),
        ("27-AUG-96", "01-JAN-99", "date", "%d-%^b-%y"),
        ("1996-08-27T14:30:00Z", "1999-01-01T00:00:00Z", "datetime", "%Y-%m-%dT%H:%M:%SZ"),
        ("1996-08-27T14:30:05.123Z", "1999-01-01T00:00:00.000Z", "datetime", "%Y-%m-%dT%H:%M:%S.000Z"),
        ("1996-08-27 14:30:05.123456", "1999-01-01 00:00:00.000000", "datetime", "%Y-%m-%d %H:%M:%S.000000"),
        ("1996-08-27 14:30:05.1450", "1999-01-01 00:00:00.0000", "datetime", "%Y-%m-%d %H:%M:%S.0000"),
        ("1996-08-27 14:30:05.0", "1999-01-01 00:00:00.0", "datetime", "%Y-%m-%d %H:%M:%S.0"),
        ("1996-08-27 14:30:05 UTC", "1999-01-01 00:00:00 UTC", "datetime", "%Y-%m-%d %H:%M:%S UTC"),
        ("1996-08-27T14:30:05+02:00", "1999-01-01T00:00:00+02:00", "datetime", "%Y-%m-%dT%H:%M:%S+02:00"),
        ("1996-08-27 14:30:05+02:00", "1999-01-01 00:00:00+01:00", "datetime", "%Y-%m-%d %H:%M:%S+00:00"),
        (
            "Tue Aug 27 14:30:05 GMT 1996",
            "Fri Jan 01 00:00:00 GMT 1999",
            "datetime",
            "%a %b %d %H:%M:%S GMT %Y",
        ),
        (
            "Tue, 27 Aug 1996 14:30:05 +0000",
            "Fri, 01 Jan 1999 00:00:00 +0000",
            "datetime",
            "%a, %d %b %Y %H:%M:%S +0000",
        ),
        ("Aug 1996", "Jan 1999", "yearmonth", "%b %Y"),
        ("Aug-96", "Jan-99", "yearmonth", "%b-%y"),
        ("1996/08", "1999/01", "yearmonth", "%Y/%m"),
        ("08h30", "23h59", "time", "%Hh%M"),
        ("19960827", "19990101", "date", "%Y%m%d"),
        ("08271996", "01011999", "date", "%m%d%Y"),
        ("27081996", "01011999", "date", "%d%m%Y"),
        ("27-Aug-1996", "01-Feb-1999", "date", "%d-%b-%Y"),
        ("August 27, 1996", "March 01, 1999", "date", "%B %d, %Y"),
        ("1996年8月27日", "1999年3月1日", "date", "%Y年%-m月%-d日"),
        ("1996年08月27日 10:05", "1999年03月01日 11:30", "datetime", "%Y年%m月%d日 %H:%M"),
        ("1996年8月", "1999年11月", "yearmonth", "%Y年%-m月"),
        ("Mar-2018", "Jan-2019", "yearmonth", "%b-%Y"),
        ("08:30:05", "23:59:00", "time", None),
        ("27/08/1996, 14:30:05", "01/02/1999, 08:00:00", "datetime", "%d/%m/%Y, %H:%M:%S"),
        ("8/27/1996, 2:30:05 PM", "1/12/1999, 8:00:00 AM", "datetime", "%-m/%-d/%Y, %-I:%M:%S %p"),
        ("27.08.1996, 14:30", "01.02.1999, 08:00", "datetime", "%d.%m.%Y, %H:%M"),
        ("27.08.96 14:30", "01.02.99 08:00", "datetime", "%d.%m.%y %H:%M"),
        ("1996.08.27 14:30:05", "1999.02.01 08:00:00", "datetime", "%Y.%m.%d %H:%M:%S"),
        ("27-Aug-1996 14:30", "01-Feb-1999 08:00", "datetime", "%d-%b-%Y %H:%M"),
        ("27-AUG-96 14:30:05", "01-FEB-99 08:00:01", "datetime", "%d-%^b-%y %H:%M:%S"),
        ("27 Aug 1996 14:30:05", "01 Feb 1999 08:00:01", "datetime", "%d %b %Y %H:%M:%S"),
        ("Aug 27, 1996 2:30 PM", "Feb 1, 1999 8:00 AM", "datetime", "%b %-d, %Y %-I:%M %p"),
        ("Aug 27, 1996, 2:30 PM", "Feb 1, 1999, 8:00 AM", "datetime", "%b %-d, %Y, %-I:%M %p"),
        ("27AUG1996", "01FEB1999", "date", "%d%^b%Y"),
        ("27AUG1996:14:30:05", "01FEB1999:08:00:00", "datetime", "%d%^b%Y:%H:%M:%S"),
        ("August 27 1996", "March 01 1999", "date", "%B %d %Y"),
        ("Tuesday, August 27, 1996", "Friday, January 01, 1999", "date", "%A, %B %d, %Y"),
        ("Tue Aug 27 1996", "Fri Jan 01 1999", "date", "%a %b %d %Y"),
        ("August, 1996", "March, 1999", "yearmonth", "%B, %Y"),
        ("1996-08-27 14:30:05+00", "1999-02-01 08:00:00+00", "datetime", "%Y-%m-%d %H:%M:%S+00"),
        ("1996-08-27 14:30:05+01", "1999-02-01 08:00:00.12+01", "datetime", "%Y-%m-%d %H:%M:%S+01"),
        ("1996-08-27 14:30:05", "1999-02-01 08:00:00.123456", "datetime", "%Y-%m-%d %H:%M:%S"),
        ("27. 8. 1996", "1. 12. 1999", "date", "%-d. %-m. %Y"),
        ("27.08.1996.", "01.02.1999.", "date", "%d.%m.%Y."),
        ("1996.08.27.", "1999.02.01.", "date", "%Y.%m.%d."),
        ("27.08.1996 14:30 Uhr", "01.02.1999 08:05 Uhr", "datetime", "%d.%m.%Y %H:%M Uhr"),
        ("14:30 Uhr", "08:05 Uhr", "time", "%H:%M Uhr"),
        ("1996/08/27 14:30:05+00", "1999/02/01 08:00:00+00", "datetime", "%Y/%m/%d %H:%M:%S+00"),
    ],
)
def test_dates_and_times_keep_the_way_in_which_they_are_written(low, high, kind, form):
    entry, frame = guessed(low, high)
    assert (entry["type"], entry.get("format")) == (kind, form)
    shapes = {shape_of(text.strip('"'), form) for text in written_again(entry, frame)}
    assert shapes == {shape_of(low, form)}


@pytest.mark.parametrize(
    ("low", "high", "form"),
    [
        ("2:30PM", "11:05AM", "%-I:%M%p"),
        ("02:30pm", "11:05am", "%I:%M%p{am|pm}"),
        ("2:30 p.m.", "12:05 a.m.", "%-I:%M %p{a.m.|p.m.}"),
        (
            "27/8/1996 2:30:05 p.\u00a0m.",
            "1/2/1999 11:05:00 a.\u00a0m.",
            "%-d/%-m/%Y %-I:%M:%S %p{a.\u00a0m.|p.\u00a0m.}",
        ),
        ("8/27/1996, 2:30:05\u202fPM", "1/12/1999, 11:05:00\u202fAM", "%-m/%-d/%Y, %-I:%M:%S\u202f%p"),
        ("1996/8/27 下午 2:30:05", "1999/1/2 上午 11:05:00", "%Y/%-m/%-d %p{上午|下午} %-I:%M:%S"),
        ("1996. 8. 27 오후 2:30:05", "1999. 1. 2 오전 11:05:00", "%Y. %-m. %-d %p{오전|오후} %-I:%M:%S"),
        ("2:30 pm", "1:05 pm", "%-I:%M %p{am|pm}"),
        ("1996/08/27 2:30:05 ÖS GMT+3", "1999/01/02 11:05:00 ÖÖ GMT+3", "%Y/%m/%d %-I:%M:%S %p{ÖÖ|ÖS} GMT+3"),
        ("27/08/1996 2:30 CH", "14/01/1999 11:05 SA", "%d/%m/%Y %-I:%M %p{SA|CH}"),
        ("27/08/1996 2:30 μ.μ.", "14/01/1999 3:05 μ.μ.", "%d/%m/%Y %-I:%M %p{π.μ.|μ.μ.}"),
        ("27/08/1996 02:30:05 م", "14/01/1999 11:05:00 ص", "%d/%m/%Y %I:%M:%S %p{ص|م}"),
    ],
)
def test_words_for_the_half_of_the_day_are_read_and_leave_as_they_came(low, high, form):
    entry, frame = guessed(low, high)
    assert (entry["type"], entry["format"]) == ("datetime" if "%Y" in form else "time", form)
    value = read_value(low, entry["type"], form)
    assert value % 86400 // 60 == 14 * 60 + 30
    assert write_value(value, entry["type"], form) == low
    book = Codebook.from_dict({"fields": [entry]})
    assert decode(encode(frame, book), book.domain, np.random.default_rng(0))["x"].notna().all()
    assert schema_of(book)["fields"][0]["format"] == (
        padded(form) if "%p{" not in form or "am|" in form else "any"
    )


@pytest.mark.parametrize(
    ("low", "high", "form"),
    [
        ("27 août 1996", "3 mai 2001", "%-d %B{janvier|février|mars|avril|mai|juin|juillet|août|"),
        ("27-ago-96", "03-ene-99", "%d-%B{ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic}-%y"),
        ("27 de agosto de 1996", "3 de janeiro de 1999", "%-d de %B{janeiro|fevereiro|março|"),
        ("27. August 1996", "03. März 1999", "%d. %B{Januar|Februar|März|April|Mai|"),
        ("27/AGO/1996", "03/SET/1999", "%d/%B{JAN|FEV|MAR|ABR|MAI|JUN|JUL|AGO|SET|OUT|NOV|DEZ}/%Y"),
        ("27 августа 1996 14:30", "3 мая 1999 08:05", "%-d %B{января|февраля|марта|апреля|мая|"),
        ("Ago-96", "Dic-99", "%B{Ene|Feb|Mar|Abr|May|Jun|Jul|Ago|Sep|Oct|Nov|Dic}-%y"),
    ],
)
def test_months_in_other_languages_are_read_and_leave_as_they_came(low, high, form):
    entry, frame = guessed(low, high)
    assert entry["format"].startswith(form)
    kind = {"Ago-96": "yearmonth", "27 августа 1996 14:30": "datetime"}.get(low, "date")
    value = read_value(low, entry["type"], entry["format"])
    expected = {"date": 9735, "yearmonth": 1996 * 12 + 7, "datetime": 9735 * 86_400 + 14.5 * 3600}[kind]
    assert (entry["type"], value) == (kind, expected)
    assert write_value(value, kind, entry["format"]) == low
    words = set(re.findall(r"[^\W\d_]{3,}", entry["format"]))
    assert all(set(re.findall(r"[^\W\d_]{3,}", text)) <= words for text in written_again(entry, frame))
    assert schema_of(Codebook.from_dict({"fields": [entry]}))["fields"][0]["format"] == "any"


@pytest.mark.parametrize(
    "texts", [("3 Haus 2019", "9 mai 2020"), ("ene 19", "ago 20"), ("3 mai 2019", "3. mai 2020")]
)
def test_other_words_beside_numbers_are_no_months(texts):
    assert guessed(*texts)[0]["type"] == "string"


@pytest.mark.parametrize("form", ["%y-%m-%d", "%d-%m-%y", "%m-%d-%y"])
def test_dates_of_three_numbers_of_two_digits_have_the_year_where_they_lie_near_each_other(form):
    days = pd.date_range("2014-03-01", periods=60, freq="17D").strftime(form)
    entry, _ = guessed(*days, times=1)
    assert (entry["type"], entry["format"]) == ("date", form)
    assert guessed(*days[:5])[0]["type"] == "string"  # 10-11-12 may be a code


def test_halves_of_the_day_in_several_words_are_no_time():
    assert (
        guessed("2:30 pm", "2:30 PM", "1:05 p.m.", *(f"{i}:07 pm" for i in range(1, 13)))[0]["type"]
        == "string"
    )


def shape_of(text, form):
    """Which characters stand where; a day, month or hour may have one digit or two."""
    loose = r"(?<![:\d])\d{1,2}(?!\d)" if form and "%-" in form else r"\d"
    return re.sub("[A-Za-z]+", "a", re.sub(r"\d", "0", re.sub(loose, "0", text)))


@pytest.mark.parametrize(
    ("texts", "form", "most", "shape"),
    [
        (("29:14:36", "0:05:00", "101:00:01"), "clock", "102:00:00", r"\d+:\d\d:\d\d"),
        (("PT5H", "PT30S", "P1DT2H"), None, "P1DT2H", r"P(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?"),
        (("0 days 05:14:36", "1 days 00:00:07"), "days", "1 days 01:00:00", r"\d days \d\d:\d\d:\d\d"),
        (("PT0.25S", "PT1.5S", "PT3S"), None, "PT1H", r"PT(\d+M)?(\d+(\.\d\d?)?S)?"),
        (
            ("0 days 00:00:00.312500", "0 days 00:00:01.250000"),
            "days",
            "0 days 01:00:00",
            r"0 days 00:\d\d:\d\d(\.\d{1,3})?",
        ),
        (("2h 50m", "19h", "5m"), "1h 30m", "19h", r"\d+h( \d+m)?|\d+m"),
        (("2 hr 5 min", "0 hr 50 min"), "0 hr 30 min", "3 hr 0 min", r"\d+ hr \d+ min"),
    ],
)
def test_lengths_of_time_are_durations_and_leave_as_they_came(texts, form, most, shape):
    entry, frame = guessed(*texts)
    assert (entry["type"], entry.get("format"), entry["bins"]) == ("duration", form, "learned")
    assert entry["constraints"]["maximum"] == most
    assert all(re.fullmatch(shape, text) for text in written_again(entry, frame))


def test_a_few_parts_of_a_second_are_none_of_a_column():
    assert "decimals" not in guessed("PT1H3.5S", "PT30S", "PT2H5S")[0]
    assert guessed("PT1H3.5S", "PT110M44.78S", "PT2H5S")[0]["decimals"] == 2
    assert guessed("0 days 00:00:00.312500", "0 days 00:00:01.250000")[0]["decimals"] == 3


def test_what_a_clock_may_show_is_a_time_of_day_and_a_score_is_no_length():
    assert guessed("3:14:36", "23:05:00")[0]["type"] == "time"
    assert guessed("29:14", "0:05", "3:75")[0]["type"] == "string"


def test_days_with_a_time_and_days_without_one_are_days():
    entry, frame = guessed("2014-07-02T11:45", "2013-02-18")
    assert entry["type"] == "date"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", text) for text in written_again(entry, frame))


def test_moments_that_are_all_midnight_stay_midnight():
    entry, frame = guessed(*(f"2014-07-{day:02d} 00:00:00" for day in range(1, 29)))
    assert all(text.endswith("00:00:00") for text in written_again(entry, frame))


def test_times_of_day_with_a_time_zone_are_times_and_leave_as_the_clock_showed_them():
    shown = [f"{n % 24:02d}:{n % 60:02d}:07" for n in range(300)]
    entry, frame = guessed(*(f"{text}.000+03:00" for text in shown), times=1)
    assert entry["type"] == "time"
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d", text) for text in written_again(entry, frame))
    book = Codebook.from_dict({"fields": [entry]})
    local = pd.DataFrame({frame.columns[0]: shown})
    assert np.array_equal(encode(frame, book), encode(local, book))
    minutes, _ = guessed(*(f"{n % 24:02d}:{n % 60:02d}:00.000Z" for n in range(300)), times=1)
    assert (minutes["type"], minutes["multipleOf"]) == ("time", 60)


def test_numbers_of_six_digits_are_months_or_days_only_where_all_of_many_are():
    months = [f"{year}{month:02d}" for year in (2015, 2016) for month in range(1, 13)]
    assert guessed(*months)[0]["format"] == "%Y%m"
    assert guessed(*months, "201513")[0]["type"] == "integer"
    days = [f"{month:02d}{day:02d}" for month in range(1, 13) for day in (1, 28)]
    assert guessed(*(f"76{day}" for day in days))[0]["format"] == "%y%m%d"
    assert guessed(*(f"76{day}" for day in days), "761331")[0]["type"] == "integer"
    assert "format" not in guessed("760101", "760102")[0]


def test_days_with_the_year_last_and_nothing_between_are_dates_and_other_whole_numbers_are_none():
    days = pd.date_range("2018-10-10", "2018-10-20").strftime("%m%d%Y")  # none begins with a zero
    assert guessed(*days)[0]["format"] == "%m%d%Y"
    assert guessed("14102010", "14102011", "15102010")[0]["type"] == "integer"
    assert guessed(*(str(11_111_950 + i) for i in range(0, 4000, 50)))[0]["type"] == "integer"


@pytest.mark.parametrize(
    "form", ["2014-03-{:02d} {:02d}:{:02d}:00", "2014-03-{:02d}T{:02d}:{:02d}:00Z", "{1:02d}:{2:02d}:00"]
)
def test_minutes_that_a_program_writes_with_seconds_get_none_that_nobody_measured(form):
    texts = [form.format(i % 28 + 1, i % 24, i * 7 % 60) for i in range(400)]
    assert guessed(*texts)[0]["multipleOf"] == 60
    assert guessed(*texts, texts[0].replace(":00", ":01"))[0]["multipleOf"] == 60  # one odd second is no rule


def test_times_with_seconds_and_without_and_dates_of_two_orders_are_times_and_dates():
    minutes = [f"{i % 24:02d}:{i % 60:02d}" for i in range(300)]
    entry, frame = guessed(*minutes, *(f"{text}:00" for text in minutes))
    assert (entry["type"], entry["multipleOf"], entry["constraints"]["maximum"]) == ("time", 60, "23:59:59")
    assert "20:20:00" in written_again(entry, frame)
    assert "multipleOf" not in guessed(*minutes, "07:08:09")[0]
    days = pd.date_range("2020-01-01", "2020-12-31")
    entry, frame = guessed(*days.strftime("%Y-%m-%d"), *days[::9].strftime("%d/%m/%Y"))
    assert (entry["type"], entry["format"]) == ("date", "%d/%m/%Y")
    assert "01/02/2020" in written_again(entry, frame)


def test_days_in_the_tables_order_are_dates_and_no_numbers_of_rows():
    days = pd.date_range("2020-01-01", periods=80).strftime("%Y%m%d")
    entry, _ = guessed(*days, times=1)
    assert (entry["type"], entry["format"]) == ("date", "%Y%m%d")
    assert guessed(*map(str, range(20200101, 20200181)), times=1)[0]["role"] == "identifier"


def test_a_few_dates_without_a_month_among_dates_that_are_numbers_count_as_missing():
    days = pd.date_range("1970-01-01", "1979-12-31").strftime("%Y%m%d")
    entry, _ = guessed(*days, "19860000", "19870000", times=2)
    assert (entry["type"], entry["format"], entry["unknown"]) == ("date", "%Y%m%d", "")
    assert guessed(*days[:40], "19860000", "19870000")[0]["type"] == "integer"


def test_lengths_of_time_of_a_parquet_file_are_durations_and_no_numbers_without_a_unit(tmp_path):
    seconds = {
        "stay": [60.0 * i for i in range(1, 601)],
        "lag": [i / 1000 for i in range(600)],
        "slot": [900.0, 1800.0, 3600.0] * 200,
    }
    frame = pd.DataFrame({name: pd.to_timedelta(values, unit="s") for name, values in seconds.items()})
    frame.loc[::50, "stay"] = pd.NaT
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_file(tmp_path / "t.parquet")
    schema = draft_from_rows(table.frame, fields_of_labels(table.labels, "t.parquet"))
    assert fits(table.frame, schema)
    assert {entry["type"] for entry in schema["fields"]} == {"duration"}
    assert {origin(entry) for entry in schema["fields"]} == {Origin.GUESS}
    stay, lag, slot = schema["fields"]
    assert (stay["constraints"]["minimum"], slot["constraints"]["maximum"]) == ("PT0S", "PT1H")
    assert lag["decimals"] == 3
    assert all(text.startswith("PT") for text in written_again(lag, table.frame))
    header = read_header(tmp_path / "t.parquet")
    (first, *_) = draft_from_header(header.names, fields_of_labels(header.labels, "t.parquet"))["fields"]
    assert (first["type"], first["declared"]) == ("duration", False)


def test_moments_at_midnight_in_a_workbook_take_no_times_from_the_others():
    moments = list(pd.date_range("2021-02-01 00:07", periods=200, freq="67min").to_pydatetime())
    moments[50] = pd.Timestamp("2022-03-01").to_pydatetime()
    frame = read_file(workbook({"s": [["seen"], *([moment] for moment in moments)]}), name="t.xlsx").frame
    assert "2022-03-01" in set(frame["seen"])
    (entry,) = draft_from_rows(frame)["fields"]
    assert (entry["type"], entry["format"]) == ("datetime", "%Y-%m-%d %H:%M:%S")
    assert entry["constraints"]["maximum"] == "2022-03-31 23:59:59"
    assert entry["multipleOf"] == 60  # all are whole minutes, and one a whole day
    few = pd.DataFrame(
        {"seen": [f"{moment:%Y-%m-%d}" for moment in moments[:-9]] + ["2021-02-03 08:30:00"] * 9}
    )
    assert draft_from_rows(few)["fields"][0]["type"] == "date"


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (("7/9/14 18:37", "7/10/14 9:02", "8/2/14 10:11"), "%-m/%-d/%y %-H:%M"),
        (("9/7/14 18:37", "10/7/14 9:02", "2/8/14 10:11"), "%-d/%-m/%y %-H:%M"),
        (tuple(f"01/{month:02}/2014" for month in range(1, 13)), "%d/%m/%Y"),
        (("03/04/2011", "05/06/2015", "07/08/2019"), "%d/%m/%Y"),
    ],
    ids=["days of July", "days of July, day first", "firsts of months", "years apart"],
)
def test_dates_that_can_be_read_either_way_have_first_what_brings_them_near_each_other(texts, first):
    entry, frame = guessed(*texts, times=15)
    assert entry["format"] == first
    assert in_either_order([entry], frame) == ["x"]


def test_dates_that_can_be_read_either_way_are_read_as_the_tables_other_dates_are():
    frame = pd.DataFrame(
        {
            "examined": ["03/04/2011", "05/06/2015", "07/08/2019"] * 20,
            "born": ["12/31/1990", "01/02/1985", "07/08/1959"] * 20,
            "left": ["2011-03-04", "2015-05-06", "2019-07-08"] * 20,
        }
    )
    examined, born, left = draft_from_rows(frame)["fields"]
    assert [examined["format"], born["format"]] == ["%m/%d/%Y"] * 2
    assert examined["constraints"]["maximum"] == "12/31/2019"
    assert "format" not in left
    assert in_either_order([examined, born, left], frame) == []
    assert in_either_order([examined, left], frame) == ["examined"]


def recurring(start="seen", end="left"):
    """Two terms a year, twenty people each, and the days on which they left."""
    terms = [f"{day}/{2000 + year}" for year in range(10) for day in ("1/15", "9/3")] * 20
    frame = pd.DataFrame({start: terms})
    frame[end] = [f"{n % 12 + 1}/{n % 28 + 1}/2012" for n in range(len(frame))]
    return frame


def test_few_days_that_come_again_and_again_are_a_list_in_the_calendars_order():
    seen, left = draft_from_rows(recurring())["fields"]
    assert (seen["type"], seen["categoriesOrdered"]) == ("string", True)
    assert seen["categories"][:3] == ["1/15/2000", "9/3/2000", "1/15/2001"]
    assert seen["constraints"] == {"required": True}
    assert left["type"] == "date"


def test_few_days_stay_dates_where_names_put_them_in_order_or_they_follow_each_other_or_are_rare():
    assert draft_from_rows(recurring("term start", "term end"))["fields"][0]["type"] == "date"
    week = [f"2014-03-{day:02}" for day in range(3, 10)]
    assert guessed(*week, times=50)[0]["type"] == "date"
    assert guessed("1/15/2000", "9/3/2005", times=20)[0]["type"] == "date"
    assert guessed("1/15/2000", "9/3/2005", times=50)[0]["categories"] == ["1/15/2000", "9/3/2005"]
    assert guessed("3/15/2020", times=50)[0]["categories"] == ["3/15/2020"]
    export = ["2026-03-28 00:54:03", "2026-03-28 00:53:20", "2026-03-28 00:53:21"]
    assert guessed(*export, times=20)[0]["type"] == "datetime"
    assert guessed(*export, times=50)[0]["categories"] == sorted(export)
    assert guessed(*(f"{day} 00:00:00" for day in week), times=50)[0]["type"] == "datetime"
    rare = pd.concat([recurring(), recurring().head(1).assign(seen="9/30/2014")])
    assert draft_from_rows(rare)["fields"][0]["type"] == "date"


@pytest.mark.parametrize(
    ("step", "form"), [(300, "{h:02}:{m:02}"), (900, "2024-03-{d:02} {h:02}:{m:02}:00"), (3600, "{h}:{m:02}")]
)
def test_appointments_at_the_quarters_are_at_the_quarters(step, form):
    minutes = [(7 * i * step // 60) % 1440 for i in range(400)]
    texts = [form.format(h=m // 60, m=m % 60, d=1 + i % 28) for i, m in enumerate(minutes)]
    entry = draft_from_rows(pd.DataFrame({"at": texts}))["fields"][0]
    assert (entry["type"] in ("time", "datetime"), entry["multipleOf"]) == (True, step)
    other = [*texts, form.format(h=9, m=17, d=1)]
    assert draft_from_rows(pd.DataFrame({"at": other}))["fields"][0]["multipleOf"] == 60


def test_few_words_among_dates_that_come_often_are_missing_codes():
    days = [f"{1 + i % 28:02d}/{1 + i % 12:02d}/{2012 + i % 5}" for i in range(80)]
    entry, frame = guessed(*days, *["läuft noch"] * 8, times=2)
    assert (entry["type"], entry["missingValues"], entry.get("unknown")) == ("date", ["läuft noch", ""], None)
    assert "läuft noch" in written_again(entry, frame)
    seldom, _ = guessed(*days, "siehe Akte", times=2)
    assert ("missingValues" in seldom, seldom["unknown"]) == (False, "")
    both, _ = guessed(*days, *["調査中"] * 8, *["不明"] * 6, "なし", "4月初旬", times=2)
    assert (both["type"], both["missingValues"], both["unknown"]) == ("date", ["調査中", "不明", ""], "")
    codes = [f"{i % 7}-a-{i}" for i in range(60)]
    assert "other" in guessed(*codes, "other", times=20)[0]["categories"]


@pytest.mark.parametrize(("odd", "step"), [(8, 60), (12, None)])  # of 200 rows
def test_times_of_which_nearly_all_are_whole_minutes_are_such(odd, step):
    rng = np.random.default_rng(4)
    minutes = pd.to_timedelta(rng.integers(0, 1440, 200), unit="min") + pd.Timestamp("2020-01-01")
    seconds = np.where(np.arange(200) < odd, rng.integers(1, 60, 200), 0)
    moments = pd.Series(minutes + pd.to_timedelta(seconds, unit="s")).sample(frac=1, random_state=1)
    frame = pd.DataFrame(
        {"at": moments.dt.strftime("%H:%M:%S"), "on": moments.dt.strftime("%Y-%m-%d %H:%M:%S")}
    )
    for entry in draft_from_rows(frame)["fields"]:
        assert entry.get("multipleOf") == step, entry["name"]


@pytest.mark.parametrize(
    ("first", "last", "form", "low", "high"),
    [
        (1951, 1992, "%m/%d/%y{1950}", "01/01/51", "12/31/92"),
        (1951, 1966, "%m/%d/%y{1950}", "01/01/51", "12/31/66"),
        (1922, 2015, "%m/%d/%y{1920}", "01/01/22", "12/31/15"),
        (1967, 2020, "%m/%d/%y{1960}", "01/01/67", "12/31/20"),
        (1970, 2031, "%m/%d/%y", "01/01/70", "12/31/31"),
        (2001, 2049, "%m/%d/%y", "01/01/01", "12/31/49"),
    ],
)
def test_years_of_two_digits_are_of_one_hundred_years_and_few_of_them_to_come(first, last, form, low, high):
    days = [dt.date(year, month, 13 + year % 15) for year in range(first, last + 1) for month in (2, 5, 11)]
    whole = dt.date(first, 1, 1), dt.date(last, 12, 31)
    texts = [f"{day:%m/%d/%y}" for day in days]
    entry, frame = guessed(*texts, times=1)
    ends = [entry["constraints"][bound] for bound in ("minimum", "maximum")]
    assert (entry["format"], ends) == (form, [low, high])
    read = [read_value(text, "date", form) for text in (*ends, *texts)]
    first_day, last_day, *values = [(day - dt.date(1970, 1, 1)).days for day in (*whole, *days)]
    assert read == [first_day, last_day, *values]
    again = [read_value(text, "date", form) for text in written_again(entry, frame)]
    assert first_day <= min(again) <= max(again) <= last_day
    schema = schema_of(Codebook.from_dict({"fields": [entry]}))
    assert schema["fields"][0]["format"] == ("any" if "{" in form else form)


def test_years_on_both_sides_of_a_date_to_come_stay_as_they_are():
    texts = [
        f"01/13/{year % 100:02d}" for year in (*range(2000, 2016), 2055)
    ]  # one misprint makes no century
    assert guessed(*texts, times=1)[0]["format"] == "%m/%d/%y"


@pytest.mark.parametrize("clock", ["T08:00:00.000Z", " 12:00:00", "T22:00:00+02:00", " 5:00 PM"])
def test_days_that_are_all_written_at_one_time_of_the_day_leave_at_that_time(clock):
    """Of 83 patients all were told at eight, and the synthetic ones at any time (by hand)."""
    texts = [f"2020-02-{day:02d}{clock}" for day in range(1, 29)]
    entry, frame = guessed(*texts, times=1)
    assert (entry["type"], entry["format"]) == ("date", f"%Y-%m-%d{clock}")
    assert entry["constraints"]["maximum"] == f"2020-02-29{clock}"
    assert all(text.endswith(clock) for text in written_again(entry, frame))
    assert read_value(texts[26], "date", entry["format"]) == read_value("2020-02-27", "date")
    assert guessed(*texts, f"2020-03-01{clock.replace(':00', ':30', 1)}", times=1)[0]["type"] == "datetime"


@pytest.mark.parametrize(
    ("first", "last", "bounds"),
    [
        ("2023-01-09", "2024-03-31", ("2023-01-01", "2024-03-31")),
        ("2019-11-30", "2020-02-02", ("2019-11-01", "2020-02-29")),
        ("2016-05-02", "2024-08-31", ("2016-05-01", "2024-08-31")),
        ("2016-05-02", "2024-09-01", ("2016-01-01", "2024-12-31")),
    ],
)
def test_days_of_up_to_a_hundred_months_are_bounded_by_whole_ones_and_others_by_whole_years(
    first, last, bounds
):
    """Within years, a stay of somebody who came last ended after the table was exported."""
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range(first, last, periods=60)]
    limits = guessed(*days, times=1)[0]["constraints"]
    assert (limits["minimum"], limits["maximum"]) == bounds
    months = sorted({day[:7] for day in days})
    limits = guessed(*months, times=20)[0]["constraints"]
    assert (limits["minimum"], limits["maximum"]) == (f"{first[:4]}-01", f"{last[:4]}-12")
