"""The count on Spark: the same text over the same records, which the workers read.

The answer is put into the form that DuckDB's has; what comes after works on both alike.
"""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from starling.engine.choice import open_cluster
from starling.engine.spark import Parts, Spark
from starling.errors import Problem, SourceError
from starling.tables.counts.kernels import Int16, Int32, Int64, UInt8
from starling.tables.plan import Plan
from starling.tables.source import Persons
from starling.tables.source.lookup import Lookup, RaceSets
from starling.tables.source.parts import from_codes, person_parts


def count_on(
    cluster: Spark, text: str, plan: Plan, persons: Persons, book: Lookup, public: pa.Table, sets: RaceSets, chunk: int
) -> Generator[tuple[Int32, Int32, Int16, UInt8, Int64], None, None]:
    """The columns of the answer to the text, batch by batch: unit, number of the set of race codes, qspan, cell, persons.

    Args:
        cluster: Running.
        text: COUNTING_SQL.
        plan: Says which columns are read.
        persons: The checked file.
        book: What its text is looked up in.
        public: The table `cells`.
        sets: Numbers the sets of race codes.
        chunk: Bytes of text that a worker reads at once.
    """
    # Spark has no unsigned integers.
    small = public.set_column(public.schema.get_field_index("cell"), "cell", public["cell"].cast(pa.int8()))
    tables = {"persons": person_parts(persons, plan, book, chunk=chunk), "cells": small}
    with closing(cluster.run(text, tables)) as answer:
        for batch in answer:
            unit, races, qspan, cell, many = batch.columns
            yield (
                unit.to_numpy(),
                from_codes(races, sets),
                qspan.to_numpy(),
                cell.to_numpy().astype(np.uint8),
                many.to_numpy(),
            )


@contextmanager
def cluster_for(engine: str, persons: Persons) -> Iterator[Spark | None]:
    """The engine of that name, running and seeing the records; None for DuckDB. Before a charge: it opens nothing.

    Args:
        engine: duckdb, spark://local or spark://HOST:PORT.
        persons: Looked for by every worker, by path and size alone.

    Raises:
        ParameterError: when there is no such engine or it does not start.
        SourceError: when a worker does not find the records.
    """
    with open_cluster(engine) as cluster:
        if cluster is not None:
            _check_seen(cluster, persons)
        yield cluster


def _check_seen(cluster: Spark, persons: Persons) -> None:
    """Raises SourceError when a worker that was asked has another file; as many are asked as tasks run at once, twice."""
    seen = Parts(_SEEN, tuple(range(2 * cluster.workers)), partial(_same, persons.parts, persons.sizes))
    with closing(cluster.run("SELECT seen.same FROM seen", {"seen": seen})) as answer:
        if not all(pa.Table.from_batches(list(answer), _SEEN)["same"].to_pylist()):
            problem = "is not there, or not the same file, where the workers of the cluster look for it"
            fix = "put it on storage that all of them reach by this path"
            raise SourceError(problems=[Problem("persons", problem, fix, persons.parts[0].name)])


_SEEN: Final = pa.schema([("same", pa.bool_())])


def _same(paths: tuple[Path, ...], sizes: tuple[int, ...], _: int) -> Iterator[pa.RecordBatch]:
    """In a worker: whether the files are there."""
    try:
        same = all(path.stat().st_size == size for path, size in zip(paths, sizes, strict=True))
    except OSError:
        same = False
    yield pa.record_batch([pa.array([same])], schema=_SEEN)
