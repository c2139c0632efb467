"""Counting custom records, by area, what they say of the columns of groups, and cell of the detail.

Rows are counted that mean the same to every worker and whatever other records there are (contributions.py). What they say of the columns
of groups gets a number, in the order in which it is met, and is expanded to the values of every family afterwards. So the numbers mean
nothing to whoever reads the counts.

Where at most k records of a person or a household are counted, the k are chosen by a keyed hash (engine/bounded_records.py), whose key each
computation draws anew.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.engine import duck
from starling.engine.bounded_records import KEY, PERSON, bounded_sql, bounds_of
from starling.engine.by_person import run_by_person
from starling.engine.spark import Parts, Spark
from starling.privacy.sampling.entropy import fresh_bytes
from starling.tables.counts.contributions import Kind, PackedGroups, all_contributions, content_of, contributions
from starling.tables.counts.counting import count_in_shares
from starling.tables.counts.kernels import Sets
from starling.tables.counts.records import Records
from starling.tables.counts.spread_records import SpreadRecords, limbs
from starling.tables.plan import Plan
from starling.tables.plan.counting_sql import custom_answer_sql
from starling.tables.source.declared_records import DeclaredRecords

CombinedValues: TypeAlias = tuple[tuple[int, ...], ...]
"""What records say of the columns of groups: of each column its values."""
Spread: TypeAlias = Mapping[Kind, SpreadRecords]
"""The records of each kind of aggregates, by what they add to its cells."""


def count_custom(
    plan: Plan,
    records: DeclaredRecords,
    counted: Records,
    spread: Spread,
    limits: duck.Limits,
    cluster: Spark | None,
) -> dict[str, Sets]:
    """Fill the counted records and those of aggregates; gives the sets of values that they number. Raises as `counts.count` says."""
    groups = PackedGroups(records.columns.groups)
    with closing(_answer(plan, records, limits, cluster, spread)) as answer:
        for batch in answer:
            columns = {name: batch[name] for name in batch.schema.names}
            unit, number = columns["unit"].to_numpy(), groups.number(columns["groups"])
            persons, cell = columns["persons"].to_numpy(), columns["cell"].to_numpy().astype(np.uint8)
            counted.add(unit, number, np.zeros(len(unit), np.int16), cell, persons)
            for at, ((_, cuts), each) in enumerate(spread.items()):
                if cuts:
                    each.add_classes(unit, number, columns[f"n{at}"].to_numpy(), persons)
                else:
                    each.add_sums(unit, number, limbs(columns[f"sum{at}"]), columns[f"given{at}"].to_numpy())
    return _sets_of_families(plan, records, groups.rows())


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
        rows = all_contributions(plan, records)
        if unit is None:
            return count_in_shares(text, "records", rows, content, tables, limits)
        return run_by_person(text, content, rows, tables, limits)
    records.check_unchanged()
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
