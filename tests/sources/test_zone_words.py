"""Moments with a word for the time zone behind them, as Google Forms writes."""

import json

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.dates import is_format, read_value
from hmpb_core.moments import read_values
from hmpb_core.sources.drafting import draft_from_rows
from tests.sources.drafts import fits, written_again


def stamps(*words, n=200):
    seconds = np.random.default_rng(0).integers(0, 40_000_000, size=n)
    moments = pd.Timestamp("2023-01-01") + pd.to_timedelta(seconds, unit="s")
    texts = [f"{m:%Y/%m/%d} {m.hour % 12 or 12}:{m:%M:%S %p}" for m in moments]
    return [f"{text} {words[i % len(words)]}" if words else text for i, text in enumerate(texts)]


@pytest.mark.parametrize("word", ["MDT", "GMT+1", "UTC-03:30", "CET"])
def test_one_zone_word_behind_all_moments_is_part_of_the_format(word):
    frame = pd.DataFrame({"Timestamp": stamps(word)})
    schema = draft_from_rows(frame)
    entry = schema["fields"][0]
    assert (entry["type"], entry["format"]) == ("datetime", f"%Y/%m/%d %-I:%M:%S %p {word}")
    assert entry["constraints"]["minimum"] == f"2023/01/01 12:00:00 AM {word}"
    assert fits(frame, schema)
    assert all(text.endswith(f"M {word}") for text in written_again(entry, frame))


def test_of_several_zone_words_the_clock_counts_and_the_word_is_dropped():
    frame = pd.DataFrame({"Timestamp": stamps("MDT", "MST")})
    schema = draft_from_rows(frame)
    entry = schema["fields"][0]
    assert (entry["type"], entry["format"]) == ("datetime", "%Y/%m/%d %-I:%M:%S %p %Z")
    assert fits(frame, schema)
    assert all(text.endswith((" AM", " PM")) for text in written_again(entry, frame))


def test_the_draft_says_that_zone_words_are_dropped(tmp_path, capsys):
    table, out = tmp_path / "t.csv", tmp_path / "t.json"
    pd.DataFrame({"Timestamp": stamps("MDT", "MST")}).to_csv(table, index=False)
    assert main(["codebook", str(table), "--guess", "--out", str(out)]) == 0
    assert "words of several time zones behind them: 'Timestamp'" in "".join(capsys.readouterr())
    assert json.loads(out.read_text())["fields"][0]["format"].endswith(" %Z")


def test_before_and_after_noon_is_no_zone():
    entry = draft_from_rows(pd.DataFrame({"Timestamp": stamps()}))["fields"][0]
    assert entry["format"] == "%Y/%m/%d %-I:%M:%S %p"


def test_a_moment_with_any_zone_word_or_none_is_read_by_its_clock():
    form = "%Y/%m/%d %I:%M:%S %p %Z"
    texts = ["2024/01/31 3:05:12 PM MDT", "2024/01/31 3:05:12 PM GMT+1", "2024/01/31 3:05:12 PM"]
    assert len({read_value(text, "datetime", form) for text in texts}) == 1
    assert read_values(texts, "datetime", form).tolist() == [1706713512.0] * 3
    assert is_format(form, "datetime")
