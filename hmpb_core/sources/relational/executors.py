"""Work that Spark's executors do: a piece for each number, from public values alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from hmpb_core.errors import SourceError


class Executors:
    """Spark's executors as ``engine.Workers``: what is to be done is sent to each of them once.

    A piece whose executor is lost or that fails is done again, up to three times, by another. So it must do
    the same however often it is done.

    Args:
        context: A Spark context.
    """

    def __init__(self, context: Any) -> None:
        self._context = context

    def __call__(self, work: Callable[[int], int], count: int) -> Iterator[int]:
        """Do a piece of work for each number.

        Args:
            work: What is done; it can be pickled, and its module is installed where the executors are.
            count: How many numbers: 0, 1, ...

        Raises:
            SourceError: Spark stopped, or a piece failed for good.
        """
        try:
            sent = self._context.broadcast(work)
            numbers = self._context.parallelize(range(count), count)
            found = numbers.map(partial(_piece, sent)).collect()
            sent.destroy()
        except Exception:  # noqa: BLE001 - whatever Java says
            raise SourceError(
                "Spark's executors cannot draw rows, or stopped before all were drawn; nothing was written. "
                "See that they have the hmpb and the Python of this machine, and that all may write to the "
                "folder; or write one file, NAME.parquet, which this machine draws."
            ) from None
        yield from map(int, found)


def _piece(work: Any, number: int) -> int:
    done: int = work.value(number)
    return done
