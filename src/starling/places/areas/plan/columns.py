"""The columns of records that are counted by area."""

from dataclasses import dataclass, fields

from starling.errors import PlanError
from starling.places.plan.choices import Columns


@dataclass(frozen=True, slots=True)
class AreaColumns(Columns):
    """The columns of the records that are read; in place of where a point lies, one may have the id of its area."""

    area: str = ""

    def __post_init__(self) -> None:
        if not self.area:
            Columns.__post_init__(self)
        elif self.x or self.y or self.geometry or self.h3:
            raise PlanError("input.area", "stands beside where points are", "keep one of the two")
        elif len(set(self.names)) < len(self.names):
            raise PlanError("input", "names a column twice", "give each a column of its own")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are read."""
        return tuple(name for each in fields(self) if (name := getattr(self, each.name)))
