"""From a table and a plan to a model: the few lines that the command line, the app and Python share."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.encoding import BinaryEncoding, Codes, EncodedTable, encode_table
from hmpb_core.model import Model
from hmpb_core.pipeline import accountant_for, fit
from hmpb_core.planning.plan import PUBLISHED_ETA, Accounting, Method, Plan, default_shares
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.guarantee import Guarantee, Neighbors
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.memory import MemorySource


def make_plan(
    guarantee: Guarantee,
    domain: Domain,
    *,
    n_rows: int | None,
    method: Method = Method.HMPRIVBAYES,
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
    """
    rows_wanted = options.get("rows")
    public = n_rows
    if guarantee.neighbors is not Neighbors.REPLACE_ONE:  # the number of rows is private
        public = rows_wanted if isinstance(rows_wanted, int) else None
    shares = shares or default_shares(
        method, accounting, domain=domain, guarantee=guarantee, n_rows=public, clusters=clusters
    )
    given = {name: value for name, value in options.items() if value is not None}
    if accounting is Accounting.AS_PUBLISHED:
        given.setdefault("eta", PUBLISHED_ETA)
    return Plan(
        guarantee=guarantee,
        shares=shares,
        method=method,
        accounting=accounting,
        clusters=clusters,
        **given,  # type: ignore[arg-type]
    )


def source_of(codes: Codes | EncodedTable, domain: Domain, plan: Plan) -> MemorySource:
    """Give the private source a plan works on: the codes, or their bits."""
    table = codes if isinstance(codes, EncodedTable) else EncodedTable(codes=codes)
    if plan.binary:
        encoding = BinaryEncoding(domain)
        return MemorySource(encoding.encode(table.codes), encoding.bit_domain)
    return MemorySource(table.codes, domain, table.fine)


def fit_codes(
    codes: Codes | EncodedTable,
    domain: Domain,
    plan: Plan,
    *,
    seed: int | None = None,
    progress: Progress = silent,
) -> Model:
    """Fit a model to codes.

    Args:
        codes: Codes of shape (rows, attributes), or an encoded table; bins are learned from the latter
            alone, since codes do not hold where in its bin a value lies.
        domain: The codebook's domain.
        plan: Every choice.
        seed: Makes the run repeatable, and its output not releasable.
        progress: Told where the work is.
    """
    return fit(
        source_of(codes, domain, plan),
        plan,
        domain=domain,
        accountant=accountant_for(plan, domain, seed=seed),
        rng=np.random.default_rng(seed),
        progress=progress,
    )


def fit_table(
    frame: pd.DataFrame,
    codebook: Codebook,
    plan: Plan,
    *,
    seed: int | None = None,
    progress: Progress = silent,
) -> Model:
    """Fit a model to a table; see ``fit_codes``.

    Raises:
        SourceError: the table does not fit the codebook.
    """
    return fit_codes(encode_table(frame, codebook), codebook.domain, plan, seed=seed, progress=progress)
