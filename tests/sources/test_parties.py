"""Several owners of disjoint rows: sums of counts, noise in shares, and what that costs."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import logsumexp

from hmpb_core.cli import main
from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError, NotPrivateError, PlanError
from hmpb_core.marginal import Marginal
from hmpb_core.planning.account import accountant_for
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.shares import NoiseShares, gaussian_share_scale, gaussian_sum_loss
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.joint import prepare_joint
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.parties import PartySource, guarantees
from hmpb_core.stages.similarity import pairs_of, party_excess, party_values, tvd_values
from hmpb_core.synthesis import fit_source, make_plan
from tests.sources.conformance import SourceConformance
from tests.tables import SCHEMA, people

DOMAIN = Domain.of_sizes([2, 3, 2])
ONLY_TABLES = Shares.parse("one-way tables=1, similarity=0, structure=0, conditional tables=0")


def parties(codes, k, shares=None, domain=DOMAIN):
    return PartySource([MemorySource(part, domain) for part in np.array_split(codes, k)], shares=shares)


def rows(n, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, n)
    return np.stack([x, x + rng.integers(0, 2, n), rng.integers(0, 2, n)], axis=1)


class TestPartySource(SourceConformance):
    """Three parties count as one table does."""

    @pytest.fixture
    def make(self):
        return lambda codes, domain: parties(codes, 3, domain=domain)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("scale", [0.55, 0.7, 1.0, 2.0])
def test_a_sum_of_discrete_gaussians_costs_no_more_than_the_bound(n, scale):
    """The divergences of order 2 to 20 of the sum from itself moved by 1 and 2, worked out exactly."""
    z = np.arange(-60, 61)
    one = np.exp(-(z**2) / (2 * scale**2))
    one /= one.sum()
    total = one
    for _ in range(n - 1):
        total = np.convolve(total, one)
    for move in (1, 2):
        rho = gaussian_sum_loss(scale, n, l1=move, l2=move, cells=1)
        kept = (total[move:] > 1e-250) & (total[:-move] > 1e-250)
        p, q = np.log(total[move:][kept]), np.log(total[:-move][kept])
        for order in (2, 5, 20):
            divergence = logsumexp(order * p + (1 - order) * q) / (order - 1)
            assert divergence <= order * rho * (1 + 1e-6)


def test_shares_of_usual_noise_cost_what_one_gaussian_would():
    shares = NoiseShares(parties=10, withheld=4)
    scale = gaussian_share_scale(0.005, shares, l1=2, l2=math.sqrt(2), cells=1000)
    assert scale == pytest.approx(math.sqrt(2) / math.sqrt(2 * 0.005 * 6), rel=1e-9)


@pytest.mark.parametrize("scale", [0.5, 0.6])
@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize(("least", "l1", "cells"), [(0, 2, 1), (1, 2, 50), (2, 20, 50)])
def test_the_bound_is_the_least_of_three_as_the_paper_has_it(least, l1, cells, n, scale):
    """[KLS2021, section 3]: twice rho is the square of an epsilon, each term by itself."""
    tau = sum(10 * math.exp(-2 * math.pi**2 * scale**2 * j / (j + 1)) for j in range(1, n))
    plain, sd = 2 / (n * scale**2), math.sqrt(n) * scale  # of an L2 sensitivity of sqrt(2)
    bounds = [
        plain + 2 * tau * cells,
        plain + 2 * tau * l1 / sd + tau * tau * cells,
        plain + 2 * tau * math.sqrt(2 * cells) / sd + tau * tau * cells,
    ]
    rho = gaussian_sum_loss(scale, n, l1=l1, l2=math.sqrt(2), cells=cells)
    assert min(bounds) == bounds[least]
    assert min(bounds) / 2 < rho == pytest.approx(min(bounds) / 2, rel=1e-11)


def test_shares_of_less_than_a_half_have_no_bound_but_one_alone_is_a_plain_gaussian():
    moved = {"l1": 2, "l2": math.sqrt(2), "cells": 4}
    assert gaussian_sum_loss(0.49, 2, **moved) == math.inf
    assert gaussian_sum_loss(0.5, 2, **moved) < math.inf
    assert gaussian_sum_loss(0.25, 1, **moved) == pytest.approx(16)


@pytest.mark.parametrize("loss", [0.5, 2.0, 8.0])
def test_a_share_of_little_noise_is_as_large_as_its_bound_asks_and_hardly_larger(loss):
    moved = {"l1": 2, "l2": math.sqrt(2), "cells": 20}
    scale = gaussian_share_scale(loss, NoiseShares(parties=3, withheld=1), **moved)
    plain = 1 / math.sqrt(2 * loss)
    assert scale >= max(0.5, plain)
    assert gaussian_sum_loss(scale, 2, **moved) <= loss
    assert gaussian_sum_loss(scale / 1.05, 2, **moved) > loss


@pytest.mark.parametrize("currency", list(Currency))
def test_the_noise_of_those_who_do_not_withhold_is_the_plans(currency):
    """Ten of sixteen shares: with six of zero noise, the variance is what one aggregator would add."""
    guarantee = Guarantee(epsilon=1.0, delta=0 if currency is Currency.PURE else 1e-9, currency=currency)
    shares = NoiseShares(parties=16, withheld=6)
    zeros = tuple(np.zeros(4000, dtype=np.int64) for _ in range(16))
    budget = Budget(guarantee=guarantee, shares=ONLY_TABLES)
    account = Accountant(budget, protection="seeded", seed=3, shares=shares)
    table = Marginal(attributes=(0,), counts=zeros[0], parts=zeros)
    noisy = account.measure(table, stage=Stage.ONE_WAY_TABLES, loss=guarantee.total, what="table")
    plan = Accountant(budget).table_noise_sd(guarantee.total)
    assert noisy.noise_sd == pytest.approx(plan * math.sqrt(16 / 10), rel=1e-6)
    assert noisy.counts.std() == pytest.approx(noisy.noise_sd, rel=0.06)
    assert abs(noisy.counts.mean()) < 5 * noisy.noise_sd / math.sqrt(4000)
    assert account.spent() == guarantee.total


def test_real_shares_of_laplace_noise_sum_to_laplace_noise():
    guarantee = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
    zeros = tuple(np.zeros(6000, dtype=np.int64) for _ in range(3))
    account = Accountant(
        Budget(guarantee=guarantee, shares=ONLY_TABLES), shares=NoiseShares(parties=3, withheld=0)
    )
    noisy = account.measure(
        Marginal(attributes=(0,), counts=zeros[0], parts=zeros),
        stage=Stage.ONE_WAY_TABLES,
        loss=Fraction(1),
        what="table",
    ).counts
    p = math.exp(-1 / 2)  # scale 2: P(0) = (1 - p) / (1 + p), P(|z| >= t) = 2 p^t / (1 + p)
    assert abs((noisy == 0).mean() - (1 - p) / (1 + p)) < 0.025
    for t in (2, 5, 8):
        assert abs((np.abs(noisy) >= t).mean() - 2 * p**t / (1 + p)) < 0.03


def test_the_exact_sum_has_no_part_in_what_is_measured():
    """What the parties hold is measured, not the sum beside it."""
    budget = Budget(guarantee=Guarantee(epsilon=1.0), shares=ONLY_TABLES)
    account = Accountant(budget, protection="none", shares=NoiseShares(parties=2))
    table = Marginal(
        attributes=(0,), counts=np.array([-999, -999]), parts=(np.array([1, 2]), np.array([3, 4]))
    )
    noisy = account.measure(
        table, stage=Stage.ONE_WAY_TABLES, loss=account.left(Stage.ONE_WAY_TABLES), what="t"
    )
    assert noisy.counts.tolist() == [4.0, 6.0]


def test_a_row_moves_the_sum_of_the_parties_similarities_by_no_more_than_one_tables():
    one_way = [np.full(size, 1 / size) for size in DOMAIN.sizes]
    pairs, codes = pairs_of(3), rows(12)
    before = np.sum(
        party_values(parties(codes, 3, NoiseShares(parties=3)).owners, pairs, one_way, 12.0), axis=0
    )
    worst = 0.0
    for place, new in itertools.product(range(12), itertools.product(range(2), range(3), range(2))):
        other = codes.copy()
        other[place] = new
        after = np.sum(
            party_values(parties(other, 3, NoiseShares(parties=3)).owners, pairs, one_way, 12.0), axis=0
        )
        worst = max(worst, float(np.abs(after - before).max()))
    assert 0 < worst <= 1 / 12 + 1e-12


def test_the_parties_similarities_are_those_of_the_table_but_for_chance_which_is_taken_off():
    codes = rows(20_000)
    whole = MemorySource(codes, DOMAIN)
    one_way = [table.counts / 20_000 for table in whole.marginals([(0,), (1,), (2,)])]
    pairs = pairs_of(3)
    exact = tvd_values(whole, pairs, one_way, 20_000.0)
    owners = parties(codes, 40, NoiseShares(parties=40)).owners
    summed = np.sum(party_values(owners, pairs, one_way, 20_000.0), axis=0)
    assert (summed >= exact - 1e-12).all()
    mended = summed - party_excess([owner.n_rows for owner in owners], pairs, one_way, 20_000.0)
    assert np.abs(mended[1:] - exact[1:]).max() < 0.006 < np.abs(summed[1:] - exact[1:]).max()


@pytest.mark.parametrize("learner", ["additive", None])
def test_a_plan_of_sums_spends_all_of_its_budget_in_shares(learner):
    shares = NoiseShares(parties=4, withheld=1)
    source = parties(rows(4000), 4, shares)
    method = "hmprivbayes" if learner else "independent"
    plan = make_plan(Guarantee(epsilon=2.0), DOMAIN, n_rows=4000, method=method, learner=learner)
    model = fit_source(source, plan, seed=1)
    assert model.bill.loss == plan.guarantee.total
    if learner:
        assert {(0, 1)} <= {
            tuple(sorted((p, f.child))) for n in model.networks for f in n.families for p in f.parents
        }


def test_what_is_no_sum_is_refused_with_noise_in_shares():
    shares = NoiseShares(parties=4)
    plan = make_plan(Guarantee(epsilon=2.0), DOMAIN, n_rows=4000, learner="adaptive")
    account = accountant_for(plan, DOMAIN, shares=shares)
    with pytest.raises(PlanError, match="only sums over rows"):
        account.select(
            [0.0, 1.0],
            sensitivity=1.0,
            stage=Stage.STRUCTURE,
            loss=account.left(Stage.STRUCTURE),
            what="pair",
            attributes=[0, 1],
        )
    assert account.spent() == 0
    with pytest.raises(PlanError, match="only sums over rows"):
        account.measure(
            MemorySource(rows(9), DOMAIN).marginal((0,)),
            stage=Stage.ONE_WAY_TABLES,
            loss=account.left(Stage.ONE_WAY_TABLES) / 9,
            what="table",
        )


def test_impossible_parties_are_refused():
    assert NoiseShares(parties=1000, withheld=999).honest == 1
    for parties_, withheld in ((1, 0), (3, 3), (3, -1), (1001, 0)):
        with pytest.raises(PlanError):
            NoiseShares(parties=parties_, withheld=withheld)
    with pytest.raises(PlanError):
        PartySource([MemorySource(rows(5), DOMAIN)])
    with pytest.raises(DomainError):
        PartySource([MemorySource(rows(5), DOMAIN), MemorySource(rows(5)[:, :2], Domain.of_sizes([2, 3]))])


def test_one_share_alone_promises_less_against_an_aggregator_who_sees_it():
    guarantee = Guarantee(epsilon=1.0)
    readers, secure, curious = guarantees(guarantee, NoiseShares(parties=5, withheld=2))
    assert readers["epsilon"] == secure["epsilon"] == 1.0
    assert curious["epsilon"] == pytest.approx(guarantee.epsilon_of(3 * guarantee.total))
    assert guarantees(guarantee, None)[1]["epsilon"] is None


def test_parties_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "owners").mkdir()
    frame = people(900)
    for number in range(3):
        frame.iloc[number::3].to_csv(f"owners/{number}.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")

    def synthesize(*more, epsilon="1"):
        return main(["synthesize", "--codebook", "cb.json", "--epsilon", epsilon, "--out", "out", *more])

    assert synthesize("--parties", "owners", "--trust", "shares", "--withheld", "1", "--seed", "1") == 0
    run = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert run["learner"] == "additive"
    assert (run["parties"]["count"], run["parties"]["trust"], run["parties"]["withheld"]) == (3, "shares", 1)
    assert run["bill"]["total"] == pytest.approx(1.0)
    assert synthesize("--parties", "owners", "--method", "independent", "--seed", "1") == 0
    run = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert run["parties"]["trust"] == "aggregator"
    capsys.readouterr()
    for wrong in (
        ("--parties", "nowhere"),
        ("--parties", "owners", "owners/0.csv"),
        ("--parties", "owners", "--withheld", "1"),
        ("--parties", "owners", "--trust", "shares", "--withheld", "3"),
        ("--parties", "owners", "--trust", "shares", "--guarantee", "pure"),
        ("--parties", "owners", "--trust", "shares", "--method", "jtree"),
        ("--parties", "owners", "--trust", "shares", "--neighbors", "add-remove"),
        ("owners/0.csv", "--trust", "shares"),
        (),
    ):
        assert synthesize(*wrong) == 2
        assert capsys.readouterr().err.startswith("hmpb: ")


def test_each_owner_charges_a_joint_run_to_its_own_ledger(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "owners").mkdir()
    for number in range(2):
        people(400).iloc[number::2].to_csv(f"owners/{number}.csv", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")

    def typed(words):
        return main(words.split())

    joint = "synthesize --parties owners --codebook cb.json --epsilon 0.5 --method independent --out out"
    assert typed(joint) == 0
    said = capsys.readouterr().err
    assert "Not releasable: whether each of the 2 owners has charged its ledger, only they can see." in said
    asked = said[said.index("hmpb charge TABLE") :].splitlines()[0]
    run = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert run["parties"]["each_owner_charges"]["epsilon"] == 0.5
    command = (
        asked.replace("hmpb ", "").replace("TABLE", "owners/0.csv").replace("--workspace W", "--workspace w")
    )
    assert typed(f"{command} --yes") == 2  # it has no ledger yet
    assert typed("register owners/0.csv --codebook cb.json --workspace w --cap 0.6 --unit row") == 0
    assert typed(f"{command} --yes --why B") == 0
    assert typed(f"{command} --yes") == 3  # the cap does not admit it twice
    workspace = Workspace(tmp_path / "w")
    (dataset,) = workspace.datasets()
    assert dataset.totals.rho == Guarantee(epsilon=0.5).total
    assert [entry.kind.value for entry in workspace.entries()] == ["register", "charge", "complete"]
    assert workspace.verify() == []


@pytest.mark.parametrize(("guessed", "seed"), [(True, ()), (False, ("--seed", "1"))])
def test_owners_are_asked_to_charge_nothing_for_what_may_not_leave(tmp_path, capsys, guessed, seed):
    (tmp_path / "owners").mkdir()
    for number in range(2):
        people(400).iloc[number::2].to_csv(tmp_path / "owners" / f"{number}.csv", index=False)
    first, *rest = SCHEMA["fields"]
    mark = {"source": {"kind": "guess"}, "declared": False} if guessed else {}
    schema = {**SCHEMA, "fields": [{**first, **mark}, *rest]}
    (tmp_path / "cb.json").write_text(json.dumps(schema), encoding="utf-8")
    words = ["synthesize", "--parties", tmp_path / "owners", "--codebook", tmp_path / "cb.json", *seed]
    words += ["--epsilon", "0.5", "--method", "independent", "--out", tmp_path / "out"]
    assert main(list(map(str, words))) == 0
    assert "hmpb charge" not in "".join(capsys.readouterr())
    run = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert run["parties"]["each_owner_charges"] is None
    assert (run["codebook_public"], run["seeded"]) == (not guessed, bool(seed))


def test_a_table_of_persons_takes_no_part_in_a_joint_run(tmp_path):
    workspace = Workspace(tmp_path, create=True)
    table = people(200).assign(person=range(200))
    workspace.register(table, name="t", unit=Unit.parse("person:2"), cap_epsilon=2.0, cap_delta=1e-9)
    with pytest.raises(NotPrivateError, match="protects persons"):
        prepare_joint(table, workspace, Guarantee(epsilon=0.1))
