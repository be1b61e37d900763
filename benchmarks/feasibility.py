"""Foreseen against measured error of two-way tables: feasibility.py TABLE CODEBOOK [EPSILON ...]."""

import itertools
import sys

import numpy as np

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.planning.feasibility import feasibility
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.sources.files import read_table
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

MOST_PAIRS = 300


def error(first, second, sizes, pairs):
    """Mean total variation between two tables' two-way tables."""
    distances = []
    for i, j in pairs:
        shares = [
            np.bincount(c[:, i] * sizes[j] + c[:, j], minlength=sizes[i] * sizes[j]) / len(c)
            for c in (first, second)
        ]
        distances.append(0.5 * np.abs(shares[0] - shares[1]).sum())
    return float(np.mean(distances))


def main(table, codebook, *epsilons):
    book = Codebook.read(codebook)
    codes = encode(read_table(table), book)
    rng = np.random.default_rng()
    pairs = list(itertools.combinations(range(len(book.domain)), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[i] for i in rng.choice(len(pairs), MOST_PAIRS, replace=False)]
    for epsilon in [float(text) for text in epsilons] or [0.05, 0.1, 0.2, 0.4, 1.0, 3.0]:
        plan = make_plan(Guarantee(epsilon=epsilon), book.domain, n_rows=len(codes))
        model = fit_source(MemorySource(codes, book.domain), plan)
        measured = error(codes, model.sample_codes(rng=rng), book.domain.sizes, pairs)
        foreseen = feasibility(plan, book.domain, len(codes)).two_way_error
        print(f"epsilon {epsilon:<6g} measured {measured:.4f}   foreseen {foreseen:.4f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
