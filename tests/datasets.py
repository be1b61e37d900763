"""Where the data sets are that only some machines have; tests that need them skip elsewhere."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def data_folder():
    """The folder of the data sets: HMPB_DATA, or ``../shared/data`` beside the checkout."""
    return Path(os.environ.get("HMPB_DATA", ROOT.parent / "shared" / "data"))


def data_file(name):
    """Path of a data file; skips the test where it is absent."""
    path = data_folder() / name
    if not path.is_file():
        pytest.skip(f"needs {name} of the data folder")
    return path
