"""The engines of this repository under the suite that every source must pass."""

import itertools
import os
import shutil

import pyarrow.parquet as papq
import pytest

from hmpb_core.sources.files import FileReading
from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.relational.embedded import of_parquet
from hmpb_core.sources.relational.postgres import of_server
from hmpb_core.sources.relational.spark import of_files
from hmpb_core.sources.relational.table import EngineTable
from tests.sources.conformance import EngineConformance, SourceConformance
from tests.sources.servers import fill_server, postgresql


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
