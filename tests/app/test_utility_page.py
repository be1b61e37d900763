"""Utility: every figure beside a second sample's, and what it cannot say is said."""

import dataclasses
import json

import pytest

from hmpb_core import repeated as repeats
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain
from hmpb_core.progress import silent
from hmpb_core.rules.declared import NO_RULES
from hmpb_core.rules.since import with_times_since
from pages.run.rehearsal import rehearsal_work
from pages.session.state import Basis
from pages.shared.layout import decided_by_rules, repeating, times_since
from pages.utility.value_panels import figures_of
from pages.utility.work import comparison_work
from tests.app.results import edit_codebook, give_result, release_of, settled

YEARS = {"minimum": "2018-01-01", "maximum": "2022-12-31"}


def test_utility_reads_a_paid_result_by_the_codebook_and_the_names_of_then(app):
    session = release_of(app)
    session.rename_column("ward", "station")
    edit_codebook(session)
    app.switch_page("pages/utility/page.py").run()
    app.button(key="utility_go").click()
    settled(app, lambda: "comparison" in session.views)
    assert "ward" in [of.name for of in session.views["comparison"].report.domain.attributes]
    assert not app.exception


def test_utility_needs_a_run_first(app):
    app.switch_page("pages/utility/page.py").run()
    assert not app.exception
    assert app.info


def test_the_utility_of_a_rehearsal_on_ones_own_codebook_is_that_of_the_simulated_rows(app):
    """What a plan does to figures can be tuned by eye before a row of one's own is looked at."""
    session = app.session_state["hmpb"]
    codebook = session.codebook
    work = rehearsal_work(session.plan, codebook, None, n_rows=800, strength=0.5, language="en")
    session.use_result(work(silent))
    assert session.result.basis is Basis.STAND_IN
    assert not sum(codebook.rules.broken_rows(session.result.source.frame))
    app.switch_page("pages/utility/page.py").run()
    assert any("800 rows simulated" in info.value for info in app.info)
    assert any("the rows that were simulated" in caption.value for caption in app.caption)
    app.button(key="utility_go").click()
    settled(app, lambda: "comparison" in session.views)
    assert session.views["comparison"].report.n_real == 800
    assert not app.exception


def parts_add_up_in_squares(table):
    """Both parts stand behind the figure that they are parts of."""
    whole, drawing, noise = (table.iloc[:, place].astype(float) for place in (1, 2, 3))
    assert list(table.columns[1:4]) == [
        "synthetic", "synthetic, part of drawing rows", "synthetic, part of noise and model",
    ]  # fmt: skip
    told = noise > 0  # where chance alone makes more, nothing is left for noise
    assert list((drawing**2 + noise**2)[told]) == pytest.approx(list(whole[told] ** 2), rel=0.01)


def test_utility_concludes_and_shows_every_figure_beside_a_second_sample(app, unfold):
    session = give_result(app)
    app.switch_page("pages/utility/page.py").run()
    assert "comparison" not in session.views  # exact figures are worked out when asked for, not before
    app.button(key="utility_go").click().run()
    settled(app, lambda: "comparison" in app.session_state["hmpb"].views)
    app.run()
    assert not app.exception
    assert not app.error
    report = session.views["comparison"].report
    (told,) = (line for line in app.header if "tables are" in line.value)
    assert told.proto.hide_anchor, "a conclusion in an address would carry names of columns"
    charts = app.get("plotly_chart")
    assert len(charts) == 6  # the report's own target is predicted with it
    first = [json.loads(chart.proto.spec)["data"][0].get("name") for chart in charts]
    assert set(first) == {"synthetic", None}, "the synthetic rows have one colour on the whole page"
    frames = [frame.value.columns for frame in unfold(app).dataframe]
    assert "second sample of real rows" in frames[0]
    parts_add_up_in_squares(app.dataframe[0].value)
    assert any("do not use" in columns for columns in frames), "the pairs that the sentence calls marked"
    (pairs,) = (frame.value for frame in app.dataframe if "do not use" in frame.value.columns)
    assert len(pairs) == len(report.agreement[1].sets) > session.utility.pairs, "also what is not drawn"
    (columns,) = (frame.value for frame in app.dataframe if "KS" in frame.value.columns)
    first = report.columns[0]
    assert columns["KS"][0] == f"{first.error.ks:.4f} / {first.second.ks:.4f}"
    chosen = app.selectbox(key="utility_attribute")
    assert chosen.options == list(columns["Column"]), "what comes first in one list does in the other"
    assert chosen.label == "Attribute (worst KS first)"
    of, (shown, *_) = report.columns[0], report.columns[0].shown
    named = [
        " ".join(figures_of(of, apart=apart, meanings={shown: "what it means"}).iloc[:, 0])
        for apart in (False, True)
    ]
    assert ["without a code" in names for names in named] == [False, True]
    assert all(f"{shown}\u00a0=\u00a0what it means" in names for names in named)
    other = next(o for o in app.selectbox(key="utility_target").options if o != report.predictions[0].target)
    app.selectbox(key="utility_target").set_value(other).run()
    assert len(app.get("plotly_chart")) == 5
    app.button(key="utility_predict").click().run()
    assert not app.error
    assert len(app.get("plotly_chart")) == 6


def test_models_learn_the_column_that_the_plan_names_first(app):
    result = give_result(app, columns=["insurer", "smoker", "nights"], method="hmprivbayes").result
    for name in ("insurer", "smoker"):  # of two, one is not what a report would take by itself
        plan = dataclasses.replace(result.plan, target=name)
        asked = dataclasses.replace(result, model=dataclasses.replace(result.model, plan=plan))
        found = comparison_work(result.source, asked)(lambda *_: None)
        assert [of.target for of in found.report.predictions] == [name]


def test_utility_says_why_the_report_s_own_target_was_not_predicted(app):
    session = give_result(app)
    app.switch_page("pages/utility/page.py").run()
    app.button(key="utility_go").click().run()
    settled(app, lambda: "comparison" in app.session_state["hmpb"].views)
    found = session.views["comparison"]
    why = "The target is missing in every row or has one class; choose another target."
    (target,) = (of.target for of in found.report.predictions)
    report = dataclasses.replace(found.report, predictions=(), not_predicted={target: why})
    session.views["comparison"] = dataclasses.replace(found, report=report)
    app.run()
    assert not app.error
    assert app.selectbox(key="utility_target").value == target
    assert any(f"{target} was not predicted: {why}" in line.value for line in app.info)


def test_dates_that_a_model_counts_from_another_one_are_named():
    fields = [
        {"name": name, "type": "date", "bins": "learned", "constraints": YEARS} for name in ("came", "left")
    ]
    rules = [{"kind": "ascending", "columns": ["came", "left"]}]
    book = Codebook.from_dict({"fields": fields, "rules": rules})
    assert times_since(with_times_since(book.domain, book.rules)) == "left from came"
    assert times_since(book.domain) == ""


def test_lists_that_repeat_another_column_are_named():
    born, lives = (Categorical(name=name, categories=("a", "b")) for name in ("born", "lives"))
    assert repeating(Domain((born, repeats.repeating(lives, "born")))) == "lives for born"
    assert repeating(Domain((born, lives))) == ""


def test_columns_that_public_rules_decide_are_named():
    numbers = {"type": "number", "constraints": {"minimum": 0, "maximum": 9}}
    fields = [{"name": name, **numbers} for name in ("a", "b", "total", "again")]
    fields.append({"name": "ward", "categories": ["x", "y"]})
    rules = [
        {"kind": "equal", "column": "again", "to": "total"},
        {"kind": "sum", "column": "total", "parts": ["a", "b"]},
        {"kind": "askedIf", "column": "a", "if": {"ward": "x"}},
        {"kind": "nonNegative", "column": "b"},
    ]
    book = Codebook.from_dict({"fields": fields, "rules": rules})
    assert decided_by_rules(book.rules) == "total by a, b; again by total"
    assert decided_by_rules(NO_RULES) == ""


def test_a_missing_value_is_an_empty_cell_and_not_the_word_none(app, unfold):
    """Beside a category called none it read as another one, and in Chinese as an English word."""
    give_result(app, method="hmprivbayes")
    app.switch_page("pages/run/page.py").run()
    assert app.dataframe[0].proto.HasField("placeholder")
    assert app.dataframe[0].proto.placeholder == ""
    app.switch_page("pages/weights/page.py").run()
    by_hand = next(table for table in unfold(app).dataframe if table.proto.editing_mode)
    assert by_hand.proto.HasField("placeholder")


def test_a_group_that_vanished_is_named_by_what_its_codes_mean():
    from hmpb_core.metrics.groups import Vanished
    from pages.utility.panels import _in_words

    sex = {"name": "sex", "categories": [{"value": "1", "label": "female"}, {"value": "2", "label": "male"}]}
    book = Codebook.from_dict({"fields": [sex, {"name": "ward", "categories": ["north", "south"]}]})
    group = Vanished(names=("ward", "sex"), values=("north", "2"), count=9)
    said = [text.replace("\u00a0", " ") for text in _in_words(group, book.domain, book)]
    assert said == ["north", "2 = male"]
    nobody = Vanished(names=("sex",), values=("(missing)",), count=1)
    assert _in_words(nobody, book.domain, book) == ("(missing)",)
