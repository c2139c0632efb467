"""A tables release as a canonical request: what is asked, in public terms, so that the same request is the same text."""

import hashlib
import json
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from starling.ledger.rules import canonical
from starling.tables.plan import Geography, Plan

VERSION = 1
"""Of the meaning of a request; it grows when the same plan would be answered by another law."""


def request_body(plan: Plan, geography: Geography) -> str:
    """Canonical JSON of the release of `plan` over `geography`: digests of every public choice, nothing of the records."""
    return canonical(
        {"release": "tables", "version": VERSION, "plan": plan_digest(plan), "geography": geography_digest(geography)}
    )


def plan_digest(plan: Plan) -> str:
    """SHA-256 over all fields of the plan but its title, hexadecimal."""
    public = {field.name: _plain(getattr(plan, field.name)) for field in fields(plan) if field.name != "title"}
    return hashlib.sha256(json.dumps(public, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


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


def _plain(value: Any) -> Any:
    """Dataclasses, fractions and sets as what JSON has."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction | Enum) else value
