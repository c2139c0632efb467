"""Invented blocks and persons as Census files: pipe-delimited text, or the same columns as Parquet.

Text is built as a matrix of bytes, one row a line, from tables of ready-made fields: every field but HOUSEHOLDER has a
fixed width, and its filler byte is dropped at the end. That writes a million lines in about half a second.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from starling.tables.generate.land import Int32, Land
from starling.tables.generate.people import Mix, People
from starling.tables.plan.codebook import MOST_RACE_CODES
from starling.tables.plan.geography import BLOCK_COLUMNS, COLUMNS, WIDTHS
from starling.tables.plan.sex_by_age import TOP_AGE

Bytes: TypeAlias = npt.NDArray[np.uint8]
Columns: TypeAlias = Mapping[str, tuple[Bytes, npt.NDArray[np.integer]]]
"""Two arrays of each column, in the order of the file: a table of its possible fields, shape (fields, width), padded on the right with
FILLER, and for each row which of them it has."""

FILLER: Final = 0


def digit_bytes(values: npt.NDArray[np.integer], width: int) -> Bytes:
    """Decimal digits with leading zeros, uint8 of shape (len(values), width).

    >>> digit_bytes(np.array([7, 42]), 3).tobytes()
    b'007042'
    """
    text = np.empty((len(values), width), dtype=np.uint8)
    rest = np.asarray(values, dtype=np.int64)
    for position in reversed(range(width)):
        rest, digit = np.divmod(rest, 10)
        text[:, position] = digit + ord("0")
    return text


def fields(words: tuple[str, ...]) -> Bytes:
    """A table of these ASCII words, uint8 of shape (len(words), longest), padded with FILLER.

    >>> fields(("True", "False"))[:, 4].tolist()
    [0, 101]
    """
    longest = max(map(len, words), default=0)
    padded = "".join(word.ljust(longest, chr(FILLER)) for word in words)
    return np.frombuffer(padded.encode("ascii"), dtype=np.uint8).reshape(len(words), longest)


class TextWriter:
    """Lines of `|`-separated fields under a header; rows are brought into the file's form by `encode`, then appended by `write`."""

    def __init__(self, path: Path, names: tuple[str, ...]) -> None:
        self._file = path.open("xb")
        self._file.write("|".join(names).encode("ascii") + b"\n")

    def encode(self, columns: Columns) -> Bytes:
        """The lines of these rows as one run of bytes; safe in any thread."""
        rows = len(next(iter(columns.values()))[1])
        lines = np.empty((rows, sum(table.shape[1] + 1 for table, _ in columns.values())), dtype=np.uint8)
        start = 0
        for table, row in columns.values():
            end = start + table.shape[1]
            lines[:, start:end] = table[row]
            lines[:, end] = ord("|")
            start = end + 1
        lines[:, -1] = ord("\n")
        written: Bytes = lines[lines != FILLER]
        return written

    def write(self, encoded: Any) -> None:
        """Append what `encode` gave."""
        self._file.write(encoded.data)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class ParquetWriter:
    """String columns; every field as it stands in the text. Written from dictionaries, since a column has few different fields."""

    def __init__(self, path: Path, names: tuple[str, ...]) -> None:
        coded = pa.schema([(name, pa.dictionary(pa.int32(), pa.string())) for name in names])
        # Without Arrow's own schema in it the file says string, which it is.
        self._file = pq.ParquetWriter(path, coded, compression="zstd", store_schema=False, write_statistics=False)

    def encode(self, columns: Columns) -> pa.Table:
        """These rows as columns of places in dictionaries; safe in any thread."""

        def column(table: Bytes, row: npt.NDArray[np.integer]) -> pa.DictionaryArray:
            held = table != FILLER
            ends = np.cumsum(held.sum(axis=1), dtype=np.int32)
            offsets = np.concatenate((np.zeros(1, dtype=np.int32), ends))
            words = pa.StringArray.from_buffers(len(table), pa.py_buffer(offsets), pa.py_buffer(table[held]))
            # A place before the first counts from the end, as in NumPy: Null.
            place = np.where(row < 0, row + len(table), row) if row.dtype.kind == "i" else row
            return pa.DictionaryArray.from_arrays(pa.array(place.astype(np.int32)), words)

        return pa.table({name: column(*pair) for name, pair in columns.items()})

    def write(self, encoded: Any) -> None:
        """Append what `encode` gave."""
        self._file.write_table(encoded)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


Writer: TypeAlias = TextWriter | ParquetWriter
WRITERS: Final[Mapping[str, type[Writer]]] = {"text": TextWriter, "parquet": ParquetWriter}


PERSON_COLUMNS: Final = (
    *("QAGE", "QSEX", "HOUSEHOLDER", *BLOCK_COLUMNS, "CENRACE"),
    *(f"QRACE{number}" for number in range(1, MOST_RACE_CODES + 1)),
    "QSPAN",
)


class Records:
    """Tables of every field that can occur, made once.

    Args:
        land: Blocks, by whose position people say where they live.
        mix: Codes, by whose position people say which they have.
    """

    def __init__(self, land: Land, mix: Mix) -> None:
        numbers = (land.state, land.county, land.tract, land.block, land.place, land.area)
        self._blocks = {name: _coded(column, WIDTHS[name]) for name, column in zip(COLUMNS, numbers, strict=True)}
        self._age = digit_bytes(np.arange(TOP_AGE + 1), 3)
        self._cenrace = digit_bytes(np.arange(64), 2)
        # Null comes last, so that the position -1 finds it.
        self._race = fields((*mix.races.codes, "Null"))
        self._ethnicity = fields(mix.ethnicities.codes)

    def blocks(self, rows: range) -> Columns:
        """GRF-C of the blocks at these positions."""
        return {name: (table, row[rows.start : rows.stop]) for name, (table, row) in self._blocks.items()}

    def persons(self, people: People) -> Columns:
        """Person records of a run of people."""
        return {
            "QAGE": (self._age, people.age),
            "QSEX": (_SEX, people.sex),
            "HOUSEHOLDER": (_HOUSEHOLDER, people.householder.astype(np.int64)),
            **{name: (table, row[people.block]) for name in BLOCK_COLUMNS for table, row in [self._blocks[name]]},
            "CENRACE": (self._cenrace, people.cenrace),
            **{f"QRACE{column + 1}": (self._race, people.races[:, column]) for column in range(MOST_RACE_CODES)},
            "QSPAN": (self._ethnicity, people.ethnicity),
        }


def _coded(numbers: Int32, width: int) -> tuple[Bytes, Int32]:
    """The different fields of a column of blocks, and which of them each block has."""
    different, row = np.unique(numbers, return_inverse=True)
    return digit_bytes(different, width), row.astype(np.int32)


_SEX: Final = fields(("1", "2"))
_HOUSEHOLDER: Final = fields(("False", "True"))
