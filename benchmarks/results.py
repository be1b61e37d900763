"""Accuracy, time and true bill of every method and accounting: writes docs/results.md.

    uv run python -m benchmarks.results [--data FOLDER] [--tables adult big5] [--settings NAME ...]

Every cell (table, setting, epsilon, seed) is kept in runs/results.jsonl, so that a run can be stopped
and taken up again; --fresh measures the chosen cells anew, --page-only writes the page from what is there.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.datasets import NAMES, Table, folder_of, load
from benchmarks.page import CACHE, add_row, markdown_table, mean, number, read_rows, write_section
from hmpb_core.binary import BinaryEncoding
from hmpb_core.encoding import encode
from hmpb_core.facade import guarantee_of
from hmpb_core.metrics.marginals import marginal_error
from hmpb_core.metrics.prediction import Target, svm_error
from hmpb_core.planning.bill import Bill
from hmpb_core.planning.methods import Accounting
from hmpb_core.planning.plan import Plan
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

ROWS = CACHE / "results.jsonl"
EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A row of the tables."""

    name: str
    title: str
    method: str = "hmprivbayes"
    accounting: Accounting = Accounting.SOUND
    currency: str = "zcdp"
    neighbors: str = "replace-one"

    def plan(self, table: Table, epsilon: float, n_rows: int) -> Plan:
        guarantee = guarantee_of(
            self.currency, epsilon, None, self.neighbors, accounting=self.accounting.value
        )
        return make_plan(
            guarantee, table.codebook.domain, n_rows=n_rows, method=self.method, accounting=self.accounting
        )


SETTINGS = (
    Setting(name="sound-zcdp", title="HMPrivBayes, sound, zcdp"),
    Setting(name="sound-zcdp-add", title="HMPrivBayes, sound, zcdp, add-remove", neighbors="add-remove"),
    Setting(name="sound-pure", title="HMPrivBayes, sound, pure", currency="pure"),
    Setting(
        name="published",
        title="HMPrivBayes, as published (not private at this epsilon)",
        accounting=Accounting.AS_PUBLISHED,
        currency="pure",
    ),
    Setting(name="privbayes-zcdp", title="PrivBayes, zcdp", method="privbayes"),
    Setting(name="privbayes-pure", title="PrivBayes, pure", method="privbayes", currency="pure"),
    Setting(name="jtree-zcdp", title="JTree, zcdp", method="jtree"),
    Setting(name="jtree-pure", title="JTree, pure", method="jtree", currency="pure"),
    Setting(name="privscbn-zcdp", title="PrivSCBN, zcdp", method="privscbn"),
    Setting(name="privscbn-pure", title="PrivSCBN, pure", method="privscbn", currency="pure"),
    Setting(name="independent-zcdp", title="independent columns, zcdp", method="independent"),
    Setting(
        name="independent-pure",
        title="independent columns, pure",
        method="independent",
        currency="pure",
    ),
    Setting(name="noprivacy", title="no privacy (no noise, no protection)", method="noprivacy"),
)


def measure(table: Table, setting: Setting, epsilon: float, seed: int) -> dict[str, Any]:
    """Fit and sample once on all rows, and once on the rows that the SVM may learn from."""
    domain = table.codebook.domain
    wall, cpu = time.perf_counter(), time.process_time()
    model = fit_source(
        MemorySource(table.codes, domain), setting.plan(table, epsilon, len(table.codes)), seed=seed
    )
    synthetic = model.sample(rng=np.random.default_rng(seed))
    seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    codes = encode(synthetic, table.codebook)

    kept, held = table.split(seed)
    known = fit_source(
        MemorySource(table.codes[kept], domain), setting.plan(table, epsilon, len(kept)), seed=seed
    )
    learnt = known.sample(rng=np.random.default_rng(seed))
    target = Target.parse(table.target, domain)
    train = encode(learnt, table.codebook)
    train_classes = target.classes(learnt, train, table.codebook)
    test = table.codes[held]
    test_classes = target.classes(table.frame.iloc[held], test, table.codebook)
    encoding = BinaryEncoding(domain)
    bits, their_bits = encoding.encode(table.codes), encoding.encode(codes)
    return {
        "table": table.name,
        "setting": setting.name,
        "epsilon": epsilon,
        "seed": seed,
        "avd2": marginal_error(table.codes, codes, domain, 2).mean,
        "avd3": marginal_error(table.codes, codes, domain, 3).mean,
        "avd2_bits": marginal_error(bits, their_bits, encoding.bit_domain, 2).mean,
        "avd3_bits": marginal_error(bits, their_bits, encoding.bit_domain, 3).mean,
        "svm_error": svm_error((train, train_classes), (test, test_classes), target, domain),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        **bill_of(model.bill),
    }


def bill_of(bill: Bill) -> dict[str, Any]:
    return {"total": bill.total, "unpaid": len(bill.unpaid)}


def page() -> str:
    """The section, from all cells there are."""
    rows = read_rows(ROWS)
    latest = {(r["table"], r["setting"], r["epsilon"], r["seed"]): r for r in rows}
    parts = [
        "## The methods and both accountings",
        "`uv run python -m benchmarks.results`. Mean of the seeds (their number in brackets where it is not "
        "3). Neighbours are replace-one unless a row says add-remove; zcdp with delta 1e-9. Seconds are CPU "
        "seconds of fit and sample on one core at epsilon 1, reading the file not counted. The bill is the "
        "true cost for a nominal epsilon of 1; *open* means that something is looked at and never paid. "
        "Numbers under the same epsilon are comparable where the bill is 1.",
    ]
    titles = {"adult": "Adult, 45,222 x 15", "big5": "Big5, 19,719 x 57"}
    for table in NAMES:
        cells = {key[1:]: row for key, row in latest.items() if key[0] == table}
        if not cells:
            continue
        parts.append(f"### {titles[table]}")
        for key, title, digits in (
            ("avd2", "AVD2", 3),
            ("avd3", "AVD3", 3),
            ("avd2_bits", "AVD2 on the papers' bits", 3),
            ("avd3_bits", "AVD3 on the papers' bits", 3),
            ("svm_error", "SVM error, tested on real rows", 3),
        ):
            parts += [f"**{title}**", _grid(cells, key, digits)]
        parts += ["**Seconds and bill**", _costs(cells)]
    return "\n\n".join(parts)


def _grid(cells: dict[tuple[Any, ...], dict[str, Any]], key: str, digits: int) -> str:
    lines = []
    for setting in SETTINGS:
        line = [setting.title]
        for epsilon in EPSILONS:
            values = [
                row[key] for (name, e, _), row in cells.items() if name == setting.name and e == epsilon
            ]
            count = f" ({len(values)})" if values and len(values) != 3 else ""
            line.append(number(mean(values), digits) + count if values else "")
        if any(line[1:]):
            lines.append(line)
    return markdown_table(["epsilon", *(f"{e:g}" for e in EPSILONS)], lines)


def _costs(cells: dict[tuple[Any, ...], dict[str, Any]]) -> str:
    lines = []
    for setting in SETTINGS:
        rows = [row for (name, e, _), row in cells.items() if name == setting.name and e == 1.0]
        if not rows:
            continue
        total = mean([row["total"] for row in rows])
        bill = "none can be given" if total is None else f"{total:.2f}"
        unpaid = ", open" if rows[0]["unpaid"] and total is not None else ""
        lines.append(
            [
                setting.title,
                f"{mean([row['cpu_seconds'] for row in rows]):.1f}",
                bill + unpaid,
            ]
        )
    return markdown_table(["", "CPU s", "true bill at epsilon 1"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="folder of the tables")
    parser.add_argument("--tables", nargs="+", default=list(NAMES), choices=NAMES)
    names = [setting.name for setting in SETTINGS]
    parser.add_argument("--settings", nargs="+", default=names, choices=names)
    parser.add_argument("--epsilons", nargs="+", type=float, default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--fresh", action="store_true", help="measure cells that are there already")
    parser.add_argument("--page-only", action="store_true")
    args = parser.parse_args()
    done = set()
    if not args.fresh:
        done = {(r["table"], r["setting"], r["epsilon"], r["seed"]) for r in read_rows(ROWS)}
    for name in [] if args.page_only else args.tables:
        table = load(name, folder_of(args.data))
        for setting in (s for s in SETTINGS if s.name in args.settings):
            # Without noise epsilon changes nothing.
            epsilons = [1.0] if setting.method == "noprivacy" else args.epsilons
            for epsilon in epsilons:
                for seed in range(args.seeds):
                    if (name, setting.name, epsilon, seed) in done:
                        continue
                    row = measure(table, setting, epsilon, seed)
                    add_row(ROWS, row)
                    print(
                        f"{name} {setting.name} epsilon {epsilon:g} seed {seed}: AVD2 {row['avd2']:.4f}, "
                        f"AVD3 {row['avd3']:.4f}, SVM {row['svm_error']:.4f}, {row['seconds']:.1f} s",
                        flush=True,
                    )
    write_section("methods", page())


if __name__ == "__main__":
    main()
