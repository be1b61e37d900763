"""Columns that repeat another one in many rows: what is asked, what it costs, what the rows have of it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hmpb_core.acceptance.marks import Marks
from hmpb_core.acceptance.selection import trial_of, try_on
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.facade import HMPrivBayes, guarantee_of
from hmpb_core.grid import Pieces
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.publishing.model_files import VALUES, PaidModel, model_files
from hmpb_core.repeated import codes_in, own_codes, own_domain, repeating, with_same_values
from hmpb_core.rules.repeats import possible_repeats
from hmpb_core.sources.base import HiddenRows
from hmpb_core.sources.open import open_source
from hmpb_core.sources.parties import PartySource
from hmpb_core.stages.values.repeats import Repeats
from hmpb_core.synthesis import fit_source, make_plan

TOWNS = [f"t{i}" for i in range(40)]


def listed(name, values=TOWNS, **more):
    return {"name": name, "type": "string", "categories": values, "constraints": {"required": True}, **more}


def number(name, low=0, high=5000, **more):
    bounds = {"minimum": low, "maximum": high, "required": True}
    return {"name": name, "type": "integer", "bins": "learned", "constraints": bounds, **more}


def book_of(*fields, rules=()):
    return Codebook.from_dict({"fields": list(fields), "rules": list(rules)})


def possible(*fields, rules=()):
    book = book_of(*fields, rules=rules)
    names = book.domain.names
    found = possible_repeats(book.domain, book.rules)
    return {names[index]: [names[other] for other in others] for index, others in found.items()}


def test_a_list_may_repeat_an_earlier_long_list_with_half_of_the_shorter_ones_values():
    half, less = [*TOWNS[:10], *"abcdefghij"], [*TOWNS[:9], *"abcdefghijk"]
    assert possible(listed("born"), listed("lives")) == {"lives": ["born"]}
    assert possible(listed("born"), listed("lives", half)) == {"lives": ["born"]}
    assert possible(listed("born"), listed("lives", less)) == {}
    assert possible(listed("born", TOWNS[:12]), listed("lives", TOWNS[:12])) == {"lives": ["born"]}
    assert possible(listed("born", TOWNS[:11]), listed("lives", TOWNS[:11])) == {}


def test_a_number_may_repeat_an_earlier_one_of_the_same_step_and_range():
    assert possible(number("paid"), number("due")) == {"due": ["paid"]}
    assert possible(number("paid"), number("due", 2500, 9000)) == {"due": ["paid"]}
    assert possible(number("paid"), number("due", 2502, 9000)) == {}
    assert possible(number("paid", 0, 99), number("due", 0, 99)) == {"due": ["paid"]}
    assert possible(number("paid", 0, 98), number("due", 0, 98)) == {}
    assert possible(number("paid"), number("due", bins=16)) == {}
    half = {"multipleOf": 0.5, "minimum": 0, "maximum": 5000, "required": True}
    assert possible(number("paid"), number("due", type="number", constraints=half)) == {}


def test_what_rules_decide_repeats_nothing_and_is_not_repeated_nor_does_a_list_that_they_speak_of():
    rule = {"kind": "equal", "column": "due", "to": "paid"}
    assert possible(number("paid"), number("due"), number("left"), rules=[rule]) == {"left": ["paid"]}
    most = {"kind": "implies", "if": {"born": "t1"}, "then": {"due": {"atMost": 9}, "lives": "t1"}}
    fields = number("paid"), number("due"), listed("born"), listed("lives")
    assert possible(*fields) == {"due": ["paid"], "lives": ["born"]}
    assert possible(*fields, rules=[most]) == {"due": ["paid"]}


def test_a_number_that_rules_speak_of_and_do_not_decide_repeats_another_and_keeps_them():
    """Of two wages the same in .6 of the rows .01 were, where both are asked of those who work alone."""
    rng = np.random.default_rng(4)
    works = rng.random(3000) < 0.8
    paid = rng.integers(100, 5000, 3000)
    due = np.where(rng.random(3000) < 0.6, paid, np.clip(paid + rng.integers(-400, 400, 3000), 0, 5000))
    frame = pd.DataFrame({"works": np.where(works, "yes", "no"), "paid": paid, "due": due})
    frame = frame.astype({"paid": object, "due": object})
    frame.loc[~works, ["paid", "due"]] = None
    bounds = {"minimum": 0, "maximum": 5000}
    fields = [{"name": "works", "type": "string", "categories": ["no", "yes"]}]
    fields += [number(name, constraints=bounds) for name in ("paid", "due")]
    rules = [{"kind": "askedIf", "column": name, "if": {"works": "yes"}} for name in ("paid", "due")]
    made = HMPrivBayes(epsilon=1.0, seed=3).fit(frame, {"fields": fields, "rules": rules}).sample(3000)
    both = made["paid"].notna() & made["due"].notna()
    assert (made["paid"] == made["due"])[both].mean() == pytest.approx(0.6, abs=0.1)
    assert not made.loc[made["works"] == "no", ["paid", "due"]].notna().any().any()


def test_at_most_sixteen_columns_are_asked_for_each_the_nearest_before_it():
    found = possible(*(number(f"x{i}") for i in range(20)))
    assert found["x19"] == [f"x{i}" for i in range(3, 19)]
    assert found["x3"] == ["x0", "x1", "x2"]


def homes(rows=3000, same=0.7, seed=1):
    rng = np.random.default_rng(seed)
    born = rng.choice(TOWNS, rows)
    lives = np.where(rng.random(rows) < same, born, rng.choice(TOWNS, rows))
    return pd.DataFrame({"born": born, "lives": lives})


HOMES = book_of(listed("born"), listed("lives"))


def plan_of(book, epsilon=1.0):
    return make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), book.domain, n_rows=3000)


def test_rows_are_counted_by_the_first_column_with_the_same_value():
    table = pd.DataFrame(
        {
            "a": ["t1", "t2", "t3", "t4", "t5"],
            "b": ["t1", "t7", "t3", "t8", "t5"],
            "c": ["t1", "t7", "t9", "t4", "t5"],
        }
    )
    book = book_of(*map(listed, "abc"))
    source = open_source(table, book)
    none = np.zeros(0, dtype=np.int64)
    assert source.repeat_counts(2, (0, 1), (none, none)).counts.tolist() == [3, 1, 1]
    assert source.repeat_counts(2, (0, 1), (np.array([5]), none)).counts.tolist() == [2, 2, 1]
    assert HiddenRows(source).repeat_counts(2, (1,), (none,)).counts.tolist() == [3, 2]
    both = PartySource([source, source])
    assert both.repeat_counts(2, (1,), (none,)).counts.tolist() == [6, 4]


@pytest.mark.parametrize("seed", [0, 1])
def test_rows_of_two_long_lists_are_the_same_as_often_as_in_the_table(seed):
    """Without the code for what is the same, at this budget about one row in 40 is."""
    table = homes()
    model = fit_source(open_source(table, HOMES), plan_of(HOMES, 0.5), seed=seed)
    lives = model.domain.attributes[1]
    assert lives.repeats == "born"
    assert lives.labels[-1] == "= born"
    rows = model.sample(rng=np.random.default_rng(seed))
    assert set(rows["lives"]) <= set(TOWNS)
    real = float((table["born"] == table["lives"]).mean())
    assert float((rows["born"] == rows["lives"]).mean()) == pytest.approx(real, abs=0.06)
    codes = model.sample_codes(rng=np.random.default_rng(seed))
    assert codes[:, 1].max() < len(TOWNS)


def test_two_columns_that_share_their_commonest_value_repeat_nothing():
    rng = np.random.default_rng(2)
    places = ["none", *TOWNS]
    first, second = (np.where(rng.random(3000) < 0.8, "none", rng.choice(TOWNS, 3000)) for _ in range(2))
    amounts = [np.where(rng.random(3000) < 0.8, 0, rng.integers(1, 5000, 3000)) for _ in range(2)]
    book = book_of(listed("first", places), listed("second", places), number("gain"), number("loss"))
    table = pd.DataFrame({"first": first, "second": second, "gain": amounts[0], "loss": amounts[1]})
    model = fit_source(open_source(table, book), plan_of(book), seed=0)
    assert not any(attribute.repeats for attribute in model.domain.attributes)


def wages(rows=4000, seed=3):
    rng = np.random.default_rng(seed)
    paid = np.clip(np.rint(rng.lognormal(6.5, 0.7, rows)), 0, 5000).astype(int)
    due = np.where(rng.random(rows) < 0.5, paid, np.clip(paid + rng.integers(-400, 400, rows), 0, 5000))
    return pd.DataFrame({"paid": paid, "due": due})


def test_numbers_are_the_same_where_their_codes_allow_it_and_keep_their_distribution():
    table, book = wages(), book_of(number("paid"), number("due"))
    model = fit_source(open_source(table, book), plan_of(book), seed=0)
    due = model.domain.attributes[1]
    assert (due.repeats, due.repeated) == ("paid", pytest.approx(0.5, abs=0.1))
    apart = replace(model, domain=Domain((model.domain.attributes[0], replace(due, repeats=""))))
    rows, drawn = (one.sample(rng=np.random.default_rng(0)) for one in (model, apart))
    assert float((drawn["paid"] == drawn["due"]).mean()) < 0.02
    assert float((rows["paid"] == rows["due"]).mean()) > 0.2
    for share in (0.1, 0.25, 0.5, 0.75, 0.9):
        here, there = (float((one["due"] <= table["due"].quantile(share)).mean()) for one in (rows, drawn))
        assert here == pytest.approx(there, abs=0.015)


def test_the_question_is_paid_from_the_columns_own_part_and_named():
    book = book_of(listed("born"), listed("lives"), number("paid"), number("due"))
    table = pd.concat([homes(), wages(3000)], axis=1)
    plan = plan_of(book)
    model = fit_source(open_source(table, book), plan, seed=0)
    acts = [act for event in model.events for act in event.acts]
    asked = [act for act in acts if act.what.endswith("if those of another column")]
    assert [act.what.split(",")[0] for act in asked] == ["values of lives", "values of due"]
    assert model.bill.total == bill_of_plan(plan, domain=book.domain).total
    own = [act for act in acts if act.what == "one-way table of lives"]
    assert asked[0].loss / (asked[0].loss + own[0].loss) == Fraction(1, 50)


def test_a_code_for_another_column_becomes_its_value_or_that_of_another_row():
    born = Categorical(name="born", categories=("a", "b", "c"), nullable=True)
    lives = repeating(Categorical(name="lives", categories=("b", "a"), nullable=True, ordered=True), "born")
    assert not lives.ordered
    assert lives.labels == ("b", "a", "= born", "(missing)")
    domain = Domain((born, lives))
    codes = np.array([[0, 2], [1, 2], [2, 1], [0, 3], [3, 0]], dtype=np.int32)
    found = own_codes(codes, domain, np.random.default_rng(0))
    assert found.tolist() == [[0, 1], [1, 0], [2, 1], [0, 2], [3, 0]]
    assert own_domain(domain).sizes == (4, 3)
    lost = own_codes(np.array([[2, 2], [3, 2], [0, 1]], dtype=np.int32), domain, np.random.default_rng(0))
    assert lost[:, 1].tolist() == [1, 1, 1]
    nobody = own_codes(np.array([[2, 2], [3, 3]], dtype=np.int32), domain, np.random.default_rng(0))
    assert nobody[:, 1].tolist() == [0, 2]


def test_texts_that_stand_for_a_missing_value_are_not_the_same():
    own = Categorical(name="a", categories=("x", "n/a"), apart=("n/a",))
    assert codes_in(own, own).tolist() == [0, -1]


def test_only_rows_in_whose_code_the_other_value_lies_are_given_it():
    pieces = Pieces(starts=(0, 10, 11), codes=(0, 1, 2), shares=(1.0, 1.0, 1.0), size=20)
    entry = Numeric(
        name="due", minimum=0, maximum=19, integer=True, learned=True, pieces=pieces, repeats="paid"
    )
    values = np.array([1, 5, 10, 12, 18, 15])
    codes = np.array([0, 0, 1, 2, 2, 2], dtype=np.int32)
    other = np.array([9, 1, 10, 3, 18, 14])
    known = np.array([True, True, True, True, True, False])

    def given(repeated):
        return with_same_values(values, codes, replace(entry, repeated=repeated), other, known).tolist()

    assert given(0.0) == [1, 5, 10, 12, 18, 15]
    assert given(1 / 6) == [1, 5, 10, 12, 18, 15]
    assert given(1.0) == [5, 1, 10, 12, 18, 15]


def test_a_bundles_model_repeats_what_its_run_did():
    book = book_of(listed("born"), listed("lives"), number("paid"), number("due"))
    table = pd.concat([homes(), wages(3000)], axis=1)
    model = fit_source(open_source(table, book), plan_of(book), seed=0)
    files = model_files(model, book)
    paid = PaidModel.of_files(
        model.plan,
        book.to_json(),
        files["model/tables.json"],
        files[VALUES],
        files.get("model/similarity.json"),
    )
    assert paid.domain == model.domain
    rows, again = (one.sample(500, rng=np.random.default_rng(4)) for one in (model, paid))
    pd.testing.assert_frame_equal(rows, again)


def test_a_search_compares_the_lists_own_values():
    plan = make_plan(guarantee_of("pure", 8.0, 0, "replace-one"), HOMES.domain, n_rows=3000)
    marks = Marks(agreed_by="A. Ito", agreed_on="2026-01-31", two_way_error=0.2)
    found = try_on(open_source(homes(), HOMES), trial_of(plan, marks, HOMES.domain, n_rows=3000))
    assert found.model.domain.attributes[1].repeats == "born"
    assert found.reached[0].value < 0.2


@pytest.mark.parametrize(
    ("counts", "scale", "usual", "repeats"),
    [
        ([260, 740], 10, 0, True),
        ([250, 750], 10, 0, False),
        ([260, 740], 87, 0, False),
        ([90, 910], 10, 700, True),
        ([70, 930], 10, 700, False),
        ([190, 810], 10, 810, False),
    ],
    ids=["over a quarter", "a quarter", "noise", "of the unusual", "too few of the unusual", "few unusual"],
)
def test_a_list_repeats_another_where_the_noisy_table_says_so_of_unusual_values(
    counts, scale, usual, repeats
):
    """Of 1,000 rows so many have the commonest value of the other list; by hand."""

    class Told:
        """Gives noisy counts of its own in place of what is measured."""

        def measure(self, table, *, stage, loss, what):
            assert (loss, what) == (Fraction(1, 50), "values of lives, if those of another column")
            noisy = np.array(counts, dtype=float)
            return NoisyMarginal(attributes=(1,), counts=noisy, noise="gaussian", scale=scale)

    rest = np.full(len(TOWNS) - 1, (1000 - usual) / (len(TOWNS) - 1))
    seen = NoisyMarginal(attributes=(0,), counts=np.append(usual, rest), noise="gaussian", scale=scale)
    source, left = Repeats({1: (0,)}, Told()).told(open_source(homes(), HOMES), 1, Fraction(1), {0: seen})
    assert source.domain.attributes[1].repeats == ("born" if repeats else "")
    assert left == Fraction(49, 50)
