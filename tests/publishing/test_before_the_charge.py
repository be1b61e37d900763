"""Whatever can be refused is refused before it is paid for; what was paid for says so."""

import errno
import os
import shutil
import sqlite3
import tomllib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import tomli_w

from hmpb_core import pipeline
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical
from hmpb_core.errors import CancelledError, HmpbError, PlanError, PrivacyError, SourceError
from hmpb_core.planning.methods import METHOD_NAMES, Accounting, default_shares
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.ledger import Kind
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing import files as files_room
from hmpb_core.publishing import release as release_room
from hmpb_core.publishing import store, trial
from hmpb_core.publishing.files import claimed
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.synthesis import make_plan
from tests.tables import people, people_codebook
from tests.thorough import sample

TABLE, BOOK = people(400), people_codebook()
PURE = Guarantee(epsilon=0.01, delta=0, currency=Currency.PURE)
PLANS = 500 if os.environ.get("HMPB_SLOW") == "1" else 20


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE, name="people", unit=Unit.parse("row"), cap_epsilon=100.0, cap_delta=1e-3)
    return workspace


def plan_of(guarantee=PURE, *, method="independent", book=BOOK, **options):
    return PlanFile.of(make_plan(guarantee, book.domain, n_rows=None, method=method, **options), book)


def charges(workspace):
    return [entry for entry in workspace.entries() if entry.kind is Kind.CHARGE]


def edited(change, plan=None):
    """A plan file as somebody wrote it by hand."""
    content = tomllib.loads((plan or plan_of()).to_toml())
    change(content)
    return tomli_w.dumps(content)


@pytest.mark.parametrize(
    "change",
    sample(
        [
            lambda c: c["weights"].update(agge=2.0),
            lambda c: c["weights"].update(age=0),
            lambda c: c["weights"].update(age=-1.0),
            lambda c: c["weights"].update(age=float("nan")),
            lambda c: c["weights"].update(age=float("inf")),
            lambda c: c["weights"].update(age="2"),
            lambda c: c["weights"].update(age=True),
            lambda c: c.update(weights=[1, 2]),
            lambda c: c.update(clusters=1.5),
            lambda c: c.update(clusters="2"),
            lambda c: c.update(max_parents=[2]),
            lambda c: c.update(rows=100.0),
            lambda c: c.update(rows="100"),
            lambda c: c.update(gamma="1"),
            lambda c: c.update(gamma=True),
            lambda c: c.update(gamma=float("nan")),
            lambda c: c.update(eta=[0.5]),
            lambda c: c.update(method=["independent"]),
            lambda c: c.update(similarity=["tvd"]),
            lambda c: c.update(shares="one-way tables=1"),
            lambda c: c["shares"].update({"one-way tables": "1/0"}),
            lambda c: c["shares"].update({"one-way tables": "1e999999999"}),
            lambda c: c["shares"].update({"one-way tables": "0", "similarity": "1"}),
            lambda c: c["guarantee"].update(epsilon=True),
            lambda c: c["guarantee"].update(epsilon="1"),
            lambda c: c["guarantee"].update(delta=False),
            lambda c: c["guarantee"].update(currency=["pure"]),
        ],
        2,
    ),
)
def test_a_plan_with_a_value_of_the_wrong_kind_is_refused_and_charges_nothing(workspace, change):
    with pytest.raises(PlanError):
        prepare(TABLE, BOOK, PlanFile.from_toml(edited(change)), workspace)
    assert charges(workspace) == []


@pytest.mark.parametrize("method", ["jtree", "privscbn"])
def test_tvd_is_refused_where_a_method_needs_mutual_information(method):
    with pytest.raises(PlanError, match="measures similarity by 'mi'"):
        plan_of(method=method, similarity="tvd")


@pytest.mark.parametrize(
    ("method", "shares"),
    [("privbayes", (0, 0, 0, 1)), ("privbayes", (0, 0, 1, 0)), ("hmprivbayes", (0, 0, 0.5, 0.5))],
)
def test_a_share_of_0_is_refused_where_the_method_needs_the_stage(method, shares):
    names = ("one_way_tables", "similarity", "structure", "conditional_tables")
    with pytest.raises(PlanError, match="yet the method needs it"):
        plan_of(method=method, shares=Shares.from_weights(**dict(zip(names, shares, strict=True))))


def binary(columns, rows, name="x"):
    frame = pd.DataFrame(np.random.default_rng(1).integers(2, size=(rows, columns)))
    frame.columns = [f"{name}{i}" for i in range(columns)]
    attributes = tuple(Categorical(name=c, categories=(0, 1), ordered=False) for c in frame.columns)
    fields = [{"name": a.name, "categories": [0, 1], "constraints": {"required": True}} for a in attributes]
    return frame, Codebook.from_dict({"fields": fields, "missingValues": [""]})


def test_privbayes_with_more_candidates_than_anybody_waits_for_is_refused_before_its_charge(workspace):
    frame, book = binary(400, 50)
    workspace.register(frame, name="bits", unit=Unit.parse("row"), cap_epsilon=1.0, cap_delta=0.0)
    with pytest.raises(PlanError, match="candidate tables"):
        prepare(frame, book, plan_of(method="privbayes", book=book), workspace)
    assert charges(workspace) == []


@pytest.mark.parametrize("method", [m for m in METHOD_NAMES if m != "noprivacy"])
def test_a_table_of_one_row_is_refused_before_its_charge(workspace, method):
    frame = TABLE.head(1)
    workspace.register(frame, name="one", unit=Unit.parse("row"), cap_epsilon=1.0, cap_delta=1e-9)
    with pytest.raises(PlanError, match="fewer than 2 rows"):
        prepare(frame, BOOK, plan_of(method=method), workspace)
    assert charges(workspace) == []


@pytest.mark.parametrize("name", ["x" * 256, "é" * 128, "a\0b.zip", "\ud800.zip"])
def test_a_name_that_no_disk_takes_is_refused_before_the_charge(workspace, tmp_path, name):
    commit = prepare(TABLE, BOOK, plan_of(), workspace)
    with pytest.raises(SourceError, match="none that a disk takes"):
        carry_out(commit, workspace, tmp_path / name)
    assert charges(workspace) == []


def test_a_name_of_245_bytes_and_more_is_written(workspace, tmp_path):
    """The name beside the target was longer than the target's own, and failed after the charge."""
    out = tmp_path / ("x" * 251 + ".zip")
    carry_out(prepare(TABLE, BOOK, plan_of(), workspace), workspace, out)
    assert out.is_file()


def test_releases_that_cannot_be_written_to_are_refused_before_the_charge(workspace):
    (workspace.folder / "releases").write_bytes(b"in the way")
    with pytest.raises(SourceError, match="Nothing was charged"):
        prepare(TABLE, BOOK, plan_of(), workspace)
    assert charges(workspace) == []


def test_a_full_disk_is_refused_before_the_charge(workspace, monkeypatch):
    usage = type(shutil.disk_usage("."))(10**12, 10**12, 1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(SourceError, match="nearly full"):
        prepare(TABLE, BOOK, plan_of(), workspace)


def test_a_bundle_for_a_full_disk_is_refused_before_the_charge(workspace, tmp_path, monkeypatch):
    """The disk of the workspace alone was asked: the bundle was paid for, and could not be written."""
    commit = prepare(TABLE, BOOK, plan_of(), workspace)
    there = tmp_path / "stick"
    there.mkdir()
    full = type(shutil.disk_usage("."))(10**12, 10**12, 1000)
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda at: full if at == there else real(at))
    with pytest.raises(SourceError, match=r"'stick' is nearly full.*Nothing was charged"):
        carry_out(commit, workspace, there / "b.zip")
    assert charges(workspace) == []


def test_more_synthetic_rows_than_can_be_written_are_refused(workspace):
    with pytest.raises(PlanError, match="too much for one bundle"):
        prepare(TABLE, BOOK, plan_of(rows=90_000_000), workspace, replicates=100)


def test_a_plan_that_fails_on_the_simulated_table_is_refused_with_one_sentence(workspace, monkeypatch):
    def fail(*_, **__):
        raise MemoryError("of 3 rows")

    monkeypatch.setattr(trial, "fit_source", fail)
    with pytest.raises(PlanError, match="MemoryError") as refusal:
        prepare(TABLE, BOOK, plan_of(), workspace)
    assert "of 3 rows" not in str(refusal.value)
    assert charges(workspace) == []


# Two releases to one name


def test_two_releases_to_one_name_charge_once(workspace, tmp_path, monkeypatch):
    out = tmp_path / "b.zip"
    real = release_room.fit_source
    refused = []

    def meanwhile(*arguments, **options):
        if not refused:
            with pytest.raises(SourceError, match="about to write") as refusal:
                carry_out(prepare(TABLE, BOOK, plan_of(), workspace), workspace, out)
            refused.append(refusal)
        return real(*arguments, **options)

    monkeypatch.setattr(release_room, "fit_source", meanwhile)
    carry_out(prepare(TABLE, BOOK, plan_of(), workspace), workspace, out)
    assert len(refused) == len(charges(workspace)) == 1
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["b.zip"]


def test_a_claim_ends_with_its_block_and_leaves_nothing(tmp_path):
    with claimed(tmp_path / "b.zip"):
        pass
    with claimed(tmp_path / "b.zip"):
        pass
    assert list(tmp_path.iterdir()) == []


# A private number of rows


def shares_for(n_rows, guarantee):
    return default_shares(
        "hmprivbayes", Accounting.SOUND, domain=BOOK.domain, guarantee=guarantee, n_rows=n_rows, clusters=None
    )


def test_shares_that_follow_from_a_private_number_of_rows_are_refused(tmp_path):
    guarantee = Guarantee(epsilon=1.0, neighbors=Neighbors.ADD_REMOVE)
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        TABLE,
        name="p",
        unit=Unit.parse("row"),
        cap_epsilon=9.0,
        cap_delta=1e-9,
        neighbors=Neighbors.ADD_REMOVE,
    )
    leak = shares_for(len(TABLE), guarantee)
    with pytest.raises(PlanError, match="keeps private"):
        prepare(TABLE, BOOK, PlanFile.of(Plan(guarantee=guarantee, shares=leak), BOOK), workspace)
    declared = Plan(guarantee=guarantee, shares=leak, declared_rows=len(TABLE))
    by_hand = Plan(guarantee=guarantee, shares=Shares.parse("one-way=0.5"))
    for plan in (declared, by_hand, make_plan(guarantee, BOOK.domain, n_rows=len(TABLE))):
        prepare(TABLE, BOOK, PlanFile.of(plan, BOOK), workspace)


def test_surplus_rows_of_a_person_count_for_no_share(tmp_path):
    table = people(900).assign(id=np.arange(900) // 3)
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(table, name="p", unit=Unit.parse("id:1"), cap_epsilon=9.0, cap_delta=1e-9)
    guarantee = Guarantee(epsilon=1.0)
    plan = Plan(guarantee=guarantee, shares=shares_for(900, guarantee))
    with pytest.raises(PlanError, match="keeps private"):
        prepare(table, BOOK, PlanFile.of(plan, BOOK), workspace)
    prepare(table, BOOK, PlanFile.of(replace(plan, shares=shares_for(300, guarantee)), BOOK), workspace)


# After the charge


def failing(workspace, tmp_path, monkeypatch, *, where):
    """Release with a failure at one place; give what is said."""
    commit = prepare(TABLE, BOOK, plan_of(), workspace)
    out = tmp_path / "b.zip"
    real = files_room.write_whole

    def full(path, content):
        if path.parent == tmp_path or where == "workspace":
            raise SourceError("{file!r} cannot be written; choose a folder you may write to.", file=path.name)
        real(path, content)

    def locked(*_, **__):
        raise PrivacyError("Others kept the ledger busy for {seconds:g} seconds; try again.", seconds=60)

    def stop(*_, **__):
        raise KeyboardInterrupt

    if where in ("out", "workspace"):
        monkeypatch.setattr(release_room, "write_whole", full)
    elif where == "ledger":
        monkeypatch.setattr(Workspace, "complete", locked)
        monkeypatch.setattr(Workspace, "fail", locked)
    elif where == "stopped":
        monkeypatch.setattr(release_room, "fit_source", stop)
    with pytest.raises(HmpbError) as error:
        carry_out(commit, workspace, out)
    monkeypatch.undo()
    (charge,) = charges(workspace)
    return error.value, charge


@pytest.mark.parametrize("where", ["out", "ledger"])
def test_what_was_paid_for_and_kept_says_where_it_is(workspace, tmp_path, monkeypatch, where):
    error, charge = failing(workspace, tmp_path, monkeypatch, where=where)
    assert f"entry {charge.number} of the ledger" in str(error)
    assert f"releases/{charge.release}.zip" in str(error)
    assert "do not release again" in str(error)
    assert workspace.release_path(charge).is_file()


@pytest.mark.parametrize(("where", "kind"), [("workspace", SourceError), ("stopped", CancelledError)])
def test_what_was_paid_for_and_lost_says_so(workspace, tmp_path, monkeypatch, where, kind):
    error, charge = failing(workspace, tmp_path, monkeypatch, where=where)
    assert isinstance(error, kind)
    assert f"entry {charge.number} of the ledger" in str(error)
    assert "no bundle was made" in str(error)
    assert workspace.entries()[-1].kind is Kind.FAIL


def test_a_disk_that_fills_up_in_the_middle_is_told_the_same_way(workspace, tmp_path, monkeypatch):
    commit = prepare(TABLE, BOOK, plan_of(), workspace)
    real = os.fsync
    seen = []

    def full(handle):
        seen.append(handle)
        if len(charges(workspace)):
            raise OSError(errno.ENOSPC, "no space")
        real(handle)

    monkeypatch.setattr(files_room.os, "fsync", full)
    with pytest.raises(SourceError, match=r"disk is full.*was charged"):
        carry_out(commit, workspace, tmp_path / "b.zip")
    monkeypatch.undo()
    assert not list(tmp_path.glob("*.zip"))
    assert workspace.verify() == []


def test_a_ledger_that_stays_locked_names_the_entry(workspace, tmp_path, monkeypatch):
    commit = prepare(TABLE, BOOK, plan_of(), workspace)
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    real = release_room.write_whole
    holders = []

    def lock(path, content):
        real(path, content)
        holder = sqlite3.connect(workspace.folder / "ledger.sqlite", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        holders.append(holder)

    monkeypatch.setattr(release_room, "write_whole", lock)
    with pytest.raises(PrivacyError, match=r"busy .* was charged \(entry 2"):
        carry_out(commit, workspace)
    holders[0].close()


# Any plan


def random_plan(rng, domain):
    """A plan as somebody might make it; None where it is refused at once."""
    currency = list(Currency)[rng.integers(2)]
    neighbors = list(Neighbors)[rng.integers(2)]
    method = str(rng.choice([m for m in METHOD_NAMES if m != "noprivacy"]))
    options = {
        "clusters": [None, 1, 2, 5][rng.integers(4)],
        "max_parents": [None, 1, 2, 4, 50][rng.integers(5)],
        "gamma": float(rng.choice([0.0, 1.0, -20.0, 20.0])),
        "sigma": float(rng.choice([0.5, 1e-3, 1e3])),
        "eta": float(rng.choice([0.0, 0.5, 1.0])),
        "similarity": str(rng.choice(["auto", "auto", "mic", "mi", "tvd"])),
        "n_vectors": [None, 1, 9][rng.integers(3)],
        "rows": [None, 1, 7, 3000][rng.integers(4)],
        "weights": {domain.names[0]: float(rng.choice([1e-300, 1e-3, 5.0, 1e300]))}
        if rng.random() < 0.3
        else {},
    }
    if rng.random() < 0.3:
        parts = rng.dirichlet(np.full(4, 0.4)) * (rng.random(4) < 0.8)
        if parts.sum():
            names = ("one_way_tables", "similarity", "structure", "conditional_tables")
            options["shares"] = Shares.from_weights(**dict(zip(names, map(float, parts), strict=True)))
    try:
        guarantee = Guarantee(
            epsilon=float(rng.choice([0.001, 0.01, 1.0, 10.0, 100.0])),
            delta=0.0 if currency is Currency.PURE else float(rng.choice([1e-30, 1e-9, 1e-3])),
            currency=currency,
            neighbors=neighbors,
        )
        return make_plan(guarantee, domain, n_rows=None, method=method, **options)
    except PlanError:
        return None


def random_book(rng):
    fields = []
    for i in range(int(rng.integers(1, 6))):
        size = int(rng.choice([1, 2, 3, 9, 40]))
        field = {"name": f"x{i}", "categories": [f"v{j}" for j in range(size)]}
        if rng.random() < 0.5:
            field["constraints"] = {"required": True}
        fields.append(field)
    return Codebook.from_dict({"fields": fields, "missingValues": [""]})


def random_table(rng, domain):
    rows = int(rng.choice([1, 2, 3, 20, 200]))
    columns = {}
    for attribute in domain.attributes:
        values = np.array([*attribute.categories, *([""] if attribute.nullable else [])], dtype=object)
        columns[attribute.name] = values[
            rng.choice(len(values), rows, p=rng.dirichlet(np.full(len(values), 0.3)))
        ]
    return pd.DataFrame(columns)


def test_no_plan_is_charged_and_then_fails(tmp_path):
    rng = np.random.default_rng(20)
    done = refused = 0
    while done + refused < PLANS:
        book = random_book(rng)
        plan = random_plan(rng, book.domain)
        if plan is None:
            continue
        table = random_table(rng, book.domain)
        workspace = Workspace(tmp_path / f"w{done + refused}", create=True)
        workspace.register(
            table,
            name="t",
            unit=Unit.parse("row"),
            cap_epsilon=100.0,
            cap_delta=1e-3,
            neighbors=plan.guarantee.neighbors,
        )
        try:
            commit = prepare(table, book, PlanFile.of(plan, book), workspace)
        except HmpbError:
            assert charges(workspace) == []
            refused += 1
            continue
        try:
            carry_out(commit, workspace)
        except HmpbError as error:
            raise error.__context__ or error from None  # the cause, which the steward is not shown
        done += 1
    assert done > PLANS / 3


def test_a_run_that_fails_for_its_rules_fails_before_the_charge(workspace, monkeypatch):
    """The trial on a simulated table knew no rules: what failed for them failed after it was paid for."""

    def failing(rules, *_):
        if rules.items:
            raise KeyError
        return ()

    monkeypatch.setattr(pipeline, "_followers", failing)
    rule = {"kind": "nonNegative", "column": "age"}
    book = Codebook.from_dict({**BOOK.to_dict(), "rules": [rule]})
    with pytest.raises(PlanError, match="fails on a simulated table"):
        prepare(TABLE, book, plan_of(book=book), workspace)
    assert not charges(workspace)
