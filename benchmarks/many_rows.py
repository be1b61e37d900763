"""MAASAE where k is more than the sensitive attribute has values: `uv run python -m benchmarks.many_rows`.

Adult, a sample of the rows the MAASAE paper takes, 7 quasi-identifiers; occupation has 14 values, and
relationship, of 6, takes its place in the second half. `letter` is the paper's algorithm by the letter.
"""

from __future__ import annotations

import argparse
import time
from unittest import mock

import numpy as np

from benchmarks.datasets import folder_of
from hmpb_core.anonymize import partition
from hmpb_core.anonymize.anonymizer import Request, anonymize
from hmpb_core.anonymize.partition import Method
from hmpb_core.experiments.maasae import QUASI, papers_adult

SETTINGS = (("occupation", 12), ("occupation", 16), ("relationship", 8))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--rows", type=int, default=800, help="rows of the sample")
    args = parser.parse_args()
    frame, codebook = papers_adult(folder_of(args.data))
    frame = frame.sample(args.rows, random_state=1).reset_index(drop=True)
    print("| sensitive | k | search | classes | C_AVG | AVG-IL | AVG-Ent | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for sensitive, k in SETTINGS:
        request = Request(method=Method.MAASAE, k=k, p=5, quasi=QUASI, sensitive=sensitive)
        for name, letter in (("letter", True), ("here", False)):
            before = time.process_time()
            # A share of 0 is the letter: finished classes are always compared.
            share = mock.Mock(return_value=0) if letter else partition.even_share
            with mock.patch.object(partition, "even_share", share):
                found = anonymize(frame, codebook, request, rng=np.random.default_rng(0))
            figures, seconds = found.figures, time.process_time() - before
            print(
                f"| {sensitive} | {k} | {name} | {figures.n_classes} | {figures.c_avg:.2f} | "
                f"{figures.avg_il:.3f} | {figures.avg_ent:.3f} | {seconds:.1f} |"
            )


if __name__ == "__main__":
    main()
