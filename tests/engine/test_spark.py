"""Spark answers what DuckDB answers, tells nobody why it fails, listens to nobody, and leaves this process as it found it."""

import hashlib
import logging
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from starling.engine import duck
from starling.engine.spark import Parts, Spark
from starling.errors import OutputError, ParameterError
from tests.conftest import ROOT
from tests.spark import QUICK, end_shared, needed, running

pytestmark = pytest.mark.slow

NUMBERS = pa.schema([("a", pa.int32()), ("word", pa.binary())])
PUBLIC = pa.table({"a": pa.array([0, 1, 2], pa.int8()), "kind": pa.array([10, 11, 10], pa.int16())})
TEXT = """\
SELECT t.word, u.kind, CAST(count(*) AS bigint) AS n
FROM t JOIN u ON u.a = t.a GROUP BY t.word, u.kind"""


def table(count: int) -> Parts:
    """Rows in `count` parts. The function is nested, so that it travels whole: workers do not have the tests."""

    def read(part: int) -> Iterator[pa.RecordBatch]:
        for step in range(3):
            words = [bytes([65 + part]) * (i % 3) for i in range(50)]
            numbers = pa.array([(i * part + step) % 5 for i in range(50)], pa.int32())
            yield pa.record_batch([numbers, pa.array(words, pa.binary())], names=["a", "word"])

    return Parts(NUMBERS, tuple(range(count)), read)


def rows(batches: Iterator[pa.RecordBatch]) -> list[tuple[object, ...]]:
    return sorted(tuple(row.values()) for batch in batches for row in batch.to_pylist())


def test_a_java_that_does_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is left behind by what did not start."""
    needed()
    end_shared()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin" / "java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    before = (logging.root.manager.disable, signal.getsignal(signal.SIGINT))
    (tmp_path / "spill").mkdir()
    with pytest.raises(ParameterError, match="did not start"), running(spill=tmp_path / "spill"):
        pass
    assert (logging.root.manager.disable, signal.getsignal(signal.SIGINT)) == before
    assert not list((tmp_path / "spill").iterdir())


@pytest.fixture(scope="module")
def folder(spark: Spark) -> Path:
    """Where Spark puts its files."""
    return Path(spark._session.sparkContext.getConf().get("spark.local.dir"))


@pytest.mark.parametrize("count", [0, 1, 7])
def test_one_text_two_engines(spark: Spark, count: int) -> None:
    parts = table(count)
    whole = pa.Table.from_batches([batch for part in parts.parts for batch in parts.read(part)], NUMBERS)
    assert rows(spark.run(TEXT, {"t": parts, "u": PUBLIC})) == rows(duck.run(TEXT, {"t": whole, "u": PUBLIC}))


def test_nothing_stays_for_the_next_run(spark: Spark) -> None:
    rows(spark.run(TEXT, {"t": table(1), "u": PUBLIC}))
    with pytest.raises(OutputError):
        rows(spark.run(TEXT, {"u": PUBLIC}))


def test_closing_early_ends_the_run(spark: Spark) -> None:
    run = spark.run(TEXT, {"t": table(3), "u": PUBLIC})
    next(run)
    run.close()
    assert rows(spark.run("SELECT u.kind FROM u", {"u": PUBLIC})) == [(10,), (10,), (11,)]


FAILING: dict[str, Callable[[int], Iterator[pa.RecordBatch]]] = {
    "raises": lambda part: (_ for _ in ()).throw(ValueError(f"xyzzy {part}")),
    "ends its worker": lambda part: os._exit(3 + part),
    "gives other columns": lambda part: iter([pa.record_batch({"a": [f"xyzzy {part}"]})]),
}


@pytest.mark.parametrize("name", FAILING)
def test_attack_a08_a_part_that_fails_tells_nothing(
    spark: Spark, name: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever happens in a worker: the same words, no context, nothing printed or logged; the next run works."""
    with pytest.raises(OutputError, match="could not count with what Spark was given") as caught:
        rows(spark.run(TEXT, {"t": Parts(NUMBERS, (0, 1), FAILING[name]), "u": PUBLIC}))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""
    assert rows(spark.run("SELECT u.kind FROM u", {"u": PUBLIC}))


def test_a_text_that_does_not_fit_tells_nothing(spark: Spark, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OutputError):
        rows(spark.run("SELECT u.xyzzy FROM u", {"u": PUBLIC}))
    assert capfd.readouterr() == ("", "")


def test_settings_are_those_that_are_asked_for(spark: Spark) -> None:
    """Names of settings change between versions of Spark; a lost one must not go unseen."""
    context: Any = spark._session.sparkContext._jsc.sc()
    assert context.uiWebUrl().isEmpty(), "it serves no page"
    assert not context.isEventLogEnabled(), "it keeps no history"
    assert not context.conf().getBoolean("spark.speculation", True), "no task runs twice at once"
    assert spark._session._jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel().toString() == "OFF"


def test_attack_a21_what_lies_on_the_disk_is_encrypted(spark: Spark, folder: Path) -> None:
    """A value that no compression shortens is on the disk while the answer is read, and cannot be found there."""
    token = hashlib.sha256(b"somebody").digest()

    def read(part: int) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([pa.array([part], pa.int32()), pa.array([token], pa.binary())], names=["a", "word"])

    run = spark.run(TEXT, {"t": Parts(NUMBERS, (0, 1), read), "u": PUBLIC})
    assert next(run)["word"][0].as_py() == token
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    run.close()
    assert len(written) > 2
    assert not [one for one in written if token[:16] in one]


def listening(process: int) -> set[str]:
    """Hexadecimal addresses that a process accepts connections at, as Linux lists them."""
    links = [str(link.readlink()) for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink()]
    sockets = {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}
    lines = [line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()]
    return {line[1].split(":")[0] for line in lines if line[3] == "0A" and line[9] in sockets}


def test_attack_a21_it_listens_to_this_machine_alone(spark: Spark) -> None:
    process = spark._session._sc._gateway.proc.pid
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    found = listening(process)
    assert found
    assert found <= loopback


def test_what_it_writes_is_private(spark: Spark, folder: Path) -> None:
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_another_spark_of_this_process_is_refused(spark: Spark) -> None:
    with pytest.raises(ParameterError, match="is busy"), Spark():
        pass


LIFE = """
import logging, os, signal, sys
from dataclasses import replace
from pathlib import Path
import pyarrow as pa
from starling.engine.spark import Spark
from tests.spark import LIMITS
def state():
    return os.environ.get("PYSPARK_PYTHON"), logging.root.manager.disable, signal.getsignal(signal.SIGINT)
before = state()
with Spark(None, replace(LIMITS, threads=1)) as spark:
    assert sum(batch.num_rows for batch in spark.run("SELECT u.a FROM u", {"u": pa.table({"a": [1, 2]})})) == 2
assert state() == before, state()
assert not list(Path(os.environ["TMPDIR"]).iterdir()), list(Path(os.environ["TMPDIR"]).rglob("*"))
"""


def test_it_leaves_nothing(tmp_path: Path) -> None:
    """No file, no word, no setting of the process; neither in the folder for temporary files nor in the one it is started from.

    That a process can start another afterwards: `tests/tables/counts/test_counting_distributed_cluster.py`.
    """
    needed()
    (tmp_path / "temporary").mkdir()
    (tmp_path / "here").mkdir()
    settings = os.environ | {
        "TMPDIR": str(tmp_path / "temporary"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "JDK_JAVA_OPTIONS": QUICK,
    }
    command = [sys.executable, "-c", LIFE]
    done = subprocess.run(command, cwd=tmp_path / "here", env=settings, capture_output=True, timeout=600, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not list((tmp_path / "here").iterdir())


def test_a_missing_pyspark_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ParameterError, match=r"pip install 'starling-dp\[spark\]'"), Spark():
        pass


def test_a_missing_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    needed()
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParameterError, match="needs Java"), Spark():
        pass


def test_a_master_that_does_not_answer_is_named() -> None:
    needed()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ParameterError, match="does not answer"), Spark(f"spark://127.0.0.1:{port},127.0.0.1:99999"):
        pass
