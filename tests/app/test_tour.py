"""The guided tour: every stop says why, it can be left and taken up again."""

import pytest


@pytest.fixture(autouse=True)
def an_empty_workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("HMPB_WORKSPACE", str(tmp_path / "workspace"))


def press(app, button, page, title):
    """Press a button that leads to a page; the test harness has to be told that it got there."""
    app.button(key=button).click().run()
    assert app.title[0].value == title
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception


def test_tour_leads_over_the_pages_and_back(app):
    app.switch_page("pages/tour/page.py").run()
    press(app, "tour_start", "data", "Data")
    assert "stop 1 of 10" in app.markdown[0].value
    press(app, "tour_next", "plan", "Plan")
    press(app, "tour_back", "data", "Data")
    assert not app.exception


def test_tour_waits_on_other_pages_and_is_taken_up_again(app):
    app.switch_page("pages/tour/page.py").run()
    press(app, "tour_start", "data", "Data")
    press(app, "tour_next", "plan", "Plan")
    app.switch_page("pages/explain/page.py").run()
    assert "stop 2 of 10" in app.markdown[0].value
    press(app, "tour_return", "plan", "Plan")
    app.button(key="tour_leave").click().run()
    assert "tour_next" not in [button.key for button in app.button]
    app.switch_page("pages/tour/page.py").run()
    press(app, "tour_resume", "plan", "Plan")
    assert not app.exception


def test_every_stop_has_a_page_and_its_reasons():
    from pages.tour.strip import STOPS
    from pages.words.assets import ROOT
    from pages.words.catalogue import has

    for name, page in STOPS:
        assert (ROOT / "pages" / page / "page.py").is_file()
        assert all(has(f"tour.stops.{name}.{part}") for part in ("name", "why", "do"))


def test_with_a_table_of_ones_own_no_stop_speaks_of_the_demos_columns(app):
    from pages.data.loading import load_bytes
    from pages.tour.strip import STOPS, to_do

    session = app.session_state["hmpb"]
    assert "smoker" in to_do(session, "data")
    load_bytes(session, b"town\na\nb\n", "towns.csv")
    assert not any(
        word in to_do(session, name) for name, _ in STOPS for word in ("smoker", "hospital", "on the demo,")
    )
    app.switch_page("pages/tour/page.py").run()
    press(app, "tour_start", "data", "Data")
    assert "open a card" in " ".join(m.value for m in app.markdown)
    assert "smoker" not in " ".join(m.value for m in app.markdown)
