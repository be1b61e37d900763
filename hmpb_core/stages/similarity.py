"""How strongly two attributes depend on each other, with noise.

Three measures, all between 0 and 1: the maximal information coefficient (MIC) over public
grids, mutual information (MI) as a part of the most that two attributes can share, and the total
variation distance (TVD) between the pair's table and independence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Attribute, Domain
from hmpb_core.errors import Sentence
from hmpb_core.privacy.accountant import Accountant
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.privacy.sensitivity import (
    mic_sensitivity,
    mutual_information_sensitivity,
    require_replace_one,
    tvd_sensitivity,
)
from hmpb_core.sources.base import Source
from hmpb_core.stages.binary_information import pair_information

Measure = Literal["mic", "mi", "tvd"]
PAIRS = "{measure} of all pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityMatrix:
    """Noisy similarities of all pairs of attributes.

    Attributes:
        measure: ``mic``, ``mi`` or ``tvd``.
        names: The attributes' names.
        values: Symmetric array of shape (d, d), zero on the diagonal, as measured: noise can
            push a value below 0 or above 1.
        noise_sd: Standard deviation of the noise on each value.

    Example:
        >>> noisy = np.array([[0.0, 0.31, -0.02], [0.31, 0.0, 0.05], [-0.02, 0.05, 0.0]])
        >>> found = SimilarityMatrix(measure="tvd", names=("smokes", "coughs", "town"), values=noisy,
        ...                          noise_sd=0.03)
        >>> found.clipped[0].tolist()
        [0.0, 0.31, 0.0]
    """

    measure: Measure
    names: tuple[str, ...]
    values: NDArray[np.float64] = field(repr=False)
    noise_sd: float

    @property
    def clipped(self) -> NDArray[np.float64]:
        """The values clipped to [0, 1]."""
        return np.clip(self.values, 0.0, 1.0)


def pairs_of(n_attributes: int) -> list[tuple[int, int]]:
    """All unordered pairs of attributes, in the order of the similarity vector."""
    return list(itertools.combinations(range(n_attributes), 2))


def similarity_sensitivity(
    measure: Measure, domain: Domain, neighbors: Neighbors, *, n_rows: int, total: float
) -> float:
    """How far one row can move a similarity.

    Args:
        measure: Which measure.
        domain: The attributes.
        neighbors: What is hidden; MIC and MI have a bound under ``replace-one`` only.
        n_rows: Number of rows, public where the measure is MIC or MI.
        total: Public or noisy number of rows, for TVD.
    """
    if measure == "tvd":
        return tvd_sensitivity(neighbors) / total
    largest = largest_grid(domain, n_rows) if measure == "mic" else sorted(domain.sizes)[-2]
    return mic_sensitivity(n_rows, largest_grid=largest)


def measure_similarity(
    source: Source,
    one_way: Sequence[NDArray[np.float64]],
    *,
    measure: Measure,
    accountant: Accountant,
    loss: Fraction,
    total: float,
) -> SimilarityMatrix:
    """Measure the similarity of all pairs, as one noisy vector.

    Args:
        source: The private table.
        one_way: For each attribute its noisy one-way probabilities (used by TVD only, so
            that nothing but the pair's table depends on the data).
        measure: ``mic``, ``mi`` or ``tvd``.
        accountant: Pays.
        loss: What the whole vector may cost.
        total: Public or noisy number of rows.

    Raises:
        PlanError: MIC or MI under neighbours other than ``replace-one``.
    """
    domain = source.domain
    pairs = pairs_of(len(domain))
    neighbors = accountant.guarantee.neighbors
    parts: list[NDArray[np.float64]] = []
    if measure == "tvd" and source.owners:
        parts = party_values(source.owners, pairs, one_way, total)
        values = np.sum(parts, axis=0)
    elif measure == "tvd":
        values = tvd_values(source, pairs, one_way, total)
    else:
        require_replace_one(
            neighbors, Sentence("MIC") if measure == "mic" else Sentence("Mutual information")
        )
        values = mic_values(source, pairs) if measure == "mic" else mi_values(source, pairs)
    n_rows = 0 if measure == "tvd" else source.n_rows  # TVD's bound asks for no exact number
    sensitivity = similarity_sensitivity(measure, domain, neighbors, n_rows=n_rows, total=total)
    noisy, noise_sd = accountant.measure_pairs(
        values,
        n_attributes=len(domain),
        sensitivity=sensitivity,
        stage=Stage.SIMILARITY,
        loss=loss,
        what=PAIRS.format(measure=measure),
        parts=parts,
    )
    if parts:
        noisy = noisy - party_excess([owner.n_rows for owner in source.owners], pairs, one_way, total)
    return matrix_of(noisy, measure=measure, names=domain.names, noise_sd=noise_sd)


def party_values(
    owners: Sequence[Source],
    pairs: Sequence[tuple[int, int]],
    one_way: Sequence[NDArray[np.float64]],
    total: float,
) -> list[NDArray[np.float64]]:
    """What every party adds to the total variations: 1/2 sum |C_ij - n q_i q_j| / N over its own n rows.

    Their sum is at least the table's own value (the triangle inequality), and a row moves one party's
    part alone, by no more than it moves a whole table's. The parties' numbers of rows are public.

    Private: to be handed to the accountant only.
    """
    parts = []
    for owner in owners:
        own = float(owner.n_rows)
        parts.append(tvd_values(owner, pairs, one_way, own) * (own / total))
    return parts


def party_excess(
    rows: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    one_way: Sequence[NDArray[np.float64]],
    total: float,
) -> NDArray[np.float64]:
    """How much the parties' parts exceed one table's value by chance, of attributes that are independent.

    A count of mean m differs from it by 2 e^-m m^(floor(m) + 1) / floor(m)! on average (Poisson); many small
    tables add up more of that than one large one. From public values alone.
    """
    found = []
    for i, j in pairs:
        q = np.multiply.outer(one_way[i], one_way[j])
        found.append(math.fsum(_by_chance(q * n) for n in rows) - _by_chance(q * total))
    return np.array(found) / (2 * total)


def _by_chance(means: NDArray[np.float64]) -> float:
    from scipy.special import gammaln  # loads slowly

    m = means[means > 0]
    whole = np.floor(m)
    return float(2 * np.exp((whole + 1) * np.log(m) - m - gammaln(whole + 1)).sum())


def published_similarity(source: Source, accountant: Accountant) -> SimilarityMatrix:
    """MIC of all pairs with the noise of Algorithm 3: too little for what it claims.

        s_ij = MIC(X_i, X_j) + Lap(Dm * d(d-1) / (eps1 * 2 floor(d/2)))

    It truly costs floor(d/2) * eps1, and that is charged.

    Source: [Zhang2022, Algorithm 3].
    """
    d = len(source.domain)
    epsilon = accountant.budget.loss(Stage.SIMILARITY)
    delta = mutual_information_sensitivity(source.n_rows, has_binary_side=True)
    noisy, noise_sd = accountant.measure_pairs(
        mic_values(source, pairs_of(d)),
        n_attributes=d,
        sensitivity=delta,
        stage=Stage.SIMILARITY,
        loss=epsilon * (d // 2),
        what=PAIRS.format(measure="mic"),
        scale_per_value=delta * d * (d - 1) / (float(epsilon) * 2 * (d // 2)),
    )
    return matrix_of(noisy, measure="mic", names=source.domain.names, noise_sd=noise_sd)


def matrix_of(
    vector: NDArray[np.float64], *, measure: Measure, names: tuple[str, ...], noise_sd: float
) -> SimilarityMatrix:
    """Lay a vector of pair values out as a symmetric matrix."""
    d = len(names)
    values = np.zeros((d, d))
    values[np.triu_indices(d, 1)] = vector
    return SimilarityMatrix(measure=measure, names=names, values=values + values.T, noise_sd=noise_sd)


def tvd_values(
    source: Source,
    pairs: Sequence[tuple[int, int]],
    one_way: Sequence[NDArray[np.float64]],
    total: float,
) -> NDArray[np.float64]:
    """Exact 1/2 * sum |C_ij - N q_i q_j| / N for every pair, q public.

    Private: to be handed to the accountant only.
    """
    expected = [total * part for part in one_way]
    values = [
        np.abs(table.counts - np.multiply.outer(expected[i], one_way[j])).sum() / (2 * total)
        for (i, j), table in zip(pairs, source.marginals(pairs), strict=True)
    ]
    return np.array(values)


def mic_values(source: Source, pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Exact MIC over public grids for every pair.

    Private: to be handed to the accountant only.
    """
    bits = source.bit_rows(range(len(source.domain)))
    if bits is not None and len(pairs) == len(pairs_of(len(source.domain))):
        return np.minimum(pair_information(bits), 1.0)  # two values have one grid, the finest
    attributes = source.domain.attributes
    limit = grid_limit(source.n_rows)
    values = [
        grid_mic(table.counts, attributes[i], attributes[j], limit=limit)
        for (i, j), table in zip(pairs, source.marginals(pairs), strict=True)
    ]
    return np.array(values)


def mi_values(source: Source, pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Exact I / log2 min(a, b) for every pair of attributes with a and b values; 0 where one has 1.

    Private: to be handed to the accountant only.
    """
    values = []
    for table in source.marginals(pairs):
        most = math.log2(min(table.counts.shape))
        values.append(float(mutual_information(table.counts)) / most if most else 0.0)
    return np.array(values)


def grid_limit(n_rows: int) -> float:
    """Largest number of cells of a grid, B = n^0.6 [Zhang2022, Definition 5]."""
    return float(n_rows**0.6)


def mutual_information(counts: NDArray[np.number]) -> NDArray[np.float64]:
    """Mutual information, in bits, of the last two axes of a table of counts.

    Example:
        >>> float(mutual_information(np.array([[2, 0], [0, 2]])))
        1.0
    """
    joint = np.asarray(counts, dtype=float)
    joint = joint / np.maximum(joint.sum(axis=(-2, -1), keepdims=True), 1e-300)
    product = joint.sum(axis=-1, keepdims=True) * joint.sum(axis=-2, keepdims=True)
    ratio = np.divide(joint, product, out=np.ones_like(joint), where=joint > 0)
    information: NDArray[np.float64] = np.maximum((joint * np.log2(ratio)).sum(axis=(-2, -1)), 0.0)
    return information


def grid_mic(counts: NDArray[np.int64], first: Attribute, second: Attribute, *, limit: float) -> float:
    """MIC of one table: max over grids a x b < limit of I / log2 min(a, b).

    Departs from [Zhang2022, Definition 5]: the grids are merges of neighbouring public bins
    into groups of equal width (an unordered attribute keeps its categories, and the finest
    grid of two binary attributes is always allowed), so that the family never depends on the
    data and the sensitivity bound holds for the maximum.
    """
    best = 0.0
    for a, merge_a in allowed_merges(first):
        rows = np.add.reduceat(counts, merge_a, axis=0)
        for b, merge_b in allowed_merges(second):
            if min(a, b) < 2 or (a * b >= limit and (a, b) != (2, 2)):
                continue
            merged = np.add.reduceat(rows, merge_b, axis=1)
            best = max(best, float(mutual_information(merged)) / math.log2(min(a, b)))
    return min(best, 1.0)


def largest_grid(domain: Domain, n_rows: int) -> int:
    """Largest min(a, b) over all pairs' grids, 3 standing for more: what MIC's sensitivity depends on."""
    from_three = (min((c for c in _group_counts(a) if c >= 3), default=None) for a in domain.attributes)
    smallest = sorted(count for count in from_three if count is not None)[:2]
    return 3 if len(smallest) == 2 and math.prod(smallest) < grid_limit(n_rows) else 2


def _group_counts(attribute: Attribute) -> Sequence[int]:
    """Into how many groups MIC may merge an attribute's codes."""
    size = attribute.size
    if not attribute.ordered or size <= 2:
        return [size]
    return range(2 + attribute.nullable, size + 1)  # a missing value stays a group of its own


def allowed_merges(attribute: Attribute) -> list[tuple[int, NDArray[np.intp]]]:
    """Group counts with the first code of each group, for every merge that MIC allows of an attribute."""
    size, values = attribute.size, attribute.size - attribute.nullable
    merges = []
    for count in _group_counts(attribute):
        groups = count - attribute.nullable
        starts = np.arange(size) if count == size else np.arange(groups) * values // groups
        if count < size and attribute.nullable:
            starts = np.append(starts, values)
        merges.append((count, starts))
    return merges
