"""Features of a GeoJSON: whatever one of them holds, the others are read alike."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.source.geojson import TYPES, crs_of, features, features_of_document, features_of_lines, is_lines

GOOD = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2.5]}, "properties": {"who": 7, "t": "a"}}


def read(*texts: str) -> list[tuple[object, object]]:
    text = '{"type": "FeatureCollection", "name": "\\"features\\": [{", "features": [' + ",".join(texts) + "]}"
    return points(features_of_document(text.encode("utf-8", "surrogatepass")))


def points(texts: Iterator[bytes]) -> list[tuple[object, object]]:
    """The coordinates of each feature, None for no point, and who it is."""
    rows = [row for table in features(texts, ("geometry", "who")) for row in table.to_pylist()]
    return [
        (None if each["geometry"]["x"] is None else {axis: each["geometry"][axis] for axis in "xy"}, each["who"])
        for each in rows
    ]


def test_points_and_their_properties_are_read() -> None:
    assert read(json.dumps(GOOD), json.dumps(GOOD | {"properties": None})) == [
        ({"x": 1, "y": 2.5}, b"7"),
        ({"x": 1, "y": 2.5}, None),
    ]


def test_no_feature_hides_another() -> None:
    odd = [
        '{"geometry": null, "properties": {"who": [' + "[" * 5000 + "]" * 5000 + "]}}",
        '{"geometry": {"type": "Point", "coordinates": [' + "9" * 5000 + ", 1]}}",
        '{"geometry": {"type": "Point", "coordinates": ["1", true]}, "properties": {"who": true}}',
        '{"geometry": {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}}',
        '{"broken" 1}',
        '{"properties": {"who": "}]\\"{"}}',
        "{}",
    ]
    result = read(*odd, json.dumps(GOOD))
    assert result[-1] == ({"x": 1, "y": 2.5}, b"7")
    assert [point for point, _ in result[:-1]] == [None] * len(odd)
    assert result[5][1] == b'}]"{'


def test_what_is_no_collection_has_no_features() -> None:
    for text in (b"", b"{", b"[1]", b"\xff\xfe", b'{"features": []}', b'{"type": "FeatureCollection", "features": []}'):
        assert not list(features_of_document(text))
    for text in (b'{"features": 1}', b'{"other": [{"geometry": 1}]}'):
        assert points(features_of_document(text)) == [(None, None)]


def test_objects_outside_of_a_collection_are_features_of_their_own() -> None:
    one = json.dumps(GOOD, indent=1).encode()
    many = b'{"features": [' + one + b"," + one + b"]}"
    for text in (one, one + b"\n" + one, b"\x1e" + one + b"\n", b"\xef\xbb\xbf" + one, many + one, one + many):
        assert points(features_of_document(text)) == [({"x": 1, "y": 2.5}, b"7")] * text.count(b'"geometry"')


@given(st.lists(st.binary(max_size=30).filter(lambda each: b"\n" not in each), max_size=5))
def test_of_lines_none_hides_another(others: list[bytes]) -> None:
    line = json.dumps(GOOD).encode()
    data = b"\n".join(part for other in others for part in (other, b"\x1e" + line + b"\r"))
    result = points(features_of_lines(data))
    assert [each for each in result if each[0] is not None] == [({"x": 1, "y": 2.5}, b"7")] * len(others)


def test_a_file_of_lines_begins_with_a_whole_feature() -> None:
    line = json.dumps(GOOD).encode()
    for first in (line, line + b"\r\n", b"\xef\xbb\xbf" + line, b"\x1e" + line):
        assert is_lines(first)
    for first in (b"{\n", b'{"type": "FeatureCollection", "features": []}', b"[1]", b"\xff", b"[" * 100_000):
        assert not is_lines(first)


@pytest.mark.parametrize("kind", TYPES[1:])
def test_other_geometries_are_no_points_and_their_type_is_known(kind: str) -> None:
    inner = {"type": "Point", "coordinates": [1, 2]}
    text = json.dumps({"geometry": {"type": kind, "coordinates": [[1, 2]], "geometries": [inner]}}).encode()
    (table,) = features([text], ("geometry",))
    assert table["geometry"].to_pylist() == [{"x": None, "y": None, "type": kind}]


def test_many_quotes_without_an_end_take_time_by_their_number_alone() -> None:
    assert not list(features_of_document(b'{"features": [' + b'"\\' * 2_000_000))


def test_the_reference_system_of_older_tools_is_found_in_the_head() -> None:
    name = (
        b'{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::2263"}}, '
    )
    assert crs_of(name + b'"features": [') == "urn:ogc:def:crs:EPSG::2263"
    assert crs_of(b'{"features": [{"crs": {"properties": {"name": "x"}}}') is None
