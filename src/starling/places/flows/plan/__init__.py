"""Public choices of a release of flows: the areas, whose data are protected, the budget and its shares."""

from starling.places.flows.plan.choices import Ends
from starling.places.flows.plan.levels import Levels
from starling.places.flows.plan.model import Plan

__all__ = ["Ends", "Levels", "Plan"]
