"""Which groups of a plan differ from groups of an earlier release by a small public set, and which are the same.

Whoever has both releases can subtract: a group less another that is all of it but one code, one state or a few blocks is about the
persons in that small set. Differential privacy does not forbid it, it bounds what comes out: the persons of the set, as all
others, are protected by the cost of both releases together. This lists where that happens, so that somebody decides with open
eyes. Public in, public out: two plans, and block files where they are given.

Two groups are compared where one public choice tells them apart, and one lies in the other:
- iterations of one kind, both alone or both in combination, in the same regions, whose codes differ by at most SMALL codes;
- the nation, and AIANNH areas, where the plans tabulate states that differ by at most SMALL states;
- regions of one or two levels, with the same iteration, that differ by at most SMALL_BLOCKS blocks (where block files are given).

What one of the two releases shows by itself is left out: a pair counts only if neither group is measured by both.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from starling.tables.inference.combined import standard_deviation
from starling.tables.plan import Geography, GeographyLevel, Iteration, Level, Plan
from starling.tables.plan.census_levels import STATES

Int64 = npt.NDArray[np.int64]

SMALL: Final = 3
"""Most codes, or states, of a set that is listed."""
SMALL_BLOCKS: Final = 10
ACROSS_STATES: Final = (GeographyLevel.USA, GeographyLevel.AIANNH)
"""Levels whose regions are summed across the plan's states."""


@dataclass(frozen=True, slots=True)
class RepeatedGroups:
    """Groups of a geography level that both measure, so many iterations whatever their codes and names: averages have less noise."""

    geography: str
    iterations: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A group of the plan and a group of the earlier release of which one is the other without a small public set.

    Attributes:
        by: What tells the two groups apart: "codes", "states" or "blocks".
        here, there: The iteration, or the region, of the plan's group and of the earlier release's.
        parts: The members of the set, as text.
        deviation: Standard deviation, in persons, of the noise in the difference of the two totals, where both groups are
            published as bare totals: as well as the set can be counted from two published numbers.
    """

    by: str
    geography: str
    here: str
    there: str
    parts: tuple[str, ...]
    deviation: float


@dataclass(frozen=True, slots=True)
class Differencing:
    """A plan beside one earlier release: groups that both measure, those that differ by a small set, from small sets to larger ones, and
    whether regions were compared block by block.
    """

    repeated: tuple[RepeatedGroups, ...]
    differences: tuple[Difference, ...]
    blocks: bool


def differencing(
    plan: Plan, earlier: Plan, geography: Geography | None = None, earlier_geography: Geography | None = None
) -> Differencing:
    """What `plan` would measure again, or but for a small set, of what `earlier` measured.

    Args:
        plan: The plan to be released.
        earlier: The plan of a release about the same people.
        geography: The public blocks of `plan`; without them, regions are compared by states alone.
        earlier_geography: The public blocks, as the plan `earlier` tabulates them.
    """
    repeated: list[RepeatedGroups] = []
    differences: list[Difference] = []
    shared = [level for level in plan.regions.names if level in _levels(plan) and level in _levels(earlier)]
    states = plan.records.states ^ earlier.records.states
    for level in shared:
        here, there = _iterations(plan, level), _iterations(earlier, level)
        both = here.keys() & there.keys()
        if level in ACROSS_STATES and states:
            differences += _by_states(plan, earlier, level, [(here[key], there[key]) for key in both])
            continue
        repeated += [RepeatedGroups(level, len(both))] if both else []
        only_here = {group_key: placed for group_key, placed in here.items() if group_key not in both}
        only_there = {group_key: placed for group_key, placed in there.items() if group_key not in both}
        differences += _by_codes(plan, earlier, level, only_here, only_there)
    by_blocks = geography is not None and earlier_geography is not None
    if geography is not None and earlier_geography is not None:
        differences += _by_blocks(plan, earlier, geography, earlier_geography)
    differences.sort(key=lambda each: (("states", "codes", "blocks").index(each.by), len(each.parts)))
    return Differencing(tuple(repeated), tuple(differences), by_blocks)


class _GroupKey(NamedTuple):
    """What makes two iterations the same persons."""

    kind: str
    alone: bool
    codes: tuple[str, ...]


class _Placed(NamedTuple):
    level: Level
    iteration: Iteration


def _levels(plan: Plan) -> set[str]:
    return {level.geography for level in plan.levels}


def _iterations(plan: Plan, geography: str) -> dict[_GroupKey, _Placed]:
    return {
        _GroupKey(iteration.kind, iteration.alone, iteration.codes): _Placed(level, iteration)
        for level in plan.levels
        if level.geography == geography
        for iteration in level.iterations
    }


def _deviation(plan: Plan, here: _Placed, earlier: Plan, there: _Placed) -> float:
    noises = (
        of.noise(each.level, total_only=each.iteration.total_only) for of, each in ((plan, here), (earlier, there))
    )
    return sqrt(sum(standard_deviation(noise) ** 2 for noise in noises))


def _by_codes(
    plan: Plan, earlier: Plan, geography: str, here: dict[_GroupKey, _Placed], there: dict[_GroupKey, _Placed]
) -> Iterator[Difference]:
    """Iterations of which one has all codes of the other and a few more."""
    names = dict((*earlier.definitions.codes, *plan.definitions.codes))
    with_code: dict[tuple[str, bool, str], list[_GroupKey]] = defaultdict(list)
    for group_key in there:
        for code in group_key.codes:
            with_code[group_key.kind, group_key.alone, code].append(group_key)
    for group_key, placed in here.items():
        shared = Counter(
            other for code in group_key.codes for other in with_code[group_key.kind, group_key.alone, code]
        )
        for other, count in shared.items():
            # One lies in the other: what they share is all of the smaller.
            few = len(group_key.codes) + len(other.codes) - 2 * count
            if 0 < few <= SMALL and count == min(len(group_key.codes), len(other.codes)):
                codes = sorted(set(group_key.codes) ^ set(other.codes))
                yield Difference(
                    "codes",
                    geography,
                    _named(placed.iteration),
                    _named(there[other].iteration),
                    tuple(f"{code} {names.get(code, code)}" for code in codes),
                    _deviation(plan, placed, earlier, there[other]),
                )


def _named(iteration: Iteration) -> str:
    return f"{iteration.code} {iteration.name}"


def _by_states(plan: Plan, earlier: Plan, geography: str, pairs: list[tuple[_Placed, _Placed]]) -> Iterator[Difference]:
    """Regions summed over states of which one plan has a few more than the other."""
    nested = plan.records.states <= earlier.records.states or earlier.records.states <= plan.records.states
    apart = sorted(plan.records.states ^ earlier.records.states)
    if pairs and nested and len(apart) <= SMALL:
        least = min(_deviation(plan, here, earlier, there) for here, there in pairs)
        here, there = (f"over {len(states):,} states" for states in (plan.records.states, earlier.records.states))
        yield Difference("states", geography, here, there, tuple(STATES[state] for state in apart), least)


def _by_blocks(plan: Plan, earlier: Plan, geography: Geography, before: Geography) -> Iterator[Difference]:
    """Regions of which one lies in the other and has a few blocks less."""
    here, there = _Blocks(geography), _Blocks(before)
    for level in geography.regions:
        for earlier_level in before.regions:
            of_mine, of_theirs = _iterations(plan, level), _iterations(earlier, earlier_level)
            both = of_mine.keys() & of_theirs.keys()
            if level not in ACROSS_STATES or plan.records.states == earlier.records.states:
                both -= _iterations(earlier, level).keys()
            if earlier_level not in ACROSS_STATES or plan.records.states == earlier.records.states:
                both -= _iterations(plan, earlier_level).keys()
            if both:
                least = min(_deviation(plan, of_mine[key], earlier, of_theirs[key]) for key in both)
                for one, other, blocks in _nearly_the_same(here.regions(level), there.regions(earlier_level)):
                    yield Difference(
                        "blocks",
                        level,
                        geography.names[level][one],
                        before.names[earlier_level][other],
                        (f"{blocks} blocks" if blocks > 1 else "1 block",),
                        least,
                    )


class _Blocks:
    """The blocks of a geography, ascending, and the region of each."""

    def __init__(self, geography: Geography) -> None:
        self._geography = geography
        self._ids = geography.block_ids()
        self._units = geography.blocks["unit"].to_numpy()

    def regions(self, level: str) -> tuple[Int64, Int64]:
        """Ids of the blocks that lie in a region of the level, and the region of each."""
        region = self._geography.region_of_unit[level][self._units].astype(np.int64)
        return self._ids[region >= 0], region[region >= 0]


def _nearly_the_same(here: tuple[Int64, Int64], there: tuple[Int64, Int64]) -> Iterable[tuple[int, int, int]]:
    """Pairs of regions of which one lies in the other, and how many blocks they differ by: 1 to SMALL_BLOCKS."""
    _, of_here, of_there = np.intersect1d(here[0], there[0], assume_unique=True, return_indices=True)
    width = int(there[1].max(initial=0)) + 1
    pair, shared = np.unique(here[1][of_here] * width + there[1][of_there], return_counts=True)
    one, other = np.divmod(pair, width)
    sizes = np.bincount(here[1])[one], np.bincount(there[1])[other]
    apart = sizes[0] + sizes[1] - 2 * shared
    small = (apart > 0) & (apart <= SMALL_BLOCKS) & (shared == np.minimum(*sizes))
    return zip(one[small].tolist(), other[small].tolist(), apart[small].tolist(), strict=True)
