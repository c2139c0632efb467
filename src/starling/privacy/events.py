"""What is drawn, as immutable values: the leaves of every guarantee. Accountants match on them, and mechanisms draw by them.

An event is named after its mechanism and holds its public parameters and its sensitivity, each an exact number above 0; a float is refused
at run time too. Its cost follows from them, and is stated nowhere beside it:

- discrete Laplace of scale b on counts of L1 sensitivity s: s/b-DP (SafeTab 2022, Lemma 6);
- discrete Gaussian of parameter s2 on counts of squared L2 sensitivity v: zCDP of v/(2 s2) (Lemma 7). The square is kept, because
  the norm of a moved unit, the square root of 2, is no rational number;
- lattice noise that falls by e^(-rate) with every moved unit, where m units move: rate m-DP (privacy/sampling/lattice.py);
- a selection, by the exponential mechanism or by permute-and-flip: its epsilon, at the sensitivity of the scores that it was drawn with;
- a cost of which the mechanism is not known.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar, Final, TypeAlias, get_args

from starling.privacy.budget import Cost, Epsilon, Exact, PositiveFields, Rho, positive
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceNoise(PositiveFields):
    """Independent discrete Laplace noise in every cell of a vector of counts.

    Attributes:
        scale: b of the noise.
        l1_sensitivity: The most that neighbours' vectors differ by in the L1 norm.
    """

    name: ClassVar[str] = "discrete Laplace noise"
    scale: Fraction
    l1_sensitivity: Fraction = Fraction(1)

    @property
    def cost(self) -> Epsilon:
        """Pure DP of the vector."""
        return Epsilon(self.l1_sensitivity / self.scale)


@dataclass(frozen=True, slots=True)
class DiscreteGaussianNoise(PositiveFields):
    """Independent discrete Gaussian noise in every cell of a vector of counts.

    Attributes:
        sigma_squared: Parameter of the noise.
        squared_l2_sensitivity: The square of the most that neighbours' vectors differ by in the L2 norm.
    """

    name: ClassVar[str] = "discrete Gaussian noise"
    sigma_squared: Fraction
    squared_l2_sensitivity: Fraction = Fraction(1)

    @property
    def cost(self) -> Rho:
        """Zero-concentrated DP of the vector."""
        return Rho(self.squared_l2_sensitivity / (2 * self.sigma_squared))


@dataclass(frozen=True, slots=True)
class LatticeNoise(PositiveFields):
    """Noise on a whole table whose total is public, of probability proportional to e^(-rate) to the number of moved units.

    Attributes:
        rate: How much the logarithm of the probability falls with each moved unit.
        moved_units: The norm of the largest difference between neighbours' tables: units that leave one cell for another.
    """

    name: ClassVar[str] = "lattice noise"
    rate: Fraction
    moved_units: Fraction = Fraction(1)

    @property
    def cost(self) -> Epsilon:
        """Pure DP of the table."""
        return Epsilon(self.rate * self.moved_units)


@dataclass(frozen=True, slots=True)
class _Selection(PositiveFields):
    """One candidate, chosen by its score.

    Attributes:
        epsilon: Cost of the choice.
        score_sensitivity: The most that a candidate's score differs by between neighbours.
    """

    epsilon: Fraction
    score_sensitivity: Fraction = Fraction(1)

    @property
    def cost(self) -> Epsilon:
        """Pure DP of the choice."""
        return Epsilon(self.epsilon)


class ExponentialMechanism(_Selection):
    """One candidate, chosen with probability proportional to e^(epsilon score / (2 score_sensitivity))."""

    __slots__ = ()
    name: ClassVar[str] = "exponential mechanism"


class PermuteAndFlip(_Selection):
    """One candidate, by permute-and-flip with coins of probability e^(epsilon (score - best) / (2 score_sensitivity))."""

    __slots__ = ()
    name: ClassVar[str] = "permute-and-flip"


@dataclass(frozen=True, slots=True)
class PureDP(PositiveFields):
    """A mechanism of which nothing more is known than that it is pure DP, at the cost epsilon."""

    name: ClassVar[str] = "pure DP"
    epsilon: Fraction

    @property
    def cost(self) -> Epsilon:
        """Pure DP of the mechanism."""
        return Epsilon(self.epsilon)


@dataclass(frozen=True, slots=True)
class ZCDP(PositiveFields):
    """A mechanism of which nothing more is known than that it is zero-concentrated DP, at the cost rho."""

    name: ClassVar[str] = "zCDP"
    rho: Fraction

    @property
    def cost(self) -> Rho:
        """What is known."""
        return Rho(self.rho)


Event: TypeAlias = (
    DiscreteLaplaceNoise | DiscreteGaussianNoise | LatticeNoise | ExponentialMechanism | PermuteAndFlip | PureDP | ZCDP
)
EVENTS: Final[Mapping[str, type[Event]]] = {kind.name: kind for kind in get_args(Event)}
"""Every kind of event by its name."""


def noise_event(noise: Distribution, sensitivity: Exact = 1) -> DiscreteLaplaceNoise | DiscreteGaussianNoise:
    """Noise of a distribution on counts whose neighbours differ by at most `sensitivity` in its norm: L1, or L2 for the Gaussian.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> noise_event(DiscreteGaussian(Fraction(50)), 3).cost
    rho 0.09
    """
    most = positive(sensitivity, field="sensitivity")
    if isinstance(noise, DiscreteLaplace):
        return DiscreteLaplaceNoise(noise.scale, most)
    return DiscreteGaussianNoise(noise.sigma_squared, most**2)


def known_cost(cost: Cost) -> PureDP | ZCDP:
    """The event of which only a cost is known."""
    return PureDP(cost.amount) if isinstance(cost, Epsilon) else ZCDP(cost.amount)


def written(event: Event) -> dict[str, str]:
    """An event as JSON: the name of its mechanism, and each of its numbers as an exact rational.

    >>> written(DiscreteLaplaceNoise(Fraction(45, 2)))
    {'mechanism': 'discrete Laplace noise', 'scale': '45/2', 'l1_sensitivity': '1'}
    """
    return {"mechanism": event.name} | {each.name: str(getattr(event, each.name)) for each in fields(event)}


def read(fields: Mapping[str, str], number: Callable[[str], Fraction] = Fraction) -> Event:
    """The event that was written, its rationals read by `number`; raises KeyError, TypeError, ValueError, AttributeError or ParameterError
    where it is none.
    """
    numbers = {name: number(text) for name, text in fields.items() if name != "mechanism"}
    return EVENTS[fields["mechanism"]](**numbers)
