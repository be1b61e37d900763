"""Our audit's lower bounds beside jax-privacy's, on the same evidence: prints a table for docs/audit.md.

    uv run python -m benchmarks.peers.audit [--install]

jax-privacy (Apache-2.0) runs in a virtual environment of its own, runs/peers/env-jax-privacy. Its bounds take
scores and a threshold; ours count the same hits. Its one-run bounds guess "in" from the threshold on and
abstain below it; its bound for Gaussian noise names the epsilon at a delta, ours the mu, which is converted.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.optimize import brentq

from benchmarks.page import markdown_table
from benchmarks.peers.compare import WORKERS, install, python_of
from benchmarks.peers.rivals import Environment
from hmpb_core.audit.bounds import at_least, at_most, epsilon_of_rates, one_run_epsilon, one_run_mu
from hmpb_core.audit.mechanisms import mechanisms
from hmpb_core.privacy.accountant import Accountant

PEER = Environment(name="jax-privacy", python="3.11", requirements=("jax-privacy==2.0.0",))
RUNS = 5_000
ALPHA = 1e-3
DELTA = 1e-5


def epsilon_of_mu(mu: float) -> float:
    """Epsilon at DELTA of Gaussian differential privacy [Dong2022, Corollary 1]."""
    cdf = NormalDist().cdf
    return brentq(
        lambda e: cdf(-e / mu + mu / 2) - math.exp(e) * cdf(-e / mu - mu / 2) - DELTA, 0, 60, xtol=1e-10
    )


def cases() -> list[dict[str, Any]]:
    """The evidence of the mechanisms on tables, at three thresholds each."""
    made = []
    for mechanism in mechanisms():
        if not mechanism.name.startswith("table"):
            continue
        without, with_canary = mechanism.draw(Accountant, RUNS)
        for part in (0.5, 0.75, 0.9):
            threshold = float(np.quantile(np.concatenate([without, with_canary]), part))
            evidence = {"without": without.tolist(), "with": with_canary.tolist(), "threshold": threshold}
            name = f"{mechanism.name}, {mechanism.neighbors}, quantile {part:g}"
            made += [
                {"name": name, "bound": bound, "alpha": ALPHA, "delta": DELTA, **evidence}
                for bound in ("many runs", "one run", "one run, Gaussian")
            ]
    return made


def ours(case: dict[str, Any]) -> float:
    without, with_canary = (np.array(case[side]) >= case["threshold"] for side in ("without", "with"))
    false, caught, runs = int(without.sum()), int(with_canary.sum()), len(without)
    if case["bound"] == "many runs":
        low, high = at_least(caught, runs, ALPHA / 2), at_most(false, runs, ALPHA / 2)
        one_sided = math.log((low - DELTA) / high) if low > DELTA else 0.0
        assert epsilon_of_rates(low, high, DELTA) >= one_sided  # ours looks at the other side too
        return max(0.0, one_sided)
    if case["bound"] == "one run":
        return one_run_epsilon(2 * runs, false + caught, caught, alpha=ALPHA, delta=DELTA)
    mu = one_run_mu(2 * runs, false + caught, caught, alpha=ALPHA)
    return epsilon_of_mu(mu) if mu else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--install", action="store_true", help="make jax-privacy's environment first")
    if parser.parse_args().install:
        install(PEER)
    every = cases()
    done = subprocess.run(
        [str(python_of(PEER)), str(WORKERS / "run_jax_privacy.py")],
        input=json.dumps(every),
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(done.stdout)
    rows, worst = [], 0.0
    for case, their in zip(every, theirs, strict=True):
        our = ours(case)
        worst = max(worst, abs(our - their))
        rows.append((case["bound"], case["name"], f"{our:.6f}", f"{their:.6f}"))
    print(markdown_table(("bound", "evidence", "ours", "jax-privacy"), rows))
    print(f"\nlargest difference {worst:.1e} over {len(rows)} bounds")


if __name__ == "__main__":
    main()
