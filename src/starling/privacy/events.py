"""What is drawn, as immutable values: the leaves of every guarantee. Accountants match on them, and mechanisms draw by them.

An event is named after its mechanism and holds its public parameters and its sensitivity, each an exact number above 0; a float is refused
at run time too. Its cost follows from them, and is stated nowhere beside it:

- discrete Laplace of scale b on counts of L1 sensitivity s: s/b-DP (SafeTab 2022, Lemma 6);
- discrete Gaussian of parameter s2 on counts of squared L2 sensitivity v: zCDP of v/(2 s2) (Lemma 7). The square is kept, because
  the norm of a moved unit, the square root of 2, is no rational number;
- lattice noise that falls by e^(-rate) with every moved unit, where m units move: rate m-DP (privacy/sampling/lattice.py);
- a selection, by the exponential mechanism or by permute-and-flip: its epsilon, at the sensitivity of the scores that it was drawn with;
- a response, one of k, that each person gives truly with probability e^epsilon/(e^epsilon + k - 1): epsilon (privacy/sampling/response.py);
- a median, selected by the exponential mechanism, and a response that follows from it: epsilon of both together;
- what is made of such a response that was drawn and charged before: the same epsilon, not once more, where the ledger holds that charge;
- a cost of which the mechanism is not known.

Replacing one unit. An event also says what a replacement costs in zCDP, as a multiple of its rho: the `replacement_factor`. It is
4 for whatever is not declared otherwise: two changes, one after the other (group privacy). It is 2 for noise that is added cell by cell
to MONOTONE numbers, integers that one more unit never lowers. Proof: let C be the other units, x = q(C + a) - q(C) >= 0 the change of
one number by the unit a, and y >= 0 that by the unit b. The number moves by x - y when b takes the place of a, and
(x - y)^2 <= x^2 + y^2. The Renyi divergence of order alpha of the discrete Gaussian moved by d is at most alpha d^2/(2 s2) (Lemma 7),
that of discrete Laplace noise, which is then d/b-DP, at most alpha d^2/(2 b^2). Both are so for each number given all that was published
before, hence along every path of an adaptive mechanism: thresholds, several groups of a unit, several records of it. What the event costs
bounds the sum over its numbers for x alone and for y alone. So a replacement costs twice the event. No factor is below 2: a and b may lie
in different groups, each of which pays for itself. The same holds for numbers that one more unit never raises. `factor_of_bounds` is for
a sum whose terms have both signs. Selections keep 4: a score can fall for the one unit and rise for the other.

zCDP of what is pure DP. epsilon-DP is epsilon^2/2-zCDP (Bun and Steinke 2016, Proposition 1.4). The exponential mechanism has a privacy
loss of range epsilon, and so costs epsilon^2/8 (Cesar and Rogers 2021). Permute-and-flip does not: its range comes near to 2 epsilon.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import ClassVar, Final, TypeAlias, get_args

from starling.errors import ParameterError
from starling.privacy.budget import Cost, Epsilon, Exact, PositiveFields, Rho, exact, positive
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

ANY: Final = Fraction(4)
"""The replacement factor of a mechanism of which nothing more is declared."""
MONOTONE: Final = Fraction(2)
"""The replacement factor of noise on numbers that one more unit never lowers."""


TWO: Final = Fraction(2)
"""Yes and no: the values of a response of which no number is stated."""


class _Replaceable(PositiveFields):
    """An event that declares what a replacement costs in zCDP, as a multiple of its rho: from MONOTONE to ANY."""

    __slots__ = ()
    replacement_factor: Fraction

    def __post_init__(self) -> None:
        PositiveFields.__post_init__(self)
        if not MONOTONE <= self.replacement_factor <= ANY:
            problem, fix = "is not from 2 to 4", "give MONOTONE, ANY, or factor_of_bounds of a sum"
            raise ParameterError("replacement_factor", problem, fix)


class _OfEpsilon(PositiveFields):
    """An event that costs its `epsilon`."""

    __slots__ = ()
    epsilon: Fraction

    @property
    def cost(self) -> Epsilon:
        """Pure DP of all of it."""
        return Epsilon(self.epsilon)


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceNoise(_Replaceable):
    """Independent discrete Laplace noise in every cell of a vector of counts.

    Attributes:
        scale: b of the noise.
        l1_sensitivity: The most that neighbours' vectors differ by in the L1 norm.
    """

    name: ClassVar[str] = "discrete Laplace noise"
    scale: Fraction
    l1_sensitivity: Fraction = Fraction(1)
    replacement_factor: Fraction = ANY

    @property
    def cost(self) -> Epsilon:
        """Pure DP of the vector."""
        return Epsilon(self.l1_sensitivity / self.scale)


@dataclass(frozen=True, slots=True)
class DiscreteGaussianNoise(_Replaceable):
    """Independent discrete Gaussian noise in every cell of a vector of counts.

    Attributes:
        sigma_squared: Parameter of the noise.
        squared_l2_sensitivity: The square of the most that neighbours' vectors differ by in the L2 norm.
    """

    name: ClassVar[str] = "discrete Gaussian noise"
    sigma_squared: Fraction
    squared_l2_sensitivity: Fraction = Fraction(1)
    replacement_factor: Fraction = ANY

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
    replacement_factor: ClassVar[Fraction] = ANY
    rate: Fraction
    moved_units: Fraction = Fraction(1)

    @property
    def cost(self) -> Epsilon:
        """Pure DP of the table."""
        return Epsilon(self.rate * self.moved_units)


@dataclass(frozen=True, slots=True)
class _Selection(_OfEpsilon):
    """One candidate, chosen by its score.

    Attributes:
        epsilon: Cost of the choice.
        score_sensitivity: The most that a candidate's score differs by between neighbours.
    """

    replacement_factor: ClassVar[Fraction] = ANY
    epsilon: Fraction
    score_sensitivity: Fraction = Fraction(1)


class ExponentialMechanism(_Selection):
    """One candidate, chosen with probability proportional to e^(epsilon score / (2 score_sensitivity))."""

    __slots__ = ()
    name: ClassVar[str] = "exponential mechanism"


class PermuteAndFlip(_Selection):
    """One candidate, by permute-and-flip with coins of probability e^(epsilon (score - best) / (2 score_sensitivity))."""

    __slots__ = ()
    name: ClassVar[str] = "permute-and-flip"


@dataclass(frozen=True, slots=True)
class RandomizedResponse(_OfEpsilon):
    """One of k answers for each unit, kept with probability e^epsilon/(e^epsilon + k - 1), else one of the others, all equally likely.

    Attributes:
        epsilon: Of all answers together: neighbours differ in one.
        values: k, a whole number; 2 of yes or no.
    """

    name: ClassVar[str] = "randomized response"
    replacement_factor: ClassVar[Fraction] = ANY
    epsilon: Fraction
    values: Fraction = TWO

    def __post_init__(self) -> None:
        PositiveFields.__post_init__(self)
        if self.values < TWO or self.values.denominator != 1:
            raise ParameterError("values", "are not a whole number from 2 on", "say how many answers there are")


@dataclass(frozen=True, slots=True)
class MedianResponse(PositiveFields):
    """A median, selected by the exponential mechanism at sensitivity 1, and then a randomized response of k answers that follow from it.

    One event, because one charge pays for both, and what was kept of both is read again at no cost.

    Attributes:
        median_epsilon: Of the median.
        response_epsilon: Of all answers together.
        values: k, a whole number.
    """

    name: ClassVar[str] = "median and randomized response"
    replacement_factor: ClassVar[Fraction] = ANY
    median_epsilon: Fraction
    response_epsilon: Fraction
    values: Fraction = TWO

    def __post_init__(self) -> None:
        PositiveFields.__post_init__(self)
        RandomizedResponse(self.response_epsilon, self.values)

    @property
    def cost(self) -> Epsilon:
        """Pure DP of median and answers together: sequential composition."""
        return Epsilon(self.median_epsilon + self.response_epsilon)


@dataclass(frozen=True, slots=True)
class StoredResponse(_OfEpsilon):
    """What is made of a randomized response that was drawn before and kept: nothing is drawn, and no answer is read again.

    With all else that is made of the same response it is post-processing of one draw. So it is epsilon-DP as that is, and both together are
    no more than epsilon. Whoever does not hold the charge that paid for the response counts it like any mechanism of that epsilon.

    Attributes:
        epsilon: Of the response.
        charge: The event of the ledger that paid for it: a whole number.
    """

    name: ClassVar[str] = "stored randomized response"
    replacement_factor: ClassVar[Fraction] = ANY
    epsilon: Fraction
    charge: Fraction


@dataclass(frozen=True, slots=True)
class PureDP(_Replaceable, _OfEpsilon):
    """A mechanism of which nothing more is known than that it is pure DP, at the cost epsilon."""

    name: ClassVar[str] = "pure DP"
    epsilon: Fraction
    replacement_factor: Fraction = ANY


@dataclass(frozen=True, slots=True)
class ZCDP(_Replaceable):
    """A mechanism of which nothing more is known than that it is zero-concentrated DP, at the cost rho."""

    name: ClassVar[str] = "zCDP"
    rho: Fraction
    replacement_factor: Fraction = ANY

    @property
    def cost(self) -> Rho:
        """What is known."""
        return Rho(self.rho)


Event: TypeAlias = (
    DiscreteLaplaceNoise
    | DiscreteGaussianNoise
    | LatticeNoise
    | ExponentialMechanism
    | PermuteAndFlip
    | RandomizedResponse
    | MedianResponse
    | StoredResponse
    | PureDP
    | ZCDP
)
EVENTS: Final[Mapping[str, type[Event]]] = {kind.name: kind for kind in get_args(Event)}
"""Every kind of event by its name."""


_DECLARING: Final = (DiscreteLaplaceNoise, DiscreteGaussianNoise, PureDP, ZCDP)


def factor_of_bounds(low: Exact, high: Exact) -> Fraction:
    """The replacement factor of the sum of one term of each unit, from `low` to `high`: max(2, (high - low)^2/max(low^2, high^2)).

    A replacement moves the sum by at most high - low, and by at most the larger of the two bounds where their signs are the same; an
    event's sensitivity is the larger of their absolute values. Below 2 is none, as of every factor.

    >>> [str(factor_of_bounds(low, high)) for low, high in ((0, 10), (-3, 10), (-10, 10), (-5, 10), (3, 10))]
    ['2', '2', '4', '9/4', '2']
    """
    least, most = exact(low, field="low"), exact(high, field="high")
    if least > most or least == most == 0:
        raise ParameterError("low", "is above high, or both are 0", "give the bounds of a term")
    return max(MONOTONE, (most - least) ** 2 / max(least**2, most**2))


def noise_event(
    noise: Distribution, sensitivity: Exact = 1, replacement_factor: Fraction = ANY
) -> DiscreteLaplaceNoise | DiscreteGaussianNoise:
    """Noise of a distribution on counts whose neighbours differ by at most `sensitivity` in its norm: L1, or L2 for the Gaussian.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> noise_event(DiscreteGaussian(Fraction(50)), 3).cost
    rho 0.09
    """
    most = positive(sensitivity, field="sensitivity")
    if isinstance(noise, DiscreteLaplace):
        return DiscreteLaplaceNoise(noise.scale, most, replacement_factor)
    return DiscreteGaussianNoise(noise.sigma_squared, most**2, replacement_factor)


def known_cost(cost: Cost, replacement_factor: Fraction = ANY) -> PureDP | ZCDP:
    """The event of which only a cost is known, and what a replacement costs."""
    return (PureDP if isinstance(cost, Epsilon) else ZCDP)(cost.amount, replacement_factor)


def without_factor(event: Event) -> Event:
    """The event without what is declared of replacements, as events were stated before that was."""
    return replace(event, replacement_factor=ANY) if isinstance(event, _DECLARING) else event


def written(event: Event) -> dict[str, str]:
    """An event as JSON: the name of its mechanism, and each of its numbers as an exact rational; a factor only where one was declared.

    >>> written(DiscreteLaplaceNoise(Fraction(45, 2)))
    {'mechanism': 'discrete Laplace noise', 'scale': '45/2', 'l1_sensitivity': '1'}
    """
    numbers = {each.name: getattr(event, each.name) for each in fields(event)}
    if event.replacement_factor == ANY:
        numbers.pop("replacement_factor", None)
    if isinstance(event, RandomizedResponse) and event.values == TWO:
        del numbers["values"]
    return {"mechanism": event.name} | {name: str(number) for name, number in numbers.items()}


def read(fields: Mapping[str, str], number: Callable[[str], Fraction] = Fraction) -> Event:
    """The event that was written, its rationals read by `number`; raises KeyError, TypeError, ValueError, AttributeError or ParameterError
    where it is none.
    """
    numbers = {name: number(text) for name, text in fields.items() if name != "mechanism"}
    return EVENTS[fields["mechanism"]](**numbers)
