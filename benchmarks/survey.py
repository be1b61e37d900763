"""What a paid survey finds: common categories, and rows inside its bounds, over repeated surveys.

    python benchmarks/survey.py [--rows 20000] [--epsilon 0.1] [--repeats 10]

The table is invented: 16 states with the shares of the German population, 8 wards, 5 insurers, a flag,
dates over 3 and over 90 years, a skewed amount and a skewed count, and notes that all differ. Everything
is surveyed, the notes too: no name gives a column away. The noise is the operating system's.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from hmpb_core.dates import read_value
from hmpb_core.privacy.unit import Unit
from hmpb_core.publishing.survey import carry_out_survey, prepare_survey
from hmpb_core.publishing.workspace import Workspace

DELTA = 1e-9
STATES = {
    "Nordrhein-Westfalen": 21.5, "Bayern": 15.8, "Baden-Württemberg": 13.4, "Niedersachsen": 9.6,
    "Hessen": 7.6, "Rheinland-Pfalz": 4.9, "Sachsen": 4.8, "Berlin": 4.4, "Schleswig-Holstein": 3.5,
    "Brandenburg": 3.1, "Sachsen-Anhalt": 2.6, "Thüringen": 2.5, "Hamburg": 2.2,
    "Mecklenburg-Vorpommern": 1.9, "Saarland": 1.2, "Bremen": 0.8,
}  # fmt: skip
WARDS = {
    "Innere": 30,
    "Chirurgie": 22,
    "Frauen": 14,
    "Kinder": 11,
    "Augen": 9,
    "HNO": 6,
    "Urologie": 5,
    "Haut": 3,
}
INSURERS = {"AOK": 36, "TK": 28, "Barmer": 17, "DAK": 12, "privat": 7}
COMMON = (0.2, 0.1, 0.05, 0.03, 0.02)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--epsilon", type=float, default=0.1)
    parser.add_argument("--repeats", type=int, default=10)
    args = parser.parse_args()
    frame = table(args.rows)
    draft = {"fields": [{"name": name, "type": "string"} for name in frame.columns]}
    found: dict[float, list[float]] = {least: [] for least in COMMON}
    inside: dict[str, list[float]] = {}
    for _ in range(args.repeats):
        with tempfile.TemporaryDirectory() as folder:
            workspace = Workspace(Path(folder) / "w", create=True)
            workspace.register(
                frame,
                name="t",
                unit=Unit.parse("row"),
                cap_epsilon=1,
                cap_delta=DELTA,
                survey_delta=DELTA / 10,
            )
            commit = prepare_survey(frame, draft, workspace, epsilon=args.epsilon)
            schema, _, _ = carry_out_survey(commit, workspace)
        for entry in schema["fields"]:
            _count(frame[entry["name"]], entry, found, inside)
    print(f"{args.rows} rows, epsilon {args.epsilon:g}, {len(frame.columns)} columns, {args.repeats} surveys")
    for least, parts in found.items():
        print(f"categories of {least:.0%} of the rows or more found: {np.mean(parts):.3f}")
    for name, parts in inside.items():
        print(f"{name:12s} {np.mean(parts):.3f} of the rows inside the bounds, least {min(parts):.3f}")


def table(rows: int) -> pd.DataFrame:
    """The invented table; the same for everybody."""
    rng = np.random.default_rng(12)

    def choose(shares: dict[str, float]) -> np.ndarray:
        return rng.choice(list(shares), rows, p=np.array(list(shares.values())) / sum(shares.values()))

    def days(first: str, years: int) -> pd.Series:
        moments = pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, years * 365, rows), unit="D")
        return pd.Series(moments).dt.strftime("%d.%m.%Y")

    return pd.DataFrame(
        {
            "region": choose(STATES),
            "ward": choose(WARDS),
            "insurer": choose(INSURERS),
            "referred": rng.choice(["ja", "nein"], rows, p=[0.3, 0.7]),
            "admitted": days("1994-01-01", 3),
            "born": days("1905-01-01", 90),
            "amount": np.round(rng.lognormal(7.6, 0.8, rows), 2).astype(str),
            "stay": rng.geometric(0.12, rows).astype(str),
            "remarks": [f"Bericht {place} liegt vor" for place in range(rows)],
        }
    )


def _count(
    column: pd.Series, entry: dict, found: dict[float, list[float]], inside: dict[str, list[float]]
) -> None:
    shares = column.value_counts(normalize=True)
    if shares.size < 50:
        for least, parts in found.items():
            parts += [float(name in entry.get("categories", [])) for name in shares.index[shares >= least]]
        return
    if entry["name"] == "remarks":
        return
    part = 0.0
    if "constraints" in entry:
        kind = entry["type"] if entry["type"] == "date" else "number"
        low, high = (
            read_value(str(entry["constraints"][bound]), kind, entry.get("format"))
            for bound in ("minimum", "maximum")
        )
        values = np.array([read_value(text, kind, entry.get("format")) for text in column])
        part = float(((values >= low) & (values <= high)).mean())
    inside.setdefault(entry["name"], []).append(part)


if __name__ == "__main__":
    main()
