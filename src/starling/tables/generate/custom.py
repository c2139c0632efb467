"""Invented custom records: the areas, columns and persons of a plan, in the form that the plan reads.

Memory holds the areas and a few runs of persons, however many there are.
"""

from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from starling.tables.generate.census import Format
from starling.tables.generate.custom_fields import fields_of
from starling.tables.generate.custom_files import CustomParquetWriter, CustomTextWriter, CustomWriter, array
from starling.tables.generate.custom_people import CustomMix, mean_records
from starling.tables.generate.runs import RUN, stream, write_runs
from starling.tables.plan.custom_records import EVERYWHERE, CustomRecords

RECORDS: Final = "records"
"""Name of the file, without its ending."""
ENDINGS: Final[dict[Format, str]] = {"text": "csv", "parquet": "parquet"}
WRITERS: Final[dict[Format, type[CustomWriter]]] = {"text": CustomTextWriter, "parquet": CustomParquetWriter}
_MIX, _PEOPLE = range(2)
"""Which random stream of the seed."""


def persons_of(records: CustomRecords, rows: int | None = None) -> int:
    """Persons who have about so many records, by default as many as the plan expects."""
    most = 1 if records.unit is None else records.unit.most
    return max(1, round((records.expected if rows is None else rows) / mean_records(most)))


def write_custom(
    records: CustomRecords, folder: Path, *, persons: int, seed: int, form: Format, workers: int
) -> tuple[Path, dict[str, int]]:
    """Write invented records as a file of the folder.

    Args:
        records: What the plan says of its records.
        folder: Where the file is made.
        persons: How many persons, or households, have records.
        seed: Public.
        form: Of the file: "text" is CSV.
        workers: Threads.

    Returns:
        The file, and how many areas, persons or households, and records there are.

    Raises:
        ParameterError: a field is read in two ways that no value fits.
    """
    field_groups, unit = fields_of(records), records.unit
    domains = {name: each for some in field_groups for name, each in zip(some.names, some.domains, strict=True)}
    mix = CustomMix(stream(seed, _MIX), field_groups, records.areas, 1 if unit is None else unit.most)
    names = [*domains, *([] if unit is None else [unit.field])]
    path = folder / f"{RECORDS}.{ENDINGS[form]}"
    file = _Counted(WRITERS[form](path, names, domains, records.format))

    def rows_of(run: range) -> pa.Table:
        people = mix.draw(stream(seed, _PEOPLE, run.start // RUN), len(run))
        columns = {name: array(each, people.fields[name]) for name, each in domains.items()}
        if unit is not None:
            columns[unit.field] = pa.array(run.start + 1 + people.person)
        return pa.table(columns)

    write_runs(file, lambda run: file.encode(rows_of(run)), persons, workers)
    many = {"areas": len(records.areas.codes)} if records.areas != EVERYWHERE else {}
    return path, {**many, f"{records.protects}s": persons, "records": file.records}


class _Counted:
    """A file that knows how many records it was given.

    Args:
        writer: Writes them.
    """

    def __init__(self, writer: CustomWriter) -> None:
        self._writer = writer
        self.records = 0

    def encode(self, table: pa.Table) -> tuple[int, Any]:
        """These rows and how many they are; safe in any thread."""
        return len(table), self._writer.encode(table)

    def write(self, encoded: tuple[int, Any]) -> None:
        """Append what `encode` gave."""
        self.records += encoded[0]
        self._writer.write(encoded[1])

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
