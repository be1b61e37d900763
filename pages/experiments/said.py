"""The experiments' own words in the reader's language: sentences, titles, headings and cells of tables."""

from __future__ import annotations

import re

import pandas as pd

from hmpb_core.experiments.base import Experiment, Said
from pages.words.catalogue import Markdown, escape, has, language, listed, plain
from pages.words.errors import sentence


def said(paragraph: Said) -> Markdown:
    """A paragraph; Chinese sentences need no blank between them."""
    return escape(("" if language() == "zh" else " ").join(sentence(part) for part in paragraph))


def title(experiment: Experiment) -> str:
    """What an experiment shows."""
    return sentence(experiment.title)


def place_of(experiment: Experiment) -> str:
    """Where its paper has it; of an experiment on this machine, what it runs on."""
    if experiment.of_machine:
        return plain(f"experiments.runs_on.{experiment.name}")
    return experiment.place.strip("[]")


def line_name(name: str) -> str:
    """A line of a figure: its parts are a method, a setting or words of the core."""
    return listed(sentence(part) for part in name.split(", "))


def worded(table: pd.DataFrame) -> pd.DataFrame:
    """A table with its headings and words in the reader's language; figures stay as they are."""
    shown = table.rename(columns=lambda name: _word("heading", name))
    for place, name in enumerate(table.columns):
        if table[name].dtype == object or pd.api.types.is_string_dtype(table[name].dtype):
            shown.isetitem(place, [_cell(value) for value in table[name]])
    return shown


def _cell(value: object) -> object:
    return _word("cell", value) if isinstance(value, str) else value


def _word(kind: str, value: object) -> str:
    text = str(value)
    key = f"experiments.{kind}.{re.sub('[^a-z0-9]+', '_', text.lower()).strip('_')}"
    return plain(key) if has(key) else sentence(text)
