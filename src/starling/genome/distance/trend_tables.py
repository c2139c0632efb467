"""2x3 tables within some replaced people of another one: where Delta, the trend statistic and V of distance/trend.py are extreme.

Why these tables are the extreme ones is argued at the head of that module.
"""

from math import inf
from typing import Final, TypeAlias

from starling.privacy.compiled import compiled

Six: TypeAlias = tuple[int, int, int, int, int, int]
"""Cases with 0, 1, 2 copies, then controls."""

PROGRAMS: Final = 4
"""Orders in which the cells of a row are emptied: 0 1 2, 0 2 1, 2 0 1, 2 1 0."""
UP: Final = 0
"""The order 0 1 2: who is moved gets two copies."""
DOWN: Final = 3
"""The order 2 1 0: who is moved gets none."""
MERGES: Final = 6
"""Orders of two kinds of swaps of one row and two of the other."""


@compiled
def people_of(table: Six) -> int:
    """n."""
    return table[0] + table[1] + table[2] + table[3] + table[4] + table[5]


@compiled
def mirrored(table: Six) -> Six:
    """With 2 - copies in place of copies."""
    return table[2], table[1], table[0], table[5], table[4], table[3]


@compiled
def measured(table: Six) -> tuple[int, int, int]:
    """Delta, R S and V."""
    r0, r1, r2, s0, s1, s2 = table
    n, cases = people_of(table), r0 + r1 + r2
    sides = r2 + s2 - r0 - s0
    delta = n * (r1 + 2 * r2) - cases * (r1 + s1 + 2 * (r2 + s2))
    return delta, cases * (n - cases), n * (n - r1 - s1) - sides * sides


@compiled
def largest_delta(table: Six, k: int, cases: int) -> int:
    """The largest Delta of a table with so many cases within k people: cases to 2 copies, controls to 0, the most worthwhile first.

    A swap of a case is worth S for each copy, one of a control R.
    """
    controls = people_of(table) - cases
    if controls >= 2 * cases:
        merge = 0
    elif cases >= 2 * controls:
        merge = 5
    else:
        merge = 1 if controls >= cases else 4
    return measured(candidate(table, k, cases, UP, DOWN, merge))[0]


@compiled
def candidate(table: Six, k: int, cases: int, program: int, other: int, merge: int) -> Six:
    """The table within k people that has so many cases, by the orders of its rows and of their swaps.

    k is at least as many as the number of cases is off. `program` is the order in which the cells of cases are emptied, whoever is moved
    going to the last, `other` that of controls; `merge` is the order of the swaps: both of cases, then both of controls (0); and so on.
    """
    a, b, c = _ordered(table[0], table[1], table[2], program)
    d, e, f = _ordered(table[3], table[4], table[5], other)
    more = cases - (a + b + c)
    swaps = k - abs(more)
    if more < 0:
        a, b, c = _emptied(a, b, c, -more)
        f -= more
    else:
        d, e, f = _emptied(d, e, f, more)
        c += more
    of_cases = min(_merged(merge, swaps, a, b, d, e), a + b)
    of_controls = min(swaps - of_cases, d + e)
    a, b, c = _emptied(a, b, c, of_cases)
    d, e, f = _emptied(d, e, f, of_controls)
    r0, r1, r2 = _unordered(a, b, c + of_cases, program)
    s0, s1, s2 = _unordered(d, e, f + of_controls, other)
    return r0, r1, r2, s0, s1, s2


@compiled
def _emptied(first: int, second: int, last: int, removed: int) -> tuple[int, int, int]:
    """A row without so many people, in order."""
    one = min(first, removed)
    two = min(second, removed - one)
    return first - one, second - two, last - (removed - one - two)


@compiled
def _merged(merge: int, swaps: int, a: int, b: int, d: int, e: int) -> int:
    """How many of the swaps are of cases, whose kinds have room for a and then b, and those of controls for d and then e."""
    if merge == 0:
        return min(swaps, a + b)
    if merge == 1:
        return min(swaps, a) + min(max(0, swaps - a - d), b)
    if merge == 2:
        return min(swaps, a) + min(max(0, swaps - a - d - e), b)
    if merge == 3:
        return min(max(0, swaps - d), a + b)
    if merge == 4:
        return min(max(0, swaps - d), a) + min(max(0, swaps - d - a - e), b)
    return min(max(0, swaps - d - e), a + b)


@compiled
def _ordered(x0: int, x1: int, x2: int, program: int) -> tuple[int, int, int]:
    """The cells of a row in the order of a program."""
    if program == 0:
        return x0, x1, x2
    if program == 1:
        return x0, x2, x1
    return (x2, x0, x1) if program == 2 else (x2, x1, x0)


@compiled
def _unordered(first: int, second: int, last: int, program: int) -> tuple[int, int, int]:
    """The reverse of `_ordered`."""
    if program == 0:
        return first, second, last
    if program == 1:
        return first, last, second
    return (second, last, first) if program == 2 else (last, second, first)


@compiled
def largest_variance(table: Six, k: int) -> int:
    """The most that V can be within k people, some of them half on either side; see the head of the module."""
    n, middle = people_of(table), table[1] + table[4]
    off = abs(table[2] + table[5] - table[0] - table[3])
    most = min(k, middle)
    # n a - max(0, off - 2 k + a)^2 grows with a while 2 (off - 2 k + a) + 1 <= n.
    best = min(max((n - 1) // 2 - off + 2 * k + 1, 0), most)
    left = max(0, off - 2 * k + best)
    return n * (n - middle + best) - left * left


@compiled
def least_variance(table: Six, k: int) -> int:
    """The least that V can be within k people: those farthest from the mean of the result join the cell next to it."""
    x0, x1, x2 = table[0] + table[3], table[1] + table[4], table[2] + table[5]
    n = x0 + x1 + x2
    least = n * n
    for program in range(PROGRAMS):
        first, second, last = _ordered(x0, x1, x2, program)
        moved = min(k, first + second)
        first, second, last = _emptied(first, second, last, moved)
        y0, y1, y2 = _unordered(first, second, last + moved, program)
        least = min(least, n * (n - y1) - (y2 - y0) * (y2 - y0))
    return least


@compiled
def trend_of(n: int, delta: int, product: int, v: int) -> float:
    """n Delta^2/(R S V) with the sign of Delta; 0 where a margin is empty."""
    if product == 0 or v == 0:
        return 0.0
    size = float(n) * (float(delta) * float(delta)) / (float(product) * float(v))
    return size if delta > 0 else -size


@compiled
def trend_range(table: Six, k: int) -> tuple[float, float]:
    """The smallest and the largest trend statistic, whatever its sign, that a table within k people may have.

    The largest is attained. The smallest is at most that of any table: 0 where Delta may have either sign, else that of the least |Delta|
    for each number of cases and the largest V.
    """
    up, down = _greatest(table, k), _greatest(mirrored(table), k)
    nearest = max(_nearest(table, k), _nearest(mirrored(table), k))
    return 0.0 if nearest == -inf else -nearest, max(up, down)


@compiled
def _greatest(table: Six, k: int) -> float:
    """The largest signed statistic within k people; 0 where none is above."""
    n, now = people_of(table), table[0] + table[1] + table[2]
    best = 0.0
    for cases in range(max(0, now - k), min(n, now + k) + 1):
        for program in range(PROGRAMS):
            for other in range(PROGRAMS):
                for merge in range(MERGES):
                    delta, product, v = measured(candidate(table, k, cases, program, other, merge))
                    best = max(best, trend_of(n, delta, product, v))
    return best


@compiled
def _nearest(table: Six, k: int) -> float:
    """A bound from above of the signed statistic within k people, where that is below 0; -inf where Delta may be above 0."""
    n, now = people_of(table), table[0] + table[1] + table[2]
    v = largest_variance(table, k)
    best = -inf
    for cases in range(max(0, now - k), min(n, now + k) + 1):
        delta = largest_delta(table, k, cases)
        if delta >= 0:
            return -inf
        best = max(best, trend_of(n, delta, cases * (n - cases), v))
    return best
