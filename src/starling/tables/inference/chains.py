"""The chains of nested levels of a plan: their regions step by step, and which iterations run through which of the steps.

An iteration is followed through the levels that tabulate it; each run of neighbouring levels is a tree by itself. Families
(plan/nesting.py) are followed from the highest level that tabulates any of their iterations, as far down as all of them are tabulated;
below, each iteration goes on alone.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from starling.tables.measurements import Int64
from starling.tables.plan import Plan
from starling.tables.plan.iterations import Iteration
from starling.tables.plan.nesting import Family, families

Rows: TypeAlias = slice | Int64
"""The regions of a level in some order: all as they stand, or their positions, int64 (regions, 1)."""


@dataclass(frozen=True, slots=True)
class Block:
    """A family from the step `first` to before `stop`, and each of its iterations on to its end.

    Attributes:
        ends: Of each iteration, the first step from `stop` on that does not tabulate it.
    """

    family: Family
    first: int
    stop: int
    ends: Mapping[str, int]

    @property
    def codes(self) -> tuple[str, ...]:
        """The sum, and then its members."""
        return (self.family.parent, *self.family.members)


@dataclass(frozen=True, slots=True)
class Run:
    """Iterations without a family through the steps from `first` to before `stop`; each of them is a tree of its own."""

    codes: tuple[str, ...]
    first: int
    stop: int


class Chain:
    """A chain of nested levels: of the Census the nation, or Puerto Rico.

    Attributes:
        steps: Its geography levels, highest first.
        rows: Of each step, its regions in the order in which they are worked on: those of one parent together.
        parent: Of each step, the parent of each region in that order among those of the step above, ascending.
        positions: Of each step, where its iterations are, as level of the plan and column.
    """

    def __init__(self, plan: Plan, steps: Sequence[str], regions: Mapping[str, Sequence[str]]) -> None:
        in_ids = [_parents(plan, above, below, regions) for above, below in pairwise(steps)]
        self.steps = tuple(steps)
        self.rows, self.parent = _by_parent(len(regions[steps[0]]), in_ids)
        self.positions: list[dict[str, tuple[int, int]]] = [{} for _ in steps]
        self._families: list[tuple[Family, ...]] = []
        for at, step in enumerate(steps):
            tabulated: list[Iteration] = []
            for index, level in enumerate(plan.levels):
                if level.geography == step:
                    tabulated += level.iterations
                    self.positions[at] |= {each.code: (index, column) for column, each in enumerate(level.iterations)}
            self._families.append(families(tabulated, plan.attributes))

    @cached_property
    def places(self) -> list[Int64]:
        """Of each step, where each region, by its id, stands in the order in which they are worked on: int64 (regions,)."""
        places = []
        for rows, parent in zip(self.rows, self.parent, strict=True):
            place = np.arange(len(parent))
            if not isinstance(rows, slice):
                place[rows[:, 0]] = np.arange(len(place))
            places.append(place)
        return places

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Families with the steps that they hold at, from the highest that tabulates any of their iterations."""
        taken: set[str] = set()
        blocks = []
        for first in range(len(self.positions)):
            for family in self._families[first]:
                codes = {family.parent, *family.members}
                if taken & codes or any(codes & positions.keys() for positions in self.positions[:first]):
                    continue
                stop = first
                while stop < len(self.positions) and family in self._families[stop]:
                    stop += 1
                taken |= codes
                blocks.append(Block(family, first, stop, {code: self._end(code, stop) for code in sorted(codes)}))
        return tuple(blocks)

    def _end(self, code: str, step: int) -> int:
        """The first step at or below `step` that does not tabulate the iteration."""
        while step < len(self.positions) and code in self.positions[step]:
            step += 1
        return step

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """What no block has."""
        left = [set(positions) for positions in self.positions]
        for block in self.blocks:
            for code, end in block.ends.items():
                for at in range(block.first, end):
                    left[at].discard(code)
        runs: dict[tuple[int, int], list[str]] = defaultdict(list)
        for code in sorted(set().union(*left)):
            for here, steps in groupby(enumerate(code in each for each in left), key=itemgetter(1)):
                places = [at for at, _ in steps]
                if here:
                    runs[places[0], places[-1] + 1].append(code)
        return tuple(Run(tuple(codes), first, stop) for (first, stop), codes in runs.items())


def _parents(plan: Plan, above: str, below: str, regions: Mapping[str, Sequence[str]]) -> Int64:
    """The position, among the regions of the level above, of the region that each region below lies in: int64 (below,)."""
    parents = plan.records.parents(plan.regions, above, below, regions)
    assert parents is not None  # the levels are nested
    return np.array(parents, dtype=np.int64)


def _by_parent(first: int, parents: Sequence[Int64]) -> tuple[list[Rows], list[Int64]]:
    """The regions of each step, those of one parent together, and the parent of each, ascending.

    Args:
        first: Regions of the first step.
        parents: Of each later step the position of each region's parent by the ids of the step above, int64 (regions,).
    """
    rows: list[Rows] = [slice(None)]
    ascending, place = [np.zeros(first, dtype=np.int64)], np.arange(first)
    for by_id in parents:
        parent = place[by_id]
        order = np.argsort(parent, kind="stable")
        as_they_stand = np.array_equal(order, np.arange(len(order)))
        rows.append(slice(None) if as_they_stand else order[:, np.newaxis])
        ascending.append(parent[order])
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
    return rows, ascending
