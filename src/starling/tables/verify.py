"""What only the domain can verify of a tables release: that its laws follow from its plan, and its tables from its measurements.

Everything is read from the folder itself: the public plan, the noisy measurements, the published tables. Post-processing is run
again, level by level, and must give every published number bit for bit: the values of the Parquet files, the bytes of the text.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from io import RawIOBase
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.errors import IntegrityError, PlanError, Problem
from starling.release import datapackage, registry, statement
from starling.release.manifest import AGAIN, OWN_LEDGER, SIGNATURE
from starling.tables.artifact.data import MOST_CSV_ROWS, census, csv, measurements_path
from starling.tables.artifact.parameters import domain
from starling.tables.artifact.public_plan import PLAN, REGIONS, read_plan
from starling.tables.artifact.reading import read_measurements
from starling.tables.measurements import Measurements
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import T1_SCHEMA, T2_SCHEMA, tabulate

SCHEMAS: Final = {"t1": T1_SCHEMA, "t2": T2_SCHEMA}
BATCH: Final = 1 << 18
"""Published rows that are read at a time."""

REQUIRED: Final = (
    *(f"data/{name}.{suffix}" for name in SCHEMAS for suffix in ("parquet", "txt")),
    *(PLAN, REGIONS, statement.FILE, registry.FILE, datapackage.FILE, "report.html"),
)
OPTIONAL: Final = (SIGNATURE, OWN_LEDGER, *(f"data/{name}.csv" for name in SCHEMAS))


def check(folder: Path, stated: Mapping[str, Any], hashes: Mapping[str, str]) -> list[Problem]:
    """Everything that is wrong with a tables release beyond hashes, signature and arithmetic.

    Args:
        folder: Of the release; its files are as they were signed.
        stated: Its privacy.json.
        hashes: SHA-256 of each of its files.
    """
    try:
        plan, geography = read_plan(folder)
    except IntegrityError as error:
        return list(error.problems)
    except PlanError as error:
        return [Problem(each.field, each.problem, AGAIN, PLAN) for each in error.problems]
    problems = [*_statement(plan, geography, stated), *_files(plan, hashes)]
    return problems or _tables(folder, plan, geography, hashes)


def _statement(plan: Plan, geography: Geography, stated: Mapping[str, Any]) -> list[Problem]:
    """What privacy.json states otherwise than the plan in the folder gives it."""
    ours = domain(plan, geography)
    relation = plan.guarantee.relation
    expected: dict[str, Any] = {
        "domain": ours.name,
        "neighbours": {"change": relation.change, "unit": relation.unit, "words": str(relation)},
        "composition": statement.composition(plan.guarantee),
        "mechanism": ours.mechanism,
        "bounds": ours.bounds,
        "invariants": list(ours.invariants),
    }
    # As JSON says it: a tuple is a list there.
    expected = json.loads(json.dumps(expected))
    return [
        Problem(field, "is not what the public plan in the folder gives", AGAIN, statement.FILE)
        for field, value in expected.items()
        if stated.get(field) != value
    ]


def _files(plan: Plan, hashes: Mapping[str, str]) -> list[Problem]:
    """Files that a tables release has, and only those."""
    required = {*REQUIRED, *map(measurements_path, plan.levels)}
    problems = [Problem(name, "is missing from the release", AGAIN) for name in sorted(required - hashes.keys())]
    beyond = sorted(hashes.keys() - required - set(OPTIONAL))
    return problems + [Problem(name, "is no file of a tables release", AGAIN) for name in beyond]


def _tables(folder: Path, plan: Plan, geography: Geography, hashes: Mapping[str, str]) -> list[Problem]:
    """Post-process the shipped measurements again, a level at a time, and compare."""
    try:
        published = {name: _Published(folder, name, hashes) for name in SCHEMAS}
        for level in plan.levels:
            measured = read_measurements(folder, level, geography.regions[level.geography])
            # One level at a time, so that a national release fits into memory.
            again = tabulate(replace(plan, levels=(level,)), geography, Measurements((measured,)))
            published["t1"].compare(again.t1)
            published["t2"].compare(again.t2)
    except IntegrityError as error:
        return list(error.problems)
    return [problem for table in published.values() for problem in table.finish()]


class _Published:
    """One published table in its two or three forms, compared in order with what it should be.

    Raises:
        IntegrityError: its Parquet file has other columns, or cannot be read.
    """

    def __init__(self, folder: Path, name: str, hashes: Mapping[str, str]) -> None:
        self._name = f"data/{name}.parquet"
        self._rows = 0
        self._differing: dict[str, int] = {}
        try:
            self._file = pq.ParquetFile(folder / self._name)
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        if not self._file.schema_arrow.equals(SCHEMAS[name]):
            raise self._wrong("has other columns or types than the table has")
        self._batches = self._file.iter_batches(batch_size=BATCH)
        self._left = SCHEMAS[name].empty_table()
        self._hashes = hashes
        self._texts = {
            path: (made, kind(made, SCHEMAS[name].names))
            for path, kind in ((f"data/{name}.txt", census), (f"data/{name}.csv", csv))
            if path in hashes
            for made in [_Hash()]
        }
        self._csv = f"data/{name}.csv"

    def _wrong(self, problem: str) -> IntegrityError:
        return IntegrityError(field=self._name, problem=problem, fix=AGAIN)

    def compare(self, expected: pa.Table) -> None:
        """The next rows should be these."""
        for _, text in self._texts.values():
            text.write(expected)
        found = self._next(len(expected))
        for column in expected.column_names:
            if column not in self._differing:
                row = _first_difference(expected[column].slice(0, len(found)), found[column])
                if row is not None:
                    self._differing[column] = self._rows + row
        self._rows += len(expected)

    def _next(self, count: int) -> pa.Table:
        """Up to `count` published rows."""
        parts, rows = [self._left], len(self._left)
        try:
            while rows < count and (batch := next(self._batches, None)) is not None:
                parts.append(pa.Table.from_batches([batch]))
                rows += len(batch)
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        table = pa.concat_tables(parts)
        self._left = table.slice(count)
        return table.slice(0, count)

    def finish(self) -> Iterable[Problem]:
        """What differs, after all rows."""
        for column, row in self._differing.items():
            problem = f"is in row {row + 1} not what the shipped measurements give"
            yield Problem(f"column {column}", problem, AGAIN, self._name)
        rows = self._file.metadata.num_rows
        if rows != self._rows:
            yield Problem(self._name, f"has {rows:,} rows where the shipped measurements give {self._rows:,}", AGAIN)
        if (self._rows < MOST_CSV_ROWS) != (self._csv in self._hashes):
            yield Problem(self._csv, f"is there for a table below {MOST_CSV_ROWS:,} rows, and only then", AGAIN)
        for path, (made, _) in self._texts.items():
            if made.hexdigest() != self._hashes[path]:
                yield Problem(path, "is not the text that the shipped measurements give", AGAIN)


def _first_difference(ours: pa.ChunkedArray, found: pa.ChunkedArray) -> int | None:
    """The first row that differs in any bit; rows beyond either end are not compared."""
    if pa.types.is_floating(ours.type):
        # As numbers, 0 and -0 would be equal, and NaN unequal to itself.
        ours, found = (pa.chunked_array([column.combine_chunks().view(pa.int64())]) for column in (ours, found))
    if ours.equals(found):
        return None
    same = pc.equal(ours, found).fill_null(False).to_numpy()
    places = np.flatnonzero(~same)
    return int(places[0]) if len(places) else None


class _Hash(RawIOBase):
    """A file that keeps nothing but the SHA-256 of what is written."""

    def __init__(self) -> None:
        super().__init__()
        self._hash = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._hash.update(data)
        return len(data)

    def hexdigest(self) -> str:
        """Of all that was written."""
        return self._hash.hexdigest()
