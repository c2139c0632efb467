"""The best split for stated errors: the grid and the search, common chance, and what it says it was compared with."""

from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.groups.plan import Plan, PublicShares, SplitBudget
from starling.groups.preview import assumed_shares, invented_leaves, mean_errors, trial_errors, trials_of
from starling.groups.preview.best_split import (
    STEPS,
    _around,
    _balanced,
    _descended,
    _over_levels,
    _short,
    _Simulation,
    best_split,
)
from tests.groups.worlds import world

SHARES = 'shares = [{ size = 1, share = "0.4" }, { size = 2, share = "0.4" }, { size = 4, share = "0.2" }]'


def large(folder: Path, **changed: object) -> Plan:
    return world(folder, groups=5000, **changed)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_best_split_serves_the_level_that_is_asked_for(tmp_path: Path) -> None:
    plan = replace(large(tmp_path), method="c_joint")
    for name, level in (("land", 0), ("county", 2)):
        search = best_split(plan, {name: 10})
        (amounts,) = search.best.plan.budget.amounts
        assert sum(amounts) == 1
        assert amounts[level] == max(amounts) >= Fraction(1, 2)
        assert search.tried.keys() == {"levels"}


@pytest.fixture
def few_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that simulates each split with as few releases as it ever does: what is best is searched elsewhere."""
    monkeypatch.setattr(import_module("starling.groups.preview.best_split"), "SEARCHED", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("few_releases")
def test_the_result_is_compared_on_the_same_releases(tmp_path: Path) -> None:
    plan = large(tmp_path, more='split = ["1/2", "1/4", "1/4"]')
    search = best_split(plan, {"land": 5, "county": 20}, seed=3)
    assert best_split(plan, {"land": 5, "county": 20}, seed=3).rows() == search.rows()
    own, equal = (
        next(each for each in search.splits if each.plan.budget == budget)
        for budget in (plan.budget, SplitBudget.equal(1, 3))
    )
    assert own.name.startswith("the plan's own, split 0.5")
    leaves = invented_leaves(plan, assumed_shares(4)[0], 3)
    assert own.errors == mean_errors(trial_errors(plan, leaves, search.releases, 3))
    for split in search.splits:
        assert split.missed == pytest.approx(max(split.errors[0].l1 / 5, split.errors[2].l1 / 20))
        assert split.behind == pytest.approx(split.missed - search.best.missed)
        assert split.behind >= 0
    # The noise is the same but for its scale: a difference is known better than either of both.
    assert equal.doubt < 1.4 * max(each.doubt or 0 for each in equal.errors)
    assert search.tried["levels"] > 10
    assert f"{search.tried['levels']} splits over levels" in search.against()
    assert str(search.best.name) in search.section().text


@pytest.mark.slow
@pytest.mark.usefixtures("few_releases")
def test_sizes_are_searched_where_shares_are_public(tmp_path: Path) -> None:
    plan = large(tmp_path, more=SHARES)
    search = best_split(plan, {"land": 10, "county": 20})
    assert search.tried.keys() == {"levels", "sizes"}
    by_size = next(each for each in search.splits if each.plan.shares is not None and each.plan.budget != plan.budget)
    assert by_size.plan.shares is not None
    assert by_size.plan.budget == plan.derived(by_size.plan.shares)
    assert by_size.name.startswith("by size, importance ")
    # Shares that are given serve a plan that has none; a method on histograms has no budget by size.
    assert best_split(large(tmp_path), {"county": 20}, plan.shares).tried.keys() == {"levels", "sizes"}
    assert best_split(replace(large(tmp_path), method="h"), {"county": 20}, plan.shares).tried.keys() == {"levels"}


@pytest.mark.parametrize("targets", [{}, {"nation": 1.0}, {"land": 0.0}, {"land": float("nan")}])
def test_targets_of_no_level_are_refused(targets: dict[str, float], tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="is not an error of a level"):
        best_split(large(tmp_path), targets)


@pytest.mark.series(1)
@pytest.mark.parametrize("aim", [(0.1, 0.3, 0.6), (0.7, 0.2, 0.1), (0.02, 0.49, 0.49)])
def test_the_search_finds_the_best_of_its_finest_grid(aim: tuple[float, ...], tmp_path: Path) -> None:
    """Errors that are as 1/amount: the largest over its target is least in proportion to one over the targets."""
    plan = large(tmp_path)

    def missed(candidate: Plan) -> float:
        return max(part / float(amount) for part, amount in zip(aim, candidate.budget.amounts[0], strict=True))

    result = _over_levels(plan, _descended((0, 3, 0), lambda point: _over_levels(plan, point), missed))
    finest = [missed(_over_levels(plan, point)) for point in product(range(25), repeat=3) if min(point) == 0]
    assert missed(result) <= min(finest) * 1.02


def test_grids_are_nested_and_neighbours_are_a_step_away() -> None:
    assert all(wide % narrow == 0 for wide, narrow in pairwise(STEPS))
    around = set(_around((0, 8, 3), 2))
    assert around == {(0, 6, 1), (0, 10, 5), (0, 10, 3), (0, 6, 3), (0, 8, 5), (0, 8, 1)}


def test_a_small_plan_is_simulated_often(tmp_path: Path) -> None:
    plan = large(tmp_path)
    assert trials_of(plan) == 40
    assert np.shape(trial_errors(plan, invented_leaves(plan, assumed_shares(4)[0], 1), 2, 1)) == (2, 3, 3)


@pytest.mark.slow
@pytest.mark.usefixtures("few_releases")
def test_sizes_that_nobody_has_are_left_out_of_the_search_alone(tmp_path: Path) -> None:
    plan = world(tmp_path, groups=5000, largest=500)
    shares = np.zeros(501)
    shares[[1, 3, 40]] = 0.6, 0.3999, 0.0001
    assert _short(plan, shares).largest == 6
    shares[40] = 0.01
    assert _short(plan, shares).largest == 80
    assert _short(plan, np.full(501, 1 / 501)).largest == 500
    # What is searched has the same invented sizes: a plan of N = 500 would be given other ones at N = 6.
    search = best_split(plan, {"county": 20}, PublicShares((1, 3), (Fraction(1, 2), Fraction(1, 2))))
    assert {each.plan.largest for each in search.splits} == {500}


def test_a_search_begins_where_levels_would_miss_alike(tmp_path: Path) -> None:
    plan = large(tmp_path)
    simulation = _Simulation(plan, {"land": 7.0, "county": 14.0}, assumed_shares(4)[0], 1, 5)
    ratios = simulation.ratios(simulation.errors(plan)).mean(axis=0)
    assert ratios[1] == 0
    land, state, county = _balanced((0, 0, 0), plan, simulation)
    assert land - county == pytest.approx(4 * np.log2(ratios[0] / ratios[2]), abs=1)
    assert state == 0
    assert _balanced((0, 3, 1), None, simulation) == (0, 3, 1)
