"""Rows as typed cells: numbers, days, moments, times and texts, for files whose cells have types."""

from __future__ import annotations

import datetime as dt
import re

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.dates import EPOCH
from hmpb_core.declared import LARGEST_NUMBER
from hmpb_core.domain import Attribute, Categorical, Numeric
from hmpb_core.moments import read_values
from hmpb_core.publishing.parquet import with_days
from hmpb_core.publishing.tables import CsvForm, missing_code
from hmpb_core.texts import text_of

NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?", re.ASCII)
"""A text that is a number and nothing else: 01067 is a code."""


def cells_of(frame: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """Give rows as typed cells.

    Lists are numbers where their categories are, of 15 digits at most; yes and no are 1 and 0 unless the
    codebook has words for them. A missing value is the code that the csv file would write, where it is of
    the column's type, else nothing: an empty text, not a number, None. Moments are those of the clock,
    Greenwich's where they have a zone. Lengths of time, months and moments in the hours of another place are
    texts.

    Args:
        frame: The rows, as ``decode`` gives them.
        codebook: Their codebook.

    Returns:
        Columns of ``int64``, ``float64`` or ``datetime64``, or of objects: ``date``, ``time``, texts or None.
    """
    form = CsvForm.of(codebook)
    rows = with_days(frame, codebook.domain)
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    return pd.DataFrame(
        {
            name: _column(rows[name], attributes[name], missing_code(codebook, name), form.truths.get(name))
            if name in attributes
            else rows[name].astype(object)
            for name in rows.columns
        }
    )


def _column(
    column: pd.Series, attribute: Attribute, missing: str, truths: tuple[str, str] | None
) -> pd.Series:
    """A column as the packages keep it: numbers, dates, times or texts."""
    if isinstance(attribute, Numeric):
        if attribute.kind in ("number", "year"):
            return _numbers(column, missing)
        if attribute.kind == "date":
            return _or_none(column)
        if attribute.kind == "time":
            return _times(column, attribute.format)
        if column.dtype.kind == "M":
            moments: pd.Series = column.dt.tz_localize(None)
            return moments
        return _texts(column, missing)
    if attribute.boolean:
        words = truths or ("0", "1")
        column = column.map(dict(zip((False, True), words, strict=True)), na_action="ignore")
        numbers = all(map(NUMBER.fullmatch, words))
    else:
        numbers = all(_is_number(attribute, category) for category in attribute.categories)
    return _numbers(column, missing) if numbers else _texts(column, missing)


def _is_number(attribute: Categorical, category: str | float) -> bool:
    """Whether a category is one that such files keep whole, or a missing code that can be one beside it."""
    if isinstance(category, str):
        return category in attribute.apart and NUMBER.fullmatch(category) is not None
    return not isinstance(category, int) or abs(category) <= LARGEST_NUMBER


def _numbers(column: pd.Series, missing: str) -> pd.Series:
    numbers = pd.to_numeric(column.astype(object), errors="coerce").astype("float64")
    if NUMBER.fullmatch(missing):
        numbers = numbers.fillna(float(missing))
    whole = bool(((numbers % 1 == 0) & (numbers.abs() <= LARGEST_NUMBER)).all())  # not where one is missing
    return numbers.astype("int64") if whole else numbers


def _texts(column: pd.Series, missing: str) -> pd.Series:
    texts = column.astype(object)
    if column.dtype.kind in "iuf":
        texts = texts.map(text_of, na_action="ignore")
    return texts.where(texts.notna(), missing)


def _times(column: pd.Series, pattern: str) -> pd.Series:
    there = column.dropna()
    seconds = read_values(there.astype(object).tolist(), "time", pattern)
    clock = {
        text: (EPOCH + dt.timedelta(seconds=second)).time()
        for text, second in zip(there, seconds.tolist(), strict=True)
    }
    return _or_none(column.astype(object).map(clock))


def _or_none(column: pd.Series) -> pd.Series:
    values = column.astype(object)
    return values.where(values.notna(), None)
