"""Which similarity is measured where a plan leaves it to the public rule."""

from __future__ import annotations

from hmpb_core.domain import Domain
from hmpb_core.planning.methods import MeasureChoice
from hmpb_core.privacy.guarantee import Neighbors
from hmpb_core.stages.similarity import Measure, similarity_sensitivity


def choose_measure(
    choice: MeasureChoice, *, n_rows: int | None, domain: Domain, neighbors: Neighbors
) -> Measure:
    """Resolve ``auto`` by a public formula: the measure whose sensitivity is smaller.

    At one loss the noise of either measure is its sensitivity times the same factor, and
    both live on [0, 1]; so the smaller sensitivity gives the clearer matrix. Under
    add-remove neighbours only TVD has a proven sensitivity.

    Args:
        choice: What the plan says.
        n_rows: Number of rows where it is public, else None.
        domain: The attributes.
        neighbors: The neighbour relation.
    """
    if choice != "auto":
        return choice
    if neighbors is not Neighbors.REPLACE_ONE or n_rows is None or n_rows < 2:
        return "tvd"
    mic, tvd = (
        similarity_sensitivity(measure, domain, neighbors, n_rows=n_rows, total=n_rows)
        for measure in ("mic", "tvd")
    )
    return "mic" if mic < tvd else "tvd"
