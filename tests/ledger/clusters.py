"""A PostgreSQL server of a test's own, which the test may stop and start."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import psycopg
import pytest

from starling.privacy.sampling.entropy import fresh_id

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
ACCOUNT = "postgres"


class Cluster:
    """A server in a folder, which listens on a socket there and on no port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # PostgreSQL refuses to run as root.
        self._as = ACCOUNT if os.geteuid() == 0 else None
        if self._as is not None:
            shutil.chown(folder, self._as)
        self._run("initdb", "-A", "trust", "-U", ACCOUNT, "--no-sync")

    def start(self) -> None:
        """Returns when it takes connections."""
        said = f"-k {self._folder} -c listen_addresses="
        self._run("pg_ctl", "-l", str(self._folder / "log"), "-w", "-o", said, "start")

    def stop(self, how: Literal["fast", "immediate"]) -> None:
        """Returns when none of its processes is left."""
        self._run("pg_ctl", "-m", how, "-w", "stop")

    def database(self) -> str:
        """The URL of a new database."""
        name = f"starling_{fresh_id()}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql://{ACCOUNT}@/{database}?host={self._folder}"

    def _run(self, program: str, *arguments: str) -> None:
        command: list[str | Path] = [PROGRAMS[-1].with_name(program), "-D", self._folder / "data", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder, user=self._as)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """One that runs; skips where PostgreSQL is not installed."""
    if not PROGRAMS:
        pytest.skip("no PostgreSQL: there is no initdb below /usr/lib/postgresql")
    # A folder of pytest is closed to the account, and its path too long for a socket.
    with tempfile.TemporaryDirectory() as folder:
        server = Cluster(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
