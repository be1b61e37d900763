"""Surveys in tests draw the same noise each time."""

import pytest

from hmpb_core.privacy.noise import SeededNoise


@pytest.fixture(autouse=True)
def repeatable_noise(monkeypatch):
    """What a survey finds hangs on chance: of a column in fifty noise says something else."""
    monkeypatch.setattr("hmpb_core.privacy.accountant.SystemNoise", lambda: SeededNoise(3))
