"""Exact counts of every population group: counted once, by what decides everything, and expanded afterwards."""

from starling.tables.counts.counting import COUNTING_SQL, count
from starling.tables.counts.groups import GroupCounts

__all__ = ["COUNTING_SQL", "GroupCounts", "count"]
