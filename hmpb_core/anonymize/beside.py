"""Micro-aggregation on a public table, measured by what methods under differential privacy are measured by.

For demos and simulated tables only: the figures are exact, and choosing by those of a private table leaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from hmpb_core.anonymize.anonymizer import Request, anonymize
from hmpb_core.anonymize.partition import Method
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Codes
from hmpb_core.encoding import encode
from hmpb_core.errors import PlanError
from hmpb_core.metrics.runs import Failed, Runs, attempted, measured, naming
from hmpb_core.progress import Progress, part_of, silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregated(Runs):
    """What a method of micro-aggregation gave.

    Attributes:
        request: Method, k, p and the attributes' roles: no guarantee of differential privacy.
    """

    request: Request


def requests_of(codes: Codes, codebook: Codebook, *, k: int, p: int, sensitive: str) -> list[Request]:
    """One request a method: every attribute but the sensitive one is a quasi-identifier.

    So that the published table has all attributes, as a synthetic one has.

    Args:
        codes: Codes of the table.
        codebook: Its codebook.
        k: Smallest number of rows of a class.
        p: Smallest number of different sensitive values of a class.
        sensitive: The sensitive attribute; where it has fewer values than p, or is unknown, the list with the
            most different values, or where no list has enough, any attribute.

    Raises:
        PlanError: no attribute has p different values.
    """
    names = codebook.domain.names
    n_values = {name: len(np.unique(codes[:, i])) for i, name in enumerate(names)}
    if n_values.get(sensitive, 0) < p:
        lists = [a.name for a in codebook.domain.attributes if isinstance(a, Categorical)]
        rich = [name for name in lists if n_values[name] >= p]
        sensitive = max(rich or names, key=lambda name: n_values[name])
    if n_values[sensitive] < p or len(codes) < k:
        raise PlanError(
            "No attribute of this table has {p} different values, or it has fewer than {k} rows; lower p, k.",
            p=p,
            k=k,
        )
    quasi = tuple(name for name in names if name != sensitive)
    return [Request(method=method, k=k, p=p, quasi=quasi, sensitive=sensitive) for method in Method]


def aggregate(
    frame: pd.DataFrame,
    codebook: Codebook,
    requests: Sequence[Request],
    *,
    repeats: int,
    progress: Progress = silent,
) -> Iterator[Aggregated | Failed]:
    """Run every request a few times on a public table, and give what each gave as soon as it is there.

    Args:
        frame: The public table.
        codebook: Its codebook.
        requests: What is asked for; together sensitive attribute and quasi-identifiers are all attributes.
        repeats: Runs of each, under the seeds 0, 1, ...
        progress: Told the part of the time that is over, and the method; may raise ``CancelledError``.
    """
    codes = encode(frame, codebook)
    for place, request in enumerate(requests):
        label = request.method.value
        told = naming(label, part_of(progress, place / len(requests), (place + 1) / len(requests)))
        run = partial(_aggregated, frame, codes, codebook, request, repeats=repeats, progress=told)
        yield attempted(label, run)


def _aggregated(
    frame: pd.DataFrame,
    codes: Codes,
    codebook: Codebook,
    request: Request,
    *,
    repeats: int,
    progress: Progress,
) -> Aggregated:
    def draw(turn: int, told: Progress) -> pd.DataFrame:
        return anonymize(frame, codebook, request, rng=np.random.default_rng(turn), progress=told).table

    found = measured(draw, codes, codebook, repeats=repeats, progress=progress)
    return Aggregated(request=request, pairs=found.pairs, triples=found.triples, seconds=found.seconds)
