"""What a plan of points chooses from: methods, protected units, the columns of records, slices."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise, product
from typing import Any, Final, Literal, TypeAlias

from starling.errors import ParameterError, PlanError
from starling.release.codec import OPTIONAL

Unit: TypeAlias = Literal["point", "person"]
Purpose: TypeAlias = Literal["all", "streets", "earlier"]

METHODS: Final[dict[str, str]] = {
    "adaptive": "a quadtree that is cut where noisy counts say so",
    "htf": "a binary tree whose boxes are cut where noisy objectives say that their parts are homogeneous",
    "privtree": "a quadtree of private shape, and the counts of its leaves",
    "quadtree": "all boxes of a quadtree of public height",
    "kd_tree": "all boxes of a tree of public height, which are cut at noisy medians",
    "hierarchical": "all boxes of a tree of grids, down to cells",
    "dawa": "intervals along a curve through all cells, merged where noisy deviations say that points lie evenly",
    "adaptive_grid": "a coarse grid, and in each of its boxes a grid as fine as its noisy count allows",
    "uniform_grid": "a grid as fine as the noisy number of points allows",
    "privlet": "the total, and differences between halves of boxes at every scale; it gives no sure intervals",
    "singular": "a noisy count of every cell",
    "uniform": "one noisy count, spread over the grid",
}
"""What each method measures, by its name; `mechanism.table` has its mechanism."""
ADAPTIVE: Final = "adaptive"
PURPOSES: Final[dict[Purpose, str]] = {
    "all": "squares of all sizes",
    "streets": "the smallest squares that the data can bear, at the price of large ones",
    "earlier": "squares as before 0.3, for what was charged or released then",
}
"""What `adaptive` divides its budget for."""
EARLIER: Final[Purpose] = "earlier"
SPARSE: Final = (ADAPTIVE,)
"""Methods that count boxes of a quadtree alone, and so work on grids of which occupied cells alone are held."""
TRANSFORMS: Final = ("privlet",)
"""Methods that measure coefficients of a transform of the whole grid, and no boxes."""
MOST_EXPECTED: Final = 1 << 40
"""Points that a plan may expect."""
MOST_POINTS: Final = 1 << 20
"""k, the points or trips of one person."""
MOST_SLICES: Final = 1 << 12
MOST_WIDTH: Final = 1 << 20
"""Units between the bounds of a value."""
MOST_BOUND: Final = 1 << 30
"""The largest bound of a value."""


class RecordColumns:
    """The columns of the records that are read, by their keys in a plan; empty for what is not.

    Attributes:
        person: The column that says whose a record is.
        time: The column of times, or of names of slices.
        category: The column of the second public list.
    """

    __slots__ = ()

    person: str
    time: str
    category: str

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are read."""
        own: Any = self
        stated = (getattr(self, each.name) for each in fields(own))
        return tuple(name for each in stated for name in ((each,) if isinstance(each, str) else each) if name)

    def _check_names(self, table: str, problem: str) -> None:
        """Raises PlanError, at a table of the plan, where two of the columns are one."""
        if len(set(self.names)) < len(self.names):
            raise PlanError(table, problem, "give each a column of its own")


@dataclass(frozen=True, slots=True)
class Columns(RecordColumns):
    """The columns of the records that are read, by their keys in a plan (grammar.py); empty for what is not."""

    x: str = ""
    y: str = ""
    geometry: str = ""
    h3: str = ""
    time: str = ""
    person: str = ""
    category: str = field(default="", metadata=OPTIONAL)
    value: str = field(default="", metadata=OPTIONAL)

    def __post_init__(self) -> None:
        if [bool(self.x and self.y), bool(self.geometry), bool(self.h3)].count(True) != 1 or bool(self.x) != bool(
            self.y
        ):
            raise PlanError("input", "does not say where points are", 'name x and y, or geometry, or h3: x = "lon"')
        self._check_names("input", "names a column twice")


@dataclass(frozen=True)
class Slices:
    """Public slices of the points by time, or by another public list of values; or all pairs of these with a second public list. A point
    that is in none of them is dropped.

    Attributes:
        bounds: Microseconds since 1970 (UTC) at which the slices begin, ascending, and the end of the last; a point at a bound lies in
            the slice that begins there. None where the column holds the names themselves.
        categories: The values of the second column; empty for none.
    """

    names: tuple[str, ...]
    bounds: tuple[int, ...] | None
    categories: tuple[str, ...] = field(default=(), metadata=OPTIONAL)

    def __post_init__(self) -> None:
        if not 1 <= len(self.names) <= MOST_SLICES or len(set(self.names)) < len(self.names):
            problem = f"are not 1 to {MOST_SLICES:,} different names"
            raise PlanError("slices.names", problem, "name each slice once")
        if self.bounds is not None and len(self.bounds) != len(self.names) + 1:
            raise PlanError(
                "slices.bounds", "are not one more than the slices", "say when each begins and the last ends"
            )
        if self.bounds is not None and any(early >= late for early, late in pairwise(self.bounds)):
            raise PlanError("slices.bounds", "do not ascend", "give them in the order of time")
        if len(set(self.labels)) < len(self.names) * max(len(self.categories), 1):
            raise PlanError("slices.categories", "give two slices one name", "name each category once, without commas")
        if len(self.labels) > MOST_SLICES:
            raise PlanError("slices.categories", f"make more than {MOST_SLICES:,} slices", "take fewer")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The name of each slice; of pairs the first name with every category, then the second.

        >>> Slices(("May", "June"), None, ("theft", "arson")).labels
        ('May, theft', 'May, arson', 'June, theft', 'June, arson')
        """
        return tuple(map(", ".join, product(self.names, self.categories))) if self.categories else self.names


@dataclass(frozen=True, slots=True)
class Value:
    """A column that is summed: each value, rounded to whole units, is clamped to public bounds.

    Attributes:
        lower: a, the least that a record counts for.
        upper: b, the most.
    """

    lower: int
    upper: int

    def __post_init__(self) -> None:
        if not -MOST_BOUND <= self.lower < self.upper <= MOST_BOUND or self.width > MOST_WIDTH:
            problem = f"are not two whole numbers, the first below the second, at most {MOST_WIDTH:,} apart"
            raise PlanError("value.lower", f"and value.upper {problem}", "give public bounds, perhaps in larger units")

    @property
    def width(self) -> int:
        """b - a: units of one record in both layers together."""
        return self.upper - self.lower


def slice_number(names: Sequence[str], name: str | None) -> int:
    """Which slice has a public name, or is the only one; raises ParameterError where there is none of that name."""
    if name is None and len(names) == 1:
        return 0
    if name is None or name not in names:
        problem = "is missing, and the release has several" if name is None else "is not in the plan"
        more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
        raise ParameterError("slice", problem, f"name one of {', '.join(names[:8])}{more}")
    return names.index(name)
