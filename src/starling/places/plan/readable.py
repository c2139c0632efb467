"""The plan file of a release of points: TOML.

title = "Pickups in New York, April to September 2014"
point = "pickup"               # what is counted
expected = 400000              # optional: publicly expected number of points, for previews

[grid]
crs = "degrees"                # or "equal-area": metres, points in degrees; or "plain" with crs_name = "EPSG:2263"
box = ["-74.3", "40.5", "-73.7", "41"]   # x0, y0, x1, y1, public, never taken from the data
rows = 1024
columns = 1024

[input]
x = "lon"                      # or geometry = "geometry", or h3 = "cell"
y = "lat"
time = "time"                  # of plans with slices
person = "driver"              # of plans that protect a person

[format]                       # optional: how text says the records (text_format.py)
separator = ";"

[privacy]
unit = "point"                 # or "person"
points_per_person = 16         # of persons: k, the most points that count
distinct_cells = false         # optional, of persons: whether points of a person in one cell count once
epsilon = "0.5"

[method]                       # optional
name = "quadtree"              # and the parameters of the method
height = 7

[slices]                       # optional
bounds = ["2014-04-01", "2014-05-01", "2014-06-01"]   # when slices begin, and the last ends
names = ["April", "May"]       # optional; without bounds: the values of the column themselves
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final, get_args

from starling.errors import ParameterError, PlanError
from starling.places.plan.choices import METHODS, MOST_EXPECTED, MOST_POINTS, Columns, Slices, Unit
from starling.places.plan.grid import MOST_SIDE, Box, Crs, Grid
from starling.places.plan.idle_parameters import idle_parameters
from starling.planfile.formats import read_format
from starling.planfile.spelling import did_you_mean
from starling.planfile.times import microseconds
from starling.planfile.toml import Float, Section
from starling.privacy.budget import exact

DEFAULT: Final = "adaptive"
"""The method of a plan that names none."""
_TOP: Final = ("title", "point", "expected", "grid", "input", "format", "privacy", "method", "slices")
_COLUMNS: Final = ("x", "y", "geometry", "h3", "time", "person")
_BOX: Final = 'write x0, y0, x1, y1 like ["-74.3", "40.5", "-73.7", "41"]: public numbers, since a box taken from the data tells of them'


def read_plan(top: Section) -> dict[str, Any]:
    """The fields of the plan that the top of a file says; raises PlanError with every problem found."""
    top.only(_TOP)
    grid = _grid(top.table("grid"))
    choices: dict[str, Any] = {
        "title": top.text("title", "say what is published"),
        "point": top.text("point", 'say it in a word, as in point = "pickup"'),
        "expected": top.whole("expected", 0, MOST_EXPECTED) if "expected" in top.values else None,
        "grid": grid,
        "columns": _columns(top.table("input")),
        "format": read_format(top),
        "slices": _slices(top.table("slices")) if "slices" in top.values else None,
        **_privacy(top.table("privacy")),
        **(_method(top.table("method"), grid) if "method" in top.values else {"method": DEFAULT}),
    }
    if top.problems:
        raise PlanError(problems=top.problems)
    return choices


def _value_of(section: Section, kind: Any, *values: Any) -> Any:
    """The value of a class, which may refuse; None after a refusal of it or of any key before."""
    if section.problems:
        return None
    try:
        return kind(*values)
    except PlanError as error:
        for each in error.problems:
            section.refuse(each.field.partition(".")[2], each.problem, each.fix)
        return None


def _grid(section: Section) -> Grid | None:
    section.only(("crs", "crs_name", "box", "rows", "columns"))
    crs = section.choice("crs", get_args(Crs), 'write "degrees", "equal-area", or "plain" with a crs_name')
    name = section.text("crs_name", 'name it like "EPSG:2263"') if "crs_name" in section.values else ""
    box = _box(section)
    rows, columns = (section.whole(side, 1, MOST_SIDE) for side in ("rows", "columns"))
    grid: Grid | None = _value_of(section, Grid, box, rows, columns, crs, name)
    return grid


def _box(section: Section) -> Box | None:
    stated = section.values.get("box")
    if not isinstance(stated, list) or len(stated) != 4:
        section.refuse("box", "is missing" if stated is None else "is not four numbers", _BOX)
        return None
    try:
        x0, y0, x1, y1 = (exact(each, field="box") for each in _exact_ones(stated))
    except ParameterError as error:
        section.refuse("box", error.problems[0].problem, _BOX)
        return None
    return x0, y0, x1, y1


def _exact_ones(values: Iterable[Any]) -> Iterable[Any]:
    """A float of the file as a float, which is refused as such."""
    return (0.5 if isinstance(each, Float) else each for each in values)


def _columns(section: Section) -> Columns | None:
    if not {"weight", "weights"}.isdisjoint(section.values):
        section.refuse(
            "weight", "is not for points: each counts 1, whatever it says", "remove it, or count what it weighs"
        )
    section.only((*_COLUMNS, "weight", "weights"))
    named = {key: section.text(key, "name a column") for key in _COLUMNS if key in section.values}
    columns: Columns | None = _value_of(section, lambda: Columns(**named))
    return columns


def _privacy(section: Section) -> dict[str, Any]:
    section.only(("unit", "points_per_person", "distinct_cells", "epsilon"))
    unit = section.choice("unit", get_args(Unit), 'write "point" or "person": whose data the guarantee hides')
    choices: dict[str, Any] = {"unit": unit, "points": 1, "distinct": False}
    if unit == "person" or "points_per_person" in section.values:
        choices["points"] = section.whole("points_per_person", 1, MOST_POINTS)
    if "distinct_cells" in section.values:
        choices["distinct"] = section.flag("distinct_cells", "write true or false")
    epsilon = section.number("epsilon", 'write it like "0.5"')
    if epsilon is not None and epsilon <= 0:
        section.refuse("epsilon", "is not above 0", "give a budget")
    return choices | {"epsilon": epsilon or Fraction(0)}


def _method(section: Section, grid: Grid | None) -> dict[str, Any]:
    name = section.choice("name", tuple(METHODS), did_you_mean(str(section.values.get("name")), METHODS))
    parameters = {}
    for key, value in section.values.items():
        if key == "name":
            continue
        if isinstance(value, Float) or not isinstance(value, int | str):
            section.refuse(key, "is no exact value", f'write it in quotes, like {key} = "0.5", or as an integer')
        else:
            parameters[key] = str(value).lower() if isinstance(value, bool) else str(value)
    for problem in idle_parameters(name, parameters, grid) if grid else ():
        section.refuse(*problem)
    return {"method": name, "parameters": parameters}


def _slices(section: Section) -> Slices | None:
    section.only(("bounds", "names"))
    names = tuple(section.texts("names", "name each slice")) if "names" in section.values else ()
    if "bounds" not in section.values and names:
        named: Slices | None = _value_of(section, Slices, names, None)
        return named
    texts = section.texts("bounds", 'write when slices begin, and the last ends, like ["2014-04-01", "2014-05-01"]')
    try:
        bounds = tuple(microseconds(each) for each in texts)
    except ValueError:
        section.refuse("bounds", "are not all dates or times", 'write them like "2014-04-01" or "2014-04-01T06:00"')
        return None
    slices: Slices | None = _value_of(section, Slices, names or tuple(texts[:-1]), bounds)
    return slices
