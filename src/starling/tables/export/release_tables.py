"""The tables of a release with columns of their own: one for each level of its plan, and one more for each level with statistics.

In the release all groups stand in one table, by codes. Here a group is told by the values of the plan's columns, and its detail by those of
the attributes, so that rows can be pivoted. A row of all values of a column has the code of all values there.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.release.stored_table import StoredTable
from starling.tables.artifact.aggregates import COLUMN_WORDS
from starling.tables.artifact.columns import words
from starling.tables.export.cross_tables import cross_tables_of
from starling.tables.export.described import (
    NOT_APPLICABLE,
    Coded,
    DescribedTable,
    Dimension,
    Number,
    identifiers,
    places,
)
from starling.tables.plan import Aggregate, Geography, Level, Plan
from starling.tables.plan.aggregates import statistic_names
from starling.tables.plan.custom_families import value_texts
from starling.tables.plan.detail import ALL
from starling.tables.plan.labels import level_title
from starling.tables.plan.region_levels import WHOLE

Int32: TypeAlias = npt.NDArray[np.int32]

STATISTIC_NUMBERS: Final = ("value", "lower", "upper", "standard_deviation", "rank_margin", "post_processed")
COUNT_NUMBERS: Final = ("count", "lower", "upper", "standard_deviation", "post_processed")
TAKEN: Final = {*COUNT_NUMBERS, *STATISTIC_NUMBERS, "shown"}


def tables_of(folder: Path, plan: Plan, geography: Geography) -> list[DescribedTable]:
    """The tables of the release in a folder, in plan order."""
    stored = {path.stem: StoredTable(path) for path in sorted((folder / "data").glob("t?.parquet"))}
    measured: dict[tuple[str, int], list[Aggregate]] = {}
    for each in plan.aggregates:
        measured.setdefault((each.level.geography, each.level.iteration_level), []).append(each)
    counted = [_counts(plan, geography, level, stored) for level in plan.levels]
    described = [*counted, *(_statistics(plan, geography, some, stored["t3"]) for some in measured.values())]
    described += cross_tables_of(folder, plan, geography)
    names = identifiers([each.name.lower() for each in described], first="table")
    return [replace(each, name=name) for each, name in zip(described, names, strict=True)]


def _counts(plan: Plan, geography: Geography, level: Level, stored: Mapping[str, StoredTable]) -> DescribedTable:
    """The totals of the groups of a level, and below them their detail."""
    detail = () if level.single_stage or not plan.detail.steps else plan.detail.columns
    groups = _group_columns(plan, geography, level)
    columns = [*groups, *(_detail_columns(plan, {each.dimension.name for each in groups}) if detail else ())]
    where = _where(level)
    rows = stored["t1"].count(where)
    if detail:
        rows += stored["t2"].count(where) - stored["t2"].count(where | {name: [ALL] for name in detail})

    def pieces() -> Iterator[pa.Table]:
        yield from stored["t1"].pieces(where)
        if detail:
            for piece in stored["t2"].pieces(where):
                # The row of all values is the total, which is there already.
                whole = np.logical_and.reduce([np.asarray(pc.equal(piece[name], ALL)) for name in detail])
                yield piece.filter(pa.array(~whole))

    return _described(plan, level, "", columns, COUNT_NUMBERS, rows, pieces)


def _statistics(plan: Plan, geography: Geography, some: Sequence[Aggregate], stored: StoredTable) -> DescribedTable:
    """The statistics of the groups of a level."""
    level, where = some[0].level, _where(some[0].level)
    columns = [
        *_group_columns(plan, geography, level),
        _texts("column", "variable", dict.fromkeys(each.column for each in some)),
        _texts("statistic", "statistic", dict.fromkeys(name for each in some for name in statistic_names(each))),
    ]
    pieces = partial(stored.pieces, where)
    return _described(plan, level, " statistics", columns, STATISTIC_NUMBERS, stored.count(where), pieces)


def _described(
    plan: Plan,
    level: Level,
    kind: str,
    columns: Sequence[Coded],
    numbers: Sequence[str],
    rows: int,
    pieces: Callable[[], Iterator[pa.Table]],
) -> DescribedTable:
    """A table of rows of the release."""
    texts = {**words(plan), **(COLUMN_WORDS if kind else {})}
    types = {"post_processed": pa.bool_(), "count": pa.int64(), "lower": pa.int64(), "upper": pa.int64()}
    of_counts = {} if kind else types
    described = [
        Number(name, types[name] if name == "post_processed" else of_counts.get(name, pa.float64()), texts[name])
        for name in numbers
    ]
    name = f"{'' if level.geography == WHOLE else level.geography} {plan.families[level.iteration_level - 1]}{kind}"
    title = f"{level_title(plan, level)}{kind and f':{kind}'}"
    return DescribedTable.of(name, title, columns, described, TAKEN, rows, pieces)


def _where(level: Level) -> dict[str, list[str]]:
    """The rows of a level in the tables of the release."""
    return {"region_type": [str(level.geography)], "iteration_code": [each.code for each in level.iterations]}


def _group_columns(plan: Plan, geography: Geography, level: Level) -> list[Coded]:
    """The region of a level, where it has any, and the columns of its family of groups."""
    columns = []
    if level.geography != WHOLE:
        regions = geography.regions[level.geography]
        named = zip(regions, geography.names[level.geography], strict=True)
        description = f"{plan.regions.of(level.geography).kind}. {plan.wording.columns['region_id']}"
        dimension = Dimension.of(str(level.geography).lower(), description, named, concept="region")
        columns.append(Coded(dimension, partial(places, column="region_id", values=pa.array(regions))))
    groups = pa.array([each.code for each in level.iterations])
    for dimension, of_groups in _families(plan, level):
        positions = np.array(of_groups, dtype=np.int32)

        def chosen(rows: pa.Table, positions: Int32 = positions) -> Int32:
            return positions[places(rows, "iteration_code", groups)]

        columns.append(Coded(dimension, chosen))
    return columns


def _families(plan: Plan, level: Level) -> Iterator[tuple[Dimension, list[int]]]:
    """The columns of the groups of a level, each with the position of the code of each group."""
    if not plan.records.families:
        named = [(each.code, each.name) for each in level.iterations]
        yield Dimension.of("iteration", plan.wording.columns["iteration_code"], named), list(range(len(named)))
        return
    family, columns = plan.records.families[level.iteration_level - 1], plan.records.by_name
    groups = list(family.iterations(level.iteration_level, columns))
    place_of = {each.code: place for place, each in enumerate(groups)}
    chosen = [place_of[each.code] for each in level.iterations]
    if family.groups:
        sets = [(group.name, each.name) for group, each in zip(family.groups, groups, strict=True)]
        description = f"{family.columns[0]}: sets of values, which may overlap, so that they do not add up to all"
        yield Dimension.of(family.columns[0], description, sets, concept=family.name), chosen
        return
    read = family.read(columns)
    values = [value_texts(column.domain) for column in read]
    combined = list(product(*(range(len(each)) for each in values)))
    for number, column in enumerate(read):
        several = "; a record may count under several, so that they do not add up to all" if column.several else ""
        dimension = Dimension.of(column.name, f"{column.name} of the plan{several}", values[number])
        yield dimension, [combined[place][number] for place in chosen]


def _detail_columns(plan: Plan, taken: Collection[str]) -> Iterator[Coded]:
    """The attributes of the detail, which the totals have all values of."""
    for place, attribute in enumerate(plan.detail.attributes):
        classes = dict.fromkeys(row.classes[place] for rows in plan.detail.rows for row in rows)
        stored = {attribute.codes(each): attribute.text(each) for each in classes if each is not None}
        named = [(" to ".join(dict.fromkeys(code)), text) for code, text in stored.items()]
        known = pa.array(["\x1f".join(code) for code in stored])

        def positions(rows: pa.Table, columns: Sequence[str] = attribute.columns, known: pa.Array = known) -> Int32:
            if columns[0] not in rows.column_names:
                return np.zeros(len(rows), dtype=np.int32)
            joined = pc.binary_join_element_wise(*(rows[name] for name in columns), "\x1f")
            return np.asarray(pc.fill_null(pc.index_in(joined, value_set=known), -1), dtype=np.int32) + 1

        name = f"{attribute.name} (detail)" if attribute.name in taken else attribute.name
        described = f"{attribute.name}, of larger groups"
        yield Coded(Dimension.of(name, described, named, total=attribute.text(None)), positions)


def _texts(column: str, name: str, values: Iterable[str]) -> Coded:
    """A column whose texts are their own labels, and which tables of counts do not have."""
    texts = list(values)
    dimension = Dimension.of(name, COLUMN_WORDS[column], zip(texts, texts, strict=True), absent=NOT_APPLICABLE)
    return Coded(dimension, partial(places, column=column, values=pa.array(texts)))
