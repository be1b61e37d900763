"""The first page a reader of a bundle opens."""

from __future__ import annotations

from collections.abc import Mapping

from hmpb_core.publishing.page import page_of
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.tables import CsvForm
from hmpb_core.publishing.zones import Zone

_WHAT = {
    "data": "synthetic rows",
    "accuracy": "what to count on, what not to use it for, and a data dictionary",
    "datapackage.json": "data dictionary: types, bounds, categories (Data Package, Table Schema)",
    "privacy-statement": "what is promised, per whom, and how (DP Deployments Registry's fields)",
    "nist-800-226.html": "checklist after NIST SP 800-226: pass, warn, fail, or not answered",
    "marks.toml": "what this release had to reach, agreed by whom and when, and the plans that were tried",
    "selection.json": "which plan passed, by how much, and what a try cost; the whole search is on the bill",
    "model/plan.toml": "the plan that passed, at a try's part of the guarantee",
    "answers.toml": "what the steward says of this release; 'hmpb release --answers' takes it again",
    "ledger-extract.json": "the ledger entry that paid for this release",
    "plan.toml": "every choice that was made, before anything was spent",
    "reproduce.py": "runs the procedure again, with fresh noise",
    "model/codebook.json": "the public codebook",
    "model/similarity.json": "noisy similarity of all pairs of attributes",
    "model/clusters.json": "clusters of attributes",
    "model/networks": "who depends on whom: the Bayesian networks, the learner and the bridges",
    "model/values.json": "bins and frequent values that were learned, and how values lie inside each bin",
    "model/tables.json": "conditional tables read off the noisy counts, each with the noise on a count",
    "model/weights.json": "risk weights: the shift they ask for, the noise drawn, what was spent",
    "model/measurements.json": "every look at the table: what it was, what it cost, its noise",
    "model/bill.json": "what each stage and each attribute cost",
}


def readme_page(record: ReleaseRecord, zones: Mapping[str, Zone]) -> str:
    """Give the page.

    Args:
        record: What is to be said.
        zones: The zone of each file of the bundle.
    """
    files = [(path, _what(path), zone.value) for path, zone in zones.items()]
    return page_of(
        "readme.html.j2",
        record,
        files=files,
        learned="model/values.json" in zones,
        dialect=CsvForm.of(record.codebook).dialect.words,
    )


def _what(path: str) -> str:
    plain = path.removeprefix("rehearsal-")
    starts = [start for start in _WHAT if plain.startswith(start)]
    return _WHAT[max(starts, key=len)] if starts else ""
