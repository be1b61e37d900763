"""The accuracy sheet: made of released files alone, and its figures by hand."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.errors import SourceError
from hmpb_core.grid import Pieces
from hmpb_core.planning.feasibility import Verdict
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.publishing.accuracy import accuracy_files, accuracy_of
from hmpb_core.publishing.accuracy_sheet import Accuracy, ColumnAccuracy, PairAccuracy
from hmpb_core.publishing.mean_accuracy import mean_interval
from hmpb_core.publishing.model_files import model_files
from hmpb_core.publishing.rehearsal import rehearse
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

BOOK = Codebook.from_dict(
    {
        "fields": [
            {"name": "a", "categories": ["x", "y"], "constraints": {"required": True}},
            {"name": "b", "categories": ["x", "y"], "constraints": {"required": True}},
            {
                "name": "age",
                "type": "integer",
                "bins": 2,
                "constraints": {"minimum": 0, "maximum": 19, "required": True},
            },
        ]
    }
)


def table(seed, n=4000):
    rng = np.random.default_rng(seed)
    a = rng.integers(2, size=n)
    return pd.DataFrame(
        {
            "a": np.array(["x", "y"])[a],
            "b": np.array(["x", "y"])[a ^ (rng.random(n) < 0.1)],
            "age": rng.integers(20, size=n),
        }
    )


def bundle(method="hmprivbayes", seed=0, epsilon=1.0):
    plan = make_plan(Guarantee(epsilon=epsilon), BOOK.domain, n_rows=4000, method=method)
    source = open_source(table(seed), BOOK)
    _, made = rehearse(source, BOOK, PlanFile.of(plan, BOOK), stand_in="a test", seed=1)
    return {path: item.value for path, item in made.files.items()}


def test_independent_columns_have_the_noise_of_their_own_tables_by_hand():
    files = bundle("independent")
    sheet = accuracy_of(files, rows=4000)
    acts = {act["what"]: act for act in json.loads(files["model/measurements.json"])["acts"]}
    n = json.loads(files["model/tables.json"])["n_rows"]
    sd = acts["one-way table of age"]["noise_sd"]
    shares = json.loads(files["model/tables.json"])["one_way"]["age"]
    column = next(column for column in sheet.columns if column.name == "age")
    assert column.noise == pytest.approx(1.96 * sd / n)
    middle = 4.75 * shares[0] + 14.25 * shares[1]  # the bins are 9.5 wide, so rows lie up to 4.75 off it
    noise = 1.96 * sd / n * math.hypot(4.75 - middle, 14.25 - middle)
    assert column.mean_noise == pytest.approx(noise + 4.75)
    assert sheet.pairs == ()
    assert sheet.indirect == 3
    assert set(sheet.lonely) == {"a", "b", "age"}
    [alone] = [line for line in sheet.avoid() if "unrelated" in line]
    assert (
        alone
        == "Any relation of these 3 columns to others: a, b, age. No table of them with one was measured, "
        "so the rows show them as unrelated."
    )
    one = replace(sheet, lonely=("b",)).avoid()
    assert any(line.startswith("Any relation of b to another column") for line in one)


def test_pairs_that_noise_hides_are_named_in_one_line():
    pairs = [
        PairAccuracy(names=("a", n), cells=4, noise=0.5, error=0.5, verdict=Verdict.DROWNED) for n in "bc"
    ]
    sheet = replace(accuracy_of(bundle("independent"), rows=400), pairs=tuple(pairs))
    assert "The relations of these 2 pairs, which noise hides: a and b; a and c." in sheet.avoid()
    assert "The relation of a and b: noise hides it." in replace(sheet, pairs=sheet.pairs[:1]).avoid()


def test_numbers_whose_mean_noise_hides_are_named_in_one_line():
    def number(name, noise, mean):
        return ColumnAccuracy(name=name, values=2, noise=noise, mean_noise=mean, is_number=True)

    cost, paid, age = number("cost", 0.01, None), number("paid", 0.01, None), number("age", 0.01, 3.0)
    total = replace(cost, name="total", noise=None, follows=True)  # what decides it has means of its own
    sheet = replace(accuracy_of(bundle("independent"), rows=400), columns=(cost, age, total))
    assert [line for line in sheet.avoid() if "mean" in line] == [
        "The mean, the sum and the large values of cost: noise may be more than its numbers differ."
    ]
    assert [line for line in replace(sheet, columns=(cost, paid, age)).avoid() if "mean" in line] == [
        "The mean, the sum and the large values of these 2 columns: cost, paid. Noise may be more than their "
        "numbers differ."
    ]


def test_the_drawing_interval_is_that_of_a_share_of_one_half():
    sheet = accuracy_of(bundle("independent"), rows=400)
    assert sheet.drawing == pytest.approx(1.96 * 0.5 / 20)


def test_the_sheet_knows_the_released_files_alone():
    """Another private table under the same release would be another bundle; the sheet has no other input."""
    files = bundle()
    kept = {path: files[path] for path in ("plan.toml", "model/codebook.json", "model/tables.json")}
    kept["model/measurements.json"] = files["model/measurements.json"]
    assert accuracy_of(kept, rows=4000) == accuracy_of(files, rows=4000)
    again = accuracy_of(dict(files), rows=4000).to_dict()
    assert again == accuracy_of(files, rows=4000).to_dict()
    assert json.loads(files["accuracy.json"])["columns"] == again["columns"]


def test_the_expected_error_of_a_pair_is_near_its_mean_error_over_runs():
    truth = pd.crosstab(table(0)["a"], table(0)["b"]).to_numpy().ravel() / 4000
    errors, expected = [], []
    plan = make_plan(Guarantee(epsilon=0.2), BOOK.domain, n_rows=4000)
    source = open_source(table(0), BOOK)
    for seed in range(12):
        model = fit_source(source, plan, seed=seed)
        codes = model.sample_codes(4000, rng=np.random.default_rng(seed))
        drawn = np.bincount(codes[:, 0] * 2 + codes[:, 1], minlength=4) / 4000
        errors.append(0.5 * np.abs(drawn - truth).sum())
        sheet = accuracy_of(released(model, plan, BOOK), rows=4000)
        expected += [pair.error for pair in sheet.pairs if pair.names == ("a", "b")]
    assert len(expected) == 12
    assert 0.4 < np.mean(errors) / np.mean(expected) < 1.6


def number(*, bins=None, missing=False, maximum=200):
    """A codebook of one number and one list."""
    learned = {"bins": bins} if bins else {"bins": "learned"}
    limits = {"minimum": 0, "maximum": maximum, **({} if missing else {"required": True})}
    fields = [
        {"name": "x", "type": "integer", **learned, "constraints": limits},
        {"name": "a", "categories": ["x", "y"], "constraints": {"required": True}},
    ]
    return Codebook.from_dict({"fields": fields})


def released(model, plan, book):
    """The files of a bundle that the sheet reads."""
    files = {path: text.encode() for path, text in model_files(model, book).items()}
    return files | {"plan.toml": PlanFile.of(plan, book).to_toml().encode()}


def means_of(book, values, epsilon, *, seeds, method="independent"):
    """Errors of the model's mean of x, and the intervals that the sheet states, over releases."""
    plan = make_plan(Guarantee(epsilon=epsilon), book.domain, n_rows=len(values), method=method)
    frame = pd.DataFrame({"x": pd.array(values, dtype="Int64"), "a": "x"})
    errors, intervals = [], []
    for seed in range(seeds):
        model = fit_source(open_source(frame, book), plan, seed=seed)
        column = accuracy_of(released(model, plan, book), rows=len(values)).columns[0]
        bins = np.array(model.domain.attributes[0].bin_means)
        shares = model.tables[[table.family.child for table in model.tables].index(0)].probabilities
        inside = shares[: bins.size] / max(shares[: bins.size].sum(), 1e-9)
        errors.append(float(inside @ bins) - frame["x"].mean())
        intervals.append(column.mean_noise)
    return np.array(errors), intervals


@pytest.mark.parametrize("missing", [0.0, 0.7])
def test_a_learned_mean_lies_in_its_interval_and_the_interval_is_not_idle(missing):
    rng = np.random.default_rng(4)
    values = [
        None if rng.random() < missing else int(value) for value in np.minimum(rng.gamma(2, 15, 3000), 200)
    ]
    errors, intervals = means_of(number(missing=missing > 0), values, 1.0, seeds=25)
    assert None not in intervals
    parts = np.abs(errors) / np.array(intervals)
    assert (parts <= 1).mean() >= 0.9
    assert np.median(parts) > 0.08
    assert max(intervals) < 21, "the values' own standard deviation"


def test_the_interval_of_a_mean_covers_the_noise_of_a_cell_of_rare_large_values():
    def half(large):
        pieces = Pieces((0, 1, large), (0, 1, 1), (1.0, 0.0, 1.0), 1001)
        paid = Numeric(
            name="paid", minimum=0, maximum=1000, integer=True, bins=2, learned=True, pieces=pieces
        )
        paid = replace(paid, pieces=pieces)
        return mean_interval(paid, np.array([0.99, 0.01]), code_sd=9.0, cell_sd=10.0, people=1000)

    assert half(1000) == pytest.approx(0.01 * 2 * 990), "two standard deviations of 10 in 1,000 rows at 1,000"
    assert half(500) == pytest.approx(0.01 * 2 * 992.5), "the cell may hold them at its far end"


def test_a_mean_of_declared_bins_covers_where_in_them_the_rows_lie():
    values = [10 * (i % 20) + 1 for i in range(3000)]  # each near the lower end of its bin
    errors, intervals = means_of(number(bins=20), values, 5.0, seeds=10)
    assert all(abs(error) > 2 for error in errors)
    assert all(abs(error) <= half < 7 for error, half in zip(errors, intervals, strict=True))


def test_no_mean_is_claimed_of_one_code_or_where_rare_values_may_lie_far_away():
    _, one = means_of(number(bins=1), [1] * 300, 1.0, seeds=1)
    _, far = means_of(number(maximum=10**6), [i % 5 for i in range(3000)], 1.0, seeds=3)
    assert one + far == [None] * 4


def test_rare_values_have_the_noise_of_their_own_table_alone():
    rare = [f"rare {i}" for i in range(6)]
    fields = [
        {"name": name, "categories": ["x", "y", *rare], "constraints": {"required": True}} for name in "ab"
    ]
    book = Codebook.from_dict({"fields": fields})
    rng = np.random.default_rng(3)
    a = rng.integers(2, size=4000)
    frame = pd.DataFrame({"a": np.array(["x", "y"])[a], "b": np.array(["x", "y"])[a]})
    frame.loc[:11, "a"] = rare * 2
    plan = make_plan(Guarantee(epsilon=2.0), book.domain, n_rows=4000)
    _, made = rehearse(open_source(frame, book), book, PlanFile.of(plan, book), stand_in="a test", seed=1)
    files = {path: item.value for path, item in made.files.items()}
    column = accuracy_of(files, rows=4000).columns[0]
    acts = json.loads(files["model/measurements.json"])["acts"]
    own = [act["noise_sd"] for act in acts if act["kind"] == "table" and act["attributes"] == ["a"]]
    sd = 1 / math.sqrt(sum(1 / look**2 for look in own))
    assert column.rare_noise == pytest.approx(1.96 * sd / 4000)
    assert column.rare_noise > column.noise
    assert "of rare values" in column.share_words()
    assert "of rare values" in files["accuracy.html"].decode()
    assert "rare values have an interval of their own" in files["accuracy.html"].decode()


def test_rare_values_are_defined_only_where_the_page_gives_them_an_interval():
    page = bundle("independent")["accuracy.html"].decode()
    assert "of rare values" not in page
    assert "rare values have an interval of their own" not in page


@pytest.mark.parametrize("share", [0.0, 0.005, 0.009])
def test_a_missing_value_that_noise_hid_may_have_what_was_taken_away(share):
    fields = [{"name": name, "categories": ["x", "y"]} for name in "ab"]
    book = Codebook.from_dict({"fields": fields})
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=4000)
    frame = pd.DataFrame({"a": ["x", "y"] * 2000, "b": "x"})
    frame.loc[: round(4000 * share) - 1, "a"] = None
    limits = []
    for seed in range(20):
        files = released(fit_source(open_source(frame, book), plan, seed=seed), plan, book)
        sheet = accuracy_of(files, rows=4000)
        for value, most in sheet.columns[0].hidden:
            assert value == "(missing)"
            acts = json.loads(files["model/measurements.json"])["acts"]
            own = [act["noise_sd"] for act in acts if act["kind"] == "table" and act["attributes"] == ["a"]]
            sd = 1 / math.sqrt(sum(1 / look**2 for look in own))
            assert most == pytest.approx(min(2 * sd / 4000, 0.03) + 1.645 * sd / 4000)
            hides = [line for line in sheet.avoid() if "The share of (missing)" in line]
            assert len(hides) == 1
            assert " a" in hides[0]
            assert sheet.to_dict()["columns"]["a"]["hidden"] == {value: most}
            limits.append(most)
    assert sum(most < share for most in limits) <= 2
    assert limits
    assert max(limits) < 0.05


def test_an_interval_beyond_all_rows_says_that_no_share_is_known():
    files = bundle(epsilon=0.001)
    sheet = accuracy_of(files, rows=4000)
    assert max(column.noise for column in sheet.columns) > 1
    assert "no share is known" in sheet.headline()
    assert "e+0" not in sheet.headline() + " ".join(sheet.avoid()) + files["accuracy.html"].decode()
    assert "no share is known" in files["accuracy.html"].decode()
    assert all(entry["noise_interval"] <= 1 for entry in sheet.to_dict()["columns"].values())


@pytest.mark.parametrize(
    "rule",
    [{"kind": "equal", "column": "b", "to": "a"}, {"kind": "follows", "column": "b", "from": "a"}],
    ids=["a copy", "by pairs that nobody listed"],
)
def test_a_column_that_a_rule_decides_is_said_to_follow_and_not_to_be_unrelated(rule):
    rules = [rule]
    book = Codebook.from_dict({**BOOK.to_dict(), "rules": rules})
    frame = table(0).assign(b=lambda it: it["a"])
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=4000)
    files = released(fit_source(open_source(frame, book), plan, seed=0), plan, book)
    sheet = accuracy_of(files, rows=4000)
    assert "b" not in sheet.lonely
    assert "Any relation of b but what follows from a by a declared rule." in sheet.avoid()
    assert sheet.columns[1].share_words() == "follows by a rule"
    assert not [pair for pair in sheet.pairs if "b" in pair.names], "the rows hold no such table"


def test_no_interval_is_claimed_of_a_list_whose_values_are_partly_another_columns():
    towns, rng = [f"t{i}" for i in range(20)], np.random.default_rng(0)
    fields = [
        {"name": name, "type": "string", "categories": towns, "constraints": {"required": True}}
        for name in ("born", "lives")
    ]
    book, born = Codebook.from_dict({"fields": fields}), rng.choice(towns, 4000)
    frame = pd.DataFrame(
        {"born": born, "lives": np.where(rng.random(4000) < 0.8, born, rng.choice(towns, 4000))}
    )
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=4000)
    sheet = accuracy_of(released(fit_source(open_source(frame, book), plan, seed=0), plan, book), rows=4000)
    born, lives = sheet.columns
    assert (born.values, lives.values) == (20, 20)
    assert born.noise is not None
    assert lives.noise is None
    assert lives.share_words() == "in many rows that of born"
    assert (sheet.pairs, sheet.lonely) == ((), ("born",))


def test_the_interval_of_an_answer_knows_how_cells_with_several_were_mended():
    rng = np.random.default_rng(3)
    ticked = rng.random((4000, 4)) < 0.3
    cells = [";".join(f"a{i}" for i in np.flatnonzero(row)) for row in ticked]
    table = pd.DataFrame({"ticks": np.where(rng.random(4000) < 0.5, cells, "")})
    answers = [{"column": "ticks", "answer": f"a{i}", "between": ";"} for i in range(4)]
    fields = [{"name": f"ticks/{a['answer']}", "type": "boolean", "answerTo": a} for a in answers]
    book = Codebook.from_dict({"fields": fields})
    plan = make_plan(Guarantee(epsilon=5), book.domain, n_rows=4000, method="independent")
    _, made = rehearse(open_source(table, book), book, PlanFile.of(plan, book), stand_in="a test", seed=1)
    files = {path: item.value for path, item in made.files.items()}
    sheet = accuracy_of(files, rows=4000)
    acts = {act["what"]: act["noise_sd"] for act in json.loads(files["model/measurements.json"])["acts"]}
    for place, column in enumerate(sheet.columns):
        real = np.mean([f"a{place}" in cell for cell in table["ticks"]])
        drawn = made.rows[0][column.name].fillna(False).mean()
        noise = 1.96 * acts[f"one-way table of {column.name}"] / 4000
        assert column.noise > 3 * noise, "independent answers are mostly mended"
        assert abs(drawn - real) < column.noise + sheet.drawing


def test_columns_that_rules_decide_are_one_line_without_those_whose_relations_were_measured():
    sheet = Accuracy(
        rows=100,
        people=100,
        drawing=0.1,
        columns=(),
        pairs=(PairAccuracy(names=("age", "band"), cells=4, noise=0.01, error=0.01, verdict=Verdict.USABLE),),
        indirect=0,
        lonely=(),
        smallest=None,
        follows=(("band", ("number",)), ("total", ("net", "tax")), ("copy", ("age",)), ("town", ("code",))),
        by_chance=("town",),
    )
    said = [line for line in sheet.avoid() if "what follows" in line]
    assert said == [
        "Any relation of these 2 columns but what follows by declared rules, of each from what stands "
        "beside it: total (from net and tax), copy (from age)."
    ]
    assert sum("noise chose which" in line for line in sheet.avoid()) == 1


@pytest.mark.parametrize(("many", "chance"), [(4, False), (300, True)], ids=["a few pairs", "hidden pairs"])
def test_where_noise_chose_the_pairs_that_nobody_listed_the_sheet_says_so(many, chance):
    names = [f"station {i}" for i in range(many)]
    fields = [
        {"name": "station", "categories": names},
        {"name": "code", "categories": [f"c{i}" for i in range(many)]},
    ]
    rules = [{"kind": "follows", "column": "code", "from": "station"}]
    book = Codebook.from_dict({"fields": fields, "rules": rules})
    numbers = np.arange(4000) % many
    frame = pd.DataFrame({"station": [f"station {i}" for i in numbers], "code": [f"c{i}" for i in numbers]})
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=4000)
    sheet = accuracy_of(released(fit_source(open_source(frame, book), plan, seed=0), plan, book), rows=4000)
    assert sheet.by_chance == (("code",) if chance else ())
    said = "noise chose which" if chance else "what follows from station by a declared rule"
    assert sum(said in line for line in sheet.avoid()) == 1


def test_a_column_of_one_value_is_known_exactly_and_related_to_nothing():
    fields = [
        *BOOK.to_dict()["fields"],
        {**BOOK.to_dict()["fields"][0], "name": "cycle", "categories": ["9"]},
    ]
    book = Codebook.from_dict({**BOOK.to_dict(), "fields": fields})
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=4000, method="independent")
    files = released(fit_source(open_source(table(0).assign(cycle="9"), book), plan, seed=0), plan, book)
    sheet = accuracy_of(files, rows=4000)
    assert (sheet.columns[-1].noise, sheet.columns[-1].share_words()) == (0.0, "0 points")
    assert set(sheet.lonely) == {"a", "b", "age"}
    assert sheet.indirect == 3


def test_groups_are_of_no_size_where_all_may_be_off_by_half():
    sheet = accuracy_of(bundle(), rows=4000)
    assert any(f"fewer than {sheet.smallest:,} people" in line for line in sheet.avoid())
    small = replace(sheet, people=sheet.smallest)
    assert (
        "Groups in a typical table of two columns: their size may be off by more than half." in small.avoid()
    )


def test_the_page_says_that_a_mean_is_not_known():
    column = ColumnAccuracy(name="x", values=1, noise=0.1, mean_noise=None, is_number=True)
    assert column.mean_words() == "not known"
    assert replace(column, is_number=False).mean_words() == ""
    assert replace(column, mean_noise=2.0).mean_words() == "2"
    assert replace(column, mean_noise=7071.3).mean_words() == "7,070"


def test_a_method_without_noise_is_told_to_have_none():
    sheet = accuracy_of(bundle("noprivacy"), rows=4000)
    assert all(column.noise == 0 for column in sheet.columns)


def test_an_older_bundle_without_measurements_is_refused():
    files = bundle("independent")
    del files["model/measurements.json"]
    with pytest.raises(SourceError, match="older version"):
        accuracy_of(files, rows=10)


def test_a_longer_table_of_rows_changes_the_drawing_interval_alone():
    files = bundle()
    few, many = accuracy_of(files, rows=100), accuracy_of(files, rows=10_000)
    assert few.pairs == many.pairs
    assert few.drawing == pytest.approx(10 * many.drawing)


def test_every_page_of_the_sheet_says_that_it_knows_no_private_table():
    assert "No figure was computed from the private table" in bundle()["accuracy.html"].decode()
    assert accuracy_files.__doc__
