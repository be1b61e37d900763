"""One consistent distribution from many noisy tables, on a junction tree.

The model is a product of potentials, one a noisy table, held as the cliques' tables of a
junction tree. It is the distribution P (of mass N) that minimises

    sum_r |y_r - M_r(P)|^2 / (2 s_r^2)  +  sum_r (k_r / s_r^2) N KL_r

where y_r is the noisy table of the attributes r, M_r(P) the model's table and s_r its noise:
weighted least squares with an entropy penalty of strength k_r towards what the rest of the
model implies. In the dual every cell has a weight theta, P ~ exp(sum theta), and the optimum
satisfies theta_r = (y_r - M_r(P)) / k_r: ridge-penalised maximum likelihood with the noisy
table in the place of the counts. The optimum over one table, the others fixed, has a closed
form (see ``_closest``), so the fit is iterative proportional fitting with shrinkage.

Sources: [McKenna2019, estimation with graphical models], [Lauritzen1996, junction trees],
[Jirousek1995, proportional fitting on a junction tree]; the ridge is this project's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from hmpb_core.graphical.graph import JunctionTree
from hmpb_core.marginal import joined

Table = NDArray[np.float64]
Weights = Mapping[tuple[int, ...], Table]

TURNS = 2
"""Times that a clique's tables are fitted before its neighbours hear of it."""
_TINY = 1e-9
"""Smallest count in a model's table: keeps logarithms finite."""
_NEWTON_STEPS = 50
"""Most steps to the constant that makes a table sum to the total; two or three are usual."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known about one table.

    Attributes:
        attributes: Indices of the attributes, ascending, one an axis.
        counts: Noisy counts; may be negative.
        variance: Noise variance of each count, or of all of them.
        ridge: k, in counts: how strongly the table is drawn towards the rest of the model. A
            cell moves the whole way to its noisy count where that is far above k.
        covariance: Of the counts' errors, where they hang together; ``variance`` is then their mean.
    """

    attributes: tuple[int, ...]
    counts: Table = field(repr=False)
    variance: float
    ridge: float
    covariance: Table | None = field(default=None, repr=False)

    def combined(self, counts: Table, variance: float) -> Evidence:
        """Take in a second, independent look at the same table, by precision."""
        if self.covariance is not None:
            better, left = joined(self.counts, self.covariance, counts, variance)
            mean = float(np.trace(left)) / counts.size
            ridge = self.ridge * mean / self.variance
            return replace(self, counts=better, variance=mean, ridge=ridge, covariance=left)
        share = self.variance / (self.variance + variance)
        kept = variance / (self.variance + variance)
        return Evidence(
            attributes=self.attributes,
            counts=share * counts + (1 - share) * self.counts,
            variance=self.variance * kept,
            ridge=self.ridge * kept,
        )


class TreeModel:
    """A distribution over attributes, as consistent tables of the cliques of a junction tree.

    Args:
        sizes: Number of values of each attribute.
        total: Mass of the model: the public or noisy number of rows.
        tree: The junction tree; every piece of evidence lies inside a clique.
        evidence: The noisy tables.
        weights: theta of earlier fits, by attributes: a warm start.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        total: float,
        tree: JunctionTree,
        evidence: Sequence[Evidence],
        weights: Weights | None = None,
    ) -> None:
        self.sizes = tuple(sizes)
        self.total = total
        self.tree = tree
        given = weights or {}
        self._theta = {e.attributes: given.get(e.attributes, np.zeros(e.counts.shape)) for e in evidence}
        self._axes: dict[tuple[int, tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self._passes: dict[tuple[int, int], tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {}
        self._members = [frozenset(clique) for clique in tree.cliques]
        self._log_cells = [sum(np.log(self.sizes[a]) for a in clique) for clique in tree.cliques]
        self._at: list[list[Evidence]] = [[] for _ in tree.cliques]
        for item in evidence:
            self._at[self._smallest_clique(item.attributes)].append(item)
        self._beliefs = self._calibrated()
        self._versions = [0] * len(tree.cliques)  # how often each clique's table changed
        self._settled = [-1] * len(tree.cliques)  # the version at which a clique's own tables were fitted
        self._agreed: dict[tuple[int, int], tuple[int, int]] = {}  # versions at the last message

    @property
    def weights(self) -> Weights:
        """Theta of every noisy table, by its attributes."""
        return self._theta

    def fit(self, sweeps: int, *, tolerance: float = 1e-3) -> TreeModel:
        """Go over all noisy tables until a sweep moves less than ``tolerance`` of the mass.

        A clique is looked at again only where its table moved since: by more than its part of a quarter
        of the tolerance.
        """
        slack = tolerance * self.total / (4 * len(self.tree.cliques))
        for _ in range(sweeps):
            if self._sweep(slack) <= tolerance * self.total:
                break
        for clique in self.tree.order[1:]:  # what a sweep changed late reaches the early cliques
            self._pass(self.tree.parents[clique], clique, slack=0.0)
        return self

    def match(self, attributes: Collection[int], sweeps: int, *, tolerance: float = 1e-5) -> TreeModel:
        """Go over the one-way tables of some attributes alone, until the model says what they say. Free.

        A fit ends before it stands still, with what the tables say that it looked at last; how the attributes
        hang together stays as it is. Steps of iterative proportional fitting [Deming1940].

        Args:
            attributes: Whose one-way tables; those that were never measured are left alone.
            sweeps: How often at most.
            tolerance: Part of the mass below which what a sweep moves is nothing.
        """
        everything = self._at
        self._at = [
            [e for e in at if len(e.attributes) == 1 and e.attributes[0] in attributes] for at in everything
        ]
        self._settled = [-1] * len(everything)
        self.fit(sweeps, tolerance=tolerance)
        self._at, self._settled = everything, [-1] * len(everything)
        return self

    def belief(self, clique: int) -> Table:
        """Expected counts of a clique, one axis an attribute."""
        return self._beliefs[clique]

    def table(self, attributes: Sequence[int]) -> Table:
        """Expected counts over attributes that lie inside a clique, axes in the given order."""
        clique = self._smallest_clique(tuple(attributes))
        return self.clique_table(clique, attributes)

    def clique_table(self, clique: int, attributes: Sequence[int]) -> Table:
        """Expected counts over some attributes of a clique, axes in the given order."""
        dropped, _ = self._place(clique, tuple(sorted(attributes)))
        kept = [a for a in self.tree.cliques[clique] if a in attributes]
        summed = _summed(self._beliefs[clique], dropped)
        return np.transpose(summed, [kept.index(a) for a in attributes])

    def _smallest_clique(self, attributes: tuple[int, ...]) -> int:
        wanted = set(attributes)
        homes = [c for c, members in enumerate(self._members) if wanted <= members]
        return min(homes, key=lambda c: self._log_cells[c])

    def _place(self, clique: int, attributes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Axes to sum out of a clique, and the shape that lines a smaller table up with it."""
        key = (clique, attributes)
        if key not in self._axes:
            members = self.tree.cliques[clique]
            dropped = tuple(axis for axis, a in enumerate(members) if a not in attributes)
            shape = tuple(self.sizes[a] if a in attributes else 1 for a in members)
            self._axes[key] = dropped, shape
        return self._axes[key]

    def _calibrated(self) -> list[Table]:
        """Turn the weights into consistent clique tables: one pass up in logarithms, one down."""
        tree = self.tree
        logs = [np.zeros([self.sizes[a] for a in clique]) for clique in tree.cliques]
        for clique, items in enumerate(self._at):
            for item in items:
                _, shape = self._place(clique, item.attributes)
                logs[clique] = logs[clique] + self._theta[item.attributes].reshape(shape)
        beliefs: list[Table] = list(logs)
        for child in reversed(tree.order[1:]):
            parent = tree.parents[child]
            separator = tree.separator(parent, child)
            dropped, _ = self._place(child, separator)
            peak = logs[child].max(axis=dropped, keepdims=True)
            scaled = np.exp(logs[child] - peak)
            sums = scaled.sum(axis=dropped, keepdims=True)
            beliefs[child] = scaled / sums
            message = (peak + np.log(sums)).reshape(self._place(parent, separator)[1])
            logs[parent] = logs[parent] + message
        root = tree.order[0]
        scaled = np.exp(logs[root] - logs[root].max())
        beliefs[root] = scaled * (self.total / scaled.sum())
        for child in tree.order[1:]:
            parent = tree.parents[child]
            separator = tree.separator(parent, child)
            sums = _summed(beliefs[parent], self._place(parent, separator)[0])
            beliefs[child] = beliefs[child] * sums.reshape(self._place(child, separator)[1])
        return beliefs

    def _sweep(self, slack: float) -> float:
        """Walk around the tree once, fitting every clique's tables; give the mass moved."""
        tree = self.tree
        root = tree.order[0]
        moved = self._fit_clique(root, slack)
        stack = [(root, iter(tree.neighbors[root]))]
        visited = {root}
        while stack:
            clique, others = stack[-1]
            following = next((other for other in others if other not in visited), None)
            if following is None:
                stack.pop()
                if stack:
                    self._pass(clique, stack[-1][0], slack)
                continue
            visited.add(following)
            self._pass(clique, following, slack)
            moved += self._fit_clique(following, slack)
            stack.append((following, iter(tree.neighbors[following])))
        return moved

    def _fit_clique(self, clique: int, slack: float) -> float:
        """Fit a clique's tables, a few times over: they share attributes, and no message is needed for it."""
        first = 0.0
        for turn in range(TURNS):
            if self._settled[clique] == self._versions[clique]:
                break
            moved = 0.0
            for item in self._at[clique]:
                moved += self._fit_table(clique, item)
            self._versions[clique] += 1
            if moved <= slack or len(self._at[clique]) == 1:
                self._settled[clique] = self._versions[clique]
            first = first if turn else moved
        return first

    def _fit_table(self, clique: int, item: Evidence) -> float:
        belief = self._beliefs[clique]
        dropped, shape = self._place(clique, item.attributes)
        current = np.maximum(_summed(belief, dropped), _TINY)
        better, theta = _closest(current, item.counts, self._theta[item.attributes], item.ridge, self.total)
        self._theta[item.attributes] = theta
        belief *= (better / current).reshape(shape)
        return 0.5 * float(np.abs(better - current).sum())

    def _pass(self, source: int, target: int, slack: float) -> None:
        """Make the target clique agree with the source clique on what they share, but for ``slack`` rows."""
        versions = self._versions[source], self._versions[target]
        if self._agreed.get((source, target)) == versions and slack:
            return
        if (source, target) not in self._passes:
            separator = self.tree.separator(source, target)
            here, there = self._place(source, separator), self._place(target, separator)
            self._passes[source, target] = here[0], *there
        dropped_here, dropped, shape = self._passes[source, target]
        new = _summed(self._beliefs[source], dropped_here)
        old = _summed(self._beliefs[target], dropped)
        if not slack or 0.5 * float(np.abs(new - old).sum()) > slack:
            self._beliefs[target] *= (new / np.maximum(old, 1e-30)).reshape(shape)
            self._versions[target] += 1
        self._agreed[source, target] = self._versions[source], self._versions[target]


def _summed(table: Table, dropped: tuple[int, ...]) -> Table:
    """Sum over some axes, twice as fast as ``ndarray.sum`` where short ones lie between the others."""
    axes = ascii_letters[: table.ndim]
    kept = "".join(letter for axis, letter in enumerate(axes) if axis not in dropped)
    summed: Table = np.einsum(f"{axes}->{kept}", table)
    return summed


def _closest(current: Table, noisy: Table, theta: Table, ridge: float, total: float) -> tuple[Table, Table]:
    """Give the best table of one noisy table, the other tables' weights fixed, and its weights.

    The best table x solves, cell by cell,

        x + k log(x / m) = y - k theta + c,      so    x = k w((y - k theta + c) / k + log(m / k))

    with m the current table, k the ridge, w the Wright omega function and c the number
    that makes x sum to the total. The new weights are theta + log(x / m) - c / k. At the solution
    that is (y - x) / k; unlike it, it stays true where x is solved for only roughly and k is
    small, so that weights and clique tables never part.
    """
    from scipy.special import wrightomega  # loads in half a second, which a bill need not wait for

    start = noisy - ridge * theta + ridge * np.log(current / ridge)
    most = total + ridge * float(np.log(total / ridge)) - float(start.max())  # the largest cell alone is it
    shift = 0.0
    better = current
    for _ in range(_NEWTON_STEPS):
        better = ridge * wrightomega((start + shift) / ridge)
        excess = float(better.sum()) - total
        if abs(excess) < 1e-4 * total:
            break
        slope = float((better / (better + ridge)).sum())
        # Where noise is so large that nearly every cell underflows, a step along the slope has no bound.
        shift = min(shift - excess / slope, most) if slope > 0 else most
    better = np.maximum(better, _TINY)
    better *= total / better.sum()
    return better, theta + np.log(better / current) - shift / ridge
