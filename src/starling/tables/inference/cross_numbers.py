"""Numbers of cross tables, to be added, compared and divided: which cells are meant, and how far any weighted sum of cells errs.

All tables of a release agree, so that a number is the same whichever table it is summed up from: the smallest with the columns is taken.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.hierarchy.trees import Floats
from starling.privacy.distributions.deviations import STEP, UNIT
from starling.tables.inference.cross_estimates import FINEST
from starling.tables.inference.cross_queries import largest_coefficients, largest_weight, query_variance
from starling.tables.inference.group_choice import Values, apart, known_codes
from starling.tables.inference.whole_numbers import most_moved_sum
from starling.tables.plan import Plan
from starling.tables.plan.cell_margins import deviations_by_draw, largest_draw
from starling.tables.plan.custom_records import custom_records
from starling.tables.plan.residuals import Table

_FIX: Final = "look at `plan`, or at the rows of a table"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: positions of the level, of the region, and of the cell, the last column first."""

    level: int
    table: Table
    region: int
    at: int


@dataclass(frozen=True)
class CrossNoise:
    """A `release.shared_noise.Estimates`: the cells of all cross tables of a release; equal where they are of the same draws.

    Attributes:
        source: The name of the draws.
    """

    source: Hashable
    plan: Plan = field(compare=False, repr=False)

    def deviations(self, alpha: Fraction, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """How many standard deviations hold all but `alpha` of what a sum of cells errs.

        Over several levels of regions a sum may take a draw more than once: one draw may then be all of it.
        """
        shape, cross = self.plan.cross_shape, self.plan.cross
        assert cross is not None
        if not shape.laplace or len(shape.regions) > 1:
            return deviations_by_draw(shape, alpha, 0.0, 0.0)
        most = largest_draw(shape, cross.shares[0], largest_coefficients(shape, self._arrays(weights)))
        return deviations_by_draw(shape, alpha, sqrt(self.variance(weights)), shape.laplace**2 * most)

    def step(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """How much further an interval reaches since draws are whole.

        Under rho a step, as variances are those of the continuous twins; under pure epsilon a unit, as they are those of the draws.
        """
        assert self.plan.cross is not None
        if not self.variance(weights):
            return 0.0
        shape = self.plan.cross_shape
        most = largest_weight(shape, self.plan.cross.shares, self._arrays(weights))
        return (UNIT if shape.laplace else STEP) * most

    def most_moved(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """By how much rounding may have moved the sum: some millionths of a record for the unit in which cells are published
        (cross_estimates.py), and what whole numbers differ from them (whole_numbers.py).
        """
        assert self.plan.cross is not None
        shape, units = self.plan.cross_shape, 0.0
        for cell, (weight,) in weights.items():
            assert isinstance(cell, Cell)
            units += abs(float(weight)) * shape.cells(cell.table) * shape.regions[-1]
        moved = most_moved_sum(shape, self._arrays(weights)) if self.plan.cross.whole else 0.0
        return moved + units * 2.0 ** -(FINEST + 1)

    moved = most_moved

    def variance(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """The exact variance of the sum of cells, each times its weight."""
        assert self.plan.cross is not None
        shape, shares = self.plan.cross_shape, self.plan.cross.shares
        return query_variance(shape, shares, self.plan.records_of_one, self._arrays(weights))

    def _arrays(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> dict[tuple[int, Table], Floats]:
        """The weights of all cells of each table of each level, as `query_variance` takes them."""
        shape = self.plan.cross_shape
        arrays: dict[tuple[int, Table], Floats] = {}
        for cell, (weight,) in weights.items():
            assert isinstance(cell, Cell)
            key = cell.level, cell.table
            if key not in arrays:
                arrays[key] = np.zeros((shape.regions[cell.level], shape.cells(cell.table)))
            arrays[key][cell.region, cell.at] += float(weight)
        return {
            (level, table): each.reshape(-1, *(shape.sizes[column] for column in table))
            for (level, table), each in arrays.items()
        }


@dataclass(frozen=True, slots=True)
class ChosenCells:
    """Cells of one table at one level of regions whose sum is the number of records with given values.

    Attributes:
        place: Of the table among the plan's.
        regions: Those that are chosen; None for all.
        values: Of the columns that are named, the codes that are chosen.
    """

    place: int
    level: str
    regions: tuple[str, ...] | None
    values: Mapping[str, tuple[str, ...]]


def choose_cells(plan: Plan, values: Mapping[str, Values]) -> ChosenCells:
    """The cells that add up to the records with these values.

    Args:
        plan: The plan of the release.
        values: Of a column, or of a level of regions by its name, the values that records have; of a column of whole numbers a class of the
            plan, such as "0 to 9".

    Raises:
        ParameterError: there is no such column or value, or no table of all these columns.
    """
    cross = plan.cross
    assert cross is not None
    columns, where = apart(values, cross.levels)
    read = dict(zip(cross.columns, cross.read(custom_records(plan).by_name), strict=True))
    for name, chosen in columns.items():
        if name not in read:
            raise ParameterError(name, "is no column of the tables", f"take some of {', '.join(cross.columns[:12])}")
        known_codes(name, read[name], chosen)
    place = next((place for place, named in enumerate(cross.named) if columns.keys() <= set(named)), None)
    if place is None:
        raise ParameterError("tables", f"by {', '.join(columns)} together are not in the plan", _FIX)
    level, regions = next(iter(where.items()), (cross.levels[0], None))
    return ChosenCells(place, level, regions, columns)
