"""From a noisy table to a p-value or a correlation, with an interval that the noise alone explains.

The answer is the statistic of the noisy counts, negative ones set to 0 (Johnson and Shmatikov 2013, Sections 6.4 and 6.5). The
interval holds the statistic of the exact table with at least the stated probability, whatever the data:

1. With probability 1 - alpha or more the noise is no larger than its reach (privacy/distributions/table_noise.py).
2. Then the exact table is at most R replaced patients from the table Y+ made here: counts set to 0 where they are negative, and
   then made to add up to n, which is public. Lattice noise adds up to 0, so the exact table T is within R = reach steps of the noisy
   one, sum of (T - Y)^+ <= R. With v units missing in negative cells, dist(T, Y) = v + (their T) + sum over the others of (T - Y)^+, and
   taking v units off the others raises that sum by at most v: dist(T, Y+) <= dist(T, Y) <= R. Laplace noise of total size at
   most B with the noisy counts off by e = sum - n: sum of (T - Y)^+ is at most (B - e)/2, and taking e units off raises it by at most e,
   adding units lowers it: R = (B + |e|)/2.
3. Among all tables within R steps of Y+ a signed statistic is largest at one, and smallest at another: `search.step`. Where missing
   calls have cells of their own, called.py says at which.

Six cells (cases and controls by number of copies) are treated alike up to step 2. Alleles: R patients move at most 2 R alleles, so the
range is that of the 2x2 table of alleles within 2 R steps. The genotypic tests: the table of each column j against the others lies within R
steps of its own, so its statistic s_j has a range; merging columns raises no statistic, so the largest lower end holds from
below; from above G <= sum of G_j, and chi-squared is the sum of (1 - n_j/n) chi_j (distance/significance.py).

Wald's statistic does not grow along those steps (Hauck and Donner 1977), so its interval comes from the range of each cell, and is
wider.

The paper's Theorem 8, P(|r~^2 - r^2| > 32 x/n) < 4 e^(-epsilon x/2), is not used: it fails for rare SNPs. Of two that nobody carries
r~^2 is 1 with probability 1/8, whatever n is. Nor is its Theorem 7, which fails where a SNP and the disease are independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log10, sqrt
from typing import Literal, TypeAlias

import numpy as np

from starling.errors import ParameterError
from starling.genome.distance.search import Table, step
from starling.genome.distance.trend_tables import trend_range
from starling.genome.statistics.association import (
    Correlation,
    PTest,
    allele_tables,
    chi_squared_statistic,
    correlation,
    g_statistic,
    log10_p_values,
)
from starling.genome.statistics.tails import chi_squared_log_tail, fisher_tails
from starling.privacy.budget import Exact
from starling.privacy.distributions.table_noise import laplace_tail_quantile, lattice_tail_quantile

Noise: TypeAlias = Literal["laplace", "lattice"]
"""Of the four counts: discrete Laplace of scale 2/epsilon on each, as published, or lattice noise on all together."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value of the noisy counts, and the least and the most that the noise leaves open."""

    estimate: float
    low: float
    high: float


def reach(noise: Noise, epsilon: Exact, alpha: Exact, noisy: Sequence[int], people: int) -> int:
    """R: with probability 1 - alpha or more the exact table is that many replaced patients from `repaired(noisy, people)`. Raises
    ParameterError for epsilon, alpha or another noise.
    """
    columns: Literal[2, 3] = 2 if len(noisy) == 4 else 3
    if noise == "lattice":
        return lattice_tail_quantile(epsilon, alpha, columns)
    if noise == "laplace":
        return (laplace_tail_quantile(epsilon, alpha, columns) + abs(sum(noisy) - people)) // 2
    raise ParameterError("noise", "is no noise for a table", "give laplace or lattice")


def repaired(noisy: Sequence[int], people: int) -> tuple[int, ...]:
    """The noisy counts without negative ones, made to add up to n; what is too much is taken off the largest cell of the moment."""
    cells = [max(0, count) for count in noisy]
    over = sum(cells) - people
    if over > 0:
        # The largest ones end at one level, or one above it.
        ordered = sorted(range(len(cells)), key=lambda cell: cells[cell], reverse=True)
        taken = next(
            size
            for size in range(1, len(cells) + 1)
            if size == len(cells) or sum(cells[cell] for cell in ordered[:size]) - over >= size * cells[ordered[size]]
        )
        level, above = divmod(sum(cells[cell] for cell in ordered[:taken]) - over, taken)
        for place, cell in enumerate(reversed(ordered[:taken])):
            cells[cell] = level + (place < above)
        over = 0
    # What is missing is shared out evenly.
    for place in range(len(cells)):
        share = -over // (len(cells) - place)
        cells[place] += share
        over += share
    return tuple(cells)


def p_value_interval(noisy: Sequence[int], people: int, test: PTest, steps: int) -> Interval:
    """log10 of the p-value from noisy counts (a, b, c, d), negative ones among them perhaps, and the range that tables within `steps` of
    `repaired` have: log10 of the estimate, of the smallest and of the largest p-value. Raises ParameterError for an unknown test.

    `steps`: how many replaced patients away the exact table may be, as `reach` gives it.
    """
    start = four(repaired(noisy, people))
    if test == "wald":
        return Interval(log10_p(noisy, test), *wald_range(start, steps))
    up, down = farthest(start, steps)
    return Interval(log10_p(noisy, test), *p_value_range([up], [down], test))


def p_value_range(ups: Sequence[Table], downs: Sequence[Table], test: PTest) -> tuple[float, float]:
    """log10 of the smallest and of the largest p-value of tables among which a signed statistic is largest at one of `ups`, and smallest at
    one of `downs`; not of Wald's test.
    """
    if test == "fisher":
        at_ups, at_downs = [_log10_tails(up) for up in ups], [_log10_tails(down) for down in downs]
        low = min(*(upper for upper, _ in at_ups), *(lower for _, lower in at_downs))
        high = min(max(upper for upper, _ in at_downs), max(lower for _, lower in at_ups))
        return min(0.0, low + log10(2)), min(0.0, high + log10(2))
    of_ups, of_downs = (log10_p_values(np.array(tables, dtype=np.int64), test) for tables in (ups, downs))
    high = 0.0
    if all(a * d > b * c for a, b, c, d in downs):
        high = float(of_downs.max())
    elif all(a * d < b * c for a, b, c, d in ups):
        high = float(of_ups.max())
    return float(min(of_ups.min(), of_downs.min())), high


def allelic_interval(noisy: Sequence[int], people: int, test: PTest, steps: int) -> Interval:
    """log10 of the p-value of the table of alleles, from six noisy counts; otherwise as `p_value_interval`."""

    def alleles(cells: Sequence[int]) -> list[int]:
        counted: list[int] = allele_tables(np.array([cells], dtype=np.int64))[0].tolist()
        return counted

    estimate = log10_p(alleles(clamped(noisy)), test)
    interval = p_value_interval(alleles(repaired(noisy, people)), 2 * people, test, 2 * steps)
    return Interval(estimate, interval.low, interval.high)


def genotypic_interval(noisy: Sequence[int], people: int, test: Literal["g", "chi2"], steps: int) -> Interval:
    """log10 of the p-value of the 2x3 table, from six noisy counts; otherwise as `p_value_interval`."""
    statistic = g_statistic if test == "g" else chi_squared_statistic
    start = repaired(noisy, people)
    low, high = 0.0, 0.0
    for column in range(3):
        case, control = start[column], start[3 + column]
        up, down = farthest((case, sum(start[:3]) - case, control, sum(start[3:]) - control), steps)
        ends = statistic(np.array([up, down], dtype=np.int64))
        if _one_sided(up, down):
            low = max(low, float(ends.min()))
        weight = 1.0 if test == "g" else 1 - max(0, case + control - steps) / people
        high += weight * float(ends.max())
    return Interval(log10_p(noisy, test), *_log10_tails_beyond(high, low, degrees=2))


def trend_interval(noisy: Sequence[int], people: int, steps: int) -> Interval:
    """log10 of the p-value of the 2x3 table by the trend test, from six noisy counts; otherwise as `p_value_interval`.

    The range is that of tables within `steps` of `repaired` too (distance/trend_tables.py).
    """
    r0, r1, r2, s0, s1, s2 = repaired(noisy, people)
    least, greatest = trend_range((r0, r1, r2, s0, s1, s2), steps)
    return Interval(log10_p(noisy, "trend"), *_log10_tails_beyond(greatest, least, degrees=1))


def correlation_interval(noisy: Sequence[int], people: int, measure: Correlation, steps: int) -> Interval:
    """r^2 or |D'| from noisy counts of a pair of SNPs, and the range that tables within `steps` of `repaired` have.

    Parameters as for `p_value_interval`.
    """

    def value(table: Sequence[int]) -> float:
        return float(correlation(np.array([table]), measure)[0])

    up, down = farthest(four(repaired(noisy, people)), steps)
    ends = value(up), value(down)
    return Interval(value(clamped(noisy)), min(ends) if _one_sided(up, down) else 0.0, max(ends))


def farthest(start: Table, steps: int, outside: int = 0) -> tuple[Table, Table]:
    """The tables within `steps` of which every signed statistic is largest, and smallest.

    So many people `outside` of the table may join it (called.py).
    """
    a, b, c, d = start
    p, q, r, s = step(b, a, d, c, steps, outside)
    return step(a, b, c, d, steps, outside), (q, p, s, r)


def _one_sided(up: Table, down: Table) -> bool:
    """Whether Delta has one sign in the whole range."""
    return down[0] * down[3] > down[1] * down[2] or up[0] * up[3] < up[1] * up[2]


def clamped(noisy: Sequence[int]) -> list[int]:
    """Noisy counts, negative ones as 0."""
    return [max(0, count) for count in noisy]


def four(cells: Sequence[int]) -> Table:
    """The cells of a 2x2 table."""
    a, b, c, d = cells
    return a, b, c, d


def log10_p(noisy: Sequence[int], test: PTest) -> float:
    """log10 of the p-value of noisy counts, negative ones as 0."""
    return float(log10_p_values(np.array([clamped(noisy)], dtype=np.int64), test)[0])


def _log10_tails(table: Table) -> tuple[float, float]:
    """log10 of P(X >= a) and P(X <= a)."""
    upper, lower, shift = fisher_tails(*table)
    least = log10(min(upper, lower)) - shift * 900 * log10(2)
    other = log10(max(upper, lower))
    return (least, other) if upper <= lower else (other, least)


def wald_range(start: Table, steps: int) -> tuple[float, float]:
    """The range of Wald's log10 p over all tables whose cells are each within `steps` of `start`."""
    cells = np.array(start, dtype=np.float64)
    least, most = np.maximum(cells - steps, 0.5), cells + steps + 0.5
    logs_low, logs_high = np.log(least), np.log(most)
    signs = np.array([1, -1, -1, 1])
    high = float(np.sum(np.where(signs > 0, logs_high, -logs_low)))
    low = float(np.sum(np.where(signs > 0, logs_low, -logs_high)))
    deviation_low, deviation_high = sqrt(float(np.sum(1 / most))), sqrt(float(np.sum(1 / least)))
    strongest = max(abs(low), abs(high)) / deviation_low
    empty = cells - steps <= 0
    margin = (empty[0] | empty[3]) & (empty[1] | empty[2])
    weakest = 0.0 if low <= 0 <= high or margin else min(abs(low), abs(high)) / deviation_high
    return _log10_tails_beyond(strongest * strongest, weakest * weakest, degrees=1)


def _log10_tails_beyond(first: float, second: float, *, degrees: int) -> tuple[float, float]:
    """log10 of the p-values of two chi-squared statistics."""
    tails = chi_squared_log_tail(np.array([first, second]), degrees) / log(10)
    return float(tails[0]), float(tails[1])
