"""A page that is left and comes back within one click: its browser has lost the widgets, not the answers."""

import pytest

from hmpb_core.privacy.guarantee import Neighbors
from pages.data import drafts, fields, loading
from pages.shared.page_list import page_file

KINDS = ("text_input", "text_area", "number_input", "checkbox", "toggle", "slider", "selectbox", "radio")


def session(app):
    return app.session_state["hmpb"]


def open_card(app, name):
    loading.load_bytes(session(app), b"town,height,flag\n" + b"A,1,0\nB,2,1\n" * 20, "t.csv")
    app.run()
    place = [e["name"] for e in session(app).draft["fields"]].index(name)
    app.button(key=f"open_{place}").click().run()
    return lambda part: f"card_{session(app).uploads}_{place}_{part}"


def starts_with(widget):
    """What a browser shows that has lost the widget."""
    start = widget.proto.default
    if widget.type in ("selectbox", "radio"):
        return widget.options[start] if widget.proto.HasField("default") else None
    if widget.type == "slider":
        return start[0]
    return start


def shows(widget):
    if widget.type in ("selectbox", "radio"):
        return None if widget.index is None else widget.options[widget.index]
    return widget.value


@pytest.mark.parametrize("name", ["plan", "run", "compare", "explain", "experiments", "anonymize"])
def test_the_widgets_of_a_page_start_with_what_they_show(app, name):
    session(app).settings.epsilon, session(app).settings.clusters = 2.0, 3
    session(app).compare.repeats, session(app).anonymize.k = 4, 5
    app.switch_page(page_file(name)).run()
    widgets = [widget for kind in KINDS for widget in app.get(kind) if widget.key]
    assert widgets
    assert {w.key: starts_with(w) for w in widgets} == {w.key: shows(w) for w in widgets}


def test_the_widgets_of_a_card_start_with_what_the_codebook_says(app):
    key = open_card(app, "town")
    app.text_area(key=key("categories")).set_value("A, B").run()
    app.checkbox(key=key("ordered")).set_value(True).run()
    assert app.text_area(key=key("categories")).proto.default == "A\nB"
    widgets = [w for kind in KINDS for w in app.get(kind) if (w.key or "").startswith("card_")]
    assert {w.key: starts_with(w) for w in widgets} == {w.key: shows(w) for w in widgets}


def crossed(app):
    """Go to Plan while a message of Data's widgets is under way: it brings Data back, all of it changed."""
    tree = app._tree
    app.switch_page("pages/plan/page.py").run()
    app._tree = tree
    app.switch_page("pages/data/page.py").run()
    assert [e.value for e in app.exception] == []


def test_a_page_that_comes_back_with_all_its_widgets_changes_nothing(app):
    key = open_card(app, "town")
    app.text_area(key=key("categories")).set_value("A, B").run()
    given = {
        "type": "string",
        "constraints": {"enum": ["A", "B"]},
        "source": {"kind": "file", "name": "q.json"},
    }
    drafts.change(session(app), "town", lambda _: {"name": "town", **given})
    app.run()
    before, chosen = session(app).draft, set(session(app).data.chosen)
    crossed(app)
    assert session(app).draft == before
    assert session(app).data.chosen == chosen
    assert app.text_area(key=key("categories")).value == "A\nB"


def test_what_was_typed_just_before_the_page_was_left_is_kept(app):
    key = open_card(app, "town")
    app.text_area(key=key("categories")).set_value("A, B")
    crossed(app)
    kept = drafts.field_named(session(app), "town")
    assert kept["categories"] == ["A", "B"]
    assert fields.is_published(kept)
    assert starts_with(app.text_area(key=key("categories"))) == "A\nB"
    assert starts_with(app.toggle(key=key("publish"))) is True


def in_chinese(app):
    """Switch the language; each widget sends once more the word that it showed, as a browser does."""
    app.selectbox(key="language").set_value("zh").run()
    assert [e.value for e in app.exception] == []


def told_anew(widget):
    """Whether the browser is told what to show, for the word that it knows is not in the list."""
    return widget.proto.set_value


def open_registration(app):
    app.session_state["fold_survey"] = True
    app.switch_page(page_file("data")).run()


def test_what_is_said_of_a_data_set_survives_its_language_and_its_page(app):
    loading.load_bytes(session(app), b"who,flag\n" + b"A,1\nB,0\n" * 20, "t.csv")
    open_registration(app)
    app.radio(key="register_unit").set_value("person").run()
    app.selectbox(key="register_column").set_value("who").run()
    app.radio(key="register_neighbors").set_value(Neighbors.ADD_REMOVE).run()
    app.number_input(key="register_cap").set_value(2.0).run()
    app.text_input(key="register_why").set_value("teaching").run()

    app.switch_page(page_file("plan")).run()
    open_registration(app)
    assert app.selectbox(key="register_column").value == "who"
    assert app.number_input(key="register_cap").value == 2.0
    assert app.text_input(key="register_why").value == "teaching"
    in_chinese(app)
    for name, value in (("unit", "person"), ("neighbors", Neighbors.ADD_REMOVE)):
        radio = app.radio(key=f"register_{name}")
        assert radio.value == value
        assert told_anew(radio)


def test_a_half_made_declaration_survives_its_language(app):
    key = open_card(app, "town")
    loading.guess(session(app))
    app.run()
    app.selectbox(key=key("declare_grounds")).set_value("law").run()
    app.text_input(key=key("declare_name")).set_value("Act 7").run()
    in_chinese(app)
    grounds = app.selectbox(key=key("declare_grounds"))
    assert (grounds.value, app.text_input(key=key("declare_name")).value) == ("law", "Act 7")
    assert told_anew(grounds)
