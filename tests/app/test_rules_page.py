"""Public rules on the page Data: in words, added, edited, taken out, refused; broken rows for the steward."""

import pandas as pd
import pytest

from hmpb_core.rules.declared import read_off_rows
from hmpb_core.sources.drafting import renamed_rule
from pages.data import drafts, loading
from pages.words.catalogue import plain
from pages.words.rules import rule_words

CONTENT = b"age,marital,pay,tax,net\n" + b"".join(
    b"%d,%s,%d,%d,%d\n" % (i % 90, b"single" if i % 90 < 30 else b"married", 9, 2, 7) for i in range(180)
)
DRAFT = {
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10},
        {"name": "marital", "categories": ["single", "married"]},
        *(
            {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 50}, "bins": 5}
            for name in ("pay", "tax", "net")
        ),
    ],
    "missingValues": [""],
}


def session(app):
    return app.session_state["hmpb"]


@pytest.fixture
def rules(app):
    """The app with a table, its codebook and the box of rules open."""
    loading.load_bytes(session(app), CONTENT, "t.csv")
    drafts.apply_draft(session(app), DRAFT)
    app.session_state["fold_rules"] = True
    app.run()
    calm(app)
    return app


def calm(app):
    assert [e.value for e in app.exception] == []
    assert [e.value for e in app.error] == []


def widget(widgets, part):
    return next(w for w in widgets if w.key and w.key.startswith("rule_form_") and w.key.endswith(part))


def choose_kind(app, kind):
    widget(app.selectbox, "_kind").set_value(kind).run()


def condition(app, side, column, *, test, value, place=0):
    widget(app.selectbox, f"_{side}_{place}_column").set_value(column).run()
    widget(app.selectbox, f"_{side}_{place}_test").set_value(test).run()
    if column == "marital":
        widget(app.multiselect, f"_{side}_{place}_{column}_values").set_value([value]).run()
    else:
        widget(app.text_input, f"_{side}_{place}_{column}_value").set_value(value).run()


def add_child_rule(app, wed="single", bound="15"):
    choose_kind(app, "implies")
    condition(app, "if", "age", test="below", value=bound)
    condition(app, "then", "marital", test="among", value=wed)
    app.button(key="rule_save").click().run()


def test_a_rule_is_added_in_words_edited_and_taken_out(rules, focused):
    app = rules
    add_child_rule(app)
    calm(app)
    rule = {"kind": "implies", "if": {"age": {"below": 15}}, "then": {"marital": "single"}}
    assert session(app).draft["rules"] == [rule]
    assert any("If **age** is below 15, then **marital** is single." in m.value for m in app.markdown)
    assert len(session(app).codebook.rules.items) == 1

    app.button(key="rule_edit_0").click().run()
    assert widget(app.text_input, "_if_0_age_value").value == "15", "the form holds what the rule says"
    widget(app.text_input, "_if_0_age_value").set_value("30").run()
    app.button(key="rule_save").click().run()
    calm(app)
    assert session(app).draft["rules"] == [rule | {"if": {"age": {"below": 30}}}]
    assert focused(app, "rule_edit_0")

    app.button(key="rule_delete_0").click().run()
    calm(app)
    assert session(app).draft["rules"] == []
    assert focused(app, "rule_delete_0", "fold_rules"), "the next rule, or the box where none is left"


def test_a_rule_that_contradicts_another_is_refused_with_both_named(rules):
    app = rules
    add_child_rule(app)
    add_child_rule(app, wed="married", bound="10")
    assert len(session(app).draft["rules"]) == 1
    [error] = app.error
    assert "single" in error.value
    assert "married" in error.value
    assert session(app).ready, "what was declared before still stands"


def test_rows_that_break_a_rule_are_counted_for_the_steward_on_demand(rules):
    app = rules
    add_child_rule(app, bound="35")
    assert not any("rows" in str(b) and "broken" in str(b) for b in app.markdown)
    app.toggle(key="rules_count").set_value(True).run()
    calm(app)
    # ages 30 to 34 are married in this table: 5 of 90 ages, each in 2 rows
    assert any("rows that break it: 10" in m.value for m in app.markdown)


def test_what_every_row_keeps_is_shown_on_demand_and_becomes_a_rule_only_by_hand(app):
    rows = [(i * 37 % 300, i * 37 % 300 + i % 60, i % 7) for i in range(300)]
    content = "relapse,death,noise\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    loading.load_bytes(session(app), content.encode(), "days.csv")
    bounds = {"type": "integer", "constraints": {"minimum": 0, "maximum": 400}}
    fields = [{"name": name, **bounds} for name in ("relapse", "death", "noise")]
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.session_state["fold_rules"] = True
    app.run()
    assert "relapse" not in " ".join(m.value for m in app.markdown if "≤" in m.value)
    app.toggle(key="rules_kept").set_value(True).run()
    calm(app)
    assert session(app).draft.get("rules", []) == []
    app.button(key="rule_kept_0").click().run()
    calm(app)
    rule = {"kind": "ascending", "columns": ["relapse", "death"]}
    assert session(app).draft["rules"] == [read_off_rows(rule)]
    assert any(plain("data.rules.no_row") in m.value for m in app.markdown)


def test_rules_that_were_read_off_the_rows_are_added_at_once_and_wait_for_somebodys_word(app):
    rows = [(i * 37 % 300, i * 37 % 300 + i % 60, 2021 - i * 37 % 300, i % 7) for i in range(300)]
    content = "relapse,death,born,noise\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    loading.load_bytes(session(app), content.encode(), "days.csv")
    bounds = {"type": "integer", "constraints": {"minimum": 0, "maximum": 2100}}
    fields = [{"name": name, **bounds} for name in ("relapse", "death", "born", "noise")]
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.session_state["fold_rules"] = True
    app.run()
    app.toggle(key="rules_kept").set_value(True).run()
    app.button(key="rule_kept_all").click().run()
    calm(app)
    assert len(session(app).draft["rules"]) == 2
    assert all(rule["source"] == {"kind": "guess"} for rule in session(app).draft["rules"])
    assert not session(app).codebook.public
    assert not session(app).codebook.undeclared, "no field is a guess"
    assert drafts.has_guesses(session(app).draft)
    assert any("Left to do: 2." in warning.value for warning in app.warning)

    app.button(key="declare_rules_go").click().run()
    assert any("has no name" in error.value for error in app.error), "grounds need a name"
    app.text_input(key="declare_rules_name").set_value("Form 7")
    app.button(key="declare_rules_go").click().run()
    calm(app)
    assert session(app).codebook.public
    source = session(app).draft["rules"][0]["source"]
    assert source == {"kind": "guess", "declared": {"grounds": "questionnaire", "name": "Form 7"}}
    assert not any("Left to do" in warning.value for warning in app.warning)

    computed = [rule["kind"] for rule in session(app).draft["rules"]].index("computed")
    app.button(key=f"rule_edit_{computed}").click().run()
    app.button(key="rule_save").click().run()
    calm(app)
    assert session(app).codebook.public, "nothing was changed"
    app.button(key=f"rule_edit_{computed}").click().run()
    widget(app.text_input, "_formula").set_value("2022 - relapse").run()
    app.button(key="rule_save").click().run()
    calm(app)
    assert session(app).draft["rules"][computed]["source"] == {"kind": "guess"}, (
        "the word was for another rule"
    )
    assert not session(app).codebook.public


def test_questions_that_hang_on_one_answer_are_offered_and_added_at_once(app):
    rows = [(i % 2, *(("1", "2")[i % k > 0] if i % 2 else "" for k in (3, 7)), i % 5) for i in range(200)]
    content = "voted,where,how,noise\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    loading.load_bytes(session(app), content.encode(), "votes.csv")
    lists = {"voted": [0, 1], "where": [1, 2], "how": [1, 2], "noise": [0, 1, 2, 3, 4]}
    fields = [{"name": name, "type": "integer", "categories": values} for name, values in lists.items()]
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.session_state["fold_rules"] = True
    app.run()
    app.toggle(key="rules_kept").set_value(True).run()
    calm(app)
    words = [m.value for m in app.markdown if "have a value only if" in m.value]
    assert words == ["**where**, **how** have a value only if **voted** is 1."]
    app.button(key="rule_kept_0").click().run()
    calm(app)
    assert session(app).draft["rules"] == [
        read_off_rows({"kind": "askedIf", "column": "where", "if": {"voted": 1}}),
        read_off_rows({"kind": "askedIf", "column": "how", "if": {"voted": 1}}),
    ]


def test_sums_orders_and_signs_are_rules_too(rules):
    app = rules
    choose_kind(app, "sum")
    widget(app.selectbox, "_sum_column").set_value("pay").run()
    widget(app.multiselect, "_parts").set_value(["tax", "net"]).run()
    widget(app.checkbox, "_zero").set_value(True).run()
    app.button(key="rule_save").click().run()
    choose_kind(app, "ascending")
    widget(app.multiselect, "_columns").set_value(["tax", "pay"]).run()
    app.button(key="rule_save").click().run()
    choose_kind(app, "nonNegative")
    widget(app.selectbox, "_nonNegative_column").set_value("net").run()
    app.button(key="rule_save").click().run()
    calm(app)
    assert session(app).draft["rules"] == [
        {"kind": "sum", "column": "pay", "parts": ["tax", "net"], "missingIsZero": True},
        {"kind": "ascending", "columns": ["tax", "pay"]},
        {"kind": "nonNegative", "column": "net"},
    ]


def test_a_renamed_column_keeps_its_rules(rules):
    app = rules
    add_child_rule(app)
    assert drafts.rename(session(app), "age", "years")
    assert session(app).draft["rules"][0]["if"] == {"years": {"below": 15}}
    assert session(app).ready


def test_a_band_of_a_number_and_a_formula_are_asked_for_changed_and_refused(rules):
    app = rules
    choose_kind(app, "bandOf")
    widget(app.selectbox, "_bandOf_column").set_value("marital").run()
    widget(app.selectbox, "_bandOf_of").set_value("age").run()
    widget(app.text_area, "_starts").set_value("0 = single\n30\tmarried").run()
    app.button(key="rule_save").click().run()
    calm(app)
    band = {"kind": "bandOf", "column": "marital", "of": "age", "values": {"0": "single", "30": "married"}}
    assert session(app).draft["rules"] == [band]
    assert any("**marital** is a band of **age**" in m.value for m in app.markdown)
    choose_kind(app, "computed")
    widget(app.selectbox, "_computed_column").set_value("net").run()
    widget(app.text_input, "_formula").set_value("pay - ").run()
    app.button(key="rule_save").click().run()
    assert any("cannot be read" in e.value for e in app.error)
    widget(app.text_input, "_formula").set_value("pay - tax").run()
    widget(app.checkbox, "_cut").set_value(True).run()
    app.button(key="rule_save").click().run()
    calm(app)
    formula = {"kind": "computed", "column": "net", "formula": "pay - tax", "rounded": "down"}
    assert session(app).draft["rules"] == [band, formula]
    app.button(key="rule_edit_1").click().run()
    assert widget(app.text_input, "_formula").value == "pay - tax"
    widget(app.checkbox, "_cut").set_value(False).run()
    app.button(key="rule_save").click().run()
    calm(app)
    del formula["rounded"]
    assert session(app).draft["rules"] == [band, formula]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            {"kind": "forbidden", "if": {"a": "x", "b": ["y", "z"]}},
            "Never together: **a** is x and **b** is y, z.",
        ),
        ({"kind": "askedIf", "column": "h", "if": {"w": {"missing": False}}}, "only if **w** has a value"),
        (
            {"kind": "follows", "column": "n", "from": "e", "values": {"B": 13}},
            "**n** follows from **e** (B → 13)",
        ),
        ({"kind": "ascending", "columns": ["a", "b"]}, "**a** ≤ **b**"),
    ],
)
def test_every_rule_is_said_in_words(rule, words):
    assert words in rule_words(rule).replace("\\", "")
    named = renamed_rule(rule, {"a": "A1"})
    assert named.get("columns", ["A1"])[0] == "A1"


def test_a_rule_that_the_names_suggest_is_offered_and_taken_with_one_press(app, focused):
    content = b"visit end,visit start\n" + b"2021-03-02,2021-03-01\n" * 30
    bounds = {"minimum": "2021-01-01", "maximum": "2021-12-31"}
    fields = [{"name": f"visit {of}", "type": "date", "constraints": bounds} for of in ("end", "start")]
    loading.load_bytes(session(app), content, "t.csv")
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.run()
    assert any("visit start ≤ visit end" in text.value for text in app.markdown)
    app.button(key="rule_take_0").click().run()
    calm(app)
    assert session(app).draft["rules"] == [{"kind": "ascending", "columns": ["visit start", "visit end"]}]
    assert "rule_take_0" not in [button.key for button in app.button]
    assert app.session_state["fold_rules"]  # the rule is seen
    assert focused(app, "rule_edit_0"), "the button is gone"
    app.button(key="rule_edit_0").click().run()
    app.button(key="rule_leave").click().run()
    assert focused(app, "rule_edit_0")
    app.run()
    assert not focused(app, "rule_edit_0"), "once"


DATED = {
    "fields": [
        {"name": "came", "type": "date", "constraints": {"minimum": "2019-01-01", "maximum": "2020-12-31"}},
        {"name": "year", "type": "integer", "constraints": {"minimum": 2019, "maximum": 2020}},
        {"name": "nth", "type": "integer", "constraints": {"minimum": 1, "maximum": 31}},
    ],
    "missingValues": [""],
}


def test_a_part_of_a_date_is_suggested_added_in_words_and_counted(app):
    rows = b"came,year,nth\n" + b"2019-03-07,2019,7\n2020-05-31,2020,30\n" * 30
    loading.load_bytes(session(app), rows, "t.csv")
    drafts.apply_draft(session(app), DATED)
    calm(app.run())
    assert any("**year** is the year of **came**." in m.value for m in app.markdown)
    app.button(key="rule_take_0").click().run()
    choose_kind(app, "partOf")
    widget(app.selectbox, "_column").set_value("nth").run()
    widget(app.selectbox, "_of").set_value("came").run()
    widget(app.selectbox, "_part").set_value("day").run()
    app.button(key="rule_save").click().run()
    calm(app)
    year = {"kind": "partOf", "column": "year", "of": "came", "part": "year"}
    assert session(app).draft["rules"] == [year, {**year, "column": "nth", "part": "day"}]
    assert any("**nth** is the day of the month of **came**." in m.value for m in app.markdown)
    app.toggle(key="rules_count").set_value(True).run()
    calm(app)
    said = [m.value for m in app.markdown if "-badge[" in m.value]
    assert any("rows that break it: 30" in one for one in said)
    renamed = [renamed_rule(rule, {"came": "arrived"}) for rule in session(app).draft["rules"]]
    assert [rule["of"] for rule in renamed] == ["arrived", "arrived"]
    assert renamed_rule({"kind": "equal", "column": "a", "to": "b"}, {"b": "c"})["to"] == "c"


def test_a_time_between_two_dates_is_added_said_and_edited(app):
    days = pd.Series(pd.date_range("2020-01-01", periods=30)).astype(str)
    stay = [place % 7 for place in range(30)]
    left = (pd.to_datetime(days) + pd.to_timedelta(stay, unit="D")).dt.strftime("%Y-%m-%d")
    rows = pd.DataFrame({"came": days, "left": left, "stay": stay})
    bounds = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    fields = [{"name": name, "type": "date", "constraints": bounds} for name in ("came", "left")]
    fields.append({"name": "stay", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}})
    loading.load_bytes(session(app), rows.to_csv(index=False).encode(), "t.csv")
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.session_state["fold_rules"] = True
    calm(app.run())
    choose_kind(app, "timeBetween")
    widget(app.selectbox, "_column").set_value("stay").run()
    widget(app.selectbox, "_from").set_value("came").run()
    widget(app.selectbox, "_to").set_value("left").run()
    app.button(key="rule_save").click().run()
    calm(app)
    rule = {"kind": "timeBetween", "column": "stay", "from": "came", "to": "left", "unit": "days"}
    assert session(app).draft["rules"] == [rule]
    assert any("**stay** is the time from **came** to **left** in days." in m.value for m in app.markdown)
    app.button(key="rule_edit_0").click().run()
    widget(app.selectbox, "_rounded").set_value("nearest").run()
    app.button(key="rule_save").click().run()
    calm(app)
    assert session(app).draft["rules"] == [{**rule, "rounded": "nearest"}]
    app.button(key="rule_edit_0").click().run()
    widget(app.selectbox, "_rounded").set_value("calendar").run()
    app.button(key="rule_save").click().run()
    calm(app)
    assert any("counts the new days that began from **came** to **left**" in m.value for m in app.markdown)
    renamed = [renamed_rule(rule, {"left": "gone"}) for rule in session(app).draft["rules"]]
    assert renamed[0]["to"] == "gone"


def test_columns_that_say_the_same_become_a_guessed_rule_with_one_press(app):
    rows = "".join(f"{i % 9},{i % 9},{'NESW'[i % 4]},{10 * (i % 4)}\n" for i in range(90))
    bounds = {"minimum": 0, "maximum": 9}
    fields = [
        *({"name": name, "type": "integer", "constraints": bounds} for name in ("seen", "seen again")),
        {"name": "region", "categories": ["N", "E", "S", "W"]},
        {"name": "area", "categories": [0, 10, 20, 30]},
    ]
    loading.load_bytes(session(app), f"seen,seen again,region,area\n{rows}".encode(), "t.csv")
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.run()
    calm(app)
    assert any("seen again as seen, area as region" in info.value for info in app.info)
    app.button(key="rule_copied_0").click().run()
    calm(app)
    equal = {"kind": "equal", "column": "seen again", "to": "seen"}
    assert session(app).draft["rules"] == [read_off_rows(equal)]
    assert any("): area as region." in info.value for info in app.info)
    app.button(key="rule_copied_0").click().run()
    pairs = {"N": 0, "E": 10, "S": 20, "W": 30}
    follows = {"kind": "follows", "column": "area", "from": "region", "values": pairs}
    assert session(app).draft["rules"][1] == read_off_rows(follows)
    assert not any("say in every row the same" in info.value for info in app.info)
    assert "rule_copied_0" not in [button.key for button in app.button]


def test_what_follows_may_be_a_code_that_looks_like_a_number(app):
    rows = "".join(f"{'NESW'[i % 4]},0{i % 4},{i % 4}.0\n" for i in range(90))
    fields = [
        {"name": "region", "categories": ["N", "E", "S", "W"]},
        {"name": "state", "categories": ["00", "01", "02", "03"]},
        {"name": "density", "categories": ["0.0", "1.0", "2.0", "3.0"]},
    ]
    loading.load_bytes(session(app), f"region,state,density\n{rows}".encode(), "t.csv")
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.session_state["fold_rules"] = True
    app.run()
    for column, first, between in (
        ("state", "01", " = "),
        ("density", "1.0", "\t"),
    ):  # as a spreadsheet has it
        choose_kind(app, "follows")
        widget(app.selectbox, "_follows_column").set_value(column).run()
        widget(app.selectbox, "_from").set_value("region").run()
        widget(app.text_area, "_values").set_value(f"E{between}{first}").run()
        app.button(key="rule_save").click().run()
        calm(app)
        assert session(app).draft["rules"][-1]["values"] == {"E": first}


def test_what_is_still_to_be_chosen_is_asked_in_the_reader_s_words(rules):
    """Streamlit's own "Choose an option" is English in every language."""
    for kind in ("follows", "equal", "sum", "ascending", "implies", "askedIf"):
        choose_kind(rules, kind)
        empty = [w for w in (*rules.selectbox, *rules.multiselect) if (w.key or "").startswith("rule_form_")]
        words = {w.proto.placeholder for w in empty if not w.value}
        assert words <= {plain("data.chosen.alike_which"), plain("data.rules.some_columns")}
        assert words


GERMAN = "alter;wert\n" + "".join(f"{i % 90};{i % 30 / 10}\n".replace(".", ",") for i in range(180))


def test_a_decimal_comma_in_a_condition_belongs_to_its_number(app):
    loading.load_bytes(session(app), GERMAN.encode(), "t.csv")
    bounds = {"alter": ("integer", 99), "wert": ("number", 3)}
    fields = [
        {"name": name, "type": kind, "constraints": {"minimum": 0, "maximum": most}, "bins": 10}
        for name, (kind, most) in bounds.items()
    ]
    drafts.apply_draft(session(app), {"fields": fields, "missingValues": [""]})
    app.session_state["fold_rules"] = True
    app.run()
    choose_kind(app, "implies")
    condition(app, "if", "wert", test="below", value="0,5")
    condition(app, "then", "alter", test="not", value="0, 30")
    app.button(key="rule_save").click().run()
    calm(app)
    assert session(app).draft["rules"] == [
        {"kind": "implies", "if": {"wert": {"below": 0.5}}, "then": {"alter": {"not": [0, 30]}}}
    ]


def test_a_half_made_rule_survives_the_language(rules):
    choose_kind(rules, "implies")
    condition(rules, "if", "age", test="below", value="16")
    rules.selectbox(key="language").set_value("zh").run()
    calm(rules)
    kind, test = widget(rules.selectbox, "_kind"), widget(rules.selectbox, "_if_0_test")
    assert (kind.value, test.value) == ("implies", "below")
    assert kind.proto.set_value, "the browser knows the word in English alone"
    assert test.proto.set_value
    assert widget(rules.text_input, "_if_0_age_value").value == "16"
