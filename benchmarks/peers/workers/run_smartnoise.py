"""A synthesizer of smartnoise-synth, as installed."""

import pandas as pd
from job import names_of, run
from snsynth import Synthesizer


def fit_and_sample(codes, sizes, job):
    names = names_of(sizes)
    frame = pd.DataFrame(codes, columns=names)
    synthesizer = Synthesizer.create(job["mechanism"], epsilon=job["epsilon"], delta=job["delta"])
    synthesizer.fit(frame, preprocessor_eps=0.0, categorical_columns=names)
    return synthesizer.sample(len(frame))[names].to_numpy()


run(fit_and_sample)
