"""How many rows of the private table break each public rule: for the steward's eyes only."""

from __future__ import annotations

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.errors import Sentence
from hmpb_core.publishing.zones import Labelled, steward_only
from hmpb_core.several_answers import apart


def rule_breaks(frame: pd.DataFrame, codebook: Codebook) -> Labelled[list[tuple[Sentence, int]]]:
    """Count the rows that break each rule, without naming one.

    The counts are exact and private: nothing is withheld or refused because of them, so they must not
    reach an error, a log or a file (``zones.public`` refuses them).

    Args:
        frame: The private table, as it was read.
        codebook: Its public codebook with the rules.
    """
    missing = {name: codebook.missing_of(name) for name in codebook.domain.names}
    counts = codebook.rules.broken_rows(apart(frame, codebook.answers), missing)
    return steward_only(
        [(rule.words, count) for rule, count in zip(codebook.rules.items, counts, strict=True)]
    )
