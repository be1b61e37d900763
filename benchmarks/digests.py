"""Digests of what every method gives under a seed: bit-identical before and after a move of code.

    uv run python -m benchmarks.digests FILE [--check]

Writes (or checks against) a JSON file of digests. Deleted when the moves are done.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from benchmarks.datasets import folder_of, load
from benchmarks.results import SETTINGS
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source

EPSILONS = (0.2, 1.0)


def as_before(text: str) -> str:
    """The stages had other names when the digests were recorded."""
    return text.replace("one-way tables", "profile").replace("conditional tables", "conditionals")


def digest(table, setting, epsilon) -> str:
    plan = setting.plan(table, epsilon, len(table.codes))
    model = fit_source(MemorySource(table.codes, table.codebook.domain), plan, seed=7)
    found = hashlib.sha256()
    found.update(np.ascontiguousarray(model.sample_codes(rng=np.random.default_rng(7))).tobytes())
    for entry in sorted(model.entries, key=lambda entry: (entry.loss, entry.scale, entry.what)):
        found.update(as_before(repr((str(entry.stage), entry.act, entry.loss, entry.scale))).encode())
    found.update(as_before(repr(model.bill.to_dict())).encode())
    return found.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--data", default=None)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    known = json.loads(options.file.read_text()) if options.file.exists() else {}
    bad = []
    for name in ("adult",) if options.quick else ("adult", "big5"):
        table = load(name, folder_of(options.data))
        for setting in SETTINGS:
            for epsilon in EPSILONS:
                key = f"{name} {setting.name} {epsilon}"
                if not options.check and key in known:
                    continue
                found = digest(table, setting, epsilon)
                if options.check:
                    same = known.get(key) == found
                    print("same" if same else "DIFFERS", key, flush=True)
                    if not same:
                        bad.append(key)
                else:
                    known[key] = found
                    options.file.write_text(json.dumps(known, indent=1))
                    print(key, flush=True)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
