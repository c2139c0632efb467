"""A plan at a glance."""

from fractions import Fraction
from pathlib import Path

from starling.privacy.budget import Rho
from starling.tables.plan import Plan, describe, read_geography
from tests.tables.plan.invented import GRF, census_folder, config


def test_an_overview_says_what_the_plan_says(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path))
    result = describe(plan)
    assert (result.plan.title, result.relation) == (plan.title, "add or remove one person")
    assert result.plan.parts["United States"].cost == Rho(Fraction(3))
    assert result.plan.parts["Puerto Rico"].cost == Rho(Fraction(2))
    assert result.groups is None
    for shown, level in zip(result.levels, plan.levels, strict=True):
        assert shown.level == level
        assert shown.cost == Rho(level.budget)
        assert shown.share * level.stability == shown.cost
        assert shown.stage_noise == plan.stage_noise(level)
        assert (shown.regions, shown.groups) == (None, None)
    state = next(shown for shown in result.levels if shown.level.name == "(STATE, 2)")
    assert (state.iterations, state.total_only) == (5, 2)


def test_with_a_geography_it_counts_groups(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path, config(run_pr=False)))
    (tmp_path / "GRF-C.txt").write_text(GRF)
    geography = read_geography(tmp_path / "GRF-C.txt", plan)
    result = describe(plan, geography)
    assert [*result.plan.parts] == ["United States"]
    assert [(shown.regions, shown.groups) for shown in result.levels[:4]] == [(1, 3), (1, 5), (2, 6), (2, 10)]
    assert result.groups == sum(
        len(geography.regions[level.geography]) * len(level.iterations) for level in plan.levels
    )
