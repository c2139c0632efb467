"""Four public areas in two larger ones, plans of flows between them, and records on the disk."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from starling.places.flows.plan import Levels, Plan
from starling.planfile.values import toml_of

PARENTS = (np.zeros(2, dtype=np.int64), np.array([0, 1, 0, 1]))
SHARES = ((1, 1, 2), (0, 1, 3), (0, 0, 1), (1, 0, 2))
VALUES: dict[str, Any] = {
    "title": "Rides",
    "trip": "ride",
    "expected": 40,
    "areas": {"file": "areas.geojson", "id": "code", "name": "name", "levels": ["side"]},
    "flows": {"origin": "a", "destination": "b"},
    "privacy": {"unit": "trip", "epsilon": "1"},
}
POINTS = {"origin_x": "ax", "origin_y": "ay", "destination_x": "bx", "destination_y": "by"}
PERSON: dict[str, Any] = {
    "flows": {"origin": "a", "destination": "b", "person": "who"},
    "privacy": {"unit": "person", "trips_per_person": 2, "rho": "1"},
}

SLICED: dict[str, Any] = {
    "flows": PERSON["flows"] | {"time": "when"},
    "slices": {"bounds": ["2020-01-01", "2020-02-01", "2020-03-01"], "names": ["January", "February"]},
}
"""Trips of persons by month."""
BY_MONTH = SLICED | {"privacy": {"unit": "person", "trips_per_person": 1, "rho": "1"}}


def levels(*shares: int) -> Levels:
    """The whole, two larger areas of two areas each, which do not stand beside each other; with these shares."""
    return Levels((1, 2, 4), PARENTS, tuple(Fraction(share, sum(shares)) for share in shares))


def write_areas(folder: Path) -> None:
    """Four squares in a row, of ids 1 to 4; the first and the third are west, the others east."""
    features = [
        {
            "type": "Feature",
            "properties": {"code": at, "name": f"Area {at}", "side": "west" if at % 2 else "east"},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[at, 0], [at + 1, 0], [at + 1, 1], [at, 1], [at, 0]]],
            },
        }
        for at in range(1, 5)
    ]
    (folder / "areas.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def plan(folder: Path, **changes: Any) -> Plan:
    """The plan of VALUES with some keys changed, in a folder that gets its areas and its file."""
    write_areas(folder)
    values = VALUES | changes
    (folder / "plan.toml").write_text(toml_of(values))
    return Plan.of(values, folder=folder)


DIGEST = "22dc0e77c72c68782f4c7c53c537769d408132505f5fbbc1d22d6878fa58a91e"
"""Of the areas that `write_areas` writes."""

RECORDS = "a,b,who\n1,2,x\n1,2,x\n1,2,x\n3,3,y\n4,1,z\n9,1,z\n,1,z\n2,,z\n2,2,\n"
"""Three rides of one person, two more, three that are dropped, and one of nobody."""
EXACT = {(0, 1): 3, (2, 2): 1, (3, 0): 1, (1, 1): 1}
"""The rides between areas by their places, where a ride is protected."""
MANY: dict[str, Any] = {"a": [1] * 500 + [3] * 40 + [2], "b": [2] * 500 + [3] * 40 + [4], "who": [*range(541)]}
"""Rides of which two pairs of areas surely have most."""
MONTHS: dict[str, Any] = MANY | {"when": ["2020-01-07"] * 400 + ["2020-02-01T00:00"] * 140 + ["2020-03-01"]}
"""And when they were: 400 in January, 140 in February, one later."""
STOPS: dict[str, Any] = {"flows": {"origin": "a", "destination": "b", "stops": ["via", "then"]}}
"""Trips with stops, whose legs are counted."""
STOPS_AT: dict[str, Any] = {"flows": POINTS | {"stops_x": ["vx", "tx"], "stops_y": ["vy", "ty"]}}
"""The same trips, all of whose places are said by coordinates."""
STOPPING: dict[str, Any] = {
    "flows": STOPS["flows"] | {"person": "who"},
    "privacy": {"unit": "person", "trips_per_person": 2, "epsilon": "1"},
}
