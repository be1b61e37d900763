"""The estimator: scikit-learn's manner, fitted values in attributes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hmpb_core import Codebook, HMPrivBayes
from hmpb_core.errors import PlanError
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
