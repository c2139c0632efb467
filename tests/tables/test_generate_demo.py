"""The plan that comes with Starling: it loads, it fits a million invented persons, and its release shows all there is to see."""

import re
import time
from importlib.resources import as_file, files

import numpy as np
import pytest

from starling.privacy.distributions.accuracy import margin
from starling.privacy.trust import inspect
from starling.release.described import Generated
from starling.tables.counts import GroupCounts, count
from starling.tables.generate import generate
from starling.tables.plan import Geography, Plan, read_geography
from starling.tables.plan.census_records import census_records
from starling.tables.plan.iterations import ITERATION_LEVELS
from starling.tables.preview import preview
from starling.tables.source import open_persons
from tests.tables.small import whole

SURE = "1e-9"
"""Chance that stage 1 strays further than its margin below."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    with as_file(files("starling.tables") / "presets" / "demo.toml") as path:
        return Plan.load(path)


@pytest.fixture(scope="module")
def nation(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Generated:
    began = time.monotonic()
    output = generate(plan, persons=1_000_000, seed=1, out=tmp_path_factory.mktemp("demo") / "nation")
    # About one second on two idle cores; the rest is for whatever else they do.
    assert time.monotonic() - began < 30
    return output


@pytest.fixture(scope="module")
def geography(plan: Plan, nation: Generated) -> Geography:
    return read_geography(nation.files["geography"], plan)


@pytest.fixture(scope="module")
def exact(plan: Plan, nation: Generated, geography: Geography) -> GroupCounts:
    return inspect(count(plan, geography, open_persons(nation.records, plan))).value


def test_the_plan_is_of_a_size_to_read(plan: Plan) -> None:
    iterations = plan.definitions.iterations
    assert 40 <= len(iterations) <= 60
    assert {iteration.level for iteration in iterations} == set(ITERATION_LEVELS)
    assert {iteration.kind for iteration in iterations} == {"race", "ethnicity"}
    assert any(iteration.alone for iteration in iterations)
    assert any(iteration.total_only for iteration in iterations)
    assert any(iteration.coarse_only for iteration in iterations)


def test_its_groups_are_invented(plan: Plan) -> None:
    """No name is in the production code book's languages, nations or tribes: landscapes and lanterns alone."""
    words = {word for iteration in plan.definitions.iterations for word in re.findall(r"[A-Z]\w+", iteration.name)}
    landscape = (
        "Coastal Harbour Dune Estuary Cliff Riverland Delta Ford Weir Highland Summit Glen Scree Woodland Birch Cedar"
    )
    more = "Fern Island North South Far Isle Plains Meadow Heath Furrow Other Lantern River Hill Sea"
    assert words == {*landscape.split(), *more.split()}
    assert "invented" in plan.title


def test_every_level_is_worth_its_place(plan: Plan) -> None:
    """A cell's margin is what the plan asks for, and the whole costs less than one."""
    shown = preview(plan)
    assert float(shown.overview.plan.cost.amount) < 1
    cells = [level.branches[1].cell for level in shown.levels]
    assert all(cell is not None and 10 <= cell.margin <= 30 for cell in cells)


@pytest.mark.slow
def test_all_branches_are_taken(plan: Plan, geography: Geography, exact: GroupCounts) -> None:
    """Some level has groups whose true size is so far inside each branch that the noise cannot move them out of it."""
    taken = set()
    for index, level in enumerate(plan.levels):
        reach = margin(plan.stage_noise(level).stage1, SURE)
        totals = exact.totals(whole(plan, geography, index))
        low = np.array([-(10**9), *level.thresholds]) + reach
        high = np.array([*level.thresholds, 10**9]) - reach
        inside = (totals[:, np.newaxis] >= low) & (totals[:, np.newaxis] < high)
        if inside.any(axis=0).all():
            taken.add(level.name)
    assert {"(USA, 2)", "(STATE, 2)", "(COUNTY, 2)", "(TRACT, 2)", "(PLACE, 2)"} <= taken


@pytest.mark.slow
def test_rows_are_suppressed_and_rows_are_kept(plan: Plan, geography: Geography, exact: GroupCounts) -> None:
    for index, level in enumerate(preview(plan).levels):
        if not plan.regions.of(level.overview.level.geography).small:
            assert level.empty_suppressed == 0
            continue
        assert level.empty_suppressed > 0.95
        totals = exact.totals(whole(plan, geography, index))
        # Ten empty groups are all published with a chance below 0.05^10.
        assert np.count_nonzero(totals == 0) >= 10
        assert np.count_nonzero(totals > level.overview.level.thresholds[0]) > 10


def test_total_only_groups_have_persons(plan: Plan, geography: Geography, exact: GroupCounts) -> None:
    (index,) = [at for at, level in enumerate(plan.levels) if level.name == "(USA, 2)"]
    assert (exact.totals(whole(plan, geography, index))[plan.levels[index].total_only] > 0).all()


def test_the_nation_is_as_large_as_it_says(plan: Plan, nation: Generated, geography: Geography) -> None:
    assert nation.sizes["persons"] == 1_000_000
    assert nation.sizes["states"] == len(census_records(plan).states) == 3
    assert sum(len(ids) for ids in geography.regions.values()) > 300
