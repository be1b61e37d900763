"""Public rules: no synthetic row breaks one, whatever the model draws."""

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
from hmpb_core.errors import DomainError
from hmpb_core.network import ConditionalTable, Family
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.rules.computed import ROUNDED
from hmpb_core.rules.declared import KINDS, Rules
from hmpb_core.rules.obeying import drawn, obedient_rows, tilted
from hmpb_core.rules.reading import ranges_of
from hmpb_core.rules.zeros import with_structural_zeros
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan
from tests.rules.cases import ALL, BAND, DOMAIN, SMOKES, YEARS, evenly, require_inside, rows_of
from tests.thorough import THOROUGH


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


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=THOROUGH) for seed in (1, 2))])
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


def test_a_mapping_that_neither_anybody_nor_the_model_knows_keeps_the_shares_of_what_follows():
    """Of a pair that noise hid all got the commonest value: of 24 years of experience 3 were left."""
    domain = Domain(
        (
            Categorical(name="squared", categories=tuple(n * n for n in range(24))),
            Numeric(name="years", minimum=0, maximum=24, bins=24, integer=True),
        )
    )
    shares = np.exp(-(((np.arange(24) - 8) / 5) ** 2))
    shares /= shares.sum()

    def draw(n, rng):
        return np.stack([rng.choice(24, n, p=shares) for _ in range(2)], axis=1).astype(np.int32)

    rules = Rules.read([{"kind": "follows", "column": "years", "from": "squared"}], domain)
    frame = rows_of(rules, 2000, domain, draw=draw)
    assert frame.groupby("squared")["years"].nunique().max() == 1
    had = frame["years"].value_counts(normalize=True).reindex(range(24), fill_value=0)
    assert np.abs(had - shares).sum() / 2 < 0.1


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


def test_a_column_keeps_its_own_distribution_where_cells_are_impossible_as_far_as_it_can():
    fields = [
        {
            "name": name,
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 9, "required": True},
            "bins": 5,
        }
        for name in ("first", "last")
    ]
    book = Codebook.from_dict(
        {"fields": fields, "rules": [{"kind": "ascending", "columns": ["first", "last"]}]}
    )
    domain, rules = book.domain, book.rules
    parents = np.array([0.4, 0.3, 0.1, 0.1, 0.1])
    noisy = np.array(
        [[6, 2, 1, 1, 1], [1, 6, 2, 1, 1], [1, 2, 6, 2, 1], [0, 1, 1, 5, 2], [1, 0, 2, 2, 6]], float
    )
    noisy /= noisy.sum(axis=1, keepdims=True)
    tables = (
        ConditionalTable(family=Family(child=0), probabilities=parents, noise_sd=0.0),
        ConditionalTable(family=Family(child=1, parents=(0,)), probabilities=noisy, noise_sd=0.0),
    )
    _, last = with_structural_zeros(tables, domain, rules.items)
    joint = parents[:, None] * last.probabilities
    assert (np.tril(joint, -1) == 0).all(), "a later number is never smaller"
    assert joint.sum(axis=1) == pytest.approx(parents)
    assert joint.sum(axis=0) == pytest.approx(parents @ noisy, abs=1e-3)
    odds = joint[0, 1] * joint[1, 2] / (joint[0, 2] * joint[1, 1])
    before = noisy[0, 1] * noisy[1, 2] / (noisy[0, 2] * noisy[1, 1])
    assert odds == pytest.approx(before), "what is possible hangs together as it did"


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
    kinds = [kind for kind in KINDS if kind not in ("partOf", "timeBetween")]  # no dates are here
    kind = draw(st.sampled_from(kinds))
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
    if kind == "bandOf":
        starts = draw(st.lists(st.integers(0, 99), min_size=1, max_size=3, unique=True))
        values = {str(start): draw(st.sampled_from(["none", "primary", "upper"])) for start in starts}
        return {
            "kind": kind,
            "column": "school",
            "of": draw(st.sampled_from(["age", "from"])),
            "values": values,
        }
    if kind == "computed":
        formula = draw(
            st.sampled_from(["wages + 2 * other", "age / 3 - [from]", "total / age", "years ^ 2 / 9"])
        )
        column = draw(st.sampled_from(["total", "until", "years"]))
        return {"kind": kind, "column": column, "formula": formula, "rounded": draw(st.sampled_from(ROUNDED))}
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
