"""Families of iterations: sums for every person who can be, found where they are and nowhere else."""

from itertools import combinations

import pytest

from starling.tables.plan import Iteration
from starling.tables.plan.nesting import Family, families
from tests.tables.small import census_attributes


def build(code: str, level: int, codes: str, kind: str = "race", *, alone: bool = False) -> Iteration:
    return Iteration(code, code, "race" if kind == "race" else "ethnicity", level, alone, False, False, tuple(codes))


def persons(codes: str, most: int) -> list[frozenset[str]]:
    """Every set of race codes that a person can have."""
    return [frozenset(chosen) for size in range(most + 1) for chosen in combinations(codes, size)]


def is_in(person: frozenset[str], iteration: Iteration) -> bool:
    """Membership by definition; for ethnicity a person has at most one code."""
    if not person:
        return False
    return person <= set(iteration.codes) if iteration.alone else bool(person & set(iteration.codes))


WORLD = [
    build("1", 1, "ab", alone=True),
    build("2", 1, "ab"),
    build("3", 2, "a", alone=True),
    build("4", 2, "a"),
    build("5", 2, "b", alone=True),
    build("6", 2, "b"),
    build("7", 1, "c", alone=True),
    build("8", 2, "c", alone=True),
    build("9", 1, "de", alone=True),
    build("A", 2, "d", alone=True),
]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_families_are_exactly_the_sums_over_every_person(most: int) -> None:
    result = families(WORLD, census_attributes(most))
    by_code = {iteration.code: iteration for iteration in WORLD}
    for family in result:
        for person in persons("abcde", most):
            count = sum(is_in(person, by_code[member]) for member in family.members)
            assert count == is_in(person, by_code[family.parent]), (family, person)
    expected = (
        [Family("7", ("8",))] if most > 1 else [Family("1", ("3", "5")), Family("2", ("4", "6")), Family("7", ("8",))]
    )
    assert list(result) == expected


def test_with_two_race_codes_a_sum_would_be_false() -> None:
    """Why race is left alone: the mutant that takes it for a sum is wrong for the person with both codes."""
    both = frozenset("ab")
    assert sum(is_in(both, each) for each in WORLD[3:6:2]) == 2 != is_in(both, WORLD[1])
    assert sum(is_in(both, each) for each in WORLD[2:5:2]) == 0 != is_in(both, WORLD[0])


def test_ethnicity_is_a_sum_whatever_the_race_codes() -> None:
    world = [
        build("1", 1, "ab", "eth"),
        build("2", 2, "a", "eth"),
        build("3", 2, "b", "eth"),
        build("4", 2, "c", "eth"),
    ]
    assert families(world, census_attributes(8)) == (Family("1", ("2", "3")),)


def test_what_is_not_whole_is_no_family() -> None:
    lacking = [build("1", 1, "abc", "eth"), build("2", 2, "a", "eth"), build("3", 2, "b", "eth")]
    assert families(lacking, census_attributes(8)) == ()
    assert families([build("1", 1, "ab", "eth")], census_attributes(8)) == ()
    # A race iteration and an ethnicity of the same codes are different questions.
    assert families([build("1", 1, "a"), build("2", 2, "a", "eth")], census_attributes(1)) == ()
