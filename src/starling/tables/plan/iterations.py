"""Groups of records by attribute: characteristic iterations, and the code book that lists them. All public."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from starling.tables.plan.census_levels import GeographyLevel

MOST_RACE_CODES: Final = 8
"""Race columns of a person record: QRACE1 to QRACE8."""
ITERATION_LEVELS: Final = (1, 2)
"""Regional and detailed; level 0 is defined but not tabulated."""

Kind: TypeAlias = Literal["race", "ethnicity"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """What groups are made of: an attribute of a record, whose values are free of those of every other attribute.

    A level's groups look at one attribute each, by a set of its values. All that stability and counting ask of an attribute is how many
    values a record can have of it: the Census's race codes, of which it has several, and its ethnicity code are two like any others.

    Attributes:
        kind: The attribute's name, by which iterations say what they look at.
        most: The most values that are read of a record, at least 1; a record may have none.
        separate: Whether its one value is counted beside the set of all other values of a record, as the Census's ethnicity code is.
    """

    kind: str
    most: int
    separate: bool = False


@dataclass(frozen=True, slots=True)
class Iteration:
    """A characteristic iteration: a set of values of one attribute, such as race or ethnicity codes, alone or alone-or-in-combination.

    Attributes:
        code: Unique among all iterations; of the Census four digits.
        name: The name, as it is published.
        kind: The attribute that it looks at: of the Census the race codes or the ethnicity code, which overlap.
        level: Which family it is of, from 1; of the Census 1 regional, 2 detailed, and 0 not tabulated.
        alone: All of a person's values must be in it; otherwise one suffices. False for ethnicity.
        total_only: DETAILED_ONLY: tabulated for nation and state alone, and there as a bare total.
        coarse_only: COARSE_ONLY: tabulated below the state alone.
        codes: The values of the iteration, such as race codes, ascending, each once.
    """

    code: str
    name: str
    kind: str
    level: int
    alone: bool
    total_only: bool
    coarse_only: bool
    codes: tuple[str, ...]

    def tabulated(self, geography: GeographyLevel, level: int) -> bool:
        """Whether it belongs to this population group level.

        "Nation and state tabulate COARSE_ONLY = False; below the state DETAILED_ONLY = False."
        """
        return self.level == level != 0 and not (self.total_only if geography.below_state else self.coarse_only)


@dataclass(frozen=True, slots=True)
class Definitions:
    """The public code book.

    Attributes:
        iterations: All iterations, level 0 included, ascending by code.
        codes: Every value with its name, such as a race or ethnicity code, ascending.
    """

    iterations: tuple[Iteration, ...]
    codes: tuple[tuple[str, str], ...]

    def tabulated(self, geography: GeographyLevel, level: int) -> tuple[Iteration, ...]:
        """The iterations of one population group level, in plan order."""
        return tuple(iteration for iteration in self.iterations if iteration.tabulated(geography, level))
