"""The keys by which a plan names its areas: one public file and its properties."""

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.errors import PlanError
from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import TEXT, text, texts
from starling.planfile.toml import Section

# Grammars are named without the library of polygons.
if TYPE_CHECKING:
    from starling.places.areas.plan.polygons import Areas

FILE: Final = "areas.geojson"
"""What the file of a release is called, beside its plan."""
MOST_LEVELS: Final = 8
_HEXADECIMAL: Final = 64


def _read_file(section: Section, key: str, values: Values) -> Path | None:
    name = section.text(key, "name a file of polygons beside the plan")
    return values["folder"] / name if name else None


def _areas(file: Path, id_name: str, name: str, levels: tuple[str, ...], sha256: str, crs_name: str = "") -> "Areas":
    from starling.places.areas.plan.reading import read_areas

    if len(levels) > MOST_LEVELS:
        raise PlanError("areas.levels", f"are more than {MOST_LEVELS}", "name fewer")
    areas = read_areas(file, (id_name, "" if name == id_name else name, levels), crs_name)
    if sha256 and sha256 != areas.digest:
        problem = "is not that of the file: it holds other areas than were meant"
        raise PlanError("areas.sha256", problem, f"give the right file, or accept this one by {areas.digest!r}")
    return areas


def properties_of(key: str) -> Any:
    """How a key of the properties is written."""
    at = ("id", "name", "levels").index(key)
    return lambda areas: areas.properties[at] or None


AREAS: Final = Table(
    {
        "file": Key(
            "The public polygons, by a path from the plan file: GeoJSON, gzip or not, or GeoParquet, in degrees.",
            Kind("path", TEXT, _read_file),
            value=lambda _: FILE,
        ),
        "id": Key(
            "The property that tells areas apart.",
            text('name a property, as in id = "LocationID"'),
            field="id_name",
            value=properties_of("id"),
        ),
        "name": Key(
            "The property that names them for people; the id without it.",
            text("name a property"),
            default="",
            value=properties_of("name"),
        ),
        "levels": Key(
            "Properties that name larger areas, coarse to fine; the whole always stands above them.",
            texts('name properties, as in levels = ["borough"]'),
            default=(),
            value=properties_of("levels"),
        ),
        "sha256": Key(
            "Of the areas, as `starling places plan` shows it; another file is refused.",
            text(f"write {_HEXADECIMAL} hexadecimal digits"),
            default="",
            value=attrgetter("digest"),
        ),
    },
    make=_areas,
)
PROJECTED: Final = Table(
    {
        **AREAS.keys,
        "crs_name": Key(
            'The reference system of polygons and points in plain units, such as `"EPSG:2263"`; degrees without it.'
            " Exports define it where pyproj is installed.",
            text('name it like "EPSG:2263"'),
            default="",
            value=lambda areas: areas.crs_name or None,
        ),
    },
    make=_areas,
)
"""Those of points, which may be in a projection."""


def with_file(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The values of a plan whose areas lie in a file of another name."""
    return {**values, "areas": {**values["areas"], "file": name}}
