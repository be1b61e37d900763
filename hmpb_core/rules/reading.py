"""How rules see a table: a column as texts or as numbers, read once; and what each code may mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Numeric, Scalar, text_of

_DAY = 86_400
_EMPTY = frozenset({""})
_NONE: Mapping[str, frozenset[str]] = {}


def number_of(value: Scalar) -> float:
    """Read a number, or the day count of an ISO 8601 date or time; not a number where it is neither.

    Example:
        >>> number_of("1970-01-03") - number_of("1970-01-01"), number_of(" 2.5 ")
        (2.0, 2.5)
    """
    text = text_of(value)
    try:
        number = float(text)
    except ValueError:
        return _day_of(text)
    return number if math.isfinite(number) else math.nan


def _day_of(text: str) -> float:
    try:
        if len(text) <= len("2000-01-01"):
            return float(date.fromisoformat(text).toordinal())
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return moment.toordinal() + seconds / _DAY


class View:
    """A table as rules read it. A missing value is None as a text and not a number as a number.

    Args:
        frame: The table; values may be texts or typed.
        missing: Texts that mean a missing value, by column; an empty text alone where none are named.
    """

    def __init__(self, frame: pd.DataFrame, missing: Mapping[str, frozenset[str]] = _NONE) -> None:
        self._frame = frame
        self._missing = missing
        self._read: dict[str, tuple[NDArray[np.intp], NDArray[np.object_]]] = {}
        self._numbers: dict[str, NDArray[np.float64]] = {}

    def __len__(self) -> int:
        return len(self._frame)

    def parts(self, name: str) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
        """For each row the place of its text, and the texts, the last one None."""
        if name not in self._read:
            column = self._frame[name]
            if isinstance(column.dtype, pd.CategoricalDtype):
                column = column.astype(object)
            places, values = pd.factorize(column, use_na_sentinel=True)
            missing = self._missing.get(name, _EMPTY) | _EMPTY
            read = [text_of(value) for value in values]
            texts = np.array([*(None if t in missing else t for t in read), None], dtype=object)
            self._read[name] = places, texts
        return self._read[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The column's numbers."""
        if name not in self._numbers:
            column = self._frame[name]
            if pd.api.types.is_numeric_dtype(column.dtype) and not self._marked(name, column):
                numbers = column.to_numpy(dtype=float, na_value=math.nan)
            else:
                places, texts = self.parts(name)
                numbers = np.array([math.nan if t is None else number_of(t) for t in texts])[places]
            self._numbers[name] = numbers
        return self._numbers[name]

    def present(self, name: str) -> NDArray[np.bool_]:
        """Whether each row has a value."""
        places, texts = self.parts(name)
        return np.array([text is not None for text in texts])[places]

    def among(self, name: str, wanted: frozenset[str]) -> NDArray[np.bool_]:
        """Whether each row's value is one of these texts."""
        places, texts = self.parts(name)
        return np.array([text in wanted for text in texts])[places]

    def _marked(self, name: str, column: pd.Series) -> bool:
        """Whether a number such as -9 may stand for a missing value."""
        return bool(self._missing.get(name, _EMPTY) - _EMPTY) and column.dtype.kind in "iufIUF"


def ranges_of(attribute: Attribute) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest number that each code can be decoded to; not a number for a missing value.

    Args:
        attribute: A number's bins span a range; a category is one number, or none.
    """
    if isinstance(attribute, Numeric):
        edges = attribute.minimum + attribute.width * np.arange(attribute.n_bins + 1, dtype=np.float64)
        low = np.array(edges[:-1], dtype=np.float64)
        high = np.array(np.minimum(edges[1:], attribute.maximum), dtype=np.float64)
        if attribute.integer:
            low[:] = np.ceil(low - 1e-9 * attribute.width)
            high[:] = np.floor(high + 1e-9 * attribute.width)
    else:
        low = high = np.array([number_of(category) for category in attribute.categories])
    if attribute.nullable:
        low, high = np.append(low, math.nan), np.append(high, math.nan)
    return low, high
