"""From noisy residuals to cross tables that agree: in every pair of tables, and from regions to those above, exactly.

Least squares. Each part's noisy numbers, less their means along every column, over N_A, estimate P_A x_A in each region
(plan/residuals.py); over nested regions the recursion of trees.py makes one estimate of the measurements of all levels. A table is the
sum over its parts, spread evenly over the columns that the part lacks.

Under pure epsilon the measurements are whole tables, and each says so much of all its parts: weighted by precision, they give one estimate
of each part in each region of a level, with a variance as a residual has.

Exact sums. All numbers are published in one unit, 2^-k records, so that sums of doubles are exact in whatever order. Of every table, the
cells with no last value of a column are rounded to it; a cell with last values is what the tables without that column leave for it. Any
whole numbers in the first give tables that agree, so nothing is forced; a number moves by at most half a unit for each cell of its table,
a millionth of a record a cell where k is 20. Regions above are sums of those of the finest level.

Arithmetic as in trees.py: in an order that is fixed, so that another machine repeats every bit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from math import frexp
from typing import Final

import numpy as np

from starling.hierarchy.trees import Estimated, Floats, least_squares
from starling.tables.inference.whole_numbers import rounded_together, tree_order
from starling.tables.measurements import CrossMeasurements, Int64
from starling.tables.plan.residuals import (
    Shape,
    Shares,
    Table,
    cell_variances,
    measured_variances,
    precisions,
    spreads,
    subsets,
)

FINEST: Final = 20
"""k, unless the numbers are so large that their sums would need more than 53 bits."""
_BITS: Final = 51


@dataclass(frozen=True, slots=True)
class CrossEstimates:
    """The published tables, in units of 2^-bits records.

    Attributes:
        tables: Of each level and each published table, int64 (regions, values of each column ...).
    """

    bits: int
    tables: tuple[Mapping[Table, Int64], ...]

    def counts(self, level: int, table: Table) -> Floats:
        """The estimates of a table, in records: float64 (regions, values of each column ...)."""
        return np.ldexp(self.tables[level][table].astype(np.float64), -self.bits)


def cross_estimates(
    shape: Shape, shares: Shares, measured: CrossMeasurements, *, whole: bool = False
) -> CrossEstimates:
    """The estimates of all published tables in all regions, `whole` in whole records."""
    estimated = dict(_estimated(shape, shares, measured))
    cells = {part: _table(shape, estimated, part) for part in shape.parts}
    # The unit in which no sum over a table leaves 53 bits: by the noisy numbers alone.
    largest = max(float(np.abs(cells[table]).sum()) for table in shape.tables)
    bits = max(min(FINEST, _BITS - frexp(largest)[1]), 0)
    every: dict[Table, Int64] = {}
    for part in shape.parts:
        every[part] = _agreeing(np.ldexp(cells.pop(part), bits), part, every)
    if whole:
        order = tree_order(shape)
        every, bits = {table: rounded_together(every[table], bits, order) for table in shape.tables}, 0
    levels = [{table: every[table] for table in shape.tables}]
    for parents in reversed(shape.parents):
        order = np.argsort(parents, kind="stable")
        starts = np.searchsorted(np.array(parents)[order], np.arange(max(parents) + 1))
        levels.insert(0, {table: np.add.reduceat(each[order], starts, axis=0) for table, each in levels[0].items()})
    return CrossEstimates(bits, tuple(levels))


def deviations(shape: Shape, shares: Shares, records: int) -> tuple[Floats, ...]:
    """The standard deviation of a cell, float64 (regions, tables) of each level, where so many records of one person are counted."""
    return tuple(
        records * np.sqrt(cell_variances(shape, spread))[kinds.of_region]
        for spread, kinds in zip(spreads(shape, shares), shape.kinds, strict=True)
    )


def pure(numbers: Floats) -> Floats:
    """P of numbers, (regions, values of each column ...): less their mean along every column."""
    for axis in range(1, numbers.ndim):
        total = numbers.take(0, axis)
        for value in range(1, numbers.shape[axis]):
            total = total + numbers.take(value, axis)
        numbers = numbers - np.expand_dims(total, axis) / float(numbers.shape[axis])
    return numbers


def _estimated(shape: Shape, shares: Shares, measured: CrossMeasurements) -> Iterator[tuple[Table, Floats]]:
    """Each part in the regions of the finest level, float64 (regions, values of each column ...)."""
    levels: dict[int, list[Floats]] = {}
    for place, own in _of_families(shape, shares, measured) if shape.laplace else _of_residuals(shape, measured):
        levels.setdefault(place, []).append(own.reshape(len(own), -1))
    spread = measured_variances(shape, shares)
    parents = [np.array(each, dtype=np.int64) for each in shape.parents]
    for place, values in levels.items():
        part = shape.parts[place]
        if len(values) > 1:
            both = [Estimated(each, np.full(each.shape, of[place])) for each, of in zip(values, spread, strict=True)]
            finest = least_squares(both, parents)[-1].count
        else:
            (finest,) = values
        yield part, finest.reshape(-1, *(shape.sizes[column] for column in part))


def _of_residuals(shape: Shape, measured: CrossMeasurements) -> Iterator[tuple[int, Floats]]:
    """Each part as it was measured, level by level: float64 (regions, values of each column ...)."""
    for _, place, numbers in measured:
        part = shape.parts[place]
        sizes = [shape.sizes[column] for column in part]
        yield place, pure(numbers.astype(np.float64).reshape(-1, *sizes)) / float(shape.cells(part))


def _of_families(shape: Shape, shares: Shares, measured: CrossMeasurements) -> Iterator[tuple[int, Floats]]:
    """Each part as the tables that were measured at a level say together, level by level, weighted by precision."""
    place = {part: at for at, part in enumerate(shape.parts)}
    owners, inside, _ = shape.within
    for level, tables in groupby(measured, key=lambda each: each[0]):
        precise = precisions(shape, shares[level])
        whole = np.bincount(inside, weights=precise, minlength=len(shape.parts))
        sums: dict[int, Floats] = {}
        for _, owner, numbers in tables:
            table = shape.parts[owner]
            cells = numbers.reshape(-1, *(shape.sizes[column] for column in table))
            # The parts of a table stand in the order of `subsets`.
            for part, weight in zip(subsets(table), precise[owners == owner].tolist(), strict=True):
                rest = tuple(1 + at for at, column in enumerate(table) if column not in part)
                own = pure(cells.sum(axis=rest).astype(np.float64)) * (weight / float(whole[place[part]]))
                sums[place[part]] = sums[place[part]] + own if place[part] in sums else own
        yield from sums.items()


def _table(shape: Shape, estimated: Mapping[Table, Floats], table: Table) -> Floats:
    """The table as the sum of its parts."""
    regions = shape.regions[-1]
    cells = np.zeros((regions, *(shape.sizes[column] for column in table)))
    for part in subsets(table):
        spread = [regions, *(shape.sizes[column] if column in part else 1 for column in table)]
        cells = cells + estimated[part].reshape(spread) / float(shape.cells(table) // shape.cells(part))
    return cells


def _agreeing(cells: Floats, table: Table, others: Mapping[Table, Int64]) -> Int64:
    """Whole numbers of which the sums along every column are those of the table without it."""
    whole = np.floor(cells + 0.5).astype(np.int64)
    last, rest, every = slice(-1, None), slice(None, -1), slice(None)
    for at, column in enumerate(table):
        # Along earlier columns the last values are there already; along later ones they come after.
        before, after = (every,) * (1 + at), (rest,) * (len(table) - at - 1)
        without = others[tuple(other for other in table if other != column)][(*before, *after)]
        whole[(*before, last, *after)] = np.expand_dims(without, 1 + at) - whole[(*before, rest, *after)].sum(
            axis=1 + at, keepdims=True
        )
    return whole
