"""The NIST SP 800-226 checklist, filled as far as the program can know.

The items follow the order of the document's text; what only people know is marked for the
steward. ``auto`` answers are decided here, never assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.privacy.guarantee import Currency, Neighbors, power_of_ten
from hmpb_core.publishing.origins import origins_of
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord

YES, WARN, ASK = "yes", "look at this", "the steward answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the checklist.

    Attributes:
        key: Its short name.
        question: What is asked.
        answer: ``yes``, ``look at this`` or ``the steward answers``.
        detail: What the program knows about it.
    """

    key: str
    question: str
    answer: str
    detail: str = ""


def checklist_page(record: ReleaseRecord) -> str:
    """Give the checklist for people."""
    rows = [
        (title, [(item.key, item.question, item.answer, item.detail) for item in items])
        for title, items in sections(record)
    ]
    return page_of("checklist.html.j2", record, sections=rows, open=ASK)


def sections(record: ReleaseRecord) -> list[tuple[str, list[Item]]]:
    """Give the sections of the checklist with their items."""
    return [
        ("Guarantee", _guarantee(record)),
        ("Algorithms and correctness", _algorithms(record)),
        ("Utility and bias", _utility()),
        ("Implementation", _implementation()),
        ("Deployment", _deployment(record)),
    ]


def _guarantee(record: ReleaseRecord) -> list[Item]:
    guarantee = record.plan_file.plan.guarantee
    total = float(record.payment.dataset.spent) if record.payment else float(guarantee.epsilon)
    pure = guarantee.currency is Currency.PURE
    replace_one = guarantee.neighbors is Neighbors.REPLACE_ONE
    odds = "Values above 1 are in use; what they mean depends on the case. Large values may not protect."
    return [
        _item("G1", "Epsilon of all releases together", YES if total <= 1 else WARN, f"{total:.6g}. {odds}"),
        _item(
            "G2",
            "delta far below one over the number of rows; rho printed too",
            YES if pure or guarantee.delta <= 1e-8 else WARN,
            "delta 0" if pure else f"delta {power_of_ten(guarantee.delta)}, rho {float(guarantee.total):.6g}",
        ),
        _item("G3", "Unit of protection named", YES, str(record.unit.words)),
        _item("G3a", "Situations an attacker wants to tell apart are listed and covered", ASK),
        _item(
            "G4",
            "Contribution bound enforced in code, noise scaled by it",
            YES,
            f"at most {record.unit.rows} row(s) a person; every sensitivity is multiplied by it",
        ),
        _item(
            "G5",
            "Neighbour relation stated; the number of rows treated accordingly",
            YES if record.unit.column is None or not replace_one else WARN,
            record.neighbors,
        ),
        _item("G6", "No comparison across units, deltas or relations without conversion", YES),
        _item(
            "G7", "Other releases from the same people are listed", ASK, "This guarantee does not cover them."
        ),
        _item("G8", "Composition over time: a ledger refuses beyond the cap", YES, "see ledger-extract.json"),
    ]


def _algorithms(record: ReleaseRecord) -> list[Item]:
    method = record.plan_file.plan.method
    origins = origins_of(record.codebook)
    return [
        _item("A1", "Noise from a tested library", YES, "OpenDP's discrete samplers, one module"),
        _item(
            "A2",
            "Categories and bins declared beforehand, empty cells reported",
            WARN if origins.guessed else YES,
            origins.domain,
        ),
        _item(
            "A3",
            "Bounds given without looking at the data",
            WARN if origins.guessed or origins.surveyed else YES,
            origins.extraction,
        ),
        _item(
            "A3a",
            "The steward confirms that the codebook comes from public knowledge",
            ASK,
            "; ".join(origins.lines),
        ),
        _item(
            "A4",
            "Sensitivity of each step written down and proven",
            YES,
            "checked by brute force in the tests",
        ),
        _item(
            "A5", "Output without differential privacy is marked as open to attack", YES, "cannot be released"
        ),
        _item("A6", "A marginal or network method for tables", YES, method),
        _item("X1", "Tuning was on public data, by private selection, or charged", ASK),
        _item("X2", "Domain extraction counted", WARN if origins.guessed else YES, origins.extraction),
        _item(
            "X3",
            "Evaluation figures counted or kept inside",
            YES,
            "the bundle holds none computed from the table",
        ),
        _item(
            "X4", "Data-dependent weights counted", YES, "read off noisy one-way tables that were paid for"
        ),
        _item("X5", "Quantities told without noise are listed", YES, "; ".join(record.unprotected)),
        _item("X6", "Empirical audit against the claimed bound", YES, "part of the package's tests"),
    ]


def _utility() -> list[Item]:
    return [
        _item("U1", "Measures named by users, not one score", ASK),
        _item(
            "U2",
            "Accuracy with intervals",
            WARN,
            "each noisy table states the noise on a count; replicates help",
        ),
        _item("U3", "Compared with a subsample that gives the same error", ASK),
        _item("U4", "Error by size of group; groups that can vanish are named", ASK, "steward report"),
        _item(
            "U5", "Bias of clipping and non-negativity", WARN, "negative counts become 0; values are clipped"
        ),
        _item("U6", "Readers are prepared for odd-looking rows", YES, "README.html"),
    ]


def _implementation() -> list[Item]:
    return [
        _item("I1", "Floating point: discrete samplers only", YES, "integer noise"),
        _item(
            "I2", "Timing: no third party can trigger queries", YES, "batch release; times are not published"
        ),
        _item(
            "I3", "Errors and logs do not depend on records", YES, "error texts hold no value and no count"
        ),
        _item("I4", "Cryptographic randomness, no seed", YES, "seeded runs are refused"),
    ]


def _deployment(record: ReleaseRecord) -> list[Item]:
    who = record.payment.charge.who if record.payment else "nobody: a rehearsal"
    return [
        _item("D1", "A release, not an interactive service", YES),
        _item("D2", "Threat model: the curator is trusted, readers are not", ASK),
        _item("D3", "The raw file is encrypted, archived or removed", ASK),
        _item("D4", "Who can open the file, who can spend, who approved", ASK, f"spent by {who}"),
        _item("D5", "Columns and rows that are not needed were dropped before", ASK),
    ]


def _item(key: str, question: str, answer: str, detail: str = "") -> Item:
    return Item(key=key, question=question, answer=answer, detail=detail)
