"""Events: what a plan will spend, and what a run has spent.

An event is one look at the data, or several that share one allowance. A plan gives its events before
anything is spent, with what each may cost at most. A run gives the same events with its acts under them:
an adaptive stage is one event with a bound, and every measurement and selection it makes is an act.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hmpb_core.privacy.budget import Stage

Act = Literal["measure", "select", "adaptive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One look at the data, or several under one allowance.

    Attributes:
        stage: The stage that pays.
        act: ``measure``, ``select``, or ``adaptive`` for several of both.
        what: What is measured or selected, in words that hold no data.
        loss: Its cost in the currency (epsilon or rho); of an adaptive event the most it may cost.
        sensitivity: How far one person moves what is measured: L1 in the currency ``pure``, L2 in ``zcdp``;
            of a selection how far one score moves. None where the acts differ.
        scale: Scale of the noise, in the measured unit. None where the acts differ, or where it follows
            from values that are not public yet.
        attribute_loss: For each attribute that it touches, the cost towards somebody who hides only
            that attribute: per-attribute partial DP [Ghazi2022]. From a plan an upper bound.
        acts: What was done under the event; empty in a plan.

    Example:
        >>> planned = Event(stage=Stage.STRUCTURE, act="adaptive", what="structure", loss=Fraction(1, 4),
        ...                 sensitivity=None, scale=None, attribute_loss=((0, Fraction(1, 4)),))
        >>> planned.covers(frozenset({0})), planned.covers(frozenset({0, 1})), planned.spent
        (True, False, Fraction(0, 1))
    """

    stage: Stage
    act: Act
    what: str
    loss: Fraction
    sensitivity: float | None
    scale: float | None
    attribute_loss: tuple[tuple[int, Fraction], ...]
    acts: tuple[Event, ...] = ()

    @property
    def attributes(self) -> frozenset[int]:
        """The attributes that it touches."""
        return frozenset(attribute for attribute, _ in self.attribute_loss)

    def covers(self, attributes: frozenset[int]) -> bool:
        """Whether its allowance is for acts on these attributes; one that names none is for all."""
        return not self.attribute_loss or attributes <= self.attributes

    @property
    def spent(self) -> Fraction:
        """What its acts cost."""
        return sum((act.loss for act in self.acts), Fraction(0))
