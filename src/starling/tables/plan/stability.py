"""How many population groups of a level one person can be in, from the public definitions alone.

The most. A person has at most r distinct race codes R and one ethnicity code e. At a level the person is in the iterations: union of
AIC(c) over the race codes c, intersection of Alone(c) over the race codes c (none without race codes), and Eth(e). R and e are free of
one another, so the most that one person can be in is

    max over R of (|union of AIC(c)| + |intersection of Alone(c)|)  +  max over e of |Eth(e)|,

since a person lies in one block, so in at most one region of the level: iterations are groups, Delta(g_i) of SafeTab 2022.

For the first maximum let J be any set of alone iterations that all of R is in: |J| + |union of AIC(c)|, the largest J being the
intersection. So it is the largest, over the sets J, of |J| plus the most iterations that r of the codes c with J within Alone(c) cover
together. Without J those are all codes. Any other J that counts is an intersection of some Alone(c), and holds an alone iteration i,
so that every code of R is in codes(i): few codes, and few intersections among them. A code without iterations at the level, known or
not, covers nothing and empties every intersection, so it need not be looked at.

The most that r sets cover ("maximum coverage") is found by branch and bound: with k sets left to choose, no more can be gained than
by the k largest gains, nor than all sets left cover together. A choice of sets that reaches this bound is the most. For definitions
without an overlap the first greedy choice does so. Where the search or the intersections grow beyond a limit, that upper
bound itself is taken, so what is returned is never below the most, and is the most for every definition within the limits.

The bound by codes (`stability_by_codes`), which is printed beside it. Let h_AIC and h_eth be the most such iterations of one code,
and for an alone iteration i let h_alone(i) be the most alone iterations of one of its codes. A person is in at most

    max( r h_AIC,  max over alone i of  min(r h_AIC, |union of AIC(c) over c in codes(i)|) + h_alone(i) )  +  h_eth:

a union of r sets of at most h_AIC members has at most r h_AIC, and whoever is in the alone iteration i has codes in codes(i) alone.
Where there are fewer combined iterations than r h_AIC it is too high: an office with three of them paid for 9 groups, not for 4.
Adding the most alone iterations to r h_AIC blindly would give 10 for the production definitions, of which 9 is the most.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from starling.errors import PlanError
from starling.tables.plan.codebook import MOST_RACE_CODES, Iteration

MOST_STEPS: Final = 20_000
"""Most steps of one search for the most that some sets cover."""
MOST_INTERSECTIONS: Final = 256
"""Most intersections of the alone iterations of codes that share one."""

Members: TypeAlias = int
"""A set of iterations, a bit each."""
Profile: TypeAlias = tuple[Members, Members]
"""The iterations of a race code alone or in combination, and those alone."""


def stability(iterations: Iterable[Iteration], max_race_codes: int) -> int:
    """The most groups of one population group level that a person can be in; see the module for what bounds the search.

    Args:
        iterations: The iterations that are tabulated at the level.
        max_race_codes: r, the race columns read of a record, 1 to 8.

    Raises:
        PlanError: when nothing bounds the groups of a person, or nobody can be in any group.
    """
    return _stability(tuple(iterations), max_race_codes)


@lru_cache(maxsize=64)
def _stability(iterations: tuple[Iteration, ...], max_race_codes: int) -> int:
    _check_race_codes(max_race_codes)
    profiles = _profiles(iterations)
    race = _most_covered([combined for combined, _ in profiles], max_race_codes)
    together: dict[int, list[Profile]] = defaultdict(list)
    for combined, alone in profiles:
        for position in _positions(alone):
            together[position].append((combined, alone))
    for those in together.values():
        race = max(race, _most_beside(those, max_race_codes, race))
    most = race + _most_ethnic(iterations)
    if most == 0:
        raise PlanError(
            "iterations",
            "of this level hold no code, so nobody can be in any of its groups",
            "give the level a budget of 0, or map codes to its iterations",
        )
    return most


def stability_by_codes(iterations: Iterable[Iteration], max_race_codes: int) -> int:
    """The bound that looks at one code at a time: at least `stability`, and r h_AIC + h_eth in most code books.

    Args:
        iterations: The iterations that are tabulated at the level.
        max_race_codes: r, the race columns read of a record, 1 to 8.

    Raises:
        PlanError: when nothing bounds the groups of a person.
    """
    _check_race_codes(max_race_codes)
    of_level = tuple(iterations)
    profiles = _profiles(of_level)
    most = max_race_codes * max((combined.bit_count() for combined, _ in profiles), default=0)
    race = most
    unions: dict[int, Members] = defaultdict(int)
    beside: dict[int, int] = defaultdict(int)
    for combined, alone in profiles:
        for position in _positions(alone):
            unions[position] |= combined
            beside[position] = max(beside[position], alone.bit_count())
    for position, union in unions.items():
        race = max(race, min(most, union.bit_count()) + beside[position])
    return race + _most_ethnic(of_level)


def _check_race_codes(max_race_codes: int) -> None:
    if not 1 <= max_race_codes <= MOST_RACE_CODES:
        raise PlanError(
            "max_race_codes",
            f"is not between 1 and {MOST_RACE_CODES}, so nothing bounds the groups of one person",
            "state how many race columns of a record are read",
        )


def _profiles(iterations: Sequence[Iteration]) -> list[Profile]:
    """The profile of each race code that has iterations; codes of the same iterations have one."""
    combined: dict[str, Members] = defaultdict(int)
    alone: dict[str, Members] = defaultdict(int)
    for position, iteration in enumerate(iterations):
        if iteration.kind == "race":
            of_code = alone if iteration.alone else combined
            for code in iteration.codes:
                of_code[code] |= 1 << position
    return sorted({(combined.get(code, 0), alone.get(code, 0)) for code in combined.keys() | alone.keys()})


def _most_ethnic(iterations: Sequence[Iteration]) -> int:
    """Ethnicity iterations of one code."""
    count: dict[str, int] = defaultdict(int)
    for iteration in iterations:
        if iteration.kind == "ethnicity":
            for code in iteration.codes:
                count[code] += 1
    return max(count.values(), default=0)


def _positions(members: Members) -> list[int]:
    positions = []
    while members:
        lowest = members & -members
        positions.append(lowest.bit_length() - 1)
        members ^= lowest
    return positions


def _most_beside(profiles: Sequence[Profile], most: int, least: int) -> int:
    """The most race iterations of a person with codes of these profiles alone, which share an alone iteration; `least` if not more."""
    most_found = least
    sets = [combined for combined, _ in profiles]
    if _bound(sets, most) + max(alone.bit_count() for _, alone in profiles) <= least:
        return most_found
    shared = _intersections({alone for _, alone in profiles})
    if shared is None:
        return _bound(sets, most) + max(alone.bit_count() for _, alone in profiles)
    for members in shared:
        within = [combined for combined, alone in profiles if alone & members == members]
        if members.bit_count() + _bound(within, most) > most_found:
            most_found = max(most_found, members.bit_count() + _most_covered(within, most))
    return most_found


def _intersections(sets: Collection[Members]) -> set[Members] | None:
    """All intersections of one or more of the sets; None where they are too many."""
    found: set[Members] = set()
    for members in sets:
        found |= {members & other for other in found} | {members}
        if len(found) > MOST_INTERSECTIONS:
            return None
    return found


def _bound(sets: Iterable[Members], most: int) -> int:
    """What `most` of the sets cover at most: the sizes of the largest, and all of them together."""
    distinct = set(sets)
    union = 0
    for members in distinct:
        union |= members
    return min(sum(sorted((members.bit_count() for members in distinct), reverse=True)[:most]), union.bit_count())


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
