"""Attacks on a steward's own table: what leaks is found, what does not is not, and the words say so."""

import json

import numpy as np
import pytest

from hmpb_core.audit import report as report_room
from hmpb_core.audit.attack import require_unbroken
from hmpb_core.audit.game import Run, distances, runs_of_game
from hmpb_core.audit.inference import copies, infer_attribute, link, single_out
from hmpb_core.audit.membership import FALSE_ALARM_RATES, membership, rate_of_runs
from hmpb_core.audit.replay import Act, Recorder
from hmpb_core.audit.report import attack_report
from hmpb_core.cli import main
from hmpb_core.domain import Categorical, Domain
from hmpb_core.encoding import encode
from hmpb_core.errors import InputError, PrivacyError
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.prediction import Target
from hmpb_core.report.explain import PrivacyLoss
from hmpb_core.synthesis import make_plan
from tests.tables import people, people_codebook

CODEBOOK = people_codebook()
DOMAIN = CODEBOOK.domain
NO_LIMIT = PrivacyLoss(epsilon=1.0)


class Leaky(Recorder):
    """Draws an eighth of the noise that it charges for."""

    def _calibrate(self, *arguments):
        return super()._calibrate(*arguments) / 8


def codes(n_rows=400):
    return encode(people(n_rows), CODEBOOK)


def plan_of(currency="zcdp", epsilon=14.0, n_rows=200, method="independent"):
    return make_plan(
        guarantee_of(currency, epsilon, None, "replace-one"), DOMAIN, n_rows=n_rows, method=method
    )


def attacked(plan, door=Recorder, runs=6):
    rng = np.random.default_rng(4)
    return attack_report(codes(), DOMAIN, plan, rng=rng, sensitive="coughs", runs=runs, door=door)


def run_of(inside, outside, synthetic, acts=()):
    return Run(
        members=inside, control=outside, inside=inside, outside=outside, synthetic=synthetic, acts=tuple(acts)
    )


def test_no_attack_on_a_sound_plan_stands_above_its_ceiling():
    for plan in (plan_of(), plan_of("pure", 1.0), plan_of(epsilon=1.0, method="hmprivbayes")):
        found = attacked(plan)
        assert not found.breaks
        assert [p.asked for p in found.membership] == list(FALSE_ALARM_RATES) * 3
        assert all(p.ceiling >= p.false_alarms.value for p in found.membership)


def test_too_little_noise_is_found_above_the_ceiling():
    found = attacked(plan_of(epsilon=4.0), door=Leaky)
    assert {point.attack for point in found.breaks} == {"likelihood ratio"}


def test_the_likelihood_attack_finds_more_the_more_is_allowed():
    caught = [attacked(plan_of("pure", e)).membership[2].caught.value for e in (0.2, 20.0)]
    assert caught[0] < 0.35
    assert caught[1] > 0.9


def test_every_pair_has_one_row_in_and_one_out():
    rows = codes(60)
    rows[:, 0] = np.arange(60) % 8
    for run in runs_of_game(rows, DOMAIN, plan_of(n_rows=30), runs=3, rng=np.random.default_rng(1)):
        assert len(run.members) == len(run.control) == 30
        both = np.concatenate([run.members, run.control])
        assert sorted(map(tuple, both)) == sorted(map(tuple, rows))


def test_the_evidence_of_one_table_by_hand():
    """Counts (3, 1), the target's row 0 is in, its partner's is 1: noise (+1, 0) at scale 2.

    With the partner instead the counts are (2, 2): |4-2| - |4-3| + |1-2| - |1-1| = 2, over 2 is 1.
    """
    domain = Domain.of_sizes([2])
    act = Act(
        question=("measure", "", "", (0,), (2,)),
        exact=np.array([3.0, 1.0]),
        answer=None,
        noisy=np.array([4.0, 1.0]),
        scale=2.0,
        loss=1.0,
        kind="laplace",
    )
    run = run_of(np.array([[0]]), np.array([[1]]), np.array([[0]]), [act])
    from hmpb_core.audit.membership import _likelihood

    assert _likelihood(run, domain).tolist() == [[-1.0], [1.0]]


def test_gower_distances_by_hand():
    domain = Domain(
        (
            Categorical(name="a", categories=(0, 1, 2, 3, 4), ordered=True),
            Categorical(name="b", categories=(0, 1, 2)),
        )
    )
    assert distances(np.array([[0, 2]]), np.array([[2, 2], [4, 0]]), domain).tolist() == [[0.5, 2.0]]


def test_a_table_that_is_its_own_release_is_copied_linked_and_inferred():
    """Rows that differ in everything: members are found for certain, others never."""
    domain = Domain.of_sizes([40, 40, 2])
    inside = np.column_stack([np.arange(20)] * 2 + [np.arange(20) % 2])
    outside = inside + np.array([20, 20, 0])
    runs = [run_of(inside, outside, inside) for _ in range(3)]
    copied = copies(runs)
    assert (copied.caught.value, copied.false_alarms.value) == (1, 0)
    linked = link(runs, domain, NO_LIMIT)
    assert linked.caught.value == 1
    assert linked.false_alarms.value < 0.1
    assert linked.breaks
    singled = single_out(runs, domain, np.random.default_rng(2))
    assert (singled.caught.value, singled.false_alarms.value) == (1, 0)
    inferred = infer_attribute(runs, domain, Target(attribute=2), NO_LIMIT)
    assert inferred.point.caught.value == 1
    assert inferred.commonest == 0.5


def test_who_releases_the_table_itself_is_caught_by_nearness():
    rng = np.random.default_rng(3)
    domain = Domain.of_sizes([50] * 4)
    runs = [run_of(*rows, rows[0]) for rows in rng.integers(50, size=(6, 2, 60, 4))]
    points = {(p.attack, p.asked): p for p in membership(runs, domain, NO_LIMIT)}
    assert points["distance", 0.1].caught.value == 1
    assert points["shadow models", 0.1].caught.value == 1
    assert points["distance", 0.1].breaks


def test_rows_of_runs_that_differ_count_for_less():
    """Equal runs: the plain interval. Runs that are all or nothing: as many as there are runs."""
    even = rate_of_runs(np.tile([1.0, 0.0], (10, 50)), 0.95)
    assert (even.low, even.high) == pytest.approx(
        (0.4685492, 0.5314508), abs=1e-7
    )  # R: binom.test(500, 1000)
    apart = rate_of_runs(np.repeat([[1.0], [0.0]] * 5, 100, axis=1), 0.95)
    assert apart.low < 0.2
    assert apart.high > 0.8


def test_too_few_rows_or_runs_are_refused():
    with pytest.raises(InputError, match="too few rows"):
        attack_report(codes(20), DOMAIN, plan_of(), rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="ask for 4 or more"):
        attacked(plan_of(), runs=2)


def test_a_rehearsed_attack_stops_a_release_without_reading_a_row():
    require_unbroken(plan_of())
    require_unbroken(plan_of("pure", 0.5, method="hmprivbayes"))
    with pytest.raises(PrivacyError, match="nothing was charged"):
        require_unbroken(plan_of(), door=Leaky)


@pytest.fixture
def files(tmp_path):
    people(200).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "book.json").write_text(json.dumps(CODEBOOK.to_dict()))
    return tmp_path


def asked(files, *more):
    return ["attack", str(files / "people.csv"), "--codebook", str(files / "book.json"), *more]


def test_the_command_prints_every_attack_under_its_ceiling(files, capsys):
    options = ["--epsilon", "1", "--method", "independent", "--runs", "4", "--sensitive", "income"]
    assert main(asked(files, *options, "--json", str(files / "attack.json"))) == 0
    said = capsys.readouterr()
    for words in ("likelihood ratio", "shadow models", "distance", "linkability", "singling out", "copies"):
        assert words in said.out
    assert "Copies prove nothing" in said.out
    assert "income: inferred of" in said.out
    assert "keep them inside" in said.err
    written = json.loads((files / "attack.json").read_text())
    assert written["zone"] == "steward-only"
    assert written["breaks"] is False
    assert len(written["points"]) == 9 + 4


def test_a_point_above_its_ceiling_ends_with_1_and_says_what_to_do(files, capsys, monkeypatch):
    whole = report_room.runs_of_game

    def leaky(*arguments, door, **options):
        return whole(*arguments, door=Leaky, **options)

    monkeypatch.setattr(report_room, "runs_of_game", leaky)
    assert main(asked(files, "--epsilon", "4", "--method", "independent", "--runs", "6")) == 1
    said = capsys.readouterr()
    assert "ABOVE ITS CEILING" in said.out
    assert "release nothing with this plan" in said.err


def test_a_plan_without_a_limit_is_refused(files, capsys):
    assert main(asked(files)) == 2
    assert "give --plan or --epsilon" in capsys.readouterr().err
    assert main(asked(files, "--method", "noprivacy", "--epsilon", "1")) == 2
    assert "attack a releasable plan" in capsys.readouterr().err
