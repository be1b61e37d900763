"""Findings of an audit that is under way, kept in a file, so that it goes on where it was interrupted."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hmpb_core.audit.evidence import LossMeasure
from hmpb_core.audit.findings import Finding, Kind
from hmpb_core.errors import InputError
from hmpb_core.privacy.guarantee import Currency, Neighbors

FORMAT = "hmpb-audit-part/1"


class KeptFindings:
    """A file with a line for the audit and one for each finding, in the order in which they were made.

    Args:
        path: The file.
        audit: What tells one audit from another, as plain values: version, runs, number of checks.
        resume: Whether findings that lie there are taken up; else they are written anew.

    Attributes:
        findings: What was found so far.
        seconds: Processor time that it took so far.

    Raises:
        InputError: the file holds another audit's findings, or cannot be read.
    """

    def __init__(self, path: Path, audit: dict[str, Any], *, resume: bool) -> None:
        self._path = path
        self.findings: list[Finding] = []
        self.seconds = 0.0
        heading = json.dumps({"format": FORMAT, **audit}, sort_keys=True)
        if resume and path.is_file():
            self._take_up(heading)
        else:
            path.write_text(heading + "\n", encoding="utf-8")

    def add(self, finding: Finding, seconds: float) -> None:
        """Keep one more finding.

        Args:
            finding: What was found.
            seconds: Processor time that it took.
        """
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**asdict(finding), "seconds": round(seconds, 3)}) + "\n")
        self.findings.append(finding)
        self.seconds += seconds

    def done(self) -> None:
        """Take the file away: the audit came to its end."""
        self._path.unlink(missing_ok=True)

    def _take_up(self, heading: str) -> None:
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
            whole = [line for line in lines if line.endswith("\n")]  # the last may have been cut off
            same = bool(whole) and whole[0].strip() == heading
            kept = [json.loads(line) for line in whole[1:]] if same else []
            self.seconds = float(sum(entry.pop("seconds") for entry in kept))
            self.findings = [_finding(entry) for entry in kept]
        except (OSError, ValueError, KeyError, TypeError):
            same = False
        if not same:
            raise InputError(
                "{file!r} does not hold the beginning of this audit; delete it, or leave out --resume.",
                file=self._path.name,
            )
        self._path.write_text("".join(whole), encoding="utf-8")


def _finding(entry: dict[str, Any]) -> Finding:
    return Finding(
        **{
            **entry,
            "kind": Kind(entry["kind"]),
            "currency": Currency(entry["currency"]),
            "neighbors": Neighbors(entry["neighbors"]),
            "measure": LossMeasure(entry["measure"]),
        }
    )
