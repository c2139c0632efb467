"""Totals that add up: over nested regions, and over families of iterations, by least squares and whole.

What is nested, and which iterations are sums of others, plan/nesting.py says; how they are followed, chains.py.

All groups take part, those too that are left out of the tables: what adds up is estimates, and a table from which groups were
left out does not. Weights are those of each measurement's variance, a function of its branch and the plan.

Memory: 16 bytes a group of the nested levels, all at once (3.6 GB for the nation with its tracts), and as much again while they come in.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from starling.hierarchy.trees import Estimated, Floats, climb, descend, least_squares
from starling.release.shared_noise import beyond_one
from starling.tables.inference.chains import Block, Chain
from starling.tables.inference.trees import led, rounded_below, rounded_evenly, settle, whole
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


Widened: TypeAlias = tuple[tuple[int, int], Int64]
"""The level and the column of an iteration, and by how many persons the interval of each region is wider for its rounding."""


def make_consistent(
    plan: Plan, regions: Mapping[str, Sequence[str]], totals: Mapping[int, Estimated]
) -> dict[tuple[int, int], Int64]:
    """Replace the totals of all nested levels, by their position in `plan.levels`, by consistent whole ones.

    They are independent and unbiased, as measured; `regions` has the ids of each geography level, ascending.

    Returns:
        By level and column how much wider intervals are (`Widened`); what is missing has 0.
    """
    widened: dict[tuple[int, int], Int64] = {}
    for steps in nested_chains(plan):
        widened |= _Totals(Chain(plan, steps, regions), totals, evenly=plan.variants.evenly).make_consistent()
    return widened


Measured: TypeAlias = Callable[[Sequence[str], int], Estimated]
"""Gives the totals of some iterations in the regions of a step, as measured, (regions, iterations) in the order of the chain."""


@dataclass(frozen=True, slots=True, eq=False)
class AtRest:
    """Totals of some iterations in the regions of a step, (regions, iterations) in the order of the chain.

    Attributes:
        count: As least squares gives them, float64.
        variance: Of the least squares.
        whole: As they are published.
    """

    codes: Sequence[str]
    step: int
    count: Floats
    variance: Floats
    whole: Int64


def run_at_rest(
    chain: Chain, codes: Sequence[str], span: tuple[int, int], measured: Measured, *, evenly: bool
) -> Iterator[AtRest]:
    """Iterations without a family, from one step to before another."""
    first, stop = span
    parents = chain.parent[first + 1 : stop]
    levels = least_squares([measured(codes, step) for step in range(first, stop)], parents)
    counts = [level.count for level in levels]
    rounded = rounded_evenly(counts, parents) if evenly else _by_remainders(counts, parents)
    for step, level, numbers in zip(range(first, stop), levels, rounded, strict=True):
        yield AtRest(codes, step, level.count, level.variance, numbers)


def block_at_rest(chain: Chain, block: Block, measured: Measured, *, evenly: bool) -> Iterator[AtRest]:
    """A family, and each of its iterations on to its end.

    A total is the sum of its members' whole numbers. Where it goes on below its family, its parts there are those of this sum.
    """
    codes, first, stop, ends = block.codes, block.first, block.stop, block.ends
    tails = {
        code: climb([measured([code], step) for step in range(stop - 1, ends[code])], chain.parent[stop : ends[code]])
        for code in codes
    }
    levels = [measured(codes, step) for step in range(first, stop)]
    best = [tails[code].best[0] for code in codes]
    levels[-1] = Estimated(np.hstack([each.count for each in best]), np.hstack([each.variance for each in best]))
    parents = chain.parent[first + 1 : stop]
    at_rest = settle(levels, parents)

    def below(code: str, count: Floats) -> list[Estimated]:
        """An iteration from the last step of its family on, given its count there, (regions, 1)."""
        column = codes.index(code)
        top = Estimated(count, at_rest[-1].variance[:, column : column + 1])
        return descend(tails[code], top, chain.parent[stop : ends[code]])

    rest = {code: below(code, at_rest[-1].count[:, at : at + 1]) for at, code in enumerate(codes)}
    whole_below: dict[str, list[Int64]] = {}
    if evenly:
        members = []
        for at, code in enumerate(codes[1:], start=1):
            counts = [level.count[:, at : at + 1] for level in at_rest] + [level.count for level in rest[code][1:]]
            rounded = rounded_evenly(counts, chain.parent[first + 1 : ends[code]])
            members.append(rounded[: stop - first])
            whole_below[code] = rounded[stop - first :]
        whole_levels = [led(np.hstack(step)) for step in zip(*members, strict=True)]
        total = below(codes[0], whole_levels[-1][:, :1].astype(np.float64))
        counts = [level.count for level in total]
        whole_below[codes[0]] = rounded_evenly(counts, chain.parent[stop : ends[codes[0]]])[1:]
    else:
        whole_levels = [led(each) for each in _by_remainders([level.count[:, 1:] for level in at_rest], parents)]
        for at, code in enumerate(codes):
            counts, top = [level.count for level in rest[code]], whole_levels[-1][:, at : at + 1]
            whole_below[code] = _by_remainders(counts, chain.parent[stop : ends[code]], top)[1:]
    for step, level, numbers in zip(range(first, stop), at_rest, whole_levels, strict=True):
        yield AtRest(codes, step, level.count, level.variance, numbers)
    for code in codes:
        for step, level, numbers in zip(range(stop, ends[code]), rest[code][1:], whole_below[code], strict=True):
            yield AtRest([code], step, level.count, level.variance, numbers)


def _by_remainders(counts: list[Floats], parents: list[Int64], top: Int64 | None = None) -> list[Int64]:
    """Whole numbers of levels at rest: the nearest at the first, or given there, and below by largest remainders."""
    rounded = [whole(counts[0]) if top is None else top]
    for level, parent in zip(counts[1:], parents, strict=True):
        rounded.append(rounded_below(level, rounded[-1], parent))
    return rounded


class _Totals:
    """The totals of a chain."""

    def __init__(self, chain: Chain, totals: Mapping[int, Estimated], *, evenly: bool) -> None:
        self._chain, self._totals, self._evenly = chain, totals, evenly

    def make_consistent(self) -> Iterator[Widened]:
        """Replace the totals."""
        for block in self._chain.blocks:
            for rest in block_at_rest(self._chain, block, self._measured, evenly=self._evenly):
                if not self._evenly and len(rest.codes) > 1:
                    # The total is the sum of the members' whole numbers, so it is off by as many roundings.
                    rest.variance[:, 0] += len(block.family.members) / 12
                yield from self._put(rest)
        for run in self._chain.runs:
            for start in range(0, len(run.codes), BATCH):
                codes, span = run.codes[start : start + BATCH], (run.first, run.stop)
                for rest in run_at_rest(self._chain, codes, span, self._measured, evenly=self._evenly):
                    yield from self._put(rest)

    def _measured(self, codes: Sequence[str], step: int) -> Estimated:
        shape = (len(self._chain.parent[step]), len(codes))
        estimated = Estimated(np.empty(shape), np.empty(shape))
        for number, here, columns in self._columns(codes, step):
            estimated.count[:, here] = self._totals[number].count[self._chain.rows[step], columns]
            estimated.variance[:, here] = self._totals[number].variance[self._chain.rows[step], columns]
        return estimated

    def _put(self, rest: AtRest) -> Iterator[Widened]:
        rows = self._chain.rows[rest.step]
        for number, here, columns in self._columns(rest.codes, rest.step):
            self._totals[number].count[rows, columns] = rest.whole[:, here]
            self._totals[number].variance[rows, columns] = rest.variance[:, here]
        if self._evenly:
            wider = beyond_one(rest.whole - rest.count)
            for at in np.flatnonzero(wider.any(axis=0)).tolist():
                number, column = self._chain.positions[rest.step][rest.codes[at]]
                by_id = np.zeros(len(wider), dtype=np.int64)
                by_id[rows if isinstance(rows, slice) else rows[:, 0]] = wider[:, at]
                yield (number, column), by_id

    def _columns(self, codes: Sequence[str], step: int) -> Iterator[tuple[int, list[int], list[int]]]:
        """Where some iterations stand, level by level: which of them, and their columns there."""
        positions = [self._chain.positions[step][code] for code in codes]
        for number in sorted({level for level, _ in positions}):
            here = [at for at, (level, _) in enumerate(positions) if level == number]
            yield number, here, [positions[at][1] for at in here]
