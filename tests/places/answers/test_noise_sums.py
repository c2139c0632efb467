"""Margins of sums of draws: equal to exact ones where those are known, never too small, refused outside what is proved."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.answers import noise_sums
from starling.places.answers.noise_sums import (
    LEAST,
    MOST_ANGLES,
    ROUNDING,
    SPARE,
    beyond,
    distinct,
    reach_of_sum,
    transform,
    upper_margins,
)
from starling.places.arrays import Float64, Int64
from starling.privacy.distributions.accuracy import margin, standard_deviation, tail
from starling.privacy.distributions.convolution import Part, sum_margin
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace

CHANCE = Fraction(1, 40)
SCALES = (Fraction(1, 3), Fraction(1), Fraction(10), Fraction(123, 2), Fraction(4000))


@pytest.mark.series(25)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("terms", [1, 2, 3, 46, 300])
@pytest.mark.parametrize("chance", [CHANCE, Fraction(1, 3), Fraction(1, 10**4), LEAST])
def test_sums_of_one_scale_reach_as_far_as_exact_tails_say(scale: Fraction, terms: int, chance: Fraction) -> None:
    noise = DiscreteLaplace(scale)
    result = int(upper_margins([noise], np.array([[terms]]), chance)[0])
    exact = margin(noise, 2 * chance, terms)
    # Another number only where the exact tail lies nearer to the chance than what is kept spare.
    assert result == exact or (result == exact + 1 and tail(noise, exact, terms) > 2 * chance * (1 - 4 * SPARE) - 2e-14)


@given(terms=st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any))
def test_sums_of_several_scales_agree_with_listed_distributions(terms: list[int]) -> None:
    noises = [DiscreteLaplace(each) for each in (Fraction(9), Fraction(25), Fraction(77, 2))]
    result = int(upper_margins(noises, np.array([terms]), CHANCE)[0])
    exact = sum_margin(
        [Part(noise, many, Fraction(1)) for noise, many in zip(noises, terms, strict=True) if many], 2 * CHANCE
    )
    assert result == exact


def test_each_sum_is_answered_at_its_place_and_none_without_draws() -> None:
    noises = [DiscreteLaplace(Fraction(5)), DiscreteLaplace(Fraction(50))]
    terms = np.array([[0, 0], [1, 0], [0, 2], [1, 0], [3, 1]])
    result = upper_margins(noises, terms, CHANCE)
    alone = [int(upper_margins(noises, terms[row : row + 1], CHANCE)[0]) for row in range(5)]
    assert result.tolist() == alone
    assert (result[0], result[1], result[2]) == (0, margin(noises[0], 2 * CHANCE), margin(noises[1], 2 * CHANCE, 2))


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


def halved(noises: list[DiscreteLaplace], terms: Int64, chance: Fraction) -> int:
    """The margin of one sum of several draws by halving alone: the slow twin of the search."""
    scales = np.array([float(each.scale) for each in noises])
    variances = np.array([standard_deviation(each) ** 2 for each in noises])
    alpha = 2 * float(chance)
    _, reach = reach_of_sum(terms, scales, variances, SPARE * alpha)
    angles, values = np.empty(MOST_ANGLES), np.empty(MOST_ANGLES)
    used, left = transform(terms, variances, reach, SPARE * alpha, angles, values)
    left += 2.0 * SPARE * alpha + ROUNDING
    low, high = -1, reach
    while high - low > 1:
        middle = (low + high) // 2
        over = beyond(middle, reach, used, angles, values) + left > alpha
        low, high = (middle, high) if over else (low, middle)
    return high


@pytest.mark.slow
@given(
    terms=st.lists(st.integers(0, 400), min_size=4, max_size=4).filter(lambda each: sum(each) > 1),
    chance=st.sampled_from([CHANCE, Fraction(1, 3), Fraction(1, 10**5), Fraction(1, 10**8)]),
)
def test_the_search_ends_where_halving_ends(terms: list[int], chance: Fraction) -> None:
    noises = [DiscreteLaplace(each) for each in SCALES[1:]]
    assert upper_margins(noises, np.array([terms]), chance)[0] == halved(noises, np.array(terms), chance)


def test_a_search_takes_few_looks_at_a_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def counted(m: int, reach: int, used: int, angles: Float64, values: Float64) -> float:
        looks.append(m)
        return float(beyond.py_func(m, reach, used, angles, values))  # type: ignore[attr-defined]

    noises = [DiscreteLaplace(each) for each in SCALES[1:]]
    terms = np.random.default_rng(1).integers(1, 300, (40, 4))
    scales = np.array([float(each.scale) for each in noises])
    variances = np.array([standard_deviation(each) ** 2 for each in noises])
    monkeypatch.setattr(noise_sums, "beyond", counted)
    noise_sums.sum_margins.py_func(terms, scales, variances, 2 * float(CHANCE), 1.96)  # type: ignore[attr-defined]
    # Halving takes fourteen: the deviation is above 5,000.
    assert len(looks) <= 5 * len(terms)


@pytest.mark.examples(30)
@given(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=30))
def test_equal_rows_are_answered_once(rows: list[list[int]]) -> None:
    table = np.array(rows)
    first, back = distinct(table)
    assert np.array_equal(table[first][back], table)
    assert len(first) == len({tuple(row) for row in rows})
