"""What is fuzzed of places, areas, flows, trips and group sizes: plans, the public files beside them, and right values of each column."""

import json
from typing import Any, Final

from bench.fuzz.source import GEO, STORED, TEXTS, Source

_NUMBERS: Final = (b"0.5", b"-0.25", b"1.75", b"2", b"1e-3", b"12", b"0.1")
_TIMES: Final = (b"2020-01-05", b"2020-01-31T23:59:59.5", b"2020-02-01 00:00:00+01:00", b"2020-02-03 10:00 UTC")
_WHO: Final = (b"a", b"b", b"c", b"17", b"person 9")


def _places(where: str, privacy: str, slices: str = "", *, rows: int = 4) -> str:
    return (
        'title = "Points"\npoint = "point"\n'
        f'[grid]\ncrs = "degrees"\nbox = ["-1", "0", "3", "2"]\nrows = {rows}\ncolumns = 8\n[input]\n{where}\n'
        f'[privacy]\n{privacy}\n[method]\nname = "singular"\n{slices}'
    )


_POINT: Final = 'unit = "point"\nepsilon = "1"'
_PERSON: Final = 'unit = "person"\npoints_per_person = 2\nepsilon = "1"'
_BOUNDS: Final = '[slices]\nbounds = ["0001-01-01", "2020-02-01", "2020-03-01"]\n'
_CELLS: Final = (b"8928308280fffff", b"8928308280bffff", b"861f1d48fffffff", b"8009fffffffffff", b"617700169958293503")
_WKB: Final = (
    bytes.fromhex("0101000000000000000000e03f000000000000f03f"),
    bytes.fromhex("00000000013fe00000000000003ff0000000000000"),
    bytes.fromhex("01e9030000000000000000e03f000000000000f03f0000000000000840"),
    bytes.fromhex("0101000020e6100000000000000000e03f000000000000f03f"),
    bytes.fromhex("010200000002000000000000000000e03f000000000000f03f00000000000000400000000000000840"),
    bytes.fromhex("0104000000010000000101000000000000000000e03f000000000000f03f"),
    bytes.fromhex("0107000000ffffffff"),
)

PLACES: Final = (
    Source(
        "places-points",
        "places",
        {"plan.toml": _places('x = "lon"\ny = "lat"', _POINT)},
        {"lon": _NUMBERS, "lat": _NUMBERS},
        (*TEXTS, *STORED, "held"),
    ),
    Source(
        "places-persons-in-time",
        "places",
        {"plan.toml": _places('x = "lon"\ny = "lat"\ntime = "time"\nperson = "who"', _PERSON, _BOUNDS)},
        {"lon": _NUMBERS, "lat": _NUMBERS, "time": _TIMES, "who": _WHO},
        (*TEXTS, *STORED, "held"),
    ),
    Source(
        "places-h3-in-named-slices",
        "places",
        {"plan.toml": _places('h3 = "cell"\ntime = "shift"', _POINT, '[slices]\nnames = ["early", "late", "3"]\n')},
        {"cell": _CELLS, "shift": (b"early", b"late", b"3", b'"late"')},
        (*TEXTS, *STORED, "held"),
    ),
    Source(
        "places-values-by-kind",
        "places",
        {
            "plan.toml": _places(
                'x = "lon"\ny = "lat"\ntime = "shift"\ncategory = "kind"\nvalue = "fare"\nperson = "who"',
                _PERSON,
                '[slices]\nnames = ["early", "3"]\ncategories = ["theft", "7"]\n[value]\nlower = -2\nupper = 9\n',
            )
        },
        {
            "lon": _NUMBERS,
            "lat": _NUMBERS,
            "shift": (b"early", b"3", b'"early"'),
            "kind": (b"theft", b"7", b'"theft"'),
            "fare": _NUMBERS,
            "who": _WHO,
        },
        (*TEXTS, *STORED, "held"),
    ),
    Source(
        "places-geometry",
        "places",
        {"plan.toml": _places('geometry = "geometry"\ntime = "time"\nperson = "who"', _PERSON, _BOUNDS)},
        {"geometry": _WKB, "time": _TIMES, "who": _WHO},
        (*STORED, "held", *GEO),
    ),
    Source(
        "places-sparse",
        "places",
        {
            "plan.toml": _places('x = "lon"\ny = "lat"', _POINT)
            .replace("rows = 4\ncolumns = 8", "rows = 16384\ncolumns = 16384")
            .replace("singular", "adaptive")
        },
        {"lon": _NUMBERS, "lat": _NUMBERS},
        ("csv", "csv+parts", "csv+spark", "parquet", "parquet+spark"),
    ),
)

_ENDS: Final = (b"1", b"2", b"7", b"x y", b"007", b'"2"')
"""Ids of the areas, and one that is none."""


def _square(code: str, x: int, side: str) -> dict[str, Any]:
    ring = [[x, 0], [x + 1, 0], [x + 1, 2], [x, 2], [x, 0]]
    return {
        "type": "Feature",
        "properties": {"code": code, "side": side},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def _by_area(name: str, plan: str, columns: dict[str, tuple[bytes, ...]], forms: tuple[str, ...]) -> Source:
    """A source of points in areas or of trips between them: four squares in two larger areas, one without a whole number as its id."""
    squares = [_square(code, at - 1, "west" if at < 2 else "east") for at, code in enumerate(("1", "2", "7", "x y"))]
    areas = json.dumps({"type": "FeatureCollection", "features": squares})
    whole = f'title = "By area"\n{plan}[areas]\nfile = "areas.geojson"\nid = "code"\nlevels = ["side"]\n'
    return Source(name, "places", {"plan.toml": whole, "areas.geojson": areas}, columns, forms)


def _areas(where: str, privacy: str, slices: str = "") -> str:
    return f'point = "point"\n[input]\n{where}\n[privacy]\n{privacy}\n{slices}'


def _flows(ends: str, privacy: str, slices: str = "") -> str:
    return f'trip = "trip"\n[flows]\n{ends}\n[privacy]\n{privacy}\n{slices}'


AREAS: Final = (
    _by_area(
        "areas-points",
        _areas('x = "lon"\ny = "lat"', _POINT),
        {"lon": _NUMBERS, "lat": _NUMBERS},
        (*TEXTS, *STORED, "held"),
    ),
    _by_area(
        "areas-ids-of-persons-by-kind",
        _areas(
            'area = "zone"\ntime = "shift"\ncategory = "kind"\nperson = "who"\nvalue = "fare"',
            _PERSON,
            '[slices]\nnames = ["early", "3"]\ncategories = ["theft", "7"]\n[value]\nlower = -2\nupper = 9\n',
        ),
        {"fare": _NUMBERS, "zone": _ENDS, "shift": (b"early", b"3"), "kind": (b"theft", b"7"), "who": _WHO},
        (*TEXTS, *STORED, "held"),
    ),
    _by_area(
        "areas-geometry",
        _areas('geometry = "geometry"\ntime = "time"\nperson = "who"', _PERSON, _BOUNDS),
        {"geometry": _WKB, "time": _TIMES, "who": _WHO},
        (*STORED, "held", *GEO),
    ),
    _by_area("areas-h3", _areas('h3 = "cell"', _POINT), {"cell": _CELLS}, (*TEXTS, *STORED, "held")),
)
FLOWS: Final = (
    _by_area(
        "flows-ids",
        _flows('origin = "a"\ndestination = "b"', _POINT.replace("point", "trip")),
        {"a": _ENDS, "b": _ENDS},
        (*TEXTS, *STORED, "held"),
    ),
    _by_area(
        "flows-points-of-persons",
        _flows(
            'origin_x = "ax"\norigin_y = "ay"\ndestination_x = "bx"\ndestination_y = "by"\nperson = "who"',
            _PERSON.replace("points", "trips"),
        ),
        {**dict.fromkeys(("ax", "ay", "bx", "by"), _NUMBERS), "who": _WHO},
        (*TEXTS, *STORED, "held"),
    ),
    _by_area(
        "flows-by-time-and-kind",
        _flows(
            'origin = "a"\ndestination = "b"\ntime = "time"\ncategory = "kind"',
            _POINT.replace("point", "trip"),
            f'{_BOUNDS}categories = ["theft", "7"]\n',
        ),
        {"a": _ENDS, "b": _ENDS, "time": _TIMES, "kind": (b"theft", b"7")},
        (*TEXTS, *STORED, "held"),
    ),
    _by_area(
        "flows-stops-of-persons",
        _flows(
            'origin = "a"\ndestination = "b"\nstops = ["via", "then"]\nperson = "who"',
            _PERSON.replace("points", "trips"),
        ),
        {**dict.fromkeys(("a", "b", "via", "then"), _ENDS), "who": _WHO},
        (*TEXTS, *STORED, "held"),
    ),
    _by_area(
        "flows-stops-by-points",
        _flows(
            'origin = "a"\ndestination = "b"\nstops_x = ["vx", "tx"]\nstops_y = ["vy", "ty"]',
            _POINT.replace("point", "trip"),
        ),
        {**dict.fromkeys(("a", "b"), _ENDS), **dict.fromkeys(("vx", "vy", "tx", "ty"), _NUMBERS)},
        (*TEXTS, *STORED, "held"),
    ),
)

_ON_GRID: Final = (
    'title = "Trips"\ntrip = "trip"\n[grid]\ncrs = "degrees"\nbox = ["-1", "0", "3", "2"]\nrows = 4\ncolumns = 8\n'
    '[flows]\norigin_x = "ax"\norigin_y = "ay"\ndestination_x = "bx"\ndestination_y = "by"\n'
)
TRIPS: Final = (
    Source(
        "trips-points",
        "places",
        {"plan.toml": f"{_ON_GRID}[privacy]\n{_POINT.replace('point', 'trip')}\n"},
        dict.fromkeys(("ax", "ay", "bx", "by"), _NUMBERS),
        (*TEXTS, *STORED, "held"),
    ),
    Source(
        "trips-points-of-persons",
        "places",
        {"plan.toml": f'{_ON_GRID}person = "who"\n[privacy]\n{_PERSON.replace("points", "trips")}\n'},
        {**dict.fromkeys(("ax", "ay", "bx", "by"), _NUMBERS), "who": _WHO},
        (*TEXTS, *STORED, "held"),
    ),
)

_REGIONS: Final = "region,parent\nland,\neast,land\nwest,land\ne1,east\ne2,east\nw1,west\n"
_REGISTER: Final = "group,region\n" + "".join(f"g{at},{('e1', 'e2', 'w1')[at % 3]}\n" for at in range(9))
_LEAVES: Final = (b"e1", b"e2", b"w1", b'"e1"', b"east")
_WHOLE: Final = (b"0", b"1", b"2", b"4", b"9", b"2.0", b"+3")


def _groups(kind: str, quantity: int = 1) -> Source:
    unit = "event" if kind == "events" else "member"
    registered = kind in ("persons", "events")
    plan = (
        'title = "Households by size"\ngroup = "household"\nmember = "person"\n'
        '[regions]\nfile = "regions.csv"\nlevels = ["land", "state", "county"]\n'
        f'[sizes]\nlargest = 4\nquantity = {quantity}\n[totals]\npublic = "root"\ngroups = 9\n[input]\nkind = "{kind}"\n'
        + ('register = "register.csv"\n' if registered else "")
        + f'[privacy]\nunit = "{unit}"\nneighbours = "add-remove"\nepsilon = "1"\n'
    )
    names = tuple(f"g{at}".encode() for at in range(9))
    said = {"region": _LEAVES, "size": _WHOLE, "groups": _WHOLE, "person": _WHO, "group": names, "quantity": _WHOLE}
    columns = {
        "groups": ("region", "size"),
        "counts": ("region", "size", "groups"),
        "persons": ("person", "group"),
        "events": ("group",),
    }[kind]
    more = ("quantity",) if quantity > 1 else ()
    return Source(
        f"groups-{kind}{'-quantity' * (quantity > 1)}",
        "groups",
        {"plan.toml": plan, "regions.csv": _REGIONS, "register.csv": _REGISTER},
        {name: said[name] for name in (*columns, *more)},
        (*TEXTS, *STORED),
    )


GROUPS: Final = (
    *(_groups(kind) for kind in ("groups", "counts", "persons", "events")),
    *(_groups(kind, 3) for kind in ("persons", "events")),
)
