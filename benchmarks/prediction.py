"""Where a classifier's score goes: in the codes, in the choice of pairs, or in the noise.

    uv run python -m benchmarks.prediction [--data FOLDER] [--seeds 3] [--epsilons 0.2 1 4]

Adult's training file with learned bins, delta 1e-9, replace-one, zcdp; gradient boosting trained on rows
of each kind and tested on Adult's test file, AUC. Writes a section of docs/results.md: the real rows; the
real rows coded and decoded; rows of a model that knows the run's pairs, all of the target's pairs and the
run's pairs beside the target exactly; of one that knows the pairs of these; of one that knows the run's
pairs; and the run's own rows. The middle ones are not private: they say what no noise would reach.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from benchmarks.datasets import folder_of
from benchmarks.page import markdown_table, mean, number, write_section
from benchmarks.values import EPSILONS, tables
from hmpb_core.decoding import decode
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.graphical.graph import triangulate
from hmpb_core.graphical.inference import Evidence
from hmpb_core.learners.adaptive.budget import LearnerBudget
from hmpb_core.learners.adaptive.run import LearnerRun
from hmpb_core.learners.base import Learned
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.values import numbers_of
from hmpb_core.model import Model
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

TARGET = "salary"
Finish = Callable[[LearnerRun, Sequence[Sequence[int]], LearnerBudget], Learned]


def knowing_exactly(target: int | None, *, triples: bool = False) -> Finish:
    """The last step of a run, with every measured table replaced by the exact one.

    Args:
        target: Attribute of which all pairs that fit are added; None adds none.
        triples: Add the table of the target and each pair of which both are in a pair with it.
    """
    finish = LearnerRun.finish

    def known(run: LearnerRun, clusters: Sequence[Sequence[int]], budget: LearnerBudget) -> Learned:
        pairs = run.known.pairs
        if target is not None:
            others = [a for a in range(len(run.sizes)) if a != target]
            for pair in [(min(a, target), max(a, target)) for a in others]:
                cliques = triangulate(len(run.sizes), [*pairs, pair], run.limit.log_sizes)
                if pair not in pairs and all(run.limit.fits(clique) for clique in cliques):
                    pairs.append(pair)
        threes: list[tuple[int, ...]] = []
        if target is not None and triples:
            beside = {a for pair in pairs if target in pair for a in pair} - {target}
            threes = [tuple(sorted((*pair, target))) for pair in pairs if beside.issuperset(pair)]
        exact = [
            Evidence(
                attributes=attributes,
                counts=run.exact.marginal(attributes).counts.astype(float),
                variance=1.0,
                ridge=0.01,
            )
            for attributes in dict.fromkeys([*run.known.evidence, *pairs, *threes])
        ]
        run.known.evidence = {table.attributes: table for table in exact}
        with patch.object(run.known, "told", lambda: exact):
            run.model = run.fitted(run.model, sweeps=30)
            return finish(run, clusters, budget)

    return known


def page(table: str, seeds: int) -> str:
    return "\n\n".join(
        [
            "## Where a classifier's score goes",
            "`uv run python -m benchmarks.prediction`. Adult's training file with learned bins, delta 1e-9, "
            "replace-one, zcdp; gradient boosting trained on rows of each kind and tested on Adult's test "
            f"file: AUC, mean of {seeds} seeds. The third to the fifth column are of models that know tables "
            "exactly and are not private: the third knows the target beside each pair of which both go with "
            "it, the fourth only pairs, the fifth those that the run measured. What is lost from the second "
            "to the fourth column is lost by a model of pairs without any noise; from there to the fifth the "
            "run measured other pairs; from there to the last there is noise.",
            table,
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--epsilons", nargs="+", type=float, default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    frame, book, test = tables(folder_of(args.data))["adult"]
    assert test is not None
    target = book.domain.index(TARGET)
    real, held_out = numbers_of(frame, book), numbers_of(test, book)

    def auc(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
        return learned_scores(rows, held_out, book.domain, target)["boosting_auc"]

    def fitted(epsilon: float, seed: int, finish: Finish = LearnerRun.finish) -> Model:
        plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, "replace-one"), book.domain, n_rows=len(frame))
        with patch.object(LearnerRun, "finish", finish):
            return fit_source(open_source(frame, book), plan, seed=seed)

    def of_model(model: Model, seed: int) -> float:
        return auc(numbers_of(model.sample(rng=np.random.default_rng(seed)), book))

    best = auc(real)
    lines = []
    for epsilon in args.epsilons:
        found: dict[str, list[float]] = {}
        for seed in range(args.seeds):
            model = fitted(epsilon, seed)
            codes = encode(frame, replace(book, domain=model.domain))
            coded = numbers_of(decode(codes, model.domain, rng=np.random.default_rng(seed)), book)
            found.setdefault("coded", []).append(auc(coded))
            for name, finish in (
                ("threes", knowing_exactly(target, triples=True)),
                ("star", knowing_exactly(target)),
                ("pairs", knowing_exactly(None)),
            ):
                found.setdefault(name, []).append(of_model(fitted(epsilon, seed, finish), seed))
            found.setdefault("run", []).append(of_model(model, seed))
        means = [number(mean(found[name]), 4) for name in ("coded", "threes", "star", "pairs", "run")]
        lines.append([f"{epsilon:g}", number(best, 4), *means])
    heads = [
        "real rows",
        "coded and decoded",
        "pairs and the target beside them, exact",
        "run's and target's pairs, exact",
        "run's pairs, exact",
        "the run",
    ]
    write_section("prediction", page(markdown_table(["epsilon", *heads], lines), args.seeds))


if __name__ == "__main__":
    main()
