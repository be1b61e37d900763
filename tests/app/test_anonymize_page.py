"""The page Anonymize: classes in the background, refusals before work, no word of epsilon in the result."""

import pandas as pd

from hmpb_core.anonymize.anonymizer import Request
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from pages.anonymize import results
from pages.session import roles
from pages.session.choices import AnonymizeChoices
from pages.session.state import Basis
from tests.app.results import settled

PAGE = "pages/anonymize/page.py"
ROWS = 300


def opened(app):
    """The page, on the first rows of the demo."""
    from dataclasses import replace

    session = app.session_state["hmpb"]
    session.table = replace(session.table, content=session.table.frame.head(ROWS))
    app.switch_page(PAGE).run()
    assert not app.exception
    return session


def words(app):
    kinds = (app.markdown, app.caption, app.success, app.metric, app.header)
    return " ".join(str(element.value) for kind in kinds for element in kind)


def test_where_nothing_is_chosen_the_box_speaks_the_language_of_the_page(app):
    app.switch_page("pages/anonymize/page.py").run()
    assert app.multiselect(key="anonymize_quasi").proto.placeholder == "Choose columns"


def test_k_begins_no_larger_than_the_values_there_are_and_more_is_cautioned_against(app):
    choices = opened(app).anonymize
    values = roles.values_of(app.session_state["hmpb"].codebook.domain, choices.sensitive)
    assert choices.p <= choices.k <= values
    assert not any("as evenly as" in warning.value for warning in app.warning)
    app.slider(key="anonymize_k").set_value(values + 1).run()
    assert any("as evenly as" in warning.value for warning in app.warning)
    app.radio(key="anonymize_method").set_value("maa-minil").run()
    assert not any("as evenly as" in warning.value for warning in app.warning)


def test_the_page_makes_classes_shows_them_and_hands_the_table_over_once_agreed(app, unfold):
    session = opened(app)
    choices = session.anonymize
    app.slider(key="anonymize_k").set_value(5).run()
    app.slider(key="anonymize_p").set_value(2).run()
    app.button(key="anonymize_go").click().run()
    settled(app, lambda: choices.outcome is not None)
    app.run()
    assert not app.exception
    assert not app.error
    request, found = choices.outcome
    assert isinstance(request, Request)
    sizes = found.table.groupby(list(request.quasi), dropna=False)[request.sensitive]
    assert sizes.size().min() >= 5
    assert sizes.nunique().min() >= 2
    assert len(app.get("plotly_chart")) == 1
    assert len(app.metric) == 4
    assert app.get("download_button")[0].proto.disabled
    app.checkbox(key="anonymize_agreed").check().run()
    assert not app.get("download_button")[0].proto.disabled
    app.number_input(key="anonymize_number").set_value(2).run()
    shown = next(frame.value for frame in app.dataframe if "Row" in frame.value)
    assert shown["Row"].iloc[-1] == "published"
    assert len(shown) == min(len(found.members[1]), 20) + 1, "a large class is not listed whole"
    assert list(shown.columns) == ["Row", *request.quasi]
    result = words(app)[words(app).index("What it gave") :]
    assert "epsilon" not in result.lower()
    assert any("Made by MAASAE; quasi-identifiers: " in caption.value for caption in app.caption)
    assert not any("has changed since" in warning.value for warning in app.warning)
    app.slider(key="anonymize_k").set_value(6).run()
    assert any("has changed since" in warning.value for warning in app.warning)
    app.slider(key="anonymize_k").set_value(5).run()
    assert not any("has changed since" in warning.value for warning in app.warning)
    app.button(key="anonymize_go").click().run()
    choices.job.cancel()
    settled(app, lambda: not choices.job.active)
    app.run()
    assert choices.outcome == (request, found), "a run that is cancelled leaves what the last one gave"


def test_classes_that_lose_nothing_are_not_called_coarse(app):
    choices = opened(app).anonymize
    app.multiselect(key="anonymize_quasi").set_value(["sex"]).run()
    app.button(key="anonymize_go").click().run()
    settled(app, lambda: choices.outcome is not None)
    app.run()
    _, found = choices.outcome
    assert found.figures.c_avg > results.COARSE
    assert found.figures.avg_il == 0
    assert not any("times as many rows as k asks" in warning.value for warning in app.warning)


def test_of_a_number_it_is_said_that_its_bins_count_as_values(app):
    session = opened(app)
    domain = session.codebook.domain
    session.anonymize.sensitive = next(
        a.name for a in domain.attributes[3:] if isinstance(a, Numeric) and a.size > 8 and a.kind == "number"
    )
    app.run()
    app.button(key="anonymize_go").click().run()
    settled(app, lambda: session.anonymize.outcome is not None)
    app.run()
    bins = roles.values_of(domain, session.anonymize.sensitive)
    assert f"counted by its {bins} bins" in words(app)


def test_the_csv_that_leaves_is_written_as_the_table_s_own_file():
    reading = {"format": "csv", "encoding": "cp1252", "delimiter": ";", "decimal": ","}
    fields = [
        {"name": "height", "type": "number", "constraints": {"minimum": 0, "maximum": 250}},
        {"name": "ward", "categories": ["Gynäkologie", "Chirurgie"]},
    ]
    rows = pd.DataFrame({"height": [170.5, 181.25], "ward": ["Gynäkologie", "Chirurgie"]})
    german = Codebook.from_dict({"fields": fields, "reading": reading})
    written = results.csv_like_the_table(rows, german).decode("cp1252").splitlines()
    assert written == ["height;ward", "170,5;Gynäkologie", "181,25;Chirurgie"]
    plain = {"delimiter": ",", "decimal": ".", "encoding": "utf-8"}
    refused = Codebook.from_dict({"fields": fields, "reading": reading, "dialect": plain})
    assert results.csv_like_the_table(rows, refused).decode().splitlines()[1] == "170.5,Gynäkologie"


def test_it_says_beside_differential_privacy_that_it_is_none(app):
    opened(app)
    assert any("not differential privacy" in warning.value for warning in app.warning)
    assert "What differential privacy promises" in [box.value for box in app.header]
    assert "What k and p promise" in [box.value for box in app.header]


def test_a_p_above_k_or_above_the_values_there_are_is_refused_before_any_work(app):
    session = opened(app)
    app.slider(key="anonymize_k").set_value(3).run()
    app.slider(key="anonymize_p").set_value(4).run()
    app.button(key="anonymize_go").click().run()
    assert session.anonymize.job is None
    assert any("p must be at least 2 and k at least p" in error.value for error in app.error)
    app.slider(key="anonymize_k").set_value(50).run()
    app.slider(key="anonymize_p").set_value(50).run()
    app.button(key="anonymize_go").click().run()
    assert session.anonymize.job is None
    assert any("fewer different values" in error.value for error in app.error)


def test_it_can_be_cancelled_and_forgets_with_the_table(app):
    app.switch_page(PAGE).run()
    session = app.session_state["hmpb"]
    app.button(key="anonymize_go").click().run()
    session.anonymize.job.cancel()
    settled(app, lambda: not session.anonymize.job.active)
    assert session.anonymize.outcome is None
    session.anonymize.quasi = ["age"]
    session.forget()
    assert session.anonymize.quasi == []
    assert session.anonymize.job is None


def test_the_page_reads_in_chinese_and_on_a_private_table(app):
    session = opened(app)
    from dataclasses import replace

    session.table = replace(session.table, basis=Basis.PRIVATE)
    app.session_state["language"] = "zh"
    app.run()
    assert not app.exception
    assert any("不是差分隐私" in warning.value for warning in app.warning)


def test_the_rest_of_a_list_and_missing_do_not_count_as_values_where_k_and_p_are_proposed():
    rest = {"categories": ["a", "b", "(other)"], "unknown": "(other)"}
    three = {"name": "three", "categories": ["a", "b", "c"]}
    fields = [{"name": "two", **rest}, three, {"name": "last", **rest}]
    choices = AnonymizeChoices()
    roles.fit(choices, Codebook.from_dict({"fields": fields}))
    assert (choices.sensitive, choices.p) == ("three", 3)
    choices = AnonymizeChoices()
    roles.fit(choices, Codebook.from_dict({"fields": [fields[0], fields[2]]}))
    assert (choices.sensitive, choices.p, choices.k) == ("last", 2, 2)


def test_an_attribute_that_the_codebook_marks_as_sensitive_is_proposed_as_that():
    fields = [{"name": name, "categories": ["a", "b", "c", "d"]} for name in ("one", "two", "three")]
    fields[1]["sensitive"] = True
    choices = AnonymizeChoices()
    roles.fit(choices, Codebook.from_dict({"fields": fields}))
    assert choices.sensitive == "two"
    assert choices.quasi == ["one", "three"]
