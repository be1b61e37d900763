"""What an SVM learns, on tables whose answer is known."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.encoding import encode
from hmpb_core.errors import PlanError, SourceError
from hmpb_core.metrics.prediction import Target, one_hot, paper_svm_error, svm_error

DOMAIN = Domain(
    (
        Categorical(name="pay", categories=("low", "high"), nullable=True),
        Numeric(name="age", minimum=0, maximum=100, bins=4, integer=True, nullable=True),
        Categorical(name="job", categories=("a", "b", "c")),
        Categorical(name="grade", categories=(1, 2, 3), ordered=True),
        Categorical(name="a<b", categories=("x", "y")),
        Categorical(name="single", categories=("x",)),
    )
)
BOOK = Codebook(domain=DOMAIN)
JOB = Target(attribute=0)


def table(job, pay):
    rows = len(job)
    codes = np.zeros((rows, len(DOMAIN)), dtype=np.int32)
    codes[:, 2] = job
    return codes, np.asarray(pay, dtype=np.int64)


def test_a_target_is_a_category_or_a_number_below_a_bound():
    assert Target.parse("pay", DOMAIN) == Target(attribute=0)
    assert Target.parse("age<50", DOMAIN) == Target(attribute=1, below=50.0)
    assert Target.parse("age < 49.5", DOMAIN) == Target(attribute=1, below=49.5)
    assert Target.parse("grade<2", DOMAIN) == Target(attribute=3, below=2.0)
    assert Target.parse("a<b", DOMAIN) == Target(attribute=4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age", "'age' is a number; name a bound to predict, such as 'age<50'"),
        ("age<fifty", "is not a target; write NAME, or NAME<NUMBER"),
        ("job<2", "'job' holds texts; predict its categories by writing 'job' alone"),
        ("single", "has a single category; there is nothing to predict"),
    ],
)
def test_a_target_that_cannot_be_predicted_is_refused_with_its_reason(text, message):
    with pytest.raises(PlanError, match=message):
        Target.parse(text, DOMAIN)


@pytest.mark.parametrize("text", ["nobody", "nobody<3"])
def test_a_target_that_is_no_attribute_is_refused(text):
    with pytest.raises(Exception, match="'nobody' is not in the codebook"):
        Target.parse(text, DOMAIN)


def test_classes_come_from_values_and_a_missing_one_is_left_out():
    frame = pd.DataFrame(
        {
            "pay": ["low", "", "high"],
            "age": ["49", "50", ""],
            "job": ["a", "b", "c"],
            "grade": [1, 2, 3],
            "a<b": ["x", "x", "y"],
            "single": ["x"] * 3,
        }
    )
    codes = encode(frame, BOOK)
    assert Target.parse("pay", DOMAIN).classes(frame, codes, BOOK).tolist() == [0, -1, 1]
    # 49 and 50 share the bin [25, 50) with nothing or [50, 75): the bound looks at values, not bins.
    assert Target.parse("age<50", DOMAIN).classes(frame, codes, BOOK).tolist() == [1, 0, -1]
    assert Target.parse("age<49.5", DOMAIN).classes(frame, codes, BOOK).tolist() == [1, 0, -1]
    assert Target.parse("age<49", DOMAIN).classes(frame, codes, BOOK).tolist() == [0, 0, -1]


def test_a_bound_of_a_list_is_one_of_its_numbers_and_not_of_their_ranks():
    grade = DOMAIN.attributes[3]
    below = Target.parse("grade<2", DOMAIN).lie_below(np.array([0.0, 1.0, 2.0, np.nan]), grade)
    assert below.tolist()[:3] == [1, 0, 0]
    assert np.isnan(below[3])
    frame = pd.DataFrame({name: ["x"] * 3 for name in ("a<b", "single")} | {"job": ["a", "b", "c"]}).assign(
        pay="low", age=1, grade=["1.0", "2", "03"]
    )
    codes = encode(frame, BOOK)
    assert Target.parse("grade<3", DOMAIN).classes(frame, codes, BOOK).tolist() == [1, 1, 0]


def test_a_bound_of_dates_and_of_numbers_of_32_bits_is_read_as_the_column_is():
    book = Codebook.from_dict(
        {
            "fields": [
                {
                    "name": "came",
                    "type": "date",
                    "format": "%d.%m.%Y",
                    "constraints": {"minimum": "01.01.2015", "maximum": "31.12.2024"},
                },
                {
                    "name": "dose",
                    "type": "number",
                    "precision": "single",
                    "decimals": 1,
                    "constraints": {"minimum": 0, "maximum": 10},
                },
            ]
        }
    )
    doses = ["6.1", "6.199999809265137", "7"]
    frame = pd.DataFrame({"came": ["31.12.2019", "01.01.2020", ""], "dose": doses})
    codes = encode(frame, book)
    assert Target.parse("came<01.01.2020", book.domain).classes(frame, codes, book).tolist() == [1, 0, -1]
    assert Target.parse("dose<6.2", book.domain).classes(frame, codes, book).tolist() == [1, 0, 0]
    for wrong in ("came<2020", "came"):
        with pytest.raises(PlanError, match=r"'came' is a date; .*such as 'came<31\.12\.2024'"):
            Target.parse(wrong, book.domain)


def test_the_inputs_are_one_column_a_code_of_every_other_attribute():
    codes = np.array([[1, 4, 2, 0, 1, 0], [0, 0, 0, 2, 0, 0]], dtype=np.int32)
    # age: 4 bins and missing; job 3; grade 3; a<b 2; single 1.
    expected = [[0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1]]
    assert one_hot(codes, JOB, DOMAIN).toarray().tolist() == expected


def test_a_learnable_rule_is_learnt_and_its_exceptions_are_the_error():
    job = np.tile([0, 1, 2], 100)
    train = table(job, job == 2)
    # One in four of the tested rows of job 2 breaks the rule: 10 of 120 rows.
    test_job = np.repeat([0, 1, 2], 40)
    test_pay = test_job == 2
    test_pay[-10:] = False
    assert svm_error(train, table(test_job, test_pay), JOB, DOMAIN) == pytest.approx(10 / 120)


def test_rows_without_a_class_are_left_out():
    job = np.tile([0, 1, 2], 100)
    pay = np.where(np.arange(300) < 30, -1, job == 2)
    assert svm_error(table(job, pay), table(job, pay), JOB, DOMAIN) == 0


def test_a_table_of_one_class_teaches_that_class():
    train = table([0, 1, 2], [1, 1, 1])
    assert svm_error(train, table([0, 1, 2, 0], [1, 0, 0, 0]), JOB, DOMAIN) == 0.75


def test_a_target_missing_everywhere_is_refused():
    with pytest.raises(SourceError, match="missing in every row; choose another target"):
        svm_error(table([0], [-1]), table([0], [1]), JOB, DOMAIN)


def test_the_papers_variant_never_looks_at_real_rows():
    """A synthetic table that is consistent with itself, and wrong, has no error in the paper's variant."""
    job = np.tile([0, 1, 2], 100)
    wrong = table(job, job != 2)
    right = table(job, job == 2)
    rng = np.random.default_rng(1)
    assert paper_svm_error(*wrong, JOB, DOMAIN, rng, repeats=2) == 0
    assert svm_error(wrong, right, JOB, DOMAIN) == 1


def test_the_papers_variant_of_coin_tosses_is_a_coin_toss():
    rng = np.random.default_rng(1)
    codes, classes = table(rng.integers(3, size=4000), rng.integers(2, size=4000))
    error = paper_svm_error(codes, classes, JOB, DOMAIN, rng, repeats=5)
    assert error == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(4000))
