"""What the columns of records say: numbers and points. Every value follows a stated rule; none can stop a run."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import labels, plain
from starling.places.arrays import Float64, Int64
from starling.places.source.geojson import TYPES

_NUMBER: Final = r'^[ \t]*"?[ \t]*\+?(?P<number>-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[ \t]*"?[ \t]*$'

_CELL: Final = r"^(?:0[xX])?0*(?P<digits>[0-9a-fA-F]{1,16})$"
"""Of H3: 64 bits, hexadecimal."""
_WKT: Final = r'(?i)^[\s"]*(?:SRID\s*=\s*[0-9]+\s*;)?\s*(?P<type>[A-Z]+)'
_WKT_POINT: Final = (
    _WKT.replace("[A-Z]+", "POINT")
    + r'\s*(?:ZM|Z|M)?\s*\(\s*(?P<x>[^\s(),]+)\s+(?P<y>[^\s(),]+)(?:\s+[^\s(),]+){0,2}\s*\)[\s"]*$'
)
_PRINTED: Final = 9
"""The first byte of a text is no less, that of well-known binary is 0 or 1."""


def numbers(column: pa.ChunkedArray | pa.Array) -> Float64:
    """float64: the nearest double to what a value or text says; NaN where that is no number."""
    values = plain(column)
    if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type) or pa.types.is_decimal(values.type)):
        digits = pc.struct_field(pc.extract_regex(values.cast(pa.binary()), _NUMBER), "number")
        values = digits.cast(pa.string())
    doubles = values.cast(pa.float64(), safe=False).fill_null(np.nan)
    return np.asarray(doubles.to_numpy(zero_copy_only=False))


def coordinates(column: pa.ChunkedArray | pa.Array) -> tuple[Float64, Float64]:
    """float64 and float64: x and y of points, native, WKB or WKT; NaN where a geometry is missing or is no point."""
    pairs = plain(column)
    if pa.types.is_struct(pairs.type):
        missing = pairs.is_null().to_numpy(zero_copy_only=False)
        x, y = (np.where(missing, np.nan, numbers(pairs.field(axis))) for axis in "xy")
        return x, y
    geometries = pairs.cast(pa.large_binary())
    x, y = _wkb(geometries)
    texts = _texts(geometries)
    if texts.any():
        # POINT (x y): perhaps after SRID=4326;, with Z, M or ZM, and with up to two further numbers.
        points = pc.extract_regex(geometries.filter(pa.array(texts)), _WKT_POINT)
        x[texts], y[texts] = (numbers(pc.struct_field(points, axis)) for axis in "xy")
    return x, y


def geometry_types(column: pa.ChunkedArray | pa.Array) -> Int64:
    """int64: the type of each geometry by its place in TYPES, from 1 on; 0 for a missing geometry or another type."""
    result = plain(column)
    if not pa.types.is_struct(result.type):
        geometries = result.cast(pa.large_binary())
        _, _, kind = _heads(geometries)
        types = (kind & 0x0FFFFFFF) % 1000
        texts = _texts(geometries)
        if texts.any():
            types[texts] = _wkt_types(geometries.filter(pa.array(texts)))
        return np.where(result.is_valid().to_numpy(zero_copy_only=False) & (types <= len(TYPES)), types, 0)
    if result.type.get_field_index("type") < 0:
        return np.asarray(result.is_valid().cast(pa.int64()).to_numpy(zero_copy_only=False))
    types = pc.index_in(result.field("type"), pa.array(TYPES)).fill_null(-1).cast(pa.int64())
    return np.asarray(types.to_numpy(zero_copy_only=False)) + 1


def _texts(geometries: pa.Array) -> npt.NDArray[np.bool_]:
    """Whether each geometry is there, and begins as a text does."""
    characters, offsets, _ = _heads(geometries)
    held = (np.diff(offsets) > 0) & geometries.is_valid().to_numpy(zero_copy_only=False)
    return np.asarray(held & (characters[offsets[:-1]] >= _PRINTED))


def _wkt_types(texts: pa.Array) -> Int64:
    """int64: as `geometry_types` has them."""
    named = pc.struct_field(pc.extract_regex(texts, _WKT), "type")
    types = pc.index_in(
        pc.utf8_upper(named.cast(pa.large_string())), pa.array([each.upper() for each in TYPES], pa.large_string())
    )
    return np.asarray(types.fill_null(-1).cast(pa.int64()).to_numpy(zero_copy_only=False)) + 1


def _heads(geometries: pa.Array) -> tuple[npt.NDArray[np.uint8], Int64, Int64]:
    """All characters, then some zeros; where each text begins and, past the last, ends; the number that should be its type."""
    offsets = np.frombuffer(geometries.buffers()[1], np.int64)[
        geometries.offset : geometries.offset + len(geometries) + 1
    ]
    data = geometries.buffers()[2]
    characters = np.concatenate([np.frombuffer(data, np.uint8) if data else [], np.zeros(25, np.uint8)]).astype(
        np.uint8
    )
    begin = offsets[:-1]
    kind = _read(characters, begin + 1, characters[begin] == 0, "u4").astype(np.int64)
    return characters, offsets, kind


def _wkb(geometries: pa.Array) -> tuple[Float64, Float64]:
    """Points as well-known binary: byte order, type, perhaps the id of a reference system (EWKB), x, y, perhaps z and m."""
    characters, offsets, kind = _heads(geometries)
    begin, length = offsets[:-1], np.diff(offsets)
    big = characters[begin] == 0
    named = kind & 0x20000000 != 0
    dimensions = (kind >> 30) & 3
    flat = kind & 0x0FFFFFFF
    flags = np.array([0, 1, 1, 2])[dimensions] + np.array([0, 1, 1, 2, 0])[np.minimum(flat // 1000, 4)]
    fits = (flat % 1000 == 1) & (flat < 4000) & (characters[begin] <= 1)
    fits &= length == 21 + 4 * named + 8 * flags
    start = begin + 5 + 4 * named
    start = np.where(fits, start, 0)
    fits &= geometries.is_valid().to_numpy(zero_copy_only=False)
    x, y = (np.where(fits, _read(characters, start + at, big, "f8"), np.nan) for at in (0, 8))
    return x, y


def _read(characters: npt.NDArray[np.uint8], begin: Int64, big: npt.NDArray[np.bool_], kind: str) -> npt.NDArray[Any]:
    """Numbers of a type that begin at these bytes, in either order of bytes."""
    size = np.dtype(kind).itemsize
    taken = np.ascontiguousarray(characters[begin[:, None] + np.arange(size)])
    return np.where(big, taken.view(f">{kind}")[:, 0], taken.view(f"<{kind}")[:, 0])


def centres(column: pa.ChunkedArray | pa.Array) -> tuple[Float64, Float64]:
    """float64 and float64: longitude and latitude of the centres of H3 cells, hexadecimal texts or integers; NaN for what is no cell."""
    from h3.api import basic_int as h3

    centres_of = plain(column)
    if pa.types.is_integer(centres_of.type):
        coded = centres_of.dictionary_encode()
        cells = [cell % (1 << 64) for cell in coded.dictionary.to_pylist()]
    else:
        coded = labels(centres_of).dictionary_encode()
        # Of more than 16 digits the library makes an error.
        digits = pc.struct_field(pc.extract_regex(coded.dictionary, _CELL), "digits").to_pylist()
        cells = [int(each or b"0", 16) for each in digits]
    places = np.array([h3.cell_to_latlng(cell)[::-1] if h3.is_valid_cell(cell) else (np.nan, np.nan) for cell in cells])
    places = np.concatenate([places.reshape(-1, 2), [(np.nan, np.nan)]])
    at = coded.indices.fill_null(len(cells)).to_numpy(zero_copy_only=False)
    return places[at, 0], places[at, 1]
