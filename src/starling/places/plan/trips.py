"""What plans of trips have in common: whose data are protected, and how many trips of one count."""

from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias

from starling.places.plan.choices import check_persons
from starling.places.plan.points import SlicedPlan, UnitColumns
from starling.privacy.neighbours import ADD_REMOVE_PERSON, Relation
from starling.release.plan_file import PlanInFile

Unit: TypeAlias = Literal["trip", "person"]

RELATIONS: Final[dict[Unit, Relation]] = {"trip": Relation("add-remove", "trip"), "person": ADD_REMOVE_PERSON}


class TripColumns(UnitColumns, Protocol):
    """The columns of records of trips."""

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are read."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The columns of coordinates."""


class TripPlan(SlicedPlan, Protocol):
    """A plan whose records are trips."""

    @property
    def columns(self) -> TripColumns:
        """The columns that are read."""


class PlanOfTrips(PlanInFile):
    """A plan of trips, whatever their ends are counted by.

    Attributes:
        unit: What is protected: one trip, or one person with all trips.
        trips: k, the most trips of one person that are counted; 1 where a trip is protected.
    """

    __slots__ = ()

    title: str
    unit: Unit
    trips: int
    distinct: ClassVar = False

    @property
    def points(self) -> int:
        """The most trips of one unit, as counts.py asks for them."""
        return self.trips

    @property
    def relation(self) -> Relation:
        """Neighbouring databases."""
        return RELATIONS[self.unit]

    def values(self) -> dict[str, Any]:
        """The values that `of` makes this plan of, as a plan file states them."""
        return self._values()

    def _check_persons(self, person: str) -> None:
        """Raises PlanError where the plan says more or less of persons than it protects; `person` is their column."""
        check_persons(self.unit, "trip", self.trips, person, "flows")

    def _first_facts(self) -> list[tuple[str, str]]:
        """What the plan is called, and whom it protects."""
        counted = f", of whom at most {self.trips} trips count" if self.unit == "person" else ""
        return [("plan", self.title), ("protects", f"one {self.unit}{counted} ({self.relation})")]
