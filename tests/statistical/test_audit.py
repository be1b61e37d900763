"""An audit from end to end: a canary in and out, many runs, and what an attacker could tell.

Two neighbouring tables differ in one row, the canary, as much as a row can differ. The whole
pipeline runs on either many times with real noise. The attacker knows both tables and sees
everything that leaves the door: the statistic is the log likelihood ratio of all noisy values.
Clopper-Pearson bounds on how often it exceeds a threshold give a lower bound on the true epsilon
[JagielskiUO2020]. It must stay under what is claimed, and it must convict what is known to leak.

HMPB_SLOW=1 runs ten times as many.
"""

import math
import os
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import hmpb_core.stages.similarity as similarity_room
from hmpb_core import pipeline
from hmpb_core.domain import Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.marginal import Marginal
from hmpb_core.planning import account as account_room
from hmpb_core.planning.methods import Accounting
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.events import Event
from hmpb_core.privacy.sensitivity import mutual_information_sensitivity
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.merged import MergedSource
from hmpb_core.synthesis import make_plan
from tests.thorough import sample

pytestmark = pytest.mark.slow

MORE = 10 if os.environ.get("HMPB_SLOW") == "1" else 1
CONFIDENCE = 1 - 1e-5
THRESHOLDS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.999)
"""Fixed beforehand, in parts of the claim, so that no run is spent on choosing one."""


class Watched(Accountant):
    """An accountant whose every noisy value the attacker sees, and weighs."""

    worlds = ()
    pair_values = ()

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.evidence = 0.0
        self.most = 0.0
        """What the most telling act told, as a part of what it was charged."""

    def measure(self, marginal, **options):
        noisy = super().measure(marginal, **options)
        counts = [world.marginal(marginal.attributes).counts for world in self.worlds]
        if noisy.counts.shape == counts[0].shape:  # a coarsened table is left out: weaker, never wrong
            self.weigh(noisy.counts, *counts, noisy.scale, options["loss"])
        return noisy

    def measure_pairs(self, values, **options):
        noisy, sd = super().measure_pairs(values, **options)
        scale = sd / (math.sqrt(2) if self._pure else 1)
        self.weigh(noisy, *type(self).pair_values, scale, options["loss"])
        return noisy, sd

    def weigh(self, seen, out, canary, scale, loss):
        if self._pure:
            told = ((np.abs(seen - out) - np.abs(seen - canary)) / scale).sum()
        else:
            told = (((seen - out) ** 2 - (seen - canary) ** 2) / (2 * scale**2)).sum()
        self.evidence += told
        self.most = max(self.most, abs(told) / float(loss))


class Leaky(Accountant):
    """Draws half the noise that it charges for."""

    def _calibrate(self, *arguments):
        return super()._calibrate(*arguments) / 2


class LeakyAndWatched(Leaky, Watched):
    """What an attacker sees of half the noise."""


def worlds(d, n_rows, neighbors):
    """The table without and with the canary: all zeros, and one row of ones."""
    domain = Domain.of_sizes([2] * d)
    zeros = np.zeros((n_rows, d), dtype=np.int32)
    ones = np.ones((1, d), dtype=np.int32)
    rest = zeros[1:] if neighbors == "replace-one" else zeros
    return [MemorySource(codes, domain) for codes in (zeros, np.concatenate([rest, ones]))]


@pytest.fixture
def evidence(monkeypatch):
    """Run a plan so many times in each of both worlds; give the attacker's evidence."""

    def in_both_worlds(values_of):
        def values(source, *others):
            merged = isinstance(source, MergedSource)
            both = [MergedSource(w, source._compressions) if merged else w for w in Watched.worlds]
            Watched.pair_values = tuple(values_of(world, *others) for world in both)
            while source not in Watched.worlds:  # below merged values, and below hidden rows
                source = source._source
            return Watched.pair_values[Watched.worlds.index(source)]

        return values

    def run(
        *, method, currency, neighbors, epsilon, runs, learner=None, d=3, n_rows=20, door=Watched, more=MORE
    ):
        monkeypatch.setattr(Watched, "worlds", worlds(d, n_rows, neighbors))
        monkeypatch.setattr(account_room, "Accountant", door)
        monkeypatch.setattr(similarity_room, "tvd_values", in_both_worlds(similarity_room.tvd_values))
        monkeypatch.setattr(similarity_room, "mic_values", in_both_worlds(similarity_room.mic_values))
        monkeypatch.setattr(similarity_room, "mi_values", in_both_worlds(similarity_room.mi_values))
        domain = Watched.worlds[0].domain
        plan = make_plan(
            guarantee_of(currency, epsilon, None, neighbors),
            domain,
            n_rows=n_rows,
            method=method,
            learner=learner,
        )
        rng = np.random.default_rng(1)
        seen, most = [], 0.0
        for world in Watched.worlds:
            seen.append([])
            for _ in range(runs * more):
                account = account_room.accountant_for(plan, domain)
                assert account.private
                pipeline.fit(world, plan, accountant=account, rng=rng)
                seen[-1].append(account.evidence)
                most = max(most, account.most)
        return np.array(seen), most

    return run


def at_least(hits, runs, alpha):
    return stats.beta.ppf(alpha, hits, runs - hits + 1) if hits else 0.0


def at_most(hits, runs, alpha):
    return stats.beta.ppf(1 - alpha, hits + 1, runs - hits) if hits < runs else 1.0


def epsilon_shown(evidence, claim, *, delta=0.0, measure=None):
    """The largest lower bound on epsilon (or on another measure of two rates) over the thresholds."""
    runs = evidence.shape[1]
    alpha = (1 - CONFIDENCE) / (2 * len(THRESHOLDS))
    best = 0.0
    for part in THRESHOLDS:
        out, canary = (int((side > part * claim - 1e-9).sum()) for side in evidence)
        low, high = at_least(canary, runs, alpha), at_most(out, runs, alpha)
        if measure:
            best = max(best, measure(low, high))
        elif low > delta:
            best = max(best, math.log((low - delta) / high))
    return best


def mu_of(low, high):
    """Lower bound on mu of Gaussian differential privacy: the gap of two normal quantiles [NasrEtAl2023]."""
    return stats.norm.ppf(low) - stats.norm.ppf(high) if low > 0 and high < 1 else 0.0


# The audit can see: on one table that takes the whole budget it finds much of the claim, and it convicts
# half the noise. Many tables are drawn in one call, which is quicker.


def one_table(currency, epsilon, *, door=Accountant, runs):
    guarantee = guarantee_of(currency, epsilon, None, "replace-one")
    budget = Budget(guarantee=guarantee, shares=Shares.parse("one-way tables=1"))
    account = door(budget)
    counts = [np.array([20, 0]), np.array([19, 1])]
    seen = np.empty((2, runs))
    for world, exact in enumerate(counts):
        table = Marginal(attributes=(0,), counts=np.tile(exact, runs))
        noisy = door(budget).measure(table, stage=Stage.ONE_WAY_TABLES, loss=guarantee.total, what="a table")
        rows = noisy.counts.reshape(runs, 2)
        out, canary = (np.abs(rows - c) for c in counts)
        if currency == "pure":
            seen[world] = (out - canary).sum(axis=1) / noisy.scale
        else:
            seen[world] = (out**2 - canary**2).sum(axis=1) / (2 * noisy.scale**2)
    assert account.private
    return seen


def test_laplace_noise_shows_much_of_its_claim_and_never_more():
    seen = one_table("pure", 2.0, runs=6000 * MORE)
    assert 0.6 * 2.0 < epsilon_shown(seen, 2.0) <= 2.0


def test_half_the_laplace_noise_is_convicted():
    seen = one_table("pure", 2.0, runs=6000 * MORE, door=Leaky)
    assert epsilon_shown(seen, 2 * 2.0 - 1e-6) > 2.0


@pytest.mark.parametrize("door", [Accountant, Leaky], ids=["the right noise", "half the noise"])
def test_gaussian_noise_shows_its_mu_and_half_of_it_is_convicted(door):
    """mu = sqrt(2 rho). Thresholds around the middle: the evidence has variance mu^2 and mean +-mu^2/2."""
    seen = one_table("zcdp", 8.0, runs=4000 * MORE, door=door)
    mu = math.sqrt(2 * float(guarantee_of("zcdp", 8.0, None, "replace-one").total))
    shown = epsilon_shown(seen, 1.0, measure=mu_of)
    if door is Leaky:
        assert shown > mu
    else:
        assert 0.7 * mu < shown <= mu


# The sound accounting stays under its claim


PIPELINES = [
    ("hmprivbayes", None, "pure", "replace-one"),
    ("hmprivbayes", None, "pure", "add-remove"),
    ("hmprivbayes", "ibayes", "pure", "replace-one"),
    ("hmprivbayes", "ibayes", "pure", "add-remove"),
    ("privbayes", None, "pure", "replace-one"),
    ("privscbn", None, "pure", "replace-one"),
    ("jtree", None, "pure", "replace-one"),
]
NAMES = ("method", "learner", "currency", "neighbors")


@pytest.mark.parametrize(NAMES, sample([*PIPELINES, ("hmprivbayes", None, "zcdp", "replace-one")], 2))
def test_the_sound_accounting_never_shows_more_than_it_claims(evidence, method, learner, currency, neighbors):
    epsilon = 1.0
    seen, most = evidence(
        method=method, learner=learner, currency=currency, neighbors=neighbors, epsilon=epsilon, runs=40
    )
    assert np.abs(seen).max() > 0
    assert epsilon_shown(seen, epsilon, delta=0 if currency == "pure" else 1e-9) <= epsilon
    if currency == "pure":  # not a bound alone: no single act, and no transcript, may weigh more than it paid
        assert most <= 1 + 1e-6
        assert np.abs(seen).max() <= epsilon * (1 + 1e-6)


@pytest.mark.parametrize(NAMES, PIPELINES)
def test_half_the_noise_of_any_pipeline_is_convicted(evidence, method, learner, currency, neighbors):
    """Act by act: of one whose tables cost half the budget, a whole transcript would still pass."""
    _, most = evidence(
        method=method,
        learner=learner,
        currency=currency,
        neighbors=neighbors,
        epsilon=1.0,
        runs=10,
        more=1,
        door=LeakyAndWatched,
    )
    assert most > 1.5


# The published stage 1 does not


def plenty(stage):
    """An allowance that many repetitions of one act do not use up."""
    loss = Fraction(10**9)
    words = {"what": "many", "sensitivity": None, "scale": None, "attribute_loss": ()}
    return Event(stage=stage, act="adaptive", loss=loss, **words)


def test_the_published_noise_on_the_similarities_is_convicted_of_its_real_cost():
    """It claims eps1, and costs floor(d/2) eps1: twice as much for four attributes."""
    d, n_rows, claim = 4, 50, 2.0
    both = worlds(d, n_rows, "replace-one")
    plan = make_plan(
        guarantee_of("pure", 3 * claim, None, "replace-one"),
        both[0].domain,
        n_rows=n_rows,
        accounting=Accounting.AS_PUBLISHED,
    )
    eps1 = float(plan.guarantee.total * plan.shares.similarity)
    real = (d // 2) * eps1
    exact = [similarity_room.mic_values(world, similarity_room.pairs_of(d)) for world in both]
    bound = mutual_information_sensitivity(n_rows, has_binary_side=True)
    assert exact[1] - exact[0] == pytest.approx([bound] * 6)
    account = account_room.accountant_for(plan, both[0].domain)
    similarity_room.published_similarity(both[0], account)
    act = account.entries[0]
    runs = 10_000 * MORE
    seen = np.empty((2, runs))
    for world, values in enumerate(exact):  # the same act, many times over in one call: drawing is quicker
        many = Accountant(account.budget, events=[plenty(Stage.SIMILARITY)])
        noisy, _ = many.measure_pairs(
            np.tile(values, runs),
            n_attributes=d,
            sensitivity=bound,
            stage=Stage.SIMILARITY,
            loss=act.loss,
            what=act.what,
            scale_per_value=act.scale,
        )
        without, canary = (np.abs(noisy.reshape(runs, -1) - v) / act.scale for v in exact)
        seen[world] = (without - canary).sum(axis=1)
    shown = epsilon_shown(seen, real)
    assert shown > eps1
    assert shown > 0.45 * real
    assert shown <= real
    # Its likelihood ratio is known exactly: some transcripts weigh the whole real cost, none more.
    assert np.abs(seen).max() == pytest.approx(real, rel=1e-4)
    assert float(act.loss) == pytest.approx(real)  # and that is what we charge
