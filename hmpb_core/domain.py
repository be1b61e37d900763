"""What values a table may hold: public knowledge, declared before any row is read."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hmpb_core.dates import NumericKind, write_value
from hmpb_core.declared import (
    LARGEST_NUMBER,
    require_bounds,
    require_categories,
    require_edges,
    require_listed,
    require_meanings,
    require_name,
    require_size,
    require_unknown,
)
from hmpb_core.errors import DomainError
from hmpb_core.grid import Grid, ListedGrid, Pieces, default_step
from hmpb_core.texts import text_of

Scalar = str | int | float
Codes = NDArray[np.int32]
"""A table in codes: shape (rows, attributes)."""

MISSING_LABEL = "(missing)"
"""The text of the code for a missing value."""

SAME_LABEL = "= {}"
"""The text of the code for the value of another column."""

MAX_ATTRIBUTES = 1000
EDGE = 1e-9
"""Part of an equal-width bin that belongs to the next: edges are rounded, and what is at one is above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Categorical:
    """An attribute with listed categories.

    Attributes:
        name: The column's name.
        categories: The categories in their declared order.
        ordered: Whether that order means something.
        nullable: Whether a missing value is allowed; it is the last code.
        unknown: Category that takes values outside the list; None refuses them.
            The empty string folds them into the missing value.
        boolean: Whether the two categories are no and yes, written ``false`` and ``true``.
        spellings: Further texts of categories, each with its category.
        prefixes: Beginnings of finer codes, each with the category that takes them: the longest wins.
            So ``I21.9`` is of the chapter ``I00-I99`` by the prefix ``I``.
        apart: Categories that stand for a missing value: its codes, told apart.
        repeats: Another column, whose value one more code stands for; none where the codes are its own alone.
        answer_to: The column whose cells hold this answer among others, given or not; else empty.

    Example:
        >>> town = Categorical(name="town", categories=("north", "south"), nullable=True)
        >>> town.size, town.labels
        (3, ('north', 'south', '(missing)'))
    """

    name: str
    categories: tuple[Scalar, ...]
    ordered: bool = False
    nullable: bool = False
    unknown: Scalar | None = None
    boolean: bool = False
    spellings: tuple[tuple[str, Scalar], ...] = ()
    prefixes: tuple[tuple[str, Scalar], ...] = ()
    apart: tuple[Scalar, ...] = field(default=(), compare=False)
    repeats: str = ""
    answer_to: str = ""

    def __post_init__(self) -> None:
        require_name(self.name)
        texts = [text_of(category) for category in self.categories]
        require_categories(self.name, texts)
        listed = set(texts)
        if self.unknown is not None and self.unknown != "" and text_of(self.unknown) not in listed:
            raise DomainError(
                "{name!r} folds unknown values into a category that it does not list; name a listed "
                "category, or '' for the missing value.",
                name=self.name,
            )
        require_unknown(self.name, self.unknown, nullable=self.nullable)
        require_size(self.name, self.size)
        for pairs in (self.spellings, self.prefixes):
            require_meanings(self.name, [(text, text_of(category)) for text, category in pairs], listed)

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return len(self.categories) + bool(self.repeats) + self.nullable

    @property
    def labels(self) -> tuple[str, ...]:
        """The text of each code."""
        texts = tuple(text_of(category) for category in self.categories)
        if self.repeats:
            texts = (*texts, SAME_LABEL.format(self.repeats))
        return (*texts, MISSING_LABEL) if self.nullable else texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """What the learned bins of a date or number are of: what lies between it and another of the same row.

    Attributes:
        column: The other date or number.
        first: The smallest value of the other one's grid, in steps.
        nullable: Whether the other one may be missing.
    """

    column: str
    first: int
    nullable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeric:
    """A number, date or time, cut into bins of its declared range.

    The bins are of equal width, between declared edges, or learned: then the attribute as declared
    has equal-width bins, which hold wherever nothing was paid for better ones, and a run gives
    it its ``pieces``.

    Attributes:
        name: The column's name.
        minimum: Smallest declared value; smaller ones are clipped to it.
        maximum: Largest declared value; larger ones are clipped to it.
        bins: Number of bins asked for, or the largest number of learned ones. There are never more
            equal-width bins than values of the grid, so that each holds one.
        integer: Whether values are whole numbers.
        nullable: Whether a missing value is allowed; it is the last code.
        edges: Declared edges of the bins, from the minimum to the maximum; none for equal widths.
        learned: Whether bins, and the values inside them, are to be learned.
        resolution: Every value is a multiple of this; None where it is not declared.
        listed: Every value is one of these, ascending; none where all multiples occur. Others count as the
            nearest one.
        digits: Significant digits with which numbers of single precision are written, 6.199999809265137 for
            6.2: 17 or 15; 0 where numbers are of double precision.
        kind: What the numbers are.
        format: How a date or time is written; ISO 8601 where it is empty.
        unknown: The empty string folds values that cannot be read into the missing value; None refuses
            them.
        pieces: The learned bins and the distribution inside each; None before they are learned.
        since: What the pieces are of where they are not of the values themselves: the time since
            another date, or the difference from another number.
        repeats: Another column that has the same value in many rows; none where it was not looked for.
        repeated: Part of the rows in which it has.
    """

    name: str
    minimum: float
    maximum: float
    bins: int = 16
    integer: bool = False
    nullable: bool = False
    edges: tuple[float, ...] = ()
    learned: bool = False
    resolution: float | None = None
    listed: tuple[float, ...] = ()
    digits: int = 0
    kind: NumericKind = "number"
    format: str = ""
    unknown: str | None = None
    pieces: Pieces | None = None
    since: Since | None = None
    repeats: str = ""
    repeated: float = 0.0

    def __post_init__(self) -> None:
        require_name(self.name)
        require_bounds(self.name, self.minimum, self.maximum, kind=self.kind, integer=self.integer)
        if self.bins < 1:
            raise DomainError(
                "{name!r} asks for {bins} bins; ask for at least 1.", name=self.name, bins=self.bins
            )
        if self.unknown not in (None, ""):
            raise DomainError(
                "{name!r} folds values that cannot be read into {unknown!r}, but lists no categories; write "
                "'unknown': '' for the missing value.",
                name=self.name,
                unknown=self.unknown,
            )
        require_unknown(self.name, self.unknown, nullable=self.nullable)
        require_edges(self.name, self.edges, self.minimum, self.maximum, learned=self.learned)
        require_listed(
            self.name,
            self.listed,
            self.minimum,
            self.maximum,
            kind=self.kind,
            integer=self.integer,
            resolution=self.resolution,
        )
        self._check_resolution()
        require_size(self.name, self.size)

    def _check_resolution(self) -> None:
        if self.resolution is not None and not 0 < self.resolution <= self.maximum - self.minimum:
            raise DomainError(
                "{name!r} has the resolution {resolution:g}; it must be above 0 and at most its range.",
                name=self.name,
                resolution=self.resolution,
            )
        if self.resolution is not None and self.grid.size > LARGEST_NUMBER:
            raise DomainError(
                "{name!r} has more than {most:g} values at its resolution; declare a coarser one.",
                name=self.name,
                most=LARGEST_NUMBER,
            )
        if self.digits and (self.integer or self.kind != "number"):
            raise DomainError(
                "{name!r} declares a precision, but holds whole numbers, dates or times; leave it out.",
                name=self.name,
            )
        if self.pieces is not None and self.pieces.size != self.places.size:
            raise DomainError(
                "{name!r} has learned values that do not fit its codebook; fetch the bundle again.",
                name=self.name,
            )

    @property
    def is_dated(self) -> bool:
        """Whether it holds dates, years or times of day, and no amounts or lengths of time."""
        return self.kind not in ("number", "duration")

    @property
    def grid(self) -> Grid:
        """Every value that the attribute may take: a public rule.

        The listed values; else the multiples of the declared resolution in its range; else the whole numbers
        of an integer attribute; else the multiples of the power of ten that cuts the range into 10^5 to 10^6.
        """
        if self.listed:
            return ListedGrid.of(self.listed)
        if self.resolution is not None:
            step = Fraction(str(self.resolution))
        else:
            step = Fraction(1) if self.integer else default_step(self.minimum, self.maximum)
        return Grid.between(self.minimum, self.maximum, step)

    @property
    def on_grid(self) -> bool:
        """Whether every value that is drawn lies on the grid, and not anywhere in a bin."""
        return self.integer or self.learned or self.resolution is not None or bool(self.listed)

    @property
    def places(self) -> Grid:
        """What the learned pieces lie over: the grid, or the public grid of times since the other date.

        The longest time also stands for every row that has the declared maximum, such as 9999-12-31.
        Where the other date may be missing, one more position at the end stands for an unknown time.
        """
        grid = self.grid
        if self.since is None:
            return grid
        times = max(1, grid.first + grid.size - self.since.first)
        return Grid(first=0, size=times + self.since.nullable, step=grid.step)

    def stored(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers as they are in the table: of single precision, in its digits, where it is such.

        Example:
            >>> wage = Numeric(name="wage", minimum=0, maximum=20, resolution=0.1, digits=17)
            >>> wage.stored(np.array([6.2, 6.5])).tolist()
            [6.199999809265137, 6.5]
        """
        if not self.digits:
            return values
        unique, rows = np.unique(values, return_inverse=True)
        narrow = [float(f"{value:.{self.digits}g}") for value in unique.astype(np.float32).tolist()]
        found: NDArray[np.float64] = np.clip(narrow, self.minimum, self.maximum)[rows]
        return found

    def with_pieces(self, pieces: Pieces) -> Numeric:
        """Give the attribute with its learned bins."""
        return replace(self, pieces=pieces)

    @property
    def n_bins(self) -> int:
        """Number of bins in use."""
        if self.pieces is not None:
            return self.pieces.n_codes
        if self.edges:
            return len(self.edges) - 1
        step = self.resolution or float(self.integer)
        if self.listed:
            return min(self.bins, len(self.listed))
        if step and self.bins * step > self.maximum - self.minimum:
            return min(self.bins, self.grid.size)
        return self.bins

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return self.n_bins + self.nullable

    @property
    def width(self) -> float:
        """Width of an equal-width bin in the attribute's own unit."""
        return (self.maximum - self.minimum) / self.n_bins

    def equal_bins(self, numbers: NDArray[np.float64]) -> NDArray[np.int32]:
        """The equal-width bins of numbers within the bounds; one at an edge, but for rounding, is above."""
        bins: NDArray[np.int32] = ((numbers - self.minimum) / self.width + EDGE).astype(np.int32)
        return np.minimum(bins, np.int32(self.n_bins - 1))

    @property
    def bin_edges(self) -> tuple[float, ...]:
        """The edges of the bins, equal-width or declared."""
        return self.edges or tuple(self.minimum + self.width * i for i in range(self.n_bins + 1))

    @property
    def bin_means(self) -> tuple[float, ...]:
        """The value that each bin has on average: the middle where nothing was learned about it."""
        if self.pieces is not None:
            return tuple(self.pieces.means(self.places).tolist())
        return tuple((low + high) / 2 for low, high in itertools.pairwise(self.bin_edges))

    @property
    def labels(self) -> tuple[str, ...]:
        """The text of each code: the bin's range, or the whole numbers in it."""
        if self.pieces is not None:
            bounds = self.pieces.bounds
            starts_of = [self._place_text(value) for value in self.places.values(bounds[:-1]).tolist()]
            ends_of = [self._place_text(value) for value in self.places.values(bounds[1:] - 1).tolist()]
            before = f"{self.since.column} + " if self.since else ""
            texts = tuple(
                f"{before}{low}" if low == high else f"{before}{low}–{high}"
                for low, high in zip(starts_of, ends_of, strict=True)
            )
            return (*texts, MISSING_LABEL) if self.nullable else texts
        edges = self.bin_edges
        if self.kind != "number":
            edges = (*map(self._first_from, edges[:-1]), edges[-1])
            texts = tuple(
                f"[{self.text(low)}, {self.text(high)}{']' if i == self.n_bins - 1 else ')'}"
                for i, (low, high) in enumerate(itertools.pairwise(edges))
            )
        elif self.integer:
            starts = [math.ceil(edge - 1e-9 * self.width) for edge in edges[:-1]]
            ends = [start - 1 for start in starts[1:]] + [math.floor(self.maximum)]
            both = zip(starts, ends, strict=True)
            texts = tuple(f"{start}" if start == end else f"{start}–{end}" for start, end in both)
        else:
            texts = tuple(
                f"[{low:.6g}, {high:.6g}{']' if i == self.n_bins - 1 else ')'}"
                for i, (low, high) in enumerate(itertools.pairwise(edges))
            )
        return (*texts, MISSING_LABEL) if self.nullable else texts

    def text(self, value: float) -> str:
        """How a value is written."""
        return write_value(value, self.kind, self.format, decimals=self.grid.decimals)

    def _first_from(self, edge: float) -> float:
        """The first value of the grid that is not below an edge: an edge may lie within a second or a day."""
        step = float(self.grid.step)
        return step * math.ceil(edge / step - 1e-9)

    def _place_text(self, value: float) -> str:
        """How a value of ``places`` is written: itself, or a number of days, months or years."""
        if self.since is None:
            return self.text(value)
        unit: NumericKind = "duration" if self.kind in ("datetime", "time", "duration") else "number"
        return write_value(value, unit)

    @property
    def ordered(self) -> bool:
        """Bins have an order."""
        return True


Attribute = Categorical | Numeric


@dataclass(frozen=True, slots=True)
class Domain:
    """The attributes of a table, in the order of its columns.

    Example:
        >>> domain = Domain((Categorical(name="smokes", categories=("no", "yes")),
        ...                  Numeric(name="age", minimum=0, maximum=79, bins=8, integer=True)))
        >>> domain.names, domain.sizes
        (('smokes', 'age'), (2, 8))
    """

    attributes: tuple[Attribute, ...]
    _sizes: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Asked for by every count: of 200 attributes it took a sixth of a run to tell them anew each time."""
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_sizes", tuple(attribute.size for attribute in self.attributes))
        object.__setattr__(self, "_places", {a.name: i for i, a in enumerate(self.attributes)})
        if not self.attributes:
            raise DomainError("The codebook declares no attribute; declare at least one.")
        if len(self.attributes) > MAX_ATTRIBUTES:
            raise DomainError(
                "The codebook declares {attributes} attributes; at most {most} are allowed. Leave out what "
                "the release does not need.",
                attributes=len(self.attributes),
                most=MAX_ATTRIBUTES,
            )
        seen: set[str] = set()
        for attribute in self.attributes:
            if attribute.name in seen:
                raise DomainError(
                    "The codebook declares {name!r} twice; names must differ.", name=attribute.name
                )
            seen.add(attribute.name)

    @classmethod
    def of_sizes(cls, sizes: Iterable[int]) -> Domain:
        """Make a domain of unnamed categories, one attribute a size: x0, x1, ...

        Example:
            >>> Domain.of_sizes([2, 3]).sizes
            (2, 3)
        """
        return cls(
            tuple(Categorical(name=f"x{i}", categories=tuple(range(size))) for i, size in enumerate(sizes))
        )

    def __len__(self) -> int:
        return len(self.attributes)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes' names."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of codes of each attribute."""
        return self._sizes

    def shape(self, attributes: Sequence[int]) -> tuple[int, ...]:
        """Shape of the table over the attributes with these indices."""
        return tuple(self._sizes[i] for i in attributes)

    def cells(self, attributes: Sequence[int]) -> int:
        """Number of cells of the table over the attributes with these indices."""
        return math.prod(self.shape(attributes))

    def index(self, name: str) -> int:
        """Index of the attribute of this name.

        Raises:
            DomainError: no attribute has this name.
        """
        if name not in self._places:
            raise DomainError(
                "{name!r} is not in the codebook; it declares {declared}.",
                name=name,
                declared=tuple(self.names[:20]),
            )
        return self._places[name]
