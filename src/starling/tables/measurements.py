"""What the mechanism hands on: noisy values of every group, before any post-processing. Public; shipped with a release."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.tables.plan import Detail, Piece
from starling.tables.plan.detail import TOTAL_ONLY

Int64: TypeAlias = npt.NDArray[np.int64]
GroupNumbers: TypeAlias = Int64 | npt.NDArray[np.object_]
"""Numbers of groups for an aggregate: int64, or integers of Python where it is wide (plan/aggregates.py)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The noisy values of one piece, read-only. Groups stand in plan order: region-major, then by iteration code.

    Attributes:
        stage1: Noisy totals that chose the branches, int64 (groups,); 0 for total-only groups, which have none.
        branch: int8 (groups,): thresholds at or below the noisy total, or TOTAL_ONLY.
        values: int64, the second measurement of each group: a value for each cell of the partition of its branch (plan/detail.py).
    """

    stage1: Int64
    branch: npt.NDArray[np.int8]
    values: Int64

    def __post_init__(self) -> None:
        # What was drawn is what is published: nobody writes to it on the way.
        for array in (self.stage1, self.branch, self.values):
            array.flags.writeable = False

    def offsets(self, detail: Detail) -> Int64:
        """Where each group's values begin, int64 (groups + 1,): a function of the branches."""
        return offsets(self.branch, detail)

    def sums(self, detail: Detail) -> Int64:
        """The sum of each group's values, int64 (groups,)."""
        starts = self.offsets(detail)[:-1]
        return np.add.reduceat(self.values, starts) if len(starts) else np.zeros(0, dtype=np.int64)


Measurements: TypeAlias = Iterable[tuple[Piece, Measured]]
"""All pieces of a plan in plan order, as often as they are asked for: a tuple of them, or files."""
AggregateMeasurements: TypeAlias = Iterable[tuple[Piece, GroupNumbers]]
"""The noisy numbers of all pieces of the aggregates of a plan, (groups, numbers), in plan order, as often as they are asked for: of a sum
two, of quantiles the nodes of a tree, or a class for each share.
"""
Keep: TypeAlias = Callable[[Measurements], Measurements]
"""Takes the pieces as they are drawn, each once, and gives all of them back: `tuple` in memory; in a release, files."""
CrossMeasurements: TypeAlias = Iterable[tuple[int, int, Int64]]
"""The noisy numbers of every part of cross tables, as often as they are asked for: level of regions, part, and int64 (regions, numbers)."""
KeepCross: TypeAlias = Callable[[CrossMeasurements], CrossMeasurements]
"""What `Keep` is for levels, for cross tables."""
KeepAggregates: TypeAlias = Callable[[AggregateMeasurements], AggregateMeasurements]
"""What `Keep` is for levels, for aggregates."""


def offsets(branch: npt.NDArray[np.int8], detail: Detail) -> Int64:
    """Where each group's values begin, int64 (groups + 1,).

    >>> from starling.tables.plan.sex_by_age import SEX_BY_AGE
    >>> offsets(np.array([0, 1, -1], dtype=np.int8), SEX_BY_AGE).tolist()
    [0, 1, 9, 10]
    """
    # TOTAL_ONLY first.
    starts = np.zeros(len(branch) + 1, dtype=np.int64)
    np.cumsum(np.array([1, *detail.sizes], dtype=np.int64)[branch - TOTAL_ONLY], out=starts[1:])
    return starts


def branches(stage1: Int64, thresholds: Sequence[int]) -> npt.NDArray[np.int8]:
    """How many thresholds lie at or below each noisy total, int8; "below theta1" is 0 (Algorithm 2, lines 18 to 28).

    >>> branches(np.array([4, 5, 9, 10, 99, 100]), (5, 10, 100)).tolist()
    [0, 1, 1, 2, 2, 3]
    """
    return np.searchsorted(np.array(thresholds, dtype=np.int64), stage1, side="right").astype(np.int8)
