"""Public choices of a release of points: the grid, its slices, whose data are protected, the method and its budget."""

from starling.places.plan.choices import METHODS, TRANSFORMS, Columns, Slices, Unit
from starling.places.plan.grid import Crs, Grid
from starling.places.plan.model import Plan

__all__ = ["METHODS", "TRANSFORMS", "Columns", "Crs", "Grid", "Plan", "Slices", "Unit"]
