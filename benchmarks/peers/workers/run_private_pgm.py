"""MST of a private-pgm checkout (its scripts are not a package)."""

import sys
from pathlib import Path

import pandas as pd
from job import names_of, run


def fit_and_sample(codes, sizes, job):
    checkout = Path(job["checkout"])
    sys.path[:0] = [str(checkout / "src"), str(checkout / "mechanisms")]
    from mbi import Dataset, Domain
    from mst import MST

    names = names_of(sizes)
    data = Dataset(pd.DataFrame(codes, columns=names), Domain(names, sizes))
    return MST(data, job["epsilon"], job["delta"]).df[names].to_numpy()


run(fit_and_sample)
