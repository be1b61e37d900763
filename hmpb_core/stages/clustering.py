"""Spectral clustering of attributes from a noisy similarity: free post-processing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmpb_core.errors import PlanError

STARTS, MOST_STEPS = 10, 300
"""Starts of K-means, of which the best is kept, and the most steps of each."""
MOST_SUGGESTED = 12
"""Clusters that are suggested at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """Attributes in groups.

    Attributes:
        clusters: Attribute indices of each cluster, ascending; the cluster of attribute 0 first.
        eigenvalues: All eigenvalues of the normalised Laplacian, ascending.

    Example:
        >>> similar = np.array([[0.0, 0.9, 0.0], [0.9, 0.0, 0.1], [0.0, 0.1, 0.0]])
        >>> spectral_clustering(similar, 2, np.random.default_rng(1)).clusters
        ((0, 1), (2,))
    """

    clusters: tuple[tuple[int, ...], ...]
    eigenvalues: NDArray[np.float64] = field(repr=False)

    @property
    def labels(self) -> NDArray[np.intp]:
        """Cluster number of each attribute."""
        labels = np.empty(sum(map(len, self.clusters)), dtype=np.intp)
        for number, cluster in enumerate(self.clusters):
            labels[list(cluster)] = number
        return labels

    def together(self, owners: Sequence[int]) -> Clustering:
        """Move each owner's attributes to the cluster that has most of them, the first of several.

        Bits of one attribute only mean something together. Free.

        Args:
            owners: The owner of each attribute.

        Example:
            >>> found = Clustering(clusters=((0, 1, 3), (2, 4)), eigenvalues=np.zeros(5))
            >>> found.together([7, 7, 7, 8, 9]).clusters
            ((0, 1, 2, 3), (4,))
        """
        labels = self.labels
        for owner in set(owners):
            own = [a for a, other in enumerate(owners) if other == owner]
            labels[own] = np.bincount(labels[own]).argmax()
        groups = [tuple(int(a) for a in np.flatnonzero(labels == label)) for label in np.unique(labels)]
        return Clustering(clusters=tuple(sorted(groups)), eigenvalues=self.eigenvalues)


def unclustered(n_attributes: int, *, apart: bool = False) -> Clustering:
    """All attributes in one cluster, or each in its own: where nothing says who belongs together."""
    whole = range(n_attributes)
    clusters = tuple((a,) for a in whole) if apart else (tuple(whole),)
    return Clustering(clusters=clusters, eigenvalues=np.zeros(n_attributes))


def spectral_clustering(
    similarity: NDArray[np.float64],
    n_clusters: int,
    rng: np.random.Generator,
    *,
    sigma: float = 0.5,
    n_vectors: int | None = None,
) -> Clustering:
    """Group attributes by Algorithm 1 from its step 2 on.

    With s clipped to [0, 1], W = exp(-(1 - s) / (2 sigma^2)) off the diagonal,
    L = B^(-1/2) (B - W) B^(-1/2) with B the degrees, the rows of the ``n_vectors``
    eigenvectors of the smallest eigenvalues are scaled to length 1 and grouped by K-means++.

    Departs from [Zhang2022, Algorithm 1]: it is written for a distance and fed a similarity;
    taken literally it would push related attributes apart, so 1 - s stands in for the distance.

    Args:
        similarity: Symmetric array of shape (d, d).
        n_clusters: k; never more than d.
        rng: Draws the starting centres.
        sigma: Width of the affinity.
        n_vectors: k1; k where it is None.

    Raises:
        PlanError: k, k1 or sigma is not positive.
    """
    d = len(similarity)
    if n_clusters < 1:
        raise PlanError("clusters is {clusters}; ask for at least 1.", clusters=n_clusters)
    if not sigma > 0:
        raise PlanError("sigma is {sigma}; it must be above 0.", sigma=sigma)
    if n_vectors is not None and n_vectors < 1:
        raise PlanError("k1 is {vectors}; ask for at least 1.", vectors=n_vectors)
    k = min(n_clusters, d)
    eigenvalues, vectors = laplacian_spectrum(similarity, sigma=sigma)
    if k == 1 or d == 1:
        labels = np.zeros(d, dtype=np.intp)
    elif k == d:
        labels = np.arange(d)
    else:
        rows = vectors[:, : min(n_vectors or k, d)]
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        distinct = len(np.unique(np.round(rows, 12), axis=0))
        labels = k_means(rows, min(k, distinct), rng)
    groups = [tuple(int(i) for i in np.flatnonzero(labels == label)) for label in np.unique(labels)]
    return Clustering(clusters=tuple(sorted(groups)), eigenvalues=eigenvalues)


def k_means(points: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Group points so that they lie close to their group's mean: the best of ``STARTS`` starts.

    Each start takes its centres from the points by K-means++ and is improved by Lloyd's steps.

    Source: [Arthur2007, section 2.2]; each centre is the best of some draws.

    Args:
        points: Array of shape (points, axes).
        k: Number of groups, at most the number of distinct points.
        rng: Draws the starting centres.

    Returns:
        The group of each point.

    Example:
        >>> found = k_means(np.array([[0.0], [0.1], [5.0]]), 2, np.random.default_rng(0))
        >>> (found == found[0]).tolist()
        [True, True, False]
    """
    starts = [_lloyd(points, _first_centres(points, k, rng)) for _ in range(STARTS)]
    labels, _ = min(starts, key=lambda found: found[1])
    return labels


def _first_centres(points: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw k points, each with chances as the squared distances from those before; the best of some draws.

    The best leaves the least sum of squared distances.
    """
    chosen = [int(rng.integers(len(points)))]
    nearest = _squared(points, points[chosen])[:, 0]
    draws = 2 + int(np.log(k))
    while len(chosen) < k:
        sums = np.cumsum(nearest)
        drawn = np.minimum(np.searchsorted(sums, rng.random(draws) * sums[-1], side="right"), len(points) - 1)
        left = np.minimum(nearest[:, None], _squared(points, points[drawn]))
        best = int(left.sum(axis=0).argmin())
        chosen.append(int(drawn[best]))
        nearest = left[:, best]
    return points[chosen]


def _lloyd(points: NDArray[np.float64], centres: NDArray[np.float64]) -> tuple[NDArray[np.intp], float]:
    """Move centres to their groups' means until no point changes its group: the groups and their spread."""
    labels = np.full(len(points), -1, dtype=np.intp)
    for _ in range(MOST_STEPS):
        squared = _squared(points, centres)
        before, labels = labels, squared.argmin(axis=1)
        if (before == labels).all():
            break
        members = labels[:, None] == np.arange(len(centres))
        counts = members.sum(axis=0)
        means = members.T.astype(float) @ points / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return labels, float(squared.min(axis=1).sum())


def _squared(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distances of all points from all centres."""
    distances: NDArray[np.float64] = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return distances


def laplacian_spectrum(
    similarity: NDArray[np.float64], *, sigma: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues (ascending) and eigenvectors of the normalised Laplacian."""
    affinity = np.exp(-(1 - np.clip(similarity, 0, 1)) / (2 * sigma**2))
    np.fill_diagonal(affinity, 0.0)
    degrees = np.maximum(affinity.sum(axis=1), 1e-300)
    root = 1 / np.sqrt(degrees)
    laplacian = np.eye(len(affinity)) - root[:, None] * affinity * root[None, :]
    eigenvalues, vectors = np.linalg.eigh((laplacian + laplacian.T) / 2)
    return eigenvalues, vectors


def suggest_n_clusters(eigenvalues: NDArray[np.float64]) -> int:
    """Suggest k by the largest gap between neighbouring eigenvalues."""
    gaps = np.diff(eigenvalues[: MOST_SUGGESTED + 1])
    return int(np.argmax(gaps[1:])) + 2 if len(gaps) > 1 else 1


def default_n_clusters(similarity: NDArray[np.float64], *, sigma: float = 0.5, least: int = 1) -> int:
    """The k a plan has unless the steward sets one: the eigenvalue gap of the paid matrix. Free.

    Args:
        similarity: Noisy similarities, symmetric of shape (d, d).
        sigma: Width of the affinity.
        least: Fewest clusters: a wide table's learner needs some to save time.
    """
    eigenvalues, _ = laplacian_spectrum(similarity, sigma=sigma)
    return max(least, suggest_n_clusters(eigenvalues))
