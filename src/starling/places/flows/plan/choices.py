"""What a plan of flows chooses from: the columns that say where a trip leads, and bounds."""

from dataclasses import dataclass, field
from typing import Final

from starling.errors import PlanError
from starling.places.plan.trips import TripColumns
from starling.release.codec import OPTIONAL

MOST_STOPS: Final = 16
"""Stops of one trip between its ends."""
MOST_AREAS: Final = 1 << 12
"""Areas: every pair of them has a number, in memory."""
MOST_PAIRS: Final = MOST_AREAS**2
"""Pairs of areas in all slices together."""
MOST_CODES: Final = 1 << 62
"""Trips that can be told from each other, by their slice, ends and stops."""


@dataclass(frozen=True, slots=True)
class Place:
    """The columns that say one place of each trip: of the ids of areas; or, where `ids` is empty, of its coordinates."""

    ids: str
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Ends(TripColumns):
    """The columns of the records that are read, by their keys in a plan; empty for what is not.

    Attributes:
        origin: The column of the ids of areas in which trips begin; in its place origin_x and origin_y, coordinates.
        stops: The columns of the ids of areas in which trips stop on their way, in this order; in their place stops_x and stops_y, as many
            of each. Without any a trip is not cut into legs.
    """

    origin: str = ""
    destination: str = ""
    origin_x: str = ""
    origin_y: str = ""
    destination_x: str = ""
    destination_y: str = ""
    person: str = ""
    time: str = field(default="", metadata=OPTIONAL)
    category: str = field(default="", metadata=OPTIONAL)
    stops: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    stops_x: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    stops_y: tuple[str, ...] = field(default=(), metadata=OPTIONAL)

    def __post_init__(self) -> None:
        for end in ("origin", "destination"):
            named, x, y = (bool(getattr(self, end + axis)) for axis in ("", "_x", "_y"))
            if named == (x and y) or x != y:
                fix = f'name {end}, a column of ids of areas, or {end}_x and {end}_y: {end} = "from_zone"'
                raise PlanError(f"flows.{end}", "does not say where it is", fix)
        if len(self.stops_x) != len(self.stops_y) or (self.stops and self.stops_x):
            fix = "name stops, columns of ids of areas, or as many of stops_x as of stops_y, in order"
            raise PlanError("flows.stops", "do not say where they are", fix)
        if len(self.between) > MOST_STOPS or not all((*self.stops, *self.stops_x, *self.stops_y)):
            raise PlanError(
                "flows.stops", f"are not at most {MOST_STOPS} names of columns", "name those of fewer stops"
            )
        self._check_names("flows", "name a column twice")

    @property
    def ends(self) -> tuple[Place, Place]:
        """Where a trip begins, and where it ends."""
        return (
            Place(self.origin, self.origin_x, self.origin_y),
            Place(self.destination, self.destination_x, self.destination_y),
        )

    @property
    def between(self) -> tuple[Place, ...]:
        """Where it stops on its way, in order."""
        by_coordinates = (Place("", x, y) for x, y in zip(self.stops_x, self.stops_y, strict=True))
        return (*(Place(ids, "", "") for ids in self.stops), *by_coordinates)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The columns of coordinates."""
        return tuple(name for place in (*self.ends, *self.between) for name in (place.x, place.y) if name)
