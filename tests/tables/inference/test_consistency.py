"""Whole plans made consistent: the dense projection, sums that hold to the person, levels that are part of no sum."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.hierarchy.trees import Estimated
from starling.tables.inference.consistency import make_consistent
from starling.tables.plan import Definitions, GeographyLevel, Iteration, Level, Plan, Variants
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords
from starling.tables.plan.nesting import families, nested
from tests.tables.inference.dense import projection
from tests.tables.small import census_attributes

USA, STATE, COUNTY, TRACT = (GeographyLevel(name) for name in ("USA", "STATE", "COUNTY", "TRACT"))
PLACE = GeographyLevel.PLACE

REGIONS: dict[str, tuple[str, ...]] = {
    USA: ("1",),
    STATE: ("01", "02"),
    COUNTY: ("01001", "01003", "02001"),
    TRACT: ("01001000100", "01001000200", "01003000100", "02001000100", "02001000200"),
    PLACE: ("0100001",),
}


def build(code: str, level: int, *codes: str, kind: str = "ethnicity", coarse_only: bool = False) -> Iteration:
    total_only = False
    return Iteration(
        code, code, "race" if kind == "race" else "ethnicity", level, False, total_only, coarse_only, codes
    )


ITERATIONS = (
    build("0001", 1, "1000", "1001"),
    build("0002", 2, "1000"),
    build("0003", 2, "1001"),
    build("0004", 1, "1002", kind="race"),
    build("0005", 2, "1002", "1003", kind="race"),
)


def plan_of(iterations: tuple[Iteration, ...], geographies: tuple[GeographyLevel, ...]) -> Plan:
    """Both iteration levels of each geography."""
    levels = []
    for geography in geographies:
        for number in (1, 2):
            tabulated = tuple(each for each in iterations if each.tabulated(geography, number))
            if tabulated:
                levels.append(Level(geography, number, Fraction(1), (5, 10, 20), tabulated, 9))
    codes = sorted({code for each in iterations for code in each.codes})
    definitions = Definitions(iterations, tuple((code, code) for code in codes))
    return Plan(
        title="nested",
        measure="rho",
        levels=tuple(levels),
        gamma=Fraction(1, 10),
        suppression=Fraction(0),
        allow_negative=True,
        definitions=definitions,
        records=CensusRecords(2, frozenset({"01"}), puerto_rico=False),
        **CENSUS_PARTS,
    )


def measured(plan: Plan, seed: int) -> dict[int, Estimated]:
    random = np.random.default_rng(seed)
    shapes = [(len(REGIONS[level.geography]), len(level.iterations)) for level in plan.levels]
    return {
        index: Estimated(random.normal(0, 30, shape), random.uniform(1, 40, shape))
        for index, shape in enumerate(shapes)
    }


def tracts_of(geography: str) -> np.ndarray:
    """Which tracts each region is made of."""
    width = {str(USA): 0, STATE: 2, COUNTY: 5, TRACT: 11}[geography]
    return np.array(
        [[float(not width or tract.startswith(region)) for tract in REGIONS[TRACT]] for region in REGIONS[geography]]
    )


@pytest.mark.slow
@pytest.mark.series(3)
@pytest.mark.parametrize("evenly", [True, False])
@pytest.mark.parametrize("geographies", [(USA, STATE, COUNTY, TRACT), (USA, COUNTY, TRACT), (STATE, TRACT), (TRACT,)])
def test_all_of_it_is_the_dense_projection(geographies: tuple[GeographyLevel, ...], evenly: bool) -> None:
    plan = plan_of(ITERATIONS, geographies)
    plan = replace(plan, variants=Variants(add_up=True, evenly=evenly))
    free = ["0002", "0003", "0004", "0005"]
    parts = {code: [code] for code in free} | {"0001": ["0002", "0003"]}
    totals = measured(plan, 3)
    design, values, variances = [], [], []
    for index, level in enumerate(plan.levels):
        for column, iteration in enumerate(level.iterations):
            each = [tracts_of(level.geography) * (code in parts[iteration.code]) for code in free]
            design.append(np.hstack(each))
            values.append(totals[index].count[:, column])
            variances.append(totals[index].variance[:, column])
    x, covariance = projection(np.concatenate(design), np.concatenate(values), np.concatenate(variances))
    before = [each.copy() for each in variances]
    wider = make_consistent(plan, REGIONS, totals)
    at = 0
    for index, level in enumerate(plan.levels):
        for column, iteration in enumerate(level.iterations):
            count, variance = totals[index].count[:, column], totals[index].variance[:, column]
            expected = design[at] @ x
            most = 2 if evenly else 1.5
            assert (np.abs(count - expected) < (most if iteration.code == "0001" else 1)).all()
            rounding = 2 / 12 if iteration.code == "0001" and not evenly else 0
            if evenly:
                assert np.array_equal(np.abs(count - expected) > 1, wider.get((index, column), 0 * count) > 0)
                # Regions stand in the order of their ids here, so that neighbours are neighbours.
                far = 1 if iteration.code != "0001" else 2
                assert np.ptp(np.cumsum(np.concatenate(([0], count - expected)))) < far
            else:
                assert not wider
            np.testing.assert_allclose(variance - rounding, np.diag(design[at] @ covariance @ design[at].T), rtol=1e-8)
            assert (variance - rounding <= before[at] * (1 + 1e-9)).all()
            at += 1
    by = {
        (level.geography, each.code): totals[i].count[:, c]
        for i, level in enumerate(plan.levels)
        for c, each in enumerate(level.iterations)
    }
    for geography in geographies:
        assert np.array_equal(by[geography, "0001"], by[geography, "0002"] + by[geography, "0003"])
        for iteration in ITERATIONS:
            assert np.array_equal(tracts_of(geography) @ by[TRACT, iteration.code], by[geography, iteration.code])


@pytest.mark.slow
def test_iterations_are_followed_only_through_levels_that_tabulate_them() -> None:
    iterations = (*ITERATIONS[:3], build("0006", 2, "1004", kind="race", coarse_only=True))
    iterations = (iterations[0], iterations[1], replace(iterations[2], total_only=True), iterations[3])
    plan = plan_of(iterations, (USA, STATE, COUNTY, TRACT))
    totals = measured(plan, 5)
    make_consistent(plan, REGIONS, totals)
    by = {
        (level.geography, each.code): totals[i].count[:, c]
        for i, level in enumerate(plan.levels)
        for c, each in enumerate(level.iterations)
    }
    # The family holds at nation and state; below, one of its members is not tabulated.
    for geography in (USA, STATE):
        assert np.array_equal(by[geography, "0001"], by[geography, "0002"] + by[geography, "0003"])
    for code in ("0001", "0002"):
        for geography in (USA, STATE, COUNTY):
            assert np.array_equal(tracts_of(geography) @ by[TRACT, code], by[geography, code])
    assert (COUNTY, "0003") not in by
    assert (STATE, "0006") not in by
    assert np.array_equal(tracts_of(COUNTY) @ by[TRACT, "0006"], by[COUNTY, "0006"])


def test_places_stay_as_measured() -> None:
    plan = plan_of(ITERATIONS, (COUNTY, PLACE))
    totals = measured(plan, 7)
    before = totals[2].count.copy()
    make_consistent(plan, REGIONS, {index: each for index, each in totals.items() if index < 2})
    assert np.array_equal(totals[2].count, before)
    assert nested(plan, COUNTY)
    assert not nested(plan, PLACE)
    assert not nested(plan, GeographyLevel.AIANNH)


def test_repeats_bit_for_bit() -> None:
    plan = plan_of(ITERATIONS, (USA, STATE, COUNTY, TRACT))
    first, second = measured(plan, 11), measured(plan, 11)
    make_consistent(plan, REGIONS, first)
    make_consistent(plan, REGIONS, second)
    for index, each in first.items():
        assert each.count.tobytes() == second[index].count.tobytes()
        assert each.variance.tobytes() == second[index].variance.tobytes()


def test_the_family_of_the_tests_is_one() -> None:
    assert [family.parent for family in families(ITERATIONS, census_attributes(8))] == ["0001"]
