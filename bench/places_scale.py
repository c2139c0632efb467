"""A release of invented points against their number and against the cells of the grid: time and memory of whole processes.

Points lie around 200 centres, in Parquet. Beside each release stands a process of DuckDB that reads the same file and counts cells with
GROUP BY, and does nothing else. Grids of more than 2^26 cells are sparse. A first release leaves the compiled kernels, as an
earlier release on the machine would.
"""

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
from bench.nation import gigabytes
from bench.process import STARLING, Run, run
from bench.record import Limit, Recorder
from starling.planfile.values import toml_of

SEED: Final = 2021
CENTRES: Final = 200
PIECE: Final = 1_000_000
"""Points that are invented at a time, and rows of a row group."""
EPSILON: Final = "0.1"
POINTS: Final = (100_000, 1_000_000, 10_000_000, 100_000_000)
SIDE: Final = 1024
"""Cells a side where points grow."""
SIDES: Final = ((8, 8), (10, 10), (12, 12), (13, 13), (14, 14), (17, 17), (19, 20), (20, 20))
"""Logarithms to the base 2 of rows and columns, where cells grow."""
MANY: Final = 10_000_000
"""Points where cells grow."""
SECONDS: Final = 10
GIGABYTES: Final = 2
PEER: Final = """
import sys, duckdb
path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print(duckdb.sql(f'''
  SELECT count(*), sum(points) FROM (
    SELECT cast(floor(y * {rows}) AS bigint) * {columns} + cast(floor(x * {columns}) AS bigint) AS cell, count(*) AS points
    FROM read_parquet('{path}') WHERE x >= 0 AND x < 1 AND y >= 0 AND y < 1 GROUP BY cell)
''').fetchall())
"""


def invent(path: Path, points: int) -> Path:
    """Points within and around the unit square; the first ones are the same whatever their number."""
    rng = np.random.default_rng(SEED)
    centres, shares = rng.uniform(0, 1, (CENTRES, 2)), rng.dirichlet(np.full(CENTRES, 0.3))
    spread = 0.1 * rng.uniform(0.05, 1, (CENTRES, 1))
    with pq.ParquetWriter(path, pa.schema([("x", pa.float64()), ("y", pa.float64())])) as writer:
        for begin in range(0, points, PIECE):
            chosen = rng.choice(CENTRES, min(PIECE, points - begin), p=shares)
            x, y = (centres[chosen] + rng.normal(0, 1, (len(chosen), 2)) * spread[chosen]).T
            writer.write_table(pa.table({"x": x, "y": y}))
    return path


def write_plan(path: Path, rows: int, columns: int) -> Path:
    """A plan of the unit square."""
    said: dict[str, Any] = {
        "title": "Invented points",
        "point": "point",
        "grid": {
            "crs": "plain",
            "crs_name": "unit square",
            "box": ["0", "0", "1", "1"],
            "rows": rows,
            "columns": columns,
        },
        "input": {"x": "x", "y": "y"},
        "privacy": {"unit": "point", "epsilon": EPSILON},
        "method": {"name": "adaptive"},
    }
    path.write_text(toml_of(said))
    return path


def measured(scratch: Path, records: Path, points: int, rows: int, columns: int) -> tuple[dict[str, Json], Run]:
    """A release and its peer, as a row of the result."""
    plan, out = write_plan(scratch / "plan.toml", rows, columns), scratch / "out"
    words = ("--records", records, "--out", out, "--unvalidated", "--yes", "--json")
    took = run([STARLING, "places", "release", plan, *words])
    peer = run([sys.executable, "-c", PEER, str(records), str(rows), str(columns)])
    row: dict[str, Json] = {
        "points": points,
        "rows": rows,
        "columns": columns,
        "sparse": rows * columns > 1 << 26,
        "seconds": round(took.seconds, 2),
        "cpu_seconds": round(took.cpu_seconds, 2),
        "gigabytes": round(took.peak_gb, 2),
        "release_gb": gigabytes(out),
        "group_by_seconds": round(peer.seconds, 2),
        "group_by_gigabytes": round(peer.peak_gb, 2),
        "times_of_group_by": round(took.seconds / peer.seconds, 2),
    }
    shutil.rmtree(out)
    print(row)
    return row, took


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("places_scale", "Time and memory of a release of points against points and cells.")
    recorder.parser.add_argument("--scratch", type=Path, help="where there is room for 3 GB")
    chosen = recorder.begin()
    sizes = (1_000, 10_000) if chosen.quick else POINTS
    sides = ((3, 3), (13, 14)) if chosen.quick else SIDES
    rows: list[Json] = []
    runs: list[Run] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory(dir=chosen.scratch)))
        first = invent(scratch / "first.parquet", 1_000)
        for side in (64, 1 << 14):
            measured(scratch, first, 1_000, side, side)
        for points in sizes:
            records = invent(scratch / "points.parquet", points)
            row, took = measured(scratch, records, points, SIDE, SIDE)
            rows.append(row)
            runs.append(took)
        records = invent(scratch / "points.parquet", sizes[-1] if chosen.quick else MANY)
        for down, across in sides:
            row, _ = measured(scratch, records, sizes[-1] if chosen.quick else MANY, 1 << down, 1 << across)
            rows.append(row)
    limits = [
        Limit("100 million points to a released grid of 1024 x 1024", round(runs[-1].seconds, 1), SECONDS, "s"),
        Limit("100 million points to a released grid, most memory", round(runs[-1].peak_gb, 2), GIGABYTES, "GB"),
    ]
    settings: dict[str, Json] = {"epsilon": EPSILON, "method": "adaptive", "seed": SEED, "side": SIDE}
    recorder.end(settings=settings, rows=rows, limits=[] if chosen.quick else limits)


if __name__ == "__main__":
    main()
