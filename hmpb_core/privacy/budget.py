"""How the budget is shared among the four stages, to the last digit."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction

from hmpb_core.errors import PlanError
from hmpb_core.privacy.guarantee import Guarantee


class Stage(StrEnum):
    """The stages that look at the data."""

    PROFILE = "profile"
    SIMILARITY = "similarity"
    STRUCTURE = "structure"
    CONDITIONALS = "conditionals"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The part of the budget each stage may spend. Exact fractions that sum to 1."""

    profile: Fraction
    similarity: Fraction
    structure: Fraction
    conditionals: Fraction

    def __post_init__(self) -> None:
        for stage, share in self.items():
            if not 0 <= share <= 1:
                raise PlanError(
                    f"The share of {stage.value} is {float(share):g}; shares lie between 0 and 1."
                )
        total = sum(share for _, share in self.items())
        if total != 1:
            raise PlanError(
                f"The shares sum to {float(total):.12g}; they must sum to 1. Raise or lower one of them."
            )

    def items(self) -> list[tuple[Stage, Fraction]]:
        """The shares in the order of the stages."""
        return [(Stage(field.name), getattr(self, field.name)) for field in fields(self)]

    def of(self, stage: Stage) -> Fraction:
        """The share of one stage."""
        share: Fraction = getattr(self, stage.value)
        return share

    @classmethod
    def from_weights(
        cls, *, profile: float, similarity: float, structure: float, conditionals: float
    ) -> Shares:
        """Scale non-negative weights so that they sum to 1 exactly.

        Decimal weights keep their decimal value where they sum to 1 already.
        """
        given = (profile, similarity, structure, conditionals)
        weights = [Fraction(repr(float(w))) for w in given if 0 <= w < math.inf]
        if len(weights) < len(given) or sum(weights) == 0:
            raise PlanError("Shares must not be negative, and at least one must be above 0.")
        total = sum(weights)
        a, b, c, d = (w / total for w in weights)
        return cls(profile=a, similarity=b, structure=c, conditionals=d)

    @classmethod
    def parse(cls, text: str) -> Shares:
        """Read ``profile=0.15,similarity=0.2,structure=0.15,conditionals=0.5``.

        Stages left out share what is left equally; the shares must sum to 1.
        """
        named: dict[str, Fraction] = {}
        stages = [stage.value for stage in Stage]
        for part in filter(None, (p.strip() for p in text.split(","))):
            name, equals, value = part.partition("=")
            if name.strip() not in stages or not equals:
                raise PlanError(f"{part!r} is not a share; write STAGE=SHARE with {', '.join(stages)}.")
            try:
                named[name.strip()] = Fraction(value.strip())
            except (ValueError, ZeroDivisionError):
                raise PlanError(f"{part!r} is not a share; write a number such as 0.2 or 1/5.") from None
        missing = [stage for stage in stages if stage not in named]
        rest = 1 - sum(named.values(), Fraction(0))
        for stage in missing:
            named[stage] = rest / len(missing)
        return cls(**named)

    def to_dict(self) -> dict[str, float]:
        """The shares as floats, for people and files."""
        return {stage.value: float(share) for stage, share in self.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A guarantee and its shares: what each stage may spend, in the currency."""

    guarantee: Guarantee
    shares: Shares

    def loss(self, stage: Stage) -> Fraction:
        """What the stage may spend: epsilon, or rho."""
        return self.guarantee.total * self.shares.of(stage)
