"""Pass marks as a file: what a release must reach, agreed by whom and when, and the plans to try."""

from __future__ import annotations

import datetime as dt
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hmpb_core.domain import Domain
from hmpb_core.errors import PlanError, SourceError
from hmpb_core.plain_file import read_plain_text

FORMAT = "hmpb-marks/1"
MARKS = ("two_way_error", "worst_two_way_error", "group", "auc")
CHANGES = ("method", "learner", "similarity", "clusters", "max_parents", "eta", "sigma", "gamma", "target")
"""What a candidate may change in the plan."""
MOST_CANDIDATES = 20
_MOST_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a release must reach; None where there is no such mark.

    Attributes:
        agreed_by: Who agreed.
        agreed_on: When, as a day (ISO 8601).
        two_way_error: Total variation of a two-way table, the mean over all pairs, at most this.
        worst_two_way_error: The same of the worst pair.
        group: No combination of two values that so many real rows share may be missing from the synthetic
            rows.
        auc: A naive Bayes model learned from the synthetic rows ranks the real ones with at least this area
            under the ROC curve.
        target: The attribute of two values that it predicts.
        candidates: What each plan to try changes in the plan; one that changes nothing is the plan itself.
    """

    agreed_by: str
    agreed_on: str
    two_way_error: float | None = None
    worst_two_way_error: float | None = None
    group: int | None = None
    auc: float | None = None
    target: str | None = None
    candidates: tuple[Mapping[str, Any], ...] = field(default=({},))

    def __post_init__(self) -> None:
        for name in ("agreed_by", "agreed_on"):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip() or len(text) > _MOST_CHARACTERS:
                raise PlanError(
                    "The marks lack {entry!r}: write who agreed them, and on which day, before anybody sees "
                    "results.",
                    entry=name,
                )
        try:
            dt.date.fromisoformat(self.agreed_on)
        except ValueError:
            raise PlanError(
                "The marks were agreed on {met!r}, which is no day; write it as 2026-01-31.",
                met=self.agreed_on,
            ) from None
        limits = {
            "two_way_error": (0.0, 1.0),
            "worst_two_way_error": (0.0, 1.0),
            "group": (1, 10**9),
            "auc": (0.5, 1.0),
        }
        for name, (low, high) in limits.items():
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not low < value < high:
                raise PlanError(
                    "The mark {entry!r} is {value!r}; it must be a number between {low:g} and {high:g}.",
                    entry=name,
                    value=value,
                    low=float(low),
                    high=float(high),
                )
        if all(getattr(self, name) is None for name in MARKS):
            raise PlanError("The marks name none of {allowed}; set at least one.", allowed=tuple(MARKS))
        if (self.auc is None) != (self.target is None):
            raise PlanError("The marks 'auc' and 'target' belong together; set both or neither.")
        if not 1 <= len(self.candidates) <= MOST_CANDIDATES:
            raise PlanError(
                "The marks list {met} candidates; list 1 to {most}.",
                met=len(self.candidates),
                most=MOST_CANDIDATES,
            )
        for change in self.candidates:
            unknown = sorted(set(change) - set(CHANGES))
            if unknown:
                raise PlanError(
                    "A candidate changes {entry!r}; candidates may change {allowed}.",
                    entry=unknown[0],
                    allowed=tuple(CHANGES),
                )

    def require_domain(self, domain: Domain) -> None:
        """Refuse a target that the codebook does not have, or that has not two values.

        Raises:
            DomainError: there is no such attribute.
            PlanError: it has not two values.
        """
        if self.target is not None and domain.sizes[domain.index(self.target)] != 2:
            raise PlanError(
                "The mark 'auc' needs a target of two values; {name!r} has another number.", name=self.target
            )

    def to_toml(self) -> str:
        """Give the file's text."""
        import tomli_w

        marks = {name: getattr(self, name) for name in (*MARKS, "target") if getattr(self, name) is not None}
        return tomli_w.dumps(
            {
                "format": FORMAT,
                "agreed_by": self.agreed_by,
                "agreed_on": self.agreed_on,
                "marks": marks,
                "candidates": [dict(change) for change in self.candidates],
            }
        )

    @classmethod
    def from_toml(cls, text: str) -> Marks:
        """Read the file's text.

        Raises:
            PlanError: it holds no marks.
        """
        try:
            content: dict[str, Any] = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError, ValueError):
            raise PlanError("The marks are not TOML; see docs/acceptance.md for a file to copy.") from None
        marks, candidates = content.get("marks"), content.get("candidates", [{}])
        if content.get("format") != FORMAT or not isinstance(marks, dict):
            raise PlanError(
                "The marks do not say format = {format!r}, or hold no table 'marks'; see docs/acceptance.md.",
                format=FORMAT,
            )
        if not isinstance(candidates, list) or not all(isinstance(change, dict) for change in candidates):
            raise PlanError("The marks' 'candidates' must be tables, each what one plan changes.")
        unknown = sorted(set(marks) - {*MARKS, "target"})
        if unknown:
            raise PlanError(
                "The marks say {entry!r}; allowed are {allowed}.",
                entry=unknown[0],
                allowed=(*MARKS, "target"),
            )
        day = content.get("agreed_on", "")
        return cls(
            agreed_by=content.get("agreed_by", ""),
            agreed_on=day.isoformat() if isinstance(day, dt.date) else day,
            candidates=tuple(candidates),
            **marks,
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Marks:
        """Read marks from a file.

        Raises:
            SourceError: the file cannot be read.
            PlanError: it holds no marks.
        """
        try:
            return cls.from_toml(read_plain_text(path))
        except (OSError, UnicodeDecodeError):
            raise SourceError(
                "The marks {file!r} cannot be read; name a TOML file with a table [marks].",
                file=Path(path).name,
            ) from None
