"""Train on synthetic rows, test on real ones: what a model of the values learns."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Categorical, Domain
from hmpb_core.errors import SourceError

Floats = NDArray[np.float64]
T = TypeVar("T")

MAX_CATEGORIES = 255
"""Categories that scikit-learn's gradient boosting takes as such; beyond that their rank is a number."""
FEWEST_KNOWN = 20
"""Known values without which a column that has missing ones teaches nothing."""


def learned_scores(train: Floats, test: Floats, domain: Domain, target: int) -> dict[str, float]:
    """Scores of logistic regression and of gradient boosting, trained on one table and tested on another.

    For categories the area under the ROC curve (one against the rest, mean over the classes, where
    there are more than two) and F1 (of the rarer class, or the mean over more than two); for a number
    R2 of linear regression and of gradient boosting.

    Args:
        train: From ``numbers_of``: rows to learn from.
        test: Rows to predict.
        domain: Their domain.
        target: Index of the attribute to predict.

    Raises:
        SourceError: the target is missing in every row, has one class, or one number in all rows to predict,
            or is the only attribute.
    """
    if len(domain) < 2:
        raise SourceError("The target is the only attribute; nothing is left to predict it from.")
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.linear_model import LogisticRegression, Ridge

    train, test = (rows[~np.isnan(rows[:, target])] for rows in (train, test))
    others = [i for i in range(len(domain)) if i != target]
    nominal = nominal_places(domain, others)
    x, x_test, y, y_test = train[:, others], test[:, others], train[:, target], test[:, target]
    x, x_test = without_unknown(x, x_test)
    numeric = not isinstance(domain.attributes[target], Categorical)
    if not len(y) or len(set(y_test)) < 2 or (not numeric and len(set(y)) < 2):
        raise SourceError("The target is missing in every row or has one class; choose another target.")
    if numeric:
        linear, boosted = (
            _linear(Ridge(), nominal),
            HistGradientBoostingRegressor(categorical_features=nominal, random_state=0),
        )
        return {
            "linear_r2": _explained(_fitted(linear, x, y), x_test, y_test),
            "boosting_r2": _explained(_fitted(boosted, x, y), x_test, y_test),
        }
    linear = _linear(LogisticRegression(max_iter=200), nominal)
    alone = np.unique(y, return_counts=True)[1].min() < 2  # of one row none can be set aside to stop early
    boosted = HistGradientBoostingClassifier(
        categorical_features=nominal, random_state=0, early_stopping=False if alone else "auto"
    )
    scores: dict[str, float] = {}
    for name, model in (("logistic", linear), ("boosting", boosted)):
        auc, f1 = _classification(_fitted(model, x, y), x_test, y_test)
        scores |= {f"{name}_auc": auc, f"{name}_f1": f1}
    return scores


def nominal_places(domain: Domain, attributes: Iterable[int]) -> list[int]:
    """Places of the columns that hold unordered categories, few enough to be taken as such.

    Args:
        domain: The domain.
        attributes: Index of the attribute in each column.
    """
    return [
        place
        for place, i in enumerate(attributes)
        if isinstance(domain.attributes[i], Categorical)
        and not domain.attributes[i].ordered
        and domain.sizes[i] <= MAX_CATEGORIES
    ]


def without_unknown(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Set columns that are missing in almost every training row to one value: boosting fails on them.

    Args:
        train: Rows to learn from; not-a-number where a value is missing.
        test: Rows to predict, of the same columns.

    Example:
        >>> without_unknown(np.array([[np.nan], [np.nan]]), np.array([[3.0]]))[1]
        array([[0.]])
    """
    unknown = np.isnan(train)
    empty = unknown.any(axis=0) & ((~unknown).sum(axis=0) < FEWEST_KNOWN)
    return np.where(empty, 0.0, train), np.where(empty, 0.0, test)


def _fitted(model: Any, x: Floats, y: Floats) -> Any:
    with one_thread():
        return model.fit(x, y)


@contextmanager
def one_thread() -> Iterator[None]:
    """Fit on one core and without remarks: threads that wait for a busy machine take 30 times as long."""
    from sklearn.exceptions import ConvergenceWarning

    with _libraries().limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def side_by_side(jobs: Iterable[Callable[[], T]]) -> list[T]:
    """Run jobs that fit models, each on one core, as many at a time as there are cores.

    Args:
        jobs: What to run; none of them may share a generator with another.

    Returns:
        What they returned, in their order.
    """
    with one_thread(), ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
        return [ended.result() for ended in [workers.submit(job) for job in jobs]]


@cache
def _libraries() -> Any:
    """The libraries whose threads are held: looking for them takes as long as a small fit."""
    import sklearn.ensemble  # noqa: F401 - loads them all
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _explained(model: Any, x: Floats, y: Floats) -> float:
    """R2: the part of the variance that a model explains."""
    with one_thread():
        return float(model.score(x, y))


def _classification(model: Any, x: Floats, y: Floats) -> tuple[float, float]:
    """Area under the curve and F1; a class that was never learned has probability 0."""
    from sklearn.metrics import f1_score, roc_auc_score

    with one_thread():
        probabilities, guesses = model.predict_proba(x), model.predict(x)
    of = {value: probabilities[:, place] for place, value in enumerate(model.classes_)}
    nothing = np.zeros(len(y))
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) == 2:
        rarer = classes[counts.argmin()]
        area = roc_auc_score(y == rarer, of.get(rarer, nothing))
        return float(area), float(f1_score(y == rarer, guesses == rarer, zero_division=0))
    areas = [roc_auc_score(y == value, of.get(value, nothing)) for value in classes]
    return float(np.mean(areas)), float(f1_score(y, guesses, average="macro", zero_division=0))


def _linear(model: Any, nominal: list[int]) -> Any:
    """A linear model of standardised numbers and of one column a category."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="ignore")
    return make_pipeline(ColumnTransformer([("categories", categories, nominal)], remainder=numbers), model)
