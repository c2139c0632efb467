"""Numbers of groups that were made to add up: their common variance, alone and beside other numbers."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf

import pytest

from starling.release.intervals import Value
from starling.release.shared_noise import Linked
from tests.release.test_intervals import GAUSSIAN, ONE, Halves


@dataclass(frozen=True)
class Adding:
    """Estimates of groups a and b that add up to a number without noise: b errs by the opposite of a. Rounding raised both."""

    name: str
    raised: float = 0.0

    def variance(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        one, other = (weights.get(group, (Fraction(0),))[0] for group in "ab")
        return 9 * float(one - other) ** 2

    def most_moved(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        return float(abs(weights["a"][0])) if self.raised < 1 and "a" in weights else inf

    def moved(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        return self.raised * float(sum(each[0] for each in weights.values()))

    def step(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        return 0.25 * max(float(abs(each[0])) for each in weights.values()) if self.variance(weights) else 0.0

    def deviations(self, alpha: Fraction, _: object) -> float:
        return {Fraction(1, 20): 1.96, Fraction(1, 10): 1.65}[alpha]


def linked(group: str, name: str) -> Value:
    return Value(Fraction(10), cells={Linked(Adding(name), group): (ONE,)})


def test_numbers_that_were_made_to_add_up_have_their_common_variance() -> None:
    a, b = linked("a", "one"), linked("b", "one")
    assert (a.standard_deviation, a.margin(), a.margin("0.9"), a.interval()) == (3, 6, 5, (4, 16))
    assert ((a + b).standard_deviation, (a + b).margin(), (a + b).interval()) == (0, 0, (20, 20))
    assert (a - b).standard_deviation == 6
    assert repr(a - b) == "0 (95 % interval -12 to 12, standard deviation 6)"
    half = (a - b).times(Fraction(1, 2))
    assert half.margin() == 1.96 * 3 + 0.125, "in whole persons only where the truth is one"


@pytest.mark.parametrize(("raised", "wider"), [(0.9, 0), (1.0, 1), (1.2, 1), (2.0, 2), (2.1, 2)])
def test_margins_are_around_the_number_before_rounding(raised: float, wider: int) -> None:
    """The published number and its margin hold each whole number within the margin of the number before; a person less would not."""
    value = Value(Fraction(10), cells={Linked(Adding("one", raised), "a"): (ONE,)})
    assert value.margin() == 6 + wider
    low, high = value.interval()
    assert low <= ceil(10 - raised - 6) < low + 2
    assert high >= floor(10 - raised + 6)
    assert value.times(Fraction(1, 2)).margin() == pytest.approx((3 * 1.96 + 0.25 + raised) / 2)


def test_what_shares_no_draw_with_them_adds_its_variance() -> None:
    other, apart = linked("a", "two"), Value(Fraction(10), {"draw": (GAUSSIAN, ONE)})
    for each, variance in ((other, 9), (apart, 25), (Value(Fraction(10), cells={Halves("a"): (ONE,)}), 25.5)):
        both = linked("a", "one") + each
        assert both.standard_deviation == pytest.approx((9 + variance) ** 0.5)
        assert "at most" not in repr(both)
