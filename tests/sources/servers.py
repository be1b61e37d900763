"""A throw-away PostgreSQL server and Spark cluster for the tests, skipped by name where they are absent."""

from __future__ import annotations

import getpass
import io
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

_BINARIES = "/usr/lib/postgresql"


def _binary(name: str) -> str:
    found = sorted(Path(_BINARIES).glob(f"*/bin/{name}"))
    path = str(found[-1]) if found else shutil.which(name)
    if path is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    return path


def _user() -> str:
    """Who runs the server: it refuses to be root."""
    if os.getuid() != 0:
        return getpass.getuser()
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    pytest.skip("PostgreSQL refuses to run as root, and there is no user postgres")


@contextmanager
def postgresql() -> Iterator[str]:
    """Start a server on a socket of its own and give its URL."""
    pytest.importorskip("pg8000", reason="pg8000 is not installed")
    initdb, control = _binary("initdb"), _binary("pg_ctl")
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    as_user = ["runuser", "-u", user, "--"] if os.getuid() == 0 else []
    if as_user:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(*words: str) -> None:
        subprocess.run([*as_user, *words], check=True, capture_output=True, timeout=120, cwd="/")

    try:
        run(
            initdb,
            "-D",
            str(data),
            "-U",
            "tester",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c jit=off"
        run(control, "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql://tester@/postgres?host={folder}"
        finally:
            run(control, "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_TYPES = {
    pa.int16(): "smallint",
    pa.uint8(): "integer",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.string(): "text",
    pa.null(): "text",
}


def fill_server(url: str, name: str, table: pa.Table) -> None:
    """Make a table of a server anew and put rows into it."""
    import pg8000.native

    folder = url.partition("host=")[2]
    quoted = '"' + name.replace('"', '""') + '"'
    columns = ", ".join(
        f'"{field.name.replace(chr(34), chr(34) * 2)}" {_TYPES[field.type]}' for field in table.schema
    )
    with pg8000.native.Connection("tester", unix_sock=f"{folder}/.s.PGSQL.5432", database="postgres") as made:
        made.run(f"DROP TABLE IF EXISTS {quoted}")
        made.run(f"CREATE TABLE {quoted} ({columns})")
        lines = io.StringIO()
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            lines.write("\t".join("\\N" if value is None else _copied(value) for value in row) + "\n")
        lines.seek(0)
        made.run(f"COPY {quoted} FROM STDIN", stream=lines)


def _copied(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


@contextmanager
def spark_cluster(executors: int = 2) -> Iterator[str]:
    """Start a master and a worker of a Spark cluster on this machine and give the master's URL."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed (Debian: default-jre-headless)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"spark://127.0.0.1:{port}"
    folder = Path(tempfile.mkdtemp(prefix="spark-"))
    base = str(Path(pyspark.__file__).parent / "bin" / "spark-class"), "org.apache.spark.deploy"
    settings = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(folder)}
    options = ("--host", "127.0.0.1", "--webui-port", "0")
    size = ("--cores", str(executors), "--memory", f"{executors}g")
    started = []

    def start(name: str, *words: str) -> None:
        command = [base[0], f"{base[1]}.{name}", *options, *words]
        started.append(
            subprocess.Popen(
                command, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
            )
        )

    try:
        start("master.Master", "--port", str(port))
        start("worker.Worker", *size, url)
        yield url
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
