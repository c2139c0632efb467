"""A standalone cluster of a master and two workers, started from the pip package as its users would, and a release by it."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from starling.engine import delimited
from starling.privacy.trust import inspect
from starling.tables.counts import count
from starling.tables.source import open_persons
from starling.tables.source.opened import OpenedRecords
from starling.verification import verify
from tests.conftest import ROOT
from tests.spark import QUICK, needed, running
from tests.tables.counts.test_counting import everything, toy
from tests.tables.counts.test_counting_failures import FAILED, persons, published
from tests.tables.source.records import GEOGRAPHY, GOOD, PLAN, row

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Cluster:
    """A master and two workers that run.

    Attributes:
        url: Of the master.
        spills: The folder of each worker for what does not fit into memory.
        works: The folder of each worker for its logs.
        environment: Of whoever uses it.
    """

    url: str
    spills: tuple[Path, ...]
    works: tuple[Path, ...]
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
    }
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
        works, spills = [folder / "work1", folder / "work2"], [folder / "spill1", folder / "spill2"]
        for work, spill in zip(works, spills, strict=True):
            spill.mkdir()
            size = ["--cores", "1", "--memory", "1500m", "--work-dir", str(work)]
            start("worker.Worker", *size, url, SPARK_LOCAL_DIRS=str(spill))
        until = time.monotonic() + 120
        while len(re.findall("Registering worker", log.read_text())) < 2:
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.2)
        yield Cluster(url, tuple(spills), tuple(works), environment)


@pytest.fixture
def private_cluster(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The cluster, with this process's environment as its users have it."""
    for name in ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME", "PYSPARK_PYTHON"):
        monkeypatch.setenv(name, cluster.environment[name])
    return cluster


def test_two_workers_count_what_duckdb_counts_and_tell_nobody_why_they_fail(
    private_cluster: Cluster, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One driver, since it takes seconds to start: equal counts; then a file that is cut off; then what the workers' disks hold."""
    monkeypatch.setattr(delimited, "CHUNK", 240)
    plan, geography, path = toy(shared_data)
    opened = open_persons(path, plan)
    here = everything(plan, geography, inspect(count(plan, geography, opened)).value)
    cut = persons(tmp_path, [row(QSPAN="xyzzy"), GOOD] * 400)
    with running(private_cluster.url) as spark:
        assert spark.workers == 2
        there = everything(plan, geography, inspect(count(plan, geography, opened, cluster=spark)).value)
        assert all(np.array_equal(one, other) for one, other in zip(here, there, strict=True))
        computation = count(PLAN, GEOGRAPHY, open_persons(cut, PLAN), cluster=spark)
        os.truncate(cut, 9000)
        # It is cut after the driver looked at it, so that it is workers that fail.
        monkeypatch.setattr(OpenedRecords, "check_unchanged", lambda _: None)
        assert published(computation) == FAILED
    logs = [file for work in private_cluster.works for file in work.rglob("stderr")]
    assert len(logs) >= 2, "both workers worked"
    for log in logs:
        assert "a part could not be read" in log.read_text()
        assert not re.search("xyzzy|are not what was checked|persons.txt", log.read_text())
    wait_until_empty(private_cluster.spills)


def wait_until_empty(folders: tuple[Path, ...]) -> None:
    """Workers remove what an application left on their disks a moment after its end."""
    until = time.monotonic() + 30
    while any(file for folder in folders for file in folder.rglob("*") if file.is_file()):
        assert time.monotonic() < until
        time.sleep(0.2)


def test_a_release_of_a_cluster_is_a_release(private_cluster: Cluster, shared_data: Path, tmp_path: Path) -> None:
    toy_folder = shared_data / "tables" / "toy_dataset"
    inputs: list[str | Path] = ["--persons", toy_folder / "person-records.txt", "--geography", toy_folder / "GRF-C.txt"]
    command: list[str | Path] = [
        Path(sys.executable).with_name("starling"),
        "tables",
        "release",
        toy_folder / "input_dir_zcdp",
        *inputs,
    ]
    command += ["--out", tmp_path / "out", "--engine", private_cluster.url, "--yes", "--unvalidated", "--json"]
    done = subprocess.run(
        command, env=private_cluster.environment, capture_output=True, timeout=300, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("... ") for line in done.stderr.decode().splitlines())
    assert json.loads(done.stdout)["rows"]["t1"] > 100
    verify(tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"out", ".out.records"}
