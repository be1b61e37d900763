"""A search that repeats a private attempt until one passes, at a price that does not grow with the tries."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from hmpb_core.errors import BudgetExceededError, PlanError
from hmpb_core.privacy.calibration import float_below
from hmpb_core.privacy.noise import first_above

T = TypeVar("T")


def private_candidate(
    attempt: Callable[[], tuple[float, T]],
    *,
    loss: Fraction,
    total: Fraction,
    threshold: float,
    stop_probability: float,
) -> tuple[float, T] | None:
    """Repeat a private attempt until its noisy score passes, or a coin stops the search.

    Source: [LT2019, Theorem 3.1]: an attempt that is epsilon-differentially private, score and result
    together, gives a search that is 2 epsilon-differentially private, however often it is repeated.

    Args:
        attempt: Gives a noisy score and a result; every look at the data in it is paid by accountants whose
            budgets sum to ``loss`` at most.
        loss: epsilon of an attempt.
        total: What was charged for the whole.
        threshold: What the noisy score must exceed.
        stop_probability: Chance of stopping after an attempt that does not pass, above 0.

    Returns:
        Score and result of the attempt that passed; None where the search stopped.

    Raises:
        BudgetExceededError: the search would cost more than was charged.
    """
    if not 0 < stop_probability <= 1:
        raise PlanError("A search that never stops has no end; stop it with a probability above 0.")
    if 2 * loss > total:
        raise BudgetExceededError("The search would cost more than was charged for it.")
    failed: list[BaseException] = []

    def guarded() -> tuple[float, T]:
        try:
            return attempt()
        except BaseException as error:  # noqa: BLE001 - raised again below, as it was
            failed.append(error)  # OpenDP would quote its text in an error of its own
            raise RuntimeError from None

    try:
        found, proven = first_above(
            guarded, float_below(loss), threshold=threshold, stop_probability=stop_probability
        )
    except Exception:
        if failed:
            raise failed[0] from None
        raise
    if proven > float(total) * (1 + 1e-12):
        raise BudgetExceededError("The search would cost more than was charged for it.")
    return found
