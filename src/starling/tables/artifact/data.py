"""The data files of a release: Parquet, CSV, Census text, and the noisy measurements before post-processing.

Text is written the same way for a file and for a hash: verification writes it again, and compares.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.tables.artifact.columns import CENSUS
from starling.tables.measurements import TOTAL_ONLY, Int64, LevelMeasurements
from starling.tables.plan import Level

BATCH: Final = 1 << 16
"""Rows of text that are made at a time."""

GROUPS: Final = 1 << 20
"""Groups of a row group of measurements."""

COMPRESSION: Final = "zstd"

MOST_CSV_ROWS: Final = 10_000_000
"""A longer table is there as Parquet, and in the Census format, alone."""

LABELS: Final = pa.dictionary(pa.int32(), pa.string())
NARROW: Final = pa.int32()
WIDE: Final = pa.int64()


class Sink(Protocol):
    """What text is written to: a file, or a hash."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""
        ...


class Text:
    """A table as delimited text, written piece by piece.

    Args:
        file: Takes the bytes.
        columns: Column of the table, and its name in the header.
        delimiter: One character.
        quoted: Whether text that holds the delimiter or a quote is quoted; otherwise it must not occur.
    """

    def __init__(self, file: Sink, columns: dict[str, str], delimiter: str, *, quoted: bool) -> None:
        self._file = file
        self._columns = columns
        self._options = pacsv.WriteOptions(
            include_header=False, delimiter=delimiter, quoting_style="needed" if quoted else "none", batch_size=BATCH
        )
        file.write(delimiter.join(columns.values()).encode() + b"\n")

    def write(self, table: pa.Table) -> None:
        """The next rows."""
        rows = _plain(table.select(list(self._columns)))
        with pacsv.CSVWriter(self._file, rows.schema, write_options=self._options) as writer:
            for batch in rows.to_batches():
                # For an empty batch pyarrow 26 writes whatever its buffer holds: a megabyte of memory, or the rows before.
                if len(batch):
                    writer.write_batch(batch)


def census(file: Sink, names: Iterable[str]) -> Text:
    """As SafeTab-P writes it: codes and numbers alone, none of which can hold the delimiter."""
    there = set(names)
    return Text(file, {name: text for name, text in CENSUS.items() if name in there}, "|", quoted=False)


def csv(file: Sink, names: Iterable[str]) -> Text:
    """Every column, in the CSV of RFC 4180 but for its line ends."""
    return Text(file, {name: name for name in names}, ",", quoted=True)


def write_table(folder: Path, name: str, table: pa.Table) -> bool:
    """`name`.parquet with every column, `name`.txt in the Census format and, for a table that is not long, `name`.csv.

    Returns:
        Whether there is a CSV.
    """
    pq.write_table(table, folder / f"{name}.parquet", compression=COMPRESSION)
    short = len(table) < MOST_CSV_ROWS
    for kind, suffix in ((census, "txt"), *([(csv, "csv")] if short else [])):
        with (folder / f"{name}.{suffix}").open("wb") as file:
            kind(file, table.column_names).write(table)
    return short


def _plain(table: pa.Table) -> pa.Table:
    """Dictionary columns as plain text, which the writer of text wants."""
    fields = [
        pa.field(field.name, field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def file_name(level: Level) -> str:
    """Of the measurements of a level: county-2.parquet."""
    return f"{str(level.geography).lower()}-{level.iteration_level}.parquet"


def measurements_path(level: Level) -> str:
    """The same, in the folder of a release."""
    return f"data/measurements/{file_name(level)}"


def measurements_schema(number: pa.DataType) -> pa.Schema:
    """Columns of a file of measurements whose values are of type `number`."""
    return pa.schema(
        [
            ("region_id", LABELS),
            ("iteration_code", LABELS),
            ("stage_1", number),
            ("branch", pa.int8()),
            ("stage_2", pa.large_list(number)),
        ]
    )


def write_measurements(folder: Path, level: Level, regions: tuple[str, ...], measured: LevelMeasurements) -> None:
    """Every group of a level, in plan order, empty or suppressed ones too.

    Columns: region_id, iteration_code; stage_1 (noisy total, null for a group that is total-only by plan); branch (thresholds at or
    below it, -1 for total-only); stage_2 (the 1, 8, 18 or 46 noisy values, sex-major). Numbers are int32; int64 where a released
    value of the level needs it.
    """
    starts = measured.offsets()
    number = NARROW if _fits(measured.stage1) and _fits(measured.values) else WIDE
    schema = measurements_schema(number)
    with pq.ParquetWriter(folder / file_name(level), schema, compression=COMPRESSION) as writer:
        for first in range(0, len(measured.branch), GROUPS):
            last = min(first + GROUPS, len(measured.branch))
            branch = measured.branch[first:last]
            columns = [
                *labels(level, regions, first, last),
                pa.array(measured.stage1[first:last], mask=branch == TOTAL_ONLY).cast(number),
                pa.array(branch),
                _lists(measured.values, starts[first : last + 1], number),
            ]
            writer.write_table(pa.table(columns, schema=schema))


def _fits(values: Int64) -> bool:
    limits = np.iinfo(np.int32)
    return all(
        limits.min <= end <= limits.max for end in ([int(values.min()), int(values.max())] if len(values) else [])
    )


def labels(level: Level, regions: tuple[str, ...], first: int, last: int) -> Iterator[pa.DictionaryArray]:
    """Region and iteration of the groups from `first` to before `last`, in plan order."""
    indices = np.divmod(np.arange(first, last), max(len(level.iterations), 1))
    for index, names in zip(indices, (regions, [iteration.code for iteration in level.iterations]), strict=True):
        yield pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names, pa.string()))


def _lists(values: Int64, starts: Int64, number: pa.DataType) -> pa.LargeListArray:
    """One list for each pair of neighbouring starts."""
    inner = pa.array(values[starts[0] : starts[-1]]).cast(number)
    return pa.LargeListArray.from_arrays(pa.array(starts - starts[0]), inner)
