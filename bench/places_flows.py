"""A release of flows between areas against the number of trips, given by the ids of zones: time and memory of whole processes.

Zones are 263 squares in six boroughs, as many as New York's taxi zones, and trips are invented, in Parquet. Beside each release stands a
process of DuckDB that reads the same file and counts pairs with GROUP BY, and does nothing else.
"""

import json
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.measure import Json
from bench.process import STARLING, Run, run
from bench.record import Limit, Recorder
from starling.planfile.values import toml_of

SEED: Final = 2019
ZONES: Final = 263
BOROUGHS: Final = 6
PIECE: Final = 1_000_000
"""Trips that are invented at a time, and rows of a row group."""
EPSILON: Final = "1"
TRIPS: Final = (1_000_000, 10_000_000, 100_000_000)
SECONDS: Final = 10
GIGABYTES: Final = 1
PEER: Final = """
import sys, duckdb
print(duckdb.sql(f"SELECT count(*) FROM (SELECT pickup, dropoff, count(*) FROM read_parquet('{sys.argv[1]}') GROUP BY ALL)").fetchall())
"""


def invent(path: Path, trips: int) -> Path:
    """Trips of which the ends are independent, most of them in few zones."""
    rng = np.random.default_rng(SEED)
    weights = 1 / np.arange(1.0, ZONES + 1)
    weights /= weights.sum()
    with pq.ParquetWriter(path, pa.schema([("pickup", pa.int64()), ("dropoff", pa.int64())])) as writer:
        for begin in range(0, trips, PIECE):
            ends = rng.choice(ZONES, (2, min(PIECE, trips - begin)), p=weights) + 1
            writer.write_table(pa.table({"pickup": ends[0], "dropoff": ends[1]}))
    return path


def write_plan(folder: Path) -> Path:
    """A plan of trips between squares."""
    features = [
        {
            "type": "Feature",
            "properties": {"zone": at, "borough": f"borough {at % BOROUGHS}"},
            "geometry": {
                "type": "Polygon",
                "coordinates": [
                    [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1], [x, y]] for x, y in [(at % 16, at // 16)]
                ],
            },
        }
        for at in range(1, ZONES + 1)
    ]
    (folder / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    said: dict[str, Any] = {
        "title": "Invented trips",
        "trip": "trip",
        "areas": {"file": "zones.geojson", "id": "zone", "levels": ["borough"]},
        "flows": {"origin": "pickup", "destination": "dropoff"},
        "privacy": {"unit": "trip", "epsilon": EPSILON},
    }
    plan = folder / "plan.toml"
    plan.write_text(toml_of(said))
    return plan


def measured(plan: Path, records: Path, trips: int) -> tuple[dict[str, Json], Run]:
    """A release and its peer, as a row of the result."""
    out = plan.with_name("out")
    words = ("--records", records, "--out", out, "--unvalidated", "--yes", "--json")
    took = run([STARLING, "places", "release", plan, *words])
    peer = run([sys.executable, "-c", PEER, str(records)])
    row: dict[str, Json] = {
        "trips": trips,
        "seconds": round(took.seconds, 2),
        "cpu_seconds": round(took.cpu_seconds, 2),
        "gigabytes": round(took.peak_gb, 2),
        "group_by_seconds": round(peer.seconds, 2),
        "group_by_cpu_seconds": round(peer.cpu_seconds, 2),
        "group_by_gigabytes": round(peer.peak_gb, 2),
    }
    shutil.rmtree(out)
    print(row)
    return row, took


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("places_flows", "Time and memory of a release of flows against the number of trips.")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 1 GB")
    chosen = recorder.begin()
    rows: list[Json] = []
    runs: list[Run] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        plan = write_plan(scratch)
        # A first release leaves the compiled kernels, as an earlier release on the machine would.
        measured(plan, invent(scratch / "first.parquet", 1_000), 1_000)
        for trips in (1_000, 10_000) if chosen.quick else TRIPS:
            row, took = measured(plan, invent(scratch / "trips.parquet", trips), trips)
            rows.append(row)
            runs.append(took)
    limits = [
        Limit("100 million trips by zone to released flows", round(runs[-1].seconds, 1), SECONDS, "s"),
        Limit("100 million trips by zone to released flows, most memory", round(runs[-1].peak_gb, 2), GIGABYTES, "GB"),
    ]
    settings: dict[str, Json] = {"epsilon": EPSILON, "zones": ZONES, "boroughs": BOROUGHS, "seed": SEED}
    recorder.end(settings=settings, rows=rows, limits=[] if chosen.quick else limits)


if __name__ == "__main__":
    main()
