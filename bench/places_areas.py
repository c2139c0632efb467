"""Points that are assigned to 263 and to some 3,400 public areas of real shape: points a CPU second, beside shapely's STRtree alone.

New York's taxi zones, and their pieces: each zone is cut by the Voronoi cells of uniform points, so that pieces keep the zones' shores and
borders; polygons that cross themselves are mended first. Points are Uber pickups of 2014, drawn again with a shift of some 200 m. In turns
STRtree assigns the first tenth of the points, and must give the same areas for these.
"""

import gzip
import json
from functools import partial
from time import process_time
from typing import Final

import numpy as np
import pyarrow.parquet as pq
import shapely

from bench.measure import Json, Spread, cpu, in_turn
from bench.places_data import folder
from bench.record import Limit, Recorder
from starling.places.areas.plan.polygons import Areas
from starling.places.areas.source.locate import Locator
from starling.places.arrays import Float64

SEED: Final = 2014
SITES: Final = 3_500
"""Points in the box of the zones whose Voronoi cells cut them."""
SHIFT: Final = 0.002
"""Standard deviation, in degrees."""
POINTS: Final = 10_000_000
ROUNDS: Final = 3
A_SECOND: Final = 5
"""Million points."""
LEAST: Final = 1e-9
"""Square degrees, some 10 m², below which a piece is left out."""


def zones() -> list[shapely.Geometry]:
    """The taxi zones, mended where they touch themselves."""
    with gzip.open(folder() / "taxi_zones.geojson.gz") as file:
        found = [shapely.from_geojson(json.dumps(each["geometry"])) for each in json.load(file)["features"]]
    return [shapely.make_valid(each, method="structure") for each in found]


def pieces(whole: list[shapely.Geometry]) -> list[shapely.Geometry]:
    """The parts of each zone in each Voronoi cell that meets it."""
    west, south, east, north = shapely.total_bounds(whole)
    sites = np.random.default_rng(SEED).uniform((west, south), (east, north), (SITES, 2))
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(sites)))
    zone, cell = shapely.STRtree(cells).query(whole, predicate="intersects")
    cut = shapely.intersection(np.array(whole)[zone], cells[cell])
    return [each for each in cut if shapely.get_dimensions(each) == 2 and shapely.area(each) > LEAST]


def invent(points: int) -> tuple[Float64, Float64]:
    """Longitudes and latitudes, float64 (points,) each."""
    rng = np.random.default_rng(SEED)
    pickups = pq.read_table(folder() / "uber_nyc_2014.parquet", columns=["lon", "lat"])
    chosen = rng.integers(0, len(pickups), points)
    lon, lat = (
        pickups[name].to_numpy().astype(np.float64)[chosen] + rng.normal(0, SHIFT, points) for name in ("lon", "lat")
    )
    return lon, lat


def measured(shapes: list[shapely.Geometry], x: Float64, y: Float64, rounds: int) -> dict[str, Json]:
    """Both ways to assign the points, as a row of the result; raises RuntimeError where they differ."""
    ids = tuple(map(str, range(len(shapes))))
    areas = Areas(ids, ids, ("id", "", ()), (), np.array(shapes))
    Locator(areas, 16).assign(x[:10], y[:10])  # leaves the compiled kernels
    began = process_time()
    locator = Locator(areas)
    made = process_time() - began
    few = slice(len(x) // 10)
    if not np.array_equal(locator.assign(x[few], y[few]), locator.ask(x[few], y[few])):
        raise RuntimeError("both ways differ")
    ways = {
        "assign": partial(cpu, partial(locator.assign, x, y)),
        "shapely": partial(cpu, partial(locator.ask, x[few], y[few])),
    }
    took = in_turn(ways, rounds)
    return {
        "areas": len(shapes),
        "corners": round(float(shapely.get_num_coordinates(shapes).mean()), 1),
        "points": len(x),
        "points_of_shapely": len(x[few]),
        "made_cpu_seconds": round(made, 2),
        "million_a_cpu_second": Spread.of(len(x) / each / 1e6 for each in took["assign"]).to_json(),
        "million_a_cpu_second_of_shapely": Spread.of(len(x[few]) / each / 1e6 for each in took["shapely"]).to_json(),
    }


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("places_areas", "Points a CPU second that are assigned to public areas.")
    chosen = recorder.begin()
    x, y = invent(10_000 if chosen.quick else POINTS)
    whole = zones()
    found = [measured(each, x, y, 1 if chosen.quick else ROUNDS) for each in (whole, pieces(whole))]
    speed = found[-1]["million_a_cpu_second"]
    assert isinstance(speed, dict)
    what = f"points into {found[-1]['areas']:,} polygons of real shape, a CPU second"
    limit = Limit(what, float(str(speed["median"])), A_SECOND, "million", least=True, best=float(str(speed["max"])))
    settings: dict[str, Json] = {"sites": SITES, "seed": SEED, "shift": SHIFT, "rounds": ROUNDS}
    recorder.end(settings=settings, rows=list(found), limits=[] if chosen.quick else [limit])


if __name__ == "__main__":
    main()
