"""Value figures, against figures worked out by hand."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.metrics.columns import level_text, spread_text, summary
from hmpb_core.metrics.evaluation import evaluate
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.second_sample import size_factor
from hmpb_core.metrics.values import numbers_of, value_errors

BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 10}, "bins": 5},
            {"name": "sex", "categories": ["f", "m"]},
            {
                "name": "day",
                "type": "date",
                "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"},
            },
        ],
        "missingValues": ["", "?"],
    }
)


def frame(x, sex, day):
    return pd.DataFrame({"x": x, "sex": sex, "day": day})


REAL = frame([0, 0, 4, 4], ["f", "f", "m", "?"], ["2020-01-01"] * 4)
SYNTHETIC = frame([0, 4, 4, None], ["f", "m", "m", "m"], ["2020-01-03"] * 4)


def test_figures_of_a_column_are_those_worked_out_by_hand():
    found = value_errors(numbers_of(REAL, BOOK), numbers_of(SYNTHETIC, BOOK), BOOK.domain)
    x = found.columns["x"]  # real 0, 0, 4, 4 with sd 2; synthetic 0, 4, 4 and a missing value
    assert x.ks == pytest.approx(1 / 2 - 1 / 3)
    assert x.wasserstein_sd == pytest.approx((1 / 2 - 1 / 3) * 4 / 2)
    assert x.mean_sd == pytest.approx((8 / 3 - 2) / 2)
    assert x.commonest == pytest.approx(1 / 6)
    assert x.missing == pytest.approx(1 / 4)
    sex = found.columns["sex"]  # real f 2/3; synthetic f 1/4
    assert sex.ks == pytest.approx(2 / 3 - 1 / 4)
    assert sex.missing == pytest.approx(-1 / 4)
    assert sex.wasserstein_sd is None
    assert found.columns["day"].ks == 1.0  # two days later, all of them
    assert found.columns["day"].wasserstein_sd is None  # all real days are one: no deviation to count in


def test_what_the_declared_range_cuts_off_counts_as_an_error():
    fields = [{"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 4}}]
    book = Codebook.from_dict({"fields": fields})
    real, clipped = pd.DataFrame({"x": [0, 0, 0, 100]}), pd.DataFrame({"x": [0, 0, 0, 4]})
    (x,) = value_errors(numbers_of(real, book), numbers_of(clipped, book), book.domain).columns.values()
    sd = np.std([0, 0, 0, 100])
    assert x.sd_ratio == pytest.approx(np.std([0, 0, 0, 4]) / sd)
    assert x.mean_sd == pytest.approx((1 - 25) / sd)
    assert x.wasserstein_sd == pytest.approx(96 / 4 / sd)


def test_an_infinite_number_counts_as_the_end_of_its_range():
    fields = [{"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 4}}]
    book = Codebook.from_dict({"fields": fields})
    texts = ["inf", "-inf", "7", "-1.7976931348623157e+308"]  # the last is SPSS's missing value, written out
    assert numbers_of(pd.DataFrame({"x": texts}), book).ravel().tolist() == [4, 0, 7, 0]


def test_levels_are_told_in_the_columns_own_values():
    """A date as a date, an hour as an hour, and the mean of the grades 1, 5 and 10 as of these numbers."""
    span = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    hours = {"minimum": "00:00:00", "maximum": "23:59:59"}
    fields = [
        {"name": "day", "type": "date", "constraints": span},
        {"name": "hour", "type": "time", "constraints": hours},
        {"name": "grade", "type": "integer", "categories": [1, 5, 10], "categoriesOrdered": True},
    ]
    book = Codebook.from_dict({"fields": fields})
    table = pd.DataFrame(
        {"day": ["2020-03-01", "2020-03-04"], "hour": ["10:00:00", "12:00:00"], "grade": [1, 10]}
    )
    numbers = numbers_of(table, book)
    found = [summary(numbers[:, i], a, numbers[:0, i]) for i, a in enumerate(book.domain.attributes)]
    levels = [level_text(a, of.mean) for a, of in zip(book.domain.attributes, found, strict=True)]
    assert levels == ["2020-03-02", "11:00:00", "5.5"]
    spreads = [spread_text(a, of.sd) for a, of in zip(book.domain.attributes, found, strict=True)]
    assert spreads == ["1.5 d", "1 h", "4.5"]
    assert found[2].quantiles[2] == 5.5


def test_what_the_encoder_takes_for_a_category_is_that_category_in_the_figures():
    book = Codebook.from_dict(
        {
            "fields": [
                {"name": "country", "categories": [{"value": "US", "spellings": ["USA"]}, "FR"]},
                {"name": "county", "type": "integer", "categories": [31, 163]},
            ]
        }
    )
    real = pd.DataFrame({"country": ["USA", "FR"], "county": ["031", "163"]})
    synthetic = pd.DataFrame({"country": ["US", "FR"], "county": [31, 163]})
    found = value_errors(numbers_of(real, book), numbers_of(synthetic, book), book.domain)
    assert {(c.ks, c.missing) for c in found.columns.values()} == {(0.0, 0.0)}


def test_a_column_that_is_missing_in_almost_every_row_does_not_stop_the_models():
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.full(120, np.nan), rng.integers(0, 2, 120).astype(float)])
    rows[0, 0] = 3.0
    book = Codebook.from_dict(
        {"fields": [BOOK.to_dict()["fields"][0], {"name": "sex", "categories": ["f", "m"]}]}
    )
    scores = learned_scores(rows, rows, book.domain, 1)
    assert scores["boosting_auc"] == pytest.approx(0.5, abs=0.1)


def test_a_class_of_one_row_among_many_does_not_stop_the_models():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 11, 10_100).astype(float)
    rows = np.column_stack([x, x > 5])
    rows[0, 1] = 2
    fields = [BOOK.to_dict()["fields"][0], {"name": "class", "categories": ["f", "m", "rare"]}]
    domain = Codebook.from_dict({"fields": fields}).domain
    assert learned_scores(rows, rows, domain, 1)["boosting_auc"] > 0.9


def test_a_table_is_at_no_distance_from_itself():
    numbers = numbers_of(REAL, BOOK)
    found = value_errors(numbers, numbers, BOOK.domain)
    assert {c.ks for c in found.columns.values()} == {0.0}
    assert found.spearman == 0.0
    assert found.correlation_ratio == 0.0


def test_the_correlation_ratio_is_one_where_groups_decide_the_values():
    x = np.array([0.0, 0, 4, 4])
    sex = np.array([0.0, 0, 1, 1])
    mixed = np.array([0.0, 1, 0, 1])
    day = np.zeros(4)
    found = value_errors(np.column_stack([x, sex, day]), np.column_stack([x, mixed, day]), BOOK.domain)
    assert found.correlation_ratio == pytest.approx(0.5)  # 1 against 0 for x, 0 against 0 for the day


def people(rows, rng, *, flip=0.0):
    x = rng.integers(0, 11, rows)
    sex = np.where((x > 5) ^ (rng.random(rows) < flip), "m", "f")
    return frame(x, sex, np.where(x > 5, "2020-02-01", "2020-01-01"))


def test_what_decides_the_target_is_learned_and_chance_is_not():
    rng = np.random.default_rng(0)
    train, test = people(800, rng), people(400, rng)
    scores = learned_scores(numbers_of(train, BOOK), numbers_of(test, BOOK), BOOK.domain, 1)
    assert scores["boosting_auc"] > 0.99
    assert scores["logistic_auc"] > 0.99
    blind = learned_scores(
        numbers_of(people(800, rng, flip=0.5), BOOK), numbers_of(test, BOOK), BOOK.domain, 1
    )
    assert abs(blind["boosting_auc"] - 0.5) < 0.35
    numeric = learned_scores(numbers_of(train, BOOK), numbers_of(test, BOOK), BOOK.domain, 0)
    assert 0.5 < numeric["boosting_r2"] < 0.99  # the half of the range is known, not the place in it


def test_a_target_of_one_class_is_refused():
    with pytest.raises(SourceError, match="one class"):
        learned_scores(numbers_of(REAL.head(2), BOOK), numbers_of(REAL, BOOK), BOOK.domain, 1)


def test_evaluation_puts_every_value_figure_beside_the_holdout_s():
    rng = np.random.default_rng(1)
    figures = evaluate(people(300, rng), people(300, rng), BOOK, target="sex", rng=rng).to_dict()
    assert set(figures["columns"]) == {"x", "sex", "day"}
    for column in figures["columns"].values():
        assert set(column["holdout"]) == set(column) - {"holdout"}
    assert figures["boosting_auc"] > 0.99
    assert figures["holdout"]["boosting_auc"] > 0.99


def test_the_holdout_is_what_a_second_sample_of_the_synthetic_tables_size_would_score():
    rng = np.random.default_rng(3)
    held, second = [], []
    for _ in range(12):
        real, other = people(400, rng), people(100, rng)
        held.append(evaluate(real, other, BOOK, rng=rng).holdout)
        second.append(evaluate(real, other, BOOK, rng=rng).values)
    for figure in ("ks", "mean_sd", "commonest"):
        ours, theirs = (
            np.mean([[abs(getattr(column, figure) or 0) for column in e.columns.values()] for e in of])
            for of in (held, second)
        )
        assert ours == pytest.approx(theirs, rel=0.3), figure
    assert size_factor(200, 200, 400, 100) == pytest.approx(np.sqrt(0.0125 / 0.01))


@pytest.mark.parametrize("rows", [90, 400, 1600])
def test_the_holdout_of_the_correlation_ratio_is_a_second_sample_s_whatever_its_size(rows):
    fields = [
        {"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 1}},
        {"name": "town", "categories": list(range(20))},
    ]
    book = Codebook.from_dict({"fields": fields})
    rng = np.random.default_rng(5)

    def drawn(count):
        return pd.DataFrame({"x": rng.random(count), "town": rng.integers(0, 20, count)})

    found = [evaluate(drawn(400), drawn(rows), book, rng=rng) for _ in range(40)]
    held, second = (
        np.mean([getattr(e, of).correlation_ratio for e in found]) for of in ("holdout", "values")
    )
    assert held == pytest.approx(second, rel=0.25)


def test_a_value_that_the_codebook_spells_otherwise_is_the_same_value():
    book = Codebook.from_dict(
        {
            "fields": [
                {
                    "name": "sex",
                    "categories": [
                        {"value": "female", "spellings": ["F"]},
                        {"value": "male", "spellings": ["M"]},
                    ],
                },
                {"name": "smokes", "type": "boolean", "trueValues": ["yes"], "falseValues": ["no"]},
                {"name": "stage", "type": "integer", "categories": [1, 2]},
                {"name": "region", "categories": ["north", "elsewhere"], "unknown": "elsewhere"},
            ]
        }
    )
    names = [attribute.name for attribute in book.domain.attributes]
    real = pd.DataFrame([["F", "yes", "1.0", "north"], ["M", "no", "2", "Mars"]], columns=names)
    same = pd.DataFrame([["female", "true", 1, "north"], ["male", "false", 2, "elsewhere"]], columns=names)
    same["smokes"] = same["smokes"].map({"true": "yes", "false": "no"})
    assert numbers_of(real, book).tolist() == numbers_of(same, book).tolist() == [[0, 1, 0, 0], [1, 0, 1, 1]]
