"""What SDNist's k-marginal metric says of two tables of codes: one JSON line of name and value."""

import json
import sys

import pandas as pd
import sdnist.report  # noqa: F401 - before the metric, which it imports in a circle
from sdnist.metrics.kmarginal import KMarginal

job = json.loads(sys.argv[1])
real, synthetic = (pd.read_csv(job[name]) for name in ("real_codes", "synthetic_codes"))
print(json.dumps({"k-marginal score, k = 2": float(KMarginal(real, synthetic).compute_score())}))
