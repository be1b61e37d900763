"""Public rules in words: for the readers of a bundle, in both languages."""

import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.publishing.rule_words import RuleWriter, asked_alike, rules_told
from hmpb_core.publishing.words.catalogue import ENGLISH, words_of
from hmpb_core.rules.between import ROUNDINGS, UNITS
from hmpb_core.rules.declared import KINDS
from hmpb_core.rules.parts import PARTS

STAY = {"kind": "timeBetween", "column": "days", "from": "came", "to": "left", "unit": "days"}
SAID = [
    ({"kind": "follows", "column": "n", "from": "e"}, "n follows from e. Nobody has listed how: "),
    (
        {"kind": "follows", "column": "n", "from": "e", "values": {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5}},
        "n follows from e (A → 1, B → 2, C → 3, D → 4 and 1 more).",
    ),
    ({"kind": "equal", "column": "a", "to": "b"}, "a = b."),
    (
        {"kind": "bandOf", "column": "g", "of": "age", "values": {"0": "child", "18": "adult"}},
        "g is a band of age, from each number on: 0 → child, 18 → adult.",
    ),
    ({"kind": "partOf", "column": "m", "of": "d", "part": "month"}, "m is the month of d."),
    ({"kind": "ascending", "columns": ["a", "b", "c"]}, "In every row: a ≤ b ≤ c."),
    ({"kind": "sum", "column": "t", "parts": ["a", "b"]}, "t = a + b."),
    (
        {"kind": "sum", "column": "t", "parts": ["a", "b"], "missingIsZero": True},
        "t = a + b, of which a missing one counts as 0.",
    ),
    ({"kind": "computed", "column": "b", "formula": "w / h ^ 2"}, "b = w / h ^ 2."),
    ({"kind": "computed", "column": "b", "formula": "m / 60", "rounded": "down"}, "b = m / 60, cut off."),
    (STAY, "days is the time from came to left in days."),
    (STAY | {"rounded": "nearest"}, "days is the time from came to left in days, rounded."),
    (STAY | {"rounded": "calendar"}, "days counts the new days that began from came to left."),
    (STAY | {"rounded": "inclusive"}, "the first and the last included."),
    (
        {"kind": "implies", "if": {"age": {"below": 15}}, "then": {"m": {"not": ["w", "d"]}}},
        "If age is below 15, then m is not w, d.",
    ),
    (
        {"kind": "forbidden", "if": {"s": "m", "p": {"atLeast": 1}}},
        "Never together: s is m and p is at least 1.",
    ),
    ({"kind": "nonNegative", "column": "a"}, "a is never negative."),
    (
        {"kind": "askedIf", "column": "h", "if": {"w": {"missing": False}}},
        "h has a value only if w has a value.",
    ),
    (
        {"kind": "askedIf", "column": "h", "if": {"w": {"missing": True}}},
        "h has a value only if w is missing.",
    ),
]


@pytest.mark.parametrize(("rule", "words"), SAID)
def test_a_reader_is_told_each_rule(rule, words):
    assert words in RuleWriter(words=ENGLISH)(rule)
    chinese = RuleWriter(words=words_of("zh"))(rule)
    assert chinese.endswith("。")
    assert "{" not in chinese


def test_no_kind_of_rule_and_none_of_its_own_words_is_left_unsaid():
    assert {rule["kind"] for rule, _ in SAID} == set(KINDS)
    for language in ("en", "zh"):
        words = words_of(language)
        for key in (*(f"unit.{unit}" for unit in UNITS), *(f"part.{part}" for part in PARTS)):
            assert words.has(f"rules.{key}"), key
        assert all(words.has(f"rules.time_{rounded}") for rounded in ROUNDINGS)


def test_questions_that_hang_on_one_answer_are_one_line_and_long_lists_are_cut():
    asked = [{"kind": "askedIf", "column": f"q{i}", "if": {"voted": list(range(14))}} for i in range(13)]
    other = {"kind": "askedIf", "column": "why", "if": {"voted": 0}}
    together, alone = asked_alike([asked[0], other, *asked[1:]])
    assert (together, alone) == (asked, [other])
    said = RuleWriter(words=ENGLISH)(*together)
    assert said.startswith("q0, q1, ")
    assert "q11 and 1 more have a value only if voted is 0, 1, " in said
    assert said.endswith("11 and 2 more.")


def test_names_and_values_are_written_as_the_place_needs_them():
    writer = RuleWriter(words=ENGLISH, name=lambda name: f"<{name}>", value=lambda value: f"'{value}'")
    assert writer({"kind": "forbidden", "if": {"a": 1}}) == "Never together: <a> is '1'."


def test_a_codebook_tells_all_its_rules_in_order():
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}
        for name in ("net", "gross")
    ]
    rules = [{"kind": "ascending", "columns": ["net", "gross"]}, {"kind": "nonNegative", "column": "net"}]
    book = Codebook.from_dict({"fields": fields, "rules": rules})
    assert rules_told(book, ENGLISH) == ["In every row: net ≤ gross.", "net is never negative."]
    assert rules_told(Codebook.from_dict({"fields": fields}), ENGLISH) == []
