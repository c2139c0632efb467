"""Exact counts of every population group: counted once, by what decides everything, and expanded afterwards."""

from starling.engine.spark import DUCKDB, Spark, check_engine
from starling.errors import ParameterError
from starling.privacy.trust import Confidential
from starling.tables.counts.counting import count
from starling.tables.counts.own_counting import count_own
from starling.tables.counts.population_groups import GroupCounts
from starling.tables.plan import Geography, Plan
from starling.tables.source import Opened, Persons, files_of

__all__ = ["GroupCounts", "check_counting", "count", "count_records"]


def check_counting(records: Opened, engine: str) -> None:
    """Raises ParameterError where there is no such engine, or it does not reach the records."""
    check_engine(engine)
    if engine != DUCKDB and not files_of(records)[0]:
        raise ParameterError("engine", "does not reach records in this session", "leave it out, or give a file")


def count_records(
    plan: Plan, geography: Geography, records: Opened, *, cluster: Spark | None = None
) -> Confidential[GroupCounts]:
    """The computation of the exact counts of every group of a plan, whatever records it is about; reads nothing yet."""
    if isinstance(records, Persons):
        return count(plan, geography, records, cluster=cluster)
    return count_own(plan, geography, records, cluster=cluster)
