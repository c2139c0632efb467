"""What reading and counting look at in a plan of points, whatever unit it releases."""

from typing import Protocol

from starling.places.plan.choices import Columns, SliceColumns, Slices, Unit, Value
from starling.places.plan.grid import Crs
from starling.release.codec import Json
from starling.text_format import TextFormat


class PersonColumn(Protocol):
    """Columns of records, of which one may say whose a record is."""

    @property
    def person(self) -> str:
        """The column of persons; empty for none."""


class CountedPlan(Protocol):
    """A plan whose records are counted in cells, whatever is a cell."""

    @property
    def columns(self) -> PersonColumn:
        """The columns that are read."""

    @property
    def unit(self) -> str:
        """What is protected: a person, or one record."""

    @property
    def points(self) -> int:
        """The most records of one unit that are counted."""

    @property
    def distinct(self) -> bool:
        """Whether a person's records in one cell count once."""

    @property
    def cells(self) -> int:
        """All cells."""


class UnitColumns(PersonColumn, SliceColumns, Protocol):
    """Columns of records, of which some may say whose a record is, and in which slice."""


class SlicedPlan(CountedPlan, Protocol):
    """A plan whose records are counted in cells, perhaps slice by slice."""

    @property
    def columns(self) -> UnitColumns:
        """The columns that are read."""

    @property
    def slices(self) -> Slices | None:
        """The public slices."""

    @property
    def format(self) -> TextFormat:
        """How texts say numbers and times."""


class PointPlan(SlicedPlan, Protocol):
    """A plan whose records are points; its fields are those of `model.Plan`."""

    @property
    def columns(self) -> Columns:
        """The columns that are read."""

    @property
    def crs(self) -> Crs:
        """The units of what is counted in."""

    @property
    def crs_name(self) -> str:
        """The coordinate reference system of plain units; empty for others."""

    @property
    def unit(self) -> Unit:
        """What is protected."""

    @property
    def expected(self) -> int | None:
        """Publicly expected number of points."""

    @property
    def value(self) -> Value | None:
        """The bounds of the column whose sums and means are published."""


def value_facts(plan: PointPlan) -> list[tuple[str, str]]:
    """What a plan with a value says of it, for people; nothing of another."""
    value = plan.value
    return [] if value is None else [("value", f"{plan.columns.value}, from {value.lower:,} to {value.upper:,}")]


def value_stated(plan: PointPlan) -> dict[str, Json]:
    """What privacy.json says of a plan's value; nothing of another plan."""
    value = plan.value
    if value is None:
        return {}
    return {"value": {"column": plan.columns.value, "lower": value.lower, "upper": value.upper}}


def unit_bounds(plan: PointPlan) -> dict[str, Json]:
    """What bounds the part of one unit, by rules that hold for every record."""
    stated: dict[str, Json] = {"points_of_a_unit": plan.points}
    if plan.value is not None:
        stated["units_of_a_point"] = plan.value.width
    if plan.unit == "person":
        stated["kept"] = "the rows of smallest keyed hash among a person's own, over all slices together"
    return stated
