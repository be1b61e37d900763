"""The engines of this repository under the suite that every source must pass."""

import itertools
import os
import shutil
import signal
from dataclasses import replace

import numpy as np
import pyarrow.parquet as papq
import pytest

from hmpb_core.errors import SourceError
from hmpb_core.privacy.guarantee import Guarantee
from hmpb_core.publishing import parts, row_files
from hmpb_core.publishing.row_files import require_workers, write_rows
from hmpb_core.sources.files import FileReading
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.open import open_source
from hmpb_core.sources.relational.embedded import of_parquet
from hmpb_core.sources.relational.postgres import of_server
from hmpb_core.sources.relational.spark import executors_at, of_files
from hmpb_core.sources.relational.table import EngineTable
from hmpb_core.synthesis import fit_source, make_plan
from tests.sources.conformance import EngineConformance, SourceConformance
from tests.sources.servers import fill_server, postgresql
from tests.tables import people, people_codebook


@pytest.fixture(scope="module")
def spark():
    """A Spark of this machine, ended with the module."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed (Debian: default-jre-headless)")
    yield
    from pyspark.sql import SparkSession

    SparkSession.builder.getOrCreate().stop()


@pytest.fixture(scope="module")
def server():
    with postgresql() as url:
        yield url


class TestMemorySource(SourceConformance):
    @pytest.fixture
    def make(self):
        return MemorySource


class TestParquetInDuckDB(EngineConformance):
    @pytest.fixture
    def put(self, tmp_path):
        numbers = itertools.count()

        def put(table):
            number = next(numbers)
            half = table.num_rows // 2
            files = [tmp_path / f"{number}-{part}.parquet" for part in "ab"]
            papq.write_table(table.slice(0, half), files[0])
            papq.write_table(table.slice(half), files[1])
            return EngineTable(engine=of_parquet([str(file) for file in files]))

        return put


class TestPostgreSQL(EngineConformance):
    """Tables of a throw-away server, filled through a connection of their own."""

    @pytest.fixture
    def put(self, server):
        numbers = itertools.count()
        opened = []

        def put(table):
            name = f'a "table" {next(numbers)}'
            fill_server(server, name, table)
            opened.append(EngineTable(engine=of_server(server, name)))
            return opened[-1]

        yield put
        for table in opened:
            table.engine.close()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
class TestSpark(EngineConformance):
    """Parquet files by a Spark of this machine: a sample of the suite, unless HMPB_SLOW asks for all."""

    @pytest.fixture
    def put(self, tmp_path, spark, request):
        if not os.environ.get("HMPB_SLOW") and request.function.__name__ not in SAMPLE:
            pytest.skip("a sample runs; HMPB_SLOW=1 runs all of it on Spark")
        numbers = itertools.count()

        def put(table):
            path = tmp_path / f"{next(numbers)}.parquet"
            papq.write_table(table, path)
            return EngineTable(engine=of_files([str(path)], FileReading()))

        return put


SAMPLE = {
    "test_every_kind_of_column_gets_the_codes_that_it_gets_in_memory",
    "test_fine_positions_are_counted_as_in_memory_also_once_bins_are_learned",
    "test_which_rows_of_a_person_stay_is_drawn_anew_and_all_alike",
    "test_a_broken_engine_ends_in_one_sentence_that_holds_no_value",
}


class KilledOnce:
    """A piece of work whose first worker is killed in the middle of it."""

    def __init__(self, work, mark):
        self.work, self.mark = work, mark

    def __call__(self, number):
        if number == 1 and not self.mark.exists():
            self.mark.touch()
            (self.work.folder / ".part-00001.parquet.killed").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
        return self.work(number)


@pytest.fixture
def drawing(monkeypatch):
    """A way to write a folder of parts of a small model, two hundred rows a file."""
    monkeypatch.setattr(parts, "CHUNK_ROWS", 100)
    monkeypatch.setattr(row_files, "FILE_CHUNKS", 2)
    book = people_codebook()
    source = open_source(people(), book)
    plan = make_plan(Guarantee(epsilon=5.0), book.domain, n_rows=source.n_rows, method="independent")
    model = fit_source(source, plan, seed=1)

    def write(out, rows, workers=None):
        write_rows(out, model, rows, rng=np.random.default_rng(7), folder=True, workers=workers)
        return {path.name: path.read_bytes() for path in out.iterdir()}

    return write


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_rows_that_executors_draw_are_those_that_this_machine_draws(spark, drawing, tmp_path):
    executors = executors_at("spark")
    rows = 650 if os.environ.get("HMPB_SLOW") else 150  # each worker of Spark takes seconds to start
    assert drawing(tmp_path / "there", rows, executors) == drawing(tmp_path / "here", rows)
    if not os.environ.get("HMPB_SLOW"):
        return
    require_workers(executors, tmp_path / "there")

    def killing(work, count):
        return executors(KilledOnce(work, tmp_path / "killed"), count)

    assert drawing(tmp_path / "again", rows, killing) == drawing(tmp_path / "here", rows)
    assert (tmp_path / "killed").exists()

    def nowhere(work, count):
        return executors(replace(work, folder=tmp_path / "no such folder"), 1)

    with pytest.raises(SourceError, match="all may write to the folder"):
        drawing(tmp_path / "gone", rows, nowhere)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "here", "killed", "there"]
