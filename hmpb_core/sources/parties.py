"""Several owners of disjoint rows, one codebook: their counts are sums."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError, PlanError
from hmpb_core.marginal import Marginal
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.shares import NoiseShares
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.sources.base import Source, TableSource


class Trust(StrEnum):
    """What the parties trust."""

    AGGREGATOR = "aggregator"
    """Somebody who sees every party's exact counts and adds the noise."""
    SHARES = "shares"
    """A sum: every party adds its share of noise to its counts, and only the sum is seen."""


class PartySource(TableSource):
    """The rows of all parties together.

    Args:
        owners: A source for each party, over one domain.
        rules: What every row obeys.
        shares: Who adds noise; None where a trusted aggregator adds it to the exact sums.

    Raises:
        PlanError: there are fewer than two parties.
        DomainError: their domains differ.

    Example:
        >>> from hmpb_core.sources.memory import MemorySource
        >>> domain = Domain.of_sizes([2, 2])
        >>> rows = np.array([[0, 1], [1, 1], [1, 0]])
        >>> owners = [MemorySource(rows[:2], domain), MemorySource(rows[2:], domain)]
        >>> both = PartySource(owners)
        >>> both.n_rows, both.marginal((0,)).counts.tolist(), both.marginal((0,)).parts
        (3, [1, 2], ())
        >>> apart = PartySource(owners, shares=NoiseShares(parties=2))
        >>> [part.tolist() for part in apart.marginal((0,)).parts]
        [[1, 1], [0, 1]]
    """

    def __init__(
        self, owners: Sequence[Source], *, rules: Rules = NO_RULES, shares: NoiseShares | None = None
    ) -> None:
        self._all = tuple(owners)
        if len(self._all) < 2 or (shares is not None and shares.parties != len(self._all)):
            raise PlanError("Several parties are at least two; give each a table of its own.")
        if any(owner.domain != self._all[0].domain for owner in self._all):
            raise DomainError("The parties' tables have different codebooks; they must share one.")
        self._shares = shares
        self._rules = rules

    @property
    def domain(self) -> Domain:
        """The parties' public domain."""
        return self._all[0].domain

    @property
    def rules(self) -> Rules:
        """What every row obeys."""
        return self._rules

    @property
    def n_rows(self) -> int:
        """Number of rows of all parties."""
        return sum(owner.n_rows for owner in self._all)

    @property
    def owners(self) -> tuple[Source, ...]:
        """The parties, where each adds its own noise; none where an aggregator adds it."""
        return self._all if self._shares is not None else ()

    @property
    def noise_shares(self) -> NoiseShares | None:
        """Who adds noise."""
        return self._shares

    def marginals(self, sets: Iterable[Sequence[int]]) -> Iterator[Marginal]:
        """Count many tables: the sums of the parties' tables."""
        wanted = itertools.tee(sets, len(self._all))
        found = (owner.marginals(own) for owner, own in zip(self._all, wanted, strict=True))
        for tables in zip(*found, strict=True):
            yield self._summed(tables)

    def as_bits(self) -> Source:
        """Give the same rows with every attribute cut into bits."""
        return PartySource([cast("TableSource", owner).as_bits() for owner in self._all], shares=self._shares)

    @property
    def fine(self) -> frozenset[int]:
        """The attributes whose fine positions every party knows."""
        return frozenset.intersection(*(owner.fine for owner in self._all))

    def interval_counts(self, attribute: int, starts: NDArray[np.int64]) -> Marginal:
        """Count the rows in intervals of an attribute's grid."""
        return self._summed([owner.interval_counts(attribute, starts) for owner in self._all])

    def repeat_counts(
        self, attribute: int, others: Sequence[int], usual: Sequence[NDArray[np.int64]]
    ) -> Marginal:
        """Count the rows by the first of some other columns that holds an attribute's value too."""
        return self._summed([owner.repeat_counts(attribute, others, usual) for owner in self._all])

    def mark_counts(
        self, attribute: int, starts: NDArray[np.int64], groups: NDArray[np.int64], marks: tuple[str, ...]
    ) -> Marginal:
        """Count the rows by groups of intervals of an attribute's grid, and by the marks of their values."""
        return self._summed([owner.mark_counts(attribute, starts, groups, marks) for owner in self._all])

    def recoded(self, domain: Domain) -> Source:
        """Give the same rows over a domain whose learned bins are known."""
        return PartySource([owner.recoded(domain) for owner in self._all], shares=self._shares)

    def _summed(self, tables: Sequence[Marginal]) -> Marginal:
        parts = tuple(table.counts for table in tables)
        counts = np.zeros(parts[0].shape, dtype=np.int64)
        for part in parts:
            counts += part
        kept = parts if self._shares is not None else ()
        return Marginal(attributes=tables[0].attributes, counts=counts, parts=kept)


def guarantees(guarantee: Guarantee, shares: NoiseShares | None) -> list[dict[str, Any]]:
    """Say what is guaranteed against whom, as plain values.

    Args:
        guarantee: The plan's guarantee.
        shares: Who adds noise; None where a trusted aggregator does.
    """
    promised = {"epsilon": float(guarantee.epsilon), "delta": guarantee.delta}
    nothing = {"epsilon": None, "delta": None}
    if shares is None:
        return [
            {"against": "whoever reads the output, the other parties included", **promised},
            {"against": "the aggregator, who sees exact counts", **nothing},
        ]
    alone: dict[str, Any] = nothing
    if guarantee.currency is Currency.ZCDP:  # a share has the (k - t)-th part of the variance
        alone = {
            "epsilon": guarantee.epsilon_of(guarantee.total * shares.honest),
            "delta": guarantee.delta,
        }
    return [
        {"against": "whoever reads the output", **promised},
        {
            "against": f"the aggregator of a secure sum together with {shares.withheld} of the parties",
            **promised,
        },
        {"against": "an aggregator who sees each party's noisy counts by themselves", **alone},
    ]
