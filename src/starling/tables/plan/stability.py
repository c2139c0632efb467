"""How many population groups of a level one person can be in, from the public definitions alone.

The most. A person has of each attribute a set R of at most m values, m public (`Attribute`). At a level the person is in the
iterations of the attribute: union of AIC(c) over the values c in R, intersection of Alone(c) over them (none without values). The
values of one attribute are free of those of the others, so the most iterations that one person can be in is the sum, over the
attributes, of

    max over R of (|union of AIC(c)| + |intersection of Alone(c)|).

A person lies in one block, so in at most one region of the level: iterations are groups, Delta(g_i) of SafeTab 2022. There race codes
have m = r, and ethnicity codes have m = 1 and no alone iterations.

For the maximum of one attribute let J be any set of alone iterations that all of R is in: |J| + |union of AIC(c)|, the largest J being
the intersection. So it is the largest, over the sets J, of |J| plus the most iterations that m of the values c with J within Alone(c) cover
together. Without J those are all values. Any other J that counts is an intersection of some Alone(c), and holds an alone iteration i,
so that every value of R is in codes(i): few values, and few intersections among them. A value without iterations at the level, known or
not, covers nothing and empties every intersection, so it need not be looked at.

The most that m sets cover ("maximum coverage") is found by branch and bound: with k sets left to choose, no more can be gained than
by the k largest gains, nor than all sets left cover together. A choice of sets that reaches this bound is the most. For definitions
without an overlap the first greedy choice does so. Where the search or the intersections grow beyond a limit, that upper
bound itself is taken, so what is returned is never below the most, and is the most for every definition within the limits.

The bound by codes (`stability_by_codes`), which is printed beside it. Let h_AIC be the most combined iterations of one value, and for
an alone iteration i let h_alone(i) be the most alone iterations of one of its values. A person is in at most

    max( m h_AIC,  max over alone i of  min(m h_AIC, |union of AIC(c) over c in codes(i)|) + h_alone(i) )

iterations of the attribute: a union of m sets of at most h_AIC members has at most m h_AIC, and whoever is in the alone iteration i has
values in codes(i) alone. Where there are fewer combined iterations than m h_AIC it is too high: an office with three of them paid for 9
groups, not for 4. Adding the most alone iterations to m h_AIC blindly would give 10 for the production definitions, of which 9 is the most.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import Final, TypeAlias

from starling.errors import PlanError
from starling.tables.plan.iterations import Attribute, Iteration

MOST_STEPS: Final = 20_000
"""Most steps of one search for the most that some sets cover."""
MOST_INTERSECTIONS: Final = 256
"""Most intersections of the alone iterations of codes that share one."""

Members: TypeAlias = int
"""A set of iterations, a bit each."""
Profile: TypeAlias = tuple[Members, Members]
"""The iterations of a value alone or in combination, and those alone."""


def stability(iterations: Iterable[Iteration], attributes: Iterable[Attribute]) -> int:
    """The most groups of one population group level that a person can be in; see the module for what bounds the search.

    Raises:
        PlanError: when nobody can be in any group.
    """
    return _stability(tuple(iterations), tuple(attributes))


@lru_cache(maxsize=64)
def _stability(iterations: tuple[Iteration, ...], attributes: tuple[Attribute, ...]) -> int:
    most = sum(_most_of(_profiles(iterations, attribute), attribute.most) for attribute in attributes)
    if most == 0:
        problem = "of this level hold no code, so nobody can be in any of its groups"
        raise PlanError("iterations", problem, "give the level a budget of 0, or map codes to its iterations")
    return most


def _most_of(profiles: Sequence[Profile], values: int) -> int:
    most = _most_covered([combined for combined, _ in profiles], values)
    by_size: dict[int, list[Profile]] = defaultdict(list)
    for combined, alone in profiles:
        for position in _positions(alone):
            by_size[position].append((combined, alone))
    for those in by_size.values():
        most = max(most, _most_beside(those, values, most))
    return most


def stability_by_codes(iterations: Iterable[Iteration], attributes: Iterable[Attribute]) -> int:
    """The bound that looks at one code at a time: at least `stability`, and r h_AIC + h_eth in most code books of the Census."""
    of_level = tuple(iterations)
    return sum(_most_by_codes(_profiles(of_level, attribute), attribute.most) for attribute in attributes)


def _most_by_codes(profiles: Sequence[Profile], values: int) -> int:
    most = values * max((combined.bit_count() for combined, _ in profiles), default=0)
    bound = most
    unions: dict[int, Members] = defaultdict(int)
    separate: dict[int, int] = defaultdict(int)
    for combined, alone in profiles:
        for position in _positions(alone):
            unions[position] |= combined
            separate[position] = max(separate[position], alone.bit_count())
    for position, union in unions.items():
        bound = max(bound, min(most, union.bit_count()) + separate[position])
    return bound


def _profiles(iterations: Sequence[Iteration], attribute: Attribute) -> list[Profile]:
    """The profile of each value of an attribute that has iterations; values of the same iterations have one."""
    combined: dict[str, Members] = defaultdict(int)
    alone: dict[str, Members] = defaultdict(int)
    for position, iteration in enumerate(iterations):
        if iteration.kind == attribute.kind:
            of_code = alone if iteration.alone else combined
            for code in iteration.codes:
                of_code[code] |= 1 << position
    return sorted({(combined.get(code, 0), alone.get(code, 0)) for code in combined.keys() | alone.keys()})


def _positions(members: Members) -> list[int]:
    positions = []
    while members:
        lowest = members & -members
        positions.append(lowest.bit_length() - 1)
        members ^= lowest
    return positions


def _most_beside(profiles: Sequence[Profile], most: int, least: int) -> int:
    """The most iterations of a person with values of these profiles alone, which share an alone iteration; `least` if not more."""
    upper = _bound([combined for combined, _ in profiles], most) + max(alone.bit_count() for _, alone in profiles)
    if upper <= least:
        return least
    shared, most_found = _intersections({alone for _, alone in profiles}), least
    if shared is None:
        return upper
    for members in shared:
        within = [combined for combined, alone in profiles if alone & members == members]
        if members.bit_count() + _bound(within, most) > most_found:
            most_found = max(most_found, members.bit_count() + _most_covered(within, most))
    return most_found


def _intersections(sets: Collection[Members]) -> set[Members] | None:
    """All intersections of one or more of the sets; None where they are too many."""
    intersections: set[Members] = set()
    for members in sets:
        intersections |= {members & other for other in intersections} | {members}
        if len(intersections) > MOST_INTERSECTIONS:
            return None
    return intersections


def _bound(sets: Iterable[Members], most: int) -> int:
    """What `most` of the sets cover at most: the sizes of the largest, and all of them together."""
    distinct = set(sets)
    largest = sorted((members.bit_count() for members in distinct), reverse=True)[:most]
    return min(sum(largest), reduce(or_, distinct, 0).bit_count())


def _most_covered(sets: Iterable[Members], most: int) -> int:
    """The most members that `most` of the sets have together; where the search is too long, its upper bound."""
    distinct = sorted(set(sets))
    upper = _bound(distinct, most)
    best, steps = 0, 0

    def search(covered: Members, left: Sequence[Members], choices: int) -> bool:
        """Whether the search went to its end; the largest gains first, so the first leaf is the greedy choice."""
        nonlocal best, steps
        steps += 1
        best = max(best, covered.bit_count())
        if best == upper:
            return True
        if steps > MOST_STEPS:
            return False
        gains = sorted(((new.bit_count(), new) for members in left if (new := members & ~covered)), reverse=True)
        new_sets = [new for _, new in gains]
        for position, new in enumerate(new_sets if choices else []):
            # What is to the left was chosen before: without it no more can be gained than this.
            if covered.bit_count() + _bound(new_sets[position:], choices) <= best:
                break
            if not search(covered | new, new_sets[position + 1 :], choices - 1):
                return False
        return True

    return best if search(0, distinct, most) else upper
