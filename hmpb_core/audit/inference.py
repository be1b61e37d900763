"""What an attacker of the synthetic rows infers, links and singles out, beside the same on people left out.

Whatever succeeds as often on rows that were never in the table is knowledge about the population, which no
release can hide and which differential privacy does not forbid. What counts is the difference.

Source: [Giomi2023], the attacks and their control.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.audit.bounds import Rate
from hmpb_core.audit.game import Run, distances
from hmpb_core.audit.mechanisms import Array
from hmpb_core.audit.membership import Point, point_of, rate_of_runs
from hmpb_core.domain import Codes, Domain
from hmpb_core.metrics.prediction import Target, one_hot
from hmpb_core.report.explain import PrivacyLoss

PREDICATES = 100
PREDICATE_ATTRIBUTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """What is inferred of a sensitive attribute.

    Attributes:
        attribute: Its name.
        point: How often it is right of rows that were in, beside rows that were out.
        commonest: How often who always names the commonest value is right of the rows that were in.
    """

    attribute: str
    point: Point
    commonest: float


def infer_attribute(runs: Sequence[Run], domain: Domain, sensitive: Target, limit: PrivacyLoss) -> Inferred:
    """Infer one attribute of every target from all its others, by a linear SVM that saw the synthetic rows.

    How often it is right of the rows in the table is the paper's leak probability [Zhang2022, section 4.3];
    beside it stands the same of rows that were out. "Right, so it was in" is a test of membership, so that
    the guarantee sets a ceiling.

    Args:
        runs: Runs of the game.
        domain: The domain.
        sensitive: The attribute; all its values are classes.
        limit: What the plan promises.
    """
    right: tuple[list[Array], list[Array]] = ([], [])
    for run in runs:
        guess = _learned(run.synthetic, sensitive, domain)
        for side, rows in zip(right, (run.outside, run.inside), strict=True):
            side.append((guess(rows) == rows[:, sensitive.attribute]).astype(float))
    commonest = np.mean(
        [np.bincount(run.inside[:, sensitive.attribute]).max() / len(run.inside) for run in runs]
    )
    return Inferred(
        attribute=domain.names[sensitive.attribute],
        point=point_of("attribute inference", np.stack(right[0]), np.stack(right[1]), limit),
        commonest=float(commonest),
    )


class _learned:  # noqa: N801 - reads as a verb
    """A linear SVM of one attribute on all others."""

    def __init__(self, codes: Codes, target: Target, domain: Domain) -> None:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        self._target, self._domain = target, domain
        classes = codes[:, target.attribute]
        self._only = int(classes[0]) if len(np.unique(classes)) < 2 else None
        if self._only is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                self._svm = LinearSVC(dual=False).fit(one_hot(codes, target, domain), classes)

    def __call__(self, rows: Codes) -> NDArray[np.int64]:
        if self._only is not None:
            return np.full(len(rows), self._only, dtype=np.int64)
        guesses: NDArray[np.int64] = self._svm.predict(one_hot(rows, self._target, self._domain))
        return guesses


def link(runs: Sequence[Run], domain: Domain, limit: PrivacyLoss) -> Point:
    """Link two halves of a row: each half finds its nearest synthetic row, and it is the same one.

    The attributes are dealt alternately. "Linked, so it was in" is a test of membership: a ceiling follows.
    """
    halves = [half for half in (list(range(start, len(domain), 2)) for start in (0, 1)) if half]
    parts = [Domain(tuple(domain.attributes[j] for j in half)) for half in halves]
    linked: tuple[list[Array], list[Array]] = ([], [])
    for run in runs:
        for side, rows in zip(linked, (run.outside, run.inside), strict=True):
            nearest = [
                distances(rows[:, half], run.synthetic[:, half], part)
                for half, part in zip(halves, parts, strict=True)
            ]
            ties = [apart <= apart.min(axis=1, keepdims=True) for apart in nearest]
            both = np.logical_and.reduce(ties)
            chance = both.sum(axis=1) / np.prod([tie.sum(axis=1) for tie in ties], axis=0)
            side.append(chance)  # among equally near rows each takes one by chance
    return point_of("linkability", np.stack(linked[0]), np.stack(linked[1]), limit)


def single_out(runs: Sequence[Run], domain: Domain, rng: np.random.Generator) -> Point:
    """Name a combination of values that exactly one row has: read off synthetic rows in which it is alone.

    On the table, beside the same on as many rows left out. The guarantee sets no ceiling here: whose row it
    is was not asked beforehand.
    """
    found: tuple[list[Array], list[Array]] = ([], [])
    width = min(PREDICATE_ATTRIBUTES, len(domain))
    for run in runs:
        hits: tuple[list[float], list[float]] = ([], [])
        for _ in range(PREDICATES):
            chosen = rng.choice(len(domain), width, replace=False)
            shape = [domain.sizes[j] for j in chosen]
            synthetic, control, members = (
                np.ravel_multi_index(tuple(table[:, chosen].T), shape)
                for table in (run.synthetic, run.control, run.members)
            )
            cells, counts = np.unique(synthetic, return_counts=True)
            alone = cells[counts == 1]
            if len(alone):
                cell = rng.choice(alone)
                for side, table in zip(hits, (control, members), strict=True):
                    side.append(float((table == cell).sum() == 1))
        if hits[0]:
            for kept, values in zip(found, hits, strict=True):
                kept.append(np.array(values))
    if not found[0]:
        nothing = Rate(0.0, 0.0, 1.0)
        return Point(attack="singling out", asked=None, false_alarms=nothing, caught=nothing, ceiling=None)
    fewest = min(len(values) for values in found[0])
    outside, inside = (np.stack([values[:fewest] for values in side]) for side in found)
    return point_of("singling out", outside, inside, None)


def copies(runs: Sequence[Run]) -> Point:
    """How many synthetic rows are copies of a row in the table, and of one left out.

    Copies prove nothing: common rows are copied whether or not they were in, and a release without any copy
    can give away everything [ReconSyn].
    """
    found: tuple[list[Array], list[Array]] = ([], [])
    for run in runs:
        for side, table in zip(found, (run.control, run.members), strict=True):
            known = {row.tobytes() for row in np.ascontiguousarray(table)}
            rows = np.ascontiguousarray(run.synthetic, dtype=table.dtype)
            side.append(np.array([float(row.tobytes() in known) for row in rows]))
    return Point(
        attack="copies",
        asked=None,
        false_alarms=rate_of_runs(np.stack(found[0])),
        caught=rate_of_runs(np.stack(found[1])),
        ceiling=None,
    )
