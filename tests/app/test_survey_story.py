"""A German file from upload to a rehearsal without leaving the app: its codebook comes from a paid survey."""

import re
import time

import numpy as np
import pandas as pd
import pytest

from pages.data import drafts, loading
from pages.data.fields import with_categories
from pages.session.jobs import Job, JobState
from pages.session.ledger import open_workspace
from pages.words.catalogue import plain

ROWS = 12_000
STATES = ("Bayern", "Berlin", "Bremen", "Hessen", "Saarland", "Sachsen", "Thüringen")
WARDS = ("Innere", "Chirurgie", "Kinder")


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    monkeypatch.setenv("HMPB_WORKSPACE", str(tmp_path / "ledger"))


def german_file():
    """What Excel saves in German: semicolons, decimal commas, Latin-1, dates with points."""
    rng = np.random.default_rng(8)
    table = pd.DataFrame(
        {
            "Patienten-ID": np.arange(ROWS) + 40_000,
            "Geschlecht": rng.choice(["weiblich", "männlich"], ROWS),
            "Größe": pd.Series(rng.integers(140, 210, ROWS) / 100).map("{:.2f}".format).str.replace(".", ","),
            "aufgenommen": pd.Series(
                pd.to_datetime("1995-01-01") + pd.to_timedelta(rng.integers(0, 730, ROWS), unit="D")
            ).dt.strftime("%d.%m.%Y"),
            "ICD": rng.choice(["I10.90", "E11.9", "J44.1", "M54.5"], ROWS),
            "Station": rng.choice(WARDS, ROWS, p=[0.5, 0.3, 0.2]),
            "Wohnort": rng.choice(STATES, ROWS, p=[0.4, 0.2, 0.02, 0.18, 0.05, 0.1, 0.05]),
            "Notiz": [f"Müller sagt Nr. {i}" for i in range(ROWS)],
        }
    )
    return table.to_csv(sep=";", index=False, lineterminator="\r\n").encode("latin-1")


def session(app):
    return app.session_state["hmpb"]


def calm(app):
    assert [e.value for e in app.exception] == []
    assert [e.value for e in app.error] == []


def finish(app, job):
    end = time.monotonic() + 180
    while job.active and time.monotonic() < end:
        time.sleep(0.1)
    app.run()
    calm(app)


@pytest.mark.parametrize("shared", [True, False])
def test_an_identifier_that_several_rows_share_is_named_before_a_row_is_registered_as_a_person(app, shared):
    lines = "\n".join(f"p{i // 2 if shared else i},{20 + i}" for i in range(60))
    loading.load_bytes(session(app), f"patient_id,points\n{lines}\n".encode(), "stays.csv")
    app.session_state["fold_survey"] = True
    app.run()
    calm(app)
    assert any("Identifiers that several rows share" in w.value for w in app.warning) is shared


def test_a_german_file_goes_from_upload_to_a_rehearsal_by_a_survey(app):
    loading.load_bytes(session(app), german_file(), "Patienten.csv")
    app.run()
    calm(app)
    names = ["Größe", "aufgenommen", "Station", "Wohnort"]
    app.session_state["fold_survey"] = True
    app.run()
    calm(app)
    assert any("Columns whose values nearly all differ" in m.value for m in app.markdown)
    app.radio(key="register_unit").set_value("row")
    app.number_input(key="register_cap").set_value(2.0)
    next(b for b in app.button if b.label == plain("run.register.save")).click().run()
    calm(app)
    price = "A next release or survey may cost 1.994 now"  # at the whole delta, of which surveys have a tenth
    assert any(price in m.value for m in app.markdown), "before it is paid"
    assert any("less than the sum of their epsilons" in c.value for c in app.caption), "why it falls by less"
    app.button(key="survey_go").click().run()
    job = session(app).data.survey
    finish(app, job)

    assert session(app).data.surveyed.hidden == ()
    field = {name: drafts.field_named(session(app), name) for name in [*names, "ICD", "Geschlecht", "Notiz"]}
    assert all(field[name]["source"] == {"kind": "survey", "entry": 2} for name in names)
    values = {
        n: [c["value"] if isinstance(c, dict) else c for c in field[n].get("categories", [])] for n in field
    }
    assert set(WARDS) < set(values["Station"])
    assert set(STATES) < set(values["Wohnort"]), "a public list is recognised whole, Bremen with it"
    assert values["Geschlecht"][:2] == ["weiblich", "männlich"], "in the file's own words"
    assert field["aufgenommen"]["format"] == "%d.%m.%Y"
    assert field["aufgenommen"]["constraints"] in (
        {"minimum": "01.01.1995", "maximum": "31.12.1996"},
        {"minimum": "01.01.1994", "maximum": "31.12.1997"},  # where noise hides more than a hundredth
    )
    assert field["Größe"]["decimals"] == 2
    assert field["Notiz"]["publish"] is False
    charge = open_workspace().entries()[1]
    asked = ["Geschlecht", "Größe", "aufgenommen", "ICD", "Station", "Wohnort"]
    assert charge.details["survey"] == asked, "vocabularies too: whether they fit"
    assert float(open_workspace().datasets()[0].spent) == pytest.approx(0.1, rel=1e-6)
    assert session(app).ready
    assert session(app).codebook.undeclared == frozenset(), "what was paid for needs no further word"

    app.switch_page("pages/run/page.py").run()
    calm(app)
    app.button(key="rehearse").click().run()
    finish(app, session(app).job)
    assert session(app).result.rehearsal
    assert set(session(app).result.rows.columns) == {*names, "ICD", "Geschlecht"}

    # The same file in another session: what was paid for is there, for nothing.
    loading.load_bytes(session(app), german_file(), "Patienten.csv")
    assert not session(app).ready
    app.switch_page("pages/data/page.py").run()
    app.session_state["fold_survey"] = True
    app.run()
    calm(app)
    app.button(key="survey_known").click().run()
    calm(app)
    assert all(drafts.field_named(session(app), name) == field[name] for name in names)
    assert session(app).ready
    assert len(open_workspace().entries()) == 3, "registered, charged, completed: no second charge"


@pytest.mark.parametrize(("part", "kind"), [(0.9, "too_few"), (1.5, "shared_by"), (4, None)])
def test_a_dearer_price_is_named_where_a_survey_would_find_what_most_rows_share_at_most(app, part, kind):
    towns = pd.DataFrame({"town": ["Aa", "Ab", "Ac"] * 2000})
    loading.load_bytes(session(app), towns[:3000].to_csv(index=False).encode(), "towns.csv")
    register_rows(app)
    said = [c.value for c in (*app.caption, *app.warning) if "A text is found if about" in c.value]
    least = int(re.search(r"about ([\d,]+) rows", said[0])[1].replace(",", ""))
    loading.load_bytes(session(app), towns[: int(part * least)].to_csv(index=False).encode(), "few.csv")
    register_rows(app)
    dearer = [w.value for w in app.warning if "what a quarter of the rows share is found" in w.value]
    begins = kind and plain(f"data.survey.{kind}", n=f"{least:,}").split(",")[0].split(".")[0]
    assert [text.startswith(begins) for text in dearer] == [True] * bool(kind)


def register_rows(app):
    """Have each row be a person, and what a survey would cost shown."""
    app.session_state["fold_survey"] = True
    app.run()
    app.radio(key="register_unit").set_value("row")
    app.number_input(key="register_cap").set_value(2.0)
    next(b for b in app.button if b.label == plain("run.register.save")).click().run()
    calm(app)


def test_an_edit_while_a_survey_runs_neither_stops_it_nor_is_overwritten(app):
    loading.load_bytes(session(app), german_file(), "Patienten.csv")
    app.run()
    drafts.change(session(app), "Station", lambda entry: with_categories(entry, WARDS))
    app.session_state["fold_survey"] = True
    app.run()
    app.radio(key="register_unit").set_value("row")
    app.number_input(key="register_cap").set_value(2.0)
    next(b for b in app.button if b.label == plain("run.register.save")).click().run()
    app.button(key="survey_go").click().run()
    job = session(app).data.survey
    drafts.change(session(app), "Wohnort", lambda entry: with_categories(entry, ["Bayern"]))
    finish(app, job)
    assert drafts.field_named(session(app), "Wohnort")["categories"] == ["Bayern"]
    assert drafts.field_named(session(app), "Größe")["source"]["kind"] == "survey"
    assert "Station" not in open_workspace().entries()[1].details["survey"]


def test_a_survey_under_way_is_watched_after_another_table_is_loaded_and_leaves_that_one_alone(app):
    job = Job("survey", lambda _: None, charges=True)
    job.state = JobState.RUNNING
    session(app).data.survey = job
    loading.load_bytes(session(app), german_file(), "Patienten.csv")
    app.run()
    calm(app)
    assert any("loaded before is under way" in m.value for m in app.markdown)
    assert any(b.key == "job_cancel" for b in app.button)
    draft = session(app).draft
    job.run()
    app.run()
    calm(app)
    assert any("loaded before has ended" in m.value for m in app.markdown)
    assert job.result is None
    assert session(app).draft == draft, "nothing it found is written into another table's codebook"


def test_while_a_survey_runs_the_page_says_that_it_is_charged_and_stays_so(app):
    loading.load_bytes(session(app), german_file(), "Patienten.csv")
    job = Job("survey", lambda _: None, charges=True)
    job.state = JobState.RUNNING
    session(app).data.survey = job
    app.run()
    calm(app)
    assert any("charged already" in m.value and "gives nothing back" in m.value for m in app.markdown)


def test_the_sidebar_says_who_is_protected_as_soon_as_the_table_is_registered(app):
    loading.load_bytes(session(app), german_file(), "Patienten.csv")
    app.run()
    app.session_state["fold_survey"] = True
    app.run()
    app.radio(key="register_unit").set_value("person")
    app.selectbox(key="register_column").set_value("Patienten-ID")
    app.number_input(key="register_rows").set_value(4)
    app.number_input(key="register_cap").set_value(2.0)
    next(b for b in app.button if b.label == plain("run.register.save")).click().run()
    calm(app)
    said = [c.value for c in app.sidebar.caption]
    assert any("at most 4 rows" in line for line in said), said
    assert not any("per row" in line for line in said), said


def test_the_demo_is_not_surveyed(app):
    assert all(box.label != "survey" and "survey" not in box.label for box in app.expander)
