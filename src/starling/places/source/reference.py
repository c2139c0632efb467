"""The coordinate reference systems that files name, as GeoParquet, Arrow and GeoJSON write them, held against the plan's."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starling.engine.record_files import refuse
from starling.places.plan.points import PlanOfPoints
from starling.places.plan.reference_systems import DEGREES, identifier


def check_reference(
    path: Path, plan: PlanOfPoints, metadata: Mapping[bytes, bytes], field: Mapping[bytes, bytes]
) -> None:
    """Refuse a geometry whose metadata name another reference system, or another encoding, than the plan reads.

    The metadata are those of the file, GeoParquet's below `geo`, and of the column, where Arrow's types of geometry say it.
    """
    stated: Any = {}
    try:
        if b"geo" in metadata:
            stated = json.loads(metadata[b"geo"])["columns"][plan.columns.geometry]
            encoding = stated["encoding"]
            if encoding not in ("WKB", "point"):
                refuse(path, "has a geometry that is neither WKB nor native points", "write points as WKB")
        elif field.get(b"ARROW:extension:name", b"").startswith(b"geoarrow."):
            stated = json.loads(field.get(b"ARROW:extension:metadata") or b"{}")
        else:
            return
        named = stated.get("crs", DEGREES[0])
        reference = "" if named is None else identifier(named)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        refuse(path, "has GeoParquet metadata that cannot be read", "write it again as GeoParquet 1.0 or 1.1")
    check_named(path, plan, reference)


def check_named(path: Path, plan: PlanOfPoints, reference: str | None) -> None:
    """Refuse a reference system that is not the plan's; "" is one that is said to be unknown, None one without an id."""
    known = DEGREES if not plan.crs_name else (plan.crs_name.upper(),)
    if reference is None:
        problem = "has a coordinate reference system without an id, which is not longitude and latitude on WGS 84"
        refuse(path, problem, f"name it {known[0]} if it is that, or transform it")
    if reference not in known:
        other = f"has the coordinate reference system {reference}" if reference else "has an unknown reference system"
        refuse(path, f"{other}: another coordinate reference system than the plan", f"transform it to {known[0]}")
