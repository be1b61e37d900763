"""The method in scikit-learn's manner."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.errors import PlanError
from hmpb_core.model import Model
from hmpb_core.planning.bill import Bill
from hmpb_core.planning.methods import DEFAULT_METHOD, MeasureChoice
from hmpb_core.planning.options import OPTIONS, guarantee_of
from hmpb_core.planning.plan import DEFAULT_SIGMA
from hmpb_core.privacy.budget import Shares
from hmpb_core.replication import replicates
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, plan_of_options

__all__ = ["HMPrivBayes", "as_codebook", "guarantee_of"]


@dataclass(kw_only=True)
class HMPrivBayes:
    """Differentially private synthetic tables.

    Parameters have the meaning of ``hmpb synthesize``'s options; what is left None follows the
    public rules. ``fit`` leaves the fitted values in attributes that end in an underscore.

    Attributes:
        epsilon: Bound on the privacy loss.
        delta: Probability with which the bound may fail; leave it None for the guarantee ``pure``.
        guarantee: ``zcdp`` or ``pure``; None means ``zcdp``, or ``pure`` for the accounting ``as-published``.
        neighbors: ``replace-one`` or ``add-remove``.
        accounting: ``sound`` or ``as-published``.
        method: A name of ``planning.methods.METHOD_NAMES``.
        learner: ``adaptive`` or ``ibayes``; None for the method's usual one.
        encoding: ``codes`` or ``bits``; None for what the method says.
        similarity: ``auto``, ``mic``, ``mi`` or ``tvd``; ``auto`` where the method measures none.
        n_clusters: k.
        max_parents: l.
        eta: Pruning of candidate pairs.
        sigma: Width of the affinity of the spectral clustering.
        gamma: Strength of the risk weights.
        shares: Each stage's part of the budget, as text or ``Shares``.
        target: The class, for a method that is built around one.
        rows_per_person: Largest number of rows of one person.
        seed: Makes a run repeatable, and its output not releasable.

    Example:
        >>> import pandas as pd
        >>> codebook = {"fields": [{"name": "smokes", "categories": ["no", "yes"]},
        ...                        {"name": "coughs", "categories": ["no", "yes"]}]}
        >>> frame = pd.DataFrame({"smokes": ["no", "yes"] * 500, "coughs": ["no", "yes"] * 500})
        >>> model = HMPrivBayes(epsilon=1.0, delta=1e-9, n_clusters=1).fit(frame, codebook)
        >>> model.sample(10).shape
        (10, 2)
    """

    epsilon: float = 1.0
    delta: float | None = None
    guarantee: str | None = None
    neighbors: str = "replace-one"
    accounting: str = "sound"
    method: str = DEFAULT_METHOD
    learner: str | None = None
    encoding: str | None = None
    similarity: MeasureChoice = "auto"
    n_clusters: int | None = None
    max_parents: int | None = None
    eta: float | None = None
    sigma: float = DEFAULT_SIGMA
    gamma: float = 1.0
    shares: Shares | str | None = None
    target: str | None = None
    rows_per_person: int = 1
    seed: int | None = None

    def fit(
        self, frame: pd.DataFrame, codebook: Codebook | dict[str, Any] | str | os.PathLike[str]
    ) -> HMPrivBayes:
        """Learn from a private table.

        Args:
            frame: The table.
            codebook: The public codebook: an object, a Table Schema, or a JSON file's path.

        Raises:
            InputError: a parameter, the codebook or the table cannot be used.
        """
        book = as_codebook(codebook)
        given = {entry.name: getattr(self, entry.parameter) for entry in OPTIONS if entry.parameter}
        plan = plan_of_options(given, book.domain, n_rows=len(frame))
        plan = replace(plan, rows_per_person=self.rows_per_person)
        self.codebook_: Codebook = book
        self.model_: Model = fit_source(open_source(frame, book), plan, seed=self.seed)
        names = self.model_.names
        self.similarity_: NDArray[np.float64] | None = (
            self.model_.similarity.values if self.model_.similarity else None
        )
        self.clusters_: list[list[str]] = [[names[a] for a in c] for c in self.model_.clustering.clusters]
        self.networks_: list[list[dict[str, Any]]] = self.model_.to_dict()["networks"]
        self.weights_: dict[str, dict[str, float]] = self.model_.to_dict()["weights"]
        self.bill_: Bill = self.model_.bill
        return self

    def sample(self, n_rows: int | None = None, *, rng: np.random.Generator | None = None) -> pd.DataFrame:
        """Draw synthetic rows. Free: costs nothing however often it is called.

        Args:
            n_rows: Rows to draw; as many as the table had where it is None.
            rng: Draws them; a fresh generator (or one of the seed) where it is None.

        Raises:
            PlanError: ``fit`` has not run.
        """
        if not hasattr(self, "model_"):
            raise PlanError("There is no model yet; call fit(frame, codebook) first.")
        if n_rows is not None and n_rows < 1:
            raise PlanError("rows is {rows}; ask for at least 1.", rows=n_rows)
        return self.model_.sample(n_rows, rng=rng or np.random.default_rng(self.seed))

    def replicates(
        self, count: int = 20, n_rows: int | None = None, *, rng: np.random.Generator | None = None
    ) -> list[pd.DataFrame]:
        """Draw tables that differ as releases of the same plan would, for ``combine``. Free.

        Args:
            count: How many.
            n_rows: Rows of each; as many as the table had where it is None.
            rng: Draws them.

        Raises:
            PlanError: ``fit`` has not run, or count is not allowed.
        """
        if not hasattr(self, "model_"):
            raise PlanError("There is no model yet; call fit(frame, codebook) first.")
        rng = rng or np.random.default_rng(self.seed)
        return list(replicates(self.model_, self.codebook_, count, rows=n_rows, rng=rng))

    def fit_sample(self, frame: pd.DataFrame, codebook: Codebook | dict[str, Any] | str) -> pd.DataFrame:
        """Fit, then draw as many rows as the table has."""
        return self.fit(frame, codebook).sample()


def as_codebook(codebook: Codebook | dict[str, Any] | str | os.PathLike[str]) -> Codebook:
    """Read a codebook in whatever form it comes."""
    if isinstance(codebook, Codebook):
        return codebook
    return Codebook.from_dict(codebook) if isinstance(codebook, dict) else Codebook.read(codebook)
