"""The distributions of noise as immutable values. Nothing here draws.

Discrete Laplace of scale b (SafeTab 2022, Definition 7): P(X = x) = (1 - q)/(1 + q) q^|x|, q = e^(-1/b).
Discrete Gaussian (Definition 6): P(X = x) proportional to e^(-x^2/(2 s2)). Note that s2 is the parameter; the variance of the
discrete distribution is never above it.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final, TypeAlias

from starling.privacy.budget import PositiveFields

LARGEST_SCALE: Final = Fraction(2**50)
"""The widest discrete Laplace noise that is drawn."""
LARGEST_SIGMA_SQUARED: Final = Fraction(2**90)
"""The widest discrete Gaussian noise that is drawn: below 2^50 but for a probability of 2^-63, which integers of Python count."""


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(PositiveFields):
    """Two-sided geometric noise of scale b, above 0, exact."""

    scale: Fraction

    @property
    def width(self) -> float:
        """The scale, for people."""
        return float(self.scale)


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(PositiveFields):
    """Discrete Gaussian noise of parameter s2, above 0, exact."""

    sigma_squared: Fraction

    @property
    def width(self) -> float:
        """Sigma, the root of the parameter, for people."""
        return sqrt(self.sigma_squared)


Distribution: TypeAlias = DiscreteLaplace | DiscreteGaussian
