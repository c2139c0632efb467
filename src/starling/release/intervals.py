"""Sums, differences and ratios of released numbers, with intervals: public in, public out, of any domain.

A released number is a `Value`: what was published, and how far it may be from the truth. Most are linear in independent draws of known
laws: truth plus the sum of weight times draw, plus a rounding of known bound. Draws have names, so that two numbers that share
some (a total and one of its cells) are not taken for independent: their difference holds the draws that are left. The interval of
any weighted sum is then computed from the laws (privacy/sums.py), not from an approximation by a normal law.

Where only a standard deviation is known (estimates that were made to add up share draws in ways that are not shipped), deviations are
added as they are, which is the most that a sum's can be (Minkowski), and the margin at 95 % is LOOSE of it. For any symmetric
law with log-concave density, P(|X| > t) = p implies a variance of at least 2 (1 - p + p ln p) t^2 / (ln p)^2, since P(|X| > u) >=
p^(u/t) for u <= t; at p = 1/20 that is t <= 2.37 deviations.

Ratios. The interval of a/b is those r at which a - r b may be 0: at which |a - r b| is within the margin of the noise in A - r B (Fieller
1954, with that margin from the laws). It covers with at least the stated probability. Where b may be 0, so may the
interval be all numbers: it is then refused.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, sqrt
from typing import Final

from starling.errors import ParameterError
from starling.privacy.budget import Exact, exact
from starling.privacy.laws import Law
from starling.privacy.sums import Part, sum_margin

CONFIDENCE: Final = Fraction(95, 100)
LOOSE: Final = Fraction(237, 100)
"""Deviations that hold 95 % of any symmetric log-concave law."""
PRECISION: Final = 1e-4
"""Of the ends of a ratio, relative to its width."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a release, or what was made of some.

    Attributes:
        estimate: The number.
        draws: By its name, the law of each independent draw in it, and its weight.
        slack: What roundings may have added, at most.
        deviation: Of further noise, of which only its standard deviation is known; 0 for most.
        whole: Whether the truth is a whole number of persons, so that ends may be rounded inwards.
    """

    estimate: Fraction
    draws: Mapping[Hashable, tuple[Law, Fraction]] = field(default_factory=dict, repr=False)
    slack: Fraction = Fraction(0)
    deviation: float = 0.0
    whole: bool = True

    @property
    def standard_deviation(self) -> float:
        """Of all noise in it; roundings apart."""
        return sqrt(sum(part.variance for part in self._parts())) + self.deviation

    def margin(self, confidence: Exact = CONFIDENCE) -> Fraction:
        """Half the width of its interval.

        Raises:
            ParameterError: the confidence is not between 0 and 1, or another than 95 % where only a deviation is known.
        """
        sure = exact(confidence, field="confidence")
        if not 0 < sure < 1:
            raise ParameterError(
                field="confidence", problem="is not between 0 and 1", fix='give a chance such as "0.95"'
            )
        if self.deviation and sure != CONFIDENCE:
            problem = "is not 95 %, and of these numbers only the standard deviation is known"
            raise ParameterError(field="confidence", problem=problem, fix="leave it out")
        return sum_margin(self._parts(), 1 - sure) + self.slack + LOOSE * Fraction(self.deviation)

    def interval(self, confidence: Exact = CONFIDENCE) -> tuple[Fraction, Fraction]:
        """Lower and upper end, both included: the truth is between them with at least this probability.

        Over all outcomes of the noise; not given which numbers were published, or in how much detail.
        """
        half = self.margin(confidence)
        low, high = self.estimate - half, self.estimate + half
        return (Fraction(ceil(low)), Fraction(floor(high))) if self.whole else (low, high)

    def times(self, factor: Fraction | int) -> "Value":
        """The number, multiplied."""
        factor = Fraction(factor)
        return Value(
            self.estimate * factor,
            {name: (law, weight * factor) for name, (law, weight) in self.draws.items() if factor},
            self.slack * abs(factor),
            self.deviation * abs(float(factor)),
            self.whole and factor.denominator == 1,
        )

    def _parts(self) -> list[Part]:
        grouped: dict[tuple[Law, Fraction], int] = defaultdict(int)
        for law, weight in self.draws.values():
            # Noise is symmetric about 0.
            grouped[law, abs(weight)] += 1
        return [Part(law, terms, weight) for (law, weight), terms in grouped.items() if weight]


def total(values: Iterable[Value]) -> Value:
    """The sum of released numbers.

    >>> from starling.privacy.laws import DiscreteGaussian
    >>> noise = DiscreteGaussian(Fraction(25))
    >>> men, women = (Value(Fraction(count), {name: (noise, Fraction(1))}) for name, count in (("m", 40), ("w", 60)))
    >>> both = total([men, women])
    >>> int(both.estimate), [int(end) for end in both.interval()], [int(end) for end in men.interval()]
    (100, [86, 114], [30, 50])
    """
    estimate, slack, deviation, whole = Fraction(0), Fraction(0), 0.0, True
    draws: dict[Hashable, tuple[Law, Fraction]] = {}
    for value in values:
        estimate, slack, deviation = estimate + value.estimate, slack + value.slack, deviation + value.deviation
        whole = whole and value.whole
        for name, (law, weight) in value.draws.items():
            before = draws[name][1] if name in draws else Fraction(0)
            draws[name] = (law, before + weight)
    return Value(estimate, {name: each for name, each in draws.items() if each[1]}, slack, deviation, whole)


def difference(a: Value, b: Value) -> Value:
    """a - b.

    >>> from starling.privacy.laws import DiscreteGaussian
    >>> noise = DiscreteGaussian(Fraction(25))
    >>> men, women = (Value(Fraction(count), {name: (noise, Fraction(1))}) for name, count in (("m", 40), ("w", 60)))
    >>> left = difference(total([men, women]), men)
    >>> left == women
    True
    """
    return total([a, b.times(-1)])


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two released numbers.

    Attributes:
        estimate: Published over published.
        lower: Of its interval, included.
        upper: "
    """

    estimate: float
    lower: float
    upper: float


def ratio(a: Value, b: Value, confidence: Exact = CONFIDENCE) -> Ratio:
    """a/b, with the interval of all r for which a - r b may be 0.

    Raises:
        ParameterError: b may be 0 or below, as far as its interval says.

    >>> from starling.privacy.laws import DiscreteGaussian
    >>> noise = DiscreteGaussian(Fraction(25))
    >>> men, women = (Value(Fraction(count), {name: (noise, Fraction(1))}) for name, count in (("m", 400), ("w", 600)))
    >>> found = ratio(men, total([men, women]))
    >>> found.estimate, round(found.lower, 3), round(found.upper, 3)
    (0.4, 0.393, 0.407)
    """
    if b.interval(confidence)[0] <= 0:
        raise ParameterError(
            field="b", problem="may be 0, so that the ratio may be any number", fix="divide by a larger number"
        )
    middle = a.estimate / b.estimate

    def may_be(r: Fraction) -> bool:
        apart = difference(a, b.times(r))
        return abs(apart.estimate) <= apart.margin(confidence)

    ends = []
    for sign in (-1, 1):
        step = Fraction(max(a.standard_deviation, b.standard_deviation * abs(float(middle)), 1e-9)) / b.estimate
        step = step.limit_denominator(10**9) or Fraction(1, 10**9)
        near, far = Fraction(0), step
        while may_be(middle + sign * far):
            near, far = far, 2 * far
            if far > 2**40 * step:
                raise ParameterError(field="b", problem="may be 0", fix="divide by a larger number")
        while far - near > Fraction(PRECISION) * far:
            half = ((near + far) / 2).limit_denominator(10**12)
            near, far = (half, far) if may_be(middle + sign * half) else (near, half)
        ends.append(middle + sign * far)
    return Ratio(float(middle), float(ends[0]), float(ends[1]))


__all__ = ["CONFIDENCE", "Ratio", "Value", "difference", "ratio", "total"]
