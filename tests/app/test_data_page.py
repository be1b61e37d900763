"""The page Data without a browser: cards that keep every answer, what is left, readings, many columns."""

import io
import json
import time

import numpy as np
import pandas as pd
import pytest

from hmpb_core.errors import SourceError
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.publishing.origins import source_words
from pages.data import drafts, fields, loading, todo
from pages.data.kinds import BY_KEY
from tests.sources.test_drafting import GERMAN_EXCEL
from tests.sources.test_formats import workbook

REDCAP_SEX = (
    b'Variable / Field Name,Field Type,Field Label,"Choices, Calculations, OR Slider Labels"\n'
    b'sex,radio,Sex,"1, female | 2, male"\n'
)


def session(app):
    return app.session_state["hmpb"]


def calm(app):
    assert [e.value for e in app.exception] == []
    assert [e.value for e in app.error] == []


CZECH = "town,n\nPlzeň,1\nPraha,2\n"


def load(app, content, name="t.csv"):
    loading.load_bytes(session(app), content, name)
    app.run()
    calm(app)


def field(app, name):
    return drafts.field_named(session(app), name)


def card(app, name):
    """Open a column's card; give what finds its widgets."""
    place = next(i for i, e in enumerate(session(app).draft["fields"]) if e["name"] == name)
    if session(app).data.open != name:
        app.button(key=f"open_{place}").click().run()
    return lambda part: f"card_{session(app).uploads}_{place}_{part}"


CONTENT = b"town,height,flag\n" + b"".join(
    b"%s,1.%d,%d\n" % ((b"a", b"b")[i % 2], i % 90, i % 2) for i in range(90)
)


def test_every_answer_is_kept_at_once_and_survives_leaving_the_page(app):
    load(app, CONTENT)
    key = card(app, "height")
    app.selectbox(key=key("kind")).set_value("number").run()
    app.text_input(key=key("minimum")).set_value("0,5").run()
    app.switch_page("pages/plan/page.py").run()
    app.switch_page("pages/data/page.py").run()
    calm(app)
    assert field(app, "height")["constraints"] == {"minimum": 0.5}
    assert app.text_input(key=key("minimum")).value == "0.5"
    app.text_input(key=key("maximum")).set_value("2.5").run()
    key = card(app, "town")
    app.text_area(key=key("categories")).set_value("a, b, a").run()
    assert app.text_area(key=key("categories")).value == "a\nb"
    assert any("taken once (1): a" in c.value for c in app.caption)
    key = card(app, "flag")
    app.selectbox(key=key("kind")).set_value("boolean").run()
    calm(app)
    assert session(app).ready
    assert session(app).codebook.undeclared == frozenset(), "what is typed needs no further word"
    assert any("The table fits its codebook: 3 attributes" in i.value for i in app.info)


def test_an_unfinished_answer_stays_with_its_fault_beside_it(app):
    load(app, CONTENT)
    key = card(app, "height")
    app.selectbox(key=key("kind")).set_value("number").run()
    app.text_input(key=key("minimum")).set_value("small").run()
    calm(app)
    assert app.text_input(key=key("minimum")).value == "small"
    assert any("is not a number that can be used" in w.value for w in app.warning)
    assert session(app).codebook is None


def test_the_page_opens_at_where_its_table_came_from(app, tmp_path):
    assert loading.opened_from(session(app)) == "demo"
    load(app, CONTENT)
    assert loading.opened_from(session(app)) == "upload"
    (tmp_path / "t.csv").write_bytes(CONTENT)
    loading.load_path(session(app), str(tmp_path / "t.csv"))
    assert loading.opened_from(session(app)) == "path"


def test_how_a_typed_column_writes_amounts_is_never_read_off_its_rows(app):
    """One row with another number of decimals would change it, in a field that may be released."""
    load(app, b'pay,age\n"$1,250.00",30\n"$2,300.50",41\n"$3,999.00",52\n')
    key = card(app, "pay")
    app.selectbox(key=key("kind")).set_value("number").run()
    app.text_input(key=key("maximum")).set_value("$250,000").run()
    calm(app)
    assert field(app, "pay")["constraints"] == {"maximum": 250_000}
    assert "written" not in field(app, "pay")


def test_two_typed_dates_show_how_the_column_writes_them(app):
    load(app, b"hired\n03/04/2001\n03/14/2001\n")
    key = card(app, "hired")
    app.selectbox(key=key("kind")).set_value("date").run()
    app.text_input(key=key("minimum")).set_value("01/02/1990").run()
    assert any("Write it like 1996-08-27" in w.value for w in app.warning)
    app.text_input(key=key("maximum")).set_value("01/05/2020").run()
    assert "format" not in field(app, "hired"), "two ways fit what was typed, and the rows are not asked"
    app.text_input(key=key("maximum")).set_value("05/31/2020").run()
    calm(app)
    assert field(app, "hired")["format"] == "%m/%d/%Y"
    assert session(app).ready


def test_what_is_left_to_do_is_counted_once_and_leads_to_its_card(app):
    load(app, CONTENT)
    assert len(app.warning) == 1
    assert "Left to do: 3." in app.warning[0].value
    app.button(key="go_2").click().run()
    assert session(app).data.open == "flag"
    app.button(key="next_2").click().run()
    assert session(app).data.open == "town"


def test_a_guess_wants_a_source_before_it_is_declared_and_several_can_share_it(app, focused):
    load(app, CONTENT)
    app.button(key="guess").click().run()
    assert session(app).codebook.undeclared == {"town", "height", "flag"}
    key = card(app, "town")
    app.button(key=f"{key('declare')}_go").click().run()
    assert any("has no name" in e.value for e in app.error), "a questionnaire must be named"
    assert "town" in session(app).codebook.undeclared
    for place in (0, 2):
        app.checkbox(key=f"choose_{session(app).uploads}_{place}").check().run()
    app.selectbox(key="declare_chosen_grounds").set_value("law")
    app.text_input(key="declare_chosen_name").set_value("Act 7")
    app.text_input(key="declare_chosen_by").set_value("Ada")
    app.button(key="declare_chosen_go").click().run()
    assert session(app).codebook.undeclared == {"height"}
    assert (
        source_words(provenance_of(field(app, "flag")))
        == "a guess from the rows, declared by Ada after the law 'Act 7'"
    )
    assert session(app).data.chosen == set()
    app.button(key="choose_shown").click().run()
    app.selectbox(key="declare_chosen_grounds").set_value("risk")
    app.button(key="declare_chosen_go").click().run()
    assert session(app).codebook.undeclared == set()
    assert focused(app, "choose_shown")
    assert session(app).data.chosen == set(), "nor do those stay chosen that were no guesses"


def test_a_guess_also_takes_a_vocabularys_words_from_the_file_and_marks_them(app):
    table = pd.DataFrame({"sex": ["Male", "Female"] * 30, "gender": ["male", "female"] * 30})
    load(app, table.assign(x=range(60)).to_csv(index=False).encode())
    app.button(key="guess").click().run()
    values = {name: [c["value"] for c in field(app, name)["categories"]][:2] for name in ("sex", "gender")}
    assert values == {"sex": ["Female", "Male"], "gender": ["female", "male"]}
    assert "sex" in session(app).codebook.undeclared
    assert provenance_of(field(app, "gender")).origin is Origin.VOCABULARY


def test_nothing_declares_without_a_choice(app):
    load(app, CONTENT)
    app.button(key="guess").click().run()
    app.button(key="choose_shown").click().run()
    assert session(app).codebook.undeclared == {"town", "height", "flag"}


def test_what_can_be_done_with_all_that_are_chosen_comes_into_sight_once(app):
    def brought():
        bodies = [element.proto.body for element in app.get("html")]
        return [body for body in bodies if "scrollIntoView" in body and "st-key-chosen" in body]

    load(app, CONTENT)
    app.button(key="choose_shown").click().run()
    assert len(brought()) == 1
    app.run()
    assert not brought(), "the page stays where it is scrolled to"


def test_several_columns_are_described_like_one(app):
    columns = {f"q{i}": np.resize([1, 2, 3, 4, 5], 50) for i in range(6)}
    load(app, pd.DataFrame(columns).to_csv(index=False).encode())
    key = card(app, "q0")
    app.text_area(key=key("categories")).set_value("1;2;3;4;5").run()
    app.button(key="choose_shown").click().run()
    drafts.change(
        session(app), "q5", lambda _: {"name": "q5", "type": "string", "role": "text", "publish": False}
    )
    app.run()
    app.selectbox(key=f"alike_{session(app).uploads}").set_value("q0")
    app.button(key="chosen_alike").click().run()
    calm(app)
    assert session(app).ready
    domain = session(app).codebook.domain
    assert domain.names == ("q0", "q1", "q2", "q3", "q4"), "free text that was chosen too stays unpublished"
    assert {a.categories for a in domain.attributes} == {(1, 2, 3, 4, 5)}
    assert not session(app).data.chosen, "what is chosen next would be described together with these"


def test_a_column_without_a_name_has_one_and_can_get_another(app):
    load(app, b"a,,a\n1,2,3\n4,5,6\n")
    names = [e["name"] for e in session(app).draft["fields"]]
    assert names == ["a", "column 2", "a (2)"]
    key = card(app, "column 2")
    app.text_input(key=key("name")).set_value("a").run()
    assert field(app, "column 2"), "a name that is taken is not given twice"
    app.text_input(key=key("name")).set_value("weight").run()
    calm(app)
    assert list(session(app).table.frame.columns) == ["a", "weight", "a (2)"]
    assert field(app, "weight")
    assert session(app).data.open == "weight"


def test_a_vocabulary_is_offered_by_the_columns_name(app):
    load(app, b"country\nDE\nFR\n")
    key = card(app, "country")
    app.text_area(key=key("categories")).set_value("DE").run()
    assert source_words(provenance_of(field(app, "country"))) == "typed by the steward"
    app.button(key=key("vocabulary")).click().run()
    assert "ISO 3166-1" in provenance_of(field(app, "country")).name
    assert session(app).ready


def test_the_file_is_read_again_otherwise_and_what_was_said_is_kept(app):
    load(app, GERMAN_EXCEL, "Patienten.csv")
    same = next(box for box in app.checkbox if box.key.startswith("same_way"))
    assert same.value
    same.uncheck().run()
    assert session(app).draft["dialect"]["delimiter"] == ","
    key = card(app, "Raucher")
    app.text_area(key=key("categories")).set_value("ja, nein").run()
    app.session_state["fold_reading"] = True
    app.run()
    uploads = session(app).uploads
    app.selectbox(key=f"read_encoding_{uploads}").set_value("cp1250").run()
    calm(app)
    assert session(app).data.upload.reading.encoding == "cp1250"
    assert field(app, "Raucher")["categories"] == ["ja", "nein"]
    app.selectbox(key=f"read_encoding_{session(app).uploads}").set_value("utf-8").run()
    assert len(app.error) == 1, "these bytes are no UTF-8"
    assert any("still Patienten.csv" in i.value for i in app.info)
    assert session(app).data.upload.reading.encoding == "cp1250"
    app.selectbox(key=f"read_delimiter_{session(app).uploads}").set_value(",").run()
    assert len(session(app).table.frame.columns) < 8 or app.error


def test_a_first_line_that_is_a_row_becomes_one_by_the_warning_s_own_button(app):
    load(app, b"39,State-gov,13,2174\n50,Private,9,0\n38,Private,9,0\n")
    app.button(key="first_line_is_row").click().run()
    calm(app)
    assert list(session(app).table.frame) == ["column 1", "column 2", "column 3", "column 4"]
    assert len(session(app).table.frame) == 3
    assert session(app).draft["reading"]["header"] == "none"
    assert "first_line_is_row" not in {button.key for button in app.button}


def test_a_failed_upload_names_the_table_that_stays(app):
    load(app, CONTENT, "first.csv")
    key = next(u.key for u in app.file_uploader if u.key.startswith("upload_"))
    app.file_uploader(key=key).set_value(("second.csv", b"a,b\n1\n", "text/csv")).run()
    assert len(app.error) == 1
    assert any("still first.csv" in i.value for i in app.info)


def test_results_stay_where_an_answer_changes_nothing(app):
    before = session(app).draft
    session(app).views["kept"] = 1
    drafts.apply_draft(session(app), {**before})
    assert session(app).views["kept"] == 1


@pytest.fixture
def wide():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 6, (5000, 200)), columns=[f"item {i}" for i in range(200)])
    return frame.to_csv(index=False).encode()


def test_200_columns_are_listed_in_pages_and_answer_fast(app, wide):
    loading.load_bytes(session(app), wide, "wide.csv")
    start = time.perf_counter()
    app.run()
    first = time.perf_counter() - start
    assert len([b for b in app.button if b.key.startswith("open_")]) == 25
    app.button(key="page_after").click().run()
    app.button(key="open_30").click().run()
    key = card(app, "item 30")
    times = []
    for text in ("0,1,2,3,4,5", "0;1;2;3;4;5;6", "5,4,3,2,1,0"):
        start = time.perf_counter()
        app.text_area(key=key("categories")).set_value(text).run()
        times.append(time.perf_counter() - start)
    calm(app)
    assert first < 3, "0.1 s on a quiet machine"
    assert sorted(times)[1] < 1.5, "0.2 s on a quiet machine"
    app.text_input(key="data_search").set_value("ITEM 19").run()
    assert [b.label for b in app.button if b.key.startswith("open_")][:2] == ["item 19", "item 30"]


def test_another_sheet_of_a_workbook_is_read(app):
    sheets = {"One": [["a", "b"], [1, 2]], "Two": [["town"], ["north"], ["south"]]}
    load(app, workbook(sheets), "book.xlsx")
    app.session_state["fold_reading"] = True
    app.run()
    app.selectbox(key=f"read_sheet_{session(app).uploads}").set_value("Two").run()
    calm(app)
    assert [e["name"] for e in session(app).draft["fields"]] == ["town"]
    assert session(app).table.n_rows == 2


def test_a_codebook_file_fills_in_what_it_knows_and_says_so(app):
    load(app, b"record_id,sex,smoker\n1,1,1\n2,2,0\n", "form.csv")
    key = card(app, "smoker")
    app.selectbox(key=key("kind")).set_value("boolean").run()
    loading.use_codebook_file(session(app), REDCAP_SEX, "dictionary.csv")
    app.run()
    calm(app)
    assert source_words(provenance_of(field(app, "sex"))) == "came with the file 'dictionary.csv'"
    assert source_words(provenance_of(field(app, "smoker"))) == "typed by the steward", (
        "it is silent on this one"
    )
    with pytest.raises(SourceError, match="none of the table's columns"):
        loading.use_codebook_file(session(app), REDCAP_SEX.replace(b"sex", b"age"), "dictionary.csv")


def test_what_a_guess_read_off_the_rows_does_not_come_from_a_codebook_file(app):
    rows = b"\n".join(b"%d,%d\n%d,NA" % (i, 1 + i % 2, i) for i in range(40))
    load(app, b"record_id,sex\n" + rows, "form.csv")
    loading.guess(session(app))
    assert field(app, "sex")["missingValues"] == ["NA", ""]
    loading.use_codebook_file(session(app), REDCAP_SEX, "dictionary.csv")
    assert source_words(provenance_of(field(app, "sex"))) == "came with the file 'dictionary.csv'"
    assert "missingValues" not in field(app, "sex")


def test_a_column_that_a_guess_leaves_out_waits_for_a_word_or_is_left_out_by_hand(app):
    rows = "\n".join(f"w{chr(97 + i % 26)}{i}q,{i % 2}" for i in range(60))
    load(app, f"thing,smoker\n{rows}\n".encode())
    loading.guess(session(app))
    assert field(app, "thing")["publish"] is False
    assert {item.name: item.status for item in todo.items_of(session(app))}["thing"] is todo.Status.GUESS
    assert "thing" in session(app).codebook.undeclared
    app.run()
    calm(app)
    drafts.change(session(app), "thing", lambda old: fields.with_publish(old, publish=False))
    assert {item.name: item.status for item in todo.items_of(session(app))}["thing"] is todo.Status.LEFT_OUT
    assert "thing" not in session(app).codebook.undeclared


def test_a_guess_reads_a_column_that_its_name_alone_leaves_out_and_none_that_somebody_left_out(app):
    load(app, b"Note,Name,age\n" + b"".join(b"%d,w%dq,9\n" % (1 + i % 5, i) for i in range(60)))
    assert field(app, "Note")["role"] == "text"
    loading.guess(session(app))
    assert field(app, "Note")["categories"] == [1, 2, 3, 4, 5], "German for a grade"
    assert not fields.is_published(field(app, "Name"))
    drafts.change(session(app), "Note", lambda old: fields.with_kind(old, BY_KEY["text"]))
    loading.guess(session(app))
    assert field(app, "Note")["role"] == "text"


def test_the_dictionary_of_nists_excerpts_fills_in_what_it_knows(app):
    load(app, b"AGEP,INDP,NPF\n14,N,4\n40,770,N\n", "ma2019.csv")
    ages = {"description": "Age", "values": {"min": 0, "max": 99}}
    family = {"description": "Persons in family", "values": {"N": "not of a family", "min": 2, "max": 20}}
    dictionary = {"AGEP": ages, "INDP": {"description": "Industry"}, "NPF": family}
    loading.use_codebook_file(session(app), json.dumps(dictionary).encode(), "data_dictionary.json")
    app.run()
    calm(app)
    assert field(app, "NPF")["constraints"] == {"minimum": 2, "maximum": 20}
    assert source_words(provenance_of(field(app, "AGEP"))) == "came with the file 'data_dictionary.json'"
    assert field(app, "INDP")["title"] == "Industry"
    assert session(app).codebook is None, "one column is still open"


def test_the_rules_of_a_codebook_file_are_taken_and_what_was_not_understood_is_said(app):
    load(app, b"smokes,cigs,least,ok\n1,12,3,0\n0,,4,1\n", "form.csv")
    dictionary = (
        b"field_name,field_type,text_validation_type_or_show_slider_number,text_validation_min,"
        b"text_validation_max,branching_logic\n"
        b"smokes,yesno,,,,\ncigs,text,integer,0,80,[smokes] = '1'\nleast,text,integer,0,,\n"
        b"ok,yesno,,,,[visit][smokes] = '1'\n"
    )
    loading.use_codebook_file(session(app), dictionary, "dictionary.csv")
    app.run()
    calm(app)
    [rule] = session(app).draft["rules"]
    assert rule == {"kind": "askedIf", "column": "cigs", "if": {"smokes": 1}, "source": rule["source"]}
    assert source_words(provenance_of(rule)) == "came with the file 'dictionary.csv'"
    assert any("When ok are to be asked" in info.value for info in app.info)
    assert field(app, "least")["constraints"] == {"minimum": 0}
    key = card(app, "least")
    app.text_input(key=key("maximum")).set_value("9").run()
    calm(app)
    assert field(app, "least")["constraints"] == {"minimum": 0, "maximum": 9}
    assert source_words(provenance_of(field(app, "least"))) == "typed by the steward"
    assert session(app).codebook.rules.items


def test_of_several_tables_in_a_data_package_the_loaded_one_is_meant(app):
    load(app, b"hours\n1\n2\n", "b.csv")
    schemas = [
        {"fields": [{"name": "hours", "type": "integer", "constraints": {"minimum": 0, "maximum": most}}]}
        for most in (9, 99)
    ]
    resources = [{"path": f"{n}.csv", "schema": s} for n, s in zip("ab", schemas, strict=True)]
    loading.use_codebook_file(session(app), json.dumps({"resources": resources}).encode(), "datapackage.json")
    assert field(app, "hours")["constraints"]["maximum"] == 99


def test_the_sheets_of_a_workbook_are_named_beside_the_one_that_was_read(app):
    load(app, workbook({"Contents": [["a"], [1]], "Rows": [["b"], [2]]}), "book.xlsx")
    assert any("of 2 sheets (Contents, Rows)" in caption.value for caption in app.caption)


def test_a_codebook_that_names_no_reading_leaves_that_of_the_table(app):
    """Else its csv files leave with commas below a box that says: as the table's; and no command reads it."""
    load(app, GERMAN_EXCEL, "Patienten.csv")
    read = session(app).draft["reading"]
    book = {"fields": [{"name": "Raucher", "type": "string", "categories": ["ja", "nein"]}]}
    loading.use_codebook_file(session(app), json.dumps(book).encode(), "cb.json")
    app.run()
    calm(app)
    assert next(box for box in app.checkbox if box.key.startswith("same_way")).value
    assert session(app).draft["reading"] == read
    assert session(app).codebook.dialect.delimiter == ";"


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ({}, ["1.250", "2.300"]),  # between semicolons a comma looks like a decimal one
        ({"decimal": ".", "thousands": ","}, ["1250", "2300"]),
        ({"decimal": ",", "thousands": ""}, ["1.250", "2.300"]),
    ],
)
def test_how_a_codebook_says_that_numbers_are_written_counts_for_more_than_what_rows_suggest(
    app, said, numbers
):
    load(app, b"sex;pay\nm;1,250\nw;2,300\n", "pay.csv")
    pay = {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 5000}}
    book = {"fields": [pay], "reading": said}
    loading.use_codebook_file(session(app), json.dumps(book).encode(), "cb.json")
    app.run()
    calm(app)
    assert session(app).table.frame["pay"].tolist() == numbers
    assert session(app).codebook.domain.names == ("pay",)
    for mark, value in said.items():
        assert session(app).draft["reading"][mark] == value
    assert session(app).data.decimal == said.get("decimal", ",")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pay.csv", b"sex,pay,who\nm,1.101,a\nw,2.25,b\n"),
        ("pay.xlsx", workbook({"Rows": [["sex", "pay", "who"], ["m", 1.101, "a"], ["w", 2.25, "b"]]})),
    ],
)
def test_how_another_file_is_written_says_nothing_of_this_one(app, name, content):
    """Beside a codebook of a German export 1.101 between commas became 1101, and all left with semicolons."""
    load(app, content, name)
    read = session(app).draft.get("reading")
    pay = {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 5000}}
    said = {"encoding": "cp1252", "delimiter": ";", "decimal": ",", "thousands": "."}
    loading.use_codebook_file(
        session(app), json.dumps({"fields": [pay], "reading": said}).encode(), "cb.json"
    )
    app.run()
    calm(app)
    assert session(app).table.frame["pay"].astype(float).tolist() == [1.101, 2.25]
    assert session(app).draft.get("reading") == read
    assert session(app).codebook.dialect.delimiter == ","


@pytest.mark.parametrize(
    ("content", "said", "names", "town"),
    [
        (CZECH.encode("iso8859-2"), {"encoding": "cp1250"}, ["town", "n"], ["Plzeň", "Praha"]),
        (CZECH.encode("iso8859-2"), {"encoding": "cp1252"}, ["town", "n"], ["Plzeò", "Praha"]),
        (
            CZECH.encode(),
            {"encoding": "cp1252"},
            ["town", "n"],
            ["Plzeň", "Praha"],
        ),  # UTF-8 is told by its bytes
        (CZECH.encode(), {"footer": "1"}, ["town", "n"], ["Plzeň"]),
        (CZECH.encode(), {"header": "2"}, ["Plzeň", "1"], ["Praha"]),
        (
            workbook({"Old": [["a"], [1]], "New": [["town", "n"], ["Bern", 1]]}),
            {"sheet": "New"},
            ["town", "n"],
            ["Bern"],
        ),
    ],
)
def test_encoding_sheet_and_lines_that_are_no_rows_are_as_a_codebook_says(app, content, said, names, town):
    """The command line took them from it, and the page went on with what it had detected."""
    load(app, content, "book.xlsx" if "sheet" in said else "t.csv")
    listed = {"name": names[1], "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}
    book = {"fields": [listed], "reading": said}
    loading.use_codebook_file(session(app), json.dumps(book).encode(), "cb.json")
    assert session(app).table.frame[names[0]].tolist() == town
    assert {entry["name"] for entry in session(app).draft["fields"]} == {*names}


def test_the_file_of_a_program_is_called_as_the_program_is(app):
    out = io.BytesIO()
    pd.DataFrame({"age": [30, 40, 50]}).to_stata(out, write_index=False)
    load(app, out.getvalue(), "t.dta")
    assert any("How t.dta was read: Stata" in caption.value for caption in app.caption)


def test_moments_of_a_place_are_said_to_leave_in_the_hours_of_greenwich(app):
    out = io.BytesIO()
    when = pd.date_range("2024-03-01", periods=3, tz="Europe/Berlin")
    pd.DataFrame({"when": when, "utc": when.tz_convert("UTC")}).to_parquet(out)
    load(app, out.getvalue(), "t.parquet")
    assert any("hours of a place" in one.value and ": when." in one.value for one in app.caption)


def test_a_codebook_in_json_leaves_out_the_columns_it_does_not_name(app):
    load(app, CONTENT)
    loading.use_codebook_file(session(app), b'{"fields": [{"name": "flag", "type": "boolean"}]}', "cb.json")
    app.run()
    calm(app)
    assert session(app).codebook.domain.names == ("flag",)
    assert {e["name"] for e in session(app).draft["fields"]} == {"flag", "town", "height"}


def test_a_vocabulary_is_published_in_the_words_that_the_steward_chooses(app):
    load(app, b"Geschlecht\n" + b"w\nm\n" * 20)
    key = card(app, "Geschlecht")
    first = [category["value"] for category in field(app, "Geschlecht")["categories"]][:2]
    assert first == ["weiblich", "männlich"], "the words of the column's name"
    app.selectbox(key=key("writing")).set_value(5).run()
    calm(app)
    assert [category["value"] for category in field(app, "Geschlecht")["categories"]][:2] == ["w", "m"]
    assert field(app, "Geschlecht")["source"]["kind"] == "vocabulary"
    assert session(app).ready


def test_a_card_takes_steps_meanings_and_new_identifiers_and_tells_what_lies_outside(app):
    rows = "".join(f"K{i},{-9 if i % 10 == 0 else i % 90},{1 + i % 2}\n" for i in range(90))
    load(app, f"case,height,kind\n{rows}".encode())
    key = card(app, "case")
    app.selectbox(key=key("kind")).set_value("identifier").run()
    app.text_input(key=key("regenerated")).set_value("P-[0-9").run()
    assert any("cannot be read" in w.value for w in app.warning)
    app.text_input(key=key("regenerated")).set_value("P-[0-9]{3}").run()
    key = card(app, "kind")
    app.selectbox(key=key("kind")).set_value("category").run()
    app.text_area(key=key("categories")).set_value("1, 2").run()
    app.text_area(key=key("labels")).set_value("1 = home\n2 = away").run()
    key = card(app, "height")
    app.selectbox(key=key("kind")).set_value("integer").run()
    for part, text in (("minimum", "0"), ("maximum", "100"), ("step", "5")):
        app.text_input(key=key(part)).set_value(text).run()
    assert app.text_area(key=key("labels")).value == ""
    app.text_area(key=key("labels")).set_value("100 = and above\nshort = no number").run()
    assert app.text_area(key=key("labels")).value == "100 = and above"
    calm(app)
    assert field(app, "height")["multipleOf"] == 5
    told = [w.value for w in app.warning]
    assert any("height" in text for text in told), "the summary names the column"
    assert any("missing codes: -9" in text for text in told), "and its card the code"
    codebook = session(app).codebook
    assert codebook.value_labels["kind"] == {"1": "home", "2": "away"}
    assert codebook.value_labels["height"] == {"100": "and above"}
    assert [form.pattern for form in codebook.rules.identifiers] == ["P-[0-9]{3}"]


OWNED = ["radio, car", "car", "radio", "radio, bike", "bike"]
TICKED = "owns;rooms\n" + "".join(f"{OWNED[i % 5]};{i % 9}\n" for i in range(90))


def test_a_list_of_answers_is_set_apart_and_made_whole_again_on_its_card(app):
    load(app, TICKED.encode())
    key = card(app, "owns")
    app.text_area(key=key("categories")).set_value("radio, car").run()
    app.selectbox(key=key("between")).set_value(", ").run()
    app.button(key=key("set_apart")).click().run()
    calm(app)
    names = [entry["name"] for entry in session(app).draft["fields"]]
    assert names == ["owns/radio", "owns/car", "rooms"]
    told = {"column": "owns", "answer": "car", "between": ", "}
    assert field(app, "owns/car") == {"name": "owns/car", "type": "boolean", "answerTo": told}
    assert session(app).table.columns == ("rooms", "owns/radio", "owns/car")
    assert list(session(app).table.private.columns) == ["owns", "rooms"]  # which is registered as it is
    key = card(app, "owns/radio")
    assert app.selectbox(key=key("kind")).disabled
    app.button(key=key("whole")).click().run()
    calm(app)
    assert [entry["name"] for entry in session(app).draft["fields"]] == ["owns", "rooms"]
    assert session(app).table.columns == ("owns", "rooms")


def test_a_guess_sets_answers_apart_and_reading_the_file_again_leaves_them_so(app):
    load(app, TICKED.encode())
    app.button(key="guess").click().run()
    calm(app)
    answers = ["owns/radio", "owns/bike", "owns/car"]
    assert [entry["name"] for entry in session(app).draft["fields"]] == [*answers, "rooms"]
    assert session(app).ready
    loading.read_again(session(app), decimal=",")
    assert [entry["name"] for entry in session(app).draft["fields"]] == [*answers, "rooms"]
    assert session(app).ready
    codebook = json.dumps(session(app).draft).encode()
    loading.use_codebook_file(session(app), codebook, "cb.json")
    assert [entry["name"] for entry in session(app).draft["fields"]] == [*answers, "rooms"]


def test_who_has_described_all_columns_is_led_to_what_every_row_keeps_until_there_is_a_rule(app):
    def led(said):
        return any("No public rule says yet" in box.value for box in said)

    load(app, b"asked,paid\n" + b"".join(f"{i % 9 + i % 5},{i % 9}\n".encode() for i in range(600)))
    assert not led((*app.warning, *app.info)), "the columns come first"
    app.button(key="guess").click().run()
    assert led(app.warning), "guesses are enough to rehearse"
    for name in ("asked", "paid"):
        drafts.change(session(app), name, fields.declare)
    app.run()
    assert led(app.info)
    app.button(key="go_rules").click().run()
    calm(app)
    assert app.toggle(key="rules_kept").value, "they are shown at once"
    app.button(key="rule_kept_0").click().run()
    calm(app)
    assert not led((*app.warning, *app.info))


def test_columns_that_say_the_same_as_another_are_named_to_the_steward(app):
    rows = "".join(f"{'abc'[i % 3]},{i % 3},{i % 7}\n" for i in range(90))
    load(app, f"grade,the_digit,other\n{rows}".encode())
    assert not any("say in every row the same" in i.value for i in app.info), "nothing is said of them yet"
    app.button(key="guess").click().run()
    calm(app)
    assert any(r"another (1): the\_digit as grade." in i.value for i in app.info)
    session(app).draft["fields"][1]["publish"] = False
    app.run()
    assert not any("say in every row the same" in i.value for i in app.info), "one of them is left out"


def test_dates_that_may_begin_with_the_day_or_the_month_are_named_to_the_steward(app):
    rows = "".join(f"{1 + i % 12}/{1 + i % 11}/2014,{i}\n" for i in range(90))
    load(app, f"seen on,other\n{rows}".encode())
    assert not any("day or the month first" in i.value for i in app.info)
    app.button(key="guess").click().run()
    calm(app)
    assert any("day or the month first (1): seen on (%-d/%-m/%Y)" in i.value for i in app.info)
    session(app).draft["fields"][0]["source"] = {}
    app.run()
    assert not any("day or the month first" in i.value for i in app.info), "somebody has said it"


def test_a_column_of_which_nothing_is_said_comes_from_nowhere_when_it_is_left_out(app):
    load(app, CONTENT)
    key = card(app, "town")
    assert not any("Where it comes from" in m.value for m in app.markdown)
    app.toggle(key=key("publish")).set_value(False).run()
    calm(app)
    assert field(app, "town")["leftOut"] is True
    assert not any("Where it comes from" in m.value for m in app.markdown), "nobody has guessed it"


def test_a_word_among_numbers_is_mended_in_place_by_counting_it_as_missing(app):
    load(app, b"town,height\n" + b"".join(b"a,%s\n" % (b"5;5" if i < 4 else b"1.%d" % i) for i in range(90)))
    key = card(app, "height")
    app.selectbox(key=key("kind")).set_value("number").run()
    app.text_input(key=key("minimum")).set_value("0").run()
    app.text_input(key=key("maximum")).set_value("3").run()
    calm(app)
    assert any("values are not numbers" in w.value for w in app.warning)
    app.button(key=key("unread_missing")).click().run()
    calm(app)
    assert field(app, "height")["unknown"] == ""
    assert not any("values are not numbers" in w.value for w in app.warning)
    assert any("About 4 % of the values cannot be read" in w.value for w in app.warning), "the steward alone"
    app.checkbox(key=key("missing")).uncheck().run()
    assert "unknown" not in field(app, "height"), "nothing can be missing now"
    assert any("values are not numbers" in w.value for w in app.warning)


def test_a_name_that_is_taken_or_empty_is_said_to_be_refused(app):
    load(app, CONTENT)
    key = card(app, "town")
    for name, said in (("height", "Another column is called height already"), (" ", "A column needs a name")):
        app.text_input(key=key("name")).set_value(name).run()
        calm(app)
        assert any(said in w.value for w in app.warning)
        assert app.text_input(key=key("name")).value == "town"
    app.text_input(key=key("name")).set_value("city").run()
    assert not any("keeps its" in w.value for w in app.warning)
    assert field(app, "city") is not None


def test_what_was_wrong_with_an_upload_is_gone_after_the_next_edit(app):
    load(app, CONTENT)
    session(app).upload_error = SourceError(
        "There is no path; give the path of a csv or Parquet file."
    ).sentence
    app.run()
    assert app.error
    key = card(app, "town")
    assert app.error, "opening a card is no edit"
    app.text_area(key=key("categories")).set_value("a, b").run()
    calm(app)


def test_what_was_wrong_with_a_path_is_gone_when_the_page_is_come_back_to(app, monkeypatch, tmp_path):
    monkeypatch.setenv(loading.FOLDER_VARIABLE, str(tmp_path))
    app.run()
    app.text_input(key="path").set_value("nowhere.csv")
    next(b for b in app.button if "path_form" in str(b.proto.form_id)).click().run()
    assert len(app.error) == 1
    app.run()
    assert len(app.error) == 1, "it is read at leisure"
    app.switch_page("pages/plan/page.py").run()
    app.switch_page("pages/data/page.py").run()
    calm(app)


def test_a_date_that_is_typed_shows_how_its_column_is_written(app):
    load(app, b"day\n" + b"21.02.1996\n03.11.2001\n" * 30)
    key = card(app, "day")
    app.selectbox(key=key("kind")).set_value("date").run()
    assert app.text_input(key=key("format")).placeholder == "for example %d.%m.%Y"
    app.text_input(key=key("minimum")).set_value("01.01.1990").run()
    assert field(app, "day")["format"] == "%d.%m.%Y"
    assert not any("is not written as its values are" in w.value for w in app.warning)
    app.text_input(key=key("maximum")).set_value("31.12.2030").run()
    calm(app)
    assert session(app).ready


def test_a_date_that_may_be_written_in_two_ways_decides_none(app):
    load(app, b"day\n" + b"02/21/1996\n" * 30)
    key = card(app, "day")
    app.selectbox(key=key("kind")).set_value("date").run()
    app.text_input(key=key("minimum")).set_value("01/02/1990").run()
    assert "format" not in field(app, "day")
    app.text_input(key=key("maximum")).set_value("12/31/2030").run()
    assert field(app, "day")["format"] == "%m/%d/%Y"


def test_a_card_without_boxes_for_bounds_does_not_ask_for_them(app):
    load(app, CONTENT)
    card(app, "town")
    assert any("list at least one, or give it a type that has a minimum" in w.value for w in app.warning)


def test_the_csv_files_own_decimal_mark_stands_in_the_example(app):
    load(app, b"a;b\n" + b"1,5;x\n2,5;y\n" * 30)
    key = card(app, "a")
    app.selectbox(key=key("kind")).set_value("number").run()
    assert app.text_input(key=key("written")).placeholder == "1234,5"


def test_a_columns_question_stands_beside_its_name_and_is_found(app):
    load(app, b"Q1,Q2\n" + b"a,b\nb,c\n" * 30)
    drafts.change(session(app), "Q2", lambda entry: {**entry, "title": "How often do you *drink* tea?"})
    app.run()
    lines = [m.value for m in app.markdown]
    assert any("*How often do you \\*drink\\* tea?*" in line for line in lines)
    assert [item.name for item in todo.shown(todo.items_of(session(app)), "all", "TEA")] == ["Q2"]


def test_names_that_begin_alike_are_cut_in_their_middle(app):
    names = [f"Which of the following films have you seen? Please select all: {n}" for n in ("One", "Two")]
    load(app, (",".join(names) + "\n" + "a,b\nb,a\n" * 30).encode())
    labels = [app.button(key=f"open_{place}").label for place in (0, 1)]
    assert labels[0].endswith("One")
    assert labels[1].endswith("Two")
    assert max(map(len, labels)) <= 42
    for place, value in enumerate(("a", "b")):
        drafts.change(session(app), names[place], lambda e, v=value: {**e, "categories": [v], "unknown": v})
    app.run()
    assert any("one value: a" in m.value for m in app.markdown)


def test_a_column_that_says_the_same_in_every_row_may_be_left_out(app):
    load(app, b"a,country\n" + b"1,Korea\n2,Korea\n" * 30)

    def told():
        return any("one value in every row: Korea" in m.value for m in app.markdown)

    same = {"type": "string", "categories": ["Korea"], "constraints": {"required": True}}
    drafts.change(session(app), "country", lambda old: {**old, **same})
    app.run()
    assert told()
    drafts.change(session(app), "country", lambda old: {**old, "constraints": {}})
    app.run()
    assert not told(), "some rows may have none"
    drafts.change(session(app), "country", lambda old: {**old, **same, "publish": False})
    app.run()
    assert not told(), "it is left out already"


def test_chinese_words_are_not_glossed_in_english_for_who_reads_chinese(app):
    load(app, ("a,性别\n" + "1,男\n2,女\n" * 30).encode())
    assert any("= female" in m.value for m in app.markdown)
    card(app, "性别")
    app.selectbox(key="language").set_value("zh").run()
    told = [m.value for m in app.markdown if "女、男" in m.value]
    assert len(told) == 1
    assert "female" not in told[0]
    assert any("公共词表 性别，代码依 ISO/IEC 5218" in c.value for c in (*app.caption, *app.markdown))


def test_a_card_says_what_the_released_rows_will_not_have_of_the_files(app):
    """Finer codes than those listed, and the word of a time zone."""
    load(app, b"plz,seen\n50667,2024/10/07 8:00:24 AM GMT+2\n01067,2024/10/08 9:00:24 PM GMT+1\n" * 30)
    digits = [{"value": str(n), "prefixes": [str(n)]} for n in range(10)]
    drafts.change(session(app), "plz", lambda old: {**old, "type": "string", "categories": digits})
    card(app, "plz")
    assert any("0 takes every code that begins with 0" in c.value for c in app.caption)
    moment = {"type": "datetime", "format": "%Y/%m/%d %-I:%M:%S %p %Z"}
    drafts.change(session(app), "seen", lambda old: {**old, **moment})
    card(app, "seen")
    assert any("leaves the word away" in c.value for c in app.caption)
    calm(app)
