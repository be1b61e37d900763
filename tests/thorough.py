"""The mark of tests that are too long for every run."""

import os

import pytest

THOROUGH = pytest.mark.skipif(os.environ.get("HMPB_SLOW") != "1", reason="runs with HMPB_SLOW=1")
