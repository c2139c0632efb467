"""Published tables compared, piece by piece, with what the shipped measurements give: verification writes them again in all their forms."""

import hashlib
from collections.abc import Iterator, Mapping
from copy import copy
from io import RawIOBase
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.errors import Problem
from starling.release.checks import FORMS, Checks, InvalidRelease
from starling.release.manifest import DOWNLOAD_AGAIN
from starling.release.table_files import BATCH, Table, TextWriter, has_signed_zero, unsigned_zeros

Places: TypeAlias = npt.NDArray[np.int32]


class TableComparison:
    """A published table in all its forms, compared in order with what it should be; the domain's checks say what a difference breaks.

    Raises:
        InvalidRelease: its Parquet file has other columns, or cannot be read.
    """

    def __init__(self, folder: Path, table: Table, hashes: Mapping[str, str], checks: Checks) -> None:
        self._table, self._hashes, self._checks = table, hashes, checks
        self._rows = 0
        self._expected: list[pa.Table] = []
        self._differing: dict[str, int] = {}
        try:
            self._types = _other_types(pq.read_schema(folder / table.path), table.schema)
            if self._types is None:
                raise self._wrong("has other columns or types than the table has")
            # Text as positions in a dictionary: the same few names stand in most rows.
            texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
            with pq.ParquetFile(folder / table.path, read_dictionary=texts) as file:
                self._stored, schema = int(file.metadata.num_rows), file.schema_arrow
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        self._batches = self._stored_batches(folder / table.path, texts)
        self._left = pa.RecordBatch.from_pylist([], schema)
        self._texts = {
            path: (hashed, TextWriter(hashed, text))
            for text in table.texts
            if (path := table.text_path(text)) in hashes
            for hashed in [_Hash()]
        }
        # As it was when zeros were still written with their signs: where one has come.
        self._signed: dict[str, tuple[_Hash, TextWriter]] = {}

    def _wrong(self, problem: str) -> InvalidRelease:
        return InvalidRelease(FORMS, self._table.path, problem)

    def compare(self, expected: pa.Table) -> None:
        """The next rows should be these."""
        if not len(expected):
            return
        if not self._signed and has_signed_zero(expected):
            self._signed = {path: _forked(hashed, text) for path, (hashed, text) in self._texts.items()}
        for _, text in self._signed.values():
            text.write(expected)
        for _, text in self._texts.values():
            text.write(unsigned_zeros(expected))
        # Looking names up has its price for each table, however few its rows: so several pieces at once.
        # Text as dictionaries, as the published ones are read.
        columns = [each.dictionary_encode() if pa.types.is_string(each.type) else each for each in expected.columns]
        self._expected.append(pa.table(columns, names=expected.column_names))
        if sum(map(len, self._expected)) >= BATCH:
            self._compare_rest()

    def _compare_rest(self) -> None:
        """What has come together, with as many rows of the file."""
        if not self._expected:
            return
        expected = pa.concat_tables(self._expected).unify_dictionaries().combine_chunks()
        self._expected.clear()
        unsigned, done = unsigned_zeros(expected), 0
        while done < len(expected) and len(batch := self._next(len(expected) - done)):
            for name in expected.column_names:
                if name not in self._differing:
                    row = first_difference(unsigned[name].slice(done, len(batch)), batch[name])
                    if row is not None and self._signed:
                        row = first_difference(expected[name].slice(done, len(batch)), batch[name])
                    if row is not None:
                        self._differing[name] = self._rows + done + row
            done += len(batch)
        self._rows += len(expected)

    def _stored_batches(self, path: Path, texts: list[str]) -> Iterator[pa.RecordBatch]:
        """The published rows; the file is open from the first batch to the last."""
        left, last = self._stored, None
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            for batch in file.iter_batches(batch_size=BATCH):
                left -= len(batch)
                if not left:
                    last = batch
                    break
                yield batch
        if last is not None:
            yield last

    def _next(self, most: int) -> pa.RecordBatch:
        """Some published rows, up to `most`; none at the end."""
        try:
            while not len(self._left) and (batch := next(self._batches, None)) is not None:
                self._left = batch
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        rows = self._left.slice(0, most)
        self._left = self._left.slice(len(rows))
        return rows

    @property
    def whole(self) -> bool:
        """Whether it has as many rows as it was compared with."""
        return self._stored == self._rows

    def finish(self) -> Iterator[tuple[str, Problem]]:
        """What differs, after all rows, and the check that it breaks."""
        self._compare_rest()
        table, checks = self._table, self._checks
        for name, kind in (self._types or {}).items():
            yield checks.types, Problem(f"column {name}", f"is {kind}, not an integer", DOWNLOAD_AGAIN, table.path)
        if not self.whole:
            problem = f"has {self._stored:,} rows where the shipped measurements give {self._rows:,}"
            yield checks.rows.get(table.name, checks.other), Problem(table.path, problem, DOWNLOAD_AGAIN)
        else:
            for name, row in self._differing.items():
                problem = f"is in row {row + 1} not what the shipped measurements give"
                check = checks.columns.get(name, checks.other)
                yield check, Problem(f"column {name}", problem, DOWNLOAD_AGAIN, table.path)
        for text in table.texts:
            path, most = table.text_path(text), text.most_rows
            if (most is None or self._rows < most) != (path in self._texts):
                condition = "of every table" if most is None else f"for a table below {most:,} rows, and only then"
                yield FORMS, Problem(path, f"is there {condition}", DOWNLOAD_AGAIN)
        for path, (hashed, _) in self._texts.items():
            signed, _ = self._signed.get(path, (hashed, None))
            if self._hashes[path] not in (hashed.hexdigest(), signed.hexdigest()):
                yield FORMS, Problem(path, "is not the text that the shipped measurements give", DOWNLOAD_AGAIN)


def _forked(hashed: "_Hash", text: TextWriter) -> tuple["_Hash", TextWriter]:
    """A hash of what was written so far, and what goes on writing to it."""
    fork, writer = _Hash(hashed.hash.copy()), copy(text)
    writer.file = fork
    return fork, writer


def _other_types(published: pa.Schema, computed: pa.Schema) -> dict[str, str] | None:
    """Columns of integers that are of another type, with that; None where the tables differ otherwise."""
    if published.names != computed.names:
        return None
    fields = zip(computed, published.types, strict=True)
    differing = {field.name: str(kind) for field, kind in fields if field.type != kind}
    return differing if all(computed.field(name).type == pa.int64() for name in differing) else None


class _Hash(RawIOBase):
    """A file that keeps nothing but the SHA-256 of what is written."""

    def __init__(self, begun: "hashlib._Hash | None" = None) -> None:
        super().__init__()
        self.hash = hashlib.sha256() if begun is None else begun

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.hash.update(data)
        return len(data)

    def hexdigest(self) -> str:
        """The hash of all that was written."""
        return self.hash.hexdigest()


def first_difference(computed: pa.ChunkedArray, published: pa.Array) -> int | None:
    """The first row that differs in any bit, of as many rows as both have."""
    expected = computed.chunk(0) if computed.num_chunks == 1 else computed.combine_chunks()
    if pa.types.is_dictionary(published.type):
        names = expected.dictionary
        # Both as places among the expected names, each name by its first place; -1 for what is none of them.
        same = _places(expected, _among(names, names)) == _places(published, _among(published.dictionary, names))
    elif published.type != expected.type:
        same = np.array([one == other for one, other in zip(expected.to_pylist(), published.to_pylist(), strict=True)])
    elif published.null_count or expected.null_count:
        valid, stated = (column.is_valid().to_numpy(zero_copy_only=False) for column in (expected, published))
        same, both = valid == stated, valid & stated
        same[both] = _bits(expected.filter(pa.array(both))) == _bits(published.filter(pa.array(both)))
    else:
        same = _bits(expected) == _bits(published)
    return None if same.all() else int(np.argmin(same))


def _among(names: pa.Array, expected: pa.Array) -> Places:
    """Where each name stands among the expected ones; -1 where it does not, and at the end, for a row without one, another number."""
    places: Places = pc.index_in(names, expected).fill_null(-1).to_numpy(zero_copy_only=False)
    return np.append(places, np.int32(-2))


def _places(column: pa.DictionaryArray, places: Places) -> Places:
    index: Places = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if np.array_equal(places[:-1], np.arange(len(places) - 1)) and not column.null_count:
        return index
    return places[index]


def _bits(column: pa.Array) -> npt.NDArray[np.generic]:
    """As numbers, 0 and -0 would be equal, and NaN unequal to itself."""
    values: npt.NDArray[np.generic] = column.to_numpy(zero_copy_only=False)
    return values.view(np.int64) if values.dtype == np.float64 else values
