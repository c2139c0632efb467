"""Pieces: the groups of a plan in portions of bounded size, so that no level has to be held at once.

A piece is some neighbouring regions of one level with all of their iterations. Which pieces there are is a function of the plan and the
public geography alone. Counting, drawing, post-processing and files go piece by piece, in plan order.
"""

from dataclasses import dataclass
from typing import Final

from starling.tables.plan.geography import Geography
from starling.tables.plan.model import Plan

MOST_GROUPS: Final = 1 << 20
"""Groups of a piece, but that one region is never divided: some hundred megabytes of working memory."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some regions of one level.

    Attributes:
        level: Position in `Plan.levels`.
        first: Position of its first region in `Geography.regions`.
        stop: Position after its last.
        iterations: Of the level. The groups of a piece are numbered from 0, region-major.
    """

    level: int
    first: int
    stop: int
    iterations: int

    @property
    def regions(self) -> int:
        """How many it has."""
        return self.stop - self.first

    @property
    def groups(self) -> int:
        """How many it has, empty or not."""
        return self.regions * self.iterations


def pieces(plan: Plan, geography: Geography, most: int = MOST_GROUPS) -> tuple[Piece, ...]:
    """All groups of a plan in plan order, at most `most` a piece where that is a region or more."""
    found: list[Piece] = []
    for number, level in enumerate(plan.levels):
        regions, iterations = len(geography.regions[level.geography]), len(level.iterations)
        step = max(most // max(iterations, 1), 1)
        found += [Piece(number, first, min(first + step, regions), iterations) for first in range(0, regions, step)]
    return tuple(found)


def whole(plan: Plan, geography: Geography, level: int) -> Piece:
    """All regions of one level as a piece, for who can hold it."""
    one = plan.levels[level]
    return Piece(level, 0, len(geography.regions[one.geography]), len(one.iterations))
