"""Sums, differences and ratios of released numbers: draws that are shared, and coverage by sampling with stated power."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.sampling.noise import draw
from starling.release.intervals import Ratio, Value, total
from starling.release.shared_noise import Draws

GAUSSIAN, LAPLACE = DiscreteGaussian(Fraction(25)), DiscreteLaplace(Fraction(4))
ONE = Fraction(1)


def number(estimate: int, name: str, distribution: Distribution = GAUSSIAN) -> Value:
    return Value(Fraction(estimate), {name: (distribution, ONE)})


def test_a_sum_of_independent_numbers_has_the_certified_margin() -> None:
    cells = [number(10, f"cell {index}") for index in range(46)]
    both = total(cells)
    assert both.estimate == 460
    assert both.margin() == margin(GAUSSIAN, "0.05", 46)
    half = margin(GAUSSIAN, "0.1", 46)
    assert [int(end) for end in both.interval("0.9")] == [460 - half, 460 + half]


def test_a_total_and_its_cells_are_not_independent() -> None:
    cells = [number(10, f"cell {index}") for index in range(8)]
    whole = total(cells)
    assert (whole - total(cells)).margin() == 0
    rest = whole - total(cells[:3])
    assert rest == total(cells[3:])
    assert rest.margin() == margin(GAUSSIAN, "0.05", 5)
    twice = total([whole, whole])
    assert twice.margin() == 2 * whole.margin(), "the same number twice errs twice as far"


@dataclass(frozen=True)
class Halves:
    """A cell that is published as its draw rounded to even numbers, for tests: off by at most 1, its variance given."""

    name: str

    def draws(self, weights: Sequence[Fraction]) -> Draws:
        return {self.name: (GAUSSIAN, weights[0])}

    def slack(self, weights: Sequence[Fraction]) -> Fraction:
        return abs(weights[0])

    def variance(self, weights: Sequence[Fraction]) -> float:
        return 25.5 * float(weights[0]) ** 2


def test_roundings_are_in_the_deviation_and_in_the_margin() -> None:
    a, b = (Value(Fraction(10), cells={Halves(name): (ONE,)}) for name in "ab")
    assert a.standard_deviation == 25.5**0.5
    assert (a + b).standard_deviation == pytest.approx(51**0.5)
    assert (a + a).standard_deviation == 2 * a.standard_deviation
    assert (a - a).standard_deviation == (a - a).margin() == 0
    assert a.margin() == margin(GAUSSIAN, "0.05") + 1
    assert (a + b).margin() == margin(GAUSSIAN, "0.05", 2) + 2


def test_a_rounded_number_beside_its_own_draw_is_bounded() -> None:
    """As where a release adds to another: the draw is in both, so that variances are not added."""
    published, draw = Value(Fraction(10), cells={Halves("a"): (ONE,)}), number(7, "a")
    assert (published + draw).standard_deviation == 2 * 5 + 1
    assert "standard deviation at most 11)" in repr(published + draw)
    assert (published - draw).margin() == 1, "the rounding alone is left"
    assert "at most" not in repr(published)


def test_numbers_are_added_and_shown_as_numbers() -> None:
    men, women = number(40, "m"), number(60, "w")
    assert men + women == sum([men, women]) == total([men, women])
    assert men - women == -(women - men)
    assert (men + 5 - 5, 100 - (100 - men), men * 3 - 2 * men) == (men,) * 3
    assert (men.lower, men.estimate, men.upper) == (30, 40, 50)
    assert {type(end) for end in (men.lower, men.estimate, men.upper, men.margin(), *men.interval())} == {int}
    half = men / 2
    assert isinstance(half, Value)
    assert (half.lower, half.estimate, half.upper) == (15, 20, 25)
    third = men / 3
    assert isinstance(third, Value)
    assert {type(end) for end in (third.lower, third.estimate, third.upper)} == {float}
    assert Fraction(third.lower) <= Fraction(30, 3)
    assert Fraction(third.upper) >= Fraction(50, 3)
    assert 0.5 * men == men / 2
    assert repr(men) == "40 (95 % interval 30 to 50, standard deviation 5)"
    share = number(400, "m") / number(1000, "w")
    assert isinstance(share, Ratio)
    assert repr(share).startswith("0.4 (95 % interval 0.38")
    assert all(type(end) is float for end in (share.lower, share.estimate, share.upper))


def test_no_interval_of_a_count_holds_less_than_it_can_be() -> None:
    """Of all sums and multiples of two counts: those that can be no less than something are cut there, and lose no coverage."""
    random = np.random.default_rng(3)
    for _ in range(60):
        truths = random.integers(0, 4, 2)
        counts = [
            replace(number(int(true + random.integers(-9, 10)), name), least=Fraction(0))
            for true, name in zip(truths, "mw", strict=True)
        ]
        known, *factors = (int(each) for each in random.integers(-2, 4, 3))
        made = counts[0] * factors[0] + counts[1] * factors[1] + known
        assert isinstance(made, Value)
        true = int(truths @ factors) + known
        (low, high), (free_low, free_high) = made.interval(), replace(made, least=None).interval()
        assert low <= true <= high or not free_low <= true <= free_high, "none misses that did not"
        cut = (max(free_low, known), max(free_high, known)) if min(factors) >= 0 else (free_low, free_high)
        assert (low, high) == cut, "a difference may be less than 0"
    with pytest.raises(ParameterError, match="may be 0"):
        number(400, "m") / (replace(number(-7, "w"), least=Fraction(0)) + 5)


def test_what_is_no_number_is_not_added() -> None:
    men = number(40, "m")
    for wrong in ("5", None, float("nan"), float("inf"), 1j):
        with pytest.raises(TypeError):
            men + wrong
        with pytest.raises(TypeError):
            men / wrong
    with pytest.raises(ParameterError, match="divisor is 0"):
        men / 0


def test_a_notebook_shows_a_table() -> None:
    shown = number(40_000, "m")._repr_html_()
    assert "<th" in shown
    assert "40,000" in shown
    assert "39,990 to 40,010" in shown
    assert "0.4" in (number(400, "m") / number(1000, "w"))._repr_html_()


def test_dir_shows_what_is_for_users() -> None:
    names = dir(number(1, "a"))
    assert {"estimate", "lower", "upper", "interval", "standard_deviation"} <= set(names)
    assert not [name for name in names if name.startswith("_")]


@pytest.mark.parametrize("distribution", [GAUSSIAN, LAPLACE], ids=repr)
def test_ratios_cover(distribution: Distribution) -> None:
    """Sampled without intervals: a ratio covers when the truth is a possible one, |a - r b| within the margin at that r.

    20,000 ratios of a part to its whole, 6 standard errors (0.009). The mutant that takes part and whole for independent
    has another margin.
    """
    trials, men, women = 20_000, 300, 500
    noise = draw(distribution, (trials, 2))
    truth = Fraction(men, men + women)
    part, rest = number(men, "m", distribution), number(women, "w", distribution)
    half = (part - (part + rest).times(truth)).margin()
    m, w = (noise + np.array([men, women])).T
    held = np.count_nonzero(np.abs(m - float(truth) * (m + w)) <= float(half) + 1e-9) / trials
    assert abs(held - 0.95) < 6 * (0.95 * 0.05 / trials) ** 0.5 + 0.01
    careless = (part - (number(men, "another", distribution) + rest).times(truth)).margin()
    assert careless > 1.4 * half


def test_the_ends_of_a_ratio_are_where_the_difference_stops_being_possible() -> None:
    a, b = number(300, "a"), number(800, "b")
    found = a.ratio(b)
    assert found.estimate == 0.375
    for end, outwards in ((found.lower, -1), (found.upper, 1)):
        beyond = Fraction(end + outwards * 1e-4).limit_denominator(10**6)
        within = Fraction(end - outwards * 1e-4).limit_denominator(10**6)
        assert abs((a - b.times(beyond)).exact) > (a - b.times(beyond)).margin()
        assert abs((a - b.times(within)).exact) <= (a - b.times(within)).margin()


def test_a_ratio_to_what_may_be_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="may be 0"):
        number(5, "a").ratio(number(3, "b"))


def test_an_exact_zero_has_a_ratio() -> None:
    found = number(0, "a").ratio(number(1000, "b"))
    assert found.estimate == 0
    assert found.lower < 0 < found.upper


@pytest.mark.parametrize("confidence", ["0", "1", "-0.5", "2"])
def test_a_confidence_is_a_chance(confidence: str) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        number(1, "a").margin(confidence)


@pytest.mark.series(2)
@pytest.mark.parametrize("epsilon", [40, 1000])
@pytest.mark.parametrize(("part", "whole"), [(123_457, 999_983), (1, 3), (0, 10**9 + 7), (10**12 + 39, 10**12)])
def test_numbers_with_next_to_no_noise_have_a_ratio(epsilon: int, part: int, whole: int) -> None:
    noise = DiscreteLaplace(Fraction(1, epsilon))
    found = number(part, "a", noise).ratio(number(whole, "b", noise))
    assert found.lower <= part / whole <= found.upper
    assert found.upper - found.lower < (1 + part / whole) / 10 / whole
