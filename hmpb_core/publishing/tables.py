"""Rows as files: csv that a spreadsheet opens without running anything, and Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.categories import BOOLEANS
from hmpb_core.codebook import SHORTEST, Codebook
from hmpb_core.dialect import PLAIN, CsvDialect
from hmpb_core.domain import Categorical, Domain, Scalar

_TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet read a text as a formula [OWASP, CSV injection]."""


def harmless(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run. Numbers stay as they are.

    Example:
        >>> harmless("=1+1"), harmless("a=b"), harmless(-3)
        ("'=1+1", 'a=b', -3)
    """
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_TRIGGERS) else value


def harmless_categories(attribute: Categorical) -> list[Scalar]:
    """The categories as the csv file writes them."""
    texts = any(isinstance(category, str) for category in attribute.categories)
    return [harmless(str(c)) if texts else c for c in attribute.categories]


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvForm:
    """How rows are written as csv: a codebook's dialect, and how its columns write numbers and truth values.

    Attributes:
        dialect: What the file is written with.
        numbers: Columns whose numbers are written ``"shortest"``, or always with so many decimals.
        truths: What a truth column says for false and for true.
    """

    dialect: CsvDialect = PLAIN
    numbers: Mapping[str, str | int] = field(default_factory=dict)
    truths: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, codebook: Codebook) -> CsvForm:
        """Take it from a codebook; in UTF-8 where the dialect's encoding lacks a character that may occur."""
        domain = codebook.domain
        listed = [a for a in domain.attributes if isinstance(a, Categorical)]
        texts = [str(category) for attribute in listed for category in attribute.categories]
        texts += [text for form in codebook.rules.identifiers for text in (form.name, form.pattern)]
        told = [a for a in listed if a.boolean and a.spellings[0][0] != BOOLEANS["false"][0]]
        return cls(
            dialect=codebook.dialect.able([*texts, *domain.names]),
            numbers=codebook.written,
            truths={attribute.name: _first_words(attribute) for attribute in told},
        )


PLAIN_FORM = CsvForm()


def _first_words(attribute: Categorical) -> tuple[str, str]:
    first = {said: text for text, said in reversed(attribute.spellings)}
    return str(first["false"]), str(first["true"])


def csv_of(frame: pd.DataFrame, form: CsvForm = PLAIN_FORM) -> bytes:
    """Write rows as csv: missing values empty, formulas neutralised, headers too.

    Every csv file that leaves the package is written here.

    Args:
        frame: The rows.
        form: How they are written; UTF-8 with commas and decimal points unless given.
    """
    dialect = form.dialect
    safe = frame.copy(deep=False)
    for place, kind in enumerate(frame.dtypes):
        column, name = frame.iloc[:, place], frame.columns[place]
        if pd.api.types.is_bool_dtype(kind) and name in form.truths:
            words = np.array([*form.truths[name], None], dtype=object)
            safe.isetitem(place, words[column.astype("boolean").astype("Int8").fillna(2).to_numpy(int)])
        elif pd.api.types.is_float_dtype(kind) and (name in form.numbers or dialect.decimal != "."):
            safe.isetitem(place, _number_texts(column, form.numbers.get(name), dialect.decimal))
        elif not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(place, column.astype(object).map(harmless, na_action="ignore").to_numpy())
    safe.columns = pd.Index([harmless(name) for name in frame.columns])
    text = safe.to_csv(index=False, lineterminator="\n", sep=dialect.delimiter)
    try:
        return text.encode(dialect.encoding)
    except UnicodeEncodeError:  # a label of anonymized values; what a codebook declares was tried before
        return text.encode()


def _number_texts(column: pd.Series, form: str | int | None, decimal: str) -> Any:
    """Numbers as texts, each different one written once; None where one is missing."""
    codes, values = pd.factorize(column.to_numpy(dtype=float, na_value=np.nan), use_na_sentinel=True)
    texts = [_number_text(value, form) for value in values.tolist()]
    return np.array([*(text.replace(".", decimal) for text in texts), None], dtype=object)[codes]


def _number_text(value: float, form: str | int | None) -> str:
    if isinstance(form, int):
        return f"{value:.{form}f}"
    return str(int(value)) if form == SHORTEST and value.is_integer() else repr(value)


def as_meant(frame: pd.DataFrame, domain: Domain) -> pd.DataFrame:
    """Read a csv file of this package back: takes the apostrophes away that ``csv_of`` put before formulas.

    Only names and categories of the domain are put back; every other text stays as it is.

    Args:
        frame: The file's rows, as texts.
        domain: The codebook's domain.
    """
    names = _meant(domain.names)
    frame = frame.rename(columns=names)
    for attribute in domain.attributes:
        if isinstance(attribute, Categorical) and attribute.name in frame.columns:
            texts = _meant(attribute.categories)
            if texts:
                column = frame[attribute.name].astype(object)
                frame[attribute.name] = column.map(lambda value, texts=texts: texts.get(value, value))
    return frame


def _meant(texts: Iterable[Scalar]) -> dict[Scalar, Scalar]:
    """What stands in a csv file for each text that is written otherwise there."""
    known = list(texts)
    return {harmless(text): text for text in known if harmless(text) != text and harmless(text) not in known}


def parquet_of(frame: pd.DataFrame) -> bytes:
    """Write rows as Parquet, typed, values as they are."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()
