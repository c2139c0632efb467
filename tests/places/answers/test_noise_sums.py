"""Margins of sums of draws: equal to exact ones where those are known, never too small, refused outside what is proved."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.answers.noise_sums import LEAST, SPARE, upper_margins
from starling.privacy.distributions.accuracy import margin, tail
from starling.privacy.distributions.convolution import Part, sum_margin
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace

CHANCE = Fraction(1, 40)
SCALES = (Fraction(1, 3), Fraction(1), Fraction(10), Fraction(123, 2), Fraction(4000))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("terms", [1, 2, 3, 46, 300])
@pytest.mark.parametrize("chance", [CHANCE, Fraction(1, 3), Fraction(1, 10**4), LEAST])
def test_sums_of_one_scale_reach_as_far_as_exact_tails_say(scale: Fraction, terms: int, chance: Fraction) -> None:
    noise = DiscreteLaplace(scale)
    found = int(upper_margins([noise], np.array([[terms]]), chance)[0])
    exact = margin(noise, 2 * chance, terms)
    # Another number only where the exact tail lies nearer to the chance than what is kept spare.
    assert found == exact or (found == exact + 1 and tail(noise, exact, terms) > 2 * chance * (1 - 4 * SPARE) - 2e-14)


@given(terms=st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any))
def test_sums_of_several_scales_agree_with_listed_distributions(terms: list[int]) -> None:
    noises = [DiscreteLaplace(each) for each in (Fraction(9), Fraction(25), Fraction(77, 2))]
    found = int(upper_margins(noises, np.array([terms]), CHANCE)[0])
    exact = sum_margin(
        [Part(noise, many, Fraction(1)) for noise, many in zip(noises, terms, strict=True) if many], 2 * CHANCE
    )
    assert found == exact


def test_each_sum_is_answered_at_its_place_and_none_without_draws() -> None:
    noises = [DiscreteLaplace(Fraction(5)), DiscreteLaplace(Fraction(50))]
    terms = np.array([[0, 0], [1, 0], [0, 2], [1, 0], [3, 1]])
    found = upper_margins(noises, terms, CHANCE)
    alone = [int(upper_margins(noises, terms[row : row + 1], CHANCE)[0]) for row in range(5)]
    assert found.tolist() == alone
    assert (found[0], found[1], found[2]) == (0, margin(noises[0], 2 * CHANCE), margin(noises[1], 2 * CHANCE, 2))


def test_a_narrow_draw_beside_a_very_wide_one_hardly_matters() -> None:
    noises = [DiscreteLaplace(Fraction(10**6)), DiscreteLaplace(Fraction(1))]
    wide, both = upper_margins(noises, np.array([[1, 0], [1, 3]]), CHANCE)
    assert wide <= both <= wide * 1.0001


def test_next_to_no_noise_has_next_to_no_margin() -> None:
    noises = [DiscreteLaplace(Fraction(1, 1000)), DiscreteLaplace(Fraction(7))]
    assert upper_margins(noises, np.array([[1, 0], [500, 0], [500, 2]]), CHANCE).tolist() == [
        0,
        0,
        margin(noises[1], 2 * CHANCE, 2),
    ]


def test_no_query_is_no_margin() -> None:
    assert upper_margins([DiscreteLaplace(Fraction(5))], np.empty((0, 1), dtype=np.int64), CHANCE).tolist() == []


def test_other_noise_and_other_chances_are_refused() -> None:
    one = np.ones((1, 1), dtype=np.int64)
    with pytest.raises(ParameterError, match="discrete Laplace"):
        upper_margins([DiscreteGaussian(Fraction(5))], one, CHANCE)
    for chance in (Fraction(0), Fraction(1, 2), Fraction(1, 10**10)):
        with pytest.raises(ParameterError, match="chance"):
            upper_margins([DiscreteLaplace(Fraction(5))], one, chance)
