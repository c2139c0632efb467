"""Invented custom records: the areas, columns and persons of a plan, in the form that the plan reads.

Memory holds the areas and a few runs of persons, however many there are.
"""

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.tables.generate.custom_fields import DAY, FieldDomain, Numbers, Texts, Times, fields_of
from starling.tables.generate.custom_people import CustomMix, One, Several, Values, mean_records
from starling.tables.generate.files import WRITERS, Format
from starling.tables.generate.runs import RUN, stream, write_runs
from starling.tables.plan.columns import MOST_PLACES
from starling.tables.plan.custom_records import EVERYWHERE, CustomRecords

RECORDS: Final = "records"
"""Name of the file, without its ending."""
ENDINGS: Final[dict[Format, str]] = {"text": "csv", "parquet": "parquet"}
_MIX, _PEOPLE = range(2)
"""Which random stream of the seed."""


DIGITS: Final = 2 * MOST_PLACES + 1
"""Of a decimal number in Parquet."""


def array(domain: FieldDomain, values: Values) -> pa.Array:
    """What records say in a field, in the type that the field has in Parquet; null where nothing is said."""
    match domain, values:
        case Texts(), Several():
            offsets = np.append(0, np.cumsum(values.lengths)).astype(np.int32)
            texts = pa.array(domain.codes, pa.string()).take(pa.array(values.numbers))
            joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), domain.separator)
            return pc.if_else(pa.array(values.lengths > 0), joined, pa.scalar(None, pa.string()))
        case Texts(), One():
            places = pa.array(values.numbers.astype(np.int32), mask=~values.filled)
            return pa.DictionaryArray.from_arrays(places, pa.array(domain.codes, pa.string()))
        case Numbers(places=0), One():
            return pa.array(values.numbers, mask=~values.filled)
        case Numbers(), One():
            # 128 bits each, the lower half first.
            halves = np.stack((values.numbers, values.numbers >> 63), axis=1)
            bits = pa.py_buffer(np.packbits(values.filled, bitorder="little"))
            kind = pa.decimal128(DIGITS, domain.places)
            return pa.Array.from_buffers(kind, len(halves), [bits, pa.py_buffer(halves.astype("<i8"))])
        case Times(step=1), One():
            return pa.array(values.numbers, mask=~values.filled).cast(pa.timestamp("us"))
        case Times(step=step), One():
            whole = pa.array(values.numbers // step, mask=~values.filled)
            return whole.cast(pa.int32()).cast(pa.date32()) if step == DAY else whole.cast(pa.timestamp("s"))
    raise TypeError("a field of several values says codes")


def nothing(domain: FieldDomain) -> Values:
    """What no record says in a field."""
    none = np.zeros(0, np.int64)
    several = isinstance(domain, Texts) and domain.separator
    return Several(none, none) if several else One(none, np.zeros(0, np.bool_))


def persons_of(records: CustomRecords, rows: int | None = None) -> int:
    """Persons who have about so many records, by default as many as the plan expects."""
    most = 1 if records.unit is None else records.unit.most
    return max(1, round((records.expected if rows is None else rows) / mean_records(most)))


def write_custom(
    records: CustomRecords, folder: Path, *, persons: int, seed: int, form: Format, workers: int
) -> tuple[Path, dict[str, int]]:
    """Write invented records of so many persons, or households, as a file of the folder.

    Gives the file, and how many areas, persons or households, and records there are.

    Raises:
        ParameterError: a field is read in two ways that no value fits.
    """
    field_groups, unit = fields_of(records), records.unit
    domains = {name: each for some in field_groups for name, each in zip(some.names, some.domains, strict=True)}
    mix = CustomMix(stream(seed, _MIX), field_groups, records.areas, 1 if unit is None else unit.most)
    kinds = [(name, array(each, nothing(each)).type) for name, each in domains.items()]
    schema = pa.schema([*kinds, *([] if unit is None else [(unit.field, pa.int64())])])
    texts = [text for each in domains.values() if isinstance(each, Texts) for text in (each.separator, *each.codes)]
    path = folder / f"{RECORDS}.{ENDINGS[form]}"
    writer = WRITERS[form](path, schema, texts, records.format)

    def rows_of(run: range) -> pa.Table:
        people = mix.draw(stream(seed, _PEOPLE, run.start // RUN), len(run))
        columns = {name: array(each, people.fields[name]) for name, each in domains.items()}
        if unit is not None:
            columns[unit.field] = pa.array(run.start + 1 + people.person)
        return pa.table(columns)

    written = write_runs(writer, rows_of, persons, workers)
    many = {"areas": len(records.areas.codes)} if records.areas != EVERYWHERE else {}
    return path, {**many, f"{records.protects}s": persons, "records": written}
