"""How wide the intervals of snp_pval and snp_corr will be: for typical tables, by both noises, at the same cost.

Of each table the interval that is told when the noise is as large as usual and moves no count: other draws move the interval, and change
its width by little. How far noise reaches 95 times of 100 is exact (privacy/distributions/table_noise.py). Laplace noise
besides makes the counts add up to
more or less than n, which widens its intervals: here by as much as is exceeded half of the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import log10
from typing import Final, cast, get_args

import numpy as np

from starling.genome.arrays import Int64
from starling.genome.inference.answers import correlation, p_value
from starling.genome.inference.intervals import Interval
from starling.genome.measurements import Cells
from starling.genome.plan import Plan, SnpCorr, SnpPval
from starling.genome.plan.queries import Noise
from starling.genome.preview.typical import ODDS_RATIOS, Assumed, ExpectedAnswer, pair_tables
from starling.genome.statistics.association import PTest, allele_tables, log10_p_values
from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteLaplace

FREQUENCIES: Final = (0.05, 0.2, 0.4)
"""Minor-allele frequencies of the SNPs whose p-value is looked at."""
SHARES: Final = (0.1, 0.3, 0.5)
"""Shares of people who carry each SNP of a pair."""
VALUES: Final = (0.2, 0.5, 0.9)
"""Correlations that are looked at."""
NOISES: Final[tuple[Noise, ...]] = get_args(Noise)[::-1]
"""Lattice, then Laplace as published."""


@dataclass(frozen=True)
class TypicalInterval:
    """The interval of one typical table.

    Attributes:
        share: Minor-allele frequency of the SNP; of a pair, the share of people who carry each.
        effect: Odds ratio per copy; of a pair, the correlation that was aimed at.
        interval: The interval of log10 p, or of the correlation.
    """

    noise: Noise
    share: float
    effect: float
    interval: Interval

    @property
    def width(self) -> float:
        """The distance from the lower to the upper end."""
        return self.interval.high - self.interval.low


@dataclass(frozen=True, repr=False)
class ExpectedTables(ExpectedAnswer):
    """What to expect of snp_pval or snp_corr, of whichever SNPs: an interval for each typical table and each noise."""

    query: SnpPval | SnpCorr
    intervals: tuple[TypicalInterval, ...]

    @property
    def both(self) -> bool:
        """Whether intervals are by both noises."""
        return len({each.noise for each in self.intervals}) > 1

    def widest(self) -> float:
        """The widest interval by the query's own noise."""
        return max(each.width for each in self.intervals if each.noise == self.query.noise)


def noisy_tables(assumed: Assumed, query: SnpPval | SnpCorr, noises: Sequence[Noise] = NOISES) -> ExpectedTables:
    """What to expect, by some noises, of a p-value of SNPs without effect, just significant, and with the square of that p-value; or of a
    correlation.
    """
    plan = assumed.plan
    if isinstance(query, SnpPval):
        typical = [(share, *each) for share in FREQUENCIES for each in _typical(assumed, query.test, share)]
    else:
        pairs = {share: pair_tables(plan.people, share, np.array(VALUES), query.correlation) for share in SHARES}
        typical = [
            (share, value, tuple(table))
            for share, tables in pairs.items()
            for value, table in zip(VALUES, tables.tolist(), strict=True)
        ]
    intervals = [
        TypicalInterval(noise, share, effect, _interval(plan, replace(query, noise=noise), table))
        for share, effect, table in typical
        for noise in noises
        if noise == "lattice" or plan.unit == "person"
    ]
    return ExpectedTables(query, tuple(intervals))


def _interval(plan: Plan, query: SnpPval | SnpCorr, table: tuple[int, ...]) -> Interval:
    """The estimate from the table itself; the ends with a sum that is off as usual."""

    def interval(counts: tuple[int, ...]) -> Interval:
        cells = Cells(counts)
        return p_value(plan, query, cells) if isinstance(query, SnpPval) else correlation(plan, query, cells)

    off = margin(DiscreteLaplace(2 / query.epsilon), Fraction(1, 2), len(table)) if query.noise == "laplace" else 0
    # What is too much is taken off the largest cell again, so the range is that around the table.
    largest = max(range(len(table)), key=table.__getitem__)
    noisy = tuple(count + off * (at == largest) for at, count in enumerate(table))
    result = interval(noisy)
    return replace(result, estimate=interval(table).estimate) if off else result


@lru_cache(maxsize=64)
def _typical(assumed: Assumed, test: str, frequency: float) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """Odds ratio and table of a SNP without effect, of one that is just significant, and of one with the square of that p-value."""
    tables: Int64 = assumed.tables(frequency, ODDS_RATIOS)
    counted = allele_tables(tables) if assumed.plan.model == "allelic" else tables
    p = log10_p_values(counted, cast(PTest, "chi2" if test == "score" else test))
    tables = assumed.with_missing(tables)
    least = log10(assumed.plan.p_threshold)
    places = [0, *(int(np.argmax(p <= wanted)) for wanted in (least, 2 * least))]
    # A SNP that no effect makes so significant is looked at without effect alone.
    return tuple((float(ODDS_RATIOS[at]), tuple(tables[at].tolist())) for at in dict.fromkeys(places))
