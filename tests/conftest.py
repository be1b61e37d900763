"""Settings of all tests."""

import os
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from hmpb_core.privacy import noise

# The tests start many processes: where no bytecode is kept, each spends most of its time on compiling.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A Spark that lives for a minute: without the second compiler and parallel collectors it costs half the time.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# A machine under load is slow, not wrong. Everything else stays as the current profile (CI's, in CI) has it.
EXAMPLES = 100 if os.environ.get("HMPB_SLOW") == "1" else 20
settings.register_profile("patient", parent=settings(), deadline=None, max_examples=EXAMPLES)
settings.load_profile("patient")

MOST_WORKERS = 4
LONG = 100
"""Bytes beyond which a parameter is a whole file."""

CHANCE = int(os.environ.get("HMPB_CHANCE", "0"))
"""What the tests draw: another number, other draws."""
TESTS = Path(__file__).parent
OF_THE_SAMPLERS = (TESTS / "privacy" / "test_noise.py", TESTS / "statistical", TESTS / "audit")
"""Tests that ask what the operating system's noise is."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run the whole suite on every core; named files, -n and -p no:xdist stay as they were asked for.

    One worker more than there are cores: that of the browser's tests mostly waits.
    """
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    unasked = getattr(config.option, "numprocesses", 0) is None and not os.environ.get("PYTEST_XDIST_WORKER")
    if whole and unasked and not config.option.collectonly and not config.option.usepdb:
        config.option.numprocesses = min(MOST_WORKERS, (os.cpu_count() or 1) + 1)
    if getattr(config.option, "numprocesses", 0):
        for library in ("OMP", "OPENBLAS"):  # each worker is a thread of the suite: its own would only wait
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
        if config.option.dist == "no":
            config.option.dist = "loadgroup"
            config.option.loadscopereorder = False  # the order is that of pytest_collection_modifyitems


def pytest_configure(config):
    """Tell a worker of the groups: it knows the options of the command line alone."""
    if hasattr(config, "workerinput"):
        config.option.loadgroup = True


def pytest_make_parametrize_id(config, val, argname):
    """Name a test by its parameter where that is a file: a workbook holds the second in which it was made.

    Workers that name a test differently end the run.
    """
    return argname if isinstance(val, bytes) and len(val) > LONG else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Keep a file's tests on one worker, for they share fixtures; slow ones go where a core is free.

    The browser's tests share one server and one browser: they stay together. They are the longest and come
    first, slow ones next, so that no worker is left with a long one at the end.
    """
    items.sort(key=lambda item: ("browser" not in item.path.parts, item.get_closest_marker("slow") is None))
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif item.get_closest_marker("slow") is None or "packaging" in item.path.parts:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Let a test draw what its name says, and so pass always or never.

    Of thousands of tests, each wrong once in a few hundred runs, some would fail in every third run of all.
    Noise keeps its distribution and its name; what other processes draw is left to chance.
    """
    seed = CHANCE << 32 | zlib.crc32(f"{item.path.name} {item.name}".encode())
    with pytest.MonkeyPatch.context() as patch:
        make, seeds = np.random.default_rng, np.random.default_rng(seed)
        patch.setattr(
            np.random, "default_rng", lambda seed=None: make(seeds.integers(2**62) if seed is None else seed)
        )
        if not any(item.path.is_relative_to(place) for place in OF_THE_SAMPLERS):
            repeated = noise.SeededNoise(seed)
            for act in ("laplace", "gaussian", "laplace_share", "noisy_max"):
                patch.setattr(noise.SystemNoise, act, staticmethod(getattr(repeated, act)))
            patch.setattr(noise, "SystemRandom", np.random.default_rng)
        return (yield)
