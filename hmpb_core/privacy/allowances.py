"""What may be spent on what, and what was: no spend without an entry, no entry without a spend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from hmpb_core.errors import BudgetExceededError, PlanError
from hmpb_core.privacy.budget import Budget, Stage
from hmpb_core.privacy.events import Event


class Allowances:
    """The planned events, what is left of each, and the acts under it.

    Args:
        planned: What may be spent on what.

    Example:
        >>> from hmpb_core.privacy.budget import Shares
        >>> from hmpb_core.privacy.guarantee import Guarantee
        >>> shares = Shares.parse("structure=1")
        >>> allowances = Allowances(stage_events(Budget(guarantee=Guarantee(epsilon=1.0), shares=shares)))
        >>> whole = allowances.left(Stage.STRUCTURE)
        >>> paying = allowances.paying(Stage.STRUCTURE, whole / 2, [0, 1])
        >>> allowances.charge(paying, replace(allowances.events[paying], loss=whole / 2))
        >>> allowances.left(Stage.STRUCTURE) == allowances.spent() == whole / 2
        True
    """

    def __init__(self, planned: Sequence[Event]) -> None:
        self._planned = tuple(planned)
        self._acts: list[list[Event]] = [[] for _ in self._planned]
        self._left = [event.loss for event in self._planned]
        self._entries: list[Event] = []

    @property
    def entries(self) -> tuple[Event, ...]:
        """All acts so far, in the order in which they were done."""
        return tuple(self._entries)

    @property
    def events(self) -> tuple[Event, ...]:
        """What was planned, with the acts so far under it."""
        return tuple(
            replace(event, acts=tuple(acts)) for event, acts in zip(self._planned, self._acts, strict=True)
        )

    def spent(self, stage: Stage | None = None) -> Fraction:
        """What a stage, or all of them, has spent."""
        return sum((act.loss for act in self._entries if stage in (None, act.stage)), Fraction(0))

    def left(self, stage: Stage) -> Fraction:
        """What a stage may still spend."""
        return sum((self._left[i] for i in self._of(stage)), Fraction(0))

    def paying(self, stage: Stage, loss: Fraction, attributes: Iterable[int]) -> int:
        """Find the event whose allowance pays for an act, the narrowest first.

        Raises:
            PlanError: the act would cost nothing.
            BudgetExceededError: no event for these attributes has that much left.
        """
        if loss <= 0:
            raise PlanError(
                "{stage} has nothing to spend, yet the method needs it; raise its share above 0.",
                stage=stage,
            )
        touched = frozenset(attributes)
        covering = [i for i in self._of(stage) if self._planned[i].covers(touched)]
        paying = [i for i in covering if self._left[i] >= loss]
        if not paying:
            left = max((self._left[i] for i in covering), default=Fraction(0))
            whole = max((self._planned[i].loss for i in covering), default=Fraction(0))
            raise BudgetExceededError(
                "{stage} asks for {asked:.6g}, but {left:.6g} of {whole:.6g} is left. Lower what it does or "
                "raise its share.",
                stage=stage,
                asked=float(loss),
                left=float(left),
                whole=float(whole),
            )
        return min(paying, key=lambda i: len(self._planned[i].attribute_loss) or math.inf)

    def charge(self, event: int, act: Event) -> None:
        """Enter an act under the event that pays for it."""
        self._left[event] -= act.loss
        self._acts[event].append(act)
        self._entries.append(act)

    def _of(self, stage: Stage) -> list[int]:
        return [i for i, event in enumerate(self._planned) if event.stage is stage]


def stage_events(budget: Budget) -> tuple[Event, ...]:
    """One allowance a stage, for any attributes."""
    return tuple(
        Event(
            stage=stage,
            act="adaptive",
            what=stage.value,
            loss=budget.loss(stage),
            sensitivity=None,
            scale=None,
            attribute_loss=(),
        )
        for stage in Stage
    )
