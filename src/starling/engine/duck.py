"""DuckDB as a pure function: one SQL text over the tables it is handed, and nothing else in reach.

Everything is handed over as Arrow, so no file is registered and the engine may open none: no path, network, extension, secret, or
Python variable, and no setting can be changed once the text runs. What does not fit into memory spills to a folder of its own
(mode 0700), removed at the end. A process that is killed leaves that folder behind: where confidential bytes must not stay on a disk,
point TMPDIR at an encrypted one.

The text is the record of what was counted: it is kept to what DuckDB and Spark both understand, and printed in the provenance.
"""

import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa

from starling.engine import machine
from starling.errors import OutputError

BATCH_ROWS: Final = 1_000_000
"""Rows of the Arrow batches that come out."""

MOST_MEMORY: Final = 4 << 30
"""Bytes that the engine uses by default, where the machine has twice that; beyond it spills."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use; public, from the machine and its owner.

    Attributes:
        memory: How many bytes of working memory it may use.
        disk: How many bytes the spill folder may have; None for most of the free space.
        threads: How many processors it may use.
        spill: Folder in which the private spill folder is made; None for the system's temporary folder.
    """

    memory: int
    disk: int | None
    threads: int
    spill: Path | None


def default_limits() -> Limits:
    """Half of the machine's memory up to MOST_MEMORY, its free disk, its processors."""
    return Limits(min(MOST_MEMORY, machine.memory() // 2), None, machine.processors(), None)


def run(
    text: str, tables: Mapping[str, pa.Table | pa.RecordBatchReader], limits: Limits | None = None
) -> Generator[pa.RecordBatch, None, None]:
    """Run one SELECT over the given tables and stream its rows, as `run_each` does."""
    return run_each(text, [tables], limits)


def run_each(
    text: str, inputs: Iterable[Mapping[str, pa.Table | pa.RecordBatchReader]], limits: Limits | None = None
) -> Generator[pa.RecordBatch, None, None]:
    """Run one SELECT over each of the inputs, one after the other in one database, and stream the rows of all.

    Args:
        text: The SQL.
        inputs: Of each, tables by the name that the text uses; a RecordBatchReader is read once, as a stream.
        limits: What the database may use; by default `default_limits()`.

    Raises:
        OutputError: when it does not fit into memory and disk, or the text does not fit the tables. Without the engine's own
            words, which can hold values of records.
    """
    limits = limits or default_limits()
    failed = False
    try:
        with tempfile.TemporaryDirectory(prefix="starling-", dir=limits.spill) as spill:
            connection = _locked(Path(spill), limits)
            try:
                for tables in inputs:
                    for name, table in tables.items():
                        connection.register(name, table)
                    yield from connection.sql(text).to_arrow_reader(BATCH_ROWS)
            finally:
                connection.close()
    except (duckdb.Error, pa.ArrowException, OSError, MemoryError):
        failed = True
    if failed:
        # Raised outside the handler, so that the engine's message is not kept as the context of the error.
        raise OutputError(
            "engine",
            "could not count within the memory and disk it was given",
            "free memory or space in the temporary folder",
        )


@cache
def check(limits: Limits | None = None) -> None:
    """Open, set and ask a database as `run` does; before a charge, since it may be refused here.

    Once in a process: what starts here starts again, and `spill.check` looks at the folder for temporary files each time.

    Raises:
        OutputError: when it does not answer.
    """
    try:
        with closing(run("SELECT one.number AS number FROM one", {"one": pa.table({"number": [1]})}, limits)) as answer:
            answered = pa.Table.from_batches(answer).num_rows == 1
    except OutputError:
        answered = False
    if not answered:
        fix = "see that the folder for temporary files can be written and has room, and that DuckDB is the version that pip installs"
        raise OutputError("engine", "cannot be started here", fix)


def _locked(spill: Path, limits: Limits) -> duckdb.DuckDBPyConnection:
    """An empty in-memory database that reaches nothing but `spill`, and cannot be told otherwise."""
    connection = duckdb.connect(":memory:")
    settings: dict[str, str | int | bool] = {
        **({} if limits.disk is None else {"max_temp_directory_size": f"{limits.disk}B"}),
        "temp_directory": str(spill),
        "memory_limit": f"{limits.memory}B",
        "threads": limits.threads,
        "preserve_insertion_order": False,
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_extension_repositories": "forbidden",
        "allow_persistent_secrets": False,
        "enable_external_access": False,
        "lock_configuration": True,  # last: from here on no setting changes
    }
    with suppress(duckdb.Error):
        # A notebook without ipywidgets has no progress bar, and no setting for one.
        connection.execute("SET enable_progress_bar = false")
    for name, value in settings.items():
        connection.execute(f"SET {name} = {_literal(value)}")
    return connection


def _literal(value: str | int | bool) -> str:
    """A setting's value as SQL; settings take no parameters."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).lower()
