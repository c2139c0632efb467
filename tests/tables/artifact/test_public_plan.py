"""A plan and its regions come back from a release as they were; another text for the same plan is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import IntegrityError, PlanError
from starling.tables.artifact.public_plan import PLAN, REGIONS, read_plan, write_plan
from starling.tables.plan import Geography, GeographyLevel, Plan
from tests.tables.small import small_geography, small_plan, with_records


def written(folder: Path, plan: Plan, geography: Geography) -> Path:
    folder.mkdir()
    write_plan(folder, plan, geography)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    plan = small_plan("rho", allow_negative=False)
    return written(tmp_path / "release", plan, small_geography(plan))


def test_everything_that_post_processing_needs_comes_back(tmp_path: Path) -> None:
    for name, plan in (("a", small_plan("rho")), ("b", small_plan())):
        geography = small_geography(plan)
        second, regions = read_plan(written(tmp_path / name, plan, geography))
        assert second == plan
        assert second.guarantee == plan.guarantee
        assert (dict(regions.regions), dict(regions.names)) == (geography.regions, geography.names)


def test_the_demo_plan_comes_back(tmp_path: Path) -> None:
    plan = Plan.load("demo")
    regions = {level.geography: ("01", "02") for level in plan.levels}
    names = dict.fromkeys(regions, ('a "name" | é', "b"))
    geography = replace(small_geography(small_plan()), regions=regions, names=names)
    second, places = read_plan(written(tmp_path / "out", plan, geography))
    assert second == plan
    assert places.names == names


def edit(path: Path, change: Callable[[Any], object]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "format": lambda plan: plan.update(format="x"),
    "more": lambda plan: plan.update(more=1),
    "measure": lambda plan: plan.update(measure="delta"),
    "float": lambda plan: plan.update(gamma=0.1),
    "not reduced": lambda plan: plan.update(gamma="2/20"),
    "states": lambda plan: plan.update(states=["01", "01"]),
    "flag": lambda plan: plan.update(puerto_rico=0),
    "level": lambda plan: plan["levels"][0].update(geography="MOON"),
    "iterations of a level": lambda plan: plan["levels"][0]["iterations"].reverse(),
    "unknown iteration": lambda plan: plan["levels"][0].update(iterations=["9999"]),
    "no iterations": lambda plan: plan["levels"][0].update(iterations=[]),
    "thresholds": lambda plan: plan["levels"][0].update(thresholds=[1, 2]),
    "order of definitions": lambda plan: plan["definitions"]["iterations"].reverse(),
    "kind": lambda plan: plan["definitions"]["iterations"][0].update(kind="x"),
    "huge": lambda plan: plan.update(max_race_codes=10**30),
    "levels": lambda plan: plan.update(levels={}),
    "a promise of nothing": lambda plan: target(plan, number="median"),
    "a promise that noise breaks": lambda plan: target(plan, within=1, confidence="999999999/1000000000"),
    "a share of nobody": lambda plan: target(plan, within="1/100"),
    "a certain promise": lambda plan: target(plan, confidence="1"),
    "a promise of odd ages": lambda plan: target(plan, ages=5),
}


def target(plan: dict[str, Any], **stated: object) -> None:
    """One that holds, but for what is said of it."""
    holds = {"number": "cell", "within": 10**6, "ages": None, "persons": None, "confidence": "19/20"}
    plan["levels"][0]["targets"] = [{**holds, **stated}]


def test_a_promise_is_read(folder: Path) -> None:
    edit(folder / PLAN, target)
    plan, _ = read_plan(folder)
    assert [str(each) for each in plan.levels[0].targets] == ["cell within 1,000,000"]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_another_text_is_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(folder / PLAN, change)
    with pytest.raises((IntegrityError, PlanError)):
        read_plan(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda regions: regions.pop("STATE"),
        lambda regions: regions.update(MOON={}),
        lambda regions: regions.update(TRACT={}),
        lambda regions: regions["STATE"].update({"00": "first in order, last in the file"}),
        lambda regions: regions["STATE"].update({"01": 7}),
        lambda regions: regions.update(STATE=["01"]),
    ],
)
def test_other_regions_are_refused(folder: Path, change: Callable[[Any], object]) -> None:
    edit(folder / REGIONS, change)
    with pytest.raises(IntegrityError, match="regions"):
        read_plan(folder)


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100_000])
def test_another_file_is_refused(folder: Path, text: str) -> None:
    for name in (PLAN, REGIONS):
        before = (folder / name).read_bytes()
        (folder / name).write_text(text)
        with pytest.raises(IntegrityError, match="is not as Starling writes it"):
            read_plan(folder)
        (folder / name).write_bytes(before)


@pytest.mark.examples(20)
@given(place=st.integers(0, 10**6), mask=st.integers(1, 127))
def test_one_byte_changes_the_plan_or_is_refused(
    place: int, mask: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plan = small_plan()
    folder = written(tmp_path_factory.mktemp("plan") / "x", plan, small_geography(plan))
    data = bytearray((folder / PLAN).read_bytes())
    data[place % len(data)] ^= mask
    (folder / PLAN).write_bytes(data)
    try:
        second, _ = read_plan(folder)
    except (IntegrityError, PlanError):
        return
    assert second != plan


def test_levels_of_puerto_rico_come_back(tmp_path: Path) -> None:
    plan = small_plan()
    level = replace(plan.levels[0], geography=GeographyLevel.PR_STATE)
    both = with_records(replace(plan, levels=(*plan.levels, level)), puerto_rico=True)
    regions = {each.geography: ("72",) for each in both.levels}
    geography = replace(small_geography(plan), regions=regions, names=regions)
    assert read_plan(written(tmp_path / "pr", both, geography))[0] == both
