"""The mark of tests that are too long for every run, and a sample of many alike."""

import os
from collections.abc import Iterable
from typing import Any

import pytest

THOROUGH = pytest.mark.skipif(os.environ.get("HMPB_SLOW") != "1", reason="runs with HMPB_SLOW=1")


def sample(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases of a parametrized test, of which every so manieth runs, and all of them with HMPB_SLOW=1."""
    return [
        case
        if place % every == 0
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=THOROUGH)
        for place, case in enumerate(cases)
    ]
