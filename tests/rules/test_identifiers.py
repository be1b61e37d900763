"""Identifiers that are made up anew."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError, PlanError
from hmpb_core.facade import guarantee_of
from hmpb_core.model import draw_rows
from hmpb_core.publishing.dictionary import dictionary_of
from hmpb_core.publishing.package import schema_of
from hmpb_core.rules.identifiers import IdentifierFormat, with_identifiers
from hmpb_core.sources.open import open_source
from hmpb_core.stages.sampling import Part
from hmpb_core.synthesis import fit_source, make_plan

FIELDS = [
    {"name": "case", "role": "identifier", "publish": False, "regenerated": "P-[0-9]{3}"},
    {"name": "sex", "categories": ["f", "m"]},
]


def book(*more):
    return Codebook.from_dict({"fields": [*FIELDS, *more]})


@pytest.mark.parametrize(
    ("pattern", "capacity"),
    [
        ("P-[0-9]{3}", 1000),
        (r"[A-CX]\d{2}", 400),
        ("A", 1),
        ("[a-z0-9]{9}", 36**9),
        (r"[0-9]{2}\.[0-9]{2}", 10**4),
    ],
)
def test_every_identifier_is_in_the_format_and_of_one_row(pattern, capacity):
    form = IdentifierFormat.read("case", pattern)
    assert form.capacity == capacity
    count = min(capacity, 5000)
    texts = form.texts(count, np.random.default_rng(1))
    assert len(set(texts)) == count
    assert all(re.fullmatch(pattern, text) for text in texts)


@pytest.mark.parametrize("pattern", ["", "=A", "[^a]", "A+", "(a|b)", "[9-0]", "[0-9]{99}", "A.", "-A", 5])
def test_what_is_no_format_is_refused_with_an_example(pattern):
    with pytest.raises(DomainError, match=r"write it like P-\[0-9\]\{6\}"):
        IdentifierFormat.read("case", pattern)


def test_the_parts_of_one_table_share_no_identifier():
    form = IdentifierFormat.read("case", "P-[0-9]{3}")
    parts = [form.texts(250, np.random.default_rng(7), first=k, step=4) for k in range(4)]
    assert len({text for part in parts for text in part}) == 1000


def test_a_format_that_is_too_short_is_refused_before_anything_is_fitted():
    table = pd.DataFrame({"case": range(1001), "sex": ["f"] * 1001})
    plan = make_plan(guarantee_of("zcdp", 1.0, None, "replace-one"), book().domain, n_rows=1001)
    with pytest.raises(PlanError, match="1000 different identifiers, fewer than there are rows"):
        fit_source(open_source(table, book()), plan)


def test_synthetic_rows_carry_new_identifiers_and_none_of_the_table_s():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"case": [f"secret{i}" for i in range(400)], "sex": rng.choice(["f", "m"], 400)})
    plan = make_plan(
        guarantee_of("zcdp", 1.0, None, "replace-one"), book().domain, n_rows=400, method="independent"
    )
    model = fit_source(open_source(table, book()), plan, seed=0)
    rows = model.sample(rng=rng)
    assert list(rows) == ["case", "sex"]
    assert rows["case"].is_unique
    assert rows["case"].str.fullmatch(r"P-[0-9]{3}").all()
    drawn = [
        draw_rows(
            model.tables,
            plan,
            model.domain,
            model.rules,
            n_rows=200,
            rng=np.random.default_rng(k),
            part=Part(index=k, of=3, seed=9),
        )
        for k in range(3)
    ]
    assert pd.concat(drawn)["case"].is_unique


def test_the_codebook_keeps_the_format_and_the_dictionary_of_a_bundle_says_it():
    again = Codebook.from_json(book().to_json())
    assert again == book()
    assert again.unpublished == {"case": "identifier"}
    case = schema_of(again)["fields"][0]
    assert case["constraints"] == {"required": True, "unique": True, "pattern": "P-[0-9]{3}"}
    assert dictionary_of(again)[0][0] == "case"
    assert "P-[0-9]{3}" in json.dumps(dictionary_of(again)[0])


def test_a_column_that_is_regenerated_is_never_published_itself():
    with pytest.raises(DomainError, match="its own values are never published"):
        book({"name": "id", "categories": ["a"], "regenerated": "[0-9]{3}"})


def test_rows_without_formats_stay_as_they_are():
    frame = pd.DataFrame({"a": [1, 2]})
    assert with_identifiers(frame, (), np.random.default_rng(0)) is frame
