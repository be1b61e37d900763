"""Train on synthetic rows, test on real ones: beside as many real rows, and fewer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Categorical, Domain
from hmpb_core.errors import SourceError
from hmpb_core.metrics.learning import learned_scores, side_by_side
from hmpb_core.metrics.prediction import Target

Floats = NDArray[np.float64]

FEWER = (4, 16, 64, 256)
"""How many times fewer real rows are learned from as well, to find where they are as inaccurate."""
LEAST_ROWS = 40
MOST_CLASSES = 10
"""Categories that a target chosen by itself may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What is learned about one target.

    Attributes:
        target: What is predicted, as it was asked for.
        synthetic: Scores on real rows of models trained on synthetic rows, by learner and score.
        second: Scores on the same rows of models trained on as many other real rows.
        rows: For each score the number of real rows that teach as little; None where it was not looked for.
        least: The smallest number of real rows that was tried.
        n_train: Rows learned from.
        n_test: Real rows predicted.
    """

    target: str
    synthetic: Mapping[str, float]
    second: Mapping[str, float]
    rows: Mapping[str, int | None]
    least: int
    n_train: int
    n_test: int


def default_target(domain: Domain) -> str | None:
    """The last attribute of a few categories, else the last number: where tables mostly put their outcome.

    One value and a category of all that is not listed are no two: so surveys describe a column of one value.
    """
    if len(domain) < 2:
        return None
    few = [
        a.name
        for a in domain.attributes
        if isinstance(a, Categorical)
        and len([c for c in a.categories if c != a.unknown]) >= 2
        and len(a.categories) <= MOST_CLASSES
    ]
    numbers = [a.name for a in domain.attributes if not isinstance(a, Categorical)]
    return few[-1] if few else numbers[-1] if numbers else None


def predict(
    train: tuple[Floats, Floats], test: Floats, domain: Domain, target: str, *, curve: bool
) -> Prediction:
    """Train models on synthetic and on real rows, and test both on the same real rows.

    Args:
        train: As many synthetic as real rows, from ``values.numbers_of``, in random order.
        test: Other real rows.
        domain: Their domain.
        target: Name of an attribute, or ``NAME<VALUE`` for a number.
        curve: Whether models are trained on fewer real rows as well.

    Raises:
        PlanError: there is no such target.
        SourceError: the target has one class or is missing in every row.
    """
    place, chosen = _place(target, domain)
    tables, domain = _with_classes((*train, test), domain, place, chosen)
    whole = len(tables[1])
    sizes = [whole, *(whole // times for times in FEWER if curve and whole // times >= LEAST_ROWS)]

    def learned(rows: Floats) -> dict[str, float] | None:
        """The scores; None where so few rows hold a single class."""
        try:
            return learned_scores(rows, tables[2], domain, place)
        except SourceError:
            if rows is tables[0] or len(rows) == whole:
                raise
            return None

    synthetic, *curve_scores = side_by_side(
        partial(learned, rows) for rows in (tables[0], *(tables[1][:size] for size in sizes))
    )
    scores = [score for score in takewhile(lambda score: score is not None, curve_scores) if score]
    sizes = sizes[: len(scores)]
    assert synthetic is not None
    return Prediction(
        target=target,
        synthetic=synthetic,
        second=scores[0],
        rows={
            name: _as_good(score, sizes, [s[name] for s in scores]) if curve else None
            for name, score in synthetic.items()
        },
        least=sizes[-1],
        n_train=len(tables[1]),
        n_test=len(tables[2]),
    )


def _place(target: str, domain: Domain) -> tuple[int, Target | None]:
    if target in domain.names:
        return domain.names.index(target), None
    chosen = Target.parse(target, domain)
    return chosen.attribute, chosen


def _with_classes(
    tables: Sequence[Floats], domain: Domain, place: int, chosen: Target | None
) -> tuple[list[Floats], Domain]:
    """The tables with the target's column as 'below the bound: no, yes', where that is predicted."""
    if chosen is None or chosen.below is None:
        return list(tables), domain
    changed = []
    for table in tables:
        copy = table.copy()
        copy[:, place] = chosen.lie_below(copy[:, place], domain.attributes[place])
        changed.append(copy)
    attributes: list[Attribute] = list(domain.attributes)
    attributes[place] = Categorical(name=attributes[place].name, categories=("no", "yes"))
    return changed, Domain(tuple(attributes))


def _as_good(score: float, sizes: Sequence[int], scores: Sequence[float]) -> int:
    """Rows at which the learning curve of real rows has a score, between its points by their logarithm."""
    if score >= scores[0]:
        return sizes[0]
    for place in range(1, len(sizes)):
        low, high = scores[place], scores[place - 1]
        if score >= low:
            part = (score - low) / (high - low) if high > low else 1.0
            return round(math.exp(math.log(sizes[place]) + part * math.log(sizes[place - 1] / sizes[place])))
    return sizes[-1]
