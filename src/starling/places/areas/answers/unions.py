"""Numbers of points in any union of areas, and how far they may be off, exactly as the noise that is in them says.

A number is a weighted sum of estimates; its variance, and the part that each draw has in it, follow from the plan (hierarchy/trees.py).
Under rho such a sum is normal but for what is discrete in it. Under pure epsilon its interval is as wide as the largest part of one draw
makes it (privacy/distributions/deviations.py, which also says why intervals have the variance of continuous twins, and a step). Ends are
rounded outwards, which is more than a step of whole points; of sums and means a step is added.

Of a difference of two means each has an interval that misses with half of the chance, so that both hold together (Bonferroni): the least of
one less the greatest of the other, and the other way round, are then its ends. It misses less often than is stated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from math import ceil, floor, isnan, sqrt
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.hierarchy.trees import Estimated, Floats, coefficients_of_sum
from starling.places.areas.answers.values import factors_of_points, factors_of_sum, means_of, possible_sums
from starling.places.areas.measurements import noises, variances
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Areas
from starling.planfile.spelling import did_you_mean
from starling.privacy.distributions.deviations import STEP, laplace_deviations, normal_deviations, twin_variance
from starling.release.codec import Json
from starling.release.session import Described, Part, attributes
from starling.release.text import outside_note, rounded

LEVEL: Final = Fraction(95, 100)
_ROUNDED: Final = 1 + 1e-9
"""A part of 1/n is one of n draws, whatever doubles make of it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A sum or a mean of a value.

    Attributes:
        estimate: The released one; None for a mean where less than half a point is released.
        lower: With the probability of the whole answer the true one is no less,
        upper: and no more.
    """

    estimate: float | None
    lower: float
    upper: float

    def __str__(self) -> str:
        shown = "none" if self.estimate is None else rounded(self.estimate)
        return f"{shown}, from {rounded(self.lower)} to {rounded(self.upper)}"


@dataclass(frozen=True, slots=True, repr=False)
class Number(Described):
    """Points in a union of areas, or how many more there are in one slice than in another; of a plan with a value their sum and mean too.

    Attributes:
        what: What is counted, for people.
        points: The estimate; it may be negative.
        deviation: The standard deviation of its noise.
        lower: With the probability of `level` the true number is no less,
        upper: and no more.
        sum: Of the value; None where the plan has none.
        mean: Of the value; None where the plan has none. Each interval holds on its own. Of a difference of releases sum and mean are there
            where both have the same column and bounds.
    """

    what: str
    points: float
    deviation: float
    lower: int
    upper: int
    level: Fraction = LEVEL
    sum: Interval | None = None
    mean: Interval | None = None

    @property
    def _of_value(self) -> dict[str, Interval]:
        return {name: each for name, each in (("sum", self.sum), ("mean", self.mean)) if each is not None}

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("points", self.what),
            ("estimate", rounded(self.points)),
            (f"{float(100 * self.level):g} % interval", f"{self.lower:,} to {self.upper:,}"),
            ("standard deviation", rounded(self.deviation)),
            *((name, str(each)) for name, each in self._of_value.items()),
        ]

    def _parts(self) -> tuple[Part, ...]:
        intervals = ((each.estimate, each.lower, each.upper) for each in self._of_value.values())
        note = outside_note([(self.points, self.lower, self.upper), *intervals])
        return (note,) if note else ()

    def as_json(self) -> Mapping[str, Json]:
        """What it says, for programs."""
        return {
            **attributes(self, "what", "points", "standard_deviation=deviation", "lower", "upper"),
            "level": str(self.level),
            **{name: asdict(each) for name, each in self._of_value.items()},
        }


def deviations(plan: AreasPlan, alpha: Fraction, draws: int = 1) -> float:
    """Deviations that hold all but `alpha` of a sum of so many equal draws, or of more and smaller ones."""
    return normal_deviations(alpha) if plan.measure == "rho" else laplace_deviations(alpha, draws)


@dataclass(frozen=True, slots=True)
class Spread:
    """The noise of a sum of areas in one slice and layer.

    Attributes:
        variance: Of the whole.
        twin: Of the continuous twins of its draws.
        most: Of the twin that has most of it.
        weight: The largest that a draw has.
    """

    variance: float
    twin: float
    most: float
    weight: float

    def times(self, factors: Sequence[float]) -> "Spread":
        """The noise of a sum of such sums of independent noise, each times a factor."""
        squares = [factor * factor for factor in factors]
        return Spread(
            self.variance * sum(squares),
            self.twin * sum(squares),
            self.most * max(squares),
            self.weight * sqrt(max(squares)),
        )

    def and_of(self, other: "Spread") -> "Spread":
        """The noise of both, which is independent."""
        return Spread(
            self.variance + other.variance,
            self.twin + other.twin,
            max(self.most, other.most),
            max(self.weight, other.weight),
        )

    def alone(self, plan: AreasPlan, alpha: Fraction) -> tuple[float, float]:
        """The standard deviation, and the half-width of the interval that misses with the chance `alpha`, once ends are whole."""
        return sqrt(self.variance), sqrt(self.twin) * deviations(plan, alpha, self.draws)

    @property
    def draws(self) -> int:
        """Of how many draws none has more of the variance than the one that has most."""
        return max(int(self.twin / self.most * _ROUNDED), 1) if self.most > 0 else 1

    @property
    def step(self) -> float:
        """By how much more an interval reaches whose ends are not those of whole numbers."""
        return STEP * self.weight


def spread(plan: AreasPlan, weights: Floats) -> Spread:
    """The noise of a sum of areas with weights, float64 (areas,)."""
    measured = variances(plan)
    wanted = [np.zeros_like(each) for each in measured[:-1]] + [weights[:, np.newaxis]]
    squares = [each * each for each in coefficients_of_sum(measured, list(plan.areas.parents), wanted)]
    own = [square * variance for square, variance in zip(squares, measured, strict=True)]
    twins = [square * twin_variance(noise) for square, noise in zip(squares, noises(plan), strict=True)]
    return Spread(
        float(sum(part.sum() for part in own)),
        float(sum(part.sum() for part in twins)),
        max(float(part.max()) for part in twins),
        sqrt(max(float(square.max()) for square in squares)),
    )


def number(
    plan: AreasPlan,
    counted: Sequence[Floats],
    weights: Floats,
    what: str,
    level: Fraction = LEVEL,
    noise: Spread | None = None,
) -> Number:
    """The number of a sum of areas.

    Args:
        plan: The public plan.
        counted: The estimates of the areas, float64 (areas, layers), of one slice; or of it and of another, whose are taken away.
        weights: Of each area, float64 (areas,).
        what: What is counted, for people.
        level: The probability with which each interval holds the true number.
        noise: That of the sum, as `spread` has it, where it is known.
    """
    noise, slices = noise or spread(plan, weights), len(counted)
    by_area = counted[0] - counted[1] if slices > 1 else counted[0]
    whole = np.array([(layer * weights).sum() for layer in by_area.T])
    factors = factors_of_points(plan.value)
    deviation, half = noise.times(factors * slices).alone(plan, 1 - level)
    points = float(whole @ factors)
    low, high = floor(points - half), ceil(points + half)
    if slices == 1:  # A difference may be less than 0.
        low, high = max(low, 0), max(high, 0)
    answer = Number(what, points, deviation, low, high, level)
    if plan.value is None:
        return answer
    of_sum = factors_of_sum(plan.value)
    total, half = float(whole @ of_sum), noise.times(of_sum * slices).alone(plan, 1 - level)[1]
    half += noise.times(of_sum).step
    sides = np.array([float(floor(total - half)), float(ceil(total + half))])
    summed = Interval(total, *(sides if slices > 1 else possible_sums(plan.value, sides)).tolist())
    means = [_mean(plan, noise, layers, weights, (1 - level) / slices) for layers in counted]
    return replace(answer, sum=summed, mean=means[0] if slices == 1 else _mean_difference(*means))


def _mean(plan: AreasPlan, noise: Spread, layers: Floats, weights: Floats, alpha: Fraction) -> Interval:
    """The mean of a value in a sum of areas, from the estimates of both layers of the areas and the noise of one layer of the sum."""
    assert plan.value is not None
    both = Estimated((weights @ layers)[np.newaxis], np.full((1, 2), noise.twin))
    means = means_of(plan.value, both, deviations(plan, alpha, noise.draws), noise.step)
    mean, lower, upper = (float(each[0, 0]) for each in means)
    return Interval(None if isnan(mean) else mean, lower, upper)


def _mean_difference(one: Interval, other: Interval) -> Interval:
    """The difference of two means whose intervals hold together."""
    estimate = None if one.estimate is None or other.estimate is None else one.estimate - other.estimate
    return Interval(estimate, one.lower - other.upper, one.upper - other.lower)


def difference(
    plans: tuple[AreasPlan, AreasPlan],
    counted: tuple[Floats, Floats],
    weights: Floats,
    what: str,
    level: Fraction = LEVEL,
) -> Number:
    """How many more points one release has in a sum of areas than another; arguments as of `number`, of both releases.

    Raises:
        ParameterError: the releases are of other areas, or one has Laplace noise and the other Gaussian.
    """
    one, other = plans
    if one.areas != other.areas:
        raise ParameterError("minus_release", "is of other areas", "name a release of the same file of areas")
    if one.measure != other.measure:
        problem = f"is for {other.measure}, and the release for {one.measure}: their noise has no common interval"
        raise ParameterError("minus_release", problem, "name a release for the same measure")
    spreads = [spread(plan, weights) for plan in plans]

    def apart(factors: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
        """How much more of it there is here, its standard deviation, half the width of its interval, and its step."""
        here, there = (float(weights @ layers @ own) for layers, own in zip(counted, factors, strict=True))
        first, second = (noise.times(own) for noise, own in zip(spreads, factors, strict=True))
        both = first.and_of(second)
        return here - there, *both.alone(one, 1 - level), both.step

    points, deviation, half, _ = apart([factors_of_points(plan.value) for plan in plans])
    answer = Number(what, points, deviation, floor(points - half), ceil(points + half), level)
    if one.value is None or (one.value, one.columns.value) != (other.value, other.columns.value):
        return answer
    total, _, half, step = apart([factors_of_sum(one.value)] * 2)
    means = [
        _mean(plan, noise, layers, weights, (1 - level) / 2)
        for plan, noise, layers in zip(plans, spreads, counted, strict=True)
    ]
    summed = Interval(total, float(floor(total - half - step)), float(ceil(total + half + step)))
    return replace(answer, sum=summed, mean=_mean_difference(*means))


def areas_below(areas: Areas, names: Sequence[str]) -> Floats:
    """float64 (areas,): 1 for each area that is named, by its id, its name, or by a node above it, however often; else 0.

    Raises:
        ParameterError: nothing is called so, or a name is that of several nodes.
    """
    chosen = np.zeros(len(areas))
    for name in names:
        chosen[_below(areas, name)] = 1.0
    return chosen


def _below(areas: Areas, name: str) -> np.ndarray:
    if name in areas.ids:
        return np.array([areas.ids.index(name)])
    at = np.arange(len(areas))
    matches = []
    for nodes, parent in zip(areas.nodes[::-1], (None, *areas.parents[::-1]), strict=True):
        if parent is not None:
            at = parent[at]
        matches += [np.flatnonzero(at == node) for node, called in enumerate(nodes) if called == name]
    if len(matches) > 1 and any(not np.array_equal(matches[0], each) for each in matches):
        raise ParameterError("area", f"{name!r} is the name of {len(matches)} areas", "give the id of one")
    if not matches:
        known = {*areas.ids, *(each for nodes in areas.nodes for each in nodes)}
        raise ParameterError("area", f"{name!r} is none of the release", did_you_mean(name, known))
    return matches[0]
