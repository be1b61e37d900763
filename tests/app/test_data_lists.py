"""Lists as people paste them, and what an edit does to a field and to its source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError
from hmpb_core.provenance import Grounds, Origin, provenance_of
from hmpb_core.publishing.origins import source_words
from hmpb_core.sources.drafting import draft_from_header
from pages.data import card, drafts, faults, fields, loading
from pages.data.board import named_by_share
from pages.data.drafts import published, vocabulary_entry
from pages.data.kinds import BY_KEY, KINDS, kind_of
from pages.data.lists import read_list, read_pairs, without_heading, write_list
from pages.data.summaries import what
from pages.session.state import AppState
from pages.words import errors
from pages.words.catalogue import catalogue

GUESS = {"source": {"kind": "guess"}, "declared": False}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("F, M", ("F", "M")),
        ("F\nM\n", ("F", "M")),
        ("F\r\nM\r\n", ("F", "M")),
        ("north\tsouth\teast", ("north", "south", "east")),
        ("a; b;;c", ("a", "b", "c")),
        ("north, south,\neast, west", ("north", "south", "east", "west")),
        ("Bosnia, Herzegovina\nKorea, South", ("Bosnia, Herzegovina", "Korea, South")),
        ('"a, b", c', ("a, b", "c")),
        ('"a; b"\nc', ("a; b", "c")),
        ("1, 2, 3", (1, 2, 3)),
        ("0.5, 1.5", (0.5, 1.5)),
        ("0,5; 1,5; 2", (0.5, 1.5, 2.0)),
        ("01\n02", ("01", "02")),
        ("1\nn.a.", ("1", "n.a.")),
        ('5" nail\n6" nail', ('5" nail', '6" nail')),
        ("only one", ("only one",)),
        ("  \n ", ()),
        ("", ()),
    ],
)
def test_a_pasted_list_is_what_it_looks_like(text, values):
    assert read_list(text).values == values


def test_what_is_listed_twice_is_taken_once_and_said():
    pasted = read_list("F\nM\nF\nF\nM")
    assert pasted.values == ("F", "M")
    assert pasted.repeated == ("F", "M")


LABEL = st.text(
    st.characters(codec="utf-8", exclude_characters='"', exclude_categories=("C", "Z")), min_size=1
)


@given(st.lists(st.tuples(LABEL, st.sampled_from(["", ", x", "; y", " z"])).map("".join)))
def test_a_list_reads_as_it_was_written(texts):
    values = read_list("\n".join(texts)).values
    assert read_list(write_list(values)).values == values


def test_80_categories_are_one_paste():
    column = "\n".join(f"district {i:02d}" for i in range(80))
    entry = fields.with_categories(blank(), read_list(column).values)
    (attribute,) = Codebook.from_dict({"fields": [entry]}).domain.attributes
    assert attribute.categories == tuple(f"district {i:02d}" for i in range(80))


def blank(name="x"):
    return draft_from_header([name])["fields"][0]


def test_what_somebody_types_is_typed_and_public():
    entry = fields.with_categories(blank(), ("a", "b"))
    assert provenance_of(entry).origin is Origin.TYPED
    assert fields.is_declared(entry)
    assert (
        source_words(provenance_of(fields.typed_from(entry, "form 7")))
        == "typed by the steward from 'form 7'"
    )


def test_a_number_is_typed_in_steps_and_is_public_at_the_end():
    entry = fields.with_kind(blank(), BY_KEY["number"])
    entry = fields.with_bound(fields.with_bound(entry, "minimum", "0,5"), "maximum", "2.5")
    codebook = Codebook.from_dict({"fields": [entry]})
    assert (codebook.domain.attributes[0].minimum, codebook.domain.attributes[0].maximum) == (0.5, 2.5)
    assert codebook.undeclared == frozenset()


def test_a_date_is_bounded_as_it_is_written_and_bins_may_be_learned():
    entry = fields.with_format(fields.with_kind(blank(), BY_KEY["date"]), "%d.%m.%Y")
    entry = fields.with_bound(fields.with_bound(entry, "minimum", "01.01.1990"), "maximum", "31.12.1999")
    entry = fields.with_bins(entry, "learned")
    (attribute,) = Codebook.from_dict({"fields": [entry]}).domain.attributes
    assert attribute.learned
    assert attribute.kind == "date"
    assert fields.is_declared(entry)


def test_zeros_in_a_bound_typed_later_correct_how_a_date_is_written():
    session, entry = AppState(), fields.with_kind(blank(), BY_KEY["date"])
    forms = []
    for bound, text in (("minimum", "1.1.1995"), ("maximum", "31.12.2003"), ("minimum", "01.01.1995")):
        entry = card.with_typed_bound(session, bound, entry, text)
        forms.append(entry["format"])
    assert forms == ["%-d.%-m.%Y", "%-d.%-m.%Y", "%d.%m.%Y"]
    kept = card.with_typed_bound(session, "minimum", {**entry, "format": "%d.%m.%y"}, "1.1.95")
    assert kept["format"] == "%d.%m.%y", "what was said is no guess"


def test_a_bound_that_is_no_number_stays_to_be_corrected():
    entry = fields.with_bound(fields.with_kind(blank(), BY_KEY["integer"]), "minimum", "young")
    assert entry["constraints"] == {"minimum": "young"}
    with pytest.raises(DomainError, match="is not a number that can be used"):
        Codebook.from_dict({"fields": [entry]})


def test_an_edited_guess_stays_a_guess_and_loses_the_word_given_for_it():
    guess = {"name": "x", "type": "string", "categories": ["a"], **GUESS}
    declared = fields.declare(guess, Grounds.LAW, name="Act 1", by="me")
    assert fields.is_declared(declared)
    edited = fields.with_categories(declared, ("a", "b"))
    assert not fields.is_declared(edited)
    assert edited["declared"] is False
    assert provenance_of(edited).declaration is None


def test_an_edit_that_changes_nothing_keeps_the_word():
    guess = {"name": "x", "type": "string", "categories": ["a"], "categoriesOrdered": False, **GUESS}
    declared = fields.declare(guess)
    assert fields.with_categories(declared, ("a",)) == declared


def test_a_public_source_needs_its_name():
    with pytest.raises(DomainError, match="has no name"):
        fields.declare({"name": "x", "categories": ["a"], **GUESS}, Grounds.QUESTIONNAIRE)


def test_a_vocabulary_in_the_place_of_a_guess_keeps_nothing_that_was_read_off_the_rows():
    read_off = {"missingValues": ["NA", ""], "constraints": {"required": True}, "categories": ["F", "M"]}
    for guess in (GUESS, fields.declare({"name": "sex", **read_off, **GUESS})):
        offered = vocabulary_entry({"name": "sex", "title": "Sex", **read_off, **guess})
        assert offered == {**draft_from_header(["sex"])["fields"][0], "title": "Sex"}
    typed = vocabulary_entry({"name": "sex", **read_off})
    assert (typed["missingValues"], typed["constraints"]) == (["NA", ""], {"required": True})


def test_a_vocabulary_that_is_edited_is_typed_but_its_missing_codes_may_differ():
    entry = draft_from_header(["sex"])["fields"][0]
    assert provenance_of(entry).origin is Origin.VOCABULARY
    assert provenance_of(fields.with_missing(entry, "-9")).origin is Origin.VOCABULARY
    assert provenance_of(fields.with_required(entry, required=True)).origin is Origin.VOCABULARY
    assert provenance_of(fields.with_categories(entry, ("a", "b"))).origin is Origin.TYPED


def test_a_label_stays_with_its_value_when_the_list_is_edited():
    entry = {"name": "x", "categories": [{"value": 1, "label": "one"}, {"value": 2, "label": "two"}]}
    assert fields.with_categories(entry, (2, 3))["categories"] == [{"value": 2, "label": "two"}, 3]
    number = {
        "name": "x",
        "type": "integer",
        "labels": [{"value": 2, "label": "two"}, {"label": "of none"}, 7],
    }
    assert fields.labels_of(number) == "2 = two"
    listed = fields.with_categories(number, (1, 2))
    assert listed["categories"] == [1, {"value": 2, "label": "two"}]
    assert "labels" not in listed, "they are its categories' now"


def test_missing_codes_are_folded_or_told_apart():
    entry = fields.with_missing(fields.with_categories(blank(), (1, 2)), "-9; -8; n.a.")
    folded = Codebook.from_dict({"fields": [entry]})
    assert folded.missing_of("x") == {"", "-9", "-8", "n.a."}
    entry = fields.with_apart(fields.with_missing(entry, "-9, -8"), apart=True)
    (attribute,) = Codebook.from_dict({"fields": [entry]}).domain.attributes
    assert attribute.categories == (1, 2, -9, -8)
    assert fields.missing_of(fields.with_apart(entry, apart=False)) == ["-9", "-8"]
    assert "missingApart" not in fields.with_missing(entry, "")


def test_a_missing_code_is_no_longer_a_value():
    listed = fields.with_categories({"name": "a", "type": "string"}, [1, 2, -9])
    entry = fields.with_missing(listed, "-9")
    assert fields.values_of(entry) == [1, 2]
    assert fields.missing_of(entry) == ["-9"]
    assert fields.values_of(fields.with_missing(listed, "-8")) == [1, 2, -9]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_every_kind_can_be_chosen_and_left_again(kind):
    entry = fields.with_kind(fields.with_categories(blank(), ("a", "b")), kind)
    assert kind_of(entry) == kind
    assert fields.is_published(entry) is not bool(kind.role)
    back = fields.with_categories(fields.with_kind(entry, BY_KEY["category"]), ("a", "b"))
    assert Codebook.from_dict({"fields": [back]}).domain.attributes[0].categories == ("a", "b")
    assert fields.is_declared(back)


def test_a_column_left_out_keeps_what_was_said_of_it():
    entry = fields.with_categories(blank(), ("a", "b"))
    assert fields.with_publish(fields.with_publish(entry, publish=False), publish=True) == entry


def test_a_model_column_is_taken_over_with_its_source_but_not_its_name():
    model = {"name": "E1", "title": "I talk", "type": "integer", "categories": [1, 2], **GUESS}
    made = fields.like(blank("E2"), model)
    assert (made["name"], made["categories"], made.get("title")) == ("E2", [1, 2], None)
    assert not fields.is_declared(made)


def test_the_step_of_a_number_is_kept_as_decimals_or_as_a_multiple():
    entry = fields.with_bound(fields.with_kind(blank(), BY_KEY["number"]), "minimum", "0")
    entry = fields.with_bound(entry, "maximum", "9")
    for text, expected, shown in (
        ("0,01", {"decimals": 2}, "0.01"),
        ("0.05", {"multipleOf": 0.05}, "0.05"),
        ("3", {"multipleOf": 3}, "3"),
        ("", {}, ""),
    ):
        entry = fields.with_step(entry, text)
        assert {key: entry[key] for key in ("decimals", "multipleOf") if key in entry} == expected
        assert fields.step_of(entry) == shown
        Codebook.from_dict({"fields": [entry]})
    with pytest.raises(DomainError, match="must be a number"):
        Codebook.from_dict({"fields": [fields.with_step(entry, "cents")]})


def test_a_number_has_a_step_or_the_values_that_occur():
    entry = fields.with_bound(fields.with_kind(blank(), BY_KEY["number"]), "minimum", "0")
    entry = fields.with_step(fields.with_bound(entry, "maximum", "9"), "0.5")
    entry = fields.with_occurring(entry, "5.31; 6\n5.32")
    assert (entry["values"], fields.step_of(entry)) == ([5.31, 6, 5.32], "")
    assert Codebook.from_dict({"fields": [entry]}).domain.attributes[0].listed == (5.31, 5.32, 6)
    assert "values" in fields.with_step(entry, "")
    assert "values" not in fields.with_step(entry, "0.5")
    assert "values" not in fields.with_occurring(entry, " ")
    assert "values" not in fields.with_kind(entry, BY_KEY["date"])
    with pytest.raises(DomainError, match="must be a list of numbers"):
        Codebook.from_dict({"fields": [fields.with_occurring(entry, "much; 6")]})


def test_meanings_of_values_are_written_line_by_line_and_stay_with_their_values():
    entry = fields.with_missing(fields.with_categories(blank(), (1, 2, "a=b")), "9")
    entry = fields.with_labels(entry, "1 = female\n2=male\n9 = refused\n7 = nobody\na=b = both")
    assert fields.labels_of(entry) == "1 = female\n2 = male\na=b = both\n9 = refused"
    assert fields.values_of(entry) == [1, 2, "a=b"]
    book = Codebook.from_dict({"fields": [entry]})
    assert book.value_labels["x"]["2"] == "male"
    assert fields.labels_of(fields.with_labels(entry, "2 = man")) == "2 = man"
    assert fields.values_of(fields.with_labels(entry, "")) == [1, 2, "a=b"]


def test_an_identifier_is_left_out_or_made_up_anew_and_nothing_else():
    entry = fields.with_kind(blank(), BY_KEY["identifier"])
    assert not fields.is_published(entry)
    made_up = fields.with_format_of_new_ones(entry, " P-[0-9]{6} ")
    assert fields.is_made_up(made_up)
    assert not fields.is_published(made_up)
    draft = {"fields": [made_up, {"name": "y", "categories": ["a"]}]}
    assert [f.name for f in Codebook.from_dict(published(draft)).rules.identifiers] == [made_up["name"]]
    assert fields.with_format_of_new_ones(made_up, "") == entry
    assert "regenerated" not in fields.with_kind(made_up, BY_KEY["category"])


def test_the_column_of_which_most_lies_outside_its_bounds_is_named_first_and_with_how_much():
    named = named_by_share({"weight": 0.004, "born": 0.49, "crp": 0.28})
    assert [name.split(" ")[0] for name in named] == ["born", "crp", "weight"]
    assert "49" in named[0]
    assert "28" in named[1]
    assert named[2] == "weight", "hardly anybody is not told as a figure"


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("250,000", ".", 250_000),
        ("250,000", None, 250_000),
        ("250.000", ",", 250_000),
        ("250.000", ".", 250),
        ("$250,000.50", ".", 250_000.5),
        ("1.234,5 €", ",", 1234.5),
        ("-$1,000", ".", -1000),
        ("1 250 000", None, 1_250_000),
        ("1.250.000", ".", 1_250_000),
        ("1,250", ",", 1.25),
        ("0,125", ".", 0.125),
        ("2,5", ".", 2.5),
        ("12,34,56", ".", "12,34,56"),
        ("about 5", ".", "about 5"),
    ],
)
def test_a_bound_is_read_with_the_marks_that_the_file_uses(text, decimal, number):
    entry = fields.with_bound(fields.with_kind(blank(), BY_KEY["number"]), "maximum", text, decimal)
    assert entry["constraints"] == {"maximum": number}


@pytest.mark.parametrize(
    ("text", "decimal", "codes"),
    [
        ("-9,9", ",", ["-9.9"]),
        ("-9, -8,5; n.a.", ",", ["-9", "-8.5", "n.a."]),
        ("-9,9", ".", ["-9", "9"]),
    ],
)
def test_a_decimal_comma_in_a_missing_code_belongs_to_its_number(text, decimal, codes):
    entry = fields.with_missing(fields.with_kind(blank(), BY_KEY["number"]), text, decimal)
    assert [code for code in entry["missingValues"] if code] == codes


def test_what_is_typed_by_hand_learns_its_bins_as_a_draft_does():
    entry = fields.with_kind(blank(), BY_KEY["integer"])
    assert entry["bins"] == "learned"
    assert fields.with_bins(fields.with_bins(entry, "8"), "")["bins"] == "learned"


def test_two_columns_of_a_spreadsheet_are_values_and_their_meanings():
    pasted = without_heading(read_pairs("AREA\tMeaning\n01\tNorth, coast\n02\tSouth\n01\tNorth"), "area")
    assert (pasted.values, pasted.meanings) == (("01", "02"), ("North, coast", "South"))
    assert pasted.repeated == ("01",)
    for other in ("F\tM", "a\tb\tc\nd\te\tf", "a\t\nb\tc", "a\nb"):
        assert read_pairs(other) is None


def test_a_heading_is_left_out_of_a_list_but_the_only_answer_is_not():
    assert without_heading(read_list("grade\n1\n2"), "Grade").values == (1, 2)
    assert without_heading(read_list("Newspaper\n(other)"), "Newspaper").values == ("Newspaper", "(other)")


def test_values_that_are_not_listed_may_become_one_further_category():
    entry = fields.with_others(fields.with_categories(blank(), ("a", "b")))
    (attribute,) = Codebook.from_dict({"fields": [entry]}).domain.attributes
    assert (attribute.categories, attribute.unknown) == (("a", "b", "(other)"), "(other)")
    assert "unknown" not in fields.with_categories(entry, ("a", "b")), "taken out of the list, it is undone"


def test_the_first_missing_code_is_written_and_the_empty_cell_keeps_its_place():
    number = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}
    typed = fields.with_missing(number, "-9; n.a.")
    assert typed["missingValues"] == ["-9", "n.a.", ""]
    assert fields.with_missing(typed, "-9")["missingValues"] == ["-9", ""]
    guessed = {**number, "missingValues": ["", "-9"]}
    assert fields.with_missing(guessed, "-9; -8")["missingValues"] == ["", "-9", "-8"]


def test_how_numbers_are_written_is_an_example_or_a_number_of_decimals():
    number = {"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 9}}
    for text, written in (("$1,234.50", "$1,234.50"), ("2", 2), (" ", None)):
        entry = fields.with_number_form(number, text)
        assert entry.get("written") == written
        assert fields.number_form(entry) == text.strip()
    assert fields.number_form({**number, "written": "shortest"}) == ""


def test_what_a_survey_found_is_typed_once_its_values_are_edited():
    paid = {"source": {"kind": "survey", "entry": 2}}
    text = {"name": "x", "type": "string", "categories": ["a", "b"], **paid}
    number = {"name": "n", "type": "number", "constraints": {"minimum": 0, "maximum": 9}, **paid}
    for edited in (
        fields.with_categories(text, ("a", "b", "c")),
        fields.with_bound(number, "maximum", "10"),
        fields.with_kind(number, BY_KEY["integer"]),
    ):
        assert provenance_of(edited).origin is Origin.TYPED
    for kept in (
        fields.with_mark(text, "sensitive", on=True),
        fields.with_publish(fields.with_publish(text, publish=False), publish=True),
        fields.with_missing(text, "-9"),
        {**text, "name": "y", "title": "Y"},
    ):
        assert provenance_of(kept).origin is Origin.SURVEY


def test_a_closed_card_names_values_by_code_and_label_where_there_is_room(app):
    categories = [
        {"value": 1, "label": "male"},
        {"value": 2, "label": "10 or more"},
        {"value": 3, "label": "3 - neither"},
        {"value": 4, "label": "skilled agricultural, forestry and fishery workers"},
        5,
    ]
    said = what({"name": "x", "type": "integer", "categories": categories}).replace("\u00a0", " ")
    assert said == "5 values: 1 = male, 2 = 10 or more, 3 - neither, 4 = skilled agr…workers, 5"
    same = [{"value": "no", "label": "No"}, {"value": "a code of twenty letters", "label": "what it means"}]
    assert what({"name": "x", "categories": same}) == "2 values: no, a code of twenty letters"


def counted(kind="integer", lowest="0", highest="9"):
    entry = fields.with_kind(blank(), BY_KEY[kind])
    return fields.with_bound(fields.with_bound(entry, "minimum", lowest), "maximum", highest)


IMPOSSIBLE = {
    "bins": lambda: fields.with_bins(counted(), "few"),
    "edges": lambda: fields.with_bins(counted(), "1;2;x"),
    "step": lambda: fields.with_step(counted(), "abc"),
    "occurring": lambda: fields.with_occurring(counted(), "a\nb"),
    "written": lambda: fields.with_number_form(counted("number"), "abc"),
    "moments": lambda: counted("date", "2020-01-01", "2021-01-01"),
    "bounds": lambda: counted("date", "1.1.2020", "2021-01-01"),
    "whole": lambda: counted("integer", "0.2", "0.8"),
    "numbers": counted,
    "listed": lambda: fields.with_categories(blank(), ("1", "2")),
    "missing": lambda: fields.with_required(counted(), required=True),
    "typeless": lambda: {"name": "x", "type": "string"},
}


@pytest.mark.parametrize("wrong", IMPOSSIBLE)
def test_a_card_says_what_is_wrong_by_its_own_fields_and_not_by_the_keys_of_a_file(wrong):
    session = AppState()
    rows = ["1", "2", ""] if wrong == "missing" else ["1", "2", "old"]
    loading.load_bytes(session, ("x,y\n" + "".join(f"{row},1\n" for row in rows)).encode(), "t.csv")
    entry = IMPOSSIBLE[wrong]() | {"name": "x"}
    fault = drafts.lack(session, entry) or drafts.misfit(session, entry)
    assert faults.IN_WORDS[fault.template] == wrong
    assert "'" not in faults.fault_in_words(fault).replace("column's", "")


def test_every_sentence_that_a_card_says_anew_is_one_of_the_core():
    assert faults.IN_WORDS.keys() <= errors.read("zh")["sentences"].keys()
    assert {f"data.fault.{key}" for key in faults.IN_WORDS.values()} == {
        key for key in catalogue("en") if key.startswith("data.fault.")
    }
