"""Counting custom records, by area, what they say of the columns of groups, and cell of the detail.

What records say of the columns of groups gets a number, in the order in which it is met; records are counted by that number, and it is
expanded to the values of every family afterwards. So the numbers mean nothing to whoever reads the counts.

Where every record counts, DuckDB counts batches of numbers. Where a cluster counts, or at most k records of a person or a household, rows
are counted that mean the same to every worker (contributions.py); of a person the k are chosen by a keyed hash
(engine/bounded_records.py), whose key each computation draws anew. The counts are the same.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import pairwise, product
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.engine import duck
from starling.engine.bounded_records import KEY, PERSON, bounded_sql, bounds_of
from starling.engine.by_person import run_by_person
from starling.engine.spark import Parts, Spark
from starling.privacy.sampling.entropy import fresh_bytes
from starling.tables.counts.combinations import Combinations
from starling.tables.counts.contributions import (
    Kind,
    PackedGroups,
    all_contributions,
    cell_of,
    content_of,
    contributions,
    numbers_of,
)
from starling.tables.counts.counting import count_in_shares
from starling.tables.counts.kernels import Sets
from starling.tables.counts.records import Records
from starling.tables.counts.spread_records import SpreadRecords, limbs
from starling.tables.plan import Plan
from starling.tables.plan.columns import Column
from starling.tables.plan.counting_sql import CUSTOM_SQL, custom_answer_sql
from starling.tables.source.declared_reading import check_unchanged, read_declared
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.value_sets import ValueSets

CombinedValues: TypeAlias = tuple[tuple[int, ...], ...]
"""What records say of the columns of groups: of each column its values."""
Spread: TypeAlias = Mapping[Kind, SpreadRecords]
"""The records of each kind of aggregates, by what they add to its cells."""
_RECORDS: Final = pa.schema([("unit", pa.int32()), ("groups", pa.int32()), ("cell", pa.uint8())])


def count_custom(
    plan: Plan,
    records: DeclaredRecords,
    counted: Records,
    spread: Spread,
    limits: duck.Limits,
    cluster: Spark | None,
) -> dict[str, Sets]:
    """Fill the counted records and those of aggregates; gives the sets of values that they number. Raises as `counts.count` says."""
    if records.columns.unit is None and cluster is None:
        values = _count_numbers(plan, records, counted, spread, limits)
    else:
        values = _count_rows(plan, records, counted, spread, limits, cluster)
    return _sets_of_families(plan, records, values)


def _count_numbers(
    plan: Plan, records: DeclaredRecords, counted: Records, spread: Spread, limits: duck.Limits
) -> list[CombinedValues]:
    columns = records.columns.groups
    sets = [ValueSets(column.outside, column.most) for column in columns if column.several]
    combinations = Combinations()

    def numbered() -> Generator[pa.RecordBatch, None, None]:
        """The records by unit, number of their combination, and cell; those of aggregates are put away on the way."""
        with closing(read_declared(records, sets)) as batches:
            for batch in batches:
                groups = combinations.number(batch.groups, len(batch.area))
                for number, each in zip(numbers_of(plan, batch.numbers), spread.values(), strict=True):
                    each.add(batch.area, groups, np.maximum(number, 0), (number >= 0).astype(np.int64))
                cells = cell_of(plan, batch.detail, len(batch.area)).astype(np.uint8)
                yield pa.record_batch([pa.array(each) for each in (batch.area, groups, cells)], schema=_RECORDS)

    with closing(count_in_shares(CUSTOM_SQL, "records", numbered(), _RECORDS, {}, limits)) as answers:
        for batch in answers:
            unit, number, cell, many = (column.to_numpy() for column in batch.columns)
            counted.add(unit, number, np.zeros(len(unit), np.int16), cell, many)
    meanings = _meanings(columns, sets)
    return [
        tuple(meaning[number] for meaning, number in zip(meanings, each, strict=True)) for each in combinations.rows()
    ]


def _meanings(columns: tuple[Column, ...], sets: list[ValueSets]) -> list[list[tuple[int, ...]]]:
    """Of each column the values that each of its numbers stands for."""
    meanings, waiting = [], iter(sets)
    for column in columns:
        if column.several:
            offsets, values = next(waiting).rows()
            meanings.append([tuple(values[a:b].tolist()) for a, b in pairwise(offsets)])
        else:
            meanings.append([(value,) for value in range(column.outside + 1)])
    return meanings


def _count_rows(
    plan: Plan, records: DeclaredRecords, counted: Records, spread: Spread, limits: duck.Limits, cluster: Spark | None
) -> list[CombinedValues]:
    groups = PackedGroups(records.columns.groups)
    with closing(_answer(plan, records, limits, cluster, spread)) as answer:
        for batch in answer:
            columns = {name: batch[name] for name in batch.schema.names}
            unit, number = columns["unit"].to_numpy(), groups.number(columns["groups"])
            persons, cell = columns["persons"].to_numpy(), columns["cell"].to_numpy().astype(np.uint8)
            counted.add(unit, number, np.zeros(len(unit), np.int16), cell, persons)
            for at, ((_, cuts), each) in enumerate(spread.items()):
                if cuts:
                    classes = columns[f"n{at}"].to_numpy()
                    each.add(unit, number, np.maximum(classes, 0), np.where(classes < 0, 0, persons))
                else:
                    high, low = limbs(columns[f"sum{at}"])
                    each.add(unit, number, low, columns[f"given{at}"].to_numpy(), high)
    return groups.rows()


def _answer(
    plan: Plan, records: DeclaredRecords, limits: duck.Limits, cluster: Spark | None, spread: Spread
) -> Generator[pa.RecordBatch, None, None]:
    """The engine's answer, as `custom_answer_sql` describes it; the same row may stand in it more than once."""
    content, unit = content_of(plan), records.columns.unit
    of_sums = tuple(not cuts for _, cuts in spread)
    if unit is None:
        text, tables = custom_answer_sql("records", "", of_sums), {}
    else:
        ranked = custom_answer_sql("ranked", "CROSS JOIN bounds WHERE ranked.place <= bounds.most", of_sums)
        text, tables = bounded_sql(content, ranked), {"bounds": bounds_of(fresh_bytes(KEY), unit.most)}
    if cluster is None:
        return run_by_person(text, content, all_contributions(plan, records), tables, limits)
    check_unchanged(records)
    schema = content if unit is None else pa.schema([PERSON, *content])
    parts = Parts(schema, records.source.parts, partial(contributions, plan, records))
    return cluster.run(text, {"records": parts, **tables})


def _sets_of_families(plan: Plan, records: DeclaredRecords, values_of_number: list[CombinedValues]) -> dict[str, Sets]:
    """Of each family the set of its values of every number, by indices in `plan.codes`; the one past the last stands for any other."""
    index, columns = {code: at for at, code in enumerate(plan.codes)}, records.columns.groups
    sets = {}
    for family in plan.records.families:
        places = [columns.index(column) for column in family.read(plan.records.by_name)]
        sizes = [columns[place].domain.size for place in places]
        codes = np.array(
            [*(index[code] for code, _ in family.values(plan.records.by_name)), len(index)], dtype=np.int16
        )
        known: dict[CombinedValues, npt.NDArray[np.int16]] = {}
        of_row = []
        for row in values_of_number:
            key = tuple(row[place] for place in places)
            if key not in known:
                known[key] = np.unique(codes[list(_values(key, sizes))])
            of_row.append(known[key])
        offsets = np.cumsum([0, *map(len, of_row)], dtype=np.int64)
        sets[family.name] = Sets(offsets, np.concatenate([np.zeros(0, np.int16), *of_row]))
    return sets


def _values(classes: CombinedValues, sizes: list[int]) -> Iterator[int]:
    """The values of a family of a combination: every choice of one class of each column; past the last where a class is outside."""
    for each in product(*classes):
        number, outside = 0, False
        for size, value in zip(sizes, each, strict=True):
            number, outside = number * size + value, outside or value >= size
        yield int(np.prod(sizes)) if outside else number
