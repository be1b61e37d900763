"""Rows in any number, drawn chunk by chunk.

A draw of up to ``CHUNK_ROWS`` rows is the model's own. A larger one is cut into equal chunks, each with a
generator of its own; what they share is the offsets of the systematic sampling (``stages.sampling.Part``),
so that together they hit expected numbers as one draw does. A chunk depends on the draw and its number
alone: whoever draws it, in whatever order and however often, it is the same rows.
"""

from __future__ import annotations

import copy
import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar

import numpy as np
import pandas as pd

from hmpb_core.domain import Domain
from hmpb_core.model import bound_rules, draw_rows, require_paid
from hmpb_core.network import ConditionalTable
from hmpb_core.planning.plan import Plan
from hmpb_core.rules.declared import Rules
from hmpb_core.stages.sampling import Part

CHUNK_ROWS = 1 << 18
"""Rows drawn at a time by each worker: some 50 MiB of Adult's columns."""
MOST_WORKERS = 4
"""Most chunks drawn at once on this machine: what memory is needed goes with it."""

T = TypeVar("T")


class Drawable(Protocol):
    """A model, of a run or of a bundle."""

    @property
    def tables(self) -> Sequence[ConditionalTable]:
        """Conditional tables over the encoded domain, in sampling order."""

    @property
    def plan(self) -> Plan:
        """The plan they were made by."""

    @property
    def domain(self) -> Domain:
        """The codebook's domain."""

    @property
    def rules(self) -> Rules:
        """What every row obeys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedDraw:
    """Everything that drawing takes: public values alone, so that any process may be handed them.

    Attributes:
        tables: The model's conditional tables.
        plan: The plan they were made by.
        domain: The codebook's domain.
        rules: What every row obeys, alike in all chunks.
        n_rows: Rows to draw.
        generators: A generator for each chunk, from which nothing was drawn; copies of them draw.
        seed: What the chunks share.
    """

    tables: Sequence[ConditionalTable] = field(repr=False)
    plan: Plan
    domain: Domain
    rules: Rules
    n_rows: int
    generators: tuple[np.random.Generator, ...] = field(repr=False)
    seed: int = field(repr=False)

    @classmethod
    def of(cls, model: Drawable, n_rows: int, *, rng: np.random.Generator) -> Self:
        """Cut a draw into chunks. Free: post-processing.

        Args:
            model: What to draw from.
            n_rows: Rows to draw.
            rng: Draws them. The same generator gives the same rows, whoever draws which chunk.

        Raises:
            PlanError: the method pays for every row, and these are more than were paid for.
        """
        require_paid(model.plan, n_rows)
        tables, plan, domain, rules = model.tables, model.plan, model.domain, model.rules
        count = max(1, math.ceil(n_rows / CHUNK_ROWS))
        whole = copy.deepcopy(rng)
        seed = int(rng.integers(2**63))
        if count > 1:
            rules = bound_rules(tables, plan, domain, rules)
        generators = tuple(rng.spawn(count)) if count > 1 else (whole,)
        return cls(
            tables=tables,
            plan=plan,
            domain=domain,
            rules=rules,
            n_rows=n_rows,
            generators=generators,
            seed=seed,
        )

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return len(self.generators)

    def chunk(self, index: int) -> pd.DataFrame:
        """Draw a chunk: always the same rows."""
        count = self.chunks
        return draw_rows(
            self.tables,
            self.plan,
            self.domain,
            self.rules,
            n_rows=self.n_rows // count + (index < self.n_rows % count),
            rng=copy.deepcopy(self.generators[index]),
            part=Part(index=index, of=count, seed=self.seed) if count > 1 else None,
        )


def in_threads(work: Callable[[int], T], count: int) -> Iterator[T]:
    """Do a piece of work for each number on this machine's cores, and give what comes of each, in order.

    A few are done at once, and never more than a few wait.

    Args:
        work: Done for 0, 1, ..., in any order.
        count: How many numbers.
    """
    workers = min(MOST_WORKERS, _cores(), count)
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for number in range(count):
                if len(waiting) > workers:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(work, number))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
