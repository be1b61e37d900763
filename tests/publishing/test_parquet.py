"""Rows as Parquet hold dates and moments as such, and mean what the csv file means."""

import datetime as dt
import io

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from hmpb_core import Codebook
from hmpb_core.encoding import encode
from hmpb_core.publishing.parquet import parquet_of, with_days

DAYS = {"minimum": "01.01.2015", "maximum": "31.12.2024"}


def moments(pattern):
    first, last = (pd.Timestamp(day).strftime(pattern) for day in ("2020-01-01", "2020-12-31"))
    field = {"name": "at", "type": "datetime", "format": pattern}
    return Codebook.from_dict({"fields": [{**field, "constraints": {"minimum": first, "maximum": last}}]})


def test_a_date_in_the_words_of_its_file_is_a_day_of_parquet_and_what_is_missing_stays_so():
    codebook = Codebook.from_dict(
        {"fields": [{"name": "day", "type": "date", "format": "%d.%m.%Y", "constraints": DAYS}]}
    )
    rows = pd.DataFrame({"day": pd.Series(["24.12.2023", None, "01.02.2015"], dtype="str")})
    content = io.BytesIO(parquet_of(rows, codebook))
    assert str(pq.read_schema(content).field("day").type) == "date32[day]"
    read = pd.read_parquet(content)
    assert read.day.tolist() == [dt.date(2023, 12, 24), pd.NA, dt.date(2015, 2, 1)]
    assert np.array_equal(encode(read, codebook), encode(rows, codebook))  # read under the same codebook


@pytest.mark.parametrize(
    ("pattern", "text", "type_"),
    [
        ("%d.%m.%Y %H:%M", "03.02.2020 10:11", "timestamp[us]"),
        ("%Y-%m-%dT%H:%M:%SZ", "2020-02-03T10:11:00Z", "timestamp[us, tz=UTC]"),
        ("%Y-%m-%d %H:%M:%S%z", "2020-02-03 10:11:00+0000", "timestamp[us, tz=UTC]"),
        ("%d %b %Y %H:%M:%S GMT", "03 Feb 2020 10:11:00 GMT", "timestamp[us, tz=UTC]"),
        ("%m/%d/%Y %I:%M %p %Z", "02/03/2020 10:11 AM", "timestamp[us]"),
        ("%Y-%m-%dT%H:%M:%S+02:00", "2020-02-03T10:11:00+02:00", "large_string"),
        ("%m/%d/%Y %I:%M %p MDT", "02/03/2020 10:11 AM MDT", "large_string"),
    ],
)
def test_a_moment_is_one_of_parquet_unless_that_would_lose_its_zone(pattern, text, type_):
    codebook = moments(pattern)
    rows = pd.DataFrame({"at": pd.Series([text, None], dtype="str")})
    content = io.BytesIO(parquet_of(rows, codebook))
    assert str(pq.read_schema(content).field("at").type) == type_
    read = pd.read_parquet(content)
    first = read["at"].iloc[0]
    assert first == text or first.replace(tzinfo=None) == pd.Timestamp("2020-02-03 10:11")
    assert pd.isna(read["at"].iloc[1])
    assert np.array_equal(encode(read, codebook), encode(rows, codebook))


def test_times_of_day_and_lengths_stay_texts_and_other_columns_what_they_are():
    codebook = Codebook.from_dict(
        {
            "fields": [
                {"name": "t", "type": "time", "constraints": {"minimum": "00:00:00", "maximum": "23:59:59"}},
                {"name": "l", "type": "duration", "constraints": {"minimum": "PT0S", "maximum": "P7D"}},
                {"name": "c", "categories": ["a", "b"]},
            ]
        }
    )
    rows = pd.DataFrame({"t": ["10:00:00"], "l": ["PT3H"], "c": ["a"], "more": [1]})
    pd.testing.assert_frame_equal(with_days(rows, codebook.domain), rows)
