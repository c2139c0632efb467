"""The columns of records that are counted by area."""

from dataclasses import dataclass

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
        else:
            self._check_names("input", "names a column twice")
