"""The page Ledger: parts that sum to the cap, a chain that can be checked, an export without fingerprints."""

import json
from contextlib import closing

import pandas as pd
import pytest

from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.unit import ROW, Unit
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey
from hmpb_core.publishing.workspace import Workspace
from pages.ledger import panels

PAGE = "pages/ledger/page.py"
NAME = "Births <b>*x*</b> [y](z)"


@pytest.fixture(name="folder", autouse=True)
def workspace_folder(tmp_path, monkeypatch):
    folder = tmp_path / "workspace"
    monkeypatch.setenv("HMPB_WORKSPACE", str(folder))
    return folder


@pytest.fixture(name="workspace")
def three_charges(folder):
    """One released, one failed, one that never ended."""
    workspace = Workspace(folder, create=True)
    dataset = workspace.register(
        pd.DataFrame({"a": [1, 2, 3]}),
        name=NAME,
        unit=Unit(column=None, rows=1),
        cap_epsilon=3,
        cap_delta=1e-9,
    )
    pure = Guarantee(epsilon=0.5, delta=0.0, currency=Currency.PURE)
    workspace.complete(
        workspace.charge(
            dataset, Guarantee(epsilon=1.0, delta=0.0, currency=Currency.PURE), details={"title": "Spring"}
        ),
        artefacts={},
    )
    workspace.fail(workspace.charge(dataset, pure), reason="MemoryError")
    workspace.charge(dataset, pure, why="Autumn")
    return workspace


def test_an_empty_ledger_says_where_data_sets_come_from(app, folder):
    app.switch_page(PAGE)
    app.run()
    assert not app.exception
    assert "page Run" in app.info[0].value
    assert not folder.exists()


def test_parts_sum_to_the_cap(workspace):
    dataset = workspace.datasets()[0]
    parts = panels.parts_of(dataset, workspace.entries(dataset))
    assert parts.released == pytest.approx(1.0, abs=1e-6)
    assert parts.failed == pytest.approx(0.5)
    assert parts.reserved == pytest.approx(0.5)
    assert parts.left == pytest.approx(1.0, abs=1e-6)
    assert parts.released + parts.failed + parts.reserved + parts.left == pytest.approx(3)


def test_page_shows_what_is_left_and_the_history_newest_first(app, workspace):
    app.switch_page(PAGE)
    app.run()
    assert not app.exception
    assert not app.error
    assert [metric.value for metric in app.metric] == ["3", "1.5", "0.5", "1"]
    history = app.dataframe[-1].value
    assert history["No."].tolist() == [6, 5, 4, 3, 2, 1]
    assert history["What"].tolist()[0] == "charged"
    assert "Births \\<b\\>\\*x\\*\\</b\\> \\[y\\]" in app.markdown[-2].value or any(
        "\\<b\\>" in m.value for m in app.markdown
    )


def test_a_survey_is_not_called_a_release(workspace):
    dataset = workspace.datasets()[0]
    survey = Guarantee(epsilon=0.1, delta=0.0, currency=Currency.PURE)
    workspace.complete(workspace.charge(dataset, survey, details={"survey": ["age", "town"]}), artefacts={})
    history = panels.history(workspace.entries(dataset))
    assert history["What"].tolist()[:2] == ["survey done", "charged"]
    assert history["Title"].tolist()[:2] == ["", "Survey; columns: 2"]
    assert "release written" in history["What"].tolist(), "the release is still one"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("CancelledError", "run cancelled; charge stays"),
        ("KeyboardInterrupt", "run cancelled; charge stays"),
        ("ValueError", "run failed; charge stays"),
    ],
)
def test_a_run_that_somebody_stopped_has_not_failed(workspace, reason, words):
    dataset = workspace.datasets()[0]
    tiny = Guarantee(epsilon=0.1, delta=0.0, currency=Currency.PURE)
    workspace.fail(workspace.charge(dataset, tiny), reason=reason)
    assert panels.history(workspace.entries(dataset))["What"].tolist()[0] == words


def test_a_survey_costs_its_thresholds_part_of_delta_with_its_own_and_leaves_half_of_it_to_later_ones(folder):
    workspace = Workspace(folder, create=True)
    people = pd.DataFrame({"town": ["a", "b"] * 400})
    workspace.register(people, name="People", unit=ROW, cap_epsilon=3, cap_delta=1e-9, survey_delta=1e-10)
    asked = {"fields": [{"name": "town", "type": "string"}]}
    commit = prepare_survey(people, asked, workspace, epsilon=0.1, delta=1e-9)
    assert (commit.guarantee.delta, commit.delta) == pytest.approx((9e-10, 5e-11))
    carry_out_survey(commit, workspace)
    history = panels.history(workspace.entries(commit.before))
    assert history["Cost"].tolist()[1] == "epsilon 0.1, delta 9.5 × 10⁻¹⁰"


def test_a_chain_that_holds_and_one_that_was_changed(app, workspace, folder):
    import sqlite3

    app.switch_page(PAGE)
    app.run()
    app.button(key="ledger_verify").click().run()
    assert "6 entries" in app.info[0].value
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection, connection:
        connection.execute("DROP TRIGGER entries_are_never_changed")
        connection.execute("UPDATE entries SET digest = ? WHERE number = 3", ("0" * 64,))
    app.button(key="ledger_verify").click().run()
    assert app.error


def test_a_receipt_is_answered_as_soon_as_it_is_given(app, workspace):
    app.switch_page(PAGE).run()
    kept = app.code[0].value
    assert app.code[0].proto.wrap_lines, "in a narrow window it is seen whole"
    app.text_input(key="ledger_against").set_value(kept).run()
    assert "6 entries" in app.info[0].value
    assert not app.error
    app.button(key="ledger_verify").click().run()
    assert "6 entries" in app.info[0].value
    app.text_input(key="ledger_against").set_value("9" + kept).run()
    assert "older state" in app.error[0].value
    app.text_input(key="ledger_against").set_value("").run()
    assert not app.error
    file = panels.export_of(workspace, workspace.datasets())
    app.file_uploader(key="ledger_against_file").set_value(("ledger.json", file, "application/json")).run()
    assert "6 entries" in app.info[0].value


def test_export_names_entries_but_no_fingerprint(workspace):
    content = panels.export_of(workspace, workspace.datasets())
    values = json.loads(content)
    assert len(values["datasets"][0]["entries"]) == 6
    assert b"fingerprint" not in content


def test_a_login_sees_its_own_data_sets_only(workspace, monkeypatch):
    from pages.session import ledger

    monkeypatch.setattr(ledger, "has_login", lambda: True)
    monkeypatch.setattr(ledger, "who", lambda: "somebody else")
    assert ledger.own_datasets(workspace) == []


def test_of_several_data_sets_that_of_the_table_at_hand_comes_first(app, workspace):
    own = workspace.register(
        pd.DataFrame({"a": [4, 5, 6, 7]}),
        name="own",
        unit=Unit(column=None, rows=1),
        cap_epsilon=2,
        cap_delta=1e-9,
    )
    app.switch_page(PAGE).run()
    assert app.selectbox(key="ledger_dataset").value != own.id  # nobody has recognised a table yet
    app.switch_page("pages/plan/page.py").run()
    app.session_state["hmpb"].use_dataset(own)
    app.session_state["hmpb"].clear_result()  # as an edit of the codebook does: the data set stays known
    app.switch_page(PAGE).run()
    assert not app.exception
    assert app.selectbox(key="ledger_dataset").value == own.id
