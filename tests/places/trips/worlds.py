"""A plan of trips on a small grid, and records on the disk."""

from pathlib import Path
from typing import Any

from starling.places.trips.plan import Plan
from starling.planfile.values import toml_of

VALUES: dict[str, Any] = {
    "title": "Rides",
    "trip": "ride",
    "expected": 40,
    "grid": {"crs": "degrees", "box": ["0", "0", "4", "3"], "rows": 3, "columns": 4},
    "flows": {"origin_x": "ax", "origin_y": "ay", "destination_x": "bx", "destination_y": "by"},
    "privacy": {"unit": "trip", "epsilon": "1"},
}
PERSON: dict[str, Any] = {
    "flows": {**VALUES["flows"], "person": "who"},
    "privacy": {"unit": "person", "trips_per_person": 2, "epsilon": "1"},
}


def plan(folder: Path, **changes: Any) -> Plan:
    """The plan of VALUES with some keys changed, in a folder that gets its file."""
    values = VALUES | changes
    (folder / "plan.toml").write_text(toml_of(values))
    return Plan.of(values)


RECORDS = (
    "ax,ay,bx,by,who\n0.5,0.5,3.5,2.5,x\n0.5,0.5,3.5,2.5,x\n0.5,0.5,3.5,2.5,x\n1,1,1,1,y\n3.99,2.99,0,0,z\n"
    "4,1,0,0,z\n,1,2,2,z\n1,1,nan,2,z\n1,1,2,-1,z\n2,0,2,0,\n"
)
"""Three rides of one person, two more, four of which an end is missing or outside, and one of nobody."""
EXACT = {(0, 0, 2, 3): 3, (1, 1, 1, 1): 1, (2, 3, 0, 0): 1, (0, 2, 0, 2): 1}
"""The rides between cells, by their rows and columns, where a ride is protected."""
MANY: dict[str, Any] = {
    "ax": [0.5] * 900 + [3.5] * 300,
    "ay": [0.5] * 900 + [2.5] * 300,
    "bx": [2.5] * 900 + [0.5] * 300,
    "by": [1.5] * 900 + [0.5] * 300,
    "who": [*range(1200)],
}
"""Rides from the south-western cell to one in the middle, and some back to it from the north-east."""
