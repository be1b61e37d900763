"""What is wrong with a column, in the words of its card: the core speaks of a codebook file and its keys."""

from __future__ import annotations

from hmpb_core.errors import Sentence
from pages.words.catalogue import Markdown, escape, t
from pages.words.errors import sentence

IN_WORDS = {
    "{name!r} has missing values, but the codebook says it is required; drop 'required' from the "
    "codebook, or remove those rows.": "missing",
    "{name!r} has values that are no {kind} written as {format}; give the 'format' that the table uses,"
    " list their text under 'missingValues' of the codebook, or have all of them count as missing with "
    "'unknown': ''.": "moments",
    "{name!r} has values that are not numbers; correct them, list their text under 'missingValues' of "
    "the codebook, have all of them count as missing with 'unknown': '', or declare categories instead,"
    " in order where they are bands such as 0-4.": "numbers",
    "{name!r} has values that are not among its {categories} declared categories (or missing where it "
    "is required); add them to the codebook from public knowledge, or set its 'unknown' to the category"
    " that should take them.": "listed",
    "'bins' of {name!r} must be a whole number, a list of edges or 'learned'.": "bins",
    "'bins' of {name!r} lists edges that are not two or more of its values; correct them.": "edges",
    "'multipleOf' of {name!r} must be a number.": "step",
    "'values' of {name!r} must be a list of numbers.": "occurring",
    "'written' of {name!r} must be 'shortest', a number of decimals from 0 to {most}, the number 1234.5"
    " as the file writes it, such as $1,234.50, or .5 where no zero stands before the point.": "written",
    "'format' of {name!r} is {pattern!r}, in which no two of its values can be told apart and read "
    "again; write it as {example}, or leave it out where the column has {standard}.": "format",
    "The minimum or maximum of {name!r} is not written as its values are; write it like {example}, or "
    "correct how the column is written ('format').": "bounds",
    "{name!r} has the range {minimum:g} to {maximum:g}, which holds no whole number; widen it, or "
    "declare the type 'number'.": "whole",
    "{name!r} has the type {kind!r} and no categories; list its categories, or declare it as 'integer' "
    "or 'number' with a minimum and a maximum.": "typeless",
}
"""Sentences of the core that name keys of the codebook file, and the entry of ``data.fault`` for each."""

_LABELS = {
    "codes": "missing_codes",
    "may": "missing",
    "unread": "unread",
    "format": "format",
    "written": "written",
    "step": "step",
    "occurring": "values",
    "bins": "bins",
    "kind": "kind",
}


def fault_in_words(fault: Sentence) -> Markdown:
    """Say what is wrong with a column by the fields of its card."""
    key = IN_WORDS.get(fault.template)
    if key is None:
        return escape(sentence(fault))
    labels = {f"{hole}_label": t(f"data.column.{label}") for hole, label in _LABELS.items()}
    return t(f"data.fault.{key}", **fault.values, **labels)
