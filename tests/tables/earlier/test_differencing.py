"""What is listed is what a walk over all pairs of groups finds, and nothing that one release tells by itself."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.privacy.distributions.accuracy import standard_deviation
from starling.tables.earlier.differencing import SMALL, SMALL_BLOCKS, Difference, differencing
from starling.tables.plan import Definitions, GeographyLevel, Iteration, Level, Plan, read_geography
from starling.tables.plan.stability import stability
from tests.tables.small import census_attributes, small_plan, with_records

HEADER = "TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|PLACEFP|AIANNHCE"


def plan_of(
    iterations: Sequence[Iteration],
    geographies: Sequence[GeographyLevel] = (GeographyLevel.STATE,),
    states: Sequence[str] = ("01",),
) -> Plan:
    """All iterations at each of the levels."""
    base = small_plan("rho")
    ordered = tuple(sorted(iterations, key=lambda iteration: iteration.code))
    levels = tuple(
        Level(geography, 2, Fraction(1), (5, 10, 20), ordered, stability(ordered, census_attributes(2)))
        for geography in GeographyLevel
        if geography in geographies
    )
    codes = sorted({code for iteration in ordered for code in iteration.codes})
    definitions = Definitions(ordered, tuple((code, f"people {code}") for code in codes))
    return with_records(replace(base, levels=levels, definitions=definitions), states=frozenset(states))


def iteration(code: str, codes: Sequence[str], *, alone: bool = False, kind: str = "race") -> Iteration:
    return Iteration(
        code, f"group {code}", "race" if kind == "race" else "ethnicity", 2, alone, False, False, tuple(sorted(codes))
    )


def by_codes(result: Sequence[Difference]) -> set[tuple[str, str, frozenset[str]]]:
    return {(each.here[:4], each.there[:4], frozenset(part[:4] for part in each.parts)) for each in result}


CODES = tuple(f"10{number:02d}" for number in range(7))
code_sets = st.sets(st.sampled_from(CODES), min_size=1)
kinds = st.sampled_from([("race", False), ("race", True), ("ethnicity", False)])
books = st.lists(st.tuples(code_sets, kinds), min_size=1, max_size=8)


@pytest.mark.examples(50)
@settings(max_examples=150)
@given(here=books, there=books)
def test_iterations_are_those_of_a_walk_over_all_pairs(
    here: list[tuple[set[str], tuple[str, bool]]], there: list[tuple[set[str], tuple[str, bool]]]
) -> None:
    output = [
        [
            iteration(f"{first + at:04d}", sorted(codes), alone=alone, kind=kind)
            for at, (codes, (kind, alone)) in enumerate(book)
        ]
        for first, book in ((1000, here), (2000, there))
    ]
    result = differencing(plan_of(output[0]), plan_of(output[1]))
    person = [{(each.kind, each.alone, each.codes): each for each in side} for side in output]
    both = person[0].keys() & person[1].keys()
    expected = set()
    for actual, one in person[0].items():
        for reference, other in person[1].items():
            apart = set(actual[2]) ^ set(reference[2])
            nested = set(actual[2]) <= set(reference[2]) or set(reference[2]) <= set(actual[2])
            if (
                actual not in both
                and reference not in both
                and actual[:2] == reference[:2]
                and nested
                and 0 < len(apart) <= SMALL
            ):
                expected.add((one.code, other.code, frozenset(apart)))
    assert by_codes(result.differences) == expected
    assert sum(each.iterations for each in result.repeated) == len(both)


def test_the_same_plan_again_differs_by_nothing() -> None:
    plan = small_plan("rho")
    result = differencing(plan, plan)
    assert result.differences == ()
    assert [(each.geography, each.iterations) for each in result.repeated] == [("STATE", 3), ("COUNTY", 2)]


def test_noise_is_that_of_the_difference_of_two_bare_totals() -> None:
    plan, before = plan_of([iteration("0001", ["1000"])]), plan_of([iteration("0002", ["1000", "1001"])])
    (result,) = differencing(plan, before).differences
    distribution = plan.stage_noise(plan.levels[0]).stage2
    assert result.deviation == pytest.approx(sqrt(2) * standard_deviation(distribution))
    assert result.parts == ("1001 people 1001",)


@pytest.mark.parametrize(("more", "report"), [(["02"], 1), (["02", "04", "05"], 1), (["02", "04", "05", "06"], 0)])
def test_a_nation_of_a_few_states_more_is_told(more: list[str], report: int) -> None:
    same = [iteration("0001", ["1000"])]
    plan = plan_of(same, [GeographyLevel.USA], ["01", *more])
    before = plan_of(same, [GeographyLevel.USA], ["01"])
    for one, other in ((plan, before), (before, plan)):
        result = differencing(one, other)
        assert len(result.differences) == report
        assert result.repeated == ()
    # Neither holds the other: no difference is of one set.
    apart = plan_of(same, [GeographyLevel.USA], ["02"])
    assert differencing(apart, before).differences == ()


def blocks_file(folder: Path, rows: Sequence[tuple[str, str, str, str, str, str]]) -> Path:
    path = folder / "GRF-C.txt"
    path.write_text("\n".join([HEADER, *("|".join(row) for row in rows)]) + "\n")
    return path


@pytest.mark.examples(8)
@settings(max_examples=40)
@given(data=st.data())
def test_regions_are_those_of_a_walk_over_all_pairs(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    places = st.sampled_from(["00100", "00200", "99999"])
    size = data.draw(st.integers(1, 30))
    rows = [
        ("01", county, "000100", f"{number:04d}", data.draw(places), "9999")
        for county in ("001", "003")
        for number in range(size)
    ]
    path = blocks_file(tmp_path_factory.mktemp("blocks"), rows)
    same = [iteration("0001", ["1000"])]
    plan, before = plan_of(same, [GeographyLevel.COUNTY]), plan_of(same, [GeographyLevel.PLACE])
    if all(row[4] == "99999" for row in rows):
        return
    result = differencing(plan, before, read_geography(path, plan), read_geography(path, before))
    assert result.blocks
    expected = set()
    for county in ("001", "003"):
        for place in ("00100", "00200"):
            actual = {row[:4] for row in rows if row[1] == county}
            reference = {row[:4] for row in rows if row[4] == place}
            if (
                reference
                and (actual <= reference or reference <= actual)
                and 0 < len(actual ^ reference) <= SMALL_BLOCKS
            ):
                expected.add((f"county {county}, Alabama", f"place {place}, Alabama", len(actual ^ reference)))
    assert {(each.here, each.there, int(each.parts[0].split()[0])) for each in result.differences} == expected


def test_what_one_release_tells_by_itself_is_left_out(tmp_path: Path) -> None:
    """County 001 is place 00100 but for one block; a release of both levels tells that alone."""
    rows = [("01", "001", "000100", f"{number:04d}", "00100" if number else "99999", "9999") for number in range(5)]
    path = blocks_file(tmp_path, rows)
    same = [iteration("0001", ["1000"])]
    county, place = plan_of(same, [GeographyLevel.COUNTY]), plan_of(same, [GeographyLevel.PLACE])
    both = plan_of(same, [GeographyLevel.COUNTY, GeographyLevel.PLACE])
    report = [
        len(differencing(one, other, read_geography(path, one), read_geography(path, other)).differences)
        for one, other in ((county, place), (place, county), (both, place), (county, both))
    ]
    assert report == [1, 1, 0, 0]


def test_a_state_more_moves_regions_across_states(tmp_path: Path) -> None:
    rows = [("01", "001", "000100", f"{number:04d}", "99999", "0007") for number in range(4)]
    rows += [("02", "001", "000100", "0001", "99999", "0007")]
    path = blocks_file(tmp_path, rows)
    same = [iteration("0001", ["1000"])]
    plan = plan_of(same, [GeographyLevel.AIANNH], ["01", "02"])
    before = plan_of(same, [GeographyLevel.AIANNH], ["01"])
    result = differencing(plan, before, read_geography(path, plan), read_geography(path, before))
    assert [(each.by, each.parts) for each in result.differences] == [("states", ("Alaska",)), ("blocks", ("1 block",))]
