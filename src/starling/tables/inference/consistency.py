"""Totals that add up: over nested regions, and over families of iterations, by least squares and whole.

What is nested, and which iterations are sums of others, plan/nesting.py says; how they are followed, chains.py.

All groups take part, those too that are left out of the tables: what adds up is estimates, and a table from which groups were
left out does not. Weights are those of each measurement's variance, a function of its branch and the plan.

Memory: 16 bytes a group of the nested levels, all at once (3.6 GB for the nation with its tracts), and as much again while they come in.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from starling.tables.inference.chains import Block, Chain
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
from starling.tables.plan import Plan
from starling.tables.plan.nesting import nested_chains

BATCH: Final = 64
"""Iterations that are worked on at a time."""


def well_nested(plan: Plan, regions: Mapping[str, Sequence[str]]) -> bool:
    """Whether every region of a nested level lies in one of the level above, and every one of those holds some."""
    for above, below in (pair for chain in nested_chains(plan) for pair in pairwise(chain)):
        parents = plan.records.parents(plan.regions, above, below, regions)
        if parents is None or {*parents} != {*range(len(regions[above]))}:
            return False
    return True


def make_consistent(plan: Plan, regions: Mapping[str, Sequence[str]], totals: Mapping[int, Estimated]) -> None:
    """Replace the totals of all nested levels, by their position in `plan.levels`, by consistent whole ones.

    They are independent and unbiased, as measured; `regions` has the ids of each geography level, ascending.
    """
    for steps in nested_chains(plan):
        _Totals(Chain(plan, steps, regions), totals).make_consistent()


class _Totals:
    """The totals of a chain."""

    def __init__(self, chain: Chain, totals: Mapping[int, Estimated]) -> None:
        self._chain, self._totals = chain, totals
        self._parent = chain.parent

    def make_consistent(self) -> None:
        for block in self._chain.blocks:
            self._family(block)
        for run in self._chain.runs:
            for start in range(0, len(run.codes), BATCH):
                self._alone(run.codes[start : start + BATCH], run.first, run.stop)

    def _measured(self, codes: Sequence[str], step: int) -> Estimated:
        shape = (len(self._parent[step]), len(codes))
        estimated = Estimated(np.empty(shape), np.empty(shape))
        for totals, here, columns in self._columns(codes, step):
            estimated.count[:, here] = totals.count[self._chain.rows[step], columns]
            estimated.variance[:, here] = totals.variance[self._chain.rows[step], columns]
        return estimated

    def _put(self, codes: Sequence[str], step: int, counts: Int64, variances: Floats) -> None:
        for totals, here, columns in self._columns(codes, step):
            totals.count[self._chain.rows[step], columns] = counts[:, here]
            totals.variance[self._chain.rows[step], columns] = variances[:, here]

    def _columns(self, codes: Sequence[str], step: int) -> Iterator[tuple[Estimated, list[int], list[int]]]:
        """Where some iterations stand, level by level: which of them, and their columns there."""
        positions = [self._chain.positions[step][code] for code in codes]
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

    def _family(self, block: Block) -> None:
        codes, first, stop, ends = block.codes, block.first, block.stop, block.ends
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
            variance[:, 0] += len(block.family.members) / 12
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
