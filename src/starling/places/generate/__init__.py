"""Points that nobody left, to try everything with: the Gaussians of the paper, with a plan of their own.

The paper draws a centre uniformly in a grid of 1024 x 1024 cells and a million points around it, with independent normal deviations of
20, 50 or 100 cells (HTF 2021, Section 5.1). Points outside the grid are written too; a release drops them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.engine.new_folder import new_folder
from starling.places.plan.grid import Float64
from starling.planfile.values import toml_of, write_new

SIDE: Final = 1024
"""Cells of a side of the grid."""
POINTS: Final = 1_000_000
RECORDS: Final = "points.parquet"
PLAN: Final = "plan.toml"
NOTE: Final = "GENERATED.json"
NOTICE: Final = (
    "Invented data. Nobody was at any of these points: every one was drawn from the public seed below. Maps made from them are no "
    "statistics of any place."
)
SIGMAS: Final = (20, 50, 100)
"""Of the paper, in cells."""


@dataclass(frozen=True, slots=True)
class Made:
    """The files of invented points.

    Attributes:
        records: The points, Parquet with the columns x and y.
        plan: A plan for them.
        note: What they are.
    """

    records: Path
    plan: Path
    note: Path


def gaussian(sigma: int, seed: int, points: int = POINTS) -> tuple[Float64, Float64]:
    """float64 (points,) and float64 (points,): x and y in cells, independent and normal around one centre.

    Args:
        sigma: Standard deviation in cells.
        seed: Public: the same gives the same points.
        points: How many.
    """
    random = np.random.default_rng(seed)
    x, y = random.uniform(0, SIDE, 2)
    return random.normal(x, sigma, points), random.normal(y, sigma, points)


def plan_values(sigma: int, points: int) -> Mapping[str, Any]:
    """The keys of a plan file for a Gaussian."""
    return {
        "title": f"Invented points around one centre, sigma {sigma} cells",
        "point": "point",
        "expected": points,
        "grid": {
            "crs": "plain",
            "crs_name": "cells",
            "box": ["0", "0", str(SIDE), str(SIDE)],
            "rows": SIDE,
            "columns": SIDE,
        },
        "input": {"x": "x", "y": "y"},
        "privacy": {"unit": "point", "epsilon": "0.1"},
    }


def write(out: Path, *, sigma: int, seed: int, points: int = POINTS) -> Made:
    """Write invented points with a plan and a note into a new folder.

    Raises:
        OutputError: the folder exists or cannot be made.
    """
    x, y = gaussian(sigma, seed, points)
    said = {"notice": NOTICE, "points": points, "sigma": sigma, "seed": seed}
    with new_folder(out) as folder:
        pq.write_table(pa.table({"x": x, "y": y}), folder / RECORDS, compression="zstd")
        write_new(folder / PLAN, toml_of(plan_values(sigma, points)))
        write_new(folder / NOTE, json.dumps(said, indent=1) + "\n")
    return Made(out / RECORDS, out / PLAN, out / NOTE)
