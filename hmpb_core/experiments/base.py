"""What an experiment is: cells to measure, charts to draw, and what the paper says beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

Cell = Mapping[str, Any]
"""What one measurement is of: plain values that name it."""
Row = dict[str, Any]
"""A cell with what was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One panel: lines of points.

    Attributes:
        title: What it shows.
        x: The x axis, with its unit.
        y: The y axis, with its unit.
        lines: Points (x, y) by the line's name.
    """

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table or figure of a paper, or a measurement of this machine.

    Attributes:
        name: Its name on the command line.
        title: What it shows.
        place: Where the paper has it: [Key, place].
        study: Whose measurements it draws; several figures may share one study.
        cells: What has to be measured, the most telling first; True for the small setting of the tests.
        measure: Measures a cell, given the folder of the data sets.
        table: The figures as they are reported, from all rows measured.
        charts: The panels.
        reported: What the paper reports, typed in from its text, with the place.
        differs: Where we differ and why, from all rows measured; of an experiment on this machine, what it
            says.
        sized: Gives the cells of other numbers of rows; None where an experiment has the papers' tables.
    """

    name: str
    title: str
    place: str
    study: str
    cells: Callable[[bool], list[Cell]] = field(repr=False)
    measure: Callable[[Cell, Path], Row] = field(repr=False)
    table: Callable[[pd.DataFrame], pd.DataFrame] = field(repr=False)
    charts: Callable[[pd.DataFrame], list[Chart]] = field(repr=False)
    reported: tuple[str, ...]
    differs: Callable[[pd.DataFrame], str] = field(repr=False)
    sized: Callable[[Sequence[int]], list[Cell]] | None = field(default=None, repr=False)

    @property
    def of_machine(self) -> bool:
        """Whether it measures this machine on stand-in tables: alone, and without the papers' data sets."""
        return self.sized is not None


def lines_of(frame: pd.DataFrame, x: str, y: str, by: str = "method") -> dict[str, list[tuple[float, float]]]:
    """The mean of y at every x, one line for every value of ``by``."""
    found = {}
    for name, part in frame.dropna(subset=[y]).groupby(by, sort=False):
        means = part.groupby(x)[y].mean().sort_index()
        places = means.index.to_numpy(dtype=float)
        found[str(name)] = list(zip(places.tolist(), means.to_numpy(dtype=float).tolist(), strict=True))
    return found
