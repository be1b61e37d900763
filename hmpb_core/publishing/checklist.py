"""The NIST SP 800-226 checklist, filled as far as the program can know.

The items follow the order of the document's text. Each is decided from the release's own record, or by the
steward's answers (``answers.py``); one that nobody answered says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import hmpb_core
from hmpb_core.catalogue import Words
from hmpb_core.privacy.guarantee import Currency, Neighbors, power_of_ten
from hmpb_core.publishing.answers import FAIL, PASS, UNANSWERED, WARN
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord

MOST_EPSILON = 20.0
"""Above this the guarantee alone protects hardly anybody; NIST's draft ends its bands here."""

BY_NOISE = frozenset({"G1", "G2", "A1", "X4", "I1"})
"""Items that hold of plans whose noise is a release's, and whose bill is what they name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the checklist.

    Attributes:
        key: Its short name.
        question: What is asked.
        answer: ``pass``, ``warn``, ``fail`` or ``not answered``.
        detail: What the program knows about it.
    """

    key: str
    question: str
    answer: str
    detail: str = ""


def checklist_page(record: ReleaseRecord) -> str:
    """Give the checklist for people."""
    words = record.words
    rows = [
        (title, [(item.key, item.question, words(f"answer.{item.answer}"), item.detail) for item in items])
        for title, items in sections(record)
    ]
    return page_of("checklist.html.j2", record, sections=rows, open=words(f"answer.{UNANSWERED}"))


def sections(record: ReleaseRecord) -> list[tuple[str, list[Item]]]:
    """Give the sections of the checklist with their items, in the record's language."""
    parts = {
        "guarantee": _guarantee(record),
        "algorithms": _algorithms(record),
        "utility": _utility(record),
        "implementation": _implementation(record),
        "deployment": _deployment(record),
    }
    if not record.ran.spec.releasable:
        parts = {part: [_of_study(record.words, item) for item in items] for part, items in parts.items()}
    return [(record.words(f"checklist.{part}"), items) for part, items in parts.items()]


def _guarantee(record: ReleaseRecord) -> list[Item]:
    words, guarantee = record.words, record.plan_file.plan.guarantee
    total = float(record.payment.dataset.spent) if record.payment else float(guarantee.epsilon)
    pure = guarantee.currency is Currency.PURE
    replace_one = guarantee.neighbors is Neighbors.REPLACE_ONE
    return [
        _item(
            words,
            "G1",
            PASS if total <= 1 else WARN if total <= MOST_EPSILON else FAIL,
            words("why.G1", total=total),
        ),
        _item(
            words,
            "G2",
            PASS if pure or guarantee.delta <= 1e-8 else WARN,
            words("why.G2_pure")
            if pure
            else words("why.G2", delta=power_of_ten(guarantee.delta), rho=float(guarantee.total)),
        ),
        _item(words, "G3", PASS, record.unit_words),
        _asked(record, "G3a"),
        _item(words, "G4", PASS, words("why.G4", rows=record.unit.rows)),
        _item(words, "G5", PASS if record.unit.column is None or not replace_one else WARN, record.neighbors),
        _item(words, "G6", PASS, words("why.G6")),
        _asked(record, "G7", words("why.G7")),
        _item(words, "G8", PASS, words("why.G8")),
    ]


def _algorithms(record: ReleaseRecord) -> list[Item]:
    words = record.words
    origins = record.origins
    guessed = WARN if origins.read_off else PASS
    listed = words("list.semicolon").join
    return [
        _item(words, "A1", PASS, words("why.A1")),
        _item(words, "A2", guessed, origins.domain),
        _item(words, "A3", WARN if origins.read_off or origins.bought else PASS, origins.extraction),
        _asked(record, "A3a", listed(origins.lines)),
        _item(words, "A4", PASS, words("why.A4")),
        _item(words, "A5", PASS, words("why.A5")),
        _item(words, "A6", PASS, record.made_by["method"]),
        _asked(record, "X1"),
        _item(words, "X2", WARN if origins.elsewhere else guessed, origins.extraction),
        _item(words, "X3", PASS, words("why.X3")),
        _item(words, "X4", PASS, words("why.X4_risk" if record.ran.spec.weights == "risk" else "why.X4")),
        _item(words, "X5", PASS, listed(record.unprotected)),
        _item(words, "X6", WARN, words("why.X6", version=hmpb_core.__version__)),
    ]


def _utility(record: ReleaseRecord) -> list[Item]:
    words = record.words
    return [
        _asked(record, "U1"),
        _item(words, "U2", PASS, words("why.U2")),
        _asked(record, "U3", words("why.U3")),
        _asked(record, "U4", words("why.U4")),
        _item(words, "U5", WARN, words("list.blank").join((words("why.U5"), *record.persons[:1]))),
        _item(words, "U6", PASS, words("why.U6")),
    ]


def _implementation(record: ReleaseRecord) -> list[Item]:
    words = record.words
    return [
        _item(words, "I1", PASS, words("why.I1")),
        _item(words, "I2", PASS, words("why.I2")),
        _item(words, "I3", PASS, words("why.I3")),
        _item(
            words,
            "I4",
            WARN if record.rehearsal else PASS,
            words("why.I4_rehearsal" if record.rehearsal else "why.I4"),
        ),
    ]


def _deployment(record: ReleaseRecord) -> list[Item]:
    words, paid = record.words, record.payment
    who = words("why.D4", who=paid.charge.who) if paid else words("why.D4_rehearsal")
    return [
        _item(words, "D1", PASS),
        _asked(record, "D2"),
        _asked(record, "D3"),
        _asked(record, "D4", who),
        _asked(record, "D5"),
    ]


def _of_study(words: Words, item: Item) -> Item:
    """What a release answers by its noise and its bill fails where a plan for study has neither."""
    return _item(words, item.key, FAIL, words("why.study")) if item.key in BY_NOISE else item


def _asked(record: ReleaseRecord, key: str, known: str = "") -> Item:
    """A line that only people can answer."""
    words, (verdict, said) = record.words, record.answers.judged(key)
    stop = words("list.stop")
    return _item(words, key, verdict, stop.join(filter(None, [said.rstrip(f". {stop}"), known])))


def _item(words: Words, key: str, answer: str, detail: str = "") -> Item:
    return Item(key=key, question=words(f"item.{key}"), answer=answer, detail=detail)
