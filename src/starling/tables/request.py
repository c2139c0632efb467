"""A tables release as a canonical request: what is asked, in public terms, so that the same request is the same text."""

import hashlib
from dataclasses import fields

import pyarrow as pa
import pyarrow.compute as pc

from starling.ledger.rules import canonical
from starling.release.request import digest
from starling.tables.plan import Geography, Plan

VERSION = 1
"""Of the meaning of a request; it grows when the same plan would be answered by another distribution."""


def request_body(plan: Plan, geography: Geography) -> str:
    """Canonical JSON of the release of `plan` over `geography`: digests of every public choice, nothing of the records."""
    return canonical(
        {"release": "tables", "version": VERSION, "plan": plan_digest(plan), "geography": geography_digest(geography)}
    )


def plan_digest(plan: Plan) -> str:
    """SHA-256 over all fields of the plan but its title, hexadecimal."""
    return digest({field.name: getattr(plan, field.name) for field in fields(plan) if field.name != "title"})


def geography_digest(geography: Geography) -> str:
    """SHA-256 over the blocks and the regions of each level with their names, hexadecimal."""
    state = hashlib.sha256()
    for column in geography.blocks.column_names:
        # Fixed numbers of digits, so as numbers they are the same, and quickly read.
        state.update(pc.cast(geography.blocks[column], pa.int64()).to_numpy().tobytes())
    for level, regions in geography.regions.items():
        state.update(f"{level}:{','.join(regions)}\n".encode())
        state.update(geography.region_of_unit[level].tobytes())
        state.update("\n".join(geography.names[level]).encode())
    return state.hexdigest()
