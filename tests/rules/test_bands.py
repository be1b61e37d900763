"""Bands of numbers: read by hand, refused where they say nothing, kept by every row, told by the codes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core import Guarantee, HMPrivBayes, make_plan
from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError
from hmpb_core.kept.bands import roundest
from hmpb_core.kept.rules import kept_rules
from hmpb_core.pipeline import followers_of
from hmpb_core.rules.bands import cuts_of
from hmpb_core.rules.consistency import decided
from hmpb_core.rules.reading import View
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source

AGE = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": "learned"}
GROUP = {"name": "group", "type": "string", "categories": ["child", "adult", "old"]}
STARTS = {"0": "child", "18": "adult", "65": "old"}
RULE = {"kind": "bandOf", "column": "group", "of": "age", "values": STARTS}


def book(*fields, rules=(RULE,)):
    return Codebook.from_dict({"fields": list(fields or (AGE, GROUP)), "rules": list(rules)})


def required(field):
    return {**field, "constraints": {**field.get("constraints", {}), "required": True}}


def people(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    age = np.minimum(rng.gamma(6, 7, n).astype(int), 99)
    group = np.array(["child", "adult", "old"])[np.searchsorted([18, 65], age, side="right")]
    sick = np.where(rng.random(n) < np.where(group == "old", 0.7, 0.1), "yes", "no")
    return pd.DataFrame({"age": age, "group": group, "sick": sick})


def test_a_number_lies_in_the_band_that_began_last():
    frame = pd.DataFrame({"age": [0, 17, 18, 64, 65, 99, None], "group": ["adult"] * 7})
    item = book().rules.items[0]
    view = View(frame, book().rules.attributes)
    assert item.broken(view).tolist() == [True, True, False, False, True, True, False]
    drawn = item.assigned(view).tolist()
    assert drawn == ["child", "child", "adult", "adult", "old", "old", "adult"]


def test_an_empty_text_that_is_a_category_is_one_to_a_band():
    group = {"name": "group", "categories": ["", "adult"], "missingValues": []}
    codebook = book(AGE, group, rules=[{**RULE, "values": {"18": "adult"}}])
    frame = pd.DataFrame({"age": [3, 18, 18], "group": ["", "", "adult"]})
    view = View(frame, codebook.rules.attributes)
    assert codebook.rules.items[0].broken(view).tolist() == [False, True, False]


def test_a_missing_band_breaks_nothing_and_below_the_first_start_nothing_is_said():
    above = {**RULE, "values": {"18": "adult", "65": "old"}}
    frame = pd.DataFrame({"age": [3, 3, 30], "group": ["old", None, None]})
    codebook = book(rules=[above])
    assert codebook.rules.broken_rows(frame) == (0,)
    view = View(frame, codebook.rules.attributes)
    assert codebook.rules.items[0].assigned(view).fillna("").tolist() == ["old", "", "adult"]
    assert decided(codebook.rules.items, codebook.rules.attributes) == ()
    assert decided(book().rules.items, book().rules.attributes) == book().rules.items


@pytest.mark.parametrize("told", [{"decimals": 1}, {"bins": 8}, {"bins": "learned"}], ids=str)
def test_decimals_that_a_computer_rounds_begin_where_they_are_declared_to(told):
    bmi = {"name": "age", "type": "number", "constraints": {"minimum": 10, "maximum": 60}, **told}
    rule = {**RULE, "values": {"10": "child", "18.5": "adult", "25.1": "old"}}
    frame = pd.DataFrame({"age": [18.4, 18.5, 8.37 * 3 - 0.01], "group": ["child", "adult", "old"]})
    assert frame["age"][2] < 25.1
    assert book(bmi, GROUP, rules=[rule]).rules.broken_rows(frame) == (0,)


@pytest.mark.parametrize(
    ("field", "starts", "values", "groups"),
    [
        (
            {
                "name": "age",
                "type": "date",
                "constraints": {"minimum": "2020-01-01", "maximum": "2022-12-31"},
            },
            ["2020-01-01", "2021-03-01", "2022-01-01"],
            ["2021-02-28", "2021-03-01", "2022-01-01"],
            ["child", "adult", "old"],
        ),
        (
            {
                "name": "age",
                "type": "datetime",
                "constraints": {"minimum": "2020-01-01T00:00:00", "maximum": "2022-12-31T00:00:00"},
            },
            ["2020-01-01T00:00:00", "2021-03-01T12:00:00", "2022-01-01T00:00:00"],
            ["2021-03-01T11:59:59", "2021-03-01T12:00:00", "2022-01-01T00:00:00"],
            ["child", "adult", "old"],
        ),
        (
            {"name": "age", "type": "integer", "categories": [3, 18, 70]},
            ["3", "18", "65"],
            [3, 18, 70],
            ["child", "adult", "old"],
        ),
    ],
)
def test_dates_moments_and_listed_numbers_have_bands_too(field, starts, values, groups):
    rule = {**RULE, "values": dict(zip(starts, STARTS.values(), strict=True))}
    codebook = book(field, GROUP, rules=[rule])
    frame = pd.DataFrame({"age": values, "group": groups})
    assert codebook.rules.broken_rows(frame) == (0,)
    assert codebook.rules.broken_rows(frame.assign(group=groups[::-1])) == (2,)
    attributes = codebook.rules.attributes
    view = View(frame.assign(group="old"), attributes)
    assert codebook.rules.items[0].assigned(view).tolist() == groups


def test_a_band_may_come_again_and_a_yes_or_no_may_be_one():
    flag = {"name": "group", "type": "boolean"}
    rule = {**RULE, "values": {"0": True, "18": False, "65": True}}
    codebook = book(AGE, flag, rules=[rule])
    frame = pd.DataFrame({"age": [3, 30, 70], "group": [True, False, True]})
    assert codebook.rules.broken_rows(frame) == (0,)
    assert codebook.rules.to_list() == [{**rule, "values": {"0": True, "18": False, "65": True}}]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({**RULE, "of": "group"}, "holds neither numbers nor dates"),
        ({**RULE, "column": "age", "of": "age"}, "is no list of categories"),
        ({**RULE, "values": {}}, "no band is named"),
        ({**RULE, "values": {"0": "child", "ten": "adult"}}, "cannot be read"),
        ({**RULE, "values": {"18": "child", "18.0": "adult"}}, "two begin at the same place"),
        ({**RULE, "values": {"0": "teen"}}, "names the value 'teen'"),
        ({**RULE, "values": ["child"]}, "of the kind 'bandOf' cannot be read"),
        ({"kind": "bandOf", "column": "group", "of": "age"}, "lacks 'values'"),
    ],
)
def test_bands_that_cannot_be_are_refused(entry, sentence):
    with pytest.raises(DomainError, match=sentence):
        book(rules=[entry])


def test_what_contradicts_the_bands_is_refused_with_both_named():
    other = {"kind": "forbidden", "if": {"age": {"atLeast": 65}, "group": "old"}}
    with pytest.raises(DomainError, match=r"'group' is a band of 'age'” and “.*contradict"):
        book(rules=[RULE, other])


@given(st.lists(st.integers(1, 98), min_size=1, max_size=4, unique=True))
def test_a_pair_of_codes_is_impossible_just_where_none_of_their_values_fits(starts):
    values = dict(zip(map(str, [0, *starts]), ["child", "adult", "old", "child", "adult"], strict=False))
    age = {**AGE, "bins": 7, "constraints": {"minimum": 0, "maximum": 99, "required": True}}
    codebook = book(age, required(GROUP), rules=[{**RULE, "values": values}])
    number, group = codebook.domain.attributes
    codes = number.equal_bins(np.arange(100.0))
    frame = pd.DataFrame([(a, g) for a in range(100) for g in group.categories], columns=["age", "group"])
    kept = ~codebook.rules.items[0].broken(View(frame, codebook.rules.attributes))
    possible = np.zeros((number.size, group.size), dtype=bool)
    possible[np.repeat(codes, 3)[kept], np.tile(np.arange(3), 100)[kept]] = True
    assert (codebook.rules.items[0].impossible(codebook.rules.attributes) == ~possible).all()


def test_codes_of_learned_bins_begin_where_bands_do():
    codebook = book(required(AGE), required(GROUP), {"name": "sick", "categories": ["no", "yes"]})
    (cuts,) = cuts_of(codebook.rules.items, codebook.domain).values()
    assert cuts.tolist() == [18, 65]
    many = {**RULE, "values": {str(n): "old" for n in range(0, 99, 2)}}
    assert cuts_of(book(rules=[many]).rules.items, codebook.domain) == {}, "more bands than codes"
    plan = make_plan(Guarantee(epsilon=1.0), codebook.domain, n_rows=3000)
    model = fit_source(open_source(people(), codebook), plan, seed=1)
    bounds = model.domain.attributes[0].pieces.bounds
    assert {18, 65} <= set(bounds.tolist())
    (follower,) = followers_of(model)
    assert follower.pair == (0, 1)


@pytest.mark.parametrize(("bins", "of_the_old", "off"), [("learned", 0.7, 0.015), (7, 0.5, 0.05)])
def test_every_row_keeps_its_band_and_what_goes_with_it(bins, of_the_old, off):
    """Of seven equal bins one holds the last adults and the first of the old."""
    codebook = book({**AGE, "bins": bins}, GROUP, {"name": "sick", "categories": ["no", "yes"]})
    frame = people(8000)
    made = HMPrivBayes(epsilon=2.0, seed=3).fit(frame, codebook).sample(8000)
    assert codebook.rules.broken_rows(made) == (0,)
    of_old = (made["sick"] == "yes")[made["group"] == "old"].mean()
    assert of_old == pytest.approx(of_the_old, abs=0.08)
    shares = made["group"].value_counts(normalize=True)
    real = frame["group"].value_counts(normalize=True)
    assert (shares - real).abs().max() < off


@pytest.mark.parametrize(
    ("without_age", "without_group", "both"), [(0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3)]
)
def test_a_band_is_missing_about_as_often_as_in_the_table(without_age, without_group, both):
    codebook = book()
    frame, rng = people(8000).drop(columns="sick"), np.random.default_rng(1)
    frame = frame.astype({"age": "Int64"})
    frame.loc[rng.random(8000) < without_age, "age"] = pd.NA
    frame.loc[rng.random(8000) < without_group, "group"] = None
    frame.loc[rng.random(8000) < both, ["age", "group"]] = None
    made = HMPrivBayes(epsilon=4.0, seed=3).fit(frame, codebook).sample(8000)
    assert codebook.rules.broken_rows(made) == (0,)
    assert made["age"].isna().mean() == pytest.approx(frame["age"].isna().mean(), abs=0.03)
    assert made["group"].isna().mean() == pytest.approx(frame["group"].isna().mean(), abs=0.03)
    together = (frame["age"].isna() == frame["group"].isna()).mean()
    assert (made["age"].isna() == made["group"].isna()).mean() == pytest.approx(together, abs=0.03)


def found(frame, *fields, rules=()):
    codebook = Codebook.from_dict({"fields": list(fields), "rules": list(rules)})
    return [rule for rule in kept_rules(frame, codebook).value if rule["kind"] == "bandOf"]


def test_the_bands_that_every_row_keeps_are_found_and_fit_the_codebook():
    frame = people()
    fields = AGE, GROUP, {"name": "sick", "categories": ["no", "yes"]}
    assert found(frame, *fields) == [RULE]
    assert book(*fields, rules=found(frame, *fields)).rules.broken_rows(frame) == (0,)
    assert found(frame, *fields, rules=[RULE]) == []
    frame.loc[0, ["age", "group"]] = (70, "child")
    assert found(frame, *fields) == []


def test_a_list_that_follows_from_bands_is_itself_a_band_and_all_may_be_taken():
    frame = people()
    frame["decade"] = (frame["age"] // 10).astype(str) + "0s"
    frame["group"] = np.where(frame["age"] < 20, "child", np.where(frame["age"] < 60, "adult", "old"))
    frame["copy"] = frame["group"].str.upper()
    decade = {"name": "decade", "type": "string", "categories": [f"{i}0s" for i in range(10)]}
    copy = {"name": "copy", "type": "string", "categories": ["CHILD", "ADULT", "OLD"]}
    codebook = Codebook.from_dict({"fields": [AGE, GROUP, decade, copy]})
    rules = kept_rules(frame, codebook).value
    assert [(rule["kind"], rule["column"]) for rule in rules] == [("bandOf", "group"), ("bandOf", "decade")]
    assert book(AGE, GROUP, decade, copy, rules=rules).rules.broken_rows(frame) == (0, 0)


def test_what_is_another_name_of_a_number_or_hardly_differs_is_no_band():
    rng = np.random.default_rng(2)
    few = rng.integers(0, 3, 500)
    three = {**AGE, "constraints": {"minimum": 0, "maximum": 2}}
    assert found(pd.DataFrame({"age": few, "group": np.array(GROUP["categories"])[few]}), three, GROUP) == []
    rare = pd.DataFrame({"age": np.arange(500) % 90, "group": ["child"] * 495 + ["old"] * 5})
    rare.loc[495:, "age"] = 95
    assert found(rare, AGE, GROUP) == [], "of 500 rows five would break it by chance"


def in_bands(*sizes):
    """A table whose numbers rise by one from row to row: so many rows of a, of b, ..."""
    bands = [f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i, size in enumerate(sizes) for _ in range(size)]
    return pd.DataFrame({"age": np.arange(len(bands)) % 100, "group": bands})


def bands_found(frame):
    group = {**GROUP, "categories": sorted({*frame["group"]} - {""})}
    return found(frame.astype({"age": object}), {**AGE, "constraints": {"minimum": 0, "maximum": 999}}, group)


def bands(**starts):
    return [{"kind": "bandOf", "column": "group", "of": "age", "values": {s: b for b, s in starts.items()}}]


def test_a_band_of_every_row_but_one_is_none():
    frame = in_bands(40, 40)
    assert bands_found(frame) == bands(aa="0", ab="40")
    assert bands_found(frame.replace({"age": {0: 79}})) == [], "a number that is in two of them"
    assert bands_found(pd.concat([frame, pd.DataFrame({"age": [60], "group": ["aa"]})])) == []
    twice = pd.concat([frame, pd.DataFrame({"age": [40], "group": ["aa"]})])
    assert bands_found(twice) == [], "the first number of the second band is in the first, too"


def test_rows_without_a_number_or_a_band_tell_nothing_of_bands():
    nobody = pd.DataFrame({"age": [None, 3, None], "group": ["ab", "", ""]})
    assert bands_found(pd.concat([nobody, in_bands(40, 40), nobody])) == bands(aa="0", ab="40")
    assert bands_found(pd.DataFrame({"age": [None, None], "group": ["aa", "ab"]})) == []


@pytest.mark.parametrize(("rows", "some"), [((60, 20), True), ((61, 19), False)], ids=["20 rows", "19"])
def test_bands_are_found_where_twenty_rows_would_break_them_by_chance(rows, some):
    assert bool(bands_found(in_bands(*rows))) is some


def test_bands_are_found_where_a_twentieth_of_the_rows_would_break_them_by_chance():
    frame = in_bands(60, 40).loc[[*np.repeat(np.arange(60), 10), *range(60, 100)]]
    assert bands_found(frame) == bands(aa="0", ab="60"), "40 of 640"
    assert bands_found(pd.concat([frame, *[frame[:600]] * 2])) == [], "40 of 1,840"


def test_a_list_of_forty_bands_is_looked_at_and_one_of_more_is_not():
    assert len(bands_found(in_bands(*[2] * 40))[0]["values"]) == 40
    assert bands_found(in_bands(*[2] * 41)) == []
    assert bands_found(in_bands(*[2] * 39, 1)) == [], "79 numbers: one band is another name of its number"


@pytest.mark.parametrize(
    ("low", "high", "start"),
    [
        (17, 18, 18),
        (24.9, 25, 25),
        (18.5, 18.6, 18.6),
        (41_800, 52_300, 50_000),
        (-0.5, 0.2, 0),
        (-3, -2, -2),
    ],
)
def test_a_band_begins_at_the_roundest_number_between_two_that_occur(low, high, start):
    assert roundest(low, high) == start
