"""A plan of places as the values of its plan file, which `readable` reads back as the same plan."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from starling.planfile.formats import format_values
from starling.planfile.times import time_text
from starling.planfile.values import exact_text

if TYPE_CHECKING:
    from starling.places.plan.model import Plan


def values_of(plan: "Plan") -> dict[str, Any]:
    """The values that state a plan."""
    grid = plan.grid
    return {
        "title": plan.title,
        "point": plan.point,
        **({} if plan.expected is None else {"expected": plan.expected}),
        "grid": {
            "crs": grid.crs,
            **({"crs_name": grid.crs_name} if grid.crs_name else {}),
            "box": list(map(exact_text, grid.box)),
            "rows": grid.rows,
            "columns": grid.columns,
        },
        "input": {each.name: name for each in fields(plan.columns) if (name := getattr(plan.columns, each.name))},
        **format_values(plan.format),
        "privacy": {
            "unit": plan.unit,
            **({"points_per_person": plan.points, "distinct_cells": plan.distinct} if plan.unit == "person" else {}),
            "epsilon": exact_text(plan.epsilon),
        },
        "method": {"name": plan.method, **plan.parameters},
        **_slices(plan),
    }


def _slices(plan: "Plan") -> dict[str, Any]:
    if plan.slices is None:
        return {}
    bounds = {} if plan.slices.bounds is None else {"bounds": list(map(time_text, plan.slices.bounds))}
    return {"slices": {**bounds, "names": list(plan.slices.names)}}
