"""Rows in the form in which their table came, where that is a file of SPSS or Stata, or a workbook."""

from __future__ import annotations

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.errors import SourceError
from hmpb_core.publishing.labelled_files import LABELLED, labelled_of, unfit_names
from hmpb_core.publishing.workbooks import workbook_of
from hmpb_core.several_answers import together

WORKBOOK = ".xlsx"
ENDINGS = (*LABELLED, WORKBOOK)
"""Endings of the files that ``rows_as`` writes."""
MOST_CELLS = 2_000_000
"""Cells of a workbook in a bundle: more take longer than all else of a release."""
_ENDINGS = {"spss": ".sav", "stata": ".dta", "workbook": WORKBOOK}
_SHOWN = 5


def own_ending(codebook: Codebook) -> str | None:
    """The ending of the file in which rows leave as their table came; None where it has no such form."""
    ending = _ENDINGS.get(codebook.file_format)
    return None if ending in LABELLED and unfit_names(codebook, ending) else ending


def require_names(codebook: Codebook, ending: str) -> None:
    """Refuse columns that a statistics package has no names for; other files take all names.

    Raises:
        SourceError: there are some.
    """
    if ending in LABELLED and (unfit := unfit_names(codebook, ending)):
        raise SourceError(
            "{package} has no variables called {names}; rename them, or write a .csv or a .parquet file.",
            package=LABELLED[ending],
            names=", ".join(map(repr, unfit[:_SHOWN])) + (", ..." if unfit[_SHOWN:] else ""),
        )


def rows_as(ending: str, frame: pd.DataFrame, codebook: Codebook) -> bytes:
    """Write rows as a file of one of ``ENDINGS``.

    Raises:
        SourceError: such a file cannot hold them.
    """
    frame, codebook = together(frame, codebook.answers), codebook.in_whole_columns()
    return workbook_of(frame, codebook) if ending == WORKBOOK else labelled_of(frame, codebook, ending)


def fits_a_bundle(ending: str, frame: pd.DataFrame) -> bool:
    """Whether a bundle holds rows in this form: of a workbook up to ``MOST_CELLS``."""
    return ending != WORKBOOK or frame.size <= MOST_CELLS
