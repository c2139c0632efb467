"""The grammar of the plan file of points: every key, what it states, and what is refused."""

from collections.abc import Collection, Sequence
from typing import Final, get_args

from starling.errors import PlanError
from starling.places.plan.choices import (
    ADAPTIVE,
    EARLIER,
    METHODS,
    MOST_BOUND,
    PURPOSES,
    Columns,
    Purpose,
    Slices,
    Value,
)
from starling.places.plan.grid import MOST_SIDE, Crs, Grid
from starling.places.plan.idle_parameters import idle_parameters
from starling.places.plan.unit_keys import POINT_KEYS, check_records_of_person, distinct_key, record_keys
from starling.planfile.formats import FORMAT_KEY
from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import budget, choice, misplaced, numbers, table, text, texts, whole
from starling.planfile.times import microseconds, time_text
from starling.planfile.toml import Float, Section

_BOX: Final = 'write x0, y0, x1, y1 like ["-74.3", "40.5", "-73.7", "41"]: public numbers, since a box taken from the data tells of them'
_BOUNDS: Final = 'write when slices begin, and the last ends, like ["2014-04-01", "2014-05-01"]'
_COLUMN: Final = text("name a column")
_WEIGHT: Final = Key(
    "",
    misplaced("is not for points: each counts 1, whatever it says", "remove it, or count what it weighs"),
    default={},
)
GRID: Final = Table(
    {
        "crs": Key(
            "The units of the box. Of `equal-area` they are metres, and points come in degrees; `plain` needs `crs_name`.",
            choice(get_args(Crs), 'write "degrees", "equal-area", or "plain" with a crs_name'),
        ),
        "crs_name": Key(
            'The reference system of plain units, such as `"EPSG:2263"`.', text('name it like "EPSG:2263"'), default=""
        ),
        "box": Key(
            "x0, y0, x1, y1: public, never taken from the data; across the antimeridian x0 is the larger, as 170 before -170.",
            numbers(4, "is not four numbers", _BOX),
        ),
        "rows": Key("Cells from y0 to y1.", whole(1, MOST_SIDE)),
        "columns": Key("Cells from x0 to x1.", whole(1, MOST_SIDE)),
    },
    make=Grid,
)
INPUT: Final = Table(
    {
        "x": Key("Column of longitudes, or of x in plain units.", _COLUMN, default=""),
        "y": Key("Column of latitudes, or of y in plain units.", _COLUMN, default=""),
        "geometry": Key(
            "In place of x and y: column of points: WKB, WKT, or those of GeoParquet or GeoJSON.", _COLUMN, default=""
        ),
        "h3": Key("In place of x and y: column of H3 cells.", _COLUMN, default=""),
        "time": Key("Column that sorts points into slices.", _COLUMN, default=""),
        "category": Key("Column of the second public list, `slices.categories`.", _COLUMN, default=""),
        "value": Key("Column of numbers whose sums and means are published, beside `[value]`.", _COLUMN, default=""),
        "person": Key("Column that says whose a point is, where persons are protected.", _COLUMN, default=""),
        "weight": _WEIGHT,
        "weights": _WEIGHT,
    },
    make=Columns,
)


_PRIVACY: Final = Table(
    {
        **POINT_KEYS,
        "distinct_cells": distinct_key("cell"),
        "epsilon": Key("The whole budget.", budget('write it like "0.5"')),
    },
    check=check_records_of_person("point"),
)


def _read_parameter(section: Section, key: str, _: Values) -> str:
    value = section.values[key]
    if isinstance(value, Float) or not isinstance(value, int | str):
        section.refuse(key, "is no exact value", f'write it in quotes, like {key} = "0.5", or as an integer')
    return str(value).lower() if isinstance(value, bool) else str(value)


def _purpose(stated: Purpose | None, method: str, parameters: Collection[str]) -> Purpose:
    """What a plan file states, or means: without a word the default, or the rule that alone has the parameter `many`."""
    return stated or ("all" if method == ADAPTIVE and "many" not in parameters else EARLIER)


def _check_method(section: Section, values: Values) -> None:
    if values["purpose"] is not None and values["method"] != ADAPTIVE:
        section.refuse("for", f"is a choice of {ADAPTIVE} alone", f'leave it out, or write name = "{ADAPTIVE}"')
    values["purpose"] = _purpose(values["purpose"], values["method"], values["parameters"])
    for problem in idle_parameters(values["method"], values["parameters"], values["grid"]) if values["grid"] else ():
        section.refuse(*problem)


_METHOD: Final = Table(
    {
        "name": Key("The method; its parameters stand beside it.", choice(METHODS), field="method"),
        "for": Key(
            'Of `adaptive`: `"all"` sizes of squares, the default; `"streets"`, the smallest ones; `"earlier"`, as before 0.3.',
            choice(PURPOSES),
            default=None,
            field="purpose",
            value=lambda plan: plan.purpose if plan.method == ADAPTIVE else None,
        ),
    },
    check=_check_method,
    free=Key(
        "A parameter of the method.",
        Kind("exact number, text or flag", {"type": ["string", "integer", "boolean"]}, _read_parameter),
        field="parameters",
    ),
)


def _check_slices(section: Section, _: Values) -> None:
    if not {"bounds", "names"} & set(section.values):
        section.texts("bounds", _BOUNDS)


def _slices(bounds: Sequence[str] | None, names: tuple[str, ...], categories: tuple[str, ...]) -> Slices:
    if bounds is None:
        return Slices(names, None, categories)
    try:
        times = tuple(map(microseconds, bounds))
    except ValueError:
        fix = 'write them like "2014-04-01" or "2014-04-01T06:00"'
        raise PlanError("slices.bounds", "are not all dates or times", fix) from None
    return Slices(names or tuple(bounds[:-1]), times, categories)


SLICES: Final = Table(
    {
        "bounds": Key(
            "When slices begin, and when the last ends.",
            texts(_BOUNDS),
            default=None,
            value=lambda slices: None if slices.bounds is None else map(time_text, slices.bounds),
        ),
        "names": Key(
            "A name for each; without bounds these are the values of the column themselves.",
            texts("name each slice"),
            default=(),
        ),
        "categories": Key(
            "A second public list, the values of `input.category`: each pair with one of the first is a slice.",
            texts("name each category"),
            default=(),
        ),
    },
    make=_slices,
    check=_check_slices,
)
VALUE: Final = Table(
    {
        "lower": Key(
            "The least that a record counts for, in whole units; smaller values count as this.",
            whole(-MOST_BOUND, MOST_BOUND),
        ),
        "upper": Key("The most; a unit of noise is this less the lower one.", whole(-MOST_BOUND, MOST_BOUND)),
    },
    make=Value,
)
VALUE_KEY: Final = Key("Public bounds of a column whose sums and means are published.", table(VALUE), default=None)
PLAN: Final = Table(
    {
        **record_keys("point", "pickup"),
        "grid": Key("The public grid.", table(GRID)),
        "input": Key("Where records say what.", table(INPUT), field="columns"),
        "format": FORMAT_KEY,
        "privacy": Key("What is promised.", table(_PRIVACY)),
        "method": Key(
            "What is measured.", table(_METHOD), default={"method": ADAPTIVE, "purpose": "all", "parameters": {}}
        ),
        "slices": Key("Slices of the points by time, or by another public list.", table(SLICES), default=None),
        "value": VALUE_KEY,
    }
)
