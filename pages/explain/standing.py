"""How a data set stands in the ledger, now and after further releases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hmpb_core.errors import HmpbError
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.privacy.ledger import Totals
from hmpb_core.publishing.dataset import RegisteredDataset
from pages.explain.subject import RELEASES, Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a data set stands, now and after further releases.

    Attributes:
        totals: Total epsilon after 1, 2, ... releases like the promised one.
        spent: What is spent now.
        cap: The lifetime cap; None without a ledger.
        name: The data set's name; empty without a ledger.
    """

    totals: list[float]
    spent: float = 0.0
    cap: float | None = None
    name: str = ""


def standing(promise: Promise, dataset: RegisteredDataset | None) -> Standing:
    """Work out how a data set would stand after releases like the promised one."""
    if dataset is not None and promise.guarantee is not None:
        try:
            return _in_ledger(dataset, promise.guarantee)
        except HmpbError:  # the currencies do not fit; then the promise stands alone
            pass
    return Standing(totals=[promise.after(releases) for releases in range(1, RELEASES + 1)])


def _in_ledger(dataset: RegisteredDataset, guarantee: Guarantee) -> Standing:
    sums, now = [], dataset.totals
    for _ in range(RELEASES):
        now = now + Totals.of(guarantee, within=dataset.neighbors, after=now)
        sums.append(_epsilon(now.epsilon_at(dataset.cap_delta)))
    return Standing(
        totals=sums, spent=_epsilon(dataset.spent), cap=_epsilon(dataset.cap_epsilon), name=dataset.name
    )


def _epsilon(exact: Fraction) -> float:
    return float(exact)
