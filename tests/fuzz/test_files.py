"""Codebooks, plans, bundles and tables that nobody wrote in good faith: refused in a sentence, or used.

No traceback, no cell's value in what is said, nothing written and nothing charged by what is refused.
HMPB_SLOW=1 runs forty times as many.
"""

import os
import tomllib

from tests.fuzz import hostile

MORE = 40 if os.environ.get("HMPB_SLOW") else 1


def run(faults, cases, may_write=()):
    """Type every case; the case's number is enough to make it again."""
    found = {}
    for number, words in cases:
        if wrong := faults(words, may_write=may_write):
            found[number] = (words[0], wrong)
    assert not found, "\n".join(f"case {number}: {wrong}" for number, wrong in found.items())


def test_codebooks(faults, folder):
    def cases():
        for number in range(120 * MORE):
            (folder / "bad.json").write_bytes(hostile.codebook(number))
            command = (
                (
                    "bill",
                    "--rows",
                    "40",
                    "--codebook",
                    "bad.json",
                    "--epsilon",
                    "1",
                    "--method",
                    "independent",
                ),
                ("plan", "--codebook", "bad.json", "--epsilon", "1", "-o", "/dev/null/p.toml"),
                (
                    "register",
                    "people.csv",
                    "--codebook",
                    "bad.json",
                    "--workspace",
                    "w",
                    "--cap",
                    "0",
                    "--unit",
                    "row",
                ),
                (
                    "release",
                    "people.csv",
                    "--codebook",
                    "bad.json",
                    "--plan",
                    "p.toml",
                    "--workspace",
                    "w",
                    "--out",
                    "new.zip",
                ),
            )
            yield number, command[number % len(command)]

    run(faults, cases())


def test_plans(faults, folder):
    good = tomllib.loads((folder / "p.toml").read_text(encoding="utf-8"))

    def cases():
        for number in range(100 * MORE):
            (folder / "bad.toml").write_bytes(hostile.plan(number, good))
            # without --yes a release asks and nobody answers: all that can refuse it comes before
            yield (
                number,
                (
                    "release",
                    "people.csv",
                    "--codebook",
                    "cb.json",
                    "--plan",
                    "bad.toml",
                    "--workspace",
                    "w",
                    "--out",
                    "new.zip",
                ),
            )

    run(faults, cases())


def test_bundles(faults, folder):
    good = (folder / "b.zip").read_bytes()

    def cases():
        for number in range(75 * MORE):
            (folder / "bad.zip").write_bytes(hostile.bundle(number, good))
            yield number, ("resample", "bad.zip", "--rows", "5", "--seed", "1", "-o", "more.csv")

    run(faults, cases(), may_write=("more.csv",))


def test_tables(faults, folder):
    def cases():
        for number in range(50 * MORE):
            (folder / "bad.csv").write_bytes(hostile.table(number))
            command = (
                (
                    "register",
                    "bad.csv",
                    "--codebook",
                    "cb.json",
                    "--workspace",
                    "w",
                    "--cap",
                    "0",
                    "--unit",
                    "row",
                ),
                ("evaluate", "people.csv", "bad.csv", "--codebook", "cb.json"),
                ("synthesize", "bad.csv", "--codebook", "cb.json", "--epsilon", "0", "--out", "none"),
            )
            yield number, command[number % len(command)]

    run(faults, cases())
