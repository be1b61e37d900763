"""No structure: every attribute by itself, from its one-way table."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.learners.base import Context, Learned
from hmpb_core.network import BayesianNetwork, ConditionalTable, Family


@dataclass(frozen=True, slots=True, kw_only=True)
class Independent:
    """A network of one node for every attribute."""

    def learn(self, context: Context) -> Learned:
        """Take the one-way tables as they are; nothing more is spent."""
        one_way = context.one_way
        tables = [
            ConditionalTable(family=Family(child=a), probabilities=q, noise_sd=table.noise_sd)
            for a, (q, table) in enumerate(zip(one_way.probabilities, one_way.measured, strict=True))
        ]
        return Learned(networks=[BayesianNetwork((table.family,)) for table in tables], tables=tables)
