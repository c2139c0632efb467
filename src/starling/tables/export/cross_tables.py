"""The cross tables of a release with columns of their own: those of the plan, and one for each level of regions.

Levels are nested: a row of a district says its county too, and a row of a county has all of its districts. So a sum over rows that have a
district is a sum of parts, and so is one over rows without.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.release.stored_table import StoredTable
from starling.tables.artifact.cross import of_plan, tables
from starling.tables.export.described import COUNT, DescribedTable, Dimension, Number, unique_names
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
        wanted = [*(level.lower() for level in levels), *sources.values()]
        names = unique_names(wanted, {*TAKEN, *(f"{name}_label" for name in wanted)})
        regions = [
            Dimension.of(
                name,
                f"{plan.regions.of(level).kind}. {plan.wording.columns['region_id']}",
                zip(geography.regions[level], geography.names[level], strict=True),
                total="all" if level != levels[0] else "",
            )
            for name, level in zip(names, levels, strict=False)
        ]
        columns = [
            (Dimension.of(name, published.words[source], values[column]), source, [code for code, _ in values[column]])
            for name, source, column in zip(names[len(levels) :], sources, table, strict=True)
        ]
        stored = StoredTable(folder / published.path)
        yield DescribedTable(
            published.name,
            published.title,
            (*regions, *(dimension for dimension, _, _ in columns)),
            tuple(Number(name, pa.float64(), published.words[name]) for name in NUMBERS),
            COUNT,
            stored.size,
            partial(_pieces, stored, plan, geography, regions, columns),
        )


def _pieces(
    stored: StoredTable,
    plan: Plan,
    geography: Geography,
    regions: Sequence[Dimension],
    columns: Sequence[tuple[Dimension, str, list[str]]],
) -> Iterator[pa.Table]:
    """The rows of a table, in its order; of each column the dimension, its name in the release, and its codes there."""
    for piece in stored.pieces({}):
        coded = dict(zip((each.name for each in regions), _regions(piece, plan, geography, regions), strict=True))
        for dimension, source, codes in columns:
            coded[dimension.name] = dimension.column(np.asarray(pc.index_in(piece[source], value_set=pa.array(codes))))
        yield pa.table(coded | {name: piece[name] for name in NUMBERS})


def _regions(piece: pa.Table, plan: Plan, geography: Geography, regions: Sequence[Dimension]) -> Iterator[pa.Array]:
    """The region of each row at every level: that which it lies in, or all where the row is of a region above."""
    parents = plan.cross_shape.parents
    places = np.full((len(regions), len(piece)), -1)
    for number, level in enumerate(of_plan(plan).levels[: len(regions)]):
        here = np.asarray(pc.equal(piece["region_type"], level))
        ids = piece["region_id"].filter(pa.array(here))
        own = np.asarray(pc.index_in(ids, value_set=pa.array(geography.regions[level])))
        for above in range(number, -1, -1):
            places[above, here] = own
            own = np.asarray(parents[above - 1])[own] if above else own
    for number, dimension in enumerate(regions):
        # The code of all stands first; the first level has none.
        yield dimension.column(places[number] + (number > 0))
