"""Files of queries: rectangles as CSV, polygons as GeoJSON, H3 cells as lines of text. They are an analyst's, and public."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from starling.errors import ParameterError, Problem
from starling.places.arrays import Float64
from starling.planfile.foreign import content

ENDS: Final = ("x0", "y0", "x1", "y1")
LARGEST: Final = 1 << 28
"""Bytes of a file."""


def read_rectangles(path: Path, *, across: bool = False) -> Float64:
    """Rectangles of a CSV file with the columns x0, y0, x1 and y1, float64 (m, 4); other columns are left alone. x0 may be beyond x1 where
    they are asked for `across` the antimeridian. Raises ParameterError
    where the file cannot be read, has no such columns, or has lines that are no rectangle, all of which are listed.
    """
    lines = csv.reader(_text(path).splitlines())
    header = [name.strip() for name in next(lines, [])]
    if any(header.count(name) != 1 for name in ENDS):
        raise ParameterError("rectangles", f"{path.name} has no header with x0, y0, x1 and y1", "write them, once each")
    places = [header.index(name) for name in ENDS]
    rows, problems = [], []
    for number, line in enumerate(lines, start=2):
        if not line:
            continue
        try:
            x0, y0, x1, y1 = (float(line[place]) for place in places)
        except (ValueError, IndexError):
            problems.append(Problem("rectangle", "is not four numbers", "write x0, y0, x1, y1", path.name, number))
            continue
        if not (
            -np.inf < x0 < np.inf and -np.inf < x1 < np.inf and (across or x0 <= x1) and -np.inf < y0 <= y1 < np.inf
        ):
            fix = "give finite numbers, x0 <= x1 and y0 <= y1"
            problems.append(Problem("rectangle", "has its ends in the wrong order, or none", fix, path.name, number))
        rows.append((x0, y0, x1, y1))
    if problems:
        raise ParameterError(problems=problems)
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def read_polygons(path: Path) -> list[dict[str, Any]]:
    """The geometries of a GeoJSON file, in their order: of a collection of features, of one, or one geometry.

    Raises:
        ParameterError: the file cannot be read, or is no GeoJSON of polygons; with every feature that is none.
    """
    problems: list[Problem] = []
    try:
        document = json.loads(_text(path))
        kind = document["type"]
        features = document["features"] if kind == "FeatureCollection" else [document]
        polygons = [each["geometry"] if each["type"] == "Feature" else each for each in features]
        for number, each in enumerate(polygons, start=1):
            if not (isinstance(each, dict) and each.get("type") in {"Polygon", "MultiPolygon"}):
                fix = "give Polygons and MultiPolygons alone"
                problems.append(Problem(f"feature {number}", "is no polygon", fix, path.name))
    except (ValueError, KeyError, TypeError, RecursionError):
        polygons, problems = [], []
    if problems and len(polygons) > 1:
        raise ParameterError(problems=problems)
    if problems or not polygons:
        raise ParameterError("polygons", f"{path.name} is no GeoJSON of polygons", "give a FeatureCollection of them")
    return polygons


def read_hexagons(path: Path) -> Sequence[str]:
    """The H3 cells of a text file, one a line. Raises ParameterError where the file cannot be read."""
    return [line.strip() for line in _text(path).splitlines() if line.strip()]


def _text(path: Path) -> str:
    try:
        return content(path, LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise ParameterError(str(path), f"cannot be read ({error.strerror})", "name a file") from None
    except UnicodeDecodeError:
        raise ParameterError(str(path), "is not UTF-8", "write it in UTF-8") from None
