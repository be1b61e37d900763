"""How long a run may still take: told by the pace of its learner, and true of runs that were measured."""

import pytest

from hmpb_core import progress

# Seconds and the part of the fit done, as a run reported them; then columns, rows and seconds in all.
TOLD = [(0.04, 0.0), (0.13, 0.1), (0.44, 0.3), (1.16, 0.431), (1.67, 0.492), (2.25, 0.548), (3.11, 0.598)]
TOLD += [(4.01, 0.635), (4.59, 0.678), (5.28, 0.769), (6.05, 0.856), (7.04, 0.95)]
WIDE = (TOLD, 57, 19_719, 11.4)
FEW_ROWS = ([(0.02, 0.0), (0.22, 0.1), (1.69, 0.3)], 120, 1_000, 4.3)


@pytest.fixture
def clock(monkeypatch):
    """Seconds since the work began, set by hand."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    return now


def foreseen(clock, run):
    """What the whole run is said to take, at every report from which a time left is told."""
    reports, columns, rows, _ = run
    parts = []
    told = progress.ByTime(lambda part, _what: parts.append((clock[0], part)), columns=columns, rows=rows)
    for seconds, fraction in reports:
        clock[0] = seconds
        told(fraction, "")
    told.write(rows)
    return [seconds / part for seconds, part in parts if part >= 0.05]


@pytest.mark.parametrize("run", [WIDE, FEW_ROWS], ids=["57 columns", "a learner that measures nothing"])
def test_the_time_that_is_told_is_the_time_that_the_run_took_within_a_half(clock, run):
    times = foreseen(clock, run)
    assert times
    assert all(run[3] / 1.5 <= time <= run[3] * 1.5 for time in times), times


def test_no_time_is_told_before_the_learner_has_a_pace(clock):
    reports, *rest = WIDE
    assert len(foreseen(clock, (reports[:4], *rest))) == 1  # when the writing begins


def test_a_learner_that_first_tells_at_its_end_tells_a_time_too(clock):
    reports = [(0.1, 0.3), (5.0, 0.95), (6.0, 0.97), (7.0, 1.0)]
    assert all(7 <= time <= 14 for time in foreseen(clock, (reports, 57, 1_000, 9.0))[-2:])


def test_no_time_is_told_while_the_number_of_rows_is_nobody_s_business(clock):
    parts = []
    told = progress.ByTime(lambda part, _what: parts.append(part), columns=57, rows=None)
    for clock[0], fraction in WIDE[0]:
        told(fraction, "")
    assert max(parts) < 0.05


def test_rows_that_are_written_tell_the_time_by_their_own_pace(clock):
    parts = []
    told = progress.ByTime(lambda part, _what: parts.append(part), columns=57, rows=1000)
    clock[0] = 10.0
    told.write(1000)
    clock[0] = 20.0  # a quarter of the rows took 10 s
    told(progress.WRITING + 0.25 * (1 - progress.WRITING), "rows")
    assert parts[-1] == pytest.approx(20 / 50)


@pytest.mark.parametrize(
    ("redrawn", "seconds"), [(False, 5.8), (True, 11.9)], ids=["no rule", "rules that forbid"]
)
def test_the_writing_of_rows_that_rules_have_drawn_again_is_told_within_a_half(clock, redrawn, seconds):
    """200,000 rows of 14 columns, as they were measured on a machine of 2 cores."""
    parts = []
    told = progress.ByTime(lambda part, _what: parts.append(part), columns=14, rows=200_000, redrawn=redrawn)
    clock[0] = 10.0
    told.write(200_000)
    assert seconds / 1.5 <= 10 / parts[-1] - 10 <= seconds * 1.5


def test_rows_that_begin_to_be_written_take_no_time_for_a_fit_that_is_over(clock):
    """57 columns and 20,000 rows: the bundle takes about 3 s, however long the model took."""
    parts = []
    told = progress.ByTime(lambda part, _what: parts.append(part), columns=57, rows=20_000)
    for clock[0], fraction in [(1.0, 0.3), (30.0, 0.6), (60.0, 0.95)]:
        told(fraction, "")
    clock[0] = 70.0
    told.write(20_000)
    assert 70 / parts[-1] - 70 == pytest.approx(3, abs=1.5)
