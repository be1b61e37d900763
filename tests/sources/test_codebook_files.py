"""Codebook files: REDCap, ODK, DDI and Data Package declare fields; anything else is refused."""

import contextlib
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.encoding import encode
from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.provenance import Origin
from hmpb_core.rules.declared import without_source
from hmpb_core.sources.drafting import (
    draft_from_header,
    fields_of_codebook_file,
    read_codebook_file,
    told_over,
)
from hmpb_core.sources.drafting.draft import is_open
from hmpb_core.sources.drafting.several_answers import with_told_answers
from hmpb_core.sources.drafting.skip_logic import NotSimpleError, rules_of
from hmpb_core.sources.files import read_table
from tests.sources.drafts import origin
from tests.sources.test_formats import workbook

REDCAP = (
    '"Variable / Field Name","Form Name","Field Type","Field Label",'
    '"Choices, Calculations, OR Slider Labels",'
    '"Text Validation Type OR Show Slider Number","Text Validation Min","Text Validation Max","Identifier?"\n'
    "record_id,f,text,Record,,,,,y\n"
    "smoke,f,yesno,Smokes?,,,,,\n"
    'grade,f,radio,"<b>Grade</b>","1, low | 2, high, or so | 01, odd",,,,\n'
    'meds,f,checkbox,Medicines,"1, A | 2, B",,,,\n'
    "weight,f,text,Weight,,number,30,250.5,\n"
    "age,f,text,Age,,integer,0,120,\n"
    "remark,f,notes,Remark,,,,,\n"
    "free,f,text,Free,,,,,\n"
)
DDI = """<?xml version="1.0"?><codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="V1" intrvl="discrete"><labl>Sex</labl>
 <catgry><catValu>1</catValu><labl>male</labl></catgry><catgry><catValu>2</catValu><labl>female</labl></catgry>
 <catgry missing="Y"><catValu>9</catValu><labl>no answer</labl></catgry><varFormat type="numeric"/></var>
<var name="V2" intrvl="contin"><labl>Age</labl><valrng><range min="18" max="99"/></valrng></var>
<var name="V3"><labl>Name</labl><varFormat type="character"/></var></dataDscr></codeBook>"""


def test_bounds_that_came_with_a_file_or_a_vocabulary_have_their_bins_learned_and_declared_bins_stay():
    given = fields_of_codebook_file(REDCAP.encode(), name="dictionary.csv")
    given["size"] = {**given["weight"], "bins": [30, 60, 250.5]}
    domain = Codebook.from_dict(draft_from_header(["weight", "size", "alter"], given)).domain
    weight, size, age = domain.attributes
    assert isinstance(weight, Numeric)
    assert isinstance(size, Numeric)
    assert isinstance(age, Numeric)
    assert (weight.learned, size.learned, age.learned) == (True, False, True)
    assert size.edges == (30, 60, 250.5)


def test_a_redcap_dictionary_declares_its_fields():
    fields = fields_of_codebook_file(REDCAP.encode(), name="dictionary.csv")
    assert fields["record_id"]["publish"] is False
    assert fields["smoke"]["type"] == "boolean"
    assert [c["value"] for c in fields["grade"]["categories"]] == ["1", "2", "01"]
    assert fields["grade"]["categories"][1]["label"] == "high, or so"
    assert fields["grade"]["title"] == "Grade"
    assert fields["meds___2"] == {
        "name": "meds___2",
        "title": "Medicines: B",
        "type": "boolean",
        "trueValues": ["1"],
        "falseValues": ["0"],
        "source": {"kind": "file", "name": "dictionary.csv"},
    }
    assert fields["weight"]["constraints"] == {"minimum": 30, "maximum": 250.5}
    assert fields["age"]["type"] == "integer"
    assert fields["remark"]["role"] == "text"
    assert "source" not in fields["free"]


def test_the_state_of_each_form_is_the_list_that_redcap_always_exports():
    fields = fields_of_codebook_file(REDCAP.encode(), name="dictionary.csv")
    states = [{"value": 0, "label": "Incomplete"}, {"value": 1, "label": "Unverified"}]
    assert fields["f_complete"]["categories"] == [*states, {"value": 2, "label": "Complete"}]
    asked = REDCAP + 'f_complete,f,radio,All there?,"1, yes | 2, no",,,,\n'
    fields = fields_of_codebook_file(asked.encode(), name="dictionary.csv")
    assert [c["value"] for c in fields["f_complete"]["categories"]] == [1, 2]


@pytest.mark.parametrize(
    ("calculation", "decimals", "rule"),
    [
        ("round([weight]/(([age]/100)^2), 1)", 1, {"formula": "weight/((age/100)^2)"}),
        ("rounddown([weight] / 7)", 0, {"formula": "weight / 7", "rounded": "down"}),
        ("[weight] * 2", None, {"formula": "weight * 2"}),
        ("round([weight], 1) + round([age], 1)", None, None),
        ("datediff([born], 'today', 'y')", None, None),
        ("[weight] * [elsewhere]", None, None),
        ("", None, None),
    ],
)
def test_a_calculated_field_of_redcap_is_a_number_with_the_rule_that_works_it_out(
    calculation, decimals, rule
):
    text = REDCAP + f'ratio,f,calc,Ratio,"{calculation}",,,,\n'
    told = read_codebook_file(text.encode(), name="dictionary.csv", columns=["weight", "age", "ratio"])
    assert told.fields["ratio"]["type"] == "number"
    assert told.fields["ratio"].get("decimals") == decimals
    rules = [one for one in map(without_source, told.rules) if one["kind"] == "computed"]
    assert rules == ([] if rule is None else [{"kind": "computed", "column": "ratio", **rule}])


def test_a_ddi_codebook_declares_its_variables():
    fields = fields_of_codebook_file(DDI.encode(), name="study.xml")
    schema = draft_from_header(["V1", "V2", "V3"], fields)
    codebook = Codebook.from_dict({"fields": schema["fields"][:2]})
    assert codebook.domain.attributes[0].categories == (1, 2)
    assert codebook.missing_of("V1") == {"", "9"}
    assert codebook.value_labels["V1"] == {"1": "male", "2": "female", "9": "no answer"}
    assert (codebook.domain.attributes[1].minimum, codebook.domain.attributes[1].maximum) == (18, 99)
    assert codebook.undeclared == frozenset()
    assert schema["fields"][2]["declared"] is False


def test_an_odk_form_declares_its_questions():
    content = workbook(
        {
            "survey": [
                ["type", "name", "label::English"],
                ["begin_group", "g", "G"],
                ["select_one colour", "col", "Colour"],
                ["text", "why", "Why"],
                ["range", "pain", "Pain"],
                ["integer", "n", "How many"],
            ],
            "choices": [
                ["list_name", "name", "label::English"],
                ["colour", "r", "red"],
                ["colour", "g", "green"],
            ],
        }
    )
    fields = fields_of_codebook_file(content, name="form.xlsx")
    assert [c["value"] for c in fields["col"]["categories"]] == ["r", "g"]
    assert fields["col"]["title"] == "Colour"
    assert fields["why"]["publish"] is False
    assert "g" not in fields
    assert "source" not in fields["n"]


def test_a_data_package_declares_its_fields_and_keeps_what_is_a_guess():
    package = {
        "resources": [
            {
                "schema": {
                    "fields": [
                        {"name": "a", "type": "string", "categories": ["x", "y"]},
                        {
                            "name": "b",
                            "type": "string",
                            "categories": ["x"],
                            "source": {"kind": "guess"},
                            "declared": False,
                        },
                        {"name": "c", "type": "string", "categories": ["x"], "declared": False},
                        {"name": "d", "type": "string"},
                    ]
                }
            }
        ]
    }
    fields = fields_of_codebook_file(json.dumps(package).encode(), name="datapackage.json")
    schema = draft_from_header(list("abcd"), fields)
    assert [origin(entry) for entry in schema["fields"][:3]] == [Origin.FILE, Origin.GUESS, Origin.GUESS]
    assert schema["fields"][3]["declared"] is False


def package(*resources, **more):
    return json.dumps({"resources": list(resources), **more}).encode()


def hours(low, high, **more):
    field = {"name": "hours", "type": "integer", "constraints": {"minimum": low, "maximum": high}}
    return {"schema": {"fields": [field]}, **more}


def test_missing_codes_that_a_schema_says_of_all_its_fields_are_those_of_each():
    schema = {
        "missingValues": ["", "-99"],
        "fields": [
            {"name": "hours", "type": "integer", "constraints": {"minimum": 0, "maximum": 100}},
            {"name": "open", "type": "string"},
            {"name": "own", "type": "string", "categories": ["a"], "missingValues": ["n.a."]},
            {"name": "age", "type": "integer"},
        ],
    }
    given = fields_of_codebook_file(json.dumps(schema).encode(), name="schema.json")
    entries = {e["name"]: e for e in draft_from_header(["hours", "open", "own", "age"], given)["fields"]}
    codes = {name: entry["missingValues"] for name, entry in entries.items()}
    assert codes == {"hours": ["", "-99"], "open": ["", "-99"], "own": ["n.a."], "age": ["", "-99"]}
    assert entries["age"]["source"]["kind"] == "vocabulary", "what a name says of a column's values stays"
    assert Codebook.from_dict({"fields": [entries["hours"]]}).missing_of("hours") == {"", "-99"}


@pytest.mark.parametrize(
    ("table", "columns", "largest"),
    [
        ("b.csv", ["hours"], 100),
        ("second.csv", ["hours"], 100),
        ("elsewhere.csv", ["hours", "town"], 24),
    ],
)
def test_of_several_tables_the_one_is_taken_that_is_meant(table, columns, largest):
    town = hours(0, 24)["schema"]["fields"] + [{"name": "town", "type": "string"}]
    content = package(
        hours(1000, 2000, name="first", path="a.csv"),
        hours(0, 100, name="second", path="data/b.csv"),
        {"name": "third", "schema": {"fields": town}},
    )
    told = read_codebook_file(content, name="datapackage.json", table=table, columns=columns)
    assert told.fields["hours"]["constraints"]["maximum"] == largest


def test_several_tables_of_which_none_is_meant_are_named_and_a_schema_elsewhere_is_said():
    two = package(hours(0, 9, name="first"), hours(0, 99, name="second"))
    with pytest.raises(SourceError, match=r"describes several tables \(first, second\)"):
        read_codebook_file(two, name="datapackage.json", table="t.csv", columns=["hours"])
    with pytest.raises(SourceError, match=r"has its schema in another file, 'ts\.json'; give that file"):
        read_codebook_file(package({"name": "a", "schema": "ts.json"}), name="datapackage.json")


def ddi_variable(inside, *, kind="contin", form="numeric", more=""):
    text = f'<var name="V" intrvl="{kind}" {more}>{inside}<varFormat type="{form}"/></var>'
    told = read_codebook_file(f"<codeBook><dataDscr>{text}</dataDscr></codeBook>".encode(), name="s.xml")
    return told.fields["V"], [str(remark) for remark in told.remarks]


def category(value, more="", label=""):
    return f"<catgry {more}><catValu>{value}</catValu>{f'<labl>{label}</labl>' if label else ''}</catgry>"


def test_values_that_a_ddi_codebook_calls_invalid_are_missing_codes_and_no_bounds():
    invalid = '<invalrng><range min="97" max="98"/><item VALUE="-9"/></invalrng>'
    field, _ = ddi_variable(invalid + '<valrng><range min="0" max="80"/></valrng>')
    assert field["missingValues"] == ["", -9, 97, 98]
    assert field["constraints"] == {"minimum": 0, "maximum": 80}
    field, _ = ddi_variable(invalid)
    assert field["missingValues"] == ["", -9, 97, 98]
    assert "constraints" not in field
    field, _ = ddi_variable(
        '<invalrng><item VALUE="9"/></invalrng>' + category(1) + category(9, label="n.a."), kind="discrete"
    )
    assert [c["value"] for c in field["categories"]] == [1]
    assert field["missingValues"] == [{"value": 9, "label": "n.a."}, ""]


@pytest.mark.parametrize("limits", ['max="-1"', 'min="-9999" max="-1"', 'min="5" max="1"', ""])
def test_a_range_of_missing_codes_that_is_too_long_to_list_is_said(limits):
    field, [remark] = ddi_variable(f"<invalrng><range {limits}/></invalrng>")
    assert "missingValues" not in field
    assert "Of V the file declares a range of missing codes" in remark


def test_numbers_of_a_numeric_variable_are_read_however_many_zeros_they_have():
    field, _ = ddi_variable(category("03", label="Carol") + category("10"), kind="discrete")
    assert field["type"] == "integer"
    assert field["categories"] == [{"value": 3, "spellings": ["03"], "label": "Carol"}, {"value": 10}]
    book = Codebook.from_dict({"fields": [field]})
    for column in (["3", "10"], ["03", "10.0"]):
        frame = read_table(("V\n" + "\n".join(column)).encode(), name="t.csv")
        assert encode(frame, book)[:, 0].tolist() == [0, 1]
    field, _ = ddi_variable(category("03") + category("3"), kind="discrete")
    assert [c["value"] for c in field["categories"]] == ["03", "3"], "two codes are no one number"
    field, _ = ddi_variable(category("03"), kind="discrete", form="character")
    assert field["categories"] == [{"value": "03"}]


def test_labels_at_the_ends_of_a_ddi_scale_are_no_list_unless_it_is_called_discrete():
    ends = category(0, label="none") + category(10, label="all")
    field, _ = ddi_variable(ends, kind="")
    assert field["type"] == "integer"
    assert field["labels"] == [{"value": 0, "label": "none"}, {"value": 10, "label": "all"}]
    for listed, kind in ((ends, "discrete"), (ends + category(5), "")):
        assert "categories" in ddi_variable(listed, kind=kind)[0]


@pytest.mark.parametrize(
    ("own", "taken"),
    [('xml:lang="fr"', "fr"), ('xml:lang="it"', "de"), ('xml:lang="EN-gb"', "en"), ("", "de")],
)
def test_labels_of_a_ddi_codebook_are_all_of_one_language(own, taken):
    def labels(word, *languages):
        return "".join(f'<labl xml:lang="{one}">{word} {one}</labl>' for one in languages)

    category = f"<catgry><catValu>1</catValu>{labels('one', 'de', 'fr', 'en')}</catgry>"
    variables = (
        f'<var name="V" intrvl="discrete">{labels("V", "en", "fr", "de-AT")}{category}</var>'
        f'<var name="W">{labels("W", "de")}</var>'
        f'<var name="X"><labl>X</labl></var>'
    )
    content = f"<codeBook {own}><dataDscr>{variables}</dataDscr></codeBook>"
    fields = fields_of_codebook_file(content.encode(), name="s.xml")
    assert fields["V"]["title"].removesuffix("-AT") == f"V {taken}"
    assert fields["V"]["categories"] == [{"value": 1, "label": f"one {taken}"}]
    assert (fields["W"]["title"], fields["X"]["title"]) == ("W de", "X")


def test_decimals_of_a_ddi_variable_are_kept_though_its_bounds_are_whole():
    bounds = '<valrng><range min="0" max="300"/></valrng>'
    field, _ = ddi_variable(bounds, more='dcml="2"')
    assert (field["type"], field["decimals"]) == ("number", 2)
    assert ddi_variable(bounds, more='dcml="0"')[0]["type"] == "integer"
    assert ddi_variable("", more='dcml="4"')[0] == {"name": "V", "type": "number", "decimals": 4}


def test_a_code_for_the_system_s_missing_value_is_the_empty_cell():
    for code in ("Sysmiss", "."):
        field, _ = ddi_variable(
            category(1) + category(2) + category(9, 'missing="Y"') + category(code, 'missing="Y"'),
            kind="discrete",
            more='nature="ordinal"',
        )
        assert field["missingValues"] == ["", {"value": 9}, {"value": code}]
        assert field["categoriesOrdered"] is True
        assert field["type"] == "integer"


def test_a_document_type_is_passed_over_and_nothing_that_it_names_is_opened(tmp_path):
    outside = tmp_path / "outside.dtd"
    outside.write_text('<!ENTITY inside "secret">')
    head = '<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE codeBook SYSTEM "{}"{}>'
    rest = '<codeBook><dataDscr><var name="V"><labl>{}</labl></var></dataDscr></codeBook>'
    content = head.format(outside, "") + rest.format("Größe")
    told = read_codebook_file(content.encode("latin-1"), name="s.xml")
    assert told.fields["V"]["title"] == "Größe"
    hostile = {
        "is not well-formed XML": head.format(outside, "") + rest.format("&inside;"),
        "declares entities": head.format(outside, f' [<!ENTITY x SYSTEM "{outside}">]') + rest.format("&x;"),
        "declares entities of XML": head.format(outside, f' [<!ENTITY % x SYSTEM "{outside}"> %x;]')
        + rest.format("&inside;"),
    }
    for text, content in hostile.items():
        with pytest.raises(SourceError, match=text):
            read_codebook_file(content.encode(), name="s.xml")


QUESTIONS = (
    "Variable / Field Name,Field Type,Field Label,"
    '"Choices, Calculations, OR Slider Labels",Text Validation Type OR Show Slider Number,'
    "Text Validation Min,Text Validation Max,Branching Logic (Show field only if...)\n"
)


def questions(*rows):
    told = read_codebook_file((QUESTIONS + "\n".join(rows)).encode(), name="dictionary.csv")
    assert all(rule["source"]["kind"] == "file" for rule in told.rules)
    return told.fields, list(map(without_source, told.rules)), [str(remark) for remark in told.remarks]


def test_dates_times_and_decimals_of_a_redcap_dictionary_are_declared_as_it_exports_them():
    fields, _, _ = questions(
        "visit,text,,,date_dmy,2020-01-01,2021-12-31,",
        "seen,text,,,datetime_mdy,2020-01-01 00:00,2021-12-31 23:59,",
        "rung,text,,,datetime_seconds_ymd,2020-01-01,today,",
        "start,text,,,time,,,",
        "bmi,text,,,number_1dp,10,60,",
        'size,text,,,number_2dp_comma_decimal,"1,25","2,5",',
        "pain,slider,,,number,1,10,",
        "ok,yesno,,,,,,",
        "least,text,,,integer,0,,",
    )
    said = {
        n: (f["type"], f.get("format"), f.get("decimals"), f.get("constraints")) for n, f in fields.items()
    }
    both = {"minimum": "2020-01-01", "maximum": "2021-12-31"}
    assert said["visit"] == ("date", None, None, both)
    assert said["seen"][:2] == ("datetime", "%Y-%m-%d %H:%M")
    assert said["rung"] == ("datetime", "%Y-%m-%d %H:%M:%S", None, {"minimum": "2020-01-01"})
    assert said["start"] == ("time", "%H:%M", None, {"minimum": "00:00:00", "maximum": "23:59:59"})
    assert said["bmi"] == ("number", None, 1, {"minimum": 10, "maximum": 60})
    assert said["size"] == ("number", None, 2, {"minimum": 1.25, "maximum": 2.5})
    assert said["pain"] == ("integer", None, None, {"minimum": 1, "maximum": 10})
    schema = draft_from_header(list(fields), fields)
    open_ones = {e["name"] for e in schema["fields"] if is_open(e)}
    assert open_ones == {"rung", "least"}
    least = next(e for e in schema["fields"] if e["name"] == "least")
    assert (least["type"], least["constraints"]) == ("integer", {"minimum": 0}), "one bound is kept"
    book = Codebook.from_dict({"fields": [e for e in schema["fields"] if e["name"] not in open_ones]})
    assert next(a for a in book.domain.attributes if a.name == "ok").spellings == (
        ("0", "false"),
        ("1", "true"),
    )
    assert book.undeclared == frozenset()


def test_what_redcap_validates_as_somebody_s_own_is_not_published_and_postcodes_are_no_numbers():
    own = ("phone", "phone_australia", "email", "ssn", "mrn_10d", "mrn_generic", "vmrn")
    places = ("zipcode", "postalcode_germany")
    fields, _, _ = questions(
        *(f"q{kind},text,,,{kind},,," for kind in own + places),
        "scan,file,,,,,,",
        'grade,radio,,"1, low | 1, Low | 2, high",,,,',
    )
    told = {e["name"]: e for e in draft_from_header(list(fields), fields)["fields"]}
    for kind in own:
        assert (told[f"q{kind}"]["role"], told[f"q{kind}"]["publish"]) == ("identifier", False), kind
    assert (told["scan"]["role"], told["scan"]["publish"]) == ("text", False)
    for kind in places:
        assert told[f"q{kind}"]["type"] == "string"
        assert is_open(told[f"q{kind}"])
    assert [c["label"] for c in told["grade"]["categories"]] == ["low", "high"]


def test_branching_logic_becomes_rules_and_what_is_not_understood_is_said():
    _, rules, remarks = questions(
        'smoker,radio,,"0, No | 1, Yes",,,,',
        'meds,checkbox,,"1, A | -2, B",,,,',
        "cigs,text,,,integer,0,80,[smoker] = '1'",
        "ok,yesno,,,,,,\"[meds(-2)] = '1' and [smoker] <> '0'\"",
        "why,yesno,,,,,,[visit_1][smoker] = '1'",
        "more,checkbox,,\"1, A\",,,,[smoker] = '1'",
        "gone,yesno,,,,,,[elsewhere] = '1'",
    )
    assert rules == [
        {"kind": "askedIf", "column": "cigs", "if": {"smoker": 1}},
        {"kind": "askedIf", "column": "ok", "if": {"meds____2": 1}},
        {"kind": "implies", "if": {"smoker": 0}, "then": {"ok": {"missing": True}}},
        {"kind": "implies", "if": {"more___1": 1}, "then": {"smoker": 1}},
        {"kind": "implies", "if": {"more___1": 1}, "then": {"smoker": {"missing": False}}},
    ]
    assert len(remarks) == 1
    assert "When why, gone are to be asked could not be made a rule" in remarks[0]


def test_boxes_of_a_question_that_was_not_asked_are_not_ticked():
    _, rules, remarks = questions(
        "sick,yesno,,,,,,",
        "age,text,,,integer,0,120,",
        "meds,checkbox,,\"1, A | 2, B\",,,,[sick] = '1' and [age] >= 18",
        "odd,checkbox,,\"1, A\",,,,[sick] = '1' or [age] < 5",
    )
    assert rules == [
        {"kind": "implies", "if": {"meds___1": 1}, "then": {"sick": 1, "age": {"atLeast": 18}}},
        {
            "kind": "implies",
            "if": {"meds___1": 1},
            "then": {"sick": {"missing": False}, "age": {"missing": False}},
        },
        {"kind": "implies", "if": {"meds___2": 1}, "then": {"sick": 1, "age": {"atLeast": 18}}},
        {
            "kind": "implies",
            "if": {"meds___2": 1},
            "then": {"sick": {"missing": False}, "age": {"missing": False}},
        },
        *(
            {"kind": "implies", "if": {"sick": sick, "age": age}, "then": {"odd___1": 0}}
            for sick in ({"not": 1}, {"missing": True})
            for age in ({"atLeast": 5}, {"missing": True})
        ),
    ]
    assert remarks == []


FORM = [
    ["type", "name", "label", "relevant", "constraint"],
    ["select_one yesno", "smokes", "Smokes?", "", ""],
    ["begin group", "g", "", "${smokes} = ‘yes’", ""],
    ["integer", "cigs", "Cigarettes", "", ". > 0 and . <= 80"],
    ["decimal", "first", "First at", "${cigs} >= 10", ". <= 99.5"],
    ["end group", "", "", "", ""],
    ["date", "visit", "", "", ". >= date('2020-01-01') and . < '2022-01-01'"],
    ["time", "at", "", "", ""],
    ["dateTime", "seen", "", "", ""],
    ["select_multiple yesno", "several", "", "", ""],
    ["integer", "odd", "", "selected(${several}, 'yes')", ". mod 2 = 1"],
    ["select one from yesno or specify other", "old", "", "", ""],
    ["select_one nowhere", "lost", "", "", ""],
    ["integer", "strange", "", "count-selected(${several}) > 1", ""],
]
CHOICES = [["list_name", "name", "label"], ["yesno", "yes", "Yes"], ["yesno", "no", "No"]]


@pytest.mark.parametrize("ending", [".xlsx", ".csv"])
def test_a_form_of_odk_declares_types_bounds_and_when_its_questions_are_asked(ending):
    if ending == ".xlsx":
        content = workbook({"survey": FORM, "choices": CHOICES})
    else:
        lines = [["survey"], *(["", *row] for row in FORM), ["choices"], *(["", *row] for row in CHOICES)]
        content = "\n".join(
            ",".join(f'"{cell}"' for cell in (*line, *[""] * 9)[:6]) for line in lines
        ).encode()
    told = read_codebook_file(content, name=f"form{ending}")
    fields = told.fields
    assert [c["value"] for c in fields["smokes"]["categories"]] == ["yes", "no"]
    assert [c["value"] for c in fields["old"]["categories"]] == ["yes", "no", "other"]
    assert (fields["cigs"]["type"], fields["cigs"]["constraints"]) == (
        "integer",
        {"minimum": 1, "maximum": 80},
    )
    assert (fields["first"]["type"], fields["first"]["constraints"]) == ("number", {"maximum": 99.5})
    assert fields["visit"]["constraints"] == {"minimum": "2020-01-01", "maximum": "2022-01-01"}
    assert [fields[n]["type"] for n in ("at", "seen", "odd")] == ["time", "datetime", "integer"]
    assert "constraints" not in fields["odd"]
    assert list(map(without_source, told.rules)) == [
        {"kind": "askedIf", "column": "cigs", "if": {"smokes": "yes"}},
        {"kind": "askedIf", "column": "first", "if": {"smokes": "yes"}},
        {"kind": "askedIf", "column": "first", "if": {"cigs": {"atLeast": 10}}},
        {"kind": "askedIf", "column": "odd", "if": {"several/yes": 1}},
    ]
    said = " ".join(map(str, told.remarks))
    assert "When strange are to be asked" in said
    assert "The choices of lost are not in the file" in said


def test_answers_of_odk_in_one_cell_are_told_apart_and_given_only_where_the_question_was_asked():
    survey = [FORM[0], ["select_one yesno", "works", "Works?", "", ""]]
    survey.append(["select_multiple tools", "uses", "Uses", "${works} = 'yes'", ""])
    choices = [*CHOICES, ["tools", "hoe", "A hoe"], ["tools", "plough", "A plough"]]
    form = workbook({"survey": survey, "choices": choices})
    columns = ["works", "uses"]
    told = read_codebook_file(form, name="f.xlsx", columns=columns)
    schema = with_told_answers(draft_from_header(columns, told.fields), told.fields, columns)
    assert [field["name"] for field in schema["fields"]] == ["works", "uses/hoe", "uses/plough"]
    assert schema["fields"][1]["title"] == "Uses: A hoe"
    rules, left_out = told.rules_for(schema)
    assert left_out == ()
    assert list(map(without_source, rules)) == [
        {"kind": "askedIf", "column": f"uses/{tool}", "if": {"works": "yes"}} for tool in ("hoe", "plough")
    ]
    book = Codebook.from_dict({**schema, "rules": list(rules)})
    table = pd.DataFrame({"works": ["yes", "no", "yes"], "uses": ["plough hoe", "", "plough"]})
    assert encode(table, book)[:, 1:].tolist() == [[1, 1], [2, 2], [0, 1]]
    own = read_codebook_file(form, name="f.xlsx", columns=["works", "uses", "uses/hoe"])
    assert "answerTo" not in own.fields["uses/hoe"]


def test_a_choice_of_an_odk_form_that_each_region_has_counts_once():
    survey = [["type", "name", "label"], ["select_one town or_other", "town", ""], ["text", "note", ""]]
    survey.append(["select_multiple town", "seen", ""])
    towns = [("north", "1", "Aa"), ("south", "1", "Ab"), ("south", "other", "Other")]
    choices = [["list_name", "region", "name", "label"], *(["town", *town] for town in towns)]
    fields = fields_of_codebook_file(workbook({"survey": survey, "choices": choices}), name="f.xlsx")
    assert fields["town"]["categories"] == [
        {"value": "1", "label": "Aa"}, {"value": "other", "label": "Other"},
    ]  # fmt: skip
    assert [name for name in fields if name.startswith("seen/")] == ["seen/1", "seen/other"]
    Codebook.from_dict({"fields": [fields["town"]]})


@pytest.mark.parametrize(
    ("logic", "rules"),
    [
        ("[a] = '1' or [a] = '2'", [{"kind": "askedIf", "column": "q", "if": {"a": [1, 2]}}]),
        ("([a]='1') AND ([b] < 3)", [{"kind": "askedIf", "column": "q", "if": {"a": 1, "b": {"below": 3}}}]),
        ("18 <= [a]", [{"kind": "askedIf", "column": "q", "if": {"a": {"atLeast": 18}}}]),
        ("[a] <> ''", [{"kind": "askedIf", "column": "q", "if": {"a": {"missing": False}}}]),
        (
            "[a] > 1 and [a] < 9",
            [
                {"kind": "askedIf", "column": "q", "if": {"a": {"above": 1}}},
                {"kind": "askedIf", "column": "q", "if": {"a": {"below": 9}}},
            ],
        ),
        (
            "[a] = '1' or [b] <> 2",
            [
                {"kind": "implies", "if": {"a": {"not": 1}, "b": 2}, "then": {"q": {"missing": True}}},
                {"kind": "implies", "if": {"a": {"missing": True}, "b": 2}, "then": {"q": {"missing": True}}},
            ],
        ),
    ],
)
def test_simple_logic_is_read(logic, rules):
    assert rules_of("q", logic, lambda name: name) == rules


@pytest.mark.parametrize(
    "logic",
    [
        "[a]",
        "[a] = [b]",
        "[a] = '1' and",
        "([a] = '1'",
        "not([a] = '1')",
        "datediff([a], 'today', 'd') > 3",
        "[q] = '1'",
        "[a] < 'x'",
        "[a] < 1 or [a] > 5",
        "[a] = '1' or [b] = '1' or [c] = '1' or [d] = '1'",
        "(" * 5000,
        " and ".join(["([a] = '1' or [b] = '2')"] * 90),
        "'1' = '1'",
        "[a] = '1' [b]",
        "",
    ],
)
def test_other_logic_is_not_simple(logic):
    with pytest.raises(NotSimpleError):
        rules_of("q", logic, lambda name: name)


def test_rules_are_kept_where_all_their_columns_are_published_and_have_the_values_they_name():
    told = read_codebook_file(
        package(
            {
                "schema": {
                    "fields": [
                        {"name": "a", "type": "string", "categories": ["x", "y"]},
                        {"name": "b", "type": "string", "categories": ["x", "y"]},
                        {"name": "open", "type": "string"},
                    ],
                    "rules": [
                        {"kind": "askedIf", "column": "b", "if": {"a": "x"}},
                        {"kind": "askedIf", "column": "b", "if": {"a": "z"}},
                        {"kind": "askedIf", "column": "open", "if": {"a": "x"}},
                        {"kind": "askedIf", "column": "gone", "if": {"a": "x"}},
                    ],
                }
            }
        ),
        name="p.json",
        columns=["a", "B", "open"],
    )
    rules, [remark] = told.rules_for(draft_from_header(["a", "B", "open"], told.fields))
    assert [(rule["column"], rule["if"]) for rule in rules] == [("B", {"a": "x"}), ("open", {"a": "x"})]
    assert str(remark).startswith("Rules about B, a were left out")


def test_a_rule_that_another_codebook_has_as_a_guess_or_from_elsewhere_stays_so():
    """Else whoever starts from a draft would release what was read off its rows."""
    elsewhere = {"kind": "declared", "grounds": "law", "name": "Act 7", "by": "A. Ito"}
    marks = ({"declared": False}, {"source": {"kind": "guess"}}, {"source": elsewhere}, {})
    fields = [{"name": name, "type": "string", "categories": ["x", "y"]} for name in "abcde"]
    rules = [
        {"kind": "askedIf", "column": name, "if": {"a": "x"}, **mark}
        for name, mark in zip("bcde", marks, strict=True)
    ]
    told = read_codebook_file(package({"schema": {"fields": fields, "rules": rules}}), name="p.json")
    assert told.rules[:3] == tuple(rules[:3])
    assert told.rules[3]["source"]["kind"] == "file"


SEX = {
    "title": "Sex",
    "type": "integer",
    "missingValues": [9, "", {"value": 8, "label": "refused"}],
    "categories": [1, 2],
    "labels": [{"value": 1, "label": "m"}],
}


@pytest.mark.parametrize(
    ("told", "both"),
    [
        ({"publish": False, "type": "string"}, {"title": "Sex", "publish": False, "type": "string"}),
        ({"type": "string", "title": "S"}, {**SEX, "title": "S"}),
        (
            {"categories": [1, 2, 9], "source": {"kind": "file"}},
            {
                **SEX,
                "categories": [{"value": 1, "label": "m"}, 2, 9],
                "missingValues": [{"value": 8, "label": "refused"}, ""],
                "source": {"kind": "file"},
                "labels": None,
            },
        ),
        (
            {"constraints": {"minimum": 1, "maximum": 2}, "declared": False},
            {
                **SEX,
                "categories": None,
                "missingValues": ["", 9, {"value": 8, "label": "refused"}],
                "constraints": {"minimum": 1, "maximum": 2},
                "declared": False,
            },
        ),
        (
            {"missingValues": ["x"], "source": {}},
            {**SEX, "categories": None, "missingValues": ["x"], "source": {}},
        ),
    ],
    ids=["left out", "of values nothing", "a list", "bounds that are a guess", "missing codes"],
)
def test_what_a_codebook_file_says_of_a_column_goes_over_what_the_tables_file_says(told, both):
    """Its marks of a guess stay, a value that it lists is no missing code, and labels are of the list."""
    assert told_over(SEX, told) == {key: part for key, part in both.items() if part is not None}


def test_two_names_that_differ_in_capital_letters_mean_no_column_that_is_called_like_both():
    fields = [{"name": name, "type": "boolean"} for name in ("ab", "AB", "c")]
    told = read_codebook_file(package({"schema": {"fields": fields}}), name="p.json", columns=["Ab", "C"])
    assert set(told.fields) == {"ab", "AB", "C"}


def test_a_dictionary_of_other_columns_is_refused_and_capital_letters_alone_make_none_another():
    content = REDCAP.encode()
    with pytest.raises(SourceError, match="describes none of the table's columns"):
        read_codebook_file(content, name="dictionary.csv", columns=["puls", "size"])
    told = read_codebook_file(content, name="dictionary.csv", columns=["SMOKE", "Age", "AGE"])
    assert told.fields["SMOKE"]["name"] == "SMOKE"
    assert not {"smoke", "Age", "AGE"} & set(told.fields), "which of two is meant nobody knows"


def test_an_empty_dictionary_is_called_by_its_name():
    with pytest.raises(SourceError, match=r"^'?mine\.csv'? is empty"):
        read_codebook_file(b"", name="mine.csv")


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.json", b"{", "is not JSON"),
        ("a.json", b"[" * 100_000, "is not JSON"),
        ("a.json", b"{}", "describes no variable"),
        ("a.xml", b"<a>", "is not well-formed XML"),
        (
            "a.xml",
            b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
            "declares entities of XML",
        ),
        ("a.xml", b"<a/>", "describes no variable"),
        ("a.csv", b"x,y\n1,2\n", "describes no variable"),
        ("a.xlsx", b"x", "is no workbook inside"),
        ("a.pdf", b"x", "is no codebook file by its ending"),
    ],
)
def test_a_file_that_is_no_codebook_is_refused(name, content, text):
    with pytest.raises(SourceError, match=text):
        fields_of_codebook_file(content, name=name)


@pytest.mark.parametrize("constraints", [5, "x", [1], {"minimum": {}}, None])
def test_constraints_that_are_none_break_no_draft(constraints):
    field = {"name": "a", "type": "integer", "constraints": constraints}
    given = fields_of_codebook_file(json.dumps({"fields": [field]}).encode(), name="s.json")
    assert draft_from_header(["a"], given)["fields"][0]["type"] == "integer"


@settings(max_examples=200)
@given(
    st.binary(max_size=200) | st.text(max_size=100).map(str.encode),
    st.sampled_from([".json", ".xml", ".csv", ".xlsx"]),
)
def test_whatever_is_handed_in_as_a_codebook_file_only_our_own_errors_come_out(content, ending):
    try:
        fields = fields_of_codebook_file(content, name=f"x{ending}")
    except HmpbError:
        return
    assert isinstance(fields, dict)


def test_a_workbook_of_random_bytes_in_its_parts_raises_our_own_errors_only():
    rng = np.random.default_rng(0)
    whole = workbook({"T": [["a", "b"], [1, "x"]]})
    for _ in range(150):
        broken = bytearray(whole)
        for place in rng.integers(0, len(broken), int(rng.integers(1, 30))):
            broken[place] = int(rng.integers(256))
        with contextlib.suppress(HmpbError):
            read_table(bytes(broken), name="t.xlsx")


SDNIST = {
    "AGEP": {"description": "Person's  age", "values": {"min": 0, "max": 99}},
    "SEX": {"description": "Gender", "values": {"1": "Male", "2": "Female"}},
    "MSP": {"description": "Marital status", "values": {"N": "N/A (below 15)", "1": "Married", "6": "Never"}},
    "POVPIP": {"description": "Ratio", "values": {"N": "N/A", "min": 0, "max": 500, "501": "above"}},
    "DENSITY": {"description": "Density", "values": {"min": 16.3, "max": 52864.7}},
    "INDP": {"description": "Industry codes", "link": "a page"},
    "ODD": {"values": {"min": 3, "max": 3}},
}


def test_the_dictionary_of_nists_excerpts_declares_lists_bounds_and_who_is_not_asked():
    fields = fields_of_codebook_file(json.dumps(SDNIST).encode(), name="data_dictionary.json")
    source = {"kind": "file", "name": "data_dictionary.json"}
    assert fields["AGEP"] == {
        "name": "AGEP",
        "title": "Person's age",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 99},
        "source": source,
    }
    assert [c["value"] for c in fields["SEX"]["categories"]] == [1, 2]
    assert [c["value"] for c in fields["MSP"]["categories"]] == ["N", "1", "6"]
    assert fields["POVPIP"]["constraints"] == {"minimum": 0, "maximum": 501}
    assert fields["POVPIP"]["labels"] == [{"value": 501, "label": "above"}]
    assert fields["POVPIP"]["missingValues"] == [{"value": "N", "label": "N/A"}, ""]
    assert fields["DENSITY"]["type"] == "number"
    assert fields["INDP"] == {"name": "INDP", "title": "Industry codes"}
    assert fields["ODD"] == {"name": "ODD"}
    drafted = draft_from_header(["AGEP", "MSP", "POVPIP", "INDP"], fields)["fields"]
    assert [is_open(entry) for entry in drafted] == [False, False, False, True]
    book = Codebook.from_dict({"fields": drafted[:3]})
    frame = pd.DataFrame({"AGEP": ["14", "40"], "MSP": ["N", "1"], "POVPIP": ["N", "501"]})
    assert encode(frame, book).shape == (2, 3)


@pytest.mark.parametrize("content", ['{"a": {"b": 1}}', '{"a": {"values": 3}, "b": 2}', "{}", "[1]"])
def test_other_json_is_no_dictionary(content):
    with pytest.raises(SourceError, match="describes no variable"):
        fields_of_codebook_file(content.encode(), name="data.json")
