"""MAASAE on Adult: seconds, and a digest of the classes: `uv run python -m benchmarks.maasae [--whole]`.

The figures of the paper are experiments: `hmpb bench maasae-table5` and `maasae-fig2` to `maasae-fig7`.
The digest says whether a quicker search finds the same classes.
"""

from __future__ import annotations

import argparse
import hashlib
import time

import numpy as np

from benchmarks.datasets import folder_of
from hmpb_core.anonymize.anonymizer import Request, anonymize
from hmpb_core.anonymize.partition import Method
from hmpb_core.experiments.maasae import QUASI, SENSITIVE, papers_adult


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--whole", action="store_true", help="all 45,222 rows, codes of seven digits")
    parser.add_argument("--rows", type=int, help="a sample of so many rows")
    parser.add_argument("--method", choices=[method.value for method in Method], default="maasae")
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--p", type=int, default=5)
    args = parser.parse_args()
    frame, codebook = papers_adult(folder_of(args.data), whole=args.whole)
    if args.rows:
        frame = frame.sample(args.rows, random_state=1).reset_index(drop=True)
    request = Request(method=Method(args.method), k=args.k, p=args.p, quasi=QUASI, sensitive=SENSITIVE)
    before = time.process_time()
    found = anonymize(frame, codebook, request, rng=np.random.default_rng(0))
    seconds = time.process_time() - before
    figures, digest = found.figures, hashlib.sha256(repr(found.members).encode()).hexdigest()[:16]
    print(
        f"{len(frame)} rows: {seconds:.1f} CPU s, AVG-IL {figures.avg_il:.5f}, "
        f"AVG-Ent {figures.avg_ent:.5f}, C_AVG {figures.c_avg:.3f}, {figures.n_classes} classes, "
        f"digest {digest}"
    )


if __name__ == "__main__":
    main()
