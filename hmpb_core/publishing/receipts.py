"""What the ledger is checked against: the bundles beside it, and receipts kept outside of the workspace.

A chain of digests shows a change in its middle. It cannot show that the workspace was put back to an older
copy, or written anew from its first entry: only something kept elsewhere can. A *receipt* is the number and
the digest of one entry; an export and a bundle's ledger extract hold receipts as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmpb_core.errors import Sentence, SourceError
from hmpb_core.plain_file import read_plain
from hmpb_core.privacy.ledger import Entry, Kind, digest_of

_RECEIPT = re.compile(r"\s*(\d{1,12}):([0-9a-f]{64})\s*")


def receipt_of(entry: Entry) -> str:
    """Give an entry's receipt, ``NUMBER:DIGEST``, to be kept outside of the workspace."""
    return f"{entry.number}:{entry.digest}"


@dataclass(frozen=True, slots=True)
class Receipts:
    """Entries that the ledger must still hold.

    Attributes:
        digests: The digest of each entry that is known, by its number.
    """

    digests: Mapping[int, str]

    @classmethod
    def read(cls, given: str) -> Receipts:
        """Read a receipt, or the path of a file that holds some: an export, or a bundle's ledger extract.

        Raises:
            SourceError: it is neither.
        """
        if found := _RECEIPT.fullmatch(given):
            return cls({int(found[1]): found[2]})
        path = Path(given)
        try:
            content = read_plain(path)
        except (OSError, ValueError):
            raise _no_receipt(path.name) from None
        return cls.of_file(content, path.name)

    @classmethod
    def of_file(cls, content: bytes, name: str) -> Receipts:
        """Read a file that holds receipts: one alone, an export, or a bundle's ledger extract.

        Raises:
            SourceError: it holds none.
        """
        try:
            text = content.decode("utf-8")
            if found := _RECEIPT.fullmatch(text):
                return cls({int(found[1]): found[2]})
            return cls(dict(_receipts_in(json.loads(text))))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise _no_receipt(name) from None

    def faults(self, entries: Sequence[Entry]) -> list[Sentence]:
        """Say which of them the ledger lacks, or holds otherwise."""
        held = {entry.number: entry.digest for entry in entries}
        faults = []
        for number, digest in sorted(self.digests.items()):
            if number not in held:
                faults.append(
                    Sentence(
                        "Entry {number}, for which there is a receipt, is not here: the ledger was put back "
                        "to an older state.",
                        {"number": number},
                    )
                )
            elif held[number] != digest:
                faults.append(
                    Sentence(
                        "Entry {number} is not the one of its receipt: the ledger was written anew.",
                        {"number": number},
                    )
                )
        return faults


def bundle_faults(
    bundles: Sequence[Path], entries: Sequence[Entry], *, contents: bool = True
) -> list[Sentence]:
    """Compare the bundles that a workspace keeps with its ledger.

    A bundle without a charge was paid by a ledger that is no longer here. A charge without a bundle is no
    fault: its run was stopped, or goes on.

    Args:
        bundles: Their files, listed before the entries were read.
        entries: All entries of the ledger.
        contents: Whether to read them as well.
    """
    charged = {entry.release for entry in entries if entry.kind is Kind.CHARGE}
    digests = {
        entry.release: entry.details.get("artefacts", {}).get("bundle")
        for entry in entries
        if entry.kind is Kind.COMPLETE
    }
    faults = []
    for path in bundles:
        if path.stem not in charged:
            faults.append(
                Sentence(
                    "The bundle {file!r} has no charge in this ledger: entries are missing.",
                    {"file": path.name},
                )
            )
        elif contents and path.stem in digests and not _is_file_of(path, digests[path.stem]):
            faults.append(
                Sentence("The bundle {file!r} was changed since it was written.", {"file": path.name})
            )
    return faults


def _no_receipt(name: str) -> SourceError:
    return SourceError(
        "{file!r} holds no receipt; give a file of 'hmpb ledger --export', a bundle's "
        "ledger-extract.json, or NUMBER:DIGEST.",
        file=name,
    )


def _is_file_of(path: Path, digest: str | None) -> bool:
    try:
        return digest_of(path.read_bytes()) == digest
    except OSError:
        return False


def _receipts_in(values: Any) -> list[tuple[int, str]]:
    if "chain" not in values and "datasets" in values:  # the dashboard's export: entries without their bodies
        return _receipts_of_lines(entry for dataset in values["datasets"] for entry in dataset["entries"])
    lines = values["chain"] if "chain" in values else values["entries"]
    found = []
    for line in lines:
        number, digest = json.loads(line["body"])["number"], line["digest"]
        if digest_of(line["body"]) != digest or not isinstance(number, int):
            raise ValueError
        found.append((number, digest))
    if not found:
        raise ValueError
    return found


def _receipts_of_lines(entries: Iterable[Any]) -> list[tuple[int, str]]:
    receipts = [_RECEIPT.fullmatch(f"{entry['number']}:{entry['digest']}") for entry in entries]
    if not receipts or None in receipts:
        raise ValueError
    return [(int(receipt[1]), receipt[2]) for receipt in receipts if receipt]
