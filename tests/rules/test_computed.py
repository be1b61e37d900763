"""Numbers that a formula works out: read by hand, refused, kept by every row, and found in tables."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core import HMPrivBayes
from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError
from hmpb_core.kept.rules import kept_rules
from hmpb_core.rules.consistency import assign, decided, in_order
from hmpb_core.rules.formulas import Formula
from hmpb_core.rules.reading import View
from hmpb_core.sources.drafting import columns_of_rule, renamed_rule

ONE, TWO, THREE = (np.array([float(n)]) for n in (1, 2, 3))


def number(name, low, high, *, decimals=None, **more):
    kind = {"type": "integer"} if decimals is None else {"type": "number", "decimals": decimals}
    return {"name": name, **kind, "constraints": {"minimum": low, "maximum": high}, "bins": "learned", **more}


BODY = [number("height", 120, 220), number("weight", 30, 200, decimals=1), number("bmi", 8, 90, decimals=1)]
BMI = {"kind": "computed", "column": "bmi", "formula": "weight / (height / 100) ^ 2"}


def book(fields=BODY, rules=(BMI,)):
    return Codebook.from_dict({"fields": list(fields), "rules": list(rules)})


def people(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    height = np.clip(np.rint(rng.normal(171, 9, n)), 130, 210).astype(int)
    weight = np.clip(np.round(rng.normal(26, 4, n) * (height / 100) ** 2, 1), 31, 190)
    return pd.DataFrame(
        {"height": height, "weight": weight, "bmi": np.round(weight / (height / 100) ** 2, 1)}
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b * c", 7),
        ("(a + b) * c", 9),
        ("a - b - c", -4),
        ("c / b / b", 0.75),
        ("-b ^ 2", -4),
        ("2 ^ c ^ b", 512),
        ("b ^ -a", 0.5),
        ("-a * -b", 2),
        ("[a]*1.5e2", 150),
        (".5*b", 1),
    ],
)
def test_a_formula_is_worked_out_as_on_paper(text, value):
    assert Formula.read(text).of({"a": ONE, "b": TWO, "c": THREE}).tolist() == [value]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a +",
        "(a",
        "a)",
        "a b",
        "1 + 2",
        "a ** b",
        "a; b",
        "[a",
        "__import__('os')",
        "(" * 60 + "a" + ")" * 60,
    ],
)
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(DomainError, match="cannot be read"):
        Formula.read(text)


def test_what_has_no_value_is_missing():
    values = {"a": np.array([1.0, 1.0, np.nan, -1.0]), "b": np.array([2.0, 0.0, 2.0, 0.5])}
    assert np.isnan(Formula.read("a / b").of(values)).tolist() == [False, True, True, False]
    assert np.isnan(Formula.read("a ^ b").of(values)).tolist() == [False, False, True, True]


def test_a_number_is_the_formula_rounded_to_its_step():
    height, weight = [180, 180, 180, None], [81.0, 81.2, 81.2, 81.0]
    frame = pd.DataFrame({"height": height, "weight": weight, "bmi": [25.0, 25.1, 25.0, 30.0]})
    item = book().rules.items[0]
    view = View(frame, book().rules.attributes)
    assert item.broken(view).tolist() == [False, False, True, False]  # 81.2 / 3.24 = 25.06
    drawn = item.worked_out(View(frame.assign(bmi=30.0, height=180), book().rules.attributes))
    assert drawn.tolist() == [25.0, 25.1, 25.1, 25.0]


def test_what_is_left_over_may_be_cut_off():
    fields = [number("minutes", 0, 600), number("hours", 0, 10)]
    rule = {"kind": "computed", "column": "hours", "formula": "minutes / 60", "rounded": "down"}
    codebook = book(fields, [rule])
    frame = pd.DataFrame({"minutes": [59, 60, 119, 120], "hours": [0, 1, 1, 2]})
    assert codebook.rules.broken_rows(frame) == (0,)
    assert codebook.rules.broken_rows(frame.assign(hours=[1, 2, 2, 3])) == (4,)
    assert codebook.rules.broken_rows(frame.assign(hours=[0, 0, 0, 1])) == (3,)
    assert codebook.rules.to_list() == [rule]
    nearest = book(fields, [{**rule, "rounded": "nearest"}])
    assert nearest.rules.broken_rows(frame) == (2,)
    assert "rounded" not in nearest.rules.to_list()[0]


def test_a_mean_score_of_answers_is_a_value_of_its_list():
    items = [{"name": f"q{i}", "type": "integer", "categories": [1, 2, 3, 4, 5]} for i in (1, 2)]
    listed = {"name": "score", "type": "number", "categories": [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]}
    rule = {"kind": "computed", "column": "score", "formula": "(q1 - q2 + 6) / 2"}
    codebook = book([*items, listed], [rule])
    frame = pd.DataFrame({"q1": [1, 2, 5], "q2": [5, 1, 1], "score": [1, 3.5, 5]})
    assert codebook.rules.broken_rows(frame) == (0,)
    drawn = codebook.rules.items[0].assigned(View(frame.assign(score=2.0), codebook.rules.attributes))
    assert drawn.tolist() == [1, 3.5, 5]
    assert decided(codebook.rules.items, codebook.rules.attributes) == codebook.rules.items


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({**BMI, "formula": "bmi * 2"}, "is part of that itself"),
        ({**BMI, "formula": "day * 2"}, "not all of its columns are numbers"),
        ({**BMI, "formula": "town * 2"}, "not all of its columns are numbers"),
        ({**BMI, "formula": "weight +"}, "cannot be read"),
        ({**BMI, "formula": "waist * 2"}, "names the column 'waist'"),
        ({**BMI, "formula": 3}, "of the kind 'computed' cannot be read"),
        ({**BMI, "rounded": "up"}, "of the kind 'computed' cannot be read"),
        ({**BMI, "formula": "weight * 1000"}, "can never hold with the declared values"),
    ],
)
def test_formulas_that_cannot_be_are_refused(rule, sentence):
    day = {"name": "day", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}}
    with pytest.raises(DomainError, match=sentence):
        book([*BODY, day, {"name": "town", "categories": ["a", "b"]}], [rule])


def test_a_narrow_range_is_no_contradiction():
    narrow = [BODY[0], BODY[1], number("bmi", 24, 26, decimals=1)]
    assert book(narrow).rules.items[0].column == "bmi"


PAID = [number("billed", 0, 20_000), number("paid", 0, 20_000), number("part", 0, 100, decimals=1)]
PART = {"kind": "computed", "column": "part", "formula": "100 * paid / billed"}
CLASS = {"name": "class", "type": "string", "categories": ["low", "high"]}
BAND = {"kind": "bandOf", "column": "class", "of": "part", "values": {"0": "low", "50": "high"}}
MORE = [number("costs", 0, 20_000), number("left", 0, 20_000)]


@pytest.mark.parametrize(
    ("rules", "solved_for"),
    [
        ([PART], "paid"),
        ([{**PART, "formula": "paid / billed"}], "paid"),
        ([{**PART, "formula": "100 * (paid - billed) / billed"}], "paid"),
        ([{**PART, "formula": "paid / (billed / 100) ^ 2"}], "paid"),
        ([PART, BAND], "paid"),
        ([BAND, PART], "paid"),
        ([PART, {"kind": "nonNegative", "column": "paid"}], "paid"),
        ([{**PART, "formula": "billed / 200"}], None),  # nothing is divided by a column
        ([{**PART, "formula": "paid * billed / 1000"}], None),
        ([{"kind": "computed", "column": "left", "formula": "billed - costs"}], None),
        ([{**PART, "formula": "100 / billed"}], None),  # no column is divided
        ([{**PART, "formula": "(paid / billed) ^ 2"}], None),  # no straight line
        ([{**PART, "formula": "paid / billed - costs"}], "paid"),
        ([PART, {"kind": "ascending", "columns": ["paid", "billed"]}], None),
        ([PART, {"kind": "computed", "column": "paid", "formula": "costs / 2"}], None),  # it is decided
        ([PART, {"kind": "computed", "column": "billed", "formula": "paid + costs"}], None),  # a circle
        ([PART, {"kind": "computed", "column": "left", "formula": "billed - paid"}], "paid"),
    ],
)
def test_a_rate_is_drawn_and_gives_what_is_divided_and_nothing_else_is_turned_round(rules, solved_for):
    codebook = book([*PAID, *MORE, CLASS], rules)
    [item] = [
        one for one in codebook.rules.items if one.kind == "computed" and one.column in ("part", "left")
    ][:1]
    assert item.solved_for == solved_for
    assert item.target == (solved_for or item.column)
    order = in_order(codebook.rules.items)
    if BAND in rules:
        assert [rule.kind for rule in order] == ["computed", "bandOf"], (
            "the band is of what the formula gives"
        )


def test_what_is_divided_is_as_near_as_its_step_allows_and_the_rate_is_worked_out_of_that():
    codebook = book([*PAID, CLASS], [BAND, PART])
    drawn = pd.DataFrame(
        {
            "billed": [1000, 3, 300, None, 7],
            "paid": [9, 9, 9, 9, None],
            "part": [12.5, 40.0, 100.0, 50.0, 20.0],
            "class": ["high"] * 5,
        }
    )
    made = assign(drawn, codebook.rules.items, codebook.rules.attributes).frame
    assert made["paid"].tolist()[:4] == [125, 1, 300, 9]  # of 3 a third is nearest to 40 %
    assert made["part"].tolist()[:4] == [12.5, 33.3, 100.0, 50.0]
    assert made["class"].tolist()[:3] == ["low", "low", "high"]
    assert codebook.rules.broken_rows(made) == (0, 0)


def test_rates_keep_what_is_frequent_among_them_and_every_row_keeps_the_formula():
    rng, n = np.random.default_rng(4), 6000
    billed = np.rint(np.exp(rng.normal(6, 1, n))).clip(1, 20_000)
    paid = np.rint(billed * np.where(rng.random(n) < 0.4, 1, rng.beta(6, 2, n)))
    frame = pd.DataFrame(
        {"billed": billed.astype(int), "paid": paid.astype(int), "part": np.round(100 * paid / billed, 1)}
    )
    codebook = book(PAID, [PART])
    made = HMPrivBayes(epsilon=1.0, seed=3).fit(frame, codebook).sample(n)
    assert codebook.rules.broken_rows(made) == (0,)
    assert (made["part"] == 100).mean() == pytest.approx((frame["part"] == 100).mean(), abs=0.03)
    assert made["part"].mean() == pytest.approx(frame["part"].mean(), abs=1.5)
    assert made["paid"].mean() == pytest.approx(frame["paid"].mean(), rel=0.05)


def test_every_row_keeps_its_formula_and_the_results_are_as_in_the_table():
    frame, codebook = people(8000), book()
    made = HMPrivBayes(epsilon=2.0, seed=3).fit(frame, codebook).sample(8000)
    assert codebook.rules.broken_rows(made) == (0,)
    assert made["bmi"].mean() == pytest.approx(frame["bmi"].mean(), abs=0.3)
    free = HMPrivBayes(epsilon=2.0, seed=3).fit(frame, book(rules=())).sample(8000)
    assert codebook.rules.broken_rows(free)[0] > 4000


def test_a_result_is_missing_about_as_often_as_in_the_table():
    frame, rng = people(8000), np.random.default_rng(1)
    for rows, columns in ((rng.random(8000) < 0.2, ["weight", "bmi"]), (rng.random(8000) < 0.1, ["bmi"])):
        frame.loc[rows, columns] = np.nan
    made = HMPrivBayes(epsilon=4.0, seed=3).fit(frame, book()).sample(8000)
    assert book().rules.broken_rows(made) == (0,)
    assert made["bmi"].isna().mean() == pytest.approx(frame["bmi"].isna().mean(), abs=0.04)


def found(frame, *fields):
    codebook = Codebook.from_dict({"fields": list(fields)})
    rules = kept_rules(frame, codebook).value
    Codebook.from_dict({"fields": list(fields), "rules": list(rules)})
    return {r["column"]: r["formula"] for r in rules if r["kind"] == "computed"}


def test_products_rates_factors_and_mean_scores_that_every_row_keeps_are_found():
    rng, n = np.random.default_rng(3), 1500
    frame = people(n)
    frame["kg in lb"] = np.round(frame["weight"] * 2.20462, 1)
    frame["born"] = rng.integers(1940, 2000, n)
    frame["age"] = 2021 - frame["born"]
    frame["quantity"], frame["price"] = rng.integers(1, 10, n), np.round(rng.gamma(2, 10, n), 2) + 1
    frame["amount"] = np.round(frame["quantity"] * frame["price"], 2)
    mood = rng.normal(3, 1, n)
    for i in range(4):
        frame[f"q{i}"] = np.clip(np.rint(mood + rng.normal(0, 1, n)), 1, 5).astype(int)
    frame["score"] = (frame["q0"] + frame["q1"] + 6 - frame["q2"] + frame["q3"]) / 4
    frame["noise [0]"] = rng.integers(0, 1000, n)
    fields = [
        *BODY,
        number("kg in lb", 60, 450, decimals=1),
        number("born", 1900, 2021),
        number("age", 0, 121),
        number("quantity", 1, 9),
        number("price", 0, 300, decimals=2),
        number("amount", 0, 3000, decimals=2),
        *({"name": f"q{i}", "type": "integer", "categories": [1, 2, 3, 4, 5]} for i in range(4)),
        number("score", 1, 5, decimals=2),
        number("noise [0]", 0, 1000),
    ]
    assert found(frame, *fields) == {
        "bmi": "weight / (height / 100) ^ 2",
        "kg in lb": "2.20462 * weight",
        "age": "2021 - born",
        "amount": "quantity * price",
        "score": "(q0 + q1 + q3 - q2 + 6) / 4",
    }
    frame.loc[7, "bmi"] += 1
    assert "bmi" not in found(frame, *fields)


def test_a_sum_in_which_some_count_several_times_is_found_of_its_total_and_not_of_a_part():
    """What an hour more is paid, and the points of wins and draws; no hours come of what was paid."""
    rng, n = np.random.default_rng(8), 900
    frame = pd.DataFrame({"wage": np.round(rng.gamma(4, 900, n), 2), "hours": rng.integers(0, 60, n) / 2})
    frame["tax"] = np.round(frame["wage"] * 0.1 + rng.random(n) * 50, 2)
    frame["net"] = np.round(frame["wage"] + 30 * frame["hours"] - frame["tax"], 2)
    frame["wins"], frame["draws"] = rng.integers(0, 20, n), rng.integers(0, 12, n)
    frame["points"] = 3 * frame["wins"] + frame["draws"]
    fields = [
        number("wage", 0, 20_000, decimals=2),
        number("hours", 0, 40, decimals=1),
        number("tax", 0, 4000, decimals=2),
        number("net", 0, 30_000, decimals=2),
        *(number(name, 0, 100) for name in ("wins", "draws", "points")),
    ]
    told = {"net": "wage + 30 * hours - tax", "points": "3 * wins + draws"}
    assert found(frame, *fields) == told
    turned = frame[["net", "wage", "tax", "hours"]]
    assert "hours" not in found(turned, *(f for f in fields if f["name"] in turned))


def test_the_scores_of_a_long_questionnaire_are_found_beside_each_other_and_their_means():
    """Fifty answers in five scales, every second one turned round; some did not answer."""
    rng, n = np.random.default_rng(7), 1200
    frame, scores = pd.DataFrame(index=range(n)), {}
    for scale in "ABCDE":
        mood, items = rng.normal(3, 1, n), [f"{scale}{i}" for i in range(10)]
        for item in items:
            frame[item] = np.clip(np.rint(mood + rng.normal(0, 1, n)), 1, 5).astype(int)
        scores[scale] = frame[items[0::2]].sum(axis=1) + (6 - frame[items[1::2]]).sum(axis=1)
    for scale, score in scores.items():
        frame[f"score {scale}"] = score
    frame["mean E"] = frame["score E"] / 10
    frame = frame.astype("Float64")
    frame.loc[rng.random(n) < 0.05, ["A3", "score A"]] = pd.NA
    listed = {"type": "integer", "categories": [1, 2, 3, 4, 5]}
    fields = [{"name": name, **listed} for name in list(frame)[:50]]
    fields += [*(number(f"score {scale}", 0, 60) for scale in scores), number("mean E", 0, 6, decimals=1)]
    turned = {s: [f"{s}{i}" for i in range(10)] for s in scores}
    assert found(frame, *fields) == {
        f"score {s}": " + ".join(i[0::2]) + " - " + " - ".join(i[1::2]) + " + 30" for s, i in turned.items()
    } | {"mean E": "0.1 * [score E]"}


@pytest.mark.parametrize("kind", ["integer", "boolean"])
def test_flags_of_which_just_one_is_set_are_found_and_every_row_keeps_it(kind):
    """Two lists were taken apart: of the other one a value has no flag."""
    rng, n = np.random.default_rng(6), 3000
    race, region = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05]), rng.integers(0, 4, n)
    flags = {f"race_{i}": race == i for i in range(4)} | {f"region_{i}": region == i for i in range(3)}
    frame = pd.DataFrame(flags).astype(int if kind == "integer" else bool)
    values = {"type": "integer", "categories": [0, 1]} if kind == "integer" else {"type": "boolean"}
    fields = [{"name": name, **values} for name in frame]
    assert found(frame, *fields) == {"race_3": "1 - race_0 - race_1 - race_2"}
    rule = {"kind": "computed", "column": "race_3", "formula": "1 - race_0 - race_1 - race_2"}
    made = HMPrivBayes(epsilon=1.0, seed=2).fit(frame, book(fields, [rule])).sample(3000)
    flags_set = made[list(frame)[:4]].dropna().astype(int).sum(axis=1)
    assert len(flags_set) > 2800
    assert (flags_set == 1).all()
    frame.loc[5, ["race_0", "race_1"]] = frame.loc[5, ["race_0", "race_1"]].to_numpy() | True
    assert found(frame, *fields) == {}


def test_a_number_that_is_another_one_cut_off_to_its_step_is_found():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"paid": rng.integers(0, 900, 400)})
    frame["tens"] = frame["paid"] // 10 * 10
    fields = [number("paid", 0, 900), {**number("tens", 0, 900), "multipleOf": 10}]
    assert found(frame, *fields) == {"tens": "paid"}


def test_the_square_of_a_number_its_hundredth_and_its_cube_are_found():
    years = np.random.default_rng(6).integers(18, 70, 500)
    frame = pd.DataFrame({"age": years, "agesq": years**2, "hundredth": np.round(years**2 / 100, 2)})
    fields = (number("age", 0, 120), number("agesq", 0, 5000), number("hundredth", 0, 60, decimals=2))
    assert found(frame, *fields) == {"agesq": "age ^ 2", "hundredth": "age ^ 2 / 100"}
    peace = pd.DataFrame({"years": years, "cube": years**3})
    assert found(peace, number("years", 0, 70), number("cube", 0, 350_000)) == {"cube": "years ^ 3"}


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "sum", "column": "total", "parts": ["wage", "other"]},
        {"kind": "computed", "column": "total", "formula": "wage + other"},
        {"kind": "computed", "column": "square", "formula": "wage ^ 2"},
    ],
)
def test_numbers_of_single_precision_keep_a_rule_as_near_as_32_bits_tell_them(rule):
    rng = np.random.default_rng(7)
    wage, other = (np.round(rng.gamma(2, 20_000, 300), 2) for _ in range(2))
    frame = pd.DataFrame({"wage": wage, "other": other, "total": wage + other, "square": wage**2})
    fields = [
        number(name, 0, 10**11 if name == "square" else 10**6, decimals=2, precision="single")
        for name in frame
    ]
    rules = book(fields, [rule]).rules
    assert rules.broken_rows(frame.astype(np.float32).astype(np.float64)) == (0,)
    frame.loc[0, rule["column"]] *= 1 + 1e-6
    assert rules.broken_rows(frame.astype(np.float32).astype(np.float64)) == (1,)


def test_the_hour_of_an_end_is_not_that_of_the_beginning_and_a_half():
    """Between 9 and 10 lies 9.5, and either is as near: an interview ends in its hour or in the next."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"from": rng.integers(6, 20, 1500)})
    frame["until"] = frame["from"] + (rng.random(1500) < 0.4)
    assert found(frame, number("from", 0, 23), number("until", 0, 23)) == {}
    frame["until"] = frame["from"] + 1
    assert found(frame, number("from", 0, 23), number("until", 0, 23)) == {"until": "from + 1"}


@pytest.mark.filterwarnings("error")
def test_numbers_of_which_one_is_alone_where_both_are_known_tell_no_formula_and_warn_of_nothing():
    rng = np.random.default_rng(5)
    late = np.where(np.arange(600) < 300, rng.integers(0, 90, 600), 2)
    paid = pd.Series(rng.integers(0, 90, 600)).where(np.arange(600) >= 300)
    frame = pd.DataFrame({"late": late, "paid": paid})
    assert found(frame, number("late", 0, 90), number("paid", 0, 90)) == {}


def test_copies_constants_and_a_few_values_are_no_formulas():
    rng, n = np.random.default_rng(4), 400
    few = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 50, n), "one": np.ones(n, dtype=int), "few": few, "more": few * 2 + 1}
    )
    frame["copy"] = frame["a"]
    fields = [
        number("a", 0, 50),
        number("one", 0, 2),
        number("few", 0, 3),
        number("more", 0, 9),
        number("copy", 0, 50),
    ]
    assert found(frame, *fields) == {}


def test_a_formula_follows_its_columns_when_they_are_renamed():
    rule = {**BMI, "formula": "weight / ([height] / 1e2) ^ 2"}
    assert columns_of_rule(rule) == {"bmi", "weight", "height"}
    turned = renamed_rule(rule, {"height": "height in cm", "bmi": "BMI", "e2": "x"})
    assert turned == {**BMI, "column": "BMI", "formula": "weight / ([height in cm] / 1e2) ^ 2"}
