"""P-values, effects and missing calls from six noisy counts: cases who carry, who do not, who lack a call, then controls.

Tests compare people with a call: the table (a, b; c, d). The range is that of all tables that the noise may hide.

- All of a person is protected. The six counts are within R replaced patients of the repaired ones (intervals.py). Who lacks a call may join
  the table and others may leave it, so that n differs. Every signed statistic, and the odds ratio, grows with a and d, and falls with b
  and c:

    G           its derivative by a is 2 ln(a n/(R1 C1)), which has the sign of Delta, as a n - R1 C1 = Delta
    Pearson     that of ln chi by a is 1/n + 2 d/Delta - 1/R1 - 1/C1: above 0 for Delta > 0, where d/Delta is at least 1/R1 and 1/C1, and
                below 0 for Delta < 0
    Fisher      a new person of the first row and column makes X at most 1 larger, so P(X >= a) does not grow, nor P(X <= a) fall; one of
                the second row and column makes X no larger

  So a step from {b, c} to {a, d} is worth no less than one from {b, c} to the missing, or from there to {a, d}, or within {a, d}: any
  table within R has another one that takes its units from {b, c}, as many as there are, then from the missing, and evens out a and d by the
  steps that are left (search.py: 2). With min(R - b - c, missing) more units in b `search.step` leads there.
- Phenotypes alone are protected. Columns keep their totals, and with P(|X_1| + |X_2| > R) <= alpha of the noise of two columns the numbers
  of cases are within R of the noisy ones, brought between 0 and their column's total. A statistic is largest where i controls with the
  allele became cases and R - i cases without it controls, for one of the i, or where no more can; all are looked at, many of them by the
  farther ends of MOST stretches.

Shares: with k steps a share a/(a + b) is at most (a + k)/(a + b), as in answers.py: one that joins a, or leaves b, moves it by less.

Whether calls are missing alike in cases and controls is told by Fisher's exact test of called and missing: merged columns are within
as many steps. The same counts tell it, at no further cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, cast

import numpy as np

from starling.genome.distance.search import Table
from starling.genome.inference.intervals import (
    Interval,
    clamped,
    farthest,
    log10_p,
    p_value_range,
    reach,
    repaired,
    wald_range,
)
from starling.genome.inference.ranges import Range, odds, share
from starling.genome.measurements import Cells
from starling.genome.plan import Plan, SnpPval
from starling.genome.statistics.association import PTest
from starling.privacy.distributions.table_noise import flips_tail_quantile

MOST: Final = 256
"""Stretches of possible flips that are looked at."""
LACKING: Final[PTest] = "fisher"
"""The test of missing calls."""


@dataclass(frozen=True, slots=True)
class Near:
    """A 2x2 table, and how far from it the exact one may be.

    Attributes:
        table: Two counts of cases, then two of controls.
        steps: Replaced patients, or phenotypes.
        outside: People beside the table; None where columns keep their totals.
    """

    table: Table
    steps: int
    outside: int | None

    def ends(self) -> tuple[list[Table], list[Table]]:
        """Tables among which every signed statistic is at least as large, and at least as small, as at any within `steps`."""
        if self.outside is None:
            a, b, c, d = self.table
            downs = _flipped((b, a, d, c), self.steps)
            return _flipped(self.table, self.steps), [(q, p, s, r) for p, q, r, s in downs]
        up, down = farthest(self.table, self.steps, self.outside)
        return [up], [down]


def called_p_value(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction) -> Interval:
    """log10 of the p-value among people with a call, as `answers.p_value` gives it."""
    near, test = _called(plan, query, drawn, alpha), cast(PTest, "chi2" if query.test == "score" else query.test)
    estimate = log10_p([drawn.counts[cell] for cell in _CALLED], test)
    if test == "wald":
        return Interval(estimate, *wald_range(near.table, near.steps))
    return Interval(estimate, *p_value_range(*near.ends(), test))


def called_effect(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction) -> tuple[Range, Range, Range]:
    """Odds ratio and shares among people with a call, as `answers.effect` gives them."""
    near = _called(plan, query, drawn, alpha)
    (a, b, c, d), (ups, downs) = near.table, near.ends()
    ratio = Range(odds(near.table), min(map(odds, downs)), max(map(odds, ups)))
    return ratio, share(a, b, near.steps), share(c, d, near.steps)


def lacking(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction) -> tuple[Interval, Range, Range]:
    """Whether calls are missing alike: log10 of the p-value, and the shares of cases and of controls that lack one, each with its range as
    those of an effect, all three together.
    """
    a, b, m, c, d, o = _counts(plan, drawn.counts)
    near = Near((m, a + b, o, c + d), _steps(plan, query, drawn, alpha, 3), 0 if plan.unit == "person" else None)
    noisy = drawn.counts
    estimate = log10_p((noisy[2], noisy[0] + noisy[1], noisy[5], noisy[3] + noisy[4]), LACKING)
    return (
        Interval(estimate, *p_value_range(*near.ends(), LACKING)),
        share(m, a + b, near.steps),
        share(o, c + d, near.steps),
    )


def called_table(plan: Plan, noisy: Sequence[int]) -> Table:
    """The 2x2 table of people with a call that effects are of."""
    a, b, _, c, d, _ = _counts(plan, noisy)
    return a, b, c, d


_CALLED: Final = (0, 1, 3, 4)


def _called(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction) -> Near:
    a, b, m, c, d, o = _counts(plan, drawn.counts)
    return Near((a, b, c, d), _steps(plan, query, drawn, alpha, 2), m + o if plan.unit == "person" else None)


def _steps(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction, columns: int) -> int:
    """R: of phenotypes that of the noise of so many columns."""
    if plan.unit == "phenotype":
        return flips_tail_quantile(query.epsilon, alpha, columns)
    return reach(query.noise, query.epsilon, alpha, drawn.counts, plan.people)


def _counts(plan: Plan, noisy: Sequence[int]) -> tuple[int, ...]:
    """The six counts as people can have them: of phenotypes with the totals of the columns."""
    if plan.unit == "person":
        return repaired(noisy, plan.people)
    totals = [cases + controls for cases, controls in zip(noisy[:3], noisy[3:], strict=True)]
    cases = [min(count, total) for count, total in zip(clamped(noisy[:3]), totals, strict=True)]
    return (*cases, *(total - count for count, total in zip(cases, totals, strict=True)))


def _flipped(table: Table, steps: int) -> list[Table]:
    """Tables with as many cases more in the first column and fewer in the second as `steps` flips make; of a stretch of ways to share the
    flips the farther end in both columns.
    """
    a, b, c, d = table
    if steps >= b + c:
        return [(a + c, 0, 0, b + d)]
    first, last = max(0, steps - b), min(steps, c)
    edges = np.unique(np.linspace(first, last + 1, min(last + 1 - first, MOST) + 1).astype(np.int64)).tolist()
    ways = [(beyond - 1, steps - low) for low, beyond in pairwise(edges)]
    return [(a + i, b - j, c - i, d + j) for i, j in ways]
