"""One run of a method, as the experiments make it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from hmpb_core.domain import Codes, Domain
from hmpb_core.errors import Sentence
from hmpb_core.experiments.data import GIVEN, PAPER_ADULT, PAPER_BIG5
from hmpb_core.facade import guarantee_of
from hmpb_core.model import Model
from hmpb_core.planning.methods import Accounting, accountings_of
from hmpb_core.progress import Progress, silent
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

EPSILON = 0.2
"""Where epsilon is not what varies [Zhang2022, section 4.3]."""
TITLES = {
    "hmprivbayes": "HMPrivBayes",
    "privscbn": "PrivSCBN",
    "privbayes": "PrivBayes",
    "jtree": "JTree",
    "noprivacy": "NoPrivacy",
}
"""The paper's methods, in its order."""
TABLES = {PAPER_ADULT: "Adult", PAPER_BIG5: "Big5", GIVEN: Sentence("the loaded table")}
"""What the tables are called."""
VARIANTS = {
    "published": Sentence("as published, on bits"),
    "sound": Sentence("sound, on the codebook's values (zcdp)"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a run gave.

    Attributes:
        model: The model.
        codes: As many synthetic rows as the table has.
        seconds: CPU seconds of fit and sample.
    """

    model: Model
    codes: Codes = field(repr=False)
    seconds: float


def run_method(
    method: str,
    variant: str,
    epsilon: float,
    codes: Codes,
    domain: Domain,
    *,
    seed: int,
    max_parents: int | None = None,
    progress: Progress = silent,
) -> Run:
    """Fit a method and draw as many rows as it saw, under a seed.

    ``published`` is the paper's accounting on bits; a method whose published form is not there (JTree's is
    not private at any epsilon [Lyu2017]) runs soundly, in the currency pure, so that it carries the same
    epsilon. ``sound`` is the sound accounting on the codebook's values.

    Args:
        method: A name of ``planning/methods.py``.
        variant: ``published`` or ``sound``.
        epsilon: The nominal epsilon.
        codes: The private rows.
        domain: Their domain.
        seed: Makes it repeatable.
        max_parents: l; None for the method's own.
        progress: Told where the work is; may raise ``CancelledError``.
    """
    letter = variant == "published" and Accounting.AS_PUBLISHED in accountings_of(method)
    plan = make_plan(
        guarantee_of("pure" if variant == "published" else "zcdp", epsilon, None, "replace-one"),
        domain,
        n_rows=len(codes),
        method=method,
        accounting=Accounting.AS_PUBLISHED if letter else Accounting.SOUND,
        max_parents=max_parents,
    )
    before = time.process_time()
    model = fit_source(MemorySource(codes, domain), plan, seed=seed, progress=progress)
    drawn = model.sample_codes(len(codes), rng=np.random.default_rng(seed))
    return Run(model=model, codes=drawn, seconds=time.process_time() - before)


def number(value: float | None, digits: int = 3) -> str:
    """A figure for a sentence; a dash where there is none. A little is not written as nothing."""
    if value is None or np.isnan(value):
        return "-"
    least = 10**-digits
    return f"< {least:.{digits}f}" if 0 < value < least / 2 else f"{value:.{digits}f}"
