"""Which totals of a plan add up: over nested regions, and over families of iterations.

What is nested. The nation is its states, a state its counties, a county its tracts; Puerto Rico likewise has counties and tracts. Where a
level is not in the plan the next one above takes its place. A place or an AIANNH area is part of no sum: not every block lies in one, areas
cross states, and places cross counties. Those levels stay as measured. Of declared records the table of areas says what is nested:
each area of the one level lies in a region of the other, and all areas of a region in one and the same.

Which iterations are sums of others, for every person who can be, follows from the public definitions alone. Claim. Let an iteration P
and iterations C1 .. Cm be tabulated in one kind of region, with the codes of P the disjoint union of the codes of the C's. Then in each
region the count of P is the sum of the counts of the C's

- if they are of ethnicity: a person has one ethnicity code, and is in the iterations whose codes hold it;
- if they are of race and one race code is read of a record: a person in a race iteration, alone or in combination, is one whose one
  code it holds;
- if m = 1: equal sets of codes, of one kind, both alone or both in combination, are the same definition twice.

With two race codes and m > 1 it is false. Who is in combination in C1 and in C2 is once in P but twice in the sum; who is alone in P
with a code of C1 and one of C2 is alone in neither. Such iterations are left as they are.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starling.tables.plan.iterations import Attribute, Iteration

if TYPE_CHECKING:
    from starling.tables.plan.choices import Choices


@dataclass(frozen=True, slots=True)
class Family:
    """An iteration that is the sum of others."""

    parent: str
    members: tuple[str, ...]


def families(iterations: Iterable[Iteration], attributes: Iterable[Attribute]) -> tuple[Family, ...]:
    """The families among the iterations that one geography level tabulates, ascending by parent.

    A family of one pairs iterations of equal codes once, the first as parent. No iteration is in two families: within an iteration level
    the iterations of a kind share no code, and a family takes its members from another level than its parent's.
    """
    single_valued = {attribute.kind for attribute in attributes if attribute.most == 1}
    known: list[Family] = []
    taken: set[str] = set()
    each = sorted(iterations, key=lambda one: one.code)
    for parent in each:
        within = {
            one.code: one.codes
            for one in each
            if one.level != parent.level
            and (one.kind, one.alone) == (parent.kind, parent.alone)
            and set(one.codes) <= set(parent.codes)
        }
        single = parent.kind in single_valued or len(within) == 1
        codes = sorted(code for held in within.values() for code in held)
        if single and codes and codes == sorted(parent.codes) and not taken & {parent.code, *within}:
            known.append(Family(parent.code, tuple(within)))
            taken |= {parent.code, *within}
    return tuple(known)


def nested(plan: "Choices", level: str) -> bool:
    """Whether the regions of a level take part."""
    return any(level in steps for steps in nested_chains(plan))


def nested_chains(plan: "Choices") -> list[list[str]]:
    """The chains of levels, each as far as the plan has it: the regions of each level are unions of those of the next."""
    return plan.records.chains(plan.regions, {level.geography for level in plan.levels})
