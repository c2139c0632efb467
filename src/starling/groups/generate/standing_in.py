"""Invented records that stand in for those of a plan: with the plan under a title that says so, and copies of its public files."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from starling.groups.generate import Float64, World, invented
from starling.groups.generate.files import write_records
from starling.groups.plan import Plan
from starling.groups.plan.register import register_totals
from starling.planfile.invented import SEED, copied, write_titled

MOST: Final = 100_000
"""Groups, and members of them, that are invented; where the plan says more, the others are in no record."""
RECORDS: Final = "records.parquet"


def stand_in(path: Path, plan: Plan, shares: Float64, folder: Path) -> tuple[Path, Path]:
    """Invented records of a plan's kind, with the plan itself, in an empty folder: the plan file, and the records.

    Raises:
        PlanError: a public file that the plan names cannot be read.
        OutputError, OSError: the folder cannot be written.
    """
    written = write_titled(path, folder, lambda values: _with_copies(values, path.parent, folder))
    world = _world(plan, shares)
    write_records(world, folder / RECORDS, seed=SEED, kind=plan.kind, plan=plan)
    return written, folder / RECORDS


def _world(plan: Plan, shares: Float64) -> World:
    """As `world_of`, but for as many groups and members as stand in."""
    totals = plan.regions.totals or register_totals(plan)
    if plan.kind in ("persons", "events"):
        # A row for each member; all groups of the register are there, most of them empty.
        members = plan.groups * float(shares @ np.arange(len(shares)))
        part = min(1.0, MOST / members) if members else 1.0
        shares = part * shares + (1 - part) * np.eye(1, len(shares))[0]
        groups = plan.groups
    else:
        groups = plan.groups if plan.kind == "counts" else min(plan.groups, MOST)
    if totals is not None and groups < plan.groups:
        totals = tuple(total * groups // plan.groups for total in totals)
    leaves = invented(plan.regions.tree, groups, shares, seed=SEED, totals=totals)
    return World(plan.title, plan.group, plan.member, plan.regions, leaves)


def _with_copies(values: dict[str, Any], source: Path, folder: Path) -> dict[str, Any]:
    """The values of a plan file, with the public files that it names copied beside the new one."""
    for table, key in (("regions", "file"), ("input", "register"), ("privacy", "shares")):
        named = values[table].get(key)
        if isinstance(named, str):
            values[table] = {**values[table], key: copied(source / named, folder, key if key != "file" else table)}
    return values
