"""What tests of the pages that show a result share."""

import dataclasses
import time

import numpy as np
import pytest

from hmpb_core.codebook import Codebook
from hmpb_core.encoding import encode
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan
from pages.data import drafts
from pages.session.state import Basis, Result

ROWS = 600


def settled(app, done, seconds=120):
    """Run the page until its job has ended; while it works the page is not drawn: that takes its core."""
    session, end = app.session_state["hmpb"], time.monotonic() + seconds
    pages = session.anonymize, session.compare, session.utility
    while time.monotonic() < end:
        app.run()
        if done():
            return app
        while any(page.job and page.job.active for page in pages) and time.monotonic() < end:
            time.sleep(0.05)
    pytest.fail("the work did not end in time")


def source_of(session, basis):
    """The rows that the model is learned from: few, since pages compare whole tables."""
    return dataclasses.replace(session.table, basis=basis, content=session.table.frame.head(ROWS))


def give_result(app, basis=Basis.DEMO, columns=None, method="independent"):
    session = app.session_state["hmpb"]
    book = session.codebook
    if columns is not None:
        book = Codebook.from_dict(
            {"fields": [field for field in session.draft["fields"] if field["name"] in columns]}
        )
    plan = make_plan(Guarantee(epsilon=1.0), book.domain, n_rows=ROWS, method=method)
    source = MemorySource(encode(session.table.frame.head(ROWS), book), book.domain)
    model = fit_source(source, plan, seed=1)
    rows = model.sample(ROWS, rng=np.random.default_rng(1))
    session.use_result(Result(model=model, rows=rows, codebook=book, source=source_of(session, basis)))
    return session


def release_of(app):
    session = give_result(app, Basis.PRIVATE)
    session.result = dataclasses.replace(session.result, release="r1")
    return session


def edit_codebook(session):
    """Leave a column out, as a steward does on Data after a release."""
    drafts.change(session, "insurer", lambda field: {**field, "publish": False})
