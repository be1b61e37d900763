"""The mark of tests that are too long for every run, and a sample of many alike."""

import os
from collections.abc import Iterable
from typing import Any

import pytest

THOROUGH = pytest.mark.skipif(os.environ.get("HMPB_SLOW") != "1", reason="runs with HMPB_SLOW=1")
_Case = type(pytest.param())


def sample(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases of a parametrized test, of which every so manieth runs, and all of them with HMPB_SLOW=1.

    A tuple is one value for each name; a tuple that is the value of a single name goes into ``pytest.param``.
    """
    return [case if place % every == 0 else _thorough(case) for place, case in enumerate(cases)]


def _thorough(case: Any) -> Any:
    if isinstance(case, _Case):
        return pytest.param(*case.values, marks=(*case.marks, THOROUGH), id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=THOROUGH)
