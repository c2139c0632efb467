"""A small plan of points for tests, records of it, and a world on the disk."""

from pathlib import Path
from typing import Any

from starling.places.plan import Plan
from starling.planfile.values import toml_of

VALUES: dict[str, Any] = {
    "title": "Pickups",
    "point": "pickup",
    "grid": {"crs": "degrees", "box": ["-1", "0", "3", "2"], "rows": 2, "columns": 4},
    "input": {"x": "lon", "y": "lat"},
    "privacy": {"unit": "point", "epsilon": "1"},
    "method": {"name": "singular"},
}
PERSON: dict[str, Any] = {
    "input": {"person": "who"},
    "privacy": {"unit": "person", "points_per_person": 2},
}
SLICED: dict[str, Any] = {
    "input": {"time": "time"},
    "slices": {"bounds": ["2020-01-01", "2020-02-01", "2020-03-01"], "names": ["January", "February"]},
}

KINDS: dict[str, Any] = {"input": {"category": "kind"}, "slices": {"categories": ["theft", "arson"]}}
"""Beside SLICED: slices by two columns."""

VALUED: dict[str, Any] = {"input": {"value": "fare"}, "value": {"lower": -2, "upper": 3}}
"""Sums of a value, of at most 5 units in both layers."""


def values(*changes: dict[str, Any]) -> dict[str, Any]:
    """The keys of the plan file with changes of its sections; a key that becomes None is left out."""
    result = {key: dict(value) if isinstance(value, dict) else value for key, value in VALUES.items()}
    for change in changes:
        for key, value in change.items():
            result[key] = result.get(key, {}) | value if isinstance(value, dict) else value
    return result


def plan(*changes: dict[str, Any]) -> Plan:
    """The plan of these keys."""
    return Plan.of(values(*changes))


RECORDS = """who,lon,lat,time
a,-0.5,0.5,2020-01-01
a,0.5,1.5,2020-01-02
b,0.5,1.5,2020-02-03
b,2.5,0.5,2020-02-03
c,0.5,1.5,2020-01-31
"""
CELLS = [[1, 0, 0, 1], [0, 3, 0, 0]]
"""The points of RECORDS by cell."""


def write_world(folder: Path, *changes: dict[str, Any]) -> Path:
    """A plan file and its records; the path of the records."""
    (folder / "plan.toml").write_text(toml_of(values(*changes)))
    (folder / "records.csv").write_text(RECORDS)
    return folder / "records.csv"
