"""Membership inference by three attackers: how many of the rows in they recognise, at which false alarms.

    likelihood ratio   knows every other row and sees every noisy table: weighs the two cells that the row
                       and its partner fill. Tables over merged values are left out: weaker, never wrong.
    shadow models      sees the synthetic rows; learned on runs of its own what a row that is in looks like
    distance           sees the synthetic rows; says "in" where one is near

Sources: [Carlini2022] for rates at few false alarms; [Stadler2022] for shadow models of synthetic tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.audit.bounds import Rate
from hmpb_core.audit.game import Run, distances
from hmpb_core.audit.mechanisms import Array
from hmpb_core.audit.replay import Act
from hmpb_core.domain import Codes, Domain
from hmpb_core.report.explain import PrivacyLoss

FALSE_ALARM_RATES = (0.001, 0.01, 0.1)
LEVEL = 0.999
NEAREST = 10
_TIE = 1e-3
_ROUNDING = 1e-9
ATTACKS = ("likelihood ratio", "shadow models", "distance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One attack at one rate of false alarms, or beside one control.

    Attributes:
        attack: Which attack.
        asked: The rate of false alarms that was aimed at; None where a control sets it.
        false_alarms: How often it succeeded, or said "in", on rows that were out.
        caught: How often on rows that were in.
        ceiling: What the guarantee allows at the upper bound on the false alarms; None where it says nothing.
    """

    attack: str
    asked: float | None
    false_alarms: Rate
    caught: Rate
    ceiling: float | None

    @property
    def breaks(self) -> bool:
        """Whether it stands above its ceiling by more than chance."""
        return self.ceiling is not None and self.caught.low > self.ceiling


def point_of(
    attack: str,
    outside: NDArray[np.float64],
    inside: NDArray[np.float64],
    limit: PrivacyLoss | None,
    asked: float | None = None,
) -> Point:
    """Take the two rates of an attack, run by run.

    Args:
        attack: Which attack.
        outside: For every run the part of the rows that were out on which it succeeded, or of each row a
            1 or 0, shape (runs, rows).
        inside: The same of rows that were in.
        limit: What is promised; None where no ceiling follows for a row.
        asked: The rate of false alarms that was aimed at.
    """
    false_alarms, caught = rate_of_runs(outside), rate_of_runs(inside)
    return Point(
        attack=attack,
        asked=asked,
        false_alarms=false_alarms,
        caught=caught,
        ceiling=None if limit is None else limit.caught(false_alarms.high),
    )


def rate_of_runs(hits: NDArray[np.float64], level: float = LEVEL) -> Rate:
    """A rate over rows of several runs, with the interval of Clopper and Pearson.

    The rows of one run saw the same noise. Where runs differ by more than chance, as many fewer rows are
    counted: the interval of Korn and Graubard.

    Source: [KornGraubard1998].
    """
    runs, rows = hits.shape
    value, n = float(hits.mean()), hits.size
    by_chance = value * (1 - value) / rows
    between = float(hits.mean(axis=1).var(ddof=1)) if runs > 1 else 0.0
    effect = max(1.0, between / by_chance) if by_chance > 0 else 1.0
    effective = max(1, int(n / effect))
    hits_at = value * effective  # not whole where runs differ: each end takes the whole number that is wider
    low = Rate.of(math.floor(hits_at + _ROUNDING), effective, level).low
    return Rate(value, low, Rate.of(math.ceil(hits_at - _ROUNDING), effective, level).high)


def membership(runs: Sequence[Run], domain: Domain, limit: PrivacyLoss) -> tuple[Point, ...]:
    """Attack the targets of many runs.

    The first half of the runs teaches the shadow models and sets the thresholds, the other is counted.

    Args:
        runs: At least two runs of the game.
        domain: The domain.
        limit: What the plan promises.
    """
    half = len(runs) // 2
    scores = {
        "likelihood ratio": np.stack([_likelihood(run, domain) for run in runs]),
        "distance": np.stack([_near(run, domain) for run in runs]),
    }
    features = np.stack([_features(run, domain) for run in runs])
    scores["shadow models"] = _shadow(features, half)
    points = []
    for attack in ATTACKS:
        outside, inside = scores[attack][:, 0], scores[attack][:, 1]
        for asked in FALSE_ALARM_RATES:
            threshold = np.quantile(outside[:half], 1 - asked, method="higher")
            said = [(side[half:] > threshold).astype(float) for side in (outside, inside)]
            points.append(point_of(attack, said[0], said[1], limit, asked))
    return tuple(points)


def _likelihood(run: Run, domain: Domain) -> Array:
    """For every target, out and in, how much likelier the noisy tables are with it than with its partner."""
    evidence = np.zeros(len(run.inside))
    for act in run.acts:
        if act.question[0] == "measure" and act.noisy is not None:
            attributes = act.question[3]
            if act.question[4] == tuple(domain.sizes[a] for a in attributes):
                evidence += _of_act(act, run.inside[:, attributes], run.outside[:, attributes])
    return np.stack([-evidence, evidence])  # seen from the partner, the same evidence speaks against it


def _of_act(act: Act, inside: Codes, outside: Codes) -> Array:
    assert act.noisy is not None
    apart = (inside != outside).any(axis=1)
    evidence = np.zeros(len(inside))
    for rows, change in ((inside, -1), (outside, 1)):
        cells = tuple(rows.T)
        noisy, exact = act.noisy[cells], act.exact[cells]
        own, other = np.abs(noisy - exact), np.abs(noisy - exact - change)
        if act.kind == "laplace":
            evidence += (other - own) / act.scale
        else:
            evidence += (other**2 - own**2) / (2 * act.scale**2)
    return np.where(apart, evidence, 0.0)


def _near(run: Run, domain: Domain) -> Array:
    """How near the nearest synthetic row is; among equals, how near the ten nearest are on average."""
    both = []
    for rows in (run.outside, run.inside):
        apart = np.sort(distances(rows, run.synthetic, domain), axis=1)[:, :NEAREST]
        both.append(-apart[:, 0] - _TIE * apart.mean(axis=1))
    return np.stack(both)


def _features(run: Run, domain: Domain) -> Array:
    """What a shadow model looks at, for every target out and in: shape (2, targets, features)."""
    both = []
    for rows in (run.outside, run.inside):
        apart = np.sort(distances(rows, run.synthetic, domain), axis=1)[:, :NEAREST]
        alone = [
            np.log(np.bincount(run.synthetic[:, j], minlength=size)[rows[:, j]] + 0.5)
            for j, size in enumerate(domain.sizes)
        ]
        pairs = [
            np.log(
                np.bincount(
                    run.synthetic[:, i] * domain.sizes[j] + run.synthetic[:, j],
                    minlength=domain.sizes[i] * domain.sizes[j],
                )[rows[:, i] * domain.sizes[j] + rows[:, j]]
                + 0.5
            )
            for i, j in zip(range(len(domain)), range(1, len(domain)), strict=False)
        ]
        both.append(
            np.column_stack([apart[:, 0], apart.mean(axis=1), (apart == 0).sum(axis=1), *alone, *pairs])
        )
    features: Array = np.stack(both)
    return features


def _shadow(features: Array, half: int) -> Array:
    """Scores of a logistic regression that learned on the first half of the runs."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    runs, sides, targets, width = features.shape
    x = features[:half].reshape(-1, width)
    y = np.tile(np.repeat([0, 1], targets), half)
    learned = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(x, y)
    scores: Array = learned.decision_function(features.reshape(-1, width)).reshape(runs, sides, targets)
    return scores
