"""What a classifier learns from the synthetic table: SVM misclassification."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.dates import read_value
from hmpb_core.domain import Attribute, Categorical, Codes, Domain, Numeric
from hmpb_core.errors import PlanError, SourceError
from hmpb_core.metrics.values import Floats, numbers_of_column

TEST_SHARE = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be predicted.

    Attributes:
        attribute: Index of the attribute.
        below: The class is "value below this"; None where each category is a class.
    """

    attribute: int
    below: float | None = None

    @classmethod
    def parse(cls, text: str, domain: Domain) -> Target:
        """Read ``NAME`` (of categories) or ``NAME<VALUE`` (of numbers, such as ``age<50``, and of dates).

        Raises:
            PlanError: there is no such attribute, or it cannot be a target in this form.
        """
        names = domain.names
        name, sign, bound = text.rpartition("<")
        if text in names or not sign:
            attribute = domain.attributes[domain.index(text)]
            if not isinstance(attribute, Categorical):
                _require_plain(attribute)
                raise PlanError(
                    "{name!r} is a number; name a bound to predict, such as '{name}<50'.", name=text
                )
            if len(attribute.categories) < 2:
                raise PlanError("{name!r} has a single category; there is nothing to predict.", name=text)
            return cls(attribute=names.index(text))
        name = name.strip()
        attribute = domain.attributes[domain.index(name)]
        if isinstance(attribute, Categorical) and any(isinstance(c, str) for c in attribute.categories):
            raise PlanError(
                "{name!r} holds texts; predict its categories by writing '{name}' alone.", name=name
            )
        below = (
            read_value(bound, attribute.kind, attribute.format)
            if isinstance(attribute, Numeric)
            else read_value(bound, "number")
        )
        if below is None:
            _require_plain(attribute)
            raise PlanError("{target!r} is not a target; write NAME, or NAME<NUMBER.", target=text)
        return cls(attribute=names.index(name), below=below)

    def classes(self, frame: pd.DataFrame, codes: Codes, codebook: Codebook) -> NDArray[np.int64]:
        """The class of every row; -1 where the target's value is missing."""
        attribute = codebook.domain.attributes[self.attribute]
        if self.below is None:
            column = codes[:, self.attribute]
            missing = (
                column == attribute.size - 1 if attribute.nullable else np.zeros(len(column), dtype=bool)
            )
            return np.where(missing, -1, column)
        numbers = numbers_of_column(frame[attribute.name], attribute, codebook)
        return np.nan_to_num(self.lie_below(numbers, attribute), nan=-1).astype(np.int64)

    def lie_below(self, numbers: Floats, attribute: Attribute) -> Floats:
        """Say of each value whether it lies below the bound: 1 or 0, not-a-number where it is missing.

        Args:
            numbers: The attribute's column, from ``values.numbers_of``: of a list they are ranks.
            attribute: The attribute.
        """
        assert self.below is not None
        known, values = ~np.isnan(numbers), numbers
        if isinstance(attribute, Categorical):
            values = np.array(attribute.categories, dtype=float)[np.where(known, numbers, 0).astype(np.int64)]
        return np.where(known, values < self.below, np.nan)


def _require_plain(attribute: Attribute) -> None:
    """Refuse a date or a time that a bound is missing of, or one that is not written as it is.

    Raises:
        PlanError: it is one.
    """
    if isinstance(attribute, Numeric) and attribute.kind not in ("number", "year"):
        raise PlanError(
            "{name!r} is a {kind}; name a bound to predict as it is written, such as '{name}<{example}'.",
            name=attribute.name,
            kind=attribute.kind,
            example=attribute.text(attribute.maximum),
        )


def svm_error(
    train: tuple[Codes, NDArray[np.int64]],
    test: tuple[Codes, NDArray[np.int64]],
    target: Target,
    domain: Domain,
) -> float:
    """Misclassification on ``test`` of a linear SVM trained on ``train``.

    The inputs are the one-hot codes of all other attributes. Rows without a class are left out.

    Args:
        train: Codes and classes of the rows to learn from.
        test: Codes and classes of the rows to predict.
        target: What is predicted.
        domain: The domain of the codes.

    Raises:
        SourceError: no row has a class.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    (x, y), (x_test, y_test) = (
        (one_hot(codes[classes >= 0], target, domain), classes[classes >= 0])
        for codes, classes in (train, test)
    )
    if not (len(y) and len(y_test)):
        raise SourceError("The target is missing in every row; choose another target.")
    if len(np.unique(y)) < 2:  # a table of one class teaches that class
        return float((y_test != y[0]).mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = LinearSVC(dual=False).fit(x, y)
    return float((fitted.predict(x_test) != y_test).mean())


def paper_svm_error(
    codes: Codes,
    classes: NDArray[np.int64],
    target: Target,
    domain: Domain,
    rng: np.random.Generator,
    *,
    repeats: int,
) -> float:
    """The paper's variant: trained and tested on the synthetic table, split 8:2, mean of the repeats.

    It says how well the synthetic table predicts itself; ``svm_error`` on real rows is the
    figure that means something.

    Source: [Zhang2022, section 4.3].
    """
    errors = []
    for _ in range(repeats):
        order = rng.permutation(len(codes))
        cut = max(1, min(len(codes) - 1, round(len(codes) * TEST_SHARE)))
        held, kept = order[:cut], order[cut:]
        if len(codes) < 2:
            held = kept = order
        errors.append(svm_error((codes[kept], classes[kept]), (codes[held], classes[held]), target, domain))
    return float(np.mean(errors))


def one_hot(codes: Codes, target: Target, domain: Domain) -> Any:
    """One column a code of every attribute but the target, as a sparse matrix."""
    from scipy.sparse import csr_matrix

    others = [a for a in range(len(domain)) if a != target.attribute]
    sizes = np.array([domain.sizes[a] for a in others], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    columns = (codes[:, others] + offsets[:-1]).ravel()
    starts = np.arange(len(codes) + 1) * len(others)
    return csr_matrix((np.ones(columns.size), columns, starts), shape=(len(codes), int(offsets[-1])))
