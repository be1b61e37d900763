"""A pipeline of dpmm, with its defaults but for the options given."""

import pandas as pd
from dpmm import pipelines
from job import names_of, run


def fit_and_sample(codes, sizes, job):
    names = names_of(sizes)
    frame = pd.DataFrame(
        {name: pd.Categorical(codes[:, i], categories=range(sizes[i])) for i, name in enumerate(names)}
    )
    options = {key: job[key] for key in ("max_model_size", "gen_kwargs") if key in job}
    pipeline = getattr(pipelines, job["pipeline"])(epsilon=job["epsilon"], delta=job["delta"], **options)
    domain = {name: {"categories": list(range(size))} for name, size in zip(names, sizes, strict=True)}
    pipeline.fit(frame, domain=domain, random_state=job["seed"])
    return pipeline.generate(n_records=len(frame), random_state=job["seed"])[names].astype(int).to_numpy()


run(fit_and_sample)
