"""The mechanisms of the domain: SafeTab, and more budget for the groups of an earlier release."""

from starling.tables.mechanism.safetab import ExactCounts, SafeTab, merged
from starling.tables.mechanism.top_up import Remeasurement

__all__ = ["ExactCounts", "Remeasurement", "SafeTab", "merged"]
