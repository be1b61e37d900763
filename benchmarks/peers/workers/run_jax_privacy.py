"""jax-privacy's bounds for cases on standard input: the two worlds' scores, a level, a threshold."""

import json
import sys

import numpy as np
from jax_privacy import auditing


def epsilon(case):
    auditor = auditing.CanaryScoreAuditor(case["with"], case["without"])
    threshold = auditing.Explicit(case["threshold"])
    alpha, delta = case["alpha"], case["delta"]
    if case["bound"] == "many runs":
        return auditor.epsilon_clopper_pearson(alpha, delta, threshold_strategy=threshold)
    if case["bound"] == "one run":  # takes no delta of 0
        return auditor.epsilon_one_run(alpha, max(delta, 1e-300), threshold_strategy=threshold)
    return auditor.epsilon_one_run_fdp(alpha, delta, threshold_strategy=threshold)


print(json.dumps([float(np.asarray(epsilon(case))) for case in json.load(sys.stdin)]))
