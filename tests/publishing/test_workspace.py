import sqlite3
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hmpb_core.errors import BudgetExceededError, DomainError, HmpbError, PlanError, PrivacyError, SourceError
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.privacy.ledger import Kind
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing import store
from hmpb_core.publishing.workspace import LEDGER_FILE, Workspace
from hmpb_core.sources.fingerprint import HashedTable
from hmpb_core.sources.people import limit_rows, require_unpublished

TABLE = pd.DataFrame({"age": ["31", "45", ""], "sex": ["F", "M", "M"]})
ROW = Unit.parse("row")
TENTH = Guarantee(epsilon=0.1, delta=0, currency=Currency.PURE)


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "w", create=True)


@pytest.fixture
def dataset(workspace):
    return workspace.register(TABLE, name="people", unit=ROW, cap_epsilon=1.0, cap_delta=1e-9)


def test_a_charge_is_on_record_before_anything_else_happens(workspace, dataset):
    charge = workspace.charge(dataset, TENTH, who="ada", why="for the report")
    entries = Workspace(workspace.folder).entries()
    assert [entry.kind for entry in entries] == [Kind.REGISTER, Kind.CHARGE]
    assert entries[1] == charge
    assert (charge.who, charge.why) == ("ada", "for the report")


def test_a_cap_of_ten_tenths_admits_exactly_ten(workspace, dataset):
    for _ in range(10):
        workspace.charge(dataset, TENTH)
    with pytest.raises(BudgetExceededError, match=r"cap of 1 .* may cost 0\."):
        workspace.charge(dataset, TENTH)
    assert workspace.datasets()[0].left == 0


def test_a_refused_charge_leaves_no_entry(workspace, dataset):
    with pytest.raises(BudgetExceededError):
        workspace.charge(dataset, Guarantee(epsilon=2.0, delta=0, currency=Currency.PURE))
    assert len(workspace.entries()) == 1


def test_a_failed_run_stays_charged(workspace, dataset):
    workspace.fail(workspace.charge(dataset, TENTH), reason="SourceError")
    found = workspace.datasets()[0]
    assert found.spent == Fraction(1, 10)
    assert workspace.entries()[-1].details["reason"] == "SourceError"


@pytest.mark.parametrize("end", ["complete", "fail"])
def test_the_digest_that_the_next_bundle_shows_does_not_tell_when_a_run_ended(workspace, dataset, end):
    """All but its random bytes and the moment can be guessed."""
    ways = {"complete": {"artefacts": {}}, "fail": {"reason": "SourceError"}}
    entries = [getattr(workspace, end)(workspace.charge(dataset, TENTH), **ways[end]) for _ in range(2)]
    salts = {entry.details["salt"] for entry in entries}
    assert len(salts) == 2
    assert {len(bytes.fromhex(salt)) for salt in salts} == {16}


def test_fifty_threads_on_a_cap_of_ten_get_ten(workspace, dataset):
    def attempt(_):
        try:
            return Workspace(workspace.folder).charge(dataset, TENTH) is not None
        except BudgetExceededError:
            return False

    with ThreadPoolExecutor(50) as pool:
        assert sum(pool.map(attempt, range(50))) == 10
    assert workspace.verify() == []


def test_a_table_is_registered_once(workspace, dataset):
    with pytest.raises(PlanError, match="registered already, as 'people'"):
        workspace.register(TABLE, name="again", unit=Unit.parse("sex:2"), cap_epsilon=9.0, cap_delta=1e-9)


def test_a_name_is_used_once(workspace, dataset):
    with pytest.raises(PlanError, match="another name"):
        workspace.register(TABLE.head(2), name="people", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)


@pytest.mark.parametrize(
    ("cap", "delta"), [(0, 0), (-1, 0), (1000, 0), (1, -1e-9), (1, 0.1), (float("nan"), 0)]
)
def test_an_impossible_cap_is_refused(workspace, cap, delta):
    with pytest.raises(PlanError, match="must lie"):
        workspace.register(TABLE, name="x", unit=ROW, cap_epsilon=cap, cap_delta=delta)


def test_an_unregistered_table_is_refused(workspace, dataset):
    with pytest.raises(PrivacyError, match="hmpb register"):
        workspace.find(TABLE.head(2))


def test_a_table_is_found_in_any_order_of_its_rows_and_columns(workspace, dataset):
    assert workspace.find(TABLE.iloc[::-1][["sex", "age"]]) == dataset


def test_a_table_is_found_as_csv_texts_and_as_typed_values(workspace, dataset):
    typed = pd.DataFrame({"age": [31.0, 45.0, None], "sex": pd.Categorical(["F", "M", "M"])})
    assert workspace.find(typed) == dataset


def test_one_changed_value_makes_another_table(workspace):
    key = b"k" * 32
    other = TABLE.copy()
    other.iloc[0, 0] = "32"
    swapped = TABLE.copy()
    swapped["sex"] = ["M", "F", "M"]  # the same values in each column, other rows
    assert len({HashedTable(t, key).fingerprint() for t in (TABLE, other, swapped)}) == 3


def test_two_workspaces_know_a_table_by_different_fingerprints(tmp_path):
    """So that a fingerprint that gets out cannot be compared with a guess."""
    found = [
        Workspace(tmp_path / name, create=True)
        .register(TABLE, name="x", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)
        .fingerprint
        for name in "ab"
    ]
    assert found[0] != found[1]


def test_the_ledger_as_values_shows_no_fingerprint(workspace, dataset):
    workspace.charge(dataset, TENTH)
    assert dataset.fingerprint not in repr(workspace.to_dict())
    assert dataset.fingerprint not in repr(dataset)


def test_the_ledger_as_values_tells_cap_spent_and_left(workspace, dataset):
    workspace.charge(dataset, TENTH)
    (told,) = workspace.to_dict()["datasets"]
    assert (told["name"], told["cap"], told["spent"], told["left"]) == ("people", 1.0, 0.1, 0.9)
    assert [entry["kind"] for entry in told["entries"]] == ["register", "charge"]


def test_a_cap_without_delta_refuses_zcdp(workspace):
    dataset = workspace.register(TABLE, name="x", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)
    with pytest.raises(BudgetExceededError, match="guarantee 'pure'"):
        workspace.charge(dataset, Guarantee(epsilon=0.1))


def test_more_zcdp_is_left_than_the_difference_of_two_epsilons(workspace, dataset):
    workspace.charge(dataset, Guarantee(epsilon=0.6))
    found = workspace.datasets()[0]
    assert float(found.left) == pytest.approx(0.4, abs=1e-6)
    assert found.left_zcdp > 0.7
    workspace.charge(dataset, Guarantee(epsilon=found.left_zcdp * (1 - 1e-9)))
    with pytest.raises(BudgetExceededError):
        workspace.charge(dataset, Guarantee(epsilon=0.01))


def test_two_neighbour_relations_are_counted_in_the_data_sets_own(workspace, dataset):
    added = Guarantee(epsilon=0.3, delta=0, currency=Currency.PURE, neighbors=Neighbors.ADD_REMOVE)
    workspace.charge(dataset, added)
    assert workspace.datasets()[0].spent == Fraction(6, 10)
    with pytest.raises(BudgetExceededError, match="counted twice"):
        workspace.charge(dataset, added)


def damage(workspace, statement):
    with sqlite3.connect(workspace.folder / LEDGER_FILE) as connection:
        connection.execute("DROP TRIGGER entries_are_never_changed")
        connection.execute("DROP TRIGGER entries_are_never_removed")
        connection.execute(statement)
    connection.close()


def test_past_entries_cannot_be_updated_or_deleted_in_passing(workspace, dataset):
    connection = sqlite3.connect(workspace.folder / LEDGER_FILE)
    for statement in ("UPDATE entries SET digest = ''", "DELETE FROM entries"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
    connection.close()


def test_a_cheaper_past_is_found_and_stops_further_charges(workspace, dataset):
    workspace.charge(dataset, TENTH)
    damage(workspace, "UPDATE entries SET body = replace(body, '1/10', '1/99') WHERE number = 2")
    assert any("Entry 2 was changed" in str(fault) for fault in workspace.verify())
    with pytest.raises(PrivacyError, match="Entry 2 was changed"):
        workspace.charge(dataset, TENTH)


def test_entries_cut_off_the_end_are_found(workspace, dataset):
    workspace.charge(dataset, TENTH)
    damage(workspace, "DELETE FROM entries WHERE number = 2")
    assert [str(fault) for fault in workspace.verify()] == ["2 entries were written, but 1 are here."]


def test_a_flipped_byte_anywhere_in_an_entry_is_found(workspace, dataset):
    workspace.charge(dataset, TENTH, why="a purpose to be found")
    path = workspace.folder / LEDGER_FILE
    content = bytearray(path.read_bytes())
    content[content.index(b"a purpose to be found")] ^= 1
    path.write_bytes(content)
    assert workspace.verify() != []


def test_a_destroyed_file_is_reported_in_one_sentence(workspace, dataset):
    (workspace.folder / LEDGER_FILE).write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(PrivacyError, match="damaged"):
        Workspace(workspace.folder)


def test_a_folder_without_a_ledger_is_no_workspace(tmp_path):
    with pytest.raises(SourceError, match="hmpb register"):
        Workspace(tmp_path)


def test_an_older_schema_is_brought_up_to_date_and_keeps_its_entries(workspace, dataset, monkeypatch):
    workspace.charge(dataset, TENTH)
    monkeypatch.setattr(store, "MIGRATIONS", (*store.MIGRATIONS, ("CREATE TABLE extra (x)",)))
    newer = Workspace(workspace.folder)
    assert newer.verify() == []
    assert newer.datasets()[0].spent == Fraction(1, 10)
    connection = sqlite3.connect(workspace.folder / LEDGER_FILE)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(store.MIGRATIONS),)
    connection.close()


def test_a_newer_schema_is_refused(workspace):
    connection = sqlite3.connect(workspace.folder / LEDGER_FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(PrivacyError, match="update the package"):
        Workspace(workspace.folder)


def test_a_migration_that_fails_changes_nothing(workspace, monkeypatch):
    monkeypatch.setattr(store, "MIGRATIONS", (*store.MIGRATIONS, ("CREATE TABLE extra (x)", "NONSENSE")))
    with pytest.raises(HmpbError):
        Workspace(workspace.folder)
    monkeypatch.undo()
    assert Workspace(workspace.folder).verify() == []


IDS = pd.DataFrame({"id": ["a", "b", "a", "a", "c", " a "], "x": range(6)})


def test_nobody_keeps_more_rows_than_the_unit_allows():
    kept = limit_rows(IDS, Unit.parse("id:2"), np.random.default_rng(1))
    counts = kept["id"].str.strip().value_counts()
    assert counts.to_dict() == {"a": 2, "b": 1, "c": 1}


def test_every_surplus_row_has_the_same_chance_to_stay():
    rng = np.random.default_rng(1)
    unit = Unit.parse("id:1")
    stayed = np.zeros(6)
    for _ in range(500):
        stayed[limit_rows(IDS, unit, rng)["x"]] += 1
    assert stayed[[1, 4]].tolist() == [500, 500]
    assert np.abs(stayed[[0, 2, 3, 5]] - 125).max() < 5 * np.sqrt(500 * 0.25 * 0.75)


def test_one_row_a_person_leaves_the_table_as_it_is():
    assert limit_rows(IDS, ROW, np.random.default_rng(1)) is IDS


def test_a_row_without_an_id_is_refused():
    with pytest.raises(SourceError, match="nobody knows whose"):
        limit_rows(pd.DataFrame({"id": ["a", ""]}), Unit.parse("id:1"), np.random.default_rng(1))
    with pytest.raises(SourceError, match="nobody knows whose"):
        limit_rows(pd.DataFrame({"id": ["a", None]}), Unit.parse("id:1"), np.random.default_rng(1))


def test_a_table_without_its_id_column_is_refused():
    with pytest.raises(SourceError, match="lacks the id column"):
        limit_rows(TABLE, Unit.parse("id:1"), np.random.default_rng(1))


def test_the_id_column_is_never_published():
    from hmpb_core.domain import Categorical, Domain

    domain = Domain((Categorical(name="id", categories=("a", "b")),))
    with pytest.raises(DomainError, match="must not be published"):
        require_unpublished(Unit.parse("id:2"), domain)
    require_unpublished(ROW, domain)


def test_the_newest_entries_come_oldest_first(workspace, dataset):
    for _ in range(3):
        workspace.charge(dataset, TENTH)
    assert [entry.number for entry in workspace.entries(newest=2)] == [3, 4]
    assert [entry.number for entry in workspace.entries(dataset, newest=3)] == [2, 3, 4]
