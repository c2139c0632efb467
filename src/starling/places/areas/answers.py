"""Numbers of points in any union of areas, and how far they may be off, exactly as the noise that is in them says.

A number is a weighted sum of estimates; its variance, and the part that each draw has in it, follow from the plan (hierarchy/trees.py).
Under rho such a sum is normal but for what is discrete in it. Under pure epsilon its interval is as wide as the largest part of one draw
makes it (privacy/distributions/deviations.py). Ends are rounded outwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, sqrt
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.hierarchy.trees import Floats, coefficients_of_sum
from starling.places.areas.measurements import variances
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Areas
from starling.planfile.spelling import did_you_mean
from starling.privacy.distributions.deviations import laplace_deviations, normal_deviations
from starling.release.codec import Json
from starling.release.session import Described
from starling.release.text import rounded

LEVEL: Final = Fraction(95, 100)
_ROUNDED: Final = 1 + 1e-9
"""A part of 1/n is one of n draws, whatever doubles make of it."""


@dataclass(frozen=True, slots=True, repr=False)
class Number(Described):
    """Points in a union of areas, or how many more there are in one slice than in another.

    Attributes:
        what: What is counted, for people.
        points: The estimate; it may be negative.
        deviation: The standard deviation of its noise.
        lower: With the probability of `level` the true number is no less,
        upper: and no more.
    """

    what: str
    points: float
    deviation: float
    lower: int
    upper: int
    level: Fraction = LEVEL

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("points", self.what),
            ("estimate", rounded(self.points)),
            (f"{float(100 * self.level):g} % interval", f"{self.lower:,} to {self.upper:,}"),
            ("standard deviation", rounded(self.deviation)),
        ]

    def as_json(self) -> Mapping[str, Json]:
        """What it says, for programs."""
        return {
            "what": self.what,
            "points": self.points,
            "standard_deviation": self.deviation,
            "lower": self.lower,
            "upper": self.upper,
            "level": str(self.level),
        }


def deviations(plan: AreasPlan, alpha: Fraction, draws: int = 1) -> float:
    """Deviations that hold all but `alpha` of a sum of so many equal draws, or of more and smaller ones."""
    return normal_deviations(alpha) if plan.measure == "rho" else laplace_deviations(alpha, draws)


def spread(plan: AreasPlan, weights: Floats, slices: int, alpha: Fraction) -> tuple[float, float]:
    """The standard deviation of a sum of areas with weights, float64 (areas,), and the half-width of its interval.

    Args:
        plan: The public plan.
        weights: Of the areas.
        slices: In how many slices they are added or taken away: 1 or 2, whose noise is independent.
        alpha: How often the interval may miss.
    """
    measured = variances(plan)
    wanted = [np.zeros_like(each) for each in measured[:-1]] + [weights[:, np.newaxis]]
    parts = [
        each * each * variance
        for each, variance in zip(
            coefficients_of_sum(measured, list(plan.areas.parents), wanted), measured, strict=True
        )
    ]
    one = float(sum(part.sum() for part in parts))
    most = max(float(part.max()) for part in parts)
    deviation = sqrt(slices * one)
    draws = max(int(slices * one / most * _ROUNDED), 1) if most > 0 else 1
    return deviation, deviation * deviations(plan, alpha, draws)


def number(
    plan: AreasPlan, points: Floats, weights: Floats, what: str, slices: int = 1, level: Fraction = LEVEL
) -> Number:
    """The number of a sum of areas: of their estimates, float64 (areas,), of one slice, or less those of another."""
    deviation, half = spread(plan, weights, slices, 1 - level)
    value = float((points * weights).sum())
    low = floor(value - half)
    return Number(what, value, deviation, low if slices > 1 else max(low, 0), max(ceil(value + half), 0), level)


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
