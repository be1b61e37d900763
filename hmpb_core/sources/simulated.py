"""Stand-ins for a private table: rehearsals run on them, free of charge."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hmpb_core.decoding import decode
from hmpb_core.domain import Codes, Domain
from hmpb_core.encoding import scattered
from hmpb_core.errors import PlanError
from hmpb_core.rules.declared import NO_RULES, Rules
from hmpb_core.rules.obeying import obedient_rows
from hmpb_core.sources.memory import MemorySource

GROUPS = 3


def simulated(domain: Domain, n_rows: int, strength: float, rng: np.random.Generator) -> Codes:
    """Simulate a table from its codebook alone.

    Attributes fall into three groups in turn. Each row has one hidden position in [0, 1) a group;
    an attribute of m values takes the value floor(m * position) with probability ``strength``,
    and a value at random otherwise. So two attributes of a group share their position with
    probability strength^2, and attributes of different groups are independent.

    Args:
        domain: The codebook's domain.
        n_rows: Rows to simulate.
        strength: 0 (all independent) to 1 (each group moves as one).
        rng: Draws the rows.

    Raises:
        PlanError: the strength or the number of rows is impossible.
    """
    if not 0 <= strength <= 1:
        raise PlanError(
            "The dependence strength is {strength:g}; it must lie between 0 and 1.", strength=strength
        )
    if n_rows < 2:
        raise PlanError("rows is {rows}; simulate at least 2.", rows=n_rows)
    positions = rng.random((n_rows, GROUPS))
    codes = np.empty((n_rows, len(domain)), dtype=np.int32)
    for a, size in enumerate(domain.sizes):
        together = np.floor(size * positions[:, a % GROUPS])
        codes[:, a] = np.where(rng.random(n_rows) < strength, together, rng.integers(size, size=n_rows))
    return codes


def simulated_source(
    domain: Domain, n_rows: int, strength: float, rng: np.random.Generator, rules: Rules = NO_RULES
) -> MemorySource:
    """Give a simulated table as a source; values lie anywhere in their bins. See ``simulated``."""
    table = scattered(simulated(domain, n_rows, strength, rng), domain, rng)
    return MemorySource(table.codes, domain, table.fine, rules)


def simulated_rows(
    domain: Domain, n_rows: int, strength: float, rng: np.random.Generator, rules: Rules = NO_RULES
) -> pd.DataFrame:
    """Give a simulated table of which every row keeps the public rules. See ``simulated``."""
    return obedient_rows(
        rules,
        domain,
        n_rows,
        draw=lambda count, rng: simulated(domain, count, strength, rng),
        values=lambda codes, rng: decode(codes, domain, rng, rules.items),
        rng=rng,
    )
