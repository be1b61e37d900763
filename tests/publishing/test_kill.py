"""kill -9 at random moments of a release: nothing is spent unseen, nothing is half written."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

from hmpb_core.privacy.ledger import Kind, digest_of
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.files import sweep, write_whole
from hmpb_core.publishing.workspace import Workspace
from tests.datasets import ROOT
from tests.publishing.endless_releases import EPSILON
from tests.tables import people

KILLS = 200 if os.environ.get("HMPB_SLOW") == "1" else 16
LONGEST = 0.25  # seconds: a release of this table takes about a fifth of that


@contextlib.contextmanager
def releasing(folder, out):
    """Give a function that lets a process release without end and kills it after so many seconds."""
    script = ROOT / "tests" / "publishing" / "endless_releases.py"
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder), str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
    )

    def kill_after(seconds):
        process.stdin.write("\n")
        process.stdin.flush()
        child = int(process.stdout.readline())
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        assert int(process.stdout.readline()) == -signal.SIGKILL

    with process:
        yield kill_after
        process.stdin.close()


def check(workspace, out):
    """The three promises, after a kill."""
    assert workspace.verify() == []
    charges = {entry.release: entry for entry in workspace.entries() if entry.kind is Kind.CHARGE}
    assert workspace.datasets()[0].spent == Fraction(repr(EPSILON)) * len(charges)
    written = [p for folder in (workspace.folder / "releases", out) for p in folder.glob("*.zip")]
    used = {}
    for path in written:
        files = read_bundle(path.read_bytes())  # whole, or an error
        told = json.loads(files["ledger-extract.json"])["entries"][0]
        assert charges[told["release"]].digest == digest_of(told["body"])
        used[told["release"]] = json.loads(files["model/bill.json"])["total"]
    assert sum(used.values()) <= float(workspace.datasets()[0].spent) * (1 + 1e-12)
    return len(charges), len(used)


@pytest.mark.slow
def test_after_every_kill_the_ledger_is_whole_and_covers_every_bundle(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    table = people(300)
    workspace.register(table, name="people", unit=Unit.parse("row"), cap_epsilon=100.0, cap_delta=0.0)
    out = tmp_path / "out"
    out.mkdir()
    moments = np.random.default_rng().uniform(0, LONGEST, KILLS)
    unfinished = 0
    with releasing(workspace.folder, out) as kill_after:
        for moment in moments:
            kill_after(moment)
            charges, bundles = check(workspace, out)
            unfinished = charges - bundles
    sys.stdout.write(
        f"{KILLS} kills, {charges} charges, {bundles} bundles, {unfinished} charged without a bundle" + "\n"
    )
    assert unfinished > 0, "no kill hit a release between its charge and its bundle"
    for folder in (workspace.folder / "releases", out):
        sweep(folder)
        assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_what_a_dead_process_left_is_swept_by_the_next_write(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = tmp_path / f".a.zip.{dead.pid}.hmpb-part"
    mine = tmp_path / f".b.zip.{os.getpid()}.hmpb-part"
    other = tmp_path / ".c.zip.hmpb"
    for path in (left, mine, other):
        path.write_bytes(b"half")
    write_whole(tmp_path / "new.zip", b"whole")
    assert (left.exists(), mine.exists(), other.exists()) == (False, True, True)


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    from hmpb_core.errors import SourceError

    def full(*_):
        raise OSError

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SourceError, match="cannot be written"):
        write_whole(tmp_path / "new.zip", b"whole")
    assert list(tmp_path.iterdir()) == []
