"""The plan of a tables release: read, checked, and priced before anything confidential is opened."""

from pathlib import Path

from starling.errors import PlanError
from starling.tables.plan.census import read_census
from starling.tables.plan.codebook import Definitions, GeographyLevel, Iteration
from starling.tables.plan.geography import Geography, read_geography
from starling.tables.plan.model import Level, Members, Plan, Rows, StageLaws

__all__ = [
    "Definitions",
    "Geography",
    "GeographyLevel",
    "Iteration",
    "Level",
    "Members",
    "Plan",
    "Rows",
    "StageLaws",
    "load",
    "read_geography",
]


def load(path: str | Path) -> Plan:
    """The plan at `path`: a Census configuration folder.

    Raises:
        PlanError: with every problem found.
    """
    path = Path(path)
    if path.is_dir():
        return read_census(path)
    raise PlanError(field="plan", problem="is not a folder", fix="give a Census configuration folder")
