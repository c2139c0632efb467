"""The signed distance of a 2x3 table to a change of its significance by the trend test of Cochran and Armitage.

A table has cases with 0, 1, 2 copies (r0, r1, r2) and controls (s0, s1, s2); R cases, n people, S = n - R. With W = r1 + 2 r2,
X the copies of all people, and n1 the people with one copy,

    Delta = n W - R X,   V = n (n - n1) - (n2 - n0)^2,   trend = n Delta^2/(R S V), 0 where R S V = 0:

n times the squared correlation of being a case with the number of copies (Armitage 1955; V is n^2 times the variance of the copies). A
table is significant upwards when Delta > 0 and trend >= t. Taking copies for 2 - copies turns Delta around, so that it is enough to look
upwards from the table and from its mirror image.

Gain: exact. Let a table T* within k replaced people of T be significant upwards; R* its cases, m its mean of copies, and C = sqrt(t R*
S*/n). Then n W* - R* X* >= C sqrt(V*). For every u > 0 and m, sqrt(V') <= (u + n sum over people of (x - m)^2/u)/2 for every table, and
for T*, its own mean and u = sqrt(V*) with equality. So among the tables with R* cases the linear function

    L(T') = sum over people of (n y - R*) x - C (u + n (x - m)^2/u)/2,   y = 1 for cases, 0 for controls,

is 0 or more at T*, and wherever it is, the table is significant upwards. It is enough to look where L is largest. A person in a row
(cases, or controls) has the value f(x) of a concave function of the copies x. So people who are moved within or into a row go to its best
cell; the cells are emptied from the worst one on, in one of four orders (0 1 2, 0 2 1, 2 0 1, 2 1 0: the last is the best); as many
change rows as R* says; and the other moves are swaps within rows, the most worthwhile first, where each row has two kinds. That is one of
4 x 4 x 6 tables for each k and R*, whatever u and m are: `trend_tables.candidate`. The least k at which one of them is significant is the
distance.

Loss: a lower bound. Within k people of T the largest Delta for R' cases is that of one such table (L without its last part:
`largest_delta` there), and V is at most max over a of n (n - n1 + a) - max(0, |n2 - n0| - 2 k + a)^2, a <= min(k, n1): a people leave the
middle, and k - a change sides. (It lets somebody stand half on either side; V is attained up to that.) The loss is the least k at which,
for some R', these two together are not significant: Delta >= 0 or n Delta^2 < t R' S' V. No table within fewer people is insignificant.

Privacy. Neighbours: replace one patient, n fixed and public. One replaced patient moves at most one unit from one cell to another. The
gain is a distance to a set of tables. The loss of a table is the least k at which its ball of radius k, by its largest Delta for each R'
and its largest V, meets a condition; the ball of a neighbour of radius k lies in the table's of radius k + 1, so the loss changes by at
most 1 (V's bound is the largest V of a ball too: that of people who may also stand half on either side). So D = gain where not
significant, D = 1 - max(1, loss) where significant, is 1-Lipschitz where both neighbours are of one kind. Where one is significant and
the other not, or upwards and downwards, gain is 1 and loss at most 1: D is 1 or 0 on both sides.

Doubles decide beyond their proved error, exact integers elsewhere; a search prunes only what is beyond it by more.
"""

from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.genome.arrays import Int64
from starling.genome.distance.constants import quantile, threshold_p
from starling.genome.distance.search import OPEN
from starling.genome.distance.significance import checked_tables
from starling.genome.distance.trend_tables import (
    DOWN,
    MERGES,
    PROGRAMS,
    Six,
    candidate,
    largest_delta,
    largest_variance,
    least_variance,
    measured,
    mirrored,
    people_of,
)
from starling.privacy.compiled import compiled

_SURE: Final = 2.0**-47
"""Doubles decide when n Delta^2/(R S V t) differs from 1 by this. Delta, R S and V are whole numbers below 2^53, and eight roundings of
2^-53 come between them and the ratio."""
_PRUNED: Final = 2.0**-40
"""Beyond it a bound of a stretch of R' rules the stretch out."""


def trend_distance(tables: npt.ArrayLike, p_threshold: float | Fraction | str) -> Int64:
    """The signed distance of each 2x3 table to a change of its significance by the trend test.

    Tables are integers of shape (m, 6), cases with 0, 1, 2 copies, then controls; threshold and errors are as of
    `distance_to_significance`. Returns int64 (m,), in patients. D >= 1: not significant, and D replaced patients are the fewest that make
    it so (n + 1 where no table of n patients is significant). D <= 0: significant, and 1 - D replaced patients or more are needed until it
    is not.

    >>> trend_distance([[30, 50, 20, 50, 40, 10], [40, 40, 20, 40, 40, 20]], 0.05)
    array([-4,  9])
    """
    counts = checked_tables(tables, 6)
    t = quantile(threshold_p(p_threshold), 1)
    out = np.empty(len(counts), dtype=np.int64)
    _distances(counts, t, out)
    for index in np.flatnonzero(out == OPEN).tolist():
        r0, r1, r2, s0, s1, s2 = counts[index].tolist()
        out[index] = distance_exactly((r0, r1, r2, s0, s1, s2), Fraction(t))
    return out


@compiled
def _distances(tables: Int64, t: float, out: Int64) -> None:
    for index in range(tables.shape[0]):
        row = tables[index]
        out[index] = _distance((row[0], row[1], row[2], row[3], row[4], row[5]), t)


@compiled
def _distance(table: Six, t: float) -> int:
    """The signed distance of one table; OPEN where doubles could not decide about a table on the way."""
    n = people_of(table)
    delta, product, v = measured(table)
    verdict = _reaches(n, abs(delta), product, v, t)
    if verdict < 0:
        return OPEN
    if verdict == 1:
        loss = _first(mirrored(table) if delta > 0 else table, t, n, False)
        return OPEN if loss < 0 else 1 - max(1, loss)
    if n < t:
        return n + 1
    upwards, downwards = (table, mirrored(table)) if delta > 0 else (mirrored(table), table)
    gain = _first(upwards, t, n, True)
    if gain > 1:
        nearer = _within(downwards, t, gain - 1, True)
        if nearer < 0:
            return OPEN
        if nearer == 1:
            gain = _first(downwards, t, gain - 1, True)
    return OPEN if gain < 0 else gain


@compiled
def _first(table: Six, t: float, end: int, gain: bool) -> int:
    """The first k, at least 1, at which `_within` says 1, as it does at `end`; -1 where doubles cannot decide."""
    low, high, probe = 0, end, 1
    while high - low > 1:
        verdict = _within(table, t, probe, gain)
        if verdict < 0:
            return -1
        if verdict == 1:
            high = probe
        else:
            low = probe
        # By doubling until it holds, then by halving.
        probe = 2 * low if high == end and 2 * low < end else (low + high) // 2
    return high


@compiled
def _within(table: Six, t: float, k: int, gain: bool) -> int:
    """Whether, within k people of the table, one is significant upwards (gain), or one may not be significant downwards: 1, 0 or -1."""
    n, cases = people_of(table), table[0] + table[1] + table[2]
    v = least_variance(table, k) if gain else largest_variance(table, k)
    least, high = max(0, cases - k), min(n, cases + k)
    size = high - least + 1
    while high >= least:
        low = max(least, high - size + 1)
        delta = largest_delta(table, k, (low + high) // 2)
        # One case more or less changes the largest Delta by at most two moves' worth, each at most 2 n + 4.
        above = delta + (4 * n + 8) * (high - (low + high) // 2)
        if gain:
            product = min(low * (n - low), high * (n - high))
            pruned = above <= 0 or _ratio(n, above, product, v, t) < 1 - _PRUNED
        else:
            peak = min(max(n // 2, low), high)
            pruned = above < 0 and _ratio(n, above, peak * (n - peak), v, t) > 1 + _PRUNED
        if pruned:
            high, size = low - 1, 2 * size
            continue
        if low < high:
            size = (high - low + 1) // 2
            continue
        high -= 1
        if gain:
            verdict = _significant(table, t, k, low, v)
        elif delta >= 0:
            verdict = 1
        else:
            verdict = _reaches(n, -delta, low * (n - low), v, t)
            verdict = verdict if verdict < 0 else 1 - verdict
        if verdict != 0:
            return verdict
    return 0


@compiled
def _significant(table: Six, t: float, k: int, cases: int, v: int) -> int:
    """Whether a table with so many cases within k people is significant upwards: 1, 0 or -1.

    V of such a table is at least v. Where f of a row is the larger the more copies (the fewer, of controls), whatever u >= sqrt(v) and
    the mean are, only one order of emptying it can be that of the largest L: f(2) - f(1) = S - n C (3 - 2 m)/(2 u) >= S - 3 n C/(2
    sqrt(v)) for cases, f(0) - f(1) and f(1) - f(2) >= R - 3 n C/(2 sqrt(v)) for controls, f(1) - f(0) >= S - n C/(2 sqrt(v)).
    """
    n = people_of(table)
    room, least = 4 * float(v) * (1 - _PRUNED), 9 * n * t
    programs = 1 if room * (n - cases) >= least * cases else PROGRAMS
    others = DOWN if room * cases >= least * (n - cases) else 0
    for program in range(programs):
        for other in range(others, PROGRAMS):
            for merge in range(MERGES):
                delta, product, spread = measured(candidate(table, k, cases, program, other, merge))
                if delta > 0:
                    verdict = _reaches(n, delta, product, spread, t)
                    if verdict != 0:
                        return verdict
    return 0


@compiled
def _ratio(n: int, delta: int, product: int, v: int, t: float) -> float:
    """n Delta^2/(R S V t); infinite where a margin is empty."""
    below = float(product) * float(v) * t
    return float(n) * (float(delta) * float(delta)) / below if below > 0 else np.inf


@compiled
def _reaches(n: int, delta: int, product: int, v: int, t: float) -> int:
    """Whether trend >= t: 1, 0, or -1 where doubles cannot tell. With Delta = 0, or an empty margin, it is 0."""
    if delta == 0 or product == 0 or v == 0:
        return 0
    ratio = _ratio(n, delta, product, v, t)
    if abs(ratio - 1) <= _SURE:
        return -1
    return 1 if ratio > 1 else 0


def distance_exactly(table: Six, t: Fraction) -> int:
    """The distance by exact arithmetic and a plain search over all numbers of cases: the slow twin; it judges what doubles leave open."""
    n = people_of(table)
    delta, product, v = measured(table)
    if _reaches_exactly(n, abs(delta), product, v, t):
        turned = mirrored(table) if delta > 0 else table
        return 1 - next(k for k in range(1, n + 1) if _within_exactly(turned, t, k, gain=False))
    return next(
        (
            k
            for k in range(1, n + 1)
            if any(_within_exactly(each, t, k, gain=True) for each in (table, mirrored(table)))
        ),
        n + 1,
    )


def _within_exactly(table: Six, t: Fraction, k: int, *, gain: bool) -> bool:
    n, now = people_of(table), sum(table[:3])
    for cases in range(max(0, now - k), min(n, now + k) + 1):
        if not gain:
            delta = largest_delta(table, k, cases)
            v = largest_variance(table, k)
            if delta >= 0 or not _reaches_exactly(n, -delta, cases * (n - cases), v, t):
                return True
            continue
        for rows in range(PROGRAMS * PROGRAMS):
            for merge in range(MERGES):
                measures = measured(candidate(table, k, cases, rows // PROGRAMS, rows % PROGRAMS, merge))
                if measures[0] > 0 and _reaches_exactly(n, *measures, t):
                    return True
    return False


def _reaches_exactly(n: int, delta: int, product: int, v: int, t: Fraction) -> bool:
    return delta != 0 and product != 0 and v != 0 and n * delta**2 >= t * product * v
