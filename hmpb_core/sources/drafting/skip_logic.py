"""When a question is asked: the logic of REDCap and ODK, as rules where it is simple.

Understood are comparisons of one question with one value, put together by ``and``, ``or`` and brackets:

    [smoker] = '1' and [age] >= 18 and [meds(2)] = '1'              REDCap
    ${smokes} = 'yes' or selected(${reason}, 'other')               ODK

All parts of an ``and`` must hold, so where one does not the question is missing. A part that asks for a
value is an ``askedIf``. One that asks for another value than some (``<> '0'``) holds where the answer is
missing too: there ``implies`` says where it fails. So it does for an ``or`` over several questions.

The boxes of a question in REDCap hold 0 where it is not asked: one that holds 1 implies the condition, and
that the condition's answers are there.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hmpb_core.errors import Sentence
from hmpb_core.sources.drafting.codebook_entries import Found, number, shown

Rule = dict[str, Any]
Clause = tuple["Atom", ...]

_TOKEN = re.compile(
    r"\s*(?:(?P<column>\$\{[^{}]+\}|\[[^\[\]]+\])|(?P<text>'[^']*'|\"[^\"]*\")|(?P<number>-?\d+(?:\.\d+)?)"
    r"|(?P<mark><>|!=|<=|>=|=|<|>|\(|\)|,)|(?P<word>[A-Za-z_]+))",
    re.ASCII,
)
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
"""Quotes as a word processor sets them."""
_LONGEST, _MOST_CLAUSES, _MOST_RULES = 2000, 16, 8
"""Letters of a logic, parts that it comes to, and rules that one part may need: more is not simple."""
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>", "!=": "!="}
_TESTS = {"<": "below", "<=": "atMost", ">": "above", ">=": "atLeast"}
_FAILS = {"below": "atLeast", "atMost": "above", "above": "atMost", "atLeast": "below"}


class NotSimpleError(ValueError):
    """A logic that is not understood."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A comparison of one column: ``among``, ``not``, a bound of a rule's condition, or ``missing``."""

    column: str
    test: str
    values: tuple[Any, ...]

    @property
    def condition(self) -> Any:
        """Where it holds, as a rule writes it; of ``not`` only where there is a value."""
        value: Any = list(self.values) if len(self.values) > 1 else self.values[0]
        return value if self.test == "among" else {self.test: value}

    @property
    def fails(self) -> list[Any]:
        """Where it does not hold: any of these conditions."""
        if self.test == "missing":
            return [{"missing": not self.values[0]}]
        value = self.condition
        if self.test == "not":
            return [value["not"]]
        return [{"not": value} if self.test == "among" else {_FAILS[self.test]: self.values[0]}, _MISSING]


_MISSING = {"missing": True}


def rules_of(
    question: str, logic: str, column_of: Callable[[str], str | None], *, box: bool = False
) -> list[Rule]:
    """Give the rules that say when a question is asked.

    Args:
        question: The question's column.
        logic: When it is asked.
        column_of: The column of a name in the logic (``smoker``, ``meds(2)``); None where it has none.
        box: Whether the column holds 0, and no missing value, where the question was not asked.

    Raises:
        NotSimpleError: the logic is not understood.

    Example:
        >>> rules_of("cigs", "[smoker] = '1' and [age] >= 18", lambda name: name)
        [{'kind': 'askedIf', 'column': 'cigs', 'if': {'smoker': 1, 'age': {'atLeast': 18}}}]
        >>> rules_of("cigs", "[smoker] <> '0'", lambda name: name)
        [{'kind': 'implies', 'if': {'smoker': 0}, 'then': {'cigs': {'missing': True}}}]
    """
    absent = {question: 0 if box else dict(_MISSING)}
    asked: list[dict[str, Any]] = []
    rules: list[Rule] = []
    for clause in map(_together, _Parser(logic, column_of).clauses()):
        if any(atom.column == question for atom in clause):
            raise NotSimpleError
        if len(clause) == 1 and clause[0].test != "not":
            [atom] = clause
            free = next((one for one in asked if atom.column not in one), None)
            if free is None:
                asked.append(free := {})
            free[atom.column] = atom.condition
            continue
        failures = list(itertools.product(*(atom.fails for atom in clause)))
        columns = [atom.column for atom in clause]
        if len(set(columns)) < len(columns) or len(failures) > _MOST_RULES:
            raise NotSimpleError
        for failure in failures:
            given = dict(zip(columns, failure, strict=True))
            rules.append({"kind": "implies", "if": given, "then": dict(absent)})
    if box:
        sides = [side for given in asked for side in (given, _answered(given)) if side]
        return [{"kind": "implies", "if": {question: 1}, "then": side} for side in sides] + rules
    return [{"kind": "askedIf", "column": question, "if": given} for given in asked] + rules


def _answered(given: Mapping[str, Any]) -> dict[str, Any]:
    """That the answers of a condition are there, which a missing one would leave open."""
    told = [
        column for column, wanted in given.items() if not isinstance(wanted, dict) or "missing" not in wanted
    ]
    return {column: {"missing": False} for column in told}


def add_rules(
    found: Found,
    asked: Sequence[tuple[str, str]],
    column_of: Callable[[str], str | None],
    boxes: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Add the rules that say when questions are asked; name those whose logic is not understood.

    Args:
        found: Gets the rules.
        asked: Questions and their logic.
        column_of: The column of a name in the logic; None where it has none.
        boxes: Of questions with a column for each answer, which hold 0 where it was not given, these.
    """
    unread: dict[str, None] = {}
    for question, logic in asked:
        if not logic.strip():
            continue
        columns = (boxes or {}).get(question)
        try:
            for column in [question] if columns is None else columns:
                rules = rules_of(column, logic, column_of, box=columns is not None)
                found.rules += [rule for rule in rules if rule not in found.rules]
        except NotSimpleError:
            unread[question] = None
    if unread:
        found.remarks.append(
            Sentence(
                "When {names} are to be asked could not be made a rule; write it into 'rules' of the "
                "codebook where it is to hold.",
                {"names": shown(list(unread))},
            )
        )


def _together(clause: Clause) -> Clause:
    """Values of one column of which any will do, as one list."""
    found: dict[Any, Atom] = {}
    for place, atom in enumerate(clause):
        key = atom.column if atom.test == "among" else place
        values = dict.fromkeys((*(found[key].values if key in found else ()), *atom.values))
        found[key] = Atom(atom.column, atom.test, tuple(values))
    return tuple(found.values())


class _Parser:
    """Reads a logic as parts that must all hold, each a number of comparisons of which one must."""

    def __init__(self, logic: str, column_of: Callable[[str], str | None]) -> None:
        self._column_of = column_of
        self._tokens: list[tuple[str, str]] = []
        self._at = 0
        place, logic = 0, logic.translate(_STRAIGHT).strip()
        while place < len(logic):
            found = _TOKEN.match(logic, place)
            if found is None or len(logic) > _LONGEST or logic.count("(") > _MOST_CLAUSES:
                raise NotSimpleError
            self._tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            place = found.end()

    def clauses(self) -> list[Clause]:
        found = self._any()
        if self._at < len(self._tokens):
            raise NotSimpleError
        return found

    def _any(self) -> list[Clause]:
        found = self._all()
        while self._takes("or"):
            other = self._all()
            if len(found) * len(other) > _MOST_CLAUSES:
                raise NotSimpleError
            found = [(*one, *two) for one in found for two in other]
        return found

    def _all(self) -> list[Clause]:
        found = self._one()
        while self._takes("and"):
            found = [*found, *self._one()]
        return found

    def _one(self) -> list[Clause]:
        if self._takes("("):
            found = self._any()
            self._need(")")
            return found
        if self._takes("selected"):
            self._need("(")
            name = self._name()
            self._need(",")
            value = self._value()
            self._need(")")
            if (answer := self._column_of(f"{name}({value})")) is not None:
                return [(_atom(answer, "=", 1),)]
            return [(_atom(self._known(name), "=", value),)]
        turned = self._kind() in ("text", "number")
        left = self._value() if turned else self._column()
        mark = self._next("mark")
        if mark not in _TURNED:
            raise NotSimpleError
        column, value = (self._column(), left) if turned else (left, self._value())
        return [(_atom(column, _TURNED[mark] if turned else mark, value),)]

    def _name(self) -> str:
        return self._next("column").strip("${}[]").strip()

    def _column(self) -> str:
        return self._known(self._name())

    def _known(self, name: str) -> str:
        column = self._column_of(name)
        if column is None:
            raise NotSimpleError
        return column

    def _value(self) -> Any:
        kind = self._kind()
        if kind not in ("text", "number"):
            raise NotSimpleError
        text = self._next(kind)
        return number(text[1:-1].strip() if kind == "text" else text)

    def _kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _next(self, kind: str) -> str:
        if self._kind() != kind:
            raise NotSimpleError
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _takes(self, text: str) -> bool:
        there = self._kind() in ("word", "mark") and self._tokens[self._at][1].lower() == text
        self._at += there
        return there

    def _need(self, text: str) -> None:
        if not self._takes(text):
            raise NotSimpleError


def _atom(column: str, mark: str, value: Any) -> Atom:
    if mark in _TESTS:
        if isinstance(value, str):
            raise NotSimpleError
        return Atom(column, _TESTS[mark], (value,))
    if value == "":
        return Atom(column, "missing", (mark == "=",))
    return Atom(column, "among" if mark == "=" else "not", (value,))
