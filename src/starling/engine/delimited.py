"""Delimited text by byte ranges, for files that are too large for memory and for several workers: a record belongs to the range in which
it begins, so that none is read twice.

A field is what stands between separators; a field in quotes may hold separators, line breaks, and quotes written twice (RFC 4180). A line
ends with LF, CRLF or CR. From its first byte on, every text is read by one rule:

- A blank line is passed over.
- A record is a line, or where a quote is open at its end the fewest lines from it on at whose end none is, if it then has as many fields
  as the header and no more than LONGEST_RECORD bytes. The next record begins after it.
- Any other line is left out, and the next record begins at the next line: too many fields or too few, a quote that is never closed, or
  one that is closed within a field.

So no text can stop a run, and a record that is left out takes no other with it. The rule needs what stands before a range only to know
where the first record in it begins. No record is longer than LONGEST_RECORD, so that some record begins within that many bytes before the
range, or one line is longer: the reader follows the rule from every line that begins there. Where all ways meet, as they do but in
contrived text, that is the place; else it follows the rule from the beginning of the file.
"""

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from starling.privacy.compiled import compiled
from starling.text_format import PLAIN, WIDE, TextFormat

Bool = npt.NDArray[np.bool_]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]

CHUNK: Final = 16 << 20
"""Bytes of text in a part; even, so that a part begins with a whole unit of UTF-16."""
LONGEST_RECORD: Final = 1 << 20
"""Bytes of the longest record that is read, its line breaks included."""
MARK: Final = codecs.BOM_UTF8
_WIDE_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LF, _CR, _QUOTE = ord("\n"), ord("\r"), ord('"')
_CLOSED, _OPEN, _FAULTY, _BLANK = 0, 1, 2, 3
"""How a line ends: without an open quote, within quotes, with a fault; or it has no character."""


@dataclass(frozen=True, slots=True)
class Part:
    """Where some records lie.

    Attributes:
        path: The file.
        begin: First byte of text, or row group of Parquet.
        stop: One past the last.
        origin: Of text the byte at which the first record of the file begins.
    """

    path: Path
    begin: int
    stop: int
    origin: int = field(default=0, compare=False)


class Fitting(NamedTuple):
    """The records of a part of text.

    Attributes:
        data: Those that have as many fields as the header, one after the other.
        begins: int64: the line at which each of them begins, from 1 on in the part.
        dropped: int64: the lines that are left out, blank ones apart.
        lines: Lines of the part.
    """

    data: bytes
    begins: Int64
    dropped: Int64
    lines: int


def header_of(record: bytes, form: TextFormat = PLAIN) -> tuple[str, ...]:
    """The names in the first record of a file, without quotes; raises UnicodeDecodeError where it is not in the encoding."""
    mark = re.escape(form.mark)
    text = record.removeprefix(order_mark(record, form)).decode(form.encoding).rstrip("\r\n")
    names = re.findall(f'(?:^|{mark})("(?:[^"]|"")*"|[^{mark}]*)', text)
    return tuple(_unquoted(name.strip()) for name in names)


def order_mark(text: bytes, form: TextFormat) -> bytes:
    """The byte order mark at the start of a file; nothing where there is none."""
    return next((mark for mark in (_WIDE_MARKS if form.wide else (MARK,)) if text.startswith(mark)), b"")


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"').strip() if len(name) > 1 and name[0] == name[-1] == '"' else name


def first_record(text: bytes, form: TextFormat = PLAIN) -> bytes:
    """The first record of a text with its line break, whatever fields it has; its first line, where a quote is not closed in it."""
    mark = len(order_mark(text, form))
    lines = _lines_of(text[mark:], form)
    if not len(lines.outside):
        return text
    last = int(lines.ends[1]) if lines.outside[0] == _OPEN and len(lines.outside) > 1 else 0
    return text[: mark + int(lines.starts[max(last, 1)])]


def parts_of(path: Path, begin: int, size: int) -> tuple[Part, ...]:
    """The parts of a file of `size` bytes whose header ends before byte `begin`."""
    return tuple(Part(path, at, min(at + CHUNK, size), begin) for at in range(begin, size, CHUNK))


class _Lines(NamedTuple):
    """Lines of a text, each read twice: as if no quote were open where it begins, and as if one were.

    Attributes:
        starts: int64 (lines + 1,): the byte at which each begins; the last is the end of the text.
        outside: uint8: how each ends, where no quote is open at its beginning.
        marks: int32: the separators of it then.
        ends: int32: where a quote is open at its beginning, the line after the one at which none is open any more; 0 for none.
        inside: int32: the separators up to there.
    """

    starts: Int64
    outside: UInt8
    marks: Int32
    ends: Int32
    inside: Int32


def _lines_of(text: bytes, form: TextFormat) -> _Lines:
    """The lines of a text; of UTF-16 every unit beyond ASCII is one that is no mark, and half a unit at the end is passed over."""
    characters, width = np.frombuffer(text, np.uint8), 1
    if form.wide:
        units = np.frombuffer(text, WIDE[form.encoding], len(text) // 2)
        characters, width = np.minimum(units, 0x80).astype(np.uint8), 2
    many = int(np.count_nonzero(characters == _LF) + np.count_nonzero(characters == _CR)) + 1
    starts, outside = np.empty(many + 1, np.int64), np.empty(many, np.uint8)
    marks, ends, inside = np.empty((3, many), np.int32)
    many = _examine(characters, ord(form.mark), starts, outside, marks, ends, inside)
    return _Lines(starts[: many + 1] * width, outside[:many], marks[:many], ends[:many], inside[:many])


@compiled
def _line(characters: UInt8, begin: int, stop: int, mark: int, quoted: bool) -> tuple[int, int]:
    """How a line ends that begins within quotes or not, and how many separators it has."""
    marks, begins, place = 0, not quoted, begin
    while place < stop:
        byte = characters[place]
        place += 1
        if quoted:
            if byte != _QUOTE:
                continue
            if place < stop and characters[place] == _QUOTE:
                place += 1
                continue
            quoted = False
            # What follows the quote that closes a field is the next field, or the next line.
            if place < stop and characters[place] != mark:
                return _FAULTY, marks
        elif byte == mark:
            marks += 1
            begins = True
            continue
        elif byte == _QUOTE and begins:
            quoted = True
        begins = False
    return _OPEN if quoted else _CLOSED, marks


@compiled
def _examine(
    characters: UInt8, mark: int, starts: Int64, outside: UInt8, marks: Int32, ends: Int32, inside: Int32
) -> int:
    """Write what `_Lines` has; gives how many lines there are."""
    place, line = 0, 0
    while place < len(characters):
        starts[line] = place
        separators, quotes, stop = 0, False, place
        while stop < len(characters) and characters[stop] != _LF and characters[stop] != _CR:
            separators += characters[stop] == mark
            quotes |= characters[stop] == _QUOTE
            stop += 1
        if not quotes:
            outside[line], marks[line] = _BLANK if stop == place else _CLOSED, separators
            ends[line], inside[line] = -1, 0
        else:
            how, marks[line] = _line(characters, place, stop, mark, False)
            outside[line] = how
            how, inside[line] = _line(characters, place, stop, mark, True)
            ends[line] = -1 if how == _OPEN else line + 1 if how == _CLOSED else 0
        place = stop + 1
        if stop + 1 < len(characters) and characters[stop] == _CR and characters[stop + 1] == _LF:
            place += 1
        line += 1
    starts[line] = len(characters)
    for at in range(line - 1, -1, -1):
        if ends[at] < 0:
            ends[at] = ends[at + 1] if at + 1 < line else 0
            inside[at] += inside[at + 1] if at + 1 < line else 0
    return line


@compiled
def _follow(
    starts: Int64, outside: UInt8, marks: Int32, ends: Int32, inside: Int32, fields: int, longest: int, nexts: Int32
) -> None:
    """Write where the next record begins after each line, if one begins at it: as a line, below 0 where this one is left out."""
    lines = len(outside)
    for line in range(lines):
        stop, separators = line + 1, marks[line]
        if outside[line] == _OPEN:
            stop = ends[line + 1] if line + 1 < lines else 0
            separators += inside[line + 1] if line + 1 < lines else 0
        fits = outside[line] != _FAULTY and stop > 0 and separators == fields - 1
        fits = fits and starts[stop] - starts[line] <= longest
        nexts[line] = stop if fits or outside[line] == _BLANK else -line - 1


@compiled
def _meet(nexts: Int32, first: int, stop: int) -> int:
    """The line at or after `stop` at which a record begins, whichever line from `first` on the rule is followed from; -1 for several."""
    places = np.empty(stop - first, np.int64)
    met = -2
    for line in range(stop - 1, first - 1, -1):
        after = nexts[line] if nexts[line] >= 0 else line + 1
        places[line - first] = after if after >= stop else places[after - first]
        if met == -2:
            met = places[line - first]
        elif met != places[line - first]:
            met = -1
    return int(met)


@compiled
def _walk(nexts: Int32, outside: UInt8, line: int, stop: int, begins: Bool, dropped: Bool) -> int:
    """Follow the rule from a line on to `stop`; marks the lines at which records begin, and those left out. Gives where it ends."""
    while line < stop:
        if nexts[line] < 0:
            dropped[line] = True
            line += 1
        else:
            begins[line] = outside[line] != _BLANK
            line = int(nexts[line])
    return line


class _Window:
    """A range of a file and what may belong to records that begin in it.

    Args:
        file: The file.
        low: The first byte.
        stop: One past the last byte at which a record may begin.
        fields: Of a record.
        form: How the text says records.
    """

    def __init__(self, file: BinaryIO, low: int, stop: int, fields: int, form: TextFormat) -> None:
        file.seek(low)
        self.data = file.read(stop + LONGEST_RECORD + 2 - low)
        self._low = low
        self.lines = _lines_of(self.data, form)
        self.nexts = np.empty(len(self.lines.outside), np.int32)
        _follow(*self.lines, fields, LONGEST_RECORD, self.nexts)

    def line_at(self, byte: int) -> int:
        """The first line that begins at or after a byte of the file."""
        return int(np.searchsorted(self.lines.starts[:-1], byte - self._low))

    def byte_of(self, line: int) -> int:
        """Where a line begins in the file."""
        return self._low + int(self.lines.starts[line])

    def walk(self, line: int, stop: int) -> tuple[int, Bool, Bool]:
        """Follow the rule from a line on to `stop`: where it ends, the lines at which records begin, and those left out."""
        begins, dropped = np.zeros((2, len(self.nexts)), np.bool_)
        return _walk(self.nexts, self.lines.outside, line, stop, begins, dropped), begins, dropped


def _first(window: _Window, file: BinaryIO, part: Part, fields: int, form: TextFormat) -> int:
    """The line of a window at which the first record of a part begins."""
    stop = window.line_at(part.begin)
    if part.begin <= part.origin:
        return stop
    begin = window.line_at(part.origin)
    # Where the window begins within a line, that is none.
    whole = window.byte_of(0) <= part.origin if len(window.nexts) else True
    first = begin if whole else 1
    if first >= stop:
        return stop
    if whole:
        return window.walk(first, stop)[0]
    met = _meet(window.nexts, first, stop)
    if met >= 0:
        return met
    at = part.origin
    while at < part.begin:
        step = min(at + CHUNK, part.begin)
        before = _Window(file, at, step, fields, form)
        at = before.byte_of(before.walk(0, before.line_at(step))[0])
    return window.line_at(at)


def fitting(part: Part, fields: int, form: TextFormat = PLAIN) -> Fitting:
    """The records of a part that have so many fields, and which lines are left out."""
    with part.path.open("rb") as file:
        low = max(part.origin, part.begin - LONGEST_RECORD - 2)
        window = _Window(file, low, part.stop, fields, form)
        first = _first(window, file, part, fields, form)
    stop = window.line_at(part.stop)
    last, begun, dropped = window.walk(first, stop)
    begins, starts = np.flatnonzero(begun), window.lines.starts
    if not len(begins):
        data = b""
    elif dropped.any():
        data = b"".join(window.data[starts[at] : starts[window.nexts[at]]] for at in begins.tolist())
    else:
        data = window.data[starts[first] : starts[last]]
    return Fitting(data, begins - first + 1, np.flatnonzero(dropped) - first + 1, last - first)


def parsed(data: bytes, header: tuple[str, ...], columns: tuple[str, ...], form: TextFormat = PLAIN) -> pa.Table:
    """Records that have as many fields as the header: these columns, as bytes of UTF-8; what is no text of its encoding is U+FFFD."""
    if form.wide:
        data = data.decode(form.encoding, "replace").encode()
    # Arrow leaves out one byte order mark: the first bytes of a part are those of a record, wherever the part begins.
    if data.startswith(MARK):
        data = MARK + data
    table = pacsv.read_csv(
        pa.BufferReader(data),
        pacsv.ReadOptions(column_names=list(header), block_size=len(data) + 1, use_threads=False),
        pacsv.ParseOptions(delimiter=form.mark, newlines_in_values=True),
        pacsv.ConvertOptions(
            check_utf8=False, column_types=dict.fromkeys(header, pa.binary()), include_columns=list(columns)
        ),
    )
    if form.wide or form.encoding == PLAIN.encoding:
        return table
    return pa.table({name: _decoded(table[name].combine_chunks(), form.encoding) for name in columns})


def _decoded(column: pa.Array, encoding: str) -> pa.Array:
    """Texts in UTF-8."""
    if not pc.any(pc.match_substring_regex(column, r"[\x80-\xff]")).as_py():
        return column
    coded = column.dictionary_encode()
    texts = [each.decode(encoding, "replace").encode() for each in coded.dictionary.to_pylist()]
    return pa.array(texts, pa.binary()).take(coded.indices)


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column as one array without a dictionary."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array


def labels(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Labels as bytes, without the quotes and blanks around them; null where nothing is left."""
    array = plain(column)
    if pa.types.is_integer(array.type):
        array = array.cast(pa.string())
    array = array.cast(pa.binary())
    if pc.any(pc.match_substring_regex(array, r'^[ \t"]|[ \t"]$')).as_py():
        array = pc.replace_substring_regex(array, r'^[ \t]*"?|"?[ \t]*$', "")
    return pc.if_else(pc.equal(array, b""), pa.scalar(None, pa.binary()), array)
