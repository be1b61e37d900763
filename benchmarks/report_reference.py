"""The statistics of the utility report beside those of independent packages, on two simulated tables.

    uv run python -m benchmarks.report_reference [--install]

SciPy and scikit-learn are this project's own; sdmetrics, syntheval and SDNist run in virtual environments
made by uv (runs/report/env-NAME), which --install makes. Writes the section of docs/report.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.page import CACHE, ROOT, markdown_table
from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.metrics.agreement import CountedPair, agreement
from hmpb_core.metrics.clipping import clipping
from hmpb_core.metrics.dependence import correlation_ratio, cramers_v, spearman
from hmpb_core.metrics.groups import groups
from hmpb_core.metrics.learning import learned_scores
from hmpb_core.metrics.propensity import main_effects, pmse_of
from hmpb_core.metrics.second_sample import Profile
from hmpb_core.metrics.values import column_error, numbers_of

WORK = CACHE / "report"
WORKERS = Path(__file__).parent / "peers" / "workers"
PAGE = ROOT / "docs" / "report.md"
ENVIRONMENTS = {"sdmetrics": "sdmetrics==0.32.0", "syntheval": "syntheval==1.7.3", "sdnist": "sdnist==2.4"}
START, END = "<!-- reference: begin -->", "<!-- reference: end -->"
SCHEMA = {
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 90}, "bins": 9},
        {"name": "pay", "type": "number", "constraints": {"minimum": 0, "maximum": 900}, "bins": 9},
        {"name": "town", "categories": ["north", "east", "south", "west"]},
        {"name": "job", "categories": ["none", "farm", "shop", "office", "mine"]},
        {"name": "club", "categories": ["choir", "chess"]},
        {"name": "well", "categories": ["no", "yes"]},
    ],
    "missingValues": [""],
}
BOOK = Codebook.from_dict(SCHEMA)


def people(rows: int, rng: np.random.Generator, *, link: float) -> pd.DataFrame:
    """Town decides part of the jobs, age part of the pay and of who is well; some belong to no club."""
    age = np.clip(rng.normal(45, 20, rows), 0, 99).round()
    town = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    job = np.where(rng.random(rows) < link, town, rng.integers(0, 5, rows))
    pay = np.round(np.exp(rng.normal(4 + 0.02 * age * link, 0.6)), 1)
    well = rng.random(rows) < 1 / (1 + np.exp(link * (age - 50) / 8))
    clubs = [0.5, 0.3 + 0.1 * link, 0.2 - 0.1 * link]
    towns, jobs = (np.array(SCHEMA["fields"][i]["categories"]) for i in (2, 3))
    return pd.DataFrame(
        {
            "age": age.astype(int),
            "pay": pay,
            "town": towns[town],
            "job": jobs[job],
            "club": np.array(["choir", "chess", ""])[rng.choice(3, rows, p=clubs)],
            "well": np.where(well, "yes", "no"),
        }
    )


def ours_and_by_hand(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, tuple[float, float, str]]:
    """Our figure, the other one, and whose the other is: SciPy's, scikit-learn's, or worked out apart."""
    domain = BOOK.domain
    codes = [encode(table, BOOK) for table in (real, synthetic)]
    numbers = [numbers_of(table, BOOK) for table in (real, synthetic)]
    pay = [table["pay"].clip(0, 900).to_numpy() for table in (real, synthetic)]
    error = column_error(*pay, numeric=True)
    place = {name: i for i, name in enumerate(domain.names)}
    towns = [pd.crosstab(real["town"], real["job"]).to_numpy(), codes[0]]
    parts = [g["pay"].clip(0, 900).to_numpy() for _, g in real.groupby("town")]
    f = stats.f_oneway(*parts).statistic
    between, within = len(parts) - 1, len(real) - len(parts)
    sd = pay[0].std()
    found = {
        "Kolmogorov-Smirnov distance": (error.ks, stats.ks_2samp(*pay).statistic, "SciPy"),
        "Wasserstein distance / sd": (
            error.wasserstein_sd,
            stats.wasserstein_distance(*pay) / stats.tstd(pay[0], ddof=0),
            "SciPy",
        ),
        "difference of means / sd": (
            error.mean_sd,
            (stats.tmean(pay[1]) - stats.tmean(pay[0])) / sd,
            "SciPy",
        ),
        "median, difference / sd": (
            error.quantiles_sd[2],
            (stats.scoreatpercentile(pay[1], 50) - stats.scoreatpercentile(pay[0], 50)) / sd,
            "SciPy",
        ),
        "Spearman's correlation": (
            spearman(numbers[0][:, 0], numbers[0][:, 1]),
            stats.spearmanr(numbers[0][:, 0], pay[0]).statistic,
            "SciPy",
        ),
        "Cramér's V": (
            cramers_v(towns[1][:, place["town"]], towns[1][:, place["job"]], (4, 5)),
            stats.contingency.association(towns[0], method="cramer"),
            "SciPy",
        ),
        "correlation ratio": (
            correlation_ratio(numbers[0][:, place["town"]], numbers[0][:, 1]),
            float(np.sqrt(f * between / (f * between + within))),
            "SciPy (analysis of variance)",
        ),
    }
    return found | _models(codes, numbers) | _counts(real, codes)


def _models(codes: list[np.ndarray], numbers: list[np.ndarray]) -> dict[str, tuple[float, float, str]]:
    """pMSE and the areas under the curve, by scikit-learn's own estimators."""
    domain = BOOK.domain
    design = main_effects(np.concatenate(codes), domain)
    label = np.repeat([0, 1], [len(codes[0]), len(codes[1])])
    scores = (
        LogisticRegression(C=1e10, max_iter=10_000, tol=1e-10)
        .fit(design.toarray(), label)
        .predict_proba(design.toarray())[:, 1]
    )
    share, parameters = label.mean(), design.shape[1]
    pmse, ratio = pmse_of(design, label)
    target = domain.names.index("well")
    learned = learned_scores(numbers[1], numbers[0], domain, target)
    frames = [pd.DataFrame(table, columns=domain.names) for table in numbers]
    inputs = [_standardised(frames[1], frame) for frame in frames]
    answers = [frame["well"].to_numpy() for frame in frames]
    model = LogisticRegression(max_iter=2000, tol=1e-8).fit(inputs[1], answers[1])
    apart = model.predict_proba(inputs[0])[:, list(model.classes_).index(1.0)]
    minority = 1.0 if (answers[0] == 1).mean() < 0.5 else 0.0
    area = roc_auc_score(answers[0] == minority, apart if minority == 1.0 else 1 - apart)
    return {
        "pMSE": (pmse, float(((scores - share) ** 2).mean()), "scikit-learn"),
        "pMSE over its expectation": (
            ratio,
            float(((scores - share) ** 2).mean() / (parameters * (1 - share) ** 2 * share / len(label))),
            "scikit-learn and the formula of Snoke et al.",
        ),
        "train on synthetic, test on real: AUC": (learned["logistic_auc"], area, "scikit-learn"),
    }


def _standardised(train: pd.DataFrame, table: pd.DataFrame) -> np.ndarray:
    """Numbers standardised by the training table, and a column a category."""
    numeric, nominal = ["age", "pay"], ["town", "job", "club"]
    values = (table[numeric] - train[numeric].mean()) / train[numeric].std(ddof=0)
    dummies = [
        (table[name] == value if not np.isnan(value) else table[name].isna()).astype(float)
        for name in nominal
        for value in train[name].unique()
    ]
    return np.column_stack([values.to_numpy(), *dummies])


def _counts(real: pd.DataFrame, codes: list[np.ndarray]) -> dict[str, tuple[float, float, str]]:
    """Figures of counts: vanished groups by pandas, expected errors by drawing, clipping by hand."""
    domain = BOOK.domain
    pair = CountedPair(codes[0], codes[1], domain)
    whole = groups(pair, (codes[0], codes[0]))
    sets = [[a, b] for a in range(len(domain)) for b in range(a + 1, len(domain))]
    gone = sum(
        len(set(map(tuple, codes[0][:, s].tolist())) - set(map(tuple, codes[1][:, s].tolist()))) for s in sets
    )
    three = agreement(pair, 3)
    triples = [(a, b, c) for a, b in sets for c in range(b + 1, len(domain))]
    tables = [
        [pd.Series(list(map(tuple, t[:, list(s)].tolist()))).value_counts(normalize=True) for s in triples]
        for t in codes
    ]
    by_pandas = [(p.subtract(q, fill_value=0).abs().sum() / 2) for p, q in zip(*tables, strict=True)]
    counts = np.bincount(codes[0][:, 2] * 5 + codes[0][:, 3], minlength=20)
    tenth = round(0.1 * len(real))
    exact = sum(
        (np.abs(k / tenth - c / len(real)) * stats.hypergeom.pmf(k, len(real), c, tenth)).sum()
        for c in counts
        for k in [np.arange(0, min(c, tenth) + 1)]
    )
    cut = clipping(real, BOOK)[1]
    return {
        "three-way error": (three.mean, float(np.mean(by_pandas)), "pandas"),
        "vanished groups": (float(whole.n_vanished), float(gone), "sets of Python"),
        "error of a tenth of the rows": (
            Profile.of(counts, len(real)).subsample_error(0.1),
            float(exact / 2),
            "SciPy (hypergeometric, summed)",
        ),
        "share above the declared range": (cut.above, float((real["pay"] > 900).mean()), "pandas"),
    }


def ours_for_packages(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, float]:
    """Our figures under the names that the workers give theirs."""
    domain = BOOK.domain
    codes = [encode(table, BOOK) for table in (real, synthetic)]
    numbers = [numbers_of(table, BOOK) for table in (real, synthetic)]
    pair = CountedPair(codes[0], codes[1], domain)
    one = {of.names[0]: of.error for of in agreement(pair, 1).sets}
    two = {of.names: of.error for of in agreement(pair, 2).sets}
    cut = clipping(real, BOOK)[1]
    return {
        "one-way error": one["town"],
        "two-way error": two["town", "job"],
        "KS": column_error(real["pay"].to_numpy(), synthetic["pay"].to_numpy(), numeric=True).ks,
        "missing, difference of shares": abs(
            column_error(numbers[0][:, 4], numbers[1][:, 4], numeric=False).missing
        ),
        "values cut off by the range": cut.below + cut.above,
        "Cramer's V": cramers_v(codes[0][:, 2], codes[0][:, 3], (4, 5)),
        "correlation ratio": correlation_ratio(numbers[0][:, 2], real["pay"].to_numpy()),
        "k-marginal score, k = 2": agreement(pair, 2).k_marginal,
    }


def from_packages(real: pd.DataFrame, synthetic: pd.DataFrame) -> dict[str, dict[str, float]]:
    """What each installed package says."""
    WORK.mkdir(parents=True, exist_ok=True)
    job: dict[str, Any] = {
        "number": "pay",
        "category": "club",
        "pair": ["town", "job"],
        "nominal": ["town", "job"],
        "minimum": 0,
        "maximum": 900,
    }
    for name, table in (("real", real), ("synthetic", synthetic)):
        job[name], job[f"{name}_codes"] = str(WORK / f"{name}.csv"), str(WORK / f"{name}-codes.csv")
        table.to_csv(job[name], index=False)
        pd.DataFrame(encode(table, BOOK), columns=BOOK.domain.names).to_csv(job[f"{name}_codes"], index=False)
    found = {}
    for name in ENVIRONMENTS:
        python = WORK / f"env-{name}" / "bin" / "python"
        if not python.exists():
            print(f"{name} is not installed; --install installs it")
            continue
        done = subprocess.run(
            [str(python), str(WORKERS / f"run_report_{name}.py"), json.dumps(job)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"{name} failed: {(done.stderr.strip().splitlines() or ['?'])[-1][:200]}")
            continue
        found[name] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def install() -> None:
    for name, requirement in ENVIRONMENTS.items():
        folder = WORK / f"env-{name}"
        subprocess.run(["uv", "venv", "--python", "3.11", str(folder)], check=True)
        python = str(folder / "bin" / "python")
        subprocess.run(["uv", "pip", "install", "--python", python, requirement], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true")
    if parser.parse_args().install:
        install()
    rng = np.random.default_rng(0)
    real, synthetic = people(4000, rng, link=0.8), people(3000, rng, link=0.4)
    rows = []
    for name, (ours, other, whose) in ours_and_by_hand(real, synthetic).items():
        rows.append((name, whose, f"{ours:.6g}", f"{other:.6g}", f"{abs(ours - other):.1g}"))
    ours = ours_for_packages(real, synthetic)
    for package, said in from_packages(real, synthetic).items():
        version = ENVIRONMENTS[package].replace("==", " ")
        for name, value in said.items():
            rows.append(
                (name, version, f"{ours[name]:.6g}", f"{value:.6g}", f"{abs(ours[name] - value):.1g}")
            )
    table = markdown_table(("statistic", "compared with", "ours", "theirs", "difference"), rows)
    page = PAGE.read_text(encoding="utf-8")
    before, after = page[: page.index(START)], page[page.index(END) :]
    PAGE.write_text(f"{before}{START}\n{table}\n{after}", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main()
