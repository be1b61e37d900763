"""``hmpb bench``: experiments run on a few cells, are taken up where they stopped, say what they found."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.errors import CancelledError, Sentence
from hmpb_core.experiments import machine, runner, runs, scale, speed, writing
from hmpb_core.experiments.base import Chart, Experiment
from hmpb_core.experiments.fig4 import _filled
from hmpb_core.experiments.registry import EXPERIMENTS
from tests.datasets import data_folder
from tests.thorough import THOROUGH, sample

DATA = data_folder()
needs_data = pytest.mark.skipif(not (DATA / "adult_train.csv").exists(), reason="the data sets are not here")


def counting(done: list[int]) -> Experiment:
    """Measures the square of a number, and remembers which."""

    def measure(cell, folder, progress):
        done.append(cell["x"])
        if cell["x"] == 3 and len(done) < 5:
            raise KeyboardInterrupt
        return {"square": cell["x"] ** 2}

    return Experiment(
        name="squares",
        title=Sentence("Squares"),
        place="nowhere",
        study="squares",
        needs=("adult",),
        cells=lambda quick: [{"x": x} for x in range(2 if quick else 5)],
        measure=measure,
        table=lambda frame: frame,
        charts=lambda _: [
            Chart(
                title=Sentence("<i>"),
                x=Sentence("x"),
                y=Sentence("x^2"),
                lines={"all": [(1.0, 1.0), (2.0, 4.0)]},
            )
        ],
        reported=(Sentence("They grow."),),
        differs=lambda _: (Sentence("They do not."),),
        sized=lambda rows: [{"x": x} for x in rows],
    )


def test_a_stopped_run_is_taken_up_and_nothing_is_measured_twice(tmp_path):
    done: list[int] = []
    experiment = counting(done)
    with pytest.raises(KeyboardInterrupt):
        runner.run(experiment, tmp_path, tmp_path, workers=1)
    assert done == [0, 1, 2, 3]
    with (tmp_path / "squares.jsonl").open("a") as file:
        file.write('\n{"cell": {"x": 4}, "ro')  # the line it was at
    told: list[float] = []
    frame = runner.run(experiment, tmp_path, tmp_path, workers=1, progress=lambda part, _: told.append(part))
    assert done == [0, 1, 2, 3, 3, 4]
    assert frame["square"].tolist() == [0, 1, 4, 9, 16]
    assert told == [0.5, 1.0]
    assert len(runner.read_cells(tmp_path / "squares.jsonl")) == 5


def test_the_results_stand_in_parquet_and_html_and_beside_the_papers_words(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "BROWSERS", ())
    experiment = counting([])
    frame = runner.run(experiment, tmp_path, tmp_path, workers=1, quick=True)
    written = writing.write_results(experiment, frame, tmp_path, cells=5)
    assert [path.suffix for path in written] == [".parquet", ".md", ".html"]
    assert pd.read_parquet(written[0])["square"].tolist() == [0, 1]
    text = written[1].read_text()
    assert "2 of 5 cells" in text
    assert text.index("They grow.") < text.index("| 1 | 1 |") < text.index("They do not.")
    assert (tmp_path / "plotly.min.js").exists()
    page = tmp_path / "page.md"
    for section in ("first", "second"):
        writing.put_section(page, "squares", section)
    assert "second" in page.read_text()
    assert "first" not in page.read_text()


def test_a_little_is_not_written_as_nothing():
    assert [runs.number(value) for value in (0.0, 4e-5, 0.0006, 2.0, float("nan"))] == [
        "0.000", "< 0.001", "0.001", "2.000", "-",
    ]  # fmt: skip


def test_a_half_written_line_loses_its_own_cell_only(tmp_path):
    kept = tmp_path / "study.jsonl"
    kept.write_text(json.dumps({"cell": {"x": 1}, "row": {"y": 2}}) + '\n{"cell": {"x"')
    assert list(runner.read_cells(kept).values()) == [{"x": 1, "y": 2}]


def test_figure_4_fills_the_table_with_random_rows_and_knows_which_are_real():
    codes = np.full((45_222, 2), 1, dtype=np.int32)
    every, real = _filled(codes, (2, 50))
    assert every.shape == (100_000, 2)
    assert real.sum() == 45_222
    assert (every[real] == 1).all()
    assert 0.4 < every[~real, 0].mean() < 0.6


def test_an_unknown_experiment_is_refused_with_the_ones_there_are(capsys):
    assert main(["bench", "fig99", "--data", "x", "--out", "y"]) == 2
    assert "table1, fig4" in capsys.readouterr().err


def test_a_folder_without_the_data_sets_is_said_so(tmp_path, capsys):
    arguments = ["--data", str(tmp_path), "--out", str(tmp_path / "o"), "--workers", "1"]
    assert main(["bench", "table1", *arguments]) == 2
    assert "codebook" in capsys.readouterr().err


@needs_data
def test_table_1_is_the_papers(tmp_path, capsys):
    arguments = ["--data", str(DATA), "--out", str(tmp_path), "--workers", "1"]
    assert main(["bench", "table1", *arguments]) == 0
    assert "No difference" in (tmp_path / "table1.md").read_text()


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, e in EXPERIMENTS.items() if n != "table1" and not e.of_machine])
def test_a_few_cells_of_every_experiment_run_and_are_written(name, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "BROWSERS", ())
    arguments = ["--data", str(DATA), "--out", str(tmp_path), "--workers", "1", "--quick"]
    assert main(["bench", name, *arguments]) == 0
    text = (tmp_path / f"{name}.md").read_text()
    assert "nan" not in text
    assert str(EXPERIMENTS[name].reported[0]) in text
    assert not pd.read_parquet(tmp_path / f"{name}.parquet").empty


@pytest.mark.parametrize("name", ["speed", "scale"])
def test_this_machine_is_measured_without_the_papers_data_sets(name, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "BROWSERS", ())
    monkeypatch.setattr(machine, "PROBE_BYTES", 1 << 16)
    monkeypatch.setattr(scale, "apart", lambda function, *args: function(*args) | {"peak_mib": 1.0})
    monkeypatch.setattr(speed, "apart", lambda function, *args: function(*args) | {"peak_mib": 1.0})
    arguments = ["--out", str(tmp_path), "--rows", "1500"] if name == "speed" else ["--out", str(tmp_path)]
    assert main(["bench", name, *arguments, *(["--quick"] if name == "scale" else [])]) == 0
    text = (tmp_path / f"{name}.md").read_text()
    assert f"`hmpb bench {name} --out DIR`" in text
    assert "The paper." not in text
    assert "nan" not in text
    frame = pd.read_parquet(tmp_path / f"{name}.parquet")
    if name == "speed":
        assert frame["rows"].tolist() == [1500]
        assert (frame[["hmpb", "bincount", "duckdb"]] > 0).all(axis=None)
    else:
        assert (frame[["fit_cpu", "draw_cpu", "written_mib"]] > 0).all(axis=None)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["table1"], "Name the folder of the papers' data sets with --data."),
        (["fig5", "--data", "x", "--rows", "10", "20"], "several of them go with fig4, speed and scale"),
        (["speed", "--rows", "0"], "whole numbers from 1"),
    ],
)
def test_options_of_the_other_kind_of_experiment_are_refused(options, sentence, tmp_path, capsys):
    assert main(["bench", *options, "--out", str(tmp_path / "o")]) == 2
    assert sentence in capsys.readouterr().err


@THOROUGH
def test_peak_memory_is_that_of_a_process_of_its_own_however_large_the_one_that_started_it():
    held = np.ones(600 << 17)  # 600 MiB
    found = machine.apart(dict)
    assert held.nbytes / 2**20 < machine.peak_mib()
    assert 5 < found["peak_mib"] < 500


FIGURES = [
    *(
        "leak",
        "guess",
        "bill",
        "avd2",
        "avd3",
        "svm_paper",
        "svm",
        "seconds",
        "network",
        "logistic",
        "avg_il",
    ),
    *("generalized_il", "avg_ent", "c_avg", "classes"),
]


@pytest.mark.parametrize(
    "name", sample((n for n, e in EXPERIMENTS.items() if n != "table1" and not e.of_machine), 3)
)
def test_whatever_part_is_measured_is_said_without_a_fault(name):
    experiment = EXPERIMENTS[name]
    rng = np.random.default_rng(1)
    cells = [
        {**cell, **dict(zip(FIGURES, rng.random(len(FIGURES)), strict=True))}
        for cell in experiment.cells(False)
    ]
    for n in (1, 3, len(cells)):
        part = pd.DataFrame(cells[:n])
        text = writing.section(experiment, part, cells=len(cells))
        assert "nan" not in text
        assert "Where and why they differ" in text
        assert all(chart.lines for chart in experiment.charts(part))


def test_any_experiment_runs_on_a_sample_of_any_size():
    for experiment in EXPERIMENTS.values():
        sized = experiment.of_rows([700]).cells(False)
        assert sized
        if experiment.name not in ("table1", "fig4"):
            assert {cell.get("most_rows", cell.get("rows")) for cell in sized} == {700}
    assert sorted({cell["rows"] for cell in EXPERIMENTS["fig4"].of_rows([700]).cells(False)}) == [
        70, 140, 210, 280, 350, 420, 490, 560, 630, 700,
    ]  # fmt: skip
    assert {cell["rows"] for cell in EXPERIMENTS["fig4"].of_rows([70, 90]).cells(False)} == {70, 90}


def test_a_piece_ends_after_so_many_cells_or_minutes(tmp_path):
    done: list[int] = []
    experiment = counting(done)
    assert len(runner.run(experiment, tmp_path, tmp_path, workers=1, most=2)) == 2
    assert done == [0, 1]
    assert len(runner.run(experiment, tmp_path, tmp_path, workers=1, minutes=0)) == 2
    assert len(runner.run(experiment, tmp_path, tmp_path, workers=1, most=1)) == 3
    assert done == [0, 1, 2]
    assert runner.seconds_each(experiment, tmp_path / "squares.jsonl") == pytest.approx(0, abs=0.1)


def test_a_cancelled_cell_is_measured_anew_and_the_ones_before_it_are_kept(tmp_path):
    def measure(cell, folder, progress):
        progress(0.5, "half")
        return {"square": 0}

    told: list[float] = []

    def progress(part, _):
        told.append(part)
        if part > 0.5:
            raise CancelledError

    experiment = replace(counting([]), measure=measure, cells=lambda _: [{"x": 1}, {"x": 2}])
    with pytest.raises(CancelledError):
        runner.run(experiment, tmp_path, tmp_path, workers=1, progress=progress)
    assert told == [0.25, 0.5, 0.75]
    assert len(runner.read_cells(tmp_path / "squares.jsonl")) == 1


def test_one_number_of_rows_does_not_say_that_anything_falls():
    def leaks(*rows):
        methods = ("hmprivbayes", "privscbn", "privbayes")
        same = {"variant": "sound", "leak": 0.5, "guess": 0.4}
        cells = [{**same, "method": method, "rows": n} for n in rows for method in methods]
        return " ".join(map(str, EXPERIMENTS["fig4"].differs(pd.DataFrame(cells))))

    assert "so far: 1, too few to say whether it falls" in leaks(10_000)
    assert "lowest for HMPrivBayes" not in leaks(10_000)
    assert "it does not fall from the fewest rows to the most" in leaks(10_000, 20_000)
