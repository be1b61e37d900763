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
    assert told["sex"] == "f, m (may be missing)", "a code that is folded is no value of the release"


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
    assert dictionary_of(book, words_of("zh"))[0][3] == "女、F1（other）、男（男性）（可缺失）"
    assert dictionary_of(book)[0][3].startswith("女 (female), F1 (other)"), "others may not read Chinese"


def test_a_value_that_holds_a_comma_does_not_look_like_two():
    fields = [{"name": "on call", "categories": ["no", "yes, at home", "yes, at work"]}]
    book = Codebook.from_dict({"fields": fields})
    assert dictionary_of(book)[0][3] == "no; yes, at home; yes, at work (may be missing)"
    assert dictionary_of(book, words_of("zh"))[0][3].startswith("no、yes, at home、")
