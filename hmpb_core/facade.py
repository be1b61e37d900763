"""The method in scikit-learn's manner."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import named_by_texts, require_single_values
from hmpb_core.errors import InputError, PlanError, SourceError
from hmpb_core.kept.suggested import guessed_rules
from hmpb_core.model import Model
from hmpb_core.planning.bill import Bill
from hmpb_core.planning.methods import DEFAULT_METHOD, MeasureChoice
from hmpb_core.planning.options import OPTIONS, guarantee_of
from hmpb_core.planning.plan import DEFAULT_SIGMA
from hmpb_core.privacy.budget import Shares
from hmpb_core.replication import replicates
from hmpb_core.several_answers import together
from hmpb_core.sources.drafting import draft_from_header, draft_from_rows
from hmpb_core.sources.drafting.several_answers import with_answers_apart
from hmpb_core.sources.open import open_source
from hmpb_core.synthesis import fit_source, plan_of_options
from hmpb_core.texts import text_of

__all__ = ["HMPrivBayes", "as_codebook", "draft_codebook", "guarantee_of"]


@dataclass(kw_only=True)
class HMPrivBayes:
    """Differentially private synthetic tables.

    Parameters have the meaning of ``hmpb synthesize``'s options; what is left None follows the
    public rules. ``fit`` leaves the fitted values in attributes that end in an underscore.

    Attributes:
        epsilon: Bound on the privacy loss.
        delta: Probability with which the bound may fail; None means 1e-9, and 0 for the guarantee ``pure``.
        guarantee: ``zcdp`` or ``pure``; None means ``zcdp``, or ``pure`` for the accounting ``as-published``.
        neighbors: ``replace-one`` or ``add-remove``.
        accounting: ``sound`` or ``as-published``.
        method: A name of ``planning.methods.METHOD_NAMES``.
        learner: ``adaptive``, ``ibayes`` or ``additive``; None for the method's usual one.
        encoding: ``codes`` or ``bits``; None for what the method says.
        similarity: ``auto``, ``mic``, ``mi`` or ``tvd``; ``auto`` where the method measures none.
        n_clusters: Number of clusters (k).
        max_parents: Largest number of parents of an attribute (l).
        eta: Pruning of candidate pairs, 0 to 1.
        sigma: Width of the affinity of the spectral clustering.
        gamma: Strength of the risk weights; 0 for uniform noise.
        shares: Each stage's part of the budget, as ``Shares`` or as text: ``one-way=0.4,similarity=0.1``.
        target: The attribute whose pairs matter most, where the method favours one; the class, for a method
            that is built around one.
        rows_per_person: How many rows one person has in the table at most. It is taken on your word, and no
            row is left out: ``open_source`` with a ``Unit`` leaves surplus rows out.
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

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by their names, as ``sklearn.base.clone`` and sweeps over plans ask for them.

        Args:
            deep: Without effect: no parameter has parameters of its own.
        """
        return {parameter.name: getattr(self, parameter.name) for parameter in fields(self)}

    def set_params(self, **params: Any) -> HMPrivBayes:
        """Set parameters; what was fitted stays until ``fit`` is called again.

        Raises:
            PlanError: there is no such parameter.
        """
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise PlanError(
                    "There is no parameter {name!r}; choose one of {allowed}.",
                    name=name,
                    allowed=", ".join(known),
                )
            setattr(self, name, value)
        return self

    def fit(
        self, frame: pd.DataFrame, codebook: Codebook | dict[str, Any] | str | os.PathLike[str] | None = None
    ) -> HMPrivBayes:
        """Learn from a private table.

        Args:
            frame: The table; names of columns that are no texts, such as numbers, are taken as texts.
                Times with a zone are those of Greenwich, days too: take the zone off a column of days.
            codebook: The public codebook: an object, a Table Schema, or a JSON file's path. There is no
                default: without one this raises.

        Raises:
            InputError: a parameter, the codebook or the table cannot be used.
        """
        table = _table(frame)
        book = as_codebook(codebook)
        given = {entry.name: _plain(getattr(self, entry.parameter)) for entry in OPTIONS if entry.parameter}
        seed = self._checked_seed()
        plan = plan_of_options(given, book.domain, n_rows=len(table))
        plan = replace(plan, rows_per_person=_plain(self.rows_per_person))
        self.codebook_: Codebook = book
        self.model_: Model = fit_source(open_source(table, book), plan, seed=seed)
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

        Columns come in the codebook's order, with its types and not those of the table that was fitted:
        categories, dates and times are texts (a time has no time zone), numbers are ``Float64``, whole ones
        ``Int64``, truth values ``boolean``.

        Args:
            n_rows: Rows to draw; as many as the table had where it is None.
            rng: Draws them; a fresh generator where it is None. With a ``seed`` it is one of the seed each
                time, so every draw gives the same rows; give a generator of your own to have others.

        Raises:
            PlanError: ``fit`` has not run, or an argument is not allowed.
        """
        if not hasattr(self, "model_"):
            raise PlanError("There is no model yet; call fit(frame, codebook) first.")
        rows = self.model_.sample(_rows(n_rows), rng=self._generator(rng))
        return together(rows, self.codebook_.answers)

    def replicates(
        self, count: int = 20, n_rows: int | None = None, *, rng: np.random.Generator | None = None
    ) -> list[pd.DataFrame]:
        """Draw tables that differ as releases of the same plan would, for ``combine``. Free.

        Args:
            count: How many.
            n_rows: Rows of each; as many as the table had where it is None.
            rng: Draws them.

        Raises:
            PlanError: ``fit`` has not run, or an argument is not allowed.
        """
        if not hasattr(self, "model_"):
            raise PlanError("There is no model yet; call fit(frame, codebook) first.")
        if not _is_whole(count):
            raise PlanError(
                "The number of replicates is of the type {kind}; ask for a whole number, such as 20.",
                kind=type(count).__name__,
            )
        drawn = replicates(
            self.model_, self.codebook_, int(count), rows=_rows(n_rows), rng=self._generator(rng)
        )
        return [together(rows, self.codebook_.answers) for rows in drawn]

    def fit_sample(
        self, frame: pd.DataFrame, codebook: Codebook | dict[str, Any] | str | os.PathLike[str] | None = None
    ) -> pd.DataFrame:
        """Fit, then draw as many rows as the table has."""
        return self.fit(frame, codebook).sample()

    def _generator(self, rng: np.random.Generator | None) -> np.random.Generator:
        if rng is None:
            return np.random.default_rng(self._checked_seed())
        if not isinstance(rng, np.random.Generator):
            raise PlanError(
                "rng is of the type {kind}; give a generator, such as numpy.random.default_rng().",
                kind=type(rng).__name__,
            )
        return rng

    def _checked_seed(self) -> int | None:
        if self.seed is None:
            return None
        if not _is_whole(self.seed):
            raise PlanError(
                "The seed is of the type {kind}; give a whole number from 0, or None for a run whose rows "
                "may be released.",
                kind=type(self.seed).__name__,
            )
        if self.seed < 0:
            raise PlanError("The seed is {seed}; give a whole number from 0.", seed=int(self.seed))
        return int(self.seed)


def draft_codebook(frame: pd.DataFrame, *, guess: bool = False, rules: bool = False) -> dict[str, Any]:
    """Draft the codebook of a table, as ``hmpb codebook`` does for a file.

    Without ``guess`` nothing is read off the rows: public vocabularies fit columns by their names alone, and
    the other entries are to be written before the codebook can be used. With it the draft fits its table,
    to try things out: what was read off the rows is marked, and nothing drawn with it may be released until
    somebody declares it from public knowledge.

    Args:
        frame: The private table.
        guess: Read what is open off the rows, each marked as a guess.
        rules: With ``guess``, also the public rules that every row keeps, each marked as a guess.

    Returns:
        The codebook as it is written, for ``HMPrivBayes.fit`` or a JSON file. With guesses it is private.

    Raises:
        InputError: rules are asked for without guesses.
        SourceError: it is no table with one name a column and one value a cell.
    """
    table = _table(frame)
    if not guess:
        if rules:
            raise InputError("Rules are read off the rows; give guess=True as well, or leave rules out.")
        return draft_from_header(list(table.columns))
    require_single_values(table)
    schema = with_answers_apart(draft_from_rows(table, _levels(table)), table)
    guessed = guessed_rules(table, schema).value if rules else ()
    return schema | ({"rules": list(guessed)} if guessed else {})


def as_codebook(codebook: Codebook | dict[str, Any] | str | os.PathLike[str] | None) -> Codebook:
    """Read a codebook in whatever form it comes.

    Raises:
        InputError: it is none.
    """
    if isinstance(codebook, Codebook):
        return codebook
    if isinstance(codebook, dict):
        return Codebook.from_dict(codebook)
    if isinstance(codebook, str | os.PathLike):
        return Codebook.read(codebook)
    if codebook is None:
        raise InputError(
            "There is no codebook; give one as well, fit(frame, codebook). draft_codebook(frame, guess=True) "
            "drafts one to try out."
        )
    raise InputError(
        "The codebook is of the type {kind}; give a dictionary with a list of 'fields', the path of a JSON "
        "file, or a Codebook.",
        kind=type(codebook).__name__,
    )


def _table(frame: object) -> pd.DataFrame:
    """Give the table with its columns named by texts, as a codebook names them."""
    if not isinstance(frame, pd.DataFrame):
        raise SourceError(
            "The table is of the type {kind}; give a pandas DataFrame, such as read_table makes of a file.",
            kind=type(frame).__name__,
        )
    if frame.columns.nlevels > 1:
        raise SourceError(
            "The names of the table's columns have {levels} levels; give each column one name.",
            levels=frame.columns.nlevels,
        )
    if len(frame) == 0:
        raise SourceError("The table has no rows; there is nothing to publish. Check the file.")
    return named_by_texts(frame)


def _levels(table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The order of ordered columns, as an ordered column of a Parquet file has it."""
    return {
        str(name): {"levels": [text_of(level) for level in column.cat.categories]}
        for name, column in table.items()
        if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered
    }


def _rows(wanted: object) -> int | None:
    if wanted is None:
        return None
    if not _is_whole(wanted):
        raise PlanError(
            "The number of rows is of the type {kind}; ask for a whole number, such as 1000.",
            kind=type(wanted).__name__,
        )
    if wanted < 1:
        raise PlanError("rows is {rows}; ask for at least 1.", rows=int(wanted))
    return int(wanted)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Python's own number of one of NumPy's."""
    return value.item() if isinstance(value, np.generic) else value
