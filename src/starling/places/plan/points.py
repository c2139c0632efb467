"""What plans of points have in common, whatever unit they release.

Values. Where a column v is summed, clamped to public [a, b] in whole units, each slice has two layers: v - a units of each record in the
first, b - v in the second. A record has b - a units in all, whatever its value, none of them negative: for the mechanisms it is b - a
points, and a person at most k (b - a).
"""

from abc import abstractmethod

from starling.errors import PlanError
from starling.places.plan.choices import MOST_EXPECTED, Columns, Unit, Value
from starling.places.plan.records import PlanOfRecords
from starling.release.codec import Json


class PlanOfPoints(PlanOfRecords):
    """A plan whose records are points.

    Attributes:
        point: What a point is, in a word: pickup.
        unit: What is protected: one point, or one person with all points.
        points: k, the most points of one person that are counted; 1 where a point is protected.
        value: The bounds of the column whose sums and means are published; None where points are counted alone.
        expected: Publicly expected number of points; None where nobody says any. It is read by previews alone.
    """

    __slots__ = ()

    record = "point"
    point: str
    unit: Unit
    points: int
    columns: Columns
    value: Value | None
    expected: int | None

    @property
    @abstractmethod
    def crs_name(self) -> str:
        """The coordinate reference system of plain units; empty for others."""

    @property
    def units(self) -> int:
        """By how much a unit changes the counts of all slices together, at most: its points, or the units of their values."""
        return self.points * (1 if self.value is None else self.value.width)

    @property
    def counted(self) -> str:
        """What is counted."""
        return f"points ({self.point})" if self.value is None else f"units of {self.columns.value} ({self.point})"

    @property
    def value_stated(self) -> dict[str, Json]:
        """What privacy.json says of the value; nothing without one."""
        if self.value is None:
            return {}
        return {"value": {"column": self.columns.value, "lower": self.value.lower, "upper": self.value.upper}}

    @property
    def unit_bounds(self) -> dict[str, Json]:
        """What bounds the part of one unit, by rules that hold for every record."""
        stated: dict[str, Json] = {"points_of_a_unit": self.points}
        if self.value is not None:
            stated["units_of_a_point"] = self.value.width
        if self.unit == "person":
            stated["kept"] = "the rows of smallest keyed hash among a person's own, over all slices together"
            stated[f"{self.cell}s_once"] = self.distinct
        return stated

    def _check_value(self) -> None:
        """Raises PlanError where a column is summed without bounds, or the other way round, or where points of one cell count once."""
        if (self.value is None) != (not self.columns.value):
            raise PlanError("input.value", "is there without [value], or that without it", "name both, or neither")
        if self.value is not None and self.distinct:
            problem = f"counts points of one {self.cell} once, whose values may differ"
            raise PlanError(f"privacy.distinct_{self.cell}s", problem, "leave it out where a value is summed")

    def _check_expected(self) -> None:
        if self.expected is not None and not 0 <= self.expected <= MOST_EXPECTED:
            raise PlanError("expected", f"is not from 0 to {MOST_EXPECTED:,}", "give a number of points")

    def _value_facts(self) -> list[tuple[str, str]]:
        """What a plan with a value says of it, for people; nothing of another."""
        value = self.value
        return [] if value is None else [("value", f"{self.columns.value}, from {value.lower:,} to {value.upper:,}")]
