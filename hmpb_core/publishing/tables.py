"""Rows as files: csv that a spreadsheet opens without running anything, and Parquet."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.amounts import NumberForm
from hmpb_core.categories import BOOLEANS
from hmpb_core.codebook import Codebook
from hmpb_core.codebook_fields import BARE, SHORTEST
from hmpb_core.dialect import PLAIN, CsvDialect
from hmpb_core.domain import Attribute, Categorical, Scalar
from hmpb_core.encoding import encode_values
from hmpb_core.several_answers import AnswerTo, together

_TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet read a text as a formula [OWASP, CSV injection]."""
_SIGNS = re.compile(r"[-+/](?: *[-+/])*")
_RUNS_NOTHING = re.compile(r"-|[+-]?\d+([.,]\d+)?", re.ASCII)
"""Missing codes that a spreadsheet takes for what they are: a dash, and numbers."""
_LENGTH = re.compile(r"-(\d+:\d\d(:\d\d(\.\d+)?)?|P[0-9DTHMSW.]+|\d+ days [+0-9:.]+|[\w ,.]+)", re.ASCII)
"""Lengths of time below zero, as the package writes them: they run nothing either."""


def harmless(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run. Numbers stay as they are.

    A plus or minus alone, as of a test's results or of a date that is none (-  -), runs nothing.

    Example:
        >>> harmless("=1+1"), harmless("a=b"), harmless(-3), harmless("+")
        ("'=1+1", 'a=b', -3, '+')
    """
    if not isinstance(value, str) or _SIGNS.fullmatch(value):
        return value
    return f"'{value}" if value.lstrip(" ").startswith(_TRIGGERS) else value


def harmless_categories(attribute: Categorical) -> list[Scalar]:
    """The categories as the csv file writes them."""
    texts = any(isinstance(category, str) for category in attribute.categories)
    plain = _codes_that_run_nothing(attribute)
    return [c if not texts else str(c) if str(c) in plain else harmless(str(c)) for c in attribute.categories]


def _codes_that_run_nothing(attribute: Categorical) -> frozenset[str]:
    """The codes for missing values, told apart, that leave as they are whatever they begin with: -9."""
    return frozenset(code for code in map(str, attribute.apart) if _is_safe(code))


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvForm:
    """How rows are written as csv: a codebook's dialect, and how its columns write numbers and truth values.

    Attributes:
        dialect: What the file is written with.
        numbers: Columns whose numbers are written otherwise than Python writes them (``Codebook.written``).
        truths: What a truth column says for false and for true.
        missing: What columns hold where a value is missing; the others hold nothing there.
        plain: Texts of columns that leave as they are whatever they begin with: codes and lengths of time.
        answers: Columns whose truth values stand together in one cell.
    """

    dialect: CsvDialect = PLAIN
    numbers: Mapping[str, str | int] = field(default_factory=dict)
    truths: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    plain: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    answers: Mapping[str, AnswerTo] = field(default_factory=dict)

    def amounts(self, name: str) -> NumberForm | None:
        """How a column writes amounts; None for one without a sign of money or marked thousands."""
        return _amounts(self.numbers.get(name), self.dialect.decimal)

    @classmethod
    def of(cls, codebook: Codebook) -> CsvForm:
        """Take it from a codebook; in UTF-8 where the dialect's encoding lacks a character that may occur."""
        answers, codebook = codebook.answers, codebook.in_whole_columns()
        domain = codebook.domain
        listed = [a for a in domain.attributes if isinstance(a, Categorical)]
        texts = [str(category) for attribute in listed for category in attribute.categories]
        texts += [text for form in codebook.rules.identifiers for text in (form.name, form.pattern)]
        missing = {name: code for name in domain.names if (code := missing_code(codebook, name))}
        truths = {a.name: _first_words(a) for a in listed if a.boolean and not _is_unsaid(a)}
        texts += [word for words in truths.values() for word in words]
        return cls(
            dialect=codebook.dialect.able([*texts, *domain.names, *missing.values()]),
            numbers=codebook.written,
            truths=truths,
            missing=missing,
            plain={a.name: found for a in domain.attributes if (found := _plain(a)) is not None},
            answers=answers,
        )


def _plain(attribute: Attribute) -> re.Pattern[str] | None:
    if isinstance(attribute, Categorical):
        codes = _codes_that_run_nothing(attribute)
        return re.compile("|".join(map(re.escape, sorted(codes)))) if codes else None
    return _LENGTH if attribute.kind == "duration" else None


PLAIN_FORM = CsvForm()


def _is_unsaid(attribute: Categorical) -> bool:
    """Whether a truth column's words are the usual ones in their usual order: it leaves as True and False."""
    return attribute.spellings[0][0] == BOOLEANS["false"][0] and len(attribute.spellings) > 2


def _first_words(attribute: Categorical) -> tuple[str, str]:
    first = {said: text for text, said in reversed(attribute.spellings)}
    false, true = (text if _is_safe(text) else harmless(text) for text in (first["false"], first["true"]))
    return false, true


def missing_code(codebook: Codebook, name: str) -> str:
    """What a column holds where a value is missing: the first text that means one; empty where it holds none.

    One that is a category, too, would be read as that; one that a spreadsheet would run is not written.
    """
    attribute = codebook.domain.attributes[codebook.domain.index(name)]
    code = next(iter(codebook.missing_codes.get(name, codebook.missing_values)), "")
    if not attribute.nullable or name in codebook.apart or not _is_safe(code):
        return ""
    if isinstance(attribute, Categorical):
        plain = replace(attribute, nullable=False, unknown=None)
        known = encode_values(np.array([code], dtype=object), plain, frozenset())[0] >= 0
        return "" if known else code
    return code


def _is_safe(code: str) -> bool:
    """Whether a spreadsheet takes a missing code for what it is: a number, a dash or a plain text."""
    return harmless(code) == code or _RUNS_NOTHING.fullmatch(code) is not None


def csv_of(frame: pd.DataFrame, form: CsvForm = PLAIN_FORM) -> bytes:
    """Write rows as csv: missing values by their columns' code or empty, formulas neutralised, headers too.

    Every csv file that leaves the package is written here.

    Args:
        frame: The rows.
        form: How they are written; UTF-8 with commas and decimal points unless given.
    """
    dialect, frame = form.dialect, together(frame, form.answers)
    columns = {}
    for place, name in enumerate(frame.columns):
        columns[place] = column = frame.iloc[:, place]
        texts = _texts(column, str(name), form)
        if texts is not None:  # as objects, which pandas would not keep in a column that is put in later
            columns[place] = pd.Series(texts, index=frame.index, dtype=object)
    safe = pd.DataFrame(columns, copy=False)
    safe.columns = pd.Index([harmless(name) for name in frame.columns], dtype=object)
    text = safe.to_csv(
        index=False,
        lineterminator=dialect.lines,
        sep=dialect.delimiter,
        quoting=csv.QUOTE_NONNUMERIC if dialect.quotes else csv.QUOTE_MINIMAL,
        na_rep=_Bare("") if dialect.quotes else "",
    )
    try:
        return text.encode(dialect.encoding)
    except UnicodeEncodeError:  # a label of anonymized values; what a codebook declares was tried before
        return text.encode()


class _Bare(str):
    """A text that csv files hold without quotes where texts have them: a number, or a missing value."""

    __slots__ = ()

    def __float__(self) -> float:
        """Be a number to the csv writer."""
        return math.nan


def _texts(column: pd.Series, name: str, form: CsvForm) -> NDArray[np.object_] | None:
    """A column's texts, None where one is missing without a code; None for one that pandas writes right."""
    kind, missing, texts = column.dtype, form.missing.get(name), None
    bare: Callable[[str], str] = _Bare if form.dialect.quotes else str
    if pd.api.types.is_bool_dtype(kind) and name in form.truths:
        usual = all(
            word in BOOLEANS[said] for said, word in zip(BOOLEANS, form.truths[name][::-1], strict=True)
        )
        words = np.array([*map(bare if usual else str, form.truths[name]), None], dtype=object)
        texts = words[column.astype("boolean").astype("Int8").fillna(2).to_numpy(int)]
    elif pd.api.types.is_any_real_numeric_dtype(kind) and (
        _amounts(form.numbers.get(name), form.dialect.decimal)
        or (
            pd.api.types.is_float_dtype(kind)
            and (name in form.numbers or form.dialect.decimal != "." or missing is not None)
        )
    ):
        texts = _number_texts(column, form.numbers.get(name), form.dialect.decimal, bare)
    elif not pd.api.types.is_numeric_dtype(kind):
        plain = form.plain.get(name)

        def written(text: Any) -> Any:
            return text if plain is not None and plain.fullmatch(str(text)) else harmless(text)

        if isinstance(kind, pd.StringDtype):  # each different text is looked at once
            codes, values = pd.factorize(column, use_na_sentinel=True)
            texts = np.array([*map(written, values), None], dtype=object)[codes]
        else:
            texts = column.astype(object).map(written, na_action="ignore").to_numpy()
    elif missing is not None and column.hasnans:
        texts = column.astype(object).to_numpy()
    if missing is not None and texts is not None:
        known = bare if missing == "NA" or pd.api.types.is_numeric_dtype(kind) else str
        texts = np.where(pd.isna(texts), np.array(known(missing), dtype=object), texts)
    return texts


def _number_texts(
    column: pd.Series, form: str | int | None, decimal: str, bare: Callable[[str], str]
) -> NDArray[np.object_]:
    """Numbers as texts, each different one written once; None where one is missing."""
    codes, values = pd.factorize(column.to_numpy(dtype=float, na_value=np.nan), use_na_sentinel=True)
    amounts = _amounts(form, decimal)
    if amounts is not None:
        texts = [bare(amounts.text(value)) for value in values.tolist()]
    else:
        texts = [bare(_number_text(value, form).replace(".", decimal)) for value in values.tolist()]
    return np.array([*texts, None], dtype=object)[codes]


def _number_text(value: float, form: str | int | None) -> str:
    if isinstance(form, str) and form in BARE:
        text = _number_text(value, BARE[form])
        return text.replace("0.", ".", 1) if abs(value) < 1 else text
    if isinstance(form, int):
        return f"{value:.{form}f}"
    return str(int(value)) if form == SHORTEST and value.is_integer() else repr(value)


def _amounts(form: str | int | None, decimal: str) -> NumberForm | None:
    """A form with a sign of money or marked thousands; None for the others.

    What shows no decimals and no thousands, as 1234 lt, has the file's decimal mark.
    """
    found = NumberForm.of(form) if isinstance(form, str) else None
    untold = found is not None and found.decimals is None and not found.group
    return replace(found, point=decimal) if found is not None and untold else found


def as_meant(frame: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """Read a csv file of this package back: takes the apostrophes away that ``csv_of`` put before formulas.

    Only names and categories of the codebook are put back; every other text stays as it is.

    Args:
        frame: The file's rows, as texts.
        codebook: The codebook it was written by.
    """
    domain = codebook.in_whole_columns().domain
    names = _meant(domain.names)
    frame = frame.rename(columns=names)
    for attribute in domain.attributes:
        if isinstance(attribute, Categorical) and attribute.name in frame.columns:
            texts = _meant((*attribute.categories, *(text for text, _ in attribute.spellings)))
            if texts:
                column = frame[attribute.name].astype(object)
                frame[attribute.name] = column.map(lambda value, texts=texts: texts.get(value, value))
    for name in {one.column for one in codebook.answers.values()} & set(frame.columns):
        frame[name] = frame[name].astype(object).map(_meant_cell)
    return frame


def _meant_cell(value: Any) -> Any:
    """A cell of several answers without the apostrophe that stands before one that would be run."""
    bare = value[1:] if isinstance(value, str) and value.startswith("'") else value
    return bare if harmless(bare) == value else value


def _meant(texts: Iterable[Scalar]) -> dict[str, str]:
    """What stands in a csv file for each text that is written otherwise there."""
    known = [str(text) for text in texts]
    return {harmless(text): text for text in known if harmless(text) != text and harmless(text) not in known}
