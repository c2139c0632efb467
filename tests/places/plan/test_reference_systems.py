"""Reference systems by every name that common tools give them."""

from typing import Any

import pytest

from starling.places.plan import reference_systems
from starling.places.plan.reference_systems import definition, identifier

AXES = [{"name": "Longitude", "unit": "degree"}, {"name": "Latitude", "unit": "degree"}]
WGS84: dict[str, Any] = {
    "type": "GeographicCRS",
    "name": "unknown",
    "datum": {"type": "GeodeticReferenceFrame", "name": "World Geodetic System 1984"},
    "coordinate_system": {"subtype": "ellipsoidal", "axis": AXES},
}


@pytest.mark.parametrize(
    ("crs", "name"),
    [
        ("EPSG:4326", "EPSG:4326"),
        ("epsg:2263", "EPSG:2263"),
        ("OGC:CRS84", "OGC:CRS84"),
        ("urn:ogc:def:crs:OGC:1.3:CRS84", "OGC:CRS84"),
        ("urn:ogc:def:crs:EPSG::2263", "EPSG:2263"),
        ("urn:ogc:def:crs:EPSG:10.1:4326", "EPSG:4326"),
        ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", "OGC:CRS84"),
        ('GEOGCRS["WGS 84",DATUM["x",ID["EPSG",6326]],ID["EPSG",4326]]', "EPSG:4326"),
        ('GEOGCS["WGS 84",DATUM["WGS_1984"],AUTHORITY["EPSG","4326"]]', "EPSG:4326"),
        ({"id": {"authority": "EPSG", "code": 2263}}, "EPSG:2263"),
        (WGS84, "OGC:CRS84"),
        (WGS84 | {"datum": None, "datum_ensemble": {"name": "World Geodetic System 1984 ensemble"}}, "OGC:CRS84"),
        (WGS84 | {"datum": {"name": "WGS_1984"}}, "OGC:CRS84"),
        (WGS84 | {"datum": {"name": "North American Datum 1983"}}, None),
        (WGS84 | {"coordinate_system": {"subtype": "ellipsoidal", "axis": [{"unit": "radian"}] * 2}}, None),
        (WGS84 | {"type": "ProjectedCRS"}, None),
        ('PROJCS["mine"]', None),
        ("x", None),
    ],
)
def test_a_system_has_its_id_or_is_recognised_by_its_definition(crs: Any, name: str | None) -> None:
    assert identifier(crs) == name


def test_a_system_is_defined_where_the_library_is_there_and_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyproj", reason="the extra `test` installs it")
    feet = definition("EPSG:2263")
    assert feet is not None
    assert (identifier(feet), feet["type"]) == ("EPSG:2263", "ProjectedCRS")
    assert definition("cells") is None
    monkeypatch.setattr(reference_systems, "find_spec", lambda _: None)
    assert definition("EPSG:2263") is None
