"""A plan as a file: TOML, complete, easy to compare line by line, without a seed."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmpb_core.domain import Domain, Numeric
from hmpb_core.errors import PlanError, SourceError
from hmpb_core.plain_file import read_plain_text
from hmpb_core.planning.options import UNIT_FIELDS
from hmpb_core.planning.plan import Plan
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.unit import Unit

if TYPE_CHECKING:
    from hmpb_core.codebook import Codebook

FORMAT = "hmpb-plan/1"
AUTO = "auto"
AS_REGISTERED = "as registered"
_HEADER = """\
# A plan of hmpb: every choice of a release, made before anything is spent.
# "auto" leaves a choice to a public rule. Shares are exact fractions that sum to 1.
# Try it with 'hmpb rehearse', spend it with 'hmpb release'.

"""
_OPTIONAL = tuple(f.name for f in fields(Plan) if f.default is None and f.name not in UNIT_FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """A plan and what it refers to.

    Attributes:
        plan: Every choice.
        codebook: Digest of the codebook it was made for.
        attributes: Names of the codebook's attributes, for people.
        unit: The unit of protection; None takes the one the data set was registered with.
    """

    plan: Plan
    codebook: str
    attributes: tuple[str, ...]
    unit: Unit | None = None

    @classmethod
    def of(cls, plan: Plan, codebook: Codebook, unit: Unit | None = None) -> PlanFile:
        """Make the file of a plan for a codebook; a unit completes the plan."""
        made = cls(plan=plan, codebook=codebook_digest(codebook), attributes=codebook.domain.names)
        return made if unit is None else made.under(unit)

    def under(self, unit: Unit) -> PlanFile:
        """Complete the plan with the unit that its data set was registered with.

        Raises:
            PlanError: the plan names another unit.
        """
        if self.unit is not None and self.unit != unit:
            raise PlanError(
                "The plan protects the unit '{unit}', but the data set was registered with '{registered}'; "
                "change the plan's unit to '{registered}' or to '{as_registered}'.",
                unit=str(self.unit),
                registered=str(unit),
                as_registered=AS_REGISTERED,
            )
        plan = replace(self.plan, person=unit.column, rows_per_person=unit.rows)
        return replace(self, plan=plan, unit=unit)

    def is_for(self, codebook: Codebook) -> bool:
        """Whether it was made for a codebook; older files count the columns that are not published too."""
        return self.codebook in (codebook_digest(codebook), _digest(codebook, codebook.unpublished))

    def require_codebook(self, codebook: Codebook) -> None:
        """Refuse another codebook than the plan was made for.

        Raises:
            PlanError: the codebook differs, or has fewer attributes than the plan clusters.
        """
        if not self.is_for(codebook):
            raise PlanError(
                "The plan was made for another codebook, or the codebook was changed since; make the plan "
                "again with 'hmpb plan'."
            )
        require_domain(self.plan, codebook.domain)

    def to_toml(self) -> str:
        """Give the file's text."""
        import tomli_w

        values = self.plan.to_dict()
        for name in UNIT_FIELDS:
            del values[name]
        guarantee, shares, weights = (values.pop(name) for name in ("guarantee", "shares", "weights"))
        for name in _OPTIONAL:
            values[name] = AUTO if values[name] is None else values[name]
        content = {
            "format": FORMAT,
            "unit": str(self.unit) if self.unit else AS_REGISTERED,
            **values,
            "guarantee": guarantee,
            "shares": shares,
            "weights": weights,
            "domain": {"codebook_sha256": self.codebook, "attributes": list(self.attributes)},
        }
        # People read this file too: 1e-9, as it is typed, not 1e-09.
        return _HEADER + re.sub(r"(?m)^(delta = .*e-)0+", r"\1", tomli_w.dumps(content))

    @classmethod
    def from_toml(cls, text: str) -> PlanFile:
        """Read the file's text; a unit that it names completes the plan, so that its noise is that unit's.

        Raises:
            PlanError: it is not a plan, or it is one with a seed.
        """
        try:
            content: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(
                "The plan is not TOML ({reason}); make one with 'hmpb plan'.", reason=str(error)
            ) from None
        except (RecursionError, ValueError):  # what Python's reader does not call an error of TOML
            raise PlanError(
                "The plan holds brackets within brackets without end, or a number with thousands of digits; "
                "make one with 'hmpb plan'."
            ) from None
        if "seed" in content:
            raise PlanError(
                "The plan holds a seed: whoever reads it could subtract the noise. Remove the line; a "
                "release draws its noise from the operating system."
            )
        if content.pop("format", None) != FORMAT:
            raise PlanError(
                "The plan does not say format = {format!r}; make one with 'hmpb plan'.", format=FORMAT
            )
        unit, domain = content.pop("unit", None), content.pop("domain", None)
        if not isinstance(unit, str) or not isinstance(domain, dict):
            raise PlanError("The plan lacks its 'unit' or its 'domain'; make one with 'hmpb plan'.")
        for name in UNIT_FIELDS:
            if name in content:
                raise PlanError(
                    "The plan sets {entry!r}; write it as the unit, 'row' or 'COLUMN:m'.", entry=name
                )
        for name in _OPTIONAL:
            if content.get(name) == AUTO:
                content[name] = None
        attributes = domain.get("attributes", [])
        made = cls(
            plan=Plan.from_dict(content),
            codebook=str(domain.get("codebook_sha256", "")),
            attributes=tuple(str(name) for name in attributes) if isinstance(attributes, list) else (),
        )
        return made if unit == AS_REGISTERED else made.under(Unit.parse(unit))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> PlanFile:
        """Read a plan from a file.

        Raises:
            SourceError: the file cannot be read.
            PlanError: it is not a plan.
        """
        try:
            return cls.from_toml(read_plain_text(path))
        except (OSError, UnicodeDecodeError):
            raise SourceError(
                "The plan {file!r} cannot be read; make one with 'hmpb plan'.", file=Path(path).name
            ) from None


def codebook_digest(codebook: Codebook) -> str:
    """SHA-256 of a codebook's content, in hexadecimal.

    How files are written is no part of a plan, nor is a column that never leaves: one codebook names it, and
    another of the same table does not.
    """
    made_up = {form.name for form in codebook.rules.identifiers}
    return _digest(codebook, {name: role for name, role in codebook.unpublished.items() if name in made_up})


def _digest(codebook: Codebook, unpublished: Mapping[str, str]) -> str:
    plain = replace(codebook.in_plain_csv(), file_format="", sheet="", unpublished=unpublished)
    return hashlib.sha256(plain.to_json().encode()).hexdigest()


def require_domain(plan: Plan, domain: Domain) -> None:
    """Refuse what a plan asks of a domain that has none of it: clusters, a class, bins to be learned.

    Raises:
        DomainError: the target is not in the codebook.
        PlanError: k exceeds the number of attributes (of bits, where the plan cuts attributes into bits), or
            one-way tables that serve learned bins alone have a share, and there are none.
    """
    plan.target_of(domain)
    n_attributes = len(plan.spec.encoded_domain(domain))
    if plan.clusters is not None and plan.clusters > n_attributes:
        raise PlanError(
            "clusters is {clusters}, but there are only {attributes} attributes to put into them; ask for "
            "at most {attributes}.",
            clusters=plan.clusters,
            attributes=n_attributes,
        )
    share = plan.shares.one_way_tables
    learned = any(isinstance(a, Numeric) and a.learned for a in domain.attributes)
    if share > 0 and Stage.ONE_WAY_TABLES in plan.spec.may and not learned:
        raise PlanError(
            "The share of '{stage}' is {share:g}, but the method '{method}' measures them for learned bins "
            "alone, and the codebook has none; give it to another stage.",
            stage=Stage.ONE_WAY_TABLES,
            share=float(share),
            method=plan.spec.name,
        )
