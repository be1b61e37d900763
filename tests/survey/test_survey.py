"""A survey: charged once before it looks, exact in what it spends, blind to what one person alone has."""

import json
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.errors import BudgetExceededError, PlanError, PrivacyError, SourceError
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.calibration import discovery_threshold
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors, epsilon_of_rho
from hmpb_core.privacy.ledger import Entry, Kind, Totals
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Origin
from hmpb_core.publishing import survey as survey_room
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.drafting import draft_from_header
from hmpb_core.survey.cells import MISSING, N_CELLS, TEXT, cell_of, histogram_of, number_cells, number_range
from hmpb_core.survey.findings import field_of

ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)
PURE = Guarantee(epsilon=0.5, delta=0, currency=Currency.PURE)
ZCDP = Guarantee(epsilon=0.5, delta=1e-9)
N = 60_000


def german_table(n_rows=N, seed=5):
    rng = np.random.default_rng(seed)
    days = pd.to_datetime("1994-01-01") + pd.to_timedelta(rng.integers(0, 3 * 365, n_rows), unit="D")
    income = np.where(rng.random(n_rows) < 0.3, "0", np.round(rng.lognormal(7.6, 0.5, n_rows), 2).astype(str))
    icd = np.where(rng.random(n_rows) < 0.9, rng.choice(["I10", "E11", "J44", "M54"], n_rows), "")
    table = pd.DataFrame(
        {
            "fall_id": [f"P{i}" for i in range(n_rows)],
            "punkte": rng.integers(0, 96, n_rows).astype(str),
            "einkommen": income,
            "diagnose": icd,
            "gebiet": rng.choice(["Nord", "Süd", "Ost", "West"], n_rows, p=[0.4, 0.3, 0.2, 0.1]),
            "aufnahme": pd.Series(days).dt.strftime("%d.%m.%Y"),
            "notiz": [f"Bemerkung {i}" for i in range(n_rows)],
        }
    )
    table.loc[0, ["diagnose", "gebiet"]] = "Kanarienvogel"
    return table


TABLE = german_table()


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        TABLE, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    return workspace


def test_a_tenth_of_epsilon_finds_every_common_category_and_bounds_that_hold_all_but_strays(workspace):
    draft = draft_from_header(list(TABLE.columns))
    commit = prepare_survey(TABLE, draft, workspace, epsilon=0.1)
    assert commit.columns == ("punkte", "einkommen", "diagnose", "gebiet", "aufnahme")
    schema, charge = carry_out_survey(commit, workspace)
    found = {f["name"]: f for f in schema["fields"]}
    assert found["diagnose"]["categories"] == ["E11", "I10", "J44", "M54", "(other)"]
    assert found["gebiet"]["categories"] == ["Nord", "Ost", "Süd", "West", "(other)"]
    assert found["punkte"]["type"] == "integer"
    assert found["einkommen"]["decimals"] == 2
    for name in ("punkte", "einkommen"):
        bounds, values = found[name]["constraints"], TABLE[name].astype(float)
        outside = (values < bounds["minimum"]) | (values > bounds["maximum"])
        assert outside.mean() < 0.02
    assert found["punkte"]["constraints"] == {"minimum": 0, "maximum": 127}
    assert found["aufnahme"]["constraints"] == {"minimum": "01.01.1994", "maximum": "31.12.1996"}
    assert found["aufnahme"]["format"] == "%d.%m.%Y"
    assert found["notiz"]["publish"] is False
    source = {"kind": "survey", "entry": charge.number}
    assert all(found[name]["source"] == source for name in commit.columns)
    assert "Kanarienvogel" not in json.dumps(schema)
    book = Codebook.from_dict({"fields": [found["diagnose"], found["punkte"], found["einkommen"]]})
    assert not book.undeclared
    assert book.sources["diagnose"].origin is Origin.SURVEY


def test_a_survey_is_charged_once_and_exactly(workspace):
    draft = draft_from_header(["gebiet", "punkte"])
    commit = prepare_survey(TABLE, draft, workspace, epsilon=0.1)
    assert [e.kind for e in workspace.entries()] == [Kind.REGISTER]
    _, charge = carry_out_survey(commit, workspace)
    assert [e.kind for e in workspace.entries()] == [Kind.REGISTER, Kind.CHARGE, Kind.COMPLETE]
    [dataset] = workspace.datasets()
    assert dataset.totals == Totals(rho=commit.guarantee.total, delta=Fraction(1e-10))
    assert float(dataset.spent) == pytest.approx(0.1, rel=1e-9)
    assert charge.totals == dataset.totals
    assert workspace.verify() == []


def test_a_charge_is_kept_when_the_survey_fails_and_nothing_of_the_table_gets_out(workspace, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("Kanarienvogel")

    monkeypatch.setattr(survey_room, "histogram_of", broken)
    commit = prepare_survey(TABLE, draft_from_header(["gebiet"]), workspace, epsilon=0.1)
    with pytest.raises(PrivacyError) as caught:
        carry_out_survey(commit, workspace)
    assert "Kanarienvogel" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert [e.kind for e in workspace.entries()] == [Kind.REGISTER, Kind.CHARGE, Kind.FAIL]


@pytest.mark.parametrize(
    ("schema", "options", "error", "sentence"),
    [
        (["gebiet"], {"epsilon": 3}, BudgetExceededError, "left for the data set"),
        (["gebiet"], {"epsilon": 0.1, "delta": 1e-7}, BudgetExceededError, "left for the data set"),
        (["gebiet", "fehlt"], {"epsilon": 0.1}, SourceError, "lacks 'fehlt'"),
        (
            {"fields": [{"name": "gebiet", "categories": ["a"]}]},
            {"epsilon": 0.1},
            PlanError,
            "nothing to survey",
        ),
        ({"fields": [3]}, {"epsilon": 0.1}, SourceError, "no list of 'fields' with names"),
        (["gebiet"], {"epsilon": 0}, PlanError, "epsilon is 0"),
    ],
)
def test_what_can_be_refused_is_refused_before_anything_is_charged(
    schema, options, error, sentence, workspace
):
    draft = draft_from_header(schema) if isinstance(schema, list) else schema
    with pytest.raises(error, match=sentence):
        prepare_survey(TABLE, draft, workspace, **options)
    assert [e.kind for e in workspace.entries()] == [Kind.REGISTER]


def test_without_delta_a_survey_buys_bounds_and_no_texts(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=0)
    commit = prepare_survey(TABLE, draft_from_header(["gebiet", "punkte"]), workspace, epsilon=0.1)
    schema, _ = carry_out_survey(commit, workspace)
    text, number = schema["fields"]
    assert "source" not in text
    assert number["constraints"] == {"minimum": 0, "maximum": 127}
    assert workspace.datasets()[0].totals == Totals(epsilon=Fraction(1, 10), epsilon_squares=Fraction(1, 100))


def accountant(guarantee, *, delta=1e-3, rows=1, seed=1):
    return Accountant(
        Budget(guarantee=guarantee, shares=ONE_STAGE),
        rows_per_person=rows,
        delta=delta,
        protection="seeded",
        seed=seed,
    )


def discover(account, counts, *, loss=None, delta=1e-6, listed=0):
    return account.discover(
        np.asarray(counts),
        listed=listed,
        delta=delta,
        stage=Stage.ONE_WAY_TABLES,
        loss=loss if loss is not None else account.budget.loss(Stage.ONE_WAY_TABLES),
        what="survey",
        attribute=0,
    )


@pytest.mark.parametrize("guarantee", [PURE, ZCDP], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("rows", [1, 3])
def test_a_value_of_one_person_shows_about_as_often_as_delta_allows(guarantee, rows):
    n, delta = 300_000, 2e-3
    noisy, told = discover(accountant(guarantee, delta=0.01, rows=rows), np.full(n, rows), delta=delta)
    share = len(told) / n
    error = math.sqrt(delta / n)
    assert share <= delta / rows + 4 * error  # each of a person's up to m values
    assert share >= 0.8 * delta / rows - 4 * error  # and the threshold is no higher than it need be
    assert (noisy[np.setdiff1d(np.arange(n), told)] == 0).all()


@pytest.mark.parametrize(
    ("guarantee", "sd"),
    [(PURE, math.sqrt(2) * 2 / 0.5), (ZCDP, 1 / math.sqrt(float(ZCDP.total)))],
    ids=["laplace", "gaussian"],
)
def test_noise_has_the_scale_of_its_loss_and_no_more(guarantee, sd):
    n = 50_000
    noisy, told = discover(accountant(guarantee), np.zeros(n, dtype=int), delta=0, listed=n)
    assert len(told) == n
    assert noisy.std() == pytest.approx(sd, rel=0.03)


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("scale", [1.5, 40.0])
def test_the_threshold_is_the_smallest_that_keeps_its_promise(rows, scale):
    delta = 1e-8
    p = math.exp(-1 / scale)

    def laplace(t):
        return rows * p ** (t - rows) / (1 + p)

    def gaussian(t):
        return rows * NormalDist().cdf(-(t - rows - 1) / scale)

    for guarantee, chance in ((PURE, laplace), (ZCDP, gaussian)):
        t = discovery_threshold(scale, delta, guarantee, rows_per_person=rows)
        assert chance(t) <= delta < chance(t - 1)


def test_discovering_spends_its_loss_and_its_delta_and_never_more():
    account = accountant(ZCDP, delta=1e-6)
    loss = account.budget.loss(Stage.ONE_WAY_TABLES)
    discover(account, [5, 900], loss=loss / 2, delta=6e-7)
    with pytest.raises(BudgetExceededError, match="more delta"):
        discover(account, [5], loss=loss / 2, delta=6e-7)
    discover(account, [5], loss=loss / 2, delta=4e-7)
    assert account.spent() == loss
    with pytest.raises(BudgetExceededError):
        discover(account, [5], loss=loss / 100, delta=0)
    with pytest.raises(PlanError, match="far below its epsilon"):
        discover(accountant(PURE, delta=1), [5], delta=0.5)


def test_totals_keep_the_deltas_of_thresholds_apart():
    totals = Totals(rho=Fraction(1, 1000)) + Totals(delta=Fraction(1e-10))
    assert float(totals.epsilon_at(1e-9)) == pytest.approx(epsilon_of_rho(1 / 1000, 1e-9), rel=1e-12)
    assert not totals.fits(Fraction(10), 9e-10)
    assert totals.fits(Fraction(10), 9e-10, survey_delta=1e-10)
    assert Totals.from_dict(totals.to_dict()) == totals


def test_the_split_of_the_delta_is_fixed_at_registration(tmp_path):
    """Rhos are converted at what surveys leave, from the first release on, used or not."""
    workspace = Workspace(tmp_path / "w", create=True)
    told = workspace.register(
        TABLE, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    assert told.left_zcdp == pytest.approx(2, rel=1e-9)
    after = told.after(Guarantee(epsilon=1.0, delta=1e-9))
    expected = epsilon_of_rho(float(after.totals.rho), 9e-10)
    assert float(after.spent) == pytest.approx(expected, rel=1e-9)
    surveyed = after.after(Guarantee(epsilon=0.1, delta=9e-10), delta=5e-11)
    assert surveyed.release_delta == after.release_delta
    with pytest.raises(BudgetExceededError, match="more delta than is left for surveys"):
        surveyed.after(Guarantee(epsilon=0.1, delta=9e-10), delta=6e-11)


def test_a_table_registered_with_its_codebook_has_no_delta_for_surveys(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9)
    commit = prepare_survey(TABLE, draft_from_header(["gebiet", "punkte"]), workspace, epsilon=0.1)
    assert commit.delta == 0


def test_entries_from_before_surveys_keep_their_digests():
    entry = Entry(number=1, kind=Kind.CHARGE, dataset="d", release="r", at="now", who="w", why="")
    assert "delta" not in entry.body
    assert Entry.from_body(entry.body).digest == entry.digest


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("", MISSING),
        ("I10", TEXT),
        ("01067", TEXT),
        ("1e5", TEXT),
        ("31.02.2020", TEXT),
        ("0", number_cells(0)[60]),
        ("1", number_cells(0)[60 + 11]),
        ("-3.50", number_cells(1)[60 - 12]),
        ("3.14159", number_cells(3)[60 + 12]),
    ],
)
def test_every_value_has_one_cell_of_the_public_grid(text, cell):
    assert cell_of(text) == cell


def test_a_cells_numbers_lie_in_its_range():
    for number in (0, 1, 2, 3, 4, 1023, 1024, -1, -2, -1000, 0.25):
        decimals = 2 if number == 0.25 else 0
        place = int(np.flatnonzero(number_cells(decimals) == cell_of(str(number)))[0])
        low, high = number_range(place)
        assert low <= number <= high


def test_a_histogram_counts_every_row_once():
    column = pd.Series(["a", "a", "b", "7", None, "-9", "01.05.1999"])
    counted = histogram_of(column, frozenset({"-9"}), with_texts=True)
    assert counted.counts.sum() == 7
    assert counted.counts[MISSING] == 2
    assert dict(zip(counted.texts, counted.counts[N_CELLS:].tolist(), strict=True)) == {"a": 2, "b": 1}
    assert histogram_of(column, frozenset(), with_texts=False).counts[TEXT] == 3
    assert repr(counted) == "Histogram()"


def test_what_noise_hides_stays_open():
    assert field_of({"name": "x"}, np.full(N_CELLS, 3), [], clear=10) is None


def test_the_command_line_registers_surveys_and_asks(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    TABLE[["gebiet", "punkte"]].to_csv(data, index=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out]
    assert main(survey) == 2
    assert main([*survey, "--yes"]) == 0
    assert "2 of 2 fields found; ledger entry 2" in capsys.readouterr().out
    assert Codebook.read(out).domain.names == ("gebiet", "punkte")


def test_a_person_of_many_rows_counts_with_a_wider_threshold(tmp_path):
    table = pd.DataFrame({"person": np.arange(40_000) // 2, "gebiet": ["Nord", "Ost"] * 20_000})
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        table,
        name="t",
        unit=Unit.parse("person:2"),
        cap_epsilon=2,
        cap_delta=1e-9,
        survey_delta=1e-10,
        neighbors=Neighbors.ADD_REMOVE,
    )
    commit = prepare_survey(table, draft_from_header(["person", "gebiet"]), workspace, epsilon=0.2)
    assert commit.columns == ("gebiet",)
    schema, _ = carry_out_survey(commit, workspace)
    assert schema["fields"][1]["categories"] == ["Nord", "Ost", "(other)"]
