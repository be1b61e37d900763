"""A table's columns as quasi-identifiers: which kind each is, its codes and its values.

The kind follows the codebook: a number is continuous, an ordered list ordinal, any other list nominal;
a field with the property ``hierarchy`` is semantic:

- ``{"prefixes": [1, 2, 4]}``: the first 1, 2 and 4 characters of the code name its levels, and the whole
  code is the last level. Whole numbers are read as codes with as many digits as their declared maximum.
- ``{"levels": {"Lyon": ["Europe", "France"], ...}}``: the groups that each category lies in, from the
  top; the category itself is the last level. Paths may differ in length.

Beside either: ``"beta"`` (1), how fast steps between levels lose weight with depth, and ``"root_weight"``
(0), the weight of the step from the root [Yang2014, section 3.2].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.anonymize.continuous import Continuous
from hmpb_core.anonymize.generalization import Range, Suppression
from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.measure import Floats, Integers, Measure
from hmpb_core.anonymize.nominal import Nominal
from hmpb_core.anonymize.ordinal import Ordinal
from hmpb_core.anonymize.semantic import Semantic
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Domain, Numeric, Scalar
from hmpb_core.encoding import encode
from hmpb_core.errors import DomainError
from hmpb_core.moments import read_values
from hmpb_core.texts import text_of

MISSING_PATH = "\x00missing"
"""Path of the missing value: a branch of its own, at every level."""


class Kind(StrEnum):
    """How an attribute's values are related."""

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"
    SEMANTIC = "semantic"


def kind_of(codebook: Codebook, name: str) -> Kind:
    """The kind that the codebook gives an attribute."""
    attribute = codebook.domain.attributes[codebook.domain.index(name)]
    if name in codebook.hierarchies:
        return Kind.SEMANTIC
    if isinstance(attribute, Numeric):
        return Kind.CONTINUOUS
    return Kind.ORDINAL if attribute.ordered else Kind.NOMINAL


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Column:
    """A quasi-identifier.

    Attributes:
        name: Its name.
        kind: Its kind.
        codes: Code of each row; shape (rows,).
        values: What each code stands for; None is the missing value.
        measure: Its distances, centroid and loss.
        generalized: The loss GPKC grows its classes by.
        number: How a mean is written, where the centroid is one: a date as a date, whole numbers rounded.
    """

    name: str
    kind: Kind
    codes: Integers
    values: tuple[Scalar | None, ...]
    measure: Measure
    generalized: Measure
    number: Numeric | None = None

    def published(self, codes: Integers) -> Scalar | None:
        """What replaces the values of a class with these codes."""
        centroid = self.measure.centroid(codes)
        return self.shown(int(centroid)) if self.kind is not Kind.CONTINUOUS else self._written(centroid)

    def shown(self, code: int) -> Scalar | None:
        """The value that a code stands for, as the table writes it."""
        value = self.values[code]
        return value if self.number is None or value is None else self._written(float(value))

    def _written(self, value: float) -> Scalar | None:
        if math.isnan(value):
            return None
        if self.number is None:
            return value
        step = self.number.resolution
        if self.number.kind not in ("number", "year"):
            return self.number.text(round(value / (step or 1)) * (step or 1))
        if self.number.listed:
            value = float(self.number.grid.values(self.number.grid.positions(np.array([value])))[0])
        if self.number.integer:
            return round(value)
        return value if step is None else float(f"{round(value / step) * step:.12g}")


def column_of(frame: pd.DataFrame, codebook: Codebook, name: str) -> Column:
    """Read a quasi-identifier.

    Raises:
        SourceError: the column is absent or does not fit the codebook.
        DomainError: the codebook does not declare it, or its hierarchy is unusable.
    """
    attribute = codebook.domain.attributes[codebook.domain.index(name)]
    kind = kind_of(codebook, name)
    if isinstance(attribute, Numeric):
        numbers = numbers_of(frame, codebook, attribute)
        if kind is Kind.SEMANTIC:
            return _numeric_codes(attribute, numbers, codebook.hierarchies[name])
        return _continuous(attribute, numbers)
    codes = _codes(frame, codebook, attribute).astype(np.int64)
    values: tuple[Scalar | None, ...] = (*attribute.categories, *([None] if attribute.nullable else []))
    suppression = Suppression(n_values=attribute.size)
    if kind is Kind.SEMANTIC:
        return _semantic(name, codes, values, codebook.hierarchies[name], suppression)
    if kind is Kind.ORDINAL:
        ranks = Ordinal.of_ranks(len(attribute.categories), missing=attribute.nullable)
        spread = Range(positions=ranks.positions, missing=attribute.nullable)
        return Column(name=name, kind=kind, codes=codes, values=values, measure=ranks, generalized=spread)
    measure = Nominal(n_values=attribute.size)
    return Column(name=name, kind=kind, codes=codes, values=values, measure=measure, generalized=suppression)


def sensitive_codes(frame: pd.DataFrame, codebook: Codebook, name: str) -> Integers:
    """Codes of the sensitive attribute; numbers by their declared bins, so that near ones count once.

    Raises:
        SourceError: the column is absent or does not fit the codebook.
        DomainError: the codebook does not declare it.
    """
    attribute = codebook.domain.attributes[codebook.domain.index(name)]
    return _codes(frame, codebook, attribute).astype(np.int64)


def sensitive_values(frame: pd.DataFrame, codebook: Codebook, name: str) -> list[Scalar | None]:
    """The sensitive attribute as the codebook reads it; None where it is missing.

    What the codebook folds into another value (``unknown``, spellings, prefixes, bounds) leaves as that
    value: a text that nobody declared may name somebody.

    Raises:
        SourceError: the column is absent or does not fit the codebook.
        DomainError: the codebook does not declare it.
    """
    attribute = codebook.domain.attributes[codebook.domain.index(name)]
    if isinstance(attribute, Numeric):
        column = _continuous(attribute, numbers_of(frame, codebook, attribute))
        return [column.shown(code) for code in column.codes.tolist()]
    values = (*attribute.categories, None)
    return [values[code] for code in _codes(frame, codebook, attribute).tolist()]


def numbers_of(frame: pd.DataFrame, codebook: Codebook, attribute: Numeric) -> Floats:
    """The numbers of a column, clipped to the declared range; nan where missing."""
    codes = _codes(frame, codebook, attribute)
    texts = pd.Series([text_of(value) for value in frame[attribute.name]], dtype=object)
    if attribute.kind in ("number", "year"):
        numbers: Floats = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float)
    else:
        numbers = read_values(texts, attribute.kind, attribute.format)
    numbers = np.clip(numbers, attribute.minimum, attribute.maximum)
    if attribute.nullable:
        numbers[codes == attribute.size - 1] = np.nan
    return numbers


def _codes(frame: pd.DataFrame, codebook: Codebook, attribute: Attribute) -> Integers:
    alone = Codebook(
        domain=Domain((attribute,)),
        missing_values=codebook.missing_values,
        missing_codes=codebook.missing_codes,
        apart=codebook.apart,
    )
    codes: Integers = encode(frame[[attribute.name]], alone)[:, 0].astype(np.int64)
    return codes


def _continuous(attribute: Numeric, numbers: Floats) -> Column:
    missing = np.isnan(numbers)
    values = np.unique(numbers[~missing])
    codes = np.where(missing, len(values), np.searchsorted(values, np.where(missing, 0.0, numbers)))
    has_missing = bool(missing.any())
    measure = Continuous(values=values, missing=has_missing)
    return Column(
        name=attribute.name,
        kind=Kind.CONTINUOUS,
        codes=codes.astype(np.int64),
        values=(*values.tolist(), *([None] if has_missing else [])),
        measure=measure,
        generalized=Range(positions=measure.scaled, missing=has_missing),
        number=attribute,
    )


def _numeric_codes(attribute: Numeric, numbers: Floats, hierarchy: Any) -> Column:
    if not attribute.integer or attribute.minimum < 0:
        raise DomainError(
            "{name!r} has a hierarchy but is not a whole number from 0 on; declare the type 'integer' "
            "with a minimum of at least 0, or list its categories.",
            name=attribute.name,
        )
    column = _continuous(attribute, numbers)
    whole = [None if value is None else int(value) for value in column.values]
    return _semantic(
        attribute.name,
        column.codes,
        whole,
        hierarchy,
        # Without the tree a code is a category: the distance of two code numbers means nothing.
        Suppression(n_values=len(whole)),
        digits=len(str(int(attribute.maximum))),
    )


def _semantic(
    name: str,
    codes: Integers,
    values: Sequence[Scalar | None],
    hierarchy: Any,
    generalized: Measure,
    *,
    digits: int = 0,
) -> Column:
    paths, beta, root_weight = _paths(name, values, hierarchy, digits)
    order = sorted(range(len(paths)), key=lambda i: paths[i])
    new_code = np.empty(len(order), dtype=np.int64)
    new_code[order] = np.arange(len(order))
    tree = CodeTree.of_paths([paths[i] for i in order], beta=beta, root_weight=root_weight)
    return Column(
        name=name,
        kind=Kind.SEMANTIC,
        codes=new_code[codes],
        values=tuple(values[i] for i in order),
        measure=Semantic(tree=tree),
        generalized=generalized,
    )


def _paths(
    name: str, values: Sequence[Scalar | None], hierarchy: Any, digits: int
) -> tuple[list[tuple[str, ...]], float, float]:
    if not isinstance(hierarchy, dict) or ("prefixes" in hierarchy) == ("levels" in hierarchy):
        raise DomainError(
            "'hierarchy' of {name!r} must be an object with either 'prefixes' (lengths of code prefixes) "
            "or 'levels' (the groups of each category, from the top).",
            name=name,
        )
    beta, root_weight = hierarchy.get("beta", 1.0), hierarchy.get("root_weight", 0.0)
    if not all(
        isinstance(x, int | float) and not isinstance(x, bool) and x >= 0 for x in (beta, root_weight)
    ):
        raise DomainError(
            "'beta' and 'root_weight' of the hierarchy of {name!r} must be numbers of at least 0.", name=name
        )
    texts = [None if value is None else text_of(value).zfill(digits) for value in values]
    if "prefixes" in hierarchy:
        heads = _by_prefix(name, texts, hierarchy["prefixes"])
    else:
        heads = _by_level(name, texts, hierarchy["levels"])
    depth = max(len(path) for path in heads if path is not None) if any(heads) else 1
    return [path or (MISSING_PATH,) * depth for path in heads], float(beta), float(root_weight)


def _by_prefix(name: str, texts: Sequence[str | None], lengths: Any) -> list[tuple[str, ...] | None]:
    whole = isinstance(lengths, list) and all(isinstance(x, int) and not isinstance(x, bool) for x in lengths)
    if not whole or not lengths or lengths != sorted(set(lengths)) or lengths[0] < 1:
        raise DomainError(
            "'prefixes' of {name!r} must be rising whole numbers from 1 on, such as [1, 2, 3].", name=name
        )
    paths: list[tuple[str, ...] | None] = []
    for text in texts:
        heads = [text[:x] for x in lengths if x < len(text)] if text is not None else []
        paths.append(None if text is None else (*heads, text))
    return paths


def _by_level(name: str, texts: Sequence[str | None], levels: Any) -> list[tuple[str, ...] | None]:
    if not isinstance(levels, dict) or not all(isinstance(groups, list) for groups in levels.values()):
        raise DomainError("'levels' of {name!r} must give each category a list of its groups.", name=name)
    absent = [text for text in texts if text is not None and text not in levels]
    if absent:
        raise DomainError(
            "'levels' of {name!r} lacks the category {category!r}; give every category its groups, "
            "from the top.",
            name=name,
            category=absent[0],
        )
    return [None if text is None else (*map(str, levels[text]), text) for text in texts]
