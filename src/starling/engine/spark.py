"""Spark as a pure function, like `duck.run`: one SQL text over the tables it is handed, on this machine or on a cluster.

Tables that are too large for one machine are `Parts`: the workers make them by our own functions, in parallel. Nothing is drawn there:
noise is drawn by the process that started Spark, once, after the answer (docs/decisions/0013-spark-counts-the-driver-draws.md).

What leaves a worker is the rows of a table to other workers, and the rows of the answer to this process. What Spark's processes on this
machine log and print goes nowhere. Workers of a cluster keep logs of their own where its owner has said: tasks, sizes and times, never a
value, since a part that fails is told as that alone. It serves no page, keeps no history, and repeats no task that merely is slow. What it
puts on a disk is encrypted with a key of this run, lies in folders of its own (mode 0700) and is removed at the end: here in the folder
for temporary files, on a worker where the cluster's owner has said. Settings that are the cluster's own (memory of an executor, encryption
of its network) are read from `spark-defaults.conf`, as Spark does.

Which engine counts, DuckDB in this process or Spark on this machine or on a cluster, is said by its name (`cluster_for`). Their counts are
identical.
"""

import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

import pyarrow as pa

from starling.distribution import VERSION, install
from starling.engine import duck, spill
from starling.engine.duck import Limits, default_limits
from starling.errors import OutputError, ParameterError, SourceError

BATCH_ROWS: Final = 1 << 18
"""Rows of the Arrow batches that come out, at most."""

DUCKDB: Final = "duckdb"
SPARK_HERE: Final = "spark://local"

_MASTERS: Final = re.compile(r"spark://[A-Za-z0-9._-]+:[0-9]{1,5}(,[A-Za-z0-9._-]+:[0-9]{1,5})*")
"""As Spark names the master of a standalone cluster, and its standbys."""

_TYPES: Final = {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.string(): "string",
    pa.binary(): "binary",
}
"""Types of columns by Spark's names. It has no unsigned integers."""

_SECONDS_TO_CONNECT: Final = 5
_SECONDS_TO_END: Final = 30
"""That Spark's process is given to end by itself."""


@dataclass(frozen=True, slots=True)
class Parts:
    """How to make a table part by part, each in a worker of a cluster; holds nothing of what is in it.

    Attributes:
        schema: Names and types of its columns.
        parts: What `read` is called with, once for each part; small, and fit to be pickled.
        read: Gives the rows of one part, the same ones whenever it is asked. A function of a module, or a `partial` of one, over public
            values: it travels to the workers.
    """

    schema: pa.Schema
    parts: tuple[Any, ...]
    read: Callable[[Any], Iterator[pa.RecordBatch]]


class Spark:
    """A Spark of our own, from `with` to its end. One at a time in a process.

    Args:
        master: spark://HOST:PORT of a standalone cluster; None for this machine.
        limits: What the process of Spark on this machine may use; its `disk` is not held. By default `duck.default_limits()`.

    Raises, as `with` begins:
        ParameterError: when pyspark or Java is missing, another Spark runs in this process, or the cluster does not answer or runs
            another version of Starling.
    """

    def __init__(self, master: str | None = None, limits: Limits | None = None) -> None:
        self._master = master
        self._limits = limits or default_limits()
        self._undo: list[Callable[[], object]] = []
        self._session: Any = None

    def __enter__(self) -> Self:
        if self._master is not None:
            _check_reached(self._master)
        _check_installed()
        try:
            started = self._start()
        except BaseException:
            self._end()
            raise
        if not started:
            self._end()
            raise ParameterError(
                "engine",
                "did not start",
                "check the cluster's address, that it runs the same Spark, and that Java is of version 17 or later",
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def workers(self) -> int:
        """Tasks that run at once; at least 1."""
        return max(1, int(self._session.sparkContext.defaultParallelism))

    def run(self, text: str, tables: Mapping[str, pa.Table | Parts]) -> Generator[pa.RecordBatch, None, None]:
        """Run one SELECT over tables by the names that it uses and stream its rows, in no particular order; every worker gets a copy of a
        `pa.Table`.

        Raises:
            OutputError: when Spark cannot answer, whatever the cause, without its own words, which can hold values of records.
        """
        failed = False
        try:
            yield from self._answer(text, tables)
        except _errors():
            failed = True
        if failed:
            # Raised outside the handler, so that Spark's message is not kept as the context of the error.
            raise OutputError(
                "engine",
                "could not count with what Spark was given",
                "see that every worker has memory, disk and the files of the records under the same path",
            )

    def _answer(self, text: str, tables: Mapping[str, pa.Table | Parts]) -> Iterator[pa.RecordBatch]:
        from pyspark import StorageLevel
        from pyspark.sql.functions import broadcast

        parts = [len(table.parts) for table in tables.values() if isinstance(table, Parts)]
        # As many partitions as parts: a public number, so that nothing of the plan of work depends on records.
        self._session.conf.set("spark.sql.shuffle.partitions", str(max(self.workers, *parts, 1)))
        for name, table in tables.items():
            frame = self._frame(table) if isinstance(table, Parts) else broadcast(self._session.createDataFrame(table))
            frame.createOrReplaceTempView(name)
        # Batches travel as one value each, so that they can be taken one by one while the rest waits on the workers' disks.
        packed = self._session.sql(text).mapInArrow(_packed, "batch binary").persist(StorageLevel.DISK_ONLY)
        try:
            packed.count()
            for row in packed.toLocalIterator(prefetchPartitions=True):
                yield from pa.ipc.open_stream(row.batch)
        finally:
            self._session.sparkContext.cancelAllJobs()
            packed.unpersist()
            for name in tables:
                self._session.catalog.dropTempView(name)

    def _frame(self, table: Parts) -> Any:
        count = len(table.parts)
        columns = ", ".join(f"{field.name} {_TYPES[field.type]}" for field in table.schema)
        numbers = self._session.range(0, count, 1, max(count, 1))
        return numbers.mapInArrow(partial(_rows_of_parts, table), columns)

    def _start(self) -> bool:
        """Whether Spark runs and its workers are what we are."""
        from pyspark import SparkConf, SparkContext
        from pyspark.java_gateway import launch_gateway
        from pyspark.sql import SparkSession

        if SparkContext._active_spark_context is not None:  # noqa: SLF001 - nothing public tells
            raise ParameterError("engine", "is busy: a Spark session runs in this process", "stop that session first")
        folder = tempfile.mkdtemp(prefix="starling-", dir=self._limits.spill)
        self._undo.append(partial(shutil.rmtree, folder, ignore_errors=True))
        self._keep_the_process_as_it_is()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf = SparkConf(loadDefaults=False)
        for key, value in self._settings(folder).items():
            conf.set(key, value)
        silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            gateway = launch_gateway(conf, silent)
            self._undo.append(partial(_end_process, gateway))
            SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - else an earlier one would be taken
            context = SparkContext(conf=conf, gateway=gateway)
            self._undo.append(context.stop)
            self._session = SparkSession(context)
            versions = Parts(_VERSIONS, tuple(range(2 * self.workers)), _version)
            environment = {
                row
                for batch in self._answer("SELECT versions.version FROM versions", {"versions": versions})
                for row in batch.column(0).to_pylist()
            }
        except _errors():
            return False
        return environment == {VERSION}

    def _keep_the_process_as_it_is(self) -> None:
        """Note what Spark and we change in this process, to be undone at the end."""
        from pyspark import SparkContext

        def restore_context(gateway: Any, jvm: Any) -> None:
            SparkContext._gateway, SparkContext._jvm = gateway, jvm  # noqa: SLF001 - see _start

        def restore_python(stated: str | None) -> None:
            if stated is None:
                os.environ.pop("PYSPARK_PYTHON", None)

        self._undo.append(partial(restore_context, SparkContext._gateway, SparkContext._jvm))  # noqa: SLF001
        self._undo.append(partial(restore_python, os.environ.get("PYSPARK_PYTHON")))
        # Its Python side logs what went wrong, some of it as the root logger.
        self._undo.append(partial(logging.disable, logging.root.manager.disable))
        logging.disable()
        if threading.current_thread() is threading.main_thread():
            # Spark puts a handler of its own there.
            self._undo.append(partial(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT)))

    def _settings(self, folder: str) -> dict[str, str]:
        settings = {
            "spark.app.name": "starling",
            "spark.master": self._master or f"local[{self._limits.threads}]",
            "spark.driver.memory": f"{self._limits.memory >> 20}m",
            "spark.driver.maxResultSize": "0",
            "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder} -XX:-UsePerfData",
            "spark.executor.extraJavaOptions": "-XX:-UsePerfData",
            "spark.local.dir": folder,
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.io.encryption.enabled": "true",
            "spark.log.level": "OFF",
            "spark.eventLog.enabled": "false",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.speculation": "false",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH_ROWS),
        }
        if self._master is None:
            settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        return settings

    def _end(self) -> None:
        """Stop what was started and put back what was changed, last first."""
        self._session = None
        while self._undo:
            try:
                self._undo.pop()()
            except _errors():
                pass


def _rows_of_parts(table: Parts, numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the rows of the parts that have these numbers."""
    failed = False
    try:
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield from table.read(table.parts[number])
    except Exception:  # noqa: BLE001 - whatever it was, what Spark is told must not depend on it
        failed = True
    if failed:
        raise RuntimeError("a part could not be read")


def _packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: each batch as one value, a stream in Arrow's own format."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        yield pa.record_batch({"batch": pa.array([sink.getvalue().to_pybytes()], pa.binary())})


_VERSIONS: Final = pa.schema([("version", pa.string())])


def _version(_: int) -> Iterator[pa.RecordBatch]:
    """In a worker: its version of Starling."""
    yield pa.record_batch([pa.array([VERSION])], schema=_VERSIONS)


def _check_installed() -> None:
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise ParameterError("engine", "needs pyspark, which is not installed", install("spark")) from None
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=f"{home}/bin" if home else None) is None:
        raise ParameterError("engine", "needs Java, which is not installed", "install a Java runtime, 17 or later")


def _check_reached(masters: str) -> None:
    """One of the masters must take a connection: Spark itself would try for a minute."""
    for master in masters.removeprefix("spark://").split(","):
        host, _, port = master.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT).close()
        except (OSError, OverflowError):
            continue
        return
    raise ParameterError("engine", "does not answer at that address", "check that the cluster's master runs there")


def _errors() -> tuple[type[Exception], ...]:
    """What Spark, its bridge to Java, and its streams raise; nothing more is told of it."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JError, pa.ArrowException, OSError, EOFError, MemoryError, RuntimeError, ValueError)


def _end_process(gateway: Any) -> None:
    """End the process of Spark on this machine: it ends once nobody holds its input."""
    gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()


def check_engine(name: str) -> None:
    """Raises ParameterError unless `name` is that of an engine: duckdb, spark://local or spark://HOST:PORT."""
    if name not in (DUCKDB, SPARK_HERE) and not _MASTERS.fullmatch(name):
        raise ParameterError(
            "engine",
            "is neither duckdb, nor spark://local, nor the spark://HOST:PORT of a cluster's master",
            "leave it out to count with DuckDB",
        )


def open_cluster(name: str) -> AbstractContextManager[Spark | None]:
    """The Spark of that name, to be started by `with`; None for DuckDB, which needs no starting.

    Raises:
        ParameterError: when there is no such engine, or it cannot be started; nothing has been read then.
    """
    check_engine(name)
    return nullcontext(None) if name == DUCKDB else Spark(None if name == SPARK_HERE else name)


@contextmanager
def cluster_for(name: str, files: Sequence[Path], sizes: Sequence[int]) -> Iterator[Spark | None]:
    """The Spark of that name, running and seeing the confidential files; None for DuckDB, which was tried. Reads nothing.

    Args:
        name: Of the engine.
        files: Looked for by every worker, by path and size alone.
        sizes: Their bytes when they were checked.

    Raises:
        ParameterError: as of `open_cluster`.
        SourceError: a worker does not find them.
        OutputError: DuckDB cannot be started here, or the folder for temporary files takes nothing.
    """
    spill.check()
    with open_cluster(name) as cluster:
        if cluster is None:
            duck.check()
        else:
            check_seen(cluster, files, sizes)
        yield cluster


def check_seen(cluster: Spark, files: Sequence[Path], sizes: Sequence[int]) -> None:
    """Raises SourceError when a worker that was asked has other files; as many are asked as tasks run at once, twice."""
    seen = Parts(_SEEN, tuple(range(2 * cluster.workers)), partial(_same, tuple(files), tuple(sizes)))
    with closing(cluster.run("SELECT seen.same FROM seen", {"seen": seen})) as answer:
        if not all(pa.Table.from_batches(answer, _SEEN)["same"].to_pylist()):
            problem = "are not there, or have changed, where the workers of the cluster look for them"
            raise SourceError("records", problem, "put them on storage that all workers reach by one path")


_SEEN: Final = pa.schema([("same", pa.bool_())])


def _same(files: tuple[Path, ...], sizes: tuple[int, ...], _: int) -> Iterator[pa.RecordBatch]:
    """In a worker: whether the files are there, each of its size."""
    try:
        same = all(path.stat().st_size == size for path, size in zip(files, sizes, strict=True))
    except OSError:
        same = False
    yield pa.record_batch([pa.array([same])], schema=_SEEN)
