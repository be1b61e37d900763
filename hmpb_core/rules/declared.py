"""The rules of a codebook: its property ``rules``, a list of objects, each of a ``kind``.

    follows      {"kind": "follows", "column": "education-num", "from": "education", "values": {"HS-grad": 9}}
    equal        {"kind": "equal", "column": "screened again", "to": "screened"}
    bandOf       {"kind": "bandOf", "column": "group", "of": "age", "values": {"0": "child", "18": "adult"}}
    partOf       {"kind": "partOf", "column": "year", "of": "admitted", "part": "year"}
    ascending    {"kind": "ascending", "columns": ["admitted", "discharged"]}
    sum          {"kind": "sum", "column": "total", "parts": ["wages", "other"]}
    computed     {"kind": "computed", "column": "bmi", "formula": "weight / (height / 100) ^ 2"}
    timeBetween  {"kind": "timeBetween", "column": "stay", "from": "admitted", "to": "left", "unit": "days"}
    implies      {"kind": "implies", "if": {"age": {"below": 15}}, "then": {"marital": "never married"}}
    forbidden    {"kind": "forbidden", "if": {"sex": "male", "pregnant": "yes"}}
    nonNegative  {"kind": "nonNegative", "column": "wages"}
    askedIf      {"kind": "askedIf", "column": "hours", "if": {"works": "yes"}}

A condition is a value, a list of values, ``{"not": [...]}``, a bound (``below``, ``atMost``, ``above``,
``atLeast``) or ``{"missing": true}``. Without ``values`` a column follows by a mapping that nobody listed. Of
a ``sum`` with ``"missingIsZero": true`` missing parts count as 0.

Beside that a rule may say where it comes from, by ``source`` and ``declared`` as a field does
(``provenance.py``): one that was read off the rows is a guess until somebody declares it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from hmpb_core.domain import Domain
from hmpb_core.errors import DomainError
from hmpb_core.provenance import Origin, Provenance, provenance_of
from hmpb_core.rules.bands import BandOf
from hmpb_core.rules.between import ROUNDINGS, UNITS, TimeBetween, settled
from hmpb_core.rules.computed import ROUNDED, Computed, solved
from hmpb_core.rules.conditions import Conditions
from hmpb_core.rules.consistency import Row, require_consistent
from hmpb_core.rules.deciding import Equal, Follows, Sum
from hmpb_core.rules.formulas import Formula
from hmpb_core.rules.identifiers import IdentifierFormat
from hmpb_core.rules.kinds import Ascending, AskedIf, Attributes, Implies, NonNegative, Rule
from hmpb_core.rules.parts import PARTS, PartOf
from hmpb_core.rules.reading import View
from hmpb_core.texts import text_of

Written = Mapping[str, Any]
Word = TypeVar("Word", bound=str)
_KEYS = {
    "follows": ("column", "from"),
    "equal": ("column", "to"),
    "bandOf": ("column", "of", "values"),
    "partOf": ("column", "of", "part"),
    "ascending": ("columns",),
    "sum": ("column", "parts"),
    "computed": ("column", "formula"),
    "timeBetween": ("column", "from", "to", "unit"),
    "implies": ("if", "then"),
    "forbidden": ("if",),
    "nonNegative": ("column",),
    "askedIf": ("column", "if"),
}
"""What each kind needs."""
_OPTIONAL = {
    "follows": ("values",),
    "sum": ("missingIsZero",),
    "computed": ("rounded",),
    "timeBetween": ("rounded",),
}
_OF_SOURCE = ("source", "declared")
KINDS = tuple(_KEYS)
MOST_RULES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules that can all hold.

    Attributes:
        items: The rules, in the order in which they are declared.
        witnesses: For each group of rules that share columns, values of these columns that keep them.
        attributes: The attributes that they speak of, by name.
        identifiers: Columns whose values are made up anew, unique, in a declared format.
        sources: Where each rule comes from; typed by the steward unless said otherwise.

    Example:
        >>> from hmpb_core.domain import Categorical, Numeric
        >>> domain = Domain((Numeric(name="age", minimum=0, maximum=99, integer=True),
        ...                  Categorical(name="marital", categories=("never married", "married"))))
        >>> rules = Rules.read([{"kind": "implies", "if": {"age": {"below": 15}},
        ...                      "then": {"marital": "never married"}}], domain)
        >>> table = pd.DataFrame({"age": [9, 9, 40], "marital": ["married", "never married", "married"]})
        >>> [int(count) for count in rules.broken_rows(table)]
        [1]
    """

    items: tuple[Rule, ...] = ()
    witnesses: tuple[Row, ...] = field(default=(), repr=False, compare=False)
    attributes: Attributes = field(default_factory=dict, repr=False, compare=False)
    identifiers: tuple[IdentifierFormat, ...] = ()
    sources: tuple[Provenance, ...] = ()

    def __post_init__(self) -> None:
        unsaid = (Provenance(),) * (len(self.items) - len(self.sources))
        object.__setattr__(self, "sources", (*self.sources, *unsaid))

    @property
    def undeclared(self) -> tuple[Rule, ...]:
        """The rules that were read off the rows and that nobody has declared."""
        return tuple(rule for rule, source in self._sourced if not source.public)

    @property
    def _sourced(self) -> Iterable[tuple[Rule, Provenance]]:
        return zip(self.items, self.sources, strict=True)

    @property
    def redraw(self) -> bool:
        """Whether rows are drawn again where they break one: other columns decide no column of it."""
        return any(rule.target is None for rule in self.items)

    @classmethod
    def read(cls, entries: Any, domain: Domain, unpublished: Collection[str] = ()) -> Rules:
        """Read and check the rules of a codebook.

        Args:
            entries: The rules as the codebook writes them.
            domain: The published columns.
            unpublished: Names of those that are not.

        Raises:
            DomainError: one cannot be read, names what is not declared, or contradicts another.
        """
        if entries is None:
            return cls()
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            raise DomainError("'rules' of the codebook must be a list of objects.")
        if len(entries) > MOST_RULES:
            raise DomainError(
                "The codebook declares {rules} rules; at most {most} are allowed.",
                rules=len(entries),
                most=MOST_RULES,
            )
        attributes = {attribute.name: attribute for attribute in domain.attributes}
        items = tuple(_rule(number, entry) for number, entry in enumerate(entries, 1))
        for rule in items:
            for name in rule.columns:
                if name in unpublished:
                    raise DomainError(
                        "The rule “{rule}” names the column {column!r}, which is not published; publish it "
                        "or take the rule out.",
                        rule=rule.words,
                        column=name,
                    )
                if name not in attributes:
                    raise DomainError(
                        "The rule “{rule}” names the column {column!r}, which the codebook does not declare; "
                        "declare the column or take the rule out.",
                        rule=rule.words,
                        column=name,
                    )
            rule.check(attributes)
        items = solved(settled(items, attributes), attributes)
        return cls(
            items=items,
            witnesses=require_consistent(items, attributes),
            attributes=attributes,
            sources=tuple(map(provenance_of, entries)),
        )

    def to_list(self) -> list[dict[str, Any]]:
        """Give the rules as a codebook writes them."""
        return [_with_source(rule.to_dict(), source) for rule, source in self._sourced]

    def broken_rows(
        self, frame: pd.DataFrame, missing: Mapping[str, frozenset[str]] | None = None
    ) -> tuple[int, ...]:
        """Count the rows of a table that break each rule, in the order of the rules.

        Of a private table these are exact private counts: for the steward's eyes only
        (``publishing/rule_breaks.py`` gives them their zone).

        Args:
            frame: The table.
            missing: Texts that mean a missing value, by column.
        """
        view = View(frame, self.attributes, missing or {})
        return tuple(int(rule.broken(view).sum()) for rule in self.items)


NO_RULES = Rules()


def without_source(entry: Written) -> dict[str, Any]:
    """Give what a rule of a codebook says, without where it comes from."""
    return {key: value for key, value in entry.items() if key not in _OF_SOURCE}


def read_off_rows(entry: Written) -> dict[str, Any]:
    """Mark a rule of a codebook as a guess that nobody has declared.

    Example:
        >>> read_off_rows({"kind": "nonNegative", "column": "wages"})["source"]
        {'kind': 'guess'}
    """
    return _with_source(without_source(entry), Provenance(origin=Origin.GUESS))


def _with_source(entry: dict[str, Any], source: Provenance) -> dict[str, Any]:
    if source != Provenance():
        entry["source"] = source.to_dict()
    if not source.public:
        entry["declared"] = False
    return entry


def _rule(number: int, entry: Mapping[str, Any]) -> Rule:
    """Read the rule that stands at a place in the list, counted from 1."""
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise DomainError(
            "Rule {number} has the kind {kind!r}, which is none; the kinds are {kinds}.",
            number=number,
            kind=str(kind),
            kinds=tuple(KINDS),
        )
    needed, known = _KEYS[kind], (*_KEYS[kind], *_OPTIONAL.get(kind, ()))
    if lacking := [key for key in needed if key not in entry]:
        raise DomainError(
            "Rule {number} of the kind {kind!r} lacks {keys}; it needs {needed}.",
            number=number,
            kind=kind,
            keys=tuple(map(repr, lacking)),
            needed=tuple(map(repr, needed)),
        )
    if other := [str(key) for key in entry if key not in ("kind", *known, *_OF_SOURCE)]:
        raise DomainError(
            "Rule {number} of the kind {kind!r} has {keys}, which says nothing there; take it out or correct "
            "its name: the kind knows {known}.",
            number=number,
            kind=kind,
            keys=tuple(map(repr, other)),
            known=tuple(map(repr, known)),
        )
    try:
        return _READERS[kind](entry)
    except (TypeError, AttributeError, StopIteration):
        raise DomainError(
            "Rule {number} of the kind {kind!r} cannot be read; see the kinds and what each needs in "
            "docs/rules.md.",
            number=number,
            kind=kind,
        ) from None


def _follows(entry: Written) -> Rule:
    values = entry.get("values")
    mapping = None if values is None else {text_of(k): v for k, v in values.items()}
    return Follows(column=_name(entry["column"]), source=_name(entry["from"]), values=mapping)


def _equal(entry: Written) -> Rule:
    return Equal(column=_name(entry["column"]), source=_name(entry["to"]))


def _band_of(entry: Written) -> Rule:
    values = {text_of(start): value for start, value in entry["values"].items()}
    return BandOf(column=_name(entry["column"]), source=_name(entry["of"]), values=values)


def _part_of(entry: Written) -> Rule:
    part = _one_of(PARTS, entry["part"])
    return PartOf(column=_name(entry["column"]), source=_name(entry["of"]), part=part)


def _ascending(entry: Written) -> Rule:
    return Ascending(columns=_names(entry["columns"], at_least=2))


def _sum(entry: Written) -> Rule:
    zero = entry.get("missingIsZero", False)
    if not isinstance(zero, bool):
        raise TypeError
    parts = _names(entry["parts"], at_least=1)
    return Sum(column=_name(entry["column"]), parts=parts, missing_is_zero=zero)


def _computed(entry: Written) -> Rule:
    return Computed(
        column=_name(entry["column"]),
        formula=Formula.read(_name(entry["formula"])),
        rounded=_one_of(ROUNDED, entry.get("rounded", "nearest")),
    )


def _time_between(entry: Written) -> Rule:
    return TimeBetween(
        column=_name(entry["column"]),
        start=_name(entry["from"]),
        end=_name(entry["to"]),
        unit=_one_of(UNITS, entry["unit"]),
        rounded=_one_of(ROUNDINGS, entry.get("rounded", "down")),
    )


def _implies(entry: Written) -> Rule:
    return Implies(given=Conditions.read(entry["if"]), then=Conditions.read(entry["then"]))


def _forbidden(entry: Written) -> Rule:
    return Implies(given=Conditions.read(entry["if"]), then=None)


def _non_negative(entry: Written) -> Rule:
    return NonNegative(column=_name(entry["column"]))


def _asked_if(entry: Written) -> Rule:
    return AskedIf(column=_name(entry["column"]), given=Conditions.read(entry["if"]))


_READERS: dict[str, Callable[[Written], Rule]] = {
    "follows": _follows,
    "equal": _equal,
    "bandOf": _band_of,
    "partOf": _part_of,
    "ascending": _ascending,
    "sum": _sum,
    "computed": _computed,
    "timeBetween": _time_between,
    "implies": _implies,
    "forbidden": _forbidden,
    "nonNegative": _non_negative,
    "askedIf": _asked_if,
}


def _one_of(words: Iterable[Word], wanted: Any) -> Word:
    """The word of a rule's own, as its type has it."""
    return next(word for word in words if word == wanted)


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _names(values: Any, *, at_least: int) -> tuple[str, ...]:
    names = tuple(_name(value) for value in values) if isinstance(values, list) else ()
    if len(set(names)) < max(at_least, len(names)):
        raise TypeError
    return names
