"""Public rules: what they say of a row, what they refuse, and that no synthetic row breaks one."""

import itertools
import json
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.encoding import encode_table
from hmpb_core.errors import DomainError, NotPrivateError
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.rule_breaks import rule_breaks
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.publishing.zones import public
from hmpb_core.rules.consistency import assign
from hmpb_core.rules.declared import KINDS, Rules
from hmpb_core.rules.obeying import drawn, obedient_rows, tilted
from hmpb_core.rules.reading import View, number_of, ranges_of
from hmpb_core.rules.zeros import with_structural_zeros
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan
from tests.tables import people, people_codebook

DOMAIN = Domain(
    (
        Numeric(name="age", minimum=0, maximum=99, integer=True, bins=7),
        Categorical(name="marital", categories=("never married", "married", "widowed"), nullable=True),
        Categorical(name="school", categories=("none", "primary", "upper")),
        Categorical(name="years", categories=(0, 8, 12, 16), ordered=True),
        Numeric(name="from", minimum=0, maximum=50, bins=5, nullable=True),
        Numeric(name="until", minimum=10, maximum=60, bins=5, nullable=True),
        Numeric(name="wages", minimum=-5, maximum=95, bins=4),
        Numeric(name="other", minimum=0, maximum=20, bins=3),
        Numeric(name="total", minimum=0, maximum=100, bins=9, nullable=True),
        Categorical(name="works", categories=("no", "yes")),
        Categorical(name="copy", categories=("upper", "primary", "none", "else"), nullable=True),
    )
)
YEARS = {"none": 0, "primary": 8, "upper": 12}
ALL = [
    {"kind": "follows", "column": "years", "from": "school", "values": YEARS},
    {"kind": "ascending", "columns": ["from", "until"]},
    {"kind": "sum", "column": "total", "parts": ["wages", "other"]},
    {"kind": "implies", "if": {"age": {"below": 15}}, "then": {"marital": "never married"}},
    {"kind": "forbidden", "if": {"school": "none", "works": "yes"}},
    {"kind": "nonNegative", "column": "wages"},
    {"kind": "askedIf", "column": "until", "if": {"works": "yes"}},
    {"kind": "equal", "column": "copy", "to": "school"},
]


def evenly(domain):
    """A model that knows nothing: every code of every attribute as likely as the next."""
    return lambda n, rng: np.stack([rng.integers(size, size=n) for size in domain.sizes], axis=1).astype(
        np.int32
    )


def rows_of(rules, n_rows=2000, domain=DOMAIN, draw=None, seed=0):
    return obedient_rows(
        rules,
        domain,
        n_rows,
        draw=draw or evenly(domain),
        values=lambda codes, rng: decode(codes, domain, rng),
        rng=np.random.default_rng(seed),
    )


def require_inside(frame, domain):
    for attribute in domain.attributes:
        column = frame[attribute.name]
        if isinstance(attribute, Numeric):
            assert column.dropna().between(attribute.minimum, attribute.maximum).all()
        else:
            assert set(column.dropna()) <= set(attribute.categories)
        assert attribute.nullable or not column.isna().any()


@pytest.mark.parametrize(
    ("rule", "rows", "broken"),
    [
        (ALL[0], {"school": ["none", "none", "upper"], "years": [0, 8, 12]}, [1]),
        (ALL[1], {"from": ["3", "", "30"], "until": ["2", "1", "30"]}, [0]),
        (ALL[2], {"wages": [1.1, 1.1, 1], "other": [2.2, 2.2, 1], "total": [3.3, 3.4, None]}, [1]),
        (ALL[3], {"age": [14, 14, 15], "marital": ["married", None, "married"]}, [0]),
        (ALL[4], {"school": ["none", "none"], "works": ["yes", "no"]}, [0]),
        (ALL[5], {"wages": ["-0.5", "0", "3"]}, [0]),
        (ALL[6], {"until": [None, 20, 20], "works": ["no", "no", "yes"]}, [1]),
        (ALL[7], {"copy": ["none", "upper", None], "school": ["none", "none", "upper"]}, [1]),
        (
            {"kind": "equal", "column": "other", "to": "wages"},
            {"other": ["1.0", "3", None, "0.30"], "wages": [1, 2, 5, 0.1 + 0.2]},
            [1],
        ),
    ],
    ids=lambda value: value.get("kind") if isinstance(value, dict) else None,
)
def test_a_rule_finds_the_rows_that_break_it(rule, rows, broken):
    [item] = Rules.read([rule], DOMAIN).items
    assert (
        np.flatnonzero(item.broken(View(pd.DataFrame(rows), {a.name: a for a in DOMAIN.attributes}))).tolist()
        == broken
    )


def test_dates_are_compared_as_dates():
    days = ("1996-08-27", "1996-09-01", "1997-01-01T12:00:00")
    domain = Domain(tuple(Categorical(name=n, categories=days) for n in ("born", "died")))
    rules = Rules.read([{"kind": "ascending", "columns": ["born", "died"]}], domain)

    def draw(
        n, rng
    ):  # mostly born early and died late: with even shares both dates would have to be the same
        return np.stack([rng.choice(3, n, p=p) for p in ((0.6, 0.3, 0.1), (0.1, 0.3, 0.6))], axis=1)

    frame = rows_of(rules, 3000, domain, draw=draw)
    pairs = {(days.index(a), days.index(b)) for a, b in zip(frame["born"], frame["died"], strict=True)}
    assert pairs == {(a, b) for a in range(3) for b in range(a, 3)}
    assert number_of(days[2]) - number_of("1996-12-31") == 1.5


def test_rows_keep_every_rule_at_once():
    rules = Rules.read(ALL, DOMAIN)
    frame = rows_of(rules, 20_000)
    assert rules.broken_rows(frame) == (0,) * len(ALL)
    assert len(frame) == 20_000
    require_inside(frame, DOMAIN)
    assert decode(
        evenly(DOMAIN)(5, np.random.default_rng(0)), DOMAIN, np.random.default_rng(0)
    ).dtypes.equals(frame.dtypes)


def test_without_rules_rows_are_drawn_as_ever():
    rng = np.random.default_rng(3)
    codes = evenly(DOMAIN)(50, rng)
    pd.testing.assert_frame_equal(rows_of(Rules(), 50, seed=3), decode(codes, DOMAIN, rng))


def test_redrawn_rows_follow_the_model_given_the_rule_and_columns_keep_their_shares():
    # Two coins that show 1 in two of five throws, (1, 1) forbidden; x2 is x0 but for one row in ten.
    # Given the rule alone x0 would show 1 in 24 of 84 rows.
    domain = Domain.of_sizes([2, 2, 2])
    rules = Rules.read([{"kind": "forbidden", "if": {"x0": 1, "x1": 1}}], domain)

    def draw(n, rng):
        first, second = (rng.random((2, n)) < 0.4).astype(np.int32)
        return np.stack([first, second, np.where(rng.random(n) < 0.1, 1 - first, first)], axis=1)

    n = 60_000
    frame = rows_of(rules, n, domain, draw=draw)
    shares = frame.value_counts(["x0", "x1"], normalize=True)
    assert len(shares) == 3
    for cell, wanted in (((0, 0), 0.2), ((0, 1), 0.4), ((1, 0), 0.4)):
        assert abs(shares[cell] - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / n)
    assert abs((frame["x2"] != frame["x0"]).mean() - 0.1) < 5 * np.sqrt(0.09 / n)


def test_rows_that_a_model_draws_in_an_order_are_taken_from_all_of_it():
    domain = Domain.of_sizes([2, 2, 2])
    rules = Rules.read([{"kind": "forbidden", "if": {"x0": 1, "x1": 1}}], domain)

    def draw(n, rng):  # x2 is 0 in the first half of the rows and 1 in the second
        return np.column_stack([(rng.random((n, 2)) < 0.2).astype(np.int32), np.arange(n) >= n / 2])

    n = 20_000
    frame = rows_of(rules, n, domain, draw=draw)
    assert abs(frame["x2"].mean() - 0.5) < 5 * np.sqrt(0.25 / n)


def test_rows_are_kept_once_at_most_each_with_its_chance():
    chances = np.array([1.0, 0.5, 0.25, 0.25, 0.9, 0.1])
    codes = np.array([[0], [1], [0], [1], [0], [1]])
    kept = np.array([drawn(chances, codes, 3, np.random.default_rng(seed)) for seed in range(2000)])
    assert (kept.sum(axis=1) == 3).all()
    assert (abs(kept.mean(axis=0) - chances) < 5 * np.sqrt(0.25 / 2000)).all()


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_no_rows_of_the_rules_can_have_are_had_as_nearly_as_may_be(seed):
    # Three of five show 1 in either column and no row in both: at most half of the rows can, in each.
    rng = np.random.default_rng(seed)
    first = (rng.random((4000, 2)) < 0.6).astype(np.int32)
    candidates = (rng.random((9000, 2)) < 0.6).astype(np.int32)
    candidates = candidates[candidates.sum(axis=1) < 2]
    chances = tilted(first, candidates)
    assert chances.sum() == pytest.approx(4000)
    assert (chances.max(), chances.min() > 0) == (1.0, True)
    assert (abs(candidates.T @ chances / 4000 - 0.5) < 0.05).all()


def test_a_number_is_redrawn_inside_its_bin_before_its_row_is():
    # One bin of -5 to 95 holds both signs: the row stays, its number does not.
    domain = Domain(
        (
            Numeric(name="x", minimum=-5, maximum=95, bins=1),
            Categorical(name="row", categories=tuple(range(500))),
        )
    )
    rules = Rules.read([{"kind": "nonNegative", "column": "x"}], domain)
    codes = np.stack([np.zeros(500), np.arange(500)], axis=1).astype(np.int32)
    frame = rows_of(rules, 500, domain, draw=lambda n, _: codes[:n] if n == 500 else pytest.fail("redrawn"))
    assert (frame["x"] >= 0).all()
    assert frame["row"].tolist() == list(range(500))


@pytest.mark.parametrize("seed", range(3))
def test_a_model_that_never_keeps_a_rule_is_put_right(seed):
    domain = Domain(DOMAIN.attributes[:2])
    rules = Rules.read([ALL[3]], domain)
    # Everybody is a child (first bin: 0 to 14) and widowed.
    frame = rows_of(
        rules, 100, domain, draw=lambda n, _: np.tile(np.array([[0, 2]], dtype=np.int32), (n, 1)), seed=seed
    )
    assert rules.broken_rows(frame) == (0,)
    assert len(frame) == 100


def test_a_mapping_that_nobody_listed_is_the_models_own_and_the_same_in_every_draw():
    rules = Rules.read([{"kind": "follows", "column": "years", "from": "school"}], DOMAIN)

    def draw(n, rng):  # years follow school in 7 of 10 rows
        codes = evenly(DOMAIN)(n, rng)
        codes[:, 3] = np.where(rng.random(n) < 0.7, codes[:, 2] + 1, codes[:, 3])
        return codes

    pairs = [
        set(zip(frame["school"], frame["years"], strict=True))
        for frame in (rows_of(rules, 500, draw=draw, seed=seed) for seed in (1, 2))
    ]
    assert pairs[0] == pairs[1] == {("none", 8), ("primary", 12), ("upper", 16)}


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            [ALL[3], {"kind": "implies", "if": {"age": {"below": 10}}, "then": {"marital": "married"}}],
            "The rules 'where 'age' is below 15, 'marital' is 'never married'' and "
            "'where 'age' is below 10, 'marital' is 'married'' contradict each other",
        ),
        (
            [ALL[0], {"kind": "follows", "column": "years", "from": "school", "values": {"none": 8}}],
            "'years' follows from 'school'' and ''years' follows from 'school'' contradict",
        ),
        (
            [ALL[0], {"kind": "forbidden", "if": {"years": 12}}],
            "'years' follows from 'school'' and 'no row where 'years' is 12' contradict",
        ),
        (
            [
                {"kind": "ascending", "columns": ["until", "age", "from"]},
                {"kind": "forbidden", "if": {"age": {"below": 55}}},
            ],
            "contradict",
        ),
        (
            [{"kind": "sum", "column": "age", "parts": ["wages"]}],
            "'age' is a whole number but the sum of numbers",
        ),
        ([{"kind": "implies", "if": {"sex": "m"}, "then": {"works": "yes"}}], "names the column 'sex'"),
        ([{"kind": "forbidden", "if": {"works": "maybe"}}], "names the value 'maybe' of 'works'"),
        (
            [{"kind": "askedIf", "column": "works", "if": {"age": 3}}],
            "'works' is asked only under a condition",
        ),
        ([{"kind": "follows", "column": "works", "from": "age"}], "'age', which lists no categories"),
        (
            [{"kind": "nonNegative", "column": "works"}],
            "compares 'works', which holds neither numbers nor dates",
        ),
        ([{"kind": "sum", "column": "total", "parts": ["works"]}], "not all of 'works', 'total' are numbers"),
        ([{"kind": "equal", "column": "school", "to": "copy"}], "or lacks some of its categories"),
        ([{"kind": "equal", "column": "wages", "to": "age"}], "is of another type, format or resolution"),
        ([{"kind": "equal", "column": "works", "to": "age"}], "is of another type, format or resolution"),
        ([{"kind": "equal", "column": "age", "to": "age"}], "has 'age' decide itself"),
        (
            [ALL[7], {"kind": "implies", "if": {"school": "upper"}, "then": {"copy": "none"}}],
            "'copy' equals 'school'' and 'where 'school' is 'upper', 'copy' is 'none'' contradict",
        ),
        ([{"kind": "vanishes"}], "the kinds are follows, equal, partOf, ascending"),
        ([{"kind": "ascending", "columns": ["from"]}], "of the kind 'ascending' cannot be read"),
        ([ALL[1], {"kind": ["sum"]}], "Rule 2 has the kind"),
        ([{"kind": "sum", "column": 3, "parts": ["age"]}], "Rule 1 of the kind 'sum' cannot be read"),
        ([ALL[1], {"kind": "implies", "if": {"age": 3}}], "Rule 2 of the kind 'implies' lacks 'then'; it"),
        ([{"kind": "equal", "column": "copy", "from": "school"}], "lacks 'to'; it needs 'column', 'to'"),
        (
            [ALL[1], ALL[2], {**ALL[4], "then": {"age": 3}}],
            "Rule 3 of the kind 'forbidden' has 'then', which says nothing there",
        ),
        ([{**ALL[0], "value": YEARS}], "has 'value', which says nothing there"),
        ([{**ALL[1], "colums": ["age", "from"]}], "has 'colums', which says nothing there"),
        ([{**ALL[5], "columns": ["other"], "note": ""}], "has 'columns', 'note', which says nothing there"),
        ([{"kind": "forbidden", "if": {"age": {"under": 3}}}], "condition on 'age' cannot be read"),
        (
            [{"kind": "forbidden", "if": {"age": {"atLeast": 3, "below": 9}}}],
            "condition on 'age' cannot be read",
        ),
        ([{"kind": "forbidden", "if": "age"}], "conditions are not an object"),
        (
            [{"kind": "follows", "column": "years", "from": "school"}, ALL[0]],
            "both name 'years', but the first lists no values",
        ),
        ("age", "must be a list of objects"),
        ([ALL[5]] * 201, "201 rules; at most 200"),
        ([{"kind": "implies", "if": {"works": "no"}, "then": {"works": "yes"}}], "' can never hold"),
    ],
)
def test_rules_that_cannot_be_used_are_refused_by_name(rules, sentence):
    with pytest.raises(DomainError) as caught:
        Rules.read(rules, DOMAIN)
    assert sentence in str(caught.value)


def test_three_rules_that_only_together_leave_no_row_are_refused():
    domain = Domain.of_sizes([2, 2, 2])
    rules = [
        {"kind": "implies", "if": {"x0": [0, 1]}, "then": {"x1": 0}},
        {"kind": "implies", "if": {"x1": 0}, "then": {"x2": 0}},
        {"kind": "forbidden", "if": {"x2": 0, "x0": 0}},
        {"kind": "forbidden", "if": {"x2": 0, "x0": 1}},
    ]
    with pytest.raises(DomainError, match="No row keeps all of the rules"):
        Rules.read(rules, domain)


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


def test_rules_survive_the_codebook():
    schema = {
        "fields": [
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
            {"name": "marital", "categories": ["never married", "married"]},
        ],
        "rules": [ALL[3]],
    }
    book = Codebook.from_dict(schema)
    assert book.to_dict()["rules"] == schema["rules"]
    assert Codebook.from_json(book.to_json()) == book
    assert json.loads(Codebook.from_dict({"fields": schema["fields"]}).to_json()).keys() == {
        "fields",
        "missingValues",
    }


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"died": "yes"}, "'died' is 'yes'"),
        ({"age": {"not": 3}, "died": ["yes", "no"]}, "'age' is not 3 and 'died' is 'yes' or 'no'"),
        ({"age": {"atMost": 3}}, "'age' is at most 3"),
        ({"age": {"missing": True}}, "'age' is missing"),
        ({"age": {"missing": False}}, "'age' has a value"),
        ({"age": {"not": [1, 2]}}, "'age' is not 1 or 2"),
    ],
)
def test_a_rule_that_names_an_unpublished_column_says_so_in_plain_words(wanted, said):
    fields = [
        {"name": "on", "categories": ["a"]},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
        {"name": "died", "categories": ["yes", "no"], "publish": False},
        {"name": "day", "publish": False},
    ]
    rules = [{"kind": "askedIf", "column": "day", "if": wanted}]
    with pytest.raises(DomainError) as refused:
        Codebook.from_dict({"fields": fields, "rules": rules})
    named = "died" if "died" in wanted else "day"
    assert f"''day' is asked only if {said}' names the column '{named}', which is not published" in str(
        refused.value
    )


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry["kind"])
def test_every_kind_is_written_as_it_was_read_and_said_without_brackets(entry):
    assert not set("{}[]") & set(str(Rules.read([entry], DOMAIN).items[0].words))
    assert Rules.read([entry], DOMAIN).to_list() == [entry]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_decoded_number_lies_in_the_range_of_its_code(data):
    low = data.draw(st.integers(-50, 50))
    attribute = Numeric(
        name="x",
        minimum=low,
        maximum=low + data.draw(st.integers(1, 40)),
        bins=data.draw(st.integers(1, 20)),
        integer=data.draw(st.booleans()),
        nullable=data.draw(st.booleans()),
    )
    codes = np.repeat(np.arange(attribute.size, dtype=np.int32), 30)[:, None]
    values = decode(codes, Domain((attribute,)), np.random.default_rng(0))["x"].to_numpy(
        float, na_value=np.nan
    )
    first, last = (ends[codes[:, 0]] for ends in ranges_of(attribute))
    missing = np.isnan(values)
    assert (np.isnan(first) == missing).all()
    assert ((first <= values + 1e-9) & (values <= last + 1e-9))[~missing].all()


def test_impossible_cells_have_no_probability_and_parents_keep_theirs():
    domain = Domain(DOMAIN.attributes[2:4])
    rules = Rules.read([ALL[0]], domain)
    tables = (
        ConditionalTable(family=Family(child=0), probabilities=np.array([0.5, 0.3, 0.2]), noise_sd=0.0),
        ConditionalTable(
            family=Family(child=1, parents=(0,)), probabilities=np.full((3, 4), 0.25), noise_sd=0.0
        ),
    )
    first, second = with_structural_zeros(tables, domain, rules.items)
    assert (first.probabilities == tables[0].probabilities).all()
    assert second.probabilities.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


@st.composite
def rule_entries(draw):
    """Rules over DOMAIN that may well contradict each other."""
    bound = st.sampled_from(["below", "atMost", "above", "atLeast"])
    condition = st.one_of(
        st.tuples(st.just("age"), st.builds(lambda b, n: {b: n}, bound, st.integers(1, 98))),
        st.tuples(st.just("wages"), st.builds(lambda b, n: {b: n}, bound, st.integers(-4, 94))),
        st.tuples(
            st.just("marital"),
            st.sampled_from(["married", ["widowed", "married"], {"missing": True}, {"not": "married"}]),
        ),
        st.tuples(st.just("school"), st.sampled_from(["none", ["primary", "upper"]])),
        st.tuples(st.just("works"), st.sampled_from(["no", "yes"])),
        st.tuples(st.just("from"), st.sampled_from([{"missing": True}, {"missing": False}, {"atMost": 20}])),
    )
    conditions = st.lists(condition, min_size=1, max_size=2).map(dict)
    kind = draw(st.sampled_from([kind for kind in KINDS if kind != "partOf"]))  # no dates are here
    if kind == "implies":
        return {"kind": kind, "if": draw(conditions), "then": draw(conditions)}
    if kind == "forbidden":
        return {"kind": kind, "if": draw(conditions)}
    if kind == "ascending":
        numbers = st.sampled_from(["age", "from", "until", "wages", "other", "total", "years"])
        return {"kind": kind, "columns": draw(st.lists(numbers, min_size=2, max_size=3, unique=True))}
    if kind == "sum":
        parts = st.lists(
            st.sampled_from(["age", "wages", "other", "from"]), min_size=1, max_size=2, unique=True
        )
        return {"kind": kind, "column": "total", "parts": draw(parts)}
    if kind == "follows":
        values = draw(st.sampled_from([None, YEARS, {"none": 16}]))
        return {"kind": kind, "column": "years", "from": "school"} | ({"values": values} if values else {})
    if kind == "equal":
        column, source = draw(st.sampled_from([("copy", "school"), ("other", "wages"), ("from", "until")]))
        return {"kind": kind, "column": column, "to": source}
    if kind == "nonNegative":
        return {"kind": kind, "column": draw(st.sampled_from(["wages", "other", "from"]))}
    return {"kind": kind, "column": draw(st.sampled_from(["until", "total"])), "if": draw(conditions)}


@given(st.lists(rule_entries(), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
@settings(
    max_examples=200 if os.environ.get("HMPB_SLOW") else 12,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
def test_random_rules_are_refused_or_kept_by_every_row_of_random_models(entries, seed):
    try:
        rules = Rules.read(entries, DOMAIN)
    except DomainError:
        assume(False)
    model = np.random.default_rng(seed)
    shares = [model.dirichlet(np.full(size, 0.3)) for size in DOMAIN.sizes]

    def draw(n, rng):
        return np.stack([rng.choice(len(p), size=n, p=p) for p in shares], axis=1).astype(np.int32)

    frame = rows_of(rules, 300, draw=draw, seed=seed)
    assert sum(rules.broken_rows(frame)) == 0
    require_inside(frame, DOMAIN)


@pytest.mark.slow
def test_no_row_of_a_million_breaks_a_rule():
    rules = Rules.read(ALL, DOMAIN)
    frame = rows_of(rules, 1_000_000 if os.environ.get("HMPB_SLOW") else 100_000)
    assert rules.broken_rows(frame) == (0,) * len(ALL)


def test_the_steward_alone_learns_how_many_rows_break_a_rule():
    schema = {
        "fields": [
            {
                "name": "age",
                "type": "integer",
                "constraints": {"minimum": 0, "maximum": 99},
                "missingValues": ["-9"],
            },
            {"name": "marital", "categories": ["never married", "married"]},
        ],
        "rules": [ALL[3]],
    }
    table = pd.DataFrame({"age": [-9, 3, 14, 40], "marital": ["married", "married", "married", "married"]})
    found = rule_breaks(table, Codebook.from_dict(schema))
    assert [count for _, count in found.value] == [2]
    assert "2" not in repr(found)
    with pytest.raises(NotPrivateError, match="steward-only"):
        public(found, "the rules' counts")


def test_resampling_a_bundle_obeys_the_rules(tmp_path):
    schema = people_codebook().to_dict() | {
        "rules": [{"kind": "implies", "if": {"age": {"below": 33}}, "then": {"smokes": "no"}}]
    }
    book = Codebook.from_dict(schema)
    table = people(800)
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(table, name="p", unit=Unit.parse("row"), cap_epsilon=5, cap_delta=1e-9)
    guarantee = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
    plan = PlanFile.of(make_plan(guarantee, book.domain, n_rows=None, method="independent"), book)
    done = carry_out(prepare(table, book, plan, workspace), workspace)
    assert book.rules.broken_rows(done.rows[0]) == (0,)
    again = model_of_bundle(read_bundle(done.bundle)).sample(3000, rng=np.random.default_rng(1))
    assert book.rules.broken_rows(again) == (0,)
    assert book.rules.broken_rows(table)[0] > 50  # it was not the table that kept the rule


@pytest.mark.parametrize("form", ["", "%d.%m.%Y"])
def test_declared_dates_keep_their_order_in_any_format(form):
    def day(text):
        year, month, day = text.split("-")
        return f"{day}.{month}.{year}" if form else text

    fields = [
        {
            "name": name,
            "type": "date",
            "constraints": {"minimum": day("1996-01-01"), "maximum": day("1996-12-31")},
            "bins": 4,
            **({"format": form} if form else {}),
        }
        for name in ("admitted", "discharged")
    ]
    entries = [
        {"kind": "ascending", "columns": ["admitted", "discharged"]},
        {
            "kind": "implies",
            "if": {"admitted": {"atLeast": day("1996-12-01")}},
            "then": {"discharged": {"missing": True}},
        },
    ]
    book = Codebook.from_dict({"fields": fields, "rules": entries})
    frame = rows_of(book.rules, 2000, book.domain)
    assert book.rules.broken_rows(frame) == (0, 0)
    pattern = form or "%Y-%m-%d"
    first, last = (pd.to_datetime(frame[name], format=pattern) for name in ("admitted", "discharged"))
    assert not (first > last).any()
    assert last[first >= "1996-12-01"].isna().all()
    assert (first >= "1996-12-01").sum() > 20
    assert (first.dt.month == last.dt.month).sum() > 50


def test_rules_hold_on_learned_values_and_in_what_is_resampled(tmp_path):
    rng = np.random.default_rng(2)
    low = np.where(rng.random(4000) < 0.4, 0, rng.integers(0, 900, 4000))
    table = pd.DataFrame({"low": low, "high": low + rng.integers(0, 100, 4000)})
    fields = [
        {
            "name": n,
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 1000, "required": True},
            "bins": "learned",
        }
        for n in table.columns
    ]
    book = Codebook.from_dict(
        {"fields": fields, "rules": [{"kind": "ascending", "columns": ["low", "high"]}]}
    )
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(table, name="p", unit=Unit.parse("row"), cap_epsilon=5, cap_delta=1e-9)
    plan = PlanFile.of(make_plan(Guarantee(epsilon=1.0, delta=1e-9), book.domain, n_rows=4000), book)
    done = carry_out(prepare(table, book, plan, workspace), workspace)
    again = model_of_bundle(read_bundle(done.bundle)).sample(20_000, rng=np.random.default_rng(1))
    for rows in (done.rows[0], again):
        assert book.rules.broken_rows(rows) == (0,)
        assert (rows["low"] <= rows["high"]).all()


SMOKES = Categorical(
    name="smokes",
    categories=("false", "true"),
    boolean=True,
    spellings=(("nein", "false"), ("ja", "true")),
)
CIGARETTES = Numeric(name="cigarettes", minimum=0, maximum=40, integer=True, nullable=True)
BAND = Categorical(name="band", categories=("none", "some"))


@pytest.mark.parametrize("said", ["true", True, "ja"])
def test_a_rule_reads_a_boolean_however_it_is_written(said):
    domain = Domain((SMOKES, CIGARETTES, BAND))
    rules = Rules.read(
        [
            {"kind": "askedIf", "column": "cigarettes", "if": {"smokes": said}},
            {
                "kind": "follows",
                "column": "band",
                "from": "smokes",
                "values": {"ja": "some", "false": "none"},
            },
        ],
        domain,
    )
    rng = np.random.default_rng(1)
    codes = rng.integers(0, [2, 5, 2], (200, 3)).astype(np.int32)
    for made in (
        decode(codes, domain, rng),
        pd.DataFrame({"smokes": ["ja", "nein"], "cigarettes": ["7", ""], "band": ["some", "none"]}),
    ):
        drawn = assign(made.copy(), rules.items, rules.attributes).frame
        assert rules.broken_rows(drawn) == (0, 0)
        truth = drawn["smokes"].map(lambda value: value in (True, "ja")).astype(bool)
        assert (drawn["cigarettes"][truth] != "").all()
        assert drawn["cigarettes"][truth].notna().all()
        assert (drawn["band"][truth] == "some").all()
        assert (drawn["band"][~truth] == "none").all()


def test_a_boolean_may_follow_and_may_be_followed_by_a_mapping_that_nobody_listed():
    domain = Domain((BAND, SMOKES, Categorical(name="group", categories=("a", "b"))))
    rules = Rules.read(
        [
            {"kind": "follows", "column": "smokes", "from": "band", "values": {"some": "ja", "none": False}},
            {"kind": "follows", "column": "group", "from": "smokes"},
        ],
        domain,
    )

    def draw(n, rng):
        band = rng.integers(0, 2, n)
        return np.stack([band, band, 1 - band], axis=1).astype(np.int32)

    rows = obedient_rows(
        rules,
        domain,
        500,
        draw=draw,
        values=lambda codes, rng: decode(codes, domain, rng),
        rng=np.random.default_rng(2),
    )
    assert ((rows["band"] == "some") == rows["smokes"].astype(bool)).all()
    assert ((rows["group"] == "a") == rows["smokes"].astype(bool)).all()


def test_rows_are_judged_by_what_their_values_mean_however_a_file_writes_them():
    code = Categorical(
        name="code",
        categories=("heart", "other"),
        unknown="other",
        prefixes=(("I", "heart"),),
        spellings=(("Herz", "heart"),),
    )
    level = Categorical(name="level", categories=(1, 2))
    rules = Rules.read(
        [{"kind": "implies", "if": {"code": "heart"}, "then": {"level": 1}}], Domain((code, level))
    )
    table = pd.DataFrame(
        {"code": ["I21.9", "Herz", "heart", "X", "I10"], "level": ["1.0", "1", "2", "2.0", "2.0"]}
    )
    assert rules.broken_rows(table) == (2,)


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


MISSING = Domain(
    (
        Categorical(name="arm", categories=("drug", "placebo", "?"), nullable=True, apart=("?",)),
        Categorical(name="given", categories=("drug", "placebo", "?", "!"), nullable=True, apart=("?", "!")),
        Numeric(name="dose", minimum=0, maximum=9, integer=True, nullable=True, bins=2),
    )
)


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


def test_a_rule_that_only_missing_values_would_keep_contradicts_another():
    rule = {"kind": "implies", "if": {"arm": "placebo"}, "then": {"given": "placebo"}}
    with pytest.raises(DomainError, match="contradict"):
        Rules.read([rule, {**rule, "then": {"given": "drug"}}], MISSING)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"kind": "follows", "column": "a", "from": "a", "values": {"x": "x"}}, "decide itself"),
        ({"kind": "sum", "column": "n", "parts": ["n", "m"]}, "decide itself"),
        ({"kind": "follows", "column": "n", "from": "a", "values": {"x": 500}}, "outside its declared range"),
        ({"kind": "follows", "column": "n", "from": "a", "values": {"x": 2.5}}, "broken where it is whole"),
        ({"kind": "ascending", "columns": ["n", "day"]}, "different kinds: date, number"),
        ({"kind": "implies", "if": {"a": {"below": 3}}, "then": {"n": 1}}, "neither numbers nor dates"),
        ({"kind": "sum", "column": "coarse", "parts": ["fine", "n"]}, "a multiple of 0.5 but the sum"),
        ({"kind": "nonNegative", "column": "day"}, "'day' is declared not negative, but holds dates"),
        ({"kind": "nonNegative", "column": "shown"}, "'shown' is declared not negative, but holds dates"),
        ({"kind": "forbidden", "if": {"n": 81}}, "81 for 'n', which lies outside its declared range"),
        ({"kind": "forbidden", "if": {"n": [3, 1.5]}}, "1.5 for 'n', which lies outside its declared range"),
        (
            {"kind": "forbidden", "if": {"n": {"not": -1}}},
            "-1 for 'n', which lies outside its declared range",
        ),
        ({"kind": "forbidden", "if": {"day": "1971-01-01"}}, "'1971-01-01' for 'day', which lies outside"),
        ({"kind": "forbidden", "if": {"n": "x"}}, "names the value 'x' of 'n'"),
    ],
)
def test_rules_that_no_row_can_obey_as_it_is_written_are_refused(rule, sentence):
    domain = Domain(
        (
            Categorical(name="a", categories=("x", "y")),
            Numeric(name="n", minimum=0, maximum=80, integer=True),
            Numeric(name="m", minimum=0, maximum=80, integer=True),
            Numeric(name="day", minimum=0, maximum=80, kind="date"),
            Categorical(name="shown", categories=("1970-01-01", "1970-01-02")),
            Numeric(name="fine", minimum=0, maximum=80, resolution=0.05),
            Numeric(name="coarse", minimum=0, maximum=200, resolution=0.5),
        )
    )
    with pytest.raises(DomainError) as caught:
        Rules.read([rule], domain)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "nonNegative", "column": "long"},
        {"kind": "nonNegative", "column": "grade"},
        {"kind": "forbidden", "if": {"long": {"above": "P9D"}}},
        {"kind": "forbidden", "if": {"rate": [0, 9.5]}},
        {"kind": "forbidden", "if": {"rate": {"below": -3}}},
    ],
)
def test_what_a_column_may_have_and_bounds_beyond_its_own_are_taken(rule):
    domain = Domain(
        (
            Numeric(name="long", minimum=0, maximum=7 * 86_400, kind="duration"),
            Categorical(name="grade", categories=("-1", "2", "none")),
            Numeric(name="rate", minimum=0, maximum=9.5),
        )
    )
    assert Rules.read([rule], domain).to_list() == [rule]


def test_rules_that_only_together_empty_a_column_are_refused():
    domain = Domain(
        (
            Categorical(name="a", categories=("x", "y"), nullable=True),
            Categorical(name="b", categories=("1", "2"), nullable=True),
            Categorical(name="c", categories=("p", "q"), nullable=True),
        )
    )
    circle = [
        {"kind": "follows", "column": "b", "from": "a", "values": {"x": "1", "y": "2"}},
        {"kind": "follows", "column": "c", "from": "b", "values": {"1": "p", "2": "q"}},
        {"kind": "follows", "column": "a", "from": "c", "values": {"p": "y", "q": "x"}},
    ]
    with pytest.raises(DomainError, match="Together the rules"):
        Rules.read(circle, domain)
    circle[2]["values"] = {"p": "x", "q": "y"}
    assert len(Rules.read(circle, domain).items) == 3


def test_parts_that_have_nothing_to_do_with_each_other_stay_so_beside_their_sum():
    """Each part has to do with the sum: a model of these pairs made parts correlate by .3."""
    rng = np.random.default_rng(1)
    parts = rng.poisson(20, (12_000, 3))
    table = pd.DataFrame({"a": parts[:, 0], "b": parts[:, 1], "c": parts[:, 2], "sum": parts.sum(1)})
    fields = [
        {
            "name": name,
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": most, "required": True},
            "bins": "learned",
        }
        for name, most in (("a", 100), ("b", 100), ("c", 100), ("sum", 300))
    ]
    book = Codebook.from_dict(
        {"fields": fields, "rules": [{"kind": "sum", "column": "sum", "parts": ["a", "b", "c"]}]}
    )
    coded = encode_table(table, book)
    plan = make_plan(Guarantee(epsilon=3.0), book.domain, n_rows=len(table))
    model = fit_source(MemorySource(coded.codes, book.domain, coded.fine, book.rules), plan, seed=3)
    rows = model.sample(rng=np.random.default_rng(4))
    assert (rows["sum"] == rows[["a", "b", "c"]].sum(axis=1)).all()
    pairs = rows[["a", "b", "c"]].astype(float).corr().to_numpy()[np.triu_indices(3, 1)]
    assert np.abs(pairs).max() < 0.08
    assert rows["sum"].astype(float).std() == pytest.approx(table["sum"].std(), rel=0.08)


def test_a_sentence_names_the_first_of_many_values_and_how_many_more():
    codes = [f"J{i:02d}" for i in range(100)]
    rule = {"kind": "forbidden", "if": {"sex": "M", "code": codes}}
    with pytest.raises(DomainError) as refused:
        Rules.read([rule], Domain((Categorical(name="sex", categories=("F", "M")),)))
    assert "'code' is 'J00', 'J01', 'J02', 'J03', 'J04' and 95 more" in str(refused.value)
    assert "J05" not in str(refused.value)
    domain = Domain(
        (Categorical(name="sex", categories=("F", "M")), Categorical(name="code", categories=tuple(codes)))
    )
    assert (
        Rules.read([{**rule, "if": {"sex": "M", "code": codes[:99]}}], domain).to_list()[0]["if"]["code"]
        == codes[:99]
    )


@pytest.mark.parametrize("nullable", [False, True])
def test_a_copy_says_the_same_in_every_row_whatever_its_type(nullable):
    rng = np.random.default_rng(5)
    fields = [
        {"name": "paid", "type": "integer", "constraints": {"minimum": 0, "maximum": 500}, "bins": "learned"},
        {"name": "day", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2021-12-31"}},
        {"name": "at", "type": "time", "constraints": {"minimum": "00:00:00", "maximum": "23:59:59"}},
        {"name": "rate", "type": "number", "decimals": 2, "constraints": {"minimum": 0, "maximum": 9}},
        {"name": "ward", "categories": ["a", "b", "c"]},
        {"name": "fit", "type": "boolean"},
    ]
    for field in fields:
        field["constraints"] = {**field.get("constraints", {}), "required": not nullable}
    copies = [{**field, "name": f"{field['name']} again"} for field in fields]
    rules = [{"kind": "equal", "column": copy["name"], "to": copy["name"][:-6]} for copy in copies]
    book = Codebook.from_dict({"fields": [*copies, *fields], "rules": rules})
    n = 3_000
    days = np.datetime64("2020-01-01") + rng.integers(0, 700, n)
    frame = pd.DataFrame(
        {
            "paid": rng.integers(0, 500, n),
            "day": days.astype(str),
            "at": [f"{hour:02}:30:00" for hour in rng.integers(0, 24, n)],
            "rate": np.round(rng.random(n) * 9, 2),
            "ward": rng.choice(["a", "b", "c"], n),
            "fit": rng.choice(["true", "false"], n),
        }
    ).astype(object)
    if nullable:
        frame = frame.where(rng.random(frame.shape) > 0.2, None)
    for copy in copies:
        frame[copy["name"]] = frame[copy["name"][:-6]]
    guarantee = Guarantee(epsilon=2.0)
    plan = make_plan(guarantee, book.domain, n_rows=n)
    rows = fit_source(open_source(frame, book), plan, seed=3).sample(rng=np.random.default_rng(4))
    assert book.rules.broken_rows(rows) == (0,) * len(copies)
    for field in fields:
        first, second = rows[field["name"]], rows[f"{field['name']} again"]
        assert (first.astype(object).fillna("") == second.astype(object).fillna("")).all()
        assert first.isna().any() == nullable


def test_numbers_that_lie_anywhere_in_a_bin_are_judged_as_they_are():
    fields = [
        {"name": name, "type": "number", "constraints": {"minimum": 0, "maximum": 99}, "bins": 16, **more}
        for name, more in (("free", {}), ("tenths", {"decimals": 1}))
    ]
    rules = [{"kind": "forbidden", "if": {name: {"below": 15}}} for name in ("free", "tenths")]
    book = Codebook.from_dict({"fields": fields, "rules": rules})
    near = np.array([15 - 1e-6])  # of tenths it is what 32 bits may make of 15
    frame = pd.DataFrame({"free": near, "tenths": near})
    assert book.rules.broken_rows(frame) == (1, 0)
    assert book.rules.broken_rows(frame - 1e-3) == (1, 1)


@pytest.mark.parametrize("missing", ["list", "column", "both"])
def test_a_mapping_that_nobody_listed_is_found_where_no_row_has_both_of_its_values(missing):
    """So few rows in much noise may come out; a release that was charged ended there."""
    domain = Domain(
        (
            Categorical(name="list", categories=("a", "b"), nullable=True),
            Numeric(name="column", minimum=0, maximum=9, bins=2, integer=True, nullable=True),
        )
    )
    rules = Rules.read([{"kind": "follows", "column": "column", "from": "list"}], domain)

    def draw(n, rng):
        gone = [missing in ("list", "both"), missing in ("column", "both")]
        return np.stack([np.full(n, 2) if is_gone else rng.integers(0, 2, n) for is_gone in gone], axis=1)

    rows = obedient_rows(
        rules,
        domain,
        50,
        draw=draw,
        values=lambda codes, rng: decode(codes.astype(np.int32), domain, rng),
        rng=np.random.default_rng(1),
    )
    assert len(rows) == 50
    assert rules.broken_rows(rows) == (0,)
