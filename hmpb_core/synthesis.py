"""From a plan and a source to a model: the few lines that the command line, the app and Python share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hmpb_core.domain import Domain
from hmpb_core.planning.methods import DEFAULT_METHOD, Accounting, default_shares, spec_of
from hmpb_core.planning.options import OPTIONS, guarantee_of
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import require_domain
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Guarantee, Neighbors
from hmpb_core.progress import Progress, silent

if TYPE_CHECKING:  # what needs pandas loads with the first fit: a plan and its bill need none
    from hmpb_core.model import Model
    from hmpb_core.sources.base import TableSource


def make_plan(
    guarantee: Guarantee,
    domain: Domain,
    *,
    n_rows: int | None,
    method: str = DEFAULT_METHOD,
    accounting: Accounting = Accounting.SOUND,
    clusters: int | None = None,
    shares: Shares | None = None,
    **options: object,
) -> Plan:
    """Complete a plan: whatever is not set follows the public rules.

    Args:
        guarantee: What is promised.
        domain: The codebook's domain.
        n_rows: Number of rows; used only where the neighbour relation makes it public.
        method: Which method.
        accounting: Whose accounting.
        clusters: k.
        shares: Each stage's part of the budget.
        options: Further fields of ``Plan``; those that are None keep their defaults.

    Raises:
        PlanError: the choices contradict each other, or the domain.
    """
    rows_wanted = options.get("rows")
    public = n_rows
    if guarantee.neighbors is not Neighbors.REPLACE_ONE:  # the number of rows is private
        public = rows_wanted if isinstance(rows_wanted, int) else None
    declared = options.get("declared_rows")
    if isinstance(declared, int):
        public = declared
    given = {name: value for name, value in options.items() if value is not None}
    variant = {"learner": given.get("learner"), "encoding": given.get("encoding")}
    spec = spec_of(method, accounting, **variant)  # type: ignore[arg-type]
    given.setdefault("eta", spec.eta)
    if spec.pays_by_row and public is not None:
        given.setdefault("rows", public)
    if shares is None:
        given["declared_rows"] = public
        shares = default_shares(
            method,
            accounting,
            domain=domain,
            guarantee=guarantee,
            n_rows=public,
            clusters=clusters,
            **variant,  # type: ignore[arg-type]
        )
    plan = Plan(
        guarantee=guarantee,
        shares=shares,
        method=method,
        accounting=accounting,
        clusters=clusters,
        **given,  # type: ignore[arg-type]
    )
    require_domain(plan, domain)
    return plan


def plan_of_options(
    given: Mapping[str, Any], domain: Domain, *, n_rows: int | None, declared_rows: int | None = None
) -> Plan:
    """Make a plan from plain values, by the names of the table of options.

    Args:
        given: Values by the options' names on the command line; what is missing or None keeps its default.
        domain: The codebook's domain.
        n_rows: Number of rows; used only where the neighbour relation makes it public.
        declared_rows: Number of rows that somebody says everybody may know.

    Raises:
        PlanError: a value is not allowed, or two contradict each other.
    """
    values = {entry.field: entry.read(given.get(entry.name)) for entry in OPTIONS}
    accounting = values.pop("accounting") or Accounting.SOUND
    guarantee = guarantee_of(
        *(values.pop(field) for field in ("currency", "epsilon", "delta", "neighbors")), accounting=accounting
    )
    return make_plan(
        guarantee,
        domain,
        n_rows=n_rows,
        accounting=accounting,
        method=values.pop("method") or DEFAULT_METHOD,
        declared_rows=declared_rows,
        **values,
    )


def fit_source(
    source: TableSource, plan: Plan, *, seed: int | None = None, progress: Progress = silent
) -> Model:
    """Fit a model with the noise and the randomness of a release, or of a seed.

    Args:
        source: The private table.
        plan: Every choice.
        seed: Makes the run repeatable, and its output not releasable.
        progress: Told where the work is.

    Raises:
        PlanError: a format of identifiers holds fewer than there are to be rows, or their number is private
            and the plan names none.
    """
    from hmpb_core.pipeline import fit
    from hmpb_core.planning.account import accountant_for
    from hmpb_core.rules.identifiers import require_room

    public = plan.guarantee.neighbors is Neighbors.REPLACE_ONE
    require_room(source.rules.identifiers, plan.rows or (source.n_rows if public else None))
    return fit(
        source,
        plan,
        accountant=accountant_for(plan, source.domain, seed=seed, shares=source.noise_shares),
        rng=np.random.default_rng(seed),
        progress=progress,
    )
