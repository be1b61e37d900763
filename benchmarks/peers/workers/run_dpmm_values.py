"""A pipeline of dpmm over values: it bins the numbers for itself with private trees, inside declared bounds.

A tenth of epsilon pays for the trees, so that the pipeline's true total is epsilon.
"""

import numpy as np
import pandas as pd
from dpmm import pipelines
from job import names_of, run

FOR_BINS = 0.1


def fit_and_sample(values, sizes, job):
    names = names_of(sizes)
    columns, domain = {}, {}
    for i, (name, size) in enumerate(zip(names, sizes, strict=True)):
        if size:
            columns[name] = pd.Categorical(values[:, i].astype(int), categories=range(size))
            domain[name] = {"categories": list(range(size))}
        else:
            low, high = job["bounds"][i]
            columns[name] = values[:, i]
            domain[name] = {"lower": low, "upper": high}
    frame = pd.DataFrame(columns)
    options = {key: job[key] for key in ("max_model_size", "gen_kwargs") if key in job}
    pipeline = getattr(pipelines, job["pipeline"])(
        epsilon=(1 - FOR_BINS) * job["epsilon"],
        proc_epsilon=FOR_BINS * job["epsilon"],
        delta=job["delta"],
        **options,
    )
    pipeline.fit(frame, domain=domain, random_state=job["seed"])
    drawn = pipeline.generate(n_records=len(frame), random_state=job["seed"])[names]
    return np.column_stack([drawn[name].astype(float) for name in names])


run(fit_and_sample)
