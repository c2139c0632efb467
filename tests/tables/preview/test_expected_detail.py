"""Which detail groups will get: the mean over sizes of what preview says of each size."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starling.errors import PlanError
from starling.privacy.budget import Measure
from starling.tables.preview import preview
from starling.tables.preview.expected_detail import Sizes, assumed, expect_detail
from tests.tables.small import small_plan


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_fates_are_the_means_of_the_chances_of_the_sizes(measure: Measure) -> None:
    plan = small_plan(measure, suppression=Fraction("0.9"))
    stated: Sizes = ((0, 0.5), (6, 0.25), (13, 0.25))
    seen = preview(plan, sizes=[size for size, _ in stated])
    for expected, level in zip(expect_detail(plan, {"": stated}), seen.levels, strict=True):
        chances = {size.persons: size for size in level.sizes}
        suppressed = sum(part * chances[size].suppressed for size, part in stated)
        branches = [sum(part * chances[size].branches[b] for size, part in stated) for b in range(4)]
        assert expected.stated
        assert expected.suppressed == pytest.approx(suppressed)
        assert expected.branches == pytest.approx((branches[0] - suppressed, *branches[1:]))
        assert expected.suppressed + sum(expected.branches) == pytest.approx(1)


def test_levels_without_given_sizes_are_assumed() -> None:
    plan = small_plan()
    state, county = expect_detail(plan, {"STATE detailed": ((50, 1.0),)})
    assert (state.stated, county.stated) == (True, False)
    assert county.branches == pytest.approx(expect_detail(plan, {"": assumed(plan, plan.levels[1])})[1].branches)


def test_sizes_of_a_level_that_is_not_there_are_refused() -> None:
    with pytest.raises(PlanError, match=r"'COUNTY detaild' is not in the plan; did you mean COUNTY detailed\?"):
        expect_detail(small_plan(), {"COUNTY detaild": ((1, 1.0),)})


def test_levels_of_bare_totals_have_no_fate() -> None:
    plan = small_plan()
    bare = tuple(replace(iteration, total_only=True) for iteration in plan.levels[0].iterations)
    plan = replace(plan, levels=(replace(plan.levels[0], iterations=bare), plan.levels[1]))
    assert [expected.level.name for expected in expect_detail(plan)] == ["(COUNTY, 2)"]
