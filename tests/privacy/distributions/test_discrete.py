"""The distributions as values, and what they refuse."""

from fractions import Fraction

import pytest

from starling.errors import ParameterError
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace


def test_a_decimal_string_is_exact() -> None:
    assert DiscreteLaplace("0.1").scale == Fraction(1, 10)  # type: ignore[arg-type]
    assert DiscreteGaussian("0.001").sigma_squared == Fraction(1, 1000)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, "0.0"])
def test_a_parameter_not_above_0_is_refused(value: int | str) -> None:
    with pytest.raises(ParameterError, match="scale is not above 0"):
        DiscreteLaplace(value)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="sigma_squared is not above 0"):
        DiscreteGaussian(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0.1, float("nan"), float("inf"), "nan", "inf", True, None])
def test_what_is_no_exact_number_is_refused(value: object) -> None:
    with pytest.raises(ParameterError):
        DiscreteLaplace(value)  # type: ignore[arg-type]
    with pytest.raises(ParameterError):
        DiscreteGaussian(value)  # type: ignore[arg-type]


def test_distributions_are_values() -> None:
    assert DiscreteLaplace(Fraction(2)) == DiscreteLaplace(Fraction(4, 2))
    assert len({DiscreteGaussian(Fraction(2)), DiscreteGaussian(Fraction(4, 2))}) == 1
    assert len({DiscreteLaplace(Fraction(2)), DiscreteGaussian(Fraction(2))}) == 2
    with pytest.raises(AttributeError):
        DiscreteLaplace(Fraction(2)).scale = Fraction(3)  # type: ignore[misc]
