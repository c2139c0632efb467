"""Public choices of a release of trips on a grid: the grid, whose data are protected, the budget."""

from starling.places.trips.plan.columns import Ends
from starling.places.trips.plan.model import Plan

__all__ = ["Ends", "Plan"]
