"""A steward's folder, and a way to type a command in it that notes whatever must not happen."""

import json
import os
import shutil

import pytest

from hmpb_core.audit.findings import Audit
from hmpb_core.cli import main
from hmpb_core.errors import InputError
from hmpb_core.publishing.workspace import Workspace
from tests.fuzz.hostile import CANARY
from tests.tables import SCHEMA, people

ANYTHING = ("anything",)
PLAN = ("plan", "--codebook", "cb.json", "--epsilon", "0.01", "--method", "independent", "-o", "p.toml")
REGISTER = (
    "register",
    "people.csv",
    "--codebook",
    "cb.json",
    "--workspace",
    "w",
    "--cap",
    "90",
    "--unit",
    "row",
)
REHEARSE = ("rehearse", "--codebook", "cb.json", "--plan", "p.toml", "--simulate", "0.5", "--rows", "40")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with the canary in a column that is not published, its codebook, a plan, a ledger, a bundle."""
    made = tmp_path_factory.mktemp("steward")
    frame = people(60)
    frame["remark"] = CANARY
    frame.to_csv(made / "people.csv", index=False)
    (made / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    before = os.getcwd()  # noqa: PTH109 - to go back to
    os.chdir(made)
    try:
        for words in (REGISTER, PLAN, (*REHEARSE, "--seed", "1", "--out", "b.zip")):
            assert main(list(words)) == 0
    finally:
        os.chdir(before)
    return made


@pytest.fixture
def faults(folder, monkeypatch, capfd):
    """Type a command; give everything that is wrong with how it ended."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("hmpb_core.commands.app.require_app", _no_app)
    # It reads no file and takes minutes: what is fuzzed is its arguments.
    monkeypatch.setattr("hmpb_core.audit.suite.audit", _nothing_found)
    kept = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def typed(words, *, may_write=()):
        _tidy(folder, kept)
        before, entries = _listing(folder), len(Workspace("w").entries())
        try:
            code = main(list(words))
        except SystemExit as stop:  # argparse's own refusal
            code = stop.code
        except BaseException as error:  # noqa: BLE001 - a traceback, in a process of its own
            return [f"raised {type(error).__name__}: {error}"]
        said = "".join(capfd.readouterr())
        written = {name for name, *_ in _listing(folder) ^ before}
        if code == 0:
            wrong = {"wrote": may_write is not ANYTHING and written - set(may_write)}
        else:
            charged = len(Workspace("w").entries()) - entries
            wrong = {"refused, and wrote": written, "refused, and charged": charged}
        wrong |= {
            "said a cell's value": CANARY in said,
            "showed a traceback": "Traceback" in said,
            f"ended with {code} and {said[-300:]!r}": code not in (0, 2, 3),
        }
        return [f"{fault} {found}" for fault, found in wrong.items() if found]

    return typed


def _nothing_found(size, **options):
    return Audit(findings=(), seconds=0.0)


def _no_app():
    raise InputError("No dashboard in this test.")


def _tidy(folder, kept):
    """Make the folder as it was, but for the file that the case is read from."""
    for path in set(folder.iterdir()) - set(kept) - {folder / "w"}:
        if not path.name.startswith("bad."):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path, content in kept.items():
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)


def _listing(folder):
    """What is in the folder, apart from the ledger, which is asked."""
    return {
        (path.relative_to(folder).as_posix(), path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and path.parent != folder / "w"
    }
