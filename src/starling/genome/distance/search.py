"""The fewest patients that must be replaced to change what a rule says of a 2x2 table: one nested path of tables, searched.

One step moves one patient between any two cells. Let a rule's strength s grow from -1 (significant with Delta < 0) to +1. Then

1. moving a unit from {b, c} to {a, d} never lowers s;
2. with b and c fixed, s is highest where a and d are balanced, and falls with |a - d|;
3. with a and d fixed, s is highest where b and c are far apart, and rises with |b - c|.

So among all tables within k steps s is highest at one, T_k: take min(k, b + c) units from {b, c}, first from the smaller of the
two, put them into {a, d} as evenly as possible, and with the steps left over even out a and d. (Any other table within k steps
has a unit that it moved elsewhere, or not at all; by 1 it is better moved from {b, c} to {a, d}, at no more steps. Then 2 and 3
choose cells independently of each other.) T_0, T_1, ... are one step apart and s never falls along them, so the first k at
which the rule says +1, or no longer says -1, is found by a few guesses and halving: O(log n).

- Gain, from a table where the rule says 0: the first k with +1 on its path, or on that of the table with columns swapped.
- Loss, from a table where it says -1 (swap columns where it says +1): the first k where it does not say -1.

Why 1 to 3. Swapping columns turns s around, so 3 is 2 of the swapped table. Rows and columns may be exchanged, so one move
stands for all four in 1. Let R1 = a + b, R2 = c + d, C1 = a + c, C2 = b + d, and d = N - a in 2.

- G, of real-valued counts: dG/da = 2 ln(an/(R1 C1)), and an - R1 C1 = Delta; so dG/da and dG/dd have the sign of Delta, dG/db
  and dG/dc that of -Delta: 1. And dG/da - dG/dd has the sign of -Delta (a - d): 2.
- Pearson, chi = n Delta^2/(R1 R2 C1 C2). From b to a the derivative of ln chi is 2 R2/Delta - 1/C1 + 1/C2, and |Delta| is at
  most R2 C1 where Delta > 0, R2 C2 where Delta < 0: 1. For 2 the derivative of ln chi in a is
  (d - a) (2/Delta - (R1 R2 + C1 C2 + (b - c)^2)/(R1 R2 C1 C2)). The bracket is negative for Delta < 0. For Delta > 0 it is not:
  2 R1 R2 C1 C2 - Delta (R1 R2 + C1 C2) = R1 R2 (2bc + ab + cd) + C1 C2 (2bc + ac + bd), and among the terms of that are
  a d (b^2 + c^2) >= Delta (b - c)^2. r^2 is chi/n with n fixed.
- |D'| = |Delta|/(|Delta| + n least), least = min(b, c) for Delta > 0, min(a, d) for Delta < 0: in 1 and 2 Delta grows,
  min(b, c) does not, min(a, d) does not fall.
- Fisher, both tails. With one person more in the first column X is at most 1 larger: in 1 P(X >= a) cannot grow nor P(X <= a)
  fall. For 2 let B be the second cell, so that P(X >= a) = P(B <= b), and compare the margins (R1, C2) = (p, q), p >= q + 2,
  with (p - 1, q + 1): the ratio of the probabilities of B = x is a constant times (p - x)/(q + 1 - x), which grows with x. So
  towards balance P(B <= b) falls, and P(B >= b) = P(X <= a) grows.

Where who lacks a call of a SNP has a cell of their own, M people are beside the table, and a step may also bring one of them in, or
take one out. s grows with a and d, and falls with b and c (inference/called.py). So T_k takes its units from {b, c} as long as there
are any, which is worth no less than one from the M, then from these, and only then evens out a and d: what it is with
min(k - b - c, M) units more in b.

The paper leaves this computation open.
"""

from collections.abc import Callable
from math import ceil
from typing import Final, TypeAlias

import numpy as np

from starling.genome.arrays import Int64
from starling.genome.distance.constants import MOST_PATIENTS, UNDECIDED
from starling.genome.distance.rules import Kernel, Rule, decide, way
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import smallest

Table: TypeAlias = tuple[int, int, int, int]

OPEN: Final = np.iinfo(np.int64).min
"""In place of a distance: doubles could not decide about one of the tables on the way."""
_GUESSES = 10
"""Tables chosen by interpolation before the search goes on by halving."""


@compiled
def step(a: int, b: int, c: int, d: int, k: int, outside: int = 0) -> Table:
    """T_k of (a, b, c, d), with so many people outside.

    >>> step(5, 2, 1, 1, 2), step(5, 2, 1, 1, 5)
    ((5, 1, 0, 3), (4, 0, 0, 5))
    >>> step(5, 2, 1, 1, 5, 9)
    (5, 0, 0, 6)
    """
    b += min(max(0, k - b - c), outside)
    moved = min(k, b + c)
    spare = k - moved
    if b <= c:
        first = min(b, moved)
        b, c = b - first, c - (moved - first)
    else:
        first = min(c, moved)
        b, c = b - (moved - first), c - first
    both = a + d + moved
    high = max(0, a - spare, min(both // 2, a + moved + spare))
    return high, b, c, both - high


@compiled
def _first(rule: Kernel, table: Table, outside: int, end: int, up: bool, far: float) -> int:
    """The first k on the path of `table`, with so many people outside, at which the rule says +1 (up), or does not say -1 (not up); -1
    where undecided.

    At k = 0 it is not so, at `end` it is; `far` is about how far the rule's threshold is, from `way`.
    """
    a, b, c, d = table
    low, high = 0, end
    before, before_far, last, last_far = 0, far, 0, far
    target = 1.0 if up else -1.0
    probe, guesses = int(np.int64(1)), 0
    while high - low > 1:
        p, q, r, s = step(a, b, c, d, probe, outside)
        verdict, reached = way(rule, p, q, r, s)
        if verdict == UNDECIDED:
            return -1
        if (verdict == 1) if up else (verdict != -1):
            high = probe
        else:
            low = probe
        before, before_far, last, last_far = last, last_far, probe, reached
        probe = (low + high) // 2
        guesses += 1
        slope = (last_far - before_far) / (last - before)
        if guesses <= _GUESSES and slope > 0:
            wanted = last + (target - last_far) / slope
            probe = int(min(max(ceil(wanted), low + 1.0), high - 1.0))
    return high


@compiled
def distances(rule: Kernel, tables: Int64, out: Int64) -> None:
    """The signed distance of each table (a, b, c, d) of `tables`, (m, 4), or with the people outside, (m, 5), into `out`, (m,); OPEN where
    doubles cannot decide.

    D >= 1, the gain, where the rule says 0; 1 - loss <= 0 where it says +1 or -1; n + 1 where no table of n patients is
    significant. The first test of the path's end stands for all tables of the same n: there {b, c} is empty and a, d are even.
    """
    # A zero that Numba does not take for a constant, for which it would compile the rule once more.
    none, known_n, reachable = int(np.int64(0)), -1, 0
    for index in range(tables.shape[0]):
        a, b, c, d = tables[index, 0], tables[index, 1], tables[index, 2], tables[index, 3]
        outside = tables[index, 4] if tables.shape[1] > 4 else 0
        n = a + b + c + d + outside
        if n != known_n:
            known_n, reachable = n, way(rule, n // 2, none, none, n - n // 2)[0]
        out[index] = distance(rule, a, b, c, d, outside, reachable)


@compiled
def distance(rule: Kernel, a: int, b: int, c: int, d: int, outside: int, reachable: int) -> int:
    """The signed distance of one table, with so many people outside; `reachable` is what the rule says of (n//2, 0, 0, n - n//2). See
    `distances`.
    """
    verdict, far = way(rule, a, b, c, d)
    if verdict == UNDECIDED or reachable == UNDECIDED:  # noqa: PLR1714 - Numba compiles each tuple that is searched
        return OPEN
    if far > 0:
        # From here on the table is turned so that Delta is not above 0; the distance is the same.
        a, b, c, d, far = b, a, d, c, -far
    gain = verdict == 0
    if gain and reachable == 0:
        return a + b + c + d + outside + 1
    # A gain is looked for on the nearer side first; then only whether the other one is nearer still. The search is called at one place,
    # so that its code is compiled once.
    p, q, r, s = (b, a, d, c) if gain else (a, b, c, d)
    end, near, second_side = _end(p, q, r, s, outside), -far if gain else far, False
    while True:
        steps = _first(rule, (p, q, r, s), outside, end, gain, near)
        if steps < 0:
            return OPEN
        if not gain:
            return 1 - steps
        if second_side or steps <= 1:
            return steps
        p, q, r, s = step(a, b, c, d, steps - 1, outside)
        other = way(rule, p, q, r, s)[0]
        if other != 1:
            return OPEN if other == UNDECIDED else steps
        p, q, r, s, end, near, second_side = a, b, c, d, steps - 1, far, True


@compiled
def _end(a: int, b: int, c: int, d: int, outside: int) -> int:
    """The k from which on T_k does not change: {b, c} and outside empty, a and d even."""
    more = (a + b + c + d + outside + 1) // 2
    return b + c + outside + max(0, max(a, d) - more)


def distance_exactly(rule: Rule, table: Table, outside: int = 0) -> int:
    """The signed distance by `decide` alone: the slow twin of `distances`, and what settles the tables that it leaves open."""
    a, b, c, d = table
    verdict = decide(rule, a, b, c, d)
    turned = (b, a, d, c)
    if verdict:
        from_here = turned if verdict == 1 else table
        return 1 - _first_exactly(
            lambda k: decide(rule, *step(*from_here, k, outside)) != -1, _end(*from_here, outside)
        )

    def gain(start: Table) -> int:
        return _first_exactly(lambda k: decide(rule, *step(*start, k, outside)) == 1, _end(*start, outside))

    return min(gain(table), gain(turned), a + b + c + d + outside + 1)


def _first_exactly(holds: Callable[[int], bool], end: int) -> int:
    """The first k with `holds`; beyond every distance where it does not even hold at the end of the path."""
    return smallest(holds, 1) if holds(end) else MOST_PATIENTS + 1


def settled(rule: Rule, tables: Int64) -> Int64:
    """The signed distance of every table, (m, 4), or (m, 5) with the people outside: int64 (m,), exact."""
    out = np.empty(len(tables), dtype=np.int64)
    distances(rule.kernel, tables, out)
    left = np.flatnonzero(out == OPEN)
    if left.size:
        kinds, which = np.unique(tables[left], axis=0, return_inverse=True)
        exact = [distance_exactly(rule, (a, b, c, d), sum(outside)) for a, b, c, d, *outside in kinds.tolist()]
        out[left] = np.array(exact, dtype=np.int64)[which.ravel()]
    return out
