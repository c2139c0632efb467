"""The page of a map as one file that holds numbers, coast and script; and the parts of it that a page of a server has, too.

The file fetches nothing, and its policy (CSP) names its own script and style by their hashes, so that nothing else runs. Why no plotting
library: what is drawn is one picture and some rectangles, a library would be ten times as large as all numbers, and the answers need a
script of the page's own in any case.
"""

import base64
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from starling.pages.parts import Table
from starling.pages.rendering import named_by_hashes, stand_alone, static_files
from starling.places.answers.coordinates import box_in_degrees, corners, ends_in_box
from starling.places.answers.hotspots import Hotspots, chance_text
from starling.places.answers.released import Answers
from starling.places.answers.sure import LEVEL
from starling.places.arrays import Int32
from starling.places.pictures.map_data import Map, encoded, has_intervals, still
from starling.places.plan.grid import UNITS, Grid
from starling.release.text import OUTSIDE, whole

PACKAGE: Final = "starling.places.pictures"
TYPICALLY: Final = (
    "A typical error is experience: in studies nine of ten released counts and more were off by at most so much. "
    "It is no promise."
)
BY_SQUARES: Final = (
    "The page has typical errors by squares of {fold} by {fold} cells, of rectangles that are at least two squares high and wide; "
    "the command places count has them of any, cell by cell."
)
RANKED: Final = (
    "The squares with most released points are listed. Their chance to be among those with most points is experience too: in "
    "studies about that share of them were. Chances below 0.6 were not right, and are not stated. A square that is marked "
    "surely is, all of them together with the probability of the intervals."
)
SURE: Final = (
    "A sure interval holds the true number with a probability of at least {level:g} %, whatever the data, for a rectangle that "
    "was chosen before the map was seen; each on its own. Its width is noise, and all points of boxes that are cut. Released "
    "points are made of other measurements too, and may lie outside. The numbers are those of the command places count."
)
NOTHING: Final = (
    "Where cells are hatched, the sure interval of the measured box holds 0: there may be no point at all. Of a difference, "
    "squares are hatched of which it cannot be said which slice has more."
)
CHOSEN: Final = "The interval holds for a rectangle that was chosen before the map was seen."
"""Beside the number of a rectangle that a reader chose."""
UNSURE: Final = "The page has no sure intervals; the command places count gives them."
COAST: Final = (
    "Coast and borders are for orientation: at 1:110 million they may be off by tens of kilometres. "
    "They are no part of the release."
)
WIDE: Final = 3.0
"""Degrees of longitude; a grid that is narrower has its coast hidden at first, as it is far too coarse."""


def page(shown: Map) -> str:
    """The page as one file, complete in one text; the same for the same map."""
    return named_by_hashes(
        stand_alone(
            "map.html",
            PACKAGE,
            **_values(shown),
            data=_letters(encoded(shown)),
            coast=_letters(static_files()["coast.bin"]),
            script=static_files()["map.js"].decode(),
        )
    )


def _letters(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _values(shown: Map) -> dict[str, Any]:
    """What the template shows of a map, wherever it stands."""
    grid = shown.grid
    return {
        **public_values(grid),
        "title": shown.title,
        "about": shown.about,
        "points": shown.points,
        "slices": [each.name for each in shown.slices],
        "periods": shown.lists[0] if shown.lists else [each.name for each in shown.slices],
        "categories": shown.lists[1] if shown.lists else [],
        "still": still(shown),
        "hotspots": [
            {"name": each.name, "rows": () if each.experience is None else hotspot_rows(grid, each.experience.hotspots)}
            for each in shown.slices
        ],
        "squares": [square_table(grid, each.squares, each.answers, each.name, shown.level) for each in shown.slices],
        "notes": _notes(shown),
        "counted": "units" if shown.note else "points",
        "level": f"{float(100 * shown.level):g} %",
        "outside": OUTSIDE,
        "chosen": CHOSEN if _all_sure(shown) else "",
    }


def public_values(grid: Grid) -> dict[str, Any]:
    """What the templates of maps show of a public grid."""
    plain = grid.crs == "plain"
    ends = (0.0,) * 4 if plain else box_in_degrees(grid)
    return {
        "units": f"In {UNITS.get(grid.crs, f'units of {grid.crs_name}')}.",
        "plain": plain,
        "wide": not plain and ends[2] - ends[0] > WIDE,
        "axes": (["units"] if plain else ["degrees", "kilometres"]) + ["cells"],
    }


def _all_sure(shown: Map) -> bool:
    return all(has_intervals(each.measured) for each in shown.slices)


def _notes(shown: Map) -> list[str]:
    """Sentences that say what the page shows."""
    known = [each.experience for each in shown.slices if each.experience is not None]
    notes = [UNSURE]
    if _all_sure(shown):
        notes = [SURE.format(level=float(100 * shown.level)), NOTHING]
    if known:
        notes += [TYPICALLY, *([BY_SQUARES.format(fold=known[0].fold)] if known[0].fold > 1 else []), RANKED]
    if shown.note:
        notes.insert(0, shown.note)
    if shown.step > 1:
        notes.append(f"A cell of the page is {shown.step} by {shown.step} cells of the released grid.")
    return notes if shown.grid.crs == "plain" else [*notes, COAST]


def _ends(grid: Grid, boxes: Int32) -> list[list[str]]:
    """West, south, east and north end of boxes, in units of the grid."""
    ends = corners(grid, boxes)[:, [0, 2]].reshape(-1, 4)
    digits = max(0, int(np.ceil(-np.log10(np.ptp(ends, axis=None) / max(grid.shape)))) + 1) if len(ends) else 0
    return [[f"{end:z,.{digits}f}" for end in row] for row in ends_in_box(grid, boxes).tolist()]


def hotspot_rows(grid: Grid, table: Hotspots) -> Sequence[dict[str, Any]]:
    """Hotspots as a page lists them, each with its box of cells and its cells as text."""
    none = [""] * len(table.counts)
    chances = none if table.chance is None else [chance_text(each) for each in table.chance.tolist()]
    marks = none if table.sure is None else ["surely" if each else "" for each in table.sure.tolist()]
    listed = zip(table.boxes.tolist(), table.counts.tolist(), chances, marks, _ends(grid, table.boxes), strict=True)
    return [
        {"box": " ".join(map(str, box)), "cells": (whole(points), chance, mark, *ends)}
        for box, points, chance, mark, ends in listed
    ]


def square_table(grid: Grid, squares: Int32, answers: Answers, name: str, level: Fraction = LEVEL) -> Table:
    """Large squares with their points and sure intervals, northern ones first."""
    header = ["West", "South", "East", "North", "Points"]
    columns = [list(each) for each in zip(*_ends(grid, squares), strict=True)]
    columns.append([whole(points) for points in answers.counts.tolist()])
    if answers.lower is not None and answers.upper is not None:
        header += [f"{float(100 * level):g} % from", "to"]
        columns += [[f"{end:,}" for end in ends.tolist()] for ends in (answers.lower, answers.upper)]
    caption = f"Points of large squares{f', {name}' if name else ''}"
    return Table(tuple(header), tuple(zip(*columns, strict=True))[::-1], caption, note=answers.outside_note)
