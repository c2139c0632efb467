"""Residuals of tables that are measured together, and what they cost together when a unit is replaced.

Of a set A of columns of n_i values, N P x is measured: the counts x by these columns, each along every column n_i times itself less the sum
(starling/tables/plan/residuals.py). A record adds a vector of squared L2 norm v = prod n_i (n_i - 1), whichever it is. What two records add
has the inner product v prod r_i, with r_i = 1 where they agree in column i and -1/(n_i - 1) elsewhere. So at the rho `share` of a part,
the replacement of one by the other costs 2 (1 - prod r_i) share.

In regions, a record is in one region of every level, each within one of the level before. Two records are in common regions down to some
level, and in different ones from there on, where both add to the cost: 2 share. Each r_i has one of two values, whichever the records
are. So the replacement costs at most the largest, over the last common level and all sets of columns in which the two agree, of the sum
over parts and levels; and it is the exact cost of two records that differ so. Neighbours differ by one such pair for all parts at once,
which is why the parts' own largest costs, 2 n/(n - 1) times their shares, add up to more.

k records of a unit. All parts together, each over the deviation of its noise, are one vector. The difference of two units is a sum of k
differences of two records, or of a record and none; each has a squared norm of at most twice the larger of the cost of a record and of a
replacement. By the triangle inequality the whole costs at most k^2 times that.

Only on its own. A unit of one group of a parallel composition may be replaced by one of another group, at the cost of both: what is
stated here may be less than that (1.99 for 2 times rho), so that within a bounded overlap the parts count one by one (guarantee.py).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm, prod
from typing import Any, Final

from starling.errors import ParameterError
from starling.privacy.budget import Rho
from starling.privacy.events import MONOTONE, DiscreteGaussianNoise

MOST_COLUMNS: Final = 16
"""Columns up to which all 2^columns ways in which two records can agree are looked at; of more, the parts' own largest costs add up."""

Columns = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResidualEvents:
    """The noise of all parts in all levels.

    Attributes:
        sizes: The number of values of each column, at least 2.
        columns: The columns of each part, by their positions in `sizes`, ascending.
        records: The most records of a unit.
        apart: Whether there is more than one region in the first level.
        sigma_squared: The parameter of the noise of each part, (levels, parts).
    """

    sizes: tuple[int, ...]
    columns: tuple[Columns, ...]
    records: int
    apart: bool
    sigma_squared: tuple[tuple[Fraction, ...], ...]

    def __post_init__(self) -> None:
        if not _is_sound(self, range(len(self.sizes))):
            raise ParameterError("residuals", "are none of tables", "state sizes, columns and noise of each part")

    @property
    def noise(self) -> tuple[tuple[DiscreteGaussianNoise, ...], ...]:
        """What is drawn, part by part, (levels, parts), each with what replacing a unit costs at most for it alone."""
        squares = [self.records**2 * prod(n * (n - 1) for n in self._of(part)) for part in self.columns]
        return tuple(
            tuple(
                DiscreteGaussianNoise(sigma_squared, Fraction(square), factor_of_part(self._of(part)))
                for part, square, sigma_squared in zip(self.columns, squares, level, strict=True)
            )
            for level in self.sigma_squared
        )

    def _of(self, part: Columns) -> tuple[int, ...]:
        return tuple(self.sizes[column] for column in part)

    @property
    def shares(self) -> tuple[tuple[Fraction, ...], ...]:
        """What each part costs, in rho, (levels, parts)."""
        return tuple(tuple(each.cost.amount for each in level) for level in self.noise)

    @property
    def cost(self) -> Rho:
        """What adding or removing a unit costs."""
        return Rho(_sum(self.shares))

    @property
    def replaced(self) -> Fraction:
        """The rho of replacing a unit."""
        return replaced_rho(self.sizes, self.columns, self.apart, self.shares)


def _is_sound(events: Any, every: range) -> bool:
    """Whether the attributes are what they should be; they may have been read from a file of anybody's."""
    return (
        all(type(each) is int and each >= 2 for each in events.sizes)
        and len(set(events.columns)) == len(events.columns) > 0
        and all(list(each) == sorted(set(each) & set(every)) for each in events.columns)
        and type(events.records) is int
        and events.records >= 1
        and type(events.apart) is bool
        and len(events.sigma_squared) > 0
        and all(len(level) == len(events.columns) for level in events.sigma_squared)
        and all(type(each) is Fraction and each > 0 for level in events.sigma_squared for each in level)
    )


def factor_of_part(sizes: tuple[int, ...]) -> Fraction:
    """How many times what a part of columns of these sizes costs it costs alone to replace a record: 2 (1 - prod r) is largest where two
    records differ in the column of fewest values alone, 2 n/(n - 1); 2 where they are in different regions.

    >>> str(factor_of_part((5, 3)))
    '3'
    """
    fewest = min(sizes, default=0)
    return Fraction(2 * fewest, fewest - 1) if sizes else MONOTONE


@lru_cache(maxsize=64)
def replaced_rho(
    sizes: tuple[int, ...],
    columns: tuple[Columns, ...],
    apart: bool,
    shares: tuple[tuple[Fraction, ...], ...],
) -> Fraction:
    """The rho of replacing one record by another, or by none; attributes as of `ResidualEvents`, with the shares of parts."""
    used = sorted({column for part in columns for column in part})
    if len(used) > MOST_COLUMNS:
        factors = [factor_of_part(tuple(sizes[column] for column in part)) for part in columns]
        alone = (factor * share for level in shares for factor, share in zip(factors, level, strict=True))
        return sum(alone, Fraction(0))
    largest = whole = _sum(shares)
    common = [Fraction(0)] * len(columns)
    for level in range(len(shares) + 1):
        if level:
            common = [before + share for before, share in zip(common, shares[level - 1], strict=True)]
        elif not apart:
            continue
        # Together where the levels are common, and 2 share each where they are not.
        largest = max(largest, 2 * whole - 2 * _least_inner(sizes, used, columns, common))
    return largest


def _sum(shares: tuple[tuple[Fraction, ...], ...]) -> Fraction:
    return sum((share for level in shares for share in level), Fraction(0))


def _least_inner(
    sizes: tuple[int, ...], used: list[int], columns: tuple[Columns, ...], shares: list[Fraction]
) -> Fraction:
    """The least, over all sets of columns in which two records agree, of the sum of each share times prod r.

    It is a polynomial of degree 1 in every r, so that its values at all 2^columns points come one column after the other.
    """
    bit = {column: 1 << at for at, column in enumerate(used)}
    values = [Fraction(0)] * (1 << len(used))
    for part, share in zip(columns, shares, strict=True):
        values[sum(bit[column] for column in part)] = share
    denominator = lcm(*(each.denominator for each in values))
    whole = [each.numerator * (denominator // each.denominator) for each in values]
    scale = 1
    for column, step in bit.items():
        others = sizes[column] - 1
        for at in range(len(whole)):
            if not at & step:
                without, with_it = whole[at], whole[at | step]
                whole[at], whole[at | step] = (without + with_it) * others, without * others - with_it
        scale *= others
    return Fraction(min(whole)) / (denominator * scale)
