"""Fifty processes release at once against a cap that admits ten: `python benchmarks/concurrent_releases.py`.

Every process loads its table, waits for a common start, releases, and reports how long it took. The
wait is what it took beyond the median of a release that had the machine's share to itself.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHILD = """
import sys, time
from pathlib import Path
from hmpb_core.errors import BudgetExceededError
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.publishing import release
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.synthesis import make_plan
from tests.tables import people, people_codebook

book = people_codebook()
plan = make_plan(Guarantee(epsilon=0.1, delta=0, currency=Currency.PURE), book.domain, n_rows=None,
                 method="independent")
workspace = Workspace(sys.argv[1])
commit = release.prepare(people(2000), book, PlanFile.of(plan, book), workspace)
took = []
charge = Workspace.charge
def timed(*args, **kwargs):
    start = time.perf_counter()
    try:
        return charge(*args, **kwargs)
    finally:
        took.append(time.perf_counter() - start)
Workspace.charge = timed
print("ready", flush=True)
sys.stdin.readline()
start = time.perf_counter()
try:
    release.carry_out(commit, workspace, Path(sys.argv[2]))
    outcome = "released"
except BudgetExceededError:
    outcome = "refused"
print(outcome, took[0], time.perf_counter() - start, flush=True)
"""


def main(attempts=50, cap=1.0):
    from hmpb_core.privacy.unit import Unit
    from hmpb_core.publishing.workspace import Workspace
    from tests.tables import people

    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "w", create=True)
        workspace.register(
            people(2000), name="people", unit=Unit.parse("row"), cap_epsilon=cap, cap_delta=1e-9
        )
        children = [
            subprocess.Popen(
                [sys.executable, "-c", CHILD, str(workspace.folder), str(Path(folder) / f"{number}.zip")],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(attempts)
        ]
        for child in children:
            child.stdout.readline()
        start = time.perf_counter()
        for child in children:
            child.stdin.write("go\n")
            child.stdin.flush()
        lines = [child.communicate()[0].split() for child in children]
        wall = time.perf_counter() - start
        bundles = len(list(Path(folder).glob("*.zip")))
        for outcome in ("released", "refused"):
            charge = [float(line[1]) for line in lines if line[0] == outcome]
            whole = [float(line[2]) for line in lines if line[0] == outcome]
            print(
                f"{outcome}: {len(charge)}; wait for the ledger median {statistics.median(charge):.3f} s, "
                f"worst {max(charge):.3f} s; whole run worst {max(whole):.2f} s"
            )
        print(
            f"bundles: {bundles}; spent {float(workspace.datasets()[0].spent):g} of {cap:g}; wall "
            f"{wall:.1f} s"
        )
        print(f"faults: {[str(fault) for fault in workspace.verify()]}")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
