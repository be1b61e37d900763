"""Public rules in words, read off what a codebook writes: for a bundle's readers and for the steward."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hmpb_core.catalogue import Words
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Scalar
from hmpb_core.rules.conditions import Condition
from hmpb_core.texts import text_of

Written = Mapping[str, Any]
SHOWN_PAIRS = 4
SHOWN_VALUES = 12
SHOWN_COLUMNS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWriter:
    """Writes rules for one kind of place.

    Attributes:
        words: The words of the reader's language.
        name: Writes the name of a column, in bold letters for instance.
        value: Writes a value.
    """

    words: Words
    name: Callable[[str], str] = str
    value: Callable[[str], str] = str

    def __call__(self, *rules: Written) -> str:
        """Say a rule of a codebook, or several that ``asked_alike`` put together.

        Example:
            >>> from hmpb_core.publishing.words.catalogue import ENGLISH
            >>> RuleWriter(words=ENGLISH)({"kind": "sum", "column": "total", "parts": ["net", "tax"]})
            'total = net + tax.'
        """
        rule, kind = rules[0], str(rules[0]["kind"])
        told: dict[str, str] = {}
        if kind in ("implies", "forbidden", "askedIf"):
            told = {
                side: self._all(rule[key]) for side, key in (("given", "if"), ("then", "then")) if key in rule
            }
        if kind == "askedIf":
            told["columns"] = self._cut([self.name(str(one["column"])) for one in rules], SHOWN_COLUMNS)
            kind = "asked_alike" if len(rules) > 1 else kind
        elif kind == "ascending":
            told["columns"] = " ≤ ".join(map(self.name, rule["columns"]))
        elif kind == "sum":
            told["parts"] = " + ".join(map(self.name, rule["parts"]))
            kind = "sum_of_known" if rule.get("missingIsZero") else kind
        elif kind == "follows" and rule.get("values"):
            kind = "follows_pairs"
            told["pairs"] = self._pairs(rule["values"], SHOWN_PAIRS)
        elif kind == "computed":
            told["formula"] = self.value(str(rule["formula"]))
            kind = f"computed_{rule.get('rounded', 'nearest')}"
        elif kind == "bandOf":
            told["bands"] = self._pairs(rule["values"], SHOWN_VALUES)
        elif kind == "partOf":
            told["part"] = self.words(f"rules.part.{rule['part']}")
        elif kind == "timeBetween":
            told["unit"] = self.words(f"rules.unit.{rule['unit']}")
            kind = f"time_{rule.get('rounded', 'down')}"
        for hole in ("column", "from", "to", "of"):
            if hole in rule:
                told[hole] = self.name(str(rule[hole]))
        return self.words(f"rules.{kind}", **told)

    def _pairs(self, values: Written, most: int) -> str:
        return self._cut([f"{self._value(of)} → {self._value(value)}" for of, value in values.items()], most)

    def _all(self, conditions: Written) -> str:
        return self.words("rules.and").join(
            self._one(column, wanted) for column, wanted in conditions.items()
        )

    def _one(self, column: str, wanted: object) -> str:
        test, values = test_of(wanted)
        shown = self._cut(list(map(self._value, values)), SHOWN_VALUES)
        return self.words(f"rules.{test}", column=self.name(column), values=shown)

    def _value(self, value: object) -> str:
        return self.value(text_of(value))

    def _cut(self, texts: Sequence[str], most: int) -> str:
        """List the first texts, and how many more there are."""
        shown = self.words.row(texts[:most])
        return self.words("more", shown=shown, more=len(texts) - most) if len(texts) > most else shown


def test_of(wanted: object) -> tuple[str, tuple[Scalar, ...]]:
    """What a condition of a codebook asks, ``present`` for not missing, and the values that it names.

    Raises:
        DomainError: it is no condition.
    """
    condition = Condition.read("", wanted)
    if condition.test == "missing":
        return ("missing" if condition.values[0] else "present"), ()
    return condition.test, condition.values


def asked_alike(rules: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Put together the questions that hang on the same answers, dozens in a survey; others stay alone."""
    alike: dict[str, list[dict[str, Any]]] = {}
    for rule in rules:
        asked = rule["if"] if rule["kind"] == "askedIf" else rule
        alike.setdefault(json.dumps(asked), []).append(rule)
    return list(alike.values())


def rules_told(codebook: Codebook, words: Words) -> list[str]:
    """Say what every row of a release keeps, a line each."""
    writer = RuleWriter(words=words)
    return [writer(*rules) for rules in asked_alike(rule.to_dict() for rule in codebook.rules.items)]
