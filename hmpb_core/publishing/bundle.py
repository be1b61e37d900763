"""The release bundle: a zip that stands alone and holds nothing that was not paid for."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.errors import NotPrivateError, SourceError
from hmpb_core.model import Model
from hmpb_core.privacy.ledger import Entry, digest_of
from hmpb_core.progress import WRITING, Progress, silent
from hmpb_core.publishing.accuracy import accuracy_files
from hmpb_core.publishing.checklist import checklist_page
from hmpb_core.publishing.model_files import RAN, model_files
from hmpb_core.publishing.own_form import fits_a_bundle, own_ending, rows_as
from hmpb_core.publishing.package import datapackage_of
from hmpb_core.publishing.parquet import parquet_of
from hmpb_core.publishing.readme import readme_page
from hmpb_core.publishing.record import ReleaseRecord
from hmpb_core.publishing.statement import statement_page, statement_yaml
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.publishing.workspace import readable
from hmpb_core.publishing.zones import Labelled, declared, paid, public

LEDGER_FORMAT = "hmpb-ledger-extract/1"
CHECKSUMS = "CHECKSUMS"
EXTRACT = "ledger-extract.json"
MAX_BUNDLE_BYTES = 4 * 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What leaves: the synthetic tables and the files that hold them and all that is said of them.

    Attributes:
        rows: The synthetic tables, the first one first.
        files: The files by path, each with its zone.
    """

    rows: tuple[pd.DataFrame, ...] = field(repr=False)
    files: Mapping[str, Labelled[bytes]] = field(repr=False)

    def zipped(self) -> bytes:
        """The files as one zip.

        Raises:
            NotPrivateError: one of them may not leave.
        """
        return zipped(self.files)


def bundle_of(
    model: Model, record: ReleaseRecord, *, rng: np.random.Generator, progress: Progress = silent
) -> Bundle:
    """Make the bundle of a release, or of a rehearsal.

    Args:
        model: The paid model.
        record: What is to be said about it.
        rng: Draws the rows: post-processing.
        progress: Told after each table that is drawn, and that is written, as the last of a run's work.

    Raises:
        NotPrivateError: the model carries no guarantee.
    """
    if record.payment is not None and not model.releasable:
        raise NotPrivateError(
            "The model carries no guarantee: its noise was seeded, absent or charged too little. Only a "
            "paid run "
            "of the accounting 'sound' can be released."
        )
    rows = []
    for number in range(1, record.replicates + 1):
        rows.append(model.sample(record.rows, rng=rng))
        progress(WRITING + (1 - WRITING) * number / record.replicates / 2, "rows")
    return Bundle(rows=tuple(rows), files=contents_of(model, record, rows, progress=progress))


def contents_of(
    model: Model, record: ReleaseRecord, tables: Sequence[pd.DataFrame], *, progress: Progress = silent
) -> dict[str, Labelled[bytes]]:
    """Give the files of a bundle, each with its zone, by path."""
    charge = record.payment.charge.digest if record.payment else ""

    def from_model(text: str | bytes) -> Labelled[bytes]:
        content = text.encode() if isinstance(text, str) else text
        return paid(content, charge) if charge else declared(content)

    def from_plan(text: str) -> Labelled[bytes]:
        return declared(text.encode())

    prefix = "rehearsal-" if record.rehearsal else ""
    form = CsvForm.of(record.codebook)
    ending = own_ending(record.codebook)
    files: dict[str, Labelled[bytes]] = {}
    csvs: dict[str, bytes] = {}
    for number, rows in enumerate(tables, start=1):
        stem = f"{prefix}data" if number == 1 else f"{prefix}data-{number}"
        csvs[f"{stem}.csv"] = csv_of(rows, form)
        files[f"{stem}.csv"] = from_model(csvs[f"{stem}.csv"])
        files[f"{stem}.parquet"] = from_model(parquet_of(rows, record.codebook))
        if ending is not None and fits_a_bundle(ending, rows):
            with suppress(Exception):  # what was paid for is not lost for what another package stumbles over
                files[f"{stem}{ending}"] = from_model(rows_as(ending, rows, record.codebook))
        progress(WRITING + (1 - WRITING) * (1 + number / len(tables)) / 2, "rows")
    plain = record.in_english
    files["datapackage.json"] = from_model(
        datapackage_of(
            record.codebook,
            csvs,
            name=plain.heading,
            title=plain.heading,
            description=readme_line(plain),
            created=record.made.isoformat(timespec="seconds"),
        )
    )
    files["privacy-statement.yaml"] = from_model(statement_yaml(record))
    files["privacy-statement.html"] = from_model(statement_page(record))
    files["nist-800-226.html"] = from_model(checklist_page(record))
    files[EXTRACT] = from_model(_ledger_extract(plain))
    files["plan.toml"] = from_plan(record.plan_file.to_toml())
    if record.chosen is not None:
        files["marks.toml"] = from_plan(record.chosen.marks)
        files["selection.json"] = from_model(json.dumps(record.chosen.found, indent=1) + "\n")
        files[RAN] = from_model(record.chosen.plan_file.to_toml())
    files["answers.toml"] = from_plan(record.answers.to_toml())
    files["reproduce.py"] = from_plan(_REPRODUCE)
    for path, text in model_files(model, record.codebook).items():
        files[path] = from_plan(text) if path == "model/codebook.json" else from_model(text)
    values = {path: item.value for path, item in files.items()}
    for path, text in accuracy_files(record, values).items():
        files[path] = from_model(text)
    zones = {path: item.zone for path, item in files.items()}
    return {"README.html": from_model(readme_page(record, zones)), **files}


def readme_line(record: ReleaseRecord) -> str:
    """What a bundle is, in one line."""
    if record.rehearsal:
        return record.words(record.rehearsed("line.rehearsal"), stand_in=record.ran_on)
    return record.words("line.release", promise=record.promise)


def zipped(files: Mapping[str, Labelled[bytes]]) -> bytes:
    """Zip files that may leave, with their checksums.

    Raises:
        NotPrivateError: one of them may not.
    """
    contents = {path: public(item, f"The file {path!r}") for path, item in files.items()}
    lines = [f"{digest_of(content)}  {path}" for path, content in contents.items()]
    contents[CHECKSUMS] = ("\n".join(lines) + "\n").encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in contents.items():
            info = zipfile.ZipInfo(path)
            info.external_attr = 0o644 << 16  # readable by whoever unpacks it
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def read_bundle(content: bytes) -> dict[str, bytes]:
    """Read a bundle and check every file against its checksum.

    Raises:
        SourceError: it is not a bundle, or a file was changed.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_BUNDLE_BYTES:
                raise SourceError("The bundle is larger than 4 GiB unpacked; it is not one of this tool's.")
            files = {name: archive.read(name) for name in archive.namelist()}
        sums = dict(line.split("  ", 1)[::-1] for line in files.pop(CHECKSUMS).decode().splitlines())
    except (  # a bad stream, one cut short, another compression, bytes that are no header
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        ValueError,
        OSError,
        OverflowError,
        RuntimeError,
        struct.error,
    ):
        raise SourceError("This is not a bundle, or it is damaged; fetch it again.") from None
    for name, data in files.items():
        if sums.get(name) != digest_of(data):
            raise SourceError(
                "The bundle's file {file!r} was changed since it was made; fetch the bundle again.", file=name
            )
    if missing := sorted(set(sums) - set(files)):
        raise SourceError("The bundle lacks its file {file!r}; fetch it again.", file=missing[0])
    return files


def _ledger_extract(record: ReleaseRecord) -> str:
    values: dict[str, Any] = {"format": LEDGER_FORMAT}
    if record.payment is None:
        values |= {"rehearsal": True, "stand_in": record.ran_on, "entries": []}
    else:
        dataset, charge = record.payment.dataset, record.payment.charge
        values |= {
            "dataset": {
                "name": dataset.name,
                "unit": str(dataset.unit),
                "neighbors": dataset.neighbors.value,
                "spent": float(dataset.spent),
                "delta": dataset.cap_delta if dataset.totals.rho else 0.0,
            },
            "entries": [_entry(charge)],
        }
        if record.payment.show_left:
            values["dataset"] |= {"cap": float(dataset.cap_epsilon), "left": float(dataset.left)}
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _entry(charge: Entry) -> dict[str, Any]:
    return {**readable(charge), "body": charge.body}


_REPRODUCE = '''"""Run the procedure of this release again, on a table that you hold.

Needs the package hmpb. The noise is drawn afresh from the operating system: the procedure can
be repeated, the noise cannot, because a known seed would cancel the protection.

    python reproduce.py TABLE WORKSPACE CAP UNIT [--encoding ENC --decimal M --header LINES]

TABLE is a csv or Parquet file with the columns of model/codebook.json; WORKSPACE the folder of
your ledger; CAP the lifetime epsilon of your table; UNIT "row" or COLUMN:m. A table that your ledger
does not know yet is registered with the plan's neighbours and delta, for good. The release asks before
it is charged to that ledger, and writes reproduced.zip. How the table's own file
is written is no part of this bundle: name it where the commands ask for it.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

if len(sys.argv) < 5:
    sys.exit(__doc__)
here = Path(__file__).resolve().parent
table, workspace, cap, unit, *reading = sys.argv[1:]
guarantee = tomllib.loads((here / "plan.toml").read_text(encoding="utf-8"))["guarantee"]
codebook = ["--codebook", str(here / "model" / "codebook.json"), "--workspace", workspace]
terms = ["--cap", cap, "--unit", unit, "--neighbors", guarantee["neighbors"]]
if guarantee["delta"]:
    terms += ["--cap-delta", str(guarantee["delta"])]
plan = ["--plan", str(here / "plan.toml"), "--out", "reproduced.zip"]
if (here / "marks.toml").exists():
    plan += ["--marks", str(here / "marks.toml")]
subprocess.run(["hmpb", "register", table, *reading, *codebook, *terms])
sys.exit(subprocess.run(["hmpb", "release", table, *reading, *codebook, *plan]).returncode)
'''
