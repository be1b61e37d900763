"""By how many rows a synthetic table passes its marks: one number that a row moves by at most 1.

Each mark becomes a slack in rows, 0 where it is just met; the smallest of them decides. With N rows (public:
``replace-one`` neighbours), C the real counts, S the synthetic shares:

    two_way_error x        N (x - mean over pairs of 1/2 sum |C/N - S|)
    worst_two_way_error x  N (x - max  over pairs of 1/2 sum |C/N - S|)
    group g                g - the largest C of a pair's cell that no synthetic row is in
    auc y                  sum over real positives p and negatives q of (win(p, q) - y) / (2 N max(y, 1 - y))

win is 1 where the model ranks p above q, 1/2 where it ranks them alike. Given the synthetic rows a replaced
row moves a table's total variation, and a largest count, by at most 1 row. It is in at most N - 1 of the last
sum's terms before and in N - 1 after, none larger than max(y, 1 - y): the last slack moves by less than 1. So
does the smallest of them all.

Private: to be handed to the accountant only.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.acceptance.marks import Marks
from hmpb_core.domain import Codes
from hmpb_core.sources.base import Source

SENSITIVITY = 1.0
"""Rows by which one row moves the smallest slack."""
SCORE_BINS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """One mark beside what a synthetic table reaches. Exact: private where the table is.

    Attributes:
        mark: Its name among ``MARKS``.
        asked: What was agreed.
        value: What is reached: an error, the largest group lost, an AUC.
        slack: By how many rows it is met; below 0 where it is missed.
    """

    mark: str
    asked: float
    value: float
    slack: float

    @property
    def met(self) -> bool:
        """Whether it is met."""
        return self.slack >= 0


def slack_of(source: Source, synthetic: Codes, marks: Marks) -> float:
    """Give the smallest slack, in rows; at least 0 where every mark is met.

    Args:
        source: The private table.
        synthetic: Synthetic rows, as codes of the source's domain.
        marks: What is to be reached.
    """
    return min(mark.slack for mark in reached(source, synthetic, marks))


def reached(source: Source, synthetic: Codes, marks: Marks) -> tuple[Reached, ...]:
    """Give every mark that was agreed, with what is reached; the arguments are those of ``slack_of``."""
    n = float(source.n_rows)
    found: list[Reached] = []
    asked = (marks.two_way_error, marks.worst_two_way_error, marks.group)
    if any(limit is not None for limit in asked):
        errors, lost = _pairs(source, synthetic)
        for mark, limit, value in (
            ("two_way_error", marks.two_way_error, float(np.mean(errors))),
            ("worst_two_way_error", marks.worst_two_way_error, max(errors)),
        ):
            if limit is not None:
                found.append(Reached(mark=mark, asked=limit, value=value, slack=n * (limit - value)))
        if marks.group is not None:
            found.append(
                Reached(mark="group", asked=marks.group, value=lost, slack=float(marks.group - lost))
            )
    if marks.auc is not None and marks.target is not None:
        auc, slack = _ranking(source, synthetic, source.domain.index(marks.target), marks.auc)
        found.append(Reached(mark="auc", asked=marks.auc, value=auc, slack=slack))
    return tuple(found)


def _pairs(source: Source, synthetic: Codes) -> tuple[list[float], int]:
    """Total variation of every pair, and the largest real count of a cell that has no synthetic row."""
    sizes = source.domain.sizes
    pairs: list[tuple[int, ...]] = list(itertools.combinations(range(len(sizes)), 2)) or [(0,)]
    errors, lost = [], 0
    for attributes, table in zip(pairs, source.marginals(pairs), strict=True):
        flat = np.zeros(len(synthetic), dtype=np.int64)
        for a in attributes:
            flat = flat * sizes[a] + synthetic[:, a]
        drawn = np.bincount(flat, minlength=table.counts.size)
        real = table.counts.ravel()
        errors.append(0.5 * float(np.abs(real / source.n_rows - drawn / len(synthetic)).sum()))
        gone = real[drawn == 0]
        lost = max(lost, int(gone.max()) if gone.size else 0)
    return errors, lost


def _ranking(source: Source, synthetic: Codes, target: int, least: float) -> tuple[float, float]:
    """The AUC of a naive Bayes model learned from the synthetic rows, and its slack."""
    weights, edges = _naive_bayes(synthetic, source.domain.sizes, target)
    counts = source.score_counts(weights, edges, target).counts.astype(float)  # a score's bins x two classes
    negatives, positives = counts[:, 0], counts[:, 1]
    below = np.concatenate([[0.0], np.cumsum(negatives)[:-1]])
    wins = float((positives * (below + 0.5 * negatives)).sum())
    pairs = float(positives.sum() * negatives.sum())
    slack = (wins - least * pairs) / (2 * source.n_rows * max(least, 1 - least))
    return (wins / pairs if pairs else 0.5), slack


def _naive_bayes(
    synthetic: Codes, sizes: tuple[int, ...], target: int
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Log odds of each value of each attribute, and bins of their sum with about even synthetic rows."""
    positive = synthetic[:, target] == 1
    weights = []
    for attribute, size in enumerate(sizes):
        if attribute == target:
            weights.append(np.zeros(size))
            continue
        of_class = [
            np.bincount(synthetic[rows, attribute], minlength=size) + 0.5 for rows in (~positive, positive)
        ]
        weights.append(np.log(of_class[1] / of_class[1].sum()) - np.log(of_class[0] / of_class[0].sum()))
    scores = np.zeros(len(synthetic))
    for attribute, weight in enumerate(weights):
        scores += weight[synthetic[:, attribute]]
    return weights, np.unique(np.quantile(scores, np.arange(1, SCORE_BINS) / SCORE_BINS))
