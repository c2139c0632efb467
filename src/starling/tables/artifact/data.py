"""The data files of a release: Census text, Parquet, and the noisy measurements before post-processing."""

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.tables.measurements import TOTAL_ONLY, Int64, LevelMeasurements
from starling.tables.plan import Level

CENSUS: Final = {
    "region_id": "REGION_ID",
    "region_type": "REGION_TYPE",
    "iteration_code": "ITERATION_CODE",
    "age_start": "AGESTART",
    "age_end": "AGEEND",
    "sex": "SEX",
    "count": "COUNT",
}
"""Columns of the Census text, in its order, and what they are called there; T1 has no age and sex."""

BATCH: Final = 1 << 16
"""Rows of text that are made at a time."""

GROUPS: Final = 1 << 20
"""Groups of a row group of measurements."""

COMPRESSION: Final = "zstd"


def write_table(folder: Path, name: str, table: pa.Table) -> None:
    """`name`.txt as SafeTab-P writes it, and `name`.parquet with every column."""
    columns = [column for column in CENSUS if column in table.column_names]
    # Codes and numbers alone, none of which can hold the delimiter, so nothing is quoted.
    options = pacsv.WriteOptions(include_header=False, delimiter="|", quoting_style="none", batch_size=BATCH)
    with (folder / f"{name}.txt").open("wb") as text:
        text.write("|".join(CENSUS[column] for column in columns).encode() + b"\n")
        rows = _plain(table.select(columns))
        with pacsv.CSVWriter(text, rows.schema, write_options=options) as writer:
            for batch in rows.to_batches():
                # For an empty batch pyarrow 26 writes whatever its buffer holds: a megabyte of memory, or the rows before.
                if len(batch):
                    writer.write_batch(batch)
    pq.write_table(table, folder / f"{name}.parquet", compression=COMPRESSION)


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


def write_measurements(folder: Path, level: Level, regions: tuple[str, ...], measured: LevelMeasurements) -> None:
    """Every group of a level, in plan order, empty or suppressed ones too.

    Columns: region_id, iteration_code; stage_1 (noisy total, null for a group that is total-only by plan); branch (thresholds at or
    below it, -1 for total-only); stage_2 (the 1, 8, 18 or 46 noisy values, sex-major).
    """
    iterations = [iteration.code for iteration in level.iterations]
    starts = measured.offsets()
    schema = pa.schema(
        [
            ("region_id", pa.dictionary(pa.int32(), pa.string())),
            ("iteration_code", pa.dictionary(pa.int32(), pa.string())),
            ("stage_1", pa.int64()),
            ("branch", pa.int8()),
            ("stage_2", pa.large_list(pa.int64())),
        ]
    )
    with pq.ParquetWriter(folder / file_name(level), schema, compression=COMPRESSION) as writer:
        for first in range(0, len(measured.branch), GROUPS):
            group = np.arange(first, min(first + GROUPS, len(measured.branch)))
            region, iteration = np.divmod(group, len(iterations))
            branch = measured.branch[group]
            columns = [
                _labels(region, regions),
                _labels(iteration, iterations),
                pa.array(measured.stage1[group], mask=branch == TOTAL_ONLY),
                pa.array(branch),
                _lists(measured.values, starts[first : group[-1] + 2]),
            ]
            writer.write_table(pa.table(columns, schema=schema))


def _labels(index: Int64, names: tuple[str, ...] | list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names, pa.string()))


def _lists(values: Int64, starts: Int64) -> pa.LargeListArray:
    """One list for each pair of neighbouring starts."""
    inner = values[starts[0] : starts[-1]]
    return pa.LargeListArray.from_arrays(pa.array(starts - starts[0]), pa.array(inner))
