"""How well released rows fit the private table, bought from the ledger: a figure that readers may have.

For every pair of columns the distance of the released rows' table from the private one is measured, with
noise; their mean is known far better than each. Charged like a release, before anything is looked at.
"""

from __future__ import annotations

import io
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.errors import PlanError, SourceError, typed
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Budget, Shares, Stage
from hmpb_core.privacy.guarantee import Guarantee, Neighbors
from hmpb_core.privacy.ledger import Entry, digest_of
from hmpb_core.publishing.aftermath import on_record
from hmpb_core.publishing.bundle import EXTRACT
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.known_noise import INTERVAL
from hmpb_core.publishing.model_files import PaidModel, model_of_bundle
from hmpb_core.publishing.workspace import Workspace, whoami
from hmpb_core.repeated import own_domain
from hmpb_core.sources.base import Source
from hmpb_core.sources.locations import PrivateTable
from hmpb_core.sources.open import open_source

FORMAT = "hmpb-fit/1"
ROWS = "data.parquet"
_ONE_STAGE = Shares.from_weights(one_way_tables=0, similarity=1, structure=0, conditional_tables=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Noisy distances of released rows from the private table.

    Attributes:
        names: Names of the columns.
        pairs: Total variation distance of each pair's tables, in the order of the pairs, with noise.
        noise_sd: Standard deviation of that noise.
        second_sample: What another sample of as many rows from the released model would be off by, the mean
            over pairs: sampling alone. Free: it knows the released rows only.
        entry: The ledger's entry that paid.
        guarantee: What was paid.
    """

    names: tuple[str, ...]
    pairs: tuple[float, ...]
    noise_sd: float
    second_sample: float
    entry: int
    guarantee: Guarantee

    @property
    def mean(self) -> float:
        """The mean over pairs, with noise."""
        return math.fsum(self.pairs) / len(self.pairs)

    @property
    def mean_interval(self) -> float:
        """Half the width of the mean's 95 % noise interval."""
        return INTERVAL * self.noise_sd / math.sqrt(len(self.pairs))

    @property
    def headline(self) -> str:
        """The finding in one sentence."""
        return (
            f"Two-way tables of the released rows are off by {100 * max(self.mean, 0):.2g} points on "
            f"average, plus or minus {100 * self.mean_interval:.2g} for noise; two samples of that size "
            f"drawn from the model differ by {100 * self.second_sample:.2g}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the finding as plain values, the worst pair first."""
        named = list(itertools.combinations(self.names, 2))
        order = sorted(range(len(named)), key=lambda i: -self.pairs[i])
        return {
            "format": FORMAT,
            "headline": self.headline,
            "mean": self.mean,
            "mean_noise_interval": self.mean_interval,
            "second_sample": self.second_sample,
            "pair_noise_interval": INTERVAL * self.noise_sd,
            "pairs": [{"columns": list(named[i]), "distance": self.pairs[i]} for i in order],
            "guarantee": self.guarantee.to_dict(),
            "ledger_entry": self.entry,
        }

    def to_json(self) -> str:
        """Give the finding as a JSON file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCommit:
    """A measurement of fit that passed every check and waits for the steward's word.

    Attributes:
        guarantee: What it costs.
        before: The data set now.
        after: The data set as it will stand.
        elsewhere: Whether this ledger has no release of the rows from this table.
        model: The released model.
        private: The private table.
        released: The released rows.
    """

    guarantee: Guarantee
    before: RegisteredDataset
    after: RegisteredDataset
    elsewhere: bool
    model: PaidModel = field(repr=False)
    private: Source = field(repr=False)
    released: Source = field(repr=False)

    @property
    def expected_interval(self) -> float:
        """Half the width of the mean's 95 % noise interval: known before anything is paid."""
        accountant = _accountant(self)
        count = math.comb(len(self.model.domain), 2)
        loss = accountant.left(Stage.SIMILARITY)
        sd = accountant.pairs_noise_sd(count, sensitivity=_sensitivity(self), loss=loss)
        return INTERVAL * sd / math.sqrt(count)

    @property
    def lines(self) -> list[str]:
        """What is said before anything is paid."""
        delta = f", delta {typed(self.guarantee.delta)}" if self.guarantee.delta else ""
        return [
            f"Data set     {self.before.name}; {self.before.unit.words}",
            *(
                ["             from which this ledger has no release of these rows: is it the right bundle?"]
                if self.elsewhere
                else []
            ),
            "Bought       the distance of the released rows' two-way tables from the private ones; their "
            f"mean within {100 * self.expected_interval:.2g} points",
            f"In total     epsilon {self.guarantee.epsilon:g}{delta}",
            f"Left of cap  epsilon {max(0.0, float(self.after.left)):.6g} of "
            f"{float(self.before.cap_epsilon):g} after this",
            "This cannot be undone: the charge stays even if the measurement fails.",
        ]


def prepare_fit(
    table: PrivateTable,
    files: Mapping[str, bytes],
    workspace: Workspace,
    *,
    epsilon: float,
) -> FitCommit:
    """Check everything that can be checked before anything is paid. Charges nothing.

    Args:
        table: The private table, in memory or in an engine.
        files: The files of the release's bundle.
        workspace: Where the table is registered.
        epsilon: What the measurement may cost; its currency and delta are the plan's.

    Raises:
        PlanError: there is no pair of columns, or epsilon is impossible.
        PrivacyError: the table is not registered.
        BudgetExceededError: the cap does not admit it.
        SourceError: the bundle is a rehearsal's, or does not fit the table.
    """
    model = model_of_bundle(files)
    if ROWS not in files:
        raise SourceError("The bundle is a rehearsal: there is nothing released that could fit the table.")
    if len(model.domain) < 2:
        raise PlanError("The table has one column; there is no pair of columns to compare.")
    dataset = workspace.find(table)
    plan = model.plan.guarantee
    guarantee = Guarantee(
        epsilon=epsilon, delta=plan.delta, currency=plan.currency, neighbors=dataset.neighbors
    )
    rows = pd.read_parquet(io.BytesIO(files[ROWS]), dtype_backend="numpy_nullable")
    return FitCommit(
        guarantee=guarantee,
        before=dataset,
        after=dataset.after(guarantee),
        elsewhere=not _is_released(files, workspace.entries(dataset)),
        model=model,
        private=open_source(table, model.codebook, dataset.unit).recoded(own_domain(model.domain)),
        released=open_source(rows, model.codebook).recoded(own_domain(model.domain)),
    )


def _is_released(files: Mapping[str, bytes], entries: Sequence[Entry]) -> bool:
    """Whether one of the ledger's entries charged for the bundle."""
    with suppress(KeyError, IndexError, TypeError, ValueError):
        paid = json.loads(files[EXTRACT])["entries"][0]["digest"]
        return any(entry.digest == paid for entry in entries)
    return False


def carry_out_fit(commit: FitCommit, workspace: Workspace, *, who: str | None = None, why: str = "") -> Fit:
    """Charge the measurement, then look once.

        D(a, b) = 1/2 sum_cells |counts - T shares of the released rows| / T

    T is the public number of rows (the model's noisy one where it is private), so one row moves each distance
    by 1/T under replace-one neighbours and by 1/(2T) under add-remove ones.

    Args:
        commit: What was prepared.
        workspace: Its workspace.
        who: Who measures.
        why: For what purpose.

    Raises:
        BudgetExceededError: meanwhile somebody else took what was left; nothing is charged.
        PrivacyError: the measurement failed after its charge.
    """
    charge: Entry = workspace.charge(
        commit.before, commit.guarantee, who=who or whoami(), why=why, details={"title": "fit"}
    )
    with on_record(workspace, charge, makes_a_bundle=False):
        fit = _fit(commit, charge.number)
        workspace.complete(charge, artefacts={"fit.json": digest_of(fit.to_json().encode())})
    return fit


def _fit(commit: FitCommit, entry: int) -> Fit:
    domain, total = commit.model.domain, commit.model.n_rows
    pairs = list(itertools.combinations(range(len(domain)), 2))
    values, samples = np.empty(len(pairs)), np.empty(len(pairs))
    tables = zip(commit.private.marginals(pairs), commit.released.marginals(pairs), strict=True)
    for i, (private, released) in enumerate(tables):
        shares = released.counts / max(released.counts.sum(), 1)
        values[i] = 0.5 * np.abs(private.counts / total - shares).sum()
        # the mean size of the difference of two samples' shares, each of variance p (1 - p) / T
        samples[i] = 0.5 * np.sqrt(2 / math.pi * 2 * shares * (1 - shares) / total).sum()
    accountant = _accountant(commit)
    noisy, sd = accountant.measure_pairs(
        values,
        n_attributes=len(domain),
        sensitivity=_sensitivity(commit),
        stage=Stage.SIMILARITY,
        loss=accountant.left(Stage.SIMILARITY),
        what="distance of the released rows from the table, all pairs",
    )
    return Fit(
        names=domain.names,
        pairs=tuple(noisy.tolist()),
        noise_sd=sd,
        second_sample=float(samples.mean()),
        entry=entry,
        guarantee=commit.guarantee,
    )


def _accountant(commit: FitCommit) -> Accountant:
    budget = Budget(guarantee=commit.guarantee, shares=_ONE_STAGE)
    return Accountant(budget, rows_per_person=commit.before.unit.rows)


def _sensitivity(commit: FitCommit) -> float:
    """How far one row moves one distance."""
    moved = 1.0 if commit.guarantee.neighbors is Neighbors.REPLACE_ONE else 0.5
    return moved / commit.model.n_rows
