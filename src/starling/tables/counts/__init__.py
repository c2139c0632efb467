"""Exact counts of every population group: counted once, by what decides everything, and expanded afterwards."""

from starling.engine.spark import Spark
from starling.privacy.trust import Confidential
from starling.tables.counts.counting import count
from starling.tables.counts.custom_counting import count_custom
from starling.tables.counts.population_groups import GroupCounts
from starling.tables.plan import Geography, Plan
from starling.tables.source import Opened, Persons

__all__ = ["GroupCounts", "count", "count_records"]


def count_records(
    plan: Plan, geography: Geography, records: Opened, *, cluster: Spark | None = None
) -> Confidential[GroupCounts]:
    """The computation of the exact counts of every group of a plan, whatever records it is about; reads nothing yet."""
    if isinstance(records, Persons):
        return count(plan, geography, records, cluster=cluster)
    return count_custom(plan, geography, records, cluster=cluster)
