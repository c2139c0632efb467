"""The columns of the records of trips on a grid."""

from dataclasses import dataclass

from starling.errors import PlanError
from starling.places.plan.trips import TripColumns


@dataclass(frozen=True, slots=True)
class Ends(TripColumns):
    """The columns of the records that are read, by their keys in a plan; `person` is empty where nothing is read of persons."""

    origin_x: str
    origin_y: str
    destination_x: str
    destination_y: str
    person: str = ""
    time = ""
    category = ""

    def __post_init__(self) -> None:
        if not all(self.coordinates):
            raise PlanError(
                "flows", "do not say where trips lead", "name origin_x, origin_y, destination_x, destination_y"
            )
        self._check_names("flows", "name a column twice")

    @property
    def coordinates(self) -> tuple[str, str, str, str]:
        """The columns of coordinates: x and y of the origin, x and y of the destination."""
        return self.origin_x, self.origin_y, self.destination_x, self.destination_y
