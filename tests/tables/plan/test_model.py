"""The plan as a value: order, laws, guarantee, and what it refuses to be."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from starling.errors import PlanError
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import MONOTONE, noise_event
from starling.privacy.guarantee import BoundedOverlap, Guarantee
from starling.tables.plan import GeographyLevel, Plan, describe, read_geography
from tests.tables.plan.invented import COST, GRF, census_folder, config


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan.load(census_folder(tmp_path / "plan"))


def leaves(guarantee: Guarantee) -> list[Guarantee]:
    return [guarantee] if not guarantee.parts else [leaf for part in guarantee.parts for leaf in leaves(part)]


@pytest.mark.parametrize(
    ("folder", "cost", "puerto_rico", "stabilities"),
    [
        ("NMFv7-2020", Rho(Fraction("4.944")), Rho(Fraction("2.643")), {9}),
        # A small code book: fewer groups below the state than eight codes could reach.
        ("toy_dataset/input_dir_zcdp", Rho(Fraction("6.27")), None, {4, 6, 7, 9}),
        ("toy_dataset/input_dir_puredp", Epsilon(Fraction("22.14")), None, {4, 6, 7, 9}),
    ],
)
def test_costs_of_the_census_plans(
    shared_data: Path, folder: str, cost: Rho, puerto_rico: Rho | None, stabilities: set[int]
) -> None:
    plan = Plan.load(shared_data / "tables" / folder)
    assert plan.cost == cost
    assert getattr(plan.parts.get("Puerto Rico"), "cost", None) == puerto_rico
    assert {level.stability for level in plan.levels} == stabilities


def test_cost_is_the_larger_part_and_each_part_the_sum_of_its_levels(plan: Plan) -> None:
    assert plan.cost == Rho(COST)
    assert (plan.guarantee.name, plan.guarantee.event) == (plan.title, BoundedOverlap(plan.guarantee.parts, 1))
    assert [part.name for part in plan.guarantee.parts] == ["United States", "Puerto Rico"]
    assert [str(part.cost) for part in plan.guarantee.parts] == ["rho 3", "rho 2"]
    for part, puerto_rico in zip(plan.guarantee.parts, (False, True), strict=True):
        levels = [level for level in plan.levels if GeographyLevel(level.geography).puerto_rico is puerto_rico]
        assert part.cost == Rho(sum((level.budget for level in levels), Fraction(0)))
        assert [each.event for each in part.parts] == [
            BoundedOverlap(each.parts, level.stability) for each, level in zip(part.parts, levels, strict=True)
        ]


def test_puerto_rico_alone_is_not_charged_for_the_states(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path, config(run_us=False, state_filter_us=[])))
    assert plan.cost == Rho(Fraction(2))
    assert [*plan.parts] == ["Puerto Rico"]
    assert plan.guarantee == replace(plan.parts["Puerto Rico"], name=plan.title)


def test_total_only_groups_have_a_part_of_their_own_where_there_are_any(plan: Plan) -> None:
    levels = {level.name: part for level, part in zip(plan.levels, plan.guarantee.parts[0].parts, strict=False)}
    assert len(levels["(STATE, 2)"].parts) == 2
    assert len(levels["(STATE, 1)"].parts) == len(levels["(COUNTY, 2)"].parts) == 1


@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
def test_laws_share_the_budget_of_a_level(tmp_path: Path, definition: str) -> None:
    plan = Plan.load(census_folder(tmp_path, config(privacy_defn=definition)))
    for level in plan.levels:
        stage_noise = plan.stage_noise(level)
        share = level.budget / level.stability
        assert noise_event(stage_noise.total_only).cost.amount == share
        assert noise_event(stage_noise.stage1).cost.amount == share / 10
        assert noise_event(stage_noise.stage1).cost.amount + noise_event(stage_noise.stage2).cost.amount == share
        kind = DiscreteLaplace if definition == "puredp" else DiscreteGaussian
        assert all(
            isinstance(distribution, kind)
            for distribution in (stage_noise.total_only, stage_noise.stage1, stage_noise.stage2)
        )


def test_guarantee_names_every_law_that_is_drawn(plan: Plan) -> None:
    stage_noise = {
        distribution
        for level in plan.levels
        for distribution in (plan.stage_noise(level).stage1, plan.stage_noise(level).stage2)
    }
    stage_noise |= {plan.stage_noise(level).total_only for level in plan.levels if level.total_only.any()}
    assert {leaf.event for leaf in leaves(plan.guarantee)} == {noise_event(each, 1, MONOTONE) for each in stage_noise}


def test_levels_and_iterations_stand_in_plan_order(plan: Plan) -> None:
    names = [level.name for level in plan.levels]
    places = ("USA", "STATE", "COUNTY", "TRACT", "PLACE", "AIANNH", "PR-STATE", "PR-COUNTY", "PR-TRACT", "PR-PLACE")
    assert names == [f"({place}, {number})" for place in places for number in (1, 2)]
    for level in plan.levels:
        assert all(first.code < second.code for first, second in pairwise(level.iterations))
    assert list(plan.codes) == sorted(plan.codes)


def test_granularity_decides_what_is_tabulated(plan: Plan) -> None:
    codes = {level.name: [each.code for each in level.iterations] for level in plan.levels}
    assert codes["(STATE, 2)"] == ["2001", "2002", "2003", "2004", "3002"]
    assert codes["(AIANNH, 2)"] == codes["(PR-TRACT, 2)"] == ["2001", "2002", "2005", "2006", "3002"]
    state = next(level for level in plan.levels if level.name == "(STATE, 2)")
    assert state.total_only.tolist() == [False, False, True, True, False]


def test_a_stability_below_the_computed_is_refused(plan: Plan) -> None:
    first = plan.levels[0]
    forged = replace(first, stability=first.stability - 1)
    with pytest.raises(PlanError, match=r"\(USA, 1\) states a stability below"):
        replace(plan, levels=(forged, *plan.levels[1:]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gamma": Fraction(0)}, "above 0 and below 1"),
        ({"gamma": Fraction(1)}, "above 0 and below 1"),
        ({"suppression": Fraction(1)}, "0 or more and below 1"),
        ({"levels": ()}, "are none"),
        ({"gamma": Fraction(1, 10**13)}, "too small to draw its noise"),
    ],
)
def test_a_plan_without_a_guarantee_is_refused(plan: Plan, change: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        replace(plan, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"budget": Fraction(0)}, "has a budget"),
        ({"budget": Fraction(10**13)}, "has a budget"),
        ({"budget": Fraction(1, 10**20)}, "too small"),
        ({"thresholds": (5, 5, 6)}, "thresholds"),
        ({"iteration_level": 3}, "no such level"),
    ],
)
def test_a_level_that_cannot_be_is_refused(plan: Plan, change: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        replace(plan, levels=(replace(plan.levels[0], **change), *plan.levels[1:]))
    with pytest.raises(PlanError, match="plan order"):
        replace(plan, levels=plan.levels[::-1])


def test_the_plan_loads_itself_and_counts_its_cells(tmp_path: Path) -> None:
    folder = census_folder(tmp_path)
    plan = Plan.load(folder)
    assert plan == Plan.load(folder)
    blocks = tmp_path / "GRF-C.txt"
    blocks.write_text(GRF)
    geography = read_geography(blocks, plan)
    assert plan.cells(geography) == describe(plan, geography).groups
