"""Public rules and missing values: what is not asked, what is left open, what is implied."""

import itertools

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.reading import View
from tests.rules.cases import MISSING, require_inside, rows_of


@pytest.mark.parametrize("turned", [False, True])
def test_a_sum_that_was_not_asked_is_missing_and_so_is_its_copy(turned):
    numbers = {"minimum": 0, "maximum": 40, "integer": True, "nullable": True}
    domain = Domain(
        (
            Numeric(name="copy", **numbers),
            Numeric(name="total", **numbers),
            Categorical(name="gone", categories=("no", "yes")),
            Categorical(name="asked", categories=("no", "yes"), nullable=True),
            Numeric(name="a", minimum=0, maximum=20, integer=True, bins=7),
            Numeric(name="b", minimum=0, maximum=20, integer=True, bins=7),
        )
    )
    entries = [
        {"kind": "equal", "column": "copy", "to": "total"},
        {"kind": "sum", "column": "total", "parts": ["a", "b"]},
        {"kind": "askedIf", "column": "total", "if": {"gone": "no"}},
        {"kind": "askedIf", "column": "total", "if": {"asked": "yes"}},
    ]
    rules = Rules.read(entries[::-1] if turned else entries, domain)
    frame = rows_of(rules, 4000, domain)
    out = (frame["gone"] == "yes") | (frame["asked"] != "yes")
    assert rules.broken_rows(frame) == (0,) * 4
    assert frame["total"][out].isna().all()
    assert frame["copy"].isna().equals(frame["total"].isna())
    assert abs(out.mean() - 5 / 6) < 0.03
    assert frame["total"][~out].notna().mean() > 0.8
    assert abs((frame["gone"] == "yes").mean() - 0.5) < 0.04


@pytest.mark.parametrize(("missing", "emptied"), [(0.02, True), (0.1, False)])
def test_what_hardly_ever_is_missing_is_missing_just_where_what_decides_it_is(missing, emptied):
    numbers = {"minimum": 0, "integer": True, "nullable": True, "bins": 7}
    domain = Domain(
        (
            Categorical(name="species", categories=("fox", "dog", "owl"), nullable=True),
            Categorical(name="genus", categories=("vulpes", "canis", "strix"), nullable=True),
            Categorical(name="class", categories=("mammal", "bird"), nullable=True),
            Numeric(name="a", maximum=20, **numbers),
            Numeric(name="b", maximum=20, **numbers),
            Numeric(name="total", maximum=39, **numbers),
        )
    )
    genus = dict(zip(("fox", "dog", "owl"), ("vulpes", "canis", "strix"), strict=True))
    kind = {"vulpes": "mammal", "canis": "mammal", "strix": "bird"}
    rules = Rules.read(
        [
            {"kind": "follows", "column": "class", "from": "genus", "values": kind},
            {"kind": "follows", "column": "genus", "from": "species", "values": genus},
            {"kind": "sum", "column": "total", "parts": ["a", "b"]},
        ],
        domain,
    )

    def draw(n, rng):
        codes = np.stack([rng.integers(size - 1, size=n) for size in domain.sizes], axis=1)
        return np.where(rng.random(codes.shape) < missing, np.array(domain.sizes) - 1, codes).astype(np.int32)

    frame = rows_of(rules, 20_000, domain, draw=draw)
    assert rules.broken_rows(frame) == (0, 0, 0)
    require_inside(frame, domain)
    gone = frame.isna()
    parts = gone["a"] | gone["b"]
    if emptied:
        assert gone["genus"].equals(gone["species"])
        assert gone["class"].equals(gone["species"])
        assert gone["total"].equals(parts)
    else:  # a model knows which are missing together
        assert abs(gone["genus"][gone["species"]].mean() - missing) < 0.03
        assert abs(gone["total"][~parts].mean() - missing) < 0.02
    assert (abs(gone[["species", "a", "b"]].mean() - missing) < 0.01).all()


@pytest.mark.parametrize(("of_date", "of_time", "left"), [(0.2, 0.05, 0.2 * 0.05), (0.2, 0.19, 0.2)])
def test_a_time_that_is_known_without_its_dates_stays_known(of_date, of_time, left):
    """Of 11,757 people 1,858 had days since their arrest in place of those since an offence."""
    fields: list[dict[str, object]] = [
        {"name": name, "type": "date", "constraints": {"minimum": f"{y}-01-01", "maximum": f"{y}-12-31"}}
        for name, y in (("from", 2019), ("to", 2020))
    ]
    fields += [{"name": "days", "type": "integer", "constraints": {"minimum": 0, "maximum": 800}}]
    rule = {"kind": "timeBetween", "column": "days", "from": "from", "to": "to", "unit": "days"}
    book = Codebook.from_dict({"fields": fields, "rules": [rule]})
    domain, often = book.domain, np.array([of_date, 0, of_time])

    def draw(n, rng):
        codes = np.stack([rng.integers(size - 1, size=n) for size in domain.sizes], axis=1)
        return np.where(rng.random(codes.shape) < often, np.array(domain.sizes) - 1, codes).astype(np.int32)

    frame = rows_of(book.rules, 20_000, domain, draw=draw)
    assert book.rules.broken_rows(frame) == (0,)
    assert abs(frame["days"].isna().mean() - left) < 0.015
    assert abs(frame["from"].isna().mean() - of_date) < 0.01


def test_a_total_of_which_a_rule_says_when_it_is_missing_is_not_missing_with_its_parts():
    numbers = {"minimum": 0, "integer": True, "nullable": True, "bins": 7}
    domain = Domain(
        (
            Numeric(name="a", maximum=20, **numbers),
            Numeric(name="total", maximum=20, **numbers),
            Categorical(name="gone", categories=("no", "yes")),
        )
    )
    rules = Rules.read(
        [
            {"kind": "sum", "column": "total", "parts": ["a"]},
            {"kind": "implies", "if": {"gone": "yes"}, "then": {"total": {"missing": True}}},
        ],
        domain,
    )

    def draw(n, rng):
        gone = rng.random(n) < 0.02
        return np.stack([rng.integers(7, size=n), np.where(gone, 7, 0), gone], axis=1).astype(np.int32)

    frame = rows_of(rules, 5_000, domain, draw=draw)
    assert abs((frame["gone"] == "yes").mean() - 0.02) < 0.01
    assert frame["total"].isna().equals(frame["gone"] == "yes")


@pytest.mark.parametrize("codes", [["9", ""], ["-9", "n.a.", ""], ["9"]])
def test_missing_codes_that_are_told_apart_are_missing_to_a_rule(codes):
    book = Codebook.from_dict(
        {
            "fields": [
                {"name": "w", "categories": ["yes", "no"], "constraints": {"required": True}},
                {"name": "k", "categories": [1, 2], "missingValues": codes, "missingApart": True},
            ],
            "rules": [
                {"kind": "askedIf", "column": "k", "if": {"w": "yes"}},
                {"kind": "implies", "if": {"w": "no"}, "then": {"k": {"missing": True}}},
                {"kind": "implies", "if": {"k": {"atLeast": 2}}, "then": {"w": "yes"}},
            ],
        }
    )
    attributes = {attribute.name: attribute for attribute in book.domain.attributes}
    code = codes[0]
    table = pd.DataFrame({"w": ["no", "no", "yes", "no"], "k": [code, codes[-1], "2", "2"]})
    assert book.rules.broken_rows(table) == (1, 1, 1)
    asked = book.rules.items[0]
    assert asked.assigned(View(table, attributes)).tolist()[:3] == [code, codes[-1], "2"]
    impossible = asked.impossible(attributes)
    absent = [text in codes for text in attributes["k"].labels[:-1]]
    assert impossible[1].tolist() == [*(not one for one in absent), False]


@pytest.mark.parametrize(
    ("rule", "fine"),
    [
        (
            {"kind": "implies", "if": {"arm": "placebo"}, "then": {"given": "placebo", "dose": {"below": 3}}},
            lambda row: (
                row.arm != "placebo"
                or (row.given in (None, "?", "!", "placebo") and (row.dose is None or row.dose < 3))
            ),
        ),
        (
            {"kind": "implies", "if": {"arm": "placebo"}, "then": {"given": {"not": "drug"}}},
            lambda row: row.arm != "placebo" or row.given != "drug",
        ),
        (
            {"kind": "implies", "if": {"arm": "drug"}, "then": {"given": ["drug", "?"]}},
            lambda row: row.arm != "drug" or row.given in ("drug", "?"),
        ),
        (
            {"kind": "implies", "if": {"arm": "drug"}, "then": {"dose": {"missing": False}}},
            lambda row: row.arm != "drug" or row.dose is not None,
        ),
        (
            {"kind": "forbidden", "if": {"arm": "drug", "given": {"not": "drug"}}},
            lambda row: (row.arm, row.given) != ("drug", "placebo"),
        ),
        (
            {"kind": "askedIf", "column": "dose", "if": {"arm": "drug"}},
            lambda row: row.arm == "drug" or row.dose is None,
        ),
        (
            {
                "kind": "follows",
                "column": "given",
                "from": "arm",
                "values": {"drug": "drug", "placebo": "placebo"},
            },
            lambda row: row.arm in (None, "?") or row.given in (None, "?", "!", row.arm),
        ),
        (
            {"kind": "follows", "column": "given", "from": "arm", "values": {"drug": "!"}},
            lambda row: row.arm != "drug" or row.given == "!",
        ),
    ],
)
def test_a_missing_value_leaves_open_what_is_not_said_of_it_in_every_combination(rule, fine):
    arm, given, _ = MISSING.attributes
    cases = list(itertools.product((*arm.categories, None), (*given.categories, None), (*range(10), None)))
    frame = pd.DataFrame(cases, columns=["arm", "given", "dose"], dtype=object)
    [item] = Rules.read([rule], MISSING).items
    broken = item.broken(View(frame, {a.name: a for a in MISSING.attributes}))
    assert broken.tolist() == [not fine(row) for row in frame.itertuples()]
    if rule["kind"] == "follows":
        return
    coded = np.array(
        [
            [
                3 if case[0] is None else arm.categories.index(case[0]),
                4 if case[1] is None else given.categories.index(case[1]),
                2 if case[2] is None else case[2] // 5,
            ]
            for case in cases
        ]
    )
    cells = item.impossible({a.name: a for a in MISSING.attributes})
    places = tuple(coded[:, MISSING.names.index(name)] for name in item.columns)
    allowed = np.zeros(cells.shape, dtype=bool)
    np.logical_or.at(allowed, places, ~broken)
    assert (cells == ~allowed).all()


def test_what_is_implied_stays_missing_where_the_model_says_so():
    rules = Rules.read([{"kind": "implies", "if": {"arm": "placebo"}, "then": {"given": "placebo"}}], MISSING)

    def draw(n, rng):  # half of those of placebo have no entry, the others are right
        arm = rng.integers(0, 2, n)
        return np.stack([arm, np.where((arm == 1) & (rng.random(n) < 0.5), 4, arm), arm], axis=1).astype(
            np.int32
        )

    frame = rows_of(rules, 4000, MISSING, draw=draw)
    assert abs((frame["arm"] == "placebo").mean() - 0.5) < 0.04
    assert abs(frame["given"][frame["arm"] == "placebo"].isna().mean() - 0.5) < 0.04
