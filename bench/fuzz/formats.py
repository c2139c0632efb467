"""How the records of a source are written, by the kind of its form; where the file is the input, some of its bytes are changed then."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from bench.fuzz.attempt import opened, write_public
from bench.fuzz.declared import encoded, written
from bench.fuzz.forms import Form
from bench.fuzz.inputs import KINDS, column, corrupt, mutate, texts
from bench.fuzz.sheets import corrupt_workbook, write_sheet
from bench.fuzz.source import Source
from starling.errors import StarlingError
from starling.text_format import PLAIN, TextFormat

_ENDS: Final = (b"\n", b"\n", b"\r\n", b"\r")
_COMPRESSIONS: Final = ("snappy", "zstd", "none", "gzip")
_ROWS_OF_BYTES: Final = 12
"""Records of a file whose bytes are changed."""
_MOST: Final = {"workbook": 2000}
"""Records of a file of a kind that is read slowly."""
_MOST_IN_PARTS: Final = 500
"""Records of a file that is counted in parts of a few records."""


def write(source: Source, form: Form, random: Random, rows: int, folder: Path) -> tuple[Path | pa.Table, int]:
    """Write records of a source into a folder.

    Returns:
        The file, or a table for `held`; then how many inputs it is: its records, or 1 where it is a file of changed bytes.
    """
    many = _ROWS_OF_BYTES if form.whole else rows
    if form.kind == "held":
        return _table(source, random, many), many
    many = min(many, _MOST.get(form.kind, many)) if not form.parts else min(many, _MOST_IN_PARTS)
    path = folder / f"records.{form.kind.partition('-')[0]}"
    WRITERS[form.kind](source, random, many, path, form.format)
    if not form.whole:
        return path, many
    corrupted = corrupt_workbook if form.kind == "workbook" and random.random() < 0.7 else corrupt
    path.write_bytes(corrupted(random, path.read_bytes()))
    return path, 1


def _csv(source: Source, random: Random, rows: int, path: Path, form: TextFormat) -> None:
    """Fields as they are, or in quotes; lines of other numbers of fields."""
    columns = [texts(random, _right(values, form), rows) for values in source.columns.values()]
    quoted = random.random() < 0.3
    separator = source.separator if form == PLAIN else form.mark.encode()
    lines = [separator.join(name.encode() for name in source.columns)]
    for fields in zip(*columns, strict=True):
        line = [b'"' + each.replace(b'"', b'""') + b'"' for each in fields] if quoted else list(fields)
        if random.random() < 0.01:
            line.insert(random.randrange(len(line) + 1), b"x")
        lines.append(separator.join(line))
    beginning = b"" if form.wide else random.choice((b"", b"\xef\xbb\xbf"))
    path.write_bytes(beginning + encoded(random.choice(_ENDS).join(lines) + random.choice((b"", b"\n")), form))


def _right(values: Sequence[bytes], form: TextFormat) -> list[bytes]:
    """Right values as a format writes them, and as they are written plainly."""
    return [*(written(value, form) for value in values), *values] if form != PLAIN else list(values)


def _table(source: Source, random: Random, rows: int) -> pa.Table:
    kinds = accepted(source)
    return pa.table(
        {name: column(random, random.choice(kinds[name]), right, rows) for name, right in source.columns.items()}
    )


def accepted(source: Source) -> Mapping[str, Sequence[pa.DataType]]:
    """The types that each column may have, as opening Parquet files of one record shows."""
    if source.name not in _ACCEPTED:
        kinds: dict[str, list[pa.DataType]] = {name: [] for name in source.columns}
        with TemporaryDirectory() as scratch:
            folder = Path(scratch)
            write_public(source, folder)
            for kind in KINDS:
                refused = _refused(source, kind, folder)
                for name in kinds.keys() - refused:
                    kinds[name].append(kind)
        _ACCEPTED[source.name] = kinds
    return _ACCEPTED[source.name]


_ACCEPTED: Final[dict[str, Mapping[str, Sequence[pa.DataType]]]] = {}


def _refused(source: Source, kind: pa.DataType, folder: Path) -> set[str]:
    """The columns that may not be of a type."""
    path = folder / "records.parquet"
    try:
        pq.write_table(pa.table({name: pa.nulls(1, kind) for name in source.columns}), path)
        opened(source, path, folder)
    except pa.ArrowException:
        return set(source.columns)
    except StarlingError as error:
        return {problem.field for problem in error.problems}
    return set()


def _parquet(source: Source, random: Random, rows: int, path: Path, form: TextFormat) -> None:  # noqa: ARG001 - it has types
    table = _table(source, random, rows)
    for at, name in enumerate(table.column_names):
        if not _can_be_stored(table[name]):
            table = table.set_column(at, name, pa.nulls(rows, table[name].type))
    pq.write_table(
        table,
        path,
        row_group_size=random.choice((rows, rows // 3 + 1)),
        compression=random.choice(_COMPRESSIONS),
        use_dictionary=random.random() < 0.5,
        data_page_version=random.choice(("1.0", "2.0")),
        store_schema=random.random() < 0.8,
    )


def _can_be_stored(values: pa.ChunkedArray) -> bool:
    """Whether Parquet holds these values of their type."""
    try:
        pq.write_table(pa.table({"": values}), pa.BufferOutputStream())
    except pa.ArrowException:
        return False
    return True


_TYPES: Final = (
    *("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"),
    *("point", "", None, 1, "Circle"),
)


def _json(random: Random, depth: int = 0) -> Any:
    """Any value of JSON, often one that a coordinate or a property should not be."""
    leaves: tuple[Any, ...] = (
        *(None, True, False, 0, -1, 1.5, 1e308, 10**400, 2**63, -(2**63), float("nan"), float("inf"), "", "x", "1"),
        *("\ud800", "\x00", "2020-01-05", "a"),
    )
    if depth > 3 or random.random() < 0.6:
        return random.choice(leaves)
    many = random.randrange(4)
    if random.random() < 0.5:
        return [_json(random, depth + 1) for _ in range(many)]
    return {random.choice(("type", "coordinates", "geometry", "time")): _json(random, depth + 1) for _ in range(many)}


def _feature(source: Source, random: Random) -> bytes:
    coordinates = [random.choice((0.5, -0.5, 1, 2.5, 91, 1e308)) for _ in range(random.choice((2, 2, 2, 3, 1, 0)))]
    geometry: Any = {"type": "Point", "coordinates": coordinates}
    chance = random.random()
    if chance < 0.2:
        geometry = {"type": random.choice(_TYPES), "coordinates": [coordinates], "geometries": [geometry]}
    elif chance < 0.4:
        geometry["coordinates"] = _json(random)
    elif chance < 0.5:
        geometry = _json(random)
    _, *others = source.columns
    properties = {
        name: text.decode("utf-8", "replace") if random.random() < 0.8 else _json(random)
        for name in others
        for text in texts(random, source.columns[name], 1)
    }
    feature: Any = {
        "type": "Feature",
        "geometry": geometry,
        "properties": properties if random.random() < 0.9 else _json(random),
    }
    text = json.dumps(feature if random.random() < 0.95 else _json(random)).encode()
    if random.random() < 0.02:
        text = text.replace(b"null", b"[" * 3000 + b"]" * 3000)
    return mutate(random, text, (text,)).replace(b"\n", b" ") if random.random() < 0.1 else text


def _geojson(source: Source, random: Random, rows: int, path: Path, form: TextFormat) -> None:  # noqa: ARG001 - it is JSON
    features = (b",\n" if random.random() < 0.5 else b",").join(_feature(source, random) for _ in range(rows))
    path.write_bytes(b'{"type": "FeatureCollection", "features": [' + features + b"]}")


def _geojson_lines(source: Source, random: Random, rows: int, path: Path, form: TextFormat) -> None:  # noqa: ARG001 - it is JSON
    mark = random.choice((b"", b"", b"\x1e", b"\xef\xbb\xbf"))
    first = b'{"type": "Feature", "geometry": {"type": "Point", "coordinates": [0.5, 1]}, "properties": {}}'
    path.write_bytes(mark + b"\n".join((first, *(_feature(source, random) for _ in range(rows)))) + b"\n")


def _workbook(source: Source, random: Random, rows: int, path: Path, form: TextFormat) -> None:
    write_sheet(random, path, {name: _right(values, form) for name, values in source.columns.items()}, rows)


WRITERS: Final[dict[str, Callable[[Source, Random, int, Path, TextFormat], None]]] = {
    "csv": _csv,
    "parquet": _parquet,
    "geojson": _geojson,
    "geojson-lines": _geojson_lines,
    "workbook": _workbook,
}
"""How each kind is written."""
