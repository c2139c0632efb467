"""What only the domain can verify of a tables release: that its laws follow from its plan, and its tables from its measurements.

Everything is read from the folder itself: the public plan, the noisy measurements, the published tables. Post-processing is run
again, level by level, and must give every published number bit for bit: the values of the Parquet files, the bytes of the text.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from io import RawIOBase
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
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
from starling.tables.plan import Geography, Plan
from starling.tables.postprocess import T1_SCHEMA, T2_SCHEMA, tabulate_level

Places: TypeAlias = npt.NDArray[np.int32]

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
            again = tabulate_level(plan, geography, level, measured)
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
        self._name, self._csv = f"data/{name}.parquet", f"data/{name}.csv"
        self._rows = 0
        self._differing: dict[str, int] = {}
        self._hashes = hashes
        schema = SCHEMAS[name]
        words = [field.name for field in schema if pa.types.is_string(field.type)]
        try:
            if not pq.read_schema(folder / self._name).equals(schema):
                raise self._wrong("has other columns or types than the table has")
            # Text as places in a dictionary: the same few names stand in most rows.
            self._file = pq.ParquetFile(folder / self._name, read_dictionary=words)
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        self._batches = self._file.iter_batches(batch_size=BATCH)
        self._left = pa.RecordBatch.from_pylist([], self._file.schema_arrow)
        self._texts = {
            path: (made, kind(made, schema.names))
            for path, kind in ((f"data/{name}.txt", census), (self._csv, csv))
            if path in hashes
            for made in [_Hash()]
        }

    def _wrong(self, problem: str) -> IntegrityError:
        return IntegrityError(field=self._name, problem=problem, fix=AGAIN)

    def compare(self, expected: pa.Table) -> None:
        """The next rows should be these."""
        for _, text in self._texts.values():
            text.write(expected)
        done = 0
        while done < len(expected) and len(batch := self._next(len(expected) - done)):
            for column in expected.column_names:
                if column not in self._differing:
                    row = _first_difference(expected[column].slice(done, len(batch)), batch[column])
                    if row is not None:
                        self._differing[column] = self._rows + done + row
            done += len(batch)
        self._rows += len(expected)

    def _next(self, most: int) -> pa.RecordBatch:
        """Some published rows, up to `most`; none at the end."""
        try:
            while not len(self._left) and (batch := next(self._batches, None)) is not None:
                self._left = batch
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        given = self._left.slice(0, most)
        self._left = self._left.slice(len(given))
        return given

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


def _first_difference(ours: pa.ChunkedArray, found: pa.Array) -> int | None:
    """The first row that differs in any bit, of as many rows as both have."""
    expected = ours.chunk(0) if ours.num_chunks == 1 else ours.combine_chunks()
    if pa.types.is_dictionary(found.type):
        names = expected.dictionary
        # Both as places among our names, each name by its first place; -1 for what is none of them.
        same = _places(expected, _among(names, names)) == _places(found, _among(found.dictionary, names))
    elif found.null_count:
        same = pc.equal(expected, found).fill_null(False).to_numpy(zero_copy_only=False)
    else:
        same = _bits(expected) == _bits(found)
    return None if same.all() else int(np.argmin(same))


def _among(names: pa.Array, ours: pa.Array) -> Places:
    """Where each name stands among ours; -1 for one that does not, and at the end for a row without a name."""
    found: Places = pc.index_in(names, ours).fill_null(-1).to_numpy(zero_copy_only=False)
    return np.append(found, np.int32(-1))


def _places(column: pa.DictionaryArray, places: Places) -> Places:
    index: Places = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if np.array_equal(places[:-1], np.arange(len(places) - 1)) and not column.null_count:
        return index
    return places[index]


def _bits(column: pa.Array) -> npt.NDArray[np.generic]:
    """As numbers, 0 and -0 would be equal, and NaN unequal to itself."""
    values: npt.NDArray[np.generic] = column.to_numpy(zero_copy_only=False)
    return values.view(np.int64) if values.dtype == np.float64 else values


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
