"""Counting custom records as rows that mean the same to every worker (contributions.py): by DuckDB part by part, or by Spark.

Where at most k records of a person or a household count, they are chosen by a keyed hash (engine/bounded_records.py), whose key each
computation draws anew.
"""

from collections.abc import Generator
from contextlib import closing
from functools import partial

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.bounded_records import KEY, PERSON, bounded_sql, bounds_of
from starling.engine.by_person import run_by_person
from starling.engine.spark import Parts, Spark
from starling.privacy.sampling.entropy import fresh_bytes
from starling.tables.counts.contributions import PackedGroups, all_contributions, content_of, contributions, kinds_of
from starling.tables.counts.custom_tally import CombinedValues, Tally
from starling.tables.counts.spread_records import limbs
from starling.tables.plan import Plan
from starling.tables.plan.counting_sql import custom_answer_sql
from starling.tables.source.declared_reading import check_unchanged
from starling.tables.source.declared_records import DeclaredRecords


def count_packed(
    plan: Plan, records: DeclaredRecords, tally: Tally, limits: duck.Limits, cluster: Spark | None
) -> list[CombinedValues]:
    """Fill the tally; gives what each number of it means. Raises as `count_custom` says."""
    groups = PackedGroups(records.columns.groups)
    with closing(_answer(plan, records, limits, cluster)) as answer:
        for batch in answer:
            columns = {name: batch[name] for name in batch.schema.names}
            unit, number = columns["unit"].to_numpy(), groups.number(columns["groups"])
            persons = columns["persons"].to_numpy()
            tally.add(unit, number, columns["cell"].to_numpy().astype(np.uint8), persons)
            for at, ((_, cuts), each) in enumerate(tally.spread.items()):
                if cuts:
                    classes = columns[f"n{at}"].to_numpy()
                    each.add(unit, number, np.maximum(classes, 0), np.where(classes < 0, 0, persons))
                else:
                    high, low = limbs(columns[f"sum{at}"])
                    each.add(unit, number, low, columns[f"given{at}"].to_numpy(), high)
    return groups.rows()


def _answer(
    plan: Plan, records: DeclaredRecords, limits: duck.Limits, cluster: Spark | None
) -> Generator[pa.RecordBatch, None, None]:
    """The engine's answer, as `custom_answer_sql` describes it; the same row may stand in it more than once."""
    content, unit = content_of(plan), records.columns.unit
    of_sums = tuple(not cuts for _, cuts in kinds_of(plan))
    if unit is None:
        text, tables = custom_answer_sql("records", "", of_sums), {}
    else:
        counted = custom_answer_sql("ranked", "CROSS JOIN bounds WHERE ranked.place <= bounds.most", of_sums)
        text, tables = bounded_sql(content, counted), {"bounds": bounds_of(fresh_bytes(KEY), unit.most)}
    if cluster is None:
        return run_by_person(text, content, all_contributions(plan, records), tables, limits)
    check_unchanged(records)
    schema = content if unit is None else pa.schema([PERSON, *content])
    return cluster.run(
        text, {"records": Parts(schema, records.source.parts, partial(contributions, plan, records)), **tables}
    )
