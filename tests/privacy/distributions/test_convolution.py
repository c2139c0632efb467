"""Margins of weighted sums against certified ones, against enumeration, and never too small."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.distributions import convolution
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.convolution import Part, coarser, sum_margin
from starling.privacy.distributions.discrete import LARGEST_SCALE, DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.probability_mass import probability_mass

ALPHA = Fraction(1, 20)
GAUSSIAN, NARROW, LAPLACE = (
    DiscreteGaussian(Fraction(9)),
    DiscreteGaussian(Fraction(1, 3)),
    DiscreteLaplace(Fraction(2)),
)


@pytest.mark.parametrize("distribution", [GAUSSIAN, NARROW, LAPLACE, DiscreteLaplace(Fraction(300))], ids=repr)
@pytest.mark.parametrize("terms", [2, 8, 46])
def test_equal_weights_give_the_certified_margin(distribution: Distribution, terms: int) -> None:
    """Split into two parts, so that the convolution is what is asked."""
    parts = [Part(distribution, 1, Fraction(1)), Part(distribution, terms - 1, Fraction(-1))]
    assert sum_margin(parts, ALPHA) == margin(distribution, ALPHA, terms)
    assert sum_margin([Part(distribution, terms, Fraction(1))], ALPHA) == margin(distribution, ALPHA, terms)


def chance_beyond(parts: list[Part], bound: Fraction) -> float:
    """P(|S| > bound) by enumeration of three small sums."""
    distributions = [probability_mass(part.distribution, part.terms) for part in parts]
    reach = [min(each.last, 45) for each in distributions]
    grids = np.meshgrid(*(np.arange(-r, r + 1) for r in reach), indexing="ij")
    # In whole numbers: a float would decide ties by chance.
    scale = int(np.lcm.reduce([part.weight.denominator for part in parts]))
    error = sum(int(part.weight * scale) * grid for part, grid in zip(parts, grids, strict=True))
    chance = np.ones(())
    for each, r in zip(distributions, reach, strict=True):
        chance = np.multiply.outer(chance, each.mass[each.last - r : each.last + r + 1])
    return float(chance[np.abs(error) > float(bound * scale) + 1e-6].sum())


@pytest.mark.parametrize(
    "weights",
    list(
        product([Fraction(1), Fraction(-2, 3)], [Fraction(1, 2), Fraction(46, 55)], [Fraction(1), Fraction(355, 113)])
    ),
)
def test_a_margin_holds_and_is_hardly_wider_than_need_be(weights: tuple[Fraction, ...]) -> None:
    distributions: tuple[Distribution, ...] = (GAUSSIAN, NARROW, LAPLACE)
    parts = [Part(distribution, 1, weight) for distribution, weight in zip(distributions, weights, strict=True)]
    found = sum_margin(parts, ALPHA)
    spread = sum(part.variance for part in parts) ** 0.5
    assert chance_beyond(parts, found) <= 0.05
    assert chance_beyond(parts, found - Fraction(spread) / 100) > 0.05 - 0.005


def test_weights_finer_than_the_grid_are_on_the_safe_side() -> None:
    exact = [Part(GAUSSIAN, 1, Fraction(1)), Part(LAPLACE, 1, Fraction(1, 3))]
    fine = [Part(GAUSSIAN, 1, Fraction(1)), Part(LAPLACE, 1, Fraction(333_333_337, 1_000_000_007))]
    spread = sum(part.variance for part in fine) ** 0.5
    found = sum_margin(fine, ALPHA)
    assert chance_beyond(fine, found) <= 0.05
    assert sum_margin(exact, ALPHA) - Fraction(1, 3) <= found <= sum_margin(exact, ALPHA) + Fraction(spread) / 100 + 1


@pytest.mark.series(7)
@pytest.mark.parametrize("epsilon", [1, 20, 1000, 5, 40])
@pytest.mark.parametrize(
    "weight", [Fraction(1, 3), Fraction(12_345_678, 9), Fraction(7, 10**9 + 7), Fraction(10**12 + 1, 7)]
)
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_noise_however_narrow_has_a_margin(epsilon: int, weight: Fraction, kind: str) -> None:
    """As the difference has whose sign decides an interval of a ratio, whatever the ratio is."""
    scale = Fraction(1, epsilon)
    noise: Distribution = DiscreteLaplace(scale) if kind == "laplace" else DiscreteGaussian(scale)
    parts = [Part(noise, 1, Fraction(1)), Part(noise, 1, -weight)]
    found = sum_margin(parts, ALPHA)
    assert chance_beyond(parts, found) <= 0.05
    if epsilon >= 20:  # Nearly all draws are 0.
        assert found <= (1 + weight) / 5_000


def test_many_terms_of_two_laws() -> None:
    parts = [Part(GAUSSIAN, 100_000, Fraction(1)), Part(LAPLACE, 50_000, Fraction(1))]
    spread = sum(part.variance for part in parts) ** 0.5
    assert float(sum_margin(parts, ALPHA)) == pytest.approx(1.96 * spread, rel=0.001)


def of_width(kind: type[Distribution], width: Fraction) -> Distribution:
    return DiscreteLaplace(width) if kind is DiscreteLaplace else DiscreteGaussian(width**2)


@pytest.mark.series(6)
@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
@pytest.mark.parametrize("weight", [Fraction(1), Fraction(-1, 3), Fraction(7, 10)])
@pytest.mark.parametrize("terms", [1, 40])
@pytest.mark.parametrize("scale", [Fraction(2**40, 3), Fraction(10**6), LARGEST_SCALE])
def test_noise_however_wide_has_a_margin(
    scale: Fraction, terms: int, weight: Fraction, kind: type[Distribution]
) -> None:
    """Wide noise is that of any other scale, in proportion; noise of this scale can be listed."""
    listed = Fraction(1000)
    parts = [(terms, Fraction(1)), (1, weight), (3, weight / 2)]
    expected = sum_margin([Part(of_width(kind, listed), *each) for each in parts], ALPHA) / listed
    result = sum_margin([Part(of_width(kind, scale), *each) for each in parts], ALPHA) / scale
    assert float(result) == pytest.approx(float(expected), rel=0.01)


@pytest.mark.parametrize("step", [2, 7, 40])
@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_coarser_noise_can_be_drawn_together_with_the_noise(kind: type[Distribution], step: int) -> None:
    """Of X and h Y: whatever X exceeds, h Y exceeds less what it may be off, and the other way round."""
    noise = of_width(kind, Fraction(200))
    other, off = coarser(noise, step)
    exact, coarse = probability_mass(noise), probability_mass(other)
    beyond, beyond_coarse = (np.cumsum(each.mass[::-1])[::-1] for each in (exact, coarse))

    def chance(at: int) -> float:
        return float(beyond[min(max(at + exact.last, 0), len(beyond) - 1)])

    for k in range(-coarse.last + 1, coarse.last):
        assert beyond_coarse[k + coarse.last] <= chance(k * step - off) + 1e-12
        assert beyond_coarse[k + coarse.last] >= chance(k * step + off) - 1e-12


@pytest.mark.parametrize("weight", [Fraction(1), Fraction(-1, 3), Fraction(7, 10)])
@pytest.mark.parametrize("terms", [1, 2, 5])
@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(3000)), DiscreteGaussian(Fraction(9000**2))], ids=repr)
def test_noise_that_is_replaced_has_no_smaller_margin(
    noise: Distribution, weight: Fraction, terms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it can be listed too; the replacement is coarse here, so that a margin of it alone would be too small."""
    parts = [Part(noise, terms, Fraction(1)), Part(noise, 2, weight)]
    exact = sum_margin(parts, ALPHA)
    monkeypatch.setattr(convolution, "LONGEST", 2**17)
    monkeypatch.setattr(convolution, "LISTED", 2**9)
    assert exact <= sum_margin(parts, ALPHA) <= exact * Fraction(5, 4)


def test_nothing_has_no_margin_and_too_much_is_refused() -> None:
    assert sum_margin([], ALPHA) == 0
    with pytest.raises(ParameterError, match="too wide"):
        sum_margin([Part(GAUSSIAN, 10**14, Fraction(1)), Part(GAUSSIAN, 1, Fraction(1, 3))], ALPHA)
