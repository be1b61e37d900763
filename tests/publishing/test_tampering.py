"""A ledger, or a bundle beside it, that was changed: found, and nothing is released with it."""

import json
import os
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from hmpb_core.errors import PrivacyError, SourceError
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.ledger import Kind, canonical_json, digest_of
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing import store
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.receipts import Receipts, receipt_of
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.workspace import LEDGER_FILE, Workspace
from hmpb_core.synthesis import make_plan
from tests.tables import people, people_codebook
from tests.thorough import sample

TABLE, BOOK = people(300), people_codebook()
TENTH = Guarantee(epsilon=0.1, delta=0, currency=Currency.PURE)
PLAN = PlanFile.of(make_plan(TENTH, BOOK.domain, n_rows=None, method="independent"), BOOK)


@pytest.fixture
def workspace(tmp_path):
    """A workspace with two releases."""
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE, name="people", unit=Unit.parse("row"), cap_epsilon=1.0, cap_delta=0.0)
    for _ in range(2):
        carry_out(prepare(TABLE, BOOK, PLAN, workspace), workspace)
    return workspace


def change(workspace, *statements):
    with sqlite3.connect(workspace.folder / LEDGER_FILE) as connection:
        connection.execute("DROP TRIGGER entries_are_never_changed")
        connection.execute("DROP TRIGGER entries_are_never_removed")
        for statement in statements:
            connection.execute(statement)
    connection.close()


def rewritten(workspace, edit):
    """Write the chain anew after an edit, as somebody would who knows how digests work."""
    with sqlite3.connect(workspace.folder / LEDGER_FILE) as connection:
        connection.execute("DROP TRIGGER entries_are_never_changed")
        connection.execute("DROP TRIGGER entries_are_never_removed")
        bodies = [
            json.loads(row[0]) for row in connection.execute("SELECT body FROM entries ORDER BY number")
        ]
        connection.execute("DELETE FROM entries")
        previous = "0" * 64
        kept = edit(bodies)
        for number, body in enumerate(kept, start=1):
            text = canonical_json({**body, "number": number, "previous": previous})
            previous = digest_of(text)
            connection.execute(
                "INSERT INTO entries (number, body, digest) VALUES (?, ?, ?)", (number, text, previous)
            )
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'entries'", (len(kept),))
    connection.close()


def delete_the_newest(workspace):
    change(workspace, "DELETE FROM entries WHERE number >= 4")


def delete_one_in_the_middle(workspace):
    change(workspace, "DELETE FROM entries WHERE number = 3")


def change_a_cost(workspace):
    change(workspace, "UPDATE entries SET body = replace(body, '1/10', '1/90') WHERE number = 2")


def change_a_digest(workspace):
    change(
        workspace, "UPDATE entries SET digest = replace(digest, substr(digest, 1, 1), 'x') WHERE number = 1"
    )


def swap_two(workspace):
    change(
        workspace,
        "UPDATE entries SET number = 90 WHERE number = 3",
        "UPDATE entries SET number = 3 WHERE number = 4",
        "UPDATE entries SET number = 4 WHERE number = 90",
    )


def empty_the_table(workspace):
    change(workspace, "DELETE FROM entries", "DELETE FROM sqlite_sequence")


def a_new_empty_database(workspace):
    for path in workspace.folder.glob(f"{LEDGER_FILE}*"):
        path.unlink()
    store.LedgerStore(workspace.folder / LEDGER_FILE, create=True)


def forget_a_release(workspace):
    release = [e for e in workspace.entries() if e.kind is Kind.CHARGE][-1].release
    rewritten(workspace, lambda bodies: [b for b in bodies if b["release"] != release])


def lose_the_key(workspace):
    change(workspace, "DELETE FROM settings")


def no_entry_at_all(workspace):
    change(workspace, "UPDATE entries SET body = '{}', digest = '" + digest_of("{}") + "' WHERE number = 2")


def a_wrong_total(workspace):
    def edit(bodies):
        bodies[-2]["totals"]["epsilon"] = "1/100"
        return bodies

    rewritten(workspace, edit)


def a_bundle_from_elsewhere(workspace):
    first = next((workspace.folder / "releases").glob("*.zip"))
    shutil.copy(first, first.with_name("0" * 32 + ".zip"))


CORRUPTIONS = [
    delete_the_newest,
    delete_one_in_the_middle,
    change_a_cost,
    change_a_digest,
    swap_two,
    empty_the_table,
    a_new_empty_database,
    forget_a_release,
    lose_the_key,
    no_entry_at_all,
    a_wrong_total,
    a_bundle_from_elsewhere,
]


@pytest.mark.parametrize("corrupt", sample(CORRUPTIONS, 2))
def test_what_was_changed_is_found_and_stops_releases_and_registrations(workspace, corrupt):
    dataset = workspace.datasets()[0]
    commit = prepare(TABLE, BOOK, PLAN, workspace)
    bundles = sorted((workspace.folder / "releases").glob("*.zip"))
    corrupt(workspace)
    assert Workspace(workspace.folder).verify() != []
    for attempt in (
        lambda: carry_out(commit, Workspace(workspace.folder)),
        lambda: Workspace(workspace.folder).charge(dataset, TENTH),
        lambda: Workspace(workspace.folder).register(
            people(100), name="more", unit=Unit.parse("row"), cap_epsilon=1.0, cap_delta=0.0
        ),
    ):
        with pytest.raises(PrivacyError):
            attempt()
    assert set(bundles) <= set((workspace.folder / "releases").glob("*.zip"))
    assert Workspace(workspace.folder).verify() != [], "it looks whole again"


def test_appending_after_a_cut_is_refused_by_the_count_that_sqlite_keeps(workspace):
    charge = [e for e in workspace.entries() if e.kind is Kind.CHARGE][-1]
    delete_the_newest(workspace)
    with pytest.raises(PrivacyError, match="cut off the end"):
        workspace.complete(charge, artefacts={})


def test_a_lost_ledger_beside_bundles_is_not_begun_anew(workspace):
    for path in workspace.folder.glob(f"{LEDGER_FILE}*"):
        path.unlink()
    with pytest.raises(PrivacyError, match="lost its ledger"):
        Workspace(workspace.folder, create=True)
    assert not (workspace.folder / LEDGER_FILE).exists()


def test_a_changed_bundle_is_found(workspace):
    path = next((workspace.folder / "releases").glob("*.zip"))
    path.write_bytes(path.read_bytes() + b"x")
    (fault,) = workspace.verify()
    assert path.name in str(fault)


def test_a_run_that_was_killed_after_its_charge_is_no_fault(workspace):
    workspace.charge(workspace.datasets()[0], TENTH)
    assert workspace.verify() == []


# Receipts


def older_copy(workspace, tmp_path):
    kept = tmp_path / "older"
    shutil.copytree(workspace.folder, kept)
    return Workspace(kept)


def test_a_ledger_put_back_to_an_older_copy_is_found_by_a_receipt(workspace, tmp_path):
    older = older_copy(workspace, tmp_path)
    release = carry_out(prepare(TABLE, BOOK, PLAN, workspace), workspace)
    receipts = Receipts.read(release.receipt)
    assert workspace.verify(against=receipts) == []
    assert older.verify() == []
    assert "older state" in str(older.verify(against=receipts)[0])


def test_a_ledger_written_anew_is_found_by_an_export_and_by_a_bundle(workspace, tmp_path):
    export, extract = tmp_path / "chain.json", tmp_path / "ledger-extract.json"
    export.write_text(json.dumps(workspace.export()), encoding="utf-8")
    charge = [e for e in workspace.entries() if e.kind is Kind.CHARGE][-1]
    extract.write_bytes(read_bundle(workspace.release_path(charge).read_bytes())["ledger-extract.json"])
    both = [Receipts.read(str(path)) for path in (export, extract)]
    assert all(workspace.verify(against=receipts) == [] for receipts in both)
    rewritten(workspace, lambda bodies: [{**b, "who": "somebody else"} for b in bodies])
    shutil.rmtree(workspace.folder / "releases")
    assert workspace.verify() == []
    assert all("written anew" in str(workspace.verify(against=receipts)[0]) for receipts in both)


def test_the_receipt_of_a_release_is_the_ledgers_newest_entry(workspace):
    release = carry_out(prepare(TABLE, BOOK, PLAN, workspace), workspace)
    assert release.receipt == receipt_of(workspace.entries()[-1])


@pytest.mark.parametrize(
    "text",
    ["", "no", "[]", "{}", '{"chain": []}', '{"chain": [{"body": "{}", "digest": ""}]}', "[" * 100_000],
)
def test_what_holds_no_receipt_is_refused_in_one_sentence(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    for given in (str(path), str(tmp_path / "nowhere")):
        with pytest.raises(SourceError, match="holds no receipt"):
            Receipts.read(given)


# Rights


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_a_workspace_is_for_its_owner_alone_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        (tmp_path / "w").mkdir(mode=0o777)
        (tmp_path / "w").chmod(0o777)  # somebody made the folder before
        workspace = Workspace(tmp_path / "w", create=True)
        workspace.register(TABLE, name="people", unit=Unit.parse("row"), cap_epsilon=1.0, cap_delta=0.0)
    finally:
        os.umask(before)
    assert mode(workspace.folder) == 0o700
    assert {mode(path) for path in workspace.folder.glob(f"{LEDGER_FILE}*")} == {0o600}


def test_a_workspace_that_may_only_be_read_is_verified_and_left_as_it_is(workspace, monkeypatch):
    monkeypatch.setattr(os, "access", lambda _, right: right != os.W_OK)
    before = {path: path.stat().st_mtime_ns for path in workspace.folder.rglob("*")}
    connect = sqlite3.connect
    opened = []
    monkeypatch.setattr(
        sqlite3, "connect", lambda path, **options: (opened.append(path), connect(path, **options))[1]
    )
    reader = Workspace(workspace.folder)
    assert reader.verify() == []
    assert len(reader.entries()) == 5
    with pytest.raises(PrivacyError, match="may only be read"):
        reader.charge(reader.datasets()[0], TENTH)
    assert workspace.folder / LEDGER_FILE not in opened
    assert before == {path: path.stat().st_mtime_ns for path in workspace.folder.rglob("*")}


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_device_is_no_receipt_and_is_not_read_for_ever():
    with pytest.raises(SourceError, match="holds no receipt"):
        Receipts.read("/dev/zero")
