"""How well a model tells synthetic rows from real ones: pMSE, its ratio, and the area under the curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Codes, Domain
from hmpb_core.metrics.learning import nominal_places, one_thread, without_unknown

Floats = NDArray[np.float64]

MAX_DUMMIES = 63
"""Most codes of an attribute, the commonest behind the first, that the logistic model has a parameter for."""
ROWS_SET_ASIDE = 10
"""Rows of which a tenth is not two."""
ROWS_A_PARAMETER = 5
"""Fewest rows for each of its parameters: with fewer it tells any two tables apart, whatever they hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity:
    """How well the rows of two tables are told apart.

    Attributes:
        pmse: Mean squared distance of the propensity scores from the share of synthetic rows; 0 where they
            cannot be told apart, 0.25 where all are, with equal numbers of both.
        ratio: pMSE over what a synthetic table from the right model would have.
        auc: Area under the curve of gradient boosting on rows that it has not seen; 0.5 is guessing.
        n_rows: Rows of each table that were used.
    """

    pmse: float
    ratio: float
    auc: float
    n_rows: int


def propensity(
    real: tuple[Codes, Floats],
    other: tuple[Codes, Floats],
    domain: Domain,
    *,
    rng: np.random.Generator,
    boosting: bool = True,
) -> Propensity:
    """Tell the rows of two tables apart.

    A logistic regression with main effects (see ``main_effects``) gives the propensity scores p_i; with
    c the share of the other table's N rows, pMSE = mean (p_i - c)^2. A synthetic table drawn from the
    right model has (k - 1) (1 - c)^2 c / N on average, k the number of parameters.

    Source: [Woo2009; Snoke2018, section 3].

    Args:
        real: Codes and numbers of real rows.
        other: Codes and numbers of the rows to tell from them.
        domain: Their domain.
        rng: Halves the rows for the area under the curve.
        boosting: Whether that area is wanted; else it is not-a-number.
    """
    codes = np.concatenate([real[0], other[0]])
    label = np.repeat([0, 1], [len(real[0]), len(other[0])])
    design = main_effects(codes, domain)
    with one_thread():
        pmse, ratio = pmse_of(design, label)
    auc = _auc(np.concatenate([real[1], other[1]]), label, domain, rng) if boosting else float("nan")
    return Propensity(pmse=pmse, ratio=ratio, auc=auc, n_rows=min(len(real[0]), len(other[0])))


def pmse_of(design: Any, label: NDArray[np.int64]) -> tuple[float, float]:
    """Give pMSE and its ratio to the expected one, of a logistic regression without penalty.

    Args:
        design: Predictors without the constant, shape (rows, parameters - 1), sparse or not.
        label: 1 for rows of the other table.
    """
    from scipy.sparse import csr_matrix, hstack

    share = float(label.mean())
    full = hstack([np.ones((len(label), 1)), csr_matrix(design)], format="csr")
    scores = _logistic(full, label.astype(float))
    pmse = float(((scores - share) ** 2).mean())
    parameters = int(np.linalg.matrix_rank((full.T @ full).toarray(), hermitian=True))
    expected = (parameters - 1) * (1 - share) ** 2 * share / len(label)
    return pmse, pmse / expected if expected > 0 else 1.0


def main_effects(codes: Codes, domain: Domain) -> Any:
    """A column for each code but the commonest of every attribute, those that no row has left out.

    Of an attribute with many codes those beside the commonest have one, ``MAX_DUMMIES`` at most and no more
    than the rows are enough for.

    Args:
        codes: Shape (rows, attributes).
        domain: Their domain.

    Returns:
        A sparse matrix of 0 and 1.
    """
    from scipy.sparse import csc_matrix

    places: list[NDArray[np.int64]] = []
    most = max(1, min(MAX_DUMMIES, len(codes) // (ROWS_A_PARAMETER * max(len(domain), 1))))
    for attribute, size in enumerate(domain.sizes):
        own = codes[:, attribute]
        counts = np.bincount(own, minlength=size)
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0]
        places += [np.flatnonzero(own == code) for code in order[1 : 1 + most]]
    starts = np.cumsum([0, *(len(rows) for rows in places)])
    rows = np.concatenate([*places, np.empty(0, dtype=np.int64)])
    return csc_matrix((np.ones(len(rows)), rows, starts), shape=(len(codes), len(places)))


_ROUNDS = 25
_RIDGE = 1e-8


def _logistic(design: Any, label: Floats) -> Floats:
    """The fitted probabilities, by Newton's method; collinear columns are held by a ridge of 1e-8."""
    weights = np.zeros(design.shape[1])
    share = label.mean()
    weights[0] = np.log(share / (1 - share))
    before = np.inf
    for _ in range(_ROUNDS):
        linear = np.clip(design @ weights, -30, 30)
        scores = 1 / (1 + np.exp(-linear))
        loss = float((np.logaddexp(0, linear) - label * linear).sum())
        if before - loss < 1e-9 * abs(loss):
            break
        before = loss
        bend = (design.T @ design.multiply((scores * (1 - scores))[:, None]).tocsr()).toarray()
        bend[np.diag_indices_from(bend)] += _RIDGE * len(label)
        weights += np.linalg.solve(bend, design.T @ (label - scores))
    fitted: Floats = scores
    return fitted


def _auc(numbers: Floats, label: NDArray[np.int64], domain: Domain, rng: np.random.Generator) -> float:
    """Gradient boosting trained on one half of the rows and asked about the other."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    order = rng.permutation(len(label))
    train, test = order[: len(order) // 2], order[len(order) // 2 :]
    if min(len(set(label[train])), len(set(label[test]))) < 2:
        return 0.5
    model = HistGradientBoostingClassifier(
        categorical_features=nominal_places(domain, range(len(domain))),
        random_state=0,
        # A tenth of the rows, of both tables, is set aside to stop early.
        early_stopping=len(train) > ROWS_SET_ASIDE and bool(np.bincount(label[train]).min() > 1),
    )
    known, asked = without_unknown(numbers[train], numbers[test])
    with one_thread():
        scores = model.fit(known, label[train]).predict_proba(asked)[:, 1]
    return float(roc_auc_score(label[test], scores))
