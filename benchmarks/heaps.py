"""How heaps that are finer than any bin come out: multiples, endings, quarters of an hour, hours, weekdays.

    uv run python -m benchmarks.heaps [--rows 10000] [--seeds 4] [--epsilons 0.2 1 4]

Fourteen invented columns, their one-way tables alone; delta 1e-9, replace-one, zcdp. Printed are, for each
column and in the mean, the Kolmogorov-Smirnov distance, the Wasserstein distance in standard deviations, and
the total variation between the shares of the marks of ``hmpb_core.heaping``: of moments the largest of its
marks, its hours and its weekdays.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.domain import Numeric
from hmpb_core.facade import guarantee_of
from hmpb_core.heaping import classes_of, cycles_of, marks_of
from hmpb_core.metrics.values import numbers_of, value_errors
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan


def columns(rows: int) -> tuple[pd.DataFrame, Codebook]:
    """The table and its codebook."""
    rng = np.random.default_rng(1)

    def rounded(values: np.ndarray, steps: dict[int, float]) -> np.ndarray:
        """Whole numbers, a share of them rounded to each step."""
        own = rng.choice([1, *steps], rows, p=[1 - sum(steps.values()), *steps.values()])
        return np.round(values / own) * own

    income = np.exp(rng.normal(9.9, 0.9, rows))
    cents = rng.choice([0.99, 0.95, 0.49, 0, 0.5], rows, p=[0.45, 0.15, 0.1, 0.2, 0.1])
    minutes = rounded(rng.normal(660, 180, rows).clip(0, 1439), {15: 0.7}).clip(0, 1439).astype(int)
    weight = rng.normal(75, 15, rows).clip(25, 240)
    weight = np.round(weight * (own := rng.choice([1, 2, 10], rows, p=[0.5, 0.15, 0.35]))) / own
    age = rng.beta(2, 2.5, rows) * 100
    days = np.datetime64("2015-01-01") + (rng.random(rows) * 3000).astype(int)
    weekend = (days.astype(int) + 3) % 7 >= 5
    months = days.astype("datetime64[M]").astype("datetime64[D]")
    integer: dict[str, Any] = {"type": "integer"}
    day, days_of = {"type": "date"}, ("2010-01-01", "2025-12-31")
    found: dict[str, tuple[np.ndarray, Any, Any, dict[str, Any]]] = {
        "salary": (rounded(np.exp(rng.normal(10.3, 0.7, rows)), {100: 0.6, 1000: 0.22}), 0, 500_000, integer),
        "by size": (
            np.where(income < 20_000, np.round(income, -2), np.round(income, -3)),
            0,
            500_000,
            integer,
        ),
        "price": (
            (np.floor(np.exp(rng.normal(3, 1.2, rows))) + cents).round(2),
            0,
            2000,
            {"type": "number", "decimals": 2},
        ),
        "rent": (rounded(rng.gamma(5, 160, rows), {50: 0.4, 10: 0.4}), 0, 8000, integer),
        "time": (
            np.array([f"{m // 60:02d}:{m % 60:02d}:00" for m in minutes]),
            "00:00:00",
            "23:59:59",
            {"type": "time"},
        ),
        "weight": (weight.round(1), 20, 250, {"type": "number", "decimals": 1}),
        "age": (rounded(age, {5: 0.3}), 0, 110, integer),
        "pressure": (rounded(rng.normal(130, 18, rows), {10: 0.35, 2: 0.5}).clip(60, 250), 60, 250, integer),
        "contract": (np.where(rng.random(rows) < 0.6, months, days).astype(str), *days_of, day),
        "admitted": (
            np.where(weekend & (rng.random(rows) < 0.85), days - 2, days).astype(str),
            *days_of,
            day,
        ),
        "smooth": (np.exp(rng.normal(11, 0.8, rows)).astype(int), 0, 10**6, integer),
        "spike": (
            np.where(rng.random(rows) < 0.9, 0, np.exp(rng.normal(8, 1, rows))).astype(int),
            0,
            99_999,
            integer,
        ),
        "visited": (
            np.char.add(
                np.where(weekend & (rng.random(rows) < 0.85), days - 2, days).astype(str),
                np.array([f" {m // 60:02d}:{m % 60:02d}:00" for m in minutes]),
            ),
            "2010-01-01 00:00:00",
            "2025-12-31 23:59:59",
            {"type": "datetime", "format": "%Y-%m-%d %H:%M:%S"},
        ),
        "tenths": (np.round(rng.normal(36.8, 0.6, rows), 1).clip(30, 45), 30, 45, {"type": "number"}),
    }
    fields, frame = [], {}
    for name, (values, low, high, more) in found.items():
        numeric = values.dtype.kind in "if"
        frame[name] = values.clip(low, high) if numeric else values
        frame[name] = frame[name].astype(int) if more["type"] == "integer" else frame[name]
        constraints = {"minimum": low, "maximum": high, "required": True}
        fields.append({"name": name, "bins": "learned", "constraints": constraints, **more})
    return pd.DataFrame(frame), Codebook.from_dict({"fields": fields})


def shares(attribute: Numeric, values: np.ndarray) -> list[np.ndarray]:
    """Share of the values that show each mark; then of those in each hour and on each weekday."""
    grid = attribute.grid
    found = []
    for marks in (
        marks_of(attribute.kind, grid.size, grid.step),
        *cycles_of(attribute.kind, grid.size, grid.step),
    ):
        classes = classes_of(marks)
        of = classes[(grid.positions(values) + grid.first) % classes.size]
        found.append(np.bincount(of, minlength=len(marks)) / len(values))
    return found


def variation(attribute: Numeric, real: np.ndarray, drawn: np.ndarray) -> float:
    """The largest total variation between two columns' shares."""
    pairs = zip(shares(attribute, real), shares(attribute, drawn), strict=True)
    return max(0.5 * float(np.abs(one - other).sum()) for one, other in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.2, 1.0, 4.0])
    args = parser.parse_args()
    frame, book = columns(args.rows)
    real = numbers_of(frame, book)
    for epsilon in args.epsilons:
        found = []
        for seed in range(args.seeds):
            guarantee = guarantee_of("zcdp", epsilon, 1e-9, "replace-one")
            plan = make_plan(guarantee, book.domain, n_rows=args.rows)
            drawn = numbers_of(
                fit_source(open_source(frame, book), plan, seed=seed).sample(rng=np.random.default_rng(seed)),
                book,
            )
            errors = value_errors(real, drawn, book.domain).columns
            found.append(
                [
                    (
                        errors[attribute.name].ks,
                        errors[attribute.name].wasserstein_sd or 0.0,
                        variation(attribute, real[:, i], drawn[:, i]),
                    )
                    for i, attribute in enumerate(book.domain.attributes)
                    if isinstance(attribute, Numeric)
                ]
            )
        means = np.mean(found, axis=0)
        print(f"epsilon {epsilon:g}: mean KS, W/sd, marks {np.round(means.mean(axis=0), 4)}")
        for name, line in zip(book.domain.names, means, strict=True):
            print(f"  {name}: {np.round(line, 3)}")


if __name__ == "__main__":
    main()
