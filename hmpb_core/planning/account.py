"""The account of a plan: what it may spend, opened before anything is looked at."""

from __future__ import annotations

from hmpb_core.domain import Domain
from hmpb_core.planning.events import events_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.accountant import Accountant, Protection
from hmpb_core.privacy.budget import Budget


def accountant_for(plan: Plan, domain: Domain, *, seed: int | None = None) -> Accountant:
    """Open an account for the events of a plan.

    Args:
        plan: The plan.
        domain: The codebook's domain.
        seed: Makes the noise repeatable, and so the output not private.
    """
    protection: Protection = "system" if seed is None else "seeded"
    return Accountant(
        Budget(guarantee=plan.guarantee, shares=plan.shares),
        rows_per_person=plan.rows_per_person,
        protection="none" if plan.spec.protection == "none" else protection,
        seed=seed,
        events=events_of(plan, domain),
    )
