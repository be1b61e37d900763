"""One run of the adaptive learner: what is known so far, and the acts that a learner puts in order."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hmpb_core.domain import Domain
from hmpb_core.graphical.from_tree import conditional_tables, networks_of
from hmpb_core.graphical.graph import (
    CliqueLimit,
    Pair,
    fitting_pairs,
    junction_tree,
    log2_sizes,
    triangulate,
)
from hmpb_core.graphical.inference import Evidence, Table, TreeModel
from hmpb_core.graphical.pair_tables import pair_tables
from hmpb_core.learners.adaptive.budget import LEAST_NOISE, TICKS, LearnerBudget, counts_left
from hmpb_core.learners.adaptive.budget_plan import AGAIN, TABLES, BudgetPlan
from hmpb_core.learners.adaptive.measured import SINGLE_RIDGE, Measured
from hmpb_core.learners.adaptive.pair_prior import (
    PairPrior,
    first_edges,
    narrowed,
    pairs_worth_asking,
    placement,
)
from hmpb_core.learners.adaptive.scores import ExactTables, expected_error
from hmpb_core.learners.adaptive.smoothing import values_in_order
from hmpb_core.learners.base import Follower, Learned
from hmpb_core.likely_counts import one_way_estimate
from hmpb_core.marginal import NoisyMarginal
from hmpb_core.merging import Compression, compress, merge_counts, merges_of
from hmpb_core.planning.advice import one_way_parts
from hmpb_core.privacy.budget import Stage
from hmpb_core.progress import StageClock
from hmpb_core.sources.base import Source
from hmpb_core.sources.merged import MergedSource
from hmpb_core.stages.similarity import SimilarityMatrix

ROUNDS = 48
"""Planned number of rounds: with more tables planned than this a round takes several."""
CELLS, FULL_CELLS = 2**13, 2**18
"""Size that any clique may have, over merged values and over the domain's values."""
MODEL_CELLS, FULL_FACTOR = 2**20, 32
"""Cells that the cliques of few attributes share, none more than its part, and how many times as many over
the domain's values (``benchmarks.clique_sizes``)."""
WIDE = 64
"""Attributes from which on a pair that fails the quick test is not triangulated, and the
last choice, which must be sure to fit, is among the pairs that are in the model."""
SWEEPS, WIDE_SWEEPS = 4, 3
"""Sweeps of the fit after a round: more gain less than another seed moves."""
LAST_SWEEPS, MATCHES = 20, 30
"""Sweeps of the last fit, and after it over the one-way tables alone."""
RECHECK = 4
"""Rounds for which a pair that passed a triangulation stays a candidate unchecked."""
NO_RIDGE = 1e-3
"""Ridge of the one-way table of an attribute that is in no measured pair, in noise."""
ROOT = 8
"""A root's one-way table is measured again for an eighth of a pair's price; all, for an eighth of all."""
PAIR_RIDGE, FLAG_RIDGE, FLAG = 2.0, 3.0, 3
"""Ridge of a usual pair, and of one with a flag, in units of (cells / N) variance; and codes of a flag at
most: two values and the missing one."""
FAVOUR = 2.0
"""What a favoured pair's table may cost, and what its gain counts, in units of other pairs'."""


class LearnerRun:
    """The state of one run: public values, and one hidden holder of exact counts.

    Args:
        source: The private table.
        profile: The noisy one-way tables, one an attribute.
        max_parents: l, the largest number of parents; None leaves it to the size of the tables.
        eta: Pruning of pairs by the noisy similarity, eq. 9 of [Zhang2022]; 0 keeps all.
        total: Public or noisy number of rows.
        similarity: Noisy similarities; only ``tvd`` gives free edges.
        clusters: A partition of the attributes.
        decided: Attributes that the public rules decide by others: none of their pairs is measured.
        followers: Those of them that follow from longer lists: theirs are, where the two fit into a clique.
        favoured: Attributes whose pairs matter most: their tables get ``FAVOUR`` times the budget, and what
            other pairs gain counts so many times less. Public, as the plan is.
    """

    def __init__(
        self,
        source: Source,
        profile: Sequence[NoisyMarginal],
        *,
        max_parents: int | None,
        eta: float,
        total: float,
        similarity: SimilarityMatrix | None,
        clusters: Sequence[Sequence[int]],
        decided: Collection[int] = (),
        followers: Sequence[Follower] = (),
        favoured: Collection[int] = (),
    ) -> None:
        self.total = total
        self.profile = tuple(profile)
        self.merges = _merges(profile, total, followers)
        self.sizes = tuple(merge.size for merge in self.merges)
        self.exact = ExactTables(MergedSource(source, self.merges))
        self.limit = _limit(source.domain, self.sizes, max_parents)
        singles = [self._single(a, table) for a, table in enumerate(profile)]
        in_order = list(map(values_in_order, source.domain.attributes, self.merges))
        self.followers = [
            _merged(follower, self.merges)
            for follower in followers
            if self.limit.fits(1 << follower.attribute | 1 << follower.of)
        ]
        self.links = [follower.pair for follower in self.followers]
        decided = set(decided) - {follower.attribute for follower in self.followers}
        self.known = Measured(singles, total, in_order, self.followers)
        one_way = [e.counts for e in singles]
        self.rank = placement(one_way, [])
        self.prior = PairPrior.of(
            one_way,
            total,
            similarity,
            clusters,
            eta=eta,
            decided=decided,
            links=self.links,
            laplace=profile[0].noise == "laplace",
        )
        self.pairs = pairs_worth_asking(self.prior)
        self.unfit: set[Pair] = set()
        self.passed: set[Pair] = set()  # by triangulation, some rounds ago: checked again when picked
        self.favoured = frozenset(favoured)
        self.rounds = 0
        self.batch = 1
        self.model = self.fitted(None, sweeps=1)

    def part_of_one_way(self, profile: Sequence[NoisyMarginal], budget: LearnerBudget) -> float:
        """The part of the budget that one-way tables promise more for than pairs do: 0 to 1.

        Only with Gaussian noise: two looks at it are worth their prices' sum, while two looks
        with Laplace noise are worth less than one at both prices.
        """
        if not self.pairs or self.prior.strength is None or profile[0].noise != "gaussian":
            return 0.0
        planned = BudgetPlan(self.prior, self.pairs, lambda part: budget.noise_sd(part * TICKS))
        return planned.part_of_one_way(profile, self._parts())

    def one_way_again(
        self, part: float, source: Source, profile: Sequence[NoisyMarginal], budget: LearnerBudget
    ) -> list[NoisyMarginal]:
        """Measure the one-way tables again with a part of the budget; of all of it a little is kept.

        That is spent over values merged by what is known then.
        """
        again = min(part, AGAIN[-1])
        return [
            table.combined(budget.measure_for(round(again * share * TICKS), source.marginal((a,))))
            for a, (table, share) in enumerate(zip(profile, self._parts(), strict=True))
        ]

    def _parts(self) -> list[float]:
        """Each attribute's part of what the one-way tables get."""
        return [float(part) for part in one_way_parts(counts_left(self.merges))]

    def hopeless(self, budget: LearnerBudget) -> bool:
        """Whether no pair promises more than its measurement costs, as far as the similarity can tell."""
        if not self.pairs or self.prior.strength is None:
            return False
        planned = BudgetPlan(self.prior, self.pairs, lambda part: budget.noise_sd(part * budget.left))
        return planned.promises_nothing()

    def _trust_the_lonely(self) -> None:
        """Take the one-way table of an attribute in no pair as it is: shrinking it only biases."""
        joined = {attribute for pair in self.known.pairs for attribute in pair}
        lonely = [a for a in range(len(self.sizes)) if a not in joined]
        for attribute in lonely:
            item = self.known.evidence[attribute,]
            self.known.evidence[attribute,] = replace(item, ridge=NO_RIDGE * math.sqrt(item.variance))
        if lonely:
            self.model = self.fitted(self.model, sweeps=1)

    def first_tables(self, budget: LearnerBudget) -> None:
        """Plan, and measure the free edges: at most three quarters of what there is.

        An attribute that is no free edge's child has its one-way table measured again, for a small
        part of a pair's price, so that every attribute is the child of a table.
        """
        whole = budget.left
        tables = max(1, min(2 * len(self.sizes), TABLES[-1]))  # without similarities
        if self.pairs and self.prior.strength is not None:
            planned = BudgetPlan(self.prior, self.pairs, lambda part: budget.noise_sd(part * whole))
            tables = planned.pairs_planned()
        budget.unit = max(1, whole // tables)
        self.batch = math.ceil(tables / ROUNDS)
        edges = first_edges(self.prior, self.pairs, budget.noise_sd(budget.unit), self.links)
        budget.unit = min(budget.unit, 3 * whole // (4 * max(1, len(edges))))
        counts = [self.known.evidence[a,].counts for a in range(len(self.sizes))]
        self.rank = placement(counts, [*self.links, *edges])
        children = {self.child(pair) for pair in edges}
        roots = [a for a in range(len(self.sizes)) if a not in children]
        unit = max(1, min(budget.unit // ROOT, whole // (ROOT * len(roots))))
        for attribute in roots:
            self.measure((attribute,), budget, keep=whole // 4, unit=unit)
        for pair in edges:
            enough = budget.left - self._price(pair, budget) >= whole // 4
            if enough and self.limit.fits(1 << pair[0] | 1 << pair[1]):
                self.measure(pair, budget, keep=whole // 4)
        self.pairs = narrowed(self.prior, self.pairs, set(self.known.pairs), budget.noise_sd(budget.unit))
        self.model = self.fitted(self.model, sweeps=2 * SWEEPS)

    def round(self, budget: LearnerBudget, clock: StageClock) -> None:
        """Select, measure, fit; raise the price when that taught nothing."""
        self.rounds += 1
        with clock.stage(Stage.STRUCTURE):
            candidates = self._candidates(sure=budget.last)
            before = self._model_tables(candidates)
            noise = {c: self._noise_after(c, budget) for c in candidates}
            gains = self.exact.gains(candidates, before, noise)
            scores = {c: gain * self._counts(c) for c, gain in zip(candidates, gains, strict=True)}
        chosen: list[tuple[int, ...]] = []
        for turn in range(min(self.batch, len(candidates))):
            if turn and budget.last:  # the last choice is made among tables that are sure to fit
                break
            pick = candidates.pop(budget.select([scores[c] for c in candidates]))
            if self._fits(pick):
                self.measure(pick, budget)
                chosen.append(pick)
            if not budget.left:
                break
        if not chosen:
            return
        self.model = self.fitted(self.model, sweeps=SWEEPS if len(self.sizes) <= WIDE else WIDE_SWEEPS)
        noise_sd = budget.noise_sd(budget.unit)
        taught = [
            0.5 * float(np.abs(self.model.table(c) - before[c]).sum())
            - 0.5 * expected_error(before[c], noise_sd)
            for c in chosen
        ]
        if math.fsum(taught) <= 0:
            budget.unit *= 2

    def finish(self, clusters: Sequence[Sequence[int]], budget: LearnerBudget) -> Learned:
        """Fit to the end and read the networks off the model."""
        self._trust_the_lonely()
        joined = {attribute for pair in self.known.pairs for attribute in pair}
        model = self.model.fit(LAST_SWEEPS, tolerance=1e-4).match(joined, MATCHES)
        tables = conditional_tables(model, self.merges, list(self.known.evidence.values()), self.rank)
        networks = tuple(networks_of([table.family for table in tables], clusters))
        measured = set(self.known.measured)
        return Learned(
            networks=networks,
            tables=tuple(tables),
            measured=tuple(self.known.measured),
            bridges=tuple(
                (parent, child)
                for network in networks
                for parent, child in network.bridges
                if (min(parent, child), max(parent, child)) in measured
            ),
            child_noise=budget.child_noise(),
            one_way=self.profile,
        )

    def _single(self, attribute: int, table: NoisyMarginal) -> Evidence:
        """A one-way table, made non-negative before it is merged: a sum of many would-be zeros is noise."""
        noise_sd = max(table.noise_sd, LEAST_NOISE)
        merge = self.merges[attribute]
        errors = table.covariance if table.noise_sd > LEAST_NOISE else None
        return Evidence(
            attributes=(attribute,),
            counts=merge_counts(one_way_estimate(table, self.total), [merge]),
            variance=noise_sd**2,
            ridge=SINGLE_RIDGE * noise_sd,
            covariance=None if errors is None else merge_counts(errors, [merge, merge]),
        )

    def _noise_after(self, attributes: tuple[int, ...], budget: LearnerBudget) -> float:
        """Noise on a count after one more measurement, an earlier one of the same table counted in.

        Of a pair without the noise in its margins, which all looks together know better.
        """
        noise_sd = budget.noise_sd(self._price(attributes, budget))
        known = self.known.evidence.get(attributes)
        if known is not None:
            noise_sd = 1 / math.sqrt(1 / known.variance + 1 / noise_sd**2)
        if len(attributes) == 2:
            sizes = [self.sizes[a] for a in attributes]
            if min(sizes) > 1:  # else the pair is all margin, and worth nothing
                noise_sd *= math.sqrt(math.prod(1 - 1 / size for size in sizes))
        return noise_sd

    def _is_favoured(self, attributes: tuple[int, ...]) -> bool:
        """Whether a table tells what a favoured attribute has to do with another."""
        return len(attributes) == 2 and not self.favoured.isdisjoint(attributes)

    def _unit(self, attributes: tuple[int, ...], unit: int) -> int:
        """What a table costs before the weights."""
        return round(FAVOUR * unit) if self._is_favoured(attributes) else unit

    def _price(self, attributes: tuple[int, ...], budget: LearnerBudget) -> int:
        """What a table costs."""
        return budget.price(self.child(attributes), self._unit(attributes, budget.unit))

    def _counts(self, attributes: tuple[int, ...]) -> float:
        """What a table's gain counts: at most 1, so that one row moves a score no more than it did."""
        return 1.0 if not self.favoured or self._is_favoured(attributes) else 1 / FAVOUR

    def _candidates(self, *, sure: bool) -> list[tuple[int, ...]]:
        """Tables that may be measured, by public knowledge: pairs in the model and pairs that fit.

        A pair that the quick test refuses is triangulated; one that does not fit then is
        never asked again. Where no pair is left the one-way tables are measured again.

        Args:
            sure: Triangulate every pair: the quick test allows for an arrangement of cliques
                that the triangulation may miss.
        """
        known = set(self.known.pairs)
        if sure or self.rounds % RECHECK == 0:
            self.passed.clear()
        quick = set() if sure else fitting_pairs(self.model.tree, self.pairs, self.limit)
        check = len(self.sizes) <= WIDE
        if sure and not check:
            return list(self.known.measured) or [(a,) for a in range(len(self.sizes))]
        found: list[tuple[int, ...]] = list(self.known.measured)
        found.extend(
            pair
            for pair in self.pairs
            if pair not in known
            and pair not in self.unfit
            and (pair in quick or pair in self.passed or (check and self._fits(pair)))
        )
        return found or [(a,) for a in range(len(self.sizes))]

    def _fits(self, attributes: tuple[int, ...]) -> bool:
        """Whether the model still has small cliques with this pair; remembers a refusal."""
        if attributes in self.known.evidence:
            return True
        pair = (attributes[0], attributes[1])
        cliques = triangulate(len(self.sizes), [*self.known.pairs, pair], self.limit.log_sizes)
        if all(self.limit.fits(clique) for clique in cliques):
            self.passed.add(pair)
            return True
        self.unfit.add(pair)
        return False

    def _model_tables(self, candidates: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], Table]:
        if len(candidates[0]) == 1:
            return {c: self.model.table(c) for c in candidates}
        tables = pair_tables(self.model, [(c[0], c[1]) for c in candidates])
        return {c: tables[c[0], c[1]] for c in candidates}

    def child(self, attributes: tuple[int, ...]) -> int:
        """The later of a table's attributes in the order of placement."""
        return max(attributes, key=lambda a: self.rank[a])

    def measure(
        self, attributes: tuple[int, ...], budget: LearnerBudget, *, keep: int = 0, unit: int | None = None
    ) -> None:
        """Measure a table at its child's price, and take it in; see ``LearnerBudget.measure``."""
        child = self.child(attributes)
        unit = self._unit(attributes, unit or budget.unit)
        noisy = budget.measure(self.exact.marginal(attributes), child, keep=keep, unit=unit)
        ridge = 0.0
        if len(attributes) == 2:
            factor = self.prior.ridge_factor((attributes[0], attributes[1]))
            usual = FLAG_RIDGE if min(noisy.counts.shape) <= FLAG else PAIR_RIDGE
            ridge = usual * factor * noisy.counts.size / self.total
        variance = max(noisy.noise_sd, LEAST_NOISE) ** 2
        self.known.take_in(attributes, noisy.counts, variance, ridge=ridge)

    def fitted(self, earlier: TreeModel | None, *, sweeps: int) -> TreeModel:
        """Fit a model to all that is known, from an earlier one's weights on where there is one."""
        cliques = list(triangulate(len(self.sizes), self.known.pairs, self.limit.log_sizes))
        weights = earlier.weights if earlier is not None else None
        tree = junction_tree(cliques)
        return TreeModel(self.sizes, self.total, tree, self.known.told(), weights).fit(sweeps)


def _merges(
    profile: Sequence[NoisyMarginal], total: float, followers: Sequence[Follower]
) -> list[Compression]:
    """The merge of every attribute; values of a list from which different ones follow stay apart."""
    found = merges_of(profile, total)
    apart: dict[int, NDArray[np.intp]] = {}
    for follower in followers:
        table, own = profile[follower.of], found[follower.attribute].groups[follower.codes]
        if follower.of in apart:  # several columns follow from it
            both = np.stack([apart[follower.of], own])
            own = np.unique(both, axis=1, return_inverse=True)[1].ravel()
        apart[follower.of] = own
        found[follower.of] = compress(one_way_estimate(table, total), table.noise_sd, own)
    return found


def _merged(follower: Follower, merges: Sequence[Compression]) -> Follower:
    """What follows from the merged values."""
    of, own = merges[follower.of], merges[follower.attribute]
    codes = np.zeros(of.size, dtype=np.intp)
    codes[of.groups] = own.groups[follower.codes]
    return replace(follower, codes=codes)


def _limit(domain: Domain, sizes: Sequence[int], max_parents: int | None) -> CliqueLimit:
    """The size limit; an attribute with very many values may still meet one of a few."""
    cells = max(CELLS, MODEL_CELLS // len(sizes))
    full = max(FULL_CELLS, min(MODEL_CELLS, FULL_FACTOR * cells))
    return CliqueLimit(
        log_sizes=log2_sizes(sizes),
        log_full_sizes=log2_sizes(domain.sizes),
        log_cells=math.log2(max(cells, 4 * max(sizes))),
        log_full_cells=math.log2(max(full, 64 * max(domain.sizes))),
        max_attributes=len(sizes) if max_parents is None else max_parents + 1,
    )
