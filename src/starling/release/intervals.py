"""Sums, differences and ratios of released numbers, with intervals: public in, public out, of any domain.

A released number is a `Value`: what was published, and how far it may be from the truth. Most are linear in independent draws of known
distributions: truth plus the sum of weight times draw. Draws have names, so that two numbers that share some (a total and one of its
cells) are not taken for independent: their difference holds the draws that are left. The interval of any weighted sum is then computed
from the distributions (privacy/distributions/convolution.py), not from an approximation by a normal distribution.

Cells of one group, and groups that were made to add up, share noise (shared_noise.py).

Ratios. The interval of a/b is those r at which a - r b may be 0: at which |a - r b| is within the margin of the noise in A - r B (Fieller
1954, with that margin from the distributions). It covers with at least the stated probability. Where b may be 0, so may the
interval be all numbers: it is then refused.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, frexp, fsum, inf, isfinite, nextafter, sqrt
from numbers import Rational
from typing import Final, TypeAlias

from starling.errors import ParameterError
from starling.pages.parts import Headline
from starling.privacy.budget import Exact, exact
from starling.privacy.distributions.convolution import Part, sum_margin
from starling.privacy.distributions.deviations import UNIT
from starling.privacy.distributions.discrete import Distribution
from starling.release.codec import Json
from starling.release.session import html, plain, public
from starling.release.shared_noise import Cells, Draws, Estimates, Linked, beyond_one
from starling.release.text import rounded

CONFIDENCE: Final = Fraction(95, 100)
PRECISION: Final = 1e-4
"""The precision of the ends of a ratio, relative to its width."""
_HALVINGS: Final = 128
"""At most, of the first step: an end that is nearer is stated as that near."""

Number: TypeAlias = int | float
"""A plain number of Python: an integer where it is whole."""


@dataclass(frozen=True, slots=True, repr=False)
class Value:
    """A number of a release, or what was made of some.

    Released numbers are added with `+` and `sum`, subtracted with `-`, multiplied by known numbers with `*`, and divided with `/`:
    divided by a known number they are released numbers, by another released number a `Ratio`.

    Attributes:
        exact: The number, as an exact fraction; `estimate` is the same as a plain number.
        draws: By its name, the distribution of each independent draw in it, and its weight.
        cells: Each group of cells in it, and the weight of each cell.
        whole: Whether the truth is a whole number of persons, so that ends may be rounded inwards.
        least: The truth is no less, as of any count: ends below it are cut there, which loses no coverage. None where it may be anything.
    """

    exact: Fraction
    draws: Draws = field(default_factory=dict)
    cells: Mapping[Cells | Linked, tuple[Fraction, ...]] = field(default_factory=dict)
    whole: bool = True
    least: Fraction | None = field(default=None, compare=False)

    @property
    def estimate(self) -> Number:
        """The number as it was published, or made of published ones."""
        return plain(self.exact)

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of the noise in it, roundings included, but for those of estimates that were made to add up.

        Where roundings are of numbers that share draws, it is the most that it can be, and the number's `repr` says so.
        """
        return self._spread()[0]

    def _spread(self) -> tuple[float, bool]:
        """The standard deviation, and whether it is exact."""
        deviation, known = self._spread_apart()
        linked = self._linked()
        if not linked:
            return deviation, known
        variances = [estimates.variance(weights) for estimates, weights in linked.items()]
        return sqrt(fsum([deviation * deviation, *variances])), known

    def _spread_apart(self) -> tuple[float, bool]:
        """The same of what was not made to add up."""
        draws, slack = self._drawn()
        apart = [(group, weights) for group, weights in self.cells.items() if not isinstance(group, Linked)]
        parts = [self.draws, *(group.draws(weights) for group, weights in apart)]
        if len({name for part in parts for name in part}) < sum(map(len, parts)):
            # Parts share draws: what is linear in them is known together, and a rounding deviates by no more than it moves.
            return sqrt(sum(part.variance for part in _parts(draws))) + float(slack), False
        known = sum(part.variance for part in _parts(self.draws))
        known += sum(group.variance(weights) for group, weights in apart)
        return sqrt(known), True

    def _drawn(self) -> tuple[Draws, Fraction]:
        """All draws in what was not made to add up, and what roundings may have added at most."""
        draws, slack = dict(self.draws), Fraction(0)
        for group, weights in self.cells.items():
            if not isinstance(group, Linked):
                _add(draws, group.draws(weights))
                slack += group.slack(weights)
        return draws, slack

    def _linked(self) -> dict[Estimates, dict[Hashable, tuple[Fraction, ...]]]:
        """Of estimates that were made to add up, the weights of the cells of each group."""
        linked: dict[Estimates, dict[Hashable, tuple[Fraction, ...]]] = defaultdict(dict)
        for group, weights in self.cells.items():
            if isinstance(group, Linked):
                linked[group.estimates][group.group] = weights
        return linked

    @property
    def lower(self) -> Number:
        """The lower end of its 95 % interval, included."""
        return self.interval()[0]

    @property
    def upper(self) -> Number:
        """The upper end of its 95 % interval, included."""
        return self.interval()[1]

    def margin(self, confidence: Exact = CONFIDENCE) -> Number:
        """Half the width of its interval, before ends are rounded inwards to whole persons.

        Raises:
            ParameterError: the confidence is not between 0 and 1.
        """
        sure = exact(confidence, field="confidence")
        if not 0 < sure < 1:
            raise ParameterError("confidence", "is not between 0 and 1", 'give a chance such as "0.95"')
        draws, slack = self._drawn()
        linked = self._linked()
        if not linked:
            return _outward(sum_margin(_parts(draws), 1 - sure) + slack, inf)
        deviations = max(estimates.deviations(1 - sure, weights) for estimates, weights in linked.items())
        half = deviations * self.standard_deviation
        step = max(estimates.step(weights) for estimates, weights in linked.items())
        step = max([step, *(UNIT * float(abs(weight)) for _, weight in draws.values())])
        if self.whole and fsum(estimates.most_moved(weights) for estimates, weights in linked.items()) <= 1:
            return self._in_whole(half, step, 0.0)
        moved = abs(fsum(estimates.moved(weights) for estimates, weights in linked.items()))
        return self._in_whole(half, step, moved) if self.whole else half + step + moved

    def _in_whole(self, half: float, step: float, moved: float) -> Number:
        """The margin of a number of whole persons: what rounding moved it is less than a person, or known."""
        beyond, reached = int(beyond_one(moved)), half + step
        # A number that is published whole has the whole numbers within it; any other is as far off as it may be.
        return beyond + max(ceil(half), floor(reached) if self.exact.denominator == 1 else reached)

    def interval(self, confidence: Exact = CONFIDENCE) -> tuple[Number, Number]:
        """Lower and upper end, both included: the truth is between them with at least this probability.

        Over all outcomes of the noise; not given which numbers were published, or in how much detail.

        Raises:
            ParameterError: the confidence is not between 0 and 1.
        """
        half = Fraction(self.margin(confidence))
        low, high = self.exact - half, self.exact + half
        if self.least is not None:
            low, high = max(low, self.least), max(high, self.least)
        return (ceil(low), floor(high)) if self.whole else (_outward(low, -inf), _outward(high, inf))

    def ratio(self, other: "Value", confidence: Exact = CONFIDENCE) -> "Ratio":
        """This number over another, with the interval of all r for which this less r times the other may be 0; `/` gives it at 95 %.

        Raises:
            ParameterError: the other number may be 0 or below, as far as its interval says.

        >>> from starling.privacy.distributions.discrete import DiscreteGaussian
        >>> noise = DiscreteGaussian(Fraction(25))
        >>> men, women = (Value(Fraction(count), {name: (noise, Fraction(1))}) for name, count in (("m", 400), ("w", 600)))
        >>> men / (men + women)
        0.4 (95 % interval 0.3929 to 0.407)
        """
        if other.exact <= other.margin(confidence):
            raise ParameterError(
                "divisor", "may be 0, so that the ratio may be any number", "divide by a larger number"
            )
        middle = self.exact / other.exact

        def may_be(r: Fraction) -> bool:
            apart = self - other.times(r)
            return abs(apart.exact) <= apart.margin(confidence)

        widest = max(self.standard_deviation, other.standard_deviation * abs(float(middle)), 1e-9)
        # A power of two, whose halves stay short.
        step = Fraction(2) ** frexp(widest / float(other.exact))[1]
        low, high = (_end(may_be, middle, sign * step) for sign in (-1, 1))
        return Ratio(float(middle), float(low), float(high), exact(confidence, field="confidence"))

    def times(self, factor: Fraction | int) -> "Value":
        """The number multiplied by a known one."""
        factor = Fraction(factor)
        return Value(
            self.exact * factor,
            {name: (distribution, weight * factor) for name, (distribution, weight) in self.draws.items() if factor},
            {group: tuple(weight * factor for weight in weights) for group, weights in self.cells.items() if factor},
            self.whole and factor.denominator == 1,
            None if self.least is None or factor < 0 else self.least * factor,
        )

    def __add__(self, other: object) -> "Value":
        if isinstance(other, Value):
            return total([self, other])
        known = _known(other)
        return (
            NotImplemented if known is None else total([self, Value(known, whole=known.denominator == 1, least=known)])
        )

    __radd__ = __add__

    def __neg__(self) -> "Value":
        return self.times(-1)

    def __sub__(self, other: object) -> "Value":
        if isinstance(other, Value):
            return total([self, -other])
        known = _known(other)
        return NotImplemented if known is None else self + -known

    def __rsub__(self, other: object) -> "Value":
        return -self + other

    def __mul__(self, other: object) -> "Value":
        known = _known(other)
        return NotImplemented if known is None else self.times(known)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "Value | Ratio":
        if isinstance(other, Value):
            return self.ratio(other)
        known = _known(other)
        if known is None:
            return NotImplemented
        if not known:
            raise ParameterError("divisor", "is 0", "divide by another number")
        return self.times(1 / known)

    def headline(self, label: str) -> Headline:
        """This number as a page shows it first, with its 95 % interval."""
        low, high = self.interval()
        number, *ends = (f"{each:,}" if isinstance(each, int) else rounded(each) for each in (self.estimate, low, high))
        return Headline(label, number, f"95 % interval: {' to '.join(ends)}")

    def __repr__(self) -> str:
        """For a session: the number, its 95 % interval, and the standard deviation of its noise."""
        return f"{rounded(self.estimate)} ({', '.join(f'{name} {words}' for name, words in self._facts())})"

    def _repr_html_(self) -> str:
        return html("A released number", [("estimate", rounded(self.estimate)), *self._facts()])

    def to_reply(self, confidence: Exact = CONFIDENCE) -> dict[str, Json]:
        """The number as JSON, with its standard deviation and its interval; raises ParameterError as `interval`."""
        low, high = self.interval(confidence)
        return {
            "estimate": self.estimate,
            "standard_deviation": self.standard_deviation,
            "lower": low,
            "upper": high,
        }

    def _facts(self) -> list[tuple[str, str]]:
        low, high = self.interval()
        deviation, known = self._spread()
        words = f"{'' if known else 'at most '}{rounded(deviation)}"
        return [("95 % interval", f"{rounded(low)} to {rounded(high)}"), ("standard deviation", words)]

    def __dir__(self) -> list[str]:
        return public(self)


def _parts(draws: Draws) -> list[Part]:
    grouped: dict[tuple[Distribution, Fraction], int] = defaultdict(int)
    for distribution, weight in draws.values():
        # Noise is symmetric about 0.
        grouped[distribution, abs(weight)] += 1
    return [Part(distribution, terms, weight) for (distribution, weight), terms in grouped.items() if weight]


def _end(may_be: Callable[[Fraction], bool], middle: Fraction, step: Fraction) -> Fraction:
    """The end of a ratio's interval in the direction of the first step, to within PRECISION of its distance."""
    near, far = Fraction(0), step
    while may_be(middle + far):
        near, far = far, 2 * far
        if abs(far) > 2**40 * abs(step):
            raise ParameterError("divisor", "may be 0", "divide by a larger number")
    for _ in range(_HALVINGS):
        if abs(far - near) <= Fraction(PRECISION) * abs(far):
            break
        half = (near + far) / 2
        near, far = (half, far) if may_be(middle + half) else (near, half)
    return middle + far


def _add(draws: dict[Hashable, tuple[Distribution, Fraction]], more: Draws) -> None:
    """Add the weights of draws to those of the same names; a draw of weight 0 is none."""
    for name, (distribution, weight) in more.items():
        total = weight + (draws[name][1] if name in draws else 0)
        draws[name] = (distribution, total)
        if not total:
            del draws[name]


def _known(number: object) -> Fraction | None:
    """A known number, exactly; None for anything else, of which Python then says that it cannot be added."""
    if isinstance(number, Rational) or (isinstance(number, float) and isfinite(number)):
        return Fraction(number)
    return None


def _outward(number: Fraction, towards: float) -> Number:
    """A plain number that is no nearer to the estimate than the exact one."""
    near = plain(number)
    inside = near < number if towards > 0 else near > number
    return nextafter(near, towards) if inside else near


def total(values: Iterable[Value]) -> Value:
    """The sum of released numbers, with an interval that knows which noise they share: what `sum` and `+` give.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> noise = DiscreteGaussian(Fraction(25))
    >>> men, women = (Value(Fraction(count), {name: (noise, Fraction(1))}) for name, count in (("m", 40), ("w", 60)))
    >>> total([men, women])
    100 (95 % interval 86 to 114, standard deviation 7.071)
    >>> men - women
    -20 (95 % interval -34 to -6, standard deviation 7.071)
    >>> men + women - men == women
    True
    """
    estimate, whole = Fraction(0), True
    least: Fraction | None = Fraction(0)
    draws: dict[Hashable, tuple[Distribution, Fraction]] = {}
    cells: dict[Cells | Linked, tuple[Fraction, ...]] = {}
    for value in values:
        estimate, whole = estimate + value.exact, whole and value.whole
        least = None if least is None or value.least is None else least + value.least
        _add(draws, value.draws)
        for group, weights in value.cells.items():
            before = cells.get(group)
            cells[group] = weights if before is None else tuple(a + b for a, b in zip(before, weights, strict=True))
    left = {group: weights for group, weights in cells.items() if any(weights)}
    return Value(estimate, draws, left, whole, least)


@dataclass(frozen=True, slots=True, repr=False)
class Ratio:
    """A ratio of two released numbers.

    Attributes:
        estimate: The published number over the published number.
        lower: The lower end of its interval, included.
        upper: The upper end of its interval, included.
        confidence: The chance, or more, with which the interval holds the ratio of the true numbers.
    """

    estimate: float
    lower: float
    upper: float
    confidence: Fraction = CONFIDENCE

    def __repr__(self) -> str:
        """For a session: the ratio and its interval."""
        return f"{rounded(self.estimate)} ({' '.join(self._interval())})"

    def _repr_html_(self) -> str:
        return html("A ratio of released numbers", [("estimate", rounded(self.estimate)), self._interval()])

    def to_reply(self) -> dict[str, Json]:
        """The ratio as JSON, with its interval."""
        return {"estimate": self.estimate, "lower": self.lower, "upper": self.upper}

    def _interval(self) -> tuple[str, str]:
        return f"{float(100 * self.confidence):g} % interval", f"{rounded(self.lower)} to {rounded(self.upper)}"

    def __dir__(self) -> list[str]:
        return public(self)


__all__ = ["CONFIDENCE", "Ratio", "Value", "total"]
