"""Features of a GeoJSON: whatever one of them holds, the others are read alike."""

import json

from starling.places.source.geojson import features

GOOD = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2.5]}, "properties": {"who": 7, "t": "a"}}


def read(*texts: str) -> list[tuple[object, object]]:
    text = '{"type": "FeatureCollection", "name": "\\"features\\": [{", "features": [' + ",".join(texts) + "]}"
    table = features(text.encode("utf-8", "surrogatepass"), ("geometry", "who"))
    return [(each["geometry"], each["who"]) for each in table.to_pylist()]


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
    found = read(*odd, json.dumps(GOOD))
    assert found[-1] == ({"x": 1, "y": 2.5}, b"7")
    assert [point for point, _ in found[:-1]] == [None] * len(odd)
    assert found[5][1] == b'}]"{'


def test_what_is_no_collection_has_no_features() -> None:
    for text in (b"", b"{", b"[1]", b'{"features": 1}', b'{"other": [{"geometry": 1}]}', b"\xff\xfe"):
        assert features(text, ("geometry",)).num_rows == 0
