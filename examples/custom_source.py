"""A source of counts of one's own: the table stays in its database, which is asked for counts alone.

A source is one class. It gives the public domain, the number of rows, and exact tables over sets of
attributes; the accountant is the only one that sees these, and adds the noise. What else it must keep to
is in ``tests/sources/conformance.py``; ``tests/test_examples.py`` runs that suite on this one.
"""

# %% The source
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

import numpy as np

from hmpb_core import Guarantee, SourceError, TableSource, make_plan, synthesize
from hmpb_core.binary import BinaryEncoding
from hmpb_core.domain import Categorical, Domain
from hmpb_core.marginal import Marginal


class SqliteSource(TableSource):
    """Counts by ``GROUP BY`` over expressions, one an attribute.

    Args:
        connection: The database.
        table: Name of the table.
        domain: The public domain: one attribute a column, whose values are codes from 0.
        expressions: SQL that gives each attribute's code; its column of that name unless given.

    Raises:
        SourceError: the table cannot be counted, or has no row.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        table: str,
        domain: Domain,
        *,
        expressions: Sequence[str] | None = None,
    ) -> None:
        self._connection = connection
        self._table = table
        self._domain = domain
        self._expressions = tuple(expressions or (_quoted(name) for name in domain.names))
        self._n_rows = int(self._rows([])[0][0])
        if self._n_rows == 0:
            raise SourceError("The table has no rows; there is nothing to publish. Check the file.")

    @property
    def domain(self) -> Domain:
        """The public domain of the codes."""
        return self._domain

    @property
    def n_rows(self) -> int:
        """Number of rows; the pipeline does not read it where it is private."""
        return self._n_rows

    def marginals(self, sets: Iterable[Sequence[int]]) -> Iterator[Marginal]:
        """Count many tables, one query each, when each is asked for."""
        return (self._count(tuple(int(a) for a in attributes)) for attributes in sets)

    def as_bits(self) -> TableSource:
        """Give the same rows with every attribute cut into bits: only the published method asks for it."""
        encoding = BinaryEncoding(self._domain)
        bits = [
            f"(({code}) >> {bit}) & 1"
            for code, width in zip(self._expressions, encoding.widths, strict=True)
            for bit in range(width - 1, -1, -1)
        ]
        return SqliteSource(self._connection, self._table, encoding.bit_domain, expressions=bits)

    def _count(self, attributes: tuple[int, ...]) -> Marginal:
        counts = np.zeros(self._domain.shape(attributes), dtype=np.int64)
        for *cell, count in self._rows(attributes):
            if any(not 0 <= code < size for code, size in zip(cell, counts.shape, strict=True)):
                raise SourceError("The table holds a value outside its domain; check the codes.")
            counts[tuple(cell)] = count
        return Marginal(attributes=attributes, counts=counts)

    def _rows(self, attributes: Sequence[int]) -> list[tuple[int, ...]]:
        codes = [self._expressions[a] for a in attributes]
        query = f"SELECT {', '.join([*codes, 'COUNT(*)'])} FROM {_quoted(self._table)}"  # noqa: S608 - quoted
        if codes:
            query += " GROUP BY " + ", ".join(str(place + 1) for place in range(len(codes)))
        try:
            return self._connection.execute(query).fetchall()
        except sqlite3.Error:  # its text may hold a value
            raise SourceError("The table cannot be counted; check its name and its columns.") from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# %% A database, and what the release needs of it: codes, as expressions where the columns hold words
def database() -> sqlite3.Connection:
    """A table of words, as one finds it."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE visits (smokes TEXT, coughs TEXT, age INTEGER)")
    rng = np.random.default_rng(1)
    smokes = rng.random(2000) < 0.3
    coughs = rng.random(2000) < np.where(smokes, 0.8, 0.1)
    rows = zip(smokes.tolist(), coughs.tolist(), rng.integers(0, 80, 2000).tolist(), strict=True)
    connection.executemany(
        "INSERT INTO visits VALUES (iif(?, 'yes', 'no'), iif(?, 'yes', 'no'), ?)", list(rows)
    )
    return connection


# %% From here on it is a table like any other
def main() -> None:
    """Synthesise from the database."""
    answers = ("no", "yes")
    decades = tuple(f"{10 * d}-{10 * d + 9}" for d in range(8))
    domain = Domain(
        (
            Categorical(name="smokes", categories=answers),
            Categorical(name="coughs", categories=answers),
            Categorical(name="decade", categories=decades, ordered=True),
        )
    )
    codes = ["smokes = 'yes'", "coughs = 'yes'", "min(max(age, 0) / 10, 7)"]
    with closing(database()) as connection:
        source = SqliteSource(connection, "visits", domain, expressions=codes)
        plan = make_plan(Guarantee(epsilon=1.0), domain, n_rows=source.n_rows)
        model, rows = synthesize(source, plan)
    print(f"epsilon {model.bill.total:.3f}; {len(rows)} rows drawn")
    print(rows.groupby(["smokes", "coughs"]).size().to_string())


if __name__ == "__main__":
    main()
