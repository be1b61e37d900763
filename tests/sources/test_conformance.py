"""The engines of this repository under the suite that every source must pass."""

import pytest

from hmpb_core.sources.memory import MemorySource
from tests.sources.conformance import SourceConformance


class TestMemorySource(SourceConformance):
    @pytest.fixture
    def make(self):
        return MemorySource
