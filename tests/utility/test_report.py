"""The utility report: what it concludes, what it shows, and what it leaves alone."""

import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.errors import PlanError, SourceError
from hmpb_core.metrics import evaluate
from hmpb_core.utility import to_dict, to_html, utility_report
from hmpb_core.utility.conclusion import conclude
from hmpb_core.utility.prediction import default_target
from hmpb_core.utility.sections_tables import agreement_section
from hmpb_core.utility.words.catalogue import LANGUAGES, words_of

SCHEMA = {
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10},
        {"name": "town", "categories": ["n", "e", "s", "w"]},
        {"name": "job", "categories": ["a", "b", "c"]},
        {"name": "smokes", "categories": ["no", "yes"]},
    ]
}
BOOK = Codebook.from_dict(SCHEMA)


def people(rows, rng):
    """Town decides most jobs, age most smoking."""
    age = rng.integers(0, 100, rows)
    town = rng.integers(0, 4, rows)
    job = np.where(rng.random(rows) < 0.8, town % 3, rng.integers(0, 3, rows))
    smokes = (age > 50) ^ (rng.random(rows) < 0.2)
    return pd.DataFrame(
        {
            "age": age,
            "town": np.array(list("nesw"))[town],
            "job": np.array(list("abc"))[job],
            "smokes": np.where(smokes, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def tables():
    """Real rows, a second sample of them, and rows whose jobs were shuffled and ages rounded off."""
    rng = np.random.default_rng(0)
    real, second = people(2500, rng), people(2500, rng)
    broken = second.assign(job=rng.permutation(second["job"]), age=second["age"] // 10 * 10)
    return real, second, broken


def report(real, synthetic, **options):
    return utility_report(real, synthetic, BOOK, rng=np.random.default_rng(1), **options)


@pytest.fixture(scope="module")
def good(tables):
    return report(tables[0], tables[1])


@pytest.fixture(scope="module")
def bad(tables):
    return report(tables[0], tables[2], targets=["smokes", "age<50", "age"])


def test_of_a_second_sample_the_report_says_that_it_is_one(good):
    content = to_dict(good)
    assert content["headline"].startswith(
        "Two-way tables are as close to the real ones as a second sample of real rows would be; the worst is "
    ) or re.match(r"Two-way tables are 1\.[01] times", content["headline"])
    assert content["headline"].endswith("% in a second sample.")
    assert content["avoid"] == []
    for figure in content["glance"]:
        if figure["times"] is not None and figure["figure"] != "pmse":
            assert figure["times"] < 3, figure
    assert content["propensity"]["auc"] == pytest.approx(0.5, abs=0.06)
    # A third of the rows is as far from all of them as a second sample is.
    assert content["agreement"]["two_way"]["subsample"] == pytest.approx(1 / 3, abs=0.08)


def test_of_a_broken_table_it_names_what_not_to_use(bad):
    content = to_dict(bad)
    assert ["town", "job"] in content["avoid"]
    assert content["headline"].endswith("; do not use town x job, nor the exact values of age.")
    assert (content["avoid_columns"], content["avoid_values"]) == ([], ["age"])
    lost = next(pair for pair in content["dependence"] if pair["attributes"] == ["town", "job"])
    assert lost["measure"] == "cramers_v"
    assert lost["real"] > 0.6
    assert lost["synthetic"] < 0.1
    assert lost["subsample"] < 0.01


def test_whole_table_figures_are_those_of_evaluate(tables, bad):
    content, figures = to_dict(bad), evaluate(tables[0], tables[2], BOOK).to_dict()
    assert content["agreement"]["two_way"]["mean"] == pytest.approx(figures["avd2"], rel=1e-5)
    assert content["agreement"]["three_way"]["mean"] == pytest.approx(figures["avd3"], rel=1e-5)
    assert content["columns"]["age"]["ks"] == pytest.approx(figures["columns"]["age"]["ks"], rel=1e-5)


def test_values_stand_beside_each_other_and_the_second_sample_s(bad):
    age = to_dict(bad)["columns"]["age"]
    assert age["real"]["mean"] == pytest.approx(age["synthetic"]["mean"] + 4.5, abs=1.5)
    assert age["ks"] > 4 * age["second_sample"]["ks"] > 0
    assert set(age["real"]["quantiles"]) == {"0.05", "0.25", "0.5", "0.75", "0.95"}
    assert len(age["commonest_values"]) == 5
    assert age["subsample"] < 0.05


def test_a_column_that_is_off_itself_is_named_instead_of_its_pairs(tables):
    real, second, _ = tables
    found = to_dict(report(real, second.assign(age=second["age"] // 2), fast=True))
    assert found["avoid_columns"] == ["age"]
    assert found["avoid"] == []
    assert found["headline"].endswith("; do not use age.")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "; do not use a, b, c and 2 more, nor the exact values of f, g, h and 1 more."),
        ("zh", "。不要使用：a、b、c 和 另外 2 列；f、g、h 和 另外 1 列 的精确数值。"),
    ],
)
def test_the_sentence_says_how_many_columns_it_does_not_name(bad, language, said):
    """Of 25 columns that were off three were named, as if they were all."""
    worst = conclude(bad)
    many = dataclasses.replace(worst, columns=tuple("abcde"), avoid=(), values=tuple("fghi"))
    assert many.headline(words_of(language)).endswith(said)


def test_the_sentence_cuts_questions_that_are_whole_sentences(bad):
    question = "Please state whether you view the following characters favorably, or are unfamiliar: Yoda"
    many = dataclasses.replace(conclude(bad), columns=(question,), avoid=(), values=())
    said = many.headline(words_of("en"))
    assert question not in said
    assert said.endswith("Yoda.")


def test_every_target_is_predicted_from_synthetic_and_from_real_rows(bad):
    content = to_dict(bad)
    smokes, young, age = content["prediction"]
    assert (smokes["target"], young["target"], age["target"]) == ("smokes", "age<50", "age")
    assert smokes["second_sample"]["boosting_auc"] == pytest.approx(0.8, abs=0.06)  # one in five is flipped
    assert smokes["real_rows_as_good"]["boosting_auc"] <= smokes["train_rows"]
    assert {"logistic_auc", "boosting_auc", "logistic_f1", "boosting_f1"} == set(young["synthetic"])
    assert {"linear_r2", "boosting_r2"} == set(age["synthetic"])


@pytest.mark.parametrize("rows", [20, 21])
def test_the_smallest_tables_that_are_compared_have_a_report(tables, rows):
    """Of ten rows to learn from none could be set aside, and the command ended in sklearn's own words."""
    found = report(tables[0].head(rows), tables[2], fast=True)
    assert 0 <= found.telling_apart.auc <= 1


def test_a_target_with_nothing_to_learn_is_named_and_an_unknown_one_refused(tables):
    alone = tables[0].assign(job="a")
    found = report(alone, alone, targets=["job"], fast=True)
    assert found.predictions == ()
    assert "one class" in to_dict(found)["not_predicted"]["job"]
    assert "job was not predicted: it is missing in every row or has one class." in to_html(found)
    assert "没有预测 job：它在每一行都缺失，或只有一个类别。" in to_html(found, language="zh")
    with pytest.raises(PlanError):
        report(tables[0], tables[1], targets=["age<old"], fast=True)


def test_the_only_column_has_nothing_to_be_predicted_from(tables):
    book = Codebook.from_dict({"fields": [field for field in SCHEMA["fields"] if field["name"] == "smokes"]})
    rng = np.random.default_rng(1)
    found = utility_report(*tables[:2], book, targets=["smokes"], fast=True, rng=rng)
    assert "nothing is left to predict it from." in to_html(found)


def test_the_last_attribute_of_few_categories_is_the_default_target():
    assert default_target(BOOK.domain) == "smokes"
    numbers = [SCHEMA["fields"][0], SCHEMA["fields"][0] | {"name": "height"}]
    assert default_target(Codebook.from_dict({"fields": numbers}).domain) == "height"


def test_one_value_and_the_category_of_all_that_is_not_listed_are_no_default_target():
    rest = {"name": "form", "categories": ["b", "(other)"], "unknown": "(other)"}
    book = Codebook.from_dict({"fields": [*SCHEMA["fields"], rest]})
    assert default_target(book.domain) == "smokes"


def test_a_few_rows_are_refused(tables):
    with pytest.raises(SourceError, match="at least 20"):
        report(tables[0].head(10), tables[1])


def test_a_table_of_one_column_has_a_report_too():
    book = Codebook.from_dict({"fields": SCHEMA["fields"][:1]})
    rng = np.random.default_rng(3)
    frames = [pd.DataFrame({"age": rng.integers(0, 100, 200)}) for _ in range(2)]
    found = utility_report(*frames, book, rng=rng, fast=True)
    assert to_dict(found)["headline"].startswith("One-way tables are")
    assert "Tables over two attributes" not in to_html(found)


def test_every_table_that_the_headline_counts_as_marked_is_listed_in_the_report(bad):
    one = bad.agreement[1]
    far = dataclasses.replace(one.sets[0], error=0.9, second=0.1)
    near = dataclasses.replace(far, error=0.01)
    for sets, listed in (((far,) * 61 + (near,) * 9, 61), ((far,) * 3 + (near,) * 60, 25)):
        chapter = agreement_section(dataclasses.replace(one, sets=sets, n_sets=378), words_of("en"))
        (table,) = (part.table for part in chapter.parts if part.table)
        assert len(table.rows) == listed
        assert any(note.startswith(f"{listed} of 378 tables") for note in chapter.notes)


def test_the_page_is_whole_by_itself_and_marked_for_the_steward(bad):
    for language in LANGUAGES:
        page = to_html(bad, language)
        assert "default-src 'none'" in page
        assert not re.search(r"<script|<link|<img|url\(http|src=", page)
        assert set(re.findall(r"https?://[^\s\"<]+", page)) <= {"http://www.w3.org/2000/svg"}
        assert words_of(language)("zone") in page
        assert f'<html lang="{language}">' in page
    assert "Steward only" in to_html(bad)


def test_every_printed_page_says_whose_it_is(bad):
    for code in LANGUAGES:
        zone = words_of(code)("zone")
        assert not set(zone) & set("\"\\<>&'"), "it stands in the style sheet as it is"
        assert f'@bottom-left{{content:"{zone}"' in to_html(bad, code)


def test_names_that_are_markup_stay_text():
    name = "<b>x</b>"
    book = Codebook.from_dict(
        {"fields": [{"name": name, "categories": ["<i>", "b"]}, {"name": "y", "categories": ["1", "2"]}]}
    )
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.choice(["<i>", "b"], 100), "y": rng.choice(["1", "2"], 100)})
    page = to_html(utility_report(frame, frame, book, rng=rng, fast=True))
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page


def test_both_languages_say_the_same_things_with_the_same_holes():
    english, chinese = words_of("en").texts, words_of("zh").texts
    assert english.keys() == chinese.keys()
    holes = re.compile(r"{\w+}")
    assert [k for k in english if set(holes.findall(english[k])) != set(holes.findall(chinese[k]))] == []


def test_missing_values_and_units_are_said_in_chinese():
    """Groups of a missing value that vanished, and the days of a date's spread, were said in English."""
    year = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    fields = [
        {"name": "town", "categories": ["n", "s"]},
        {"name": "seen", "type": "date", "constraints": year},
    ]
    book = Codebook.from_dict({"fields": fields})
    days = pd.date_range("2020-01-01", periods=40).strftime("%Y-%m-%d").to_numpy()
    real = pd.DataFrame({"town": ["n", "s"] * 40, "seen": [*days, *([None] * 40)]})
    found = utility_report(real, real[:40], book, rng=np.random.default_rng(1), fast=True)
    english, chinese = to_html(found), to_html(found, language="zh")
    assert "n x (missing)" in english
    assert "n x （缺失）" in chinese
    assert "(missing)" not in chinese
    assert " 11.54 d" in english
    assert " 11.54 天" in chinese


def test_progress_only_moves_forward(tables):
    told = []
    report(tables[0], tables[1], fast=True, progress=lambda part, what: told.append((part, what)))
    assert [part for part, _ in told] == sorted(part for part, _ in told)
    assert {"encoding", "comparing", "values", "learning"} <= {what for _, what in told}


def test_the_command_writes_the_page_and_the_figures(tables, tmp_path, capsys):
    real, _, broken = tables
    real.to_csv(tmp_path / "real.csv", index=False)
    (tmp_path / "bundle").mkdir()
    broken.to_csv(tmp_path / "bundle/data.csv", index=False)
    (tmp_path / "book.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    words = ["report", str(tmp_path / "real.csv"), str(tmp_path / "bundle"), "--codebook"]
    words += [str(tmp_path / "book.json"), "--target", "smokes", "--fast", "--seed", "3"]
    words += ["-o", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")]
    assert main(words) == 0
    content = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert content["zone"] == "steward-only"
    assert content["headline"] in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert content["headline"] in capsys.readouterr().out
    assert content["fast"] is True
    (tmp_path / "empty").mkdir()
    words[2] = str(tmp_path / "empty")
    assert main(words) == 2
    assert "holds no data.csv" in capsys.readouterr().err
