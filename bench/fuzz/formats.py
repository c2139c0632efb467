"""How the records of a source are written, by the name of the format; those that end in -bytes then have some bytes changed."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from bench.fuzz.attempt import opened, write_public
from bench.fuzz.inputs import KINDS, column, corrupt, mutate, texts
from bench.fuzz.source import Source
from starling.errors import StarlingError

_ENDS: Final = (b"\n", b"\n", b"\r\n", b"\r")
_COMPRESSIONS: Final = ("snappy", "zstd", "none", "gzip")
_WHOLE: Final = "-bytes"
_ROWS_OF_BYTES: Final = 12
"""Records of a file whose bytes are changed."""


def write(source: Source, form: str, random: Random, rows: int, folder: Path) -> tuple[Path | pa.Table, int]:
    """Write records of a source into a folder.

    Returns:
        The file, or a table for `held`; then how many inputs it is: its records, or 1 where it is a file of changed bytes.
    """
    whole = form.removesuffix(_WHOLE)
    many = _ROWS_OF_BYTES if whole != form else rows
    if whole == "held":
        return _table(source, random, many), many
    path = folder / f"records.{whole.partition('-')[0]}"
    WRITERS[whole](source, random, many, path)
    if whole == form:
        return path, many
    path.write_bytes(corrupt(random, path.read_bytes()))
    return path, 1


def _csv(source: Source, random: Random, rows: int, path: Path) -> None:
    """Fields as they are, or in quotes; lines of other numbers of fields."""
    columns = [texts(random, right, rows) for right in source.columns.values()]
    quoted = random.random() < 0.3
    lines = [source.separator.join(name.encode() for name in source.columns)]
    for fields in zip(*columns, strict=True):
        said = [b'"' + each.replace(b'"', b'""') + b'"' for each in fields] if quoted else list(fields)
        if random.random() < 0.01:
            said.insert(random.randrange(len(said) + 1), b"x")
        lines.append(source.separator.join(said))
    path.write_bytes(
        random.choice((b"", b"\xef\xbb\xbf")) + random.choice(_ENDS).join(lines) + random.choice((b"", b"\n"))
    )


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


def _parquet(source: Source, random: Random, rows: int, path: Path) -> None:
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
    said = {
        name: text.decode("utf-8", "replace") if random.random() < 0.8 else _json(random)
        for name in others
        for text in texts(random, source.columns[name], 1)
    }
    feature: Any = {
        "type": "Feature",
        "geometry": geometry,
        "properties": said if random.random() < 0.9 else _json(random),
    }
    text = json.dumps(feature if random.random() < 0.95 else _json(random)).encode()
    if random.random() < 0.02:
        text = text.replace(b"null", b"[" * 3000 + b"]" * 3000)
    return mutate(random, text, (text,)).replace(b"\n", b" ") if random.random() < 0.1 else text


def _geojson(source: Source, random: Random, rows: int, path: Path) -> None:
    features = (b",\n" if random.random() < 0.5 else b",").join(_feature(source, random) for _ in range(rows))
    path.write_bytes(b'{"type": "FeatureCollection", "features": [' + features + b"]}")


def _geojson_lines(source: Source, random: Random, rows: int, path: Path) -> None:
    mark = random.choice((b"", b"", b"\x1e", b"\xef\xbb\xbf"))
    first = b'{"type": "Feature", "geometry": {"type": "Point", "coordinates": [0.5, 1]}, "properties": {}}'
    path.write_bytes(mark + b"\n".join((first, *(_feature(source, random) for _ in range(rows)))) + b"\n")


WRITERS: Final[dict[str, Callable[[Source, Random, int, Path], None]]] = {
    "csv": _csv,
    "parquet": _parquet,
    "geojson": _geojson,
    "geojson-lines": _geojson_lines,
}
"""How each format is written."""
