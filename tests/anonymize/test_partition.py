"""The greedy search against a plain one that works every loss out anew."""

import math

import numpy as np
import pytest

from hmpb_core.anonymize import nominal, pool, ranks, shelves
from hmpb_core.anonymize import partition as partition_module
from hmpb_core.anonymize.continuous import Continuous
from hmpb_core.anonymize.groups import entropy, loss_of
from hmpb_core.anonymize.hierarchy import CodeTree
from hmpb_core.anonymize.nominal import Nominal
from hmpb_core.anonymize.ordinal import Ordinal
from hmpb_core.anonymize.partition import Method, Rows, partition
from hmpb_core.anonymize.semantic import Semantic
from hmpb_core.errors import CancelledError, PlanError
from tests.thorough import sample


def table_of(rng, n_rows, n_sensitive=4):
    """One attribute of each kind; two continuous ones, so that no two choices score the same."""
    codes = sorted({f"{code:03d}" for code in rng.integers(0, 400, 30)})
    measures = (
        Continuous(values=np.sort(rng.random(n_rows))),
        Continuous(values=np.sort(rng.random(n_rows))),
        Ordinal.of_ranks(6),
        Nominal(n_values=4),
        Semantic(tree=CodeTree.of_paths([tuple(code) for code in codes])),
        Ordinal.of_ranks(3, missing=True),
        Continuous(values=np.arange(5.0), missing=True),
    )
    columns = [rng.permutation(n_rows), rng.permutation(n_rows)]
    columns += [rng.integers(0, measure.n_values, n_rows) for measure in measures[2:]]
    sensitive = np.concatenate([np.arange(n_sensitive), rng.integers(0, n_sensitive, n_rows - n_sensitive)])
    skewed = np.where(rng.random(n_rows) < 0.3, 0, sensitive)
    skewed[:n_sensitive] = np.arange(n_sensitive)
    return Rows(codes=np.stack(columns, axis=1).astype(np.int64), sensitive=skewed, measures=measures)


def plain_partition(table, *, k, p, method, rng):  # noqa: C901 - it reads like the paper's listing
    """[Yang2014, algorithm 1] by the letter: every row and class tried. Gives classes and joins."""

    def figures(rows):
        return entropy(np.bincount(table.sensitive[rows])), loss_of(table.codes[rows], table.measures)

    def rank(gain, added):
        added = max(added, 0.0)
        if method is not Method.MAASAE:
            return (0, -added, gain)
        if gain > 1e-12:
            return (2, gain, 0) if added <= 1e-12 else (1, gain / added, 0)
        return (0, -added, 0) if gain >= -1e-12 else (-1, gain * added, gain)

    free, done, merges = set(range(len(table.sensitive))), [], 0
    for seed in rng.permutation(len(table.sensitive)).tolist():
        if len(free) < k or len({table.sensitive[row] for row in free}) < p:
            break
        if seed not in free:
            continue
        free.remove(seed)
        group = [seed]
        while len(group) < k:
            bits, loss = figures(group)
            here = set(table.sensitive[group].tolist())
            choices = []
            for row in free:
                if len(group) >= p or table.sensitive[row] not in here:
                    b, il = figures([*group, row])
                    choices.append((rank(b - bits, il - loss), 0, [row]))
            for other in done if method is not Method.GPKC else []:
                b, il = figures(group + other)
                choices.append((rank(b - bits, il - loss), 1, other))
            _, is_class, best = max(choices, key=lambda choice: choice[:2])
            if is_class:
                done.remove(best)
                merges += 1
            else:
                free.remove(best[0])
            group = group + best
        done.append(group)
    for row in rng.permutation(sorted(free)).tolist():
        if method is Method.MAASAE:
            scores = [rank(*figures([*group, row])) for group in done]
        else:
            scores = [rank(0.0, figures([*group, row])[1] - figures(group)[1]) for group in done]
        done[scores.index(max(scores))].append(row)
    return {frozenset(group) for group in done}, merges


@pytest.mark.parametrize("few", [1_000, 0], ids=["every row looked at", "cells passed over"])
@pytest.mark.parametrize("method", sample(Method, 2))
def test_the_quick_search_finds_the_classes_of_the_plain_one(method, few, monkeypatch):
    monkeypatch.setattr(partition_module, "even_share", lambda _, k: 0)  # noqa: ARG005 - by the letter
    monkeypatch.setattr(pool, "FEW", few)
    monkeypatch.setattr(shelves, "MANY", 64 if few else 2)
    monkeypatch.setattr(shelves, "CHUNK", 8 if few else 1)
    merges = 0
    for seed in range(6) if few else range(6, 12):
        monkeypatch.setattr(pool, "MOST_BITS", 62 if seed % 2 else 0)
        for kind in (nominal, ranks):  # some tables' attributes are counted each by itself
            monkeypatch.setattr(kind, "MAX_CELLS", 0 if seed % 3 == 1 else 10**7)
        table = table_of(np.random.default_rng(seed), 12 if seed % 2 else 40)
        k, p = (4, 3) if seed % 2 else (5, 3)
        found = partition(table, k=k, p=p, method=method, rng=np.random.default_rng(seed))
        plain, merged = plain_partition(table, k=k, p=p, method=method, rng=np.random.default_rng(seed))
        merges += merged
        assert {frozenset(group) for group in found} == plain
    assert (merges > 0) == (method is Method.MAASAE) or method is Method.MAA_MINIL


@pytest.mark.parametrize("method", Method)
def test_every_row_is_in_one_class_of_k_rows_and_p_values(method):
    table = table_of(np.random.default_rng(5), 150, n_sensitive=6)
    classes = partition(table, k=7, p=4, method=method, rng=np.random.default_rng(1))
    assert sorted(row for group in classes for row in group) == list(range(150))
    assert min(len(group) for group in classes) >= 7
    assert min(len(set(table.sensitive[group].tolist())) for group in classes) >= 4


def test_one_value_in_nine_rows_of_ten_leaves_rows_that_still_find_a_class():
    table = table_of(np.random.default_rng(2), 100)
    sensitive = np.zeros(100, dtype=np.int64)
    sensitive[:10] = 1
    sensitive[10] = 2
    skewed = Rows(codes=table.codes, sensitive=sensitive, measures=table.measures)
    classes = partition(skewed, k=5, p=3, rng=np.random.default_rng(0))
    assert [sorted(set(sensitive[group].tolist())) for group in classes] == [[0, 1, 2]]
    assert len(classes[0]) == 100


def test_more_rows_in_a_class_than_values_fill_it_evenly_and_leave_many_classes(monkeypatch):
    table = table_of(np.random.default_rng(3), 150, n_sensitive=4)
    found = {}
    for name, share in (("here", partition_module.even_share), ("letter", lambda _, k: 0)):  # noqa: ARG005
        monkeypatch.setattr(partition_module, "even_share", share)
        found[name] = partition(table, k=9, p=3, rng=np.random.default_rng(0))
    assert len(found["letter"]) <= 2
    assert len(found["here"]) >= 8
    assert min(len(group) for group in found["here"]) >= 9


def test_equal_rows_lose_nothing():
    measures = (Nominal(n_values=2), Ordinal.of_ranks(3))
    table = Rows(codes=np.zeros((30, 2), dtype=np.int64), sensitive=np.arange(30) % 3, measures=measures)
    classes = partition(table, k=3, p=3, rng=np.random.default_rng(0))
    assert all(loss_of(table.codes[group], measures) == 0 for group in classes)


@pytest.mark.parametrize(
    ("k", "p", "said"), [(1, 1, "at least 2"), (3, 4, "k is 3 and p is 4"), (99, 2, "fewer rows")]
)
def test_impossible_k_and_p_are_refused(k, p, said):
    with pytest.raises(PlanError, match=said):
        partition(table_of(np.random.default_rng(0), 20), k=k, p=p, rng=np.random.default_rng(0))


def test_more_values_than_the_table_has_are_refused():
    with pytest.raises(PlanError, match="fewer different values"):
        partition(table_of(np.random.default_rng(0), 20), k=9, p=8, rng=np.random.default_rng(0))


def test_the_search_tells_where_it_is_and_can_be_stopped():
    seen = []

    def stop(fraction, message):
        seen.append(fraction)
        if fraction > 0.5:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        partition(
            table_of(np.random.default_rng(0), 60), k=4, p=2, rng=np.random.default_rng(0), progress=stop
        )
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert not math.isclose(seen[-1], 1)


def test_of_a_row_and_a_finished_class_that_do_as_well_the_class_is_joined():
    """Line 10 of algorithm 1 takes the row only where its APF is greater.

    D, E, F of three values at 1 make a class at once. A at 0 then has B and G at 3/4, 1 bit for 3/4, and the
    class, 2 bits for 3/2. Joined, it leaves B and G too few; with B, A would make a class of its own.
    """
    table = Rows(
        codes=np.array([[0], [1], [1], [2], [2], [2]]),
        sensitive=np.array([0, 1, 2, 1, 2, 3]),
        measures=(Continuous(values=np.array([0.0, 0.75, 1.0])),),
    )
    classes = partition(table, k=3, p=2, rng=_Order([3, 0, 1, 2, 4, 5]))
    assert [sorted(group) for group in classes] == [[0, 1, 2, 3, 4, 5]]


class _Order:
    """Draws the first rows of classes in a known order."""

    def __init__(self, rows):
        self._rows = rows

    def permutation(self, rows):
        return np.array(self._rows) if isinstance(rows, int) else np.asarray(rows)
