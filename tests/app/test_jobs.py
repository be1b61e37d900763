"""Long work: progress, time left, cancel, errors; and that it lets go of the table."""

import gc
import threading
import time
import weakref

import pytest

from hmpb_core.errors import CancelledError, SourceError
from pages.session.jobs import Job, JobState
from pages.shared.job_panel import describe


def ran(work):
    job = Job("test", work)
    job.run()
    return job


def test_work_that_ends_leaves_its_result():
    job = ran(lambda _progress: 42)
    assert (job.state, job.result, job.fraction, job.error) == (JobState.DONE, 42, 1.0, None)


def test_progress_never_goes_back():
    seen = []

    def work(progress):
        for part in (0.2, 0.5, 0.3):
            progress(part, "one-way tables")
            seen.append(job.fraction)

    job = Job("test", work)
    job.run()
    assert seen == [0.2, 0.5, 0.5]


def test_work_that_is_cancelled_stops_at_its_next_report():
    entered, steps = threading.Event(), []

    def work(progress):
        for step in range(1000):
            steps.append(step)
            entered.set()
            time.sleep(0.005)
            progress(step / 1000, "one-way tables")

    job = Job("test", work)
    thread = threading.Thread(target=job.run)
    thread.start()
    entered.wait()
    job.cancel()
    thread.join(5)
    assert job.state is JobState.CANCELLED
    assert isinstance(job.error, CancelledError)
    assert len(steps) < 50


def test_work_that_was_cancelled_in_the_queue_never_starts():
    job = Job("test", lambda _progress: pytest.fail("started"))
    job.cancel()
    job.run()
    assert job.state is JobState.CANCELLED


@pytest.mark.parametrize(("charges", "state"), [(False, JobState.CANCELLED), (True, JobState.DONE)])
def test_of_work_that_ends_before_it_can_be_stopped_only_what_was_paid_for_is_kept(charges, state):
    job = Job("test", lambda _progress: job.cancel() or "result", charges=charges)
    job.run()
    assert job.state is state
    assert job.result == ("result" if charges else None)


def test_an_error_is_kept_for_the_session():
    def work(progress):
        raise SourceError("The table has no rows.")

    job = ran(work)
    assert job.state is JobState.FAILED
    assert isinstance(job.error, SourceError)


def test_time_left_follows_the_pace():
    job = Job("test", lambda _progress: None)
    assert job.seconds_left is None
    job.started = time.monotonic() - 10
    job.report(0.25, "one-way tables")
    assert job.seconds_left == pytest.approx(30, abs=0.5)


def test_between_two_reports_the_time_left_runs_down_to_nothing_and_then_none_is_told():
    job = Job("test", lambda _progress: None)
    job.started = time.monotonic() - 10
    job.report(0.25, "rows")
    job.started -= 15  # as if the 40 s of the whole had been told 15 s ago
    job._due -= 15
    assert job.seconds_left == pytest.approx(15, abs=0.5)
    job.started -= 20
    job._due -= 20
    assert job.seconds_left is None


def test_work_of_uneven_parts_tells_no_time_left():
    job = Job("test", lambda _progress: None, even=False)
    job.state, job.started = JobState.RUNNING, time.monotonic() - 10
    job.report(0.25, "grouping rows")
    assert job.seconds_left is None
    assert "25 % done" in describe(job)
    assert "left" not in describe(job)


def test_a_job_says_where_it_is():
    job = Job("test", lambda _progress: None)
    assert "Queued" in describe(job)
    job.state, job.fraction, job.message = JobState.RUNNING, 0.01, "one-way tables"
    assert "one-way tables: 1 %" in describe(job)
    job.started = time.monotonic() - 10
    job.report(0.25, "one-way tables")
    assert "30 s left" in describe(job)


def test_a_finished_job_holds_no_table():
    class Rows:
        pass

    rows = Rows()
    gone = weakref.ref(rows)

    def work_on(table):
        return lambda _progress: str(table)

    job = ran(work_on(rows))
    del rows
    gc.collect()
    assert job.result
    assert gone() is None


def test_work_that_is_let_go_of_keeps_how_it_ended_and_nothing_else():
    """Its table was dropped by the session, so neither a result nor a traceback may hold it."""
    begun, go_on, tables = threading.Event(), threading.Event(), []
    for fails in (False, True):
        job = Job("run", lambda _, fails=fails: wait_with_a_table(begun, go_on, tables, fails), charges=True)
        thread = threading.Thread(target=job.run)
        thread.start()
        begun.wait(5)
        job.let_go()
        go_on.set()
        thread.join(5)
        assert job.state is (JobState.FAILED if fails else JobState.DONE)
        assert job.result is None
        begun.clear(), go_on.clear()
        gc.collect()
        assert tables.pop()() is None


def wait_with_a_table(begun, go_on, tables, fails):
    table = {1, 2}
    tables.append(weakref.ref(table))
    begun.set()
    go_on.wait(5)
    if fails:
        raise SourceError("It fails.")
    return table


def test_who_works_by_keyboard_stays_where_the_work_was_begun(focused):
    """The button that began it cannot be pressed meanwhile, and Cancel is gone when it is done."""
    from streamlit.testing.v1 import AppTest

    def script():
        import streamlit as st

        from pages.shared.focus import give_focus
        from pages.shared.job_panel import job_panel

        give_focus()
        job_panel(st.session_state["job"], lambda _: None)

    app = AppTest.from_function(script)
    app.session_state["job"] = job = Job("test", lambda _: 1)
    app.run()
    assert focused(app, "job_cancel")
    job.run()
    app.run().run()
    assert not focused(app, "job_cancel")
    assert focused(app, "rehearse", "compare_go", "utility_html", "fold_survey")
