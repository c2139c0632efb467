"""Counting custom records once, by all that decides which groups and cells they are in: area, values of groups, cell of the detail.

What records say of the columns of groups gets a number, in the order in which it is met; records are counted by that number, and it is
expanded to the values of every family afterwards. So the numbers mean nothing to whoever reads the counts.

Where every record counts, DuckDB counts batches of numbers (custom_numbered.py). Where at most k records of a person or a household count,
or a cluster counts, the same happens to rows that mean the same to every worker (custom_packed.py). The counts are the same.
"""

from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt

from starling.engine import duck
from starling.engine.spark import Spark
from starling.engine.spill import Spill
from starling.privacy.trust import Confidential
from starling.tables.counts.contributions import kind_of, kinds_of
from starling.tables.counts.custom_numbered import count_numbered
from starling.tables.counts.custom_packed import count_packed
from starling.tables.counts.custom_tally import CombinedValues, Tally
from starling.tables.counts.kernels import Sets
from starling.tables.counts.population_groups import GroupCounts
from starling.tables.plan import Geography, Plan
from starling.tables.source.declared_records import DeclaredRecords


def count_custom(
    plan: Plan,
    geography: Geography,
    records: DeclaredRecords,
    *,
    limits: duck.Limits | None = None,
    cluster: Spark | None = None,
) -> Confidential[GroupCounts]:
    """The computation of the exact counts of every group of the plan; reads nothing yet.

    Args:
        plan: The columns, areas, families and detail.
        geography: The regions of the plan, whose units are its areas.
        records: The checked, but unread, records.
        limits: Memory, disk and processors of DuckDB, and disk of the counted records.
        cluster: A Spark that runs, to count instead of DuckDB; the counts are the same.

    The computation raises SourceError when the records are no longer what was checked and OutputError when memory or disk do not suffice;
    never because of what a record says. Behind `publish` both are the one RunFailed.
    """
    return Confidential(partial(_count, plan, geography, records, limits, cluster))


def _count(
    plan: Plan, geography: Geography, records: DeclaredRecords, limits: duck.Limits | None, cluster: Spark | None
) -> GroupCounts:
    limits = limits or duck.default_limits()
    tally = Tally(kinds_of(plan), geography.units, Spill(limits.spill, limits.disk))
    if records.columns.unit is None and cluster is None:
        values = count_numbered(plan, records, tally, limits)
    else:
        values = count_packed(plan, records, tally, limits, cluster)
    tally.put_away()
    aggregates = [tally.spread[kind_of(each)] for each in plan.aggregates]
    return GroupCounts(plan, geography, tally.counted, _sets_of_families(plan, records, values), aggregates)


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
                known[key] = np.sort(codes[_values(key, sizes)])
            of_row.append(known[key])
        offsets = np.cumsum([0, *map(len, of_row)], dtype=np.int64)
        sets[family.name] = Sets(offsets, np.concatenate([np.zeros(0, np.int16), *of_row]))
    return sets


def _values(classes: CombinedValues, sizes: list[int]) -> npt.NDArray[np.int64]:
    """The values of a family of a combination: every choice of one class of each column; past the last where a class is outside."""
    numbers = set()
    for each in product(*classes):
        number, outside = 0, False
        for size, value in zip(sizes, each, strict=True):
            number, outside = number * size + value, outside or value >= size
        numbers.add(int(np.prod(sizes)) if outside else number)
    return np.array(sorted(numbers), dtype=np.int64)
