"""The plan of a tables release: read, checked, and priced before anything confidential is opened."""

from pathlib import Path

from starling.errors import PlanError
from starling.tables.plan.census import read_census
from starling.tables.plan.codebook import Definitions, GeographyLevel, Iteration
from starling.tables.plan.geography import Geography, read_geography
from starling.tables.plan.model import Level, Members, Plan, Rows
from starling.tables.plan.overview import LevelOverview, Overview, describe
from starling.tables.plan.pieces import MOST_GROUPS, Piece, pieces, whole
from starling.tables.plan.promises import Promise
from starling.tables.plan.readable import preset, read_toml
from starling.tables.plan.solving import Price, afford, prices, solve
from starling.tables.plan.stages import Noise, StageLaws, Twice
from starling.tables.plan.top_up import TopUp

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
    "afford",
    "describe",
    "load",
    "pieces",
    "preset",
    "prices",
    "read_geography",
    "solve",
    "whole",
]


def load(path: str | Path) -> Plan:
    """The plan at `path`: a Census configuration folder, or a plan file in TOML.

    Raises:
        PlanError: with every problem found.
    """
    path = Path(path)
    if path.is_dir():
        return read_census(path)
    if path.suffix == ".toml":
        return read_toml(path)
    fix = "give a Census configuration folder (with config.json) or a .toml file"
    raise PlanError(field="plan", problem=f"{path.name!r} is neither a folder nor a TOML file", fix=fix)
