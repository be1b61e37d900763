"""A table in, a verified p-sensitive k-anonymous table out.

This is not differential privacy: no noise is added, no budget is spent, and what the table gives away
depends on what its readers know already (docs/methods/maasae.md).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hmpb_core.anonymize.columns import Column, column_of, sensitive_codes, sensitive_values
from hmpb_core.anonymize.measure import Integers
from hmpb_core.anonymize.partition import Method, Rows, check_possible, partition
from hmpb_core.anonymize.quality import ClassFigures, Figures, class_figures, summarize
from hmpb_core.codebook import Codebook
from hmpb_core.domain import Categorical, Domain
from hmpb_core.errors import NotPrivateError, PlanError
from hmpb_core.progress import Progress, silent
from hmpb_core.several_answers import apart

GUARANTEE = "p-sensitive k-anonymity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for.

    Attributes:
        method: How classes are grown.
        k: Smallest number of rows of a class.
        p: Smallest number of different sensitive values of a class.
        quasi: Names of the quasi-identifiers: what somebody may know of a person from elsewhere.
        sensitive: Name of the attribute that nobody is to learn of a person.
    """

    method: Method = Method.MAASAE
    k: int
    p: int
    quasi: tuple[str, ...]
    sensitive: str

    def __post_init__(self) -> None:
        if not self.quasi:
            raise PlanError(
                "No quasi-identifier is named; name what may be known of a person from elsewhere."
            )
        for name in self.quasi:
            if self.quasi.count(name) > 1:
                raise PlanError("{name!r} is named twice as a quasi-identifier; name it once.", name=name)
        if self.sensitive in self.quasi:
            raise PlanError(
                "{name!r} is both a quasi-identifier and the sensitive attribute; choose one of the two.",
                name=self.sensitive,
            )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Anonymized:
    """A published table, and what its steward may look at beside it.

    Attributes:
        table: What is published: the quasi-identifiers as their class's centroid, and the sensitive
            attribute as the codebook reads it. Rows are in random order.
        figures: All classes together.
        classes: The figures of each class.
        members: Row numbers of the original table, class by class. The steward's alone.
        columns: The quasi-identifiers as they were read. The steward's alone.
        seconds: How long it took.
    """

    table: pd.DataFrame
    figures: Figures
    classes: tuple[ClassFigures, ...]
    members: tuple[tuple[int, ...], ...]
    columns: tuple[Column, ...]
    seconds: float

    def group_sizes_before(self) -> NDArray[np.int64]:
        """For each row of the original table, how many rows had its quasi-identifiers; shape (rows,)."""
        codes = np.stack([column.codes for column in self.columns], axis=1)
        _, alike, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        sizes: NDArray[np.int64] = counts[alike.reshape(-1)].astype(np.int64)
        return sizes

    def before_and_after(self, number: int) -> pd.DataFrame:
        """The quasi-identifiers of a class's rows, and, in the last row, what replaces them."""
        rows = list(self.members[number])
        shown = {
            column.name: [column.shown(code) for code in column.codes[rows].tolist()]
            + [column.published(column.codes[rows])]
            for column in self.columns
        }
        index = pd.Index([*(str(i + 1) for i in range(len(rows))), "published"])
        return pd.DataFrame(shown, dtype=object, index=index)


def anonymize(
    frame: pd.DataFrame,
    codebook: Codebook,
    request: Request,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Anonymized:
    """Publish a table by micro-aggregation.

    Columns that are neither quasi-identifier nor sensitive are left out. What comes back has been
    verified: every combination of published quasi-identifiers has at least k rows and p sensitive values.

    Args:
        frame: The table; values may be texts or typed.
        codebook: Its codebook; the kinds of the attributes follow it (``columns``).
        request: The method, k, p and the attributes' roles.
        rng: Draws first rows of classes, and the order of what is published.
        progress: Called with the part done; may raise ``CancelledError``.

    Raises:
        PlanError: k and p are impossible, before any work is done.
        SourceError: a column is absent or does not fit the codebook.
        DomainError: an attribute is not declared, or its hierarchy is unusable.
        NotPrivateError: the published table is not p-sensitive k-anonymous; nothing is given back.
    """
    start = time.perf_counter()
    frame = apart(frame, codebook.answers)
    sensitive = check_request(frame, codebook, request)
    columns = tuple(column_of(frame, codebook, name) for name in request.quasi)
    table = rows_of(columns, sensitive)
    grown = table
    if request.method is Method.GPKC:
        grown = replace(table, measures=tuple(column.generalized for column in columns))
    members = partition(grown, k=request.k, p=request.p, method=request.method, rng=rng, progress=progress)
    classes = tuple(class_figures(table, rows) for rows in members)
    values = pd.Series(sensitive_values(frame, codebook, request.sensitive), dtype=object)
    published = _published(values, columns, members, request.sensitive, rng)
    published = published.apply(lambda column: _typed(column, codebook.domain))
    verify(published, request)
    return Anonymized(
        table=published,
        figures=summarize(classes, k=request.k),
        classes=classes,
        members=tuple(tuple(rows) for rows in members),
        columns=columns,
        seconds=time.perf_counter() - start,
    )


def check_request(frame: pd.DataFrame, codebook: Codebook, request: Request) -> Integers:
    """Refuse k and p that this table cannot have, before any work is done.

    Returns:
        Codes of the sensitive attribute.

    Raises:
        PlanError: k and p are impossible.
        SourceError: the sensitive column is absent or does not fit the codebook.
        DomainError: it is not declared.
    """
    sensitive = sensitive_codes(frame, codebook, request.sensitive)
    check_possible(sensitive, k=request.k, p=request.p)
    return sensitive


def rows_of(columns: Sequence[Column], sensitive: np.ndarray) -> Rows:
    """The table as the search sees it."""
    return Rows(
        codes=np.stack([column.codes for column in columns], axis=1),
        sensitive=sensitive,
        measures=tuple(column.measure for column in columns),
    )


def verify(table: pd.DataFrame, request: Request) -> None:
    """Check a published table by itself: k rows and p sensitive values in every combination.

    Raises:
        NotPrivateError: a combination has fewer.
    """
    groups = table.groupby(list(request.quasi), dropna=False, sort=False, observed=True)[request.sensitive]
    if groups.size().min() < request.k or groups.nunique(dropna=False).min() < request.p:
        raise NotPrivateError(
            "The result is not {p}-sensitive {k}-anonymous and is not given out; please report this.",
            k=request.k,
            p=request.p,
        )


def _published(
    sensitive: pd.Series,
    columns: Sequence[Column],
    members: Sequence[Sequence[int]],
    name: str,
    rng: np.random.Generator,
) -> pd.DataFrame:
    rows = np.concatenate([np.asarray(group, dtype=np.int64) for group in members])
    sizes = [len(group) for group in members]
    # The order of the rows would tell which person is which to whoever has the original's order.
    order = rng.permutation(len(rows))
    data: dict[str, pd.Series] = {}
    for column in columns:
        centroids = pd.Series(
            [column.published(column.codes[list(group)]) for group in members], dtype=object
        )
        values = centroids.repeat(sizes).reset_index(drop=True).iloc[order].reset_index(drop=True)
        data[column.name] = values
    data[name] = sensitive.iloc[rows[order]].reset_index(drop=True)
    return pd.DataFrame(data)


def _typed(values: pd.Series, domain: Domain) -> pd.Series:
    attribute = domain.attributes[domain.index(str(values.name))]
    present = values.dropna()
    if isinstance(attribute, Categorical) and attribute.boolean:
        return values.map({"false": False, "true": True}).astype("boolean")
    if all(isinstance(value, int) for value in present):
        return values.astype("Int64")
    if all(isinstance(value, int | float) for value in present):
        return values.astype("Float64")
    return values.astype("str")
