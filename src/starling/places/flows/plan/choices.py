"""What a plan of flows chooses from: the columns that say where a trip leads, and bounds."""

from dataclasses import dataclass, field, fields
from typing import Final

from starling.errors import PlanError
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
class Ends:
    """The columns of the records that are read, by their keys in a plan; empty for what is not.

    Attributes:
        origin: The column of the ids of areas in which trips begin; in its place origin_x and origin_y, coordinates.
        stops: The columns of the ids of areas in which trips stop on their way, in this order; without any a trip is not cut into legs.
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

    def __post_init__(self) -> None:
        for end in ("origin", "destination"):
            named, x, y = (bool(getattr(self, end + axis)) for axis in ("", "_x", "_y"))
            if named == (x and y) or x != y:
                fix = f'name {end}, a column of ids of areas, or {end}_x and {end}_y: {end} = "from_zone"'
                raise PlanError(f"flows.{end}", "does not say where it is", fix)
        if len(self.stops) > MOST_STOPS or not all(self.stops):
            raise PlanError(
                "flows.stops", f"are not at most {MOST_STOPS} names of columns", "name those of fewer stops"
            )
        if len(set(self.names)) < len(self.names):
            raise PlanError("flows", "name a column twice", "give each a column of its own")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are read."""
        named = (getattr(self, each.name) for each in fields(self) if each.name != "stops")
        return (*(name for name in named if name), *self.stops)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The columns of coordinates."""
        named = (self.origin_x, self.origin_y, self.destination_x, self.destination_y)
        return tuple(name for name in named if name)
