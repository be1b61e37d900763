"""What happens to small groups: the error of two-way cells, by how many people they hold."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from hmpb_core.domain import Codes, Domain
from hmpb_core.metrics.marginals import subsets

GROUP_SIZES = (1, 11, 101, 1001, 10_001)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupError:
    """The error of all cells whose real count lies in one range.

    Attributes:
        low: Smallest real count of the range.
        high: Largest real count of the range; None for no limit.
        cells: Number of two-way cells in it.
        relative_error: Mean of |synthetic - real| / real, the synthetic count scaled to the
            real number of rows; None where no cell is in the range.
        lost: Share of these cells that the synthetic table does not have at all.
    """

    low: int
    high: int | None
    cells: int
    relative_error: float | None
    lost: float | None


def small_group_errors(real: Codes, synthetic: Codes, domain: Domain) -> list[GroupError]:
    """Compare the two-way cells that hold somebody, by how many they hold.

    Args:
        real: Codes of shape (rows, attributes).
        synthetic: Codes of shape (rows, attributes).
        domain: Their domain.
    """
    counts, errors, lost = [], [], []
    scale = len(real) / len(synthetic)
    domain_sizes = domain.sizes
    for i, j in subsets(len(domain), 2):
        cells = domain_sizes[i] * domain_sizes[j]
        ours, theirs = (
            np.bincount(codes[:, i].astype(np.int64) * domain_sizes[j] + codes[:, j], minlength=cells)
            for codes in (real, synthetic)
        )
        held = ours > 0
        counts.append(ours[held])
        errors.append(np.abs(theirs[held] * scale - ours[held]) / ours[held])
        lost.append(theirs[held] == 0)
    count = np.concatenate(counts) if counts else np.empty(0)
    error = np.concatenate(errors) if errors else np.empty(0)
    gone = np.concatenate(lost) if lost else np.empty(0)
    groups = []
    for low, above in itertools.zip_longest(GROUP_SIZES, GROUP_SIZES[1:]):
        high = above - 1 if above is not None else None
        inside = (count >= low) & (count <= high) if high is not None else count >= low
        some = bool(inside.any())
        groups.append(
            GroupError(
                low=low,
                high=high,
                cells=int(inside.sum()),
                relative_error=float(error[inside].mean()) if some else None,
                lost=float(gone[inside].mean()) if some else None,
            )
        )
    return groups
