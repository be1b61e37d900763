"""The MIC matrix that the papers draw, read off a fitted model: post-processing of paid tables, free."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.binary import BinaryEncoding
from hmpb_core.domain import Attribute
from hmpb_core.model import Model
from hmpb_core.privacy.budget import Stage
from hmpb_core.privacy.events import Event
from hmpb_core.privacy.guarantee import Currency
from hmpb_core.stages.mic_tables import Floats, has_grid, mics, noise_bands
from hmpb_core.stages.similarity import grid_limit

FITTED = ("adaptive", "ibayes")
"""Learners whose tables a fit shrinks."""
LEAST_ROWS = 50_000
"""Rows that are drawn to read pairs off a model: so many that chance says little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMic:
    """MIC of all pairs of a model's attributes, with what noise alone would show.

    Attributes:
        names: The attributes' names.
        values: Symmetric array of shape (d, d), zero on the diagonal, 0 to 1.
        bands: For each pair the MIC up to which noise alone may explain it; same shape.
        measured: Whether a table of the pair was paid for; for the others the dependence runs through
            other attributes, and the band is that of a typical paid table, or 1 where none was paid for.
        told: Whether MIC allows a grid of the pair; of the others it tells nothing, and the band is 1.
    """

    names: tuple[str, ...]
    values: Floats = field(repr=False)
    bands: Floats = field(repr=False)
    measured: NDArray[np.bool_] = field(repr=False)
    told: NDArray[np.bool_] = field(repr=False)


def model_mic(model: Model, *, rng: np.random.Generator) -> ModelMic:
    """Read MIC off a fitted model, all pairs. Free: it looks at the model alone.

    The pairs' tables come from a large number of rows drawn from the model.

    Args:
        model: The paid model.
        rng: Draws the rows and the noise of the comparison: no privacy noise.

    Source: [Zhang2022, Definition 5]; the grids are those of ``stages.similarity.grid_mic``.
    """
    codes = model.sample_codes(
        max(model.n_rows, LEAST_ROWS) if not model.plan.spec.pays_by_row else None, rng=rng
    )
    if model.plan.spec.encoding == "bits":
        codes = BinaryEncoding(model.domain).encode(codes)
    columns = np.ascontiguousarray(codes.T, dtype=np.int64)
    domain = model.encoded_domain
    d, limit = len(domain), grid_limit(model.n_rows)
    noise = pair_noise(model)
    values, bands, told = np.zeros((d, d)), np.zeros((d, d)), np.ones((d, d), dtype=bool)
    for (first, second), pairs in _alike(domain.attributes).items():
        at = tuple(np.array(pairs).T)
        if not has_grid(first, second, limit=limit):
            bands[at], told[at], told[at[::-1]] = 1.0, False, False
            continue
        tables = np.stack([_shares(columns, pair, (first.size, second.size)) for pair in pairs])
        values[at] = mics(tables, first, second, limit=limit)
        bands[at] = noise_bands(
            (tables.sum(axis=2), tables.sum(axis=1)),
            (first, second),
            noise[at] / model.n_rows,
            limit=limit,
            ridge=1.0 if model.plan.spec.learner in FITTED else 0.0,
            rng=rng,
        )
    measured = measured_pairs(model)
    if model.bill.protected and not measured.any():
        bands[np.triu_indices(d, 1)] = 1.0  # the model knows of no pair: what rows show is chance
    return ModelMic(
        names=tuple(domain.names),
        values=values + values.T,
        bands=bands + bands.T,
        measured=measured,
        told=told,
    )


def measured_pairs(model: Model) -> NDArray[np.bool_]:
    """Which pairs are in a table that was paid for; symmetric, false on the diagonal."""
    found = np.zeros((len(model.names), len(model.names)), dtype=bool)
    for act in _tables(model):
        inside = [attribute for attribute, _ in act.attribute_loss]
        found[np.ix_(inside, inside)] = True
    np.fill_diagonal(found, val=False)
    return found


def pair_noise(model: Model) -> Floats:
    """Standard deviation of the noise on a cell of every pair's table, in rows; 0 where none is drawn.

    Of a pair inside a larger table that of the sums over the rest; several tables of one pair count by
    precision; a pair in no table gets the root mean square of those that are in one.
    """
    domain, d = model.encoded_domain, len(model.names)
    precision = np.zeros((d, d))
    if model.bill.protected:
        laplace = model.plan.guarantee.currency is Currency.PURE
        for act in _tables(model):
            inside = sorted(attribute for attribute, _ in act.attribute_loss)
            sd = (act.scale or 0.0) * (math.sqrt(2) if laplace else 1.0)
            for i, j in itertools.combinations(inside, 2):
                summed = math.prod(domain.sizes[a] for a in inside if a not in (i, j))
                precision[i, j] += 1 / (sd**2 * summed) if sd else 0.0
    known = precision[precision > 0]
    if not known.size:
        return np.zeros((d, d))
    typical = math.sqrt(float((1 / known).mean()))
    return np.where(precision > 0, 1 / np.sqrt(np.where(precision > 0, precision, 1.0)), typical)


def _tables(model: Model) -> list[Event]:
    """The noisy tables of two and more attributes."""
    return [
        act
        for act in model.entries
        if act.stage is Stage.CONDITIONAL_TABLES and act.act == "measure" and len(act.attribute_loss) > 1
    ]


def _alike(attributes: Sequence[Attribute]) -> dict[tuple[Attribute, Attribute], list[tuple[int, int]]]:
    """Pairs by the grids that they have: attributes of one size, order and missing value are alike."""
    groups: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for pair in itertools.combinations(range(len(attributes)), 2):
        kind = tuple((attributes[a].size, attributes[a].ordered, attributes[a].nullable) for a in pair)
        groups.setdefault(kind, []).append(pair)
    return {(attributes[pairs[0][0]], attributes[pairs[0][1]]): pairs for pairs in groups.values()}


def _shares(columns: NDArray[np.int64], pair: tuple[int, int], shape: tuple[int, int]) -> Floats:
    keys = columns[pair[0]] * shape[1] + columns[pair[1]]
    shares: Floats = np.bincount(keys, minlength=shape[0] * shape[1]).reshape(shape) / len(keys)
    return shares
