"""Delimited text by byte ranges, for files that are too large for memory and for several workers: a line belongs to the range in which it
begins, so that no line is read twice. A field is what stands between commas; a field in quotes may hold commas, and quotes written twice.

No line can stop a run, and none changes how another is read: a line ends where it ends, quotes or not. A line is left out that has
another number of fields than the header, that opens a quote and does not close it at the end of the field, or that is too long.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from starling.privacy.compiled import compiled

Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]

CHUNK: Final = 16 << 20
"""Bytes of text in a part."""
LONGEST_LINE: Final = 1 << 20
"""Bytes that a line may go beyond its part; a longer one is left out."""
_MARK: Final = b"\xef\xbb\xbf"
_END, _COMMA, _QUOTE = ord("\n"), ord(","), ord('"')
_NAME: Final = re.compile('(?:^|,)("(?:[^"]|"")*"|[^,]*)')
_BLANK, _FITS, _OTHER = 0, 1, 2
"""Kinds of lines: without a character, with as many fields as the header, and all others."""


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
    names = _NAME.findall(line.removeprefix(_MARK).decode("utf-8").rstrip("\r\n"))
    return tuple(_unquoted(name.strip()) for name in names)


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if len(name) > 1 and name[0] == name[-1] == '"' else name


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
    """Of a part, the lines that have so many fields; then their numbers in the part, and those of lines that are left out.

    Lines are numbered from 1, blank ones too, which have no record.
    """
    with part.path.open("rb") as file:
        data = lines(file, part.begin, part.stop).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    characters = np.frombuffer(data, np.uint8)
    many = np.count_nonzero(characters == _END) + (not data.endswith(b"\n"))
    starts, kinds = np.empty(many + 1, np.int64), np.empty(many, np.uint8)
    _examine(characters, fields, starts, kinds)
    fits, other = np.flatnonzero(kinds == _FITS), np.flatnonzero(kinds == _OTHER)
    if len(other):
        data = b"".join(data[starts[at] : starts[at + 1]] for at in fits.tolist())
    return data if len(fits) else b"", fits + 1, other + 1


@compiled
def _examine(characters: UInt8, fields: int, starts: Int64, kinds: UInt8) -> None:
    """Find where each line begins, int64 (lines + 1,), the last being the end of the data, and its kind, uint8 (lines,)."""
    place = 0
    for line in range(len(kinds)):
        starts[line] = place
        commas, faulty, begins, quoted = 0, False, True, False
        while place < len(characters) and characters[place] != _END:
            byte = characters[place]
            place += 1
            if quoted:
                if byte != _QUOTE:
                    continue
                if place < len(characters) and characters[place] == _QUOTE:
                    place += 1
                    continue
                quoted = False
                # What follows the quote that closes a field is the next field, or the next line.
                faulty |= place < len(characters) and characters[place] != _COMMA and characters[place] != _END
            elif byte == _COMMA:
                commas += 1
                begins = True
                continue
            elif byte == _QUOTE and begins:
                quoted = True
            begins = False
        fits = commas == fields - 1 and not quoted and not faulty
        kinds[line] = _BLANK if place == starts[line] else _FITS if fits else _OTHER
        place = min(place + 1, len(characters))
    starts[len(kinds)] = place


def parsed(data: bytes, header: tuple[str, ...], columns: tuple[str, ...]) -> pa.Table:
    """Lines that have as many fields as the header: these columns, as bytes."""
    return pacsv.read_csv(
        pa.BufferReader(data),
        pacsv.ReadOptions(column_names=list(header), block_size=len(data) + 1, use_threads=False),
        pacsv.ParseOptions(),
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
