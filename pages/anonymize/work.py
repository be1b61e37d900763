"""The work of the page Anonymize."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from hmpb_core.anonymize.anonymizer import Anonymized, Request, anonymize
from hmpb_core.codebook import Codebook
from hmpb_core.progress import Progress


def anonymize_work(
    frame: pd.DataFrame, codebook: Codebook, request: Request
) -> Callable[[Progress], tuple[Request, Anonymized]]:
    """Give the work: the request and the verified table it gave."""

    def work(progress: Progress) -> tuple[Request, Anonymized]:
        progress(0.0, "reading")
        return request, anonymize(frame, codebook, request, rng=np.random.default_rng(), progress=progress)

    return work
