"""The confidential records of points: their public shape, and their rows part by part.

Forms: CSV with a header, Parquet and GeoParquet (one file, or a folder of Parquet parts), GeoJSON as a document or with a feature in each
line, and what a session holds (engine/held_records.py).
Where a point lies is said by two numbers, by a geometry (WKB, WKT, or GeoArrow's native points), or by an H3 cell, at whose centre it lies.

Every record follows one rule, so that none can stop a run: a point is dropped, uncounted, if its coordinates are missing, not numbers, NaN,
infinite or outside the public box, if its time is in no slice, or if it has no person where a person is protected. A line of CSV that has
another number of fields than the header is dropped too. A geometry that is no point is dropped, whatever it is made of.
"""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.distribution import install
from starling.engine.booleans import names_truth
from starling.engine.delimited import MARK, Part, parts_of
from starling.engine.held_records import Held, InMemory, hold
from starling.engine.record_files import PARQUET, Records, beginning_of, open_files, refuse
from starling.engine.record_parts import check_types, is_text, no_label, no_number, no_time, table_records, tables
from starling.errors import SourceError
from starling.places.plan.points import PlanOfPoints
from starling.places.plan.records import PlanOfRecords
from starling.places.plan.reference_systems import identifier
from starling.places.source import geojson
from starling.places.source.reference import check_named, check_reference

__all__ = ["Held", "InMemory", "Records", "open_records", "read_part"]

LARGEST_GEOJSON: Final = 1 << 28
"""Bytes: it is read as a whole."""
_HEAD: Final = 1 << 16
"""Bytes of a GeoJSON before its features, among which it may name its reference system."""


def open_records(data: str | Path | InMemory, plan: PlanOfPoints) -> Records | Held:
    """Check the public shape of records: their form, columns, types and reference system.

    Raises:
        SourceError: with all missing columns at once.
    """
    if plan.columns.h3 and find_spec("h3") is None:
        raise SourceError("input.h3", "needs the extra h3", install("h3"))
    if isinstance(data, str | Path):
        return open_files(data, lambda file: _open_file(file, plan), "CSV, Parquet or GeoJSON")
    held = hold(data, plan.columns.names)
    check_types(held.parts[0].path, held.columns, held.schema, partial(_wanted, plan))
    return held


def _open_file(path: Path, plan: PlanOfPoints) -> Records:
    beginning, size = beginning_of(path)
    columns, fix = plan.columns.names, f"the plan reads {', '.join(plan.columns.names)}"
    parquet = beginning.startswith(PARQUET)
    if not parquet and beginning.removeprefix(MARK).lstrip(b" \t\r\n" + geojson.SEPARATOR).startswith(b"{"):
        _check_geojson(path, plan)
        if geojson.is_lines(beginning.partition(b"\n")[0]):
            return Records((path,), (size,), "geojson-lines", columns, columns, parts_of(path, 0, size))
        if size > LARGEST_GEOJSON:
            fix = "write it as GeoParquet, or as GeoJSON with a feature in each line"
            refuse(path, f"is GeoJSON of more than {LARGEST_GEOJSON >> 20} MiB", fix)
        return Records((path,), (size,), "geojson", columns, columns, (Part(path, 0, size),))
    records = table_records(path, columns, fix, partial(_wanted, plan), plan.format)
    if parquet and plan.columns.geometry:
        schema = pq.read_schema(path)
        check_reference(path, plan, schema.metadata or {}, schema.field(plan.columns.geometry).metadata or {})
    return records


def _wanted(plan: PlanOfPoints, name: str, kind: pa.DataType) -> str:
    """As `record_parts.Wanted` says."""
    named = plan.columns
    if name in (named.x, named.y, named.value) and name:
        return no_number(kind)
    if name == named.geometry:
        binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
        fields = {field.name: field.type for field in kind} if pa.types.is_struct(kind) else {}
        point = {"x", "y"} <= fields.keys() and all(pa.types.is_floating(fields[axis]) for axis in "xy")
        return "" if binary or is_text(kind) or point else "WKB, WKT or a native point"
    return wanted_of_unit(plan, name, kind)


def wanted_of_unit(plan: PlanOfRecords, name: str, kind: pa.DataType) -> str:
    """As `record_parts.Wanted` says, of the columns of slices and persons, and of ids."""
    listed: tuple[str, ...] = ()
    if plan.slices is not None and name == plan.columns.time:
        if plan.slices.bounds is not None:
            return no_time(kind)
        listed = plan.slices.names
    if plan.slices is not None and name == plan.columns.category:
        listed = plan.slices.categories
    return "" if pa.types.is_boolean(kind) and names_truth(listed) else no_label(kind)


def _check_geojson(path: Path, plan: PlanOfPoints) -> None:
    if not plan.columns.geometry:
        refuse(path, "is GeoJSON, and the plan names no geometry", 'write geometry = "geometry" below [input]')
    with path.open("rb") as file:
        named = geojson.crs_of(file.read(_HEAD))
    if named is not None:
        check_named(path, plan, identifier(named))
    elif plan.crs_name:
        refuse(path, "is GeoJSON, whose points are in degrees", "give GeoParquet, or a plan in degrees")


def read_part(records: Records | Held, part: Part) -> Iterator[pa.Table]:
    """The records of a part as they are: of text all columns as bytes, of GeoJSON typed points and texts, else as stored.

    Raises:
        SourceError: the file is gone, or is not what was checked; never because of what a record says.
    """
    if isinstance(records, Held) or not records.form.startswith("geojson"):
        yield from tables(records, part)
        return
    try:
        with part.path.open("rb") as file:
            whole = records.form == "geojson"
            data = file.read(part.stop) if whole else geojson.lines(file, part.begin, part.stop)
    except OSError:
        raise SourceError("records", "are not what was checked", "leave the file alone") from None
    texts = geojson.features_of_document(data) if whole else geojson.features_of_lines(data)
    yield from geojson.features(texts, records.columns)
