"""The account of a plan: what it may spend, opened before anything is looked at."""

from __future__ import annotations

from hmpb_core.domain import Domain
from hmpb_core.planning.events import events_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.accountant import Accountant, Protection
from hmpb_core.privacy.budget import Budget
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.shares import NoiseShares
from hmpb_core.sources.base import HiddenRows, Source, TableSource


def accountant_for(
    plan: Plan, domain: Domain, *, seed: int | None = None, shares: NoiseShares | None = None
) -> Accountant:
    """Open an account for the events of a plan.

    Args:
        plan: The plan.
        domain: The codebook's domain.
        seed: Makes the noise repeatable, and so the output not private.
        shares: Who adds the noise, where parties add it in shares.
    """
    protection: Protection = "system" if seed is None else "seeded"
    return Accountant(
        Budget(guarantee=plan.guarantee, shares=plan.shares),
        rows_per_person=plan.rows_per_person,
        protection="none" if plan.spec.protection == "none" else protection,
        seed=seed,
        events=events_of(plan, domain),
        shares=shares,
    )


def source_under(plan: Plan, source: TableSource) -> Source:
    """The private table as a plan may see it: in bits or codes, its number of rows hidden or not.

    Args:
        plan: The plan.
        source: The private table, over its codebook's domain.
    """
    counts = source.as_bits() if plan.spec.encoding == "bits" else source
    return counts if plan.guarantee.neighbors is Neighbors.REPLACE_ONE else HiddenRows(counts)
