"""minepy's MIC of real and synthetic values side by side."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import PlanError
from hmpb_core.metrics import mic

BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 10}},
            {"name": "y", "type": "number", "constraints": {"minimum": 0, "maximum": 100}},
            {"name": "z", "type": "string", "constraints": {"enum": ["a", "b", "c"]}},
        ]
    }
)


def table(rng, related):
    x = rng.uniform(0, 10, 400)
    y = x**2 if related else rng.uniform(0, 100, 400)
    return pd.DataFrame({"x": x, "y": y, "z": rng.choice(list("abc"), 400)})


def test_mic_of_values_stands_side_by_side():
    pytest.importorskip("minepy")
    rng = np.random.default_rng(3)
    pairs = [("x", "y"), ("x", "z")]
    found = mic.exact_mics(table(rng, True), table(rng, False), BOOK, pairs, rng=rng)
    assert found[0].real == pytest.approx(1.0)
    assert found[0].synthetic < 0.4
    assert found[1].real < 0.4
    assert [(f.first, f.second) for f in found] == pairs


def test_a_column_of_one_value_has_no_mic():
    pytest.importorskip("minepy")
    rng = np.random.default_rng(4)
    flat = table(rng, True).assign(y=5.0)
    assert mic.exact_mics(flat, table(rng, True), BOOK, [("x", "y")], rng=rng)[0].real is None


def test_without_the_extra_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(mic, "minepy_is_here", lambda: False)
    rng = np.random.default_rng(5)
    with pytest.raises(PlanError, match=r"hmpb\[mic\]"):
        mic.exact_mics(table(rng, True), table(rng, True), BOOK, [("x", "y")], rng=rng)
