"""Exact counts of every population group: counted once, by what decides everything, and expanded afterwards."""

from starling.tables.counts.counting import count
from starling.tables.counts.population_groups import GroupCounts

__all__ = ["GroupCounts", "count"]
