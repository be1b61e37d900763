"""Lengths of time in a survey: counted by their way, bounded by their seconds, and left as they came."""

import math

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.dates import read_value
from hmpb_core.encoding import encode
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.survey.cells import N_CELLS, count
from hmpb_core.survey.fields import field_of
from hmpb_core.survey.lengths import CLOCK, HOUR, LENGTH_WAYS, N_LENGTHS, PART, SPELT, Lasting, lasting_of
from hmpb_core.survey.looks import look_at
from hmpb_core.survey.scales import FARTHEST

ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)
SECONDS = np.random.default_rng(3).integers(600, 120_000, 3000)
ENDS = [HOUR * math.ceil(2**power / HOUR) for power in range(17, 17 + FARTHEST + 1)]
"""Where bounds end that hold 120,000 seconds: what noise shows beside them is taken in, so far at most."""


def clock(seconds):
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def words(seconds):
    return f"{seconds // 3600}h {seconds // 60 % 60}m" if seconds >= 3600 else f"{seconds // 60}m"


def surveyed(texts):
    counted = {"took": count(pd.Series(texts), frozenset({""}), with_texts=True)}
    budget = Budget(guarantee=Guarantee(epsilon=20.0), shares=ONE_STAGE)
    account = Accountant(budget, protection="seeded", seed=7, delta=1e-10)
    return field_of({"name": "took"}, look_at(counted, account, delta=1e-10)["took"])


@pytest.mark.parametrize(
    ("write", "form", "step"),
    [
        (clock, "clock", None),
        (lambda s: f"PT{s // 3600}H{s // 60 % 60}M", None, 60),
        (lambda s: str(pd.Timedelta(seconds=int(s))), "days", None),
        (words, "1h 30m", 60),
    ],
)
def test_lengths_of_time_are_bounded_in_hours_and_read_however_they_are_written(write, form, step):
    texts = [write(seconds) for seconds in SECONDS]
    found = surveyed(texts)
    assert (found["type"], found.get("format"), found.get("multipleOf")) == ("duration", form, step)
    book = Codebook.from_dict({"fields": [found | {"source": {"kind": "survey", "entry": 2}}]})
    attribute = book.domain.attributes[0]
    assert attribute.minimum == 0
    assert attribute.maximum in ENDS
    encode(pd.DataFrame({"took": texts}), book)


def test_times_of_day_stay_times_and_a_few_lengths_in_words_stay_a_list():
    assert surveyed([clock(seconds % 86_400) for seconds in SECONDS])["type"] == "time"
    few = [f"{30 * (1 + seconds % 3)} min" for seconds in SECONDS]
    assert surveyed(few)["categories"] == ["30 min", "60 min", "90 min", "(other)"]


@pytest.mark.parametrize("with_texts", [True, False])
def test_lengths_in_the_cells_of_their_seconds_are_the_same_rows(with_texts):
    column = pd.Series(["29:14:36", "5:00:00", "5:00:00", "PT5H", "2h 50m", "soon", "", "7"])
    counted = count(column, frozenset({""}), with_texts=with_texts)
    moved = counted.as_lengths()
    assert moved.cells.sum() == counted.cells.sum() == len(column)
    assert moved.cells.min() >= 0
    assert moved.texts == (("soon",) if with_texts else ())
    assert counted.distinct == 4, "of texts and lengths"
    assert len(moved.cells) == N_CELLS + len(moved.texts)


def seen(**rows: float) -> np.ndarray:
    """Rows of each kind of lengths, by place: whole minutes, then others, of each way."""
    counts = np.zeros(N_LENGTHS)
    for name, n in rows.items():
        ways = {"clock": CLOCK, "spelt": SPELT[0], "part": PART}
        way, _, odd = name.partition("_")
        counts[2 * LENGTH_WAYS.index(ways[way]) + bool(odd)] = n
    return counts


@pytest.mark.parametrize(
    ("counts", "times", "form", "rows", "in_minutes"),
    [
        (seen(clock=10), (0, 0), CLOCK, 10, True),
        (seen(clock=10, clock_odd=5), (0, 0), CLOCK, 15, False),
        (seen(clock=10), (0, 90), CLOCK, 100, False),  # times of day with seconds are short lengths
        (seen(clock=10), (90, 0), CLOCK, 100, True),
        (seen(spelt=50), (0, 7), "0h 30m", 50, True),
        # 45m alone: hours are left out where there are none
        (seen(spelt=50, part=5), (0, 7), "1h 30m", 55, True),
    ],
)
def test_lengths_are_told_by_their_ways_and_short_ones_count_with_them(counts, times, form, rows, in_minutes):
    assert lasting_of(counts, np.array(times)) == Lasting(form=form, rows=rows, in_minutes=in_minutes)


@pytest.mark.parametrize(
    ("low", "high", "hours"),
    [(5 * HOUR, 7.5 * HOUR, (0, 8)), (-1.5 * HOUR, 60, (-2, 1)), (0, 0, (0, 1))],
)
def test_bounds_of_lengths_are_whole_hours_and_hold_nothing_at_all(low, high, hours):
    field = Lasting(form="", rows=9, in_minutes=False).field(low, high)
    bounds = [read_value(field["constraints"][end], "duration") for end in ("minimum", "maximum")]
    assert bounds == [hour * HOUR for hour in hours]
    assert "multipleOf" not in field
