"""The most groups of one person: what brute force over all persons finds, and never below it."""

from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.tables.plan import GeographyLevel, Iteration, Plan
from starling.tables.plan.iterations import Attribute, Kind
from starling.tables.plan.stability import _stability, stability, stability_by_codes
from tests.tables.small import census_attributes

module = import_module("starling.tables.plan.stability")

CODES = ("1000", "1001", "1002", "1003", "1004")
UNKNOWN = "9999"


def iteration(code: str, kind: Kind, codes: Sequence[str], *, alone: bool = False) -> Iteration:
    return Iteration(code, code, kind, 2, alone, total_only=False, coarse_only=False, codes=tuple(sorted(set(codes))))


def groups_of(iterations: Sequence[Iteration], races: Sequence[str], ethnicity: str) -> set[str]:
    """The slow twin: the iterations of one person, straight from "alone or in combination" and "alone"."""
    result = set()
    for each in iterations:
        if each.kind == "ethnicity":
            holds = ethnicity in each.codes
        elif each.alone:
            holds = bool(races) and all(race in each.codes for race in races)
        else:
            holds = any(race in each.codes for race in races)
        if holds:
            result.add(each.code)
    return result


def people(most: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every person there can be: each set of at most `most` race codes, an unknown one among them, by each ethnicity."""
    for size in range(most + 1):
        yield from product(combinations((*CODES, UNKNOWN), size), (*CODES, UNKNOWN))


def most_groups(iterations: Sequence[Iteration], most: int) -> int:
    return max(len(groups_of(iterations, *person)) for person in people(most))


@st.composite
def definitions(draw: st.DrawFn) -> list[Iteration]:
    """Any iterations at all: unlike those of a real code book they may overlap as they like."""
    result = []
    for number in range(draw(st.integers(1, 7))):
        kind: Kind = draw(st.sampled_from(["race", "race", "race", "ethnicity"]))
        codes = draw(st.lists(st.sampled_from(CODES), max_size=4))
        result.append(iteration(f"{number:04d}", kind, codes, alone=kind == "race" and draw(st.booleans())))
    return result


@pytest.mark.examples(30)
@given(definitions(), st.integers(1, 4))
def test_it_is_the_most_groups_that_any_person_is_in(iterations: list[Iteration], most: int) -> None:
    truth = most_groups(iterations, most)
    if truth == 0:
        with pytest.raises(PlanError, match="nobody can be in any"):
            stability(iterations, census_attributes(most))
    else:
        assert stability(iterations, census_attributes(most)) == truth
    assert stability_by_codes(iterations, census_attributes(most)) >= truth


@pytest.mark.slow
@given(definitions(), st.integers(1, 4), st.integers(0, 3), st.integers(0, 3))
def test_where_the_search_is_too_long_it_is_a_bound(
    iterations: list[Iteration], most: int, steps: int, intersections: int
) -> None:
    truth = most_groups(iterations, most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_STEPS", steps)
        patch.setattr(module, "MOST_INTERSECTIONS", intersections)
        if truth:
            assert (
                truth
                <= _stability.__wrapped__(tuple(iterations), census_attributes(most))
                <= stability_by_codes(iterations, census_attributes(most))
            )


@given(st.lists(st.sets(st.integers(0, 15), min_size=1, max_size=6), min_size=1, max_size=9), st.integers(1, 8))
def test_codes_in_many_groups_are_covered_as_well_as_can_be(sets: list[set[int]], most: int) -> None:
    codes = [f"{2000 + number}" for number in range(len(sets))]
    groups = [
        iteration(f"{place:04d}", "race", [code for code, members in zip(codes, sets, strict=True) if place in members])
        for place in range(16)
    ]
    chosen = combinations(sets, min(most, len(sets)))
    assert stability(groups, census_attributes(most)) == max(len(set[int]().union(*each)) for each in chosen)


def test_an_office_with_three_groups_pays_for_what_a_person_can_be_in() -> None:
    # It was charged for the 9 that the bound by codes gives: nobody is in more than 4.
    office = [iteration(f"2{code}", "race", [code]) for code in CODES[:3]]
    office += [iteration("30", "ethnicity", CODES)]
    assert (stability(office, census_attributes(8)), stability_by_codes(office, census_attributes(8))) == (4, 9)
    assert stability(office, census_attributes(8)) == most_groups(office, 5)


@given(st.integers(1, 4), st.integers(1, 5), st.booleans())
def test_the_bound_by_codes_is_loose_where_groups_are_few(most: int, groups: int, ethnicity: bool) -> None:
    """A real code book's shape, each code in its own group: it is reached whenever there are enough groups."""
    iterations = [iteration(f"1{i}", "race", [CODES[i]], alone=True) for i in range(groups)]
    iterations += [iteration(f"2{i}", "race", [CODES[i]]) for i in range(groups)]
    iterations += [iteration("30", "ethnicity", CODES)] if ethnicity else []
    by_codes = stability_by_codes(iterations, census_attributes(most))
    assert by_codes == max(most, 2) + ethnicity
    assert stability(iterations, census_attributes(most)) == max(min(most, groups), 2) + ethnicity


def test_one_person_can_be_alone_in_a_group_of_many_codes() -> None:
    wide = [iteration("1", "race", CODES[:3], alone=True), *(iteration(f"2{c}", "race", [c]) for c in CODES[:3])]
    assert stability(wide, census_attributes(3)) == most_groups(wide, 3) == 4


def test_alone_adds_to_the_union_within_its_own_codes_alone() -> None:
    """Adding the alone iteration to the largest union blindly would give 4: whoever reaches 3 is not alone."""
    iterations = [iteration("1", "race", ["1000"], alone=True), *(iteration(f"2{c}", "race", [c]) for c in CODES[:3])]
    assert stability(iterations, census_attributes(3)) == most_groups(iterations, 3) == 3


def test_alone_iterations_that_overlap_are_counted_by_code() -> None:
    iterations = [
        iteration("1", "race", ["1000", "1001"], alone=True),
        iteration("2", "race", ["1000", "1002"], alone=True),
        iteration("3", "race", ["1000"], alone=True),
    ]
    assert stability(iterations, census_attributes(2)) == most_groups(iterations, 2) == 3


KINDS: tuple[Kind, ...] = ("race", "ethnicity")
FEW = CODES[:3]


def in_iteration(each: Iteration, values: Collection[str]) -> bool:
    """The slow twin of any attribute: all of a person's values of it, and at least one, or one of them."""
    held = [value in each.codes for value in values]
    return any(held) and (not each.alone or all(held))


@st.composite
def definitions_of_two(draw: st.DrawFn) -> list[Iteration]:
    """Iterations of two attributes, alone and in combination on either."""
    codes = st.lists(st.sampled_from(FEW), max_size=3)
    return [
        iteration(f"{number:04d}", draw(st.sampled_from(KINDS)), draw(codes), alone=draw(st.booleans()))
        for number in range(draw(st.integers(1, 7)))
    ]


@given(definitions_of_two(), st.integers(1, 4), st.integers(1, 4))
def test_it_is_exact_for_any_attributes_of_however_many_values(
    iterations: list[Iteration], one: int, other: int
) -> None:
    """Brute force over every person, who has some values of the one attribute and, freely, of the other."""
    attributes = (Attribute("race", one), Attribute("ethnicity", other))
    subsets = [[values for size in range(each.most + 1) for values in combinations(FEW, size)] for each in attributes]
    truth = max(
        sum(in_iteration(each, person[KINDS.index(each.kind)]) for each in iterations) for person in product(*subsets)
    )
    if truth == 0:
        with pytest.raises(PlanError, match="nobody can be in any"):
            stability(iterations, attributes)
    else:
        assert stability(iterations, attributes) == truth
    assert stability_by_codes(iterations, attributes) >= truth


def test_values_of_an_attribute_that_no_iteration_looks_at_count_for_nothing() -> None:
    race = [iteration("1", "race", CODES[:1]), iteration("2", "race", CODES[1:2])]
    assert stability(race, (Attribute("race", 2), Attribute("ethnicity", 5))) == 2


@pytest.mark.series(1)
@pytest.mark.parametrize(("geography", "level"), list(product(["STATE", "COUNTY"], [1, 2])))
def test_production_is_nine(shared_data: Path, geography: str, level: int) -> None:
    definitions = Plan.load(shared_data / "tables" / "NMFv7-2020").definitions
    tabulated = definitions.tabulated(GeographyLevel(geography), level)
    assert stability(tabulated, census_attributes(8)) == stability_by_codes(tabulated, census_attributes(8)) == 9
    race = [each for each in tabulated if each.kind == "race"]
    assert stability(race, census_attributes(8)) == 8
    assert stability(race, census_attributes(1)) == 2
    # Tight: this person is in nine.
    combined = [each for each in race if not each.alone]
    ethnicity = next(each for each in tabulated if each.kind == "ethnicity")
    races = [each.codes[0] for each in combined[:8]]
    assert len(groups_of(tabulated, races, ethnicity.codes[0])) == 9


def test_alone_and_combined_hierarchies_differ_below_the_state(shared_data: Path) -> None:
    definitions = Plan.load(shared_data / "tables" / "NMFv7-2020").definitions
    below = definitions.tabulated(GeographyLevel.TRACT, 2)
    codes = {
        alone: {c for each in below if each.kind == "race" and each.alone is alone for c in each.codes}
        for alone in (True, False)
    }
    assert (len(codes[True]), len(codes[False])) == (1118, 1201)
