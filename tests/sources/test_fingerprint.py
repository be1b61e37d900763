"""One table has one fingerprint, however it is written down; a near copy is told."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.errors import PlanError
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing import workspace as workspace_room
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.files import read_table
from hmpb_core.sources.fingerprint import HashedTable, canonical, legacy_fingerprint
from hmpb_core.sources.locations import open_table
from tests.tables import people

KEY = b"k" * 32
ROW = Unit.parse("row")
MICROSECONDS = pd.to_datetime(
    ["2024-03-01 10:20:30.120000", "2024-03-02 00:00:00.000001", "1999-01-01"], format="mixed"
)
ZONES = pd.to_datetime(["2024-03-01 10:20", "2024-07-01 10:20", "1999-01-01 00:00"])
COLUMNS = {
    "whole": [1, 2, 3],
    "whole as floats": [1.0, 2.0, 3.0],
    "floats": [0.1, 2.5, 1 / 3],
    "large floats": [1e20, 1.5e300, 2.0**63],
    "above 2^53": np.array([2**53 + 1, 2**60 + 1, 5]),
    "zeros": [0.0, -0.0, 1.0],
    "narrow floats": np.array([0.1, 2.5, 3.0], dtype="float32"),
    "truth": [True, False, True],
    "days": [dt.date(2024, 3, 1), dt.date(1960, 12, 31), dt.date(2024, 2, 29)],
    "moments": pd.to_datetime(["2024-03-01 10:20:30", "2024-03-02 00:00:00", "1999-01-01 01:02:03"]),
    "midnights": pd.to_datetime(["2024-03-01", "2024-03-02", "1999-01-01"]),
    "microseconds": MICROSECONDS,
    "zones": ZONES.tz_localize("Europe/Berlin"),
    "decimals": [Decimal("1.10"), Decimal("2.00"), Decimal("3.5")],
    "texts": ["a", " b ", "NA?"],
    "missing": pd.array([1, None, 3], dtype="Int64"),
    "kinds": pd.Categorical(["x", "y", "x"]),
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_csv_and_parquet_of_one_table_have_one_fingerprint(tmp_path, name):
    frame = pd.DataFrame({"x": COLUMNS[name], "id": ["p", "q", "r"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    prints = {HashedTable(read_table(tmp_path / f"t.{end}"), KEY).fingerprint() for end in ("csv", "parquet")}
    assert len(prints) == 1


def test_a_csv_table_cannot_be_registered_again_as_parquet(tmp_path):
    frame = pd.DataFrame({name: COLUMNS[name] for name in ("whole as floats", "moments", "truth")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(read_table(tmp_path / "t.csv"), name="a", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)
    with pytest.raises(PlanError, match="registered already, as 'a'"):
        workspace.register(
            read_table(tmp_path / "t.parquet"), name="b", unit=ROW, cap_epsilon=1.0, cap_delta=0.0
        )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.0", 1), ("1e3", 1000), (" 7", 7), ("TRUE", True), ("-0", 0.0), ("NaN", None), ("+5", 5),
        ("2024-03-01T00:00:00", dt.date(2024, 3, 1)), ("2024-03-01 12:00:00+02:00", "2024-03-01 10:00:00Z"),
    ],
)  # fmt: skip
def test_spellings_of_one_value_have_one_text(one, other):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "10"), (2**53, 2**53 + 1), ("0.1", "0.10000000000000001"), ("a", "A"), ("1", "-1"), ("10", "0.1"),
     ("2024-03-01", "2024-03-02"), ("2024-03-01 10:00", "2024-03-01 10:00Z"), ("true", "1")],
)  # fmt: skip
def test_values_that_differ_have_two_texts(one, other):
    assert canonical(one) != canonical(other)


@given(
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=80) | st.booleans()
)
def test_any_value_and_its_text_in_a_file_are_one(value):
    assert canonical(value) == canonical(str(value))


@given(st.integers(), st.integers())
def test_integers_share_a_text_only_where_they_are_equal(one, other):
    assert (canonical(one) == canonical(other)) == (one == other)


def test_a_table_that_an_older_version_registered_is_still_found(tmp_path, monkeypatch):
    frame = pd.DataFrame({"x": ["1.0", "2.0"]})
    monkeypatch.setattr(
        workspace_room, "names_of", lambda table, key: iter([legacy_fingerprint(table.frame, key)])
    )
    workspace = Workspace(tmp_path / "w", create=True)
    dataset = workspace.register(frame, name="old", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)
    monkeypatch.undo()
    assert HashedTable(frame, KEY).fingerprint() != legacy_fingerprint(frame, KEY)
    assert Workspace(workspace.folder).find(frame) == dataset
    with pytest.raises(PlanError, match="registered already"):
        workspace.register(frame, name="new", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)


# Near copies

TABLE = people(1000)


def near(tmp_path, other):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE, name="people", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)
    return [dataset.name for dataset in workspace.near_copies(other)]


def one_cell_changed():
    other = TABLE.copy()
    other.loc[3, "age"] = 79 - other.loc[3, "age"]
    return other


@pytest.mark.parametrize(
    "other",
    [
        TABLE.assign(new=range(len(TABLE))),
        one_cell_changed(),
        TABLE.iloc[1:],
        TABLE.drop(columns="age"),
        TABLE.drop(columns=["age", "town"]).assign(new=1),
        one_cell_changed().astype(str).assign(new="x").iloc[::-1],
        pd.concat([TABLE, people(100, seed=9)]),
        TABLE.rename(columns=lambda name: f"{name}2"),
    ],
    ids=[
        "column added",
        "one cell",
        "one row less",
        "column dropped",
        "two dropped",
        "all at once",
        "rows added",
        "columns renamed",
    ],
)
def test_a_near_copy_of_a_registered_table_is_told(tmp_path, other):
    assert near(tmp_path, other) == ["people"]


@pytest.mark.parametrize(
    "other", [people(1000, seed=8), people(40, seed=9), pd.DataFrame({"z": range(50)}), TABLE]
)
def test_other_people_of_the_same_kind_and_the_table_itself_are_no_near_copy(tmp_path, other):
    assert near(tmp_path, other) == []


def test_a_near_copy_is_on_record_and_its_sketch_is_in_no_export(tmp_path):
    near(tmp_path, TABLE)
    workspace = Workspace(tmp_path / "w")
    second = workspace.register(one_cell_changed(), name="again", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)
    entry = workspace.entries()[-1]
    assert entry.details["near"] == [workspace.datasets()[0].id]
    assert second.name == "again"
    assert "'near'" not in str(workspace.to_dict()), "what the app hands out is no account of the rows"
    assert "rows" not in str(workspace.export()).replace("'rows': 1", "").replace('"rows":1', "")


ENGINES = [("duckdb", "duckdb"), ("memory", "duckdb"), ("duckdb", "memory")]


@pytest.fixture
def written(tmp_path):
    """Writes a table to Parquet and opens it in memory or in DuckDB."""

    def write(frame, engine):
        path = tmp_path / f"{len(list(tmp_path.glob('*.parquet')))}.parquet"
        frame.to_parquet(path, index=False)
        return open_table(str(path), engine=engine).table

    return write


@pytest.mark.parametrize(("first", "second"), ENGINES)
def test_a_near_copy_is_met_where_either_table_stays_in_an_engine(tmp_path, written, first, second):
    workspace = Workspace(tmp_path / "w", create=True)
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"a": rng.integers(0, 10**6, 6000), "b": rng.choice(["x", "y"], 6000)})
    near = workspace.register(written(table, first), name="t", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)

    def met(frame):
        return [dataset.id for dataset in workspace.near_copies(written(frame, second))]

    changed = table.assign(a=table["a"].where(rng.random(6000) < 0.85, 0))
    assert met(changed.sample(frac=1, random_state=1)) == [near.id]
    assert met(table.assign(c=range(6000))) == [near.id]
    assert met(pd.concat([table, table.sample(1000, random_state=2)])) == [near.id]
    assert met(table.assign(a=rng.integers(0, 10**6, 6000))) == []
    assert met(table.assign(a=table["a"].where(rng.random(6000) < 0.5, -1))) == []
    assert met(table) == []  # it is that table


def test_tables_of_few_values_are_not_taken_for_near_copies(tmp_path, written):
    workspace = Workspace(tmp_path / "w", create=True)
    rng = np.random.default_rng(3)
    few = [pd.DataFrame({"a": rng.integers(0, 3, 4000), "b": rng.integers(0, 3, 4000)}) for _ in range(2)]
    workspace.register(written(few[0], "duckdb"), name="t", unit=ROW, cap_epsilon=1.0, cap_delta=0.0)
    assert workspace.near_copies(written(few[1], "duckdb")) == []
