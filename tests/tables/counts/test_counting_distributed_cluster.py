"""A standalone cluster of a master and a worker, started from the pip package as its users would, and a release by two executors of it."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.engine import delimited
from starling.engine.spark import Spark, open_cluster
from starling.privacy.trust import inspect
from starling.tables.counts import count
from starling.tables.source import open_persons
from starling.tables.source.opened import OpenedRecords
from starling.verification import verify
from tests.conftest import ROOT
from tests.spark import QUICK, end_shared, needed
from tests.tables.counts.test_counting import everything, toy
from tests.tables.counts.test_counting_failures import FAILED, persons, published
from tests.tables.source.records import GEOGRAPHY, GOOD, PLAN, row

pytestmark = pytest.mark.slow


DEFAULTS = """\
spark.executor.cores 1
spark.task.maxFailures 3
spark.excludeOnFailure.enabled true
spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor 1
"""
"""Settings of the cluster: the worker's two cores are two executors, as many processes as two workers would have, and what failed in both
is tried no more."""


@dataclass(frozen=True)
class Cluster:
    """A master and a worker that run.

    Attributes:
        url: Of the master.
        spill: The worker's folder for what does not fit into memory.
        work: Its folder for the logs of executors.
        environment: Of its users.
    """

    url: str
    spill: Path
    work: Path
    environment: dict[str, str]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def ended(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    process.wait(30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    needed()
    import pyspark

    folder = tmp_path_factory.mktemp("cluster")
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *sys.path]),
        "JDK_JAVA_OPTIONS": QUICK,
        "SPARK_CONF_DIR": str(folder / "conf"),
    }
    work, spill, conf = (folder / name for name in ("work", "spill", "conf"))
    spill.mkdir()
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(DEFAULTS)
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:

        def start(kind: str, *arguments: str, **more: str) -> Path:
            log = folder / f"{kind}{len(list(folder.iterdir()))}.log"
            command: list[str | Path] = [
                program,
                f"org.apache.spark.deploy.{kind}",
                "--host",
                "127.0.0.1",
                "--webui-port",
                "0",
                *arguments,
            ]
            with log.open("wb") as out:
                process = subprocess.Popen(command, env=environment | more, stdout=out, stderr=out, cwd=folder)
            stack.callback(ended, process)
            return log

        log = start("master.Master", "--port", str(port))
        size = ["--cores", "2", "--memory", "3000m", "--work-dir", str(work)]
        start("worker.Worker", *size, url, SPARK_LOCAL_DIRS=str(spill))
        until = time.monotonic() + 120
        while "Registering worker" not in log.read_text():
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.2)
        yield Cluster(url, spill, work, environment)


@pytest.fixture
def private_cluster(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The cluster, with this process's environment as its users have it; another Spark of the process has ended."""
    end_shared()
    for name in ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME", "PYSPARK_PYTHON", "JDK_JAVA_OPTIONS", "SPARK_CONF_DIR"):
        monkeypatch.setenv(name, cluster.environment[name])
    return cluster


@pytest.mark.usefixtures("spark")
def test_two_executors_count_what_duckdb_counts_and_do_not_tell_why_they_fail(
    private_cluster: Cluster, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One driver, since it takes seconds to start: equal counts; a release; a file that is cut off; then what the worker's disk holds.

    It starts where the Spark that files share has run: a process can start one after another.
    """
    plan, geography, path = toy(shared_data)
    monkeypatch.setattr(delimited, "CHUNK", path.stat().st_size // 2)
    opened = open_persons(path, plan)
    here = everything(plan, geography, inspect(count(plan, geography, opened)).value)
    cut = persons(tmp_path, [row(QSPAN="xyzzy"), GOOD] * 10)
    with open_cluster(private_cluster.url) as spark:
        assert spark is not None
        assert spark.workers == 2
        there = everything(plan, geography, inspect(count(plan, geography, opened, cluster=spark)).value)
        assert all(np.array_equal(one, other) for one, other in zip(here, there, strict=True))
        check_release(private_cluster.url, spark, path, tmp_path / "release")
        # Three parts, of which two cannot be read.
        size = cut.stat().st_size
        monkeypatch.setattr(delimited, "CHUNK", size // 3)
        computation = count(PLAN, GEOGRAPHY, open_persons(cut, PLAN), cluster=spark)
        os.truncate(cut, size // 3)
        # It is cut after the driver looked at it, so that it is executors that fail.
        monkeypatch.setattr(OpenedRecords, "check_unchanged", lambda _: None)
        assert published(computation) == FAILED
    logs = [log.read_text() for log in private_cluster.work.rglob("stderr")]
    assert sum("a part could not be read" in log for log in logs) == 2, "both executors failed"
    # Now and then a worker begins another executor while the driver ends.
    assert not re.search("xyzzy|are not what was checked|persons.txt", "".join(logs))
    wait_until_empty(private_cluster.spill)


def check_release(url: str, spark: Spark, path: Path, folder: Path) -> None:
    """The command with `--engine URL` releases what verifies, says nothing else, and leaves nothing else.

    Its `open_cluster` gives the Spark that this test has opened by the same URL. What a process prints and leaves that starts Spark and
    ends it: `tests/engine/test_spark.py::test_it_leaves_nothing`.
    """
    folder.mkdir()
    plan, geography = path.with_name("input_dir_zcdp"), path.with_name("GRF-C.txt")
    command: list[str | Path] = ["tables", "release", plan, "--persons", path, "--geography", geography]
    command += ["--out", folder / "out", "--engine", url, "--yes", "--unvalidated", "--json"]
    with mock.patch("starling.engine.spark.open_cluster", return_value=nullcontext(spark)) as opening:
        done = CliRunner().invoke(main, [str(word) for word in command], catch_exceptions=False)
    opening.assert_called_once_with(url)
    assert done.exit_code == 0, done.stderr
    assert all(line.startswith("... ") for line in done.stderr.splitlines())
    assert json.loads(done.stdout)["rows"]["t1"] > 100
    verify(folder / "out")
    assert {path.name for path in folder.iterdir()} == {"out", ".out.records"}


def wait_until_empty(folder: Path) -> None:
    """A worker removes what an application left on its disk a moment after its end."""
    until = time.monotonic() + 30
    while any(file.is_file() for file in folder.rglob("*")):
        assert time.monotonic() < until
        time.sleep(0.2)
