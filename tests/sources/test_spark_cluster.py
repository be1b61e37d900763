"""A Spark cluster as a steward uses it: rows drawn by its executors, some of which are lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sources.servers import spark_cluster
from tests.tables import SCHEMA, people

STEWARD = """
import os, sys
from pyspark.sql import SparkSession
from hmpb_core.cli import main
url, folder = sys.argv[1:3]
builder = SparkSession.builder.master(url).config("spark.executor.cores", "1")
builder = builder.config("spark.ui.enabled", "false").config("spark.task.reaper.enabled", "true")
builder.getOrCreate().read.parquet(folder + "/people.parquet").createOrReplaceTempView("people")
sys.exit(main(["synthesize", url, "--table", "people", "--codebook", folder + "/cb.json", *sys.argv[3:]]))
"""
WORDS = "--epsilon 1 --method independent --seed 3 --rows 3000000 --out"


def children(pattern):
    """Processes that this one started, or those did, whose command holds a text."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and pattern in (folder / "cmdline").read_text(errors="replace"):
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if os.getpid() in ancestors(pid)]


def ancestors(pid):
    found = []
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            break
        found.append(pid)
    return found


def wait_for(what, process, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        assert process.poll() is None
        time.sleep(0.05)
    raise TimeoutError


@pytest.fixture
def steward(tmp_path):
    people(800).to_parquet(tmp_path / "people.parquet", index=False)
    (tmp_path / "cb.json").write_text(json.dumps(SCHEMA), encoding="utf-8")

    def type_in(url, out):
        command = [sys.executable, "-c", STEWARD, url, str(tmp_path), *WORDS.split(), f"{tmp_path}/{out}/"]
        environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        with (tmp_path / f"said-{out}").open("w") as said:
            return subprocess.Popen(command, env=environment, stderr=said, stdout=subprocess.DEVNULL)

    return type_in


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("HMPB_SLOW"), reason="starts a cluster; HMPB_SLOW=1 runs it")
def test_a_killed_executor_changes_no_byte_and_a_lost_session_leaves_nothing(steward, tmp_path):
    def unfinished():
        return list(tmp_path.glob(".*.hmpb-part/.part-*"))

    with spark_cluster() as url:
        whole = steward(url, "whole")
        assert whole.wait(300) == 0
        killed = steward(url, "killed")
        wait_for(unfinished, killed)
        os.kill(children("CoarseGrainedExecutorBackend")[0], signal.SIGKILL)
        assert killed.wait(300) == 0
        files = [{p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("whole", "killed")]
        assert sorted(files[0]) == [f"part-{number:05d}.parquet" for number in range(3)]
        assert files[0] == files[1]
        lost = steward(url, "lost")
        wait_for(unfinished, lost)
        (java,) = [pid for pid in children("SparkSubmit") if lost.pid in ancestors(pid)]
        os.kill(java, signal.SIGKILL)
        assert lost.wait(60) == 2
    said = (tmp_path / "said-lost").read_text()
    assert "Traceback" not in said
    assert "stopped before all were drawn; nothing was written" in said.splitlines()[-1]
    assert not list(tmp_path.glob("lost*"))
    assert not list(tmp_path.glob(".*.hmpb-part"))
