"""A Census configuration folder written as our own plan file, budgets exact; read back, it is the same plan.

The definitions stay where they are: the file names their folder relative to itself.
"""

import os
from pathlib import Path

from starling.errors import PlanError
from starling.tables.plan.census import CONFIG
from starling.tables.plan.model import Plan


def convert(folder: Path, out: Path) -> Plan:
    """Write the plan of a Census configuration folder as a plan file.

    Args:
        folder: The folder with config.json and the four definition files.
        out: Plan file to make, ending in .toml; must not exist.

    Returns:
        The plan, as read from either.

    Raises:
        PlanError: the folder holds no plan, or one that a plan file cannot state (a threshold beyond 10^12); nothing is left behind.
        OutputError: the file is there, or cannot be written.
    """
    if not (folder / CONFIG).is_file():
        fix = "give a folder with config.json and the definition files; a plan file needs no conversion"
        raise PlanError(field="plan", problem=f"{folder.name!r} is no Census configuration folder", fix=fix)
    plan = Plan.load(folder)
    plan.save(out, definitions=os.path.relpath(folder.resolve(), out.resolve().parent))
    try:
        _same(plan, Plan.load(out))
    except PlanError:
        out.unlink()
        raise
    return plan


def _same(plan: Plan, again: Plan) -> None:
    if again != plan:
        raise PlanError(field="definitions", problem="changed while they were read", fix="run it again")
