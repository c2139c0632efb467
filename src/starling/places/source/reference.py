"""The coordinate reference systems that files name, as GeoParquet, Arrow and GeoJSON write them, held against the plan's.

Longitude and latitude on WGS 84 go by many names, and tools leave the id out where they made the definition themselves; it is then
recognised by what it defines. Other systems are recognised by their id alone.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from starling.engine.record_files import refuse
from starling.places.plan import Plan

DEGREES: Final = ("OGC:CRS84", "OGC:CRS84H", "EPSG:4326", "EPSG:4979")
"""Longitude and latitude on WGS 84. Points are stored with the longitude first in every one (GeoParquet 1.1, RFC 7946)."""
_NAME: Final = re.compile(r"(?:urn:ogc:def:crs:|https?://www\.opengis\.net/def/crs/)?(\w+)[:/]+(?:[\w.]*[:/])?(\w+)$")
_WKT_ID: Final = re.compile(r'(?:ID|AUTHORITY)\s*\[\s*"(\w+)"\s*,\s*"?(\w+)"?\s*\]\s*\]\s*$')
_WGS84: Final = re.compile(r"world geodetic system 1984|wgs[_ ]?(?:19)?84", re.IGNORECASE)


def check_reference(path: Path, plan: Plan, metadata: Mapping[bytes, bytes], field: Mapping[bytes, bytes]) -> None:
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


def check_named(path: Path, plan: Plan, reference: str | None) -> None:
    """Refuse a reference system that is not the plan's; "" is one that is said to be unknown, None one without an id."""
    known = DEGREES if plan.grid.crs != "plain" else (plan.grid.crs_name.upper(),)
    if reference is None:
        problem = "has a coordinate reference system without an id, which is not longitude and latitude on WGS 84"
        refuse(path, problem, f"name it {known[0]} if it is that, or transform it")
    if reference not in known:
        other = f"has the coordinate reference system {reference}" if reference else "has an unknown reference system"
        refuse(path, f"{other}: another coordinate reference system than the plan", f"transform it to {known[0]}")


def identifier(crs: Any) -> str | None:
    """Authority and code of a reference system: of PROJJSON, WKT, a URN or a short name; None where it has none and is not WGS 84.

    >>> identifier("urn:ogc:def:crs:OGC:1.3:CRS84"), identifier("epsg:2263"), identifier('GEOGCRS["x", ID["EPSG", 4326]]')
    ('OGC:CRS84', 'EPSG:2263', 'EPSG:4326')
    """
    if isinstance(crs, str):
        short = _NAME.match(crs.strip()) or _WKT_ID.search(crs)
        return f"{short[1]}:{short[2]}".upper() if short else None
    if "id" in crs:
        return f"{crs['id']['authority']}:{crs['id']['code']}".upper()
    return DEGREES[0] if _is_wgs84(crs) else None


def _is_wgs84(crs: Any) -> bool:
    """Whether PROJJSON defines degrees on WGS 84 without a change of them."""
    datum = crs.get("datum") or crs.get("datum_ensemble") or {}
    axes = crs.get("coordinate_system", {}).get("axis", [])
    return (
        crs.get("type") in ("GeographicCRS", "GeodeticCRS")
        and crs.get("coordinate_system", {}).get("subtype") == "ellipsoidal"
        and bool(_WGS84.match(str(datum.get("name", ""))))
        and [axis.get("unit") for axis in axes[:2]] == ["degree", "degree"]
        and datum.get("prime_meridian", {}).get("longitude", 0) == 0
    )
