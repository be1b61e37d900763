"""What is left to do, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hmpb_core.errors import Sentence
from pages.data.drafts import lack, misfit
from pages.data.fields import Field, is_declared, is_guessed_out, is_published
from pages.session.state import AppState


class Status(StrEnum):
    """Where a column is."""

    LACKING = "lacking"
    """Its field cannot be used yet."""
    MISFIT = "misfit"
    """Its field can be used, but the column does not fit it."""
    GUESS = "guess"
    """It fits, by a guess that nobody has declared."""
    DONE = "done"
    LEFT_OUT = "left_out"
    """It is not published."""


TO_DO = (Status.LACKING, Status.MISFIT, Status.GUESS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One column.

    Attributes:
        place: Its place in the draft.
        name: Its name.
        entry: Its field.
        status: Where it is.
        fault: What is wrong, in a sentence.
    """

    place: int
    name: str
    entry: Field
    status: Status
    fault: Sentence | None = None

    @property
    def title(self) -> str:
        """What its file says of it beside its name, such as a question; empty where nothing."""
        return " ".join(str(self.entry.get("title") or "").split())


def items_of(session: AppState) -> list[Item]:
    """Give every column of the draft with what it needs."""
    items = []
    for place, entry in enumerate(session.draft.get("fields", [])):
        status, fault = _status(session, entry)
        name = str(entry.get("name", ""))
        items.append(Item(place=place, name=name, entry=entry, status=status, fault=fault))
    return items


def shown(items: list[Item], show: str, search: str) -> list[Item]:
    """Give those that a filter lets through: ``all``, ``todo``, or ``guesses``."""
    wanted = {"todo": TO_DO, "guesses": (Status.GUESS,)}.get(show, tuple(Status))
    part = search.strip().casefold()
    return [
        item for item in items if item.status in wanted and part in f"{item.name}\n{item.title}".casefold()
    ]


def next_to_do(items: list[Item], after: str = "") -> Item | None:
    """Give the next column that needs something, beginning anew at the end."""
    place = next((item.place for item in items if item.name == after), -1)
    waiting = [item for item in items if item.status in TO_DO and item.name != after]
    return next((item for item in waiting if item.place > place), waiting[0] if waiting else None)


def _status(session: AppState, entry: Field) -> tuple[Status, Sentence | None]:
    if not is_published(entry):
        fault = lack(session, entry)
        if fault is not None:
            return Status.LACKING, fault
        return (Status.GUESS if is_guessed_out(entry) else Status.LEFT_OUT), None
    if fault := lack(session, entry):
        return Status.LACKING, fault
    if fault := misfit(session, entry):
        return Status.MISFIT, fault
    return (Status.DONE if is_declared(entry) else Status.GUESS), None
