"""The page Ledger: what is spent, reserved and left, the history, and whether the chain holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd
import streamlit as st

from hmpb_core.privacy.ledger import Entry, Kind, Totals
from hmpb_core.publishing.dataset import RegisteredDataset
from hmpb_core.publishing.receipts import Receipts
from hmpb_core.publishing.workspace import FORMAT, Workspace, readable
from pages.shared.layout import show_chart
from pages.shared.palette import palette
from pages.shared.parted_bar import PART_DIGITS, parted_bar
from pages.words.catalogue import Markdown, escape, left_of_cap, listed, number, one_in, plain, sentences, t
from pages.words.errors import sentence
from pages.words.guarantee import neighbors_words, unit_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The cap of a data set, cut into released, failed and reserved charges. In epsilon at the cap's delta.

    Attributes:
        released: Charges whose release was written.
        failed: Charges of runs that failed or were cancelled; they stay spent.
        reserved: Charges of runs that have not ended, or were killed.
        left: What is left of the cap.
    """

    released: float
    failed: float
    reserved: float
    left: float


def parts_of(dataset: RegisteredDataset, entries: Sequence[Entry]) -> Parts:
    """Cut a cap into parts that sum to it; rhos are added before they become an epsilon."""
    ends = {e.release: e.kind for e in entries if e.kind in (Kind.COMPLETE, Kind.FAIL)}
    charges = [e for e in entries if e.kind is Kind.CHARGE]
    done, failed = Totals(), Totals()
    for charge in charges:
        end = ends.get(charge.release)
        if end is Kind.COMPLETE:
            done = done + charge.cost
        elif end is Kind.FAIL:
            failed = failed + charge.cost
    released = float(done.epsilon_at(dataset.release_delta))
    both = float((done + failed).epsilon_at(dataset.release_delta))
    spent = float(dataset.spent)
    return Parts(
        released=released,
        failed=both - released,
        reserved=max(0.0, spent - both),
        left=max(0.0, float(dataset.left)),
    )


def show_cap(dataset: RegisteredDataset, entries: Sequence[Entry]) -> None:
    """Show what is spent, reserved and left of the lifetime cap."""
    parts = parts_of(dataset, entries)
    names = [plain(f"ledger.part.{name}") for name in ("released", "failed", "reserved", "left")]
    values = [parts.released, parts.failed, parts.reserved, parts.left]
    st.markdown(
        t(
            "ledger.promise",
            name=dataset.name,
            cap=number(float(dataset.cap_epsilon)),
            delta=one_in(dataset.cap_delta),
            unit=unit_words(dataset.unit),
            neighbors=neighbors_words(dataset.neighbors, dataset.unit),
        )
    )
    for column, (name, value) in zip(
        st.columns(4),
        [
            (t("ledger.cap"), float(dataset.cap_epsilon)),
            (t("ledger.charged"), parts.released + parts.failed),
            (t("ledger.reserved"), parts.reserved),
            (t("ledger.left"), parts.left),
        ],
        strict=True,
    ):
        column.metric(name, number(value, PART_DIGITS), border=True)
    show_chart(
        parted_bar(names, values, palette()),
        pd.DataFrame({plain("ledger.part.name"): names, "epsilon": [number(v, PART_DIGITS) for v in values]}),
        caption=plain("ledger.caption"),
        key="ledger_cap",
    )
    if dataset.cap_delta and dataset.left_zcdp > parts.left + 1e-9:
        st.caption(t("ledger.left_zcdp", left=left_of_cap(dataset.left_zcdp)))


def history(entries: Sequence[Entry]) -> pd.DataFrame:
    """What happened, newest first; a survey is called one."""
    surveys = {e.release: e.details["survey"] for e in entries if "survey" in e.details}
    rows = [
        {
            plain("ledger.column.number"): entry.number,
            plain("ledger.column.at"): entry.at[:19].replace("T", " "),
            plain("ledger.column.kind"): _kind(entry, surveys),
            plain("ledger.column.title"): _title(entry, surveys),
            plain("ledger.column.cost"): _cost(entry),
            plain("ledger.column.who"): entry.who,
            plain("ledger.column.why"): entry.why,
            plain("ledger.column.digest"): entry.digest[:12],
        }
        for entry in reversed(entries)
    ]
    return pd.DataFrame(rows)


def _kind(entry: Entry, surveys: Mapping[str, Sequence[str]]) -> str:
    if entry.kind is Kind.COMPLETE and entry.release in surveys:
        return plain("ledger.kind.surveyed")
    return plain("ledger.kind.cancelled" if entry.cancelled else f"ledger.kind.{entry.kind}")


def _title(entry: Entry, surveys: Mapping[str, Sequence[str]]) -> str:
    if entry.kind is Kind.CHARGE and entry.release in surveys:
        return plain("ledger.survey", n=len(surveys[entry.release]))
    return str(entry.details.get("title") or entry.details.get("name") or "")


def _cost(entry: Entry) -> str:
    if entry.kind is not Kind.CHARGE:
        return ""
    promise = entry.details.get("guarantee", {})
    epsilon = promise.get("epsilon")
    if epsilon is None:
        return number(float(entry.cost.epsilon), 4)
    delta = float(Fraction(promise.get("delta", 0.0)) + entry.cost.delta)  # a survey's thresholds have a part
    parts = [f"epsilon {epsilon:g}", *([f"delta {one_in(delta)}"] if delta else [])]
    return listed(parts)


def receipts_given() -> Receipts | None:
    """What the steward keeps outside of the workspace, to check the ledger against; None where nothing is.

    Raises:
        SourceError: it is no receipt.
    """
    left, right = st.columns(2)
    line = left.text_input(t("ledger.against"), key="ledger_against", help=t("ledger.against_help"))
    file = right.file_uploader(t("ledger.against_file"), type=["json", "txt"], key="ledger_against_file")
    if file is not None:
        return Receipts.of_file(file.getvalue(), file.name)
    return Receipts.of_file(line.encode(), line) if line.strip() else None


def show_faults(workspace: Workspace, receipts: Receipts | None) -> None:
    """Recompute the whole chain and say what was found."""
    faults = workspace.verify(against=receipts)
    if not faults:
        said = [t("ledger.verified", entries=len(workspace.entries()))]
        said += [t("ledger.agrees")] if receipts is not None else []
        st.info(Markdown(sentences(*said)), icon=":material/link:")
    for fault in faults:
        st.error(escape(sentence(fault)), icon=":material/link_off:")


def export_of(workspace: Workspace, datasets: Sequence[RegisteredDataset]) -> bytes:
    """The ledger of these data sets as JSON, fingerprints left out."""
    values = {
        "format": FORMAT,
        "datasets": [
            {**dataset.to_dict(), "entries": [readable(entry) for entry in workspace.entries(dataset)]}
            for dataset in datasets
        ],
    }
    return (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode()
