"""Make the demo of assets/demo/ from UCI Adult: a synthetic table by this tool, its codebook and its plan.

    python benchmarks/make_demo.py DATA_FOLDER

The noise is the operating system's, so the table is a real release of Adult and differs from run to run.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.planning.methods import DEFAULT_METHOD, METHOD_NAMES
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.sources.files import read_table
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, make_plan

DEMO = Path(__file__).resolve().parents[1] / "assets" / "demo"
EPSILON = 1.0
CLUSTERS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "data", type=Path, help="folder with adult_train.csv, adult_test.csv, adult.codebook.json"
    )
    parser.add_argument("--method", choices=METHOD_NAMES, default=DEFAULT_METHOD)
    args = parser.parse_args()
    codebook = Codebook.read(args.data / "adult.codebook.json")
    frame = pd.concat([read_table(args.data / f"adult_{part}.csv") for part in ("train", "test")])
    frame = frame[~(frame == "?").any(axis=1)].reset_index(drop=True)
    plan = make_plan(
        Guarantee(epsilon=EPSILON),
        codebook.domain,
        n_rows=len(frame),
        method=args.method,
        clusters=CLUSTERS,
    )
    model = fit_source(open_source(frame, codebook), plan)
    rows = model.sample(rng=np.random.default_rng())
    DEMO.mkdir(parents=True, exist_ok=True)
    narrow(rows, codebook).to_parquet(DEMO / "people.parquet", index=False, compression="zstd")
    schema = codebook.to_dict()
    for entry in schema["fields"]:
        if entry["name"] in {"salary", "capital-gain", "capital-loss"}:
            entry["sensitive"] = True
    (DEMO / "people.codebook.json").write_text(
        json.dumps(schema, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    (DEMO / "plan.toml").write_text(PlanFile.of(plan, Codebook.from_dict(schema)).to_toml(), encoding="utf-8")
    origin = {
        "source": "UCI Adult (Becker and Kohavi 1996), CC BY 4.0, complete rows",
        "made_by": "benchmarks/make_demo.py",
        "rows": len(rows),
        "account": {
            k: v for k, v in model.to_dict().items() if k in {"method", "guarantee", "shares", "bill"}
        },
    }
    (DEMO / "origin.json").write_text(json.dumps(origin, indent=1) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in DEMO.iterdir())
    print(f"{len(rows)} rows, {size / 1e6:.2f} MB in assets/demo, {sum(model.seconds.values()):.1f} s")


def narrow(rows: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """Texts as categories: a fifth of the file's size."""
    texts = [a.name for a in codebook.domain.attributes if not pd.api.types.is_numeric_dtype(rows[a.name])]
    return rows.astype(dict.fromkeys(texts, "category"))


if __name__ == "__main__":
    main()
