"""Spectral clustering of attributes: planted groups, spectra by hand, odd inputs."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hmpb_core.errors import PlanError
from hmpb_core.stages.clustering import (
    Clustering,
    k_means,
    laplacian_spectrum,
    spectral_clustering,
    suggest_n_clusters,
)


def planted(groups, inside=0.9, outside=0.05):
    d = sum(map(len, groups))
    similarity = np.full((d, d), outside)
    for group in groups:
        similarity[np.ix_(group, group)] = inside
    np.fill_diagonal(similarity, 0)
    return similarity


GROUPS = ((0, 3, 6, 9), (1, 4, 7), (2, 5, 8))


def rng():
    return np.random.default_rng(8)


def test_planted_groups_are_found():
    assert spectral_clustering(planted(GROUPS), 3, rng()).clusters == GROUPS


def test_planted_groups_are_found_under_noise():
    noise = rng().normal(scale=0.1, size=(10, 10))
    similarity = planted(GROUPS) + (noise + noise.T) / 2
    assert spectral_clustering(similarity, 3, rng()).clusters == GROUPS


def test_similar_attributes_come_together_not_apart():
    """Read literally, Algorithm 1 takes the similarity for a distance and does the opposite."""
    similarity = planted(((0, 1), (2, 3)))
    assert spectral_clustering(similarity, 2, rng()).clusters == ((0, 1), (2, 3))


@given(st.permutations(range(10)), st.integers(0, 99))
@settings(max_examples=15)
def test_the_order_of_the_attributes_does_not_matter(order, seed):
    where = {attribute: place for place, attribute in enumerate(order)}
    similarity = planted(GROUPS)[np.ix_(order, order)]
    found = spectral_clustering(similarity, 3, np.random.default_rng(seed)).clusters
    assert {frozenset(c) for c in found} == {frozenset(where[a] for a in group) for group in GROUPS}


@given(st.integers(1, 9), st.integers(1, 12), st.integers(0, 2**32 - 1), st.floats(0.01, 10))
@settings(max_examples=30)
def test_whatever_the_similarity_the_clusters_are_a_partition(d, k, seed, sigma):
    generator = np.random.default_rng(seed)
    noise = generator.normal(size=(d, d)) * generator.choice([0, 1, 100])
    clustering = spectral_clustering((noise + noise.T) / 2, k, generator, sigma=sigma)
    assert sorted(a for cluster in clustering.clusters for a in cluster) == list(range(d))
    assert 1 <= len(clustering.clusters) <= min(k, d)
    assert clustering.clusters[0][0] == 0
    assert all(list(cluster) == sorted(cluster) for cluster in clustering.clusters)


def test_labels_number_the_clusters_in_their_order():
    assert spectral_clustering(planted(GROUPS), 3, rng()).labels.tolist() == [0, 1, 2] * 3 + [0]


def test_one_cluster_holds_everything_and_as_many_as_attributes_hold_one_each():
    similarity = planted(GROUPS)
    assert spectral_clustering(similarity, 1, rng()).clusters == (tuple(range(10)),)
    assert spectral_clustering(similarity, 10, rng()).clusters == tuple((a,) for a in range(10))
    assert spectral_clustering(similarity, 99, rng()).clusters == tuple((a,) for a in range(10))


def test_the_spectrum_of_equal_similarities_is_that_of_a_complete_graph():
    # W constant off the diagonal: L = I - W/(w (d-1)) has the eigenvalue 0 once and d/(d-1) else.
    for value in (0.0, 0.4, 1.0):
        eigenvalues, _ = laplacian_spectrum(np.full((5, 5), value), sigma=0.5)
        assert eigenvalues == pytest.approx([0] + [5 / 4] * 4, abs=1e-12)


def test_the_spectrum_of_two_pairs_has_the_value_worked_out_by_hand():
    # Off the diagonal w = exp(0) = 1 inside a pair and v = exp(-1 / (2 sigma^2)) across; degree 1 + 2v.
    # Eigenvalues of W: 1 + 2v, 1 - 2v, -1, -1.
    v = np.exp(-1 / (2 * 0.7**2))
    eigenvalues, _ = laplacian_spectrum(planted(((0, 1), (2, 3)), inside=1.0, outside=0.0), sigma=0.7)
    degree = 1 + 2 * v
    expected = [0, 1 - (1 - 2 * v) / degree, 1 + 1 / degree, 1 + 1 / degree]
    assert eigenvalues == pytest.approx(expected, abs=1e-12)


def test_similarities_beyond_zero_and_one_count_as_these():
    wild = planted(GROUPS, inside=4.0, outside=-3.0)
    tame = planted(GROUPS, inside=1.0, outside=0.0)
    assert laplacian_spectrum(wild, sigma=0.5)[0] == pytest.approx(laplacian_spectrum(tame, sigma=0.5)[0])


def test_the_largest_gap_suggests_the_number_of_groups():
    eigenvalues = spectral_clustering(planted(GROUPS, outside=0.0), 3, rng(), sigma=0.3).eigenvalues
    assert suggest_n_clusters(eigenvalues) == 3
    assert suggest_n_clusters(np.array([0.0, 1.0])) == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n_clusters": 0}, "clusters is 0; ask for at least 1"),
        ({"n_clusters": -2}, "clusters is -2; ask for at least 1"),
        ({"n_clusters": 2, "sigma": 0}, "sigma is 0; it must be above 0"),
        ({"n_clusters": 2, "sigma": float("nan")}, "sigma is nan; it must be above 0"),
        ({"n_clusters": 2, "n_vectors": 0}, "k1 is 0; ask for at least 1"),
    ],
)
def test_impossible_parameters_are_refused(options, text):
    k = options.pop("n_clusters")
    with pytest.raises(PlanError, match=text):
        spectral_clustering(planted(GROUPS), k, rng(), **options)


def spread(points, labels):
    """Sum of the squared distances of points from the mean of their group."""
    return sum(((points[labels == g] - points[labels == g].mean(axis=0)) ** 2).sum() for g in set(labels))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 2, 3])
def test_k_means_finds_the_best_of_all_partitions_of_a_few_points(seed, k):
    centres = np.array([[0, 0], [4, 0], [0, 4]])[np.arange(7) % k]
    points = centres + np.random.default_rng(seed).normal(scale=0.5, size=(7, 2))
    found = k_means(points, k, rng())
    every = (np.array(labels) for labels in itertools.product(range(k), repeat=len(points)))
    assert spread(points, found) == pytest.approx(min(spread(points, labels) for labels in every))


def test_as_many_groups_as_points_hold_one_each():
    points = np.random.default_rng(0).normal(size=(6, 3))
    assert sorted(k_means(points, 6, rng())) == list(range(6))


def test_the_groups_follow_from_the_generator_alone():
    points = np.random.default_rng(0).normal(size=(40, 5))
    assert (k_means(points, 6, rng()) == k_means(points, 6, rng())).all()


def test_bits_of_one_attribute_move_to_the_cluster_that_has_most_of_them():
    found = Clustering(clusters=((0, 1, 5), (2, 3, 4), (6,)), eigenvalues=np.zeros(7))
    # Bits 0 1 2 are attribute 0 (two in the first cluster), 3 4 attribute 1, 5 6 attribute 2 (one each).
    assert found.together([0, 0, 0, 1, 1, 2, 2]).clusters == ((0, 1, 2, 5, 6), (3, 4))


def test_rows_of_eigenvectors_are_scaled_to_length_one_before_they_are_grouped():
    """Step 6. The four attributes have unlike degrees; by their raw rows the last one would be alone."""
    similarity = np.zeros((5, 5))
    pairs = {(0, 1): 6, (0, 2): 4, (0, 3): 5, (0, 4): 2, (1, 2): 6, (1, 3): 7, (2, 3): 5}
    for (i, j), tenths in (pairs | {(1, 4): 3, (2, 4): 3, (3, 4): 3}).items():
        similarity[i, j] = similarity[j, i] = tenths / 10
    _, vectors = laplacian_spectrum(similarity, sigma=0.3)

    def spread(rows, group):
        parts = [rows[list(group)], np.delete(rows, list(group), axis=0)]
        return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)

    groups = [g for size in (1, 2) for g in itertools.combinations(range(5), size)]
    rows = vectors[:, :2]
    scaled = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert min(groups, key=lambda group: spread(rows, group)) == (4,)
    assert min(groups, key=lambda group: spread(scaled, group)) == (2, 4)
    assert spectral_clustering(similarity, 2, rng(), sigma=0.3).clusters == ((0, 1, 3), (2, 4))
