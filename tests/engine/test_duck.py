"""The engine answers one text over the tables it is handed, and reaches nothing else."""

import stat
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from starling.engine import duck
from starling.errors import OutputError

TABLE = pa.table({"a": [1, 1, 2]})


def answer(
    text: str, tables: Mapping[str, object] | None = None, limits: duck.Limits | None = None
) -> list[tuple[object, ...]]:
    batches = list(duck.run(text, {"t": TABLE} if tables is None else tables, limits))
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


def test_counts() -> None:
    text = "SELECT a, CAST(count(*) AS bigint) AS n FROM t GROUP BY a"
    assert sorted(answer(text)) == [(1, 2), (2, 1)]
    assert {batch.schema.field("n").type for batch in duck.run(text, {"t": TABLE})} == {pa.int64()}


def test_an_empty_answer_and_a_stream() -> None:
    batches = [pa.record_batch({"a": [number, number]}) for number in range(5)]
    stream = pa.RecordBatchReader.from_batches(batches[0].schema, iter(batches))
    assert sorted(answer("SELECT a, CAST(count(*) AS bigint) FROM t GROUP BY a", {"t": stream})) == [
        (n, 2) for n in range(5)
    ]
    assert answer("SELECT a FROM t WHERE a > 9") == []


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.csv"
    path.write_text("word\nxyzzy\n")
    return path


REACHES = {
    "read a file": "SELECT * FROM read_csv('{secret}')",
    "read a file by its name": "SELECT * FROM '{secret}'",
    "read bytes": "SELECT content FROM read_blob('{secret}')",
    "read text": "SELECT content FROM read_text('{secret}')",
    "list files": "SELECT * FROM glob('{folder}/*')",
    "copy out": "COPY t TO '{folder}/out.csv'",
    "attach": "ATTACH '{folder}/other.db'",
    "export": "EXPORT DATABASE '{folder}/all'",
    "two statements": "SELECT 1; COPY t TO '{folder}/out.csv'",
    "unlock": "SET lock_configuration = false",
    "allow a path": "SET allowed_paths = ['{secret}']",
    "allow a folder": "SET allowed_directories = ['{folder}']",
    "more memory": "SET memory_limit = '1TB'",
    "spill elsewhere": "SET temp_directory = '{folder}/spill'",
    "log": "CALL enable_logging(storage = 'file', storage_path = '{folder}/log')",
    "log queries": "SET log_query_path = '{folder}/log'",
    "profile": "PRAGMA enable_profiling",
    "python variable": "SELECT * FROM in_reach",
}
"""What an open connection does, so that its refusal means something."""

REACHES_FURTHER = {
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "load a file": "LOAD '{folder}/x.duckdb_extension'",
    "network": "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
    "persistent secret": "CREATE PERSISTENT SECRET s (TYPE s3)",
    "external access": "SET enable_external_access = true",
    "reset": "RESET enable_external_access",
}
"""What needs more than this test has, and is refused all the same."""


def reach(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """Run a text to its end, with a table in the caller's reach."""
    in_reach = TABLE
    connection.register("t", in_reach)
    result = connection.sql(text)
    if result is not None:
        result.fetchall()


@pytest.mark.series(4)
@pytest.mark.parametrize("name", REACHES)
def test_an_open_connection_would(secret: Path, name: str) -> None:
    reach(duckdb.connect(), REACHES[name].format(secret=secret, folder=secret.parent))


@pytest.mark.series(5)
@pytest.mark.parametrize("name", [*REACHES, *REACHES_FURTHER])
def test_attack_a21_the_engine_reaches_nothing(secret: Path, name: str) -> None:
    before = sorted(secret.parent.iterdir())
    text = (REACHES | REACHES_FURTHER)[name].format(secret=secret, folder=secret.parent)
    with tempfile.TemporaryDirectory() as spill, pytest.raises(duckdb.Error) as refused:
        reach(duck._locked(Path(spill), duck.default_limits()), text)
    assert "xyzzy" not in str(refused.value)
    with pytest.raises(OutputError):
        answer(text)
    assert sorted(secret.parent.iterdir()) == before


def test_attack_a06_no_function_is_registered_and_nothing_stays(tmp_path: Path) -> None:
    """No user code can be called, and no table, variable or file is left for the next run."""
    assert answer("SELECT count(*) FROM duckdb_functions() WHERE function_type = 'python'") == [(0,)]
    list(duck.run("CREATE TABLE kept AS SELECT * FROM t", {"t": TABLE}, replace(duck.default_limits(), spill=tmp_path)))
    with pytest.raises(OutputError):
        answer("SELECT * FROM kept")
    assert not list(tmp_path.iterdir())


def test_attack_a21_hostile_names_are_values(tmp_path: Path) -> None:
    """A folder's name cannot end the setting that it stands in."""
    folder = tmp_path / "it's; SET enable_external_access = true; --"
    folder.mkdir()
    limits = replace(duck.default_limits(), spill=folder)
    assert answer("SELECT CAST(count(*) AS bigint) FROM t", limits=limits) == [(3,)]
    with pytest.raises(OutputError):
        answer(f"SELECT * FROM glob('{tmp_path}/*')", limits=limits)


WIDE = "SELECT a, CAST(count(*) AS bigint) AS n FROM t GROUP BY a"


def many(rows: int = 3_000_000) -> dict[str, pa.Table]:
    return {"t": pa.table({"a": np.arange(rows) * 7919 % rows})}


@pytest.mark.slow
def test_what_does_not_fit_spills_to_a_private_folder_that_is_removed(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            for folder in tmp_path.iterdir():
                size = sum(file.stat().st_size for file in folder.glob("*") if file.exists())
                seen.append((stat.S_IMODE(folder.stat().st_mode), size))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        limits = duck.Limits(memory=60 << 20, disk=None, threads=2, spill=tmp_path)
        assert sum(batch.num_rows for batch in duck.run(WIDE, many(), limits)) == 3_000_000
    finally:
        done.set()
        watcher.join()
    assert max(size for _, size in seen) > 1_000_000, "it did spill"
    assert {mode for mode, _ in seen} == {0o700}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("memory", "disk"), [(60 << 20, 1 << 20), (1 << 20, None)], ids=["the disk is full", "memory is too small"]
)
def test_attack_a08_memory_or_disk_that_is_full(tmp_path: Path, memory: int, disk: int | None) -> None:
    with pytest.raises(OutputError, match="could not count within the memory and disk") as caught:
        list(duck.run(WIDE, many(), duck.Limits(memory, disk, 2, tmp_path)))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None, "the engine's words can hold values"
    assert not list(tmp_path.iterdir())


def test_no_place_to_spill(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="temporary folder"):
        answer("SELECT 1", limits=replace(duck.default_limits(), spill=tmp_path / "gone"))


def test_attack_a08_the_engine_does_not_quote_values() -> None:
    with pytest.raises(OutputError) as caught:
        answer("SELECT CAST(a AS int) FROM t", {"t": pa.table({"a": ["1", "xyzzy"]})})
    assert "xyzzy" not in f"{caught.value} {caught.value.__context__} {caught.value.__cause__}"


def test_a_stream_that_fails_fails_the_run(tmp_path: Path) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"a": [1]})
        raise OSError("gone")

    stream = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(OutputError):
        answer(WIDE, {"t": stream}, replace(duck.default_limits(), spill=tmp_path))
    assert not list(tmp_path.iterdir())


def test_closing_early_leaves_nothing(tmp_path: Path) -> None:
    run = duck.run(WIDE, many(100_000), replace(duck.default_limits(), spill=tmp_path))
    next(run)
    run.close()
    assert not list(tmp_path.iterdir())


def test_settings_are_those_that_are_asked_for() -> None:
    """Names of settings change between versions of the engine; a lost one must not go unseen."""
    limits = duck.Limits(memory=100 << 20, disk=1 << 30, threads=1, spill=None)
    settings = answer("SELECT name, value FROM duckdb_settings()", limits=limits)
    found = {str(name): value for name, value in settings}
    assert duckdb.__version__ >= "2"
    expected = {
        "enable_external_access": "false",
        "lock_configuration": "true",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_unsigned_extensions": "false",
        "allow_persistent_secrets": "false",
        "python_enable_replacements": "false",
        "allowed_paths": "[]",
        "threads": "1",
        "memory_limit": "100.0 MiB",
        "max_temp_directory_size": "1.0 GiB",
    }
    assert {name: found[name] for name in expected} == expected
    (only,) = str(found["allowed_directories"]).strip("[]").split(",")
    assert Path(only).name.startswith("starling-"), "the engine's own rule: its temporary folder, and no other"
