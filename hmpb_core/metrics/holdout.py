"""Exact figures beside what rows of the real table itself would score.

No synthetic table can be nearer to the real one than another sample of the same people.
So the real rows are split by chance: one half is the yardstick, the other half is the
holdout, and the synthetic table and the holdout are compared with the yardstick alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Codes, Domain
from hmpb_core.encoding import encode
from hmpb_core.errors import SourceError
from hmpb_core.metrics.marginals import MarginalError, marginal_error
from hmpb_core.metrics.prediction import Target, svm_error
from hmpb_core.metrics.small_groups import GroupError, small_group_errors
from hmpb_core.progress import Progress, silent

MIN_ROWS = 20
MAX_SVM_ROWS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one table scores against the yardstick.

    Attributes:
        pairs: Errors of all two-way marginals.
        triples: Errors of three-way marginals.
        one_way: Error of each attribute's own distribution.
        groups: Errors of two-way cells by how many people they hold.
    """

    pairs: MarginalError
    triples: MarginalError
    one_way: NDArray[np.float64] = field(repr=False)
    groups: tuple[GroupError, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The synthetic table and the holdout side by side. Steward-only.

    Attributes:
        domain: The codebook's domain.
        n_rows: Rows of the yardstick, of the holdout and of the synthetic table alike.
        synthetic: What the synthetic table scores.
        holdout: What the holdout scores.
        shares: For each attribute the shares of its values in the yardstick, the synthetic
            table and the holdout, shape (3, values).
        dependence: Dependence of every pair in the same three, shape (3, d, d).
    """

    domain: Domain
    n_rows: int
    synthetic: Score
    holdout: Score
    shares: tuple[NDArray[np.float64], ...] = field(repr=False)
    dependence: NDArray[np.float64] = field(repr=False)

    def worst_pairs(self, count: int) -> list[tuple[str, str, float, float]]:
        """The pairs with the largest error: names, error, and the holdout's error."""
        names, pairs = self.domain.names, self.holdout.pairs
        holdout = dict(zip(pairs.subsets, pairs.values, strict=True))
        return [
            (names[pair[0]], names[pair[1]], value, float(holdout[pair]))
            for pair, value in self.synthetic.pairs.worst(count)
        ]


def compare_with_holdout(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    codebook: Codebook,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Comparison:
    """Compare a synthetic table with the real one, beside a holdout of the same size.

    Args:
        real: The private table.
        synthetic: The synthetic table.
        codebook: Their public codebook.
        rng: Splits the real rows.
        progress: Told where the work is.

    Raises:
        SourceError: a table does not fit the codebook, or is too small to be split.
    """
    progress(0.02, "encoding")
    domain = codebook.domain
    yardstick, drawn, holdout = _thirds(encode(real, codebook), encode(synthetic, codebook), rng)
    scores = []
    for part, codes in enumerate((drawn, holdout)):
        begin = 0.1 + 0.4 * part
        progress(begin, "comparing")
        pairs = marginal_error(yardstick, codes, domain, 2)
        progress(begin + 0.1, "comparing")
        triples = marginal_error(yardstick, codes, domain, 3)
        progress(begin + 0.3, "comparing")
        scores.append(
            Score(
                pairs=pairs,
                triples=triples,
                one_way=marginal_error(yardstick, codes, domain, 1).values,
                groups=tuple(small_group_errors(yardstick, codes, domain)),
            )
        )
    progress(0.9, "comparing")
    tables = (yardstick, drawn, holdout)
    return Comparison(
        domain=domain,
        n_rows=len(yardstick),
        synthetic=scores[0],
        holdout=scores[1],
        shares=tuple(
            np.array([np.bincount(codes[:, a], minlength=size) / len(codes) for codes in tables])
            for a, size in enumerate(domain.sizes)
        ),
        dependence=np.array([dependence(codes, domain) for codes in tables]),
    )


def classify_with_holdout(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    codebook: Codebook,
    target: str,
    *,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """Train on synthetic, test on real; beside training on as many real rows, and guessing.

    Gives three shares of wrong answers on the same real rows: of a linear SVM trained on
    synthetic rows, of one trained on the holdout, and of always naming the commonest class.
    At most ``MAX_SVM_ROWS`` rows are learned from.

    Raises:
        PlanError: the target cannot be predicted.
        SourceError: no row has a class.
    """
    domain = codebook.domain
    chosen = Target.parse(target, domain)
    ours, theirs = encode(real, codebook), encode(synthetic, codebook)
    known, drawn = chosen.classes(real, ours, codebook), chosen.classes(synthetic, theirs, codebook)
    order = rng.permutation(len(ours))
    half = len(ours) // 2
    test, train = order[:half], order[half:][:MAX_SVM_ROWS]
    picked = rng.permutation(len(theirs))[: len(train)]
    tested = (ours[test], known[test])
    learned = svm_error((theirs[picked], drawn[picked]), tested, chosen, domain)
    real_error = svm_error((ours[train], known[train]), tested, chosen, domain)
    classes, counts = np.unique(known[train][known[train] >= 0], return_counts=True)
    answers = known[test][known[test] >= 0]
    return learned, real_error, float((answers != classes[counts.argmax()]).mean())


def dependence(codes: Codes, domain: Domain) -> NDArray[np.float64]:
    """Half the L1 distance of each pair's table from independence, 0 on the diagonal."""
    d, sizes = len(domain), domain.sizes
    shares = [np.bincount(codes[:, a], minlength=size) / len(codes) for a, size in enumerate(sizes)]
    values = np.zeros((d, d))
    for i in range(d):
        for j in range(i + 1, d):
            keys = codes[:, i].astype(np.int64) * sizes[j] + codes[:, j]
            table = np.bincount(keys, minlength=sizes[i] * sizes[j]).reshape(sizes[i], sizes[j]) / len(codes)
            values[i, j] = values[j, i] = np.abs(table - np.multiply.outer(shares[i], shares[j])).sum() / 2
    return values


def _thirds(real: Codes, synthetic: Codes, rng: np.random.Generator) -> tuple[Codes, Codes, Codes]:
    """Yardstick, synthetic rows and holdout, all of one size."""
    size = min(len(real) // 2, len(synthetic))
    if size < MIN_ROWS:
        raise SourceError(
            "There are too few rows to set some aside: both tables need some {rows}, the real one twice as "
            "many.",
            rows=MIN_ROWS,
        )
    order = rng.permutation(len(real))
    picked = rng.permutation(len(synthetic))[:size]
    return real[order[:size]], synthetic[picked], real[order[size : 2 * size]]
