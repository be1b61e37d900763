"""The first page a reader of a bundle opens."""

from __future__ import annotations

from collections.abc import Mapping

from hmpb_core.publishing.page import bullets, heading, page, paragraph, table
from hmpb_core.publishing.record import WATERMARK, ReleaseRecord
from hmpb_core.publishing.zones import Zone

_WHAT = {
    "data": "synthetic rows",
    "datapackage.json": "data dictionary: types, bounds, categories (Data Package, Table Schema)",
    "privacy-statement": "what is promised, per whom, and how (DP Deployments Registry's fields)",
    "nist-800-226.html": "checklist after NIST SP 800-226; open lines are marked",
    "ledger-extract.json": "the ledger entry that paid for this release",
    "plan.toml": "every choice that was made, before anything was spent",
    "reproduce.py": "runs the procedure again, with fresh noise",
    "model/codebook.json": "the public codebook",
    "model/similarity.json": "noisy similarity of all pairs of attributes",
    "model/clusters.json": "clusters of attributes",
    "model/networks": "who depends on whom: the Bayesian networks",
    "model/tables.json": "conditional tables read off the noisy counts, each with the noise on a count",
    "model/weights.json": "risk weights: who got how much of the budget",
    "model/bill.json": "what each stage and each attribute cost",
}


def readme_page(record: ReleaseRecord, zones: Mapping[str, Zone]) -> str:
    """Give the page.

    Args:
        record: What is to be said.
        zones: The zone of each file of the bundle.
    """
    made = f"Made on {record.date}: {record.replicates} synthetic table(s) of {record.rows:,} rows."
    if record.replicates > 1:
        made += (
            " They come from one model; how much a result differs among them shows part of its uncertainty."
        )
    body = [
        paragraph(made),
        heading("What is protected"),
        paragraph(
            "The files come from a rehearsal and protect nobody, because they say nothing about anybody."
            if record.rehearsal
            else f"Privacy loss limit: {record.promise}. The details are in privacy-statement.html."
        ),
        heading("How to read the rows"),
        bullets(
            (
                "No row is a person. A row may look like somebody by chance; it is not evidence about "
                "anybody.",
                "Totals, shares and relations between a few attributes are close to the original's; "
                "single rows, "
                "rare combinations and relations among many attributes are not.",
                "Numbers inside a bin are drawn evenly: the bins are the finest truth.",
                "Odd combinations can occur. Removing them would add bias.",
                "model/tables.json holds the tables that the rows were drawn from, each with its noise; they "
                "are more exact than counting rows.",
                "Text that a spreadsheet would run as a formula has an apostrophe before it in the csv "
                "files.",
            )
        ),
        heading("Files"),
        table(
            ("file", "what", "zone"),
            [(path, _what(path), zone.value) for path, zone in zones.items()],
        ),
        paragraph("declared: never touched the data. DP: made from noisy results that were paid for."),
        paragraph(
            "CHECKSUMS holds the SHA-256 of every file. 'hmpb resample' draws more rows, free of charge."
        ),
        heading("How to cite"),
        paragraph(f"{record.title}. Synthetic data, {record.promise}. {record.date}."),
    ]
    return page(record.title, body, watermark=WATERMARK * record.rehearsal)


def _what(path: str) -> str:
    plain = path.removeprefix("rehearsal-")
    return next((words for start, words in _WHAT.items() if plain.startswith(start)), "")
