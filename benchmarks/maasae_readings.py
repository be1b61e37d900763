"""Algorithm 1 of MAASAE read otherwise, beside GPKC: `uv run python -m benchmarks.maasae_readings`.

Readings: what is done where no row raises a class's entropy (*join*: the finished class that does, as
printed; *row*: classes never join, and take the row that lowers it least for its loss), and which class takes
a row that is left over (*printed*: the greatest Ent / IL of the union; *loss*: the least added loss).
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.datasets import folder_of
from hmpb_core.anonymize import partition as search
from hmpb_core.anonymize.anonymizer import Request, anonymize, rows_of
from hmpb_core.anonymize.columns import column_of, sensitive_codes
from hmpb_core.anonymize.groups import entropy, loss_of
from hmpb_core.anonymize.partition import Method, Rows
from hmpb_core.experiments.data import some
from hmpb_core.experiments.maasae import QUASI, SAMPLE, SENSITIVE, papers_adult
from hmpb_core.progress import silent


class Reading(search._Search):  # noqa: SLF001 - another reading of its steps
    """The search, with two of its steps read otherwise."""

    joins, left_by_loss = True, False

    def _best_class(self, group, to_beat):  # type: ignore[no-untyped-def]
        return super()._best_class(group, to_beat) if self.joins else None

    def _join(self, row: int) -> None:
        if self.left_by_loss:
            self._method = Method.MAA_MINIL
        super()._join(row)


def described(table: Rows, classes: list[list[int]], k: int) -> str:
    """The paper's figures of some classes."""
    width = table.codes.shape[1]
    loss = np.mean([loss_of(table.codes[rows], table.measures) / len(rows) / width for rows in classes])
    bits = np.mean([entropy(np.bincount(table.sensitive[rows])) for rows in classes])
    size = len(table.sensitive) / len(classes) / k
    return f"{loss:.4f} | {bits:.4f} | {size:.3f} | {len(classes)}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--rows", type=int, default=SAMPLE, help="a sample of so many rows; 0 for all")
    parser.add_argument("--quasi", type=int, default=7)
    parser.add_argument("--k", type=int, nargs="+", default=[8, 12])
    parser.add_argument("--p", type=int, nargs="+", default=[5, 7])
    args = parser.parse_args()
    frame, codebook = papers_adult(folder_of(args.data))
    frame = some(frame, args.rows or None)
    quasi = (*QUASI[: args.quasi - 1], "fnlwgt")
    columns = tuple(column_of(frame, codebook, name) for name in quasi)
    table = rows_of(columns, sensitive_codes(frame, codebook, SENSITIVE))
    print(f"entropy of the column: {entropy(np.bincount(table.sensitive)):.3f} bits")
    print("| no row raises the entropy | left over | k | p | AVG-IL | AVG-Ent | C_AVG | classes |")
    for joins, by_loss in ((True, False), (False, False), (True, True), (False, True)):
        for k in args.k:
            for p in args.p:
                reading = Reading(table, k=k, p=p, method=Method.MAASAE)
                reading.joins, reading.left_by_loss = joins, by_loss
                classes = reading.run(np.random.default_rng(0), silent)
                names = f"{'join' if joins else 'row'} | {'loss' if by_loss else 'printed'}"
                print(f"| {names} | {k} | {p} | {described(table, classes, k)} |", flush=True)
    print("| GPKC | k | p | AVG-IL | AVG-Ent | C_AVG | classes | unlike the most frequent value |")
    for k in args.k:
        for p in args.p:
            request = Request(method=Method.GPKC, k=k, p=p, quasi=quasi, sensitive=SENSITIVE)
            found = anonymize(frame, codebook, request, rng=np.random.default_rng(0))
            classes = [list(rows) for rows in found.members]
            shares = [np.bincount(c).max() / len(c) for rows in classes for c in table.codes[rows].T]
            unlike = 1 - np.mean(shares)
            print(f"| GPKC | {k} | {p} | {described(table, classes, k)} | {unlike:.4f} |", flush=True)


if __name__ == "__main__":
    main()
