"""Times of day without a colon: 0730, or 730."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.dates import is_format, read_value, write_value
from hmpb_core.encoding import encode
from hmpb_core.moments import read_values, write_values
from hmpb_core.sources.drafting import draft_from_rows
from tests.sources.drafts import fits, written_again


def clocks(form, n=600):
    minutes = np.random.default_rng(0).integers(0, 24 * 60, size=n)
    return [form.format(100 * (minute // 60) + minute % 60) for minute in minutes.tolist()]


@pytest.mark.parametrize("name", ["arrest_time", "TIME OCC", "hhmm", "CRSDepTime", "Uhrzeit", "到达时间"])
@pytest.mark.parametrize(
    ("form", "found"), [("{:04d}", "%H%M"), ("{}", "%-H%M"), ("{}.0", "%-H%M.0"), ("{:04d}.0", "%H%M.0")]
)
def test_hours_and_minutes_without_a_colon_are_times_by_the_column_s_name(name, form, found):
    frame = pd.DataFrame({name: clocks(form)})
    schema = draft_from_rows(frame)
    entry = schema["fields"][0]
    assert (entry["type"], entry["format"], entry["multipleOf"]) == ("time", found, 60)
    assert fits(frame, schema)
    assert all(
        text == form.format(int(float(text))) and float(text) % 100 < 60
        for text in written_again(entry, frame)
    )


def test_a_misprint_among_such_times_counts_as_missing():
    frame = pd.DataFrame({"time": [*clocks("{}"), "175"]})
    schema = draft_from_rows(frame)
    entry = schema["fields"][0]
    assert (entry["type"], entry["unknown"]) == ("time", "")
    assert fits(frame, schema)
    assert "required" not in entry["constraints"]


def test_numbers_of_a_typed_table_are_times_as_well():
    entry = draft_from_rows(pd.DataFrame({"time": [int(text) for text in clocks("{}")]}))["fields"][0]
    assert (entry["type"], entry["format"]) == ("time", "%-H%M")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("room", clocks("{}")),
        ("waiting_time", [str(minute) for minute in range(60)] * 9),
        ("air_time", [str(minute) for minute in range(20, 400)] * 2),
        ("session_time", ["0900", "1030", "1415"] * 200),
        ("time", [*clocks("{}"), *map(str, range(2460, 2470))]),
    ],
)
def test_other_numbers_are_no_times(name, values):
    assert draft_from_rows(pd.DataFrame({name: values}))["fields"][0]["type"] != "time"


@pytest.mark.parametrize(("form", "first"), [("%H%M", "0005"), ("%-H%M", "5")])
def test_every_minute_is_read_as_it_is_written(form, first):
    minutes = np.arange(0, 86_400, 60, dtype=float)
    texts = write_values(minutes, "time", form)
    assert texts[5].as_py() == first
    assert read_values(texts, "time", form).tolist() == minutes.tolist()
    assert is_format(form, "time")
    assert [read_value(text, "time", form) for text in ("730", "0730", "7", "1260", "2400", "85")] == [
        27000.0, 27000.0, 420.0, None, None, None,
    ]  # fmt: skip
    moments = write_values(minutes, "datetime", f"%Y-%m-%d {form}")
    assert read_values(moments, "datetime", f"%Y-%m-%d {form}").tolist() == minutes.tolist()
    assert moments[5].as_py() == write_value(300, "datetime", f"%Y-%m-%d {form}") == f"1970-01-01 {first}"


def test_a_declared_time_reads_numbers_of_a_clock():
    field = {"name": "t", "type": "time", "format": "%H%M", "bins": 24, "multipleOf": 60}
    field |= {"constraints": {"minimum": "0000", "maximum": "2359"}, "declared": True}
    frame = pd.DataFrame({"t": ["730", "0005", "2359"]})
    codes = encode(frame, Codebook.from_dict({"fields": [field]}))
    assert len(codes) == 3
