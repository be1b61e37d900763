"""Rows as SPSS and Stata keep them: codes with their labels, columns with their titles, dates as dates."""

from __future__ import annotations

import datetime as dt
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat

from hmpb_core.codebook import Codebook
from hmpb_core.dates import EPOCH
from hmpb_core.domain import Attribute, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.moments import read_values
from hmpb_core.publishing.parquet import with_days
from hmpb_core.publishing.tables import CsvForm, missing_code

LABELLED = {".sav": "SPSS", ".zsav": "SPSS", ".dta": "Stata"}
"""Endings of the files that are written, and the packages they belong to."""

_WRITERS: dict[str, Callable[..., None]] = {
    ".sav": pyreadstat.write_sav,
    ".zsav": pyreadstat.write_sav,
    ".dta": pyreadstat.write_dta,
}
_REFUSED = (pyreadstat.PyreadstatError, pyreadstat.ReadstatError)
_LONGEST_TITLE = 80
"""Characters that a column's title may have in Stata; SPSS takes 256 and cuts the rest."""
_MOST_CODES = 3
"""Missing codes that SPSS can be told one by one."""
_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?", re.ASCII)
_MOST_DECIMALS = 6
_SHOWN = 5


def require_names(codebook: Codebook, ending: str) -> None:
    """Refuse columns that a statistics package has no names for; other endings have no such limits.

    Raises:
        SourceError: there are some.
    """
    if unfit := unfit_names(codebook, ending):
        raise SourceError(
            "{package} has no variables called {names}; rename them, or write a .csv or a .parquet file.",
            package=LABELLED[ending],
            names=", ".join(map(repr, unfit[:_SHOWN])) + (", ..." if unfit[_SHOWN:] else ""),
        )


def unfit_names(codebook: Codebook, ending: str) -> list[str]:
    """The columns that a package has no names for; SPSS also none that differs in capitals alone."""
    if ending not in LABELLED:
        return []
    seen: set[str] = set()
    unfit = []
    for name in (*codebook.domain.names, *(form.name for form in codebook.rules.identifiers)):
        known = name if ending == ".dta" else name.casefold()
        try:
            _written(_WRITERS[ending], pd.DataFrame({name: pd.Series([], dtype="int64")}))
        except _REFUSED:
            unfit.append(name)
        else:
            unfit += [name] if known in seen else []
        seen.add(known)
    return unfit


def ending_of(codebook: Codebook) -> str | None:
    """The ending of the file in which rows leave as their table came; None where it has no such form."""
    ending = {"spss": ".sav", "stata": ".dta"}.get(codebook.file_format)
    return None if ending is None or unfit_names(codebook, ending) else ending


def labelled_of(frame: pd.DataFrame, codebook: Codebook, ending: str) -> bytes:
    """Write rows as a file of SPSS or Stata.

    Codes are numbers where all of a column's values are, with the labels of the codebook. A missing value is
    an empty cell, or the numeric code that the csv file would write; SPSS is told the numeric codes. Moments
    are those of the clock, Greenwich's where they have a zone. Lengths of time, months and moments in the
    hours of another place are texts.

    Args:
        frame: The rows, as ``decode`` gives them.
        codebook: Their codebook; the package has names for its columns (``require_names``).
        ending: ``.sav``, ``.zsav`` or ``.dta``.

    Raises:
        SourceError: the package cannot hold the rows, such as a text that is too long for it.
    """
    names = list(frame.columns)
    form = CsvForm.of(codebook)
    rows = with_days(frame, codebook.domain)
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    columns = {
        name: _column(rows[name], attributes[name], missing_code(codebook, name), form.truths.get(name))
        if name in attributes
        else rows[name].astype(object)
        for name in names
    }
    numeric = {name for name, column in columns.items() if column.dtype.kind in "if"}
    labels = {name: _labels(codebook, name, numeric=name in numeric) for name in attributes}
    titles = {name: title for name, title in codebook.titles.items() if name in columns}
    about: dict[str, Any]
    if ending == ".dta":
        of_numbers = {name: _of_whole(labels[name]) for name in numeric}
        about = {
            "column_labels": {name: title[:_LONGEST_TITLE] for name, title in titles.items()},
            "variable_value_labels": {name: found for name, found in of_numbers.items() if found},
        }
    else:
        codes = {name: _codes(codebook, attributes[name]) for name in numeric}
        about = {
            "column_labels": titles,
            "variable_value_labels": {name: found for name, found in labels.items() if found},
            "variable_measure": {name: _measure(attribute) for name, attribute in attributes.items()},
            "variable_format": {name: _format(columns[name]) for name in numeric},
            "missing_ranges": {name: found for name, found in codes.items() if found},
            "compress": ending == ".zsav",
        }
    try:
        return _written(_WRITERS[ending], pd.DataFrame(columns), **about)
    except _REFUSED:
        raise SourceError(
            "{package} cannot hold these rows; write a .csv or a .parquet file.", package=LABELLED[ending]
        ) from None


def _written(write: Callable[..., None], frame: pd.DataFrame, **about: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        write(frame, str(path), **about)
        return path.read_bytes()


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
    words = [str(category) for category in attribute.categories]
    if attribute.boolean:
        words = list(truths or ("0", "1"))
        column = column.map(dict(zip((False, True), words, strict=True)), na_action="ignore")
    if all(map(_NUMBER.fullmatch, words)):
        return _numbers(column, missing)
    return _texts(column, missing)


def _numbers(column: pd.Series, missing: str) -> pd.Series:
    numbers = pd.to_numeric(column.astype(object), errors="coerce").astype("float64")
    if _NUMBER.fullmatch(missing):
        numbers = numbers.fillna(float(missing))
    whole = bool(numbers.notna().all() and (numbers % 1 == 0).all())
    return numbers.astype("int64") if whole else numbers


def _texts(column: pd.Series, missing: str) -> pd.Series:
    texts = column.astype(object)
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


def _labels(codebook: Codebook, name: str, *, numeric: bool) -> dict[float | str, str]:
    """What a column's values mean, by the value."""
    told = codebook.value_labels.get(name, {})
    if not numeric:
        return dict(told.items())
    return {float(text): label for text, label in told.items() if _NUMBER.fullmatch(text)}


def _of_whole(labels: Mapping[float | str, str]) -> dict[int, str]:
    """Those labels that Stata can keep: of whole numbers."""
    return {int(value): label for value, label in labels.items() if not float(value) % 1}


def _codes(codebook: Codebook, attribute: Attribute) -> list[Any]:
    """The numeric missing codes, as SPSS is told them: three, or a range that holds no other value."""
    codes = sorted(float(c) for c in codebook.missing_of(attribute.name) if _NUMBER.fullmatch(c))
    if len(codes) <= _MOST_CODES:
        return codes
    if isinstance(attribute, Numeric):
        low, high = attribute.minimum, attribute.maximum
    else:
        others = [float(str(c)) for c in attribute.categories if str(c) not in attribute.apart]
        low, high = min(others, default=codes[0]), max(others, default=codes[-1])
    return [{"lo": codes[0], "hi": codes[-1]}] if codes[-1] < low or codes[0] > high else codes[:_MOST_CODES]


def _measure(attribute: Attribute) -> str:
    if isinstance(attribute, Numeric):
        return "scale"
    return "ordinal" if attribute.ordered else "nominal"


def _format(numbers: pd.Series) -> str:
    """How SPSS shows a column of numbers: F, its width and its decimals."""
    values = numbers.dropna().to_numpy(dtype=float)
    decimals = next(
        (d for d in range(_MOST_DECIMALS) if (np.round(values, d) == values).all()), _MOST_DECIMALS
    )
    digits = len(f"{np.abs(values).max(initial=0):.0f}")
    return f"F{max(8, digits + decimals + 2)}.{decimals}"
