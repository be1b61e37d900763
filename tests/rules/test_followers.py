"""Columns that follow from long lists: modelled beside them, with a table that no look is needed for."""

import numpy as np
import pandas as pd
import pytest

from hmpb_core import Guarantee, make_plan
from hmpb_core.domain import Categorical, Domain
from hmpb_core.learners.adaptive.run import _merges
from hmpb_core.learners.base import Follower
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.pipeline import _followers
from hmpb_core.rules import reading
from hmpb_core.rules.declared import Rules
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source

INDUSTRIES = [f"i{k}" for k in range(60)]
SECTORS = ["farm", "craft", "trade", "care"]
SECTOR_OF = {name: SECTORS[k % 4] for k, name in enumerate(INDUSTRIES)}
RULE = {"kind": "follows", "column": "sector", "from": "industry", "values": SECTOR_OF}


def domain_of(*, nullable: bool = False) -> Domain:
    return Domain(
        (
            Categorical(name="industry", categories=tuple(INDUSTRIES), nullable=nullable),
            Categorical(name="sector", categories=tuple(SECTORS), nullable=nullable),
            Categorical(name="pay", categories=("low", "middle", "high")),
        )
    )


def flat(domain: Domain) -> list[np.ndarray]:
    """One-way tables in which every value is as frequent, and none is missing."""
    sizes = [attribute.size - attribute.nullable for attribute in domain.attributes]
    return [
        np.append(np.full(n, 1 / n), [0.0] * a.nullable)
        for n, a in zip(sizes, domain.attributes, strict=True)
    ]


def test_a_column_that_follows_from_a_long_list_is_as_near_as_without_the_rule() -> None:
    """Pay has to do with the sector: of 4 values little is noise, of 60 industries more."""
    rng = np.random.default_rng(7)
    industry = np.minimum(rng.geometric(0.04, 8000) - 1, 59)
    sector = industry % 4
    pay = np.where(rng.random(8000) < 0.6, np.array([0, 1, 2, 1])[sector], rng.integers(0, 3, 8000))
    codes = np.stack([industry, sector, pay], axis=1).astype(np.int32)
    rules = Rules.read([RULE], domain_of())
    real = np.bincount(sector * 3 + pay, minlength=12) / 8000
    far, wrong = [], 0
    for seed in range(3):
        source = MemorySource(codes, domain_of(), rules=rules)
        plan = make_plan(Guarantee(epsilon=0.4, delta=1e-9), domain_of(), n_rows=8000)
        rows = fit_source(source, plan, seed=seed).sample(8000, rng=np.random.default_rng(seed))
        wrong += int((rows["industry"].map(SECTOR_OF) != rows["sector"]).sum())
        drawn = pd.crosstab(rows["sector"], rows["pay"]).reindex(SECTORS)[["low", "middle", "high"]]
        far.append(np.abs(drawn.to_numpy().ravel() / 8000 - real).sum() / 2)
    assert wrong == 0
    assert np.mean(far) < 0.04  # .12 where the sector was read off a model of industries


def test_bits_of_columns_that_follow_are_modelled_like_any_and_rows_keep_the_rule() -> None:
    """Bits have names of their own, and every release on them failed after its charge."""
    rng = np.random.default_rng(7)
    industry = np.minimum(rng.geometric(0.04, 400) - 1, 59)
    codes = np.stack([industry, industry % 4, rng.integers(0, 3, 400)], axis=1).astype(np.int32)
    source = MemorySource(codes, domain_of(), rules=Rules.read([RULE], domain_of()))
    guarantee = Guarantee(epsilon=1.0, delta=1e-9)
    plan = make_plan(guarantee, domain_of(), n_rows=400, learner="ibayes", encoding="bits")
    rows = fit_source(source, plan, seed=1).sample(200, rng=rng)
    assert (rows["industry"].map(SECTOR_OF) == rows["sector"]).all()


@pytest.mark.parametrize("nullable", [False, True])
def test_what_follows_is_known_of_every_value_and_missing_where_the_list_is(nullable: bool) -> None:
    domain = domain_of(nullable=nullable)
    shares = flat(domain)
    (found,) = _followers(Rules.read([RULE], domain), domain, shares)
    assert (found.attribute, found.of, found.pair) == (1, 0, (0, 1))
    assert found.codes.tolist() == [k % 4 for k in range(60)] + [4] * nullable
    shares[0] = np.append(
        np.full(59 + nullable, 0.96 / (59 + nullable)), 0.04
    )  # too often missing, if it may be
    assert len(_followers(Rules.read([RULE], domain), domain, shares)) == (not nullable)


def test_of_a_vocabulary_those_values_count_that_follow_from_the_list() -> None:
    """Three of 250 countries follow from four cities; where each city has its own, either could lead."""
    cities, countries = ("Oslo", "Bergen", "Turku", "Malmö"), tuple(f"c{k}" for k in range(250))
    domain = Domain(
        (Categorical(name="city", categories=cities), Categorical(name="country", categories=countries))
    )
    for places, known in (([7, 7, 3, 9], True), ([7, 8, 3, 9], False)):
        values = {city: countries[place] for city, place in zip(cities, places, strict=True)}
        rule = {"kind": "follows", "column": "country", "from": "city", "values": values}
        found = _followers(Rules.read([rule], domain), domain, flat(domain))
        assert [f.codes.tolist() for f in found] == [places] * known


def test_of_a_few_values_that_no_pair_names_the_model_has_the_commonest() -> None:
    """Of what is left open more nothing is known without a look."""
    domain, values = domain_of(), {name: SECTOR_OF[name] for name in INDUSTRIES[2:]}
    rules = Rules.read([RULE | {"values": values}], domain)
    sectors, pay = np.array([0.2, 0.1, 0.1, 0.6]), np.full(3, 1 / 3)
    for left_open, known in ((0.04, True), (0.06, False)):
        industries = np.concatenate([np.full(2, left_open / 2), np.full(58, (1 - left_open) / 58)])
        found = _followers(rules, domain, [industries, sectors, pay])
        assert [f.codes.tolist() for f in found] == [[3, 3, *(k % 4 for k in range(2, 60))]] * known


def test_rows_keep_the_pairs_of_a_rule_that_names_nearly_all_and_the_column_its_shares() -> None:
    rng = np.random.default_rng(7)
    industry = np.minimum(rng.geometric(0.04, 8000) - 1, 59)
    sector = industry % 4
    sector[industry == 50] = rng.integers(0, 4, int((industry == 50).sum()))
    codes = np.stack([industry, sector, rng.integers(0, 3, 8000)], axis=1).astype(np.int32)
    values = {name: SECTOR_OF[name] for name in INDUSTRIES if name != "i50"}
    rules = Rules.read([RULE | {"values": values}], domain_of())
    plan = make_plan(Guarantee(epsilon=0.2, delta=1e-9), domain_of(), n_rows=8000)
    far = []
    for seed in range(3):
        source = MemorySource(codes, domain_of(), rules=rules)
        rows = fit_source(source, plan, seed=seed).sample(8000, rng=rng)
        listed = rows["industry"].isin(values)
        assert (rows["industry"].map(SECTOR_OF) == rows["sector"])[listed].all()
        shares = rows["sector"].value_counts(normalize=True).reindex(SECTORS).to_numpy()
        far.append(np.abs(shares - np.bincount(sector, minlength=4) / 8000).max())
    assert np.mean(far) < 0.025  # .032 where the column is read off a model that does not know the pairs


def test_a_list_that_is_no_longer_than_what_follows_from_it_leads() -> None:
    domain = Domain(
        (
            Categorical(name="sector", categories=tuple(SECTORS)),
            Categorical(name="name", categories=("f", "c", "t", "h")),
        )
    )
    names = dict(zip(SECTORS, "fcth", strict=True))
    rules = Rules.read([{"kind": "follows", "column": "name", "from": "sector", "values": names}], domain)
    assert _followers(rules, domain, flat(domain)) == ()


def test_what_follows_from_a_follower_comes_before_it() -> None:
    domain = Domain(
        (
            *domain_of().attributes[:2],
            Categorical(name="kind", categories=("goods", "services")),
        )
    )
    kinds = {"farm": "goods", "craft": "goods", "trade": "services", "care": "services"}
    rules = Rules.read(
        [RULE, {"kind": "follows", "column": "kind", "from": "sector", "values": kinds}], domain
    )
    found = _followers(rules, domain, flat(domain))
    assert [(f.of, f.attribute) for f in found] == [(1, 2), (0, 1)]
    assert all(isinstance(f, Follower) for f in found)


def test_a_long_list_is_gone_through_once_a_column_and_not_once_a_value(monkeypatch) -> None:
    domain = domain_of()
    (rule,) = Rules.read([RULE], domain).items
    attributes = {attribute.name: attribute for attribute in domain.attributes}
    rows = pd.DataFrame({"industry": INDUSTRIES * 2, "sector": [SECTOR_OF[name] for name in INDUSTRIES] * 2})
    looks = []

    class Counted(reading.Coder):
        def __init__(self, *asked):
            looks.append(asked)
            super().__init__(*asked)

    monkeypatch.setattr(reading, "Coder", Counted)
    assert not rule.broken(reading.View(rows, attributes)).any()
    assert rule.assigned(reading.View(rows, attributes)).tolist() == rows["sector"].tolist()
    assert len(looks) < 10


def test_values_are_merged_only_where_all_that_follows_from_them_is_alike() -> None:
    """Of eight rare values one column tells two groups and the other four: no group has two of either."""
    counts = np.array([1000.0, *[1.0] * 8])
    half = Follower(attribute=1, of=0, codes=np.array([0, *[0] * 4, *[1] * 4]))
    quarter = Follower(attribute=2, of=0, codes=np.array([0, *np.repeat([0, 1, 2, 3], 2)]))
    profile = [
        NoisyMarginal(attributes=(a,), counts=table, noise="gaussian", scale=20.0)
        for a, table in enumerate([counts, np.array([600.0, 408]), np.array([400.0, 200, 200, 208])])
    ]
    for followers in ([half, quarter], [quarter, half]):
        merged = _merges(profile, 1008.0, followers)[0].groups
        assert len(set(merged.tolist())) == 5
        for group in set(merged.tolist()):
            inside = merged == group
            assert len(set(half.codes[inside])) == len(set(quarter.codes[inside])) == 1
