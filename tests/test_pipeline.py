"""One pipeline: every method spends exactly its budget, stays in its domain and tells the truth about it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.encoding import encode
from hmpb_core.errors import CancelledError, PlanError
from hmpb_core.facade import guarantee_of
from hmpb_core.model import Model
from hmpb_core.planning.bill import bill_of_plan
from hmpb_core.planning.methods import Accounting, MethodSpec, methods_under
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan
from tests.tables import people, people_codebook

FRAME = people()
CODEBOOK = people_codebook()
CODES = encode(FRAME, CODEBOOK)

SOUND = [
    ("hmprivbayes", "zcdp", "replace-one"),
    ("hmprivbayes", "zcdp", "add-remove"),
    ("hmprivbayes", "pure", "replace-one"),
    ("hmprivbayes", "pure", "add-remove"),
    ("privbayes", "zcdp", "replace-one"),
    ("privbayes", "pure", "replace-one"),
    ("privscbn", "zcdp", "replace-one"),
    ("privscbn", "pure", "replace-one"),
    ("jtree", "zcdp", "replace-one"),
    ("jtree", "pure", "replace-one"),
    ("independent", "zcdp", "replace-one"),
    ("independent", "pure", "add-remove"),
]


def plan_of(
    method: str, currency: str, neighbors: str, *, accounting: str = "sound", epsilon: float = 1.0
) -> Plan:
    return make_plan(
        guarantee_of(currency, epsilon, None, neighbors),
        CODEBOOK.domain,
        n_rows=len(CODES),
        method=method,
        accounting=Accounting(accounting),
    )


def fitted(plan: Plan, *, seed: int | None = 1) -> Model:
    return fit_source(MemorySource(CODES, CODEBOOK.domain), plan, seed=seed)


@pytest.mark.parametrize(("method", "currency", "neighbors"), SOUND)
def test_a_sound_method_spends_its_whole_budget_and_not_a_digit_more(
    method: str, currency: str, neighbors: str
) -> None:
    plan = plan_of(method, currency, neighbors)
    model = fitted(plan)
    spent = sum((entry.loss for entry in model.entries), Fraction(0))
    assert spent <= plan.guarantee.total
    assert float(spent / plan.guarantee.total) == pytest.approx(1, abs=1e-9)
    assert model.bill.total == pytest.approx(1.0, rel=1e-6)
    assert model.bill.total <= 1.0 + 1e-9


@pytest.mark.parametrize(("method", "currency", "neighbors"), SOUND)
def test_a_sound_method_keeps_every_stage_within_its_share(
    method: str, currency: str, neighbors: str
) -> None:
    plan = plan_of(method, currency, neighbors)
    model = fitted(plan)
    for stage, share in plan.shares.items():
        spent = sum((entry.loss for entry in model.entries if entry.stage is stage), Fraction(0))
        assert spent <= plan.guarantee.total * share


@pytest.mark.parametrize(("method", "currency", "neighbors"), [*SOUND, ("noprivacy", "zcdp", "replace-one")])
def test_a_method_stays_in_its_domain_and_writes_as_many_rows_as_it_is_told(
    method: str, currency: str, neighbors: str
) -> None:
    codes = fitted(plan_of(method, currency, neighbors)).sample_codes(500, rng=np.random.default_rng(0))
    assert codes.shape == (500, len(CODEBOOK.domain))
    assert codes.min() >= 0
    assert (codes.max(axis=0) < CODEBOOK.domain.sizes).all()


def test_clusters_are_a_partition_and_every_attribute_has_one_family() -> None:
    for clusters in (1, 2, 3, 5):
        plan = make_plan(
            guarantee_of("zcdp", 1.0, None, "replace-one"), CODEBOOK.domain, n_rows=2000, clusters=clusters
        )
        model = fitted(plan)
        assert sorted(a for c in model.clustering.clusters for a in c) == list(range(5))
        assert sorted(f.child for n in model.networks for f in n.families) == list(range(5))
        assert len(model.networks) == len(model.clustering.clusters)


def test_without_noise_the_dependence_is_found_and_kept() -> None:
    model = fitted(plan_of("noprivacy", "zcdp", "replace-one"))
    sampled = model.sample(20_000, rng=np.random.default_rng(3))
    real = FRAME.groupby("smokes").coughs.value_counts(normalize=True)
    synthetic = sampled.groupby("smokes").coughs.value_counts(normalize=True)
    assert synthetic["yes", "yes"] == pytest.approx(real["yes", "yes"], abs=0.03)
    assert synthetic["no", "yes"] == pytest.approx(real["no", "yes"], abs=0.03)
    assert model.bill.total is None
    assert model.bill.unpaid
    assert not model.releasable


def test_an_unprotected_run_finds_the_same_at_any_epsilon() -> None:
    found = []
    for epsilon in (0.1, 1.0, 10.0):
        guarantee = guarantee_of("zcdp", epsilon, None, "replace-one")
        model = fitted(make_plan(guarantee, CODEBOOK.domain, n_rows=2000, method="noprivacy", clusters=2))
        assert not model.child_noise  # no noise is drawn, so none is told
        families = {family for network in model.networks for family in network.families}
        found.append((families, model.bridges, [table.probabilities.tolist() for table in model.tables]))
    assert found[0] == found[1] == found[2]


def test_only_sound_unseeded_runs_are_releasable() -> None:
    sound = plan_of("hmprivbayes", "zcdp", "replace-one")
    published = plan_of("hmprivbayes", "pure", "replace-one", accounting="as-published")
    assert fitted(sound, seed=None).releasable
    assert not fitted(sound, seed=1).releasable
    assert not fitted(published, seed=None).releasable
    assert not fitted(plan_of("noprivacy", "zcdp", "replace-one"), seed=None).releasable


def test_the_same_seed_repeats_a_run_and_another_does_not() -> None:
    plan = plan_of("hmprivbayes", "zcdp", "replace-one")
    first, second, third = (
        fitted(plan, seed=s).sample_codes(300, rng=np.random.default_rng(5)) for s in (1, 1, 2)
    )
    assert (first == second).all()
    assert (first != third).any()


def test_the_published_run_costs_what_its_bill_says_in_advance() -> None:
    plan = plan_of("hmprivbayes", "pure", "replace-one", accounting="as-published")
    model = fitted(plan)
    bits = len(plan.spec.encoded_domain(CODEBOOK.domain))
    by_hand = (
        float(plan.shares.similarity) * (bits // 2)
        + 3 * float(plan.shares.structure)
        + 3 * float(plan.shares.conditional_tables)
    )
    assert model.bill.total == pytest.approx(by_hand, rel=1e-9)
    assert model.bill.unpaid


def test_the_published_similarity_draws_the_noise_of_algorithm_3() -> None:
    plan = plan_of("hmprivbayes", "pure", "replace-one", accounting="as-published")
    model = fitted(plan)
    entry = next(e for e in model.entries if e.stage is Stage.SIMILARITY)
    d, n = len(plan.spec.encoded_domain(CODEBOOK.domain)), len(CODES)
    epsilon1 = float(plan.shares.similarity)
    delta = np.log2(n) / n + (n - 1) / n * np.log2(n / (n - 1))
    assert entry.scale == pytest.approx(delta * d * (d - 1) / (epsilon1 * 2 * (d // 2)), rel=1e-9)


def test_the_published_noise_costs_what_is_charged_however_many_rows_a_person_has() -> None:
    plan = replace(
        plan_of("hmprivbayes", "pure", "replace-one", accounting="as-published"), rows_per_person=3
    )
    model = fitted(plan)
    similarity = next(e for e in model.entries if e.stage is Stage.SIMILARITY)
    assert similarity.sensitivity is not None
    assert similarity.scale is not None
    assert similarity.sensitivity / similarity.scale == pytest.approx(float(similarity.loss), rel=1e-9)


@pytest.mark.parametrize(
    ("method", "sizes", "clusters", "epsilon", "by_hand"),
    [
        # 3, 5, 2, 17 and 1 values: 2 + 3 + 1 + 5 + 1 = 12 bits. a1 = 11, a2 = a3 = 24 / 2.
        ("hmprivbayes", (3, 5, 2, 17, 1), 2, 0.7, 0.7 * (6 * 11 + 2 * 24) / 35),
        # 9 bits, an odd number: floor(9 / 2) = 4 pairs share one charge. a1 = 8, a2 = a3 = 18 / 9.
        ("hmprivbayes", (2,) * 9, 9, 3.0, 3.0 * (4 * 8 + 9 * 4) / 12),
        # 4,096 values are 12 bits, with 2 more 13: thirds; 6 pairs, and 4 clusters twice.
        ("privscbn", (4096, 2), 4, 0.05, 0.05 * (6 + 4 + 4) / 3),
        # One network, nothing measured of pairs: what it names.
        ("privbayes", (7, 3, 3), None, 1.5, 1.5),
    ],
)
def test_published_bills_are_those_worked_out_by_hand(
    method: str, sizes: tuple[int, ...], clusters: int | None, epsilon: float, by_hand: float
) -> None:
    domain = Domain.of_sizes(sizes)
    plan = make_plan(
        guarantee_of("pure", epsilon, None, "replace-one"),
        domain,
        n_rows=500,
        method=method,
        accounting=Accounting.AS_PUBLISHED,
        clusters=clusters,
    )
    assert bill_of_plan(plan, domain=domain).total == pytest.approx(by_hand, rel=1e-9)


def test_a_published_bill_says_what_hiding_one_attribute_costs() -> None:
    """Seven bits, two clusters: shares 6, 7 and 7 of 20; a bit is in 2 of 7 of the pairs, in one cluster."""
    domain = Domain.of_sizes([2] * 7)
    plan = make_plan(
        guarantee_of("pure", 0.5, None, "replace-one"),
        domain,
        n_rows=500,
        accounting=Accounting.AS_PUBLISHED,
        clusters=2,
    )
    bill = bill_of_plan(plan, domain=domain)
    assert bill.total == pytest.approx(3 * 0.15 + 2 * 0.175 + 2 * 0.175)
    assert list(bill.attributes.values()) == pytest.approx([0.45 * 2 / 7 + 0.175 + 0.175] * 7)


def test_clusters_share_their_budget_by_their_attributes() -> None:
    """PrivSCBN, sound: of five even weights a cluster's networks have as many as it has attributes."""
    model = fitted(replace(plan_of("privscbn", "pure", "replace-one"), clusters=2))
    budget = Fraction(model.plan.guarantee.epsilon) * model.plan.shares.conditional_tables
    clusters, names = model.clustering.clusters, model.domain.names
    sizes = {len(cluster) for cluster in clusters}
    assert len(sizes) == 2, "clusters of one size would tell nothing"
    for cluster in clusters:
        children = {f"family of {names[a]}" for a in cluster}
        paid = sum(e.loss for e in model.entries if e.what in children)
        assert paid == budget * Fraction(len(cluster), len(names))


def test_cancelling_stops_the_run() -> None:
    def cancel(fraction: float, message: str) -> None:
        if fraction > 0:
            raise CancelledError("stop")

    with pytest.raises(CancelledError):
        fit_source(
            MemorySource(CODES, CODEBOOK.domain),
            plan_of("hmprivbayes", "zcdp", "replace-one"),
            seed=1,
            progress=cancel,
        )


def test_work_counts_one_pair_as_one_and_several_as_pairs() -> None:
    said: list[str] = []
    source = MemorySource(CODES, CODEBOOK.domain)
    for method in ("hmprivbayes", "jtree"):
        plan = plan_of(method, "zcdp", "replace-one")
        fit_source(source, plan, seed=1, progress=lambda _part, message: said.append(message))
    assert {"1 pair", "2 pairs"} <= set(said)
    assert "1 pairs" not in said


def test_one_attribute_is_published_alone() -> None:
    codebook = type(CODEBOOK).from_dict({"fields": [{"name": "x", "categories": [0, 1]}]})
    codes = np.zeros((50, 1), dtype=np.int32)
    plan = make_plan(guarantee_of("zcdp", 1.0, None, "replace-one"), codebook.domain, n_rows=50)
    model = fit_source(MemorySource(codes, codebook.domain), plan, seed=1)
    assert model.sample_codes(20, rng=np.random.default_rng(0)).shape == (20, 1)


SKEWED = Codebook.from_dict(
    {
        "fields": [
            {"name": "who", "categories": ["a", "b"], "constraints": {"required": True}},
            {
                "name": "paid",
                "type": "integer",
                "constraints": {"minimum": 0, "maximum": 1_000_000, "required": True},
            },
        ]
    }
)
COMPARED = ["privbayes", "privscbn", "jtree", "naive-bayes"]


@pytest.mark.parametrize("method", COMPARED)
def test_compared_methods_pay_a_quarter_for_bins_that_are_to_be_learned(method: str) -> None:
    rng = np.random.default_rng(4)
    who = rng.integers(2, size=3000)
    frame = pd.DataFrame({"who": np.array(["a", "b"])[who], "paid": rng.integers(0, 50, 3000) + 500 * who})
    plan = make_plan(
        guarantee_of("zcdp", 3.0, None, "replace-one"), SKEWED.domain, n_rows=len(frame), method=method
    )
    assert plan.shares.one_way_tables == Fraction(1, 4)
    model = fit_source(open_source(frame, SKEWED), plan, seed=1)
    assert 0 < model.bill.total <= 3.0 * (1 + 1e-9)
    drawn = model.sample(rng=np.random.default_rng(1))["paid"]
    assert drawn.max() < 5_000, "a bin of equal width would be 31,250 wide"
    assert abs((drawn < 50).mean() - (who == 0).mean()) < 0.1


@pytest.mark.parametrize("method", COMPARED)
def test_compared_methods_measure_no_one_way_tables_of_declared_codes(method: str) -> None:
    assert plan_of(method, "zcdp", "replace-one").shares.one_way_tables == 0
    on_bits = make_plan(
        guarantee_of("zcdp", 1.0, None, "replace-one"),
        SKEWED.domain,
        n_rows=100,
        method=method,
        encoding="bits",
    )
    assert on_bits.shares.one_way_tables == 0
    if method != "jtree":  # to the letter there is none
        letter = make_plan(
            guarantee_of("pure", 1.0, None, "replace-one"),
            SKEWED.domain,
            n_rows=100,
            method=method,
            accounting=Accounting.AS_PUBLISHED,
        )
        assert letter.shares.one_way_tables == 0


OTHERWISE = {"clusters": 2, "sigma": 5.0, "n_vectors": 1, "gamma": -5.0, "eta": 0.9, "max_parents": 1}
IDLE = [spec for accounting in Accounting for spec in methods_under(accounting) if spec.idle]


@pytest.mark.parametrize("spec", IDLE, ids=lambda spec: f"{spec.name} {spec.accounting}")
def test_what_a_method_says_it_has_no_use_for_changes_nothing(spec: MethodSpec) -> None:
    currency = "pure" if spec.accounting is Accounting.AS_PUBLISHED else "zcdp"
    plan = plan_of(spec.name, currency, "replace-one", accounting=spec.accounting)
    asked = {name: value for name, value in OTHERWISE.items() if name in spec.idle}
    assert set(asked) == spec.idle
    usual, other = fitted(plan), fitted(replace(plan, **asked))  # type: ignore[arg-type]
    for one, two in zip(usual.tables, other.tables, strict=True):
        assert one.family == two.family
        assert (one.probabilities == two.probabilities).all()


def test_a_weight_set_by_hand_is_that_of_every_bit() -> None:
    plan = plan_of("hmprivbayes", "pure", "replace-one", accounting="as-published")
    name = CODEBOOK.domain.names[0]
    model = fitted(replace(plan, weights={name: 7.0}))
    owners = plan.spec.owners(CODEBOOK.domain)
    assert owners.count(0) > 1
    assert all((w.weight == 7.0) is (owner == 0) for w, owner in zip(model.weights, owners, strict=True))
    with pytest.raises(PlanError, match="which is not in the codebook"):
        fitted(replace(plan, weights={"nobody": 7.0}))


@pytest.mark.parametrize("method", ["privbayes", "jtree"])
def test_methods_of_one_network_have_one_cluster_whatever_the_plan_asks(method: str) -> None:
    model = fitted(replace(plan_of(method, "pure", "replace-one"), clusters=3))
    assert len(model.clustering.clusters) == len(model.networks) == 1


def test_rare_missing_values_stay_where_later_looks_tell_them_from_noise():
    rng = np.random.default_rng(0)
    rows, columns = 800, 40
    categories = [*"abcde"]
    frame = pd.DataFrame({f"column {i}": rng.choice(categories, rows).astype(object) for i in range(columns)})
    gaps = rng.random(frame.shape) < 0.03
    fields = [{"name": name, "categories": categories} for name in frame]
    book = Codebook.from_dict({"fields": fields})
    source = open_source(frame.mask(gaps), book)
    plan = make_plan(guarantee_of("zcdp", 15.0, 1e-9, "replace-one"), book.domain, n_rows=rows)
    model = fit_source(source, plan, seed=1)
    # the first look's noise is more than half of the 24 gaps of a column, that of all looks a tenth
    missing = model.sample(rng=np.random.default_rng(1)).isna().mean()
    assert (missing == 0).sum() <= 2
    assert abs(missing.mean() - gaps.mean()) < 0.003
