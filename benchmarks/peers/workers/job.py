"""What every worker does around its fit: read the table, time itself, hand a table back.

Imported by scripts that run in other projects' environments, so it needs numpy alone.
"""

import json
import resource
import sys
import time

import numpy as np


def run(fit_and_sample):
    """Call ``fit_and_sample(table, sizes, job)`` and report its time and peak memory.

    What it gives has the type of what came: codes, or values.
    """
    job = json.loads(sys.argv[1])
    table = np.load(job["input"])
    wall, cpu = time.perf_counter(), _cpu()
    synthetic = np.asarray(fit_and_sample(table, job["sizes"], job)).astype(table.dtype)
    report = {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": _cpu() - cpu,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    np.save(job["output"], synthetic)
    print(json.dumps(report))


def _cpu():
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(t.ru_utime + t.ru_stime for t in times)


def names_of(sizes):
    return [f"c{i}" for i in range(len(sizes))]
