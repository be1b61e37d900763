"""``hmpb anonymize`` from the command line."""

import json

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main

FIELDS = [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": True}},
    {"name": "sex", "type": "string", "categories": ["f", "m"], "constraints": {"required": True}},
    {"name": "job", "type": "string", "categories": ["=a", "b", "c"], "constraints": {"required": True}},
]


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, 50),
            "sex": rng.choice(["f", "m"], 50),
            "job": rng.choice(["=a", "b", "c"], 50),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps({"fields": FIELDS}))
    return tmp_path


def call(folder, *more, k="5", p="2", out="out"):
    command = ["anonymize", str(folder / "t.csv"), "--codebook", str(folder / "cb.json"), "--k", k, "--p", p]
    return main([*command, "--sensitive", "job", "--quasi", "age,sex", "--out", str(folder / out), *more])


@pytest.mark.parametrize("method", ["maasae", "maa-minil", "gpkc"])
def test_a_table_and_its_account_are_written(files, capsys, method):
    assert call(files, "--method", method, "--seed", "1") == 0
    table = pd.read_csv(files / "out" / "data.csv")
    assert table.groupby(["age", "sex"]).size().min() >= 5
    assert table.groupby(["age", "sex"])["job"].nunique().min() >= 2
    account = json.loads((files / "out" / "run.json").read_text())
    assert {"avg_il", "avg_ent", "c_avg", "classes", "seconds"} <= set(account)
    assert account["method"] == method
    assert account["zone"] == "steward-only", "as on the page Anonymize"
    said = capsys.readouterr().err
    assert "not differential privacy" in said
    assert "run.json, compare it with the real rows: keep them inside" in said


def test_the_account_never_carries_a_privacy_loss(files, capsys):
    call(files)
    said = "".join(capsys.readouterr()).replace(str(files), "") + (files / "out" / "run.json").read_text()
    assert "epsilon" not in said
    assert json.loads((files / "out" / "run.json").read_text())["differentially_private"] is False


def test_formulas_are_neutralised(files):
    call(files)
    assert "'=a" in (files / "out" / "data.csv").read_text()


def test_a_seed_repeats_the_file(files):
    for out in ("one", "two"):
        call(files, "--seed", "3", out=out)
    assert (files / "one" / "data.csv").read_bytes() == (files / "two" / "data.csv").read_bytes()


@pytest.mark.parametrize(("k", "p"), [("1", "1"), ("3", "4"), ("60", "2"), ("9", "7")])
def test_impossible_k_and_p_are_refused_and_nothing_is_written(files, capsys, k, p):
    assert call(files, k=k, p=p) == 2
    assert "lower" in capsys.readouterr().err
    assert not (files / "out").exists()


def test_an_unknown_attribute_is_refused(files, capsys):
    assert call(files, "--sensitive", "salary") == 2
    assert "is not in the codebook" in capsys.readouterr().err
