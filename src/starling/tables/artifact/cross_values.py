"""Released numbers of rows of cross tables with the noise that they share."""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import pyarrow as pa

from starling.errors import ParameterError
from starling.release.intervals import Value, total
from starling.release.reading import Wanted
from starling.release.shared_noise import Linked
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

    def value(self, name: str, row: Mapping[str, Any]) -> Value:
        """The number of a row of a table."""
        cross, called = self._cross, column_names(self._cross)
        table = cross.tables[self.tables.index(name)]
        level = cross.levels.index(row["region_type"]) if has_regions(cross) else 0
        at = 0
        for column in table:
            at = at * self._plan.cross_shape.sizes[column] + self._positions[column][row[called[column]]]
        region = self._regions[level][row["region_id"]] if has_regions(cross) else 0
        return Value(
            Fraction(row["count"]), cells={Linked(self._noise, Cell(level, table, region, at)): (Fraction(1),)}
        )

    def number(self, values: Mapping[str, Values], rows: Callable[..., pa.Table]) -> Value:
        """The number of records with these values; raises ParameterError as `choose_cells`, and for a region that is none of the plan.

        Args:
            values: As `choose_cells` takes them.
            rows: The rows of a table whose columns have some values.
        """
        chosen = choose_cells(self._plan, values)
        called = dict(zip(self._cross.columns, column_names(self._cross), strict=True))
        wanted: dict[str, Wanted] = {called[name]: codes for name, codes in chosen.values.items()}
        if has_regions(self._cross):
            wanted["region_type"] = chosen.level
        if chosen.regions is not None:
            wanted["region_id"] = chosen.regions
        if unknown := set(chosen.regions or ()) - set(self._geography.regions[chosen.level]):
            raise ParameterError(chosen.level, f"has no region {min(unknown)[:40]!r}", "look at `geography`")
        name = self.tables[chosen.place]
        return total(self.value(name, row) for row in rows(name, **wanted).to_pylist())
