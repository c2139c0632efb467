"""The exact distribution of a number of a group whose stages are combined: of its total, a sex, or a cell.

A group of k cells has the stage-1 total S = N + Z and the sum Y = N + E of its cells. Its total becomes Y + C with C = round(a (S - Y)),
halves away from 0, and the first j cells together get round(j C/k) of C (inference/combined.py). So a run of cells from `first` to `stop`,
whose own draws add up to e, errs by

    e + part(C),  part(C) = round(stop C/k) - round(first C/k),  C = round(a (D - e)),  D = Z - the draws of all other cells,

and D and e are independent. For each e those C are added up that keep the number within its margin: all whose part is by more than one
person within, since part(C) is within one person of (stop - first) C/k; and of the few at the edge those that are. C is at least c exactly
when D reaches a bound that grows with c, so each C has a difference of two tails of D. A condition on the branch is one on Z.

Probabilities are listed to float precision; what they may be off is SLACK, by which `beyond` is too high, never too low.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from starling.privacy.compiled import compiled
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.probability_mass import Floats, probability_mass
from starling.tables.plan.variants import StageNoise

FINEST: Final = 10_000
"""Largest denominator of a weight: the variance is then within one part in 10^4 of the least."""
SLACK: Final = 1e-12
"""What sums of listed probabilities may be off; every bound is kept by so much more."""
LEAST: Final = 1e-18
"""Values of a draw that are less likely are taken to miss, and those of the others together are cut off there."""


@lru_cache(maxsize=256)
def variance(distribution: Distribution) -> Fraction:
    """The variance of one draw, to float precision, the same on every machine."""
    return Fraction(probability_mass(distribution).variance)


def stage1_weight(stage_noise: StageNoise, cells: int) -> Fraction:
    """The share a of the stage-1 total in the estimate, for a group of `cells` stage-2 values; a rational in [0, 1).

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> rho = Fraction(1, 100)
    >>> stage_noise = StageNoise(*(DiscreteGaussian(1 / (2 * share * rho)) for share in (1, Fraction(1, 10), Fraction(9, 10))))
    >>> [str(stage1_weight(stage_noise, cells)) for cells in (1, 8, 18, 46)]
    ['1/10', '8/17', '2/3', '46/55']
    """
    second = cells * variance(stage_noise.stage2)
    if not second:
        return Fraction(0)  # so little noise that a float holds none of it
    return (second / (variance(stage_noise.stage1) + second)).limit_denominator(FINEST)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring cells of a group, which a published number is the sum of.

    Attributes:
        cells: How many cells the group has: 1, 8, 18 or 46.
        stop: One past the last cell of the run.
    """

    cells: int
    first: int
    stop: int


def beyond(stage_noise: StageNoise, run: Run, margin: int, low: int | None = None, high: int | None = None) -> float:
    """P(low <= Z < high, and the number errs by more than `margin`), rounded up.

    Args:
        stage_noise: The noise of one group of the level.
        run: The cells that the number is the sum of.
        margin: The margin in persons, 0 or more.
        low: The noise of the stage-1 total is at least this; without it, whatever it is.
        high: The noise of the stage-1 total is below this; without it, whatever it is.

    Raises:
        ParameterError: a distribution is too wide to be listed.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> stage_noise = StageNoise(*(DiscreteGaussian(Fraction(s)) for s in (90, 900, 100)))
    >>> [round(beyond(stage_noise, Run(46, *run), 50), 4) for run in ((0, 46), (0, 23), (0, 1))]
    [0.0657, 0.1674, 0.0]
    """
    weight = stage1_weight(stage_noise, run.cells)
    own = probability_mass(stage_noise.stage2, run.stop - run.first)
    start, mass = _others(stage_noise, run.cells - (run.stop - run.first), low, high)
    above = np.append(np.cumsum(mass[::-1])[::-1], 0.0)
    share = (weight.numerator, weight.denominator)
    return min(_outside(own.mass, above, start, *share, run.cells, run.first, run.stop, margin) + SLACK, 1.0)


@lru_cache(maxsize=64)
def _others(stage_noise: StageNoise, cells: int, low: int | None, high: int | None) -> tuple[int, Floats]:
    """The distribution of Z, in its range, less `cells` draws of stage 2: its first value, and P(D = d) from there."""
    first, mass = _trimmed(stage_noise.stage1, 1)
    bottom = max(0 if low is None else low - first, 0)
    top = max(len(mass) if high is None else min(high - first, len(mass)), bottom)
    first, mass = first + bottom, mass[bottom:top]
    if not cells or not len(mass):
        return first, mass
    least, other = _trimmed(stage_noise.stage2, cells)
    return first + least, np.convolve(mass, other)


def _trimmed(distribution: Distribution, terms: int) -> tuple[int, Floats]:
    """The distribution of a sum of draws where it is likely enough: its first value, and the probabilities."""
    listed = probability_mass(distribution, terms)
    reach = int(np.count_nonzero(listed.above[listed.last :] > LEAST))
    return -reach, listed.mass[max(listed.last - reach, 0) : listed.last + reach + 1]


@compiled
def _rounded(numerator: int, denominator: int) -> int:
    """To the nearest integer, halves away from 0."""
    nearest = (2 * abs(numerator) + denominator) // (2 * denominator)
    return nearest if numerator >= 0 else -nearest


@compiled
def _from(above: Floats, start: int, e: int, c: int, numerator: int, denominator: int) -> float:
    """P(round(numerator/denominator (D - e)) >= c), by the tail of D, which begins at `start` and ends with 0."""
    if numerator == 0:
        return above[0] if c <= 0 else 0.0
    half, two = denominator * (2 * c - 1), 2 * numerator
    # At c - 1/2 the half is rounded up where it is above 0, and down where it is below.
    least = e - (-half // two) if c > 0 else e + half // two + 1
    return float(above[min(max(least - start, 0), len(above) - 1)])


@compiled
def _outside(
    own: Floats,
    above: Floats,
    start: int,
    numerator: int,
    denominator: int,
    cells: int,
    first: int,
    stop: int,
    margin: int,
) -> float:
    """P(|e + part(C)| > margin) with D in its range."""
    chance, width, reach = 0.0, stop - first, len(own) // 2
    for position in range(len(own)):
        e = position - reach
        if own[position] < LEAST:
            chance += own[position] * above[0]
            continue
        # Beyond these the number is outside; between those, inside.
        low, high = -((margin + 1 + e) * cells // width) - 1, (margin + 1 - e) * cells // width + 1
        sure_low, sure_high = -((margin - 1 + e) * cells // width), (margin - 1 - e) * cells // width
        inside = 0.0
        c = low
        while c <= high:
            if c == sure_low and sure_low <= sure_high:
                inside += _from(above, start, e, c, numerator, denominator)
                c = sure_high + 1
                inside -= _from(above, start, e, c, numerator, denominator)
                continue
            if abs(e + (_rounded(stop * c, cells) - _rounded(first * c, cells))) <= margin:
                inside += _from(above, start, e, c, numerator, denominator)
                inside -= _from(above, start, e, c + 1, numerator, denominator)
            c += 1
        chance += own[position] * (above[0] - inside)
    return chance


def runs(cells: int, width: int) -> Sequence[Run]:
    """All numbers of a group that are sums of `width` cells: its total, its sexes or its cells."""
    return [Run(cells, first, first + width) for first in range(0, cells, width)]
