"""Do 95 % intervals from replicates cover? Writes the table of docs/replicates.md.

    uv run python -m benchmarks.replicates [--data FOLDER] [--runs 100] [--first 0] [--replicates 20]
        [--clusters K]

A run draws a private table from a known population, publishes it once, draws replicates of the paid model
and asks whether ``combine``'s intervals hold the population's figures. Populations: five attributes made
here, and the complete rows of Adult (six columns, in bands or with learned bins), from which private tables
are drawn with replacement.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.datasets import folder_of, load
from benchmarks.page import markdown_table
from hmpb_core import Codebook, Guarantee, combine, make_plan, open_source, possible_tables, replicates
from hmpb_core.replication import apart
from hmpb_core.synthesis import fit_source

ADULT = ("age", "education-num", "sex", "hours-per-week", "marital-status", "salary")
Statistic = Callable[[pd.DataFrame], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Population:
    """A population: how to draw from it, its figures, and which of them are what."""

    name: str
    codebook: Codebook
    draw: Callable[[int, np.random.Generator], pd.DataFrame]
    statistic: Statistic
    truth: np.ndarray
    kinds: tuple[str, ...]
    labels: tuple[str, ...]


def least_squares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    design = np.column_stack([np.ones(len(x)), x])
    return np.linalg.lstsq(design, y, rcond=None)[0][1:]


def logistic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients of a logistic regression by Newton's method."""
    design = np.column_stack([np.ones(len(x)), x])
    weights = np.zeros(design.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (y - p)
        weights = weights + np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design, gradient)
    return weights[1:]


KINDS = ("mean", "mean", "share", "share", *["linear"] * 3, *["logistic"] * 3)


def simulated() -> Population:
    """Five attributes: a latent class z, x and y that follow from it, w from x and y, v alone."""
    sizes = {"z": 3, "x": 4, "y": 2, "w": 6, "v": 2}
    fields = [
        {"name": n, "categories": [str(i) for i in range(k)], "constraints": {"required": True}}
        for n, k in sizes.items()
    ]
    codebook = Codebook.from_dict({"fields": fields})

    def draw(n: int, rng: np.random.Generator) -> pd.DataFrame:
        z = rng.integers(0, 3, n)
        x = z + rng.integers(0, 2, n)
        y = (rng.random(n) < 1 / (1 + np.exp(1.5 - x))).astype(int)
        w = np.clip(x + y + rng.integers(-1, 2, n), 0, 5)
        v = rng.integers(0, 2, n)
        return pd.DataFrame({"z": z, "x": x, "y": y, "w": w, "v": v}).astype(str)

    def statistic(frame: pd.DataFrame) -> np.ndarray:
        z, x, y, w, v = (frame[name].to_numpy().astype(float) for name in sizes)
        return np.r_[
            w.mean(),
            x.mean(),
            (x == 2).mean(),
            ((x == 2) & (y == 1)).mean(),
            least_squares(np.column_stack([x, y, v]), w),
            logistic(np.column_stack([z, x, v]), y),
        ]

    truth = statistic(draw(4_000_000, np.random.default_rng(7)))
    labels = ("mean w", "mean x", "x = 2", "x = 2, y = 1", "w on x", "w on y", "w on v", "y on z", "y on x")
    return Population(
        name="simulated, 5 attributes",
        codebook=codebook,
        draw=draw,
        statistic=statistic,
        truth=truth,
        kinds=KINDS,
        labels=(*labels, "y on v"),
    )


def adult(folder: str | None) -> Population:
    """Six columns of Adult; the table's own figures are the truth."""
    table = load("adult", folder_of(folder))
    fields = [
        {**f, "bins": "learned"} if "bins" in f else f  # the values themselves: 40 hours stay 40
        for f in table.codebook.to_dict()["fields"]
        if f["name"] in ADULT
    ]
    codebook = Codebook.from_dict({**table.codebook.to_dict(), "fields": fields})
    frame = table.frame[list(ADULT)]
    rich = sorted(frame["salary"].unique())[1]

    def draw(n: int, rng: np.random.Generator) -> pd.DataFrame:
        return frame.iloc[rng.integers(0, len(frame), n)].reset_index(drop=True)

    def statistic(rows: pd.DataFrame) -> np.ndarray:
        age, education, hours = (
            rows[n].to_numpy(dtype=float) for n in ("age", "education-num", "hours-per-week")
        )
        man = (rows["sex"] == "Male").to_numpy(dtype=float)
        earns = (rows["salary"] == rich).to_numpy(dtype=float)
        return np.r_[
            age.mean(),
            hours.mean(),
            earns.mean(),
            (earns * man).mean(),
            least_squares(np.column_stack([age, education, man]), hours),
            logistic(np.column_stack([age, education, man]), earns),
        ]

    labels = ("mean age", "mean hours", "earns", "earns, man", "hours on age", "hours on education")
    more = ("hours on man", "earns on age", "earns on education", "earns on man")
    return Population(
        name="Adult, 6 columns, learned bins",
        codebook=codebook,
        draw=draw,
        statistic=statistic,
        truth=statistic(frame),
        kinds=KINDS,
        labels=(*labels, *more),
    )


def banded(folder: str | None) -> Population:
    """The same six columns in bands, as an analyst would ask for them: all pairs fit into one clique."""
    table = load("adult", folder_of(folder)).frame.copy()
    for name in ("age", "education-num", "hours-per-week"):
        table[name] = pd.to_numeric(table[name])
    bands = {
        "age": pd.cut(table["age"], [0, 24, 34, 44, 54, 64, 99], labels=False),
        "education-num": pd.cut(table["education-num"], [0, 8, 9, 12, 16], labels=False),
        "sex": (table["sex"] == "Male").astype(int),
        "hours-per-week": pd.cut(table["hours-per-week"], [0, 29, 39, 40, 49, 99], labels=False),
        "marital-status": table["marital-status"].str.startswith("Married").astype(int),
        "salary": table["salary"].str.contains(">").astype(int),
    }
    frame = pd.DataFrame(bands).astype(str)
    fields = [
        {
            "name": n,
            "categories": sorted(frame[n].unique()),
            "categoriesOrdered": True,
            "constraints": {"required": True},
        }
        for n in frame
    ]

    def draw(n: int, rng: np.random.Generator) -> pd.DataFrame:
        return frame.iloc[rng.integers(0, len(frame), n)].reset_index(drop=True)

    def statistic(rows: pd.DataFrame) -> np.ndarray:
        age, education, man, hours, married, earns = (rows[n].to_numpy().astype(float) for n in ADULT)
        return np.r_[
            age.mean(),
            hours.mean(),
            earns.mean(),
            (earns * man).mean(),
            least_squares(np.column_stack([age, education, man]), hours),
            logistic(np.column_stack([age, education, married]), earns),
        ]

    labels = ("mean age", "mean hours", "earns", "earns, man", "hours on age", "hours on education")
    more = ("hours on man", "earns on age", "earns on education", "earns on married")
    return Population(
        name="Adult, 6 columns in bands",
        codebook=Codebook.from_dict({"fields": fields}),
        draw=draw,
        statistic=statistic,
        truth=statistic(frame),
        kinds=KINDS,
        labels=(*labels, *more),
    )


def measure(
    population: Population, *, epsilon: float, n: int, runs: range, m: int, clusters: int | None
) -> dict[str, float]:
    """Coverage by kind: with possible tables, without them, and of naive intervals from mere copies."""
    plan = make_plan(Guarantee(epsilon=epsilon), population.codebook.domain, n_rows=n, clusters=clusters)
    held, without, mere, width = [], [], [], []
    for run in runs:
        rng = np.random.default_rng([run, n])
        private = population.draw(n, rng)
        model = fit_source(open_source(private, population.codebook), plan, seed=run)
        released = population.statistic(model.sample(n, rng=rng))
        again = [population.statistic(t) for t in replicates(model, population.codebook, m, rows=n, rng=rng)]
        alone = combine(released, again)
        without.append((alone.low <= population.truth) & (population.truth <= alone.high))
        ends = possible_tables(model, population.codebook, m, rng=rng) if apart(model) else ()
        others = [population.statistic(t) for t in ends]
        found = combine(released, again, possible=others) if others else alone
        held.append((found.low <= population.truth) & (population.truth <= found.high))
        copies = [population.statistic(model.sample(n, rng=rng)) for _ in range(m)]
        fooled = combine(released, copies)
        mere.append((fooled.low <= population.truth) & (population.truth <= fooled.high))
        width.append(found.standard_error / alone.standard_error)
    shares = np.mean(held, axis=0)
    bare, wider = np.mean(without, axis=0), np.median(width, axis=0)
    for label, share, old, factor in zip(population.labels, shares, bare, wider, strict=True):
        print(
            f"    {label:<22} {share:.3f}  without possible tables {old:.3f}, {factor:.1f} times as wide",
            flush=True,
        )
    kinds = np.array(population.kinds)
    values = {kind: float(shares[kinds == kind].mean()) for kind in dict.fromkeys(population.kinds)}
    values["all"] = float(shares.mean())
    values["without"] = float(bare.mean())
    values["mere copies"] = float(np.mean(mere))
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first run: to go on later")
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--clusters", type=int, help="1: all pairs are candidates")
    parser.add_argument("--only", help="a part of a population's name")
    args = parser.parse_args()
    settings: list[tuple[Population, float, int]] = []
    made = simulated()
    settings += [(made, 1.0, 5_000), (made, 3.0, 5_000)]
    if (folder_of(args.data) / "adult.codebook.json").is_file():
        settings += [(banded(args.data), 3.0, 10_000), (adult(args.data), 3.0, 10_000)]
    rows = []
    for population, epsilon, n in settings:
        if args.only and args.only not in population.name:
            continue
        start = time.process_time()
        print(f"{population.name}, epsilon {epsilon:g}, {n:,} rows", flush=True)
        found = measure(
            population,
            epsilon=epsilon,
            n=n,
            runs=range(args.first, args.first + args.runs),
            m=args.replicates,
            clusters=args.clusters,
        )
        rows.append([population.name, f"{epsilon:g}", f"{n:,}", *(f"{v:.3f}" for v in found.values())])
        print(f"    {time.process_time() - start:.0f} s of CPU", flush=True)
    heads = ["population", "epsilon", "rows", "means", "shares", "linear", "logistic", "all"]
    heads += ["without possible tables", "mere copies"]
    print(markdown_table(heads, rows))


if __name__ == "__main__":
    main()
