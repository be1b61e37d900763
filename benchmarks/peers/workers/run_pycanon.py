"""pycanon's k-anonymity and l-diversity of tables on standard input: their files and attributes' roles."""

import json
import sys

import pandas as pd
from pycanon import anonymity

found = []
for case in json.load(sys.stdin):
    table = pd.read_csv(case["file"], dtype=str, keep_default_na=False)  # a missing value is a value
    quasi, sensitive = case["quasi"], [case["sensitive"]]
    found.append(
        {
            "k": int(anonymity.k_anonymity(table, quasi)),
            "l": int(anonymity.l_diversity(table, quasi, sensitive)),
            "rows": len(table),
        }
    )
print(json.dumps(found))
