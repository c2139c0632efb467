"""Invented points, to try everything with: those of a plan, or the Gaussians of the paper, with a plan of their own.

The paper draws a centre uniformly in a grid of 1024 x 1024 cells and a million points around it, with independent normal deviations of
20, 50 or 100 cells (HTF 2021, Section 5.1). Points outside the grid are written too; a release drops them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from starling.places.arrays import Float64
from starling.places.generate.standing_in import Invention, records
from starling.release.described import Generated

SIDE: Final = 1024
"""Cells of a side of the grid."""
POINTS: Final = 1_000_000
RECORDS: Final = "points.parquet"
NOTICE: Final = (
    "Invented data. Nobody was at any of these points: every one was drawn from the public seed below. Maps made from them are no "
    "statistics of any place."
)


def gaussian(sigma: int, seed: int, points: int = POINTS) -> tuple[Float64, Float64]:
    """float64 (points,) and float64 (points,): x and y in cells, independent and normal with deviation sigma around one centre, by a
    seed.
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


INVENTION: Final = Invention(records, NOTICE, file=RECORDS)


def write(out: Path, *, sigma: int, seed: int, points: int = POINTS) -> Generated:
    """Write invented points with a plan and a note into a new folder. Raises OutputError where the folder exists or cannot be made."""
    x, y = gaussian(sigma, seed, points)
    note = {"sigma": sigma, "seed": seed}
    return INVENTION.write(pa.table({"x": x, "y": y}), out, note, plan_values(sigma, points))
