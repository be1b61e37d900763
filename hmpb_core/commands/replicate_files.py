"""Replicates as files: a folder of csv files that is there whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import remark
from hmpb_core.errors import SourceError
from hmpb_core.progress import Progress, silent
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.replication import apart, replicates
from hmpb_core.unmeasured import Measured, possible_tables, tells_strengths

MOST_NAMED = 5
TIMES_AS_MANY = 2
"""Rows of a possible table over those of a replicate: files stay small, and drawing them adds a twelfth to a
standard error."""


def write_replicates(
    model: Measured,
    codebook: Codebook,
    count: int,
    folder: Path,
    *,
    rows: int | None = None,
    columns: Sequence[str] | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> list[str]:
    """Write ``replicate-01.csv`` and so on into a new folder; give their names.

    Where the model lacks pairs, and the release tells how strong they are, as many ``possible-01.csv`` and so
    on lie beside them: tables that it does not rule out.

    Args:
        model: The paid model.
        codebook: Its public codebook.
        count: How many.
        folder: Where; it must not be there yet, or be empty.
        rows: Rows of each; as many as were published unless given.
        columns: The columns of an analysis: what possible tables tell of; all unless given.
        rng: Draws everything.
        progress: Told where the work is.

    Raises:
        SourceError: the folder holds something, or cannot be written.
        PlanError: count is not allowed.
        DomainError: there is no such column.
    """
    require_empty(folder)
    kinds = {"replicate": replicates(model, codebook, count, rows=rows, rng=rng, progress=progress)}
    if apart(model, columns) and tells_strengths(model):
        twice = TIMES_AS_MANY * (rows or model.plan.rows or model.n_rows)
        kinds["possible"] = possible_tables(
            model, codebook, count, rows=twice, names=columns, rng=rng, progress=progress
        )
    names: list[str] = []
    form = CsvForm.of(codebook)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            for kind, tables in kinds.items():
                for number, table in enumerate(tables, start=1):
                    names.append(f"{kind}-{number:0{max(2, len(str(count)))}d}.csv")
                    (part / names[-1]).write_bytes(csv_of(table, form))
            part.chmod(0o755)
            if folder.is_dir():
                folder.rmdir()
            part.replace(folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError:
        raise SourceError(
            "{file!r} cannot be written; choose another place with --out.", file=str(folder)
        ) from None
    return names


def require_empty(folder: Path) -> None:
    """Refuse a folder that holds something: old replicates beside new ones would be taken for these.

    Raises:
        SourceError: it does.
    """
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise SourceError(
            "{folder!r} holds files already; name a new folder for the replicates.", folder=str(folder)
        )


def say_apart(model: Measured, columns: Sequence[str] | None = None) -> None:
    """Name the pairs of attributes that the model does not hold, and what to do about their intervals."""
    pairs = apart(model, columns)
    if not pairs:
        return
    some = "; ".join(f"{first} and {second}" for first, second in pairs[:MOST_NAMED])
    more = f"; and {len(pairs) - MOST_NAMED} more pairs" if len(pairs) > MOST_NAMED else ""
    if tells_strengths(model):
        remark(
            f"Never measured together: {some}{more}. Give combine the estimates on the possible-NN.csv as "
            "possible=...; without them an interval that needs such a pair does not cover "
            "(docs/replicates.md)."
        )
    else:
        remark(
            f"Never measured together: {some}{more}. Not covered: an interval that needs such a pair. The "
            "release does not tell how strong these pairs are, so do not report it (docs/replicates.md)."
        )
