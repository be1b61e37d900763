"""A data steward in Python: from a table to a paid release, and to more rows for free.

The demo table stands for the private one. Everything that is spent is spent by ``carry_out``, once.
"""

# %% The table and its codebook: bounds and categories from public knowledge, never read off the rows
import tempfile
from pathlib import Path

import numpy as np

from hmpb_core import Codebook, Guarantee, Unit, bill_of_plan, make_plan, read_table
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.publishing.bundle import read_bundle
from hmpb_core.publishing.model_files import model_of_bundle
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.simulated import simulated
from hmpb_core.synthesis import fit_source

DEMO = Path(__file__).resolve().parents[1] / "assets" / "demo"

people = read_table(DEMO / "stays.parquet").head(4000)
codebook = Codebook.read(DEMO / "stays.codebook.json")
print(f"{len(people)} rows; declared: {', '.join(codebook.domain.names[:4])}, ...")

# %% The plan: every choice before anything is spent, and what it costs, stage by stage
plan = make_plan(Guarantee(epsilon=1.0, delta=1e-9), codebook.domain, n_rows=len(people), rows=2000)
bill = bill_of_plan(plan, domain=codebook.domain)
for stage, epsilon in bill.stages.items():
    print(f"  {stage:<18} epsilon {epsilon:.3f}")
print(f"  {'in total':<18} epsilon {bill.total:.3f}, delta {plan.guarantee.delta:g}")

# %% A rehearsal on a table simulated from the codebook: free, as often as one likes
rng = np.random.default_rng()
stand_in = MemorySource(simulated(codebook.domain, 4000, strength=0.5, rng=rng), codebook.domain)
rehearsed = fit_source(stand_in, plan)
print(f"rehearsed: {len(rehearsed.networks)} network(s), {len(rehearsed.entries)} looks at the stand-in")

# %% The release: registered once with its unit and lifetime cap, charged before the first look
with tempfile.TemporaryDirectory() as folder:
    workspace = Workspace(Path(folder) / "workspace", create=True)
    workspace.register(people, name="people", unit=Unit.parse("row"), cap_epsilon=2.0, cap_delta=1e-9)
    commit = prepare(people, codebook, PlanFile.of(plan, codebook), workspace, title="People")
    print("\n".join(commit.lines))
    release = carry_out(commit, workspace, who="the steward", why="teaching")
    bundle = release.bundle
    left = workspace.find(people).left_zcdp
    print(f"released {len(release.rows[0])} rows in {len(release.files)} files")
    print(f"a further plan in zcdp may cost epsilon {left:.3f}")

# %% More rows from the bundle's model, without the table and without a cost
more = model_of_bundle(read_bundle(bundle)).sample(500, rng=rng)
print(more.head(3).to_string(index=False))
