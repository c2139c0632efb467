"""Which groups and regions of a plan can have records in common, by the public definitions alone: a sum across them counts these twice.

A record of the Census is in an iteration alone where all its codes are in it, and in one in combination where one is. Two iterations of one
attribute have a record in common where they have a code in common, and where both are in combination and a record has several codes: it
has one of each. Attributes are free of each other, but for families over declared columns in common: of a column of which a record has one
value, its value must be of both groups.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final

from starling.tables.plan.blocks import Geography
from starling.tables.plan.columns import Column, Integers
from starling.tables.plan.custom_families import CustomFamily, value_texts
from starling.tables.plan.nesting import nested_chains

if TYPE_CHECKING:
    from starling.tables.plan.model import Plan

MOST_PAIRS: Final = 8192
"""Pairs of iterations that are remembered."""

Group = tuple[str, str, str]
"""The level of a region, its id, and the code of an iteration."""
_Values = range | frozenset[str]


class Overlaps:
    """The overlaps of the groups of a plan.

    Args:
        plan: The plan.
        geography: Its regions.
    """

    def __init__(self, plan: "Plan", geography: Geography) -> None:
        self._plan, self._geography = plan, geography
        self._iterations = {each.code: each for each in plan.definitions.iterations}
        self._most = {each.kind: each.most for each in plan.attributes}
        self._positions = {level: {each: at for at, each in enumerate(ids)} for level, ids in geography.regions.items()}
        self._parents = lru_cache(None)(self._new_parents)
        self._iterations_meet = lru_cache(MOST_PAIRS)(self.iterations_meet)

    def meet(self, one: Group, other: Group) -> bool:
        """Whether a record can be in both; none is in a group that the plan has not."""
        known = all(
            each[1] in self._positions.get(each[0], ()) and each[2] in self._iterations for each in (one, other)
        )
        return known and self.regions_meet(one[:2], other[:2]) and self._iterations_meet(one[2], other[2])

    def regions_meet(self, one: tuple[str, str], other: tuple[str, str]) -> bool:
        """Whether two regions, each by its level and id, can have a place in common: those of one level have none.

        Of nested levels the one has to lie in the other; of levels that are not nested nothing is known without the table of places.
        """
        if one[0] == other[0]:
            return one == other
        levels = self._plan.regions
        if levels.of(one[0]).part != levels.of(other[0]).part:
            return False
        above, below = sorted((one, other), key=lambda each: levels.order(each[0]))
        parents = self._parents(above[0], below[0])
        return parents is None or parents[self._positions[below[0]][below[1]]] == self._positions[above[0]][above[1]]

    def iterations_meet(self, one: str, other: str) -> bool:
        """Whether a record can be in both iterations, by their codes."""
        values, others = self._values.get(one, {}), self._values.get(other, {})
        if not all(_meet(values[name], others[name]) for name in values.keys() & others.keys()):
            return False
        first, second = self._iterations[one], self._iterations[other]
        if first.kind != second.kind:
            return True
        if self._most[first.kind] > 1 and not (first.alone or second.alone):
            return bool(first.codes and second.codes)
        return not set(first.codes).isdisjoint(second.codes)

    def _new_parents(self, above: str, below: str) -> Sequence[int] | None:
        """The position of the region of the level above in which each region of the level below lies; None where they are not nested."""
        if not any({above, below} <= set(chain) for chain in nested_chains(self._plan)):
            return None
        return self._plan.records.parents(self._plan.regions, above, below, self._geography.regions)

    @cached_property
    def _values(self) -> Mapping[str, Mapping[str, _Values]]:
        """Of each iteration of a family over declared columns the values that its records have of each column of which they have one."""
        columns, known = self._plan.records.by_name, {}
        for number, family in enumerate(self._plan.records.families, 1):
            for iteration, values in zip(family.iterations(number, columns), _values(family, columns), strict=True):
                chosen = dict(zip(family.columns, values, strict=True))
                known[iteration.code] = {name: each for name, each in chosen.items() if columns[name].most == 1}
        return known


def _values(family: CustomFamily, columns: Mapping[str, Column]) -> Sequence[tuple[_Values, ...]]:
    """Of each of its iterations, in their order, the values of each of its columns."""
    if family.groups:
        return [(frozenset(each.values),) for each in family.groups]
    return list(product(*map(_classes, family.read(columns))))


def _classes(column: Column) -> list[_Values]:
    """The values of each class of a column, in order."""
    domain = column.domain
    if not isinstance(domain, Integers):
        return [frozenset({code}) for code, _ in value_texts(domain)]
    lows = domain.cuts or range(domain.low, domain.high + 1)
    return [range(low, after) for low, after in pairwise((*lows, domain.high + 1))]


def _meet(one: _Values, other: _Values) -> bool:
    """Whether two sets of values of one column have one in common."""
    if isinstance(one, range) and isinstance(other, range):
        return max(one.start, other.start) < min(one.stop, other.stop)
    return not {*one}.isdisjoint(other)
