"""Codebook files: REDCap, ODK, DDI and Data Package declare fields; anything else is refused."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.errors import HmpbError, SourceError
from hmpb_core.provenance import Origin
from hmpb_core.sources.drafting import (
    draft_from_header,
    fields_of_codebook_file,
)
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
    fields = draft_from_header(["weight", "size", "alter"], given)["fields"]
    drafted = {entry["name"]: entry for entry in fields}
    assert [drafted[name]["bins"] for name in ("weight", "size", "alter")] == [
        "learned",
        [30, 60, 250.5],
        "learned",
    ]


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
        "source": {"kind": "file", "name": "dictionary.csv"},
    }
    assert fields["weight"]["constraints"] == {"minimum": 30, "maximum": 250.5}
    assert fields["age"]["type"] == "integer"
    assert fields["remark"]["role"] == "text"
    assert "source" not in fields["free"]


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
            "is not well-formed XML without document types",
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
