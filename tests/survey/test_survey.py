"""A survey: charged once before it looks, exact in what it spends, blind to what one person alone has."""

import itertools
import json
import math
import shutil
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

from hmpb_core.cli import main
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.errors import BudgetExceededError, DomainError, PlanError, PrivacyError, SourceError
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.calibration import discovery_threshold
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors, epsilon_of_rho
from hmpb_core.privacy.ledger import Entry, Totals, digest_of
from hmpb_core.privacy.ledger import Kind as EntryKind
from hmpb_core.privacy.noise import SeededNoise
from hmpb_core.privacy.unit import Unit
from hmpb_core.provenance import Origin
from hmpb_core.publishing import survey as survey_room
from hmpb_core.publishing.findings import SURVEYS, findings_of
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey, surveyed
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.drafting import draft_from_header, draft_from_rows
from hmpb_core.survey.cells import (
    DATED_CELLS,
    N_CELLS,
    N_KINDS,
    NUMBER_CELLS,
    OTHER_CELL,
    WORD_CELLS,
    YEAR_CELLS,
    Counted,
    Kind,
    cell_of,
    count,
    number_range,
)
from hmpb_core.survey.findings import Look, field_of, list_cells
from hmpb_core.survey.looks import coarser
from hmpb_core.survey.noisy import Noisy
from hmpb_core.survey.scales import coarse_cells, occupied, stretched
from hmpb_core.survey.sketches import Sketch, sketch_of
from hmpb_core.survey.wording import worded
from hmpb_core.survey.words import LISTS, WORDS
from tests.thorough import THOROUGH

ZERO = len(NUMBER_CELLS) // 2
ONE = ZERO + 41
"""The places of 0, and of the numbers from 1 to 2."""
BESIDE_127 = [2**power - 1 for power in range(7, 12)]
"""127, or up to four powers of two more where noise shows beside the numbers."""
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


@pytest.fixture(autouse=True)
def repeatable_noise(monkeypatch):
    """What a survey finds hangs on chance: of a column in fifty noise says something else."""
    monkeypatch.setattr("hmpb_core.privacy.accountant.SystemNoise", lambda: SeededNoise(3))


@pytest.fixture(scope="module")
def registered(tmp_path_factory):
    """A workspace with the table in it; registering it takes seconds."""
    folder = tmp_path_factory.mktemp("survey") / "w"
    Workspace(folder, create=True).register(
        TABLE, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    return folder


@pytest.fixture
def workspace(registered, tmp_path):
    return Workspace(shutil.copytree(registered, tmp_path / "w"))


@THOROUGH
def test_a_tenth_of_epsilon_finds_every_common_category_and_bounds_that_hold_all_but_strays(workspace):
    draft = draft_from_header(list(TABLE.columns))
    commit = prepare_survey(TABLE, draft, workspace, epsilon=0.1)
    assert commit.columns == ("punkte", "einkommen", "diagnose", "gebiet", "aufnahme")
    schema, charge = carry_out_survey(commit, workspace)
    found = {f["name"]: f for f in schema["fields"]}
    codes = [c["value"] for c in found["diagnose"]["categories"][:4]]
    assert codes == ["E11", "I10", "J44", "M54"]
    assert found["diagnose"]["unknown"] == "(other)"
    assert found["gebiet"]["categories"] == ["Nord", "Ost", "Süd", "West", "(other)"]
    assert found["punkte"]["type"] == "integer"
    assert found["einkommen"]["decimals"] == 2
    for name in ("punkte", "einkommen"):
        bounds, values = found[name]["constraints"], TABLE[name].astype(float)
        outside = (values < bounds["minimum"]) | (values > bounds["maximum"])
        assert outside.mean() < 0.02
    assert found["punkte"]["constraints"]["minimum"] == 0
    assert found["punkte"]["constraints"]["maximum"] in BESIDE_127
    assert found["aufnahme"]["constraints"] in (
        {"minimum": "01.01.1994", "maximum": "31.12.1996"},
        {"minimum": "01.01.1993", "maximum": "31.12.1997"},  # where noise hides more than a hundredth
    )
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
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER]
    _, charge = carry_out_survey(commit, workspace)
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER, EntryKind.CHARGE, EntryKind.COMPLETE]
    [dataset] = workspace.datasets()
    assert dataset.totals == Totals(rho=commit.guarantee.total, delta=Fraction(1e-10))
    assert float(dataset.spent) == pytest.approx(0.1, rel=1e-9)
    assert charge.totals == dataset.totals
    assert workspace.verify() == []


def test_what_a_survey_found_is_kept_for_the_table_and_only_as_it_was_found(workspace):
    draft = draft_from_header(["gebiet", "punkte"])
    assert findings_of(workspace, TABLE) == {}
    schema, charge = carry_out_survey(prepare_survey(TABLE, draft, workspace, epsilon=0.1), workspace)
    found = {f["name"]: f for f in schema["fields"]}
    assert findings_of(workspace, TABLE) == found
    kept = workspace.folder / SURVEYS / f"{charge.release}.json"
    assert kept.parent.stat().st_mode & 0o077 == 0
    assert workspace.entries()[-1].details["artefacts"] == {"findings": digest_of(kept.read_bytes())}
    carry_out_survey(prepare_survey(TABLE, draft, workspace, epsilon=0.05), workspace)
    assert findings_of(workspace, TABLE) == found, "what cost less knows less"
    again, _ = carry_out_survey(
        prepare_survey(TABLE, draft_from_header(["punkte"]), workspace, epsilon=0.2), workspace
    )
    assert findings_of(workspace, TABLE) == {**found, "punkte": again["fields"][0]}
    kept.write_text(kept.read_text().replace("Nord", "Niemand"))
    changed = findings_of(workspace, TABLE)
    assert changed["punkte"] == again["fields"][0]
    assert "Niemand" not in json.dumps(changed), "what was changed is not paid for"
    kept.unlink()
    assert findings_of(workspace, TABLE) == changed
    assert workspace.verify() == []


def test_a_charge_is_kept_when_the_survey_fails_and_nothing_of_the_table_gets_out(workspace, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("Kanarienvogel")

    monkeypatch.setattr(survey_room, "count", broken)
    commit = prepare_survey(TABLE, draft_from_header(["gebiet"]), workspace, epsilon=0.1)
    with pytest.raises(PrivacyError) as caught:
        carry_out_survey(commit, workspace)
    assert "Kanarienvogel" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER, EntryKind.CHARGE, EntryKind.FAIL]


@pytest.mark.parametrize(
    ("schema", "options", "error", "sentence"),
    [
        (["gebiet"], {"epsilon": 3}, BudgetExceededError, "a further release of the data set"),
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
    assert [e.kind for e in workspace.entries()] == [EntryKind.REGISTER]


def test_without_delta_a_survey_buys_bounds_and_no_texts(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        TABLE[["gebiet", "punkte"]], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=0
    )
    commit = prepare_survey(
        TABLE[["gebiet", "punkte"]], draft_from_header(["gebiet", "punkte"]), workspace, epsilon=0.1
    )
    schema, _ = carry_out_survey(commit, workspace)
    text, number = schema["fields"]
    assert "source" not in text
    assert number["constraints"]["minimum"] == 0
    assert number["constraints"]["maximum"] in BESIDE_127
    assert workspace.datasets()[0].totals == Totals(epsilon=Fraction(1, 10), epsilon_squares=Fraction(1, 100))


def test_without_delta_a_survey_buys_the_words_of_public_lists_and_says_so(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    table = pd.DataFrame({"a": ["male", "female"] * 2000})
    workspace.register(table, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=0)
    commit = prepare_survey(table, draft_from_header(["a"]), workspace, epsilon=1)
    assert "Bought       bounds, decimals and words of public lists; no other texts" in "\n".join(
        commit.lines
    )
    schema, _ = carry_out_survey(commit, workspace)
    assert {"male", "female"} <= set(schema["fields"][0]["categories"])


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
        TABLE[:50], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    assert told.left_zcdp == pytest.approx(2, rel=1e-9)
    after = told.after(Guarantee(epsilon=1.0, delta=1e-9))
    expected = epsilon_of_rho(float(after.totals.rho), 9e-10)
    assert float(after.spent) == pytest.approx(expected, rel=1e-9)
    surveyed = after.after(Guarantee(epsilon=0.1, delta=9e-10), delta=5e-11)
    assert surveyed.release_delta == after.release_delta
    with pytest.raises(BudgetExceededError, match="more delta than is left for surveys"):
        surveyed.after(Guarantee(epsilon=0.1, delta=9e-10), delta=6e-11)


@pytest.mark.parametrize(
    ("neighbors", "unit", "said"),
    [("replace-one", "row", True), ("add-remove", "row", False), ("replace-one", "diagnose:2", False)],
)
def test_a_table_too_small_for_its_texts_is_told_so_before_it_pays(tmp_path, neighbors, unit, said):
    """Only where the number of rows is public: otherwise the sentence itself would tell it."""
    workspace = Workspace(tmp_path / "w", create=True)
    told = {"cap_epsilon": 2, "cap_delta": 1e-9, "survey_delta": 1e-10, "neighbors": Neighbors(neighbors)}
    workspace.register(TABLE[:50], name="t", unit=Unit.parse(unit), **told)
    commit = prepare_survey(TABLE[:50], draft_from_header(["gebiet"]), workspace, epsilon=0.1)
    assert commit.shared_by > 50
    assert any("none is found" in line for line in commit.lines) is said


def test_a_survey_that_finds_nothing_names_a_price_at_which_it_finds_a_quarter_of_the_rows(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    told = {"cap_epsilon": 10, "cap_delta": 1e-9, "survey_delta": 1e-10}
    workspace.register(TABLE[:500], name="t", unit=Unit.parse("row"), **told)
    draft = draft_from_header(["gebiet"])
    commit = prepare_survey(TABLE[:500], draft, workspace, epsilon=0.1)
    assert any(f"epsilon {commit.enough:g} finds" in line for line in commit.lines)
    dearer = prepare_survey(TABLE[:500], draft, workspace, epsilon=commit.enough)
    assert dearer.shared_by <= 125
    assert dearer.enough is None


def test_a_table_registered_with_its_codebook_has_no_delta_for_surveys(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE[:50], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9)
    commit = prepare_survey(TABLE[:50], draft_from_header(["gebiet", "punkte"]), workspace, epsilon=0.1)
    assert commit.delta == 0


def test_entries_from_before_surveys_keep_their_digests():
    entry = Entry(number=1, kind=EntryKind.CHARGE, dataset="d", release="r", at="now", who="w", why="")
    assert "delta" not in entry.body
    assert Entry.from_body(entry.body).digest == entry.digest


@pytest.mark.parametrize(
    ("text", "kind", "cell"),
    [
        ("", Kind.MISSING, OTHER_CELL),
        ("Haus 4", Kind.PHRASE, OTHER_CELL),
        ("01067", Kind.WORD, OTHER_CELL),
        ("1e5", Kind.WORD, OTHER_CELL),
        ("31.02.2020", Kind.WORD, OTHER_CELL),
        ("0", Kind.THOUSANDS, NUMBER_CELLS[ZERO]),
        ("1", Kind.WHOLE, NUMBER_CELLS[ONE]),
        ("-3.50", Kind.TENTH_TWO, NUMBER_CELLS[ZERO - 42]),
        ("3.14159", Kind.DECIMALS, NUMBER_CELLS[ONE + 1]),
        ("1996-13-27", Kind.WORD, OTHER_CELL),
        ("1987", Kind.WHOLE, YEAR_CELLS[87]),
        ("2100", Kind.HUNDREDS, NUMBER_CELLS[ONE + 11]),
        ("1987.5", Kind.ONE_DECIMAL, NUMBER_CELLS[ONE + 10]),
        (".5", Kind.ONE_DECIMAL, NUMBER_CELLS[ONE - 1]),
        ("-.250", Kind.TWO_DECIMALS, NUMBER_CELLS[ZERO - 39]),
        (".", Kind.WORD, OTHER_CELL),
        ("-6.5e-04", Kind.DECIMALS, NUMBER_CELLS[ZERO - 30]),
        ("1.2e-38", Kind.DECIMALS, NUMBER_CELLS[ZERO + 1]),
        ("4e+00", Kind.WHOLE, NUMBER_CELLS[ONE + 2]),
        ("2.1E3", Kind.HUNDREDS, NUMBER_CELLS[ONE + 11]),
        ("24:00", Kind.WORD, OTHER_CELL),
        ("1:60 PM", Kind.PHRASE, OTHER_CELL),
        pytest.param("9" * 5000, Kind.WHOLE, NUMBER_CELLS[-1], id="a number longer than Python reads"),
        pytest.param("-" + "3" * 4998 + "00", Kind.HUNDREDS, NUMBER_CELLS[0], id="and one below zero"),
    ],
)
def test_every_value_has_one_kind_and_one_public_cell(text, kind, cell):
    assert cell_of(text) == (kind, cell)


def test_codes_share_the_cell_of_their_first_three_characters_and_words_have_their_own():
    assert cell_of("I10") == cell_of("I10.90")
    assert cell_of("I10") != cell_of("I11")
    cells = {cell_of(word)[1] for word in WORDS}
    assert len(cells) == len(WORDS)
    assert OTHER_CELL not in cells


def test_a_cells_numbers_lie_in_its_range():
    for number in (0, 1, 2, 3, 4, 1023, 1024, -1, -2, -1000, 0.25):
        place = int(np.flatnonzero(cell_of(str(number))[1] == NUMBER_CELLS)[0])
        low, high = number_range(place)
        assert low <= number <= high


def test_every_row_is_counted_once_by_kinds_and_once_by_cells():
    column = pd.Series(["Kran", "Kran", "Bahn", "7", None, "-9", "01.05.1999", "I10", "weiblich"])
    counted = count(column, frozenset({"-9"}), with_texts=True)
    assert counted.kinds.sum() == counted.cells.sum() == 9
    assert counted.kinds[Kind.MISSING] == 2
    assert dict(zip(counted.texts, counted.cells[N_CELLS:].tolist(), strict=True)) == {"Kran": 2, "Bahn": 1}
    assert counted.distinct == 4, "texts: Kran, Bahn, I10, weiblich"
    assert count(column, frozenset({"-9"}), with_texts=False).cells[OTHER_CELL] == 3 + 2
    assert repr(counted) == "Counted()"


@pytest.mark.parametrize("changed", ["Kran", "", "8", "neu", "27.08.1996", "I10"])
def test_a_row_that_changes_moves_two_counts_by_one_and_the_different_values_by_one_at_most(changed):
    values = ["Kran", "Kran", "Bahn", "7", "", "01.05.1999", "I10", "weiblich"]
    before = count(pd.Series(values), frozenset(), with_texts=True)
    for row in range(len(values)):
        after = count(pd.Series([*values[:row], changed, *values[row + 1 :]]), frozenset(), with_texts=True)
        assert np.abs(before.kinds - after.kinds).sum() <= 2
        assert abs(before.distinct - after.distinct) <= 1
        cells = by_name(before)
        cells.subtract(by_name(after))
        assert sum(map(abs, cells.values())) <= 2


VIEWS = {
    "as they are": lambda counted: counted,
    "small numbers as words": Counted.as_words,
    "numbers as dates": Counted.as_dates,
    "texts as lengths": Counted.as_lengths,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_however_a_column_is_looked_at_a_row_that_changes_moves_two_cells_by_one(view):
    missing = frozenset({"", "9", "99", "00:00"})
    values = ["yes", "9", "9", "7", "99", "", "19860412", "1:30:00", "2 h", "I10", "5 or more", "00:00", "3"]
    before = view(count(pd.Series(values), missing, with_texts=True))
    assert before.cells.sum() == len(values)
    assert (before.cells >= 0).all()
    for row, changed in itertools.product(range(len(values)), [*values, "neu", "4", "198604", "0:15"]):
        after = view(count(pd.Series([*values[:row], changed, *values[row + 1 :]]), missing, with_texts=True))
        cells = by_name(before)
        cells.subtract(by_name(after))
        assert sum(map(abs, cells.values())) <= 2


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_the_order_of_rows_decides_nothing(view):
    values = ["Kran", "Bahn", "11", "7", "0:30", "1:00", "Kran"]
    names = {
        view(count(pd.Series(order), frozenset(), with_texts=True)).texts
        for order in itertools.permutations(values)
    }
    assert len(names) == 1


@pytest.mark.parametrize("first", ["Atlantis", "Elsewhere"])
def test_texts_that_were_found_beside_a_list_stand_in_an_order_that_tells_of_no_row(tmp_path, first):
    rows = pd.DataFrame({"country": [first, *["DE", "FR", "DE", "Elsewhere", "Atlantis"] * 400], "x": "a"})
    workspace = Workspace(tmp_path, create=True)
    workspace.register(
        rows, name="t", unit=Unit.parse("row"), cap_epsilon=10, cap_delta=1e-6, survey_delta=1e-7
    )
    commit = prepare_survey(rows, draft_from_header(["country", "x"]), workspace, epsilon=5)
    found, _ = carry_out_survey(commit, workspace)
    assert found["fields"][0]["categories"][-3:] == ["Atlantis", "Elsewhere", "(other)"]


@pytest.mark.parametrize("one", ["7", "NA", "."])
def test_what_a_guess_read_off_the_rows_is_in_no_field_that_a_survey_bought(tmp_path, one):
    scores = [one, *map(str, np.arange(1999) % 40)]
    rows = pd.DataFrame({"score": scores, "town": ["Ulm", "Linz"] * 1000})
    workspace = Workspace(tmp_path, create=True)
    workspace.register(
        rows, name="t", unit=Unit.parse("row"), cap_epsilon=10, cap_delta=1e-6, survey_delta=1e-7
    )
    found, _ = carry_out_survey(prepare_survey(rows, draft_from_rows(rows), workspace, epsilon=5), workspace)
    assert Codebook.from_dict(found).undeclared == frozenset()
    assert found["missingValues"] == [""]
    assert not any("missingValues" in entry for entry in found["fields"])


def test_missing_codes_that_came_with_the_file_hold_for_a_field_that_is_still_open(tmp_path):
    rows = pd.DataFrame({"score": [*map(str, np.arange(1900) % 40), *["-9"] * 100]})
    workspace = Workspace(tmp_path, create=True)
    workspace.register(
        rows, name="t", unit=Unit.parse("row"), cap_epsilon=10, cap_delta=1e-6, survey_delta=1e-7
    )
    draft = draft_from_header(["score"], {"score": {"name": "score", "missingValues": ["-9", ""]}})
    found, _ = carry_out_survey(prepare_survey(rows, draft, workspace, epsilon=5), workspace)
    assert found["fields"][0]["missingValues"] == ["-9", ""]
    assert found["fields"][0]["constraints"]["minimum"] == 0


def test_which_of_equal_values_comes_first_decides_nothing():
    # True == 1 == 1.0 in Python, and Decimal("1.10") == Decimal("1.1"): each row is what it is.
    rows = [1, True, 1.0, Decimal("1.1"), Decimal("1.10"), "1"]
    before = by_name(count(pd.Series(rows, dtype=object), frozenset(), with_texts=True))
    for order in itertools.permutations(rows):
        assert by_name(count(pd.Series(order, dtype=object), frozenset(), with_texts=True)) == before


def by_name(counted):
    names = [*range(N_CELLS), *counted.texts]
    return Counter(dict(zip(names, counted.cells.tolist(), strict=True)))


def look(counts=(), *, kind=Kind.WORD, rows=1000.0, sd=1.0, texts=None):
    cells = np.zeros(N_CELLS)
    for cell, number in counts:
        cells[cell] = number
    return Look(sketch=Sketch(kind=kind, rows=rows), cells=Noisy(counts=cells, sd=sd), texts=texts or {})


def test_what_noise_hides_stays_open():
    assert field_of({"name": "x"}, Look(sketch=None, texts={})) is None
    assert field_of({"name": "x"}, look(kind=Kind.WHOLE)) is None
    assert field_of({"name": "x"}, look()) is None
    assert sketch_of(Noisy(counts=np.full(N_KINDS, 3.0), sd=2.0)) is None


def sketched(sd=3.0, **kinds):
    counts = np.zeros(N_KINDS)
    for name, number in kinds.items():
        counts[Kind[name]] = number
    return sketch_of(Noisy(counts=counts, sd=sd))


@pytest.mark.parametrize(
    ("kinds", "step"),
    [
        ({"HUNDREDS": 700.0, "THOUSANDS": 300.0}, 100),
        ({"FIVES": 400.0, "TENS": 500.0, "THOUSANDS": 30.0}, 5),
        ({"WHOLE": 300.0, "THOUSANDS": 700.0}, 1),  # heaped, but not all: points of mass are learned
        ({"WHOLE": 5.0, "TENS": 500.0, "HUNDREDS": 50.0}, 10),  # five rows are no more than noise
        ({"WHOLE": 6.0, "FIVES": 9.0, "TENS": 9.0, "HUNDREDS": 500.0}, 5),  # together they are more
        ({"TENS": 500.0, "TWO_DECIMALS": 90.0}, 1),
    ],
)
def test_what_divides_all_numbers_is_read_off_the_counts_that_were_paid(kinds, step):
    assert sketched(**kinds).step == step


def test_a_column_of_hundreds_is_declared_in_hundreds():
    cells = [(NUMBER_CELLS[ONE + 10], 500.0), (NUMBER_CELLS[ONE + 11], 400.0)]
    pay = replace(look(cells), sketch=sketched(HUNDREDS=900.0))
    field = field_of({"name": "pay"}, pay)
    assert field["multipleOf"] == 100
    assert field["constraints"] == {"minimum": 0, "maximum": 4000}
    assert Codebook.from_dict({"fields": [field]}).domain.attributes[0].grid.size == 41


def test_many_thin_cells_side_by_side_stand_out_together():
    thin = np.zeros(200)
    thin[64:96] = 2.0
    assert occupied(Noisy(counts=thin, sd=1.0)) == (64, 95)
    assert occupied(Noisy(counts=np.where(np.arange(200) == 70, 2.0, 0.0), sd=1.0)) is None


def test_bounds_do_not_reach_for_a_cell_far_from_all_others_unless_it_is_clearer_still():
    counts = np.zeros(len(NUMBER_CELLS))
    counts[[ZERO, ONE, ONE + 2]] = 4.5, 900.0, 40.0  # 0, from 1 on, from 4 on
    for stray, last in ((4.5, ONE + 2), (6.0, ONE + 29)):
        counts[ONE + 29] = stray
        assert occupied(Noisy(counts=counts, sd=1.0)) == (ZERO, last), "0 is never a stray"
    counts[ONE + 29], counts[ONE + 5] = 0.0, 4.5
    assert occupied(Noisy(counts=counts, sd=1.0)) == (ZERO, ONE + 5), "nor is what lies beside the others"
    counts[ZERO - 70] = 4.5
    assert occupied(Noisy(counts=counts, sd=1.0)) == (ZERO, ONE + 5)


def test_what_is_spread_too_thin_for_single_cells_is_bounded_by_a_count_of_coarse_ones():
    years = np.zeros(200)
    years[10:90] = 2.0  # 1910 to 1989: windows of any width drown in this noise
    fine = Noisy(counts=years, sd=20.0)
    assert occupied(fine) is None
    coarse = Noisy(counts=np.bincount(coarse_cells(200), weights=years), sd=10.0)
    assert coarse.counts.tolist() == [44.0, 64.0, 52.0, 0, 0, 0, 0]
    assert occupied(fine, coarse) == (0, 95)


def test_a_coarse_count_tells_nothing_that_single_cells_explain():
    years = np.zeros(200)
    years[40] = 900.0
    fine = Noisy(counts=years, sd=20.0)
    coarse = Noisy(counts=np.bincount(coarse_cells(200), weights=years), sd=10.0)
    assert occupied(fine, coarse) == occupied(fine) == (40, 40)


def test_bounds_beyond_which_noise_hides_rows_are_widened_but_never_those_of_grades():
    doses = look([(NUMBER_CELLS[ONE + 3], 700.0)])  # 8 to 16, of 1000 rows
    field = field_of({"name": "dose"}, replace(doses, sketch=sketched(WHOLE=1000.0)))
    assert field["constraints"] == {"minimum": 0, "maximum": 127}  # 0.3 hidden: three more powers of two
    all_found = field_of({"name": "dose"}, replace(doses, sketch=sketched(WHOLE=700.0)))
    assert all_found["constraints"] == {"minimum": 8, "maximum": 15}
    grades = look([(NUMBER_CELLS[ONE + power], 250.0) for power in range(3)])  # 1 to 8
    field = field_of({"name": "grade"}, replace(grades, sketch=sketched(WHOLE=1000.0)))
    assert field["constraints"] == {"minimum": 0, "maximum": 7}


def noisy_numbers(counts, sd=1.0):
    cells = np.zeros(len(NUMBER_CELLS))
    for place, rows in counts.items():
        cells[place] = rows
    return Noisy(counts=cells, sd=sd)


def test_cells_beside_those_that_were_found_are_bounds_where_they_show_half_of_their_noise_on_average():
    thin = {ONE + 5: 99.0, ONE + 6: 0.9, ONE + 7: 0.2, ONE + 8: 0.9, ONE + 9: 0.4}
    assert stretched(ONE + 5, ONE + 5, noisy_numbers(thin), smallest=1.0) == (ONE + 5, ONE + 8)
    assert stretched(ONE + 5, ONE + 5, noisy_numbers({ONE + 6: 0.4}), smallest=1.0) == (ONE + 5, ONE + 5)
    far = {ONE + power: 0.7 for power in range(5, 20)}
    assert stretched(ONE + 5, ONE + 5, noisy_numbers(far), smallest=1.0) == (ONE + 5, ONE + 9)
    below = noisy_numbers({ONE + 4: 1.6, ONE + 3: 1.6})
    assert stretched(ONE + 5, ONE + 5, below, smallest=1.0) == (ONE + 3, ONE + 5), "the nearest first"


def test_a_long_thin_tail_is_taken_in_where_its_cells_together_show_what_noise_hardly_ever_does():
    """Days until something happens: 1 for most, up to thousands for a quarter."""
    none, tail = len(NUMBER_CELLS) // 2, range(1, 13)
    for flag in (none, ONE):
        days = noisy_numbers({ONE: 30.0, ONE - 1: 0.0} | {ONE + power: 1.5 for power in tail})
        assert stretched(flag, ONE, days, smallest=1.0) == (flag, ONE + 12)
    thinner = noisy_numbers(
        {ONE: 30.0} | {ONE + power: 1.1 for power in tail}
    )  # 12 x 0.35 is no more than 4.5
    assert stretched(none, ONE, thinner, smallest=1.0) == (none, ONE)


@pytest.mark.parametrize(("laplace", "most"), [(False, 0.003), (True, 0.02)])
def test_noise_beside_a_flag_is_hardly_ever_a_long_tail(laplace, most):
    rng, none = np.random.default_rng(5), len(NUMBER_CELLS) // 2
    far = 0
    for _ in range(2000):
        noise = rng.laplace(scale=0.5**0.5, size=2 * none + 1) if laplace else rng.normal(size=2 * none + 1)
        counts = Noisy(counts=noise, sd=1.0, laplace=laplace)
        far += stretched(none, ONE, counts, smallest=1.0)[1] > ONE + 4
    assert far <= most * 2000


def test_a_column_without_numbers_below_0_gets_none_and_small_numbers_it_cannot_hold_are_passed_over():
    none, minus_one = len(NUMBER_CELLS) // 2, len(NUMBER_CELLS) // 2 - 41
    both = noisy_numbers({ONE: 2.0, minus_one: 2.0})
    assert stretched(ONE + 1, ONE + 1, both, smallest=1.0) == (ONE, ONE + 1)
    assert stretched(none, none, both, smallest=1.0) == (none, ONE)
    assert stretched(none, none, both, smallest=0.0) == (none, none)  # any small number lies between
    assert stretched(minus_one - 1, none, both, smallest=1.0) == (minus_one - 1, ONE)


def test_a_flag_of_0_and_1_has_no_tail_but_a_clear_one():
    none, faint = ONE - 41, {ONE + 1: 1.5, ONE + 2: 1.5}
    assert number_range(none) == (0.0, 0.0)
    assert stretched(none, ONE, noisy_numbers(faint), smallest=1.0) == (none, ONE)
    assert stretched(none, ONE, noisy_numbers({ONE + 1: 2.5, ONE + 2: 1.5}), smallest=1.0) == (none, ONE + 1)
    assert stretched(none, ONE, noisy_numbers(faint), smallest=0.01) == (none, ONE + 2), "a measurement"
    assert stretched(none - 41, ONE, noisy_numbers(faint), smallest=1.0) == (none - 41, ONE + 2)
    assert stretched(none, ONE + 1, noisy_numbers({ONE + 2: 1.5}), smallest=1.0) == (none, ONE + 2), "counts"


def test_a_column_of_zeros_with_rows_beside_them_counts_ones_and_not_thousands():
    children = look([(NUMBER_CELLS[ZERO], 900.0), (NUMBER_CELLS[ONE], 3.0), (NUMBER_CELLS[ONE + 10], 3.0)])
    field = field_of({"name": "juvenile"}, replace(children, sketch=sketched(THOUSANDS=900.0)))
    assert field["constraints"] == {"minimum": 0, "maximum": 1}
    assert "multipleOf" not in field


def test_noise_alone_moves_a_bound_in_about_two_of_five_columns():
    rng = np.random.default_rng(4)
    moved = [
        stretched(
            ONE + 5, ONE + 5, Noisy(counts=rng.normal(0, 7.0, len(NUMBER_CELLS)), sd=7.0), smallest=1.0
        )[1]
        > ONE + 5
        for _ in range(1000)
    ]
    assert 0.3 < np.mean(moved) < 0.5


def test_coarse_cells_hold_the_same_rows_as_the_cells_of_a_scale():
    cells = np.arange(N_CELLS + 2)  # two texts behind the public cells
    for scale in (NUMBER_CELLS, YEAR_CELLS, DATED_CELLS):
        joined = coarser(cells, scale)
        assert joined.sum() == cells.sum()
        outside = np.setdiff1d(np.arange(cells.size), scale)
        assert (joined[outside] == cells[outside]).all()


def test_noise_alone_hardly_ever_gives_bounds():
    rng = np.random.default_rng(3)
    for draw in (rng.normal, lambda loc, scale, size: rng.laplace(loc, scale / math.sqrt(2), size)):
        found = [
            occupied(Noisy(counts=draw(0, 7.0, 200), sd=7.0, laplace=draw != rng.normal)) is not None
            for _ in range(100)
        ]
        assert np.mean(found) <= 0.05


def test_a_public_list_is_recognised_whole_in_the_words_of_the_file():
    states = next(words for words in LISTS if "Bremen" in words.words)
    found = look([(cell, 60.0) for cell in list_cells(states)[:15]])  # nobody of the last state
    field = field_of({"name": "region"}, found)
    values = [c["value"] if isinstance(c, dict) else c for c in field["categories"]]
    assert values == [*states.words, "(other)"]
    sexes = look([(cell_of("weiblich")[1], 520.0), (cell_of("männlich")[1], 470.0)])
    assert field_of({"name": "x"}, sexes)["categories"][0] == {"value": "weiblich", "label": "female"}
    assert found.explained == pytest.approx(0.9)


def test_of_a_public_list_only_what_is_seen_is_kept_where_the_rest_is_noise_and_no_name_tells():
    """F and M of a column of felonies and misdemeanours are no sexes: nobody is X or U."""
    degrees = look([(cell_of("F")[1], 640.0), (cell_of("M")[1], 350.0)])
    values = field_of({"name": "charge_degree"}, degrees)["categories"]
    assert [c["value"] if isinstance(c, dict) else c for c in values] == ["F", "M", "(other)"]
    outcome = look([(cell_of("unknown")[1], 800.0), (cell_of("other")[1], 60.0)], texts={"failure": 120.0})
    values = field_of({"name": "poutcome"}, outcome)["categories"]
    words = [c["value"] if isinstance(c, dict) else c for c in values]
    assert set(words) == {"unknown", "other", "failure", "(other)"}
    codes = next(listed for listed in LISTS if {"US", "CA", "DE"} <= set(listed.words))
    rare = [(cell, 4.0 if place else 9000.0) for place, cell in enumerate(list_cells(codes))]
    assert len(field_of({"name": "x"}, look(rare, rows=1e4))["categories"]) == len(codes.words) + 1


def test_a_few_short_codes_of_a_public_list_do_not_mean_what_the_list_says():
    """North, south and west were said to be Niederösterreich, Salzburg and Wien."""
    seen = look([(cell_of(word)[1], 330.0) for word in "NSW"])
    assert field_of({"name": "region"}, seen)["categories"] == ["N", "S", "W", "(other)"]


def test_a_lone_word_of_a_public_list_needs_more_than_one_beside_others_of_its_list():
    faint = 1.03 * Noisy(counts=np.zeros(N_CELLS), sd=1.0).clear(len(WORDS))
    truths = {"True": 540.0, "False": 350.0}
    for rows, named in ((faint, set()), (2 * faint, {"september"})):
        assert set(look([(cell_of("september")[1], rows)], texts=truths).named) == {*truths, *named}
    both = look([(cell_of(word)[1], faint) for word in ("september", "maart")])
    assert set(both.named) == {"september", "maart"}
    assert not look([(cell_of("Y97")[1], faint)]).named


def test_a_code_among_numbers_needs_more_the_more_columns_there_are():
    faint = 1.03 * Noisy(counts=np.zeros(N_CELLS), sd=1.0).clear(2600, chance=1e-4)
    codes = [(cell_of(code)[1], faint) for code in ("V24", "S92")]
    assert set(look(codes).named) == {"V24", "S92"}, "a column of codes"
    assert set(look(codes, kind=Kind.WHOLE).named) == {"V24", "S92"}
    assert not replace(look(codes, kind=Kind.WHOLE), columns=57).named
    usual = [(cell, 0.9 * faint) for cell, _ in codes]
    assert set(look(usual).named) == {"V24", "S92"}
    assert not look(usual, kind=Kind.WHOLE).named


def test_noise_alone_hardly_ever_names_a_word():
    rng = np.random.default_rng(7)
    named = [bool(look([*enumerate(rng.normal(0, 1, N_CELLS))]).named) for _ in range(400)]
    assert np.mean(named) <= 0.01


def test_noise_alone_hardly_ever_is_a_public_list():
    """Answers of a questionnaire were months where noise was larger than the table: once in 900 columns."""
    rng = np.random.default_rng(11)
    for sd, most in ((50, 0.02), (100, 0.02), (400, 0.0)):  # 1 % is allowed: 4 of 400, and 2 by chance
        noise = [look([*enumerate(rng.normal(0, sd, N_CELLS))], sd=sd).listed for _ in range(400)]
        assert np.mean([one is not None for one in noise]) <= most
    weekdays = next(listed for listed in LISTS if "Montag" in listed.words)
    assert look([(cell, 140.0) for cell in list_cells(weekdays)], sd=70).listed == weekdays


def test_noise_beside_missing_codes_alone_is_no_public_list():
    """Numbers of children were Swiss cantons: three quarters of the rows held NA, and noise hid the rest."""
    rng = np.random.default_rng(12)
    lists = []
    for _ in range(600):
        noise = look([*enumerate(rng.normal(0, 120, N_CELLS))], sd=120)
        lists.append(replace(noise, sketch=replace(noise.sketch, rows=3830.0, marks=3830.0)).listed)
    assert sum(one is not None for one in lists) <= 1
    answers = look([(cell_of("Yes")[1], 600.0), (cell_of("No")[1], 570.0)], sd=120)
    listed = replace(answers, sketch=replace(answers.sketch, rows=3830.0, marks=3830.0)).listed
    assert listed is not None
    assert {"Yes", "No"} <= set(listed.words)


def test_rare_codes_fold_into_their_chapters_and_known_ones_stay():
    codes = [(cell_of(code)[1], 300.0) for code in ("I10", "E11")]
    folded = field_of({"name": "icd_haupt"}, look(codes, kind=Kind.CODE))
    book = Codebook.from_dict({"fields": [folded | {"source": {"kind": "survey", "entry": 2}}]})
    table = pd.DataFrame({"icd_haupt": ["I10.90", "I11.0", "E11", "seltsam"]})
    shown = [book.domain.attributes[0].labels[code] for code in encode(table, book)[:, 0]]
    assert shown == ["I10", "I00-I99", "E11", "(other)"]
    letters = field_of({"name": "platz"}, look(codes, kind=Kind.CODE))
    assert {"value": "I00-I99", "prefixes": ["I"]} in letters["categories"]


def test_a_vocabularys_column_takes_the_words_of_the_file_where_they_stand_out():
    sex, month, married, smoker = draft_from_header(["sex", "monat", "marital_status", "is_smoker"])["fields"]

    def seen(*words, **more):
        return look([(cell_of(word)[1], 480.0) for word in words], **more)

    values = [c["value"] if isinstance(c, dict) else c for c in worded(sex, seen("w", "m"))["categories"]]
    assert values == ["w", "m", "d", "u", "(other)"]
    assert worded(sex, seen("female", "male")) is None, "it has these words already"
    assert worded(sex, look(texts={"A": 400.0, "B": 400.0}))["categories"] == ["A", "B", "(other)"]
    assert worded(sex, look()) is None
    numbers = look([(NUMBER_CELLS[ONE], 500.0)], kind=Kind.WHOLE)
    assert [c["value"] for c in worded(sex, numbers)["categories"]] == ["2", "1", "9", "0"]
    two = look([(NUMBER_CELLS[ZERO], 480.0), (NUMBER_CELLS[ONE], 520.0)], kind=Kind.WHOLE)
    assert worded(sex, two)["categories"] == [0, 1]
    assert worded(month, numbers) is None
    assert worded(smoker, numbers)["categories"] == [0, 1]
    assert [
        c["value"] for c in worded(month, look(texts={f"0{i}": 80.0 for i in range(1, 9)}))["categories"]
    ][:2] == ["01", "02"]
    more = worded(
        married,
        look([(cell_of("Married")[1], 450.0), (cell_of("Single")[1], 400.0)], texts={"Together": 90.0}),
    )
    assert [c if isinstance(c, str) else c["value"] for c in more["categories"]][-2:] == [
        "Together",
        "(other)",
    ]
    assert Codebook.from_dict({"fields": [more]}).domain.attributes[0].unknown == "(other)"


def test_only_beside_open_fields_does_a_survey_ask_whether_vocabularies_fit():
    fields = draft_from_header(["sex", "age", "country", "x"])["fields"]
    assert surveyed(fields) == ["sex", "age", "country", "x"]
    assert surveyed(fields[:3]) == []


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["3.0", "17.0"], {"type": "number", "multipleOf": 1}),
        (["3.00", "17.00"], {"type": "number", "multipleOf": 1, "written": 2}),
        (["3.00", "17.50", "9.25"], {"type": "number", "decimals": 2, "written": 2}),
        (["3", "17.5", "9.2"], {"type": "number", "decimals": 1, "written": "shortest"}),
        (["3.0", "17.5", "9.2"], {"type": "number", "decimals": 1}),
        (["3", "17"], {"type": "integer"}),
        (["9/4/2012", "12/30/2013"], {"type": "date", "format": "%-m/%-d/%Y"}),
        (["09/04/2012", "12/30/2013"], {"type": "date", "format": "%m/%d/%Y"}),
        (["7.8.1996", "12.11.1998"], {"type": "date", "format": "%-d.%-m.%Y"}),
        (["7.8.1996 9:30"], {"type": "datetime", "format": "%-d.%-m.%Y %-H:%M", "multipleOf": 60}),
    ],
    ids=str,
)
def test_numbers_and_dates_of_a_survey_are_written_as_in_the_file(texts, says):
    counted = count(pd.Series(texts * 200), frozenset({""}), with_texts=False)
    sketch = sketch_of(Noisy(counts=counted.kinds.astype(float), sd=2.0))
    field = field_of(
        {"name": "x"},
        Look(sketch=sketch, cells=Noisy(counts=counted.cells[:N_CELLS] * 1.0, sd=2.0), texts={}),
    )
    told = {
        key: field[key] for key in ("type", "format", "multipleOf", "decimals", "written") if key in field
    }
    assert told == says
    book = Codebook.from_dict({"fields": [field]})
    assert (encode(pd.DataFrame({"x": texts}), book) >= 0).all()


def test_a_column_of_which_only_zeros_stand_out_is_no_column_of_thousands():
    sketch = Sketch(kind=Kind.WHOLE, rows=950.0, step=1000)
    zeros = look([(NUMBER_CELLS[ZERO], 900.0)], kind=Kind.WHOLE)
    zeros.sketch = sketch
    field = field_of({"name": "x"}, zeros)
    assert (field["constraints"], "multipleOf" in field) == ({"minimum": 0, "maximum": 1}, False)


def test_a_text_that_many_numbers_have_is_a_missing_code():
    numbers = look([(NUMBER_CELLS[ONE + 3], 900.0)], kind=Kind.WHOLE, texts={"k. A.": 90.0})
    field = field_of({"name": "x"}, numbers)
    assert field["missingValues"] == ["k. A.", ""]
    assert field["type"] == "integer"
    words = [(WORD_CELLS[WORDS.index("NA")], 90.0), (WORD_CELLS[WORDS.index("unknown")], 60.0)]
    public = look([(NUMBER_CELLS[ONE + 3], 850.0), *words], kind=Kind.WHOLE)
    assert field_of({"name": "x"}, public)["missingValues"] == ["NA", "unknown", ""]


def test_notes_and_keys_are_left_unpublished_and_cost_no_second_look(tmp_path):
    n = 20_000
    table = pd.DataFrame(
        {"vermerk": [f"Akte {i} liegt vor" for i in range(n)], "kurz": [f"X{i}Q" for i in range(n)]}
    )
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        table, name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    schema, _ = carry_out_survey(
        prepare_survey(table, {"fields": [{"name": "vermerk"}, {"name": "kurz"}]}, workspace, epsilon=0.5),
        workspace,
    )
    assert [(f["role"], f["publish"]) for f in schema["fields"]] == [("text", False), ("identifier", False)]


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


def with_a_hidden_column(folder):
    """A table with a column that three rows fill, its draft, a codebook to come, and a workspace."""
    data, draft, out = (str(folder / name) for name in ("t.csv", "draft.json", "book.json"))
    hidden = pd.Series([""] * len(TABLE)).where(TABLE.index > 2, "7")
    TABLE[["punkte"]].assign(selten=hidden).to_csv(data, index=False)
    assert main(["codebook", data, "-o", draft]) == 0
    return data, draft, out, ["--workspace", str(folder / "w")]


def test_columns_of_which_noise_hides_everything_stay_open_or_are_left_out(tmp_path, capsys):
    data, draft, out, work = with_a_hidden_column(tmp_path)
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]
    assert main(survey) == 0
    assert "Noise hid what is in 'selten'." in capsys.readouterr().err
    with pytest.raises(DomainError):
        Codebook.read(out)
    assert main([*survey, "--leave-out"]) == 0
    assert "They are not published" in capsys.readouterr().err
    assert Codebook.read(out).domain.names == ("punkte",)


def test_rules_of_columns_that_a_survey_leaves_out_go_with_them(tmp_path, capsys):
    data, draft, out, work = with_a_hidden_column(tmp_path)
    schema = json.loads(Path(draft).read_text())
    kept = {"kind": "nonNegative", "column": "punkte"}
    schema["rules"] = [kept, {"kind": "askedIf", "column": "selten", "if": {"punkte": {"above": 3}}}]
    Path(draft).write_text(json.dumps(schema))
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    survey = ["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]
    assert main([*survey, "--leave-out"]) == 0
    assert "Rules that name 'selten' are taken out" in capsys.readouterr().err
    assert json.loads(Path(out).read_text())["rules"] == [kept]
    assert Codebook.read(out).domain.names == ("punkte",)


def test_fields_that_stay_as_their_names_suggest_are_counted_apart_and_named(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    empty = pd.Series([""] * len(TABLE)).where(TABLE.index > 2, "CH")
    TABLE[["punkte"]].assign(country=empty, nationality=empty).to_csv(data, index=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    assert main(["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]) == 0
    said = capsys.readouterr().out
    assert "1 of 3 fields found, 2 left as their names suggest ('country', 'nationality'); ledger" in said


def test_rare_bands_in_a_column_called_age_are_said_to_be_hidden_and_are_no_numbers(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    few = TABLE.iloc[:6000]
    bands = pd.Series(range(len(few))) % 17 * 5
    few[["punkte"]].assign(age=[f"{low}-{low + 4}" for low in bands]).to_csv(data, index=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    assert main(["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]) == 0
    said = capsys.readouterr()
    assert "1 of 2 fields found; ledger" in said.out
    assert "Noise hid what is in 'age'. Leave them out with 'publish': false; or declare them" in said.err
    with pytest.raises(DomainError):
        Codebook.read(out)


def test_a_survey_of_a_table_that_was_registered_otherwise_names_the_remedy(tmp_path, capsys):
    data, draft, out = (str(tmp_path / name) for name in ("t.csv", "draft.json", "book.json"))
    TABLE[["gebiet", "punkte"]].head(50).to_csv(data, index=False, header=False)
    work = ["--workspace", str(tmp_path / "w")]
    assert main(["codebook", data, "-o", draft, "--no-header"]) == 0
    assert main(["register", data, *work, "--cap", "1", "--unit", "row"]) == 0
    assert main(["survey", data, "--codebook", draft, *work, "--epsilon", "0.1", "-o", out, "--yes"]) != 0
    assert "or read otherwise" in capsys.readouterr().err


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
