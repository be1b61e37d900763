"""One call that compares a synthetic table with the real one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.binary import BinaryEncoding
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Domain
from hmpb_core.encoding import encode, named_by_texts
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.marginals import MarginalError, marginal_error
from hmpb_core.metrics.prediction import Target, paper_svm_error, svm_error
from hmpb_core.metrics.second_sample import size_factor, sizes_alike
from hmpb_core.metrics.small_groups import GroupError, small_group_errors
from hmpb_core.metrics.values import ValueErrors, numbers_of, value_errors

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
        values: Errors of the values themselves, against all real rows.
        holdout: The same figures of a second sample as large as the synthetic table, see
            ``second_sample.sizes_alike``; None for a few rows.
        rows: Rows of the synthetic table.
        learned: Scores on one half of the real rows of models trained on as many synthetic rows.
        learned_holdout: Scores on the same rows of models trained on the other half.
    """

    domain: Domain
    pairs: MarginalError
    triples: MarginalError
    groups: tuple[GroupError, ...]
    svm_error: float | None
    svm_error_paper: float | None
    values: ValueErrors
    holdout: ValueErrors | None = None
    rows: int = 0
    learned: Mapping[str, float] = field(default_factory=dict)
    learned_holdout: Mapping[str, float] = field(default_factory=dict)

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

    def figures(self) -> dict[str, float | None]:
        """The figures of the whole table."""
        return {
            "avd2": self.avd2,
            "avd3": self.avd3,
            "svm_error": self.svm_error,
            "svm_error_paper": self.svm_error_paper,
            "spearman": self.values.spearman,
            "correlation_ratio": self.values.correlation_ratio,
            **self.learned,
        }

    def to_dict(self) -> dict[str, Any]:
        """Give all figures as plain values, those of the values beside the holdout's."""
        holdout: dict[str, Any] = {}
        if self.holdout is not None:
            holdout = {
                "rows": self.rows,
                "spearman": self.holdout.spearman,
                "correlation_ratio": self.holdout.correlation_ratio,
                **self.learned_holdout,
            }
        columns = {name: column.to_dict() for name, column in self.values.columns.items()}
        if self.holdout is not None:
            for name, column in self.holdout.columns.items():
                columns[name]["holdout"] = column.to_dict()
        return {**self.figures(), "holdout": holdout, "columns": columns}


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
        real: The private table, or rows of it that the generator never saw; names of columns that are no
            texts are taken as texts.
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
    real, synthetic = named_by_texts(real), named_by_texts(synthetic)
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
    chance = rng or np.random.default_rng()
    numbers, drawn_numbers = numbers_of(real, codebook), numbers_of(synthetic, codebook)
    order = chance.permutation(len(numbers))
    half = len(order) // 2
    test, kept = numbers[order[:half]], numbers[order[half : 2 * half]]
    sizes = len(numbers), len(drawn_numbers)
    one, other = sizes_alike(half, *sizes)
    learned: dict[str, float] = {}
    learned_holdout: dict[str, float] = {}
    if chosen is not None and half:
        picked = drawn_numbers[chance.permutation(len(drawn_numbers))[:half]]
        learned = learned_scores(picked, test, domain, chosen.attribute)
        learned_holdout = learned_scores(kept, test, domain, chosen.attribute)
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
        values=value_errors(numbers, drawn_numbers, codebook.domain),
        holdout=value_errors(test[:one], kept[:other], codebook.domain).carried_on(
            size_factor(one, other, *sizes)
        )
        if half
        else None,
        rows=len(drawn_numbers),
        learned=learned,
        learned_holdout=learned_holdout,
    )
