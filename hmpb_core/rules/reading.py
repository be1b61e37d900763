"""How rules see a table: a column as texts or as numbers, read once; and what each code may mean."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.categories import Coder
from hmpb_core.dates import read_value
from hmpb_core.domain import EDGE, Attribute, Categorical, Numeric, Scalar
from hmpb_core.moments import read_values
from hmpb_core.texts import are_words, is_code, plain_number, text_of

if TYPE_CHECKING:
    import pyarrow as pa

_DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_EMPTY = frozenset({""})
_NONE: Mapping[str, frozenset[str]] = {}
SINGLE = 2.0**-23
"""Part of its size by which a number that was worked out in 32 bits may be off."""


def number_of(value: Scalar, attribute: Attribute | None = None) -> float:
    """Read a number, or a date or time in days; not a number where it is neither.

    Args:
        value: The value.
        attribute: What it is a value of: a date is read as its format says, a time or duration in
            seconds. Elsewhere dates are ISO 8601.

    Example:
        >>> number_of("1970-01-03") - number_of("1970-01-01"), number_of(" 2.5 ")
        (2.0, 2.5)
    """
    text = text_of(value)
    if isinstance(attribute, Numeric) and attribute.kind != "number":
        return read_number(text, attribute) / unit_of(attribute)
    try:
        number = float(text)
    except ValueError:
        return _day_of(text)
    return number if math.isfinite(number) else math.nan


def is_single(attribute: Attribute | None) -> bool:
    """Whether a column holds numbers of 32 bits."""
    return isinstance(attribute, Numeric) and attribute.digits > 0


def is_number(text: str) -> bool:
    """Whether a text is a number, and not a date.

    Example:
        >>> is_number("-2.5"), is_number("1970-01-03")
        (True, False)
    """
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_number(value: Scalar, attribute: Numeric) -> float:
    """Read a number in the attribute's own unit, that of its bounds; not a number where it is none."""
    read = read_value(text_of(value), attribute.kind, attribute.format)
    return math.nan if read is None else read


def _day_of(text: str) -> float:
    try:
        if len(text) <= len("2000-01-01"):
            return float(date.fromisoformat(text).toordinal() - _EPOCH)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return moment.toordinal() - _EPOCH + seconds / _DAY


def meaning(value: object, attribute: Attribute | None, missing: Collection[str] = frozenset()) -> str | None:
    """Give the text of the category that a value means, however it is written; of others its own text.

    Args:
        value: A value of a table or of a rule.
        attribute: What it is a value of.
        missing: Texts that mean a missing value.

    Returns:
        The text; None for a missing value.

    Example:
        >>> from hmpb_core.domain import Categorical
        >>> smokes = Categorical(name="smokes", categories=("false", "true"), boolean=True,
        ...                      spellings=(("nein", "false"), ("ja", "true")))
        >>> meaning("ja", smokes), meaning(True, smokes), meaning(3.0, None)
        ('true', 'true', '3')
    """
    return meanings([value], attribute, missing)[0]


def meanings(
    values: Sequence[object], attribute: Attribute | None, missing: Collection[str] = frozenset()
) -> list[str | None]:
    """Give the text of the category that each value means, as ``meaning`` does of one."""
    if not isinstance(attribute, Categorical):
        written = [text_of(value) for value in values]
        texts = written if attribute is None or not attribute.digits else _settled(written, attribute)
        pairs = zip(written, texts, strict=True)
        return [_plain(text, attribute, missing, settled) for text, settled in pairs]
    return _texts_meant(values, Coder(attribute, missing), missing)


def _texts_meant(values: Sequence[object], coder: Coder, missing: Collection[str]) -> list[str | None]:
    found: list[str | None] = []
    for value, code in zip(values, coder.codes(values).tolist(), strict=True):
        if 0 <= code < len(coder.texts):
            found.append(coder.texts[code])
        else:
            found.append(None if code >= 0 or is_code(text_of(value), missing) else text_of(value))
    return found


def _plain(text: str, attribute: Numeric | None, missing: Collection[str], settled: str) -> str | None:
    plain = plain_number(text)
    if text in missing or plain in missing:
        return None
    if attribute is None or attribute.kind != "number":
        return text
    return plain_number(settled) if attribute.digits else plain


def _settled(texts: Sequence[str], attribute: Numeric) -> list[str]:
    """Numbers of single precision as they were before: 6.2 for 6.199999809265137."""
    numbers = np.array([number_of(text, attribute) for text in texts], dtype=float)
    settled = attribute.grid.settled(numbers).tolist()
    return [
        text if math.isnan(number) else text_of(number) for text, number in zip(texts, settled, strict=True)
    ]


def absent_texts(attribute: Attribute | None) -> frozenset[str]:
    """The texts of the categories that stand for a missing value."""
    return frozenset(map(text_of, attribute.apart)) if isinstance(attribute, Categorical) else frozenset()


def numbered(attribute: Categorical) -> dict[int, Scalar]:
    """The categories that are whole numbers, by these, or may be written as one.

    Example:
        >>> from hmpb_core.domain import Categorical
        >>> numbered(Categorical(name="month", categories=("08", "all")))
        {8: '08'}
        >>> numbered(Categorical(name="day", categories=("Mon", "Tue"), spellings=(("1", "Mon"),)))
        {1: 'Mon'}
    """
    absent = absent_texts(attribute)
    categories = {text_of(category): category for category in attribute.categories}
    texts = [(text, text) for text in categories]
    spelled = [(str(text), text_of(category)) for text, category in attribute.spellings]
    written = texts if any(text.isdecimal() for text in categories) else spelled
    return {int(text): categories[of] for text, of in written if text.isdecimal() and of not in absent}


class View:
    """A table as rules read it. A missing value is None as a text and not a number as a number.

    Args:
        frame: The table; values may be texts or typed.
        attributes: What its columns are.
        missing: Texts that mean a missing value, by column; an empty text alone where none are named.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        attributes: Mapping[str, Attribute],
        missing: Mapping[str, frozenset[str]] = _NONE,
    ) -> None:
        self.frame = frame
        self.attributes = attributes
        self._missing = missing
        self._read: dict[str, tuple[NDArray[np.intp], NDArray[np.object_]]] = {}
        self._numbers: dict[str, NDArray[np.float64]] = {}
        self._coders: dict[str, Coder] = {}

    def __len__(self) -> int:
        return len(self.frame)

    def put(self, name: str, values: pd.Series) -> None:
        """Give a column other values."""
        self.frame[name] = values
        self._read.pop(name, None)
        self._numbers.pop(name, None)

    def parts(self, name: str) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
        """For each row the place of its text, and the texts, the last one None."""
        if name not in self._read:
            column = self.frame[name]
            if isinstance(column.dtype, pd.CategoricalDtype):
                column = column.astype(object)
            places, values = pd.factorize(column, use_na_sentinel=True)
            missing = self._missing.get(name, _EMPTY) | _EMPTY
            read = meanings(list(values), self.attributes.get(name), missing)
            self._read[name] = places, np.array([*read, None], dtype=object)
        return self._read[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The column's numbers."""
        if name not in self._numbers:
            attribute, numbers = self.attributes.get(name), self._plain(name)
            if isinstance(attribute, Numeric) and (dates := self._dates(name)) is not None:
                numbers = read_values(dates, attribute.kind, attribute.format) / unit_of(attribute)
            if numbers is None:
                places, texts = self.parts(name)
                absent = {None, *absent_texts(self.attributes.get(name))}
                read = [math.nan if text in absent else self.number(name, text) for text in texts]
                numbers = np.array(read)[places]
            if isinstance(attribute, Numeric) and attribute.kind == "number" and attribute.on_grid:
                numbers = attribute.grid.settled(numbers)
            self._numbers[name] = numbers
        return self._numbers[name]

    def counted(self, name: str) -> NDArray[np.float64]:
        """The column's numbers; of a list the whole ones that its categories stand for."""
        attribute = self.attributes.get(name)
        if not isinstance(attribute, Categorical):
            return self.numbers(name)
        places, texts = self.parts(name)
        known = {text_of(category): number for number, category in numbered(attribute).items()}
        return np.array([known.get(text, math.nan) for text in texts])[places]

    def beginning(self, rows: int) -> View:
        """The same table's first rows."""
        return View(self.frame[:rows], self.attributes, self._missing)

    def number(self, name: str, value: Scalar) -> float:
        """Read a number as the column's are."""
        return number_of(value, self.attributes.get(name))

    def present(self, name: str) -> NDArray[np.bool_]:
        """Whether each row has a value, and no code for a missing one."""
        if isinstance(self.attributes.get(name), Numeric) and (numbers := self._plain(name)) is not None:
            return ~np.isnan(numbers)
        if (dates := self._dates(name)) is not None:
            known: NDArray[np.bool_] = dates.is_valid().to_numpy(zero_copy_only=False)
            return known
        places, texts = self.parts(name)
        absent = absent_texts(self.attributes.get(name))
        return np.array([text is not None and text not in absent for text in texts])[places]

    def among(self, name: str, values: Iterable[Scalar]) -> NDArray[np.bool_]:
        """Whether each row's value is one of these."""
        attribute = self.attributes.get(name)
        if isinstance(attribute, Numeric) and attribute.kind == "number" and not attribute.digits:
            numbers = self._plain(name)
            if numbers is not None:
                return np.isin(numbers, [number_of(value) for value in values])
        places, texts = self.parts(name)
        wanted = set(self._meant(name, tuple(values))) - {None}
        return np.array([text in wanted for text in texts])[places]

    def _meant(self, name: str, values: Sequence[Scalar]) -> list[str | None]:
        """The texts that values of a rule mean in a column."""
        attribute = self.attributes.get(name)
        if not isinstance(attribute, Categorical):
            return meanings(values, attribute)
        if name not in self._coders:  # of a long list each of many rules' cases asks
            self._coders[name] = Coder(attribute, frozenset())
        return _texts_meant(values, self._coders[name], frozenset())

    def _dates(self, name: str) -> pa.Array | None:
        """The texts of a column of dates or moments, null where one is missing; None of other columns."""
        import pyarrow as pa
        import pyarrow.compute as pc

        attribute, column = self.attributes.get(name), self.frame[name]
        missing = self._missing.get(name, _EMPTY) | _EMPTY
        if not (isinstance(attribute, Numeric) and attribute.kind in ("date", "datetime")):
            return None
        if not isinstance(column.dtype, pd.StringDtype) or not are_words(missing):
            return None
        texts = pc.utf8_trim_whitespace(pa.array(column, pa.large_string(), from_pandas=True))
        absent = pc.is_in(texts, value_set=pa.array(sorted(missing), pa.large_string()))
        return pc.if_else(absent, None, texts)

    def _plain(self, name: str) -> NDArray[np.float64] | None:
        """The column's numbers as they are; None of texts, and where one may stand for a missing value."""
        column = self.frame[name]
        marked = self._missing.get(name, _EMPTY) - _EMPTY and column.dtype.kind in "iuf"
        if (
            marked
            or absent_texts(self.attributes.get(name))
            or not pd.api.types.is_numeric_dtype(column.dtype)
        ):
            return None
        return column.to_numpy(dtype=float, na_value=math.nan)


def ranges_of(attribute: Attribute) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest number that each code can be decoded to; not a number for a missing value.

    Args:
        attribute: A number's bins span a range; a category is one number, or none.
    """
    if isinstance(attribute, Numeric):
        low, high = _ends(attribute)
        low, high = low / unit_of(attribute), high / unit_of(attribute)
    else:
        absent = absent_texts(attribute)
        low = high = np.array(
            [math.nan if text_of(c) in absent else number_of(c) for c in attribute.categories]
        )
    if attribute.nullable:
        low, high = np.append(low, math.nan), np.append(high, math.nan)
    return low, high


def _ends(attribute: Numeric) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if attribute.since is not None and attribute.pieces is not None:  # any date may follow
        low, high = (np.full(attribute.n_bins, end) for end in (attribute.minimum, attribute.maximum))
        return low, high
    if attribute.pieces is not None:
        bounds = attribute.pieces.bounds
        return attribute.grid.values(bounds[:-1]), attribute.grid.values(bounds[1:] - 1)
    edges = np.array(attribute.bin_edges, dtype=np.float64)
    edges[-1] = attribute.maximum
    low, high = edges[:-1], edges[1:]
    if not attribute.on_grid and attribute.kind == "number":
        return low, high
    grid = attribute.grid  # a value at an edge, but for rounding, is in the bin above it
    first = np.append(grid.first_from(low - EDGE * attribute.width), grid.size)
    some = first[1:] > first[:-1]  # elsewhere a bin lies between two values of the grid
    least, most = (grid.values(places.clip(0, grid.size - 1)) for places in (first[:-1], first[1:] - 1))
    return np.where(some, least, low), np.where(some, most, high)


def unit_of(attribute: Numeric) -> float:
    """Give what a day is in an attribute's own unit, where it is not 1: moments are compared with days."""
    return _DAY if attribute.kind == "datetime" else 1.0
