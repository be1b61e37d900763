"""The membership game on a real table: every row has a partner, and a coin says which of the two is in.

The rows are paired by chance. In every run a coin per pair puts one of its rows into the table and leaves the
other out; the plan is run on that table with the noise of a release. So the table's size never changes, one
pair's coin is exactly what ``replace-one`` protects, and for every row in there is one out, from the same
people, as a control. Nothing of a run leaves the steward's hands: no ledger is charged, and all figures stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core import pipeline
from hmpb_core.audit.replay import Act, Door, Recorder
from hmpb_core.domain import Codes, Domain
from hmpb_core.errors import InputError
from hmpb_core.planning.events import events_of
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Budget
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.memory import MemorySource

LEAST_ROWS = 40
MOST_TARGETS = 150
"""Pairs whose coins are guessed in every run; the others are there for the crowd."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the game.

    Attributes:
        members: Codes of the table that was run, shape (n, d).
        control: Codes of the rows left out, as many.
        inside: Codes of the targets' rows that are in, shape (targets, d).
        outside: Codes of their partners, which are out.
        synthetic: Codes of the synthetic table.
        acts: What the accountant was asked and answered.
    """

    members: Codes
    control: Codes
    inside: Codes
    outside: Codes
    synthetic: Codes
    acts: tuple[Act, ...]


def runs_of_game(
    codes: Codes,
    domain: Domain,
    plan: Plan,
    *,
    runs: int,
    rng: np.random.Generator,
    door: Door = Recorder,
    progress: Progress = silent,
) -> Iterator[Run]:
    """Play the game so many times.

    Args:
        codes: The private rows.
        domain: Their domain.
        plan: The plan, for half as many rows.
        runs: How many runs.
        rng: Pairs the rows, tosses the coins and draws the synthetic rows: no privacy noise.
        door: What opens the accounts.
        progress: Told where the work is, also within a run; may raise ``CancelledError``.

    Raises:
        InputError: there are too few rows to be paired.
    """
    pairs = len(codes) // 2
    if len(codes) < LEAST_ROWS:
        raise InputError(
            "The table has too few rows to attack; at least {least} are needed.", least=LEAST_ROWS
        )
    order = rng.permutation(len(codes))[: 2 * pairs].reshape(2, pairs)
    targets = min(pairs, MOST_TARGETS)
    for number in range(runs):
        progress(number / runs, "attack")
        coins = rng.random(pairs) < 0.5
        inside = codes[np.where(coins, order[0], order[1])]
        outside = codes[np.where(coins, order[1], order[0])]
        account = door(
            Budget(guarantee=plan.guarantee, shares=plan.shares),
            rows_per_person=plan.rows_per_person,
            events=events_of(plan, domain),
        )
        source = MemorySource(inside, domain)
        model = pipeline.fit(
            source, plan, accountant=account, rng=rng, progress=_within(progress, number, runs)
        )
        yield Run(
            members=inside,
            control=outside,
            inside=inside[:targets],
            outside=outside[:targets],
            synthetic=model.sample_codes(pairs, rng=rng),
            acts=tuple(account.acts),
        )


def _within(progress: Progress, number: int, runs: int) -> Progress:
    def told(fraction: float, message: str) -> None:
        del message  # which stage of which run is of no interest
        progress((number + min(fraction, 1.0)) / runs, "attack")

    return told


def weights_of_distance(domain: Domain) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What one step costs in every attribute, and which are ordered: two values are at most 1 apart."""
    sizes = np.array(domain.sizes, dtype=float)
    return 1 / np.maximum(sizes - 1, 1), np.array([a.ordered for a in domain.attributes])


def distances(rows: Codes, others: Codes, domain: Domain) -> NDArray[np.float32]:
    """Gower's distance of every row to every other row: the sum over attributes, each at most 1."""
    step, ordered = weights_of_distance(domain)
    total = np.zeros((len(rows), len(others)), dtype=np.float32)
    for j in range(len(domain)):
        apart = rows[:, j, None] - others[None, :, j]
        total += (np.abs(apart) * step[j] if ordered[j] else apart != 0).astype(np.float32)
    return total
