"""Invented custom records as the files that a plan of them reads: CSV with a header, or the same columns as Parquet."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.tables.generate.custom_fields import DAY, FieldDomain, Numbers, Texts, Times
from starling.tables.generate.custom_people import One, Several, Values
from starling.tables.plan.columns import MOST_PLACES
from starling.text_format import PLAIN, TextFormat

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
            return _decimals(domain, values)
        case Times(step=1), One():
            return pa.array(values.numbers, mask=~values.filled).cast(pa.timestamp("us"))
        case Times(step=step), One():
            whole = pa.array(values.numbers // step, mask=~values.filled)
            return whole.cast(pa.int32()).cast(pa.date32()) if step == DAY else whole.cast(pa.timestamp("s"))
    raise TypeError("a field of several values says codes")


def _decimals(domain: Numbers, values: One) -> pa.Array:
    """Numbers as decimals: 128 bits each, the lower half first."""
    halves = np.stack((values.numbers, values.numbers >> 63), axis=1)
    bits = pa.py_buffer(np.packbits(values.filled, bitorder="little"))
    kind = pa.decimal128(DIGITS, domain.places)
    return pa.Array.from_buffers(kind, len(halves), [bits, pa.py_buffer(halves.astype("<i8"))])


class CustomTextWriter:
    """CSV; texts are in quotes where one of the plan's needs them.

    Args:
        path: The file to make.
        names: The columns, in their order.
        said: The fields by their names.
        form: How text says them.
    """

    def __init__(
        self, path: Path, names: Sequence[str], domains: Mapping[str, FieldDomain], form: TextFormat = PLAIN
    ) -> None:
        codes = (code for each in domains.values() if isinstance(each, Texts) for code in (each.separator, *each.codes))
        # A line of one field that says nothing would be no record, unless it is in quotes.
        texts = (form.decimal, form.dates, *codes)
        quoted = len(names) == 1 or any(mark in text for text in texts for mark in (form.mark, '"'))
        self._options = pacsv.WriteOptions(
            include_header=False, delimiter=form.mark, quoting_style="needed" if quoted else "none"
        )
        self._form = form
        self._file = path.open("xb")
        header = form.mark.join(_header(name, form.mark) for name in names) + "\n"
        self._file.write(form.beginning + form.encode(header))

    def encode(self, table: pa.Table) -> bytes:
        """The lines of these rows; safe in any thread."""
        columns = {
            name: _text(column.combine_chunks(), self._form)
            for name, column in zip(table.column_names, table, strict=True)
        }
        lines = io.BytesIO()
        pacsv.write_csv(pa.table(columns), lines, self._options)
        if self._form.encoding == PLAIN.encoding:
            return lines.getvalue()
        return self._form.encode(lines.getvalue().decode())

    def write(self, encoded: bytes) -> None:
        """Append what `encode` gave."""
        self._file.write(encoded)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


def _text(column: pa.Array, form: TextFormat) -> pa.Array:
    """A column as the format says it; no text where there is none, so that it is quoted like any other."""
    if form.dates and (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
        seconds = column.cast(pa.timestamp("s"), safe=False)
        return pc.strftime(seconds, form.dates.replace("%f", "000000")).fill_null("")
    if form.decimal != PLAIN.decimal and pa.types.is_decimal(column.type):
        return pc.replace_substring(column.cast(pa.string()), ".", form.decimal).fill_null("")
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        return column.cast(pa.string()).fill_null("")
    return column


def _header(name: str, separator: str) -> str:
    """A name as it stands in the first line."""
    if name == name.strip() and separator not in name and '"' not in name:
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


class CustomParquetWriter:
    """Columns of texts, numbers, dates and times.

    Args:
        path: The file to make.
        names: The columns, in their order.
        said: The fields by their names; what is not among them is a whole number.
    """

    def __init__(
        self, path: Path, names: Sequence[str], domains: Mapping[str, FieldDomain], _: TextFormat = PLAIN
    ) -> None:
        nothing = {
            name: Several(np.zeros(0, np.int64), np.zeros(0, np.int64))
            if isinstance(each, Texts) and each.separator
            else One(np.zeros(0, np.int64), np.zeros(0, np.bool_))
            for name, each in domains.items()
        }
        kinds = {name: array(each, nothing[name]).type for name, each in domains.items()}
        schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in names])
        # Without Arrow's own schema in it the file says string, which it is.
        self._file = pq.ParquetWriter(path, schema, compression="zstd", store_schema=False, write_statistics=False)

    def encode(self, table: pa.Table) -> pa.Table:
        """These rows; safe in any thread."""
        return table

    def write(self, encoded: pa.Table) -> None:
        """Append what `encode` gave."""
        self._file.write_table(encoded)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


CustomWriter: TypeAlias = CustomTextWriter | CustomParquetWriter
