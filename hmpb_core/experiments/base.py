"""What an experiment is: cells to measure, charts to draw, and what the paper says beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from hmpb_core.errors import Sentence
from hmpb_core.experiments.data import GIVEN, PAPER_ADULT
from hmpb_core.progress import Progress

Cell = Mapping[str, Any]
"""What one measurement is of: plain values that name it."""
Row = dict[str, Any]
"""A cell with what was measured."""
Said = tuple[Sentence, ...]
"""A paragraph, sentence by sentence, so that every language can say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One panel: lines of points.

    Attributes:
        title: What it shows.
        x: The x axis, with its unit.
        y: The y axis, with its unit.
        lines: Points (x, y) by the line's name.
    """

    title: Sentence
    x: Sentence
    y: Sentence
    lines: Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table or figure of a paper, or a measurement of this machine.

    Attributes:
        name: Its name on the command line.
        title: What it shows.
        place: Where the paper has it: [Key, place].
        study: Whose measurements it draws; several figures may share one study.
        needs: Names of the papers' tables it reads (``data.FILES``); empty for one that measures this
            machine.
        cells: What has to be measured, the most telling first; True for the small setting of the tests.
        measure: Measures a cell, given the folder of the data sets and whom to tell where it is.
        table: The figures as they are reported, from all rows measured.
        charts: The panels.
        reported: What the paper reports, typed in from its text, with the place.
        differs: Where we differ and why, from all rows measured; of an experiment on this machine, what it
            says.
        sized: Gives the cells of other numbers of rows.
        along_rows: Whether the number of rows is what varies, so that it takes several.
        other_tables: Whether it means something on another table than the paper's.
    """

    name: str
    title: Sentence
    place: str
    study: str
    needs: tuple[str, ...]
    cells: Callable[[bool], list[Cell]] = field(repr=False)
    measure: Callable[[Cell, Path, Progress], Row] = field(repr=False)
    table: Callable[[pd.DataFrame], pd.DataFrame] = field(repr=False)
    charts: Callable[[pd.DataFrame], list[Chart]] = field(repr=False)
    reported: Said
    differs: Callable[[pd.DataFrame], Said] = field(repr=False)
    sized: Callable[[Sequence[int]], list[Cell]] = field(repr=False)
    along_rows: bool = False
    other_tables: bool = True

    @property
    def of_machine(self) -> bool:
        """Whether it measures this machine on stand-in tables: alone, and without the papers' data sets."""
        return not self.needs

    def of_rows(self, rows: Sequence[int]) -> Experiment:
        """The experiment on tables of other numbers of rows; as it is where none is given."""
        if not rows:
            return self
        cells = self.sized(rows)
        return replace(self, cells=lambda _: cells)

    def on_given(self) -> Experiment:
        """The experiment on the table that its folder holds instead of the paper's (``data.write_given``)."""
        before = self.cells

        def cells(quick: bool) -> list[Cell]:
            own = [cell for cell in before(quick) if cell.get("table", PAPER_ADULT) == PAPER_ADULT]
            return [{**cell, "table": GIVEN} for cell in own]

        return replace(self, cells=cells, needs=(GIVEN,))


def of_each_size(cells: Sequence[Cell], rows: Sequence[int]) -> list[Cell]:
    """The cells on so many rows of their tables, drawn once."""
    return [{**cell, "most_rows": most} for most in rows for cell in cells]


def lines_of(frame: pd.DataFrame, x: str, y: str, by: str = "method") -> dict[str, list[tuple[float, float]]]:
    """The mean of y at every x, one line for every value of ``by``."""
    found = {}
    for name, part in frame.dropna(subset=[y]).groupby(by, sort=False):
        means = part.groupby(x)[y].mean().sort_index()
        places = means.index.to_numpy(dtype=float)
        found[str(name)] = list(zip(places.tolist(), means.to_numpy(dtype=float).tolist(), strict=True))
    return found


def text_of(said: Said) -> str:
    """A paragraph in English."""
    return " ".join(map(str, said))
