"""Columns of a result as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = list[NDArray[Any]]


def array_of(values: list[Any]) -> NDArray[Any]:
    """Give the values as whole numbers where all are; else as they are."""
    if all(type(value) is int for value in values):
        return np.array(values, dtype=np.int64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
