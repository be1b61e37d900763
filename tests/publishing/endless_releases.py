"""Starts processes that release without end, to be killed: endless_releases.py WORKSPACE OUT.

For each line that it reads it starts one, and writes its number, and its exit code once it is dead.
"""

import itertools
import os
import sys
from pathlib import Path

from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.privacy.guarantee import Currency, Guarantee
from hmpb_core.publishing.release import carry_out, prepare
from hmpb_core.publishing.workspace import Workspace
from hmpb_core.synthesis import make_plan
from tests.tables import people, people_codebook

EPSILON = 0.001


def say(number: int) -> None:
    """Write a number at once."""
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    folder, out = sys.argv[1:]
    book = people_codebook()
    guarantee = Guarantee(epsilon=EPSILON, delta=0, currency=Currency.PURE)
    plan = PlanFile.of(make_plan(guarantee, book.domain, n_rows=None, method="independent"), book)
    workspace = Workspace(folder)
    commit = prepare(people(300), book, plan, workspace)
    carry_out(commit, workspace)  # imports and caches are filled: now the time is the release's own
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            for number in itertools.count():
                carry_out(commit, workspace, Path(out) / f"{os.getpid()}-{number}.zip")
        say(child)
        _, status = os.waitpid(child, 0)
        say(os.waitstatus_to_exitcode(status))
