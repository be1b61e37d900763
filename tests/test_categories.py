"""Booleans, hierarchical codes, spellings and missing codes: read, coded and written back."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Categorical
from hmpb_core.encoding import encode
from hmpb_core.errors import DomainError, SourceError


def book(*fields, **others):
    codebook = Codebook.from_dict({"fields": list(fields), **others})
    assert Codebook.from_json(codebook.to_json()) == codebook
    return codebook


def codes(codebook, values):
    name = codebook.domain.names[0]
    return encode(pd.DataFrame({name: values}), codebook)[:, 0].tolist()


def test_a_boolean_is_read_in_every_way_it_is_written():
    smokes = book({"name": "smokes", "type": "boolean"})
    assert codes(smokes, ["true", "False", "1", "0", "", "TRUE"]) == [1, 0, 1, 0, 2, 1]
    assert codes(smokes, pd.array([True, False, None], dtype="boolean")) == [1, 0, 2]
    assert codes(smokes, [1.0, 0.0, np.nan]) == [1, 0, 2]


def test_a_boolean_may_name_its_own_words():
    field = {"name": "x", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]}
    assert codes(book(field), ["nein", "ja", ""]) == [0, 1, 2]


@pytest.mark.parametrize("words", [("true", "false"), ("ja", "nein"), ("1", "0"), ("0", "1")])
def test_truth_values_are_what_they_are_whatever_words_a_file_has(words):
    """pandas reads the words true and false of a csv as truth values, and among missing ones as objects."""
    yes, no = words
    smokes = book({"name": "x", "type": "boolean", "trueValues": [yes], "falseValues": [no]})
    assert codes(smokes, [no, yes, ""]) == [0, 1, 2]
    assert codes(smokes, pd.Series([False, True], dtype=bool)) == [0, 1]
    assert codes(smokes, pd.array([False, True, None], dtype="boolean")) == [0, 1, 2]
    assert codes(smokes, pd.Series([False, True, None], dtype=object)) == [0, 1, 2]
    drawn = decode(np.array([[1], [0], [2]], dtype=np.int32), smokes.domain, np.random.default_rng(0))
    assert codes(smokes, drawn["x"]) == [1, 0, 2]


def test_a_number_that_lost_the_zeros_of_a_code_is_the_only_code_it_can_be():
    """pandas reads 01 as 1; and codes that a file writes as 1331.0 as a number that is whole."""
    county = book({"name": "county", "type": "string", "categories": ["01", "02", "10"]})
    assert codes(county, pd.Series([2, 10, 1])) == [1, 2, 0]
    region = book({"name": "region", "type": "string", "categories": ["1331.0", "1332.0"]})
    assert codes(region, pd.Series([1332.0, 1331.0, np.nan])) == [1, 0, 2]
    for values in (["1", "10"], pd.Series([3])):  # a text is what stands there; and 3 is no code
        with pytest.raises(SourceError, match="not among its 3 declared"):
            codes(county, values)
    several = book({"name": "several", "type": "string", "categories": ["1", "01", "001", "02"]})
    assert codes(several, pd.Series([1, 2])) == [0, 3]
    with pytest.raises(SourceError, match="not among its 2 declared"):
        codes(book({"name": "x", "type": "string", "categories": ["01", "001"]}), pd.Series([1]))


def test_a_boolean_is_decoded_as_one():
    smokes = book({"name": "smokes", "type": "boolean"})
    column = decode(np.array([[1], [0], [2]], dtype=np.int32), smokes.domain, np.random.default_rng(0))[
        "smokes"
    ]
    assert str(column.dtype) == "boolean"
    assert column.tolist()[:2] == [True, False]
    assert column.isna().tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ({"trueValues": "yes"}, "'trueValues' of 'x' must be a list of texts"),
        ({"trueValues": [""]}, "'trueValues' of 'x' must be a list of texts"),
        ({"trueValues": ["0"]}, "lists a text twice among its true and false values"),
    ],
)
def test_an_impossible_boolean_is_refused(extra, text):
    with pytest.raises(DomainError, match=text):
        book({"name": "x", "type": "boolean", **extra})


ICD = {
    "name": "icd",
    "categories": [
        {"value": "C00-D48", "label": "Neoplasms", "prefixes": ["C", "D0", "D1", "D2", "D3", "D4"]},
        {"value": "D50-D89", "prefixes": ["D5", "D6", "D7", "D8"]},
        {"value": "I21", "prefixes": ["I21"]},
        {"value": "I00-I99", "prefixes": ["I"]},
    ],
}


def test_a_finer_code_is_of_the_category_with_the_longest_beginning():
    icd = book(ICD)
    assert codes(icd, ["D45.1", "D50", "C00-D48", "I21.9", "I20.0", " I99 ", None]) == [0, 1, 0, 2, 3, 3, 4]
    assert icd.value_labels == {"icd": {"C00-D48": "Neoplasms"}}


def test_spellings_are_further_texts_of_a_category():
    sex = book({"name": "sex", "categories": [{"value": "female", "spellings": ["f", "2"]}, "male"]})
    assert codes(sex, ["f", 2, 2.0, "female", "male"]) == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("key", ["spellings", "prefixes"])
@pytest.mark.parametrize("texts", ["f", [1], [""]])
def test_impossible_spellings_and_prefixes_are_refused(key, texts):
    with pytest.raises(DomainError, match=r"'x'"):
        book({"name": "x", "categories": [{"value": "a", key: texts}]})


@pytest.mark.parametrize(
    "values", [["3", "3.0", "3.00", "+3", "03"], [3, 3.0, "3", np.float64(3), np.int8(3)]]
)
def test_whole_numbers_stored_as_decimals_are_the_same_categories(values):
    assert codes(book({"name": "x", "categories": [1, 3]}), values) == [1] * 5


def test_texts_are_no_numbers_where_the_categories_are_texts():
    plz = book({"name": "plz", "categories": ["01", "1"]})
    assert codes(plz, ["01", "1"]) == [0, 1]


def test_missing_codes_of_a_field_are_folded_or_told_apart_as_declared():
    values = [1, -9, "n.a.", ""]
    missing = [{"value": "-9", "label": "refused"}, "n.a."]
    folded = book({"name": "x", "categories": [1, 2], "missingValues": missing})
    assert codes(folded, values) == [0, 2, 2, 2]
    apart = book({"name": "x", "categories": [1, 2], "missingValues": missing, "missingApart": True})
    assert codes(apart, values) == [0, 2, 3, 4]
    assert apart.domain.attributes[0].labels == ("1", "2", "-9", "n.a.", "(missing)")
    assert apart.value_labels == {"x": {"-9": "refused"}}


def test_numeric_missing_codes_told_apart_keep_the_column_numeric():
    apart = book({"name": "x", "categories": [1, 2], "missingValues": ["-9"], "missingApart": True})
    assert apart.domain.attributes == (Categorical(name="x", categories=(1, 2, -9), nullable=True),)


def test_the_empty_cell_is_no_code_of_its_own_beside_those_that_are_told_apart():
    """It was one that no row had, numbers became texts beside it, and synthetic rows had it by noise."""
    field = {"name": "x", "categories": [1, 2], "missingApart": True}
    named, unnamed = (book({**field, "missingValues": codes}) for codes in (["", "-9"], ["-9"]))
    assert named.to_dict() == unnamed.to_dict()
    assert named.domain.attributes == (Categorical(name="x", categories=(1, 2, -9), nullable=True),)
    assert codes(named, [1, -9, "", None]) == [0, 2, 3, 3]
    assert codes(book({**field, "missingValues": [""]}), [1, 2, ""]) == [0, 1, 2]
    assert Codebook.from_dict(named.to_dict()) == named
    required = book({**field, "missingValues": ["", "-9"], "constraints": {"required": True}})
    with pytest.raises(SourceError, match="has missing values, but the codebook says it is required"):
        codes(required, [1, None])


def test_the_tables_missing_values_hold_for_fields_without_their_own():
    codebook = book(
        {"name": "x", "categories": ["a"], "missingValues": ["-9"]},
        {"name": "y", "categories": ["a"]},
        missingValues=["?"],
    )
    assert codebook.missing_of("x") == {"-9"}
    assert codebook.missing_of("y") == {"?"}


def test_missing_codes_cannot_be_told_apart_without_categories():
    field = {
        "name": "x",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 9},
        "missingApart": True,
    }
    with pytest.raises(DomainError, match="tells its missing codes apart but lists no categories"):
        book(field)


def test_columns_that_are_not_published_are_kept_in_the_codebook_and_out_of_the_domain():
    codebook = book(
        {"name": "id", "role": "identifier", "publish": False},
        {"name": "x", "categories": ["a"]},
        {"name": "note", "role": "text", "publish": False},
    )
    assert codebook.domain.names == ("x",)
    assert codebook.unpublished == {"id": "identifier", "note": "text"}
