"""Whoever gets a bundle is told what its codes mean, missing ones included."""

from hmpb_core.codebook import Codebook
from hmpb_core.publishing.dictionary import dictionary_of
from hmpb_core.publishing.package import schema_of
from hmpb_core.publishing.words.catalogue import words_of

BOOK = Codebook.from_dict(
    {
        "fields": [
            {
                "name": "smokes",
                "type": "integer",
                "categories": [{"value": 1, "label": "never"}, {"value": 2, "label": "often"}],
                "missingValues": [{"value": "-9", "label": "refused"}, "-8"],
                "missingApart": True,
                "constraints": {"required": True},
            },
            {"name": "sex", "categories": ["f", "m"], "missingValues": ["", "?"]},
        ]
    }
)


def test_the_dictionary_says_what_codes_mean():
    told = {name: values for name, _, _, values, _ in dictionary_of(BOOK)}
    assert told["smokes"] == "1 (never), 2 (often), -9 (refused), -8 (missing)"
    assert told["sex"] == "f, m. May be missing", "a code that is folded is no value of the release"


def test_the_data_package_says_it_to_programs():
    smokes, sex = schema_of(BOOK)["fields"]
    assert smokes["categories"] == [
        {"value": 1, "label": "never"},
        {"value": 2, "label": "often"},
        {"value": -9, "label": "refused"},
        {"value": -8, "label": "missing"},
    ]
    assert smokes["constraints"]["enum"] == [1, 2, -9, -8]
    assert sex["categories"] == ["f", "m"]


def test_a_chinese_page_does_not_say_in_english_what_chinese_words_mean():
    listed = [
        {"value": "女", "label": "female"},
        {"value": "F1", "label": "other"},
        {"value": "男", "label": "男性"},
    ]
    book = Codebook.from_dict({"fields": [{"name": "性别", "categories": listed}]})
    assert dictionary_of(book, words_of("zh"))[0][3] == "女、F1（other）、男（男性）。可缺失"
    assert dictionary_of(book)[0][3].startswith("女 (female), F1 (other)"), "others may not read Chinese"


CHILDREN = {
    "name": "children",
    "type": "integer",
    "constraints": {"minimum": 0, "maximum": 8},
    "labels": [
        {"value": 8, "label": "eight or more"},
        {"value": 99, "label": "beyond what may occur"},
        {"value": -9, "label": "refused, as the missing code says"},
    ],
    "missingValues": [{"value": "-9", "label": "refused"}, ""],
}


def test_what_some_numbers_mean_is_told_and_changes_nothing_else():
    book = Codebook.from_dict({"fields": [CHILDREN]})
    without = Codebook.from_dict({"fields": [{**CHILDREN, "labels": [], "missingValues": ["-9", ""]}]})
    assert book.domain == without.domain
    (field,), (plain,) = schema_of(book)["fields"], schema_of(without)["fields"]
    refused = {"value": "-9", "label": "refused"}
    assert field == {**plain, "labels": [{"value": 8, "label": "eight or more"}, refused]}
    assert "categories" not in field, "the standard's categories would be all that may occur"
    ((_, _, kind, values, _),) = dictionary_of(book)
    assert (kind, values) == (
        "whole number",
        "0 to 8; 8 (eight or more). May be missing: -9 (refused)",
    )
    assert dictionary_of(book, words_of("zh"))[0][3] == "0 至 8；8（eight or more）。可缺失：-9（refused）"
    assert dictionary_of(without)[0][3] == "0 to 8. May be missing"


def test_a_codebook_keeps_the_labels_of_numbers_and_so_does_what_leaves():
    book = Codebook.from_dict({"fields": [CHILDREN]})
    (kept,) = book.to_dict()["fields"]
    assert kept["labels"] == CHILDREN["labels"][:2], "and the missing code its own"
    assert kept["missingValues"] == [{"value": "-9", "label": "refused"}, ""]
    assert Codebook.from_json(book.to_json()) == book
    again = Codebook.from_dict({"resources": [{"schema": schema_of(book)}]})
    assert again.value_labels == {"children": {"8": "eight or more", "-9": "refused"}}
    assert schema_of(again) == schema_of(book)


HALF = {"value": 1.5, "label": "x"}


def test_labels_of_dates_and_of_what_is_no_number_are_none_of_numbers():
    fields = [
        {**CHILDREN, "labels": [{"value": "many", "label": "m"}, {"label": "none"}, 3, HALF]},
        {
            "name": "day",
            "type": "date",
            "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"},
            "labels": [{"value": 3, "label": "third"}],
        },
    ]
    children, day = schema_of(Codebook.from_dict({"fields": fields}))["fields"]
    assert children["labels"][:-1] == [HALF], "and the missing code's"
    assert "labels" not in day


def test_the_category_for_the_rest_is_one_value_in_every_language_and_said_in_the_readers():
    town = {"name": "town", "categories": ["A", "B", "(other)"], "unknown": "(other)"}
    book = Codebook.from_dict({"fields": [town, {**town, "name": "sick", "unknown": ""}]})
    told, plain = (values for _, _, _, values, _ in dictionary_of(book))
    assert told == "A, B, (other) (every value that is not listed). May be missing"
    assert plain == "A, B, (other). May be missing", "there the missing value takes them"
    assert dictionary_of(book, words_of("zh"))[0][3] == "A、B、(other)（未列出的所有取值）。可缺失"
    assert schema_of(book)["fields"][0]["categories"] == ["A", "B", "(other)"]
    own = {**town, "categories": ["A", {"value": "(other)", "label": "abroad"}]}
    assert dictionary_of(Codebook.from_dict({"fields": [own]}))[0][3] == "A, (other) (abroad). May be missing"


def test_a_value_that_holds_a_comma_does_not_look_like_two():
    fields = [{"name": "on call", "categories": ["no", "yes, at home", "yes, at work"]}]
    book = Codebook.from_dict({"fields": fields})
    assert dictionary_of(book)[0][3] == "no; yes, at home; yes, at work. May be missing"
    assert dictionary_of(book, words_of("zh"))[0][3].startswith("no、yes, at home、")
