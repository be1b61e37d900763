"""The ledger that this app looks into."""

from __future__ import annotations

import os
from pathlib import Path

from hmpb_core.privacy.ledger import Kind
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.workspace import LEDGER_FILE, Workspace
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


def registered_as(identifier: str) -> RegisteredDataset | None:
    """The data set of this identifier as the ledger has it now; None for an empty one."""
    workspace = open_workspace() if identifier else None
    return next((d for d in workspace.datasets() if d.id == identifier), None) if workspace else None


def own_datasets(workspace: Workspace) -> list[RegisteredDataset]:
    """The data sets that this steward may see: all of them, or those registered under the login."""
    datasets = workspace.datasets()
    if not has_login():
        return datasets
    mine = {e.dataset for e in workspace.entries() if e.kind is Kind.REGISTER and e.who == who()}
    return [dataset for dataset in datasets if dataset.id in mine]
