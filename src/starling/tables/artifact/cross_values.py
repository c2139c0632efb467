"""Released numbers of rows of cross tables with the noise that they share."""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import cached_property

import pyarrow as pa

from starling.errors import ParameterError
from starling.release.intervals import Value
from starling.release.reading import Wanted
from starling.release.shared_noise import Cells, Linked
from starling.tables.artifact.cross import of_plan
from starling.tables.inference.cross_numbers import Cell, CrossNoise, choose_cells
from starling.tables.inference.group_choice import Values
from starling.tables.plan import Geography, Plan
from starling.tables.plan.custom_families import value_texts
from starling.tables.plan.custom_records import custom_records
from starling.tables.postprocess.cross import column_names, has_regions, table_names


class CrossValues:
    """Makes the number of a row.

    Args:
        plan: The plan of the release.
        geography: Its regions.
        source: The name of its draws.
    """

    def __init__(self, plan: Plan, geography: Geography, source: Hashable) -> None:
        self._plan, self._geography, self._cross = plan, geography, of_plan(plan)
        self._noise = CrossNoise(source, plan)
        self.tables = table_names(self._cross)

    @cached_property
    def _positions(self) -> list[dict[str, int]]:
        """The position of each code of every column."""
        columns = self._cross.read(custom_records(self._plan).by_name)
        return [{code: at for at, (code, _) in enumerate(value_texts(each.domain))} for each in columns]

    @cached_property
    def _regions(self) -> list[dict[str, int]]:
        """The position of each region of every level."""
        levels = (self._geography.regions[level] for level in self._cross.levels)
        return [{region: at for at, region in enumerate(regions)} for regions in levels]

    def total(self, name: str, rows: pa.Table) -> Value:
        """The sum of the numbers of some rows of a table."""
        cross, called = self._cross, column_names(self._cross)
        table = cross.tables[self.tables.index(name)]
        cells = [0] * len(rows)
        for column in table:
            size, positions = self._plan.cross_shape.sizes[column], self._positions[column]
            codes = rows[called[column]].to_pylist()
            cells = [at * size + positions[code] for at, code in zip(cells, codes, strict=True)]
        levels, regions = [0] * len(rows), [0] * len(rows)
        if has_regions(cross):
            levels = list(map(cross.levels.index, rows["region_type"].to_pylist()))
            ids = rows["region_id"].to_pylist()
            regions = [self._regions[level][region] for level, region in zip(levels, ids, strict=True)]
        linked: dict[Cells | Linked, tuple[Fraction, ...]] = {
            Linked(self._noise, Cell(level, table, region, at)): (Fraction(1),)
            for level, region, at in zip(levels, regions, cells, strict=True)
        }
        return Value(sum(map(Fraction, rows["count"].to_pylist()), Fraction(0)), cells=linked)


def rows_of(plan: Plan, geography: Geography, values: Mapping[str, Values]) -> tuple[str, dict[str, Wanted]]:
    """The table, and the values of its columns, whose rows add up to the records with some values.

    Args:
        plan: The plan of the release.
        geography: Its regions.
        values: As `choose_cells` takes them.

    Raises:
        ParameterError: as `choose_cells`, and for a region that is none of the plan.
    """
    chosen, cross = choose_cells(plan, values), of_plan(plan)
    called = dict(zip(cross.columns, column_names(cross), strict=True))
    wanted: dict[str, Wanted] = {}
    if unknown := set(chosen.regions or ()) - set(geography.regions[chosen.level]):
        raise ParameterError(chosen.level, f"has no region {min(unknown)[:40]!r}", "look at `geography`")
    # Regions first: rows are looked for column after column, and these leave the fewest.
    if chosen.regions is not None:
        wanted["region_id"] = chosen.regions
    if has_regions(cross):
        wanted["region_type"] = chosen.level
    wanted |= {called[name]: codes for name, codes in chosen.values.items()}
    return table_names(cross)[chosen.place], wanted
