"""The features of a GeoJSON, each read by itself: whatever one of them holds, the others are read alike."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa

POINT: Final = pa.struct([("x", pa.float64()), ("y", pa.float64())])
"""A native point."""
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_FEATURE_DEPTH: Final = 2


def features(data: bytes, columns: tuple[str, ...]) -> pa.Table:
    """The features of a FeatureCollection as native points and texts; a feature that cannot be read, or is no point, has none.

    Args:
        data: The file.
        columns: The name of the column of points, then those of the properties that are read.
    """
    found = [_read(text) for text in _texts(data)]
    geometry, *others = columns
    made = {geometry: pa.array([_point(each) for each in found], POINT)}
    return pa.table(made | {name: pa.array([_property(each, name) for each in found], pa.binary()) for name in others})


def _texts(data: bytes) -> Iterator[bytes]:
    """The text of each object in the list of features, found by its brackets."""
    key, inside, depth, begin = b"", False, 0, 0
    for token in _TOKEN.finditer(data):
        mark = token.group()
        if mark in (b"{", b"["):
            inside = inside or (mark == b"[" and depth == 1 and key == b'"features"')
            if inside and mark == b"{" and depth == _FEATURE_DEPTH:
                begin = token.start()
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
            if inside and mark == b"}" and depth == _FEATURE_DEPTH:
                yield data[begin : token.end()]
            inside = inside and depth >= _FEATURE_DEPTH
        elif depth == 1:
            key = mark


def _read(text: bytes) -> Any:
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _point(feature: Any) -> dict[str, float] | None:
    try:
        x, y = feature["geometry"]["coordinates"][:2]
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (x, y))
        return {"x": float(x), "y": float(y)} if numbers and feature["geometry"]["type"] == "Point" else None
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _property(feature: Any, name: str) -> bytes | None:
    try:
        value = feature["properties"][name]
    except (KeyError, TypeError):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).encode("utf-8", "replace")
