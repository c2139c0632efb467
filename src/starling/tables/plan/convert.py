"""A Census configuration folder said in our own plan file, budgets exact; read back, it is the same plan.

The definitions stay where they are: the file names their folder relative to itself.
"""

import os
from pathlib import Path

from starling.errors import PlanError
from starling.tables.plan.census import CONFIG, read_census
from starling.tables.plan.model import Plan
from starling.tables.plan.readable import read_toml
from starling.tables.plan.values import save


def convert(folder: Path, out: Path) -> Plan:
    """Write the plan of a Census configuration folder as a plan file.

    Args:
        folder: With config.json and the four definition files.
        out: Plan file to make, ending in .toml; must not exist.

    Returns:
        The plan, as read from either.

    Raises:
        PlanError: the folder holds no plan, or one that a plan file cannot say (a threshold beyond 10^12); nothing is left behind.
        OutputError: the file is there, or cannot be written.
    """
    if not (folder / CONFIG).is_file():
        fix = "give a folder with config.json and the definition files; a plan file needs no conversion"
        raise PlanError(field="plan", problem=f"{folder.name!r} is no Census configuration folder", fix=fix)
    plan = read_census(folder)
    save(plan, out, definitions=os.path.relpath(folder.resolve(), out.resolve().parent))
    try:
        _same(plan, read_toml(out))
    except PlanError:
        out.unlink()
        raise
    return plan


def _same(plan: Plan, again: Plan) -> None:
    if again != plan:
        raise PlanError(field="definitions", problem="changed while they were read", fix="run it again")
