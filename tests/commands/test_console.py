"""What commands draw on a terminal."""

import io

from hmpb_core.commands import console


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_time_left_is_that_of_the_work_whatever_reading_the_table_took(monkeypatch):
    now, terminal = [100.0], Terminal()
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(console.sys, "stderr", terminal)
    progress = console.TerminalProgress()
    progress(0.0, "reading")
    now[0] = 160.0
    progress(0.0, "pairs")
    now[0] = 170.0  # a quarter of the work took 10 s
    progress(0.25, "pairs")
    assert "about 30 s left" in terminal.getvalue()
