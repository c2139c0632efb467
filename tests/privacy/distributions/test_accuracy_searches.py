"""Every search of the distributions ends after few steps, whatever the budget, the margin and the chance of missing."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.privacy.distributions.accuracy import Kind, distribution_for_margin, margin, quantile
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.distributions.table_noise import laplace_tail_quantile, lattice_tail_quantile
from tests.stepping import at_most

LINES = 5_000_000
"""A discrete Gaussian of sigma up to 2,048 is summed term by term, in each step of a search."""
EXTREME = settings(max_examples=25, deadline=None)


def powers(low: int, high: int) -> st.SearchStrategy[Fraction]:
    """Amounts of every magnitude from 10^low to 10^high."""
    return st.builds(
        lambda digits, power: digits * Fraction(10) ** power, st.integers(1, 9), st.integers(low, high - 1)
    )


ALPHAS = st.one_of(powers(-39, -1).map(lambda share: share / 10), powers(-39, -1).map(lambda share: 1 - share / 10))


@EXTREME
@example("discrete_laplace", 10**30, 1 - Fraction(1, 10**29))
@given(st.sampled_from(["discrete_laplace", "discrete_gaussian"]), st.integers(0, 10**30), ALPHAS)
def test_a_distribution_for_a_margin_is_found_in_few_steps(kind: Kind, most: int, alpha: Fraction) -> None:
    with at_most(LINES):
        noise = distribution_for_margin(kind, most, alpha)
        assert margin(noise, alpha) <= most


@EXTREME
@given(powers(-15, 30), ALPHAS)
def test_quantiles_and_margins_are_found_in_few_steps(amount: Fraction, p: Fraction) -> None:
    with at_most(LINES):
        for noise in (DiscreteLaplace(1 / amount), DiscreteGaussian(1 / (2 * amount))):
            assert quantile(noise, p) <= margin(noise, min(p, 1 - p))


@EXTREME
@given(powers(-30, 9), ALPHAS, st.sampled_from([2, 3]), st.sampled_from([lattice_tail_quantile, laplace_tail_quantile]))
def test_the_size_of_table_noise_is_found_in_few_steps(
    epsilon: Fraction, alpha: Fraction, columns: int, search: object
) -> None:
    assert callable(search)
    if epsilon < Fraction(1, 4096):
        with pytest.raises(ParameterError, match="4096"):
            search(epsilon, alpha, columns)
        epsilon = Fraction(1, 4096)
    with at_most(LINES):
        size = search(epsilon, alpha, columns)
    assert size == 0 or search(epsilon, alpha / 2, columns) >= size


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("epsilon", ["0.05", "0.3", "1", "7"])
def test_the_size_of_table_noise_is_what_adding_up_gives(epsilon: str, columns: int) -> None:
    from flint import arb

    from starling.privacy.distributions import table_noise
    from starling.privacy.distributions.tails import ball
    from starling.privacy.precision import precision

    alpha = Fraction(1, 20)
    for kind, rate in (("lattice", Fraction(epsilon)), ("laplace", Fraction(epsilon) / 2)):
        with precision(192):
            q = ball(-rate).exp()
            total, seen, size = table_noise._total(kind, 2 * columns, q), arb(1), 0
            while not seen >= ball(1 - alpha) * total:
                size += 1
                seen = seen + table_noise._vectors(kind, 2 * columns, size) * q**size
        search = lattice_tail_quantile if kind == "lattice" else laplace_tail_quantile
        assert search(epsilon, alpha, 2 if columns == 2 else 3) == size
