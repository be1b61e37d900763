"""The public codebook: a Table Schema in, a domain out, and back."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.codebook_fields import LEARNED_CODES
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.errors import DomainError, HmpbError, SourceError

SCHEMA = {
    "fields": [
        {
            "name": "age",
            "type": "integer",
            "title": "Age in years",
            "constraints": {"minimum": 17, "maximum": 90, "required": True},
        },
        {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 1.5}, "bins": 4},
        {"name": "sex", "type": "string", "categories": ["f", "m"], "sensitive": True},
        {
            "name": "grade",
            "type": "integer",
            "categories": [{"value": 1, "label": "low"}, {"value": 2, "label": "high"}],
            "categoriesOrdered": True,
            "constraints": {"required": True},
            "unknown": 2,
            "declared": False,
        },
    ],
    "missingValues": ["", "?"],
}


def test_values_whose_codebook_says_nothing_of_bins_come_back():
    of_twenty = {"name": "children", "type": "integer", "constraints": {"minimum": 0, "maximum": 19}}
    learned = Codebook.from_dict({"fields": [{**of_twenty, "bins": "learned"}]})
    assert Codebook.from_dict({"fields": [of_twenty]}).domain == learned.domain


@pytest.mark.parametrize(
    ("filled", "kind"),
    [
        ({"type": "integer", "constraints": {"minimum": 0, "maximum": 9}}, Numeric),
        ({"type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}}, Numeric),
        ({"type": "boolean"}, Categorical),
        ({"constraints": {"minimum": 0, "maximum": 9}}, "give it a type that has a minimum and a maximum"),
        ({"type": "integer"}, "without a declared minimum and maximum"),
    ],
)
def test_the_empty_list_of_a_draft_says_nothing_beside_a_type_that_was_filled_in(filled, kind):
    """Who filled in type and bounds was told to give the column such a type."""
    field = {"name": "a", "type": "string", "categories": [], "categoriesOrdered": False, **filled}
    if isinstance(kind, str):
        with pytest.raises(DomainError, match=kind):
            Codebook.from_dict({"fields": [field]})
    else:
        assert isinstance(Codebook.from_dict({"fields": [field]}).domain.attributes[0], kind)


def test_a_schema_becomes_the_domain_it_declares():
    codebook = Codebook.from_dict(SCHEMA)
    assert codebook.domain.attributes == (
        Numeric(name="age", minimum=17, maximum=90, bins=LEARNED_CODES, integer=True, learned=True),
        Numeric(name="pay", minimum=0, maximum=1.5, bins=4, nullable=True),
        Categorical(name="sex", categories=("f", "m"), nullable=True),
        Categorical(name="grade", categories=(1, 2), ordered=True, unknown=2),
    )
    assert codebook.missing_values == ("", "?")
    assert codebook.undeclared == {"grade"}
    assert codebook.sensitive == {"sex"}
    assert codebook.titles == {"age": "Age in years"}


def test_a_codebook_survives_the_way_to_json_and_back():
    codebook = Codebook.from_dict(SCHEMA)
    assert Codebook.from_json(codebook.to_json()) == codebook


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(lambda text: text.strip())
categorical = st.builds(
    lambda name, values, ordered, nullable, fold: Categorical(
        name=name,
        categories=tuple(values),
        ordered=ordered,
        nullable=nullable,
        unknown=values[0] if fold else None,
    ),
    names,
    st.lists(names.map(str.strip).filter(bool), min_size=1, max_size=5, unique=True)
    | st.lists(st.integers(-9, 9), min_size=1, max_size=5, unique=True),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
numeric = st.builds(
    lambda name, low, width, bins, integer, nullable: Numeric(
        name=name, minimum=low, maximum=low + width, bins=bins, integer=integer, nullable=nullable
    ),
    names,
    st.integers(-1000, 1000),
    st.integers(1, 1000),
    st.integers(1, 40),
    st.booleans(),
    st.booleans(),
)


fine = st.builds(
    lambda name, low, width, how, resolution, digits, nullable: Numeric(
        name=name,
        minimum=low,
        maximum=low + width,
        bins=32 if how == "learned" else 16,
        integer=False,
        nullable=nullable,
        edges=(low, low + width / 4, low + width) if how == "edges" else (),
        learned=how == "learned",
        resolution=resolution,
        digits=digits,
    ),
    names,
    st.integers(-1000, 1000),
    st.integers(10, 1000),
    st.sampled_from(["equal", "edges", "learned"]),
    st.sampled_from([None, 0.01, 0.25, 5]),
    st.sampled_from([0, 15, 17]),
    st.booleans(),
)
dates = st.builds(
    lambda name, low, width, kind, pattern, learned: Numeric(
        name=name,
        minimum=low,
        maximum=low + width,
        integer=True,
        learned=learned,
        kind=kind,
        format=pattern if kind == "date" else "",
    ),
    names,
    st.integers(12, 10_000),  # a yearmonth counts from the year 0, and the first year is 1
    st.integers(20, 5000),
    st.sampled_from(["date", "datetime", "time", "year", "duration", "yearmonth"]),
    st.sampled_from(["", "%d.%m.%Y"]),
    st.booleans(),
)


@given(st.lists(categorical | numeric | fine | dates, min_size=1, max_size=6, unique_by=lambda a: a.name))
def test_any_codebook_survives_the_way_to_json_and_back(attributes):
    codebook = Codebook(domain=Domain(tuple(attributes)))
    assert Codebook.from_json(codebook.to_json()) == codebook


def test_the_first_resource_of_a_data_package_is_read():
    package = {"name": "p", "resources": [{"name": "r", "schema": SCHEMA}]}
    assert Codebook.from_dict(package) == Codebook.from_dict(SCHEMA)


def test_an_enum_constraint_counts_as_categories():
    field = {"name": "x", "type": "string", "constraints": {"enum": ["a", "b"], "required": True}}
    assert Codebook.from_dict({"fields": [field]}).domain.sizes == (2,)


def test_missing_values_may_carry_labels():
    schema = {**SCHEMA, "missingValues": [{"value": "-99", "label": "refused"}]}
    assert Codebook.from_dict(schema).missing_values == ("-99",)


def test_a_field_that_is_not_required_may_be_missing():
    field = {"name": "x", "categories": ["a"]}
    assert Codebook.from_dict({"fields": [field]}).domain.attributes[0].nullable


def test_bins_may_be_edges_and_are_kept_as_declared():
    entry = {
        "name": "x",
        "type": "number",
        "bins": [18, 30, 65],
        "constraints": {"minimum": 0, "maximum": 65},
    }
    (attribute,) = Codebook.from_dict({"fields": [entry]}).domain.attributes
    assert attribute.edges == (0, 18, 30, 65)
    bare = {"name": "x", "type": "number", "bins": [18, 30, 65]}
    (attribute,) = Codebook.from_dict({"fields": [bare]}).domain.attributes
    assert (attribute.minimum, attribute.maximum, attribute.n_bins) == (18, 65, 2)


def test_a_date_is_declared_with_bounds_in_its_own_format():
    bounds = {"minimum": "01.01.1996", "maximum": "31.12.1996"}
    entry = {"name": "x", "type": "date", "format": "%d.%m.%Y", "bins": 12, "constraints": bounds}
    codebook = Codebook.from_dict({"fields": [entry]})
    (attribute,) = codebook.domain.attributes
    assert attribute.grid.size == 366
    assert codebook.to_dict()["fields"][0]["constraints"] == bounds


def test_a_byte_order_mark_is_read_over(tmp_path):
    path = tmp_path / "cb.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(SCHEMA).encode())
    assert Codebook.read(path) == Codebook.from_dict(SCHEMA)


def test_letters_outside_ascii_stay_readable_in_the_file():
    codebook = Codebook(domain=Domain((Categorical(name="城市", categories=("北京", "Zürich")),)))
    assert "城市" in codebook.to_json()
    assert Codebook.from_json(codebook.to_json()) == codebook


def field(**entries):
    return {"fields": [{"name": "x", **entries}]}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ([], "has no list of 'fields'"),
        ({}, "has no list of 'fields'"),
        (None, "has no list of 'fields'"),
        ("fields", "has no list of 'fields'"),
        ({"fields": {}}, "has no list of 'fields'"),
        ({"resources": []}, "has no list of 'fields'"),
        ({"resources": [{"schema": []}]}, "has no list of 'fields'"),
        ({"fields": []}, "declares no attribute"),
        ({"fields": ["age"]}, "is not an object"),
        ({"fields": [{}]}, "has no name"),
        ({"fields": [{"name": 3, "categories": ["a"]}]}, "has no name"),
        ({"fields": [{"name": " ", "categories": ["a"]}]}, "empty name"),
        (field(), "has the type 'string' and no categories"),
        (field(type="date"), "without a declared minimum and maximum"),
        (field(type="number", bins=[3]), "lists edges that are not two or more of its values"),
        (field(type="number", bins=[3, "b"]), "lists edges that are not two or more of its values"),
        (field(type="number", bins=[3, 2]), "has"),
        (field(type="number", bins="fine"), "'bins' of 'x' must be a whole number"),
        (field(type="number", bins=[0, 1], decimals=-1), "must be a whole number from 0 to 12"),
        (field(type="number", bins=[0, 1], precision="half"), "one of 'single', 'single, 15 digits'"),
        (field(type="number", bins=[0, 1], precision=["single"]), "one of 'single', 'single, 15 digits'"),
        (field(type="integer", bins=[0, 1], precision="single"), "declares a precision, but holds whole"),
        (field(type="number", bins=[0, 1], multipleOf="a"), "'multipleOf' of 'x' must be a number"),
        (field(type="number", bins=[0, 1], multipleOf=5), "must be above 0 and at most its range"),
        (field(type="geopoint"), "has the type 'geopoint' and no categories"),
        (field(categories=[]), "lists no categories"),
        (field(categories="ab"), "'categories' of 'x' must be a list"),
        (field(categories=[["a"]]), "must be texts or numbers"),
        (field(categories=[None]), "must be texts or numbers"),
        (field(categories=[{"label": "a"}]), "must be texts or numbers"),
        (field(categories=[True, False]), "must be texts or numbers"),
        (field(categories=["a", "a"]), "lists a category twice"),
        (field(categories=["a"], unknown="z"), "folds unknown values"),
        (field(categories=["a"], unknown=["a"]), "folds unknown values"),
        (field(categories=["a"], unknown="", constraints={"required": True}), "but is required"),
        (field(categories=["a"], constraints=[1]), "'constraints' of 'x' must be an object"),
        (field(type="integer"), "without a declared minimum and maximum"),
        (field(type="number", constraints={"minimum": 0}), "without a declared minimum and maximum"),
        (field(type="number", constraints={"minimum": "0", "maximum": 1}), "is not a number that can be"),
        (field(type="number", constraints={"minimum": True, "maximum": 2}), "is not a number that can be"),
        (field(type="date", constraints={"minimum": "1/2/90", "maximum": "2000-01-01"}), "like 1996-08-27"),
        (
            field(type="date", format="%m/%d/%Y", constraints={"minimum": "31.1.90", "maximum": "1/31/2000"}),
            "write it like 08/27/1996",
        ),
        (field(type="time", constraints={"minimum": "8 o'clock", "maximum": "09:00"}), "like 08:30:00"),
        (field(type="number", constraints={"minimum": 2, "maximum": 1}), "finite number below its maximum"),
        (field(type="number", constraints={"minimum": 2, "maximum": 10**400}), "number"),
        (field(type="number", constraints={"minimum": 0, "maximum": 1}, bins="4"), "must be a whole number"),
        (field(type="number", constraints={"minimum": 0, "maximum": 1}, bins="fine"), "or 'learned'"),
        (
            field(categories=[{"value": "A", "prefixes": ["A"]}, {"value": "B", "prefixes": ["A"]}]),
            "one spelling or prefix to two categories, 'A' and 'B'",
        ),
        (field(type="number", constraints={"minimum": 0, "maximum": 1}, bins=4.5), "must be a whole number"),
        (field(type="number", constraints={"minimum": 0, "maximum": 1}, bins=0), "ask for at least 1"),
        (field(type="number", constraints={"minimum": 0, "maximum": 1}, bins=10**9), "at most 4096"),
        ({**SCHEMA, "missingValues": "?"}, "'missingValues' of the codebook must be a list"),
        ({"fields": [*SCHEMA["fields"], SCHEMA["fields"][0]]}, "declares 'age' twice"),
    ],
)
def test_a_schema_that_cannot_be_a_codebook_is_refused_with_its_reason(schema, text):
    with pytest.raises(DomainError, match=text):
        Codebook.from_dict(schema)


def test_text_that_is_not_json_is_answered_with_the_place():
    with pytest.raises(SourceError, match=r"not JSON \(line 2, column 1\)"):
        Codebook.from_json('{"fields":\n}')


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", None], ids=["not UTF-8", "no such file"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, content):
    path = tmp_path / "cb.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match="cannot be read; name a UTF-8 JSON file"):
        Codebook.read(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=True) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
keys = ("type", "categories", "constraints", "bins", "unknown", "categoriesOrdered", "title", "declared")
broken_field = st.fixed_dictionaries(
    {"name": st.text(max_size=3) | json_values},
    optional=dict.fromkeys(keys, json_values),
)


@given(st.lists(broken_field | json_values, max_size=3), json_values)
def test_whatever_json_is_handed_in_nothing_but_our_own_errors_come_out(fields, missing):
    with contextlib.suppress(HmpbError):
        Codebook.from_dict({"fields": fields, "missingValues": missing})


@pytest.mark.parametrize(
    ("kind", "pattern"), [("date", "YYYY-MM-DD"), ("time", "hh:mm"), ("date", "%Y"), ("duration", "hh:mm")]
)
def test_a_format_that_writes_every_value_alike_is_refused(kind, pattern):
    """It filled the whole column with itself."""
    ends = {"date": ("1996-01-01", "1999-01-01"), "time": ("08:00", "09:00"), "duration": ("PT0S", "PT9H")}
    low, high = ends[kind]
    field = {
        "name": "when",
        "type": kind,
        "format": pattern,
        "constraints": {"minimum": low, "maximum": high},
    }
    with pytest.raises(DomainError, match="told apart and read again"):
        Codebook.from_dict({"fields": [field]})


def test_a_column_is_not_published_and_left_out_at_once():
    fields = [{"name": "ssn", "publish": False}, {"name": "ssn", "categories": ["a"]}]
    for both in (fields, fields[::-1]):
        with pytest.raises(DomainError, match="declares 'ssn' twice"):
            Codebook.from_dict({"fields": both})
