"""A release from its plan to its bundle: what it writes, what it refuses, what it never tells."""

import io
import json
import re
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import (
    BudgetExceededError,
    CancelledError,
    DomainError,
    NotPrivateError,
    PlanError,
    PrivacyError,
    SourceError,
)
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.ledger import Kind, digest_of
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Origin, Provenance
from hmpb_core.publishing import release as release_room
from hmpb_core.publishing import store
from hmpb_core.publishing.bundle import read_bundle, zipped
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.publishing.release import carry_out, prepare, refuse_seed
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import declared, steward_only
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import make_plan
from tests.tables import SCHEMA, people, people_codebook

TABLE = people(600)
BOOK = people_codebook()
PURE = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)


def plan_of(guarantee=PURE, *, method="independent", book=BOOK, unit=None, **options):
    return PlanFile.of(make_plan(guarantee, book.domain, n_rows=None, method=method, **options), book, unit)


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    register(workspace)
    return workspace


def register(workspace, table=TABLE, unit="row", cap=10.0, **options):
    return workspace.register(
        table, name="people", unit=Unit.parse(unit), cap_epsilon=cap, cap_delta=1e-9, **options
    )


def released(workspace, out=None, *, table=TABLE, book=BOOK, plan=None, **options):
    commit = prepare(table, book, plan or plan_of(), workspace, **options)
    done = carry_out(commit, workspace, out, who="ada", why="for the report")
    path, charge = done.path, done.charge
    return read_bundle(path.read_bytes()), charge


def test_a_release_is_charged_written_and_noted(workspace, tmp_path):
    out = tmp_path / "people.zip"
    files, charge = released(workspace, out)
    assert [entry.kind for entry in workspace.entries()] == [Kind.REGISTER, Kind.CHARGE, Kind.COMPLETE]
    artefacts = workspace.entries()[-1].details["artefacts"]
    assert artefacts["bundle"] == digest_of(out.read_bytes())
    assert artefacts["data.csv"] == digest_of(files["data.csv"])
    assert workspace.release_path(charge).read_bytes() == out.read_bytes()


def test_the_bundle_holds_every_file_it_should(workspace):
    files, _ = released(workspace, plan=plan_of(Guarantee(epsilon=1.0), method="independent"))
    assert {
        "README.html",
        "data.csv",
        "data.parquet",
        "datapackage.json",
        "ledger-extract.json",
        "model/clusters.json",
        "model/codebook.json",
        "model/networks.graphml",
        "model/networks.json",
        "model/tables.json",
        "nist-800-226.html",
        "plan.toml",
        "privacy-statement.html",
        "privacy-statement.yaml",
        "reproduce.py",
    } <= set(files)


def test_the_charge_comes_before_the_look(workspace, monkeypatch):
    kinds = []

    def look(*_, **__):
        kinds.extend(entry.kind for entry in Workspace(workspace.folder).entries())
        raise SourceError("stop here")

    monkeypatch.setattr(release_room, "fit_source", look)
    with pytest.raises(SourceError):
        released(workspace)
    assert kinds == [Kind.REGISTER, Kind.CHARGE]
    assert workspace.entries()[-1].details["reason"] == "SourceError"
    assert workspace.datasets()[0].spent == 1


def test_the_bundle_tells_the_charge_but_neither_fingerprint_nor_what_is_left(workspace):
    files, charge = released(workspace)
    extract = json.loads(files["ledger-extract.json"])
    assert digest_of(extract["entries"][0]["body"]) == charge.digest
    assert extract["dataset"]["spent"] == 1.0
    assert "left" not in extract["dataset"]
    fingerprint = workspace.datasets()[0].fingerprint.encode()
    assert not [name for name, content in files.items() if fingerprint in content]


def test_what_is_left_is_told_when_the_steward_agrees(workspace):
    files, _ = released(workspace, show_left=True)
    assert json.loads(files["ledger-extract.json"])["dataset"]["left"] == 9.0


def test_the_same_plan_twice_gives_other_noise(workspace):
    first, second = (released(workspace)[0] for _ in range(2))
    assert first["model/tables.json"] != second["model/tables.json"]


def test_replicates_are_free_and_differ(workspace):
    files, _ = released(workspace, replicates=3)
    tables = {files[name] for name in ("data.csv", "data-2.csv", "data-3.csv")}
    assert len(tables) == 3
    assert workspace.datasets()[0].spent == 1
    assert len(json.loads(files["datapackage.json"])["resources"]) == 3


def test_no_seed_and_no_time_of_a_stage_is_in_the_bundle(workspace):
    files, _ = released(workspace)
    texts = {name: content for name, content in files.items() if not name.endswith(".parquet")}
    assert "seed" not in files["plan.toml"].decode().replace("seeds", "")
    assert not [name for name, content in texts.items() if b'"seconds"' in content]


def test_a_bundle_does_not_tell_how_long_its_run_took(workspace, monkeypatch):
    at = datetime(2020, 2, 29, 23, 59, 58, tzinfo=UTC)
    monkeypatch.setattr(store, "datetime", Mock(now=Mock(return_value=at)))  # of the charge alone
    files, _ = released(workspace)
    today = datetime.now(UTC).date().isoformat()
    assert json.loads(files["datapackage.json"])["created"] == at.isoformat()
    assert not [path for path, content in files.items() if today.encode() in content]


def test_the_plan_of_the_bundle_names_the_unit(workspace):
    files, _ = released(workspace)
    assert PlanFile.from_toml(files["plan.toml"].decode()).unit == Unit.parse("row")


# Refusals


def test_an_unregistered_table_is_refused(workspace):
    with pytest.raises(PrivacyError, match="hmpb register"):
        prepare(people(601), BOOK, plan_of(), workspace)


def test_a_domain_read_from_the_data_is_refused(workspace):
    guessed = replace(BOOK, sources={n: Provenance(origin=Origin.GUESS) for n in ("town", "age")})
    with pytest.raises(NotPrivateError, match="'age' and 1 more was read from the data"):
        prepare(TABLE, guessed, plan_of(book=guessed), workspace)


def test_a_rule_read_from_the_data_is_refused_until_somebody_declares_it(workspace):
    rule = {"kind": "nonNegative", "column": "age", "source": {"kind": "guess"}}
    guessed = Codebook.from_dict({**BOOK.to_dict(), "rules": [rule]})
    with pytest.raises(NotPrivateError, match="rule “'age' is not negative” was read from the data"):
        prepare(TABLE, guessed, plan_of(book=guessed), workspace)
    risk = {"grounds": "risk", "by": "M. Muster"}
    declared = Codebook.from_dict(
        {**BOOK.to_dict(), "rules": [{**rule, "source": {"kind": "guess", "declared": risk}}]}
    )
    with pytest.raises(PrivacyError, match="hmpb register"):  # the next thing that is asked for
        prepare(people(601), declared, plan_of(book=declared), workspace)


def test_a_plan_as_published_is_refused(workspace):
    plan = plan_of(method="hmprivbayes", accounting=Accounting.AS_PUBLISHED)
    with pytest.raises(NotPrivateError, match="to the letter, for comparison"):
        prepare(TABLE, BOOK, plan, workspace)


def test_a_plan_without_noise_is_refused(workspace):
    with pytest.raises(NotPrivateError, match="draws no noise"):
        prepare(TABLE, BOOK, plan_of(method="noprivacy"), workspace)


def test_a_seeded_run_is_refused():
    with pytest.raises(NotPrivateError, match="subtract the noise"):
        refuse_seed(0)
    refuse_seed(None)


def test_a_spent_cap_is_refused_with_what_was_asked_and_what_is_left(workspace):
    for _ in range(10):
        released(workspace)
    with pytest.raises(
        BudgetExceededError, match=r"asks for epsilon 1, but under the cap of 10 .* may cost 0\."
    ):
        prepare(TABLE, BOOK, plan_of(), workspace)


def test_a_plan_for_another_codebook_is_refused(workspace):
    other = Codebook.from_dict({**SCHEMA, "missingValues": ["", "?"]})
    with pytest.raises(PlanError, match="another codebook"):
        prepare(TABLE, other, plan_of(), workspace)


def test_a_plan_for_another_unit_is_refused(workspace):
    with pytest.raises(PlanError, match="registered with 'row'"):
        prepare(TABLE, BOOK, plan_of(unit=Unit.parse("id:3")), workspace)


def test_an_existing_file_is_never_overwritten_and_nothing_is_charged(workspace, tmp_path):
    out = tmp_path / "there.zip"
    out.write_bytes(b"mine")
    with pytest.raises(SourceError, match="there already"):
        released(workspace, out)
    assert out.read_bytes() == b"mine"
    assert workspace.datasets()[0].spent == 0


def test_a_missing_folder_is_refused_before_the_charge(workspace, tmp_path):
    with pytest.raises(SourceError, match="choose another"):
        released(workspace, tmp_path / "nowhere" / "x.zip")
    assert workspace.datasets()[0].spent == 0


def test_a_table_that_does_not_fit_is_refused_before_the_charge(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    table = TABLE.assign(town="elsewhere")
    register(workspace, table)
    with pytest.raises(SourceError, match="not among its 3 declared categories"):
        prepare(table, BOOK, plan_of(), workspace)
    assert workspace.datasets()[0].spent == 0


@pytest.mark.parametrize("replicates", [0, -1, 101])
def test_an_impossible_number_of_replicates_is_refused(workspace, replicates):
    with pytest.raises(PlanError, match="replicates"):
        prepare(TABLE, BOOK, plan_of(), workspace, replicates=replicates)


def test_a_model_that_is_not_releasable_gets_no_bundle(workspace, monkeypatch):
    real = release_room.fit_source
    monkeypatch.setattr(release_room, "fit_source", lambda *a, **k: real(*a, **k, seed=1))
    with pytest.raises(NotPrivateError, match="carries no guarantee"):
        released(workspace)
    assert workspace.entries()[-1].details["reason"] == "NotPrivateError"


def test_a_steward_only_file_stops_the_whole_bundle():
    with pytest.raises(NotPrivateError, match=r"'exact\.json'"):
        zipped({"a.txt": declared(b"a"), "exact.json": steward_only(b"{}")})


def test_stopping_a_release_leaves_it_charged(workspace):
    def stop(fraction, message):
        raise CancelledError

    commit = prepare(TABLE, BOOK, plan_of(), workspace)
    with pytest.raises(CancelledError, match=r"Another release is charged again\."):
        carry_out(commit, workspace, progress=stop)
    assert workspace.datasets()[0].spent == 1
    assert workspace.entries()[-1].details["reason"] == "CancelledError"


def test_the_writing_of_many_tables_tells_how_far_it_is_and_stops_a_rehearsal_but_no_release(workspace):
    def stopping():
        told = []

        def stop(fraction, message):
            told.append((fraction, message))
            if sum(m == "rows" for _, m in told) > 1:  # the first tells that the model is learned
                raise CancelledError

        return told, stop

    told, stop = stopping()
    commit = prepare(TABLE, BOOK, plan_of(), workspace, replicates=3)
    made = carry_out(commit, workspace, progress=stop)
    written = [fraction for fraction, message in told if message == "rows"]
    assert len(written) == 1 + 3 + 3
    assert written == sorted(written)
    assert written[-1] == pytest.approx(1.0)
    assert "data-3.csv" in made.files
    assert workspace.release_path(made.charge).is_file()
    told, stop = stopping()
    with pytest.raises(CancelledError):
        rehearse(open_source(TABLE, BOOK), BOOK, plan_of(), stand_in="a test", replicates=3, progress=stop)
    assert len(told) > 1


# Units


def test_m_rows_a_person_multiply_the_noise_by_m(tmp_path):
    table = TABLE.assign(id=np.arange(600) // 3)
    noise = {}
    for unit in ("row", "id:3"):
        workspace = Workspace(tmp_path / unit.replace(":", "-"), create=True)
        register(workspace, table, unit)
        files, _ = released(workspace, table=table)
        tables = json.loads(files["model/tables.json"])["tables"]
        noise[unit] = tables[0]["noise_sd_of_a_count"]
    assert noise["id:3"] == pytest.approx(3 * noise["row"], rel=1e-9)


def test_surplus_rows_are_dropped_and_the_id_is_not_published(tmp_path):
    table = TABLE.assign(person=[f"SENTINEL{i // 6}" for i in range(600)])
    workspace = Workspace(tmp_path / "w", create=True)
    register(workspace, table, "person:2")
    files, _ = released(workspace, table=table)
    assert len(pd.read_csv(io.BytesIO(files["data.csv"]))) == 200
    assert not [name for name, content in files.items() if b"SENTINEL" in content]


def test_a_codebook_with_the_id_column_is_refused(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    register(workspace, TABLE, "town:2")
    with pytest.raises(DomainError, match="must not be published"):
        prepare(TABLE, BOOK, plan_of(), workspace)


def test_the_number_of_rows_stays_private_under_add_remove(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    register(workspace, neighbors=Neighbors.ADD_REMOVE)
    guarantee = Guarantee(epsilon=0.05, delta=0, currency=Currency.PURE, neighbors=Neighbors.ADD_REMOVE)
    sizes = {
        len(pd.read_csv(io.BytesIO(released(workspace, plan=plan_of(guarantee))[0]["data.csv"])))
        for _ in range(6)
    }
    assert len(sizes) > 1


# Nothing private anywhere

COUNT = 1237


def sentinel_table():
    """A unique column, a unique value, a category outside the codebook, and a known exact count."""
    table = people(3001)
    table["town"] = ["east"] * COUNT + ["north"] * (len(table) - COUNT)
    table.loc[2000, "town"] = "SENTINELTOWN"
    table.loc[2001, "age"] = 987654321
    table["secret"] = "SENTINELSECRET"
    book = Codebook.from_dict(
        {
            **SCHEMA,
            "fields": [{**f, "unknown": "south"} if f["name"] == "town" else f for f in SCHEMA["fields"]],
        }
    )
    return table.astype(str), book


SENTINELS = re.compile(rb"SENTINEL|987654321|(?<![\d.])1237(?![\d.])")


def test_a_planted_sentinel_is_nowhere_in_the_bundle(tmp_path):
    table, book = sentinel_table()
    workspace = Workspace(tmp_path / "w", create=True)
    register(workspace, table)
    plan = plan_of(book=book, rows=500)
    files, _ = released(workspace, table=table, book=book, plan=plan)
    assert not [name for name, content in files.items() if SENTINELS.search(content)]
    assert not SENTINELS.search(json.dumps(workspace.export()).encode())


def test_a_planted_sentinel_is_in_no_error_and_no_repr(tmp_path, monkeypatch, caplog):
    table, book = sentinel_table()
    workspace = Workspace(tmp_path / "w", create=True)
    register(workspace, table)
    strict = people_codebook()
    said = []
    for attempt in (
        lambda: prepare(table, strict, plan_of(book=strict), workspace),
        lambda: prepare(table.iloc[1:], book, plan_of(book=book), workspace),
        lambda: prepare(table.drop(columns="town"), book, plan_of(book=book), workspace),
    ):
        with pytest.raises((SourceError, PrivacyError)) as refusal:
            attempt()
        said += [str(refusal.value), repr(refusal.value)]
        assert refusal.value.__cause__ is None
    commit = prepare(table, book, plan_of(book=book), workspace)
    said.append(repr(commit))

    def leak(*_, **__):
        raise ValueError("cannot convert 'SENTINELTOWN'")

    monkeypatch.setattr(release_room, "fit_source", leak)
    with pytest.raises(PrivacyError, match="ValueError") as refusal:
        carry_out(commit, workspace)
    said += [str(refusal.value), caplog.text, json.dumps(workspace.export())]
    assert refusal.value.__suppress_context__
    assert not [text for text in said if SENTINELS.search(text.encode())]


# Concurrency


def test_twenty_releases_at_once_on_a_cap_of_five_make_five(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    register(workspace, cap=5.0)
    commits = [prepare(TABLE, BOOK, plan_of(), workspace) for _ in range(20)]
    waited = []

    def attempt(commit):
        start = time.perf_counter()
        try:
            carry_out(commit, Workspace(workspace.folder))
        except BudgetExceededError:
            waited.append(time.perf_counter() - start)
            return 0
        return 1

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(attempt, commits)) == 5
    assert max(waited) < 5
    assert len(list((workspace.folder / "releases").glob("*.zip"))) == 5
    assert workspace.verify() == []


# The bundle afterwards


def test_rows_are_drawn_again_from_a_bundle_without_data_or_charge(workspace):
    files, _ = released(workspace)
    rows = model_of_bundle(files).sample(5000, rng=np.random.default_rng(1))
    assert len(rows) == 5000
    assert list(rows.columns) == list(BOOK.domain.names)
    first = pd.read_csv(io.BytesIO(files["data.csv"]), keep_default_na=False)
    shares = (rows["town"].value_counts(normalize=True), first["town"].value_counts(normalize=True))
    assert (shares[0] - shares[1]).abs().max() < 0.03
    assert workspace.datasets()[0].spent == 1


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04broken"])
def test_something_else_than_a_bundle_is_refused(content):
    with pytest.raises(SourceError, match="not a bundle"):
        read_bundle(content)


def test_a_changed_or_missing_file_of_a_bundle_is_found(workspace):
    _, charge = released(workspace)
    for change in ("changed", "lacks"):
        buffer = io.BytesIO()
        with (
            zipfile.ZipFile(workspace.release_path(charge)) as source,
            zipfile.ZipFile(buffer, "w") as target,
        ):
            for name in source.namelist():
                content = source.read(name)
                if name == "data.csv":
                    if change == "lacks":
                        continue
                    content += b"x"
                target.writestr(name, content)
        with pytest.raises(SourceError, match=change):
            read_bundle(buffer.getvalue())
