"""Make the demo of assets/demo/: an invented hospital's stays, their codebook and a plan.

    python benchmarks/make_demo.py

Nobody is in it: every row is drawn from the shares below, with a fixed seed, so that the same command makes
the same table again. It holds what real tables hold: dates, times on the half hour, counts and amounts with
frequent values, missing codes, an identifier, a note, and rules that every row obeys.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.sources.files import read_table
from hmpb_core.synthesis import make_plan

DEMO = Path(__file__).resolve().parents[1] / "assets" / "demo"
ROWS, SEED, EPSILON, CLUSTERS = 20_000, 1996, 1.0, 3
FIRST_DAY, DAYS = pd.Timestamp("2022-01-01"), 3 * 365
WARDS = ("children", "medicine", "surgery", "obstetrics", "neurology", "intensive care")
CHAPTERS = ("infections", "cancer", "heart", "lungs", "digestion", "injury", "birth", "mind", "other")
HOMES = ("home", "other hospital", "rehabilitation", "nursing home", "died")
INSURERS = ("public", "private", "self", "none")
SOURCE = {"kind": "typed", "name": "the invented hospital's manual"}
RULES = [
    {"kind": "askedIf", "column": "smoker", "if": {"age": {"atLeast": 15}}},
    {"kind": "implies", "if": {"ward": "children"}, "then": {"age": {"below": 18}}},
    {"kind": "forbidden", "if": {"sex": "male", "ward": "obstetrics"}},
]


def main() -> None:
    frame = table(np.random.default_rng(SEED))
    schema = codebook_schema()
    codebook = Codebook.from_dict(schema)
    DEMO.mkdir(parents=True, exist_ok=True)
    texts = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
    narrow = frame.astype(dict.fromkeys(texts, "category"))  # texts as categories: a fifth of the size
    narrow.to_parquet(DEMO / "stays.parquet", index=False, compression="zstd")
    read = read_table(DEMO / "stays.parquet")
    encode(read, codebook)
    broken = codebook.rules.broken_rows(read, {n: codebook.missing_of(n) for n in codebook.domain.names})
    text = json.dumps(schema, ensure_ascii=False, indent=1)
    (DEMO / "stays.codebook.json").write_text(text + "\n", encoding="utf-8")
    plan = make_plan(Guarantee(epsilon=EPSILON), codebook.domain, n_rows=ROWS, clusters=CLUSTERS)
    (DEMO / "plan.toml").write_text(PlanFile.of(plan, codebook).to_toml(), encoding="utf-8")
    origin = {
        "source": "invented; nobody is in it",
        "made_by": "python benchmarks/make_demo.py",
        "rows": ROWS,
    }
    (DEMO / "origin.json").write_text(json.dumps(origin, indent=1) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in DEMO.iterdir())
    print(f"{ROWS} rows, {size / 1e6:.2f} MB in assets/demo; rows that break a rule: {broken}")


def table(rng: np.random.Generator) -> pd.DataFrame:
    """Draw the stays."""
    n = ROWS
    newborn = rng.random(n) < 0.06
    age = np.where(newborn, 0, np.clip(rng.gamma(6.5, 9.0, n) + rng.normal(0, 4, n), 0, 104)).astype(int)
    female = rng.random(n) < 0.53
    sex = np.where(rng.random(n) < 0.004, "other", np.where(female, "female", "male"))
    birth = (sex == "female") & (age > 17) & (age < 45) & (rng.random(n) < 0.55)
    chapter = np.where(newborn | birth, "birth", _chapters(age, rng))
    ward = _wards(age, chapter, birth, rng)
    smokes = rng.random(n) < np.select([chapter == "lungs", chapter == "heart"], [0.55, 0.34], 0.2)
    refused = rng.random(n) < 0.03
    smoker = np.where(age < 15, "", np.where(refused, "-9", np.where(smokes, "yes", "no")))
    severity = np.clip(np.round(1 + age / 45 + (ward == "intensive care") + rng.normal(0, 0.6, n)), 1, 4)
    nights = np.minimum(rng.geometric(1 / (1.2 + severity**1.6)), 90) - (rng.random(n) < 0.15)
    nights = np.where(birth, 3, nights).astype(int)
    kilos = np.where(newborn, rng.normal(3.4, 0.5, n), np.minimum(20 + 3.1 * age, 76) + rng.normal(0, 12, n))
    weight = np.where(rng.random(n) < 0.04, 999.0, np.round(np.clip(kilos, 1.0, 180.0), 1))
    insurer = rng.choice(INSURERS, n, p=[0.78, 0.14, 0.05, 0.03])
    return pd.DataFrame(
        {
            "stay_id": [f"S{number:07d}" for number in rng.permutation(n) + 1_000_000],
            "admitted": _written(_days(rng)),
            "arrived": _clock(rng),
            "nights": np.maximum(nights, 0),
            "sex": sex,
            "age": age,
            "weight_kg": weight,
            "insurer": insurer,
            "diagnosis": chapter,
            "ward": ward,
            "severity": severity.astype(int),
            "smoker": smoker,
            "copayment": _copayment(np.maximum(nights, 0), age, insurer, rng),
            "discharged_to": _home(age, severity, rng),
            "readmitted": np.where(rng.random(n) < 0.05 + 0.045 * severity, "yes", "no"),
            "note": [f"Invented note {number}." for number in range(n)],
        }
    )


def _chapters(age: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    young, middle, old = (
        [0.22, 0.03, 0.02, 0.2, 0.16, 0.24, 0.0, 0.03, 0.1],
        [0.06, 0.1, 0.12, 0.06, 0.17, 0.19, 0.0, 0.14, 0.16],
        [0.07, 0.17, 0.31, 0.12, 0.11, 0.12, 0.0, 0.04, 0.06],
    )
    group = np.digitize(age, [18, 60])
    drawn = [rng.choice(CHAPTERS, len(age), p=shares) for shares in (young, middle, old)]
    return np.choose(group, drawn)


def _wards(age: np.ndarray, chapter: np.ndarray, birth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    usual = {"injury": "surgery", "digestion": "surgery", "cancer": "surgery", "mind": "neurology"}
    ward = np.array([usual.get(one, "medicine") for one in chapter])
    ward = np.where(
        rng.random(len(age)) < 0.2, rng.choice(["medicine", "surgery", "neurology"], len(age)), ward
    )
    ward = np.where(age < 16, "children", ward)
    ward = np.where(birth, "obstetrics", ward)
    critical = rng.random(len(age)) < np.where(chapter == "heart", 0.14, 0.03)
    return np.where(critical & ~birth, "intensive care", ward)


def _days(rng: np.random.Generator) -> np.ndarray:
    """Days since the first: fewer on weekends, more in winter."""
    days = np.arange(DAYS)
    moment = FIRST_DAY + pd.to_timedelta(days, unit="D")
    weights = np.where(moment.day_of_week >= 5, 0.55, 1.0) * (
        1 + 0.25 * np.cos(2 * np.pi * moment.day_of_year / 365)
    )
    weights = np.where(moment.day_of_week == 0, 1.3 * weights, weights)
    return rng.choice(days, ROWS, p=weights / weights.sum())


def _written(days: np.ndarray) -> np.ndarray:
    return (FIRST_DAY + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d").to_numpy()


def _clock(rng: np.random.Generator) -> list[str]:
    """Times of arrival: two in three rounded to the half hour."""
    minutes = np.clip(rng.normal(11.5 * 60, 230, ROWS), 0, 1439)
    rounded = np.where(rng.random(ROWS) < 0.66, 30 * np.round(minutes / 30), minutes).astype(int) % 1440
    return [f"{minute // 60:02d}:{minute % 60:02d}:00" for minute in rounded]


def _copayment(
    nights: np.ndarray, age: np.ndarray, insurer: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """10 a night for at most 28 nights, nothing for children; who pays alone has a skewed bill."""
    usual = np.where(age < 18, 0.0, 10.0 * np.minimum(nights, 28))
    bill = np.round(rng.lognormal(6.6, 0.8, ROWS), 2)
    return np.minimum(np.where(np.isin(insurer, ("self", "none")), bill, usual), 20_000.0)


def _home(age: np.ndarray, severity: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    risk = np.clip(0.01 * severity**2 + np.where(age > 75, 0.04, 0.0), 0, 0.3)
    told = rng.random(ROWS)
    bounds = [1 - 3.2 * risk, 1 - 2.4 * risk, 1 - 1.5 * risk, 1 - 0.6 * risk]
    return np.array(HOMES)[sum((told > bound).astype(int) for bound in bounds)]


def codebook_schema() -> dict[str, Any]:
    """The codebook: what the hospital's manual says, and public vocabularies."""

    def listed(name: str, values: tuple[Any, ...], **more: Any) -> dict[str, Any]:
        ordered = more.pop("ordered", False)
        kind = "integer" if all(isinstance(value, int) for value in values) else "string"
        return {"name": name, "type": kind, "categories": list(values), "categoriesOrdered": ordered, **more}

    def bounded(name: str, kind: str, low: Any, high: Any, **more: Any) -> dict[str, Any]:
        bounds = {"minimum": low, "maximum": high, "required": True} | more.pop("constraints", {})
        bounds = {key: value for key, value in bounds.items() if value is not False}
        return {"name": name, "type": kind, "constraints": bounds, "bins": "learned", **more}

    required = {"constraints": {"required": True}}
    fields = [
        {"name": "stay_id", "type": "string", "role": "identifier", "publish": False},
        bounded("admitted", "date", "2022-01-01", "2024-12-31", title="Day of admission"),
        bounded("arrived", "time", "00:00:00", "23:59:59", title="Time of arrival", multipleOf=60),
        bounded("nights", "integer", 0, 120, title="Nights in hospital"),
        listed("sex", ("female", "male", "other"), **required),
        bounded("age", "integer", 0, 120, title="Age in completed years"),
        bounded(
            "weight_kg", "number", 0, 300, title="Weight in kilograms", decimals=1, sensitive=True,
            missingValues=["", "999"], constraints={"required": False},
        ),
        listed("insurer", INSURERS, **required),
        listed("diagnosis", CHAPTERS, title="Main diagnosis", sensitive=True, **required),
        listed("ward", WARDS, **required),
        listed("severity", (1, 2, 3, 4), title="Severity, 4 is worst", ordered=True, **required),
        listed("smoker", ("yes", "no"), missingValues=["", {"value": "-9", "label": "refused"}]),
        bounded("copayment", "number", 0, 20_000, title="Paid by the patient", decimals=2, sensitive=True),
        listed("discharged_to", HOMES, sensitive=True, **required),
        listed("readmitted", ("yes", "no"), title="Back within 30 days", **required),
        {"name": "note", "type": "string", "role": "text", "publish": False},
    ]  # fmt: skip
    told = [field if field.get("publish") is False else {**field, "source": SOURCE} for field in fields]
    return {"fields": told, "missingValues": [""], "rules": RULES}


if __name__ == "__main__":
    main()
