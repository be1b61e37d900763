"""Replicates as files: a folder of csv files that is there whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.commands.console import remark
from hmpb_core.errors import SourceError
from hmpb_core.progress import Progress, silent
from hmpb_core.publishing.tables import csv_of
from hmpb_core.replication import Drawable, apart, replicates

MOST_NAMED = 5


def write_replicates(
    model: Drawable,
    codebook: Codebook,
    count: int,
    folder: Path,
    *,
    rows: int | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> list[str]:
    """Write ``replicate-01.csv`` and so on into a new folder; give their names.

    Args:
        model: The paid model.
        codebook: Its public codebook.
        count: How many.
        folder: Where; it must not be there yet, or be empty.
        rows: Rows of each; as many as were published unless given.
        rng: Draws everything.
        progress: Told where the work is.

    Raises:
        SourceError: the folder holds something, or cannot be written.
        PlanError: count is not allowed.
    """
    require_empty(folder)
    tables = replicates(model, codebook, count, rows=rows, rng=rng, progress=progress)
    names: list[str] = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            for number, table in enumerate(tables, start=1):
                names.append(f"replicate-{number:0{max(2, len(str(count)))}d}.csv")
                (part / names[-1]).write_bytes(csv_of(table))
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


def say_apart(model: Drawable) -> None:
    """Name the pairs of attributes of which no interval may be trusted: the model does not hold them."""
    pairs = apart(model)
    if pairs:
        some = "; ".join(f"{first} and {second}" for first, second in pairs[:MOST_NAMED])
        more = f"; and {len(pairs) - MOST_NAMED} more pairs" if len(pairs) > MOST_NAMED else ""
        remark(
            f"The model has no table of {some}{more}. Intervals of coefficients that need such a pair are "
            "too short: docs/replicates.md."
        )
