"""Tables offered by name: opened in the app without loading them, from the codebook to a release."""

import json
import time

import pandas as pd
import pytest

from hmpb_core.sources.relational.table import EngineTable
from pages.data import loading
from pages.session.ledger import open_workspace
from pages.session.state import AppState, Basis
from pages.words.catalogue import plain
from tests.tables import SCHEMA, people


@pytest.fixture
def offered(tmp_path, monkeypatch):
    """A list of one table, all of it too large for memory."""
    people(3000).to_parquet(tmp_path / "people.parquet", index=False)
    (tmp_path / "tables.toml").write_text("[people]\nwhere = '*.parquet'\n", encoding="utf-8")
    monkeypatch.setenv("HMPB_TABLES", str(tmp_path / "tables.toml"))
    monkeypatch.setenv("HMPB_WORKSPACE", str(tmp_path / "ledger"))
    monkeypatch.setattr(loading, "MOST_BYTES", 0)
    return tmp_path


def test_opening_a_table_on_the_server_reads_no_row(offered):
    session = AppState()
    loading.load_named(session, "people")
    table = session.table
    assert isinstance(table.private, EngineTable)
    assert table.private.engine.scans == 0
    assert (table.outside, table.basis, table.name) == ("DuckDB", Basis.PRIVATE, "people")
    assert set(table.columns) == set(people(1).columns)
    loading.use_codebook_file(session, json.dumps(SCHEMA).encode(), "cb.json")
    assert session.ready
    assert table.private.engine.scans == 1  # rows drawn once, for all that looks at rows
    loading.guess(session)
    assert table.private.engine.scans == 1
    assert len(table.frame) == 3000
    session.rename_column("sex", "gender")
    assert session.table is table


def test_a_path_to_a_large_file_is_opened_the_same_way(offered):
    session = AppState()
    loading.load_path(session, str(offered / "people.parquet"))
    assert session.table.outside == "DuckDB"


def test_small_files_are_read_and_only_what_is_offered_is_opened(offered, monkeypatch):
    from hmpb_core.errors import SourceError

    session = AppState()
    monkeypatch.setattr(loading, "MOST_BYTES", 1 << 30)
    loading.load_named(session, "people")
    assert isinstance(session.table.private, pd.DataFrame)
    with pytest.raises(SourceError, match="not offered"):
        loading.load_named(session, "others")


def calm(app):
    assert [e.value for e in app.exception] == []
    assert [e.value for e in app.error] == []


def finish(app, job):
    end = time.monotonic() + 120
    while job.active and time.monotonic() < end:
        time.sleep(0.05)
    app.run()
    calm(app)


@pytest.mark.slow
def test_a_table_in_an_engine_goes_from_its_name_to_a_release(offered, app):
    session = app.session_state["hmpb"]
    app.selectbox(key="named").select("people")
    next(b for b in app.button if b.label == plain("data.named.open")).click().run()
    calm(app)
    assert any("DuckDB" in info.value for info in app.info)
    loading.use_codebook_file(session, json.dumps(SCHEMA).encode(), "cb.json")
    session.settings.choose("declared_rows", 3000)
    session.settings.choose("method", "independent")
    app.switch_page("pages/plan/page.py").run()
    calm(app)
    assert session.table.private.engine.scans == 1
    app.switch_page("pages/anonymize/page.py").run()
    assert any(plain("common.need.rows") in info.value for info in app.info)
    app.switch_page("pages/run/page.py").run()
    app.session_state["run_tab"] = plain("run.tab.release")
    app.run()
    calm(app)
    app.radio(key="register_unit").set_value("row")
    app.number_input(key="register_cap").set_value(3.0)
    next(b for b in app.button if b.label == plain("run.register.save")).click().run()
    calm(app)
    app.button(key="release_check").click().run()
    finish(app, session.job)
    app.text_input(key="commit_word").set_value("release").run()
    app.button(key="commit_go").click().run()
    finish(app, session.job)
    assert len(session.result.rows) == 3000
    assert float(open_workspace().datasets()[0].spent) > 0
    app.switch_page("pages/utility/page.py").run()
    assert any("DuckDB" in info.value for info in app.info)
    app.button(key="utility_go").click().run()
    finish(app, session.utility.job)
    assert "comparison" in session.views
