"""Delimited text by byte ranges, for files that are too large for memory and for several workers: a line belongs to the range in which it
begins, so that no line is read twice. A field is what stands between commas; a comma in quotes cuts a field too.

No line can stop a run: one that has another number of fields than the header, or is too long, is left out.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

Int64 = npt.NDArray[np.int64]

CHUNK: Final = 16 << 20
"""Bytes of text in a part."""
LONGEST_LINE: Final = 1 << 20
"""Bytes that a line may go beyond its part; a longer one is left out."""
_MARK: Final = b"\xef\xbb\xbf"
_END, _COMMA = ord("\n"), ord(",")


@dataclass(frozen=True, slots=True)
class Part:
    """Where some records lie.

    Attributes:
        path: The file.
        begin: First byte of text, or row group of Parquet.
        stop: One past the last.
    """

    path: Path
    begin: int
    stop: int


def header_of(line: bytes) -> tuple[str, ...]:
    """The names in the first line of a file, without quotes; raises UnicodeDecodeError where it is not UTF-8."""
    names = line.removeprefix(_MARK).decode("utf-8").rstrip("\r\n").split(",")
    return tuple(_unquoted(name.strip()) for name in names)


def _unquoted(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def parts_of(path: Path, begin: int, size: int) -> tuple[Part, ...]:
    """The parts of a file of `size` bytes whose header ends before byte `begin`."""
    return tuple(Part(path, at, min(at + CHUNK, size)) for at in range(begin, size, CHUNK))


def lines(file: BinaryIO, begin: int, stop: int) -> bytes:
    """All lines that begin in a range of bytes; the range follows another line."""
    file.seek(begin - 1)
    data = file.read(stop - begin + 1 + LONGEST_LINE)
    # data[i] is byte begin - 1 + i; a line begins after each end of a line.
    first, last = data.find(b"\n") + 1, data.find(b"\n", stop - begin) + 1
    if not 0 < first <= stop - begin:
        return b""
    if not last:
        ends = len(data) < stop - begin + 1 + LONGEST_LINE
        last = len(data) if ends else data.rfind(b"\n", 0, stop - begin) + 1
    return data[first:last]


def fitting(part: Part, fields: int) -> tuple[bytes, Int64, Int64]:
    """Of a part, the lines that have so many fields; then their numbers in the part, and those of lines with others.

    Lines are numbered from 1, blank ones too, which have no record.
    """
    with part.path.open("rb") as file:
        data = lines(file, part.begin, part.stop).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    characters = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(characters == _END)
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate([[0], ends[:-1] + 1])
    commas = np.diff(np.searchsorted(np.flatnonzero(characters == _COMMA), ends), prepend=0)
    blank = starts == ends
    fits = (commas == fields - 1) & ~blank
    other = ~fits & ~blank
    if other.any():
        data = b"".join(data[starts[at] : ends[at] + 1] for at in np.flatnonzero(~other).tolist())
    return data if fits.any() else b"", np.flatnonzero(fits) + 1, np.flatnonzero(other) + 1


def parsed(data: bytes, header: tuple[str, ...], columns: tuple[str, ...]) -> pa.Table:
    """Lines that have as many fields as the header: these columns, as bytes."""
    return pacsv.read_csv(
        pa.BufferReader(data),
        pacsv.ReadOptions(column_names=list(header), block_size=len(data) + 1, use_threads=False),
        pacsv.ParseOptions(quote_char=False),
        pacsv.ConvertOptions(
            check_utf8=False, column_types=dict.fromkeys(header, pa.binary()), include_columns=list(columns)
        ),
    )


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column as one array without a dictionary."""
    found = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return found.cast(found.type.value_type) if pa.types.is_dictionary(found.type) else found


def labels(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Labels as bytes, without the quotes and blanks around them; null where nothing is left."""
    found = plain(column)
    if pa.types.is_integer(found.type):
        found = found.cast(pa.string())
    found = found.cast(pa.binary())
    if pc.any(pc.match_substring_regex(found, r'^[ \t"]|[ \t"]$')).as_py():
        found = pc.replace_substring_regex(found, r'^[ \t]*"?|"?[ \t]*$', "")
    return pc.if_else(pc.equal(found, b""), pa.scalar(None, pa.binary()), found)
