"""How far one person can move each quantity: one function a quantity, an equation each.

Checked against brute force over all neighbouring tables of up to 8 rows in
``tests/privacy/test_sensitivity.py``. With at most m rows a person every value is
multiplied by m (a chain of m single changes); the accountant does that.
"""

from __future__ import annotations

import math

from hmpb_core.errors import DomainError, PlanError, Sentence
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors


def count_l1_sensitivity(neighbors: Neighbors) -> int:
    """L1 sensitivity of a table of counts: 2 when a row moves, 1 when a row comes or goes."""
    return 2 if neighbors is Neighbors.REPLACE_ONE else 1


def count_l2_sensitivity(neighbors: Neighbors) -> float:
    """L2 sensitivity of a table of counts: sqrt(2) when a row moves, 1 when it comes or goes."""
    return math.sqrt(2) if neighbors is Neighbors.REPLACE_ONE else 1.0


def tvd_sensitivity(neighbors: Neighbors) -> float:
    """Sensitivity of 1/2 * sum |C - M| in counts, M a fixed public table.

    A row that moves changes two cells by one: at most 1. A row that comes or
    goes changes one cell: at most 1/2.
    """
    return 1.0 if neighbors is Neighbors.REPLACE_ONE else 0.5


def mutual_information_sensitivity(n_rows: int, *, has_binary_side: bool) -> float:
    """Bound how far replacing one row can move an empirical mutual information.

    With n = n_rows, the largest change of I(child; parents), in bits, is

        log2(n)/n + (n-1)/n * log2(n/(n-1))                   if either side is binary
        2/n * log2((n+1)/2) + (n-1)/n * log2((n+1)/(n-1))     otherwise

    Source: [Zhang2017, sensitivity of I].

    Raises:
        DomainError: n_rows is below 2.
    """
    n = _at_least_two(n_rows)
    if has_binary_side:
        return math.log2(n) / n + (n - 1) / n * math.log2(n / (n - 1))
    return 2 / n * math.log2((n + 1) / 2) + (n - 1) / n * math.log2((n + 1) / (n - 1))


def entropy_sensitivity(n_rows: int) -> float:
    """Bound how far replacing one row can move an empirical entropy, in bits.

        log2(n)/n + (n-1)/n * log2(n/(n-1))

    reached between a constant attribute and one row that differs.

    Source: [Zhang2022, eq. 8].

    Raises:
        DomainError: n_rows is below 2.
    """
    return mutual_information_sensitivity(n_rows, has_binary_side=True)


def mic_sensitivity(n_rows: int, *, largest_grid: int) -> float:
    """Bound how far replacing one row can move a maximal information coefficient.

    MIC is a maximum of I / log2 min(a, b) over a fixed family of a x b grids, so it
    moves by at most the largest bound of a member: the binary bound at min(a, b) = 2,
    and the general bound divided by log2 3 from min(a, b) = 3 on.

    Args:
        n_rows: Number of rows, public.
        largest_grid: Largest min(a, b) in the family.

    Raises:
        DomainError: n_rows is below 2.
    """
    binary = mutual_information_sensitivity(n_rows, has_binary_side=True)
    if largest_grid <= 2:
        return binary
    general = mutual_information_sensitivity(n_rows, has_binary_side=False)
    return max(binary, general / math.log2(3))


def attribute_factors(guarantee: Guarantee) -> tuple[int, int]:
    """How much more an act costs towards somebody who hides one attribute of a row.

    Hiding an attribute replaces its value: that is a change of a row, whatever the neighbour
    relation. Noise that is calibrated for a row that comes or goes is then too small: a table
    moves in two cells instead of one, and a total variation by 1 instead of 1/2.

    Returns:
        The factors for tables of counts and for total variations (pairs, selections).
        Tables: L1 doubles (epsilon x 2), L2 grows by sqrt 2 (rho x 2). Total variations:
        epsilon x 2, rho x 4. All are 1 under ``replace-one``.
    """
    if guarantee.neighbors is Neighbors.REPLACE_ONE:
        return 1, 1
    return (2, 2) if guarantee.currency is Currency.PURE else (2, 4)


def require_replace_one(neighbors: Neighbors, quantity: Sentence) -> None:
    """Refuse a quantity whose sensitivity is only known when n is public.

    Raises:
        PlanError: the neighbour relation is not ``replace-one``.
    """
    if neighbors is not Neighbors.REPLACE_ONE:
        raise PlanError(
            "{quantity} has a proven sensitivity only under 'replace-one' neighbours, and the plan says "
            "'{neighbors}'. Use total variation ('tvd'), or 'replace-one'.",
            quantity=quantity,
            neighbors=neighbors,
        )


def _at_least_two(n_rows: int) -> int:
    if n_rows < 2:
        raise DomainError("A table of fewer than 2 rows has no mutual information; supply at least 2 rows.")
    return n_rows
