"""What sdmetrics says of two tables: one JSON line of name and value."""

import json
import sys

import pandas as pd
from sdmetrics.column_pairs import ContingencySimilarity
from sdmetrics.single_column import (
    BoundaryAdherence,
    KSComplement,
    MissingValueSimilarity,
    TVComplement,
)

job = json.loads(sys.argv[1])
real, synthetic = (pd.read_csv(job[name], keep_default_na=False) for name in ("real", "synthetic"))
numbers = [pd.to_numeric(table[job["number"]], errors="coerce") for table in (real, synthetic)]
categories = [table[job["category"]].replace("", None) for table in (real, synthetic)]
pair = [table[job["pair"]] for table in (real, synthetic)]
inside = numbers[0].between(job["minimum"], job["maximum"])
print(
    json.dumps(
        {
            "one-way error": 1 - TVComplement.compute(real[job["pair"][0]], synthetic[job["pair"][0]]),
            "two-way error": 1 - ContingencySimilarity.compute(*pair),
            "KS": 1 - KSComplement.compute(*numbers),
            "missing, difference of shares": 1 - MissingValueSimilarity.compute(*categories),
            # The score is the share of values within the bounds of the first table.
            "values cut off by the range": 1 - BoundaryAdherence.compute(numbers[0][inside], numbers[0]),
        }
    )
)
