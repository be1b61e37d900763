"""Utility and Compare: work in the background, a holdout beside every figure, public tables only."""

import dataclasses
import json
import time

import numpy as np
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.planning.methods import PUBLISHED_ETA, Accounting, learners_of
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.publishing.zones import Zone
from hmpb_core.rules.deciding import Equal
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.rules.since import with_times_since
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan
from pages.compare import board, runs
from pages.data import drafts
from pages.networks.facts import graph_of, measured_whole
from pages.run.rehearsal import rehearsal_work
from pages.session.jobs import Job
from pages.session.state import Basis, Result
from pages.shared.layout import decided_by_rules, times_since
from pages.similarity.figures import eigenvalues
from pages.similarity.matrices import Matrix
from pages.similarity.pairs import verdicts
from pages.utility.value_panels import figures_of
from pages.weights.shares import weigh
from pages.words.catalogue import plain

ROWS = 600
YEARS = {"minimum": "2018-01-01", "maximum": "2022-12-31"}


def settled(app, done, seconds=40):
    """Run the page until its job has ended."""
    for _ in range(4 * seconds):
        app.run()
        if done():
            return app
        time.sleep(0.25)
    pytest.fail("the work did not end in time")


def source_of(session, basis):
    return None if basis is Basis.STAND_IN else dataclasses.replace(session.table, basis=basis)


def give_result(app, basis=Basis.DEMO, columns=None, method="independent"):
    session = app.session_state["hmpb"]
    book = session.codebook
    if columns is not None:
        book = Codebook.from_dict(
            {"fields": [field for field in session.draft["fields"] if field["name"] in columns]}
        )
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=ROWS, method=method)
    source = MemorySource(encode(session.table.frame.head(ROWS), book), book.domain)
    model = fit_source(source, plan, seed=1)
    rows = model.sample(ROWS, rng=np.random.default_rng(1))
    session.use_result(Result(model=model, rows=rows, codebook=book, source=source_of(session, basis)))
    return session


def rehearse(session):
    """Run the session's plan on the demo."""
    work = rehearsal_work(
        session.plan,
        session.codebook,
        session.table,
        n_rows=session.table.n_rows,
        strength=0.5,
        language="en",
    )
    session.use_result(work(lambda *_: None))


@pytest.mark.parametrize(
    "name", ["similarity", "networks", "weights", "utility", "compare", "experiments", "run", "plan", "data"]
)
def test_nothing_stands_above_a_pages_title(app, name):
    """Streamlit's magic writes a string that explains a constant at the page's head."""
    give_result(app)
    app.switch_page(f"pages/{name}/page.py").run()
    assert not app.exception
    assert app.main.children[0] is app.title[0]


def release_of(app):
    session = give_result(app, Basis.PRIVATE)
    session.result = dataclasses.replace(session.result, release="r1")
    return session


def edit_codebook(session):
    """Leave a column out, as a steward does on Data after a release."""
    drafts.change(session, "insurer", lambda field: {**field, "publish": False})


@pytest.mark.parametrize("name", ["similarity", "networks", "weights", "utility", "run"])
def test_a_paid_result_outlives_a_change_of_the_codebook_and_says_so(app, name):
    session = release_of(app)
    edit_codebook(session)
    assert len(session.codebook.domain) == len(session.result.codebook.domain) - 1
    app.switch_page(f"pages/{name}/page.py").run()
    assert not app.exception
    assert session.result is not None
    assert any("The codebook has changed" in c.value for c in app.caption)
    assert not any("The plan has changed" in c.value for c in app.caption)


def test_what_is_taken_from_a_paid_result_fits_the_codebook_of_now(app):
    """A weight of a column that had gone made every check of a release fail, as did too many clusters."""
    session = give_result(app, Basis.PRIVATE, method="hmprivbayes")
    session.result = dataclasses.replace(session.result, release="r1")
    first, most = session.codebook.domain.names[0], len(session.codebook.domain)
    edit_codebook(session)
    app.switch_page("pages/similarity/page.py").run()
    app.number_input(key=f"s_k_{session.results}").set_value(most).run()
    app.button(key="take_clusters").click().run()
    assert not app.exception
    assert session.settings.clusters == most - 1
    assert [toast.value for toast in app.toast] == [plain("similarity.taken", k=most - 1)]
    session.take_into_plan(weights={"insurer": 2.0, first: 2.0})
    assert session.settings.weights == {first: 2.0}


def test_utility_reads_a_paid_result_by_the_codebook_and_the_names_of_then(app):
    session = release_of(app)
    session.rename_column("ward", "station")
    edit_codebook(session)
    app.switch_page("pages/utility/page.py").run()
    app.button(key="utility_go").click()
    settled(app, lambda: "comparison" in session.views)
    assert "ward" in [of.name for of in session.views["comparison"].report.domain.attributes]
    assert not app.exception


def test_a_rehearsal_goes_with_the_codebook_it_was_made_with(app):
    session = give_result(app)
    edit_codebook(session)
    assert session.result is None


def test_a_release_under_way_is_stopped_neither_by_an_edit_nor_by_another_table(app):
    session = app.session_state["hmpb"]
    session.job = job = Job("run", lambda _: None, charges=True)
    edit_codebook(session)
    assert session.job is job
    session.forget()
    assert session.job is job, "it can be watched and stopped"
    assert not job.stopping
    assert not job.kept, "its rows and its table are not"
    session.job = free = Job("run", lambda _: None)
    session.clear_result()
    assert free.stopping


def test_utility_needs_a_run_first(app):
    app.switch_page("pages/utility/page.py").run()
    assert not app.exception
    assert app.info


def test_utility_of_a_simulated_table_is_not_made_up(app):
    give_result(app, Basis.STAND_IN)
    app.switch_page("pages/utility/page.py").run()
    assert not app.exception
    assert any("simulated" in info.value for info in app.info)
    assert "utility_go" not in [button.key for button in app.button]


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
    assert any(line.value.startswith("### ") and "tables are" in line.value for line in app.markdown)
    charts = app.get("plotly_chart")
    assert len(charts) == 6  # the report's own target is predicted with it
    first = [json.loads(chart.proto.spec)["data"][0].get("name") for chart in charts]
    assert set(first) == {"synthetic", None}, "the synthetic rows have one colour on the whole page"
    frames = [frame.value.columns for frame in unfold(app).dataframe]
    assert "second sample of real rows" in frames[0]
    parts_add_up_in_squares(app.dataframe[0].value)
    assert any("do not use" in columns for columns in frames), "the pairs that the sentence calls marked"
    assert any("KS, second sample" in columns for columns in frames)
    named = [" ".join(figures_of(report.columns[0], apart=apart).iloc[:, 0]) for apart in (False, True)]
    assert ["without a code" in names for names in named] == [False, True]
    other = next(o for o in app.selectbox(key="utility_target").options if o != report.predictions[0].target)
    app.selectbox(key="utility_target").set_value(other).run()
    assert len(app.get("plotly_chart")) == 5
    app.button(key="utility_predict").click().run()
    assert not app.error
    assert len(app.get("plotly_chart")) == 6


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
    assert times_since(with_times_since(book.domain, book.rules)) == "left as the time since came"
    assert times_since(book.domain) == ""


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


@pytest.mark.parametrize("name", ["similarity", "networks", "weights", "run"])
def test_a_run_on_one_column_can_be_looked_at(app, name):
    give_result(app, columns=["ward"])
    app.switch_page(f"pages/{name}/page.py").run()
    assert not app.exception
    assert not app.error
    assert name != "similarity" or any("one attribute alone" in note.value for note in app.info)


def test_networks_say_which_columns_a_rule_decides_and_not_they(app):
    session = give_result(app)
    names = session.result.model.domain.names
    rules = Rules(items=(Equal(column=names[1], source=names[0]),))
    model = dataclasses.replace(session.result.model, rules=rules)
    session.result = dataclasses.replace(session.result, model=model)
    app.switch_page("pages/networks/page.py").run()
    assert any(f"{names[1]} by {names[0]}" in line.value for line in app.caption)


@pytest.mark.parametrize(("basis", "zone"), [(Basis.STAND_IN, Zone.DECLARED), (Basis.PRIVATE, Zone.DP)])
@pytest.mark.parametrize("name", ["similarity", "networks", "weights"])
def test_only_what_a_release_gave_is_called_differentially_private(app, name, basis, zone):
    give_result(app, basis)
    app.switch_page(f"pages/{name}/page.py").run()
    badges = [m.value for m in app.main.markdown if "-badge[" in m.value]
    assert any(plain(f"common.zone.{zone.name.lower()}") in badge for badge in badges)
    other = Zone.DP if zone is Zone.DECLARED else Zone.DECLARED
    assert not any(plain(f"common.zone.{other.name.lower()}") in badge for badge in badges)


def matrix_of(kind, value, band):
    values, bands = np.full((2, 2), value), np.full((2, 2), band)
    return Matrix(kind=kind, measure="mic", names=("ward", "ill"), values=values, bands=bands)


def test_two_measures_of_a_pair_do_not_contradict_each_other_and_a_rule_is_named():
    rules = (Equal(column="ill", source="ward"), Equal(column="ill", source="age"))
    blind, seeing = matrix_of("model", 0.1, 0.2), matrix_of("paid", 0.3, 0.2)
    alone = verdicts([blind], "ward", "ill", ())
    assert "they may be unrelated" in alone[0]
    first, second, tie = verdicts([blind, seeing], "ward", "ill", rules)
    assert "unrelated" not in first
    assert "the other one does" in first
    assert "Noise alone does not explain that" in second
    assert "A public rule ties them" in tie


def test_of_a_pair_without_a_grid_the_page_does_not_say_that_it_may_be_unrelated():
    blind = dataclasses.replace(matrix_of("model", 0.0, 1.0), untold=np.ones((2, 2), dtype=bool))
    first, second = verdicts([blind, matrix_of("paid", 0.3, 0.2)], "ward", "ill", ())
    assert "it tells nothing" in first
    assert "Noise alone does not explain that" in second


@pytest.mark.parametrize(
    ("suggested", "chosen", "dashes"),
    [(2, 4, ["dash", "solid"]), (4, 2, ["solid", "dash"]), (3, 3, ["solid"])],
)
def test_the_line_of_the_clusters_in_use_is_the_solid_one(suggested, chosen, dashes):
    words = dict.fromkeys(("x", "y", "suggested", "chosen"), "")
    figure = eigenvalues(np.linspace(0, 1, 8), suggested=suggested, chosen=chosen, words=words)
    assert [shape["line"]["dash"] for shape in figure["layout"]["shapes"]] == dashes


def test_compare_runs_in_the_background_on_the_demo(app, unfold):
    app.switch_page("pages/compare/page.py").run()
    app.radio(key="compare_kind").set_value("clusters").run()
    app.number_input(key="compare_rows").set_value(300).run()
    app.slider(key="compare_repeats").set_value(1).run()
    app.session_state["hmpb"].settings.method = "privscbn"
    app.button(key="compare_go").click().run()
    settled(app, lambda: app.session_state["hmpb"].compare.outcome is not None)
    app.run()
    assert not app.exception
    assert not app.error
    assert len(app.get("plotly_chart")) == 1
    assert len(unfold(app).dataframe[0].value) == len(runs.SWEPT_CLUSTERS)
    app.session_state["hmpb"].settings.method = "privbayes"
    app.run()
    assert not app.exception
    assert app.session_state["hmpb"].compare.kind != "clusters", "its plans would all be one"


def test_micro_aggregation_stands_on_the_board_unranked_and_by_its_own_guarantee(app, monkeypatch):
    session = app.session_state["hmpb"]
    monkeypatch.setattr(runs, "_methods", lambda settings: runs._clusters(settings)[:1])
    session.settings.method = "independent"
    grouping = runs.Grouping(k=5, p=2, sensitive="ward")
    work = runs.sweep_work(
        "methods",
        session.settings,
        session.plan,
        session.codebook,
        session.table,
        n_rows=150,
        repeats=1,
        grouping=grouping,
    )
    told: list[float] = []
    found = work(lambda part, _: told.append(part))
    assert told == sorted(told)
    assert found.grouped_rows == 150
    assert [one.request.method.value for one in found.aggregated] == ["maasae", "maa-minil", "gpkc"]
    names = set(session.codebook.domain.names)
    for one in found.aggregated:
        assert {*one.request.quasi, one.request.sensitive} == names
        assert one.request.sensitive == "ward"
        assert 0 < one.error < 1
        row = board._aggregated_row(one)
        assert row["Guarantee"] == "k-anonymity (k = 5, p = 2), not differential privacy"
        assert row["True cost"] == "no privacy loss is bounded"
    session.compare.outcome = found
    app.switch_page("pages/compare/page.py").run()
    assert not app.exception
    said = " ".join(line.value for line in app.markdown)
    assert "not ranked with them" in said
    assert not any(f"**{name}" in said for name in ("MAASAE", "GPKC"))
    app.radio(key="compare_kind").set_value("epsilon").run()
    assert "compare_with_groups" not in [box.key for box in app.checkbox]


def test_a_comparison_can_be_cancelled(app):
    app.switch_page("pages/compare/page.py").run()
    app.button(key="compare_go").click().run()
    app.session_state["hmpb"].compare.job.cancel()
    settled(app, lambda: not app.session_state["hmpb"].compare.job.active)
    app.run()
    assert not app.exception
    assert app.session_state["hmpb"].compare.outcome is None
    assert any("Cancelled. Nothing was charged." in info.value for info in app.info)


def test_what_is_compared_on_a_simulated_table_keeps_the_rules_as_a_release_does(app, monkeypatch):
    session = app.session_state["hmpb"]
    book = session.codebook
    seen = {}

    def record(codes, source, codebook, plans, **_options):
        seen.update(codes=codes, source=source, codebook=codebook)
        return []

    monkeypatch.setattr(runs, "sweep", record)
    work = runs.sweep_work("methods", session.settings, session.plan, book, None, n_rows=3000, repeats=1)
    work(lambda *_: None)
    assert seen["source"].rules.items == seen["codebook"].rules.items == book.rules.items != ()
    domain = book.domain
    columns = {name: seen["codes"][:, domain.index(name)] for name in ("sex", "ward")}
    male, births = (
        domain.attributes[domain.index(name)].categories.index(value)
        for name, value in (("sex", "male"), ("ward", "obstetrics"))
    )
    both = (columns["sex"] == male) & (columns["ward"] == births)
    assert (columns["ward"] == births).any()
    assert not both.any(), "a public rule forbids it"


def test_a_run_tells_the_time_of_the_stages_that_its_method_has(app):
    session = give_result(app, method="independent")
    assert Stage.SIMILARITY in session.result.model.seconds, "a clock that stood still"
    app.switch_page("pages/run/page.py").run()
    told = next(table.value for table in app.table if "Seconds" in table.value.columns)
    assert told["Stage"].tolist() == ["Measuring the one-way tables"]


def test_a_private_table_is_never_compared_on(app):
    from dataclasses import replace

    session = app.session_state["hmpb"]
    session.table = replace(session.table, basis=Basis.PRIVATE)
    work = runs.sweep_work(
        "methods", session.settings, session.plan, session.codebook, None, n_rows=100, repeats=1
    )
    held = [cell.cell_contents for cell in work.__closure__]
    assert not any(value is session.table or value is session.table.frame for value in held)


def test_methods_stand_at_one_budget_and_say_what_carries_no_guarantee(app):
    session = app.session_state["hmpb"]
    plans, left_out = runs.candidates("methods", session.settings, session.codebook, 1000)
    from hmpb_core.planning.bill import bill_of_plan

    bills = [bill_of_plan(plan, domain=session.codebook.domain) for _, plan in plans]
    assert left_out == ()
    *sound, fair, published, bare = bills
    assert [b.total for b in sound] == pytest.approx([1.0] * len(sound), rel=1e-6)
    assert not any(b.unpaid for b in sound)
    assert fair.unpaid
    assert published.total == pytest.approx(12.32, abs=0.01)
    assert bare.total is None
    learners = learners_of("hmprivbayes", Accounting.SOUND)  # every one of them, by its name
    assert [plan.spec.learner for _, plan in plans[: len(learners)]] == list(learners)


def test_what_is_compared_is_the_plan_with_all_its_choices(app):
    from hmpb_core.privacy.budget import Shares

    session = app.session_state["hmpb"]
    own = Shares.from_weights(one_way_tables=5, similarity=1, structure=1, conditional_tables=3)
    weighed = session.codebook.domain.names[0]
    session.settings.shares, session.settings.similarity = own, "mic"
    session.settings.weights, session.settings.vectors = {weighed: 2.0}, 2
    swept = [plan for kind in ("epsilon", "clusters") for _, plan in _candidates(session, kind)]
    methods = dict(_candidates(session, "methods"))
    for plan in (*swept, methods["methods.hmprivbayes.compared"]):
        assert (plan.shares, plan.similarity, plan.n_vectors) == (own, "mic", 2)
        assert dict(plan.weights) == {weighed: 2.0}
    assert methods["learners.ibayes.compared"].shares != own, (
        "the shares of one learner say nothing of another"
    )
    assert methods["methods.noprivacy.compared"].similarity == "auto"


def test_the_published_method_prunes_as_published(app):
    session = app.session_state["hmpb"]
    plans = dict(_candidates(session, "methods"))
    assert (
        plans["compare.method.published"].eta == plans["compare.method.published_fair"].eta == PUBLISHED_ETA
    )
    session.settings.choose("accounting", Accounting.AS_PUBLISHED)
    session.settings.choose("eta", 0.3)
    plans = dict(_candidates(session, "methods"))
    assert (plans["compare.method.published"].eta, plans["learners.ibayes.compared"].eta) == (0.3, 0.0)


def test_plans_are_compared_under_the_unit_that_the_table_is_registered_with(app):
    from hmpb_core.privacy.unit import Unit

    session = app.session_state["hmpb"]
    session.unit = Unit(column="person", rows=7)
    for kind in runs.KINDS:
        plans, _ = runs.candidates(kind, session.settings, session.codebook, 1000, session.unit)
        assert {(plan.person, plan.rows_per_person) for _, plan in plans} == {("person", 7)}


def _candidates(session, kind):
    return runs.candidates(kind, session.settings, session.codebook, 1000)[0]


def test_methods_that_cannot_run_under_the_promise_are_named(app):
    from hmpb_core.privacy.guarantee import Neighbors

    session = app.session_state["hmpb"]
    session.settings.neighbors = Neighbors.ADD_REMOVE
    _, left_out = runs.candidates("methods", session.settings, session.codebook, 1000)
    assert left_out == (
        "methods.privbayes.compared",
        "methods.privscbn.compared",
        "methods.jtree.compared",
        "methods.naive-bayes.compared",
    )
    assert runs.label_of(left_out[0]) == "PrivBayes", "said in the language of whoever reads it"


def outcome_of(label, plan, error, total, *, unpaid=False, n_runs=2):
    from hmpb_core.metrics.sweep import Outcome

    errors = (error,) * n_runs
    return Outcome(
        label=label, plan=plan, total=total, unpaid=unpaid, pairs=errors, triples=errors, seconds=1.0
    )


def test_the_conclusion_ranks_within_one_guarantee_alone(app):
    session = app.session_state["hmpb"]
    plans = dict(runs.candidates("methods", session.settings, session.codebook, 1000)[0])
    published, bare = plans["compare.method.published"], plans["methods.noprivacy.compared"]
    outcomes = [
        outcome_of("No protection", bare, 0.01, None),
        outcome_of("PrivBayes", plans["methods.privbayes.compared"], 0.20, 1.0),
        outcome_of("JTree", plans["methods.jtree.compared"], 0.10, 1.0),
        outcome_of("As published", published, 0.05, 12.32, unpaid=True),
    ]
    said = board.conclusion(outcomes)
    assert "JTree is nearest" in said
    assert "other 2 are under another guarantee or none" in said
    assert "No protection" not in said
    assert [board.promise_of(outcome) for outcome in outcomes[::3]] == [
        "none",
        "as published: real bill 12.3 times what it names, and more that nobody can name",
    ]
    assert board.promise_of(outcomes[1]) == "zCDP, replacing one row"
    assert "cannot be told apart" in board.conclusion(
        [outcomes[1], outcome_of("Twin", plans["methods.jtree.compared"], 0.20, 1.0)]
    )
    level = outcome_of("Level", plans["methods.privbayes.compared"], 0.10, 1.0)
    said = board.conclusion(
        [outcomes[1], outcomes[2], outcome_of("Twin", plans["methods.jtree.compared"], 0.10, 1.0), level]
    )
    assert "JTree (0.1), Twin (0.1) and Level (0.1) cannot be told apart" in said, "all of them are named"
    once = [outcome_of("Lucky", plans["methods.jtree.compared"], 0.10, 1.0, n_runs=1), outcomes[1]]
    assert "cannot be told apart" in board.conclusion(once), "one run does not tell luck from better"
    assert "nothing is ranked" in board.conclusion(outcomes[:1])


def test_a_comparison_is_marked_once_the_plan_has_changed(app):
    session = app.session_state["hmpb"]
    session.compare.outcome = runs.Sweep(
        kind="methods", demo="stays", n_rows=100, outcomes=[], left_out=(), plan=session.plan
    )
    app.switch_page("pages/compare/page.py").run()
    assert not any("The plan has changed" in c.value for c in app.caption)
    session.settings.epsilon = 0.5
    app.run()
    assert any("The plan has changed" in c.value for c in app.caption)


def test_the_noise_that_was_drawn_is_held_against_the_runs_own_gamma_wherever_the_slider_is(app):
    session = app.session_state["hmpb"]
    book = session.codebook
    plan = make_plan(Guarantee(epsilon=5.0), book.domain, n_rows=ROWS, clusters=1, learner="ibayes")
    model = fit_source(MemorySource(encode(session.table.frame.head(ROWS), book), book.domain), plan, seed=1)
    rows = model.sample(ROWS, rng=np.random.default_rng(1))
    session.use_result(Result(model=model, rows=rows, codebook=book, source=session.table))
    app.switch_page("pages/weights/page.py").run()

    def said(words):
        return [m.value for m in app.markdown if words in m.value]

    own = said("Rank correlation")
    assert own
    app.slider(key=f"gamma_{session.results}").set_value(-4.0).run()
    assert said("Rank correlation") == own
    assert said("Largest share")
    app.slider(key=f"gamma_{session.results}").set_value(0.0).run()
    assert not said("Largest share")
    assert said("attributes get about the same share")


@pytest.mark.parametrize("method", ["privbayes", "jtree", "naive-bayes", "independent"])
def test_of_a_method_that_weighs_nothing_no_shift_and_no_gamma_are_shown(app, method):
    session = give_result(app, method=method)
    app.switch_page("pages/weights/page.py").run()
    assert not app.exception
    assert any("This method weighs no table by risk" in i.value for i in app.info)
    assert not app.slider
    assert not [button for button in app.button if button.key == "take_gamma"]
    assert not any("Largest share" in m.value for m in app.markdown)
    assert next(s.value for s in app.subheader) == "What was spent on each attribute"
    app.switch_page("pages/similarity/page.py").run()
    assert not [button for button in app.button if button.key == "take_mic"], "no plan of it could run"
    assert session.settings.similarity == "auto"
    drawn = [chart for chart in app.get("plotly_chart") if "heatmap" in chart.proto.spec]
    assert len(drawn) == (method != "independent"), "nothing relates columns that are drawn by themselves"
    captions = [c.value for c in app.caption if "each row and column is an attribute" in c.value]
    assert not any("frames mark these" in caption for caption in captions), "none of them makes clusters"
    assert not any('"rect"' in chart.proto.spec for chart in drawn)


def test_where_a_method_makes_no_clusters_nothing_asks_for_their_number(app):
    session = give_result(app, method="jtree")
    app.switch_page("pages/similarity/page.py").run()
    assert not app.exception
    assert session.result.model.similarity is not None
    assert any("makes no clusters" in info.value for info in app.info)
    assert not app.slider
    assert not app.number_input
    assert not [button for button in app.button if button.key == "take_clusters"]
    assert not any("inside their clusters" in m.value for m in app.markdown)
    assert "How many clusters?" not in [s.value for s in app.subheader]
    assert any("measured and paid for" in m.value for m in app.markdown), "the matrix is there"


def test_where_a_plan_pays_nothing_for_similarity_the_page_does_not_blame_the_method(app):
    session = app.session_state["hmpb"]
    session.settings.shares = Shares.from_weights(
        one_way_tables=4, similarity=0, structure=1, conditional_tables=5
    )
    rehearse(session)
    app.switch_page("pages/similarity/page.py").run()
    assert [i.value for i in app.info if "no share of the budget" in i.value]
    assert not [i.value for i in app.info if "This method measures no similarity" in i.value]


def test_of_a_run_without_noise_no_page_speaks_of_noise_or_of_a_limit(app):
    session = app.session_state["hmpb"]
    session.settings.choose("method", "noprivacy")
    rehearse(session)
    for name in ("run", "similarity", "networks"):
        app.switch_page(f"pages/{name}/page.py").run()
        assert not app.exception
        said = " ".join(block.value for block in (*app.markdown, *app.caption, *app.sidebar.caption))
        assert "Privacy loss limit: epsilon" not in said
        assert "every stage paid in full" not in said
        assert "that noise alone would show" not in said
        assert "noise interval" not in said
        assert "noise band" not in said
        assert "noisy tables" not in said
    noise = next(metric.value for metric in app.metric if "Noise" in metric.label)
    assert noise == "0"


def test_a_class_model_that_nobody_paid_for_is_not_called_risk_weights_or_a_fit_to_noisy_tables(app):
    session = app.session_state["hmpb"]
    for name, value in (("method", "naive-bayes"), ("accounting", Accounting.AS_PUBLISHED)):
        session.settings.choose(name, value)
    rehearse(session)
    app.switch_page("pages/networks/page.py").run()
    assert any("read from the rows without noise" in caption.value for caption in app.caption)
    app.switch_page("pages/explain/page.py").run()
    assert not app.exception
    (warning,) = [w.value for w in app.warning if "published accounting" in w.value]
    assert "class model" in warning
    assert "risk weights" not in warning


def test_a_margin_of_a_larger_table_that_was_measured_is_not_said_to_be_fitted_to_smaller_ones(app):
    session = app.session_state["hmpb"]
    for name, value in (("method", "privbayes"), ("accounting", Accounting.AS_PUBLISHED)):
        session.settings.choose(name, value)
    rehearse(session)
    model = session.result.model
    measured = [{a for a, _ in act.attribute_loss} for act in model.entries if act.act == "measure"]
    nodes = graph_of(model).nodes
    whole = [any({n.index, *n.parents} <= table for table in measured) for n in nodes]
    assert any(not any({n.index, *n.parents} == table for table in measured) for n in nodes)
    assert [measured_whole(model, n) for n in nodes] == whole == [True] * len(nodes)


def test_weights_are_set_by_hand_for_columns_also_where_the_method_cuts_them_into_bits(app, unfold):
    session = app.session_state["hmpb"]
    book = session.codebook
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=ROWS, encoding="bits")
    model = fit_source(MemorySource(encode(session.table.frame.head(ROWS), book), book.domain), plan, seed=1)
    rows = model.sample(ROWS, rng=np.random.default_rng(1))
    session.use_result(Result(model=model, rows=rows, codebook=book, source=session.table))
    app.switch_page("pages/weights/page.py").run()
    by_hand = next(table for table in unfold(app).dataframe if table.proto.editing_mode)
    assert list(by_hand.value.iloc[:, 0]) == list(book.domain.names), "a plan takes weights of columns alone"
    name = book.domain.names[1]
    weighed = weigh(model, gamma=1.0, manual={name: 7.0})
    assert {w.name for w in weighed if w.weight == 7.0} == {
        n for n in model.names if n.startswith(f"{name}:")
    }


def test_what_is_taken_into_the_plan_is_said(app):
    session = give_result(app, method="hmprivbayes")
    app.switch_page("pages/weights/page.py").run()
    app.slider(key=f"gamma_{session.results}").set_value(2.0).run()
    app.button(key="take_gamma").click().run()
    assert session.settings.gamma == 2.0
    assert [toast.value for toast in app.toast] == [
        "The plan has gamma 2 now. It counts from the next run on."
    ]


def test_a_page_that_is_opened_in_the_middle_of_a_release_says_so(app):
    session = app.session_state["hmpb"]
    session.job = Job("run", print, charges=True)
    app.switch_page("pages/run/page.py").run()
    assert any("The release is being made" in m.value for m in app.markdown)
    assert not [button for button in app.button if button.key == "rehearse"], "it opens on the release"
    session.job = Job("run", print)
    app.session_state["run_tab"] = "Rehearse: free"
    app.run()
    assert not any("The release is being made" in m.value for m in app.markdown)


def test_a_release_under_way_is_shown_while_another_table_is_described_and_when_it_is_made(app):
    session = app.session_state["hmpb"]
    session.job = job = Job("run", lambda _: "rows", charges=True)
    session.forget()
    app.switch_page("pages/run/page.py").run()
    assert any("the table that was loaded before is being made" in m.value for m in app.markdown)
    assert app.button(key="job_cancel")
    job.run()
    assert job.result is None
    app.run()
    assert not app.exception
    assert any("the table that was loaded before is made" in m.value for m in app.markdown)
    assert not [button for button in app.button if button.key == "job_cancel"]


def test_whoever_comes_back_to_run_finds_the_release_where_it_was_left(app):
    app.switch_page("pages/run/page.py").run()
    app.session_state["run_tab"] = "Release: spends the budget"
    app.run()
    app.switch_page("pages/plan/page.py").run()
    app.switch_page("pages/run/page.py").run()
    assert not [button for button in app.button if button.key == "rehearse"]
    app.session_state["run_tab"] = "Rehearse: free"
    app.run()
    app.switch_page("pages/plan/page.py").run()
    app.switch_page("pages/run/page.py").run()
    assert [button for button in app.button if button.key == "rehearse"]


def test_similarity_shows_no_matrix_of_naive_bayes_as_published(app):
    """It pays for no table of two attributes: every pair was at 0 % and within a band of 1."""
    session = app.session_state["hmpb"]
    session.settings.choose("method", "naive-bayes")
    session.settings.choose("accounting", Accounting.AS_PUBLISHED)
    session.settings.choose("rows", 200)
    rehearse(session)
    app.switch_page("pages/similarity/page.py").run()
    assert not app.exception
    assert not app.error
    assert any("no table of two attributes" in info.value for info in app.info)
    assert "pair_first" not in [box.key for box in app.selectbox]
