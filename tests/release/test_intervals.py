"""Sums, differences and ratios of released numbers: draws that are shared, and coverage by sampling with stated power."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.accuracy import margin
from starling.privacy.laws import DiscreteGaussian, DiscreteLaplace, Law
from starling.privacy.noise import draw
from starling.release.intervals import LOOSE, Value, difference, ratio, total

GAUSSIAN, LAPLACE = DiscreteGaussian(Fraction(25)), DiscreteLaplace(Fraction(4))
ONE = Fraction(1)


def number(estimate: int, name: str, law: Law = GAUSSIAN) -> Value:
    return Value(Fraction(estimate), {name: (law, ONE)})


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
    assert difference(whole, total(cells)).margin() == 0
    rest = difference(whole, total(cells[:3]))
    assert rest == total(cells[3:])
    assert rest.margin() == margin(GAUSSIAN, "0.05", 5)
    twice = total([whole, whole])
    assert twice.margin() == 2 * whole.margin(), "the same number twice errs twice as far"


def test_roundings_and_bare_deviations_are_added_as_they_are() -> None:
    rounded = Value(Fraction(10), {"a": (GAUSSIAN, ONE)}, slack=Fraction(1, 2))
    assert total([rounded, rounded]).slack == 1
    assert rounded.margin() == margin(GAUSSIAN, "0.05") + Fraction(1, 2)
    loose = [Value(Fraction(10), deviation=3.0), Value(Fraction(20), deviation=4.0)]
    assert total(loose).standard_deviation == 7
    assert total(loose).margin() == 7 * LOOSE
    assert difference(*loose).margin() == 7 * LOOSE
    with pytest.raises(ParameterError, match="not 95 %"):
        total(loose).margin("0.9")


def test_loose_is_enough_for_symmetric_log_concave_laws() -> None:
    """The bound of the module: with p = 1/20, t/deviation = |ln p| / sqrt(2 (1 - p + p ln p))."""
    p = 0.05
    bound = -np.log(p) / np.sqrt(2 * (1 - p + p * np.log(p)))
    assert bound <= float(LOOSE) < bound + 0.01
    # Laplace: 2.12; normal: 1.96; uniform: 1.65.
    for quantile in (np.log(20) / np.sqrt(2), 1.96, 0.95 * np.sqrt(3)):
        assert quantile < float(LOOSE)


@pytest.mark.parametrize("law", [GAUSSIAN, LAPLACE], ids=repr)
def test_ratios_cover(law: Law) -> None:
    """Sampled without intervals: a ratio covers when the truth is a possible one, |a - r b| within the margin at that r.

    20,000 ratios of a part to its whole, 6 standard errors (0.009). The mutant that takes part and whole for independent
    has another margin.
    """
    trials, men, women = 20_000, 300, 500
    noise = draw(law, (trials, 2))
    truth = Fraction(men, men + women)
    part, rest = number(men, "m", law), number(women, "w", law)
    half = difference(part, total([part, rest]).times(truth)).margin()
    m, w = (noise + np.array([men, women])).T
    held = np.count_nonzero(np.abs(m - float(truth) * (m + w)) <= float(half) + 1e-9) / trials
    assert abs(held - 0.95) < 6 * (0.95 * 0.05 / trials) ** 0.5 + 0.01
    careless = difference(part, total([number(men, "another", law), rest]).times(truth)).margin()
    assert careless > 1.4 * half


def test_the_ends_of_a_ratio_are_where_the_difference_stops_being_possible() -> None:
    a, b = number(300, "a"), number(800, "b")
    found = ratio(a, b)
    assert found.estimate == 0.375
    for end, outwards in ((found.lower, -1), (found.upper, 1)):
        beyond = Fraction(end + outwards * 1e-4).limit_denominator(10**6)
        within = Fraction(end - outwards * 1e-4).limit_denominator(10**6)
        assert abs(difference(a, b.times(beyond)).estimate) > difference(a, b.times(beyond)).margin()
        assert abs(difference(a, b.times(within)).estimate) <= difference(a, b.times(within)).margin()


def test_a_ratio_to_what_may_be_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="may be 0"):
        ratio(number(5, "a"), number(3, "b"))


def test_an_exact_zero_has_a_ratio() -> None:
    found = ratio(number(0, "a"), number(1000, "b"))
    assert found.estimate == 0
    assert found.lower < 0 < found.upper


@pytest.mark.parametrize("confidence", ["0", "1", "-0.5", "2"])
def test_a_confidence_is_a_chance(confidence: str) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        number(1, "a").margin(confidence)
