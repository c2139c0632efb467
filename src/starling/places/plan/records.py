"""What all plans of places have in common: records of points or trips, counted in cells of any kind, perhaps slice by slice."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from starling.errors import PlanError
from starling.places.plan.choices import MOST_POINTS, RecordColumns, Slices
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT, Relation
from starling.release.plan_file import PlanInFile
from starling.text_format import TextFormat

RELATIONS: Final[Mapping[str, Relation]] = {
    "point": ADD_REMOVE_POINT,
    "trip": Relation("add-remove", "trip"),
    "person": ADD_REMOVE_PERSON,
}
"""Neighbouring databases, by the unit that is protected."""
WHOLE: Final = "all"
"""The name of the only slice of a plan without slices."""


class PlanOfRecords(PlanInFile):
    """A plan whose records are counted in cells, whatever is a cell.

    Attributes:
        record: What a record is, in a word: point or trip; keys and attributes that bound them are named after it.
        table: The table of the plan file that names columns.
        cell: The word for a cell, where a person's records in one may count once.
        unit: What is protected: one record, or one person with all of them.
        distinct: Whether a person's records in one cell of one slice count once, before some of them are kept.
        slices: The public slices; None where all records are counted together.
    """

    __slots__ = ()

    record: ClassVar[str]
    table: ClassVar[str] = "input"
    cell: ClassVar[str] = ""
    title: str
    unit: str
    distinct: bool
    columns: RecordColumns
    slices: Slices | None
    format: TextFormat

    @property
    @abstractmethod
    def cells(self) -> int:
        """All cells."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 over every choice but the words and the expectation, hexadecimal."""

    @property
    def most(self) -> int:
        """k, the most records of one unit that are counted."""
        most: int = getattr(self, f"{self.record}s")
        return most

    @property
    def relation(self) -> Relation:
        """Neighbouring databases."""
        return RELATIONS[self.unit]

    @property
    def slice_names(self) -> tuple[str, ...]:
        """The name of each slice."""
        return (WHOLE,) if self.slices is None else self.slices.labels

    @property
    def protected(self) -> str:
        """What is protected, in words."""
        if self.unit == self.record:
            return f"one {self.record}"
        return f"one person, of whom at most {self.most} {self.record}s are counted"

    @property
    def bound_of_person(self) -> str:
        """Which records of a person are counted, in words."""
        return f"of one person at most {self.most} {self.record}s are counted, those of smallest keyed hash among the person's own"

    def in_slice(self, number: int) -> str:
        """A slice by its number, as a caption names it; empty where there is one alone."""
        return "" if self.slices is None else f", {self.slice_names[number]}"

    def values(self) -> dict[str, Any]:
        """The values that `of` makes this plan of, as a plan file states them."""
        return self._values()

    def _check_persons(self) -> None:
        """Raises PlanError where the records of a person are not a number that may count, or something is said of persons where one record
        is protected, or a plan of persons names no column of them.
        """
        key, person = f"{self.record}s_per_person", self.columns.person
        if not 1 <= self.most <= MOST_POINTS:
            raise PlanError(f"privacy.{key}", f"is not from 1 to {MOST_POINTS:,}", "bound them by a number")
        if self.unit == self.record and (self.most != 1 or self.distinct or person):
            keys = f"{key}, distinct_{self.cell}s" if self.cell else key
            fix = f'write unit = "person", or leave {keys} and {self.table}.person out'
            raise PlanError("privacy.unit", f"is a {self.record}, and something is said of persons", fix)
        if self.unit == "person" and not person:
            fix = f"name the column that says whose {self.record} it is"
            raise PlanError(f"{self.table}.person", "is missing", fix)

    def _check_slices(self) -> None:
        """Raises PlanError where columns are named by which nothing is sliced, or slices without their columns."""
        if (self.slices is None) != (not self.columns.time):
            raise PlanError(
                f"{self.table}.time", "is there without slices, or slices without it", "name both, or neither"
            )
        if bool(self.columns.category) != (self.slices is not None and len(self.slices.categories) > 0):
            problem = "is there without slices.categories, or these without it"
            raise PlanError(f"{self.table}.category", problem, "name both, or neither")

    def _first_facts(self) -> list[tuple[str, str]]:
        """What the plan is called, and whom it protects."""
        counted = f", of whom at most {self.most} {self.record}s count" if self.unit == "person" else ""
        return [("plan", self.title), ("protects", f"one {self.unit}{counted} ({self.relation})")]
