"""What a survey costs and what its thresholds keep: deltas, prices, who counts as one."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

from hmpb_core.errors import BudgetExceededError, DomainError, PlanError
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.calibration import discovery_threshold
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors, epsilon_of_rho, rho_of
from hmpb_core.privacy.ledger import Entry, Totals
from hmpb_core.privacy.ledger import Kind as EntryKind
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.dataset import rounded_down
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.drafting import draft_from_header
from tests.survey.cases import BESIDE_127, TABLE

ONE_STAGE = Shares.from_weights(one_way_tables=1, similarity=0, structure=0, conditional_tables=0)
PURE = Guarantee(epsilon=0.5, delta=0, currency=Currency.PURE)
ZCDP = Guarantee(epsilon=0.5, delta=1e-9)


def test_without_delta_a_survey_buys_bounds_and_no_texts(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(
        TABLE[["gebiet", "punkte"]], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=0
    )
    commit = prepare_survey(
        TABLE[["gebiet", "punkte"]], draft_from_header(["gebiet", "punkte"]), workspace, epsilon=0.1
    )
    schema, _, _ = carry_out_survey(commit, workspace)
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
    schema, _, _ = carry_out_survey(commit, workspace)
    assert {"male", "female"} <= set(schema["fields"][0]["categories"])


def accountant(guarantee, *, delta=1e-3, rows=1, seed=1, protection="seeded"):
    return Accountant(
        Budget(guarantee=guarantee, shares=ONE_STAGE),
        rows_per_person=rows,
        delta=delta,
        protection=protection,
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


@pytest.mark.parametrize("guarantee", [PURE, ZCDP], ids=["laplace", "gaussian"])
def test_the_listed_cells_and_those_that_reach_the_threshold_are_told_and_no_others(guarantee):
    account = accountant(guarantee, protection="none")
    scale = account.table_scale(account.budget.loss(Stage.ONE_WAY_TABLES))
    at = discovery_threshold(scale, 1e-6, guarantee)
    noisy, told = discover(account, [7, 0, at - 1, at, 1, at + 1], listed=2)
    assert told.tolist() == [0, 1, 3, 5]
    assert noisy.tolist() == [7, 0, 0, at, 0, at + 1]


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


@pytest.mark.parametrize(
    ("guarantee", "rows", "most"),
    [
        (PURE, 1, (1 - math.exp(-0.25)) / 2),
        (PURE, 3, (1 - math.exp(-0.25 / 3)) / 2),
        (ZCDP, 1, 0.01),
        (ZCDP, 3, 0.01),
    ],
    ids=["pure", "pure, three rows", "zcdp", "zcdp, three rows"],
)
def test_a_delta_that_the_proof_does_not_cover_is_refused_before_anything_is_paid(guarantee, rows, most):
    """1 / (1 - 2 delta) may be e^(epsilon / 2m) at most: docs/privacy.md, paid surveys."""
    account = accountant(guarantee, delta=1, rows=rows)
    for delta in (1.001 * most, -1e-9):
        with pytest.raises(PlanError, match="far below its epsilon"):
            discover(account, [5], delta=delta)
    assert account.spent() == 0
    discover(account, [5], delta=0.999 * most)
    assert account.spent() == account.budget.loss(Stage.ONE_WAY_TABLES)


def test_totals_keep_the_deltas_of_thresholds_apart():
    totals = Totals(rho=Fraction(1, 1000)) + Totals(delta=Fraction(1e-10))
    assert float(totals.epsilon_at(1e-9)) == pytest.approx(epsilon_of_rho(1 / 1000, 1e-9), rel=1e-12)
    assert not totals.fits(Fraction(10), 9e-10)
    assert totals.fits(Fraction(10), 9e-10, survey_delta=1e-10)
    assert Totals.from_dict(totals.to_dict()) == totals


@pytest.mark.parametrize("delta", [float("nan"), float("-inf"), -1e-10])
def test_a_delta_that_is_none_is_refused_before_the_charge(tmp_path, delta):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE[:50], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9)
    with pytest.raises(PlanError, match="delta of a survey is"):
        prepare_survey(TABLE[:50], draft_from_header(["gebiet"]), workspace, epsilon=0.1, delta=delta)


def test_nothing_is_spent_on_a_column_whose_mark_cannot_be_read(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE[:50], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9)
    schema = draft_from_header(["gebiet"])
    schema["fields"][0]["publish"] = "false"
    with pytest.raises(DomainError, match="'publish' of 'gebiet' must be true or false"):
        prepare_survey(TABLE[:50], schema, workspace, epsilon=0.1)


def test_the_split_of_the_delta_is_fixed_at_registration(tmp_path):
    """Rhos are converted at what surveys leave, from the first release on, used or not."""
    workspace = Workspace(tmp_path / "w", create=True)
    told = workspace.register(
        TABLE[:50], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9, survey_delta=1e-10
    )
    assert told.left_zcdp == pytest.approx(epsilon_of_rho(rho_of(2.0, 9e-10), 1e-9), rel=1e-9)
    told.after(Guarantee(epsilon=rounded_down(told.left_zcdp), delta=1e-9))
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
    assert len(f"{commit.enough:.0e}".split("e")[0]) == 1, "one digit"
    below = commit.enough - 10.0 ** math.floor(math.log10(commit.enough))
    cheaper = prepare_survey(TABLE[:500], draft, workspace, epsilon=below)
    assert cheaper.shared_by > 125


def test_a_table_is_large_enough_for_its_texts_with_as_many_rows_as_must_share_one(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    draft, told = draft_from_header(["gebiet"]), {"cap_delta": 1e-9, "survey_delta": 1e-10}
    commits = []
    for less in (None, 0, 1):
        table = TABLE[["gebiet"]][: 50 if less is None else commits[0].shared_by - less]
        workspace.register(table, name=f"{less}", unit=Unit.parse("row"), cap_epsilon=2, **told)
        commits.append(prepare_survey(table, draft, workspace, epsilon=0.5))
    assert [commit.hides_texts for commit in commits] == [True, False, True]


def test_a_price_at_which_more_is_found_is_told_where_not_even_half_of_the_rows_are_enough(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    draft, told = draft_from_header(["gebiet"]), {"cap_delta": 1e-9, "survey_delta": 1e-10}
    found = []
    rows = None
    for half in (None, -1, 0):
        table = TABLE[["gebiet"]][: 50 if rows is None else 2 * rows + half]
        workspace.register(table, name=f"{half}", unit=Unit.parse("row"), cap_epsilon=2, **told)
        found.append(prepare_survey(table, draft, workspace, epsilon=0.5))
        rows = found[0].shared_by
    assert [commit.enough is None for commit in found[1:]] == [False, True]
    assert not found[1].hides_texts


def test_thresholds_cost_a_tenth_of_the_delta_and_half_of_what_surveys_have_left_at_most(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    told = {"cap_epsilon": 2, "cap_delta": 1e-9, "survey_delta": 1e-10}
    workspace.register(TABLE[:50], name="t", unit=Unit.parse("row"), **told)
    draft = draft_from_header(["gebiet"])
    commit = prepare_survey(TABLE[:50], draft, workspace, epsilon=0.1)
    assert commit.delta == pytest.approx(5e-11)  # half of 1e-10
    assert commit.guarantee.delta == pytest.approx(9e-10)
    small = prepare_survey(TABLE[:50], draft, workspace, epsilon=0.1, delta=2e-10)
    assert small.delta == pytest.approx(2e-11)
    assert small.guarantee.delta == pytest.approx(1.8e-10)


def test_a_table_registered_with_its_codebook_has_no_delta_for_surveys(tmp_path):
    workspace = Workspace(tmp_path / "w", create=True)
    workspace.register(TABLE[:50], name="t", unit=Unit.parse("row"), cap_epsilon=2, cap_delta=1e-9)
    commit = prepare_survey(TABLE[:50], draft_from_header(["gebiet", "punkte"]), workspace, epsilon=0.1)
    assert commit.delta == 0


def test_entries_from_before_surveys_keep_their_digests():
    entry = Entry(number=1, kind=EntryKind.CHARGE, dataset="d", release="r", at="now", who="w", why="")
    assert "delta" not in entry.body
    assert Entry.from_body(entry.body).digest == entry.digest
