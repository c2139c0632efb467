"""Cross tables measured as residuals: what is measured, what it costs, and how far every cell errs.

A table is a set B of columns. Its parts are the subsets A of B. Of every part of a published table one vector is measured, N_A P_A x_A:
x_A are the counts by the columns of A, P_A is the product over i in A of (I - J/n_i), with n_i values of column i and J the matrix of
ones, and N_A = prod n_i makes whole numbers of it. Discrete Gaussian noise of parameter N_A^2 s_A is added to each of its N_A numbers.

Privacy. A record adds N_A P_A e for a unit vector e: its number in cell c is the product over i of n_i - 1 where c agrees with the record
in column i, and of -1 elsewhere. The sum of their squares is the product of (n_i - 1)^2 + (n_i - 1) = n_i (n_i - 1), for every record. So
a part costs v/(2 sigma^2) = prod n_i (n_i - 1)/(2 N_A^2 s_A) = p_A/(2 s_A), p_A = prod (n_i - 1)/n_i, and parts add up. k records of a
person add at most k times the norm of one. What a replacement costs stands in privacy/residual_events.py.

Estimates. P_A of the noisy vector, divided by N_A, estimates P_A x_A with covariance s_A P_A, and parts are independent. A table of B is
the sum over its parts of these, spread evenly over the columns that the part lacks; a cell errs by the variance sum of s_A p_A prod
n_j^-2 over the columns j of B without A. Parts that belong to different sets are orthogonal, so that this is least squares.

Regions are not residualised. In every region of a level the same parts are measured with the level's own noise; a record is in one region
of each level. For every part least squares over the tree of regions is the recursion of hierarchy/trees.py on each number by itself.

The best shares of a budget are those of the spec of cross tables: of one level s_A = sqrt(p_A/v_A) (sum of sqrt(p_A v_A))/(2 rho), where
v_A = sum over B of w_B p_A prod n_j^-2. Over levels with R_l regions, lambda_{A,l} is proportional to the root of (sum over m >= l of
v_{A,m}/R_m^2)/p_A, and 1/s_{A,l} = (lambda_{A,l} - lambda_{A,l+1}) R_l/R_L. Source: ResidualPlanner (arXiv 2305.08175), here in integers.

Pure epsilon. Residuals have no small L1 sensitivity: whole tables are measured in their place (best_families.py says which), with discrete
Laplace noise. Such a table B of variance v in each cell estimates P_A x_A of each of its parts A with s_A = v prod n_j over the columns j
of B without A, and covariance s_A P_A again; several tables, or levels, are combined by their precisions. What a table says of different
parts is uncorrelated, so that this is least squares too.

Arithmetic. Additions, multiplications, divisions and square roots of IEEE 754 in a fixed order, so that another machine finds the same
shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import fsum, inf, prod
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.budget import Measure
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.deviations import STEP, UNIT
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.residual_events import replaced_rho

Table: TypeAlias = tuple[int, ...]
"""Positions of columns, ascending; without any, everybody."""
Shares: TypeAlias = tuple[tuple[Fraction, ...], ...]
"""Rho of each part in each level of regions, (levels, parts)."""
Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]

UNITS: Final = 10**12
"""Parts of a budget that shares are whole numbers of."""


@dataclass(frozen=True)
class Shape:
    """Which tables are published, of how many values, in which regions.

    Attributes:
        sizes: Values of each column, at least 2.
        tables: Sets of columns by the number of columns and then by positions, each once.
        roots: Regions of the first level.
        parents: For every further level, the position of each region's parent in the level before.
        laplace: Under pure epsilon, k, the records of a person that are counted; 0 under rho.
    """

    sizes: tuple[int, ...]
    tables: tuple[Table, ...]
    roots: int = 1
    parents: tuple[tuple[int, ...], ...] = ()
    laplace: int = 0

    @property
    def measure(self) -> Measure:
        """What shares are amounts of."""
        return "epsilon" if self.laplace else "rho"

    @property
    def regions(self) -> tuple[int, ...]:
        """Regions of each level."""
        return (self.roots, *map(len, self.parents))

    @cached_property
    def parts(self) -> tuple[Table, ...]:
        """Every subset of a table, in the order of tables."""
        every = {part for table in self.tables for part in subsets(table)}
        return tuple(sorted(every, key=lambda part: (len(part), part)))

    def cells(self, table: Table) -> int:
        """N: how many cells a table has."""
        return prod(self.sizes[column] for column in table)

    def step(self, table: Table) -> float:
        """How much further intervals of a cell reach since draws are whole (privacy/distributions/deviations.py).

        No draw counts more in a cell than 1/N, or under pure epsilon, where whole tables are measured and variances are of the draws, 1.
        """
        return UNIT if self.laplace else STEP / self.cells(table)

    def scaled(self, table: Table) -> int:
        """N p: the product of n - 1."""
        return prod(self.sizes[column] - 1 for column in table)

    def most_moved(self, table: Table) -> float:
        """How far a whole number of a table may be from its estimate: half of 2 for each column, and for regions (whole_numbers.py)."""
        return 2.0 ** (len(table) - 1) * (2 if self.regions[-1] > 1 else 1)

    @cached_property
    def pure(self) -> Floats:
        """p of each part."""
        return np.array([self.scaled(part) / self.cells(part) for part in self.parts])

    @cached_property
    def members(self) -> tuple[Places, Places, Floats]:
        """Each table with each of its parts: their positions, and prod n^-2 of the columns that the part lacks."""
        tables, parts, counts = self._with_parts(self.tables)
        return tables, parts, 1.0 / (counts * counts)

    @cached_property
    def within(self) -> tuple[Places, Places, Floats]:
        """Each part as a table with each of its own parts: their positions, and prod n of the columns that the latter lacks."""
        return self._with_parts(self.parts)

    def _with_parts(self, tables: Sequence[Table]) -> tuple[Places, Places, Floats]:
        place = {part: at for at, part in enumerate(self.parts)}
        both = [(at, table, part) for at, table in enumerate(tables) for part in subsets(table)]
        counts = np.array([float(self.cells(table) // self.cells(part)) for _, table, part in both])
        owners, parts = np.array([(at, place[part]) for at, _, part in both], dtype=np.intp).T
        return owners, parts, counts

    @cached_property
    def kinds(self) -> "tuple[Kinds, ...]":
        """The regions of each level, told apart by what decides their variances."""
        return _kinds(self)


@dataclass(frozen=True, slots=True)
class Kinds:
    """The regions of a level by kind: regions of one kind have equal variances of every table.

    Attributes:
        of_region: The kind of each region, numbered from 0.
        parent: The kind of the parent of a region of each kind; of the first level 0.
        below: The kind of what is below each kind.
        children: For what is below: how many children of each kind of what is below them; none in the last level.
    """

    of_region: Places
    parent: tuple[int, ...]
    below: tuple[int, ...]
    children: tuple[tuple[tuple[int, int], ...], ...]


def subsets(table: Table) -> list[Table]:
    """All subsets, the smallest first.

    >>> subsets((0, 2))
    [(), (0,), (2,), (0, 2)]
    """
    return [part for size in range(len(table) + 1) for part in combinations(table, size)]


def _kinds(shape: Shape) -> tuple[Kinds, ...]:
    below_of: list[list[int]] = []
    children_of: list[tuple[tuple[tuple[int, int], ...], ...]] = []
    below = [0] * shape.regions[-1]
    children: tuple[tuple[tuple[int, int], ...], ...] = ((),)
    for level in reversed(range(len(shape.regions))):
        if level < len(shape.regions) - 1:
            counted: list[dict[int, int]] = [{} for _ in range(shape.regions[level])]
            for parent, kind in zip(shape.parents[level], below, strict=True):
                counted[parent][kind] = counted[parent].get(kind, 0) + 1
            profiles = [tuple(sorted(each.items())) for each in counted]
            number = {profile: at for at, profile in enumerate(dict.fromkeys(profiles))}
            below, children = [number[profile] for profile in profiles], tuple(number)
        below_of.insert(0, below)
        children_of.insert(0, children)
    kinds: list[Kinds] = []
    above = [0] * shape.roots
    for level, of_below in enumerate(below_of):
        parents = above if level == 0 else [int(kinds[-1].of_region[parent]) for parent in shape.parents[level - 1]]
        both = list(zip(parents, of_below, strict=True))
        number_of = {each: at for at, each in enumerate(dict.fromkeys(both))}
        of_region = np.array([number_of[each] for each in both], dtype=np.intp)
        above_of_kind, below_of_kind = zip(*number_of, strict=True)
        kinds.append(Kinds(of_region, above_of_kind, below_of_kind, children_of[level]))
    return tuple(kinds)


def measured_variances(shape: Shape, shares: Shares) -> list[Floats]:
    """The variance s of what is measured of a part in a region of each level by itself, (parts,), of one record a person."""
    if not shape.laplace:
        return [shape.pure / (2 * np.array([float(share) for share in level])) for level in shares]
    inside = shape.within[1]
    return [1.0 / np.bincount(inside, weights=precisions(shape, level), minlength=len(shape.parts)) for level in shares]


def precisions(shape: Shape, level: Sequence[Fraction]) -> Floats:
    """Under pure epsilon, what each measured table of a level adds to the precision of each of its parts, as `Shape.within` lists them."""
    owners, _, counts = shape.within
    return np.array(1.0 / (np.array(laplace_variances(shape, level))[owners] * counts))


def laplace_variances(shape: Shape, level: Sequence[Fraction]) -> list[float]:
    """The variance of a cell of each table that is measured; infinite of all others."""
    return [_laplace_variance(shape.laplace, share) if share else inf for share in level]


@lru_cache(maxsize=4096)
def _laplace_variance(records: int, share: Fraction) -> float:
    """The variance of the noise of a cell, over the square of the records of a person; the same on every machine."""
    deviation = standard_deviation(DiscreteLaplace(records / share)) / records
    return deviation * deviation


def spreads(shape: Shape, shares: Shares) -> list[Floats]:
    """The variance s of the estimate of a part, after least squares over regions: (kinds, parts) of each level."""
    return spreads_of(shape, measured_variances(shape, shares))


def spreads_of(shape: Shape, measured: Sequence[Floats]) -> list[Floats]:
    """`spreads` by the variances of what was measured at each level, (parts,)."""
    up: list[list[Floats]] = []
    sums: list[list[Floats]] = []
    for level in reversed(range(len(measured))):
        own, every = measured[level], shape.kinds[level].children
        if level == len(measured) - 1:
            up.insert(0, [own])
            continue
        totals = [sum((count * up[0][kind] for kind, count in each), np.zeros_like(own)) for each in every]
        sums.insert(0, totals)
        up.insert(0, [own * total / (own + total) for total in totals])
    rest = [np.array([up[0][below] for below in shape.kinds[0].below])]
    for level in range(1, len(measured)):
        kinds, above = shape.kinds[level], shape.kinds[level - 1]
        rows = []
        for parent, below in zip(kinds.parent, kinds.below, strict=True):
            own, total = up[level][below], sums[level - 1][above.below[parent]]
            part = own / total
            rows.append(own - part * own + part * part * rest[-1][parent])
        rest.append(np.array(rows))
    return rest


def cell_variances(shape: Shape, spread: Floats) -> Floats:
    """The variance of a cell of each table, (rows, tables), from the variances of parts, (rows, parts)."""
    tables, parts, factors = shape.members
    terms = spread[:, parts] * (shape.pure[parts] * factors)
    return np.array([np.bincount(tables, weights=row, minlength=len(shape.tables)) for row in terms])


def variances(shape: Shape, shares: Shares) -> tuple[tuple[float, ...], ...]:
    """The variance of a cell of each table, in the region of each level where it is largest, (levels, tables)."""
    return tuple(tuple(cell_variances(shape, spread).max(axis=0).tolist()) for spread in spreads(shape, shares))


def best_shares(shape: Shape, weights: Sequence[Sequence[float]], budget: Fraction) -> Shares:
    """The shares of a budget that make the weighted sum of the variances of cells least; they add up to it exactly.

    On a tree of regions whose branches differ it is the best of a tree with as many regions and equal branches.

    Args:
        shape: The tables.
        weights: Of each table in each level, (levels, tables), above 0.
        budget: Rho, above 0.
    """
    tables, parts, factors = shape.members
    pure, regions = shape.pure, shape.regions
    from_here = np.zeros(len(shape.parts))
    roots: list[Floats] = [np.zeros(len(shape.parts))]
    for level in reversed(range(len(regions))):
        weighted = np.array(weights[level], dtype=np.float64)[tables] * factors
        sums = np.bincount(parts, weights=weighted, minlength=len(shape.parts))
        from_here = from_here + sums / (float(regions[level]) * float(regions[level]))
        # v and p share the factor p, which leaves v/p.
        roots.insert(0, np.sqrt(from_here))
    raw = np.array(
        [pure * (roots[level] - roots[level + 1]) * (count / regions[-1]) for level, count in enumerate(regions)]
    )
    scale = UNITS / fsum(raw.ravel().tolist())
    units = adding_up([[max(int(each * scale), 1) for each in row] for row in raw.tolist()])
    return tuple(tuple(budget * Fraction(each, UNITS) for each in row) for row in units)


def adding_up(units: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    """Whole numbers with the largest, the first of several, changed so that all add up to UNITS."""
    row = max(units, key=max)
    row[row.index(max(row))] += UNITS - sum(map(sum, units))
    return tuple(map(tuple, units))


def noise(shape: Shape, part: Table, share: Fraction) -> DiscreteGaussian:
    """The noise of each number of a part that costs a record `share` of rho: v/(2 share)."""
    return DiscreteGaussian(squared_sensitivity(shape, part) / (2 * share))


def squared_sensitivity(shape: Shape, part: Table) -> int:
    """v: the squared L2 norm of what a record adds to a part, the product of n (n - 1)."""
    return shape.cells(part) * shape.scaled(part)


def cost(shares: Shares) -> Fraction:
    """Rho of adding or removing a record: the sum of the shares."""
    return sum((share for level in shares for share in level), Fraction(0))


def replace_one(shape: Shape, shares: Shares) -> Fraction:
    """Rho of replacing one record by another, or by none (privacy/residual_events.py)."""
    return replaced_rho(shape.sizes, shape.parts, shape.roots > 1, shares)
