"""The estimator: scikit-learn's manner, fitted values in attributes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from hmpb_core import Codebook, HMPrivBayes, draft_codebook, read_table
from hmpb_core.cli import main
from hmpb_core.errors import InputError, PlanError, SourceError
from hmpb_core.planning.options import option
from tests.tables import SCHEMA, people


def test_fit_leaves_similarity_clusters_networks_weights_and_bill() -> None:
    model = HMPrivBayes(epsilon=1.0, delta=1e-9, n_clusters=3).fit(people(), SCHEMA)
    names = set(people().columns)
    assert model.similarity_ is not None
    assert model.similarity_.shape == (5, 5)
    assert {name for cluster in model.clusters_ for name in cluster} == names
    assert {family["child"] for network in model.networks_ for family in network} == names
    assert set(model.weights_) == names
    assert model.bill_.total == pytest.approx(1.0)
    assert model.sample(1000).shape == (1000, 5)


@pytest.mark.parametrize("kind", ["dict", "object", "path"])
def test_a_codebook_comes_as_a_schema_an_object_or_a_path(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "cb.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    codebook = {"dict": SCHEMA, "object": Codebook.from_dict(SCHEMA), "path": path}[kind]
    assert len(HMPrivBayes(method="independent").fit(people(200), codebook).sample()) == 200


def test_sampling_before_fitting_is_refused() -> None:
    with pytest.raises(PlanError, match="call fit"):
        HMPrivBayes().sample(10)


def test_sampling_is_free_and_may_be_repeated() -> None:
    model = HMPrivBayes(epsilon=1.0, method="independent").fit(people(), SCHEMA)
    spent = model.bill_.total
    first = model.sample(50, rng=np.random.default_rng(1))
    second = model.sample(50, rng=np.random.default_rng(1))
    assert first.equals(second)
    assert model.bill_.total == spent


def test_fit_and_sample_in_one_call_are_those_in_two() -> None:
    at_once = HMPrivBayes(method="independent", seed=3).fit_sample(people(200), SCHEMA)
    assert at_once.equals(HMPrivBayes(method="independent", seed=3).fit(people(200), SCHEMA).sample())


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"epsilon": -1}, "epsilon is -1"),
        ({"guarantee": "rdp"}, "guarantee is 'rdp'"),
        ({"epsilon": "1"}, "epsilon is .1.; it must be a number"),
        ({"epsilon": None}, "epsilon is None"),
        ({"neighbors": "both"}, "neighbors is 'both'"),
        ({"method": "gan"}, "method is 'gan'"),
        ({"guarantee": "pure", "delta": 1e-9}, "delta"),
    ],
)
def test_a_wrong_parameter_is_named(parameters: dict[str, object], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        HMPrivBayes(**parameters).fit(people(100), SCHEMA)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "table", ["people.csv", people(9).to_numpy(), {"age": [1]}, [{"age": 1}], people(9).age, None]
)
def test_what_is_no_table_is_named_by_its_type_and_no_value_of_it_is_told(table: object) -> None:
    with pytest.raises(SourceError) as met:
        HMPrivBayes(method="independent").fit(table, SCHEMA)  # type: ignore[arg-type]
    assert str(met.value) == (
        f"The table is of the type {type(table).__name__}; give a pandas DataFrame, such as read_table makes "
        "of a file."
    )


def test_a_table_without_rows_or_with_two_levels_of_names_is_refused_as_such() -> None:
    with pytest.raises(SourceError, match="The table has no rows"):
        HMPrivBayes().fit(people(9).iloc[:0], SCHEMA)
    levels = pd.MultiIndex.from_tuples([(name, "x") for name in people(9)])
    with pytest.raises(SourceError, match="have 2 levels; give each column one name"):
        HMPrivBayes().fit(people(9).set_axis(levels, axis=1), SCHEMA)


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series([[1, 2], None] * 50),
        pd.Series([*["tea"] * 99, {"a": 1}]),
        pd.Series([*[1] * 99, np.array([1, 2])], dtype=object),
        pd.Series([["tea", "milk"], []] * 50, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    ],
    ids=["lists", "a group", "an array", "lists of Arrow"],
)
def test_cells_that_hold_lists_are_refused_where_the_column_is_used_and_no_value_is_told(
    cells: pd.Series,
) -> None:
    table = people(100).assign(drinks=cells)
    field = {"name": "drinks", "type": "string", "constraints": {"enum": ["tea", "milk"]}}
    words = "column 'drinks' holds lists or groups of values; .* one value a cell. Join each to one text"
    for rules in (False, True):
        with pytest.raises(SourceError, match=words):
            draft_codebook(table, guess=True, rules=rules)
    with pytest.raises(SourceError, match=words):
        HMPrivBayes(method="independent").fit(table, {**SCHEMA, "fields": [*SCHEMA["fields"], field]})
    assert len(draft_codebook(table)["fields"]) == 6
    assert len(HMPrivBayes(method="independent").fit(table, SCHEMA).sample(5)) == 5


def test_columns_that_numbers_name_are_those_of_the_codebook_that_are_written_so() -> None:
    codebook = {"fields": [{"name": str(n), "categories": ["no", "yes"]} for n in range(2)]}
    table = pd.DataFrame([["no", "yes"], ["yes", "no"]] * 50)
    assert list(HMPrivBayes(method="independent").fit(table, codebook).sample(5)) == ["0", "1"]
    assert list(table) == [0, 1]


def test_an_ordered_column_of_pandas_keeps_its_order_in_a_guess() -> None:
    drawn = pd.Series(["low", "mid", "high", "mid"] * 20)
    table = pd.DataFrame(
        {
            "pain": pd.Categorical(drawn, ["low", "mid", "high", "worst"], ordered=True),
            "town": pd.Categorical(drawn, ["low", "mid", "high"]),
        }
    )
    pain, town = draft_codebook(table, guess=True)["fields"]
    assert (pain["categories"], pain["categoriesOrdered"]) == (["low", "mid", "high"], True)
    assert (town["categories"], town["categoriesOrdered"]) == (["high", "low", "mid"], False)
    assert "levels" not in pain


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((SCHEMA["fields"],), "The codebook is of the type list; give a dictionary with a list of 'fields'"),
        ((people(9),), "The codebook is of the type DataFrame"),
        ((None,), "There is no codebook; give one as well"),
        ((), "There is no codebook; give one as well"),
    ],
)
def test_what_is_no_codebook_is_refused_with_what_would_be_one(given: tuple[object, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        HMPrivBayes(method="independent").fit(people(9), *given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seed", "words"),
    [("x", "of the type str"), (2.5, "of the type float"), (True, "of the type bool"), (-1, "seed is -1")],
)
def test_a_seed_is_a_whole_number_from_0(seed: object, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        HMPrivBayes(method="independent", seed=seed).fit(people(9), SCHEMA)  # type: ignore[arg-type]


def test_what_is_drawn_is_asked_for_in_whole_numbers_and_with_a_generator() -> None:
    model = HMPrivBayes(method="independent").fit(people(100), SCHEMA)
    for wrong in ("3", 2.5, True, people(9)):
        words = f"of the type {type(wrong).__name__}; ask for a whole number"
        with pytest.raises(PlanError, match=words):
            model.sample(wrong)  # type: ignore[arg-type]
        with pytest.raises(PlanError, match=words):
            model.replicates(wrong)  # type: ignore[arg-type]
        with pytest.raises(PlanError, match=words):
            model.replicates(2, wrong)  # type: ignore[arg-type]
    for draw in (model.sample, model.replicates):
        with pytest.raises(PlanError, match="rng is of the type int; give a generator"):
            draw(2, rng=3)  # type: ignore[operator]
    with pytest.raises(PlanError, match=r"rows is -1; ask for at least 1\."):
        model.sample(-1)


@pytest.mark.parametrize("absurd", [10**8 + 1, 10**30, 10**5000], ids=["too many", "absurd", "not printable"])
def test_more_rows_than_can_be_drawn_at_once_are_refused_in_one_sentence(absurd: int) -> None:
    facade = HMPrivBayes(method="independent").fit(people(100), SCHEMA)
    model, rng = facade.model_, np.random.default_rng(1)
    for draw in (
        lambda: facade.sample(absurd),
        lambda: facade.replicates(2, absurd),
        lambda: model.sample(absurd, rng=rng),
        lambda: model.sample_codes(absurd, rng=rng),
    ):
        with pytest.raises(
            PlanError, match=r"^So many rows cannot be drawn at once; ask for 1 to 100,000,000\.$"
        ):
            draw()


def test_shares_of_a_wrong_type_are_refused() -> None:
    with pytest.raises(PlanError, match="The shares are of the type float"):
        HMPrivBayes(shares=0.5).fit(people(9), SCHEMA)  # type: ignore[arg-type]


def test_numbers_of_numpy_do_where_numbers_of_python_do() -> None:
    model = HMPrivBayes(
        epsilon=np.float64(1),
        n_clusters=np.int64(2),  # type: ignore[arg-type]
        max_parents=np.int8(1),  # type: ignore[arg-type]
        rows_per_person=np.int32(1),  # type: ignore[arg-type]
        seed=np.uint16(5),  # type: ignore[arg-type]
    ).fit(people(200), SCHEMA)
    assert len(model.sample(np.int64(7))) == 7  # type: ignore[arg-type]
    assert [len(table) for table in model.replicates(np.int64(2), np.int64(9))] == [9, 9]  # type: ignore[arg-type]


def test_rows_come_back_with_the_types_that_the_docstring_of_sample_tells() -> None:
    days = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    codebook = {
        "fields": [
            {"name": "kind", "categories": ["no", "yes"]},
            {"name": "day", "type": "date", "constraints": days},
            {
                "name": "time",
                "type": "datetime",
                "constraints": {k: f"{v}T00:00:00" for k, v in days.items()},
            },
            {"name": "count", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}},
            {"name": "size", "type": "number", "constraints": {"minimum": 0, "maximum": 9}},
            {"name": "holds", "type": "boolean"},
        ]
    }
    table = pd.DataFrame(
        {
            "kind": pd.Categorical(["no", "yes"] * 50),
            "day": pd.Timestamp("2020-02-01"),
            "time": pd.Timestamp("2020-02-01", tz="UTC"),
            "count": 3,
            "size": 0.5,
            "holds": [True, False] * 50,
        }
    )
    rows = HMPrivBayes(method="independent").fit(table, codebook).sample(20)
    texts = rows[["kind", "day", "time"]]
    assert all(isinstance(value, str) or pd.isna(value) for value in texts.to_numpy().ravel())
    assert rows.time.dropna().str.fullmatch(r"2020-\d\d-\d\dT\d\d:\d\d:\d\d").all()
    told = HMPrivBayes.sample.__doc__ or ""
    for name, dtype in {"count": "Int64", "size": "Float64", "holds": "boolean"}.items():
        assert str(rows[name].dtype) == dtype
        assert f"``{dtype}``" in told


def test_with_a_seed_every_draw_repeats_and_with_a_generator_it_does_not() -> None:
    model = HMPrivBayes(method="independent", seed=1).fit(people(200), SCHEMA)
    assert model.sample(50).equals(model.sample(50))
    rng = np.random.default_rng(1)
    assert not model.sample(50, rng=rng).equals(model.sample(50, rng=rng))
    assert "every draw gives the same rows" in (HMPrivBayes.sample.__doc__ or "")


def test_the_docstring_of_the_estimator_names_every_learner() -> None:
    entry = option("learner")
    assert [name for name in entry.choices if f"``{name}``" not in (HMPrivBayes.__doc__ or "")] == []


def test_scikit_learn_clones_an_estimator_and_sets_its_parameters() -> None:
    from sklearn.base import clone

    fitted = HMPrivBayes(epsilon=2.0, method="independent", shares="one-way tables=1").fit(
        people(200), SCHEMA
    )
    again = clone(fitted)
    assert again == fitted
    assert not hasattr(again, "model_")
    assert again.set_params(epsilon=0.5, seed=3) is again
    assert (again.epsilon, again.get_params()["seed"]) == (0.5, 3)
    with pytest.raises(PlanError, match="no parameter 'epsilom'"):
        again.set_params(epsilom=1.0)


def test_a_frame_is_drafted_as_its_file_is_by_the_command(tmp_path: Path) -> None:
    table = people(400).assign(twice=lambda rows: 2 * rows.age, patient=range(400))
    file, out = tmp_path / "people.csv", tmp_path / "book.json"
    table.to_csv(file, index=False)
    for options, given in (((), {}), (("--guess", "--rules"), {"guess": True, "rules": True})):
        assert main(["codebook", str(file), *options, "-o", str(out)]) == 0
        by_command = json.loads(out.read_text(encoding="utf-8"))
        drafted = draft_codebook(read_table(file), **given)
        assert drafted == {key: by_command[key] for key in by_command if key != "reading"}
    assert [rule["kind"] for rule in drafted["rules"]] == ["computed"]
    assert set(HMPrivBayes(method="independent").fit(table, drafted).sample(5)) == {*table} - {"patient"}


def test_rules_are_not_read_off_rows_of_which_nothing_else_may_be() -> None:
    with pytest.raises(InputError, match="give guess=True as well"):
        draft_codebook(people(50), rules=True)
    assert "rules" not in draft_codebook(people(50), guess=True)
    with pytest.raises(SourceError, match="give a pandas DataFrame"):
        draft_codebook("people.csv")  # type: ignore[arg-type]
