"""The demo: an invented hospital's stays, their codebook and a plan, in ``assets/demo/``."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pandas as pd

from hmpb_core.codebook import Codebook
from hmpb_core.planning.plan_file import PlanFile
from hmpb_core.sources.files import read_table
from pages.session.plan_settings import PlanSettings
from pages.session.state import AppState, Basis, Table
from pages.words.assets import DEMO

DEMO_TABLE = DEMO / "stays.parquet"
DEMO_CODEBOOK = DEMO / "stays.codebook.json"
DEMO_PLAN = DEMO / "plan.toml"


@lru_cache(maxsize=1)
def demo_table() -> pd.DataFrame:
    """The demo's rows; shared by all sessions, because they are public."""
    return read_table(DEMO_TABLE)


@lru_cache(maxsize=1)
def demo_codebook() -> Codebook:
    """The demo's codebook; shared as its rows are: its rules take a while to be checked."""
    return Codebook.from_dict(demo_schema())


def demo_schema() -> dict[str, Any]:
    """The demo's codebook as a Table Schema."""
    schema: dict[str, Any] = json.loads(DEMO_CODEBOOK.read_text(encoding="utf-8"))
    return schema


def load_demo(session: AppState, *, plan: bool = False) -> None:
    """Load the demo into a session.

    Args:
        session: The session's state.
        plan: Whether to take its plan as well; else the session's own choices stay.
    """
    if plan:
        session.settings = PlanSettings.of(PlanFile.read(DEMO_PLAN).plan)
        session.settings.shares = None
    table = Table(content=demo_table(), name=DEMO_TABLE.name, basis=Basis.DEMO)
    session.use_table(table, demo_schema(), demo_codebook())
