"""The page Experiments: a figure on the demo without the papers' files, pieces that are kept, files taken."""

import re
import time
from dataclasses import replace

import pandas as pd
import pytest

from hmpb_core.errors import SourceError
from hmpb_core.experiments.intake import ADULT, BIG5, take_file
from hmpb_core.experiments.registry import EXPERIMENTS
from pages.experiments import said, work
from pages.session.choices import ExperimentChoices
from pages.session.state import Basis
from pages.words.catalogue import catalogue

PAGE = "pages/experiments/page.py"
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HMPB_WORKSPACE", str(tmp_path))
    monkeypatch.delenv(work.FOLDER_VARIABLE, raising=False)
    return tmp_path / "experiments"


def opened(app, name="fig6", most=1):
    session = app.session_state["hmpb"]
    session.table = replace(session.table, content=session.table.frame.head(300))
    session.experiments.name, session.experiments.rows, session.experiments.most = name, 200, most
    app.switch_page(PAGE).run()
    assert not app.exception
    assert not app.error
    return session


def settled(app, session, seconds=60):
    for _ in range(4 * seconds):
        if not session.experiments.job.active:
            app.run()  # takes the result, and runs once more to show it
            return
        time.sleep(0.25)
    pytest.fail("the work did not end in time")


def words(app):
    return " ".join(str(e.value) for kind in (app.markdown, app.caption, app.info) for e in kind)


def test_a_figure_is_measured_on_the_demo_in_pieces_that_are_kept(app, folder):
    session = opened(app)
    assert "Run time grows steeply" in words(app)
    assert session.experiments.on == work.LOADED  # the papers' files are not here
    assert "0 of 16 settings" in words(app)
    app.button(key="experiments_go").click().run()
    settled(app, session)
    assert not app.exception
    assert not app.error
    assert "1 of 16 settings" in words(app)
    assert "the next piece takes about" in words(app).lower()
    assert len(app.get("plotly_chart")) == 1
    assert "Where and why they differ" in words(app)
    assert "only directions compare" in words(app)
    assert {button.proto.label for button in app.get("download_button")} == {
        "Figures (Parquet)", "Charts (HTML)", "Charts (PNG)",
    }  # fmt: skip
    (kept,) = folder.glob("*/fig6.jsonl")
    lines = kept.read_text().strip().splitlines()
    app.button(key="experiments_go").click().run()
    settled(app, session)
    assert "2 of 16 settings" in words(app)
    assert kept.read_text().strip().splitlines()[: len(lines)] == lines


def test_it_says_which_files_are_missing_and_takes_no_start_without_them(app):
    session = opened(app, "table1")
    assert "adult_train.csv, adult_test.csv, adult.codebook.json, big5.csv" in app.warning[0].value.replace(
        "\\", ""
    )
    assert "UCI Machine Learning Repository" in words(app)
    assert app.button(key="experiments_go").disabled
    assert session.experiments.job is None


def test_a_private_table_is_never_measured_on(app):
    session = opened(app)
    session.table = replace(session.table, basis=Basis.PRIVATE)
    app.run()
    assert not app.exception
    assert "Your table is private" in words(app)
    assert "experiments_on" not in [radio.key for radio in app.radio]
    assert app.button(key="experiments_go").disabled
    assert not work.usable(session.table, session.codebook)


def test_the_page_reads_in_chinese_with_results(app):
    session = opened(app, most=1)
    app.button(key="experiments_go").click().run()
    settled(app, session)
    app.session_state["language"] = "zh"
    app.run()
    assert not app.exception
    assert "所有方法共用一个统计内核" in words(app)
    assert "运行时间随 l 和属性数急剧增长" in words(app)
    measured = next(f for f in app.dataframe if "l = 1" in f.value.columns)
    assert "计费方式" in measured.value.columns
    assert measured.proto.HasField("placeholder"), "else what is not measured yet is called None"


def test_a_table_and_a_figure_of_this_machine_read_in_chinese(monkeypatch):
    seconds = dict.fromkeys(("fit", "fit_cpu", "draw", "draw_cpu", "peak_mib", "table_mib", "load"), 1.0)
    frame = pd.DataFrame([{"axis": "rows", "rows": 1000, "columns": 4, "values": 8, "cores": 2, **seconds}])
    monkeypatch.setattr("pages.words.catalogue.language", lambda: "zh")
    monkeypatch.setattr("pages.words.errors.language", lambda: "zh")
    (chart,) = EXPERIMENTS["scale"].charts(frame)
    names = [*said.worded(EXPERIMENTS["scale"].table(frame)).columns, *map(said.line_name, chart.lines)]
    assert [name for name in names if not CHINESE.search(name)] == []


def test_where_each_experiment_comes_from_reads_in_chinese(monkeypatch):
    monkeypatch.setattr("pages.words.catalogue.language", lambda: "zh")
    places = {name: said.place_of(one) for name, one in EXPERIMENTS.items() if one.of_machine}
    assert set(places) == {"speed", "scale"}
    assert [place for place in places.values() if not CHINESE.search(place)] == []
    assert said.place_of(EXPERIMENTS["fig5"]) == "Zhang2022, Fig. 5"


def test_every_experiment_has_its_question_in_every_language():
    for code in ("en", "zh"):
        assert [n for n in EXPERIMENTS if f"experiments.answers.{n}" not in catalogue(code)] == []


def test_settings_that_a_table_cannot_have_are_left_out(app):
    session = app.session_state["hmpb"]
    given = work.Given.of(session.table, session.codebook, "smoker")
    choices = ExperimentChoices(name="maasae-fig2", rows=200)
    assert work.bench_of(choices, given).cells == []
    rich = work.Given.of(session.table, session.codebook, "diagnosis")
    assert {cell["table"] for cell in work.bench_of(choices, rich).cells} == {"given"}
    assert {cell["rows"] for cell in work.bench_of(choices, rich).cells} == {200}
    assert work.bench_of(choices, given).folder != work.bench_of(choices, rich).folder


def test_the_sources_own_files_are_taken_under_the_experiments_names(tmp_path):
    row = (
        "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, "
    )
    row += "0, 40, United-States, <=50K"
    assert take_file(tmp_path, "adult.data", f"{row}\n{row}\n\n".encode()) == "adult_train.csv"
    assert take_file(tmp_path, "adult.test", f"|1x3 Cross validator\n{row}.\n{row}.\n\n".encode())
    for name in ("adult_train.csv", "adult_test.csv"):
        frame = pd.read_csv(tmp_path / name)
        assert list(frame.columns) == ADULT
        assert frame["salary"].tolist() == ["<=50K", "<=50K"]
        assert frame["workclass"].tolist() == ["State-gov", "State-gov"]
    big5 = "\t".join(BIG5) + "\n" + "\t".join(["1"] * len(BIG5)) + "\n"
    assert take_file(tmp_path, "data.csv", big5.encode()) == "big5.csv"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("people.csv", b"a,b\n1,2\n", "is none of the files"),
        ("adult_train.csv", b"a,b\n1,2\n", "does not have the columns"),
        ("big5.codebook.json", b"{}", "fields"),
        ("../big5.csv", b"a\n1\n", "is none of the files"),
    ],
)
def test_any_other_file_is_refused_and_not_kept(name, content, sentence, tmp_path):
    from hmpb_core.errors import HmpbError

    with pytest.raises(HmpbError, match=sentence):
        take_file(tmp_path / "data", name, content)
    assert list(tmp_path.rglob("*.*")) == []


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path):
    (tmp_path / "data").write_text("a file")
    with pytest.raises(SourceError, match="cannot be written"):
        take_file(tmp_path / "data" / "x", "big5.csv", ("\n".join([",".join(BIG5), ",".join(BIG5)])).encode())
