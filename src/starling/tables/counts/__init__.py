"""Exact counts of every population group: counted once, by what decides everything, and expanded afterwards."""

from starling.tables.counts.counting import cluster_for, count
from starling.tables.counts.population_groups import GroupCounts

__all__ = ["GroupCounts", "cluster_for", "count"]
