"""Where an entry of a codebook comes from: what everybody may rely on, field by field and rule by rule.

A guarantee holds only for a domain that was not read off the table. So each field and rule of a codebook says
where it comes from, and a guess stays a guess for ever: declaring it adds on whose word and by
which public source it is held to be public knowledge, and takes nothing away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hmpb_core.errors import DomainError


class Origin(StrEnum):
    """How an entry came about."""

    FILE = "file"
    """Labels that came with the file, or a codebook file."""
    VOCABULARY = "vocabulary"
    """A public vocabulary, offered by the column's name alone."""
    TYPED = "typed"
    """Typed by the steward."""
    SURVEY = "survey"
    """A survey of the table that was paid for."""
    GUESS = "guess"
    """Read off the rows."""


class Grounds(StrEnum):
    """Why a guess is held to be public knowledge."""

    QUESTIONNAIRE = "questionnaire"
    LAW = "law"
    PUBLIC_TABLE = "public table"
    RISK = "risk"
    """Nothing public says so: the steward takes the risk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Somebody's word that a guess is public knowledge.

    Attributes:
        grounds: Why.
        name: Which questionnaire, law or table; may be empty for ``risk`` alone.
        by: Who says so.

    Raises:
        DomainError: it names no source, though its grounds are one.
    """

    grounds: Grounds
    name: str = ""
    by: str = ""

    def __post_init__(self) -> None:
        if self.grounds is not Grounds.RISK and not self.name.strip():
            raise DomainError(
                "A guess is declared by a {grounds} that has no name; name it, or declare it as a risk.",
                grounds=self.grounds,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where one field's entry, or one rule, comes from.

    Attributes:
        origin: How it came about.
        name: Name of the file, the vocabulary or what the steward typed it from; may be empty if typed.
        entry: Number of the ledger entry that paid for the survey.
        declaration: On whose word a guess is public; None as long as nobody gave it.

    Raises:
        DomainError: a survey names no entry, or something that is no guess carries a declaration.

    Example:
        >>> Provenance(origin=Origin.GUESS).public
        False
    """

    origin: Origin = Origin.TYPED
    name: str = ""
    entry: int | None = None
    declaration: Declaration | None = None

    def __post_init__(self) -> None:
        if (self.entry is None) is (self.origin is Origin.SURVEY):
            raise DomainError(
                "A source is a paid survey if, and only if, it names the ledger entry that paid it; "
                "correct its 'source'."
            )
        if self.declaration is not None and self.origin is not Origin.GUESS:
            raise DomainError("A source is declared though it is no guess; only a guess needs a declaration.")
        if self.origin in (Origin.FILE, Origin.VOCABULARY) and not self.name.strip():
            raise DomainError(
                "A source is a {origin} without a name; name it in its 'source'.",
                origin=self.origin,
            )

    @property
    def public(self) -> bool:
        """Whether a guarantee may rest on it: all but a guess that nobody has declared."""
        return self.origin is not Origin.GUESS or self.declaration is not None

    def declared(self, grounds: Grounds, *, name: str = "", by: str = "") -> Provenance:
        """Declare a guess; everything else needs no declaration and stays as it is.

        Raises:
            DomainError: the grounds need a name.
        """
        if self.origin is not Origin.GUESS:
            return self
        return Provenance(origin=self.origin, declaration=Declaration(grounds=grounds, name=name, by=by))

    def to_dict(self) -> dict[str, Any]:
        """Give the source as a codebook writes it."""
        values: dict[str, Any] = {"kind": self.origin.value}
        if self.name:
            values["name"] = self.name
        if self.entry is not None:
            values["entry"] = self.entry
        if self.declaration is not None:
            said = self.declaration
            texts = {"grounds": said.grounds.value, "name": said.name, "by": said.by}
            values["declared"] = {key: text for key, text in texts.items() if text}
        return values

    @classmethod
    def from_dict(cls, values: Any) -> Provenance:
        """Read a source.

        Raises:
            DomainError: it is none.
        """
        if not isinstance(values, Mapping):
            raise _unknown("kind", Origin)
        said = values.get("declared")
        declaration = None
        if isinstance(said, Mapping):
            declaration = Declaration(
                grounds=_choice(Grounds, said.get("grounds"), "grounds"),
                name=_text(said.get("name")),
                by=_text(said.get("by")),
            )
        entry = values.get("entry")
        return cls(
            origin=_choice(Origin, values.get("kind"), "kind"),
            name=_text(values.get("name")),
            entry=entry if isinstance(entry, int) and not isinstance(entry, bool) else None,
            declaration=declaration,
        )


def provenance_of(field: Mapping[str, Any]) -> Provenance:
    """Read where a field of a Table Schema, or a rule beside it, comes from.

    One that says nothing was typed by the steward, or is a guess where it says ``declared: false``;
    a source that is a guess stays one, whatever became of that mark.

    Raises:
        DomainError: its source is none, or its mark is neither true nor false.
    """
    require_flag(field, "declared")
    if field.get("source") is not None:
        return Provenance.from_dict(field["source"])
    return Provenance(origin=Origin.GUESS if field.get("declared") is False else Origin.TYPED)


def is_left_out_by_guess(field: Mapping[str, Any]) -> bool:
    """Whether its values alone say that a column is not to be published: one row could have said otherwise.

    Who leaves out a field that was guessed, with its list or bounds, has decided that; so has whoever takes
    its source away, declares it, or says how new identifiers look.

    Example:
        >>> is_left_out_by_guess({"name": "x", "publish": False, "source": {"kind": "guess"}})
        True
    """
    said = {"categories", "constraints", "declared", "regenerated"} & set(field)
    return field.get("publish") is False and not said and not provenance_of(field).public


def require_flag(entry: Mapping[str, Any], key: str) -> None:
    """Refuse a mark that is neither true nor false: ``"false"`` would count as the opposite of what it says.

    Raises:
        DomainError: it is neither.
    """
    if not isinstance(entry.get(key), bool | None):
        raise DomainError(
            "{key!r} of {name!r} must be true or false, without quotes.",
            key=key,
            name=str(entry.get("name", entry.get("kind", ""))),
        )


def _choice(kind: Any, value: Any, what: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise _unknown(what, kind) from None


def _unknown(what: str, kind: type[StrEnum]) -> DomainError:
    return DomainError(
        "The {what} of a source is not known; it must be one of {allowed}.",
        what=what,
        allowed=tuple(member.value for member in kind),
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
