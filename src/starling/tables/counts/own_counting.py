"""Counting records of one's own once, by all that decides which groups and cells they are in: area, set of values, cell of the detail.

Each distinct combination of what records say of the columns of groups gets a number, in the order in which it is met; DuckDB counts by
that number, and it is expanded to the values of every family afterwards. So the numbers mean nothing to whoever reads the counts.

Where at most k records of a person or a household count, they are chosen by a keyed hash (engine/kept_records.py), whose key each
computation draws anew.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import pairwise, product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.engine import duck
from starling.engine.kept_records import KEY
from starling.engine.machine import in_order
from starling.engine.spill import Spill
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Confidential
from starling.tables.counts import records as counted_records
from starling.tables.counts.kernels import Int32, Int64, Sets
from starling.tables.counts.population_groups import GroupCounts
from starling.tables.counts.spread_records import SpreadRecords
from starling.tables.plan import Aggregate, Geography, Plan
from starling.tables.plan.columns import Column
from starling.tables.plan.counting_sql import OWN_SQL
from starling.tables.plan.own_records import OwnRecords
from starling.tables.source.declared_reading import Batch, read_declared
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.kept_reading import read_kept
from starling.tables.source.value_sets import ValueSets

SHARE: Final = 1 << 20
"""Records that DuckDB counts at a time. Public, and of no effect on a count."""
_RECORDS: Final = pa.schema([("unit", pa.int32()), ("groups", pa.int32()), ("cell", pa.uint8())])


def count_own(
    plan: Plan, geography: Geography, records: DeclaredRecords, *, limits: duck.Limits | None = None
) -> Confidential[GroupCounts]:
    """The computation of the exact counts of every group of the plan; reads nothing yet.

    Args:
        plan: The columns, areas, families and detail.
        geography: The regions of the plan, whose units are its areas.
        records: The checked, but unread, records.
        limits: Memory, disk and processors of DuckDB, and disk of the counted records.

    The computation raises SourceError when the records are no longer what was checked and OutputError when memory or disk do not suffice;
    never because of what a record says. Behind `publish` both are the one RunFailed.
    """
    return Confidential(partial(_count, plan, geography, records, limits))


def _count(plan: Plan, geography: Geography, records: DeclaredRecords, limits: duck.Limits | None) -> GroupCounts:
    limits = limits or duck.default_limits()
    columns = records.columns.groups
    sets = [ValueSets(column) for column in columns if column.several]
    combinations = Combinations()
    spill = Spill(limits.spill, limits.disk)
    counted = counted_records.Records(geography.units, spill)
    kinds = {_cells_of(aggregate): aggregate for aggregate in plan.aggregates}
    spread = [(cells, SpreadRecords(each, geography.units, spill)) for cells, each in kinds.items()]
    each = duck.Limits(limits.memory // limits.threads, limits.disk, 1, limits.spill)

    def answer(share: pa.Table) -> list[pa.RecordBatch]:
        return list(duck.run(OWN_SQL, {"records": share}, each))

    each_counts = records.columns.unit is None
    read = read_declared(records, sets) if each_counts else read_kept(records, sets, fresh_bytes(KEY), limits)
    with closing(read) as batches:
        numbered = (_numbered(plan, batch, combinations, spread) for batch in batches)
        with closing(in_order(answer, _shares(numbered))) as answers:
            for found in answers:
                for batch in found:
                    unit, groups, cell, persons = (column.to_numpy() for column in batch.columns)
                    counted.add(unit, groups, np.zeros(len(unit), np.int16), cell, persons)
    counted.put_away()
    for _, left in spread:
        left.put_away()
    assert plan.records is not None
    families = _sets_of_families(plan, plan.records, columns, sets, combinations)
    by_cells = dict(spread)
    return GroupCounts(plan, geography, counted, families, [by_cells[_cells_of(each)] for each in plan.aggregates])


_Cells: TypeAlias = tuple[str, tuple[int, ...]]
"""A column of numbers, and where the classes of quantiles begin; none for sums."""


def _cells_of(aggregate: Aggregate) -> _Cells:
    return aggregate.column, () if aggregate.quantiles is None else aggregate.quantiles.cuts


def _numbered(
    plan: Plan, batch: Batch, combinations: "Combinations", spread: list[tuple[_Cells, SpreadRecords]]
) -> pa.RecordBatch:
    """The records of a batch by unit, number of their combination, and cell; those of aggregates are added to their own."""
    numbers = tuple(
        found.astype(np.int64) + attribute.low
        for attribute, found in zip(plan.detail.attributes, batch.detail, strict=True)
    )
    cells = plan.detail.cell_of(numbers, len(batch.area)).astype(np.uint8)
    groups = combinations.number(batch.groups, len(batch.area))
    places = [column.name for column in plan.read.numbers]
    for (column, _), each in spread:
        each.add(batch.area, groups, batch.numbers[places.index(column)])
    return pa.record_batch([pa.array(each) for each in (batch.area, groups, cells)], schema=_RECORDS)


def _shares(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """SHARE records and up to a batch more at a time."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= SHARE:
            yield pa.Table.from_batches(waiting, _RECORDS)
            waiting = []
    yield pa.Table.from_batches(waiting, _RECORDS)


class Combinations:
    """Numbers of the combinations of what records say of several columns, in the order in which they are met; confidential."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, columns: tuple[Int32, ...], records: int) -> Int32:
        """The number of each record's combination: int32 (records,)."""
        keys = np.zeros(records, dtype=np.int64)
        for column in columns:
            # Folded column by column, so that no key is larger than records times values.
            keys = keys * (int(column.max(initial=0)) + 1) + column
            if len(columns) > 1:
                keys = np.unique(keys, return_inverse=True)[1]
        _, firsts, places = np.unique(keys, return_index=True, return_inverse=True)
        met = zip(*(column[firsts].tolist() for column in columns), strict=True) if columns else [()] * len(firsts)
        return np.array([self._numbers.setdefault(each, len(self._numbers)) for each in met], dtype=np.int32)[places]

    def rows(self) -> Iterator[tuple[int, ...]]:
        """All combinations by number: what each column says."""
        return iter(self._numbers)


def _sets_of_families(
    plan: Plan, said: OwnRecords, columns: tuple[Column, ...], sets: list[ValueSets], combinations: Combinations
) -> dict[str, Sets]:
    """Of each family the set of its values of every combination, by indices in `plan.codes`; the one past the last stands for any other."""
    index = {code: at for at, code in enumerate(plan.codes)}
    meanings = _meanings(columns, sets)
    rows = [
        tuple(meaning[number] for meaning, number in zip(meanings, each, strict=True)) for each in combinations.rows()
    ]
    found = {}
    for family in said.families:
        places = [columns.index(column) for column in family.read(said.by_name)]
        sizes = [columns[place].domain.size for place in places]
        codes = np.array([*(index[code] for code, _ in family.values(said.by_name)), len(index)], dtype=np.int16)
        known: dict[tuple[tuple[int, ...], ...], npt.NDArray[np.int16]] = {}
        of_row = []
        for row in rows:
            key = tuple(row[place] for place in places)
            if key not in known:
                known[key] = np.sort(codes[_values(key, sizes)])
            of_row.append(known[key])
        offsets = np.cumsum([0, *map(len, of_row)], dtype=np.int64)
        found[family.name] = Sets(offsets, np.concatenate([np.zeros(0, np.int16), *of_row]))
    return found


def _meanings(columns: tuple[Column, ...], sets: list[ValueSets]) -> list[list[tuple[int, ...]]]:
    """Of each column the values that each of its numbers means: one, or those of a set."""
    found, waiting = [], iter(sets)
    for column in columns:
        if column.several:
            offsets, values = next(waiting).rows()
            found.append([tuple(values[a:b].tolist()) for a, b in pairwise(offsets)])
        else:
            found.append([(value,) for value in range(column.outside + 1)])
    return found


def _values(classes: tuple[tuple[int, ...], ...], sizes: list[int]) -> Int64:
    """The values of a family of a combination: every choice of one class of each column; past the last where a class is outside."""
    found = set()
    for each in product(*classes):
        number, outside = 0, False
        for size, value in zip(sizes, each, strict=True):
            number, outside = number * size + value, outside or value >= size
        found.add(int(np.prod(sizes)) if outside else number)
    return np.array(sorted(found), dtype=np.int64)
