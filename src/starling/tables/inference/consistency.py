"""Totals that add up: over nested regions, and over families of iterations, by least squares and whole.

What is nested, and which iterations are sums of others, plan/nesting.py says.

An iteration is followed through the levels that tabulate it; each run of neighbouring levels is a tree by itself. Families are followed
from the highest level that tabulates any of their iterations, as far down as all of them are tabulated; below, each iteration goes on
alone.

All groups take part, those too that are left out of the tables: what adds up is estimates, and a table from which groups were
left out does not. Weights are those of each measurement's variance, a function of its branch and the plan.

Memory: 16 bytes a group of the nested levels, all at once (3.6 GB for the nation with its tracts), and as much again while they come in.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from starling.tables.inference.trees import (
    Estimated,
    Floats,
    climb,
    descend,
    least_squares,
    led,
    rounded_below,
    settle,
    whole,
)
from starling.tables.measurements import Int64
from starling.tables.plan import Iteration, Plan
from starling.tables.plan.nesting import Family, families, nested_chains

BATCH: Final = 64
"""Iterations that are worked on at a time."""


def well_nested(plan: Plan, regions: Mapping[str, Sequence[str]]) -> bool:
    """Whether every region of a nested level lies in one of the level above, and every one of those holds some."""
    for above, below in (pair for chain in nested_chains(plan) for pair in pairwise(chain)):
        parents = plan.records.parents(plan.regions, above, below, regions)
        if parents is None or {*parents} != {*range(len(regions[above]))}:
            return False
    return True


def _parents(plan: Plan, above: str, below: str, regions: Mapping[str, Sequence[str]]) -> Int64:
    """The position, among the regions of the level above, of the region that each region below lies in: int64 (below,)."""
    parents = plan.records.parents(plan.regions, above, below, regions)
    assert parents is not None  # the levels are nested
    return np.array(parents, dtype=np.int64)


Rows: TypeAlias = slice | Int64
"""The regions of a level in some order: all as they stand, or their positions, int64 (regions, 1)."""


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


def make_consistent(plan: Plan, regions: Mapping[str, Sequence[str]], totals: Mapping[int, Estimated]) -> None:
    """Replace the totals of all nested levels, by their position in `plan.levels`, by consistent whole ones.

    They are independent and unbiased, as measured; `regions` has the ids of each geography level, ascending.
    """
    for chain in nested_chains(plan):
        _Chain(plan, chain, regions, totals).run()


class _Chain:
    """A chain of nested levels: of the Census the nation, or Puerto Rico."""

    def __init__(
        self,
        plan: Plan,
        steps: list[str],
        regions: Mapping[str, Sequence[str]],
        totals: Mapping[int, Estimated],
    ) -> None:
        self._totals = totals
        in_ids = [_parents(plan, above, below, regions) for above, below in pairwise(steps)]
        # Of each step: its regions in the order in which they are worked on, and the parent of each among those of the step above.
        self._rows, self._parent = _by_parent(len(regions[steps[0]]), in_ids)
        # Of each step: where its iterations are, as level of the plan and column.
        self._positions: list[dict[str, tuple[int, int]]] = [{} for _ in steps]
        self._families: list[tuple[Family, ...]] = []
        for at, step in enumerate(steps):
            tabulated: list[Iteration] = []
            for index, level in enumerate(plan.levels):
                if level.geography == step:
                    tabulated += level.iterations
                    self._positions[at] |= {each.code: (index, column) for column, each in enumerate(level.iterations)}
            self._families.append(families(tabulated, plan.attributes))

    def run(self) -> None:
        left = [set(positions) for positions in self._positions]
        for family, first, stop in self._blocks():
            ends = {code: self._end(code, stop) for code in (family.parent, *family.members)}
            self._family(family, first, stop, ends)
            for code, end in ends.items():
                for at in range(first, end):
                    left[at].discard(code)
        runs: dict[tuple[int, int], list[str]] = defaultdict(list)
        for code in sorted(set().union(*left)):
            for first, stop in _runs([code in each for each in left]):
                runs[first, stop].append(code)
        for (first, stop), codes in runs.items():
            for start in range(0, len(codes), BATCH):
                self._alone(codes[start : start + BATCH], first, stop)

    def _blocks(self) -> Iterator[tuple[Family, int, int]]:
        """Families with the steps that they hold at, from the highest that tabulates any of their iterations."""
        taken: set[str] = set()
        for first in range(len(self._positions)):
            for family in self._families[first]:
                codes = {family.parent, *family.members}
                if taken & codes or any(codes & positions.keys() for positions in self._positions[:first]):
                    continue
                stop = first
                while stop < len(self._positions) and family in self._families[stop]:
                    stop += 1
                taken |= codes
                yield family, first, stop

    def _end(self, code: str, step: int) -> int:
        """The first step at or below `step` that does not tabulate the iteration."""
        while step < len(self._positions) and code in self._positions[step]:
            step += 1
        return step

    def _measured(self, codes: Sequence[str], step: int) -> Estimated:
        shape = (len(self._parent[step]), len(codes))
        estimated = Estimated(np.empty(shape), np.empty(shape))
        for totals, here, columns in self._columns(codes, step):
            estimated.count[:, here] = totals.count[self._rows[step], columns]
            estimated.variance[:, here] = totals.variance[self._rows[step], columns]
        return estimated

    def _put(self, codes: Sequence[str], step: int, counts: Int64, variances: Floats) -> None:
        for totals, here, columns in self._columns(codes, step):
            totals.count[self._rows[step], columns] = counts[:, here]
            totals.variance[self._rows[step], columns] = variances[:, here]

    def _columns(self, codes: Sequence[str], step: int) -> Iterator[tuple[Estimated, list[int], list[int]]]:
        """Where some iterations stand, level by level: which of them, and their columns there."""
        positions = [self._positions[step][code] for code in codes]
        for number in sorted({level for level, _ in positions}):
            here = [at for at, (level, _) in enumerate(positions) if level == number]
            yield self._totals[number], here, [positions[at][1] for at in here]

    def _alone(self, codes: Sequence[str], first: int, stop: int) -> None:
        """Iterations without a family, through the steps from `first` to before `stop`."""
        levels = least_squares(
            [self._measured(codes, step) for step in range(first, stop)], self._parent[first + 1 : stop]
        )
        rounded = whole(levels[0].count)
        self._put(codes, first, rounded, levels[0].variance)
        self._round(codes, first + 1, levels[1:], rounded)

    def _family(self, family: Family, first: int, stop: int, ends: Mapping[str, int]) -> None:
        """A family from `first` to before `stop`, and each of its iterations on to its end."""
        codes = (family.parent, *family.members)
        tails = {
            code: climb(
                [self._measured([code], step) for step in range(stop - 1, ends[code])], self._parent[stop : ends[code]]
            )
            for code in codes
        }
        levels = [self._measured(codes, step) for step in range(first, stop)]
        best = [tails[code].best[0] for code in codes]
        levels[-1] = Estimated(np.hstack([each.count for each in best]), np.hstack([each.variance for each in best]))
        at_rest = settle(levels, self._parent[first + 1 : stop])
        rounded = whole(at_rest[0].count[:, 1:])
        for step, level in zip(range(first, stop), at_rest, strict=True):
            if step > first:
                rounded = rounded_below(level.count[:, 1:], rounded, self._parent[step])
            # The total is the sum of the members' whole numbers, so it is off by as many roundings.
            variance = level.variance.copy()
            variance[:, 0] += len(family.members) / 12
            self._put(codes, step, led(rounded), variance)
        bottom, whole_counts = at_rest[-1], led(rounded)
        for at, code in enumerate(codes):
            column = slice(at, at + 1)
            top = Estimated(bottom.count[:, column], bottom.variance[:, column])
            rest = descend(tails[code], top, self._parent[stop : ends[code]])
            self._round([code], stop, rest[1:], whole_counts[:, column])

    def _round(self, codes: Sequence[str], first: int, levels: list[Estimated], above: Int64) -> None:
        """Whole numbers for levels at rest, from the step `first` on, that add up to the level above."""
        for step, level in enumerate(levels, start=first):
            above = rounded_below(level.count, above, self._parent[step])
            self._put(codes, step, above, level.variance)


def _runs(there: Sequence[bool]) -> Iterator[tuple[int, int]]:
    first = 0
    for step, here in enumerate([*there, False]):
        if not here:
            if step > first:
                yield first, step
            first = step + 1
