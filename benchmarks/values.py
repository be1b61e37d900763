"""The values that come out, beside equal-width bins: writes the value section of docs/results.md.

    uv run python -m benchmarks.values [--data FOLDER] [--seeds 5] [--epsilons 0.2 1 4] [--install]

Adult's training file (32,561 rows, its codebook for raw files), Big5 and a made-up table of hard columns
(``battery``); delta 1e-9, replace-one, zcdp. Beside them on Adult, packages that bin for themselves, each in
an environment of its own (--install makes it), and learned bins under the packages' neighbours, add-remove.
Cells are kept in runs/values.jsonl; --fresh measures anew.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.datasets import folder_of
from benchmarks.page import CACHE, add_row, markdown_table, mean, number, read_rows, write_section
from benchmarks.peers.compare import Runner, call, environments
from benchmarks.peers.rivals import RIVALS, Rival
from hmpb_core.codebook import Codebook
from hmpb_core.codebook_fields import LEARNED_CODES
from hmpb_core.domain import Categorical, Domain, Numeric
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.values import Floats, numbers_of, value_errors
from hmpb_core.moments import write_values
from hmpb_core.sources.files import read_table
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

ROWS = CACHE / "values.jsonl"
EPSILONS = (0.2, 1.0, 4.0)
OURS = ("learned", "equal width")
LIKE_THEM = "learned, add-remove"
"""Learned bins under the neighbours that the packages know."""
PEERS = {
    rival.title: replace(rival, worker="run_dpmm_values.py")
    for rival in RIVALS
    if rival.name in ("dpmm-mst", "dpmm-aim-lite")
}
SETTINGS = (*OURS, LIKE_THEM, *PEERS)
LIMIT = 900.0
"""Seconds that a package may take."""
SPIKES = {"capital-gain": 0.0, "capital-loss": 0.0, "hours-per-week": 40.0}


def with_learned_bins(codebook: Codebook) -> Codebook:
    """The codebook with ``learned`` bins for every number."""
    attributes = tuple(
        replace(a, learned=True, bins=LEARNED_CODES) if isinstance(a, Numeric) else a
        for a in codebook.domain.attributes
    )
    return replace(codebook, domain=Domain(attributes))


def battery(rows: int = 30_000) -> tuple[pd.DataFrame, Codebook]:
    """A made-up table of hard columns: spikes, heaping, decimals, skew, huge and tiny ranges, dates."""
    rng = np.random.default_rng(12)
    group = rng.integers(0, 4, rows)
    income = np.exp(rng.normal(10 + 0.3 * group, 0.8))
    heaped = np.where(rng.random(rows) < 0.7, np.round(income, -3), np.round(income))
    cents = np.where(rng.random(rows) < 0.4, 0, np.floor(np.exp(rng.normal(9, 2.5, rows)))).clip(0, 10**9)
    age = rng.integers(0, 100, rows)
    age = np.where(rng.random(rows) < 0.4, np.round(age, -1), age)
    days = np.datetime64("2001-01-01") + (rng.beta(2, 5, rows) * 8000).astype(int)
    pay_day = np.datetime64("2010-01-31") + 30 * rng.integers(0, 60, rows)
    frame = pd.DataFrame(
        {
            "group": group,
            "income, heaped": heaped.clip(0, 999_999).astype(int),
            "cents": cents.astype(int),
            "age, heaped": age,
            "grams": np.round(rng.gamma(2, 1.5, rows), 2).clip(0, 40),
            "temperature": np.round(rng.normal(-5 + 2 * group, 6), 1),
            "children": rng.poisson(1.1, rows).clip(0, 4),
            "constant": np.full(rows, 7),
            "two peaks": np.where(
                rng.random(rows) < 0.5, rng.normal(-300, 20, rows), rng.normal(500, 60, rows)
            ),
            "entry": days.astype(str),
            "pay day": pay_day.astype(str),
        }
    )
    learned = {"bins": "learned"}

    def number_field(name: str, low: float, high: float, **more: Any) -> dict[str, Any]:
        constraints = {"minimum": low, "maximum": high, "required": True}
        return {"name": name, "type": "integer", "constraints": constraints, **learned, **more}

    date = {"minimum": "1990-01-01", "maximum": "2030-12-31", "required": True}
    fields = [
        {"name": "group", "categories": [0, 1, 2, 3], "constraints": {"required": True}},
        number_field("income, heaped", 0, 999_999),
        number_field("cents", 0, 10**9),
        number_field("age, heaped", 0, 120),
        number_field("grams", 0, 40, type="number", decimals=2),
        number_field("temperature", -60, 60, type="number", decimals=1),
        number_field("children", 0, 4),
        number_field("constant", 0, 1000),
        number_field("two peaks", -1000, 1000, type="number"),
        {"name": "entry", "type": "date", "constraints": date, **learned},
        {"name": "pay day", "type": "date", "constraints": date, **learned},
    ]
    return frame, Codebook.from_dict({"fields": fields})


def tables(folder: Path) -> dict[str, tuple[pd.DataFrame, Codebook, pd.DataFrame | None]]:
    """Each table with a codebook of learned bins, and a test file where there is one."""
    test = read_table(folder / "adult_test.csv")
    test["salary"] = test["salary"].astype(str).str.strip().str.rstrip(".")
    adult = Codebook.read(folder / "adult_raw.codebook.json")
    big5 = Codebook.read(folder / "big5.codebook.json")
    return {
        "adult": (read_table(folder / "adult_train.csv"), with_learned_bins(adult), test),
        "big5": (read_table(folder / "big5.csv"), with_learned_bins(big5), None),
        "battery": (*battery(), None),
    }


def equal_width(codebook: Codebook, bins: int = 16) -> Codebook:
    """The codebook with 16 equal-width bins for every number."""
    attributes = tuple(
        replace(a, learned=False, bins=bins) if isinstance(a, Numeric) else a
        for a in codebook.domain.attributes
    )
    return replace(codebook, domain=Domain(attributes))


def ours(
    frame: pd.DataFrame, book: Codebook, *, neighbors: str, epsilon: float, seed: int
) -> tuple[Floats, pd.DataFrame, float]:
    """Fit and sample once: the values, the table, and the CPU seconds."""
    cpu = time.process_time()
    plan = make_plan(guarantee_of("zcdp", epsilon, 1e-9, neighbors), book.domain, n_rows=len(frame))
    model = fit_source(open_source(frame, book), plan, seed=seed)
    drawn = model.sample(rng=np.random.default_rng(seed))
    return numbers_of(drawn, book), drawn, time.process_time() - cpu


def theirs(
    frame: pd.DataFrame,
    book: Codebook,
    *,
    rival: Rival,
    python: Path,
    epsilon: float,
    seed: int,
    limit: float = LIMIT,
) -> tuple[Floats, pd.DataFrame, float]:
    """The same of a package that bins for itself; missing numbers are more than it is asked for."""
    attributes = book.domain.attributes
    sizes = [a.size if isinstance(a, Categorical) else 0 for a in attributes]
    bounds = [(a.minimum, a.maximum) if isinstance(a, Numeric) else None for a in attributes]
    values = numbers_of(frame, book)
    for at, size in enumerate(sizes):
        if size:
            values[np.isnan(values[:, at]), at] = size - 1
    job = {"epsilon": epsilon, "seed": seed, "sizes": sizes, "bounds": bounds}
    drawn, report = call(rival, Runner(python=python, limit=limit, checkout=""), values, job)
    if drawn is None:
        raise SystemExit(f"{rival.title}: {report}")
    columns = {}
    for at, a in enumerate(attributes):
        column = drawn[:, at]
        if isinstance(a, Categorical):
            listed = np.array([*a.categories, *[None] * (a.size - len(a.categories))], dtype=object)
            columns[a.name] = listed[column.astype(int)]
            column[column == len(a.categories)] = np.nan
        elif a.kind in ("number", "year"):
            columns[a.name] = column
        else:  # the packages know numbers only: dates and times are written as the table has them
            steps = a.grid.values(a.grid.positions(np.clip(column, a.minimum, a.maximum)))
            columns[a.name] = write_values(steps, a.kind, a.format).to_pylist()
    return drawn, pd.DataFrame(columns), report["cpu_seconds"]


def within_bounds(values: Floats, domain: Domain) -> Floats:
    """Numbers beyond the declared bounds become the bounds: what these cut off is the same whatever the bins.

    Big5 has ages of a billion, beside which no other distance is seen.
    """
    numbers = [a if isinstance(a, Numeric) else None for a in domain.attributes]
    lows = [a.minimum if a else -np.inf for a in numbers]
    highs = [a.maximum if a else np.inf for a in numbers]
    return np.clip(values, lows, highs)


def measure(
    name: str,
    frame: pd.DataFrame,
    codebook: Codebook,
    test: pd.DataFrame | None,
    *,
    setting: str,
    python: Path | None,
    epsilon: float,
    seed: int,
) -> dict[str, Any]:
    """Fit and sample once; compare values, marginals on 16 equal-width bins, and what is learned."""
    declared = equal_width(codebook)
    book = declared if setting == "equal width" else codebook
    if python is None:
        neighbors = "add-remove" if setting == LIKE_THEM else "replace-one"
        synthetic, drawn, cpu = ours(frame, book, neighbors=neighbors, epsilon=epsilon, seed=seed)
    else:
        synthetic, drawn, cpu = theirs(
            frame, book, rival=PEERS[setting], python=python, epsilon=epsilon, seed=seed
        )
    real = within_bounds(numbers_of(frame, book), book.domain)
    found = value_errors(real, synthetic, book.domain)
    row: dict[str, Any] = {
        "table": name,
        "setting": setting,
        "epsilon": epsilon,
        "seed": seed,
        "cpu_seconds": cpu,
        "numeric": [a.name for a in book.domain.attributes if isinstance(a, Numeric)],
        "columns": {column: error.to_dict() for column, error in found.columns.items()},
        "spearman": found.spearman,
        "correlation_ratio": found.correlation_ratio,
    }
    codes, others = encode(frame, declared), encode(drawn, declared)
    row["avd2"] = marginal_error(codes, others, declared.domain, 2).mean
    if test is not None:
        row["avd3"] = marginal_error(codes, others, declared.domain, 3).mean
        target = book.domain.index("salary")
        row |= learned_scores(synthetic, numbers_of(test, book), book.domain, target)
        for column, value in SPIKES.items():
            at = book.domain.index(column)
            row[f"share of {value:g} in {column}"] = float(
                (synthetic[:, at] == value).mean() - (real[:, at] == value).mean()
            )
    return row


def page(rows: list[dict[str, Any]]) -> str:
    parts = [
        "## The values that come out",
        "`uv run python -m benchmarks.values`. Learned bins beside 16 equal-width bins; delta 1e-9, "
        "replace-one, zcdp; means over the seeds. KS is the Kolmogorov-Smirnov distance, W/sd the "
        "Wasserstein distance in real standard deviations; numbers beyond the declared bounds count as the "
        "bounds. AVD2 and AVD3 are taken on 16 equal-width bins. "
        "The packages beside them bin for themselves with private trees, for a tenth of their epsilon, and "
        "promise less, add-remove neighbours; beside them stand learned bins under that same promise"
        + "".join(f". {rival.title}: {rival.note}" for rival in PEERS.values() if rival.note)
        + ".",
    ]
    for table, title in (
        ("adult", "Adult's training file, 32,561 x 15, tested on its test file"),
        ("big5", "Big5, 19,719 x 57"),
        ("battery", "Made-up hard columns, 30,000 x 11"),
    ):
        here = [row for row in rows if row["table"] == table]
        if here:
            seeds = len({row["seed"] for row in here if row["setting"] in OURS})
            parts += [f"### {title}", f"Mean of {seeds} seeds:", _summary(here, OURS)]
            parts += [_beside(here)] if any(row["setting"] in PEERS for row in here) else []
            parts += [_columns(here)]
    return "\n\n".join(parts)


def _beside(rows: list[dict[str, Any]]) -> str:
    """Learned bins beside the packages under one promise, each over the seeds that it ran."""
    titles = (LIKE_THEM, *PEERS)
    ran = {title: len({row["seed"] for row in rows if row["setting"] == title}) for title in titles}
    head = (
        "Beside packages that bin for themselves, all under add-remove neighbours ("
        + ", ".join(f"{title}: {seeds} seed{'s' * (seeds != 1)}" for title, seeds in ran.items())
        + "):"
    )
    return f"{head}\n\n{_summary(rows, titles)}"


def _summary(rows: list[dict[str, Any]], settings: Sequence[str]) -> str:
    figures = [
        ("largest KS", lambda r: max(c["ks"] for c in r["columns"].values())),
        ("mean W/sd", lambda r: mean([c["wasserstein_sd"] for c in _numeric(r)])),
        (
            "largest error of a mean / sd",
            lambda r: max(abs(c["mean_sd"]) for c in _numeric(r) if c["mean_sd"] is not None),
        ),
        *(
            (f"share of {v:g} in {c}", lambda r, k=f"share of {v:g} in {c}": _size(r, k))
            for c, v in SPIKES.items()
        ),
        ("Spearman", lambda r: r["spearman"]),
        ("correlation ratio", lambda r: r["correlation_ratio"]),
        ("AVD2", lambda r: r["avd2"]),
        ("AVD3", lambda r: r.get("avd3")),
        ("AUC, boosting", lambda r: r.get("boosting_auc")),
        ("F1, boosting", lambda r: r.get("boosting_f1")),
        ("AUC, logistic", lambda r: r.get("logistic_auc")),
        ("CPU s", lambda r: r["cpu_seconds"]),
    ]
    heads = [(s, e) for e in EPSILONS for s in settings]
    lines = []
    for title, of in figures:
        line = [title]
        for setting, epsilon in heads:
            line.append(
                number(mean([of(r) for r in rows if (r["setting"], r["epsilon"]) == (setting, epsilon)]), 4)
            )
        if any(cell != "-" for cell in line[1:]):
            lines.append(line)
    return markdown_table(["error, or score", *(f"{s}, {e:g}" for s, e in heads)], lines)


def _columns(rows: list[dict[str, Any]]) -> str:
    learned = [row for row in rows if row["setting"] == "learned"]
    if not learned:
        return ""
    lines = []
    for name in learned[0]["numeric"]:
        line = [name]
        for epsilon in EPSILONS:
            cells = [row["columns"][name] for row in learned if row["epsilon"] == epsilon]
            line += [
                number(mean([c[key] for c in cells]), 4) for key in ("ks", "wasserstein_sd", "commonest")
            ]
        lines.append(line)
    keys = [f"{key}, {e:g}" for e in EPSILONS for key in ("KS", "W/sd", "commonest")]
    return "Learned bins, column by column:\n\n" + markdown_table(["column", *keys], lines)


def _numeric(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [row["columns"][name] for name in row["numeric"]]


def _size(row: dict[str, Any], key: str) -> float | None:
    return abs(row[key]) if key in row else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=["adult", "battery", "big5"])
    parser.add_argument("--settings", nargs="+", default=list(OURS), choices=SETTINGS)
    parser.add_argument("--install", action="store_true", help="make the packages' environment with uv")
    parser.add_argument("--epsilons", nargs="+", type=float, default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--page-only", action="store_true")
    args = parser.parse_args()
    rows = [] if args.fresh else read_rows(ROWS)
    done = {(r["table"], r["setting"], r["epsilon"], r["seed"]) for r in rows}
    known = {} if args.page_only else tables(folder_of(args.data))
    pythons = environments(["dpmm"] if args.install else None)
    for name in args.tables if known else []:
        frame, codebook, test = known[name]
        for seed in range(args.seeds):
            for epsilon in args.epsilons:
                for setting in args.settings:
                    if (name, setting, epsilon, seed) in done or (setting not in OURS and name != "adult"):
                        continue
                    python = pythons[PEERS[setting].environment] if setting in PEERS else None
                    row = measure(
                        name,
                        frame,
                        codebook,
                        test,
                        setting=setting,
                        python=python,
                        epsilon=epsilon,
                        seed=seed,
                    )
                    add_row(ROWS, row)
                    rows.append(row)
                    print(f"{name} {setting} {epsilon:g} seed {seed}: AVD2 {row['avd2']:.4f}", flush=True)
    write_section("values", page(rows))


if __name__ == "__main__":
    main()
