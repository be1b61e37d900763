"""What the page Experiments reads and writes: folders, the table it measures on, the work itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain
from hmpb_core.encoding import encode
from hmpb_core.experiments.base import Cell, Experiment
from hmpb_core.experiments.data import FILES, GIVEN, missing_files, write_given
from hmpb_core.experiments.maasae import given_quasi
from hmpb_core.experiments.registry import EXPERIMENTS
from hmpb_core.experiments.runner import frame_of, kept_in, read_cells, run, seconds_each
from hmpb_core.progress import Progress
from pages.session.choices import ExperimentChoices
from pages.session.ledger import workspace_folder
from pages.session.state import Basis, Table

FOLDER_VARIABLE = "HMPB_PAPERS"
PAPERS, LOADED = "papers", "loaded"
FEWEST_ROWS, MOST_ROWS, MOST_MACHINE_ROWS = 200, 20_000, 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """An experiment at a size, with its folders.

    Attributes:
        experiment: The experiment, of the rows chosen and on the table chosen.
        folder: Where its tables are.
        out: Where its results are kept.
    """

    experiment: Experiment = field(repr=False)
    folder: Path
    out: Path

    @property
    def cells(self) -> list[Cell]:
        """All settings."""
        return self.experiment.cells(False)

    @property
    def kept(self) -> Path:
        """The file of the results."""
        return kept_in(self.experiment, self.out)

    def frame(self) -> pd.DataFrame:
        """What is measured so far."""
        return frame_of(self.experiment, read_cells(self.kept))

    def seconds_each(self) -> float | None:
        """How long a setting took on average; None before one is measured."""
        return seconds_each(self.experiment, self.kept)


def results_folder() -> Path:
    """Where results are kept: beside the ledger."""
    return workspace_folder() / "experiments"


def papers_folder() -> Path:
    """Where the papers' data sets are: ``HMPB_PAPERS``, or a folder of the workspace that uploads go to."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else results_folder() / "data"


def may_upload() -> bool:
    """Whether files may be added: not to a folder that the operator named."""
    return not os.environ.get(FOLDER_VARIABLE)


def lacking(experiment: Experiment) -> tuple[str, ...]:
    """Names of the files that an experiment lacks."""
    return missing_files(papers_folder(), experiment.needs)


def targets(domain: Domain) -> list[str]:
    """Attributes that a classifier can predict: those of two and more categories."""
    return [a.name for a in domain.attributes if isinstance(a, Categorical) and len(a.categories) > 1]


def usable(table: Table | None, codebook: Codebook | None) -> bool:
    """Whether the loaded table may be measured on: a public one, with a codebook and something to predict."""
    return (
        table is not None
        and table.outside is None
        and table.basis is not Basis.PRIVATE
        and codebook is not None
        and bool(targets(codebook.domain))
        and len(codebook.domain) > 2
    )


def most_rows(experiment: Experiment, table: Table | None) -> int:
    """The most rows that may be asked for."""
    if experiment.of_machine:
        return MOST_MACHINE_ROWS
    return MOST_ROWS if table is None else max(FEWEST_ROWS, min(MOST_ROWS, table.n_rows))


def bench_of(choices: ExperimentChoices, given: Given | None) -> Bench:
    """The experiment that is chosen, with its folders; a loaded table has one of its own.

    Args:
        choices: The page's choices.
        given: The loaded table, where it is measured on.
    """
    experiment = EXPERIMENTS[choices.name].of_rows([int(choices.rows)])
    if experiment.of_machine or given is None:
        return Bench(experiment=experiment, folder=papers_folder(), out=results_folder() / PAPERS)
    folder = results_folder() / given.digest
    return Bench(experiment=possible(experiment.on_given(), given), folder=folder, out=folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A loaded public table as the experiments see it.

    Attributes:
        table: The table; never a private one.
        codebook: Its codebook.
        target: What is predicted, and the sensitive attribute of micro-aggregation.
        digest: A name for its results: other rows, another codebook or target begin anew.
        n_values: How many different values the target has in it.
    """

    table: Table
    codebook: Codebook = field(repr=False)
    target: str
    digest: str
    n_values: int

    @classmethod
    def of(cls, table: Table, codebook: Codebook, target: str) -> Given:
        """Look at a public table."""
        column = encode(table.frame, codebook)[:, codebook.domain.index(target)]
        return cls(
            table=table,
            codebook=codebook,
            target=target,
            digest=digest_of(table, codebook, target),
            n_values=len(np.unique(column)),
        )


def digest_of(table: Table, codebook: Codebook, target: str) -> str:
    """Hash the rows, the codebook and the target."""
    hashed = hashlib.sha256(codebook.to_json().encode())
    hashed.update(pd.util.hash_pandas_object(table.frame, index=False).to_numpy().tobytes())
    hashed.update(target.encode())
    return hashed.hexdigest()[:16]


def possible(experiment: Experiment, given: Given) -> Experiment:
    """The experiment without settings that the table cannot have: too many values or attributes."""
    if experiment.study != "maasae":
        return experiment
    quasi = len(given_quasi(given.codebook, given.target))
    cells = [c for c in experiment.cells(False) if c["p"] <= given.n_values and c["quasi"] <= quasi]
    return replace(experiment, cells=lambda _: cells)


def measure_work(bench: Bench, most: int, given: Given | None) -> Callable[[Progress], int]:
    """Give the work: measure some settings that are not measured yet; what is done stays."""

    def work(progress: Progress) -> int:
        progress(0.0, "reading")
        bench.out.mkdir(parents=True, exist_ok=True, mode=0o700)
        if given is not None and missing_files(bench.folder, (GIVEN,)):
            write_given(bench.folder, given.table.frame, given.codebook, target=given.target)
        return len(run(bench.experiment, bench.folder, bench.out, most=most, workers=1, progress=progress))

    return work


def files_of(experiment: Experiment) -> tuple[str, ...]:
    """Names of the files that an experiment reads."""
    return tuple(dict.fromkeys(name for table in experiment.needs for name in FILES[table]))
