"""How a method's stages share its budget unless the plan says: public rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hmpb_core.domain import Domain, Numeric
from hmpb_core.planning.advice import shares_for
from hmpb_core.privacy.budget import Shares, Stage
from hmpb_core.privacy.guarantee import Guarantee

PUBLISHED_CLUSTERS = 3
"""The number of clusters of [Zhang2022]."""
FOR_VALUES = Fraction(1, 4)
"""Share of the one-way tables where a method measures them for nothing but bins that are to be learned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the public rules may look at.

    Attributes:
        domain: The domain that the method works on.
        guarantee: What is promised.
        n_rows: Number of rows where it is public or declared, else None.
        clusters: k, where it is set.
    """

    domain: Domain
    guarantee: Guarantee
    n_rows: int | None
    clusters: int | None


ShareRule = Callable[[Circumstances], Shares]


def published_shares(n_attributes: int, n_clusters: int) -> Shares:
    """The paper's split: a1 = (d-1)/n, a2 = a3 = 2d/(nk), eps_i = eps a_i / a; n cancels.

    Source: [Zhang2022, section 4.1].
    """
    a1 = Fraction(n_attributes - 1)
    a2 = Fraction(2 * n_attributes, n_clusters)
    total = a1 + 2 * a2
    return Shares(
        one_way_tables=Fraction(0),
        similarity=a1 / total,
        structure=a2 / total,
        conditional_tables=a2 / total,
    )


def advised(given: Circumstances) -> Shares:
    """What ``advice.shares_for`` says."""
    return shares_for(given.domain, given.guarantee, given.n_rows)


def advised_without_selections(given: Circumstances) -> Shares:
    """As advised, but what would pay for selections goes to the similarity: it alone finds the pairs."""
    usual = advised(given)
    return Shares(
        one_way_tables=usual.one_way_tables,
        similarity=usual.similarity + usual.structure,
        structure=Fraction(0),
        conditional_tables=usual.conditional_tables,
    )


def as_published(given: Circumstances) -> Shares:
    """The paper's split, for its own number of clusters where none is set."""
    return published_shares(len(given.domain), given.clusters or PUBLISHED_CLUSTERS)


def four_stages(given: Circumstances) -> Shares:
    """The one-way tables as advised; the paper's three stages share the rest 1 : 3 : 6.

    The paper's own split gives the similarity (d - 1) / (d - 1 + 4 d / k) of it: more than clusters need.
    """
    one_way = shares_for(given.domain, given.guarantee, given.n_rows).one_way_tables
    return Shares(
        one_way_tables=one_way,
        similarity=(1 - one_way) * Fraction(1, 10),
        structure=(1 - one_way) * Fraction(3, 10),
        conditional_tables=(1 - one_way) * Fraction(6, 10),
    )


def without_pairs(shares: Shares) -> Shares:
    """The same where there is one attribute: no two are alike, so its tables get what the similarity had."""
    return Shares(
        one_way_tables=shares.one_way_tables,
        similarity=Fraction(0),
        structure=shares.structure,
        conditional_tables=shares.conditional_tables + shares.similarity,
    )


def fixed(one_way_tables: int, similarity: int, structure: int, conditional_tables: int) -> ShareRule:
    """The same weights in all circumstances."""
    shares = Shares.from_weights(
        one_way_tables=one_way_tables,
        similarity=similarity,
        structure=structure,
        conditional_tables=conditional_tables,
    )
    return lambda _: shares


def values_first(similarity: int, structure: int, conditional_tables: int) -> ShareRule:
    """Fixed weights; where bins are to be learned, after ``FOR_VALUES`` for the one-way tables.

    Without it a number has many bins of equal width, of which a skewed one fills few, and the usefulness
    rule lets hardly a parent in.
    """
    plain = fixed(0, similarity, structure, conditional_tables)

    def shares(given: Circumstances) -> Shares:
        if not any(isinstance(a, Numeric) and a.learned for a in given.domain.attributes):
            return plain(given)
        rest = {stage: share * (1 - FOR_VALUES) for stage, share in plain(given).items()}
        return Shares.from_dict(rest | {Stage.ONE_WAY_TABLES: FOR_VALUES})

    return shares
