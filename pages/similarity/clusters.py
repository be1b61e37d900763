"""Clusters as free post-processing: what the page Similarity works out from the noisy matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmpb_core.model import Model
from hmpb_core.planning.methods import PUBLISHED_PARENTS
from hmpb_core.planning.plan import Plan
from hmpb_core.stages.clustering import Clustering, spectral_clustering, suggest_n_clusters, unclustered
from hmpb_core.stages.similarity import SimilarityMatrix
from pages.session.state import AppState

BAND = 2.0
"""Standard deviations of noise within which a value cannot be told from zero."""
BEYOND = 0.03
"""Part of the pairs that noise alone, Laplace's or Gauss's, lifts beyond the band."""
MOST_OPEN = 30
"""Attributes up to which the members of every cluster are shown without a click."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The matrix in the order of clusters."""

    clustering: Clustering
    order: NDArray[np.intp]
    suggested: int

    @property
    def labels(self) -> NDArray[np.intp]:
        """Cluster of each attribute, in the order of the matrix."""
        return self.clustering.labels[self.order]


def clusters_of(session: AppState, similarity: SimilarityMatrix, k: int, sigma: float, vectors: int) -> View:
    """Cluster the noisy matrix; the same choice gives the same clusters, and is worked out once."""

    def make() -> View:
        clustering = spectral_clustering(
            similarity.values, k, np.random.default_rng(0), sigma=sigma, n_vectors=vectors or None
        )
        order = np.concatenate([_by_strength(similarity.values, c) for c in clustering.clusters])
        return View(clustering=clustering, order=order, suggested=suggest_n_clusters(clustering.eigenvalues))

    view: View = session.view(f"clusters {k} {sigma} {vectors}", make)
    return view


def may_be_noise(similarity: SimilarityMatrix) -> bool:
    """Whether no more pairs lie beyond the noise band than noise alone may: 3 of 100, and chance."""
    if similarity.noise_sd <= 0:
        return False
    pairs = similarity.values[np.triu_indices(len(similarity.names), 1)]
    alone = BEYOND * len(pairs)
    return bool((pairs > BAND * similarity.noise_sd).sum() <= alone + 2 * np.sqrt(alone))


def unclustered_view(model: Model) -> View:
    """The order of the networks, where no similarity was measured that could be clustered."""
    groups = [tuple(family.child for family in network.families) for network in model.networks]
    order = np.array([a for group in groups for a in group], dtype=np.intp)
    clustering = unclustered(len(order))
    return View(clustering=clustering, order=order, suggested=1)


def candidate_tables(sizes: list[int], plan: Plan) -> int:
    """Number of tables that a search over clusters of these sizes chooses from.

    The adaptive learner and JTree choose among pairs; IBayes among families, |C| times (|C|-1 choose l).
    """
    if plan.spec.learner != "published-ibayes":
        return sum(math.comb(size, 2) for size in sizes)
    parents = plan.most_parents or PUBLISHED_PARENTS
    return sum(size * math.comb(size - 1, min(parents, size - 1)) for size in sizes)


def _by_strength(values: NDArray[np.float64], cluster: tuple[int, ...]) -> NDArray[np.intp]:
    """The attributes of a cluster, the best connected first."""
    members = np.array(cluster, dtype=np.intp)
    inside = values[np.ix_(members, members)].sum(axis=1)
    return members[np.argsort(-inside, kind="stable")]
