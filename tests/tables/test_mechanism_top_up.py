"""More budget for an earlier release: sensitivity by brute force, cost, and the same result in any pieces."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.events import MONOTONE, noise_event
from starling.privacy.guarantee import BoundedOverlap
from starling.tables.inference.combined import combined
from starling.tables.measurements import Int64, Measured, Measurements, offsets
from starling.tables.mechanism import Remeasurement, SafeTab
from starling.tables.plan import Plan, TopUp, Variants
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.postprocess import tabulate
from tests.tables.small import joined, level_of, small_geography, small_plan, whole_levels, written

BRANCHES = range(len(SEX_BY_AGE.sizes))


def topping(plan: Plan, budget: Fraction = Fraction(1)) -> Plan:
    """The plan on top of itself, with another budget."""
    budgets = tuple(level.budget for level in plan.levels)
    top_up = TopUp("00", "earlier", "", plan.cost.amount, budgets, ("00",) * len(plan.levels), plan.variants.top_up)
    return replace(
        plan, levels=tuple(replace(level, budget=budget) for level in plan.levels), variants=Variants(top_up=top_up)
    )


def in_branches(*branches: int) -> Measured:
    branch = np.array(branches, dtype=np.int8)
    return Measured(
        np.zeros(len(branch), dtype=np.int64), branch, np.zeros(offsets(branch, SEX_BY_AGE)[-1], dtype=np.int64)
    )


def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No noise, so that what is asked of the counts is seen."""
    monkeypatch.setattr("starling.tables.mechanism.draw", lambda _, count: np.zeros(count, dtype=np.int64))


@pytest.mark.series(2)
@pytest.mark.parametrize("branch", BRANCHES)
def test_a_person_changes_one_value_of_each_group_that_holds_them_by_one(
    branch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = topping(small_plan())
    geography = small_geography(plan)
    earlier = whole_levels(plan, geography, [in_branches(branch, 1, TOTAL_ONLY), in_branches(3, branch, branch, 0)])
    silent(monkeypatch)

    def record_request(exact: object) -> list[Int64]:
        drawn = Remeasurement(plan, earlier).draw(exact)  # type: ignore[arg-type]
        result = [level_of(drawn, number) for number in range(len(plan.levels))]
        return [part for each in result for part in np.split(each.values, each.offsets(SEX_BY_AGE)[1:-1])]

    exact = written(plan, geography, 7)
    before = record_request(exact)
    for cell, (level, group) in product(
        range(SEX_BY_AGE.finest), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (1, 3)]
    ):
        after = record_request(exact.plus_one([(level, group, cell)]))
        # The numbers asked for are the same, whoever is there.
        assert [len(each) for each in after] == [len(each) for each in before]
        changes = [int(np.abs(one - other).sum()) for one, other in zip(before, after, strict=True)]
        place = group + 3 * level
        assert changes == [int(index == place) for index in range(7)]


def test_it_costs_its_own_budgets_and_draws_with_all_of_them() -> None:
    plan = topping(small_plan(), Fraction(3, 2))
    guarantee = Remeasurement(plan, ()).guarantee
    assert guarantee.cost.amount == 3
    for level, part in zip(plan.levels, guarantee.parts, strict=True):
        (leaf,) = part.parts
        assert part.event == BoundedOverlap((leaf,), level.stability)
        noise = DiscreteLaplace(level.stability / Fraction(3, 2))
        assert leaf.event == noise_event(noise, 1, MONOTONE)
        assert plan.stage_noise(level).stage2 == plan.stage_noise(level).total_only == noise
    # The first totals stay those of the earlier release.
    alone = small_plan()
    for level, before in zip(plan.levels, alone.levels, strict=True):
        assert plan.stage_noise(level).stage1 == alone.stage_noise(before).stage1


def test_tiny_pieces_give_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    earlier_plan = small_plan()
    plan = topping(earlier_plan)
    geography = small_geography(plan)
    exact = written(plan, geography, 12)
    drawn = tuple(SafeTab(earlier_plan, geography, most_groups=1).draw(exact))
    one_piece = whole_levels(plan, geography, [level_of(drawn, number) for number in range(2)])
    silent(monkeypatch)

    def tables(earlier: Measurements) -> object:
        later = Remeasurement(plan, earlier).draw(exact)
        both = tuple(
            (piece, combined(plan, plan.levels[piece.level], before, after))
            for (piece, before), (_, after) in zip(earlier, later, strict=True)
        )
        return joined(tabulate(plan, geography, both))

    assert len(drawn) == 3
    assert tables(drawn) == tables(one_piece)
