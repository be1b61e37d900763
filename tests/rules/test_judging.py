"""What public rules say of a row, however its values are written."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.encoding import encode
from hmpb_core.errors import NotPrivateError
from hmpb_core.publishing.rule_breaks import rule_breaks
from hmpb_core.publishing.zones import public
from hmpb_core.rules.conditions import Condition
from hmpb_core.rules.consistency import assign
from hmpb_core.rules.declared import Rules
from hmpb_core.rules.reading import View, number_of, ranges_of
from tests.rules.cases import ALL, BAND, DOMAIN, SMOKES, rows_of

PASSES = {
    "below": lambda value, named: value < named[0],
    "atMost": lambda value, named: value <= named[0],
    "above": lambda value, named: value > named[0],
    "atLeast": lambda value, named: value >= named[0],
    "among": lambda value, named: value in named,
    "not": lambda value, named: value not in named,
}


@pytest.mark.parametrize("named", [(-1,), (0,), (3,), (4,), (4, 5), (9,), (10,)])
@pytest.mark.parametrize("test", PASSES)
def test_a_code_can_pass_a_condition_if_one_of_its_values_does_and_surely_if_all_do(test, named):
    """Ten ages in bins of 0 to 3, 4 to 6, 7 alone and 8 to 9; a missing one passes none."""
    edges = (0, 4, 7, 8, 9)
    ages = [range(4), range(4, 7), [7], [8, 9]]
    age = Numeric(name="age", minimum=0, maximum=9, integer=True, edges=edges, nullable=True)
    can, surely = Condition(column="age", test=test, values=named).of_codes(age)
    passes = [[PASSES[test](value, named) for value in bin_] for bin_ in ages]
    assert can.tolist() == [*map(any, passes), False]
    assert surely.tolist() == [*map(all, passes), False]


WHOLE = {"type": "integer", "constraints": {"minimum": 0, "maximum": 29}}
DAYS = {"type": "date", "constraints": {"minimum": "2000-01-01", "maximum": "2000-01-30"}}
RANGES = {
    "bins at whole numbers": WHOLE | {"bins": 3},
    "bins between them": WHOLE | {"bins": 7},
    "declared edges": WHOLE | {"bins": [0, 15, 18, 29]},
    "fives": WHOLE | {"multipleOf": 5, "bins": [0, 15, 17, 18, 29]},
    "decimals": {"type": "number", "decimals": 1, "bins": [0, 0.3, 1.8, 2.9]},
    "listed": {"type": "number", "values": [0, 1.8, 2.9], "bins": [0, 1.8, 2, 2.9]},
    "days": DAYS | {"bins": ["2000-01-01", "2000-01-15", "2000-01-30"]},
    "bins of days": DAYS | {"bins": 4},
}


@pytest.mark.parametrize("field", RANGES.values(), ids=RANGES)
def test_a_code_reaches_from_the_least_to_the_largest_value_that_is_encoded_to_it(field):
    book = Codebook.from_dict({"fields": [{"name": "x", "constraints": {}, **field}]})
    [attribute] = book.domain.attributes
    values = attribute.grid.values(np.arange(attribute.grid.size))
    codes = encode(pd.DataFrame({"x": [attribute.text(value) for value in values]}), book)[:, 0]
    low, high = ranges_of(attribute)
    for code in range(attribute.n_bins):
        inside = values[codes == code]
        if inside.size:
            assert (low[code], high[code]) == (inside.min(), inside.max())
        else:
            assert attribute.bin_edges[code] <= low[code] <= high[code] <= attribute.bin_edges[code + 1]


def test_a_bin_that_ends_where_a_rule_begins_is_impossible_beside_what_the_rule_rules_out():
    """Nobody below 15 is married: neither is anybody of 0 to 14, though the next bin begins at 15."""
    age = {"name": "age", **WHOLE, "bins": [0, 15, 18, 29]}
    rule = {"kind": "forbidden", "if": {"age": {"below": 15}, "married": "yes"}}
    book = Codebook.from_dict(
        {"fields": [age, {"name": "married", "categories": ["no", "yes"]}], "rules": [rule]}
    )
    [item] = book.rules.items
    impossible = item.impossible({a.name: a for a in book.domain.attributes})
    assert impossible[:3, :2].tolist() == [[False, True], [False, False], [False, False]]


@pytest.mark.parametrize("wanted", [True, False])
def test_a_code_is_missing_or_it_is_not(wanted):
    age = Numeric(name="age", minimum=0, maximum=9, integer=True, bins=2, nullable=True)
    for codes in Condition(column="age", test="missing", values=(wanted,)).of_codes(age):
        assert codes.tolist() == [not wanted, not wanted, wanted]


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


CIGARETTES = Numeric(name="cigarettes", minimum=0, maximum=40, integer=True, nullable=True)


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
