"""What tests of drafts share: a field by its name, a guess from texts, and the texts that leave again."""

import numpy as np
import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.decoding import decode
from hmpb_core.domain import MAX_ATTRIBUTES
from hmpb_core.encoding import encode
from hmpb_core.provenance import provenance_of
from hmpb_core.publishing.tables import CsvForm, csv_of
from hmpb_core.sources.drafting import (
    draft_from_rows,
)


def field(schema, name):
    return next(entry for entry in schema["fields"] if entry["name"] == name)


def origin(entry):
    return provenance_of(entry).origin


def fits(frame, schema):
    """Whether the published part of a draft can encode its table; in parts, for the widest tables."""
    entries = [entry for entry in schema["fields"] if entry.get("publish") is not False]
    for start in range(0, len(entries), MAX_ATTRIBUTES):
        book = Codebook.from_dict({**schema, "fields": entries[start : start + MAX_ATTRIBUTES]})
        encode(frame, book)
    return True


def guessed(*texts, name="x", times=20):
    frame = pd.DataFrame({name: list(texts) * times})
    schema = draft_from_rows(frame)
    assert fits(frame, schema)
    return schema["fields"][0], frame


def written_again(entry, frame):
    """What a synthetic table would hold of the column: its own values, through codes and back."""
    book = Codebook.from_dict({"fields": [entry]})
    rows = decode(encode(frame, book), book.domain, np.random.default_rng(0))
    return set(csv_of(rows, CsvForm.of(book)).decode().split("\n")[1:-1])
