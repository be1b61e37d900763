"""Budget advice: the stages' shares and the split among the one-way tables, by public rules.

The rules use the number of rows (public, or a public guess), the domain and the guarantee,
never the table. The numbers follow from ``benchmarks.advice``; docs/results.md holds its tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from hmpb_core.domain import Domain, Numeric
from hmpb_core.marginal import LARGE
from hmpb_core.privacy.budget import Shares
from hmpb_core.privacy.calibration import noise_sd, table_scale
from hmpb_core.privacy.guarantee import Currency, Guarantee

GUESSED_ROWS = 50_000
"""Rows assumed where their number is private and nobody gives a public guess."""
SIMILARITY = 0.04
MOST_ONE_WAY_PURE, MOST_ONE_WAY_ZCDP = 0.992, 0.9
ATTRIBUTES_A_CLUSTER = 100
STRUCTURE = 0.08
"""Part of what one-way tables and similarity leave that pays for selections."""
FINE_COUNTS, FEW_CODES = 128, 8
"""Counts that the values of an attribute with learned bins need, and about how many codes noise leaves it."""
LEAST_OF_LARGE = 20
"""How many codes of a table of more than ``LARGE`` count at least."""
MOST_FOR_VALUES = {Currency.PURE: 0.5, Currency.ZCDP: 0.42}
"""Largest share of the one-way tables that values alone ask for."""


def codes_that_count(size: int, *, d: int, guarantee: Guarantee, n_rows: int | None) -> int:
    """How many codes of an attribute the rules below reckon with: all, up to ``LARGE`` of them.

    Of thousands of categories noise leaves only the commonest, whatever is paid: with frequencies that
    fall as 1, 1/2, 1/3, ... those of more than two standard deviations of the noise s of one of d equally
    measured tables, if the one-way tables had the whole budget,

        n / (2 s sum_k 1/k), at least ``LEAST_OF_LARGE``.

    Were all to count, one such column would take most of what the others need.

    Args:
        size: Number of values of the attribute.
        d: Number of attributes.
        guarantee: What is promised.
        n_rows: Number of rows where it is public, or a public guess.

    Example:
        >>> guarantee = Guarantee(epsilon=1.0)
        >>> [codes_that_count(m, d=16, guarantee=guarantee, n_rows=45_000) for m in (2, 160, 4096)]
        [2, 160, 77]
    """
    if size <= LARGE:
        return size
    sd = noise_sd(table_scale(float(guarantee.total) / d, guarantee), guarantee)
    harmonic = math.log(size) + 0.5772
    return min(size, max(LEAST_OF_LARGE, round((n_rows or GUESSED_ROWS) / (2 * max(sd, 1e-9) * harmonic))))


def one_way_hardship(sizes: Sequence[int], guarantee: Guarantee, n_rows: int | None) -> float:
    """Expected total variation of a one-way table if the one-way tables had the whole budget.

    u = mean_j min(1, 1/2 * sqrt(2/pi) * s * m_j / n), with s the noise of one of d equally
    measured tables.
    """
    d = len(sizes)
    n = n_rows or GUESSED_ROWS
    sd = noise_sd(table_scale(float(guarantee.total) / d, guarantee), guarantee)
    return math.fsum(min(1.0, 0.5 * math.sqrt(2 / math.pi) * sd * size / n) for size in sizes) / d


def one_way_share(sizes: Sequence[int], guarantee: Guarantee, n_rows: int | None) -> float:
    """What the adaptive learner's one-way tables get of the budget.

    The harder they are to measure (u, ``one_way_hardship``), the more they get and the less is left
    to say about pairs: 2.45 u^0.45 between 0.1 and 0.9 under zcdp; 2.24 (u sqrt(d))^0.5 between 0.1
    and 0.992 under pure, where noise grows with the number of tables and not with its root, so that
    many attributes leave nothing for their pairs.

    Args:
        sizes: Number of values of each attribute.
        guarantee: What is promised.
        n_rows: Number of rows where it is public, or a public guess.
    """
    hardship = one_way_hardship(sizes, guarantee, n_rows)
    if guarantee.currency is Currency.PURE:
        one_way = min(MOST_ONE_WAY_PURE, 2.24 * (hardship * math.sqrt(len(sizes))) ** 0.5)
    else:
        one_way = min(MOST_ONE_WAY_ZCDP, 2.45 * hardship**0.45)
    return float(round(max(0.1, one_way), 3))


def shares_with(n_attributes: int, one_way: float) -> Shares:
    """All shares where the one-way tables get a given one.

    The similarity gets ``similarity_share``; of the rest the structure gets 0.08 and the conditional
    tables 0.92.
    """
    similarity = round(similarity_share(n_attributes, one_way), 5)
    structure = round((1 - one_way - similarity) * STRUCTURE, 5)
    return Shares.from_weights(
        one_way_tables=one_way,
        similarity=similarity,
        structure=structure,
        conditional_tables=round(1 - one_way - similarity - structure, 5),
    )


def one_way_counts(
    domain: Domain, guarantee: Guarantee, n_rows: int | None, *, fine: int = FINE_COUNTS
) -> tuple[int, ...]:
    """Number of counts that each attribute's part of the one-way tables' budget is meant for.

    Its codes, as far as they count (``codes_that_count``); for an attribute whose bins are learned 128.

    Args:
        domain: The codebook's domain.
        guarantee: What is promised.
        n_rows: Number of rows that the plan declares.
        fine: Counts of an attribute whose bins are learned.
    """
    return tuple(
        fine
        if isinstance(attribute, Numeric) and attribute.learned
        else codes_that_count(attribute.size, d=len(domain), guarantee=guarantee, n_rows=n_rows)
        for attribute in domain.attributes
    )


def shares_for(domain: Domain, guarantee: Guarantee, n_rows: int | None) -> Shares:
    """The shares of the adaptive learner for a codebook.

    The one-way tables get what their codes need by ``one_way_share``, or what learned bins and values
    need, up to 0.42 (zcdp) or 0.5 (pure): beyond, pairs need it more.

    Args:
        domain: The codebook's domain.
        guarantee: What is promised.
        n_rows: Number of rows where it is public, or a public guess.
    """
    codes, values = (
        one_way_share(one_way_counts(domain, guarantee, n_rows, fine=fine), guarantee, n_rows)
        for fine in (FEW_CODES, FINE_COUNTS)
    )
    return shares_with(len(domain), max(codes, min(values, MOST_FOR_VALUES[guarantee.currency])))


def similarity_share(n_attributes: int, one_way: float) -> float:
    """The similarity's share, by what the one-way tables leave, r = 1 - one_way.

    0.04 up to 28 attributes, growing with d up to 0.08: the noise on a similarity grows with the
    root of the number of pairs. But at most a quarter of r, and at most 34 r^3 / d (though no less
    than a tenth of r): where the one-way tables need nearly all, no pair of many could be seen.
    """
    rest = 1 - one_way
    wanted = SIMILARITY * min(2.0, max(1.0, n_attributes / 28))
    return min(wanted, rest / 4, max(rest / 10, 34 * rest**3 / n_attributes))


def default_clusters(n_attributes: int) -> int:
    """The least number of clusters, unless the steward sets it: one for every hundred attributes.

    Clusters narrow what a learner chooses from, which saves a wide table's time; the eigenvalue gap
    of the paid similarity may ask for more.
    """
    return max(1, math.ceil(n_attributes / ATTRIBUTES_A_CLUSTER))


def one_way_parts(sizes: Sequence[int]) -> list[Fraction]:
    """Split a budget over the one-way tables by m^(2/3); the parts sum to 1.

    A table of m values measured at a part f is off by about m / sqrt(f) in sum; the parts
    that make the sum of all errors least go with m^(2/3).

    Example:
        >>> [float(part) for part in one_way_parts([8, 1])]
        [0.8, 0.2]
    """
    weights = [round(size ** (2 / 3) * 1000) for size in sizes]
    return [Fraction(weight, sum(weights)) for weight in weights]
