"""Public choices of a release of group sizes: the plan, its regions, and its budget over levels and sizes."""

from starling.groups.plan.budget import SplitBudget
from starling.groups.plan.choices import ADDS_UP, METHODS, Kind, Method, Register
from starling.groups.plan.model import Plan
from starling.groups.plan.regions import Regions
from starling.groups.plan.shares import PublicShares

__all__ = ["ADDS_UP", "METHODS", "Kind", "Method", "Plan", "PublicShares", "Regions", "Register", "SplitBudget"]
