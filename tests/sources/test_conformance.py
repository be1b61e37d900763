"""The engines of this repository under the suite that every source must pass."""

import itertools

import pyarrow.parquet as papq
import pytest

from hmpb_core.sources.memory import MemorySource
from hmpb_core.sources.relational.embedded import of_parquet
from hmpb_core.sources.relational.postgres import of_server
from hmpb_core.sources.relational.table import EngineTable
from tests.sources.conformance import EngineConformance, SourceConformance
from tests.sources.servers import fill_server, postgresql


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
