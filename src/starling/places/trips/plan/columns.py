"""The columns of the records of trips on a grid."""

from dataclasses import dataclass, fields
from typing import ClassVar

from starling.errors import PlanError


@dataclass(frozen=True, slots=True)
class Ends:
    """The columns of the records that are read, by their keys in a plan; `person` is empty where nothing is read of persons."""

    origin_x: str
    origin_y: str
    destination_x: str
    destination_y: str
    person: str = ""
    time: ClassVar = ""
    category: ClassVar = ""

    def __post_init__(self) -> None:
        if not all(self.coordinates):
            raise PlanError(
                "flows", "do not say where trips lead", "name origin_x, origin_y, destination_x, destination_y"
            )
        if len(set(self.names)) < len(self.names):
            raise PlanError("flows", "name a column twice", "give each a column of its own")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are read."""
        return tuple(name for field in fields(self) if (name := getattr(self, field.name)))

    @property
    def coordinates(self) -> tuple[str, str, str, str]:
        """The columns of coordinates: x and y of the origin, x and y of the destination."""
        return self.origin_x, self.origin_y, self.destination_x, self.destination_y
