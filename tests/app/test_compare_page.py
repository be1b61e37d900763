"""Compare: methods beside each other at one budget, on public tables only."""

from dataclasses import replace

import numpy as np
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import CancelledError
from hmpb_core.planning.methods import PUBLISHED_ETA, Accounting, learners_of
from hmpb_core.privacy.budget import Shares
from pages.compare import board, runs
from pages.session.jobs import Job, JobState
from pages.session.state import Basis
from tests.app.results import settled


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


def test_micro_aggregation_is_offered_with_the_numbers_that_its_own_page_begins_with(app):
    session = app.session_state["hmpb"]
    names = ("town", "trade", "answer")
    fields = [{"name": name, "type": "string", "categories": list("abcd")} for name in names]
    session.use_table(session.table, {"fields": fields}, Codebook.from_dict({"fields": fields}))
    app.switch_page("pages/compare/page.py").run()
    offered = app.checkbox(key="compare_with_groups").label
    assert "k = 4, p = 3" in offered
    app.switch_page("pages/anonymize/page.py").run()
    assert (app.slider(key="anonymize_k").value, app.slider(key="anonymize_p").value) == (4, 3)
    app.switch_page("pages/compare/page.py").run()
    assert app.checkbox(key="compare_with_groups").label == offered


def small_work(session, monkeypatch, *, plans=1, grouping=None):
    """A comparison of a few quick plans on few rows."""
    monkeypatch.setattr(runs, "_methods", lambda settings: runs._clusters(settings)[:plans])
    session.settings.method = "independent"
    table = session.plan, session.codebook, session.table
    return runs.sweep_work("methods", session.settings, *table, n_rows=150, repeats=1, grouping=grouping)


def test_micro_aggregation_stands_on_the_board_unranked_and_by_its_own_guarantee(app, monkeypatch):
    session = app.session_state["hmpb"]
    work = small_work(session, monkeypatch, grouping=runs.Grouping(k=5, p=2, sensitive="ward"))
    told: list[float] = []
    said: list[str] = []
    found = work(lambda part, what: (told.append(part), said.append(runs.doing(what))))
    assert told == sorted(told)
    assert list(dict.fromkeys(said))[1:] == [
        "Running 1",
        "Running MAASAE (k-anonymity)",
        "Running MAA-MINIL (k-anonymity)",
        "Running GPKC (k-anonymity)",
    ]
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


def test_what_had_ended_when_a_comparison_was_cancelled_is_shown(app, monkeypatch):
    session = app.session_state["hmpb"]
    work = small_work(session, monkeypatch, plans=2)

    def stop(part, what):
        if part > 0.5:
            raise CancelledError

    job = Job("compare", lambda _: work(stop), keeps=True)
    job.run()
    assert job.state is JobState.DONE
    assert job.result.stopped
    assert len(job.result.outcomes) == 1
    session.compare.job = job
    app.switch_page("pages/compare/page.py").run()
    assert not app.exception
    assert any("Ended by then: 1;" in info.value for info in app.info)
    whole = replace(session.compare.outcome, stopped=False)
    session.compare.outcome, session.compare.job = whole, Job("compare", lambda _: work(stop), keeps=True)
    session.compare.job.run()
    app.run()
    assert session.compare.outcome is whole, "a whole comparison of this plan is worth more"
    session.compare.outcome = replace(whole, n_rows=10)
    session.compare.job = Job("compare", lambda _: work(stop), keeps=True)
    session.compare.job.run()
    app.run()
    assert session.compare.outcome.stopped, "one of other rows says nothing of these"


def test_methods_that_could_not_be_run_are_named_with_the_reason(app, monkeypatch):
    session = app.session_state["hmpb"]
    work = small_work(session, monkeypatch, grouping=runs.Grouping(k=200, p=2, sensitive="ward"))
    found = work(lambda *_: None)
    assert len(found.outcomes) == 1
    session.compare.outcome = found
    app.switch_page("pages/compare/page.py").run()
    assert not app.exception
    (warning,) = [line.value for line in app.warning]
    assert "Micro-aggregation could not be run" in warning
    assert "fewer than 200 rows" in warning


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


def test_a_private_table_is_never_compared_on(app):
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
    twins = [
        outcome_of(name, plans["methods.jtree.compared"], 0.20, 1.0, n_runs=5) for name in ("One", "Twin")
    ]
    assert "5 runs of each do not show that it is nearer than Twin (0.2).**" in board.conclusion(twins)
    assert "More runs" not in board.conclusion(twins), "that is as many as there are"
    level = outcome_of("Level", plans["methods.privbayes.compared"], 0.10, 1.0)
    said = board.conclusion(
        [outcomes[1], outcomes[2], outcome_of("Twin", plans["methods.jtree.compared"], 0.10, 1.0), level]
    )
    assert "JTree (0.1) came nearest, but 2 runs of each do not show" in said
    assert "nearer than Twin (0.1), Level (0.1).** Between" in said, "all of them are named"
    assert "More runs of each may show it." in said
    once = [outcome_of("Lucky", plans["methods.jtree.compared"], 0.10, 1.0, n_runs=1), outcomes[1]]
    assert "does not tell luck from better" in board.conclusion(once)
    assert "Lucky was nearest to the table in it" in board.conclusion(once)
    assert "other" not in board.conclusion(once), "there are no others to be named"
    assert "nothing is ranked" in board.conclusion(outcomes[:1])
    assert "nothing is ranked" in board.conclusion(outcomes[1:2])


def test_two_runs_of_each_seldom_tell_apart_methods_that_are_alike():
    """Their ranges lie apart in a third of all comparisons, and the nearer one was called the nearest."""
    pairs = np.random.default_rng(3).normal(0.08, 0.001, (2000, 2, 2))
    pairs = np.take_along_axis(pairs, np.argsort(pairs.mean(axis=2), axis=1)[:, :, None], axis=1)
    apart = np.mean([nearer.max() < further.min() for nearer, further in pairs])
    assert 0.3 < apart < 0.37
    assert np.mean([board.told_apart(nearer, further) for nearer, further in pairs]) < 0.07
    assert board.told_apart((0.0837, 0.0837), (0.0981, 0.1003)), "what differs is told"


def test_a_single_run_has_no_range_that_would_say_how_much_another_one_differs(app):
    session = app.session_state["hmpb"]
    (_, plan), *_ = runs.candidates("methods", session.settings, session.codebook, 1000)[0]
    once, twice = (
        board._row("methods", outcome_of("It", plan, 0.25, 1.0, n_runs=n))["Two-way tables"] for n in (1, 2)
    )
    assert (once, twice) == ("0.2500", "0.2500\u00a0±\u00a00.0000")


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
