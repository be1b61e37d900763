"""The NIST SP 800-226 checklist, filled as far as the program can know.

The items follow the order of the document's text. Each is decided from the release's own record, or by the
steward's answers (``answers.py``); one that nobody answered says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import hmpb_core
from hmpb_core.privacy.guarantee import Currency, Neighbors, power_of_ten
from hmpb_core.publishing.answers import FAIL, HAZARDS, PASS, UNANSWERED, WARN
from hmpb_core.publishing.origins import origins_of
from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord

MOST_EPSILON = 20.0
"""Above this the guarantee alone protects hardly anybody; NIST's draft ends its bands here."""


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
    rows = [
        (title, [(item.key, item.question, item.answer, item.detail) for item in items])
        for title, items in sections(record)
    ]
    return page_of("checklist.html.j2", record, sections=rows, open=UNANSWERED)


def sections(record: ReleaseRecord) -> list[tuple[str, list[Item]]]:
    """Give the sections of the checklist with their items."""
    return [
        ("Guarantee", _guarantee(record)),
        ("Algorithms and correctness", _algorithms(record)),
        ("Utility and bias", _utility(record)),
        ("Implementation", _implementation(record)),
        ("Deployment", _deployment(record)),
    ]


def _guarantee(record: ReleaseRecord) -> list[Item]:
    guarantee = record.plan_file.plan.guarantee
    total = float(record.payment.dataset.spent) if record.payment else float(guarantee.epsilon)
    pure = guarantee.currency is Currency.PURE
    replace_one = guarantee.neighbors is Neighbors.REPLACE_ONE
    odds = "Values above 1 are in use; what they mean depends on the case. Large values may not protect."
    return [
        _item(
            "G1",
            "Epsilon of all releases together",
            PASS if total <= 1 else WARN if total <= MOST_EPSILON else FAIL,
            f"{total:.6g}. {odds}",
        ),
        _item(
            "G2",
            "delta far below one over the number of rows; rho printed too",
            PASS if pure or guarantee.delta <= 1e-8 else WARN,
            "delta 0" if pure else f"delta {power_of_ten(guarantee.delta)}, rho {float(guarantee.total):.6g}",
        ),
        _item("G3", "Unit of protection named", PASS, str(record.unit.words)),
        _asked(record, "G3a"),
        _item(
            "G4",
            "Contribution bound enforced in code, noise scaled by it",
            PASS,
            f"at most {record.unit.rows} row(s) a person; every sensitivity is multiplied by it",
        ),
        _item(
            "G5",
            "Neighbour relation stated; the number of rows treated accordingly",
            PASS if record.unit.column is None or not replace_one else WARN,
            record.neighbors,
        ),
        _item(
            "G6",
            "No comparison across units, deltas or relations without conversion",
            PASS,
            "this bundle compares itself with no other release",
        ),
        _asked(record, "G7", "This guarantee does not cover them."),
        _item("G8", "Composition over time: a ledger refuses beyond the cap", PASS, "ledger-extract.json"),
    ]


def _algorithms(record: ReleaseRecord) -> list[Item]:
    method = record.plan_file.plan.method
    origins = origins_of(record.codebook)
    return [
        _item("A1", "Noise from a tested library", PASS, "OpenDP's discrete samplers, one module"),
        _item(
            "A2",
            "Categories and bins declared beforehand, empty cells reported",
            WARN if origins.guessed else PASS,
            origins.domain,
        ),
        _item(
            "A3",
            "Bounds given without looking at the data",
            WARN if origins.guessed or origins.surveyed else PASS,
            origins.extraction,
        ),
        _asked(record, "A3a", "; ".join(origins.lines)),
        _item(
            "A4",
            "Sensitivity of each step written down and proven",
            PASS,
            "checked by brute force in the tests",
        ),
        _item(
            "A5",
            "Output without differential privacy is marked as such",
            PASS,
            "cannot be released",
        ),
        _item("A6", "A marginal or network method for tables", PASS, method),
        _asked(record, "X1"),
        _item("X2", "Domain extraction counted", WARN if origins.guessed else PASS, origins.extraction),
        _item(
            "X3",
            "Evaluation figures counted or kept inside",
            PASS,
            "the bundle holds none computed from the table",
        ),
        _item(
            "X4",
            "Data-dependent weights counted",
            PASS,
            "read off noisy one-way tables that were paid for"
            if record.plan_file.plan.spec.weights == "risk"
            else "this method weighs all attributes alike",
        ),
        _item("X5", "Quantities told without noise are listed", PASS, "; ".join(record.unprotected)),
        _item(
            "X6",
            "Empirical audit against the claimed bound",
            WARN,
            f"'hmpb audit' attacks hmpb {hmpb_core.__version__} on any machine; this bundle does not show "
            "that it was run",
        ),
    ]


def _utility(record: ReleaseRecord) -> list[Item]:
    return [
        _asked(record, "U1"),
        _item(
            "U2",
            "Accuracy with intervals",
            PASS,
            "accuracy.html, worked out from the plan and the paid tables; replicates help",
        ),
        _asked(record, "U3", "'hmpb report' gives the size of that subsample"),
        _asked(record, "U4", "'hmpb report' lists them, for the steward"),
        _item(
            "U5",
            "Bias of clipping and non-negativity",
            WARN,
            " ".join(("negative counts become 0; values are clipped.", *record.persons[:1])),
        ),
        _item("U6", "Readers are prepared for odd-looking rows", PASS, "README.html"),
    ]


def _implementation(record: ReleaseRecord) -> list[Item]:
    return [
        _item("I1", "Floating point: discrete samplers only", PASS, "integer noise"),
        _item(
            "I2", "Timing: no third party can trigger queries", PASS, "batch release; times are not published"
        ),
        _item(
            "I3", "Errors and logs do not depend on records", PASS, "error texts hold no value and no count"
        ),
        _item(
            "I4",
            "Cryptographic randomness, no seed",
            WARN if record.rehearsal else PASS,
            "a rehearsal may be seeded; a release refuses a seed" if record.rehearsal else "no seed exists",
        ),
    ]


def _deployment(record: ReleaseRecord) -> list[Item]:
    who = record.payment.charge.who if record.payment else "nobody: a rehearsal"
    return [
        _item("D1", "A release, not an interactive service", PASS),
        _asked(record, "D2"),
        _asked(record, "D3"),
        _asked(record, "D4", f"charged by {who}"),
        _asked(record, "D5"),
    ]


def _asked(record: ReleaseRecord, key: str, known: str = "") -> Item:
    """A line that only people can answer."""
    verdict, words = record.answers.judged(key)
    return _item(key, HAZARDS[key], verdict, ". ".join(filter(None, [words.rstrip(". "), known])))


def _item(key: str, question: str, answer: str, detail: str = "") -> Item:
    return Item(key=key, question=question, answer=answer, detail=detail)
