"""The matrices that the page Similarity shows: MIC read off the model for free, and what was paid for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.model import Model
from hmpb_core.planning.measures import choose_measure
from hmpb_core.planning.noise_scales import NoiseScales
from hmpb_core.planning.plan import Plan
from hmpb_core.report.model_mic import model_mic
from hmpb_core.stages.similarity import Measure
from pages.session.state import AppState
from pages.similarity.clusters import BAND
from pages.words.catalogue import plain

MOST_AT_ONCE = 120
"""Attributes up to which MIC is read off the model without being asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """A noisy matrix with its noise band.

    Attributes:
        kind: ``model`` for MIC read off the model, ``paid`` for the measured matrix.
        measure: ``mic``, ``mi`` or ``tvd``.
        names: The attributes' names.
        values: Shape (d, d).
        bands: For each pair the value up to which noise alone may explain it; same shape.
        noise_sd: Standard deviation of the noise on a value, where it is the same for all.
        measured: Part of the pairs of which a table was paid for; None where all were measured directly.
        untold: Pairs of which the measure tells nothing, as their lists are too long; None where none is.
        one_way: Each attribute's noisy probabilities, of a measured TVD; empty for other measures.
        n_rows: Number of rows of the table, public or noisy; 0 for other measures.
    """

    kind: str
    measure: Measure
    names: tuple[str, ...]
    values: NDArray[np.float64] = field(repr=False)
    bands: NDArray[np.float64] = field(repr=False)
    noise_sd: float | None = None
    measured: float | None = None
    untold: NDArray[np.bool_] | None = field(default=None, repr=False)
    one_way: Sequence[NDArray[np.float64]] = field(default=(), repr=False)
    n_rows: int = 0

    @property
    def noise(self) -> NDArray[np.bool_]:
        """Which values noise alone could have made."""
        return self.values <= self.bands


def tvd_by_chance(first: NDArray[np.float64], second: NDArray[np.float64], n_rows: int) -> float:
    """Mean TVD that two unrelated attributes show among so many rows.

    A cell of share p q differs from the product of the margins by sqrt(2/pi) sqrt(p (1-p) q (1-q) / n) on
    average, but by no more than 2 p q.

    Args:
        first: Probabilities of one attribute's values.
        second: Those of the other's.
        n_rows: Number of rows.
    """
    cells = np.outer(first, second)
    spread = np.sqrt(2 / np.pi * np.outer(first * (1 - first), second * (1 - second)) / n_rows)
    return 0.5 * float(np.minimum(spread, 2 * cells).sum())


def measure_words(matrix: Matrix) -> str:
    """The name of what a matrix measures."""
    return plain(f"plan.measure.{matrix.measure}")


def matrices_of(session: AppState, model: Model) -> list[Matrix]:
    """The matrices there are, MIC off the model first where it is worked out."""
    found = [off_the_model(session, model)] if wanted(session, model) else []
    similarity = model.similarity
    if similarity is not None:
        is_tvd = similarity.measure == "tvd"
        found.append(
            Matrix(
                kind="paid",
                measure=similarity.measure,
                names=similarity.names,
                values=similarity.values,
                bands=np.full(similarity.values.shape, BAND * similarity.noise_sd),
                noise_sd=similarity.noise_sd,
                one_way=model.one_way if is_tvd else (),
                n_rows=model.n_rows if is_tvd else 0,
            )
        )
    return found


def wanted(session: AppState, model: Model) -> bool:
    """Whether MIC is worked out: at once for usual tables, on request for wide ones."""
    return len(model.names) <= MOST_AT_ONCE or bool(session.views.get("model mic asked"))


def off_the_model(session: AppState, model: Model) -> Matrix:
    """MIC of all pairs, read off the fitted model once a result."""
    found = session.view("model mic", lambda: model_mic(model, rng=np.random.default_rng(0)))
    upper = np.triu_indices(len(found.names), 1)
    return Matrix(
        kind="model",
        measure="mic",
        names=found.names,
        values=found.values,
        bands=found.bands,
        measured=float(found.measured[upper].mean()) if upper[0].size else 0.0,
        untold=None if found.told.all() else ~found.told,
    )


def direct_noise(plan: Plan, model: Model) -> float | None:
    """Noise on every value if the plan measured MIC; None where it does, cannot, or would see nothing."""
    spec = plan.spec
    if spec.protection != "noise" or plan.measure is None or not plan.shares.similarity:
        return None
    scales = NoiseScales(plan, model.encoded_domain, max(2, model.n_rows))
    neighbors = plan.guarantee.neighbors
    now = choose_measure(plan.measure, n_rows=scales.n_rows, domain=scales.domain, neighbors=neighbors)
    if now == "mic" or "mic" not in spec.measures(neighbors):
        return None
    noise = scales.similarity_sd(measure="mic")
    return noise if BAND * noise < 1 else None  # within the band lies all that MIC can be
