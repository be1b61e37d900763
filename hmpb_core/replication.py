"""Replicates of a paid model: its noise and its sampling, drawn again without the private table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError
from hmpb_core.model import draw_rows
from hmpb_core.network import ConditionalTable
from hmpb_core.planning.plan import Plan, require_rows
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source

MOST_REPLICATES = 1000


class Drawable(Protocol):
    """What a paid model is here: ``Model``, or ``PaidModel`` read from a bundle."""

    @property
    def plan(self) -> Plan:
        """The plan it was made by."""

    @property
    def domain(self) -> Domain:
        """The codebook's domain, with learned bins."""

    @property
    def tables(self) -> Sequence[ConditionalTable]:
        """Conditional tables in sampling order."""

    @property
    def n_rows(self) -> int:
        """Public or noisy number of rows of the private table."""


def replicates(
    model: Drawable,
    codebook: Codebook,
    count: int,
    *,
    rows: int | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Iterator[pd.DataFrame]:
    """Draw tables that differ from each other as releases of the same plan would. Free: post-processing.

    Each one: as many rows as the private table has are drawn from the paid model, every row by itself; the
    plan is carried out on them, with noise of the same size, every choice made anew; rows are drawn from the
    model that comes of it. What the paid model missed, no replicate shows: see docs/replicates.md.

    Args:
        model: The paid model.
        codebook: The public codebook.
        count: How many.
        rows: Rows of each; as many as were published unless given.
        rng: Draws everything. The noise hides nobody here, so it may be repeatable.
        progress: Told where the work is.

    Raises:
        PlanError: count or rows is not allowed.

    Example:
        >>> from hmpb_core import Guarantee, make_plan, synthesize
        >>> codebook = Codebook.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
        >>> people = pd.DataFrame({"smokes": ["no", "yes", "no", "no"] * 500})
        >>> plan = make_plan(Guarantee(epsilon=1.0), codebook.domain, n_rows=2000, method="independent")
        >>> model, released = synthesize(open_source(people, codebook), plan)
        >>> again = replicates(model, codebook, 5, rng=np.random.default_rng(1))
        >>> [len(table) for table in again]
        [2000, 2000, 2000, 2000, 2000]
    """
    require_count(count)
    require_rows(rows)
    return _replicates(model, codebook, count, rows=rows, rng=rng, progress=progress)


def apart(model: Drawable, names: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """Give the pairs of attributes that stand in no table of the model together.

    Given the others they are unrelated in the model, whatever they are in truth, and so they are in every
    replicate: an interval of a coefficient that needs such a pair does not cover what the model missed.

    Args:
        model: The paid model.
        names: The attributes that an analysis uses; all unless given.

    Raises:
        DomainError: there is no such attribute.
    """
    owners = model.plan.spec.owners(model.domain)
    together: set[tuple[int, int]] = set()
    for table in model.tables:
        members = sorted({owners[a] for a in table.family.attributes})
        together.update(itertools.combinations(members, 2))
    wanted = sorted(model.domain.index(name) for name in (names or model.domain.names))
    return [
        (model.domain.names[i], model.domain.names[j])
        for i, j in itertools.combinations(wanted, 2)
        if (i, j) not in together
    ]


def require_count(count: int) -> None:
    """Refuse a number of replicates that cannot be drawn.

    Raises:
        PlanError: it is below 1 or far too large.
    """
    if not 1 <= count <= MOST_REPLICATES:
        raise PlanError(
            "replicates is {replicates}; ask for 1 to {most}.", replicates=count, most=MOST_REPLICATES
        )


def _replicates(
    model: Drawable,
    codebook: Codebook,
    count: int,
    *,
    rows: int | None,
    rng: np.random.Generator,
    progress: Progress,
) -> Iterator[pd.DataFrame]:
    plan, domain, rules = model.plan, model.domain, codebook.rules
    published = rows or plan.rows or model.n_rows
    for number in range(count):
        progress(number / count, f"replicate {number + 1} of {count}")
        stand_in = draw_rows(
            model.tables, plan, domain, rules, n_rows=model.n_rows, rng=rng, each_by_itself=True
        )
        again = fit_source(open_source(stand_in, codebook), plan, seed=int(rng.integers(2**62)))
        yield again.sample(published, rng=rng)
    progress(1.0, "replicates")
