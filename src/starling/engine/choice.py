"""Which engine counts: DuckDB in this process, or Spark on this machine or on a cluster. Their counts are identical."""

import re
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from starling.engine.spark import Spark
from starling.errors import ParameterError

DUCKDB: Final = "duckdb"
SPARK_HERE: Final = "spark://local"

_MASTERS: Final = re.compile(r"spark://[A-Za-z0-9._-]+:[0-9]{1,5}(,[A-Za-z0-9._-]+:[0-9]{1,5})*")
"""As Spark names the master of a standalone cluster, and its standbys."""


def check_engine(name: str) -> None:
    """Raises ParameterError unless `name` is that of an engine: duckdb, spark://local or spark://HOST:PORT."""
    if name not in (DUCKDB, SPARK_HERE) and not _MASTERS.fullmatch(name):
        raise ParameterError(
            field="engine",
            problem="is neither duckdb, nor spark://local, nor the spark://HOST:PORT of a cluster's master",
            fix="leave it out to count with DuckDB",
        )


def open_cluster(name: str) -> AbstractContextManager[Spark | None]:
    """The Spark of that name, to be started by `with`; None for DuckDB, which needs no starting.

    Raises:
        ParameterError: when there is no such engine, or it cannot be started; nothing has been read then.
    """
    check_engine(name)
    if name == DUCKDB:
        return nullcontext(None)
    return Spark(None if name == SPARK_HERE else name)
