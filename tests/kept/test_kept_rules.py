"""Rules that every row keeps: which are found, and that only the steward learns of them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from hmpb_core import HMPrivBayes
from hmpb_core.codebook import Codebook
from hmpb_core.kept.rules import kept_rules
from hmpb_core.publishing.zones import Zone

RNG = np.random.default_rng(5)
N = 1500
BOUNDS = {"minimum": 0, "maximum": 9000}


def number(name):
    return {"name": name, "type": "integer", "bins": "learned", "constraints": BOUNDS}


def day(name):
    bounds = {"minimum": "1990-01-01", "maximum": "2030-12-31"}
    return {"name": name, "type": "date", "bins": "learned", "constraints": bounds}


def listed(name, *categories):
    return {"name": name, "type": "string", "categories": list(categories)}


def found(frame, fields, rules=()):
    book = Codebook.from_dict({"fields": fields, "rules": list(rules)})
    return list(kept_rules(frame, book).value)


def orders(*pairs):
    return [{"kind": "ascending", "columns": list(pair)} for pair in pairs]


LAST = RNG.integers(100, 5000, N)
DAYS = np.datetime64("2000-01-01") + RNG.integers(0, 5000, (N, 3)).cumsum(axis=1) // 3
SPELLS = pd.DataFrame(
    {
        "relapse": (LAST * RNG.uniform(0.2, 1, N)).astype(int),
        "visit": LAST,
        "visit again": LAST,
        "above both": LAST + RNG.integers(0, 500, N),
        "apart": RNG.integers(8000, 9000, N),
        "alone": RNG.integers(0, 5000, N),
        **{name: DAYS[:, i].astype(str) for i, name in enumerate(("hired", "moved", "left"))},
    }
)
SPELL_FIELDS = [number(name) for name in list(SPELLS)[:6]] + [day(name) for name in list(SPELLS)[6:]]
SPELL_ORDERS = orders(("relapse", "visit"), ("visit", "above both"), ("hired", "moved"), ("moved", "left"))


def test_numbers_and_dates_that_never_fall_are_found_and_not_those_that_could_not():
    assert found(SPELLS, SPELL_FIELDS) == SPELL_ORDERS


def test_what_a_rule_says_is_not_found_again():
    said = orders(("hired", "moved", "left"), ("relapse", "visit"))
    assert found(SPELLS, SPELL_FIELDS, said) == orders(("visit", "above both"))


def test_one_row_that_breaks_an_order_is_enough():
    frame = SPELLS.copy()
    frame.loc[N - 1, ["relapse", "visit", "visit again"]] = 4000, 3999, 3999
    assert ["relapse", "visit"] not in [rule["columns"] for rule in found(frame, SPELL_FIELDS)]


WORKS = RNG.choice(["yes", "no", "retired"], N)
HOURS = np.where(WORKS == "yes", RNG.choice(["few", "many"], N), "")
FORM = pd.DataFrame(
    {
        "works": WORKS,
        "sex": RNG.choice(["f", "m"], N),
        "hours": HOURS,
        "nights": np.where(HOURS == "many", RNG.choice(["never", "often"], N), ""),
        "past": np.where(WORKS == "yes", "", np.where(RNG.random(N) < 0.98, "any", "none")),
        "refused": np.where(RNG.random(N) < 0.3, "", "x"),
    }
)
FORM_FIELDS = [
    listed("works", "yes", "no", "retired"),
    listed("sex", "f", "m"),
    listed("hours", "few", "many"),
    listed("nights", "never", "often"),
    listed("past", "any", "none"),
    listed("refused", "x"),
]


def test_questions_that_hang_on_an_earlier_answer_are_found():
    assert found(FORM, FORM_FIELDS) == [
        {"kind": "askedIf", "column": "hours", "if": {"works": "yes"}},
        {"kind": "askedIf", "column": "nights", "if": {"hours": "many"}},
        {"kind": "askedIf", "column": "past", "if": {"works": ["no", "retired"]}},
    ]


def test_of_columns_without_answers_to_name_it_is_said_that_there_must_be_a_value():
    frame = pd.DataFrame({"died": SPELLS["left"].where(RNG.random(N) < 0.5, ""), "cause": ""})
    frame["cause"] = np.where(frame["died"] == "", "", RNG.choice(["a", "b"], N))
    rules = found(frame, [day("died"), listed("cause", "a", "b")])
    assert rules == [{"kind": "askedIf", "column": "cause", "if": {"died": {"missing": False}}}]


def test_what_few_rows_lack_together_is_found_and_not_what_others_lack_by_itself():
    """Of 30 patients nobody filled in a symptom; of 15 others the cough alone is not known."""
    unfilled, unknown = np.arange(N) < 30, (np.arange(N) >= 30) & (np.arange(N) < 45)
    frame = pd.DataFrame({c: RNG.choice(["yes", "no"], N) for c in ("fever", "chills", "cough")})
    frame[unfilled] = ""
    frame.loc[unknown, "cough"] = ""
    fields = [listed(name, "yes", "no") for name in frame]
    together = {"kind": "askedIf", "column": "chills", "if": {"fever": {"missing": False}}}
    assert found(frame, fields) == [together]
    frame.loc[0, "chills"] = "no"
    assert found(frame, fields) == []


@pytest.mark.parametrize("rows", [0, 1, 10])
def test_a_few_rows_tell_nothing(rows):
    assert found(SPELLS.head(rows), SPELL_FIELDS) == []
    assert found(FORM.head(rows), FORM_FIELDS) == []


def test_what_is_found_is_the_stewards_own():
    assert kept_rules(FORM, Codebook.from_dict({"fields": FORM_FIELDS})).zone is Zone.STEWARD_ONLY


PLACES = {"Oslo": "Norway", "Bergen": "Norway", "Turku": "Finland", "Malmö": "Sweden"}
CITY = RNG.choice(list(PLACES), N)
GROUPED = pd.DataFrame(
    {
        "country": [PLACES[city] for city in CITY],
        "city": CITY,
        "abroad": [str(PLACES[city] != "Norway") for city in CITY],
        "code": pd.Series(CITY).map({city: city[:2] for city in PLACES}),
        "sex": RNG.choice(["f", "m"], N),
        "rare": np.where(CITY == "Turku", np.where(np.arange(N) < 30, "", "no"), "no"),
    }
)
GROUPED_FIELDS = [
    listed("country", "Norway", "Finland", "Sweden"),
    listed("city", *PLACES),
    listed("abroad", "True", "False"),
    listed("code", "Os", "Be", "Tu", "Ma"),
    listed("sex", "f", "m"),
    listed("rare", "no", "yes"),
]


def follows(column, source):
    return {"kind": "follows", "column": column, "from": source}


def unlisted(rules):
    """The rules without the pairs of those that follow."""
    return [{key: rule[key] for key in rule if key != "values"} for rule in rules]


def test_a_list_follows_from_the_shortest_longer_one_that_decides_it_and_not_from_one_that_says_the_same():
    fields = [field for field in GROUPED_FIELDS if field["name"] != "abroad"]
    assert found(GROUPED, fields) == [follows("country", "city") | {"values": PLACES}]
    rules = found(GROUPED, GROUPED_FIELDS)  # of three in a chain each follows from the next
    assert unlisted(rules) == [follows("country", "city"), follows("abroad", "country")]
    assert rules[1]["values"] == {"Norway": "False", "Finland": "True", "Sweden": "True"}
    assert Codebook.from_dict({"fields": GROUPED_FIELDS, "rules": rules}).rules.items


def test_a_list_is_as_long_as_what_of_it_occurs():
    """A vocabulary names 250 countries, of which a table of four cities has three."""
    countries = listed("country", "Norway", "Finland", "Sweden", *(f"C{k}" for k in range(247)))
    fields = [countries, *(field for field in GROUPED_FIELDS if field["name"] in ("city", "sex"))]
    assert found(GROUPED, fields) == [follows("country", "city") | {"values": PLACES}]


def test_a_list_follows_from_one_that_goes_one_to_one_with_numbers_before_it():
    """Of 5,111 candidates each committee had its number, a column further left, and one of three kinds."""
    frame = GROUPED.assign(number=GROUPED["city"].map({city: 7 * i for i, city in enumerate(PLACES)}))
    fields = [number("number"), *(field for field in GROUPED_FIELDS if field["name"] in ("city", "country"))]
    assert found(frame, fields) == [follows("country", "city") | {"values": PLACES}]


def test_rules_that_are_found_to_follow_may_all_be_taken():
    book = Codebook.from_dict({"fields": GROUPED_FIELDS, "rules": found(GROUPED, GROUPED_FIELDS)})
    assert list(kept_rules(GROUPED, book).value) == []


def test_one_row_that_differs_or_a_rule_that_names_a_list_leaves_it_without_one_to_follow():
    frame = GROUPED.copy()
    frame.loc[N - 1, ["country", "city", "code"]] = "Norway", "Turku", "Tu"  # a quarter of the rows is there
    assert unlisted(found(frame, GROUPED_FIELDS)) == [follows("abroad", "city")]
    rules = found(GROUPED, GROUPED_FIELDS, [follows("country", "city")])
    assert unlisted(rules) == [follows("abroad", "city")]


def test_of_a_list_that_nearly_decides_another_the_pairs_are_told_that_every_row_keeps():
    """Two villages of a hundred have their name in two districts; their rows are 2 in a hundred."""
    village = RNG.integers(0, 100, N)
    district = village % 10
    twice = np.flatnonzero(village < 2)[::3]
    district[twice] = 9
    frame = pd.DataFrame({"district": district, "village": village, "sex": RNG.integers(0, 2, N)}).astype(str)
    fields = [listed(c, *sorted(frame[c].unique(), key=int)) for c in frame]
    (rule,) = found(frame, fields)
    assert rule == follows("district", "village") | {"values": {str(k): str(k % 10) for k in range(2, 100)}}
    codebook = Codebook.from_dict({"fields": fields, "rules": [rule]})
    assert codebook.rules.broken_rows(frame) == (0,)
    frame.loc[:99, "district"] = RNG.permutation(frame.loc[:99, "district"].to_numpy())  # in 70 villages
    assert found(frame, fields) == []


SCHOOL = RNG.integers(0, 60, N)
SCHOOLS = pd.DataFrame(
    {
        "school": SCHOOL.astype(str),
        "pupils": 100 + 10 * (SCHOOL % 45),
        "founded": (np.datetime64("1995-01-01") + 30 * (SCHOOL % 50)).astype(str),
        "mark": RNG.integers(1, 90, N),
    }
)
SCHOOL_FIELDS = [listed("school", *map(str, range(63))), number("pupils"), day("founded"), number("mark")]


def test_a_number_and_a_date_that_all_rows_of_each_category_have_follow_from_it():
    pupils, founded = found(SCHOOLS, SCHOOL_FIELDS)
    assert pupils == follows("pupils", "school") | {
        "values": {str(k): 100 + 10 * (k % 45) for k in range(60)}
    }
    assert founded["values"]["51"] == "1995-01-31"


def test_of_people_no_number_is_told_however_many_rows_each_has():
    frame = SCHOOLS.rename(columns={"school": "Subject"})
    fields = [SCHOOL_FIELDS[0] | {"name": "Subject"}, *SCHOOL_FIELDS[1:]]
    assert found(frame, fields) == []


def test_of_a_category_of_few_rows_no_number_is_told_and_of_many_such_none_at_all():
    """What the only pupil of a school has may be hers alone."""
    frame = SCHOOLS.copy()
    frame.loc[:3, ["school", "pupils"]] = "60", 7
    frame.loc[4:8, ["school", "pupils"]] = "61", 8
    frame.loc[10:19, "school"] = "62"
    frame["pupils"] = frame["pupils"].astype(object)
    frame.loc[10:19, "pupils"] = [9, *[""] * 9]  # ten rows, of which one tells
    pupils, _ = found(frame, SCHOOL_FIELDS)
    assert not {"60", "62"} & set(pupils["values"])
    assert pupils["values"]["61"] == 8
    alone = np.arange(N) % 15 == 0  # more than 5 % of the rows, each of a school of its own
    names = [f"a{k}" for k in range(alone.sum())]
    frame.loc[alone, "school"] = names
    frame.loc[alone, "founded"] = frame.loc[~alone, "founded"].iloc[: alone.sum()].to_numpy()
    fields = [listed("school", *SCHOOL_FIELDS[0]["categories"], *names), *SCHOOL_FIELDS[1:]]
    assert found(frame, fields) == []


def test_what_few_were_asked_and_few_rows_of_a_list_tell_as_much_as_what_many_were():
    """Of 100 traffic stops four end in a search, and so often is anybody arrested."""
    searched = RNG.random(N) < 0.04
    outcome = np.where(searched, "arrest", RNG.choice(["citation", "warning"], N))
    frame = pd.DataFrame({"searched": np.where(searched, "yes", "no"), "why": "", "outcome": outcome})
    frame["why"] = np.where(searched, RNG.choice(["smell", "frisk"], N), "")
    fields = [
        listed("searched", "yes", "no"),
        listed("why", "smell", "frisk"),
        listed("outcome", "arrest", "citation", "warning"),
    ]
    asked = {"kind": "askedIf", "column": "why", "if": {"searched": "yes"}}
    assert unlisted(found(frame, fields)) == [asked, follows("searched", "outcome")]


def test_rules_that_are_found_beside_a_question_may_all_be_taken():
    """That somebody left follows from the reason, and decides who had notice."""
    reason = RNG.choice(["stays", "retired", "moved", "dismissed"], N)
    frame = pd.DataFrame({"left": np.where(reason == "stays", "no", "yes"), "reason": reason})
    frame["notice"] = np.where(reason == "stays", "", RNG.choice(["short", "long"], N))
    fields = [
        listed("left", "no", "yes"),
        listed("reason", "stays", "retired", "moved", "dismissed"),
        listed("notice", "short", "long"),
    ]
    rules = found(frame, fields)
    asked = {"kind": "askedIf", "column": "notice", "if": {"left": "yes"}}
    assert unlisted(rules) == [asked, follows("left", "reason")]
    assert Codebook.from_dict({"fields": fields, "rules": rules}).rules.items


PAID = pd.DataFrame(
    {
        "base": RNG.integers(0, 4000, N),
        "extra": RNG.integers(0, 900, N),
        "gift": np.where(RNG.random(N) < 0.1, RNG.integers(1, 90, N), 0),
        "age": RNG.integers(18, 70, N),
    }
)
PAID["total"] = PAID["base"] + PAID["extra"] + PAID["gift"]
PAID["all"] = PAID["total"] + PAID["age"]
PAID_FIELDS = [number(name) for name in PAID]


def total(column, *parts, **more):
    return {"kind": "sum", "column": column, "parts": list(parts), **more}


def test_sums_are_found_instead_of_the_orders_that_follow_from_them():
    assert found(PAID, PAID_FIELDS) == [
        total("total", "base", "extra", "gift"),
        total("all", "base", "extra", "gift", "age"),
        *orders(("total", "all")),  # follows from both
    ]
    first = ["total", *PAID.columns.drop(["total", "all"])]
    assert found(PAID[first], [number(name) for name in first]) == [total("total", "base", "extra", "gift")]


def test_one_row_that_does_not_add_up_is_enough():
    frame = PAID.drop(columns="all")
    frame.loc[N - 1, "total"] += 1
    assert [rule["kind"] for rule in found(frame, PAID_FIELDS[:5])] == ["ascending"]


@pytest.mark.parametrize(
    ("rows", "both", "some"),
    [(400, 20, True), (400, 19, False), (1000, 50, True), (1000, 49, False)],
    ids=["20 rows", "fewer", "a twentieth", "less"],
)
def test_a_sum_is_told_by_the_rows_in_which_two_parts_at_least_are_more_than_nothing(rows, both, some):
    """Elsewhere the total is the one part that there is."""
    part = np.arange(1, rows + 1)
    either = np.arange(rows) % 2 == 0
    first, last = np.where(either, part, 0), np.where(either, 0, part)
    first[-both:], last[-both:] = 7, np.arange(both)[::-1] + 1
    frame = pd.DataFrame({"first": first, "last": last, "total": first + last})
    rules = found(frame, [number(name) for name in frame])
    assert (total("total", "first", "last") in rules) is some


@pytest.mark.parametrize(("rows", "others", "some"), [(1500, 75, True), (1500, 74, False), (300, 19, False)])
def test_a_time_is_told_by_the_rows_that_have_another_one_than_most(rows, others, some):
    nights = np.concatenate([np.full(rows - others, 3), np.arange(others) % 9 + 4])
    came = np.datetime64("2001-01-01") + np.arange(rows) % 700
    frame = pd.DataFrame({"came": came.astype(str), "left": (came + nights).astype(str), "nights": nights})
    fields = [day("came"), day("left"), number("nights")]
    kinds = [rule["kind"] for rule in found(frame, fields)]
    assert ("timeBetween" in kinds) is some
    frame.loc[rows - 1, "nights"] += 3
    assert "timeBetween" not in [rule["kind"] for rule in found(frame, fields)], "of the last row it is wrong"


def test_days_that_a_program_wrote_as_fractions_are_a_time_where_only_some_occur():
    """Of 41,796 arrests 18 % of the synthetic ones had other days than lay between their dates (by hand)."""
    days = np.arange(300) % 4
    came = np.datetime64("2001-01-01") + np.arange(300)
    frame = pd.DataFrame(
        {"came": came.astype(str), "left": (came + days).astype(str), "days": days.astype(float)}
    )
    bounds = {"type": "number", "constraints": {"minimum": 0, "maximum": 9}}
    fields = [day("came"), day("left"), {"name": "days", **bounds, "values": [0.0, 1.0, 2.0, 3.0]}]
    rule = {"kind": "timeBetween", "column": "days", "from": "came", "to": "left", "unit": "days"}
    assert rule in found(frame, fields)
    fields[2]["values"] = [0.0, 0.5, 1.0, 2.0, 3.0]
    assert rule not in found(frame, fields)


def test_of_parts_that_are_left_out_where_nobody_got_any_a_missing_one_counts_as_0():
    frame = PAID.drop(columns="all").astype(str)
    told = [total("total", "base", "extra", "gift", missingIsZero=True)]
    frame["gift"] = frame["gift"].replace("0", "")
    assert found(frame, PAID_FIELDS[:5]) == told
    assert found(frame, PAID_FIELDS[:5], told) == []


def test_of_parts_that_nobody_knows_the_rows_that_have_all_tell_the_sum():
    frame = PAID.drop(columns="all").astype(str)
    frame.loc[RNG.random(N) < 0.3, "extra"] = ""
    assert found(frame, PAID_FIELDS[:5]) == [total("total", "base", "extra", "gift")]


def test_a_list_that_follows_where_it_was_asked_has_both_rules_and_rows_keep_both():
    """Of a stop nobody filled in neither the violation is known nor its group, which follows from it."""
    filled = RNG.random(N) < 0.8
    kinds = {"speeding": "moving", "red light": "moving", "lamp": "equipment", "plate": "papers"}
    violation = np.where(filled, RNG.choice(list(kinds), N), "")
    frame = pd.DataFrame({"sex": np.where(filled, RNG.choice(["f", "m"], N), ""), "violation": violation})
    frame["group"] = frame["violation"].map(kinds).fillna("")
    groups = listed("group", "moving", "equipment", "papers")
    fields = [listed("sex", "f", "m"), listed("violation", *kinds), groups]
    rules = found(frame, fields)
    filled_in = {"sex": {"missing": False}}
    assert unlisted(rules) == [
        {"kind": "askedIf", "column": "violation", "if": filled_in},
        {"kind": "askedIf", "column": "group", "if": filled_in},
        follows("group", "violation"),
    ]
    assert rules[-1]["values"] == kinds
    assert found(frame, fields, rules) == []
    assert found(frame, fields, rules[:2]) == rules[2:]
    model = HMPrivBayes(epsilon=3.0, delta=1e-9).fit(frame, {"fields": fields, "rules": rules})
    rows = model.sample(3000)
    nobody = rows["sex"].isna()
    assert rows.loc[nobody, ["violation", "group"]].isna().all(axis=None)
    known = rows.dropna(subset=["violation", "group"])
    assert (known["violation"].map(kinds) == known["group"]).all()


def test_a_date_that_few_have_and_that_is_another_one_is_a_copy_and_rows_keep_it():
    """Who died in hospital died on the day of the discharge."""
    came = RNG.integers(0, 300, N)
    days = [np.datetime64("2019-01-01") + came, np.datetime64("2019-01-01") + came + RNG.integers(0, 30, N)]
    died = RNG.random(N) < 0.2
    frame = pd.DataFrame({"came": days[0].astype(str), "left": days[1].astype(str)})
    frame = frame.assign(outcome=np.where(died, "died", "home"), death=np.where(died, frame["left"], ""))
    bounds = {"minimum": "2019-01-01", "maximum": "2019-12-31"}
    there = bounds | {"required": True}  # where noise empties one, the rule says nothing of the other
    dates = [{"name": name, "type": "date", "constraints": there} for name in ("came", "left")]
    dates.append({"name": "death", "type": "date", "constraints": bounds})
    fields = [dates[0], dates[1], listed("outcome", "died", "home"), dates[2]]
    rules = found(frame, fields)
    assert rules == [
        {"kind": "equal", "column": "death", "to": "left"},
        {"kind": "ascending", "columns": ["came", "left"]},
        {"kind": "askedIf", "column": "death", "if": {"outcome": "died"}},
    ]
    assert found(frame, fields, rules) == []
    made = HMPrivBayes(epsilon=3.0, delta=1e-9).fit(frame, {"fields": fields, "rules": rules}).sample(1000)
    dead = made["outcome"] == "died"
    assert (made["death"].notna() == dead).all()
    assert (made.loc[dead, "death"] == made.loc[dead, "left"]).all()


def test_answers_that_go_together_are_found_and_rows_keep_them():
    """Whoever has no internet has no backup over it and no films."""
    net = RNG.choice(["DSL", "fibre", "none"], N, p=[0.4, 0.4, 0.2])
    extras = {
        c: np.where(net == "none", "no internet", RNG.choice(["no", "yes"], N)) for c in ("backup", "films")
    }
    lines = RNG.choice(["one", "several", "no phone"], N)
    frame = pd.DataFrame(
        {"net": net, **extras, "lines": lines, "phone": np.where(lines == "no phone", "no", "yes")}
    )
    fields = [listed(name, *sorted(frame[name].unique())) for name in frame]
    none, backup, films = {"net": "none"}, {"backup": "no internet"}, {"films": "no internet"}
    rules = found(frame, fields)
    assert unlisted(rules) == [
        follows("phone", "lines"),
        *({"kind": "implies", "if": a, "then": b} for a, b in [(none, backup), (backup, none)]),
        *({"kind": "implies", "if": a, "then": b} for a, b in [(none, films), (films, none)]),
    ]
    assert found(frame, fields, rules) == []
    model = HMPrivBayes(epsilon=1.0, delta=1e-9).fit(frame, {"fields": fields, "rules": rules})
    rows = model.sample(3000).dropna()  # of a missing value no rule tells anything
    for name in ("backup", "films"):
        assert ((rows["net"] == "none") == (rows[name] == "no internet")).all()
    frame.loc[np.flatnonzero(net != "none")[0], "films"] = "no internet"
    assert [rule for rule in found(frame, fields) if "films" in str(rule)] == []


def test_a_number_that_is_0_wherever_a_list_has_one_answer_or_another_number_is_0_is_found():
    """Who is unemployed has no income; where there is no claim nothing is paid."""
    work = RNG.choice(["employed", "unemployed", "retired"], N, p=[0.6, 0.2, 0.2])
    claims = RNG.choice([0, 1, 2], N, p=[0.7, 0.2, 0.1]) * 10
    frame = pd.DataFrame(
        {
            "work": work,
            "income": np.where(work == "unemployed", 0, RNG.integers(1, 9000, N)),
            "claims": claims,
            "paid": np.where(claims == 0, 0, RNG.integers(1, 9000, N)),
        }
    )
    fields = [listed("work", "employed", "unemployed", "retired"), *map(number, ["income", "claims", "paid"])]
    idle, poor, unhurt, unpaid = {"work": "unemployed"}, {"income": 0}, {"claims": 0}, {"paid": 0}
    rules = [rule for rule in found(frame, fields) if rule["kind"] == "implies"]
    assert rules == [
        {"kind": "implies", "if": a, "then": b}
        for a, b in [(idle, poor), (poor, idle), (unhurt, unpaid), (unpaid, unhurt)]
    ]
    rows = HMPrivBayes(epsilon=3.0, delta=1e-9).fit(frame, {"fields": fields, "rules": rules}).sample(3000)
    rows = rows.dropna()
    assert ((rows["work"] == "unemployed") == (rows["income"] == 0)).all()
    assert ((rows["claims"] == 0) == (rows["paid"] == 0)).all()
    assert (rows["income"] == 0).mean() == pytest.approx(0.2, abs=0.03)
    frame.loc[np.flatnonzero(work != "unemployed")[0], "income"] = 0
    assert not [rule for rule in found(frame, fields) if "income" in str(rule)]


def test_numbers_that_a_file_rounds_add_up_as_far_as_their_grid_tells_them():
    """Nine decimals of the parts are told to three: that the total is their sum was seen in no row."""
    parts = RNG.normal(0, 5, (N, 2)).clip(-40, 40)
    frame = pd.DataFrame({"attack": parts[:, 0], "defence": parts[:, 1], "total": parts.sum(axis=1)}).round(9)
    bounds = {"minimum": -90.0, "maximum": 90.0}
    fields = [{"name": c, "type": "number", "bins": "learned", "constraints": bounds} for c in frame]
    rules = [total("total", "attack", "defence")]
    assert found(frame, fields) == rules
    rows = HMPrivBayes(epsilon=3.0, delta=1e-9).fit(frame, {"fields": fields, "rules": rules}).sample(1000)
    assert len(rows.dropna()) > 900
    assert (rows["total"] - rows["attack"] - rows["defence"]).abs().max() < 1e-6
    frame.loc[0, "total"] += 0.01
    assert found(frame, fields) == []


def test_of_a_number_that_many_first_rows_share_no_line_is_drawn():
    """A fit through one point warned the steward in words of numpy's."""
    weights = np.concatenate([np.full(250, 70), RNG.integers(40, 110, N)])
    ages = RNG.integers(20, 90, len(weights))
    frame = pd.DataFrame({"weight": weights, "age": ages}).astype(str)
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 120, "required": True}}
        for name in frame
    ]
    assert found(frame, fields) == []


def test_numbers_that_differ_in_a_few_rows_by_one_are_no_formula_of_each_other():
    """Half of one, rounded, is 0 as well as 1: with that rule 45 % of the rows differed, for 2 of 2,637."""
    drivers = RNG.integers(0, 90, N)
    vehicles = drivers + (np.arange(N) % 97 == 5)
    frame = pd.DataFrame({"drivers": drivers, "vehicles": vehicles}).astype(str)
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": True}}
        for name in frame
    ]
    assert [rule for rule in found(frame, fields) if rule["kind"] == "computed"] == []
    frame["vehicles"] = [str(round(x / 2)) for x in drivers]  # 2.5 is 2, and 3.5 is 4
    assert [rule["kind"] for rule in found(frame, fields)].count("computed") == 1


def test_answers_of_two_that_are_never_given_together_are_found_without_what_follows_from_them():
    """Toddlers are children, children dependants; nobody is in the north and in the south."""
    n = 1200
    dependants = RNG.random(n) < 0.5
    children = dependants & (RNG.random(n) < 0.6)
    toddlers = children & (RNG.random(n) < 0.6)
    side = RNG.choice(3, n)
    flags = {
        "dependants": dependants,
        "children": children,
        "toddlers": toddlers,
        "owns": RNG.random(n) < 0.5,
    }
    frame = pd.DataFrame({name: np.where(flag, "yes", "no") for name, flag in flags.items()})
    frame = frame.assign(north=(side == 0).astype(int), south=(side == 1).astype(int), rare="no")
    frame.loc[frame.index[~toddlers][:50], "rare"] = "yes"  # hardly any would be a toddler's by chance
    fields = [listed(name, "no", "yes") for name in (*flags, "rare")]
    fields += [{"name": name, "type": "integer", "categories": [0, 1]} for name in ("north", "south")]
    rules = found(frame, fields)
    assert sorted(map(str, rules)) == sorted(
        map(
            str,
            [
                {"kind": "implies", "if": {"children": "yes"}, "then": {"dependants": "yes"}},
                {"kind": "implies", "if": {"toddlers": "yes"}, "then": {"children": "yes"}},
                {"kind": "implies", "if": {"north": 1}, "then": {"south": 0}}
                if (side == 0).sum() <= (side == 1).sum()
                else {"kind": "implies", "if": {"south": 1}, "then": {"north": 0}},
            ],
        )
    )
    assert found(frame, fields, rules) == []
    made = (
        HMPrivBayes(epsilon=1.0, delta=1e-9, seed=2)
        .fit(frame, {"fields": fields, "rules": rules})
        .sample(1000)
    )
    assert not ((made["toddlers"] == "yes") & (made["dependants"] == "no")).any()
    children_told = [listed(name, "no", "yes") for name in ("toddlers", "owns")]
    assert found(frame[["toddlers", "owns"]], children_told) == [], "those that meet are free"


@pytest.mark.parametrize("padded", [False, True])
def test_a_month_has_no_more_days_than_it_has_where_no_date_stands_beside(padded):
    days = pd.Series(np.datetime64("2001-01-01") + RNG.integers(0, 7300, 6000))
    frame = pd.DataFrame({"y": days.dt.year, "mm": days.dt.month, "dd": days.dt.day, "ward": "a"})
    fields = [number("y"), number("mm"), number("dd"), listed("ward", "a")]
    fields[1] = fields[1] | {"constraints": {"minimum": 1, "maximum": 12}}
    fields[2] = fields[2] | {"constraints": {"minimum": 1, "maximum": 31}}
    short, last = [4, 6, 9, 11], [30, 31]
    if padded:
        frame[["mm", "dd"]] = frame[["mm", "dd"]].map("{:02}".format)
        fields[1], fields[2] = (listed(name, *sorted(frame[name].unique())) for name in ("mm", "dd"))
        short, last = [f"{month:02}" for month in short], ["30", "31"]
    two = "02" if padded else 2
    due = [
        {"kind": "implies", "if": {"mm": short}, "then": {"dd": {"not": last[1]}}},
        {"kind": "implies", "if": {"mm": two}, "then": {"dd": {"not": last}}},
    ]
    assert [rule for rule in found(frame, fields) if rule["kind"] == "implies"] == due
    assert [rule for rule in found(frame, fields, due) if rule["kind"] == "implies"] == []
    frame.loc[3, ["mm", "dd"]] = ["02", "30"] if padded else [2, 30]
    assert [rule for rule in found(frame, fields) if rule["kind"] == "implies"] == due[:1]


def test_an_answer_that_no_cell_holds_beside_another_one_is_found_and_kept_even_a_rare_pair_of_them():
    """None of these, and cancer, would hardly meet by chance: each pair by itself shows nothing."""
    ill = ("asthma", "cancer", "diabetes")
    given = RNG.random((N, 3)) < (0.25, 0.04, 0.4)
    texts = [";".join(itertools.compress(ill, row)) or "none" for row in given]
    frame = pd.DataFrame({"ill": texts, "region": RNG.choice(["north", "south"], N)})
    answers = [
        {
            "name": f"ill/{name}",
            "type": "boolean",
            "answerTo": {"column": "ill", "answer": name, "between": ";"},
        }
        for name in (*ill, "none")
    ]
    fields = [*answers, listed("region", "north", "south")]
    alone = {
        "kind": "implies",
        "if": {"ill/none": "true"},
        "then": {f"ill/{name}": "false" for name in ill},
    }
    assert found(frame, fields) == [alone]
    assert found(frame, fields, [alone]) == []
    made = HMPrivBayes(epsilon=0.5, delta=1e-9, seed=2).fit(frame, {"fields": fields, "rules": [alone]})
    held = made.sample(1000)["ill"]
    assert "none" in set(held)
    assert not held[held.str.contains("none")].str.contains(";").any()
    frame.loc[frame.index[frame["ill"] == "none"][0], "ill"] = "cancer;none"
    assert alone not in found(frame, fields)
