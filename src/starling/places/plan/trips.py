"""What plans of trips have in common."""

from abc import abstractmethod
from typing import Final, Literal, TypeAlias

from starling.places.plan.choices import RecordColumns
from starling.places.plan.records import PlanOfRecords

Unit: TypeAlias = Literal["trip", "person"]
COORDINATES: Final = ("origin_x", "origin_y", "destination_x", "destination_y")
"""Keys of the columns of coordinates of both ends."""


class TripColumns(RecordColumns):
    """The columns of records of trips."""

    __slots__ = ()

    @property
    @abstractmethod
    def coordinates(self) -> tuple[str, ...]:
        """The columns of coordinates."""


class PlanOfTrips(PlanOfRecords):
    """A plan of trips, whatever their ends are counted by.

    Attributes:
        unit: What is protected: one trip, or one person with all trips.
        trips: k, the most trips of one person that are counted; 1 where a trip is protected.
    """

    __slots__ = ()

    record = "trip"
    table = "flows"
    unit: Unit
    trips: int
    distinct = False
    columns: TripColumns
