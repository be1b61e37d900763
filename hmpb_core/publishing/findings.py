"""What surveys of a table found, kept in its workspace: it was paid for, and nobody should pay twice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.privacy.ledger import Entry, Kind, digest_of
from hmpb_core.provenance import Origin, provenance_of
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.files import write_whole
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.locations import PrivateTable

SURVEYS = "surveys"
"""The workspace's folder of findings."""
_ARTEFACT = "findings"


def keep_findings(workspace: Workspace, charge: Entry, fields: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Keep the fields that a survey bought; a disk that is full keeps none, and the survey stands.

    Returns:
        The digest of what is kept, for the ledger.
    """
    bought = [field for field in fields if provenance_of(field).entry == charge.number]
    content = json.dumps(bought, ensure_ascii=False, indent=1).encode()
    folder = workspace.folder / SURVEYS
    with suppress(OSError, SourceError):
        folder.mkdir(exist_ok=True, mode=0o700)
        write_whole(folder / f"{charge.release}.json", content)
        return {_ARTEFACT: digest_of(content)}
    return {}


def findings_of(workspace: Workspace, table: PrivateTable) -> dict[str, dict[str, Any]]:
    """Give what surveys of a registered table found, by column: of a column surveyed twice the dearer find.

    What was changed since it was kept is passed over: it would be called paid for.

    Raises:
        PrivacyError: the table is not registered.
    """
    entries = workspace.entries(workspace.find(table))
    paid = {entry.release: _loss_a_column(entry) for entry in entries if entry.kind is Kind.CHARGE}
    kept = [entry for entry in entries if entry.kind is Kind.COMPLETE and entry.release in paid]
    found: dict[str, dict[str, Any]] = {}
    for entry in sorted(kept, key=lambda entry: (paid[entry.release], entry.number)):
        digest = entry.details.get("artefacts", {}).get(_ARTEFACT)
        with suppress(OSError, ValueError):
            content = (workspace.folder / SURVEYS / f"{entry.release}.json").read_bytes()
            if digest_of(content) == digest:
                found |= {str(field["name"]): field for field in json.loads(content) if _is_paid(field)}
    return found


def surveyed_elsewhere(
    workspace: Workspace, dataset: RegisteredDataset, codebook: Codebook
) -> tuple[str, ...]:
    """Name the fields that say a survey found them, but none that this table's ledger holds.

    A codebook goes from hand to hand: its entry numbers mean something in the ledger alone that they are of.
    """
    charges = [entry for entry in workspace.entries(dataset) if entry.kind is Kind.CHARGE]
    paid = {charge.number: charge.details.get("survey", ()) for charge in charges}
    sources = {name: codebook.sources[name] for name in codebook.domain.names}
    return tuple(
        name
        for name, source in sources.items()
        if source.origin is Origin.SURVEY and name not in paid.get(source.entry or 0, ())
    )


def _loss_a_column(charge: Entry) -> float:
    """What a survey spent on each column, as rho."""
    return float(charge.cost.all_rho) / max(1, len(charge.details.get("survey", ())))


def _is_paid(field: Any) -> bool:
    return isinstance(field, dict) and "name" in field and provenance_of(field).origin is Origin.SURVEY
