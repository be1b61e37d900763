"""Whole tables: what is published, and that it is p-sensitive k-anonymous, counted independently."""

import os

import numpy as np
import pandas as pd
import pytest

from hmpb_core.anonymize.anonymizer import Request, anonymize, verify
from hmpb_core.anonymize.columns import Kind, column_of, kind_of
from hmpb_core.anonymize.partition import Method
from hmpb_core.codebook import Codebook
from hmpb_core.errors import DomainError, NotPrivateError, PlanError
from hmpb_core.publishing.tables import CsvForm, csv_of

FIELDS = [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "income", "type": "number", "constraints": {"minimum": 0, "maximum": 1000, "required": True}},
    {
        "name": "degree",
        "type": "string",
        "categories": ["none", "school", "college"],
        "categoriesOrdered": True,
    },
    {"name": "sex", "type": "string", "categories": ["f", "m"], "constraints": {"required": True}},
    {
        "name": "zip",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 9999, "required": True},
        "hierarchy": {"prefixes": [1, 2]},
    },
    {
        "name": "city",
        "type": "string",
        "categories": ["lyon", "nice", "rome", "fr"],
        "hierarchy": {
            "levels": {"lyon": ["eu", "fr"], "nice": ["eu", "fr"], "rome": ["eu", "it"], "fr": ["eu"]}
        },
    },
    {"name": "illness", "type": "string", "categories": ["flu", "cold", "gout", "mumps"]},
    {"name": "secret", "type": "string", "categories": ["x", "y"]},
]
CODEBOOK = Codebook.from_dict({"fields": FIELDS})
QUASI = ("age", "income", "degree", "sex", "zip", "city")
N_TABLES = 1000 if os.environ.get("HMPB_SLOW") == "1" else 40


def people(rng, n_rows):
    def chosen(values, *, missing=0.0):
        texts = rng.choice(values, n_rows).astype(object)
        texts[rng.random(n_rows) < missing] = ""
        return texts

    return pd.DataFrame(
        {
            "age": chosen([str(x) for x in range(20, 90, int(rng.integers(1, 20)))], missing=0.1),
            "income": [f"{x:.2f}" for x in rng.gamma(2.0, 100.0, n_rows)],
            "degree": chosen(["none", "school", "college"], missing=0.2),
            "sex": chosen(["f", "m"]),
            "zip": chosen(["7", "12", "120", "1201", "1299", "9000"]),
            "city": chosen(["lyon", "nice", "rome", "fr"], missing=0.1),
            "illness": rng.choice(["flu", "cold", "gout", "mumps"], n_rows, p=rng.dirichlet([0.7] * 4)),
            "secret": chosen(["x", "y"]),
        }
    )


def levels_of(table, quasi, sensitive):
    """k and l of a table, counted by plain dictionaries; pycanon needs another pandas than this project."""
    rows, values = {}, {}
    for record in table.astype(object).where(table.notna(), None).to_dict("records"):
        key = tuple(record[name] for name in quasi)
        rows[key] = rows.get(key, 0) + 1
        values.setdefault(key, set()).add(record[sensitive])
    return min(rows.values()), min(len(seen) for seen in values.values())


@pytest.mark.slow
def test_every_generated_table_comes_out_p_sensitive_and_k_anonymous():
    published = 0
    for seed in range(N_TABLES):
        rng = np.random.default_rng([14, seed])
        frame = people(rng, int(rng.integers(8, 60)))
        k = int(rng.integers(2, 7))
        p = int(rng.integers(2, min(k, 4) + 1))
        quasi = tuple(rng.permutation(QUASI)[: rng.integers(1, 7)].tolist())
        request = Request(method=list(Method)[seed % 3], k=k, p=p, quasi=quasi, sensitive="illness")
        if frame["illness"].nunique() < p:
            with pytest.raises(PlanError, match="fewer different values"):
                anonymize(frame, CODEBOOK, request, rng=rng)
            continue
        result = anonymize(frame, CODEBOOK, request, rng=rng)
        least_rows, least_values = levels_of(result.table, quasi, "illness")
        assert least_rows >= k
        assert least_values >= p
        assert sorted(result.table["illness"]) == sorted(frame["illness"])
        assert sum(one.n_rows for one in result.classes) == len(frame)
        published += 1
    assert published > N_TABLES / 2


def made(**changes):
    options = {"k": 4, "p": 2, "quasi": QUASI, "sensitive": "illness"} | changes
    request = Request(**options)
    frame = people(np.random.default_rng(3), 60)
    return frame, request, anonymize(frame, CODEBOOK, request, rng=np.random.default_rng(4))


def test_columns_without_a_role_are_left_out():
    _, _, result = made()
    assert list(result.table.columns) == [*QUASI, "illness"]


def test_what_is_published_fits_the_codebook():
    _, _, result = made()
    for name in QUASI:
        column_of(result.table, CODEBOOK, name)
    assert str(result.table["age"].dtype) == "Int64"


def test_dates_are_grouped_and_published_as_dates_and_a_columns_own_missing_codes_are_known():
    fields = [
        {
            "name": "born",
            "type": "date",
            "format": "%d.%m.%Y",
            "constraints": {"minimum": "01.01.1950", "maximum": "31.12.1999", "required": True},
        },
        {
            "name": "height",
            "type": "number",
            "constraints": {"minimum": 0, "maximum": 3},
            "missingValues": ["", "-9"],
        },
        {"name": "mood", "type": "integer", "categories": [1, 2, 3], "missingValues": ["", "-9"]},
    ]
    frame = pd.DataFrame(
        {
            "born": ["01.03.1960", "03.03.1960", "05.03.1960", "01.07.1990", "02.07.1990", "03.07.1990"],
            "height": ["1.7", "1.8", "1.9", "-9", "-9", "-9"],
            "mood": ["1", "2", "-9", "3", "1", "-9"],
        }
    )
    request = Request(k=3, p=3, quasi=("born", "height"), sensitive="mood")
    result = anonymize(frame, Codebook.from_dict({"fields": fields}), request, rng=np.random.default_rng(0))
    shown = result.table.groupby("born", dropna=False)["height"].first()
    assert sorted(shown.index) == ["02.07.1990", "03.03.1960"], "the mean of each three, as it is written"
    assert shown["03.03.1960"] == pytest.approx(1.8)
    assert pd.isna(shown["02.07.1990"])
    before = result.before_and_after(0)["born"].tolist()
    assert set(before[:-1]) <= set(frame["born"])


def test_times_are_published_in_the_steps_of_their_column():
    """Lengths below a second were rounded to 0 or 1 s, so that no class had enough of them."""
    fields = [
        {
            "name": "at",
            "type": "time",
            "multipleOf": 900,
            "constraints": {"minimum": "00:00:00", "maximum": "23:59:59", "required": True},
        },
        {
            "name": "reaction",
            "type": "duration",
            "decimals": 3,
            "bins": 10,
            "constraints": {"minimum": "PT0S", "maximum": "PT1S", "required": True},
        },
    ]
    reactions = ["PT0.05S", "PT0.312S", "PT0.911S", "PT0.125S", "PT0.5S", "PT0.733S"]
    frame = pd.DataFrame(
        {
            "at": ["08:00:00", "08:15:00", "08:15:00", "17:00:00", "17:15:00", "17:15:00"],
            "reaction": reactions,
        }
    )
    request = Request(k=3, p=3, quasi=("at",), sensitive="reaction")
    table = anonymize(
        frame, Codebook.from_dict({"fields": fields}), request, rng=np.random.default_rng(0)
    ).table
    assert sorted(table["reaction"]) == sorted(reactions)
    assert set(table["at"]) == {"08:15:00", "17:15:00"}, "08:10 and 17:10 are no quarters"


def test_the_figures_are_those_of_the_papers_equations():
    frame, request, result = made(quasi=("sex", "degree"))
    sex = (frame["sex"] == "m").to_numpy()
    loss, bits = [], []
    for rows, one in zip(result.members, result.classes, strict=True):
        shares = frame["illness"].iloc[list(rows)].value_counts(normalize=True)
        bits.append(-(shares * np.log2(shares)).sum())
        share = sex[list(rows)].mean()
        # Eq. 6 and 7 for two values: 0.5 n (1 - s^2 - (1 - s)^2) = n s (1 - s).
        assert one.attribute_losses[0] == pytest.approx(share * (1 - share))
        assert one.average_loss == pytest.approx(sum(one.attribute_losses) / 2)
        loss.append(one.average_loss)
    assert result.figures.avg_ent == pytest.approx(np.mean(bits))
    assert result.figures.avg_il == pytest.approx(np.mean(loss))
    assert result.figures.c_avg == pytest.approx(60 / len(result.members) / request.k)


def test_a_seed_repeats_a_table():
    pd.testing.assert_frame_equal(made()[2].table, made()[2].table)


def test_rows_are_published_in_an_order_that_tells_nothing_of_the_tables_own():
    frame, _, result = made(quasi=("sex",))
    by_class = [frame["illness"][row] for rows in result.members for row in rows]
    published = result.table["illness"].tolist()
    assert sorted(published) == sorted(by_class)
    assert published != by_class
    assert result.table["sex"].ne(result.table["sex"].shift()).sum() > len(result.members) + 10


def test_a_class_is_shown_before_and_after():
    frame, _, result = made()
    shown = result.before_and_after(0)
    assert list(shown.index)[-1] == "published"
    assert len(shown) == len(result.members[0]) + 1
    assert [str(value) for value in shown["sex"][:-1]] == frame["sex"].iloc[list(result.members[0])].tolist()


def test_a_table_that_falls_short_is_not_given_out():
    request = Request(k=2, p=2, quasi=("a",), sensitive="b")
    verify(pd.DataFrame({"a": [1, 1], "b": [1, 2]}), request)
    with pytest.raises(NotPrivateError, match="not given out"):
        verify(pd.DataFrame({"a": [1, 1], "b": [1, 1]}), request)
    with pytest.raises(NotPrivateError):
        verify(pd.DataFrame({"a": [1, 1, None], "b": [1, 2, 1]}), request)


def test_kinds_follow_the_codebook():
    kinds = [kind_of(CODEBOOK, name) for name in QUASI]
    assert kinds == [Kind.CONTINUOUS] * 2 + [Kind.ORDINAL, Kind.NOMINAL, Kind.SEMANTIC, Kind.SEMANTIC]


def test_short_numbers_are_read_as_codes_filled_with_zeros():
    column = column_of(people(np.random.default_rng(0), 50), CODEBOOK, "zip")
    seven, twelve = column.values.index(7), column.values.index(12)
    # 0007 and 0012 share both prefixes, 0 and 00, and 0007 and 9000 none.
    assert column.measure.distances(seven)[twelve] < 1
    assert column.measure.distances(seven)[column.values.index(9000)] == pytest.approx(1.0)


def test_hierarchies_survive_the_codebooks_file():
    assert Codebook.from_json(CODEBOOK.to_json()).hierarchies == CODEBOOK.hierarchies


@pytest.mark.parametrize(
    ("hierarchy", "said"),
    [
        ({}, "either 'prefixes'"),
        ([1], "either 'prefixes'"),
        ({"prefixes": [2, 1]}, "rising whole numbers"),
        ({"prefixes": [1], "beta": -1}, "'beta' and 'root_weight'"),
        ({"levels": {"f": ["x"]}}, "lacks the category 'm'"),
        ({"levels": {"f": "x", "m": ["x"]}}, "a list of its groups"),
    ],
)
def test_unusable_hierarchies_are_refused(hierarchy, said):
    fields = [{**field, "hierarchy": hierarchy} if field["name"] == "sex" else field for field in FIELDS]
    with pytest.raises(DomainError, match=said):
        column_of(people(np.random.default_rng(0), 5), Codebook.from_dict({"fields": fields}), "sex")


def test_a_hierarchy_of_fractions_is_refused():
    fields = [
        {**field, "hierarchy": {"prefixes": [1]}} if field["name"] == "income" else field for field in FIELDS
    ]
    with pytest.raises(DomainError, match="not a whole number"):
        column_of(people(np.random.default_rng(0), 5), Codebook.from_dict({"fields": fields}), "income")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"quasi": ()}, "No quasi-identifier"),
        ({"quasi": ("age", "age")}, "named twice"),
        ({"quasi": ("illness",)}, "both a quasi-identifier and the sensitive"),
    ],
)
def test_roles_that_contradict_each_other_are_refused(changes, said):
    with pytest.raises(PlanError, match=said):
        Request(**({"k": 4, "p": 2, "quasi": QUASI, "sensitive": "illness"} | changes))


def test_a_date_is_published_as_a_date_and_a_column_reads_its_own_missing_codes():
    book = Codebook.from_dict(
        {
            "fields": [
                {
                    "name": "day",
                    "type": "date",
                    "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"},
                },
                {"name": "smokes", "type": "string", "categories": ["yes", "no"], "missingValues": ["?"]},
                {"name": "illness", "type": "string", "categories": ["flu", "cold"]},
            ]
        }
    )
    frame = pd.DataFrame(
        {
            "day": ["2024-03-01", "2024-03-03", "2024-09-01", "2024-09-05"],
            "smokes": ["yes", "?", "no", "no"],
            "illness": ["flu", "cold", "flu", "cold"],
        }
    )
    request = Request(k=2, p=2, quasi=("day", "smokes"), sensitive="illness")
    found = anonymize(frame, book, request, rng=np.random.default_rng(0))
    assert sorted(found.table["day"]) == ["2024-03-02", "2024-03-02", "2024-09-03", "2024-09-03"]
    shown = pd.concat([found.before_and_after(i) for i in range(2)])["day"]
    assert sorted(shown) == sorted([*frame["day"], "2024-03-02", "2024-09-03"])


def book_of(kinds):
    fields = [{"name": f"q{i}", "constraints": {"required": True}, **kind} for i, kind in enumerate(kinds)]
    return Codebook.from_dict({"fields": [*fields, FIELDS[-2]]})


NUMBER = {"type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": True}}
LIST = {"type": "string", "categories": list("0123456789")}


@pytest.mark.parametrize(
    "kinds", [[NUMBER], [LIST], [NUMBER, LIST] * 100], ids=["one number", "one list", "200"]
)
@pytest.mark.parametrize("method", Method)
def test_a_method_survives_one_attribute_constant_columns_and_200_attributes(method, kinds):
    rng = np.random.default_rng(4)
    codebook = book_of(kinds)
    quasi = codebook.domain.names[:-1]
    request = Request(method=method, k=3, p=2, quasi=quasi, sensitive="illness")
    for most in (1, 10) if len(quasi) == 1 else (10,):
        frame = pd.DataFrame({name: rng.integers(0, most, 24).astype(str) for name in quasi})
        frame["illness"] = rng.choice(FIELDS[-2]["categories"], 24)
        found = anonymize(frame, codebook, request, rng=rng)
        k, p = levels_of(found.table, quasi, "illness")
        assert (k >= 3, p >= 2, len(found.table)) == (True, True, 24)
        assert (found.figures.avg_il == 0) == (most == 1)


@pytest.mark.parametrize("n_rows", [0, 1])
@pytest.mark.parametrize("method", Method)
def test_a_method_refuses_a_table_of_no_or_one_row(method, n_rows):
    frame = pd.DataFrame({"q0": ["1"] * n_rows, "illness": ["flu"] * n_rows})
    request = Request(method=method, k=2, p=2, quasi=("q0",), sensitive="illness")
    with pytest.raises(PlanError, match="fewer rows"):
        anonymize(frame, book_of([NUMBER]), request, rng=np.random.default_rng(0))


def test_a_sensitive_text_that_nobody_declared_does_not_leave():
    frame = people(np.random.default_rng(1), 60)
    frame["illness"] = frame["illness"].astype(object)
    frame.loc[0, "illness"] = "the mayor's own"
    fields = [{**f, "unknown": f["categories"][0]} if f["name"] == "illness" else f for f in FIELDS]
    request = Request(k=4, p=2, quasi=QUASI, sensitive="illness")
    found = anonymize(frame, Codebook.from_dict({"fields": fields}), request, rng=np.random.default_rng(0))
    declared = next(f["categories"] for f in FIELDS if f["name"] == "illness")
    assert set(found.table["illness"].dropna()) <= set(declared)
    assert len(found.table) == len(frame)


def test_a_sensitive_number_leaves_inside_its_declared_bounds():
    fields = [
        {"name": "sex", "categories": ["f", "m"], "constraints": {"required": True}},
        {"name": "debt", "type": "integer", "constraints": {"minimum": 0, "maximum": 90}},
    ]
    frame = pd.DataFrame({"sex": list("fffmmm"), "debt": ["10", "70", "7654321", "30", "80", ""]})
    request = Request(k=3, p=2, quasi=("sex",), sensitive="debt")
    found = anonymize(frame, Codebook.from_dict({"fields": fields}), request, rng=np.random.default_rng(0))
    assert sorted(found.table["debt"].dropna()) == [10, 30, 70, 80, 90]
    assert found.table["debt"].isna().sum() == 1


def test_truth_values_leave_in_the_words_of_the_file():
    fields = [
        {"name": name, "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]}
        for name in ("smokes", "ill")
    ]
    frame = pd.DataFrame({"smokes": ["ja"] * 3 + ["nein"] * 3, "ill": ["ja", "nein", ""] * 2})
    book = Codebook.from_dict({"fields": fields})
    request = Request(k=3, p=2, quasi=("smokes",), sensitive="ill")
    found = anonymize(frame, book, request, rng=np.random.default_rng(0))
    lines = csv_of(found.table, CsvForm.of(book)).decode().split()
    assert sorted(lines[1:]) == ["ja,", "ja,ja", "ja,nein", "nein,", "nein,ja", "nein,nein"]
