"""The ledger that this app looks into, and how a data set stands in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from hmpb_core.errors import HmpbError
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.privacy.ledger import Kind, Totals
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.workspace import LEDGER_FILE, Workspace
from pages.explain.subject import RELEASES, Promise
from pages.session.login import has_login, who

FOLDER_VARIABLE = "HMPB_WORKSPACE"


def workspace_folder() -> Path:
    """The folder of the ledger: ``HMPB_WORKSPACE``, or one of the account that runs the app."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "hmpb" / "workspace"


def open_workspace() -> Workspace | None:
    """Open the ledger; None where nothing was ever registered."""
    folder = workspace_folder()
    return Workspace(folder) if (folder / LEDGER_FILE).is_file() else None


def own_datasets(workspace: Workspace) -> list[RegisteredDataset]:
    """The data sets that this steward may see: all of them, or those registered under the login."""
    datasets = workspace.datasets()
    if not has_login():
        return datasets
    mine = {e.dataset for e in workspace.entries() if e.kind is Kind.REGISTER and e.who == who()}
    return [dataset for dataset in datasets if dataset.id in mine]


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
    cost = Totals.of(guarantee, within=dataset.neighbors)
    sums, now = [], dataset.totals
    for _ in range(RELEASES):
        now = now + cost
        sums.append(_epsilon(now.epsilon_at(dataset.cap_delta)))
    return Standing(
        totals=sums, spent=_epsilon(dataset.spent), cap=_epsilon(dataset.cap_epsilon), name=dataset.name
    )


def _epsilon(exact: Fraction) -> float:
    return float(exact)
