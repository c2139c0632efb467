"""Exact counts of every population group: counted once, by what decides everything, and expanded afterwards.

What decides is the finest area, what a record says of groups (of the Census its race codes and its ethnicity code), and the cell of the
detail. Every group of every level is a sum of these counts, so the records are read and counted once, and population_groups.py adds up.
"""

from functools import partial

from starling.engine import duck
from starling.engine.spark import Spark
from starling.engine.spill import Spill
from starling.privacy.trust import Confidential
from starling.tables.counts.counting import count_persons
from starling.tables.counts.cross_counting import CrossCounts, count_cells
from starling.tables.counts.custom_counting import count_custom, kind_of, kinds_of
from starling.tables.counts.population_groups import GroupCounts
from starling.tables.counts.records import Records
from starling.tables.counts.spread_records import SpreadRecords
from starling.tables.plan import Geography, Plan
from starling.tables.source import Opened, Persons

__all__ = ["CrossCounts", "GroupCounts", "count", "count_cross"]


def count(
    plan: Plan,
    geography: Geography,
    records: Opened,
    *,
    limits: duck.Limits | None = None,
    cluster: Spark | None = None,
) -> Confidential[GroupCounts]:
    """The computation of the exact counts of every group of a plan, whatever records it is about; reads nothing yet.

    Args:
        plan: Levels, groups and detail.
        geography: The public regions of the plan.
        records: The checked, but unread, records.
        limits: Memory, disk and processors of DuckDB, and disk of the counted records.
        cluster: A Spark that runs, to count instead of DuckDB; the counts are the same.

    The computation raises SourceError when the records are no longer what was checked and OutputError when memory or disk do not
    suffice; never because of what a record says. Behind `publish` both are the one RunFailed.
    """
    return Confidential(partial(_count, plan, geography, records, limits or duck.default_limits(), cluster))


def count_cross(
    plan: Plan,
    geography: Geography,
    records: Opened,
    *,
    limits: duck.Limits | None = None,
    cluster: Spark | None = None,
) -> Confidential[CrossCounts]:
    """The computation of the exact counts of the cross tables of a plan; arguments and errors as of `count`."""
    assert not isinstance(records, Persons)  # of which no plan has cross tables
    return Confidential(partial(count_cells, plan, geography, records, limits or duck.default_limits(), cluster))


def _count(
    plan: Plan, geography: Geography, records: Opened, limits: duck.Limits, cluster: Spark | None
) -> GroupCounts:
    spill = Spill(limits.spill, limits.disk)
    counted = Records(geography.units, spill)
    spread = {kind: SpreadRecords(each, geography.units, spill) for kind, each in kinds_of(plan).items()}
    if isinstance(records, Persons):
        sets = count_persons(plan, geography, records, counted, limits, cluster)
    else:
        sets = count_custom(plan, records, counted, spread, limits, cluster)
    for each in (counted, *spread.values()):
        each.put_away()
    return GroupCounts(plan, geography, counted, sets, [spread[kind_of(each)] for each in plan.aggregates])
