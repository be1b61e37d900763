"""What syntheval says of one table: one JSON line of name and value."""

import json
import sys

import numpy as np
import pandas as pd
from syntheval.metrics.utility.metric_kolmogorov_smirnov import _total_variation_distance
from syntheval.metrics.utility.metric_mixed_correlation import _correlation_ratio, _cramers_V

job = json.loads(sys.argv[1])
real, synthetic = (pd.read_csv(job[name], keep_default_na=False) for name in ("real", "synthetic"))
groups, numbers = real[job["nominal"][0]], real[job["number"]]
first = job["pair"][0]
print(
    json.dumps(
        {
            # Its functions give the squares.
            "Cramer's V": float(np.sqrt(_cramers_V(*(real[name] for name in job["nominal"])))),
            "correlation ratio": float(
                np.sqrt(_correlation_ratio(groups.to_numpy(), numbers.to_numpy(float)))
            ),
            "one-way error": float(_total_variation_distance(real[first], synthetic[first])),
        }
    )
)
