"""The cross tables of a release with columns of their own: those of the plan, and one for each level of regions.

Levels are nested: a row of a district says its county too, and a row of a county has all of its districts. So a sum over rows that have a
district is a sum of parts, and so is one over rows without.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.release.stored_table import StoredTable
from starling.tables.artifact.cross import of_plan, tables
from starling.tables.export.described import Coded, DescribedTable, Dimension, Number, places
from starling.tables.plan import Geography, Plan
from starling.tables.plan.custom_families import value_texts
from starling.tables.plan.custom_records import custom_records
from starling.tables.postprocess.cross import NUMBERS, column_names, has_regions

TAKEN: Final = {*NUMBERS, "shown"}


def cross_tables_of(folder: Path, plan: Plan, geography: Geography) -> Iterator[DescribedTable]:
    """The cross tables of the release in a folder, in plan order; none where the plan has none."""
    if plan.cross is None:
        return
    cross = plan.cross
    levels = cross.levels if has_regions(cross) else ()
    values = [value_texts(column.domain) for column in cross.read(custom_records(plan).by_name)]
    for published, table in zip(tables(plan), cross.tables, strict=True):
        sources = {column_names(cross)[column]: cross.columns[column] for column in table}
        columns = []
        for number, level in enumerate(levels):
            description = f"{plan.regions.of(level).kind}. {plan.wording.columns['region_id']}"
            named = zip(geography.regions[level], geography.names[level], strict=True)
            dimension = Dimension.of(level.lower(), description, named, total="all" if number else "")
            columns.append(Coded(dimension, partial(_regions, plan, geography, number)))
        for (source, name), column in zip(sources.items(), table, strict=True):
            codes = pa.array([code for code, _ in values[column]])
            dimension = Dimension.of(name, published.words[source], values[column])
            columns.append(Coded(dimension, partial(places, column=source, values=codes)))
        numbers = [Number(name, pa.float64(), published.words[name]) for name in NUMBERS]
        stored = StoredTable(folder / published.path)
        rows = stored.size, partial(stored.pieces, {})
        yield DescribedTable.of(published.name, published.title, columns, numbers, TAKEN, *rows)


def _regions(plan: Plan, geography: Geography, number: int, rows: pa.Table) -> npt.NDArray[np.int64]:
    """Where the region of a level stands among its codes which each row lies in, or that of all where the row is of a region above."""
    levels = of_plan(plan).levels
    regions = np.full(len(rows), -1)
    for below in range(number, len(levels)):
        here = np.asarray(pc.equal(rows["region_type"], levels[below]))
        ids = rows["region_id"].filter(pa.array(here))
        own = np.asarray(pc.index_in(ids, value_set=pa.array(geography.regions[levels[below]])))
        for parents in reversed(plan.cross_shape.parents[number:below]):
            own = np.asarray(parents)[own]
        regions[here] = own
    # The code of all stands first; the first level has none.
    return regions + (number > 0)
