"""The plan of a tables release: read, checked, and priced before anything confidential is opened."""

from starling.tables.plan.accuracy_targets import AccuracyTarget
from starling.tables.plan.aggregates import Aggregate
from starling.tables.plan.at_epsilon import PlanAtEpsilon, solve_at
from starling.tables.plan.blocks import Geography
from starling.tables.plan.census_levels import GeographyLevel
from starling.tables.plan.detail import Detail
from starling.tables.plan.geography import (
    MOST_GROUPS,
    Piece,
    aggregate_pieces,
    known_regions,
    pieces,
    read_geography,
    read_regions,
)
from starling.tables.plan.iterations import Definitions, Iteration
from starling.tables.plan.levels import Level
from starling.tables.plan.model import Plan
from starling.tables.plan.overview import LevelOverview, Overview, Price, afford, describe, prices, solve
from starling.tables.plan.readable import shipped, waiting
from starling.tables.plan.region_levels import CENSUS_REGIONS, RegionLevels
from starling.tables.plan.variants import CombinedStageNoise, Noise, StageNoise, TopUp, Variants

__all__ = [
    "CENSUS_REGIONS",
    "MOST_GROUPS",
    "AccuracyTarget",
    "Aggregate",
    "CombinedStageNoise",
    "Definitions",
    "Detail",
    "Geography",
    "GeographyLevel",
    "Iteration",
    "Level",
    "LevelOverview",
    "Noise",
    "Overview",
    "Piece",
    "Plan",
    "PlanAtEpsilon",
    "Price",
    "RegionLevels",
    "StageNoise",
    "TopUp",
    "Variants",
    "afford",
    "aggregate_pieces",
    "describe",
    "known_regions",
    "pieces",
    "prices",
    "read_geography",
    "read_regions",
    "shipped",
    "solve",
    "solve_at",
    "waiting",
]
