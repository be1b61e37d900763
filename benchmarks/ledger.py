"""How long a ledger operation takes, by the number of entries: `python benchmarks/ledger.py [ENTRIES]`."""

import statistics
import sys
import tempfile
import time

import pandas as pd

from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.privacy.ledger import Kind, Totals
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.workspace import Workspace

TINY = Guarantee(epsilon=0.001, delta=0, currency=Currency.PURE)


def fill(workspace, dataset, entries):
    """Write many entries in one transaction."""
    with workspace._store.writing() as book:  # noqa: SLF001 - one transaction for all of them
        for number in range(entries):
            book.append(
                Kind.CHARGE if number % 2 == 0 else Kind.COMPLETE,
                dataset=dataset.id,
                release=f"{number // 2:032x}",
                who="bench",
                why="to see how long it takes",
                cost=Totals.of(TINY, within=dataset.neighbors, after=Totals())
                if number % 2 == 0
                else Totals(),
            )


def milliseconds(act, repeats=50):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        act()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times), max(times)


def measure(entries):
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(folder, create=True)
        table = pd.DataFrame({"x": range(100)})
        dataset = workspace.register(
            table, name="bench", unit=Unit.parse("row"), cap_epsilon=100.0, cap_delta=1e-9
        )
        fill(workspace, dataset, entries)
        charge = workspace.charge(dataset, Guarantee(epsilon=0.001))
        return {
            "open": milliseconds(lambda: Workspace(folder)),
            "data sets with cap, spent, left": milliseconds(workspace.datasets),
            "charge (pure)": milliseconds(lambda: workspace.charge(dataset, TINY)),
            "charge (zcdp)": milliseconds(lambda: workspace.charge(dataset, Guarantee(epsilon=0.001))),
            "complete": milliseconds(lambda: workspace.complete(charge, artefacts={"a.zip": "0" * 64})),
            "newest 50 entries": milliseconds(lambda: workspace.entries(newest=50)),
            "all entries": milliseconds(workspace.entries, repeats=5),
            "verify the whole chain": milliseconds(workspace.verify, repeats=5),
        }


if __name__ == "__main__":
    for count in [int(text) for text in sys.argv[1:]] or [100, 10_000]:
        print(f"{count} entries")
        for what, (median, worst) in measure(count).items():
            print(f"  {what:34s} median {median:8.2f} ms   worst {worst:8.2f} ms")
