"""What only the steward knows about a release: who, for whom, what for, and the hazards people must judge.

A TOML file carries the answers from one release to the next; the bundle holds them as ``answers.toml``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import tomli_w

from hmpb_core.errors import SourceError
from hmpb_core.plain_file import read_plain_text
from hmpb_core.publishing.words.catalogue import ENGLISH

FORMAT = "hmpb-answers/1"
PASS, WARN, FAIL = "pass", "warn", "fail"
VERDICTS = (PASS, WARN, FAIL)
UNANSWERED = "not answered"
MOST_CHARACTERS = 2_000

QUESTIONS = {
    "curator": "Who holds the table and answers for the release?",
    "use": "What are the rows for, and what not?",
    "region": "Which country or region do the people come from?",
    "purpose": "Why is it published, and why is this much privacy loss justified?",
    "retention": "How long are the private table and the ledger kept, and what happens then?",
}
"""The facts that a statement names, each as a question."""

_ASKED = ("G3a", "G7", "A3a", "X1", "U1", "U3", "U4", "D2", "D3", "D4", "D5")
HAZARDS = {key: ENGLISH(f"item.{key}") for key in _ASKED}
"""The lines of the checklist that people answer, by their keys."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The steward's word on one hazard.

    Attributes:
        verdict: ``pass``, ``warn`` or ``fail``.
        words: Why.

    Raises:
        SourceError: the verdict is none of these, or the words are too long.
    """

    verdict: str
    words: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise SourceError(
                "The verdict {verdict!r} is not known; write 'pass', 'warn' or 'fail'.", verdict=self.verdict
            )
        _require_short(self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the steward says of a release; an empty text is no answer.

    Attributes:
        curator: Who holds the table.
        use: What the rows are for.
        region: Where the people come from.
        purpose: Why it is published, and why this much loss is justified.
        retention: How long the private table is kept.
        hazards: Judgements by the keys of ``HAZARDS``.

    Raises:
        SourceError: a hazard is not on the checklist, or a text is too long.

    Example:
        >>> answers = Answers(curator="Town of Example", hazards={"D3": Judgement("pass", "encrypted")})
        >>> Answers.from_toml(answers.to_toml()) == answers, len(answers.missing)
        (True, 14)
    """

    curator: str = ""
    use: str = ""
    region: str = ""
    purpose: str = ""
    retention: str = ""
    hazards: Mapping[str, Judgement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in QUESTIONS:
            _require_short(getattr(self, name))
        if unknown := sorted(set(self.hazards) - set(HAZARDS)):
            raise SourceError(
                "{key!r} is no line of the checklist that people answer; those are {known}.",
                key=unknown[0],
                known=tuple(HAZARDS),
            )

    @property
    def missing(self) -> tuple[str, ...]:
        """Keys of all that nobody has answered."""
        facts = [name for name in QUESTIONS if not getattr(self, name).strip()]
        return (*facts, *(key for key in HAZARDS if key not in self.hazards))

    def fact(self, name: str) -> str:
        """The answer to a question of ``QUESTIONS``; says so where there is none."""
        return str(getattr(self, name)).strip() or UNANSWERED

    def judged(self, key: str) -> tuple[str, str]:
        """Verdict and words on a hazard."""
        found = self.hazards.get(key)
        return (found.verdict, found.words) if found else (UNANSWERED, "")

    def to_toml(self) -> str:
        """Give the answers as a file; one that nobody has answered is the form to fill in."""
        values: dict[str, Any] = {"format": FORMAT}
        values |= {f.name: getattr(self, f.name) for f in fields(self) if f.name in QUESTIONS}
        values["hazards"] = {
            key: {"verdict": found.verdict, "words": found.words} for key, found in self.hazards.items()
        }
        lines = [
            "# Answers that go into the privacy statement and the checklist of a release.",
            *(f"# {name}: {question}" for name, question in QUESTIONS.items()),
            "# [hazards.KEY] verdict = 'pass', 'warn' or 'fail'; words = why. The keys:",
            *(f"# {key}: {question}" for key, question in HAZARDS.items()),
        ]
        return "\n".join(lines) + "\n" + tomli_w.dumps(values)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Answers:
        """Read the answers from a file.

        Raises:
            SourceError: it cannot be read, or is no file of answers.
        """
        try:
            return cls.from_toml(read_plain_text(path))
        except (OSError, UnicodeDecodeError):
            raise SourceError(
                "The answers {file!r} cannot be read; 'hmpb answers' writes the form.", file=Path(path).name
            ) from None

    @classmethod
    def from_toml(cls, text: str) -> Answers:
        """Read the answers.

        Raises:
            SourceError: the text is no file of answers.
        """
        try:
            values = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            raise SourceError("The answers are no TOML file; 'hmpb answers' writes the form.") from None
        if values.pop("format", None) != FORMAT:
            raise SourceError(
                "The file of answers does not start with format = {format!r}; 'hmpb answers' writes the "
                "form.",
                format=FORMAT,
            )
        hazards = values.pop("hazards", {})
        if unknown := sorted(set(values) - set(QUESTIONS)):
            raise SourceError(
                "The file of answers holds {key!r}, which is no question; the questions are {known}.",
                key=unknown[0],
                known=tuple(QUESTIONS),
            )
        if not all(isinstance(value, str) for value in values.values()) or not isinstance(hazards, dict):
            raise SourceError("Each answer must be a text in quotes; 'hmpb answers' writes the form.")
        return cls(**values, hazards={key: _judgement(value) for key, value in hazards.items()})


def _judgement(value: object) -> Judgement:
    if not isinstance(value, dict) or not {"verdict"} <= value.keys() <= {"verdict", "words"}:
        raise SourceError("A hazard needs a verdict and words, both texts; 'hmpb answers' writes the form.")
    verdict, words = value["verdict"], value.get("words", "")
    if not isinstance(verdict, str) or not isinstance(words, str):
        raise SourceError("A hazard needs a verdict and words, both texts; 'hmpb answers' writes the form.")
    return Judgement(verdict, words)


def _require_short(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise SourceError(
            "An answer has more than {most:,} characters; shorten it, and put the rest into a document of "
            "its own.",
            most=MOST_CHARACTERS,
        )
