"""Candidates tried against marks: what it costs, what it says, what it leaves."""

import io
import json
import re
import zipfile
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pytest
import yaml

from hmpb_core import Guarantee, PlanError, make_plan
from hmpb_core.acceptance.marks import Marks
from hmpb_core.acceptance.selection import choose, trial_of, try_on
from hmpb_core.cli import main
from hmpb_core.domain import Domain
from hmpb_core.errors import BudgetExceededError
from hmpb_core.privacy import private_candidate as search_room
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.privacy.private_candidate import private_candidate
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.sources.memory import MemorySource
from tests.tables import SCHEMA, people

AGREED = {"agreed_by": "A. Ito, B. Okoye", "agreed_on": "2026-01-31"}
DOMAIN = Domain.of_sizes([2, 3])
PURE = Guarantee(epsilon=4.0, delta=0, currency=Currency.PURE)


def table(n=4000):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, n)
    return np.stack([x, x + rng.integers(0, 2, n)], axis=1)


def trial(marks, guarantee=PURE, **options):
    plan = make_plan(guarantee, DOMAIN, n_rows=4000, method="independent", **options)
    return trial_of(plan, marks, DOMAIN, n_rows=4000)


def test_two_tries_of_plan_and_check_are_the_whole_guarantee_exactly():
    found = trial(Marks(**AGREED, two_way_error=0.5, candidates=({}, {"gamma": 0.0})))
    assert [2 * (plan.guarantee.total + found.check) for plan in found.plans] == [PURE.total] * 2
    assert [plan.gamma for plan in found.plans] == [1.0, 0.0]
    assert found.stop == pytest.approx(1 / 6)


def test_what_passes_carries_the_bill_of_the_whole_search():
    prepared = trial(Marks(**AGREED, two_way_error=0.9))
    chosen = choose(MemorySource(table(), DOMAIN), prepared)
    assert chosen is not None
    assert chosen.score > prepared.threshold
    assert chosen.model.bill.loss == PURE.total
    assert chosen.model.bill.nominal == 4.0
    assert chosen.model.releasable
    assert max(chosen.model.bill.attributes.values()) <= 4.0 + 1e-9
    assert chosen.to_dict(prepared)["epsilon"]["charged"] == 4.0


def test_marks_that_nothing_meets_end_without_a_model():
    """Independent columns cannot give a pair's table: the search stops, in about three tries."""
    prepared = trial(Marks(**AGREED, two_way_error=0.05))
    assert [choose(MemorySource(table(), DOMAIN), prepared) for _ in range(5)] == [None] * 5


def test_a_search_has_the_distribution_that_its_proof_speaks_of():
    """P(i) = p_i / (1 - (1 - s)(1 - p)), p the chance that a try passes: 600 searches of two outcomes."""
    rng = np.random.default_rng(4)

    def attempt():
        kind = int(rng.choice(3, p=[0.1, 0.2, 0.7]))
        return (-1.0 if kind == 2 else 1.0), kind

    found = [
        private_candidate(
            attempt, loss=Fraction(1, 2), total=Fraction(1), threshold=0.0, stop_probability=0.25
        )
        for _ in range(600)
    ]
    counts = [sum(f is not None and f[1] == kind for f in found) / 600 for kind in (0, 1)]
    whole = 1 - 0.75 * 0.7
    assert counts == pytest.approx([0.1 / whole, 0.2 / whole], abs=0.07)


def test_a_search_may_not_cost_more_than_was_charged_nor_hide_what_failed():
    def fails():
        raise PlanError("rows is {rows}; ask for at least 1.", rows=0)

    whole = {"threshold": 0.0, "stop_probability": 0.5}
    with pytest.raises(BudgetExceededError):
        private_candidate(fails, loss=Fraction(2, 3), total=Fraction(1), **whole)
    with pytest.raises(PlanError, match="rows is 0"):
        private_candidate(fails, loss=Fraction(1, 2), total=Fraction(1), **whole)
    for stop in (0.0, 1.5):
        with pytest.raises(PlanError, match="never stops"):
            private_candidate(
                fails, loss=Fraction(1, 2), total=Fraction(1), **whole | {"stop_probability": stop}
            )


def test_a_try_that_just_meets_its_threshold_has_not_passed():
    whole = {"loss": Fraction(1, 2), "total": Fraction(1), "stop_probability": 1.0}
    assert private_candidate(lambda: (0.5, "rows"), threshold=0.5, **whole) is None
    assert private_candidate(lambda: (0.5, "rows"), threshold=0.4, **whole) == (0.5, "rows")


def test_a_search_of_which_opendp_proves_more_than_was_charged_gives_nothing(monkeypatch):
    whole = {"loss": Fraction(1, 2), "total": Fraction(1), "threshold": 0.0, "stop_probability": 0.5}
    for proven, refused in ((1.0, False), (1.001, True)):
        monkeypatch.setattr(search_room, "first_above", lambda *_, p=proven, **__: ((1.0, "rows"), p))
        with pytest.raises(BudgetExceededError) if refused else nullcontext():
            assert private_candidate(lambda: (1.0, "rows"), **whole) == (1.0, "rows")


def test_what_fails_in_the_search_itself_is_told_as_it_was(monkeypatch):
    def broken(*_, **__):
        raise OSError("no entropy")

    monkeypatch.setattr(search_room, "first_above", broken)
    whole = {"loss": Fraction(1, 2), "total": Fraction(1), "threshold": 0.0, "stop_probability": 0.5}
    with pytest.raises(OSError, match="no entropy"):
        private_candidate(lambda: (1.0, "rows"), **whole)


@pytest.mark.parametrize(
    "guarantee", [Guarantee(epsilon=1.0), Guarantee(epsilon=0.002, delta=0, currency=Currency.PURE)]
)
def test_guarantees_that_a_search_cannot_keep_are_refused(guarantee):
    with pytest.raises(PlanError):
        trial(Marks(**AGREED, two_way_error=0.5), guarantee)


@pytest.mark.parametrize(
    "wrong",
    [
        {"agreed_by": ""},
        {"agreed_on": "soon"},
        {"two_way_error": 2},
        {"two_way_error": True},
        {"two_way_error": None},
        {"auc": 0.8},
        {"candidates": ()},
        {"candidates": ({"epsilon": 3},)},
    ],
)
def test_marks_that_say_too_little_are_refused(wrong):
    with pytest.raises(PlanError):
        Marks(**{**AGREED, "two_way_error": 0.1, **wrong})


def test_marks_survive_their_file():
    marks = Marks(**AGREED, two_way_error=0.1, group=500, candidates=({}, {"learner": "ibayes"}))
    assert Marks.from_toml(marks.to_toml()) == marks
    assert Marks.from_toml(marks.to_toml().replace('"2026-01-31"', "2026-01-31")) == marks
    for broken in ("x", "format = 'hmpb-marks/1'", marks.to_toml().replace("group", "groups")):
        with pytest.raises(PlanError):
            Marks.from_toml(broken)


@pytest.fixture
def steward(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(800).to_csv("people.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    words = ["--codebook", "cb.json", "--workspace", "w"]
    assert main(["register", "people.csv", *words, "--cap", "8", "--unit", "row"]) == 0
    plan = ["plan", "--codebook", "cb.json", "--epsilon", "3", "--guarantee", "pure", "-o", "p.toml"]
    assert main([*plan, "--method", "independent"]) == 0

    def release(marks, out):
        (tmp_path / "m.toml").write_text(marks.to_toml(), encoding="utf-8")
        more = ["--plan", "p.toml", "--marks", "m.toml", "--out", out, "--yes"]
        return main(["release", "people.csv", *words, *more])

    return release


def test_the_bundle_of_a_search_tells_its_marks_and_draws_more_rows(steward, tmp_path, capsys):
    marks = Marks(**AGREED, two_way_error=0.95, candidates=({}, {"gamma": 0.0}))
    assert steward(marks, "b.zip") == 0
    assert "agreed by A. Ito, B. Okoye on 2026-01-31" in capsys.readouterr().out
    files = read_bundle((tmp_path / "b.zip").read_bytes())
    assert Marks.from_toml(files["marks.toml"].decode()) == marks
    selection = json.loads(files["selection.json"])
    assert selection["noisy_slack_rows"] > selection["threshold_rows"]
    assert json.loads(files["model/bill.json"])["total"] == pytest.approx(3.0)
    assert "epsilon: 3.0" in files["privacy-statement.yaml"].decode()
    assert float(model_of_bundle(files).plan.guarantee.epsilon) == selection["epsilon"]["of_a_try_plan"]
    assert main(["resample", "b.zip", "--rows", "20", "-o", "more.csv"]) == 0
    assert zipfile.is_zipfile(io.BytesIO((tmp_path / "b.zip").read_bytes()))


def test_the_bundle_of_a_search_is_described_by_the_candidate_that_passed(steward, tmp_path, capsys):
    """Its README named the plan's learner, its statement the plan's shares, and the checks were in none."""
    other = {"method": "hmprivbayes", "learner": "ibayes"}
    assert steward(Marks(**AGREED, two_way_error=0.95, candidates=(other,)), "b.zip") == 0
    said = capsys.readouterr().out
    assert "a candidate may say otherwise" in said
    assert "Cost of each stage" not in said
    files = read_bundle((tmp_path / "b.zip").read_bytes())
    assert "HMPrivBayes" in files["README.html"].decode()
    statement = yaml.safe_load(files["privacy-statement.yaml"])["deployment"]
    told = re.findall(r"([a-z- ]+) ([0-9.]+)(?:,| of the budget)", statement["accounting"]["composition"])
    shares = {stage.strip(): float(share) for stage, share in told}
    assert shares.pop("checks of the pass marks") == 0.1
    ran = model_of_bundle(files).plan
    assert ran.spec.learner == "ibayes"
    assert shares == {
        str(stage): pytest.approx(0.9 * float(part), 1e-3) for stage, part in ran.shares.items()
    }


def test_if_none_passes_nothing_leaves_and_the_charge_stays(steward, tmp_path, capsys):
    assert steward(Marks(**AGREED, worst_two_way_error=0.001), "b.zip") != 0
    assert "None of the 1 candidate plans passed its marks" in capsys.readouterr().err
    assert not (tmp_path / "b.zip").exists()
    assert main(["ledger", "--workspace", "w", "--json"]) == 0
    (dataset,) = json.loads(capsys.readouterr().out)["datasets"]
    assert dataset["spent"] == pytest.approx(3.0)


def test_a_rehearsed_try_tells_the_chance_that_a_search_passes():
    """Slack s, Laplace noise of scale b, threshold h: p = 1/2 exp(-(h - s) / b), p / (p + stop (1 - p))."""
    source = MemorySource(table(), DOMAIN)
    for limit in (0.9, 0.01):
        prepared = trial(Marks(**AGREED, two_way_error=limit))
        done = try_on(source, prepared)
        apart = (prepared.threshold - done.reached[0].slack) / prepared.scale
        passes = 0.5 * np.exp(-apart) if apart > 0 else 1 - 0.5 * np.exp(apart)
        assert done.chance == pytest.approx(passes / (passes + prepared.stop * (1 - passes)))
        assert done.reached[0].met == (limit == 0.9)
        assert done.model.bill.loss == PURE.total, "a rehearsal tells the price of the search"


def test_marks_are_rehearsed_on_the_command_line(tmp_path, capsys):
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "marks.toml").write_text(Marks(**AGREED, two_way_error=0.5, group=400).to_toml())
    options = ["--guarantee", "pure", "--method", "independent", "-o", str(tmp_path / "plan.toml")]
    assert main(["plan", "--codebook", str(tmp_path / "cb.json"), "--epsilon", "2", *options]) == 0
    files = ["--codebook", str(tmp_path / "cb.json"), "--plan", str(tmp_path / "plan.toml")]
    out = tmp_path / "try.zip"
    more = ["--simulate", "0.2", "--rows", "2000", "--marks", str(tmp_path / "marks.toml"), "--out", str(out)]
    assert main(["rehearse", *files, *more]) == 0
    said = capsys.readouterr().out
    assert "two_way_error" in said
    assert "a search would pass with a chance of" in said
    names = zipfile.ZipFile(io.BytesIO(out.read_bytes())).namelist()
    assert [name for name in names if name.endswith(("marks.toml", "selection.json"))]
