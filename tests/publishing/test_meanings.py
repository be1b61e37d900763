"""Whoever gets a bundle is told what its codes mean, missing ones included."""

from hmpb_core.codebook import Codebook
from hmpb_core.publishing.dictionary import dictionary_of
from hmpb_core.publishing.package import schema_of

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
    assert told["sex"] == "f, m; may be missing", "a code that is folded is no value of the release"


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
