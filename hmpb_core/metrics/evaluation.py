"""One call that compares a synthetic table with the real one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from hmpb_core.binary import BinaryEncoding
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.encoding import encode
from hmpb_core.metrics.marginals import MarginalError, marginal_error
from hmpb_core.metrics.prediction import Target, paper_svm_error, svm_error
from hmpb_core.metrics.small_groups import GroupError, small_group_errors

REPEATS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Exact utility figures. Steward-only: they look at real rows without noise.

    Attributes:
        domain: The domain compared: the codebook's own, or its bits.
        pairs: Errors of all two-way marginals.
        triples: Errors of three-way marginals.
        groups: Errors of two-way cells by how many people they hold.
        svm_error: Misclassification on the real rows of an SVM trained on the synthetic ones.
        svm_error_paper: The same, trained and tested on synthetic rows.
    """

    domain: Domain
    pairs: MarginalError
    triples: MarginalError
    groups: tuple[GroupError, ...]
    svm_error: float | None
    svm_error_paper: float | None

    @property
    def avd2(self) -> float | None:
        """Mean error of the two-way marginals."""
        return self.pairs.mean

    @property
    def avd3(self) -> float | None:
        """Mean error of the three-way marginals."""
        return self.triples.mean

    def worst_pairs(self, count: int = 10) -> list[tuple[str, str, float]]:
        """The pairs of attributes with the largest error, worst first."""
        names = self.domain.names
        return [(names[i], names[j], value) for (i, j), value in self.pairs.worst(count)]

    def to_dict(self) -> dict[str, float | None]:
        """Give the figures as plain values."""
        return {
            "avd2": self.avd2,
            "avd3": self.avd3,
            "svm_error": self.svm_error,
            "svm_error_paper": self.svm_error_paper,
        }


def evaluate(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    codebook: Codebook,
    target: str | None = None,
    *,
    bits: bool = False,
    rng: np.random.Generator | None = None,
    repeats: int = REPEATS,
) -> Evaluation:
    """Compare a synthetic table with the real one.

    Args:
        real: The private table, or rows of it that the generator never saw.
        synthetic: The synthetic table.
        codebook: Their public codebook.
        target: What an SVM has to predict: ``NAME``, or ``NAME<VALUE`` for a number.
        bits: Compare marginals of the papers' binary codes instead of the codebook's own.
        rng: Splits the synthetic rows for the paper's variant; a fresh one where it is None.
        repeats: Number of such splits.

    Raises:
        SourceError: a table does not fit the codebook.
        PlanError: the target cannot be predicted.
    """
    chosen = Target.parse(target, codebook.domain) if target else None
    ours, theirs = encode(real, codebook), encode(synthetic, codebook)
    errors: tuple[float | None, float | None] = (None, None)
    if chosen is not None:
        known, drawn = chosen.classes(real, ours, codebook), chosen.classes(synthetic, theirs, codebook)
        errors = (
            svm_error((theirs, drawn), (ours, known), chosen, codebook.domain),
            paper_svm_error(
                theirs, drawn, chosen, codebook.domain, rng or np.random.default_rng(), repeats=repeats
            ),
        )
    domain = codebook.domain
    groups = tuple(small_group_errors(ours, theirs, domain))
    if bits:
        encoding = BinaryEncoding(domain)
        ours, theirs, domain = encoding.encode(ours), encoding.encode(theirs), encoding.bit_domain
    return Evaluation(
        domain=domain,
        pairs=marginal_error(ours, theirs, domain, 2),
        triples=marginal_error(ours, theirs, domain, 3),
        groups=groups,
        svm_error=errors[0],
        svm_error_paper=errors[1],
    )
