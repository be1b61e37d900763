"""Whatever is typed behind a command, and whatever stands behind its output, ends with a sentence."""

import argparse
import json
import os
import subprocess
import sys

import pytest

from hmpb_core.cli import main, parser_of_all
from hmpb_core.commands.console import remark, say
from hmpb_core.privacy.ledger import Kind
from hmpb_core.publishing.files import write_whole
from hmpb_core.publishing.store import LedgerStore
from hmpb_core.publishing.workspace import LEDGER_FILE, Workspace
from tests.fuzz import hostile
from tests.fuzz.conftest import ANYTHING

MORE = 20 if os.environ.get("HMPB_SLOW") else 1


def parsers():
    (commands,) = (a for a in parser_of_all()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(commands.choices)


def test_arguments(faults):
    found = {}
    known = parsers()
    for number in range(75 * MORE):
        words = hostile.arguments(number, known)
        if wrong := faults(words, may_write=ANYTHING):
            found[number] = ([word[:30] for word in words], wrong)
    assert not found, "\n".join(f"case {number}: {wrong}" for number, wrong in found.items())


def typed(folder, *words, code="from hmpb_core.cli import main; sys.exit(main())", **more):
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; {code}", *words], cwd=folder, check=False, **more
    )


@pytest.mark.parametrize("words", [(b"ledger", b"--workspace", b"\xff"), (b"\xed\xa0\x80",)])
def test_bytes_that_are_no_text_are_refused(folder, words):
    done = typed(folder, *words, capture_output=True)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
def test_a_full_disk_behind_the_output_is_told_in_a_sentence(folder):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = typed(folder, "ledger", "--workspace", "w", "--json", stdout=full, stderr=subprocess.PIPE)
    assert b"hmpb: The system refused" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_told_nothing(folder):
    done = subprocess.Popen(
        [sys.executable, "-c", "from hmpb_core.cli import main; import sys; sys.exit(main())", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )
    done.stdout.close()
    said = done.stderr.read()
    done.stderr.close()
    done.wait()
    assert said == b""


def test_a_terminal_that_knows_ascii_alone_gets_escapes(folder):
    done = typed(
        folder,
        "--help",
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0


def test_the_last_net_names_kind_and_place_and_never_the_text(monkeypatch, capsys):
    def fail(args):
        raise KeyError(hostile.CANARY)

    monkeypatch.setattr("hmpb_core.commands.bill.run", fail)
    assert main(["bill", "--rows", "9", "--attributes", "3", "--epsilon", "1"]) == 1
    said = capsys.readouterr().err
    assert "KeyError" in said
    assert hostile.CANARY not in said


@pytest.mark.parametrize("seed", ["-1", "1.5", "x", "٣", hostile.DIGITS, ""])
@pytest.mark.parametrize("command", ["resample", "rehearse", "synthesize"])
def test_a_seed_is_a_whole_number_from_0(command, seed, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit, match="2"):
        main([command, f"--seed={seed}"])
    assert "is no seed; write a whole number from 0" in capsys.readouterr().err


def test_a_device_is_never_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Exception, match="cannot be written"):
        write_whole(tmp_path / "pipe", b"x")
    assert not (tmp_path / "pipe").is_file()


def test_a_ledger_that_half_a_character_got_into_is_exported_whole(tmp_path, monkeypatch, capsys):
    Workspace(tmp_path / "w", create=True)
    monkeypatch.setattr("hmpb_core.publishing.store._require_text", lambda _: None)  # as in 0.1.0
    with LedgerStore(tmp_path / "w" / LEDGER_FILE).writing() as book:
        details = {
            "name": "people",
            "unit": {"column": None, "rows": 1},
            "neighbors": "replace-one",
            "cap_epsilon": "1",
            "cap_delta": "0.0",
            "fingerprint": "0",
        }
        book.append(Kind.REGISTER, dataset="d", who="J\udcfcrg", why="", details=details)
    monkeypatch.chdir(tmp_path)
    assert main(["ledger", "--workspace", "w", "--verify", "--export", "chain.json"]) == 0
    chain = json.loads((tmp_path / "chain.json").read_text(encoding="utf-8"))
    assert chain["datasets"][0]["entries"][0]["who"] == "J\udcfcrg"
    assert main(["ledger", "--workspace", "w", "--json"]) == 0


def test_a_purpose_cannot_steer_the_terminal_of_whoever_lists_the_ledger(capsys):
    say("why: \x1b]0;title\x07 \x9b2J \u202egpj")
    remark("\x1b[2J")
    said = capsys.readouterr()
    assert said.out == "why: \\u001b]0;title\\u0007 \\u009b2J \\u202egpj\n"
    assert said.err == "\\u001b[2J\n"
