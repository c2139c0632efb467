"""The names of coordinate reference systems: authority and code of what files write as PROJJSON, WKT, a URN or a short name.

Longitude and latitude on WGS 84 go by many names, and tools leave the id out where they made the definition themselves; it is then
recognised by what it defines. Other systems are recognised by their id alone.
"""

import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

DEGREES: Final = ("OGC:CRS84", "OGC:CRS84H", "EPSG:4326", "EPSG:4979")
"""Longitude and latitude on WGS 84. Points are stored with the longitude first in every one (GeoParquet 1.1, RFC 7946)."""
_NAME: Final = re.compile(r"(?:urn:ogc:def:crs:|https?://www\.opengis\.net/def/crs/)?(\w+)[:/]+(?:[\w.]*[:/])?(\w+)$")
_WKT_ID: Final = re.compile(r'(?:ID|AUTHORITY)\s*\[\s*"(\w+)"\s*,\s*"?(\w+)"?\s*\]\s*\]\s*$')
_WGS84: Final = re.compile(r"world geodetic system 1984|wgs[_ ]?(?:19)?84", re.IGNORECASE)


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


def definition(name: str) -> Mapping[str, Any] | None:
    """PROJJSON of a reference system by its name, from the library pyproj; None where that is not installed, or knows no such system."""
    if find_spec("pyproj") is None:
        return None
    from pyproj import CRS
    from pyproj.exceptions import CRSError

    try:
        stated: Mapping[str, Any] = CRS.from_user_input(name).to_json_dict()
    except CRSError:
        return None
    return stated


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
