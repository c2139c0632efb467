"""A page with a released grid as a heat map, on which a rectangle is dragged to read its count and its sure interval.

The page is one file: the numbers are in it, and its script reads them and draws. It fetches nothing, and its policy (CSP) names its own
script and style by their hashes, so that nothing else runs. Why no plotting library: what is drawn is one picture and some rectangles, a
library would be ten times as large as all numbers, and the answers need a script of the page's own in any case.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from starling.distribution import SOFTWARE
from starling.places.answers.cover import FreshCover
from starling.places.answers.rectangles import Float64
from starling.places.answers.sure import LEVEL
from starling.places.measurements import Int32, MeasuredTree
from starling.places.pictures.experience import WHOLE, Experience
from starling.places.typical.errors import TIMES
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace

LARGEST: Final = 1024
"""Rows and columns of the table in a page; of a larger grid neighbouring cells are added."""
MOST_BOXES: Final = 300_000
"""Measured boxes of which a page gives sure intervals; the command `count` gives them of any number."""
TYPICALLY: Final = (
    "A typical error is experience: in studies nine of ten released counts and more were off by at most so much. It is no promise. The "
    "page has it of rectangles of some size; the command places count has it of any."
)
RANKED: Final = (
    "The squares with most released points are listed. Their chance to be among those with most points is experience too: in studies "
    "about that share of them were. Chances below 0.6 were not right, and are not stated. A square that is marked surely is, all of them "
    "together with the probability of the intervals."
)
_PART: Final = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """What a page shows.

    Attributes:
        title: Of the release.
        about: What it is and what it costs, in a sentence.
        points: What is counted, as in "pickups".
        grid: float64 (rows, columns): the released grid, southern row first; of a sparse one a table of squares, of which those in the
            north and the east may reach beyond it.
        box: West, south, east and north end of the grid, in its units.
        aspect: How wide a cell is on the map for its height.
        boxes: int32 (leaves, 4): outlines, as rows and columns of cells.
        measured: The measurements, for sure intervals; None gives none.
        notes: Sentences that stand beside the map.
        fold: Cells a side of the squares of a sparse grid.
        shape: Cells of a sparse grid (rows, columns).
        experience: Typical errors and hotspots with chances; None shows neither.
    """

    title: str
    about: str
    points: str
    grid: Float64
    box: tuple[float, float, float, float]
    aspect: float
    boxes: Int32
    measured: MeasuredTree | None
    notes: Sequence[str] = ()
    fold: int = 1
    shape: tuple[int, int] | None = None
    experience: Experience | None = None


def folded(grid: Float64, most: int = LARGEST) -> tuple[Float64, int]:
    """A table of at most `most` rows and columns, and how many cells of a side of the grid each of its cells has.

    >>> folded(np.ones((3, 5)), most=3)
    (array([[4., 4., 2.],
           [2., 2., 1.]]), 2)
    """
    fold = -(-max(grid.shape) // most)
    rows, columns = (-(-many // fold) for many in grid.shape)
    padded = np.zeros((rows * fold, columns * fold))
    padded[: grid.shape[0], : grid.shape[1]] = grid
    return padded.reshape(rows, fold, columns, fold).sum(axis=(1, 3)), fold


def packed(numbers: np.ndarray[Any, Any]) -> str:
    """An array as it stands in a page: little-endian, compressed, in letters; the same text for the same numbers."""
    plain = np.ascontiguousarray(numbers).astype(numbers.dtype.newbyteorder("<")).tobytes()
    return base64.b64encode(gzip.compress(plain, mtime=0)).decode("ascii")


def page(shown: Map, level: Fraction = LEVEL) -> str:
    """The page, complete in one text.

    Args:
        shown: What it shows.
        level: Of the sure intervals.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    table, further = folded(shown.grid)
    fold = shown.fold * further
    rows, columns = table.shape
    high, wide = shown.shape or shown.grid.shape
    facts: dict[str, Any] = {
        "rows": rows,
        "columns": columns,
        "high": high,
        "wide": wide,
        "fold": fold,
        "box": shown.box,
        "aspect": shown.aspect,
        "alpha": float(1 - level),
        "scales": [],
        "variances": [],
        "sure": False,
        "typical": None,
        "hotspots": [],
    }
    blocks = {"cells": packed(table.astype(np.float32)), "boxes": packed(shown.boxes.astype(np.int32))}
    notes = list(shown.notes)
    fresh = None if shown.measured is None else FreshCover(shown.measured).tiling()
    if fresh is not None and len(fresh.boxes) <= MOST_BOXES:
        laplace = [each for each in fresh.noises if isinstance(each, DiscreteLaplace)]
        facts |= {
            "sure": True,
            "scales": [float(each.scale) for each in laplace],
            "variances": [standard_deviation(each) ** 2 for each in laplace],
        }
        blocks["fresh"] = packed(fresh.boxes)
        blocks["values"] = packed(fresh.values.astype(np.float64))
        blocks["noise"] = packed(fresh.noise.astype(np.uint16))
        notes.append(
            f"A sure interval holds the true number with a probability of at least {float(100 * level):g} %, whatever the data, for a "
            "rectangle that was chosen before the map was seen; each on its own. Its width is noise, and all points of boxes that are cut. "
            "Released points are made of other measurements too, and may lie outside. The command places count may give a narrower one."
        )
    else:
        notes.append("The page has no sure intervals; the command places count gives them.")
    if shown.experience is not None:
        facts |= tabled(shown.experience, blocks)
        notes.append(TYPICALLY)
        notes.append(RANKED)
    if fold > 1:
        notes.append(f"A cell of the page is {fold} by {fold} cells of the released grid.")
    units = "the grid" if fold == 1 else "the released grid"
    environment = Environment(
        loader=PackageLoader("starling.places.pictures", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    text = environment.get_template("map.html").render(
        title=shown.title,
        about=shown.about,
        points=shown.points,
        cell=units,
        notes=notes,
        blocks={"facts": Raw(json.dumps(facts)), **blocks},
        software=SOFTWARE,
    )
    for kind, part in _PART.findall(text):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode("ascii")
        text = text.replace(f"'{kind.upper()}'", f"'sha256-{digest}'", 1)
    return text


def tabled(known: Experience, blocks: dict[str, Any]) -> dict[str, Any]:
    """The facts of a page about typical errors and hotspots; its tables go to `blocks`."""
    most = float(max(np.abs(known.errors).max(initial=0), known.boxes.max(initial=0), 1e-9))
    unit = most / np.iinfo(np.int16).max
    blocks["errors"] = packed(np.rint(known.errors / unit).astype(np.int16))
    blocks["deviations"] = packed(np.rint(known.boxes / unit).astype(np.int16))
    reruns, rows, columns = known.errors.shape
    table = known.hotspots
    chances = np.full(len(table.counts), np.nan) if table.chance is None else table.chance
    marks = np.zeros(len(table.counts), dtype=np.bool_) if table.sure is None else table.sure
    listed = zip(table.boxes.tolist(), table.counts.tolist(), chances.tolist(), marks.tolist(), strict=True)
    return {
        "typical": {
            "reruns": reruns,
            "rows": rows,
            "columns": columns,
            "fold": known.fold,
            "whole": WHOLE,
            "times": TIMES,
            "unit": unit,
        },
        "hotspots": [
            {"box": box, "points": points, "chance": None if np.isnan(chance) else chance, "sure": sure}
            for box, points, chance, sure in listed
        ],
    }


class Raw(str):
    """Text of numbers and names alone, which stands in a page as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Itself."""
        return self
