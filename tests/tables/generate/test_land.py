import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.generate.land import BLOCKS_PER_TRACT, Land, apportion, invent_land, land_of, settle
from starling.tables.plan.blocks import COLUMNS
from starling.tables.plan.census_levels import PUERTO_RICO, STATES
from starling.tables.plan.geography import NO_AIANNH, NO_PLACE


def land(states: list[str], persons: int, seed: int = 1) -> Land:
    return invent_land(np.random.default_rng(seed), states, persons)


@pytest.fixture(scope="module")
def nation() -> Land:
    return land(["10", "44", "50", "72"], 3_000_000)


@pytest.mark.examples(25)
@given(
    st.lists(st.floats(0, 1e9), min_size=1, max_size=50).filter(lambda weights: sum(weights) > 0), st.integers(0, 10**6)
)
def test_apportioned_parts_add_up_and_are_near_their_shares(weights: list[float], total: int) -> None:
    parts = apportion(np.array(weights), total)
    assert parts.sum() == total
    assert (parts >= 0).all()
    assert np.abs(parts - np.array(weights) / sum(weights) * total).max() <= 1.5


def test_blocks_are_in_order_and_different(nation: Land) -> None:
    key = np.stack([nation.state, nation.county, nation.tract, nation.block], axis=1).tolist()
    assert key == sorted(key)
    assert len(set(map(tuple, key))) == len(key)


def test_sizes_are_those_of_the_real_geography(nation: Land) -> None:
    tracts = len(nation.county_of_tract)
    assert nation.persons.sum() == 3_000_000
    assert tracts == pytest.approx(3_000_000 / 3700, rel=0.1)
    assert len(nation.state) / tracts == pytest.approx(BLOCKS_PER_TRACT, rel=0.1)
    assert 0.25 < (nation.persons == 0).mean() < 0.5


def test_sizes_are_skewed(nation: Land) -> None:
    counties = np.bincount(nation.county_of_tract[nation.tract_index], nation.persons)
    assert counties.max() > 4 * np.median(counties)
    lived_in = nation.persons[nation.persons > 0]
    assert lived_in.max() > 20 * np.median(lived_in)


def test_places_and_tracts_cut_each_other(nation: Land) -> None:
    """Some tract lies in two places and outside of any, and some place lies in several tracts and counties."""
    place = nation.state * 100_000 + nation.place
    inside = nation.place != NO_PLACE
    pairs = np.unique(np.stack([nation.tract_index, place], axis=1)[inside], axis=0)
    assert np.bincount(pairs[:, 0]).max() >= 2
    assert np.unique(pairs[:, 1], return_counts=True)[1].max() >= 5
    assert set(pairs[:, 0].tolist()) & set(nation.tract_index[~inside].tolist())
    county = nation.county_of_tract[nation.tract_index]
    across = np.unique(np.stack([county, place], axis=1)[inside], axis=0)
    assert np.unique(across[:, 1], return_counts=True)[1].max() >= 2


def test_an_aiannh_area_crosses_a_state_border_and_none_is_in_puerto_rico(nation: Land) -> None:
    inside = nation.area != NO_AIANNH
    pairs = np.unique(np.stack([nation.area, nation.state], axis=1)[inside], axis=0)
    assert np.unique(pairs[:, 0], return_counts=True)[1].max() == 2
    assert 72 not in pairs[:, 1]
    assert 0.005 < inside.mean() < 0.06


def test_codes_fit_their_columns(nation: Land) -> None:
    assert nation.county.max() < 1000
    assert nation.tract.max() < 10**6
    assert nation.block.max() < 10**4
    assert nation.place.min() >= 100
    assert nation.place.max() == NO_PLACE
    assert nation.area.max() == NO_AIANNH


@pytest.mark.parametrize("persons", [0, 1, 7, 5000])
@pytest.mark.parametrize("states", [["72"], ["01"], ["01", "02"], [f"{code:02d}" for code in range(1, 57)]])
def test_small_lands_are_whole(states: list[str], persons: int) -> None:
    output = land(states, persons)
    assert output.persons.sum() == persons
    assert np.unique(output.state).tolist() == [int(code) for code in states]


@pytest.mark.parametrize("seed", range(20))
def test_any_seed_gives_a_crossing_area(seed: int) -> None:
    output = land(["01", "02"], 100_000, seed)
    pairs = {(area, state) for area, state in zip(output.area.tolist(), output.state.tolist(), strict=True)}
    assert any({(area, 1), (area, 2)} <= pairs for area, _ in pairs if area != NO_AIANNH)


def test_a_whole_state_has_production_size() -> None:
    output = land(["06"], 10_000_000)
    assert 2_600 < len(output.county_of_tract) < 2_800
    assert 230_000 < len(output.state) < 280_000
    assert 1_000 < len(np.unique(output.place)) < 1_040


@pytest.mark.slow
def test_the_nation_has_as_many_of_everything_as_there_were_in_2020() -> None:
    """United States and Puerto Rico: 3,221 counties, 85,395 tracts, 8.13 million blocks, some 32,000 places, 700 AIANNH areas."""
    codes = [*sorted(STATES), PUERTO_RICO]
    assert len(codes) == 52
    output = land(codes, 316_000_000)
    assert int(output.county_of_tract[-1]) + 1 == pytest.approx(3_221, rel=0.01)
    assert len(output.county_of_tract) == pytest.approx(85_395, rel=0.01)
    assert len(output.state) == pytest.approx(8_130_000, rel=0.02)
    inside = output.place != NO_PLACE
    assert len(np.unique(output.state[inside] * 100_000 + output.place[inside])) == pytest.approx(32_000, rel=0.03)
    assert len(np.unique(output.area)) - 1 == pytest.approx(700, rel=0.03)


@pytest.mark.parametrize("persons", [0, 1, 1000, 3_000_000, 10_000_000])
def test_a_settled_land_is_the_same_land_with_other_persons(nation: Land, persons: int) -> None:
    settled = settle(nation, persons)
    assert settled.persons.sum() == persons
    assert (settled.persons >= 0).all()
    assert settled.place is nation.place
    if persons >= nation.persons.sum():
        expected = nation.persons * (persons / nation.persons.sum())
        assert np.abs(settled.persons - expected).max() <= 2


def blocks_of(output: Land) -> dict[str, np.ndarray]:
    columns = (output.state, output.county, output.tract, output.block, output.place, output.area)
    return {name: column.astype(np.int64) for name, column in zip(COLUMNS, columns, strict=True)}


def test_a_land_of_blocks_that_are_there_has_their_tracts_and_counties(nation: Land) -> None:
    second = land_of(np.random.default_rng(2), blocks_of(nation), 100_000)
    for name in ("state", "county", "tract", "block", "place", "area", "tract_index", "county_of_tract"):
        assert np.array_equal(getattr(second, name), getattr(nation, name)), name
        assert getattr(second, name).dtype == getattr(nation, name).dtype
    assert second.persons.sum() == 100_000
    counties = np.bincount(second.county_of_tract[second.tract_index], second.persons)
    assert counties.max() > 4 * np.median(counties)


def test_a_land_of_one_block_holds_everybody() -> None:
    one = {name: np.array([7]) for name in COLUMNS}
    output = land_of(np.random.default_rng(1), one, 5)
    assert (output.persons.tolist(), output.tract_index.tolist(), output.county_of_tract.tolist()) == ([5], [0], [0])


def test_tracts_of_one_number_in_two_counties_are_two() -> None:
    two = {name: np.array([1, 1]) for name in COLUMNS} | {"TABBLKCOU": np.array([1, 3])}
    output = land_of(np.random.default_rng(1), two, 5)
    assert (output.tract_index.tolist(), output.county_of_tract.tolist()) == ([0, 1], [0, 1])
