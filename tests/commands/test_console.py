"""What commands draw on a terminal."""

import io
import itertools
import json
from types import SimpleNamespace

import pytest

from hmpb_core.cli import main
from hmpb_core.commands import console
from tests.tables import SCHEMA, people


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


@pytest.mark.parametrize("seen", [True, False])
def test_register_and_survey_draw_their_progress_where_there_is_a_terminal(
    tmp_path, monkeypatch, capsys, *, seen
):
    monkeypatch.chdir(tmp_path)
    people(300).to_csv("people.csv", index=False)
    people(300).head(290).to_csv("fewer.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    terminal = Terminal() if seen else io.StringIO()
    monkeypatch.setattr(console.sys, "stderr", terminal)
    seconds = itertools.count()
    monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    told = ["--codebook", "cb.json", "--workspace", "w"]
    survey = ["survey", "people.csv", *told, "-o", "found.json", "--epsilon", "0.1", "--delta", "0", "--yes"]
    for words, drawn in (
        (["register", "people.csv", *told, "--cap", "2", "--unit", "row"], "recognising"),
        (["register", "fewer.csv", *told, "--cap", "2", "--unit", "row"], "comparing"),
        ([*survey, "--only", "age"], "counting"),
    ):
        terminal.seek(0)
        terminal.truncate()
        assert main(words) == 0
        said = terminal.getvalue()
        assert (f"] {drawn}" in said) == seen
        assert "\x1b" not in capsys.readouterr().out
        if "comparing" in drawn:
            assert ("\r\x1b[KWarning: this table is nearly" if seen else "Warning: this") in said
