"""Where an entry of a codebook comes from: kept for ever, and never better than it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError
from hmpb_core.provenance import Declaration, Grounds, Origin, Provenance, provenance_of
from hmpb_core.publishing.origins import source_words
from hmpb_core.publishing.survey import surveyed

GUESS = Provenance(origin=Origin.GUESS)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).map(str.strip).filter(bool)
declarations = st.builds(Declaration, grounds=st.sampled_from(Grounds), name=names, by=names | st.just(""))
provenances = st.one_of(
    st.builds(Provenance, origin=st.sampled_from([Origin.FILE, Origin.VOCABULARY, Origin.TYPED]), name=names),
    st.builds(Provenance, origin=st.just(Origin.SURVEY), entry=st.integers(1, 99)),
    st.builds(Provenance, origin=st.just(Origin.GUESS), declaration=declarations | st.none()),
)


@given(provenances)
def test_any_source_survives_the_way_through_a_codebook(source):
    field = {"name": "x", "categories": ["a"], "source": source.to_dict()}
    codebook = Codebook.from_dict({"fields": [field]})
    again = Codebook.from_json(codebook.to_json())
    assert again == codebook
    assert again.sources["x"] == source
    assert (again.undeclared == frozenset()) is source.public


@pytest.mark.parametrize("mark", ["false", "no", 0, 1, [], {}])
@pytest.mark.parametrize("key", ["publish", "declared"])
def test_a_mark_that_is_neither_true_nor_false_is_refused(key, mark):
    """It counted as the opposite: "publish": "false" published the column, and nothing said so."""
    field = {"name": "x", "categories": ["a"], key: mark}
    with pytest.raises(DomainError, match=f"'{key}' of 'x' must be true or false"):
        Codebook.from_dict({"fields": [field]})
    assert Codebook.from_dict({"fields": [{**field, key: True}]}).public
    rule = {"kind": "ascending", "columns": ["x", "y"], "declared": mark}
    with pytest.raises(DomainError, match="must be true or false"):
        provenance_of(rule)


OUT = {"name": "id", "role": "identifier", "publish": False, "source": GUESS.to_dict()}


def test_a_column_that_a_guess_leaves_out_is_one_until_somebody_says_so():
    """Whether most values differ was read off the rows: with one row more it would have been published."""
    fields = [{"name": "x", "categories": ["a"]}, OUT]
    codebook = Codebook.from_dict({"fields": fields})
    assert codebook.undeclared == {"id"}
    assert not codebook.public
    assert Codebook.from_json(codebook.to_json()) == codebook
    assert [e["name"] for e in fields if e["name"] in surveyed(fields)] == ["id"]


@pytest.mark.parametrize(
    "decided",
    [
        {"source": None},
        {"source": GUESS.declared(Grounds.LAW, name="x").to_dict()},
        {"regenerated": "P-[0-9]{6}"},
        {"role": None, "categories": ["a", "b"], "declared": False},
    ],
    ids=["no source", "declared", "made up anew", "a guessed list that somebody left out"],
)
def test_a_column_that_somebody_leaves_out_is_no_guess(decided):
    fields = [{"name": "x", "categories": ["a"]}, {**OUT, **decided}]
    assert Codebook.from_dict({"fields": fields}).public
    assert surveyed(fields) == []


@given(st.lists(provenances, max_size=4))
def test_a_rule_of_any_source_survives_the_way_through_a_codebook(sources):
    names = [f"x{place}" for place in range(len(sources))]
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 9}} for name in names
    ]
    rules = [
        {"kind": "nonNegative", "column": name, "source": s.to_dict()}
        for name, s in zip(names, sources, strict=True)
    ]
    codebook = Codebook.from_dict({"fields": [*fields, {"name": "y", "categories": ["a"]}], "rules": rules})
    again = Codebook.from_json(codebook.to_json())
    assert again == codebook
    assert again.rules.sources == tuple(sources)
    assert [rule.column for rule in again.rules.undeclared] == [
        name for name, source in zip(names, sources, strict=True) if not source.public
    ]
    assert again.public is all(source.public for source in sources)


def test_a_rule_without_a_source_was_typed_and_a_marked_one_is_a_guess():
    field = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}
    rule = {"kind": "nonNegative", "column": "x"}
    typed = Codebook.from_dict({"fields": [field], "rules": [rule]})
    assert typed.to_dict()["rules"] == [rule]
    assert typed.rules.sources == (Provenance(origin=Origin.TYPED),)
    marked = Codebook.from_dict({"fields": [field], "rules": [{**rule, "declared": False}]})
    assert not marked.public
    assert marked.undeclared == frozenset()


@given(provenances, st.sampled_from(Grounds), names)
def test_declaring_a_guess_leaves_it_a_guess_and_everything_else_as_it_is(source, grounds, name):
    after = source.declared(grounds, name=name, by="M")
    assert after.origin is source.origin
    assert after.public
    if source.origin is not Origin.GUESS:
        assert after == source


def test_taking_the_mark_away_by_hand_does_not_make_a_guess_public():
    field = {"name": "x", "categories": ["a"], "source": {"kind": "guess"}}  # no 'declared': false any more
    assert Codebook.from_dict({"fields": [field]}).undeclared == {"x"}


def test_a_field_without_a_source_was_typed_or_is_an_unmarked_guess():
    assert provenance_of({"name": "x"}) == Provenance(origin=Origin.TYPED)
    assert provenance_of({"name": "x", "declared": False}) == GUESS


def test_a_guess_that_is_declared_by_risk_alone_says_so_in_words():
    source = GUESS.declared(Grounds.RISK, by="M. Muster")
    assert source_words(source) == "a guess from the rows, declared by M. Muster at their own risk"
    assert source_words(GUESS) == "a guess from the rows, declared by nobody"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("guess", "kind of a source is not known"),
        (
            {},
            "kind of a source is not known; it must be one of file, vocabulary, typed, survey, guess",
        ),
        ({"kind": "oracle"}, "kind of a source is not known"),
        ({"kind": "file"}, "is a file without a name"),
        ({"kind": "survey"}, "names the ledger entry that paid it"),
        ({"kind": "typed", "entry": 3}, "names the ledger entry that paid it"),
        ({"kind": "guess", "declared": {"grounds": "hearsay"}}, "grounds of a source is not known"),
        ({"kind": "guess", "declared": {"grounds": "law"}}, "declared by a law that has no name"),
        ({"kind": "typed", "declared": {"grounds": "risk"}}, "declared though it is no guess"),
    ],
)
def test_a_source_that_is_none_is_refused(source, text):
    with pytest.raises(DomainError, match=text):
        Codebook.from_dict({"fields": [{"name": "x", "categories": ["a"], "source": source}]})


def test_a_codebook_of_typed_fields_is_written_as_before():
    codebook = Codebook.from_dict({"fields": [{"name": "x", "categories": ["a"]}]})
    assert "source" not in json.loads(codebook.to_json())["fields"][0]
