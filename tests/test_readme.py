"""What the README shows is run as it stands there."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
RESULTS = (Path(__file__).resolve().parents[1] / "docs" / "results.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line, comments=True)[1:] for line in README.splitlines() if re.match(r"hmpb (?!app)", line)
]
CODEBOOK = {
    "fields": [
        {
            "name": "age",
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 99, "required": True},
            "bins": 8,
        },
        {"name": "sex", "type": "string", "categories": ["f", "m"], "constraints": {"required": True}},
        {"name": "smokes", "type": "string", "categories": ["no", "yes"], "constraints": {"required": True}},
        {
            "name": "region",
            "type": "string",
            "categories": ["n", "s", "w"],
            "constraints": {"required": True},
        },
    ]
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with the README's table in it."""
    rng = np.random.default_rng(20)
    sex = rng.choice(["f", "m"], 2000)
    people = pd.DataFrame(
        {
            "age": rng.integers(0, 100, 2000),
            "sex": sex,
            "smokes": np.where((sex == "m") & (rng.random(2000) < 0.5), "yes", "no"),
            "region": rng.choice(["n", "s", "w"], 2000),
        }
    )
    people.to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_python_example_runs(folder):
    (folder / "people.codebook.json").write_text(json.dumps(CODEBOOK))
    [example] = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    synthetic = names["synthetic"]
    assert list(synthetic.columns) == ["age", "sex", "smokes", "region"]
    assert len(synthetic) == 1000
    for learned in ("similarity_", "clusters_", "networks_", "weights_", "bill_"):
        assert getattr(names["model"], learned) is not None


def test_its_figures_are_those_of_the_results():
    section = RESULTS.split("### Adult, 45,222 x 15")[1].split("### Big5")[0]
    tables = {
        title: {cells[1].strip(): cells[-2].strip() for cells in (line.split("|") for line in lines)}
        for title, lines in (
            (title, re.findall(r"^\|.*\|$", section.split(f"**{title}**")[1].split("**")[0], flags=re.M))
            for title in ("AVD2", "SVM error, tested on real rows")
        )
    }
    ours, noiseless = "HMPrivBayes, sound, zcdp, add-remove", "no privacy (no noise, no protection)"
    assert f"off by 0{tables['AVD2'][ours]} on average" in README
    errors = tables["SVM error, tested on real rows"]
    assert f"errs on {100 * float(errors[ours]):.1f} % of real rows" in README
    assert f"({100 * float(errors[noiseless]):.1f} % after the same learner without noise)" in README


def test_the_commands_run(folder):
    assert [arguments[0] for arguments in COMMANDS] == [
        *("codebook", "bill", "synthesize", "evaluate"),
        *("codebook", "register", "survey", "plan", "rehearse", "release", "ledger", "resample"),
    ]
    for arguments in COMMANDS:
        assert main(arguments) == 0, arguments
    assert (folder / "release" / "data.csv").is_file()
    assert (folder / "release" / "run.json").is_file()
    for made in ("people.zip", "rehearsal.zip", "more.csv"):
        assert (folder / made).is_file()
