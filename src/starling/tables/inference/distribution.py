"""The exact distribution of a published total, also given that and how its group was published.

A total is T = Y + round(a (S - Y)), Y = N + e the sum of a group's stage-2 values and S = N + z its stage-1 total (combined.py; a = 0
where stages are not combined). In t = T - N:  t = e + round(a (z - e)), which grows with e and with z. So for each z

    T - N >= m  exactly when  e >= need(m, z),

and P(T - N >= m) is one sum over z of P(z) P(e >= need(m, z)). What is conditioned on is a range of z and of e: the branch says
theta_b <= N + z < theta_(b+1); a bare total that could have been dropped says N + e > bar.

Given the branch and that the group is published, T is biased near a threshold, for all true sizes N by an amount that only N
decides (bench/thresholds.py). An interval that holds N with probability >= 1 - alpha given both, whatever N is (`ends`): those N
at which neither T >= t nor T <= t has a conditional probability of alpha/2 or less. Its coverage is that of a test inverted. It is an
interval: both kinds of noise have log-concave distributions, so given a fixed range of S or of Y the larger N makes S and Y stochastically
larger (monotone likelihood ratio), they stay independent, and T grows with both.

Without reuse stage 2 does not depend on the branch, so the plain interval holds given the branch; not given that a bare total
passed the bar.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from starling.privacy.compiled import compiled
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.probability_mass import Floats, probability_mass
from starling.tables.measurements import Int64

NEGLIGIBLE: Final = 1e-9
"""Where branch and publication are that certain, conditioning on them is left out, and alpha/2 is undercut by twice as much."""
FAR: Final = 10**15
"""A bound of noise that stands for none."""


@compiled
def _reach(
    mass: Floats, above: Floats, numerator: int, denominator: int, low: int, high: int, least: int, m: int
) -> tuple[float, float]:
    """P(low <= z < high, e >= least) with, and without, e + round(numerator/denominator (z - e)) >= m."""
    z_reach, e_reach = len(mass) // 2, len(above) // 2
    inside, chosen = 0.0, 0.0
    rest = 2 * (denominator - numerator)
    for z in range(max(low, -z_reach), min(high, z_reach + 1)):
        # e + a (z - e) >= m - 1/2, and at equality the half must be rounded up: z > e, or a whole number.
        need = -((2 * numerator * z - denominator * (2 * m - 1)) // rest)
        if need * rest == denominator * (2 * m - 1) - 2 * numerator * z and z <= need:
            need += 1
        need = max(need, least)
        if need <= e_reach:
            inside += mass[z + z_reach] * above[max(need + e_reach, 0)]
        chosen += mass[z + z_reach]
    if least > e_reach:
        return inside, 0.0
    return inside, chosen * above[max(least + e_reach, 0)]


@compiled
def _sweep(
    mass: Floats,
    above: Floats,
    numerator: int,
    denominator: int,
    low: int,
    high: int,
    bar: int,
    miss: float,
    first: int,
    both_ends: Int64,
) -> None:
    """Both ends, (2, totals), for first, first + 1, ...: neither falls as the total grows, so each is sought from the last."""
    # Below this, either no total is so high or nothing is chosen.
    start = max(first - max(len(mass), len(above)) // 2 - 2, 0)
    stop = start - 1
    for index in range(both_ends.shape[1]):
        total = first + index
        while True:
            inside, chosen = _reach(
                mass, above, numerator, denominator, low - start, high - start, bar + 1 - start, total - start
            )
            if inside > miss * chosen or (chosen == 0.0 and start > total):
                break
            start += 1
        stop = max(stop, start - 1)
        while True:
            n = stop + 1
            inside, chosen = _reach(mass, above, numerator, denominator, low - n, high - n, bar + 1 - n, total + 1 - n)
            if chosen - inside <= miss * chosen:
                break
            stop = n
        both_ends[0, index], both_ends[1, index] = start, max(start, stop)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is known of a group by what was published of it: the stage-1 total was at least `low` and below `high`, and the sum of the
    stage-2 values is above `bar`, each of which may be None.
    """

    low: int | None = None
    high: int | None = None
    bar: int | None = None

    @classmethod
    def of(cls, branch: int, thresholds: tuple[int, ...], bar: int | None) -> "Chosen":
        """What a branch says; only a bare total, branch 0, could have been dropped."""
        edges = (None, *thresholds, None)
        return cls(edges[branch], edges[branch + 1], bar if branch == 0 else None)

    def bounds(self) -> tuple[int, int, int]:
        """`low`, `high` and `bar` as numbers."""
        return (
            -FAR if self.low is None else self.low,
            FAR if self.high is None else self.high,
            -FAR if self.bar is None else self.bar,
        )


@dataclass(frozen=True, slots=True)
class TotalDistribution:
    """The distribution of T - N.

    Attributes:
        stage1: The distribution of the stage-1 total; not looked at if `weight` is 0 and nothing is conditioned on.
        stage2: The distribution of each stage-2 value.
        cells: How many stage-2 values the group has.
        weight: a, the share of the stage-1 total in T, in [0, 1).
    """

    stage1: Distribution
    stage2: Distribution
    cells: int
    weight: Fraction

    def chances(self, persons: int, chosen: Chosen, m: int) -> tuple[float, float]:
        """P(chosen, T >= persons + m) and P(chosen) for a group of true size `persons`."""
        low, high, bar = chosen.bounds()
        z, e = probability_mass(self.stage1), probability_mass(self.stage2, self.cells)
        share = (self.weight.numerator, self.weight.denominator)
        return _reach(z.mass, e.above, *share, low - persons, high - persons, bar + 1 - persons, m)

    def margin(self, alpha: Fraction, spare: float = 0.0) -> int:
        """The smallest M with P(|T - N| > M) <= alpha - spare, over all outcomes."""
        most = float(alpha) - spare
        return bisect_left(range(self.reach), True, key=lambda m: 2 * self.chances(0, Chosen(), m + 1)[0] <= most)

    @property
    def reach(self) -> int:
        """T - N is within it, but for a chance below 10^-30."""
        return max(probability_mass(self.stage1).last, probability_mass(self.stage2, self.cells).last)

    def covered(self, persons: int, chosen: Chosen, intervals: "Ends") -> float:
        """Probability that the interval of a group of `persons` holds that, given what was published of it; nan without a chance."""
        totals = np.arange(persons - self.reach, persons + self.reach + 1)
        lower, upper = intervals.of(totals)
        # Both ends grow with the total, so these totals are neighbours.
        holding = totals[(lower <= persons) & (persons <= upper)]
        if not len(holding):
            return 0.0
        above, chance = self.chances(persons, chosen, int(holding[0]) - persons)
        beyond, _ = self.chances(persons, chosen, int(holding[-1]) + 1 - persons)
        return (above - beyond) / chance if chance else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Intervals by the published total, for one kind of group.

    Attributes:
        margin: Where nothing near was chosen, the interval is the total plus and minus this.
        tables: Elsewhere: the first of the totals, and lower and upper end for it and those that follow.
    """

    margin: int
    tables: tuple[tuple[int, Int64, Int64], ...]

    def of(self, totals: Int64) -> tuple[Int64, Int64]:
        """Lower and upper end, both included, of each total: int64 of its shape. Never below 0, as no true size is."""
        lower, upper = totals - self.margin, totals + self.margin
        for first, low, high in self.tables:
            at = np.clip(totals - first, 0, len(low) - 1)
            inside = at == totals - first
            lower, upper = np.where(inside, low[at], lower), np.where(inside, high[at], upper)
        return np.maximum(lower, 0), np.maximum(upper, 0)


@lru_cache(maxsize=128)
def ends(distribution: TotalDistribution, chosen: Chosen, alpha: Fraction) -> Ends:
    """Intervals that hold the true size with probability at least 1 - alpha given `chosen`, whatever the true size.

    For true sizes at which what was chosen has a chance above 10^-30.
    """
    z, e = probability_mass(distribution.stage1), probability_mass(distribution.stage2, distribution.cells)
    half = distribution.margin(alpha, 2 * NEGLIGIBLE)
    # Towards the inside, until the choice is all but certain; towards the outside, as far as noise reaches.
    by_stage1, by_stage2 = (_certain(each.above) + half + 2 for each in (z, e))
    outside = distribution.reach + half + 2
    zones = []
    if chosen.low is not None:
        zones.append((chosen.low - outside, chosen.low + by_stage1))
    if chosen.high is not None:
        zones.append((chosen.high - by_stage1, chosen.high + outside))
    if chosen.bar is not None:
        zones.append((chosen.bar - outside, chosen.bar + by_stage2))
    tables = []
    for first, last in _joined(zones):
        both_ends = np.zeros((2, last - first), dtype=np.int64)
        share = (distribution.weight.numerator, distribution.weight.denominator)
        _sweep(z.mass, e.above, *share, *chosen.bounds(), float(alpha / 2) - NEGLIGIBLE, first, both_ends)
        tables.append((first, both_ends[0], both_ends[1]))
    return Ends(half, tuple(tables))


def _certain(above: Floats) -> int:
    """The least c >= 0 with P(X >= c) <= NEGLIGIBLE."""
    middle = len(above) // 2
    return int(np.argmax(above[middle:] <= NEGLIGIBLE))


def _joined(zones: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Half-open ranges, ascending, those that touch made one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(zones):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined
