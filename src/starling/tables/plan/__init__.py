"""The plan of a tables release: read, checked, and priced before anything confidential is opened."""

from starling.tables.plan.accuracy_targets import Promise
from starling.tables.plan.codebook import Definitions, GeographyLevel, Iteration
from starling.tables.plan.geography import Geography, read_geography
from starling.tables.plan.model import Level, Members, Plan, Rows
from starling.tables.plan.overview import LevelOverview, Overview, describe
from starling.tables.plan.pieces import MOST_GROUPS, Piece, pieces, whole
from starling.tables.plan.readable import preset
from starling.tables.plan.shipped import load, shipped, waiting
from starling.tables.plan.solving import Price, afford, prices, solve
from starling.tables.plan.stages import Noise, StageLaws, Twice
from starling.tables.plan.variants import TopUp, Variants

__all__ = [
    "MOST_GROUPS",
    "Definitions",
    "Geography",
    "GeographyLevel",
    "Iteration",
    "Level",
    "LevelOverview",
    "Members",
    "Noise",
    "Overview",
    "Piece",
    "Plan",
    "Price",
    "Promise",
    "Rows",
    "StageLaws",
    "TopUp",
    "Twice",
    "Variants",
    "afford",
    "describe",
    "load",
    "pieces",
    "preset",
    "prices",
    "read_geography",
    "shipped",
    "solve",
    "waiting",
    "whole",
]
