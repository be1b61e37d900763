"""The linked stage sliders: whole thousandths that always sum to the total."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from hmpb_core.privacy.budget import Shares, Stage

TOTAL = 1000
STAGES = tuple(Stage)

Thousandths = tuple[int, ...]


def to_thousandths(shares: Shares) -> Thousandths:
    """Round exact shares to thousandths that sum to the total: largest remainders go up."""
    return apportion([share for _, share in shares.items()], TOTAL)


def to_shares(thousandths: Sequence[int]) -> Shares:
    """Read thousandths as exact shares."""
    names = [stage.field for stage in STAGES]
    return Shares(**{n: Fraction(v, TOTAL) for n, v in zip(names, thousandths, strict=True)})


def rebalance(current: Sequence[int], *, moved: int, value: int, locked: Collection[int]) -> Thousandths:
    """Set one share and let the unlocked others make room, in proportion to what they have.

    Args:
        current: Thousandths of each stage.
        moved: Index of the stage whose slider was moved.
        value: Where it was moved to; what the locked stages hold is out of its reach.
        locked: Indices of the stages that keep their share.

    Returns:
        Thousandths that sum to the total.
    """
    free = [i for i in range(len(current)) if i != moved and i not in locked]
    held = sum(current[i] for i in locked if i != moved)
    if not free:
        value = TOTAL - held
    value = min(max(value, 0), TOTAL - held)
    rest = TOTAL - held - value
    parts = iter(apportion([Fraction(current[i]) for i in free], rest))
    return tuple(
        value if i == moved else next(parts) if i in free else current[i] for i in range(len(current))
    )


def apportion(weights: Sequence[Fraction], total: int) -> Thousandths:
    """Split a whole number in proportion to weights; equally where all weights are 0."""
    if not weights:
        return ()
    whole = sum(weights)
    exact = [total * (w / whole if whole else Fraction(1, len(weights))) for w in weights]
    parts = [int(part) for part in exact]
    by_remainder = sorted(range(len(parts)), key=lambda i: (parts[i] - exact[i], i))
    for i in by_remainder[: total - sum(parts)]:
        parts[i] += 1
    return tuple(parts)
