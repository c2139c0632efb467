"""The least budgets that keep promises: kept, least, monotone; which promise is dear; and back from a budget to margins."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError, PlanError
from starling.privacy.budget import Measure
from starling.privacy.distributions.accuracy import margin
from starling.tables.plan import AccuracyTarget, afford, prices, solve
from starling.tables.plan.accuracy_targets import DIGITS, GAMMAS, Setting, cheapest_gamma, last_digit, rounded_up
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import LARGEST_BUDGET
from tests.tables.plan.priced import promising_plan, targets
from tests.tables.small import small_plan

settings_of = st.builds(
    Setting,
    measure=st.sampled_from(["epsilon", "rho"]),
    gamma=st.sampled_from([Fraction(1, 10), Fraction(1, 3)]),
    degree=st.sampled_from([1, 9]),
    thresholds=st.just((5, 9, 14)),
)


def keeps(setting: Setting, budget: Fraction, stated: Sequence[AccuracyTarget]) -> bool:
    stage_noise = setting.stage_noise(budget)
    return all(target.is_met(stage_noise, SEX_BY_AGE, setting.thresholds) for target in stated)


@pytest.mark.examples(20)
@given(settings_of, st.lists(targets(), min_size=1, max_size=3))
@settings(max_examples=60)
def test_the_budget_keeps_every_promise_and_one_unit_less_breaks_one(
    setting: Setting, stated: list[AccuracyTarget]
) -> None:
    budget = setting.budget(stated)
    assert budget is not None
    assert rounded_up(budget, DIGITS) == budget, "a decimal of the stated digits"
    assert keeps(setting, budget, stated)
    assert not keeps(setting, budget - last_digit(budget), stated)


@pytest.mark.examples(10)
@given(settings_of, targets(), st.integers(1, 30))
@settings(max_examples=40)
def test_a_weaker_promise_never_needs_more(setting: Setting, target: AccuracyTarget, more: int) -> None:
    need = setting.need(target)
    assert need is not None
    assert isinstance(target.within, int)
    weaker = [replace(target, within=target.within + more), replace(target, confidence=target.confidence / 2)]
    for each in weaker:
        lower = setting.need(each)
        assert lower is not None
        assert lower <= need


@pytest.mark.examples(10)
@given(settings_of, targets(), st.integers(2, 9))
@settings(max_examples=40)
def test_one_person_in_more_groups_needs_a_budget_as_many_times(
    setting: Setting, target: AccuracyTarget, times: int
) -> None:
    one, more = (replace(setting, degree=number).need(target) for number in (1, times))
    assert one is not None
    assert more is not None
    assert float(more / one) == pytest.approx(times, rel=10 ** (2 - DIGITS))


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**9), st.integers(1, 12))
def test_rounded_up_is_a_short_decimal_just_above(number: Fraction, digits: int) -> None:
    rounded = rounded_up(number, digits)
    assert number <= rounded <= number * (1 + Fraction(10) ** (1 - digits))
    text = f"{float(rounded):.{digits - 1}e}"
    assert Fraction(text) == rounded


def test_near_a_threshold_the_chance_of_being_lifted_is_paid_for() -> None:
    """A group just below a threshold is lifted half of the time, into a sum of more draws; one far below never is."""
    setting = Setting("rho", Fraction(1, 10), 9, (500, 5000, 20000))
    near, far = (setting.need(AccuracyTarget("total", 60, persons=persons)) for persons in (4999, 3000))
    low, high = (setting.need(AccuracyTarget("total", 60, ages=ages)) for ages in (4, 9))
    assert far == low
    assert low is not None
    assert near is not None
    assert high is not None
    assert low < near < high
    assert setting.need(AccuracyTarget("total", 60, persons=5000)) == high


def test_what_no_budget_keeps_has_none() -> None:
    sure = 1 - Fraction(1, 10**12)
    setting = Setting("epsilon", Fraction(1, 10**12), 9, (5, 9, 14))
    assert setting.need(AccuracyTarget("deciding total", 1, confidence=sure)) is None
    assert setting.budget([AccuracyTarget("cell", 5), AccuracyTarget("deciding total", 1, confidence=sure)]) is None


def test_a_wide_margin_needs_no_less_than_what_can_be_drawn() -> None:
    """A plan of it is a plan: its noise stays within the range of a count."""
    plan = promising_plan("rho", [[AccuracyTarget("cell", 10**6)], [AccuracyTarget("cell", 10**6)]])
    assert plan.levels[0].targets[0].is_met(plan.stage_noise(plan.levels[0]), SEX_BY_AGE, (5, 10, 20))


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_the_dear_promise_is_the_binding_one_and_its_saving_is_what_solving_again_saves(measure: Measure) -> None:
    stated = [
        [AccuracyTarget("cell", 6), AccuracyTarget("bare total", 30), AccuracyTarget("total only", 10)],
        [AccuracyTarget("total", 40, ages=23)],
    ]
    plan = promising_plan(measure, stated)
    result = prices(plan)
    assert [price.target for price in result] == [*stated[0], *stated[1]]
    assert [price.binding for price in result] == [True, False, False, True]
    for price in result:
        at = [level.name for level in plan.levels].index(price.level.name)
        relaxed = [[price.relaxed if p == price.target else p for p in of] for of in stated]
        second = promising_plan(measure, relaxed)
        assert price.saving == 1 - second.cost.amount / plan.cost.amount
        assert (price.saving > 0) is price.binding
        assert price.gives <= price.target.margin
        assert (price.need == plan.levels[at].budget) is price.binding
        # A smaller margin than the one that is given is not kept.
        lower = replace(price.target, within=price.gives - 1) if price.gives > 1 else None
        assert lower is None or not lower.is_met(plan.stage_noise(price.level), SEX_BY_AGE, price.level.thresholds)


def test_relaxing_saves_only_until_the_next_promise_binds() -> None:
    both = promising_plan("rho", [[AccuracyTarget("cell", 10), AccuracyTarget("bare total", 10)], []])
    assert [price.saving for price in prices(both)] == [0, 0]
    assert all(price.binding for price in prices(both))


def test_a_margin_of_one_person_is_relaxed_to_two() -> None:
    (price,) = prices(promising_plan("epsilon", [[AccuracyTarget("cell", 1)], []]))
    assert price.relaxed.within == 2


def test_a_plan_of_budgets_has_no_prices_and_cannot_be_scaled() -> None:
    plan = small_plan()
    assert prices(plan) == ()
    for call in (lambda: solve(plan, scale=2), lambda: afford(plan, 1)):
        with pytest.raises(ParameterError, match="promises no margin"):
            call()


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("scale", ["0.25", "1", "1.5", "3"])
def test_solving_with_a_scale_is_solving_the_scaled_margins(measure: Measure, scale: str) -> None:
    stated = [[AccuracyTarget("cell", 20), AccuracyTarget("total", Fraction(1, 10), persons=500)], []]
    plan = promising_plan(measure, stated)
    result = solve(plan, scale=scale)
    scaled = [[target.wider(Fraction(scale)) for target in stated[0]], []]
    assert result == promising_plan(measure, scaled)
    assert result.levels[1] == plan.levels[1], "a stated budget stays"
    assert scale != "1" or result == plan


@pytest.mark.series(1)
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("part", ["0.3", "0.9", "1", "2"])
def test_a_total_pays_for_the_narrowest_margins_that_it_can(measure: Measure, part: str) -> None:
    plan = promising_plan(measure, [[AccuracyTarget("cell", 200)], [AccuracyTarget("total", 900, ages=23)]])
    total = plan.cost.amount * Fraction(part)
    factor, result = afford(plan, total)
    assert result == solve(plan, scale=factor)
    assert result.cost.amount <= total < solve(plan, scale=factor - Fraction(1, 1000)).cost.amount
    assert part != "1" or factor <= 1


def test_a_total_below_the_stated_budgets_pays_for_nothing() -> None:
    plan = promising_plan("epsilon", [[AccuracyTarget("cell", 20)], []])
    with pytest.raises(ParameterError, match="levels that state a budget keep it"):
        afford(plan, plan.levels[1].budget)


@pytest.mark.parametrize("scale", ["0", "-1", "10000000", "1e1", "x"])
def test_a_scale_that_is_none_is_refused(scale: str) -> None:
    with pytest.raises(ParameterError, match="scale"):
        solve(promising_plan("rho", [[AccuracyTarget("cell", 20)], []]), scale=scale)


def test_margins_that_no_budget_keeps_are_refused_when_scaled() -> None:
    sure = 1 - Fraction(1, 10**12)
    gamma = Fraction(1, 10**11)
    plan = promising_plan("epsilon", [[AccuracyTarget("deciding total", 1000, confidence=sure)], []], gamma=gamma)
    with pytest.raises(PlanError, match=f"no budget up to {LARGEST_BUDGET}"):
        solve(plan, scale="0.001")
    factor, result = afford(plan, LARGEST_BUDGET)
    assert result.cost.amount <= LARGEST_BUDGET
    assert factor > Fraction(1, 1000)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_the_cheapest_share_of_stage_1_is_the_least_of_all_hundredths(measure: Measure) -> None:
    stated = [[AccuracyTarget("cell", 6), AccuracyTarget("deciding total", 25)], [AccuracyTarget("total", 90, ages=23)]]
    setting = Setting(measure, Fraction(1, 2), 9, (500, 5000, 20000))
    result = cheapest_gamma([setting, setting], stated, lambda budgets: sum(budgets, Fraction(0)))

    def total(gamma: Fraction) -> Fraction:
        budgets = [replace(setting, gamma=gamma).budget(each) for each in stated]
        return sum((budget for budget in budgets if budget is not None), Fraction(0))

    assert result is not None
    assert total(result) == min(total(gamma) for gamma in GAMMAS)
    assert Fraction(1, 100) < result < Fraction(99, 100)


def test_given_margins_are_those_of_the_laws() -> None:
    plan = promising_plan("rho", [[AccuracyTarget("cell", 20), AccuracyTarget("total", 300, ages=9)], []])
    stage_noise = plan.stage_noise(plan.levels[0])
    assert [price.gives for price in prices(plan)] == [
        margin(stage_noise.stage2, "0.05"),
        margin(stage_noise.stage2, "0.05", 18),
    ]
