"""HMPrivBayes and its own baseline, on the given codes."""

import numpy as np
from job import run

from hmpb_core.domain import Categorical, Domain
from hmpb_core.facade import guarantee_of
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan


def fit_and_sample(codes, sizes, job):
    domain = Domain(
        tuple(
            Categorical(name=f"c{i}", categories=tuple(range(size)), ordered=ordered)
            for i, (size, ordered) in enumerate(zip(sizes, job["ordered"], strict=True))
        )
    )
    guarantee = guarantee_of("zcdp", job["epsilon"], job["delta"], job.get("neighbors", "add-remove"))
    plan = make_plan(guarantee, domain, n_rows=len(codes), method=job.get("method", "hmprivbayes"))
    model = fit_source(MemorySource(codes, domain), plan, seed=job["seed"])
    return model.sample_codes(len(codes), rng=np.random.default_rng(job["seed"]))


run(fit_and_sample)
