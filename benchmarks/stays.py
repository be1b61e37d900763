"""How long the time between two dates comes out, where a rule puts one after the other.

    uv run python -m benchmarks.stays [--rows 10000] [--seeds 5] [--epsilons 0.2 1 4] [--missing 0]
        [--tail 0]

An invented hospital: births, admissions, discharges and when somebody was last seen never fall; a stay
lasts a few days and longer in some wards, and a part of them, the tail, from 100 to 900 days. Printed are the
mean stay, the mean stay of each ward, the share of stays over 100 days, the Kolmogorov-Smirnov distance
of the dates and AVD2; delta 1e-9, replace-one, zcdp.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.values import numbers_of, value_errors
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

WARDS = 5
LONG = 100
"""Days that a long stay lasts at least; the tail's last up to nine times as long."""


def hospital(rows: int, missing: float, tail: float = 0.0) -> tuple[pd.DataFrame, Codebook]:
    """The table and its codebook; a part of the admissions and of the discharges may be missing."""
    rng = np.random.default_rng(3)
    ward, age = rng.integers(0, WARDS, rows), rng.beta(4, 3, rows) * 95
    days = 1186 if tail else 1826  # so that the longest stay ends within the declared dates
    admitted = np.datetime64("2018-01-01") + (rng.random(rows) * days).astype(int)
    stay = np.floor(rng.gamma(1.1, 1 + 1.1 * ward)).astype(int)
    if tail:
        stay = np.where(rng.random(rows) < tail, rng.integers(LONG, 9 * LONG, rows), stay)
    born, discharged = admitted - (age * 365.25).astype(int), admitted + stay
    later = (np.datetime64("2023-12-31") - discharged).astype(int)
    seen = discharged + (rng.random(rows) ** 2 * later).astype(int)
    frame = pd.DataFrame(
        {
            "ward": ward,
            "sex": rng.integers(0, 2, rows),
            "age": age.astype(int),
            "born": born.astype(str),
            "admitted": admitted.astype(str),
            "discharged": discharged.astype(str),
            "last seen": seen.astype(str),
            "cost": np.round(stay * 400 + rng.gamma(2, 300, rows), -1).clip(0, 99_999).astype(int),
        }
    )
    for name in ("admitted", "discharged"):
        frame.loc[rng.random(rows) < missing, name] = None

    def entry(name: str, kind: str, low: Any, high: Any, *, required: bool = True) -> dict[str, Any]:
        constraints = {"minimum": low, "maximum": high, "required": required}
        return {"name": name, "type": kind, "bins": "learned", "constraints": constraints}

    required = {"constraints": {"required": True}}
    fields = [
        {"name": "ward", "categories": list(range(WARDS)), **required},
        {"name": "sex", "categories": [0, 1], **required},
        entry("age", "integer", 0, 110),
        entry("born", "date", "1900-01-01", "2022-12-31"),
        entry("admitted", "date", "2018-01-01", "2022-12-31", required=missing == 0),
        entry("discharged", "date", "2018-01-01", "2023-12-31", required=missing == 0),
        entry("last seen", "date", "2018-01-01", "2023-12-31"),
        entry("cost", "integer", 0, 99_999),
    ]
    rule = {"kind": "ascending", "columns": ["born", "admitted", "discharged", "last seen"]}
    return frame, Codebook.from_dict({"fields": fields, "rules": [rule]})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.2, 1.0, 4.0])
    parser.add_argument("--missing", type=float, default=0.0)
    parser.add_argument("--tail", type=float, default=0.0)
    args = parser.parse_args()
    frame, book = hospital(args.rows, args.missing, args.tail)
    real, names = numbers_of(frame, book), book.domain.names
    first, second = names.index("admitted"), names.index("discharged")

    def stays(table: np.ndarray) -> list[float]:
        """The mean stay, that of each ward, and the share of long ones."""
        days = table[:, second] - table[:, first]
        of_wards = [float(np.nanmean(days[table[:, 0] == w])) for w in range(WARDS)]
        return [float(np.nanmean(days)), *of_wards, float((days >= LONG).sum() / np.isfinite(days).sum())]

    *means, share = stays(real)
    print("real: mean stay, and by ward:", np.round(means, 2), f"long: {share:.4f}")
    for epsilon in args.epsilons:
        found = []
        for seed in range(args.seeds):
            guarantee = guarantee_of("zcdp", epsilon, 1e-9, "replace-one")
            model = fit_source(
                open_source(frame, book), make_plan(guarantee, book.domain, n_rows=args.rows), seed=seed
            )
            rows = model.sample(rng=np.random.default_rng(seed))
            drawn = numbers_of(rows, book)
            errors = value_errors(real, drawn, book.domain).columns
            avd2 = marginal_error(encode(frame, book), encode(rows, book), book.domain, 2).mean
            distances = [errors[name].ks for name in ("admitted", "discharged", "last seen")]
            found.append([*stays(drawn), *distances, avd2])
        means = np.mean(found, axis=0)
        print(
            f"epsilon {epsilon:g}: stays {np.round(means[:6], 2)}, long {means[6]:.4f}, "
            f"KS {np.round(means[7:10], 3)}, AVD2 {means[10]:.4f}"
        )


if __name__ == "__main__":
    main()
