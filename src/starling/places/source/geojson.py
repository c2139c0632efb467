"""The features of GeoJSON, each read by itself: whatever one of them holds, the others are read alike.

Two forms: a document, of which the features of all collections are read, and each object that stands outside of one; and lines, each a
feature, perhaps after a record separator (RFC 8142). Of lines a line is a feature whatever stands in it, and files of any size are read.
A feature is a point where its geometry is a Point; any other geometry is none, and its type is kept for `validate`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO, Final

import pyarrow as pa

from starling.engine.delimited import LONGEST_RECORD, MARK

POINT: Final = pa.struct([("x", pa.float64()), ("y", pa.float64())])
"""A native point."""
TYPED_POINT: Final = pa.struct([*POINT, ("type", pa.string())])
"""A native point with the type of the geometry, "" for none."""
TYPES: Final = (
    *("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"),
)
"""Of geometries, in the order of their codes in well-known binary, from 1 on."""
BATCH: Final = 1 << 16
"""Features that are read at a time."""
SEPARATOR: Final = b"\x1e"
_FEATURE_DEPTH: Final = 2
# A text that no quote ends goes on to the end: without that each quote in it would be looked at again.
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def features(texts: Iterable[bytes], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Features as typed points and texts of properties, named by `columns`, the points first; one that cannot be read, or is no point, has
    none.
    """
    geometry, *others = columns
    waiting = iter(texts)
    while some := [_read(text) for text in islice(waiting, BATCH)]:
        points = {geometry: pa.array([_point(each) for each in some], TYPED_POINT)}
        yield pa.table(
            points | {name: pa.array([_property(each, name) for each in some], pa.binary()) for name in others}
        )


def is_lines(line: bytes) -> bool:
    """Whether a file that begins with this line has a feature in each line."""
    try:
        first = json.loads(line.removeprefix(MARK).lstrip(SEPARATOR).decode())
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("type") == "Feature"


def lines(file: BinaryIO, begin: int, stop: int) -> bytes:
    """All lines that begin in a range of bytes of a file, but for one that goes further than LONGEST_RECORD beyond it."""
    shift = max(begin - 1, 0)
    file.seek(shift)
    data = file.read(stop - shift + LONGEST_RECORD)
    first = data.find(b"\n") + 1 if begin else 0
    if begin and not 0 < first <= stop - begin:
        return b""
    last = data.find(b"\n", stop - 1 - shift) + 1
    if not last:
        ends = len(data) < stop - shift + LONGEST_RECORD
        last = len(data) if ends else data.rfind(b"\n", 0, stop - 1 - shift) + 1
    return data[first:last]


def features_of_lines(data: bytes) -> Iterator[bytes]:
    """The text of each line that is not blank."""
    for line in data.split(b"\n"):
        if text := line.removeprefix(MARK).strip(b" \t\r" + SEPARATOR):
            yield text


def features_of_document(data: bytes) -> Iterator[bytes]:
    """The text of each object in a list of features, and of each that stands outside of one, found by its brackets."""
    key, inside, collection, depth, outer, begin = b"", False, False, 0, 0, 0
    for token in _TOKEN.finditer(data):
        mark = token.group()
        if mark in (b"{", b"["):
            if depth == 0:
                outer, collection = token.start(), False
            if mark == b"[" and depth == 1 and key == b'"features"':
                inside = collection = True
            if inside and mark == b"{" and depth == _FEATURE_DEPTH:
                begin = token.start()
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
            if inside and mark == b"}" and depth == _FEATURE_DEPTH:
                yield data[begin : token.end()]
            elif mark == b"}" and depth == 0 and not collection and key:
                yield data[outer : token.end()]
            inside = inside and depth >= _FEATURE_DEPTH
            depth = max(depth, 0)
        elif depth == 1:
            key = mark


def crs_of(head: bytes) -> str | None:
    """The reference system that the head of a document names, as older tools write it; None where it names none."""
    named = re.search(rb'"crs"\s*:\s*\{[^{}]*\{[^{}]*"name"\s*:\s*"([^"\\]*)"', head.partition(b'"features"')[0])
    return None if named is None else named[1].decode("utf-8", "replace")


def _read(text: bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _point(feature: Any) -> dict[str, float | str | None]:
    try:
        geometry = feature["geometry"]
        kind = geometry["type"]
    except (KeyError, TypeError, IndexError):
        return {"x": None, "y": None, "type": ""}
    named = kind if isinstance(kind, str) and kind in TYPES else ""
    none: dict[str, float | str | None] = {"x": None, "y": None, "type": named}
    if named != TYPES[0]:
        return none
    try:
        x, y = geometry["coordinates"][:2]
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (x, y))
        return {"x": float(x), "y": float(y), "type": named} if numbers else none
    except (KeyError, TypeError, ValueError, OverflowError):
        return none


def _property(feature: Any, name: str) -> bytes | None:
    try:
        value = feature["properties"][name]
    except (KeyError, TypeError, IndexError):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        return str(value).encode("utf-8", "replace")
    except ValueError:  # an integer of more digits than Python writes
        return None
