"""The words of a tables plan: geography levels, characteristic iterations, and the code book that defines them. All public."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

MOST_RACE_CODES: Final = 8
"""Race columns of a person record: QRACE1 to QRACE8."""
ITERATION_LEVELS: Final = (1, 2)
"""Regional and detailed; level 0 is defined but not tabulated."""

Kind: TypeAlias = Literal["race", "ethnicity"]


class GeographyLevel(StrEnum):
    """A partition of blocks into regions; the members are in plan order, and the values are the product's REGION_TYPE."""

    USA = "USA"
    STATE = "STATE"
    COUNTY = "COUNTY"
    TRACT = "TRACT"
    PLACE = "PLACE"
    AIANNH = "AIANNH"
    PR_STATE = "PR-STATE"
    PR_COUNTY = "PR-COUNTY"
    PR_TRACT = "PR-TRACT"
    PR_PLACE = "PR-PLACE"

    @property
    def puerto_rico(self) -> bool:
        """Whether it covers Puerto Rico; otherwise the 50 states and the District of Columbia."""
        return self.value.startswith("PR-")

    @property
    def below_state(self) -> bool:
        """Whether it is finer than nation and state, or (AIANNH) treated so: coarse iterations, suppression."""
        return self not in (GeographyLevel.USA, GeographyLevel.STATE, GeographyLevel.PR_STATE)


@dataclass(frozen=True, slots=True)
class Iteration:
    """A characteristic iteration: a set of race or ethnicity codes, alone or alone-or-in-combination.

    Attributes:
        code: Four digits, unique among race and ethnicity iterations together.
        name: As published.
        kind: Whether it looks at a person's race codes or at the ethnicity code. The codes themselves overlap.
        level: 1 regional, 2 detailed, 0 not tabulated.
        alone: All of a person's race codes must be in it; otherwise one suffices. False for ethnicity.
        total_only: DETAILED_ONLY: tabulated for nation and state alone, and there as a bare total.
        coarse_only: COARSE_ONLY: tabulated below the state alone.
        codes: Its race or ethnicity codes, ascending, each once.
    """

    code: str
    name: str
    kind: Kind
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
        iterations: All of them, level 0 included, ascending by code.
        codes: Every race or ethnicity code with its name, ascending by code.
    """

    iterations: tuple[Iteration, ...]
    codes: tuple[tuple[str, str], ...]

    def tabulated(self, geography: GeographyLevel, level: int) -> tuple[Iteration, ...]:
        """The iterations of one population group level, in plan order."""
        return tuple(iteration for iteration in self.iterations if iteration.tabulated(geography, level))
