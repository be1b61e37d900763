"""Rows as SPSS and Stata keep them: codes with their labels, columns with their titles, dates as dates."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Attribute, Numeric
from hmpb_core.errors import SourceError
from hmpb_core.moments import read_values
from hmpb_core.publishing.cells import NUMBER, cells_of
from hmpb_core.publishing.tables import CsvForm
from hmpb_core.texts import text_of

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
_LONGEST_CODE = 8
"""Bytes that a missing code of a column of texts may have in SPSS."""
_MOST_DECIMALS = 6
_LENGTH = "TIME12"
"""How SPSS shows seconds as hours, minutes and seconds; a day and more are hours, too."""
_LARGEST_LABELLED = 2_147_483_620
"""Largest number that may have a label in Stata."""


def unfit_names(codebook: Codebook, ending: str) -> list[str]:
    """The columns that a package has no names for; SPSS also none that differs in capitals alone."""
    seen: set[str] = set()
    unfit = []
    columns = [attribute.name for attribute in codebook.columns]
    for name in (*columns, *(form.name for form in codebook.rules.identifiers)):
        known = name if ending == ".dta" else name.casefold()
        try:
            _written(_WRITERS[ending], pd.DataFrame({name: pd.Series([], dtype="int64")}))
        except _REFUSED:
            unfit.append(name)
        else:
            unfit += [name] if known in seen else []
        seen.add(known)
    return unfit


def labelled_of(frame: pd.DataFrame, codebook: Codebook, ending: str) -> bytes:
    """Write rows as a file of SPSS or Stata.

    Cells are typed (``cells_of``); codes have the labels of the codebook, and SPSS is told which are missing.

    Args:
        frame: The rows, as ``decode`` gives them.
        codebook: Their codebook; the package has names for its columns (``unfit_names``).
        ending: ``.sav``, ``.zsav`` or ``.dta``.

    Raises:
        SourceError: the package cannot hold the rows, such as a text that is too long for it.
    """
    cells = cells_of(frame, codebook)
    attributes = {attribute.name: attribute for attribute in codebook.domain.attributes}
    numeric = [str(name) for name in cells if cells[name].dtype.kind in "if"]
    lengths = {} if ending == ".dta" else _lengths(codebook)
    for name, pattern in lengths.items():
        cells[name] = _seconds(frame[name], pattern)
    labels = {
        name: _labels(codebook, name, numeric=name in numeric)
        for name in attributes
        if name not in lengths and not _is_dated(cells[name])
    }
    about: dict[str, Any]
    if ending == ".dta":
        of_numbers = {name: _of_whole(labels[name]) for name in numeric}
        about = {
            "column_labels": {name: title[:_LONGEST_TITLE] for name, title in codebook.titles.items()},
            "variable_value_labels": {name: found for name, found in of_numbers.items() if found},
        }
    else:
        truths = CsvForm.of(codebook).truths
        codes = {name: _codes(codebook, attributes[name], truths.get(name)) for name in numeric}
        codes |= {
            name: _text_codes(codebook, attributes[name]) for name in attributes if _has_texts(cells[name])
        }
        about = {
            "column_labels": codebook.titles,
            "variable_value_labels": {name: found for name, found in labels.items() if found},
            "variable_measure": {name: _measure(attribute) for name, attribute in attributes.items()},
            "variable_format": {name: _format(cells[name]) for name in numeric}
            | dict.fromkeys(lengths, _LENGTH),
            "missing_ranges": {name: found for name, found in codes.items() if found},
            "compress": ending == ".zsav",
        }
    try:
        return _written(_WRITERS[ending], cells, **about)
    except _REFUSED:
        raise SourceError(
            "{package} cannot hold these rows; write a .csv or a .parquet file.", package=LABELLED[ending]
        ) from None


def _written(write: Callable[..., None], frame: pd.DataFrame, **about: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        write(frame, str(path), **about)
        return path.read_bytes()


def _is_dated(column: pd.Series) -> bool:
    """Whether a column is one of dates, moments or times: no package keeps a text's label for a day."""
    return any(isinstance(value, dt.date | dt.time) for value in column)


def _labels(codebook: Codebook, name: str, *, numeric: bool) -> dict[float | str, str]:
    """What a column's values mean, by the value."""
    told = codebook.value_labels.get(name, {})
    if not numeric:
        return dict(told.items())
    return {float(text): label for text, label in told.items() if NUMBER.fullmatch(text)}


def _of_whole(labels: Mapping[float | str, str]) -> dict[int, str]:
    """Those labels that Stata can keep: of whole numbers of 32 bits, less those that mean missing values."""
    return {
        int(value): label
        for value, label in labels.items()
        if not float(value) % 1 and abs(float(value)) <= _LARGEST_LABELLED
    }


def _codes(codebook: Codebook, attribute: Attribute, truths: tuple[str, str] | None) -> list[Any]:
    """The numeric missing codes, as SPSS is told them: three, or a range that holds no other value."""
    codes = sorted(float(code) for code in _declared(codebook, attribute) if NUMBER.fullmatch(code))
    if len(codes) <= _MOST_CODES:
        return codes
    if isinstance(attribute, Numeric):
        low, high = attribute.minimum, attribute.maximum
    else:
        words = truths or ("0", "1") if attribute.boolean else attribute.categories
        others = [float(word) for word in words if word not in attribute.apart]
        low, high = min(others, default=codes[0]), max(others, default=codes[-1])
    return [{"lo": codes[0], "hi": codes[-1]}] if codes[-1] < low or codes[0] > high else codes[:_MOST_CODES]


def _text_codes(codebook: Codebook, attribute: Attribute) -> list[Any]:
    """The missing codes of a column of texts, as many as SPSS can be told."""
    codes = sorted(_declared(codebook, attribute) - {""})
    return [code for code in codes if len(code.encode()) <= _LONGEST_CODE][:_MOST_CODES]


def _declared(codebook: Codebook, attribute: Attribute) -> set[str]:
    """What means a missing value, told apart or not."""
    apart = () if isinstance(attribute, Numeric) else attribute.apart
    return {*codebook.missing_of(attribute.name), *map(text_of, apart)}


def _has_texts(column: pd.Series) -> bool:
    return any(isinstance(cell, str) for cell in column)


def _lengths(codebook: Codebook) -> dict[str, str]:
    """The columns that are lengths of time, with the format of their texts; SPSS knows no negative ones."""
    return {
        attribute.name: attribute.format
        for attribute in codebook.domain.attributes
        if isinstance(attribute, Numeric) and attribute.kind == "duration" and attribute.minimum >= 0
    }


def _seconds(lengths: pd.Series, pattern: str) -> pd.Series:
    """How many seconds lengths of time have: not a number where one is missing, whatever its code."""
    there = lengths.notna()
    seconds = pd.Series(np.nan, index=lengths.index)
    seconds[there] = read_values(list(map(str, lengths[there])), "duration", pattern)
    return seconds


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
