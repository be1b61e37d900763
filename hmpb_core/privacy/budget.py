"""How the budget is shared among the four stages, as exact fractions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction

from hmpb_core.errors import PlanError
from hmpb_core.privacy.guarantee import Guarantee


class Stage(StrEnum):
    """The stages that look at the data, by the names that everybody is shown."""

    ONE_WAY_TABLES = "one-way tables"
    SIMILARITY = "similarity"
    STRUCTURE = "structure"
    CONDITIONAL_TABLES = "conditional tables"

    @property
    def field(self) -> str:
        """The stage's name as a field of ``Shares``."""
        return self.name.lower()


STAGES = ", ".join(Stage)
_OTHER_NAMES = {
    "one-way": Stage.ONE_WAY_TABLES,
    "conditional": Stage.CONDITIONAL_TABLES,
    "profile": Stage.ONE_WAY_TABLES,  # the names up to version 0.1
    "conditionals": Stage.CONDITIONAL_TABLES,
}


def stage_of(name: str) -> Stage:
    """Find a stage by its name.

    Raises:
        PlanError: no stage has that name.
    """
    name = name.strip()
    try:
        return _OTHER_NAMES.get(name) or Stage(name)
    except ValueError:
        raise PlanError(
            "{name!r} is not a stage; the stages are {stages}.", name=name, stages=STAGES
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The part of the budget each stage may spend. Exact fractions that sum to 1.

    Floats are taken as they are written, 0.1 as a tenth: what is left after many acts is compared exactly.

    Example:
        >>> shares = Shares.parse("one-way tables=0.3, similarity=0.1")
        >>> shares.of(Stage.STRUCTURE), sum(share for _, share in shares.items())
        (Fraction(3, 10), Fraction(1, 1))
    """

    one_way_tables: Fraction
    similarity: Fraction
    structure: Fraction
    conditional_tables: Fraction

    def __post_init__(self) -> None:
        for stage in Stage:
            given: object = getattr(self, stage.field)
            if isinstance(given, float) and math.isfinite(given):
                object.__setattr__(self, stage.field, Fraction(repr(float(given))))
        for stage, share in self.items():
            if not 0 <= share <= 1:
                raise PlanError(
                    "The share of {stage} is {share:g}; shares lie between 0 and 1.",
                    stage=stage,
                    share=_float(share),
                )
        total = sum(share for _, share in self.items())
        if total != 1:
            raise PlanError(
                "The shares sum to {total:.12g}; they must sum to 1. Raise or lower one of them.",
                total=_float(Fraction(total)),
            )

    def items(self) -> list[tuple[Stage, Fraction]]:
        """The shares in the order of the stages."""
        return [(stage, self.of(stage)) for stage in Stage]

    def of(self, stage: Stage) -> Fraction:
        """The share of one stage."""
        share: Fraction = getattr(self, stage.field)
        return share

    @classmethod
    def from_weights(
        cls, *, one_way_tables: float, similarity: float, structure: float, conditional_tables: float
    ) -> Shares:
        """Scale non-negative weights so that they sum to 1 exactly.

        Decimal weights keep their decimal value where they sum to 1 already.
        """
        given = (one_way_tables, similarity, structure, conditional_tables)
        weights = [Fraction(repr(float(w))) for w in given if 0 <= w < math.inf]
        if len(weights) < len(given) or sum(weights) == 0:
            raise PlanError("Shares must not be negative, and at least one must be above 0.")
        total = sum(weights)
        a, b, c, d = (w / total for w in weights)
        return cls(one_way_tables=a, similarity=b, structure=c, conditional_tables=d)

    @classmethod
    def from_dict(cls, shares: Mapping[str, Fraction] | Mapping[Stage, Fraction]) -> Shares:
        """Take the shares by their stages' names; a stage left out has none.

        Raises:
            PlanError: a name is no stage's.
        """
        return cls(
            **{f.name: Fraction(0) for f in fields(cls)} | {stage_of(n).field: s for n, s in shares.items()}
        )

    @classmethod
    def parse(cls, text: str) -> Shares:
        """Read ``one-way tables=0.15,similarity=0.2,structure=0.15,conditional tables=0.5``.

        The word ``tables`` may be left out. Stages left out share what is left equally; the shares
        must sum to 1.
        """
        named: dict[Stage, Fraction] = {}
        for part in filter(None, (p.strip() for p in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals:
                raise PlanError(
                    "{part!r} is not a share; write STAGE=SHARE with {stages}.", part=part, stages=STAGES
                )
            try:
                named[stage_of(name)] = _share(value)
            except (ValueError, ZeroDivisionError):
                raise PlanError(
                    "{part!r} is not a share; write a number such as 0.2 or 1/5.", part=part
                ) from None
        missing = [stage for stage in Stage if stage not in named]
        rest = 1 - sum(named.values(), Fraction(0))
        for stage in missing:
            named[stage] = rest / len(missing)
        return cls.from_dict(named)

    def to_dict(self) -> dict[str, float]:
        """The shares as floats, for people and files."""
        return {stage.value: float(share) for stage, share in self.items()}


_NUMBER = re.compile(r"[+-]?\d{1,300}(/\d{1,300}|(\.\d{0,300})?([eE][+-]?\d{1,3})?)", re.ASCII)


def _share(text: str) -> Fraction:
    """Read a share; a number such as 1e999999999 would take the memory of the machine."""
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError
    return Fraction(text.strip())


def _float(share: Fraction) -> float:
    try:
        return float(share)
    except OverflowError:
        return math.inf if share > 0 else -math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A guarantee and its shares: what each stage may spend, in the currency.

    Example:
        >>> from hmpb_core.privacy.guarantee import Currency
        >>> guarantee = Guarantee(epsilon=1.0, delta=0, currency=Currency.PURE)
        >>> Budget(guarantee=guarantee, shares=Shares.parse("structure=1/3")).loss(Stage.STRUCTURE)
        Fraction(1, 3)
    """

    guarantee: Guarantee
    shares: Shares

    def loss(self, stage: Stage) -> Fraction:
        """What the stage may spend: epsilon, or rho."""
        return self.guarantee.total * self.shares.of(stage)
