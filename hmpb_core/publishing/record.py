"""What is to be said about a release: gathered once, told in every file of its bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from hmpb_core.catalogue import Phrase, Words
from hmpb_core.codebook import Codebook
from hmpb_core.planning.plan import Plan
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Neighbors, power_of_ten
from hmpb_core.privacy.ledger import Entry
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.answers import Answers
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.origins import Origins, origins_of
from hmpb_core.publishing.words.catalogue import DEFAULT_LANGUAGE, ENGLISH, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """What was charged for a release.

    Attributes:
        dataset: The data set as it stands after the charge.
        charge: The ledger entry.
        show_left: Whether the steward agrees that readers see what is left of the cap.
    """

    dataset: RegisteredDataset
    charge: Entry
    show_left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPlan:
    """The candidate that passed its marks.

    Attributes:
        marks: The marks' file, as text.
        found: How it was found, as plain values: public, paid for.
        plan_file: The plan that the model was made by, at its part of the guarantee.
    """

    marks: str
    found: Mapping[str, Any]
    plan_file: PlanFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """A release, or a rehearsal of one.

    Attributes:
        title: What readers call it.
        plan_file: The plan, with its unit.
        codebook: The public codebook.
        rows: Rows of each synthetic table.
        replicates: Number of synthetic tables drawn from the one model.
        made: When.
        payment: The charge; None for a rehearsal.
        stand_in: What a rehearsal ran on.
        answers: What only the steward knows.
        chosen: The candidate plan that passed its marks; None where the plan itself was run.
        language: Code of the language of the pages for people.
        elsewhere: Fields that say a survey found them, but none that this table's ledger holds.
    """

    title: str | Phrase
    plan_file: PlanFile
    codebook: Codebook
    rows: int
    replicates: int
    made: datetime
    payment: Payment | None
    stand_in: str | Phrase = ""
    answers: Answers = field(default_factory=Answers)
    chosen: ChosenPlan | None = None
    language: str = DEFAULT_LANGUAGE
    elsewhere: tuple[str, ...] = ()

    @property
    def origins(self) -> Origins:
        """Where the codebook's fields and rules come from."""
        return origins_of(self.codebook, self.words, elsewhere=self.elsewhere)

    @property
    def words(self) -> Words:
        """The words of its language."""
        return words_of(self.language)

    @property
    def in_english(self) -> ReleaseRecord:
        """The record as programs read it: in English, whatever language the pages are in."""
        return replace(self, language=DEFAULT_LANGUAGE)

    @property
    def heading(self) -> str:
        """The title in words."""
        return self.words.say(self.title)

    @property
    def ran_on(self) -> str:
        """What a rehearsal ran on, in words."""
        return self.words.say(self.stand_in)

    @property
    def rehearsal(self) -> bool:
        """Whether nothing was paid because nothing private was touched."""
        return self.payment is None

    @property
    def watermark(self) -> str:
        """What every page of a rehearsal begins with; empty for a release."""
        if not self.rehearsal:
            return ""
        study = [] if self.ran.spec.releasable else [self.words("why.study")]
        return self.words("list.semicolon").join([watermark_of(self.codebook, self.words), *study])

    def rehearsed(self, key: str) -> str:
        """Give the key of what is said of a rehearsal: another one where its codebook holds guesses."""
        return _rehearsed(key, self.codebook)

    @property
    def unit(self) -> Unit:
        """The unit of protection."""
        return self.plan_file.unit or Unit(column=None, rows=1)

    @property
    def date(self) -> str:
        """The day it was made, in UTC."""
        return self.made.astimezone(UTC).date().isoformat()

    @property
    def promise(self) -> str:
        """The guarantee in one line, never epsilon alone."""
        words, guarantee = self.words, self.plan_file.plan.guarantee
        return words(
            "promise.line",
            epsilon=guarantee.epsilon,
            delta=words("promise.delta", delta=power_of_ten(guarantee.delta)) if guarantee.delta else "",
            unit=self.unit_words,
            neighbors=self.neighbors,
        )

    @property
    def unit_words(self) -> str:
        """The unit of protection in words."""
        if self.unit.column is None:
            return self.words("unit.row")
        return self.words("unit.person", column=self.unit.column, rows=self.unit.rows)

    @property
    def neighbors(self) -> str:
        """The neighbour relation in words."""
        if self.plan_file.plan.guarantee.neighbors is Neighbors.ADD_REMOVE:
            return self.words("neighbors.add_remove")
        return self.words("neighbors.replace_row" if self.unit.column is None else "neighbors.replace_person")

    @property
    def flavour(self) -> str:
        """The kind of differential privacy."""
        currency = self.plan_file.plan.guarantee.currency
        return self.words("flavour.pure" if currency is Currency.PURE else "flavour.zcdp")

    @property
    def ran(self) -> Plan:
        """The plan that the model was made by: the candidate that passed its marks, where there were any."""
        return (self.chosen or self).plan_file.plan

    @property
    def made_by(self) -> dict[str, str]:
        """Method, accounting and learner in words, each with the code it has in the plan's file."""
        plan, words = self.ran, self.words
        accounting = "none" if plan.spec.protection == "none" else plan.accounting.value
        codes = {"method": plan.method, "accounting": accounting, "learner": plan.spec.learner}
        names = {
            kind: words(key) if words.has(key := f"{kind}.{code}") else code for kind, code in codes.items()
        }
        return {
            kind: name if name.lower() == codes[kind] else words("made_by.named", name=name, code=codes[kind])
            for kind, name in names.items()
        }

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What the release tells without noise."""
        told = [self.origins.told, self.words("told.plan")]
        if self.plan_file.plan.guarantee.neighbors is Neighbors.REPLACE_ONE:
            if self.unit.column is None:
                told.append(self.words("told.rows"))
            else:
                told += [self.words("told.rows_used"), self.words("told.rows_each")]
        return tuple(told)

    @property
    def persons(self) -> tuple[str, ...]:
        """What readers must know where a person may have several rows."""
        return persons_of(self.unit, self.words)


def watermark_of(codebook: Codebook, words: Words = ENGLISH) -> str:
    """What every file of a rehearsal says: what it tells of anybody hangs on where its codebook is from."""
    return words(_rehearsed("watermark", codebook))


def _rehearsed(key: str, codebook: Codebook) -> str:
    return key if codebook.public else f"{key}_guessed"


def persons_of(unit: Unit, words: Words) -> tuple[str, ...]:
    """What holds of shares, and of the rows of one person, where a person may have several."""
    if unit.column is None:
        return ()
    return (words("persons.drawn", rows=unit.rows), words("persons.apart"))
