"""Tables of populations that a release does not rule out: what pairs that were never measured could hide.

A pair of attributes that stands in no table of a paid model is unrelated there given the others. What the
release knows of it is its noisy similarity: how far its table lies from independence, not in which direction.
A table drawn here has for every such pair a dependence of the measured strength, in a direction drawn by
chance, and for every measured pair the model's own table. How far an estimate moves from the released table
to these tables is what the model may have missed: ``combine`` adds it to the variance.

All of it works on paid answers and the public plan: post-processing, nothing is charged.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import Attribute, Codes, Domain
from hmpb_core.errors import PlanError
from hmpb_core.model import draw_codes
from hmpb_core.planning.plan import require_rows
from hmpb_core.progress import Progress, silent
from hmpb_core.replication import Drawable, apart, require_count
from hmpb_core.rules.obeying import obedient_rows
from hmpb_core.rules.zeros import with_structural_zeros
from hmpb_core.stages.similarity import SimilarityMatrix

SWEEPS = 12
"""How often the rows' weights are fitted to the tables of all pairs."""
LARGER = 10
"""So many times as many rows as were published: drawing them then adds a sixtieth to a standard error."""
MOST_ROWS = 200_000
LEAST_SHARE = 0.01
"""What a bent table leaves of a cell at least, as a part of independence: a cell without rows in the one, and
all of them in the other, would leave no row that fits both."""
FEWEST_ROWS = 100
"""So many rows carry the weights at least: their number is 1 / sum w^2."""
_EDGE = 1e-12

Floats = NDArray[np.float64]
Pair = tuple[int, int]


class Measured(Drawable, Protocol):
    """What a paid model is here: one that kept its similarities."""

    @property
    def similarity(self) -> SimilarityMatrix | None:
        """Noisy similarities; None where the method measures none."""


def possible_tables(
    model: Measured,
    codebook: Codebook,
    count: int,
    *,
    rows: int | None = None,
    names: Sequence[str] | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Iterator[pd.DataFrame]:
    """Draw tables of populations that the paid similarities do not rule out. Free: post-processing.

    For a pair (i, j) in no table of the model, s its noisy total variation from independence and a, b the
    model's one-way tables, the population's table is

        a_x b_y (1 + k u_x v_y),        k such that its total variation from independence is s + noise

    with u and v scores of mean 0, rising along an ordered attribute's values, in an order drawn by chance for
    others, and a sign drawn by chance. Rows drawn from the model are weighted until the tables of these
    pairs, and the model's of all others, hold together (iterative proportional fitting); at the end the
    one-way tables do, whatever the pairs say. Pairs that cannot all hold together give way alike.

    The more pairs are bent at once, the fewer rows carry the weights, and the further the tables lie apart
    by chance alone: with the names of an analysis only its own pairs are bent.

    Args:
        model: The paid model.
        codebook: The public codebook.
        count: How many.
        rows: Rows of each; unless given ten times as many as were published, but no more than 200,000 where
            fewer were published.
        names: The attributes that an analysis uses; all unless given. The tables have every column, and say
            nothing of the others.
        rng: Draws everything.
        progress: Told where the work is.

    Raises:
        PlanError: count or rows is not allowed, or the plan measured no total variation of pairs.
        DomainError: there is no such attribute.
    """
    require_count(count)
    require_rows(rows)
    require_strengths(model)
    used = sorted({model.domain.index(name) for name in names or model.domain.names})
    return _possible(model, codebook, count, rows=rows, used=used, rng=rng, progress=progress)


def require_strengths(model: Measured) -> None:
    """Refuse a model whose release does not tell how strong the pairs are that it left out.

    Raises:
        PlanError: no total variation of pairs of the codebook's own values was measured.
    """
    if not tells_strengths(model):
        raise PlanError(
            "The plan measured no total variation of pairs, so nothing bounds what unmeasured pairs hide; "
            "plan with similarity 'tvd', or with one cluster."
        )


def tells_strengths(model: Measured) -> bool:
    """Whether the release tells how strong the pairs are that its model left out."""
    similarity = model.similarity
    return similarity is not None and similarity.measure == "tvd" and model.plan.spec.encoding != "bits"


def _possible(
    model: Measured,
    codebook: Codebook,
    count: int,
    *,
    rows: int | None,
    used: Sequence[int],
    rng: np.random.Generator,
    progress: Progress,
) -> Iterator[pd.DataFrame]:
    plan, domain, rules = model.plan, model.domain, codebook.rules
    similarity = model.similarity
    assert similarity is not None
    published = plan.rows or model.n_rows
    wanted = rows or min(LARGER * published, max(published, MOST_ROWS))
    tables = with_structural_zeros(model.tables, domain, rules.items)
    hidden = {(domain.index(first), domain.index(second)) for first, second in apart(model)}
    for number in range(count):
        progress(number / count, f"possible table {number + 1} of {count}")
        pool = draw_codes(tables, plan, domain, wanted, rng, table_rows=model.n_rows, each_by_itself=True)
        weights = weights_of(pool, domain, hidden, similarity, rng, used=used)

        def draw(rows: int, rng: np.random.Generator, pool: Codes = pool, weights: Floats = weights) -> Codes:
            return pool[rng.choice(len(pool), rows, p=weights)]

        yield obedient_rows(
            rules,
            domain,
            wanted,
            draw=draw,
            values=lambda codes, rng: decode(codes, domain, rng, rules.items),
            rng=rng,
        )
    progress(1.0, "possible tables")


def weights_of(
    codes: Codes,
    domain: Domain,
    hidden: set[Pair],
    similarity: SimilarityMatrix,
    rng: np.random.Generator,
    *,
    used: Sequence[int] | None = None,
) -> Floats:
    """Weigh rows so that hidden pairs get a dependence of their measured strength; the others keep theirs.

    Args:
        codes: Rows drawn from the model, shape (n, d).
        domain: Their domain.
        hidden: Pairs in no table of the model.
        similarity: Noisy total variations of all pairs.
        rng: Draws strengths within their noise, and directions.
        used: Attributes whose pairs are told; all unless given.

    Returns:
        Probabilities of the rows, shape (n,).
    """
    sizes, told = domain.sizes, range(len(domain)) if used is None else used
    one_way = [np.bincount(codes[:, a], minlength=size) / len(codes) for a, size in enumerate(sizes)]
    pairs, singles = [], [(codes[:, a], one_way[a]) for a in told]
    for i, j in itertools.combinations(told, 2):
        flat = codes[:, i].astype(np.intp) * sizes[j] + codes[:, j]
        if (i, j) in hidden:
            strength = max(0.0, similarity.values[i, j] + similarity.noise_sd * rng.standard_normal())
            direction = [scores(domain.attributes[a], one_way[a], rng) for a in (i, j)]
            sign = 1.0 if rng.random() < 0.5 else -1.0
            target = dependent(one_way[i], one_way[j], direction[0], sign * direction[1], strength).ravel()
        else:
            target = np.bincount(flat, minlength=sizes[i] * sizes[j]) / len(codes)
        pairs.append((flat, target))
    weights = _carried(_fitted(np.full(len(codes), 1 / len(codes)), pairs))
    return _fitted(weights, singles)


def _fitted(weights: Floats, tables: Sequence[tuple[Codes, Floats]]) -> Floats:
    """Fit rows' weights to tables: each is the cell of every row, and the cells' shares."""
    for _ in range(SWEEPS):
        for cell, target in tables:
            now = np.bincount(cell, weights=weights, minlength=len(target))
            weights = weights * np.divide(target, now, out=np.ones_like(target), where=now > _EDGE)[cell]
            weights /= weights.sum()
    return weights


def _carried(weights: Floats) -> Floats:
    """Weights nearer to even ones, until enough rows carry them."""
    fewest = min(FEWEST_ROWS, len(weights) / 2)
    while (weights**2).sum() * fewest > 1:
        weights = np.sqrt(weights)
        weights /= weights.sum()
    return weights


def scores(attribute: Attribute, shares: Floats, rng: np.random.Generator) -> Floats:
    """Scores of an attribute's values: mid-ranks of mean 0, in their order, else in an order by chance."""
    order = np.arange(len(shares))
    if not attribute.ordered and len(shares) > 2:
        order = rng.permutation(len(shares))
    ranks = np.empty(len(shares))
    ranks[order] = np.cumsum(shares[order]) - shares[order] / 2
    centred: Floats = ranks - float(shares @ ranks)
    return centred


def dependent(first: Floats, second: Floats, u: Floats, v: Floats, strength: float) -> Floats:
    """Give a table of these margins, as far from independence as asked, or as these scores can bend it.

    Args:
        first: Shares of the first attribute's values.
        second: Shares of the second's.
        u: Scores of the first, of mean 0.
        v: Scores of the second, of mean 0.
        strength: Total variation from independence.
    """
    independent = np.outer(first, second)
    bent = independent * np.outer(u, v)
    size = 0.5 * float(np.abs(bent).sum())
    if size <= _EDGE:
        return independent
    table = np.maximum(independent + strength / size * bent, LEAST_SHARE * independent)
    for _ in range(SWEEPS):  # where a share would be negative the margins no longer add up by themselves
        table *= np.divide(first, table.sum(axis=1), out=np.zeros_like(first), where=table.sum(axis=1) > 0)[
            :, None
        ]
        table *= np.divide(second, table.sum(axis=0), out=np.zeros_like(second), where=table.sum(axis=0) > 0)
    return table
