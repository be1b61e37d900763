"""Rules that names suggest."""

import pytest

from hmpb_core.rules.suggested import suggested_rules


def pairs(kinds, rules=()):
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    return [tuple(rule["columns"]) for rule in suggested_rules({"fields": fields, "rules": list(rules)})]


@pytest.mark.parametrize(
    ("first", "last", "kind"),
    [
        ("pickup", "dropoff", "datetime"),
        ("tpep_pickup_datetime", "tpep_dropoff_datetime", "datetime"),
        ("StartDate", "EndDate", "date"),
        ("Valid from", "Valid to", "date"),
        ("Aufnahme", "Entlassung", "date"),
        ("Aufnahmedatum", "Entlassungsdatum", "date"),
        ("aufgenommen_am", "entlassen_am", "datetime"),
        ("Geburtsdatum", "Sterbedatum", "date"),
        ("admit_date", "discharge_date", "date"),
        ("date_entrée", "date_sortie", "date"),
        ("fecha_inicio", "fecha_fin", "date"),
        ("Fecha de ingreso", "Fecha de alta", "date"),
        ("data_inizio", "data_fine", "date"),
        ("Дата поступления", "Дата выписки", "date"),
        ("入院日", "退院日", "date"),
        ("입원일", "퇴원일", "date"),
        ("入院日期", "出院日期", "date"),
        ("date_onset", "date_outcome", "date"),
        ("date onset", "date_of_outcome", "date"),
        ("date onset", "hosp date", "date"),
        ("start", "end_date", "date"),
        ("bp_min", "bp_max", "integer"),
        ("Lower limit", "Upper limit", "number"),
        ("Start Date (UTC)", "Submit Date (UTC)", "datetime"),
        ("c_jail_in", "c_jail_out", "datetime"),
        ("created_at", "updated_at", "datetime"),
        ("infection date", "date onset", "date"),
        ("hosp date", "date_of_outcome", "date"),
        ("Admission", "Date of discharge", "date"),
        ("total_credit_utilized", "total_credit_limit", "integer"),
        ("birthYear", "deathYear", "integer"),
        ("start", "end", "integer"),
        ("tstart", "tstop", "number"),
    ],
)
def test_a_beginning_and_its_end_are_suggested_in_their_order(first, last, kind):
    assert pairs({last: kind, "other": kind, first: kind}) == [(first, last)]


@pytest.mark.parametrize(
    ("first", "last", "kinds"),
    [
        ("from", "to", ("integer", "integer")),  # a number of a place is not below another
        ("start", "end", ("time", "time")),  # over midnight it is not
        ("start", "end", ("string", "string")),
        ("start", "end", ("date", "datetime")),
        ("admitted", "end", ("date", "date")),
        ("minutes", "maxutes", ("date", "date")),
        ("start_a", "end_b", ("date", "date")),
        ("income", "outcome", ("integer", "integer")),
        ("weight_start", "weight_end", ("number", "number")),
    ],
)
def test_nothing_is_suggested_of_columns_that_need_not_be_in_order(first, last, kinds):
    assert pairs({first: kinds[0], last: kinds[1]}) == []


def test_what_a_rule_says_already_is_not_suggested():
    kinds = {"onset": "date", "hospitalisation": "date", "outcome": "date"}
    assert len(pairs(kinds)) == 3
    said = [{"kind": "ascending", "columns": ["onset", "hospitalisation", "outcome"]}]
    assert pairs(kinds, said) == []
    assert len(pairs(kinds, [{"kind": "nonNegative", "column": "x"}])) == 3


def test_a_column_that_is_not_published_has_no_rule():
    fields = [{"name": "start", "type": "date", "publish": False}, {"name": "end", "type": "date"}]
    assert suggested_rules({"fields": fields}) == []


@pytest.mark.parametrize("rules", [["x"], [{"kind": "ascending"}], [{}], None])
def test_rules_of_a_draft_that_are_none_hinder_nothing(rules):
    fields = [{"name": name, "type": "date"} for name in ("start", "end")]
    assert len(suggested_rules({"fields": fields, "rules": rules})) == 1


def coded(**kinds):
    """What is suggested of columns of which some list categories."""
    fields = [
        {"name": name} | ({"categories": ["a", "b"]} if listed else {}) for name, listed in kinds.items()
    ]
    return [(rule["column"], rule["from"]) for rule in suggested_rules({"fields": fields})]


@pytest.mark.parametrize(
    ("code", "label"),
    [
        ("education-num", "education"),
        ("REGION_CD", "region_name"),
        ("ward nr", "Ward"),
        ("k\u00f6_kode", "k\u00f6_text"),
    ],
)
def test_a_code_beside_what_it_stands_for_is_suggested_to_follow_from_the_list(code, label):
    assert coded(**{code: False, label: True}) == [(code, label)]
    assert coded(**{code: True, label: True}) == [(code, label)]
    assert coded(**{label: False, code: True}) == [(label, code)]


@pytest.mark.parametrize(
    "kinds",
    [
        {"region_code": False, "region": False},  # nothing is listed
        {"region_code": True, "ward": True},
        {"region_name": True, "region": True},  # which is the code?
        {"code": True, "name": True},
        {"region_code": True, "region_name": True, "region": True},
    ],
)
def test_names_that_need_not_be_of_one_thing_suggest_no_rule(kinds):
    assert coded(**kinds) == []


def test_what_a_rule_decides_already_is_not_suggested_to_follow():
    fields = [{"name": "ward_code"}, {"name": "ward", "categories": ["a", "b"]}]
    rule = {"kind": "equal", "column": "ward_code", "to": "x"}
    assert suggested_rules({"fields": fields, "rules": [rule]}) == []


def test_parts_of_one_of_several_dates_are_told_by_what_their_names_share():
    fields = [{"name": n, "type": "date"} for n in ("birthDate", "death_date")]
    fields += [{"name": n, "type": "integer"} for n in ("birthYear", "death_month", "tenure_year")]
    parts = [rule for rule in suggested_rules({"fields": fields}) if rule["kind"] == "partOf"]
    assert [(rule["column"], rule["of"], rule["part"]) for rule in parts] == [
        ("birthYear", "birthDate", "year"),
        ("death_month", "death_date", "month"),
    ]


def test_how_much_is_no_code_of_yes_and_no():
    smoke = {"name": "smoke", "type": "integer", "categories": [1, 2], "categoriesOrdered": False}
    number = {"name": "smokenum", "type": "integer", "constraints": {"minimum": 0, "maximum": 280}}
    assert suggested_rules({"fields": [smoke, number]}) == []
    three = {**smoke, "categories": [1, 2, 3]}
    assert suggested_rules({"fields": [three, number]}) == [
        {"kind": "follows", "column": "smokenum", "from": "smoke"}
    ]
