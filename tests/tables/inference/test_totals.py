"""What a plan says of the error of a total."""

from fractions import Fraction

import pytest

from starling.privacy.distributions.accuracy import margin, quantile, standard_deviation
from starling.tables.inference.totals import (
    deviation_of,
    half_width,
    stage1_share,
    suppression_quantile,
    total_distribution,
)
from starling.tables.plan import GeographyLevel
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from tests.tables.small import small_plan


def test_the_law_of_the_plan_is_what_is_stated() -> None:
    plan = small_plan("rho", both_stages=True)
    level = plan.levels[0]
    for branch in range(len(SEX_BY_AGE.sizes)):
        assert half_width(plan, level, branch) < 2.2 * deviation_of(plan, level, branch) + 1
    plain = small_plan("rho")
    assert half_width(plain, level, -1) == half_width(plan, level, -1)
    assert half_width(plan, level, 3) * 2 < half_width(plain, level, 3)


def test_without_reuse_it_is_the_second_measurement() -> None:
    plan = small_plan("epsilon")
    level = plan.levels[0]
    stage_noise = plan.stage_noise(level)
    assert half_width(plan, level, TOTAL_ONLY) == margin(stage_noise.total_only, "0.05")
    assert deviation_of(plan, level, TOTAL_ONLY) == standard_deviation(stage_noise.total_only)
    for branch, size in enumerate(SEX_BY_AGE.sizes):
        assert stage1_share(plan, level, branch) == 0
        assert (
            half_width(plan, level, branch)
            == margin(stage_noise.stage2, "0.05", size)
            == total_distribution(plan, level, branch).margin(Fraction(1, 20))
        )
        assert deviation_of(plan, level, branch) == pytest.approx(size**0.5 * standard_deviation(stage_noise.stage2))


def test_a_total_only_group_has_no_first_total() -> None:
    assert stage1_share(small_plan(both_stages=True), small_plan().levels[0], TOTAL_ONLY) == 0


def test_suppression_is_below_the_state_alone() -> None:
    plan = small_plan(suppression=Fraction(9, 10))
    state, county = plan.levels
    assert state.geography == GeographyLevel.STATE
    assert suppression_quantile(plan, state) is None
    assert suppression_quantile(plan, county) == quantile(plan.stage_noise(county).stage2, "0.9")
    assert suppression_quantile(small_plan(), county) is None
