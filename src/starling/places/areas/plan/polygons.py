"""Public areas: polygons of longitude and latitude, or of a named projection, with a public hierarchy over them.

An area is a polygon with holes, or several; a point lies in it by the even-odd rule, so that a ring that touches or crosses itself has a
meaning too. Areas may overlap: a point then lies in the first of the file, since one area for each point is what the sensitivity rests on.
Above the areas stand levels, from coarse to fine, each a property that names the area's parent there; a parent is known by all the names
above it, so that the levels always nest. The whole stands above them all.

The canonical text of areas is GeoJSON with their ids and properties as texts and their coordinates as the doubles that they are. A plan
knows them by its SHA-256, and a release carries it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import shapely

from starling.errors import PlanError
from starling.places.arrays import Int64

Geometries: TypeAlias = npt.NDArray[np.object_]

MOST_AREAS: Final = 1 << 18
"""Areas of a file."""
WHOLE: Final = "all"
"""The level above all others, and its only node."""
AREA: Final = "area"
"""The level of the areas themselves."""
SLIVER: Final = 1e-3
"""Two areas overlap where they share a larger part of the smaller one: what is less comes of rounded corners."""


@dataclass(frozen=True, eq=False, repr=False)
class Areas:
    """Public areas, in the order of their file.

    Attributes:
        ids: The id of each, as text.
        names: The name of each, for people; the ids where nothing names them.
        properties: The names of the properties: of the ids, of the names ("" for none), and of the levels, coarse to fine.
        above: Of each level, the value of each area.
        geometries: Polygons and multipolygons of shapely, (areas,), in degrees, or in units of a reference system.
        crs_name: The reference system of plain units, such as EPSG:2263; empty of degrees.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    properties: tuple[str, str, tuple[str, ...]]
    above: tuple[tuple[str, ...], ...]
    geometries: Geometries = field(compare=False)
    crs_name: str = ""

    def __post_init__(self) -> None:
        if not 2 <= len(self.ids) <= MOST_AREAS:
            raise PlanError("areas.file", f"has not 2 to {MOST_AREAS:,} areas", "give a file with a feature for each")
        if len(set(self.ids)) < len(self.ids):
            repeated = next(each for at, each in enumerate(self.ids) if each in self.ids[:at])
            problem = f"is not another for each area: {repeated!r} stands twice"
            raise PlanError("areas.id", problem, "name a property that tells areas apart")
        named = [each for each in (*self.properties[:2], *self.properties[2]) if each]
        if len(set(named)) < len(named):
            raise PlanError("areas.levels", "name a property twice", "name each once")
        if {WHOLE, AREA} & set(self.properties[2]):
            raise PlanError("areas.levels", f"are called {WHOLE!r} or {AREA!r}", "rename the property in the file")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Areas) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def level_names(self) -> tuple[str, ...]:
        """The name of each level, the whole first and the areas last."""
        return (WHOLE, *self.properties[2], AREA)

    @cached_property
    def _tree(self) -> tuple[tuple[tuple[str, ...], ...], tuple[Int64, ...]]:
        """The names of the nodes of each level, in the order in which they first stand in the file, and the parents of each level but the
        first.
        """
        paths = [(WHOLE,) * len(self.ids)]
        nodes: list[tuple[str, ...]] = [(WHOLE,)]
        parents: list[Int64] = []
        last = np.zeros(len(self.ids), dtype=np.int64)
        for values in self.above:
            paths.append(values)
            known: dict[tuple[str, ...], int] = {}
            at = np.array([known.setdefault(path, len(known)) for path in zip(*paths, strict=True)], dtype=np.int64)
            parent = np.zeros(len(known), dtype=np.int64)
            parent[at] = last
            nodes.append(tuple(path[-1] for path in known))
            parents.append(parent)
            last = at
        return (*nodes, self.names), (*parents, last)

    @property
    def nodes(self) -> tuple[tuple[str, ...], ...]:
        """The names of the nodes of each level, the whole first and the areas last."""
        return self._tree[0]

    @property
    def parents(self) -> tuple[Int64, ...]:
        """Of each level but the first, the node above each of its nodes, int64, as hierarchy/trees.py takes them."""
        return self._tree[1]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical text, hexadecimal."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def text(self) -> str:
        """The canonical GeoJSON, a feature a line."""
        features = ",\n".join(map(self._feature, range(len(self.ids))))
        named = {"crs": {"type": "name", "properties": {"name": self.crs_name}}} if self.crs_name else {}
        head = json.dumps({"type": "FeatureCollection", **named}, separators=(",", ":")).removesuffix("}")
        return f'{head},"features":[\n{features}\n]}}\n'

    def _feature(self, at: int) -> str:
        feature = {"type": "Feature", "properties": self.labels(at), "geometry": coordinates_of(self.geometries[at])}
        return json.dumps(feature, ensure_ascii=False, separators=(",", ":"))

    def labels(self, at: int) -> dict[str, str]:
        """The properties of an area: its id, its name and its levels."""
        of_id, of_name, of_levels = self.properties
        named = {of_name: self.names[at]} if of_name else {}
        return {of_id: self.ids[at], **named, **{key: self.above[level][at] for level, key in enumerate(of_levels)}}

    @cached_property
    def overlaps(self) -> tuple[tuple[int, int], ...]:
        """Pairs of areas that overlap by more than rounded corners, the first of the file first."""
        valid = shapely.make_valid(self.geometries)
        one, other = shapely.STRtree(valid).query(valid, predicate="intersects")
        one, other = one[one < other], other[one < other]
        common = shapely.area(shapely.intersection(valid[one], valid[other]))
        smaller = np.minimum(shapely.area(valid[one]), shapely.area(valid[other]))
        much = np.flatnonzero(common > SLIVER * smaller)
        return tuple(sorted(zip(one[much].tolist(), other[much].tolist(), strict=True)))


def coordinates_of(geometry: Any) -> dict[str, Any]:
    """A polygon or multipolygon as GeoJSON has it."""
    several = geometry.geom_type == "MultiPolygon"
    parts = [
        [shapely.get_coordinates(ring).tolist() for ring in (part.exterior, *part.interiors)]
        for part in shapely.get_parts(geometry).tolist()
    ]
    return {"type": geometry.geom_type, "coordinates": parts if several else parts[0]}


def areas_of(
    properties: tuple[str, str, tuple[str, ...]],
    rows: Sequence[Mapping[str, Any]],
    geometries: Geometries,
    crs_name: str = "",
) -> Areas:
    """Areas of the properties and the geometry of each feature; raises PlanError with what is wrong in which feature."""
    of_id, of_name, of_levels = properties
    columns = {
        key: tuple(_label(row, key, place, at) for at, row in enumerate(rows, 1))
        for key, place in ((of_id, "areas.id"), *([(of_name, "areas.name")] if of_name else []))
    }
    above = tuple(tuple(_label(row, key, "areas.levels", at) for at, row in enumerate(rows, 1)) for key in of_levels)
    return Areas(columns[of_id], columns[of_name or of_id], properties, above, geometries, crs_name)


def _label(row: Mapping[str, Any], key: str, place: str, at: int) -> str:
    """A property as text: a text, or a whole number, of whatever type the file has it."""
    value = row.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        known = ", ".join(sorted(map(str, row))[:8]) or "none"
        problem = f"names {key!r}, which is {'no text or whole number' if key in row else 'missing'} in feature {at:,}"
        raise PlanError(place, problem, f"name a property of every feature; this one has {known}")
    return str(value)
