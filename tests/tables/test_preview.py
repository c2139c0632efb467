from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.budget import Measure
from starling.privacy.distributions.accuracy import tail
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.tables.inference.combined import at_least
from starling.tables.inference.totals import CONFIDENCE, suppression_quantile
from starling.tables.measurements import Int64
from starling.tables.plan import GeographyLevel, Plan
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.preview import preview
from tests.tables.small import small_geography, small_plan


def probabilities(distribution: Distribution, reach: int = 400) -> dict[int, float]:
    """The slow twin: the law's probabilities by its definition, normalised over -reach .. reach."""
    if isinstance(distribution, DiscreteLaplace):
        weight = {x: exp(-abs(x) / float(distribution.scale)) for x in range(-reach, reach + 1)}
    else:
        weight = {x: exp(-x * x / (2 * float(distribution.sigma_squared))) for x in range(-reach, reach + 1)}
    whole = sum(weight.values())
    return {x: value / whole for x, value in weight.items()}


@pytest.mark.parametrize("distribution", [DiscreteLaplace(Fraction(3)), DiscreteGaussian(Fraction(7))])
@pytest.mark.parametrize("value", [-30, -3, -1, 0, 1, 2, 9, 30])
def test_at_least_is_the_sum_of_probabilities(distribution: Distribution, value: int) -> None:
    assert at_least(distribution, value) == pytest.approx(
        sum(p for x, p in probabilities(distribution).items() if x >= value)
    )


@pytest.mark.series(2)
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("suppression", ["0.05", "0.5", "0.99"])
def test_chances_by_size_are_those_of_both_stages_played_through(measure: Measure, suppression: str) -> None:
    """Every pair of draws of stage 1 and stage 2, weighted: which branch, and whether the group is published."""
    plan = small_plan(measure, thresholds=(5, 9, 14), suppression=Fraction(suppression), budget=Fraction(9))
    shown = preview(plan, sizes=(0, 4, 10)).levels[1]
    stage_noise = shown.overview.stage_noise
    first, second = probabilities(stage_noise.stage1, 200), probabilities(stage_noise.stage2, 60)
    bar = suppression_quantile(plan, plan.levels[1])
    assert shown.bar == bar
    assert bar is not None
    for size in shown.sizes:
        branches, suppressed, covered = [0.0] * 4, 0.0, 0.0
        narrow = shown.branches[0].total.margin
        for (x, p), (y, q) in product(first.items(), second.items()):
            branch = sum(size.persons + x >= threshold for threshold in (5, 9, 14))
            branches[branch] += p * q
            if branch == 0 and size.persons + y <= bar:
                suppressed += p * q
            elif branch == 0 and abs(y) <= narrow:
                covered += p * q
        assert size.branches == pytest.approx(branches, abs=1e-6)
        assert size.suppressed == pytest.approx(suppressed, abs=1e-6)
        # Rows with cells are not suppressed, and keep the margin's promise whatever stage 1 drew.
        for chance, taken in zip(branches[1:], shown.branches[1:], strict=True):
            covered += chance * (1 - tail(stage_noise.stage2, taken.total.margin, taken.cells))
        assert size.covered == pytest.approx(covered / (1 - suppressed), abs=1e-6)
    assert shown.empty_suppressed == shown.sizes[0].suppressed


def test_intervals_of_small_published_groups_miss_and_of_others_hold() -> None:
    """An empty group is published only when its noise is beyond the bar, where few intervals reach back to 0."""
    plan = small_plan("rho", budget=Fraction(1, 10), thresholds=(300, 400, 500), suppression=Fraction("0.99"))
    state, county = preview(plan, sizes=(0, 100, 1000)).levels
    assert county.sizes[0].covered < 0.05
    assert all(size.covered >= 0.95 for size in (*county.sizes[1:], *state.sizes))


def test_nothing_is_suppressed_at_the_state_or_without_a_chance() -> None:
    plan = small_plan(suppression=Fraction("0.9"))
    state, county = preview(plan).levels
    assert (state.bar, state.empty_suppressed) == (None, 0.0)
    assert county.bar is not None
    assert all(level.bar is None for level in preview(small_plan()).levels)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_margins_cover_sums_of_simulated_noise(measure: Measure) -> None:
    """Sums of 40,000 draws of NumPy's own geometric or rounded normal noise: the share outside each margin is at most 5 %
    and more outside the margin less one. A false alarm is five standard deviations, below one in a million for each of 14 shares."""
    plan = small_plan(measure, budget=Fraction(1, 10), geographies=(GeographyLevel.COUNTY,))
    (level,) = preview(plan).levels
    rng = np.random.default_rng(1)
    distribution = level.overview.stage_noise.stage2

    def noise(terms: int) -> Int64:
        if isinstance(distribution, DiscreteLaplace):
            chance = 1 - exp(-1 / float(distribution.scale))
            drawn = rng.geometric(chance, (40_000, terms)) - rng.geometric(chance, (40_000, terms))
        else:
            # Rounding a normal draw of the same sigma adds a variance of 1/12, little beside that of the law.
            assert distribution.sigma_squared > 10
            drawn = np.rint(rng.normal(0, sqrt(float(distribution.sigma_squared)), (40_000, terms))).astype(np.int64)
        total: Int64 = drawn.sum(axis=1)
        return total

    for branch in level.branches:
        spreads = [(branch.total, branch.cells), (branch.sex, branch.cells // 2), (branch.cell, 1)]
        for error, terms in spreads:
            if error is None:
                continue
            drawn = np.abs(noise(terms))
            alarm = 5 * sqrt(0.05 * 0.95 / 40_000)
            assert (drawn > error.margin).mean() <= 0.05 + alarm
            assert (drawn > error.margin - 1).mean() > 0.05 - alarm
            assert error.width == 2 * error.margin
            assert sqrt((drawn**2).mean()) == pytest.approx(error.standard_deviation, rel=0.05)


def test_branches_hold_the_tables_cells_and_rows() -> None:
    branches = preview(small_plan()).levels[1].branches
    assert [branch.cells for branch in branches] == list(SEX_BY_AGE.sizes)
    assert branches[0].sex is None
    assert branches[0].cell is None
    assert branches[3].total.standard_deviation == pytest.approx(sqrt(46) * branches[0].total.standard_deviation)


def test_total_only_groups_are_apart() -> None:
    plan = small_plan()
    state, county = preview(plan, small_geography(plan)).levels
    assert (state.overview.total_only, county.overview.total_only) == (1, 0)
    assert state.total is not None
    assert county.total is None
    # One draw with all of the budget errs less than the stage-2 total with nine tenths of it.
    assert state.total.standard_deviation < state.branches[0].total.standard_deviation


def test_a_level_of_bare_totals_has_no_branches() -> None:
    plan = small_plan(geographies=(GeographyLevel.STATE,))
    bare = tuple(replace(iteration, total_only=True) for iteration in plan.levels[0].iterations)
    plan = replace(plan, levels=(replace(plan.levels[0], iterations=bare),))
    (level,) = preview(plan, small_geography(plan)).levels
    assert (level.stage1, level.branches, level.sizes, level.bar) == (None, (), (), None)
    assert level.total is not None
    assert level.empty_suppressed == 0


def test_numbers_of_groups_need_a_geography() -> None:
    plan = small_plan()
    shown = preview(plan)
    assert shown.overview.groups is None
    shown = preview(plan, small_geography(plan, counties=5))
    assert shown.overview.groups == 3 + 5 * 2
    # The state: two groups in stages and one bare total. Counties: all in stages.


def test_cost_is_the_plans() -> None:
    plan = small_plan("rho")
    assert preview(plan).overview.plan.cost == plan.guarantee.cost
    assert preview(plan).confidence == CONFIDENCE == Fraction("0.95")


def test_sizes_are_sorted_and_hold_the_empty_group() -> None:
    level = preview(small_plan(), sizes=(50, 7, 7)).levels[0]
    assert [size.persons for size in level.sizes] == [0, 7, 50]
    assert level.sizes[0].relative_margin is None
    assert level.sizes[2].relative_margin == level.sizes[2].total.margin / 50
    with pytest.raises(ParameterError, match="below 0"):
        preview(small_plan(), sizes=(-1,))


@pytest.mark.slow
def test_production_margins_are_those_it_was_planned_for(shared_data: Path) -> None:
    """SafeTab 2022, Table 1: 3, 11 and 50 persons for cells of detailed nation and state, detailed county and below, regional."""
    plan: Plan = Plan.load(shared_data / "tables" / "NMFv7-2020")
    margin = {
        level.overview.level.name: level.branches[3].cell.margin
        for level in preview(plan).levels
        if level.branches[3].cell is not None
    }
    assert margin["(USA, 2)"] == margin["(STATE, 2)"] == 3
    assert margin["(COUNTY, 2)"] == margin["(AIANNH, 2)"] == 11
    assert margin["(USA, 1)"] == margin["(COUNTY, 1)"] == 49


@pytest.mark.series(1)
@pytest.mark.parametrize("measure", ["rho", "epsilon"])
def test_better_totals_are_previewed_as_they_will_be_published(measure: Measure) -> None:
    options: dict[str, Any] = {"budget": Fraction(1, 5), "thresholds": (60, 200, 400), "suppression": Fraction(9, 10)}
    plain, better, stated = (
        preview(
            small_plan(measure, **options, both_stages=both, given_published=published), sizes=(10, 50, 60, 90, 5000)
        )
        for both, published in ((False, False), (True, False), (True, True))
    )
    for before, after in zip(plain.levels, better.levels, strict=True):
        for old, new in zip(before.branches, after.branches, strict=True):
            assert new.total.standard_deviation < old.total.standard_deviation
            assert new.total.margin <= old.total.margin
            assert new.cell is None or (old.cell is not None and new.cell.margin == old.cell.margin)
    near = [size for level in better.levels for size in level.sizes]
    assert min(size.covered for size in near) < 0.93, "plain intervals miss more often beside what chose them"
    assert all(size.covered >= float(CONFIDENCE) - 1e-6 for level in stated.levels for size in level.sizes)
    # What is published does not change.
    for before, after in zip(plain.levels, stated.levels, strict=True):
        for one, other in zip(before.sizes, after.sizes, strict=True):
            assert (one.branches, one.suppressed) == (other.branches, other.suppressed)


def test_a_session_shows_a_preview_in_two_lines_for_each_level() -> None:
    # It was 100,000 letters long: the plan's iterations stood in each of its levels.
    plan = Plan.load("demo")
    seen = preview(plan)
    lines = str(seen).splitlines()
    assert len(lines) == 11 + 2 * len(plan.levels)
    assert max(map(len, lines)) < 160
    assert lines[1].split() == ["cost", "rho", "0.65137"]
    number = next(line.split("  ") for line in lines if line.startswith("USA detailed"))
    assert [part.strip() for part in number if part] == ["USA detailed", *["± 10"] * 3, "± 30", "± 45", "± 71"]
    assert "<strong>Plan: Demo" in seen._repr_html_()
    assert {"confidence", "levels", "overview", "write"} <= set(dir(seen))
    assert not [name for name in dir(seen) if name.startswith("_")]
    assert len(repr(seen.overview)) < 10_000
    assert all("Iteration(" not in repr(level) for level in seen.levels)
