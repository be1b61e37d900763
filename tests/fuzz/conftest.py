"""A steward's folder, and a way to type a command in it that notes whatever must not happen."""

import json
import os

import pytest

from hmpb_core.cli import main
from hmpb_core.publishing.workspace import Workspace
from tests.fuzz.hostile import CANARY
from tests.tables import SCHEMA, people

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

    def typed(words, *, may_write=()):
        before, entries = _listing(folder), len(Workspace("w").entries())
        try:
            code = main(list(words))
        except SystemExit as stop:  # argparse's own refusal
            code = stop.code
        except BaseException as error:  # noqa: BLE001 - a traceback, in a process of its own
            return [f"raised {type(error).__name__}: {error}"]
        said = "".join(capfd.readouterr())
        found = []
        if code not in (0, 2, 3):
            found.append(f"ended with {code}: {said[-300:]}")
        if CANARY in said or CANARY.lower() in said:
            found.append("said a cell's value")
        if "Traceback" in said:
            found.append(f"showed a traceback: {said[-300:]}")
        written = {name for name in _listing(folder) ^ before if not name[0].startswith("w/")}
        if code != 0 and written:
            found.append(f"refused, and wrote {sorted(written)}")
        if code == 0 and {name for name, *_ in written} - set(may_write):
            found.append(f"wrote {sorted(written)}")
        if code != 0 and len(Workspace("w").entries()) != entries:
            found.append("refused, and charged")
        return found

    return typed


def _no_app():
    from hmpb_core.errors import InputError

    raise InputError("No dashboard in this test.")


def _listing(folder):
    return {
        (path.relative_to(folder).as_posix(), path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }
