"""The page Explain: it moves with the plan, speaks to three readers, and never reassures."""

import re
import time
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.thorough import sample

TEXT = Path(__file__).resolve().parents[2] / "assets/text"
OWN_PAGES = ("explain", "utility", "compare", "ledger", "tour")
PAGE = "pages/explain/page.py"


@pytest.fixture(autouse=True)
def an_empty_workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("HMPB_WORKSPACE", str(tmp_path / "workspace"))


@pytest.fixture(autouse=True)
def few_runs(monkeypatch):
    """Whoever opens the analyst's edition begins an attack; here it is a short one."""
    from pages.explain import whole_runs

    monkeypatch.setattr(whole_runs, "attack", partial(whole_runs.attack, runs=8))


def words(app):
    return " ".join(m.value for m in (*app.markdown, *app.caption, *app.warning, *app.info))


def fine(app):
    assert not app.exception
    assert not app.error
    return app


def test_each_reader_gets_charts_tables_and_the_full_promise(app, unfold):
    app.switch_page(PAGE)
    fine(app.run())
    for edition, charts in (("person", 1), ("decider", 4), ("analyst", 2)):
        app.radio(key="explain_edition").set_value(edition).run()
        fine(unfold(app))
        assert len(app.get("plotly_chart")) == charts
        assert len(app.dataframe) == charts
        assert "delta 1 in 1 billion, per row" in words(app)


def end_of(app, job):
    """Wait for a job, then let the page take its result."""
    end = time.monotonic() + 60
    while job().active and time.monotonic() < end:
        time.sleep(0.05)
    app.run()
    return fine(app.run())


def test_whole_runs_are_attacked_by_themselves_and_what_is_shown_belongs_to_the_limit(app):
    session = app.session_state["hmpb"]
    app.switch_page(PAGE)
    app.run()
    fine(app.radio(key="explain_edition").set_value("analyst").run())
    before = app.dataframe[1].value
    end_of(app, lambda: session.explain.attacking[1])
    assert "lower bound" in words(app)
    after = app.dataframe[1].value
    assert list(after.columns) == [*before.columns, "Measured"]
    assert len(after) > len(before)
    session.settings.epsilon = 2.0
    fine(app.run())
    assert "lower bound" not in words(app)
    assert session.explain.attacking[0][0].epsilon == 2.0


def test_a_measured_row_names_the_ceiling_at_the_most_false_alarms_that_chance_leaves():
    """No alarm in 49 tries may be 14.6 % by chance: the ceiling at 0 % would look broken by a fair attack."""
    from hmpb_core.audit.attack import AttackPoint
    from hmpb_core.audit.bounds import Rate
    from hmpb_core.report.explain import PrivacyLoss
    from pages.explain.edition_analyst import measured_row

    point = AttackPoint(Rate(0.0, 0.0, 0.146), Rate(0.06, 0.003, 0.259))
    row = measured_row(PrivacyLoss(epsilon=1.0), point)
    assert row == ("0.0–14.6 %", "39.7 %", "0.3–25.9 %")  # 0.146 e = 0.397


def test_the_loaded_table_is_attacked_by_the_steward_and_forgotten_with_it(app):
    from pages.explain.own_attack import TOLD, _percent

    session = app.session_state["hmpb"]
    session.settings.method = "independent"
    session.table = replace(session.table, content=session.table.frame.head(200))
    app.session_state["fold_own_attack"] = True
    app.switch_page(PAGE)
    fine(app.run())
    app.select_slider(key="attack_runs").set_value(6).run()
    app.selectbox(key="attack_sensitive").set_value(session.codebook.domain.names[-1]).run()
    app.button(key="attack_own").click().run()
    session.settings.epsilon = 2.0  # while it is under way
    end_of(app, lambda: session.attack.job)
    assert "it has changed since" in words(app)
    assert session.attack.outcome[0].guarantee.epsilon == 1.0
    assert "No attack stands above" in words(app)
    told = [point for point in session.attack.outcome[1].membership if point.asked == TOLD]
    best = max(told, key=lambda point: point.caught.value - point.false_alarms.value)
    assert best.ceiling > best.false_alarms.high > best.false_alarms.value, (
        "it is that of the most false alarms"
    )
    assert f"up to {_percent(best.false_alarms.high)}; at so many" in words(app)
    assert "Copies prove nothing" in words(app)
    shown = app.dataframe[-1].value
    assert list(shown["False alarms aimed at"][:3]) == ["0.1 %", "1 %", "10 %"]
    assert len(shown) == 13  # three attacks at three rates, inference, linking, singling out, copies
    session.clear_result()
    assert session.attack.outcome is None


def test_sentences_and_counts_move_with_the_plan(app):
    app.switch_page(PAGE)
    first = words(fine(app.run()))
    assert "2.72" in first
    app.session_state["hmpb"].settings.epsilon = 3.0
    second = words(fine(app.run()))
    assert "20.1" in second
    assert first != second


def test_own_numbers_do_not_touch_the_plan(app):
    app.switch_page(PAGE)
    app.run()
    app.radio(key="explain_follow").set_value(False).run()
    app.radio(key="explain_currency").set_value("pure").run()
    fine(app.select_slider(key="explain_epsilon").set_value(0.5).run())
    assert "1.65" in words(app)
    assert "delta 0" in words(app)
    assert app.session_state["hmpb"].settings.epsilon == 1.0


def test_a_pure_limit_gives_the_published_counts(app):
    """Epsilon 1: 10 of 1,000 become at most 28, rounded up as a ceiling must be."""
    app.switch_page(PAGE)
    app.run()
    app.radio(key="explain_follow").set_value(False).run()
    app.radio(key="explain_currency").set_value("pure").run()
    fine(app.radio(key="explain_baseline").set_value(1).run())
    assert "at most 28 of 1,000" in words(app)
    fine(app.radio(key="explain_baseline").set_value(50).run())
    assert "at most 82 of 100" in words(app)


def test_several_people_together_are_less_protected(app):
    app.switch_page(PAGE)
    app.run()
    app.radio(key="explain_follow").set_value(False).run()
    app.radio(key="explain_currency").set_value("pure").run()
    fine(app.select_slider(key="explain_people").set_value(2).run())
    assert "7.39" in words(app)
    assert "2 people together" in words(app)


def test_no_protection_is_called_that(app):

    app.switch_page(PAGE)
    app.session_state["hmpb"].settings.method = "noprivacy"
    fine(app.run())
    assert "no protection" in app.warning[0].value
    assert not app.get("plotly_chart")


def test_the_published_accounting_speaks_of_its_true_bill(app):
    from hmpb_core.planning.methods import Accounting

    app.switch_page(PAGE)
    session = app.session_state["hmpb"]
    session.settings.accounting = Accounting.AS_PUBLISHED
    fine(app.run())
    assert "published accounting" in app.warning[0].value
    assert "epsilon 12.32" in words(app)


def test_choices_survive_a_change_of_language(app):
    app.switch_page(PAGE)
    app.run()
    app.radio(key="explain_edition").set_value("analyst").run()
    fine(app.selectbox(key="language").set_value("zh").run())
    assert app.radio(key="explain_edition").value == "analyst"
    assert app.title[0].value == "解读"


def test_an_acceptance_mark_that_is_missed_is_said_in_words(app):
    app.switch_page(PAGE)
    app.run()
    app.radio(key="explain_edition").set_value("decider").run()
    app.number_input(key="explain_most_error").set_value(1000).run()
    assert "does not meet it" not in str(app.table[0].value)
    fine(app.number_input(key="explain_most_right").set_value(50).run())
    assert "does not meet it" in str(app.table[0].value)


def test_marks_are_called_agreed_only_once_somebody_wrote_down_who_agreed_them(app):
    app.switch_page(PAGE)
    app.run()
    app.radio(key="explain_edition").set_value("decider").run()
    assert "Proposed" in str(app.table[0].value)
    assert any("Nobody has agreed these marks" in c.value for c in app.caption)
    app.text_input(key="explain_agreed_by").set_value("A. *Ito*").run()
    fine(app.text_input(key="explain_agreed_on").set_value("2026-01-31").run())
    assert "Agreed" in str(app.table[0].value)
    assert any(r"Agreed by A. \*Ito\* on 2026" in c.value for c in app.caption)


def test_the_data_sets_life_is_drawn_from_the_ledger(app, tmp_path):
    import pandas as pd

    from hmpb_core.privacy.unit import Unit
    from hmpb_core.publishing.workspace import Workspace

    workspace = Workspace(tmp_path / "workspace", create=True)
    dataset = workspace.register(
        pd.DataFrame({"a": [1, 2]}),
        name="Survey *x*",
        unit=Unit(column="patient *x*", rows=3),
        cap_epsilon=2,
        cap_delta=1e-9,
    )
    app.switch_page(PAGE)
    app.run()
    app.radio(key="explain_edition").set_value("decider").run()
    fine(app.selectbox(key="explain_dataset").set_value(dataset.id).run())
    assert app.session_state["hmpb"].explain.dataset == dataset.id
    assert "Survey \\*x\\* in the ledger" in words(app)
    assert "per person (patient \\*x\\*, at most 3 rows)" in words(app)
    fine(app.number_input(key="explain_releases").set_value(1).run())
    assert not any("the ledger refuses" in warning.value for warning in app.warning)
    app.number_input(key="explain_most_epsilon").set_value(50.0).run()
    fine(app.number_input(key="explain_releases").set_value(12).run())
    assert "does not meet it" not in str(app.table[0].value.iloc[2])
    assert any("the ledger refuses" in warning.value for warning in app.warning), "the mark is not the cap"


def test_another_tables_data_set_is_not_spoken_of_any_more(app, tmp_path):
    import pandas as pd

    from hmpb_core.privacy.unit import ROW
    from hmpb_core.publishing.workspace import Workspace
    from pages.data.loading import load_bytes

    workspace = Workspace(tmp_path / "workspace", create=True)
    tables = {name: f"{name}\n1\n2\n".encode() for name in ("first", "second", "third")}
    by_name = {
        name: workspace.register(
            pd.DataFrame({name: ["1", "2"]}), name=name, unit=ROW, cap_epsilon=2, cap_delta=1e-9
        )
        for name in ("first", "second")
    }
    session = app.session_state["hmpb"]
    app.switch_page(PAGE).run()
    for name, content in tables.items():
        load_bytes(session, content, f"{name}.csv")
        fine(app.run())
        own = by_name[name].id if name in by_name else ""
        assert app.selectbox(key="explain_dataset").value == own
    fine(app.selectbox(key="explain_dataset").set_value(by_name["first"].id).run())
    assert session.explain.dataset == by_name["first"].id, "a choice of the reader's stays"
    session.forget()
    assert session.explain.dataset == ""


def test_a_ceiling_near_certainty_is_not_called_at_most_over(app):
    app.session_state["hmpb"].settings.epsilon = 50.0
    app.switch_page(PAGE)
    app.run()
    said = words(fine(app.radio(key="explain_edition").set_value("decider").run()))
    assert "over 99.9 % of the guesses can be" in said
    assert "can be over 99.9 % sure" in said
    assert not re.search(r"at (most|least) over", said)


@pytest.mark.parametrize(
    ("code", "sure"), [("en", ": over 99.9 % of the guesses"), ("zh", "可能性超过 99.9%")]
)
def test_a_handout_does_not_call_it_so_either(app, code, sure, monkeypatch):
    from hmpb_core.report.handout import to_html
    from pages.explain import handouts
    from pages.explain.subject import promise_of
    from pages.session.choices import Edition, ExplainChoices
    from pages.words import catalogue

    monkeypatch.setattr(catalogue, "language", lambda: code)
    monkeypatch.setattr(handouts, "language", lambda: code)
    session = app.session_state["hmpb"]
    session.settings.epsilon = 50.0
    session.explain = ExplainChoices(edition=Edition.DECIDER)
    assert sure in to_html(handouts.handout(promise_of(session), session.explain))


def texts(language, page):
    def flat(values):
        for value in values.values():
            yield from flat(value) if isinstance(value, dict) else [value]

    return " ".join(flat(tomllib.loads((TEXT / language / f"{page}.toml").read_text(encoding="utf-8"))))


@pytest.mark.parametrize("page", OWN_PAGES)
def test_nothing_promises_more_than_the_limit_does(page):
    said = texts("en", page).lower()
    said = re.sub("k-anonymity|page anonymize", "", said)  # another promise, and the page that makes it
    assert not re.search(r"\b(anonym\w*|safe\w*|guaranteed private|military)\b", said)
    assert "confidence interval" not in said
    assert not re.search("匿名|安全", re.sub("k-匿名|“匿名化”页", "", texts("zh", page)))


@pytest.mark.parametrize(("code", "whom"), [("en", "you"), ("zh", "您")])
def test_only_a_person_of_the_table_is_spoken_to_as_one(app, code, whom, monkeypatch):
    from pages.explain.subject import person_sentences, promise_of
    from pages.words import catalogue

    monkeypatch.setattr(catalogue, "language", lambda: code)
    promise = promise_of(app.session_state["hmpb"])
    assert all(whom in sentence for sentence in person_sentences(promise))
    assert not any(whom in sentence for sentence in person_sentences(promise, addressed=False))


@pytest.mark.parametrize("edition", sample(["person", "decider", "analyst"], 2))
@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_handout_is_one_page_in_both_languages(app, edition, code, monkeypatch):
    from hmpb_core.report.handout import to_html
    from hmpb_core.report.handout_pdf import to_pdf
    from pages.explain import handouts
    from pages.explain.subject import promise_of
    from pages.session.choices import Edition, ExplainChoices
    from pages.words import catalogue

    monkeypatch.setattr(catalogue, "language", lambda: code)
    monkeypatch.setattr(handouts, "language", lambda: code)
    session = app.session_state["hmpb"]
    session.explain = ExplainChoices(edition=Edition(edition))
    made = handouts.handout(promise_of(session), session.explain)
    promise = {
        "en": "epsilon 1, delta 1 in 1 billion, per row",
        "zh": "epsilon 1，delta 10亿分之一，以一行为单位",
    }[code]
    assert promise in to_html(made)
    assert f'lang="{code}"' in to_html(made)
    assert len(re.findall(rb"/Type /Page\b", to_pdf(made))) == 1


@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_handout_about_several_people_says_so_and_writes_its_numbers_out(app, code, monkeypatch):
    from hmpb_core.report.handout import to_html
    from pages.explain import handouts
    from pages.explain.subject import promise_of
    from pages.session.choices import Edition, ExplainChoices
    from pages.words import catalogue

    monkeypatch.setattr(catalogue, "language", lambda: code)
    monkeypatch.setattr(handouts, "language", lambda: code)
    session = app.session_state["hmpb"]

    def page(edition, **choices):
        session.explain = ExplainChoices(edition=Edition(edition), follow=False, **choices)
        return to_html(handouts.handout(promise_of(session), session.explain))

    of_many = {"en": "the rows of 100 people", "zh": "使用 100 个人的行"}[code]
    together = {"en": "said of 100 people together", "zh": "100 个人合在一起，其上限"}[code]
    assert of_many in page("decider", epsilon=0.01, people=100)
    assert together in page("person", epsilon=0.01, people=100)
    assert together not in page("person", epsilon=0.01)
    assert not re.search(r"\de[+-]\d", page("analyst", epsilon=0.01))
    assert "1000" not in page("person", epsilon=10.0)
