"""Cells that hold several answers of a list, ``radio;table``: apart, each a column of yes and no, and back.

Forms let people tick several boxes, and many export what was ticked in one cell, a text or a list. In a
codebook each answer is a boolean field of its own that says to which column it belongs (``answerTo``). The
table keeps its own columns; rows that leave hold one cell again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.domain import Categorical, Codes, Domain
from hmpb_core.errors import DomainError
from hmpb_core.texts import text_of

GIVEN, NOT_GIVEN = "true", "false"
IN_LISTS = "; "
"""What stands between two answers where a list is read as a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTo:
    """One answer of those that a column's cells hold.

    Attributes:
        column: The column of the table.
        answer: The answer, as cells write it.
        between: What stands between two answers; blanks around it do not count, unless it is one.
        lists: Whether the cells of a Parquet or Arrow file are lists, which are read as such texts.

    Example:
        >>> tea = AnswerTo(column="drinks", answer="tea", between="; ")
        >>> [tea.mark in bare_cell(cell, tea.sign) for cell in ("coffee; tea", "tea", "teapot;coffee")]
        [True, True, False]
    """

    column: str
    answer: str
    between: str
    lists: bool = False

    @property
    def sign(self) -> str:
        """What parts answers: what stands between them without its blanks, or a blank."""
        return self.between.strip() or " "

    @property
    def mark(self) -> str:
        """The answer between two signs, as ``bare_cell`` has it where it is given."""
        return bare_cell(self.answer, self.sign)

    def to_dict(self) -> dict[str, str | bool]:
        """Give it as a field writes it."""
        how: dict[str, str | bool] = {"lists": True} if self.lists else {"between": self.between}
        return {"column": self.column, "answer": self.answer, **how}


def bare_cell(cell: str, sign: str) -> str:
    """A cell between two signs; one blank on each side of a sign belongs to no answer.

    An answer may hold the sign itself, as in brackets: so it is looked for between signs, and nothing is cut.

    Example:
        >>> bare_cell(" radio ; table", ";")
        ';radio;table;'
    """
    text = cell.strip()
    if sign != " ":
        text = text.replace(f"{sign} ", sign).replace(f" {sign}", sign)
    return f"{sign}{text}{sign}"


def answer_of(entry: Mapping[str, Any]) -> AnswerTo | None:
    """Read to which column the answer of a field belongs; None where it is a column itself.

    Raises:
        DomainError: it does not say so, or the field holds no yes and no.
    """
    told = entry.get("answerTo")
    if told is None:
        return None
    name = entry["name"]
    texts = [told.get(key) for key in ("column", "answer", "between")] if isinstance(told, Mapping) else []
    column, answer, between = [text if isinstance(text, str) else "" for text in texts] or [""] * 3
    lists = isinstance(told, Mapping) and told.get("lists") is True and "between" not in told
    between = IN_LISTS if lists else between
    if not (column and answer.strip() and between):
        raise DomainError(
            "'answerTo' of {name!r} must name its 'column', the 'answer' and what stands 'between' two, or "
            "say that cells are 'lists'.",
            name=name,
        )
    found = AnswerTo(column=column, answer=answer.strip(), between=between, lists=lists)
    if entry.get("type") != "boolean" or found.column == name:
        raise DomainError(
            "{name!r} is an answer of another column, given or not: declare it as 'boolean'.", name=name
        )
    return found


def answers_to(fields: Iterable[Mapping[str, Any]]) -> dict[str, AnswerTo]:
    """Read the answers among fields, by their names.

    Raises:
        DomainError: one does not say whose it is, or holds no yes and no.
    """
    return {entry["name"]: answer for entry in fields if (answer := answer_of(entry)) is not None}


def require_one_way(answers: Mapping[str, AnswerTo], names: Iterable[str]) -> None:
    """Refuse answers of one column that are parted by different signs, or stand beside the column itself.

    Args:
        answers: The answers, by their fields' names.
        names: The names of all published fields.

    Raises:
        DomainError: there are such.
    """
    known = set(names)
    first: dict[str, AnswerTo] = {}
    for name, one in answers.items():
        other = first.setdefault(one.column, one)
        if (other.between, other.lists) != (one.between, one.lists) or one.column in known:
            raise DomainError(
                "The answers of the column {column!r} need one sign between them, and the column itself no "
                "field that is published; correct {name!r}.",
                column=one.column,
                name=name,
            )
    for (name, one), (other_name, other) in itertools.permutations(answers.items(), 2):
        if one.column == other.column and one.mark in other.mark:
            raise DomainError(
                "The answer {other!r} holds the answer {name!r} of the same column, so that no cell tells "
                "which was given; leave one out.",
                other=other_name,
                name=name,
            )


def apart(frame: pd.DataFrame, answers: Mapping[str, AnswerTo]) -> pd.DataFrame:
    """Add a column for each answer to a table, ``true`` where it is given; one that is there stays.

    Where a cell has none of the listed answers all of them are missing: who ticked none and who was not asked
    both leave it empty.

    Args:
        frame: The table; its own columns stay as they are.
        answers: The answers, by the names of their columns.
    """
    there = set(frame.columns)
    new = {name: one for name, one in answers.items() if name not in there and one.column in there}
    if not new:
        return frame
    columns: dict[str, pd.Series] = {}
    for column, sign in dict.fromkeys((one.column, one.sign) for one in new.values()):
        codes, texts = pd.factorize(frame[column].astype(object), use_na_sentinel=True)
        cells = [bare_cell(text_of(text), sign) for text in texts]
        own = {name: one.mark for name, one in new.items() if one.column == column}
        given = np.array([[mark in cell for mark in own.values()] for cell in cells]).reshape(-1, len(own))
        nothing = np.zeros((1, len(own)), dtype=bool)  # of a missing cell, which has the code -1
        given = np.append(given, nothing, axis=0)
        words = np.where(given, GIVEN, NOT_GIVEN).astype(object)
        words[~given.any(axis=1)] = None
        columns |= {name: pd.Series(words[codes, i], index=frame.index) for i, name in enumerate(own)}
    return pd.concat([frame, pd.DataFrame({name: columns[name] for name in new})], axis=1)


def in_whole_cells(codes: Codes, domain: Domain, rng: np.random.Generator) -> Codes:
    """Make the answers of a cell what a cell can hold: all missing, or one given at least.

    A model of pairs knows neither. Where most of a row's answers are missing all are; a row without any is
    given one that a row with several gives up, so that each answer is given as often as was drawn.

    Args:
        codes: Integer codes of shape (rows, attributes).
        domain: Their domain.
        rng: Draws who gives what.
    """
    columns: dict[str, list[int]] = {}
    for index, attribute in enumerate(domain.attributes):
        if isinstance(attribute, Categorical) and attribute.answer_to:
            columns.setdefault(attribute.answer_to, []).append(index)
    if not columns:
        return codes
    codes = codes.copy()
    for own in columns.values():
        nullable = np.array([domain.attributes[index].nullable for index in own])
        cells = codes[:, own]
        missing = nullable & (cells == 2)
        absent = 2 * missing.sum(axis=1) > len(own)
        for place in range(len(own)):
            odd = missing[:, place] & ~absent
            known = cells[~missing[:, place], place]
            cells[odd, place] = rng.choice(known, int(odd.sum())) if len(known) else 0
        given = (cells == 1) & ~absent[:, None]
        _share_out(given, ~absent, rng)
        absent |= ~given.any(axis=1)
        codes[:, own] = np.where(absent[:, None] & nullable, 2, given)
    return codes


def _share_out(given: NDArray[np.bool_], asked: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """Let rows with several answers give one to rows without any, as far as there are such."""
    while True:
        counts = given.sum(axis=1)
        without, several = np.flatnonzero(asked & (counts == 0)), np.flatnonzero(counts > 1)
        most = min(len(without), len(several))
        if not most:
            return
        takers, givers = rng.permutation(without)[:most], rng.permutation(several)[:most]
        answers = np.where(given[givers], rng.random((most, given.shape[1])), -1).argmax(axis=1)
        given[givers, answers], given[takers, answers] = False, True


def together(frame: pd.DataFrame, answers: Mapping[str, AnswerTo], *, in_lists: bool = False) -> pd.DataFrame:
    """Put the answers of each column into one cell again, where its first answer stood; missing without any.

    Args:
        frame: Rows with columns of truth values, as ``decode`` gives them.
        answers: The answers, by the names of their columns.
        in_lists: Whether cells that were lists are lists again, and no texts.
    """
    there = {name: one for name, one in answers.items() if name in frame.columns}
    if not there:
        return frame
    columns: dict[str, pd.Series] = {}
    for name in frame.columns:
        if name not in there:
            columns[name] = frame[name]
        elif there[name].column not in columns:
            own = {key: one for key, one in there.items() if one.column == there[name].column}
            columns[there[name].column] = _joined(frame, own, in_lists=in_lists and there[name].lists)
    return pd.DataFrame(columns, index=frame.index)


def _joined(frame: pd.DataFrame, answers: Mapping[str, AnswerTo], *, in_lists: bool) -> pd.Series:
    """One column's cells; each different set of answers is written once."""
    given = np.column_stack([frame[name].to_numpy(dtype=bool, na_value=False) for name in answers])
    sets, rows = np.unique(np.packbits(given, axis=1), axis=0, return_inverse=True)
    told = np.unpackbits(sets, axis=1, count=given.shape[1]).astype(bool)
    words, between = [one.answer for one in answers.values()], next(iter(answers.values())).between
    own = [list(itertools.compress(words, line)) for line in told]
    cells = np.empty(len(own), dtype=object)
    cells[:] = [(some if in_lists else between.join(some)) if some else None for some in own]
    if in_lists:
        import pyarrow as pa

        lists = pa.array(cells, pa.list_(pa.string())).take(pa.array(rows.ravel()))
        return pd.Series(pd.arrays.ArrowExtensionArray(lists), index=frame.index)
    dtype: Any = pd.StringDtype(na_value=np.nan)
    joined: pd.Series = pd.Series(cells[rows.ravel()], index=frame.index, dtype=dtype)
    return joined
