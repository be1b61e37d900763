"""Which registered tables a table is nearly: what the workspace keeps of each for that, in a text."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hmpb_core.sources.fingerprint import HashedTable, TableSketch
from hmpb_core.sources.identity import Compared, in_engine
from hmpb_core.sources.relational.near import RowSample


def kept_of(table: Compared, key: bytes) -> str:
    """Give what is kept of a table: keyed digests of some of its rows, and of the columns of one in memory.

    Args:
        table: The private table, in memory or in an engine.
        key: The workspace's secret.
    """
    with in_engine(table) as inside:
        sample = inside.sample(key)
    kept = json.loads(table.sketch().to_json()) if isinstance(table, HashedTable) else {}
    return json.dumps(kept | ({"sample": sample.to_json()} if sample else {}), separators=(",", ":"))


def near_among(table: Compared, kept: Mapping[str, str], key: bytes) -> set[str]:
    """Give the names under which the texts of nearly this table are kept.

    Two tables in memory are compared by their rows and their columns; where one stays in an engine, by a
    sample of their rows.

    Args:
        table: The private table, in memory or in an engine.
        kept: What was kept, by name.
        key: The workspace's secret.
    """
    near = set()
    samples = {}
    for name, text in kept.items():
        values = json.loads(text)
        if isinstance(table, HashedTable) and "columns" in values:
            if TableSketch.from_json(text).is_near(table):
                near.add(name)
        elif "sample" in values:
            samples[name] = RowSample.from_json(values["sample"])
    if samples:
        with in_engine(table) as inside:
            for name, sample in samples.items():
                own = inside.sample(key, columns=sample.columns, below=sample.below)
                if own is not None and sample.is_near(own):
                    near.add(name)
    return near
